//! Under which names and addresses the server is known.

use crate::serve::{ServeOptions, usage};
use axum::http::Uri;
use runcast_commands::Failure;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Under which names and addresses the server is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// What browsers see: scheme, name and port.
    pub origin: String,
    /// Names by which it is asked for.
    pub hosts: Vec<String>,
    /// Whether every IP address of the machine will do too.
    pub any_address: bool,
    /// Whether browsers come encrypted.
    pub secure: bool,
}

/// Whether these options go together: beyond this machine there must be accounts, and one of three ways.
///
/// # Errors
/// They do not: exit code 2.
pub fn admissible(options: &ServeOptions) -> Result<(), Failure> {
    let host = options.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if host.is_loopback() {
        return Ok(());
    }
    if !options.multi_user {
        let text = format!("{host} is seen beyond this machine, which needs accounts");
        return Err(usage("--host", text, "add --multi-user, or listen at 127.0.0.1"));
    }
    let protected = options.tls_cert.is_some() || options.behind_proxy.is_some() || options.insecure_http;
    if !protected {
        let text = format!("{host} is seen beyond this machine, and passwords would travel in the clear");
        let hint = "add --tls-cert and --tls-key, --behind-proxy URL, or --insecure-http";
        return Err(usage("--host", text, hint));
    }
    Ok(())
}

impl Site {
    /// What follows from the options, the address it listens at, and the names of the certificate.
    ///
    /// # Errors
    /// The address of the proxy is none.
    pub fn of(options: &ServeOptions, local: SocketAddr, names: &[String]) -> Result<Self, Failure> {
        let secure = options.tls_cert.is_some();
        let port = local.port();
        let mut known = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned(), bracketed(local.ip())];
        known.extend(names.iter().cloned());
        let machine = machine().filter(|_| !local.ip().is_loopback());
        known.extend(machine.clone());
        let mut hosts: Vec<String> = known.iter().map(|name| format!("{name}:{port}")).collect();
        let usual = if secure { 443 } else { 80 };
        if port == usual {
            hosts.extend(known);
        }
        let shown = if local.ip().is_unspecified() {
            names.iter().find(|name| !name.starts_with('*')).cloned().or(machine).unwrap_or("127.0.0.1".to_owned())
        } else {
            bracketed(local.ip())
        };
        let scheme = if secure { "https" } else { "http" };
        let mut site = Site {
            origin: format!("{scheme}://{shown}:{port}"),
            hosts,
            any_address: !local.ip().is_loopback(),
            secure,
        };
        if let Some(url) = &options.behind_proxy {
            let (scheme, host) = proxy(url)?;
            site.secure = scheme == "https";
            site.origin = format!("{scheme}://{host}");
            site.hosts.push(host);
        }
        Ok(site)
    }
}

/// Scheme and host of the proxy's address.
fn proxy(url: &str) -> Result<(String, String), Failure> {
    let wrong = |text: &str| usage("--behind-proxy", text, "write it as https://forecast.example.org");
    let uri: Uri = url.parse().map_err(|_| wrong("this is not an address"))?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"));
    let scheme = scheme.ok_or_else(|| wrong("it begins with neither https:// nor http://"))?;
    let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
    let authority = authority.ok_or_else(|| wrong("it names no host"))?.as_str().to_ascii_lowercase();
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(wrong("it has a path: the pages must be at the root"));
    }
    let usual = if scheme == "https" { ":443" } else { ":80" };
    let host = authority.strip_suffix(usual).unwrap_or(&authority);
    Ok((scheme.to_owned(), host.to_owned()))
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// The name of this machine, where the system knows it.
fn machine() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_ascii_lowercase();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: ServeOptions,
    }

    fn options(line: &str) -> ServeOptions {
        Line::try_parse_from(std::iter::once("serve").chain(line.split_whitespace())).expect("a command line").options
    }

    #[test]
    fn beyond_this_machine_accounts_and_protection_are_required() {
        for (line, exit) in [
            ("", None),
            ("--host ::1", None),
            ("--host localhost", None),
            ("--host 0.0.0.0", Some(2)),
            ("--host 0.0.0.0 --insecure-http", Some(2)),
            ("--host 0.0.0.0 --multi-user", Some(2)),
            ("--host 192.168.0.1 --multi-user --insecure-http", None),
            ("--host :: --multi-user --behind-proxy https://x.example", None),
            ("--host 0.0.0.0 --multi-user --tls-cert a --tls-key b", None),
        ] {
            assert_eq!(admissible(&options(line)).err().map(|failure| failure.exit), exit, "{line}");
        }
    }

    #[test]
    fn the_proxy_says_what_browsers_see() {
        let local = SocketAddr::from(([127, 0, 0, 1], 8470));
        let site = Site::of(&options("--behind-proxy https://Forecast.example.org:443/"), local, &[]).expect("a site");
        assert!(site.secure);
        assert_eq!(site.origin, "https://forecast.example.org");
        assert!(site.hosts.contains(&"forecast.example.org".to_owned()));
        for wrong in ["x.example", "ftp://x", "https://x/path", "https://a@b"] {
            let line = format!("--behind-proxy {wrong}");
            assert_eq!(Site::of(&options(&line), local, &[]).expect_err("wrong").exit, 2, "{wrong}");
        }
    }

    #[test]
    fn on_this_machine_only_its_names_do() {
        let site = Site::of(&options(""), SocketAddr::from(([127, 0, 0, 1], 8470)), &[]).expect("a site");
        assert_eq!(site.origin, "http://127.0.0.1:8470");
        assert!(!site.any_address && site.hosts.contains(&"localhost:8470".to_owned()));
    }
}

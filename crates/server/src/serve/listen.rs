//! The port.

use crate::serve::undone;
use runcast_commands::Failure;
use runcast_core::Problem;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};

/// The port when none is given.
const USUAL: u16 = 8470;
/// How many ports are tried from there on.
const TRIED: u16 = 20;

/// Listens at an address. A port that was asked for must be free; else the next free one is taken, and said so.
///
/// # Errors
/// None is free, or the address is not this machine's.
pub fn listen(host: IpAddr, port: Option<u16>) -> Result<TcpListener, Failure> {
    let first = port.unwrap_or(USUAL);
    let last = if port.is_some() { first } else { first + TRIED - 1 };
    for candidate in first..=last {
        match TcpListener::bind(SocketAddr::new(host, candidate)) {
            Ok(listener) => {
                if candidate != first {
                    crate::log::line(&format!("port {first} is busy: port {candidate} instead"));
                }
                return Ok(listener);
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(undone("port", format!("cannot listen at {host}:{candidate}: {error}"))),
        }
    }
    let text = if first == last {
        format!("port {first} of {host} is busy")
    } else {
        format!("ports {first} to {last} of {host} are all busy")
    };
    let problem = Problem::new("port", text).at("--port").value(first.to_string());
    Err(Failure::undone(problem.hint("name another one; 0: a free one")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_port_that_was_asked_for_must_be_free() {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let listener = listen(host, Some(0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let busy = listen(host, Some(port)).expect_err("busy");
        assert_eq!(busy.exit, 1);
        assert!(busy.to_string().contains("is busy"), "{busy}");
    }
}

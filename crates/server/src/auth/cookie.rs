//! The cookie of a session.

use crate::app::Options;
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// How long a browser keeps it, in seconds: as long as the longest session.
const KEPT_S: u32 = 7 * 24 * 3600;

/// Its name has the port in it, for cookies ignore ports. `__Host-` makes browsers insist on encryption and this host.
pub fn name(options: &Options) -> String {
    let prefix = if options.secure { "__Host-" } else { "" };
    format!("{prefix}runcast-{}", options.port)
}

/// What the browser sent of it.
pub fn read<'a>(options: &Options, headers: &'a HeaderMap) -> Option<&'a str> {
    let name = name(options);
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

pub fn set(options: &Options, value: &str) -> HeaderValue {
    line(options, value, KEPT_S)
}

/// The header that removes it.
pub fn clear(options: &Options) -> HeaderValue {
    line(options, "", 0)
}

fn line(options: &Options, value: &str, kept_s: u32) -> HeaderValue {
    let secure = if options.secure { "; Secure" } else { "" };
    let text = format!("{}={value}; Path=/; Max-Age={kept_s}; HttpOnly; SameSite=Strict{secure}", name(options));
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

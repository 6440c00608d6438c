//! The cookies of a session, and of a device that someone has logged in from.

use crate::app::Options;
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// How long a browser keeps it, in seconds: as long as the longest session.
const KEPT_S: u32 = 7 * 24 * 3600;

/// How long a browser keeps that of a device, in seconds: 90 days.
const DEVICE_KEPT_S: u32 = 90 * 24 * 3600;

/// Its name has the port in it, for cookies ignore ports. `__Host-` makes browsers insist on encryption and this host.
pub fn name(options: &Options) -> String {
    named(options, "runcast")
}

fn device_name(options: &Options) -> String {
    named(options, "runcast-device")
}

fn named(options: &Options, name: &str) -> String {
    let prefix = if options.secure { "__Host-" } else { "" };
    format!("{prefix}{name}-{}", options.port)
}

/// What the browser sent of that of the session.
pub fn read<'a>(options: &Options, headers: &'a HeaderMap) -> Option<&'a str> {
    sent(&name(options), headers)
}

/// What the browser sent of that of the device.
pub fn read_device<'a>(options: &Options, headers: &'a HeaderMap) -> Option<&'a str> {
    sent(&device_name(options), headers)
}

fn sent<'a>(name: &str, headers: &'a HeaderMap) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

pub fn set(options: &Options, value: &str) -> HeaderValue {
    line(options, &name(options), value, KEPT_S)
}

/// The header that has the browser keep that of the device.
pub fn set_device(options: &Options, value: &str) -> HeaderValue {
    line(options, &device_name(options), value, DEVICE_KEPT_S)
}

/// The header that removes it.
pub fn clear(options: &Options) -> HeaderValue {
    line(options, &name(options), "", 0)
}

fn line(options: &Options, name: &str, value: &str, kept_s: u32) -> HeaderValue {
    let secure = if options.secure { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={kept_s}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

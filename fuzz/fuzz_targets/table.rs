//! Any bytes, the format recognized by content.
#![no_main]

#[path = "../import.rs"]
mod import;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| import::check(None, bytes));

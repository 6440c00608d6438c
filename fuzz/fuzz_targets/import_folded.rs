//! Any bytes as the format `folded`.
#![no_main]

#[path = "../import.rs"]
mod import;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| import::check(Some("folded"), bytes));

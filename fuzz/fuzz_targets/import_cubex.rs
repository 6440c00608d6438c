//! Any bytes as the format `cubex`.
#![no_main]

#[path = "../import.rs"]
mod import;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| import::check(Some("cubex"), bytes));

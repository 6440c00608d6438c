//! Any bytes as the format `extrap-json`.
#![no_main]

#[path = "../import.rs"]
mod import;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| import::check(Some("extrap-json"), bytes));

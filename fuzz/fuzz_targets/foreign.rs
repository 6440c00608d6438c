//! Any bytes as the trace of another tool: an error, or a recording that can be written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_record::foreign::{Format, Text, import};
use runcast_record::write;

fuzz_target!(|bytes: &[u8]| {
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    let files = [Text { file: "trace-0.txt", bytes: first }, Text { file: "trace-1.txt", bytes: rest }];
    for (_, format) in <Format as runcast_core::words::Words>::VALUES {
        for files in [&files[..], &files[..1]] {
            if let Ok(imported) = import(files, *format) {
                assert!(write(&imported.recording).is_ok());
            }
        }
    }
});

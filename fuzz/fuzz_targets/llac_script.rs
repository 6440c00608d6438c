//! Any text as a script of llac: each command is understood and reads back as it is printed, or is an error with a
//! place in the line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_commands::llac::grammar::{Command, Script, parse};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for line in Script::new(text) {
        match parse(line.text) {
            Ok(command) => {
                let printed = command.to_string();
                assert_eq!(parse(&printed).as_ref(), Ok(&command), "{printed}");
                if let Command::Predict { at, .. } = command {
                    assert!(at.iter().all(|targets| !targets.axes.is_empty()));
                }
            }
            Err(problem) => {
                let columns = line.text.chars().count() as u64 + 1;
                assert!(problem.column.is_none_or(|column| (1..=columns).contains(&column)), "{problem:?}");
            }
        }
    }
});

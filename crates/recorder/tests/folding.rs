//! Streams and folding of the recorder, by themselves: no MPI is needed, only a C compiler.

use std::path::Path;
use std::process::Command;

/// What the program prints. Numbers of events, nodes, terms and the longest queue of the regular sequences come from a
/// prototype in another language; expanding each tree must give the events that went in.
const EXPECTED: &[&str] = &[
    "tens: 2x[1{3x1} 10{3x10}]",
    "peers: 20x[22{2x-2} 25{2x-8} 37{2x-32}]",
    "constant: 7{1000x0}",
    "heat 200: 2621 events, 9 nodes, 16 terms, longest 7, expanded 2621, wrong 0",
    "heat 20000: 262001 events, 9 nodes, 16 terms, longest 7, expanded 262001, wrong 0",
    "panels: 4417 events, 8 nodes, 10 terms, longest 6, expanded 4417, wrong 0",
    "butterfly: 3000 events, 2 nodes, 7 terms, longest 1, expanded 3000, wrong 0",
];

#[test]
fn repeated_calls_become_loops_that_expand_to_the_same_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("folding");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folding.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled =
        Command::new(&compiler).args(["-O1", "-w", "-o"]).arg(&program).arg(&source).args(["-lm", "-ldl"]).status();
    match compiled {
        Ok(status) => assert!(status.success(), "{compiler}: {status}"),
        Err(error) => {
            let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
            assert!(!must, "{compiler}: {error}");
            return;
        }
    }
    let output = Command::new(&program).output().expect("it runs");
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..EXPECTED.len()], *EXPECTED, "{text}");
    for name in ["varying", "random"] {
        let line = lines.iter().find(|line| line.starts_with(name)).expect(name);
        let numbers: Vec<&str> = line.split(", ").collect();
        let events = numbers[0].split(' ').nth(1).expect("events");
        assert_eq!(numbers[4..], [&format!("expanded {events}"), "wrong 0"], "{line}");
    }
    // Quarter octaves from 64 ns; 0 to 999 with every tenth replaced by 5: 499500 - 49500 + 500.
    assert!(lines.contains(&"bins: 0 0 1 4 63"), "{text}");
    assert!(lines.contains(&"sketch: 1000 values 1..999 sum 450500, 16 kinds"), "{text}");
}

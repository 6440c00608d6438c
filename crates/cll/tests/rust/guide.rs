//! The guide shows the example, and the example records what the guide says.

use std::process::Command;

use tempfile::TempDir;

use crate::compiler;
use crate::trace::Trace;

const EXAMPLE: &str = include_str!("../../examples/sorting.rs");
const GUIDE: &str = include_str!("../../../../docs/guide/cll-rust.md");

/// The first block of this language in the guide.
fn block(language: &str) -> &'static str {
    let begin = format!("```{language}\n");
    GUIDE.split(begin.as_str()).nth(1).and_then(|rest| rest.split("```").next()).expect("a block")
}

#[test]
fn the_guide_shows_the_example() {
    let program = EXAMPLE.split_once("\n\n").expect("a comment first").1;
    assert_eq!(block("rust"), program);
}

#[test]
fn the_program_of_the_guide_records_its_lists() {
    let folder = TempDir::new().expect("a folder");
    let arguments = ["--edition=2024", "-O", "-D", "warnings", "-o", "sorting"];
    let output = compiler::library(true).rustc(folder.path(), block("rust"), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for run in 0..2 {
        let mut program = Command::new(folder.path().join("sorting"));
        for variable in ["CLL_DIR", "CLL_NAME", "CLL_RUN", "CLL_OFF", "CLL_MODE", "CLL_MEM"] {
            program.env_remove(variable);
        }
        let status = program.arg("12").current_dir(folder.path()).status().expect("it starts");
        assert!(status.success());
        let trace = Trace::read(&folder.path().join(format!("sorting.cll.{run}.csv")));
        assert_eq!(trace.of("sort").len(), 50);
        assert_eq!(trace.of("sum").len(), 100);
        for length in ["192", "256", "3072", "4096"] {
            assert_eq!(trace.column("sort", "n").iter().filter(|n| **n == length).count(), 5);
        }
        assert!(trace.of("sum").iter().all(|row| row["bytes"].parse() == row["n"].parse::<u64>().map(|n| 8 * n)));
        // More numbers take longer, by far.
        let least = |length: &str| {
            let rows = trace.of("sort").into_iter().filter(|row| row["n"] == length);
            rows.map(|row| row["time_s"].parse::<f64>().expect("a number")).fold(f64::INFINITY, f64::min)
        };
        assert!(least("4096") > 4.0 * least("192"));
    }
}

#[test]
fn the_error_of_the_guide_is_what_the_compiler_says() {
    let source = "use runcast_cll::prelude::*;\nfn work(n: u32) -> u32 { n }\nfn f(n: u32) -> u32 {\n    \
                  cll!(\"F\", \"F[0] + n/F[1]\", vars(n), { work(n) })\n}\n";
    let complaints = compiler::library(true).complaints(source, &["--crate-type=lib"]);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    for line in complaints[0].text.lines() {
        let line = line.replace("source.rs", "src/main.rs");
        assert!(GUIDE.contains(line.trim()), "not in the guide: {line}");
    }
}

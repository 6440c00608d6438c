//! Scripts that want to hang, to eat memory or to get out: each ends within its limits, with an error that says why and where.
//!
//! The first line of each says what is expected: words of the error (one of several) or `ok`, and the line that it names.

use runcast_sim::script::{Limits, record};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A five-hundredth of what scripts may usually take.
fn limits() -> Limits {
    Limits { steps: 2_000_000, memory_bytes: 32 << 20, seconds: 20.0, ..Limits::default() }
}

/// A loaded machine may be slow; alone, each takes well below a second.
const MOST: Duration = Duration::from_secs(30);

#[test]
fn hostile_scripts_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sim/hostile");
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    for file in files {
        let source = String::from_utf8_lossy(&std::fs::read(&file).expect("a script")).into_owned();
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let started = Instant::now();
        let result = record(&source, &name, &BTreeMap::new(), &limits());
        let took = started.elapsed();
        count += 1;
        let head = source.lines().next().and_then(|line| line.strip_prefix("-- expects: ")).expect("what is expected");
        let (words, line) = match head.split_once("   -- line ") {
            Some((words, line)) => (words, Some(line.parse::<u64>().expect("a line"))),
            None => (head, None),
        };
        let got = match &result {
            Ok(_) => "ok".to_owned(),
            Err(problems) => problems[0].to_string(),
        };
        println!("{name}: {:.3} s: {}", took.as_secs_f64(), got.chars().take(160).collect::<String>());
        let fits = words.split('|').any(|word| got.contains(word));
        let placed = match &result {
            Ok(_) => true,
            Err(problems) => {
                problems[0].file.as_deref() == Some(name.as_str())
                    && problems[0].line.is_some()
                    && line.is_none_or(|line| problems[0].line == Some(line))
            }
        };
        if !fits || !placed || took > MOST {
            wrong.push(format!("{name}: expected {words} at {line:?}, got {got} after {took:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 45, "{count} scripts");
}

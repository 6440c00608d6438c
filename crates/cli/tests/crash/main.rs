//! Crash tests: real servers, workers and databases are killed at random moments, and nothing that was accepted is lost.
//!
//! | variable | default | meaning |
//! |---|---|---|
//! | `RUNCAST_CRASH_ROUNDS` | 100 | rounds of kills of each database; each kills one process at least |
//! | `RUNCAST_CRASH_JOBS` | 300 | sweeps of 10 points that are launched meanwhile |
//! | `RUNCAST_CRASH_SEED` | of the clock | seed of all that is random; printed |

#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "who runs them wants the seed, and what was measured")]

mod check;
mod client;
mod dice;
mod frozen;
#[path = "../support/http.rs"]
mod http;
mod recovery;
mod scene;
mod shell;
mod site;
mod storm;
mod watch;

use std::path::Path;
use std::process::{Command, Stdio};

/// What is simulated: an answer that hangs on the seed of its point, and takes a while.
const SCRIPT: &str = r#"
local p = param("p", 2)
local s = 0
for i = 1, param("slow", 0) do s = s + i % 7 end
label{ "worker", count = p, run = function(rank) compute{ time = param("weight", 1) / p } allreduce{ size = 8 } end }
"#;
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\nnoise = { run = { kind = \"exp\", mean = 0.01 } }\n\
                          [[app]]\nfile = \"app.luau\"\n";
/// All that jobs read.
const FILES: [(&str, &str); 2] = [("app.luau", SCRIPT), ("e.toml", EXPERIMENT)];
/// Points of a sweep.
const POINTS: u64 = 10;
/// Different sweeps.
const VARIANTS: u64 = 6;

/// The program.
fn executable() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_runcast"))
}

/// A sweep of ten points, each of which turns so many times.
fn sweep(variant: u64, turns: u64) -> Vec<String> {
    let line = format!(
        "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..5 --repetitions 2 --seed {} --set weight={} --set slow={turns} -o t.csv",
        variant + 7,
        variant + 1
    );
    line.split_whitespace().map(str::to_owned).collect()
}

/// The table that an undisturbed run gives.
fn undisturbed(argv: &[String]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in FILES {
        std::fs::write(folder.path().join(path), text).expect("written");
    }
    let mut command = Command::new(executable());
    command.args(argv).current_dir(folder.path()).stdin(Stdio::null());
    let done = command.output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(folder.path().join("t.csv")).expect("a table")
}

/// A number from the environment.
fn option(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number"))
}

/// Says on stderr that PostgreSQL is not there, or fails where nothing may be missing.
fn no_postgres() {
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(!must, "PostgreSQL is missing");
    eprintln!("not tested: PostgreSQL is not installed");
}

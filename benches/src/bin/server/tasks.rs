//! Empty tasks through claim, store and done (G1, G2).

use crate::bench::Bench;
use crate::disk::syncs_per_s;
use crate::load::{self, USERS};
use crate::numbers::spread;
use runcast_store::Kind;
use std::fmt::Write as _;

/// Database, workers, and the goal in tasks a second.
const CASES: [(Kind, usize, Option<u32>); 5] = [
    (Kind::Sqlite, 1, Some(1_000)),
    (Kind::Sqlite, 4, None),
    (Kind::Postgres, 1, Some(600)),
    (Kind::Postgres, 4, Some(900)),
    (Kind::Postgres, 16, Some(1_000)),
];

pub fn section(bench: &Bench) -> Result<String, String> {
    let tasks = bench.of(10_000, 500);
    let runs = bench.long_runs();
    let mut syncs = Vec::new();
    for _ in 0..bench.runs() {
        syncs.push(syncs_per_s()?);
    }
    let mut text = format!(
        "### Empty tasks (G1, G2)\n\nTasks a second through claim, store of one point, and done: {tasks} queued tasks of {USERS} users in \
         jobs of 10, fair order, no child process; both databases wait for the disk as they do by default. Medians of {runs} \
         runs, with least and most in brackets. A claim does not wait for the disk; the end of a task, with its point, \
         does. So one worker cannot be faster than the disk, which here can be waited for {} times a second (`fdatasync` after a \
         write of 8 kB, in the same folder); with more workers, PostgreSQL lets several ends share one wait.\n\n\
         | database | workers | tasks/s | goal |\n|---|--:|--:|--:|\n",
        spread(&syncs, 0),
    );
    for (kind, workers, goal) in CASES {
        let mut rates = Vec::new();
        for _ in 0..runs {
            rates.push(load::with_database(kind, async |db| {
                load::fill(&db, tasks, 10).await?;
                load::drain(&db, workers, usize::MAX).await
            })?);
        }
        let goal = goal.map_or_else(String::new, |goal| format!("{goal} or more"));
        let _ = writeln!(text, "| {} | {workers} | {} | {goal} |", load::title(kind), spread(&rates, 0));
    }
    Ok(text)
}

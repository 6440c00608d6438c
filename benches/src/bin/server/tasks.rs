//! Empty tasks through claim, store and done.

use crate::load::{self, Kind};
use std::fmt::Write as _;

const TASKS: usize = 10_000;
const RUNS: usize = 5;

pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "### Empty tasks\n\nTasks a second through claim, store of one point, and done: 10,000 queued tasks of 8 users in \
         jobs of 10, fair order, no child process; both databases wait for the disk as they do by default. Medians of 5 \
         runs, with least and most in brackets.\n\n| database | workers | tasks/s |\n|---|---|---|\n",
    );
    for (kind, workers) in
        [(Kind::Sqlite, 1), (Kind::Sqlite, 4), (Kind::Postgres, 1), (Kind::Postgres, 4), (Kind::Postgres, 16)]
    {
        let mut rates = Vec::new();
        for _ in 0..runs() {
            rates.push(load::with_database(kind, async |db| {
                load::fill(&db, TASKS, 10).await?;
                load::drain(&db, workers, usize::MAX).await
            })?);
        }
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        let middle = load::median(rates);
        let _ = writeln!(text, "| {} | {workers} | {middle:.0} ({least:.0}..{most:.0}) |", kind.name());
    }
    Ok(text)
}

/// How often each is run; fewer while something is tried out.
fn runs() -> usize {
    std::env::var("RUNCAST_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS)
}

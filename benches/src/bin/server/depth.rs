//! What a long queue costs.

use crate::load::{self, Kind};
use std::fmt::Write as _;

const LENGTHS: [usize; 2] = [1_000, 1_000_000];
const TAKEN: usize = 1_000;
const RUNS: usize = 5;

pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "### Length of the queue\n\nThe same with one worker, 1,000 tasks taken from a queue that keeps 1,000 or 1,000,000 \
         others. Medians of 5 runs on the same database.\n\n| database | 1,000 queued: tasks/s | 1,000,000 queued: tasks/s | \
         ratio |\n|---|---|---|---|\n",
    );
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let mut rates = Vec::new();
        for length in LENGTHS {
            rates.push(load::with_database(kind, async |db| {
                load::fill(&db, length + TAKEN * RUNS, (length / 100).max(10)).await?;
                let mut rates = Vec::new();
                for _ in 0..RUNS {
                    rates.push(load::drain(&db, 1, TAKEN).await?);
                }
                Ok(load::median(rates))
            })?);
        }
        let _ = writeln!(text, "| {} | {:.0} | {:.0} | {:.2} |", kind.name(), rates[0], rates[1], rates[1] / rates[0]);
    }
    Ok(text)
}

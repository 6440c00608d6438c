//! What a long queue costs (G4).

use crate::bench::Bench;
use crate::load;
use crate::numbers::median;
use runcast_store::Kind;
use std::fmt::Write as _;

const RUNS: usize = 5;

pub fn section(bench: &Bench) -> Result<String, String> {
    let lengths = bench.of([1_000, 1_000_000], [100, 10_000]);
    let taken = bench.of(1_000, 100);
    let mut text = format!(
        "### Length of the queue (G4)\n\nThe same with one worker, {taken} tasks taken from a queue that keeps {} or {} \
         others. Medians of {RUNS} runs on the same database.\n\n| database | short queue: tasks/s | long queue: tasks/s | \
         ratio | goal |\n|---|--:|--:|--:|--:|\n",
        lengths[0], lengths[1],
    );
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let mut rates = Vec::new();
        for length in lengths {
            rates.push(load::with_database(kind, async |db| {
                load::fill(&db, length + taken * RUNS, (length / 100).max(10)).await?;
                let mut rates = Vec::new();
                for _ in 0..RUNS {
                    rates.push(load::drain(&db, 1, taken).await?);
                }
                Ok(median(&rates))
            })?);
        }
        let ratio = rates[1] / rates[0];
        let _ =
            writeln!(text, "| {} | {:.0} | {:.0} | {ratio:.2} | 0.5 or more |", load::title(kind), rates[0], rates[1]);
    }
    Ok(text)
}

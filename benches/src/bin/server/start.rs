//! From the start of the process to its first answer (G6).

use crate::bench::{Bench, milliseconds, runs};
use crate::served::{Served, folder};

/// G6.
pub fn section(bench: &Bench) -> Result<String, String> {
    let count = bench.runs();
    let (mut empty, mut filled) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let folder = folder()?;
        let served = Served::start(folder.path(), &["--workers", "2"])?;
        empty.push(served.start_s);
        served.stop()?;
        let served = Served::start(bench.stored()?, &["--workers", "2"])?;
        filled.push(served.start_s);
        served.stop()?;
    }
    Ok(format!(
        "### Start (G6)\n\nFrom the start of the process to the answer 200 of `/health`, SQLite; {}. In an empty folder the \
         database is made, and the samples are stored and launched.\n\n| | ms | goal, ms |\n|---|--:|--:|\n\
         | in an empty folder | {} | 1000 |\n| with {} jobs | {} | 1000 |\n",
        runs(count),
        milliseconds(&empty, 0),
        bench.jobs(),
        milliseconds(&filled, 0),
    ))
}

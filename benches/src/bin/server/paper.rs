//! The batch of the paper: 16 simulations with 50,928 calls each (G11).

use crate::bench::{Bench, milliseconds, runs};
use crate::samples::CALLS;
use crate::served::{Served, folder, said, words};
use std::time::{Duration, Instant};

/// Simulations of the batch.
const SIMULATIONS: usize = 16;

/// G11.
pub fn section(bench: &Bench) -> Result<String, String> {
    let count = bench.runs();
    let times: Vec<f64> = (0..count).map(|_| once()).collect::<Result<_, _>>()?;
    Ok(format!(
        "### The batch of the paper (G11)\n\n{SIMULATIONS} simulations of 200 processes, each with 50,928 calls of the application interface of \
         which none stands in a loop of the simulator, as one batch on a server with 2 workers: from the request until all rows of the \
         table are there; {}. The paper says \"over 2 h\" of its own; whether its 50,928 calls are those of one \
         simulation or of all 16 it does not say, and one is taken here.\n\n| | ms | goal, ms |\n|---|--:|--:|\n| from the request to the table | {} | less than 2000 |\n",
        runs(count),
        milliseconds(&times, 0),
    ))
}

fn once() -> Result<f64, String> {
    let folder = folder()?;
    let served = Served::start(folder.path(), &["--workers", "2", "--no-samples"])?;
    let client = served.client();
    client.put("bench/calls.luau", CALLS, None)?;
    let line = |k: usize| {
        words(&format!("sim sweep --fidelity label --loggops L=1us,o=1us --app bench/calls.luau --vary k={k}"))
    };
    let jobs: Vec<_> = (1..=SIMULATIONS).map(line).collect();
    let begin = Instant::now();
    let (batch, _) = client.launch(&jobs)?;
    client.wait(&batch, Duration::from_millis(10), Duration::from_secs(120))?;
    let table = client.get(&format!("/batches/{batch}/table"))?;
    let took = begin.elapsed().as_secs_f64();
    served.stop().map_err(said)?;
    let rows = table.as_str().unwrap_or_default().lines().filter(|line| !line.starts_with('#')).count();
    if rows == SIMULATIONS + 1 { Ok(took) } else { Err(format!("the table has {rows} lines: {table}")) }
}

//! Tasks in processes of their own (G3), and two workers against one (G12).

use crate::bench::{Bench, runs};
use crate::numbers::{median, quantile, spread};
use crate::samples::{SWEEP, TINY, busy};
use crate::served::{Served, folder, words};
use serde_json::json;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Tasks of a job, each of one point.
const EACH: usize = 500;

/// G3.
pub fn empty(bench: &Bench) -> Result<String, String> {
    let tasks = bench.of(1_000, 100);
    let children = bench.of(200, 30);
    let mut rates = Vec::new();
    for _ in 0..bench.runs() {
        rates.push(rate(TINY, tasks, 2)?);
    }
    let (times, sandbox) = alone(TINY, children)?;
    Ok(format!(
        "### Tasks in processes of their own (G3)\n\nEvery task is a process under the sandbox (here: `{sandbox}`). {tasks} \
         tasks, each a simulation of one message, go through a server with 2 workers on SQLite, from the answer to the \
         launch to the last result: {}. A process by itself, as long as the request takes that it answers \
         (`POST /compute`, the same simulation): {children} of them, one after the other.\n\n| | measured | goal |\n\
         |---|--:|--:|\n| tasks/s | {} | 300 or more |\n| a process, median | {:.1} ms | 5 ms or less |\n\
         | a process, 95th percentile | {:.1} ms | |\n",
        runs(rates.len()),
        spread(&rates, 0),
        1e3 * median(&times),
        1e3 * quantile(&times, 0.95),
    ))
}

/// G12.
pub fn scaling(bench: &Bench) -> Result<String, String> {
    let tasks = bench.of(2_000, 200);
    let turns = turns_of(Duration::from_millis(20))?;
    let app = busy(turns);
    let (times, _) = alone(&app, 30)?;
    let mut ratios = Vec::new();
    let mut rows = String::new();
    for _ in 0..bench.long_runs() {
        let (one, two) = (rate(&app, tasks, 1)?, rate(&app, tasks, 2)?);
        ratios.push(two / one);
        let _ = writeln!(rows, "| {one:.1} | {two:.1} | {:.2} | 1.8 or more |", two / one);
    }
    Ok(format!(
        "### Two workers against one (G12)\n\n{tasks} tasks whose processes take {:.1} ms each (median, from start to \
         end, nearly all of it processor time), on SQLite. Median of {} ratios: {:.2}. The processor also runs the \
         server: on a machine with 2 hardware threads it takes its share from both.\n\n\
         | 1 worker: tasks/s | 2 workers: tasks/s | ratio | goal |\n|--:|--:|--:|--:|\n{rows}",
        1e3 * median(&times),
        ratios.len(),
        median(&ratios),
    ))
}

/// Tasks a second of an application, one point each, through a server with so many workers.
fn rate(app: &str, tasks: usize, workers: usize) -> Result<f64, String> {
    let folder = folder()?;
    let served = Served::start(folder.path(), &["--workers", &workers.to_string(), "--no-samples"])?;
    let client = served.client();
    client.put("bench/app.luau", app, None)?;
    let sweep = |points: usize| words(&format!("{SWEEP} --app bench/app.luau --vary n=1..{points}"));
    // The first task starts the workers' caches.
    let (first, _) = client.launch(&[sweep(1)])?;
    client.wait(&first, Duration::from_millis(5), Duration::from_secs(20))?;
    let jobs: Vec<_> = (0..tasks.div_ceil(EACH)).map(|job| sweep(EACH.min(tasks - job * EACH))).collect();
    let (batch, _) = client.launch(&jobs)?;
    let begin = Instant::now();
    client.wait(&batch, Duration::from_millis(20), Duration::from_secs(300))?;
    let took = begin.elapsed().as_secs_f64();
    served.stop()?;
    Ok(tasks as f64 / took)
}

/// Seconds of requests that are answered by a process each, one after the other; and which sandbox they are in.
fn alone(app: &str, count: usize) -> Result<(Vec<f64>, String), String> {
    /// Computations a second that a user may ask for.
    const A_SECOND: f64 = 20.0;
    let folder = folder()?;
    let served = Served::start(folder.path(), &["--workers", "1", "--no-samples"])?;
    let client = served.client();
    let wish = json!({ "argv": words("sim run --loggops L=1us,o=1us --app app.luau"), "files": { "app.luau": app } });
    let mut times = Vec::with_capacity(count);
    for turn in 0..count + 3 {
        let begin = Instant::now();
        client.post("/compute", &wish)?;
        // The first ones find nothing in the caches of the system.
        if turn >= 3 {
            times.push(begin.elapsed().as_secs_f64());
        }
        std::thread::sleep(Duration::from_secs_f64(1.05 / A_SECOND).saturating_sub(begin.elapsed()));
    }
    let sandbox = client.get("/workers")?["items"][0]["sandbox"].as_str().unwrap_or("unknown").to_owned();
    served.stop()?;
    Ok((times, sandbox))
}

/// How many turns of the loop make a process take that long.
fn turns_of(wish: Duration) -> Result<u64, String> {
    const TRIAL: u64 = 2_000_000;
    let (none, some) = (median(&alone(TINY, 10)?.0), median(&alone(&busy(TRIAL), 10)?.0));
    let a_turn = (some - none).max(1e-9) / TRIAL as f64;
    Ok(((wish.as_secs_f64() - none).max(0.0) / a_turn) as u64)
}

//! A server that is killed, and started again: how soon its tasks run (G14).

use crate::bench::{Bench, milliseconds, runs};
use crate::samples::{SWEEP, busy};
use crate::served::{Client, Served, folder, words};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Turns of a loop that last for some seconds.
const TURNS: u64 = 200_000_000;
/// Tasks that run at the moment of the kill.
const WORKERS: usize = 2;

/// G14.
pub fn section(bench: &Bench) -> Result<String, String> {
    let count = bench.runs();
    let times: Vec<f64> = (0..count).map(|_| once()).collect::<Result<_, _>>()?;
    Ok(format!(
        "### After a kill (G14)\n\nA server with {WORKERS} workers in its process is killed (SIGKILL) while each runs a task that takes seconds, and is started \
         again on its folder: from the start of the new process until both tasks run again, as their second attempt; {}. The \
         lease of 30 s is not waited for.\n\n| | ms | goal, ms |\n|---|--:|--:|\n| until the tasks run again | {} | less than 3000 |\n",
        runs(count),
        milliseconds(&times, 0),
    ))
}

fn once() -> Result<f64, String> {
    let folder = folder()?;
    let options = ["--workers", &WORKERS.to_string(), "--no-samples"];
    let served = Served::start(folder.path(), &options)?;
    let client = served.client();
    client.put("bench/busy.luau", &busy(TURNS), None)?;
    let job = client.launch(&[words(&format!("{SWEEP} --app bench/busy.luau --vary n=1..{WORKERS}"))])?.1;
    let job = job.into_iter().next().ok_or("no job")?;
    wait(&client, &job, 1)?;
    served.kill()?;
    let begin = Instant::now();
    let served = Served::start(folder.path(), &options)?;
    wait(&served.client(), &job, 2)?;
    let took = begin.elapsed().as_secs_f64();
    served.kill()?;
    Ok(took)
}

/// Until all tasks of a job run in this attempt.
fn wait(client: &Client, job: &str, attempt: i64) -> Result<(), String> {
    let since = Instant::now();
    loop {
        let told = client.get(&format!("/jobs/{job}/tasks"))?;
        let runs = |task: &Value| task["state"] == "running" && task["attempt"].as_i64() == Some(attempt);
        if told["items"].as_array().is_some_and(|tasks| tasks.len() == WORKERS && tasks.iter().all(runs)) {
            return Ok(());
        }
        if since.elapsed() > Duration::from_secs(60) {
            return Err(format!("the tasks do not run: {told}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

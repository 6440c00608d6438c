//! How long requests take while 100,000 jobs are stored (G5).

use crate::bench::Bench;
use crate::numbers::{median, quantile, spread};
use crate::samples::{SWEEP, busy};
use crate::served::{Client, Served, words};
use std::fmt::Write as _;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Connections that ask at once, each for the next as soon as it has an answer.
const CONNECTIONS: usize = 16;
/// Bytes of a file that is stored.
const STORED: usize = 10_000;

/// What is asked for.
#[derive(Clone, Copy)]
enum Ask {
    File,
    Job,
    List,
    Put,
}

impl Ask {
    const ALL: [Ask; 4] = [Ask::File, Ask::Job, Ask::List, Ask::Put];

    /// Its name, and the goal for the 99th percentile in milliseconds.
    fn facts(self) -> (&'static str, f64) {
        match self {
            Ask::File => ("GET of a file", 10.0),
            Ask::Job => ("GET of a job", 10.0),
            Ask::List => ("GET of a list of 50 jobs", 20.0),
            Ask::Put => ("PUT of a file of 10 kB", 50.0),
        }
    }
}

/// What the connections saw together.
struct Seen {
    a_second: f64,
    p50_ms: f64,
    p99_ms: f64,
}

/// G5.
pub fn section(bench: &Bench) -> Result<String, String> {
    let lasts = bench.of(Duration::from_secs(10), Duration::from_secs(1));
    let runs = bench.long_runs();
    let mut text = format!(
        "### Requests (G5)\n\n{} jobs stored on SQLite, {CONNECTIONS} connections of this program that stay open, each asking \
         for the next as soon as it has an answer, {} s for each kind; medians of {runs} runs, with least and most of the 99th \
         percentile in brackets. Every PUT is a new version and waits for the disk. Then the same while 2 workers of the \
         server are busy with tasks of 20 ms. The generator takes its share of the processor, too.\n\n| request | workers | requests/s | \
         median, ms | 99th percentile, ms | goal, ms |\n|---|---|--:|--:|--:|--:|\n",
        bench.jobs(),
        lasts.as_secs(),
    );
    for is_busy in [false, true] {
        let mut seen: Vec<Vec<Seen>> = Vec::new();
        for _ in 0..runs {
            seen.push(round(bench, lasts, is_busy)?);
        }
        for (at, ask) in Ask::ALL.into_iter().enumerate() {
            let of = |what: fn(&Seen) -> f64| seen.iter().map(|round| what(&round[at])).collect::<Vec<_>>();
            let (name, goal) = ask.facts();
            let _ = writeln!(
                text,
                "| {name} | {} | {:.0} | {:.2} | {} | {:.0} |",
                if is_busy { "2, busy" } else { "none" },
                median(&of(|seen| seen.a_second)),
                median(&of(|seen| seen.p50_ms)),
                spread(&of(|seen| seen.p99_ms), 1),
                if is_busy { 3.0 * goal } else { goal },
            );
        }
    }
    Ok(text)
}

fn round(bench: &Bench, lasts: Duration, is_busy: bool) -> Result<Vec<Seen>, String> {
    let served = Served::start(bench.stored()?, &["--workers", if is_busy { "2" } else { "0" }])?;
    let client = served.client();
    let list = client.get("/projects/main/jobs?limit=500")?;
    let jobs: Vec<String> = list["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|job| job["id"].as_str())
        .map(str::to_owned)
        .collect();
    let batch = if is_busy { Some(occupy(&client, lasts)?) } else { None };
    let seen = Ask::ALL.into_iter().map(|ask| all(&served, ask, &jobs, lasts)).collect();
    if let Some(batch) = batch {
        let left = client.get(&format!("/batches/{batch}"))?;
        if left["counts"]["running"].as_u64().unwrap_or(0) == 0 {
            return Err(format!("the workers were not busy to the end: {left}"));
        }
        client.post(&format!("/batches/{batch}/cancel"), &serde_json::Value::Null)?;
    }
    served.stop()?;
    seen
}

/// Gives two workers more to do than they can do meanwhile.
fn occupy(client: &Client, lasts: Duration) -> Result<String, String> {
    let path = "bench/busy.luau";
    let app = busy(TURNS);
    // A second round finds it there.
    if client.get(&format!("/projects/main/files/{path}")).is_err() {
        client.put(path, &app, None)?;
    }
    let tasks_s = 2.0 / 0.01;
    let jobs = (lasts.as_secs_f64() * Ask::ALL.len() as f64 * tasks_s / 500.0).ceil() as usize + 1;
    let jobs = vec![words(&format!("{SWEEP} --app {path} --vary n=1..500")); jobs];
    Ok(client.launch(&jobs)?.0)
}

/// Turns of a loop: about 20 ms.
const TURNS: u64 = 600_000;

fn all(served: &Served, ask: Ask, jobs: &[String], lasts: Duration) -> Result<Seen, String> {
    let ready = Barrier::new(CONNECTIONS);
    let begin = Instant::now();
    let times: Result<Vec<Vec<f64>>, String> = std::thread::scope(|scope| {
        let one = |number: usize| {
            let (client, ready) = (served.client(), &ready);
            scope.spawn(move || connection(&client, ask, number, jobs, lasts, ready))
        };
        let threads: Vec<_> = (0..CONNECTIONS).map(one).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a connection failed".to_owned())?).collect()
    });
    let times = times?.concat();
    Ok(Seen {
        a_second: times.len() as f64 / begin.elapsed().as_secs_f64(),
        p50_ms: 1e3 * median(&times),
        p99_ms: 1e3 * quantile(&times, 0.99),
    })
}

/// Seconds of each request.
fn connection(
    client: &Client,
    ask: Ask,
    number: usize,
    jobs: &[String],
    lasts: Duration,
    ready: &Barrier,
) -> Result<Vec<f64>, String> {
    let path = format!("bench/put-{number}.csv");
    let etag = client.open(&format!("/projects/main/files/{path}"));
    let etag = etag.ok().filter(|answer| answer.status() == 200);
    let mut etag = etag.and_then(|answer| answer.headers().get("etag")?.to_str().ok().map(str::to_owned));
    ready.wait();
    let (begin, mut times) = (Instant::now(), Vec::new());
    while begin.elapsed() < lasts {
        let turn = times.len();
        let text = matches!(ask, Ask::Put).then(|| table(begin, number));
        let from = Instant::now();
        match (ask, &text) {
            (Ask::File, _) => client.get("/projects/main/files/experiments/heat.toml").map(drop)?,
            (Ask::Job, _) => {
                client.get(&format!("/jobs/{}", jobs[(turn * CONNECTIONS + number) % jobs.len()])).map(drop)?
            }
            (Ask::List, _) => client.get("/projects/main/jobs?limit=50").map(drop)?,
            (Ask::Put, text) => {
                etag = Some(client.put(&path, text.as_deref().unwrap_or_default(), etag.as_deref())?);
            }
        }
        times.push(from.elapsed().as_secs_f64());
    }
    Ok(times)
}

/// A table that was never there before.
fn table(begin: Instant, number: usize) -> String {
    let mut text = format!("p,time_s\n{number},{}\n", begin.elapsed().as_secs_f64());
    while text.len() < STORED {
        let _ = writeln!(text, "{},{:.3}", text.len(), 1.0 / text.len() as f64);
    }
    text
}

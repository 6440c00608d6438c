//! Memory of a server that has nothing to do, and of each stream of events (G7).

use crate::bench::Bench;
use crate::numbers::spread;
use crate::served::{Served, folder, said};
use std::time::Duration;

/// Servers that are looked at.
const SERVERS: usize = 3;

/// G7.
pub fn section(bench: &Bench) -> Result<String, String> {
    let idle = bench.of(Duration::from_secs(60), Duration::from_secs(5));
    let streams = bench.of(1_000, 100);
    let folders = (0..SERVERS).map(|_| folder()).collect::<Result<Vec<_>, _>>()?;
    let start = |folder: &tempfile::TempDir| Served::start(folder.path(), &["--workers", "2"]);
    let servers = folders.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    std::thread::sleep(idle);
    let (mut at_rest, mut with_streams, mut each) = (Vec::new(), Vec::new(), Vec::new());
    for served in &servers {
        let before = served.resident()? as f64;
        // Every stream has a connection of its own.
        let clients: Vec<_> = (0..streams).map(|_| served.client()).collect();
        let open = clients.iter().map(|client| client.open("/projects/main/events").map_err(said));
        let open = open.collect::<Result<Vec<_>, _>>()?;
        if let Some(refused) = open.iter().find(|answer| answer.status() != 200) {
            return Err(format!("a stream was refused: {}", refused.status()));
        }
        std::thread::sleep(Duration::from_secs(2));
        let after = served.resident()? as f64;
        at_rest.push(before / 1e6);
        with_streams.push(after / 1e6);
        each.push((after - before) / 1e3 / streams as f64);
    }
    for served in servers {
        served.stop()?;
    }
    Ok(format!(
        "### Memory (G7)\n\nResident memory (VmRSS) of a server with 2 workers and the samples, {} s after its start, and when \
         {streams} streams of events are open beside that, each over a connection of its own; medians of {SERVERS} servers, with least and most in \
         brackets. What the system keeps for the connections is not in it.\n\n| | measured | goal |\n|---|--:|--:|\n\
         | idle, MB | {} | less than 60 |\n| with the streams, MB | {} | |\n| each stream, kB | {} | less than 50 |\n",
        idle.as_secs(),
        spread(&at_rest, 1),
        spread(&with_streams, 1),
        spread(&each, 1),
    ))
}

//! GOAL schedules: reading, replaying, and what that takes (G3, G4).

use runcast_sim::budget::Budget;
use runcast_sim::goal;
use runcast_sim::schedule::{Builder, Control, Edge, Operation, Parameters, Schedule, replay};
use runcast_sim::tick::NANOSECOND;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Bytes of a message of the all-to-all.
const ALLTOALL_BYTES: u64 = 1024;

/// The section.
pub fn section() -> Result<String, String> {
    let mut page = String::from(
        "### Schedules\n\n| schedule | ranks | messages | events | CPU s | ns a message | MB |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    row(&mut page, "dissemination, 8 B", &dissemination(65_536), Some(88_672))?;
    for ranks in [512, 1024, 8192] {
        row(&mut page, "alltoall `spread`, 1,024 B", &alltoall(ranks), None)?;
    }
    row(&mut page, "halo 20^3, 10 iterations", &halo(20, 10), None)?;
    let mut text = String::new();
    goal::write(&halo(20, 10), &mut text).map_err(|error| error.to_string())?;
    let least = (0..3)
        .map(|_| {
            let start = cpu_s();
            let parsed = goal::parse(text.as_bytes(), "halo.goal").map(|parsed| parsed.schedule.operations());
            (cpu_s() - start, parsed)
        })
        .min_by(|one, another| one.0.total_cmp(&another.0));
    let Some((seconds, operations)) = least else { return Ok(page) };
    let operations = operations.map_err(|problem| problem.to_string())?;
    let megabytes = text.len() as f64 / 1e6;
    let _ = write!(
        page,
        "\nReading GOAL text: {megabytes:.0} MB with {operations} operations in {seconds:.3} s, {:.0} MB/s.\n",
        megabytes / seconds
    );
    Ok(page)
}

/// Replays a schedule three times, or once if that takes long; the least time counts.
fn row(page: &mut String, name: &str, schedule: &Schedule, expected_ns: Option<u64>) -> Result<(), String> {
    let interrupt = AtomicBool::new(false);
    let control = Control { tick: NANOSECOND, budget: &Budget::new(&interrupt), line: &|_, _| None };
    let mut least = f64::INFINITY;
    let mut counts = (0, 0);
    for _ in 0..3 {
        let start = cpu_s();
        let replayed =
            replay(schedule, &Parameters::default(), &control).map_err(|problem| format!("{name}: {problem}"))?;
        least = least.min(cpu_s() - start);
        counts = (replayed.counts.messages, replayed.counts.events);
        if expected_ns.is_some_and(|expected| expected != replayed.end) {
            return Err(format!("{name}: ends at {} ns", replayed.end));
        }
        if least > 2.0 {
            break;
        }
    }
    let per_message = least / counts.0 as f64 * 1e9;
    let (ranks, megabytes) = (schedule.ranks.len(), peak_megabytes());
    let _ = writeln!(
        page,
        "| {name} | {ranks} | {} | {} | {least:.3} | {per_message:.0} | {megabytes:.0} |",
        counts.0, counts.1
    );
    Ok(())
}

/// Processor time of this thread, in seconds.
fn cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// Most memory of the program so far.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) * 1024.0 / 1e6
}

/// Round k = 0 .. sends to (r + 2^k) mod P and receives from (r - 2^k) mod P; receives are posted at once, send k requires
/// receive k - 1.
pub fn dissemination(ranks: u32) -> Schedule {
    build(ranks, |builder, rank, operations, edges| {
        for round in 0..ranks.ilog2() {
            operations.push(builder.send(rank, (rank + (1 << round)) % ranks, 8, 0));
            operations.push(builder.recv(rank, (rank + ranks - (1 << round)) % ranks, 8, 0));
            if round > 0 {
                edges.push(Edge { later: 2 * round, earlier: 2 * round - 1, start: false });
            }
        }
    })
}

/// r sends to r + 1, r + 2 .. and receives from r - 1, r - 2 .. (mod P); nothing waits.
pub fn alltoall(ranks: u32) -> Schedule {
    build(ranks, |builder, rank, operations, _| {
        for step in 1..ranks {
            operations.push(builder.send(rank, (rank + step) % ranks, ALLTOALL_BYTES, 0));
            operations.push(builder.recv(rank, (rank + ranks - step) % ranks, ALLTOALL_BYTES, 0));
        }
    })
}

/// 3-D periodic, x fastest, neighbors +x -x +y -y +z -z; per iteration 6 receives (tag d xor 1), 6 sends of 8,192 B (tag d),
/// a calculation of 100,000 ns that requires all 12; the next iteration requires the calculation.
pub fn halo(side: u32, iterations: u32) -> Schedule {
    build(side * side * side, |builder, rank, operations, edges| {
        let at = [rank % side, rank / side % side, rank / side / side];
        let neighbor = |direction: u32| {
            let mut to = at;
            let along = &mut to[direction as usize / 2];
            *along = (*along + if direction.is_multiple_of(2) { 1 } else { side - 1 }) % side;
            to[0] + side * (to[1] + side * to[2])
        };
        for iteration in 0..iterations {
            let first = iteration * 13;
            operations.extend((0..6).map(|direction| builder.recv(rank, neighbor(direction), 8192, direction ^ 1)));
            operations.extend((0..6).map(|direction| builder.send(rank, neighbor(direction), 8192, direction)));
            operations.push(Builder::calc(100_000));
            for message in first..first + 12 {
                edges.push(Edge { later: first + 12, earlier: message, start: false });
                if iteration > 0 {
                    edges.push(Edge { later: message, earlier: first - 1, start: false });
                }
            }
        }
    })
}

fn build(ranks: u32, describe: impl Fn(&Builder, u32, &mut Vec<Operation>, &mut Vec<Edge>)) -> Schedule {
    let mut builder = Builder::new("generated", ranks);
    let (mut operations, mut edges) = (Vec::new(), Vec::new());
    for rank in 0..ranks {
        operations.clear();
        edges.clear();
        describe(&builder, rank, &mut operations, &mut edges);
        // These have no circles.
        let _ = builder.rank(rank, &operations, &edges);
    }
    builder.finish().0
}

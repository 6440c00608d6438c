//! Speed at scale: schedules from their text and programs from their script to the answer, a conjugate gradient on a fat tree
//! beside SimGrid's SMPI, a hundred thousand processes that share links, and a calibration.

mod calibration;
mod gradient;

use crate::flows::halo::application;
use crate::flows::peers;
use crate::flows::stage::{cpu_s, platform, run};
use crate::schedules::{dissemination, halo};
use runcast_sim::budget::Budget;
use runcast_sim::fast;
use runcast_sim::goal;
use runcast_sim::job::Job;
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::schedule::{Control, Parameters, Schedule, replay};
use runcast_sim::script::{Limits, Value, record};
use runcast_sim::tick::NANOSECOND;
use runcast_sim::world::PlainWorld;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Receives are posted at once, the send of round k waits for the receive of round k - 1.
const DISSEMINATION: &str = r#"
local p = param("p", 65536)
label{ "cell", count = p, run = function(rank)
  local requests, distance = {}, 1
  while distance < p do
    requests[#requests + 1] = irecv{ from = (rank - distance + p) % p }
    distance = 2*distance
  end
  distance = 1
  for round = 1, #requests do
    send{ to = (rank + distance) % p, size = 8 }
    wait(requests[round])
    distance = 2*distance
  end
end }
"#;

/// The section.
pub fn section() -> Result<String, String> {
    let mut page = String::from(
        "### Speed at scale\n\nCPU seconds of one thread, from the text of the schedule or script to the answer, the least of \
         three goes. LogGOPSim, which Debian does not have, took 4.64 s for the dissemination and 2.54 s for the halo on a \
         machine with 2 cores, converting its text included.\n\n\
         | work | reading or recording | simulating | in all | goal |\n|---|--:|--:|--:|--:|\n",
    );
    text(&mut page, "dissemination, 65,536 ranks, 8 B: GOAL text", &dissemination(65_536), 0.23, 88_672)?;
    script(&mut page, "dissemination: script", DISSEMINATION, 0.23, Some(88_672))?;
    text(&mut page, "halo of 8,000 ranks, 10 iterations: GOAL text", &halo(20, 10), 0.25, 0)?;
    script(&mut page, "halo: script", crate::processes::HALO, 0.2, None)?;
    let peers = peers::build();
    if let Err(why) = &peers {
        let _ = writeln!(page, "\nSimGrid is not here ({why}): only our own times are told.");
    }
    page.push_str(&gradient::part(peers.as_ref().ok())?);
    page.push_str(&crowd()?);
    page.push_str(&calibration::part()?);
    Ok(page)
}

/// The least of three goes, by the sum of its parts.
fn least(go: impl Fn() -> Result<(f64, f64, u64), String>) -> Result<(f64, f64, u64), String> {
    let goes = (0..3).map(|_| go()).collect::<Result<Vec<_>, _>>()?;
    let least = goes.into_iter().min_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
    least.ok_or_else(|| "no go at all".to_owned())
}

fn told(page: &mut String, name: &str, (first, second, _): (f64, f64, u64), goal: f64) {
    let all = first + second;
    let met = if all <= goal { "met" } else { "missed" };
    let _ = writeln!(page, "| {name} | {first:.3} | {second:.3} | {all:.3} | {goal}, {met} |");
}

/// A schedule from its text.
fn text(page: &mut String, name: &str, schedule: &Schedule, goal: f64, end: u64) -> Result<(), String> {
    let mut text = String::new();
    goal::write(schedule, &mut text).map_err(|error| error.to_string())?;
    let seen = least(|| {
        let begun = cpu_s();
        let parsed = goal::parse(text.as_bytes(), "bench.goal").map_err(|problem| problem.to_string())?;
        let read_s = cpu_s() - begun;
        let budget = Budget::default();
        let control = Control { tick: NANOSECOND, budget: &budget, line: &|_, _| None };
        let replayed = replay(&parsed.schedule, &Parameters::default(), &control);
        let replayed = replayed.map_err(|problem| problem.to_string())?;
        Ok((read_s, cpu_s() - begun - read_s, replayed.end))
    })?;
    if end > 0 && seen.2 != end {
        return Err(format!("{name}: ends at {} ns", seen.2));
    }
    told(page, name, seen, goal);
    Ok(())
}

/// A program from its script.
fn script(page: &mut String, name: &str, script: &str, goal: f64, end: Option<u64>) -> Result<(), String> {
    let parameters: BTreeMap<String, Value> = BTreeMap::new();
    let seen = least(|| {
        let begun = cpu_s();
        let recorded = record(script, "bench.luau", &parameters, &Limits::default())
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let recorded_s = cpu_s() - begun;
        let processes = recorded.application.processes() as u32;
        let platform = Platform::uniform(processes, LogGops::default());
        let (world, budget) = (PlainWorld { processes }, Budget::default());
        let job = Job { threads: 1, ..Job::new(&platform, &world, &budget) };
        let outcome = fast::simulate(&job, &recorded.application).map_err(|problem| problem.to_string())?;
        let outcome = outcome.ok_or("the fast engine does not take it")?;
        Ok((recorded_s, cpu_s() - begun - recorded_s, outcome.end))
    })?;
    if end.is_some_and(|end| end != seen.2) {
        return Err(format!("{name}: ends at {} ns", seen.2));
    }
    told(page, name, seen, goal);
    Ok(())
}

/// A fat tree of two levels, 2:1.
fn fat_tree(below: u64, leaves: u64) -> String {
    format!(
        "format = \"runcast-system/1\"\nname = \"tree\"\n\
         component = [{{ id = \"tree\", kind = \"group\" }}, {{ id = \"node\", kind = \"machine\", parent = \"tree\", count = {} \
         }}, {{ id = \"cpu\", kind = \"cpu\", parent = \"node\", set = {{ cores = 1, flops_double = 1e9 }} }}]\n\
         [[network]]\nof = \"tree\"\n\
         topology = {{ kind = \"fat_tree\", down = [{below}, {leaves}], up = [1, {}], links = [1, 1] }}\n\
         set = {{ bandwidth = 1.25e9, latency = 1e-6 }}\n",
        below * leaves,
        below / 2
    )
}

/// 46^3 processes on a fat tree of as many machines.
fn crowd() -> Result<String, String> {
    let seen = run(&platform(&fat_tree(184, 529))?, &application(46, 3), None, 1)?;
    let processes = 46_u64.pow(3) as f64;
    let met = if seen.cpu_s <= 60.0 { "met" } else { "missed" };
    Ok(format!(
        "\nA halo of 46^3 = 97,336 processes, 3 iterations of 8,192 B, on a fat tree of as many machines with half of the up-links, \
         at `flow`: {:.1} CPU s, {:.0} B a process, {:.3} ms simulated. Goal: 60 s, {met}; SimGrid's S4U did not fit into memory.\n",
        seen.cpu_s,
        seen.grown_bytes / processes,
        seen.time_s * 1e3
    ))
}

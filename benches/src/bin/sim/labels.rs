//! The label level: runs of the kind that the paper on MERPSYS tells times of, from the script to the answer (G9).

use runcast_sim::budget::Budget;
use runcast_sim::job::{Collectives, Job};
use runcast_sim::label;
use runcast_sim::outcome::Blind;
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::script::{Limits, Value, record};
use runcast_sim::tick::PICOSECOND;
use runcast_sim::world::PlainWorld;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A master that hands out 1,280 jobs to 64 labels in turn.
const MASTER_SLAVE: &str = r#"
local labels, rounds = param("labels", 64), param("rounds", 20)
label{ "master", run = function()
  loop(rounds, function()
    for i = 1, labels do send{ to = proc("slave" .. i, 0), size = 1600000 } end
    for i = 1, labels do recv{ from = proc("slave" .. i, 0) }; compute{ time = 1e-4 } end
  end)
  for i = 1, labels do send{ to = proc("slave" .. i, 0), size = 0, tag = 1 } end
end }
for i = 1, labels do
  label{ "slave" .. i, run = function()
    loop(rounds, function()
      recv{ from = proc("master", 0), tag = 0 }; compute{ time = 1e-1 + i * 1e-4 }; send{ to = proc("master", 0), size = 80000 }
    end)
    recv{ from = proc("master", 0), tag = 1 }
  end }
end
"#;

/// The heat equation in a cube of processes.
const HEAT: &str = include_str!("../../../../testdata/sim/scripts/heat.luau");

/// Merge sort that is halved and merged along a tree.
const MSORT: &str = include_str!("../../../../testdata/sim/scripts/msort.luau");

/// 50,928 calls, none of them in a loop.
const CALLS: &str = r#"
local rounds = param("rounds", 12732)
label{ "one", count = 100, run = function()
  for i = 1, rounds do compute{ time = 1e-3 + i * 1e-8 }; p2p_send{ to = "other", size = 1000 } end
end }
label{ "other", count = 100, run = function()
  for i = 1, rounds do p2p_recv{ from = "one" }; compute{ time = 2e-3 } end
end }
"#;

/// The section.
pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "### Classes of like processes\n\nFrom the script to the answer, CPU seconds of one thread (least of 5), beside what the \
         paper says of its own runs.\n\n| run | processes | classes | operations | record | simulate | the paper | simulated \
         time |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let heat = HEAT.replace("\"p\", 8", "\"p\", 1000").replace("bytes=2*face", "bytes=2*face, time=2*face/6e9");
    for (name, script, paper) in [
        ("master, 64 labels of slaves", MASTER_SLAVE, "8 s"),
        ("heat, 100 steps", &heat, "0.35 s"),
        ("merge sort", MSORT, "1.2 s"),
        ("50,928 calls", CALLS, "2 h"),
    ] {
        text.push_str(&row(name, script, paper)?);
    }
    Ok(text)
}

fn row(name: &str, script: &str, paper: &str) -> Result<String, String> {
    let said = |problem: &runcast_core::Problem| format!("{problem:?}");
    let (mut record_s, mut simulate_s) = (f64::INFINITY, f64::INFINITY);
    let mut line = String::new();
    for _ in 0..5 {
        let begin = thread_seconds();
        let recorded = record(script, "app.luau", &BTreeMap::<String, Value>::new(), &Limits::default())
            .map_err(|problems| problems.iter().map(said).collect::<Vec<_>>().join("\n"))?;
        let middle = thread_seconds();
        let application = recorded.application;
        let processes = application.processes() as u32;
        let (platform, world) = (Platform::uniform(processes, LogGops::default()), PlainWorld { processes });
        let budget = Budget::default();
        let job = Job { tick: PICOSECOND, collectives: Collectives::Closed, ..Job::new(&platform, &world, &budget) };
        let outcome = label::simulate(&job, &application, &mut Blind, &label::Options::default())
            .map_err(|problem| said(&problem))?;
        let end = thread_seconds();
        record_s = record_s.min(middle - begin);
        simulate_s = simulate_s.min(end - middle);
        let classes: u64 = outcome.labels.iter().map(|label| label.classes).sum();
        line.clear();
        let _ = writeln!(
            line,
            "| {name} | {processes} | {classes} | {} | {:.1} ms | {:.1} ms | {paper} | {:.4} s |",
            outcome.counts.operations,
            1e3 * record_s,
            1e3 * simulate_s,
            PICOSECOND.to_seconds(outcome.end),
        );
    }
    Ok(line)
}

/// CPU seconds of this thread.
pub fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

//! The label level: runs of the kind that the paper on MERPSYS tells times of, from the script to the answer (G9).

use runcast_sim::budget::Budget;
use runcast_sim::collective::Choice;
use runcast_sim::job::Job;
use runcast_sim::label;
use runcast_sim::outcome::Blind;
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::script::{Limits, Value, record};
use runcast_sim::tick::PICOSECOND;
use runcast_sim::world::PlainWorld;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

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
const HEAT: &str = r#"
local n, iters, p = param("n", 2000), param("iters", 100), param("p", 1000)
local q = math.floor(p^(1/3) + 0.5); assert(q^3 == p, "p must be a cube")
local g, l = cart{ q, q, q }, n/q
label{ "cell", count = p, run = function(rank)
  local c, face = g:coords(rank), 8*math.floor(l*l + 0.5)
  loop(iters, function()
    for d = 1, 3 do for _, dir in { -1, 1 } do
      local to, from = g:neighbor(rank, d, dir), g:neighbor(rank, d, -dir)
      local function s() if to then compute{ type="pack", bytes=2*face, time=2*face/6e9 }; send{ to=to, size=face, tag=d } end end
      local function r() if from then recv{ from=from, tag=d } end end
      if c[d] % 2 == 0 then s(); r() else r(); s() end
    end end
    compute{ type="stencil", size=l^3 }
  end)
end }
"#;

/// Merge sort that is halved and merged along a tree.
const MSORT: &str = r#"
local n, p = param("n", 536870912), param("p", 1024)
label{ "sorter", count = p, run = function(rank)
  local top = if rank == 0 then p else bit32.band(rank, -rank)
  local have = n*top/p
  if rank > 0 then recv{ from = rank - top } end
  local s = top/2
  while s >= 1 do
    have = have/2
    compute{ type="split", size=have, ops=1.333*have }; send{ to = rank + s, size = 4*have }
    s = s/2
  end
  compute{ type="sort", size=have, ops=2.7*have*math.log(have, 2) }
  s = 1
  while s < top do
    recv{ from = rank + s }
    have = 2*have
    compute{ type="merge", size=have, ops=4.6*have }
    s = 2*s
  end
  if rank > 0 then send{ to = rank - top, size = 4*have } end
end }
"#;

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
    for (name, script, paper) in [
        ("master, 64 labels of slaves", MASTER_SLAVE, "8 s"),
        ("heat, 100 steps", HEAT, "0.35 s"),
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
        let (choice, interrupt) = (Choice::default(), AtomicBool::new(false));
        let job = Job {
            platform: &platform,
            world: &world,
            live: None,
            tick: PICOSECOND,
            choice: &choice,
            closed_collectives: true,
            budget: &Budget::new(&interrupt),
            threads: 1,
        };
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
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

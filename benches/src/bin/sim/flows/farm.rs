//! G6: 10^5 tasks of 100 kB, results of 1 kB, 0.1 s of work each, on a star of 1.25 GB/s and 1 us.

use super::peers::{MOST, Peers};
use super::stage::{BANDWIDTH, LATENCY_S, Run, cpu_s, label, platform, program, run};
use runcast_sim::application::{Application, Block, Farm, Op, Programs, Schedule};
use runcast_sim::platform::Platform;
use runcast_sim::script::{Limits, Value, record};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const TASKS: u64 = 100_000;
const TASK_BYTES: u64 = 100_000;
const RESULT_BYTES: u64 = 1_000;
const WORK_S: f64 = 0.1;
/// CPU seconds that each may take.
const GOAL_S: f64 = 0.1;
/// CPU seconds that a live script may take, from its text on.
const GOAL_LIVE_S: f64 = 0.3;

/// The same farm, by a master and workers who look into their messages.
const LIVE: &str = r#"
local workers, tasks = param("workers", 64), param("tasks", 100000)
label{ "master", run = function()
  local handed = math.min(workers, tasks)
  for worker = 0, handed - 1 do send{ to = proc("slave", worker), size = 100000, tag = 1 } end
  for _ = 1, tasks do
    local result = recv{ from = "any" }
    if handed < tasks then
      handed += 1
      send{ to = result.from, size = 100000, tag = 1 }
    else
      send{ to = result.from, size = 0, tag = 1 }
    end
  end
end }
label{ "slave", count = workers, run = function()
  while true do
    local task = recv{ from = proc("master", 0), tag = 1 }
    if task.size == 0 then break end
    compute{ time = 0.1 }
    send{ to = proc("master", 0), size = 1000 }
  end
end }
"#;

/// The farm as it is recorded: the master's call, and the workers' loop.
fn application(workers: u64) -> Application {
    let farm = Farm {
        master: 0,
        to: 1,
        tasks: TASKS,
        task_size: TASK_BYTES,
        result_size: RESULT_BYTES,
        work: 0,
        master_work: None,
        window: 1,
        schedule: Schedule::Dynamic,
    };
    Application {
        name: "farm".to_owned(),
        labels: vec![label("master", 0, 1, Programs::Same(0)), label("slave", 1, workers, Programs::Same(1))],
        programs: vec![program(vec![Op::Farm(0)], 0), program(vec![Op::FarmWorker(0)], 0)],
        blocks: vec![Block { time_s: Some(WORK_S), ..Block::default() }],
        farms: vec![farm],
        sites: vec![0],
        ..Application::default()
    }
}

/// The live script, from its text on; the least of three goes.
fn live(platform: &Platform, workers: u64) -> Result<Run, String> {
    let parameters: BTreeMap<String, Value> = [("workers", workers), ("tasks", TASKS)]
        .map(|(name, value)| (name.to_owned(), Value::Number(value as f64)))
        .into();
    let mut best: Option<Run> = None;
    for _ in 0..3 {
        let begun = cpu_s();
        let recorded = record(LIVE, "farm.luau", &parameters, &Limits::default())
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let took = cpu_s() - begun;
        let mut run = run(platform, &recorded.application, recorded.live.as_deref(), 1)?;
        run.cpu_s += took;
        if best.as_ref().is_none_or(|best| run.cpu_s < best.cpu_s) {
            best = Some(run);
        }
    }
    best.ok_or_else(|| "no go at all".to_owned())
}

pub fn part(peers: Option<&Peers>) -> Result<String, String> {
    let limit = MOST.as_secs();
    let mut text = format!(
        "A farm of {TASKS} tasks of 100 kB, results of 1 kB, 0.1 s of work, on a star of 1.25 GB/s and 1 us. Goal: {GOAL_S} s \
         each with `farm`, {GOAL_LIVE_S} s with a script whose master and workers look into their messages; time within 1 % of \
         SimGrid's (CM02, no cross traffic), which is given {limit} s.\n\n\
         | workers | time, s | CPU, s | goal | live script: time, s | CPU, s | goal | SimGrid: time, s | CPU, s | difference | \
         times faster |\n|--:|--:|--:|---|--:|--:|---|--:|--:|--:|--:|\n"
    );
    let met = |is_met: bool| if is_met { "met" } else { "missed" };
    for workers in [64u64, 1_000, 10_000] {
        let system = format!(
            "format = \"runcast-system/1\"\nname = \"star\"\n\
             component = [{{ id = \"star\", kind = \"group\" }}, {{ id = \"node\", kind = \"machine\", parent = \"star\", \
             count = {} }}, {{ id = \"cpu\", kind = \"cpu\", parent = \"node\", set = {{ cores = 1, flops_double = 1e9 }} }}]\n\
             [[network]]\nof = \"star\"\nset = {{ bandwidth = {BANDWIDTH:?}, latency = {LATENCY_S:?} }}\n",
            workers + 1
        );
        let platform = platform(&system)?;
        let ours = run(&platform, &application(workers), None, 5)?;
        let live = live(&platform, workers)?;
        let arguments =
            [workers as f64, TASKS as f64, TASK_BYTES as f64, RESULT_BYTES as f64, WORK_S, BANDWIDTH, LATENCY_S];
        let _ = write!(
            text,
            "| {workers} | {:.6} | {:.3} | {} | {:.6} | {:.3} | {} |",
            ours.time_s,
            ours.cpu_s,
            met(ours.cpu_s <= GOAL_S),
            live.time_s,
            live.cpu_s,
            met(live.cpu_s <= GOAL_LIVE_S)
        );
        let theirs = peers.map(|peers| peers.run("farm", &arguments)).transpose()?;
        let _ = match theirs {
            Some(Some(theirs)) => writeln!(
                text,
                " {:.6} | {:.2} | {:.4} % | {:.0} |",
                theirs.time_s,
                theirs.cpu_s,
                (ours.time_s / theirs.time_s - 1.0) * 100.0,
                theirs.cpu_s / ours.cpu_s
            ),
            Some(None) => writeln!(text, " not ended | over {limit} s of wall time | - | - |"),
            None => writeln!(text, " - | - | - | - |"),
        };
    }
    text.push('\n');
    Ok(text)
}

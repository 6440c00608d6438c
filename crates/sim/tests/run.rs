//! The library call: experiment in, result out; other values cheaply; applications together as each alone.
#![cfg(feature = "luau")]
#![allow(missing_docs)]

use runcast_core::{Problem, Problems};
use runcast_sim::budget::{Monitor, Progress};
use runcast_sim::experiment::{self, Value};
use runcast_sim::run::{Inputs, Prepared, RunControl, RunResult, Settings, Variation, prepare, simulate};
use runcast_sim::tick::TickLength;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const SYSTEM: &str = r#"
format = "runcast-system/1"
name = "two"
component = [
  { id = "two", kind = "group" },
  { id = "node", kind = "machine", parent = "two", count = 8 },
  { id = "cpu", kind = "cpu", parent = "node", count = 1, set = { cores = 2, flops_double = "20Gflop/s", power_idle = "20W", power_load = "80W" } },
]
[[network]]
of = "two"
set = { bandwidth = "1GB/s", latency = "1us" }
[model.mine]
extends = "default"
coeff = { a = "1ns" }
rule = [ { on = "compute", type = "step", value = "c.a * size" } ]
"#;

/// Looks into what it receives: runs live.
const LIVE: &str = r#"
local n = param("n", 4)
label{ "ping", count = 2, run = function(rank)
  local size = 1000
  for i = 1, n do
    if rank == 0 then
      send{ to = 1, size = size }
      local answer = recv{ from = 1 }
      size = answer.size + 500
      compute{ time = 1e-6 * answer.size / 1000 }
    else
      local question = recv{ from = 0 }
      compute{ time = 2e-6 }
      send{ to = 0, size = question.size * 2 }
    end
  end
  barrier{}
end }
"#;

const STEPS: &str = r#"
local p = param("p", 4)
label{ "step", count = p, run = function(rank)
  loop(10, function()
    compute{ type = "step", size = 1e5 }
    if rank > 0 then recv{ from = rank - 1 } end
    if rank < p - 1 then send{ to = rank + 1, size = 2e5 } end
  end)
end }
"#;

fn inputs(experiment: &str) -> Result<Arc<Inputs>, Problems> {
    inputs_with(experiment, "")
}

/// With a script of one's own, `own.luau`.
fn inputs_with(experiment: &str, own: &str) -> Result<Arc<Inputs>, Problems> {
    let experiment = experiment::read(experiment, "e.toml")?;
    let mut files = |path: &Path| match path.to_str() {
        Some("s.toml") => Ok(SYSTEM.replace("name = \"two\"", "name = \"two\"\ndefault_model = \"mine\"")),
        Some("live.luau") => Ok(LIVE.to_owned()),
        Some("steps.luau") => Ok(STEPS.to_owned()),
        Some("own.luau") => Ok(own.to_owned()),
        _ => Err(Problem::new("cannot_read", "no such file").in_file(path.display().to_string())),
    };
    Ok(Arc::new(Inputs::read(experiment, Settings::default(), &mut files)?))
}

fn prepared(apps: &str) -> Prepared {
    let text = format!("format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\n{apps}");
    prepare(&inputs(&text).expect("read"), &Variation::default()).expect("prepared")
}

fn result(prepared: &Prepared) -> RunResult {
    let no = AtomicBool::new(false);
    simulate(prepared, &RunControl::new(&no)).expect("simulated").result
}

const LIVE_APP: &str =
    "[[app]]\nfile = \"live.luau\"\nplace = [{ label = \"ping\", on = \"node\", per = 1, list = [6, 7] }]\n";
const STEPS_APP: &str = "[[app]]\nfile = \"steps.luau\"\nplace = [{ label = \"step\", on = \"node\", per = 2 }]\n";

#[test]
fn live_and_recorded_applications_together_take_what_each_takes_alone() {
    let list = LIVE_APP.replace(", per = 1", "");
    for fidelity in ["loggops", "flow"] {
        let at = |apps: &str| result(&prepared(&format!("fidelity = \"{fidelity}\"\n{apps}")));
        let (live, steps) = (at(&list), at(STEPS_APP));
        let twice =
            list.replace("[6, 7]", "[4, 5]").replace("[[app]]", "[[app]]\nname = \"again\"\nparams = { n = 7 }");
        let again = at(&twice);
        let all = at(&format!("{STEPS_APP}{list}{twice}"));
        let times: Vec<f64> = all.apps.iter().map(|app| app.time_s).collect();
        let alone = [steps.time_s, live.time_s, again.time_s];
        for (together, alone) in times.iter().zip(alone) {
            assert!((together - alone).abs() < 1e-11, "{fidelity}: {times:?} {alone:?}");
        }
        assert_eq!(all.processes, 8);
        assert_eq!(all.counts.messages, live.counts.messages + steps.counts.messages + again.counts.messages);
    }
}

#[test]
fn other_values_take_over_what_did_not_change() {
    let first = prepared(STEPS_APP);
    let mut variation = Variation::default();
    variation.set("c.a", Value::Text("2ns".to_owned())).expect("a number");
    let slower = first.again(&variation).expect("prepared");
    assert!(Arc::ptr_eq(&first.recorded, &slower.recorded), "the same parameters are not recorded again");
    let (before, after) = (result(&first), result(&slower));
    // Each step of 1e5 takes 0.1 ms more on each of the processes; a pipeline of 4 has 13 steps.
    assert!(after.labels[0].compute_s > 1.99 * before.labels[0].compute_s, "{after:?}");
    variation.set("p", Value::Number(8.0)).expect("a number");
    let more = slower.again(&variation).expect("prepared");
    assert_eq!(more.processes(), 8);
    variation.set("q", Value::Number(8.0)).expect("a number");
    let problems = more.again(&variation).err().expect("no such parameter");
    assert_eq!(problems.0[0].code, "unknown_parameter");
}

#[test]
fn repetitions_are_the_same_on_any_number_of_threads_and_an_interrupt_ends_them() {
    let noisy = format!(
        "repetitions = 12\nnoise = {{ block = {{ kind = \"exp\", mean = 0.1 }}, link = {{ kind = \"uniform\", max = 0.1 }} }}\n{STEPS_APP}"
    );
    let prepared = prepared(&noisy);
    let no = AtomicBool::new(false);
    let on = |threads| {
        let control = RunControl { threads, explain: true, ..RunControl::new(&no) };
        simulate(&prepared, &control).expect("simulated").result
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    assert_eq!(one.times_s.len(), 12);
    let path = &one.bottleneck.as_ref().expect("a reason").path;
    assert!((path.iter().map(|step| step.share).sum::<f64>() - 1.0).abs() < 1e-9);
    let yes = AtomicBool::new(true);
    let stopped = simulate(&prepared, &RunControl::new(&yes)).expect_err("stopped");
    assert_eq!(stopped.0[0].code, "interrupted");
    assert!(runcast_sim::run::is_undone(&stopped.0[0]));
}

#[test]
fn files_that_are_missing_are_told_with_who_names_them() {
    let text = "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\n[[app]]\nfile = \"nowhere.luau\"\n";
    let problems = inputs(text).expect_err("missing");
    assert!(problems.0[0].hint.as_deref().is_some_and(|hint| hint.contains("e.toml:4")), "{problems:?}");
    let without = inputs("format = \"runcast-experiment/1\"\n[[app]]\nfile = \"steps.luau\"\n").expect_err("no system");
    assert_eq!(without.0[0].pointer.as_deref(), Some("system"));
}

fn own_script(keys: &str, script: &str) -> Inputs {
    let text =
        format!("format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\n{keys}\n[[app]]\nfile = \"own.luau\"\n");
    (*inputs_with(&text, script).expect("read")).clone()
}

/// Four programs without an end: each is stopped by its budget, says so, and leaves an account.
#[test]
fn what_has_no_end_is_stopped_by_its_budget() {
    let endless = [
        (
            "loop(1e12, send/recv)",
            "loggops flow",
            "label{ 'p', count = 2, run = function(rank) loop(1e12, function()
            compute{ time = 1e-6 * (1 + rank) }
            if rank == 0 then send{ to = 1, size = 1 } else recv{ from = 0 } end end) end }",
        ),
        (
            "a farm of 10^15 tasks",
            "loggops flow",
            "label{ 'm', run = function() farm{ tasks = 1e15, to = 's', task_size = 8,
            result_size = 8, work = { time = 1e-6 } } end }
            label{ 's', count = 3, run = function() farm_worker{ from = 'm' } end }",
        ),
        (
            "an endless sleep(0)",
            "loggops flow",
            "label{ 'p', count = 2, run = function(rank) loop(1e15, function() sleep(0) end) end }",
        ),
        (
            "barriers of one process",
            "loggops flow",
            "label{ 'p', run = function() loop(1e15, function() barrier{} end) end }",
        ),
    ];
    for (name, fidelities, script) in endless {
        for fidelity in fidelities.split(' ') {
            let mut inputs = own_script(&format!("fidelity = \"{fidelity}\""), script);
            inputs.settings.max_events = 300_000;
            let prepared = prepare(&Arc::new(inputs), &Variation::default()).expect("prepared");
            let (no, partial) = (AtomicBool::new(false), Mutex::new(None));
            let control = RunControl { partial: Some(&partial), ..RunControl::new(&no) };
            let stopped = simulate(&prepared, &control).expect_err("it has no end");
            assert_eq!(stopped.0[0].code, "too_many_events", "{name} at {fidelity}: {stopped}");
            assert!(stopped.0[0].hint.as_ref().is_some_and(|hint| hint.contains("--max-events")), "{stopped}");
            let partial: Option<Box<RunResult>> = partial.into_inner().expect("unpoisoned");
            if let Some(partial) = partial {
                let stopped = partial.stopped.expect("it says why");
                assert_eq!((stopped.reason.as_str(), stopped.repetitions), ("too_many_events", 0));
                assert!(name != "loop(1e12, send/recv)" || (partial.time_s > 0.0 && partial.labels[0].messages > 1000));
            } else {
                assert_ne!(name, "loop(1e12, send/recv)", "{fidelity}: there is no account");
            }
        }
    }
}

/// At the label level, too, and what repeats is not gone through: collectives of several classes, sleeping, nothing at all.
#[test]
fn loops_without_events_repeat_or_are_stopped() {
    let time = |body: &str, tick: f64| {
        let script = format!("label{{ 'p', count = 4, run = function(rank) {body} end }}");
        let mut inputs = own_script("fidelity = \"label\"", &script);
        inputs.settings.max_events = 3_000_000;
        inputs.settings.tick = TickLength::new(tick).expect("a tick");
        let prepared = prepare(&Arc::new(inputs), &Variation::default()).expect("prepared");
        simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).map(|simulated| simulated.result.time_s)
    };
    let seconds = time("loop(1e12, function() sleep(1e-6) end)", 1e-9).expect("it repeats");
    assert!((seconds - 1e6).abs() < 1e-3, "{seconds}");
    let once = time("barrier{}", 1e-9).expect("once");
    let all = time("loop(1e9, function() barrier{} end)", 1e-9).expect("it repeats");
    assert!((all - 1e9 * once).abs() <= 1e-6 * all && once > 0.0, "{all} against {once}");
    let classes = "compute{ time = 1e-6 * (1 + rank) } loop(1e9, function() barrier{} end)";
    let all = time(classes, 1e-9).expect("it repeats");
    assert!((all - 1e9 * once - 4e-6).abs() <= 1e-6 * all, "{all} against {once}");
    // More blocks than can be counted.
    let none = time("loop(1e15, function() loop(1e15, function() compute{ time = 0 } end) end)", 1e-9);
    assert_eq!(none.expect("it repeats"), 0.0);
}

/// A billion ranks that each have a program of their own: recording them stops when it is asked to, and shows how far it is.
#[test]
fn recording_can_be_stopped_and_shows_how_far_it_is() {
    let script = "label{ 'p', count = 1e9, run = function(rank) compute{ time = rank } end }";
    let interrupt = Arc::new(AtomicBool::new(false));
    let raise = interrupt.clone();
    let mut inputs = own_script("", script);
    inputs.settings.monitor = Monitor {
        interrupt,
        show: Some(Arc::new(move |progress| {
            if let Progress::Recording { rank, ranks, .. } = progress {
                assert!(*rank > 0 && *ranks == 1_000_000_000);
                raise.store(true, Ordering::Relaxed);
            }
        })),
    };
    let stopped = prepare(&Arc::new(inputs), &Variation::default()).map(drop).expect_err("interrupted");
    assert_eq!(stopped.0[0].code, "interrupted");
}

/// What three of five repetitions give is told when the fourth is stopped.
#[test]
fn repetitions_that_are_done_are_not_lost() {
    let prepared =
        prepared(&format!("repetitions = 5\nnoise = {{ run = {{ kind = \"exp\", mean = 0.1 }} }}\n{STEPS_APP}"));
    let (interrupt, partial) = (AtomicBool::new(false), Mutex::new(None));
    let progress = |done: u64, _: u64| interrupt.store(done >= 3, Ordering::Relaxed);
    let control = RunControl { partial: Some(&partial), progress: &progress, ..RunControl::new(&interrupt) };
    assert_eq!(simulate(&prepared, &control).expect_err("stopped").0[0].code, "interrupted");
    let partial: Box<RunResult> = partial.into_inner().expect("unpoisoned").expect("an account");
    assert_eq!(partial.stopped.expect("it says why").repetitions, 3);
    assert_eq!((partial.repetitions, partial.times_s.len()), (3, 3));
    assert!(partial.energy_j.is_some(), "these are whole");
}

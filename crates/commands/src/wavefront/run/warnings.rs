//! What makes a real run differ from its model.

use super::document::Document;
use super::job::Done;
use crate::human;
use runcast_core::Warning;

/// Emulated times may be too long by this share of a tick.
const OVERSHOOT_MOST: f64 = 0.05;
/// Phases that are shorter are near what a clock and the waking of a thread take.
const SHORT_S: f64 = 1e-4;
/// Fewer phases make no mean.
const PHASES_LEAST: u64 = 30;

/// What concerns this run.
pub(super) fn of(document: &Document, done: &Done) -> Vec<Warning> {
    let asks = [
        crowded(document),
        complete(document),
        in_order(document),
        overshoot(document),
        short(document),
        few(document),
        spread(document),
        left_out(done),
        interrupted(document),
    ];
    asks.into_iter().flatten().collect()
}

/// Diagnostics give the advice of `wavefront sample`, where modes can be fitted.
pub(super) fn without_sample(mut warning: Warning) -> Warning {
    warning.message = warning.message.replace("try --fit-modes", "try wavefront sample with --fit-modes");
    warning
}

fn crowded(document: &Document) -> Option<Warning> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let here = if document.backend == "mpi" { local_ranks()? } else { document.model.processes };
    let message =
        format!("{here} processes on {cores} cores: they take turns, so that their times are not independent");
    (here > cores).then(|| Warning::new("crowded", message))
}

/// Ranks on this host, as their launcher reports it.
fn local_ranks() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

fn complete(document: &Document) -> Option<Warning> {
    let message = "updates do not look whether they are still wanted, so they were finished: semantics complete";
    (document.semantics != document.semantics_asked).then(|| Warning::new("completed", message))
}

fn in_order(document: &Document) -> Option<Warning> {
    let message = "MPI delivers the messages between two ranks in order; in the model none waits for another";
    (document.backend == "mpi" && !document.emulated).then(|| Warning::new("mpi_in_order", message))
}

fn overshoot(document: &Document) -> Option<Warning> {
    let overshoot = document.overshoot.as_ref()?;
    let tick_s = document.model.step_s;
    let (mean, most) = (human::quantity(overshoot.mean_s, "s"), human::quantity(overshoot.max_s, "s"));
    let tick = human::quantity(tick_s, "s");
    let message =
        format!("updates slept {mean} too long on average, {most} at most, of a tick of {tick}: take a larger --step");
    (overshoot.mean_s > OVERSHOOT_MOST * tick_s).then(|| Warning::new("sleep_overshoot", message))
}

fn short(document: &Document) -> Option<Warning> {
    let phase_s = document.measured.as_ref()?.phase_mean_s;
    let phase = human::quantity(phase_s, "s");
    let message = format!("a phase of {phase} is near what waking a process takes; --work makes updates longer");
    (phase_s < SHORT_S).then(|| Warning::new("short_phases", message))
}

fn few(document: &Document) -> Option<Warning> {
    let phases = document.validated_phases;
    let are = if phases == 1 { "phase is" } else { "phases are" };
    let message = format!("{phases} {are} few: the means are uncertain");
    (phases < PHASES_LEAST).then(|| Warning::new("few_phases", message))
}

fn spread(document: &Document) -> Option<Warning> {
    let measured = document.measured.as_ref()?;
    let message = "the spread of the time is not known from one run; --repetitions makes several";
    measured.time_sd_s.is_none().then(|| Warning::new("one_run", message))
}

fn left_out(done: &Done) -> Option<Warning> {
    let count = done.left_out;
    let message = format!("{count} updates and messages are not in the tables: too many for a run");
    (count > 0).then(|| Warning::new("rows_left_out", message))
}

fn interrupted(document: &Document) -> Option<Warning> {
    let message = "stopped before the end; what was measured is told, and in the tables";
    (document.status == "interrupted").then(|| Warning::new("interrupted", message))
}

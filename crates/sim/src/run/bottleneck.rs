//! The bottleneck of a run: the path back from its end, and the most that a better network or faster processors would save.

use super::ideal::{Ideal, Without, network};
use super::prepare::Prepared;
use super::result::{Bottleneck, LabelResult, RunResult};
use super::simulate::RunControl;
use super::stage::Stage;
use crate::explain::{Context, Kind, Path, Step, Watch};
use crate::outcome::Blind;
use crate::tick::TickLength;
use runcast_core::{Problem, Problems, Warning};

/// Maximum number of parts of the path reported one by one.
const MOST_STEPS: usize = 20;

/// The bottleneck; none for a run that takes no time.
pub(super) fn find(
    prepared: &Prepared,
    stage: &Stage<'_>,
    watch: &Watch,
    result: &mut RunResult,
    control: &RunControl<'_>,
) -> Result<Option<Bottleneck>, Problems> {
    let tick = prepared.inputs.settings.tick;
    let context =
        Context { application: &prepared.recorded.application, platform: &stage.platform, world: stage.world(), tick };
    if watch.has_overflown() {
        let message = format!(
            "there is too much to keep for the path back from the end (more than {} intervals): the shares are those of \
             the label that ends last",
            crate::explain::MOST_INTERVALS
        );
        result.warnings.push(Warning::new("no_path", message));
    }
    let path = match watch.path(&context) {
        Some(path) => path.steps(MOST_STEPS, tick),
        None => of_label(&result.labels, tick),
    };
    let Some(largest) = path.first().cloned() else { return Ok(None) };

    let ideal = network(&stage.platform);
    let without_network = Ideal { world: stage.world(), without: Without::Network };
    let mut tried = Vec::new();
    let ideal_network_time_s = again(stage, &ideal, &without_network, control, &mut tried, tick)?;
    let without_compute = Ideal { world: stage.world(), without: Without::Compute };
    let free_compute_time_s = again(stage, &stage.platform, &without_compute, control, &mut tried, tick)?;
    result.warnings.extend(tried);
    let first_s = result.time_ticks.parse().map_or(result.time_s, |ticks| tick.to_seconds(ticks));
    let text = sentence(&largest, ideal_network_time_s, free_compute_time_s, first_s);
    Ok(Some(Bottleneck {
        kind: largest.kind,
        what: largest.what,
        share: largest.share,
        path,
        ideal_network_time_s,
        free_compute_time_s,
        text,
    }))
}

/// The time of the same run on another platform, in another world; none, with a warning, if it cannot be simulated.
fn again(
    stage: &Stage<'_>,
    platform: &crate::Platform,
    world: &Ideal<'_>,
    control: &RunControl<'_>,
    warnings: &mut Vec<Warning>,
    tick: TickLength,
) -> Result<Option<f64>, Problems> {
    match stage.run_in(platform, world, &stage.prepared().budget(control.interrupt), control.threads, &mut Blind) {
        Ok(outcome) => Ok(Some(tick.to_seconds(outcome.end))),
        Err(problems) if problems.0.iter().any(|problem| problem.code == super::INTERRUPTED) => Err(problems),
        Err(problems) => {
            let why = problems.0.first().map_or("", |problem: &Problem| problem.message.as_str());
            let what = match world.without {
                Without::Network => "an ideal network",
                Without::Compute => "free computing",
            };
            warnings.push(Warning::new("no_rerun", format!("the run with {what} could not be simulated: {why}")));
            Ok(None)
        }
    }
}

/// Where no path is known: what the processes of the label that ends last do on average.
fn of_label(labels: &[LabelResult], tick: TickLength) -> Vec<Step> {
    // The first of those that end together.
    let last = labels.iter().rev().max_by(|a, b| a.last_s.total_cmp(&b.last_s));
    let Some(label) = last else { return Vec::new() };
    let mut path = Path::default();
    let parts = [
        (Kind::Compute, label.compute_s, String::new()),
        (Kind::Overhead, label.overhead_s, "messages of ".to_owned()),
        (Kind::Link, label.transfer_s, "messages to ".to_owned()),
        (Kind::Wait, label.wait_s, String::new()),
        (Kind::Latency, label.collective_s, "collectives of ".to_owned()),
        (Kind::Io, label.io_s, String::new()),
    ];
    for (kind, seconds, prefix) in parts {
        path.add(kind, format!("{prefix}{}", label.label), u128::from(tick.of(seconds).unwrap_or(0)));
    }
    path.steps(MOST_STEPS, tick)
}

/// `62 % of the way from start to end waits for galera: leaf 1 up; an ideal network would save 55 %, free computing 30 %.`
fn sentence(largest: &Step, ideal_network_s: Option<f64>, free_compute_s: Option<f64>, time_s: f64) -> String {
    let share = (largest.share * 100.0).round();
    let what = match largest.kind {
        Kind::Compute => format!("computes {}", largest.what),
        Kind::Overhead => format!("is processors handling {}", largest.what),
        Kind::Latency => format!("is latency: {}", largest.what),
        Kind::Link => format!("waits for bytes to pass {}", largest.what),
        Kind::Wait => format!("waits: {}", largest.what),
        Kind::Io => format!("reads, writes and copies: {}", largest.what),
    };
    let mut text = format!("{share} % of the path from start to end {what}");
    let saved = |seconds: f64| ((1.0 - seconds / time_s) * 100.0).max(0.0).round();
    match (ideal_network_s, free_compute_s) {
        _ if time_s <= 0.0 => {}
        (Some(network), Some(compute)) => {
            text += &format!("; an ideal network would save {} %, free computing {} %", saved(network), saved(compute));
        }
        (Some(network), None) => text += &format!("; an ideal network would save {} %", saved(network)),
        (None, Some(compute)) => text += &format!("; free computing would save {} %", saved(compute)),
        (None, None) => {}
    }
    text
}

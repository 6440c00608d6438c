//! The document of kind `sim-replay`: that of a run, with the end of each rank. What needs a system is null or empty.

use runcast_core::Warning;
use runcast_sim::run::{CostOfSimulation, MOST_ENDS};
use runcast_sim::schedule::{Replayed, Schedule};
use serde::Serialize;
use serde_json::{Map, Value};

/// The document of kind `sim-replay` for a schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    system: Option<String>,
    fidelity: &'static str,
    tick_s: f64,
    seed: u64,
    repetitions: u64,
    /// Number of ranks.
    pub processes: u64,
    apps: Vec<App>,
    /// End of the last rank.
    pub time_s: f64,
    time_low_s: Option<f64>,
    time_high_s: Option<f64>,
    level: Option<f64>,
    time_min_s: f64,
    time_max_s: f64,
    time_sd_s: Option<f64>,
    time_ticks: String,
    energy_j: Option<f64>,
    power_mean_w: Option<f64>,
    cost: Option<f64>,
    reliability: Reliability,
    /// All ranks as one label.
    pub labels: Vec<Label>,
    phases: Vec<Value>,
    components: Vec<Value>,
    links: Vec<Value>,
    bottleneck: Option<Value>,
    check: Option<Value>,
    /// How much happened.
    pub counts: Counts,
    not_modelled: Vec<&'static str>,
    assumed: Vec<String>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    cost_of_simulation: CostOfSimulation,
    /// Last processor clock of each rank; null beyond 65,536 ranks.
    finish_ns: Option<Vec<u64>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct App {
    app: String,
    params: Map<String, Value>,
    processes: u64,
    start_s: f64,
    time_s: f64,
    energy_j: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
struct Reliability {
    failure_rate_per_s: Option<f64>,
    failure_probability: Option<f64>,
    expected_time_s: Option<f64>,
    checkpoint: Option<Value>,
}

/// Means over ranks; the parts add up to `time_s`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Label {
    app: String,
    label: &'static str,
    count: u64,
    /// Different ranks.
    pub classes: u64,
    /// Mean end.
    pub time_s: f64,
    /// Calculations.
    pub compute_s: f64,
    /// Messages were handled.
    pub overhead_s: f64,
    /// They were under way.
    pub transfer_s: f64,
    /// They were not sent yet.
    pub wait_s: f64,
    collective_s: f64,
    io_s: f64,
    messages: u64,
    bytes_sent: u64,
}

/// How much happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// Operations of ranks.
    pub operations: u64,
    pub messages: u64,
    pub bytes: u64,
    collectives: u64,
    events: u64,
}

const NANOSECOND_S: f64 = 1e-9;

impl Document {
    /// What a replay found out.
    pub fn new(
        name: &str,
        schedule: &Schedule,
        replayed: &Replayed,
        warnings: Vec<Warning>,
        cost: CostOfSimulation,
    ) -> Self {
        let ranks = schedule.ranks.len() as u64;
        let time_s = replayed.end as f64 / 1e9;
        Document {
            kind: "sim-replay",
            version: 1,
            system: None,
            fidelity: "loggops",
            tick_s: NANOSECOND_S,
            seed: 0,
            repetitions: 1,
            processes: ranks,
            apps: vec![App {
                app: name.to_owned(),
                params: Map::new(),
                processes: ranks,
                start_s: 0.0,
                time_s,
                energy_j: None,
            }],
            time_s,
            time_low_s: None,
            time_high_s: None,
            level: None,
            time_min_s: time_s,
            time_max_s: time_s,
            time_sd_s: None,
            time_ticks: replayed.end.to_string(),
            energy_j: None,
            power_mean_w: None,
            cost: None,
            reliability: Reliability::default(),
            labels: vec![label(name, schedule, replayed)],
            phases: Vec::new(),
            components: Vec::new(),
            links: Vec::new(),
            bottleneck: None,
            check: None,
            counts: Counts {
                operations: replayed.counts.operations,
                messages: replayed.counts.messages,
                bytes: replayed.counts.bytes,
                collectives: 0,
                events: replayed.counts.events,
            },
            not_modelled: vec![
                "links are not shared: n-to-1 bursts come out too fast (up to 8 times reported)",
                "every pair of ranks has the same parameters; ranks have no places",
                "energy and reliability: a schedule has no system",
            ],
            assumed: Vec::new(),
            warnings,
            cost_of_simulation: cost,
            finish_ns: (replayed.finish.len() <= MOST_ENDS).then(|| replayed.finish.clone()),
        }
    }
}

/// Sums of processors become means of ranks. A rank of several processors ends with its last, so shares are reported.
fn label(name: &str, schedule: &Schedule, replayed: &Replayed) -> Label {
    let ranks = schedule.ranks.len() as f64;
    let ends: u128 = replayed.finish.iter().map(|end| u128::from(*end)).sum();
    let all = replayed.spent.sum();
    let share = if all == ends || all == 0 { 1.0 } else { ends as f64 / all as f64 };
    let mean = |ticks: u128| ticks as f64 * share / ranks / 1e9;
    let spent = &replayed.spent;
    Label {
        app: name.to_owned(),
        label: "rank",
        count: schedule.ranks.len() as u64,
        classes: schedule.shapes.len() as u64,
        time_s: ends as f64 / ranks / 1e9,
        compute_s: mean(spent.compute),
        overhead_s: mean(spent.overhead),
        transfer_s: mean(spent.transfer),
        wait_s: mean(spent.wait),
        collective_s: 0.0,
        io_s: 0.0,
        messages: replayed.counts.messages,
        bytes_sent: replayed.counts.bytes,
    }
}

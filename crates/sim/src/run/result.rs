//! The result of a run: the fields of the document `sim-run`.

use crate::exchanged::Exchange;
use crate::explain::{Kind, Step};
use crate::faults::FaultsResult;
use crate::outcome::Volunteered;
use crate::reliability::Reliability;
use crate::world::Scaled;
use runcast_core::Warning;
use serde::Serialize;
use serde_json::{Map, Value};

/// The result of a run. Times are means over repetitions unless a field says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunResult {
    /// Name of the system.
    pub system: String,
    pub fidelity: &'static str,
    /// Length of a tick.
    pub tick_s: f64,
    pub seed: u64,
    pub repetitions: u64,
    /// Number of processes.
    pub processes: u64,
    pub apps: Vec<AppResult>,
    pub unallocated: Unallocated,
    /// From 0 to the end of the last process, mean.
    pub time_s: f64,
    /// Lower end of the interval; none below 10 repetitions.
    pub time_low_s: Option<f64>,
    /// Upper end.
    pub time_high_s: Option<f64>,
    /// Level of the interval.
    pub level: Option<f64>,
    /// What the interval was made from; none: there is none.
    pub range_from: Option<RangeFrom>,
    /// Least time of a repetition.
    pub time_min_s: f64,
    /// Greatest.
    pub time_max_s: f64,
    /// Standard deviation; none for one repetition.
    pub time_sd_s: Option<f64>,
    /// The time of the first repetition in ticks, as a text: not every reader holds 64 bits.
    pub time_ticks: String,
    /// The times of all repetitions, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times_s: Vec<f64>,
    /// Energy; none if it is unknown.
    pub energy_j: Option<f64>,
    /// Energy over time.
    pub power_mean_w: Option<f64>,
    /// Price of machines and energy for the time; none without a price.
    pub cost: Option<f64>,
    /// Purchase price of what is used; none if no component has one.
    pub price: Option<f64>,
    /// Chance of failure and expected times.
    pub reliability: Reliability,
    /// What faults during the run do; none: it was not asked for.
    pub faults: Option<FaultsResult>,
    /// What volunteers do; none: no process is placed on any.
    pub volunteers: Option<Volunteers>,
    pub labels: Vec<LabelResult>,
    /// By phase and label: mean over the processes of the label.
    pub phases: Vec<PhaseResult>,
    /// By component of the system.
    pub components: Vec<ComponentResult>,
    /// The 20 busiest links.
    pub links: Vec<LinkResult>,
    /// The bottleneck; none without `--explain`.
    pub bottleneck: Option<Bottleneck>,
    /// Comparison of fidelities; none without `--cross-check`.
    pub check: Option<Vec<CheckResult>>,
    /// How much happened, in the first repetition.
    pub counts: CountsResult,
    /// What the result does not model. Never empty.
    pub not_modelled: Vec<String>,
    /// Assumptions.
    pub assumed: Vec<String>,
    /// What exchanged hardware does to the result.
    pub exchange: Vec<Exchange>,
    /// Coefficients that exchanged hardware changed.
    pub scaled: Vec<Scaled>,
    /// Warnings about the result.
    pub warnings: Vec<Warning>,
    /// Set if the simulation did not finish: the rest is the partial result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Resources used. Differs from run to run; nothing else does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_of_simulation: Option<CostOfSimulation>,
}

/// Jobs at volunteers: means over repetitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Volunteers {
    pub jobs: f64,
    /// Copies that hosts took.
    pub copies: f64,
    /// Results that were wrong.
    pub wrong: f64,
    /// Copies that were not back at their deadline.
    pub late: f64,
    pub copies_per_job: f64,
}

impl Volunteers {
    /// Of what happened in each repetition; none: there was no job.
    pub(super) fn of<'o>(all: impl Iterator<Item = &'o [Volunteered]>) -> Option<Volunteers> {
        let (mut sum, mut count) = (Volunteered::default(), 0.0);
        for one in all {
            sum = one.iter().fold(sum, |sum, crowd| sum.plus(*crowd));
            count += 1.0;
        }
        (sum.jobs > 0).then(|| Volunteers {
            jobs: sum.jobs as f64 / count,
            copies: sum.copies as f64 / count,
            wrong: sum.wrong as f64 / count,
            late: sum.late as f64 / count,
            copies_per_job: sum.copies as f64 / sum.jobs as f64,
        })
    }
}

/// What an interval was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeFrom {
    /// The times of repetitions.
    Repetitions,
    /// Draws of what the calibration of the coefficients does not know.
    Calibration,
}

/// Why and when a simulation was stopped before its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stopped {
    /// `interrupted`, `too_many_events` or `too_much_memory`.
    pub reason: String,
    /// Repetitions that came to their end: the result is theirs. At 0 it is the account of the first up to the simulated time
    /// `time_s` at which it was stopped.
    pub repetitions: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AppResult {
    pub app: String,
    pub params: Map<String, Value>,
    /// Number of processes.
    pub processes: u64,
    pub start_s: f64,
    /// From its start to the end of its last process.
    pub time_s: f64,
    /// Its part of the energy: at rest and of its load.
    pub energy_j: Option<f64>,
    /// At rest: by the cores that it reserves among those that are reserved.
    pub energy_idle_j: Option<f64>,
    /// Beyond that: by its computing threads.
    pub energy_load_j: Option<f64>,
    /// Its part of the cost; none: nothing has a price.
    pub cost: Option<f64>,
    /// Of all that it uses. These do not add up: a fault ends all who use what fails.
    pub failure_rate_per_s: Option<f64>,
    /// The chance of at least one failure while it runs.
    pub failure_probability: Option<f64>,
    /// Cores that it reserves, times seconds; none: there is no system.
    pub core_s: Option<f64>,
}

/// What no application reserves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Unallocated {
    pub energy_j: Option<f64>,
    pub cost: Option<f64>,
}

/// A label. Means over its processes; the parts add up to `time_s`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LabelResult {
    pub app: String,
    pub label: String,
    pub count: u64,
    /// Classes that it was split into.
    pub classes: u64,
    /// Mean finish time.
    pub time_s: f64,
    /// Finish of its last process.
    pub last_s: f64,
    pub compute_s: f64,
    /// Processors handle messages.
    pub overhead_s: f64,
    /// The awaited message is under way.
    pub transfer_s: f64,
    /// It is not sent yet.
    pub wait_s: f64,
    pub collective_s: f64,
    /// Copies, reads, writes.
    pub io_s: f64,
    /// Messages sent, by all of its processes.
    pub messages: u64,
    /// Bytes sent, by all of its processes.
    pub bytes_sent: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PhaseResult {
    /// Name of the phase.
    pub phase: String,
    /// Name of the label.
    pub label: String,
    /// Mean over its processes.
    pub time_s: f64,
}

/// A component of the system.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ComponentResult {
    pub id: String,
    pub kind: String,
    /// Total number.
    pub count: u64,
    /// How many of them are used.
    pub used: u64,
    /// Time in which a computing device has work, sum over all; none for what does not compute.
    pub busy_s: Option<f64>,
    /// Share of the cores of the used ones that is busy; none for what does not compute.
    pub utilization: Option<f64>,
    /// Energy at rest.
    pub energy_idle_j: Option<f64>,
    pub energy_load_j: Option<f64>,
    /// Rate at which the used ones fail, together.
    pub failure_rate_per_s: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinkResult {
    pub network: String,
    pub link: String,
    /// Bytes that went over it.
    pub bytes: f64,
    /// Time in which something went over it.
    pub busy_s: f64,
    /// Bytes over what it could have carried.
    pub utilization: f64,
}

/// The bottleneck of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bottleneck {
    /// The kind of the largest part of the path.
    pub kind: Kind,
    pub what: String,
    /// Its share of the path.
    pub share: f64,
    /// The path from the last event back to the start, by cause; the shares add up to 1.
    pub path: Vec<Step>,
    /// Time with a network without latency, overheads and limits.
    pub ideal_network_time_s: Option<f64>,
    /// Time when computing takes none.
    pub free_compute_time_s: Option<f64>,
    /// A sentence.
    pub text: String,
}

/// A fidelity in `--cross-check`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckResult {
    pub fidelity: &'static str,
    /// Number of processes.
    pub processes: u64,
    /// Time; none if it could not be simulated.
    pub time_s: Option<f64>,
    /// Difference from the finest fidelity that could, which has 0.
    pub difference_pct: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CountsResult {
    /// Operations of programs.
    pub operations: u64,
    pub messages: u64,
    pub bytes: u64,
    /// Collectives, once per group.
    pub collectives: u64,
    /// Events of the engine.
    pub events: u64,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CostOfSimulation {
    /// Processor time.
    pub cpu_s: Option<f64>,
    /// Time on the wall.
    pub wall_s: f64,
    /// Most memory in use.
    pub peak_memory_bytes: Option<u64>,
}

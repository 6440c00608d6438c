//! `bsf validate --fit`, from runs on a few workers.

use super::Row;
use crate::outcome::Outcome;
use crate::random::Random;
use runcast_bsf::cost::{Algorithm, Collective, Costs, Form, Machine};
use runcast_bsf::fit::{Measured, fit_auto};
use runcast_core::statistics::mean;
use std::path::Path;

/// The cluster of the publication.
const MACHINE: Machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
/// Its algorithms and their sizes.
const PROGRAMS: [(&str, &[u64]); 3] = [
    ("jacobi", &[1500, 5000, 10_000, 16_000]),
    ("gravity", &[300, 600, 900, 1200]),
    ("cimmino", &[1500, 5000, 10_000]),
];
/// What is forecast.
const TARGETS: [u64; 4] = [8, 16, 32, 64];
const SEEDS: u64 = 10;
const REPETITIONS: usize = 3;

/// What the master does.
#[derive(Debug, Clone, Copy)]
enum Master {
    /// The closed form: no message travels while a worker computes.
    Waits(Collective),
    /// It sends the next order while the workers that have theirs compute, and takes results as they come.
    Overlaps,
}

const MASTERS: [Master; 3] = [Master::Waits(Collective::Flat), Master::Waits(Collective::Tree), Master::Overlaps];
/// Times of whole runs of two programs on the C++ skeleton: table, list and the workers that are fitted.
const CLUSTER: [(&str, u64, u64); 2] = [("rnd400.csv", 400, 100), ("rnd22.csv", 4_194_303, 100)];

/// The published algorithms from runs on a few workers, and two programs on a cluster.
///
/// # Errors
/// A fit fails, or a table does not read.
pub fn rows(data: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for trained in [&[1, 2, 4][..], &[1, 2, 3, 4]] {
        for noise in [0.0, 0.005, 0.02] {
            let (outcome, regret_pct) = published(trained, noise)?;
            let workers: Vec<String> = trained.iter().map(u64::to_string).collect();
            let what = format!(
                "published algorithms, noise {} %, K = {} -> 8..64: mean error {:.0} %, regret {regret_pct:.0} %",
                100.0 * noise,
                workers.join(", "),
                mean(&outcome.errors_pct)
            );
            rows.push(Row::new("`bsf validate --fit`", &what, outcome));
        }
    }
    let mut measured = Outcome::default();
    for (table, list_length, most) in CLUSTER {
        let path = data.join("bsf").join(table);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        measured.join(of_cluster(&text, list_length, most)?);
    }
    rows.push(Row::new("`bsf validate --fit`", "two linear programs on a cluster, K <= 100 -> 120..320", measured));
    Ok(rows)
}

/// Runs with columns workers and time (second and last), of which those on few workers are fitted.
fn of_cluster(text: &str, list_length: u64, most: u64) -> Result<Outcome, String> {
    let run = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let wrong = || format!("{line}: workers and a time are expected");
        let workers = cells.get(1).and_then(|cell| cell.parse().ok()).ok_or_else(wrong)?;
        let time_s = cells.last().and_then(|cell| cell.parse().ok()).ok_or_else(wrong)?;
        Ok(Measured { workers, time_s })
    };
    let runs: Vec<Measured> = text.lines().skip(1).map(run).collect::<Result<_, String>>()?;
    let (known, targets): (Vec<Measured>, Vec<Measured>) = runs.iter().partition(|run| run.workers <= most);
    let auto = fit_auto(&known, Some(list_length)).map_err(|error| error.to_string())?;
    let mut outcome = Outcome::default();
    for target in targets {
        let range = auto.range(target.workers, 0.9).map(|range| (range.low, range.high));
        outcome.take(auto.time_s(target.workers), range, target.time_s);
    }
    Ok(outcome)
}

/// The programs with a noise (standard deviation of ln T of a run), fitted to runs on some workers; and the mean over them of
/// what the fit's choice of workers costs more than the best, in percent.
fn published(trained: &[u64], noise: f64) -> Result<(Outcome, f64), String> {
    let (mut outcome, mut regrets) = (Outcome::default(), Vec::new());
    for (name, sizes) in PROGRAMS {
        let algorithm = Algorithm::find(name).ok_or(name)?;
        for &size in sizes {
            let counts = algorithm.counts(size, None).map_err(|error| error.to_string())?;
            let costs = counts.costs(&MACHINE).map_err(|error| error.to_string())?;
            for master in MASTERS {
                let mut of_program = Outcome::default();
                for seed in 0..SEEDS {
                    let mut random = Random::new(seed);
                    let mut run = |workers: u64| time_s(&costs, master, workers) * (noise * random.normal()).exp();
                    let runs: Vec<Measured> = trained
                        .iter()
                        .flat_map(|&workers| std::iter::repeat_n(workers, REPETITIONS))
                        .map(|workers| Measured { workers, time_s: run(workers) })
                        .collect();
                    let auto = fit_auto(&runs, Some(costs.list_length)).map_err(|error| error.to_string())?;
                    for workers in TARGETS {
                        let range = auto.range(workers, 0.9).map(|range| (range.low, range.high));
                        of_program.take(auto.time_s(workers), range, run(workers));
                    }
                    regrets.push(regret_pct(&costs, master, |workers| auto.time_s(workers)));
                }
                outcome.join(of_program);
            }
        }
    }
    Ok((outcome, mean(&regrets)))
}

/// What the workers that a forecast thinks best cost more than the best, of 1 to the most that are forecast.
fn regret_pct(costs: &Costs, master: Master, forecast: impl Fn(u64) -> f64) -> f64 {
    let all = 1..=TARGETS[TARGETS.len() - 1];
    let best = |time_s: &dyn Fn(u64) -> f64| all.clone().min_by(|&a, &b| time_s(a).total_cmp(&time_s(b))).unwrap_or(1);
    let real = |workers: u64| time_s(costs, master, workers);
    100.0 * (real(best(&forecast)) / real(best(&real)) - 1.0)
}

/// An iteration.
fn time_s(costs: &Costs, master: Master, workers: u64) -> f64 {
    let Master::Waits(collective) = master else { return overlapped_s(costs, workers) };
    costs.time_s(Form::Granular, collective, workers)
}

/// An iteration of a master that overlaps: orders one after the other, each busy for `o + t_s`; results in the order in
/// which they come, each busy for `o + t_r` and a fold, the first without.
fn overlapped_s(costs: &Costs, workers: u64) -> f64 {
    let travels = costs.latency_s - costs.overhead_s;
    let order = costs.overhead_s + costs.send_s;
    let element = costs.work_s / costs.list_length as f64;
    let (block, larger) = (costs.list_length / workers, costs.list_length % workers);
    let result = |worker: u64| {
        let elements = block + u64::from(worker < larger);
        (worker + 1) as f64 * order + travels + elements as f64 * element + travels
    };
    let mut results: Vec<f64> = (0..workers).map(result).collect();
    results.sort_by(f64::total_cmp);
    let mut busy_until = workers as f64 * order;
    for (k, there) in results.into_iter().enumerate() {
        let fold = if k == 0 { 0.0 } else { costs.fold_s };
        busy_until = busy_until.max(there) + costs.overhead_s + costs.receive_s + fold;
    }
    busy_until + costs.compute_s
}

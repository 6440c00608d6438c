//! Costs of a program of the user's own, from the times of the phases of its runs.
//!
//! ```text
//! work, compute   of the run with one worker: CPU time of its map and fold, wall time of the master's own work
//! latency         (iteration - map and fold - compute)/2 there: a message each way, at its true size
//! fold            reduce/(K - 1) of the run with most workers
//! overhead        (comm(K) - comm(1))/(2 (K - 1)),  comm = iteration - the longest map and fold - compute - reduce
//! ```

use super::Subject;
use crate::failure::Failure;
use runcast_bsf::skeleton::{Calibration, Estimate, MessageTable};
use runcast_core::table::{ReadOptions, number};
use runcast_core::{Problem, Table, statistics};
use std::collections::BTreeSet;

/// A row of the table of phases.
struct Row {
    workers: u64,
    rep: String,
    region: String,
    rank: u64,
    wall_s: f64,
    cpu_s: Option<f64>,
}

/// The costs, and what they are of.
///
/// # Errors
/// The table lacks a phase of the run with one worker.
pub(super) fn read(csv: &str, command: &str) -> Result<(Calibration, Subject), Failure> {
    let table = Table::read("the runs", csv.as_bytes(), &ReadOptions::default())?;
    let cell = |row: usize, name: &str| table.column(name).map(|column| column.cell(row)).unwrap_or_default();
    let count = |row: usize, name: &str| number::parse(&cell(row, name)).map_or(0, |value| value as u64);
    let rows = (0..table.rows()).map(|row| Row {
        workers: count(row, "workers"),
        rep: cell(row, "rep"),
        region: cell(row, "region"),
        rank: count(row, "rank"),
        wall_s: number::parse(&cell(row, "time_s")).unwrap_or(f64::NAN),
        cpu_s: number::parse(&cell(row, "cpu_time_s")),
    });
    let phases = Phases(rows.collect());
    let missing = |what: &str| {
        let problem = Problem::new("no_times", format!("the run with one worker has no times of {what}"));
        Failure::undone(problem.at("--run").value(command))
    };
    let work_s = phases.estimate(|rep| phases.longest(1, rep, |row| row.cpu_s.unwrap_or(row.wall_s)));
    let work_s = work_s.ok_or_else(|| missing("map_fold"))?;
    let compute_s = phases.estimate(|rep| phases.master(1, rep, "compute")).ok_or_else(|| missing("compute"))?;
    let iteration_s = phases.estimate(|rep| phases.master(1, rep, "iteration")).ok_or_else(|| missing("iteration"))?;
    let zero = Estimate { value: 0.0, low: 0.0, high: 0.0 };
    let latency_s = phases.estimate(|rep| Some(phases.comm(1, rep)? / 2.0)).unwrap_or(zero);
    let most = phases.0.iter().map(|row| row.workers).max().unwrap_or(1);
    let others = most.saturating_sub(1) as f64;
    let fold_s = phases.estimate(|rep| Some(phases.master(most, rep, "reduce")? / others)).filter(|_| most > 1);
    let overhead_s = phases.estimate(|rep| {
        let more_s = (phases.comm(most, rep)? - phases.comm(1, rep)?) / (2.0 * others);
        Some(more_s.clamp(0.0, latency_s.value))
    });
    let calibration = Calibration {
        list_length: count(0, "list_length").max(1),
        processes: most as usize + 1,
        latency_s,
        overhead_s: overhead_s.filter(|_| most > 1),
        send_s: zero,
        receive_s: zero,
        work_s,
        fold_s: fold_s.unwrap_or(zero),
        compute_s,
        iteration_s,
        send_bytes: 0,
        receive_bytes: 0,
        iterations: count(0, "count"),
        messages: MessageTable { rows: Vec::new() },
        parts: None,
    };
    let subject = Subject {
        name: command.to_owned(),
        size: count(0, "size"),
        parameters: serde_json::Map::new(),
        operations: None,
        element_bytes: 0.0,
        backend: cell(0, "backend"),
        threads: count(0, "threads").max(1) as usize,
    };
    Ok((calibration, subject))
}

struct Phases(Vec<Row>);

impl Phases {
    /// The median over the repetitions, with the least and the largest; none where a repetition has no such time.
    fn estimate(&self, of: impl Fn(&str) -> Option<f64>) -> Option<Estimate> {
        let reps: BTreeSet<&str> = self.0.iter().map(|row| row.rep.as_str()).collect();
        let values: Vec<f64> = reps.into_iter().filter_map(of).filter(|value| value.is_finite()).collect();
        let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
        Some(Estimate { value: statistics::median(&values), low, high })
    }

    fn master(&self, workers: u64, rep: &str, region: &str) -> Option<f64> {
        let is_it = |row: &&Row| row.workers == workers && row.rep == rep && row.rank == 0 && row.region == region;
        self.0.iter().find(is_it).map(|row| row.wall_s)
    }

    /// Map and fold of the slowest worker.
    fn longest(&self, workers: u64, rep: &str, time: impl Fn(&Row) -> f64) -> Option<f64> {
        let is_it = |row: &&Row| row.workers == workers && row.rep == rep && row.region == "map_fold";
        self.0.iter().filter(is_it).map(time).reduce(f64::max)
    }

    /// What of an iteration is messages and waiting.
    fn comm(&self, workers: u64, rep: &str) -> Option<f64> {
        let known = self.longest(workers, rep, |row| row.wall_s)? + self.master(workers, rep, "compute")?;
        let known = known + self.master(workers, rep, "reduce").unwrap_or(0.0);
        Some((self.master(workers, rep, "iteration")? - known).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_from_phases() {
        // By hand: L = (1.012 - 1 - 0.002)/2 = 5 ms; fold 0.003/3; comm(4) = 0.271 - 0.25 - 0.002 - 0.003 = 16 ms,
        // so the overhead is (16 - 10)/(2 * 3) = 1 ms.
        let mut csv =
            "program,backend,workers,threads,size,list_length,region,rank,count,time_s,cpu_time_s,rep\n".to_owned();
        for (workers, region, rank, time) in [
            (1, "iteration", 0, 1.012),
            (1, "compute", 0, 0.002),
            (1, "map_fold", 1, 1.0),
            (4, "iteration", 0, 0.271),
            (4, "compute", 0, 0.002),
            (4, "reduce", 0, 0.003),
            (4, "map_fold", 1, 0.24),
            (4, "map_fold", 3, 0.25),
        ] {
            csv.push_str(&format!("mine,threads,{workers},1,300,3000,{region},{rank},20,{time},,0\n"));
        }
        let (costs, subject) = read(&csv, "./mine 300").expect("costs");
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        close(costs.latency_s.value, 0.005);
        close(costs.fold_s.value, 0.001);
        close(costs.overhead_s.expect("several workers").value, 0.001);
        close(costs.work_s.value, 1.0);
        assert_eq!((costs.list_length, costs.iterations, subject.size), (3000, 20, 300));
        let failure = read(&csv.replace("compute", "other"), "./mine").err().expect("no compute");
        assert_eq!(failure.problems.0[0].message, "the run with one worker has no times of compute");
    }
}

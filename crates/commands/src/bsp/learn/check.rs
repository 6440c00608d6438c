//! A learned program against the runs that it was learned from, and those that were held out.

use super::super::predict;
use super::recorded::Recording;
use crate::context::Context;
use crate::failure::Failure;
use indexmap::IndexMap;
use runcast_core::Warning;
use serde::Serialize;
use std::path::Path;

/// A run, predicted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    pub at: IndexMap<String, f64>,
    pub held_out: bool,
    /// The fastest visit: of that, the slowest rank.
    pub measured_s: f64,
    pub obsp_time_s: f64,
    /// By what the models are uncertain of; none for machines that are too large for draws.
    pub low_s: Option<f64>,
    pub high_s: Option<f64>,
    pub error_pct: f64,
    /// The mean error of the ranks' finish times.
    pub finish_error_pct: f64,
}

/// Predicts all runs.
pub fn check(
    program: &Path,
    recordings: &[Recording],
    warnings: &mut Vec<Warning>,
    context: &mut Context,
) -> Result<Vec<Check>, Failure> {
    let runs: Vec<_> = recordings.iter().flat_map(|r| r.runs.iter().map(move |run| (r.held_out, run))).collect();
    let at = |run: &runcast_call::bsp::learn::Run| {
        let mut at = IndexMap::from([("P".to_owned(), run.processes as f64)]);
        at.extend(run.values.iter().cloned());
        at
    };
    let sets: Vec<IndexMap<String, f64>> = runs.iter().map(|(_, run)| at(run)).collect();
    let (times, said) = predict::finish_times(program, &sets, context)?;
    // One trace holds the visits of all numbers of processes: that a region does not depend on them is no doubt.
    warnings.extend(said.into_iter().filter(|warning| warning.code != "unused_parameter"));
    let checks = runs.iter().zip(sets).zip(times).map(|(((held_out, run), at), times)| {
        let finish = &times.finish_s;
        let obsp_time_s = finish.iter().copied().fold(0.0, f64::max);
        let measured_s = run.measured_s();
        let errors = run.fastest().iter().zip(finish).map(|(measured, own)| (own / measured - 1.0).abs());
        let finish_error_pct = 100.0 * errors.sum::<f64>() / finish.len().max(1) as f64;
        Check {
            at,
            held_out: *held_out,
            measured_s,
            obsp_time_s,
            low_s: times.range_s.map(|(low, _)| low),
            high_s: times.range_s.map(|(_, high)| high),
            error_pct: 100.0 * (obsp_time_s / measured_s - 1.0),
            finish_error_pct,
        }
    });
    let mut checks: Vec<Check> =
        checks.filter(|check| check.error_pct.is_finite() && check.finish_error_pct.is_finite()).collect();
    checks.sort_by(|a, b| a.held_out.cmp(&b.held_out).then(a.at["P"].total_cmp(&b.at["P"])));
    Ok(checks)
}

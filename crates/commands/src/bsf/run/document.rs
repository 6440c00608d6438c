//! The document of kind `bsf-run`.

use super::Done;
use runcast_core::Warning;
use serde::Serialize;
use serde_json::{Map, Value};

/// The document of kind `bsf-run`.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    kind: &'static str,
    version: u32,
    program: &'static str,
    parameters: Map<String, Value>,
    backend: &'static str,
    workers: usize,
    threads: usize,
    collective: &'static str,
    reproducible: bool,
    list_length: u64,
    status: &'static str,
    iterations: u64,
    counter: u64,
    step_norm: Option<f64>,
    growth_rate: Option<f64>,
    error_max: Option<f64>,
    result_head: &'a [Option<f64>],
    result_digest: &'a str,
    time_s: f64,
    iteration_time_s: Option<f64>,
    first_iteration_time_s: Option<f64>,
    map_fold_cpu_s: Option<f64>,
    resumed_from: Option<u64>,
    restarts: u32,
    checks: &'a Map<String, Value>,
    warnings: Vec<Warning>,
}

impl<'a> Document<'a> {
    /// What is known about a run.
    pub fn of(done: &Done<'a>) -> Self {
        let Done { args, program, report, restarts } = done;
        Document {
            kind: "bsf-run",
            version: 1,
            program: program.name(),
            parameters: program.parameters(),
            backend: args.backend().name(),
            workers: done.workers(),
            threads: args.threads(),
            collective: super::tables::collective(report),
            reproducible: args.reproducible,
            list_length: program.list_length(),
            status: report.status.name(),
            iterations: report.iterations,
            counter: report.counter,
            step_norm: report.step_norm,
            growth_rate: report.growth_rate,
            error_max: report.error_max,
            result_head: &report.result_head,
            result_digest: &report.result_digest,
            time_s: report.time_s,
            iteration_time_s: report.times.iteration_s(),
            first_iteration_time_s: report.times.first_iteration_s(),
            map_fold_cpu_s: report.times.map_fold_cpu_s(),
            resumed_from: report.resumed_from,
            restarts: *restarts,
            checks: &report.checks,
            warnings: report.warnings.iter().cloned().chain(args.unused()).collect(),
        }
    }
}

//! The tables of a run.

use super::Done;
use runcast_bsf::programs::Report;
use runcast_bsf::skeleton::RunLabels;

/// How orders travelled in the end.
pub fn collective(report: &Report) -> &'static str {
    report.collective.name()
}

/// What is the same in all rows.
pub fn labels<'a>(done: &Done<'a>) -> RunLabels<'a> {
    let Done { args, program, report, .. } = *done;
    RunLabels {
        program: program.name(),
        backend: args.backend(),
        collective: report.collective,
        workers: done.workers(),
        threads: args.threads(),
        size: program.size(),
        list_length: program.list_length(),
    }
}

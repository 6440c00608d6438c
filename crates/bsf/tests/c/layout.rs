//! The structures of the library have the layout that a C compiler gives those of the header.

use crate::support::{Linked, build, have, run, text};
use bsf::c::{Algorithm, At, Job, Options, Outcome, Status};
use std::mem::offset_of;

#[test]
fn structures_are_laid_out_as_in_the_header() {
    if !have("gcc") {
        return;
    }
    let expected = [
        ("bsf_at", size_of::<At>()),
        ("bsf_job", size_of::<Job>()),
        ("bsf_algorithm", size_of::<Algorithm>()),
        ("bsf_options", size_of::<Options>()),
        ("bsf_outcome", size_of::<Outcome>()),
        ("bsf_status", size_of::<Status>()),
        ("bsf_at.elapsed_s", offset_of!(At, elapsed_s)),
        ("bsf_at.workers", offset_of!(At, workers)),
        ("bsf_job.partial_bytes", offset_of!(Job, partial_bytes)),
        ("bsf_job.set_up", offset_of!(Job, set_up)),
        ("bsf_job.compute", offset_of!(Job, compute)),
        ("bsf_algorithm.jobs", offset_of!(Algorithm, jobs)),
        ("bsf_algorithm.x_bytes", offset_of!(Algorithm, x_bytes)),
        ("bsf_algorithm.dispatch", offset_of!(Algorithm, dispatch)),
        ("bsf_algorithm.data", offset_of!(Algorithm, data)),
        ("bsf_options.iterations", offset_of!(Options, iterations)),
        ("bsf_options.time_limit_s", offset_of!(Options, time_limit_s)),
        ("bsf_options.trace", offset_of!(Options, trace)),
        ("bsf_options.mpi_comm", offset_of!(Options, mpi_comm)),
        ("bsf_outcome.iterations", offset_of!(Outcome, iterations)),
        ("bsf_outcome.growth_rate", offset_of!(Outcome, growth_rate)),
        ("bsf_outcome.digest", offset_of!(Outcome, digest)),
        ("bsf_outcome.message", offset_of!(Outcome, message)),
    ];
    let expected: Vec<String> = expected.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
    let (_folder, program) = build("gcc", &["-std=c99"], "layout.c", Linked::Static);
    let output = run(&program, &[]);
    assert_eq!(text(&output.stdout).lines().collect::<Vec<_>>(), expected);
}

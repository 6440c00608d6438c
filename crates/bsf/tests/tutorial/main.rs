//! The guide to the skeleton shows the example, and the example is short and right.

#[path = "../../examples/jacobi.rs"]
#[allow(dead_code, missing_docs, reason = "its main function is for the command line")]
mod jacobi;

use runcast_bsf::skeleton::{Backend, CollectiveChoice, RunOptions, Status};

const EXAMPLE: &str = include_str!("../../examples/jacobi.rs");
const GUIDE: &str = include_str!("../../../../docs/guide/bsf-skeleton.md");

/// Lines of code between two remarks of the example.
fn between(from: &str, to: &str) -> Vec<&'static str> {
    let part = EXAMPLE.split(from).nth(1).and_then(|rest| rest.split(to).next()).expect("the remarks are there");
    let lines = part.lines().skip(1).map(str::trim_end);
    lines.filter(|line| !line.is_empty() && !line.trim_start().starts_with("//")).collect()
}

#[test]
fn the_problem_takes_at_most_30_lines() {
    let lines = between("// The problem:", "// The run:");
    assert!(lines.contains(&"impl Job for Jacobi {"));
    assert!(lines.len() <= 30, "{} lines", lines.len());
}

#[test]
fn the_guide_shows_the_example() {
    let shown: Vec<&str> = GUIDE.lines().map(str::trim_end).collect();
    let lines = between("use std::ops::Range;", "fn main()");
    assert!(lines.len() > 30);
    for line in lines {
        assert!(shown.contains(&line), "not in the guide: {line}");
    }
}

/// 46 and 68 iterations: recomputed independently of this code, for its specification.
#[test]
fn it_converges_as_it_should_on_every_backend() {
    for (backend, workers, threads, n, iterations) in [
        (Backend::Serial, 1, 1, 1500, 68),
        (Backend::Serial, 7, 1, 11, 46),
        (Backend::Threads, 3, 1, 11, 46),
        (Backend::Threads, 2, 2, 11, 46),
    ] {
        let options =
            RunOptions { backend, workers, threads, collective: CollectiveChoice::Tree, ..RunOptions::default() };
        let outcome = jacobi::solve(n, &options).expect("no error").expect("the master");
        assert_eq!((outcome.status, outcome.iterations), (Status::Converged, iterations));
        assert!(outcome.approximation.iter().all(|x| (x - 1.0).abs() < 1e-8));
        if n == 1500 {
            // The spectral radius tends to ln 2.
            assert!((outcome.growth_rate.expect("known") - std::f64::consts::LN_2).abs() < 2e-3);
        }
    }
}

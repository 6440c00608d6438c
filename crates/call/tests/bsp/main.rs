//! The calculator of supersteps: published numbers, random programs against a second implementation, and everything
//! that can be wrong with a program.

mod errors;
mod features;
mod hostile;
mod limits;
mod models;
mod own;
mod properties;
mod published;
mod second;

use runcast_call::bsp::{Assignments, Detail, Limits, Model, Models, Outcome, Prepared, Program};
use runcast_core::{Problem, Problems};

const FIG1: &str = include_str!("../../../../testdata/bsp/fig1.toml");
const FFT: &str = include_str!("../../../../testdata/bsp/fft.toml");
const GROUPS: &str = include_str!("../../../../testdata/bsp/groups.toml");

/// A program that is ready.
#[track_caller]
fn prepared(text: &str) -> Prepared {
    tried(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn tried(text: &str) -> Result<Prepared, Problems> {
    Program::from_toml("p.toml", text)?.prepare(&Models::default())
}

/// Its outcome with `NAME=V` set, and everything kept.
#[track_caller]
fn outcome<'p>(prepared: &'p Prepared, set: &[&str]) -> Outcome<'p> {
    with(prepared, set, &Models::default()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn with<'p>(prepared: &'p Prepared, set: &[&str], models: &Models) -> Result<Outcome<'p>, Problem> {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    let set = Assignments::parse(&set).expect("assignments").combinations().expect("not too many");
    assert_eq!(set.len(), 1, "one combination");
    prepared.run(&set[0], models, &Limits { detail: Detail::Picture, ..Limits::default() })
}

/// All problems of a program, as one text: of its reading, its names, or its run.
#[track_caller]
fn problems(text: &str) -> Problems {
    match tried(text) {
        Err(problems) => problems,
        Ok(prepared) => match with(&prepared, &[], &Models::default()) {
            Err(problem) => problem.into(),
            Ok(outcome) => panic!("no problem, but {} s\n{text}", outcome.obsp_time_s()),
        },
    }
}

#[track_caller]
fn near(actual: &[f64], expected: &[f64]) {
    let is_near = |(a, e): (&f64, &f64)| (a - e).abs() <= 1e-12 * e.abs();
    let all = actual.len() == expected.len() && actual.iter().zip(expected).all(is_near);
    assert!(all, "\nExpectation {expected:?}\nActual result {actual:?}");
}

/// A model that is a function.
struct Given<F> {
    parameters: Vec<String>,
    function: F,
}

impl<F: Fn(&[f64]) -> Result<f64, String>> Model for Given<F> {
    fn parameters(&self) -> &[String] {
        &self.parameters
    }

    fn predict(&self, at: &[f64]) -> Result<f64, String> {
        (self.function)(at)
    }
}

//! Finding the value given at a key, as an option or in a file, and its position.

use super::amount;
use super::choice::Choice;
use super::given::{Given, Place};
use super::keys::Key;
use super::spec::CostSpec;
use crate::cost::CostError;
use runcast_core::Problem;

/// The values given for an algorithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub spec: &'a CostSpec,
    pub choice: Choice,
}

impl<'a> Lookup<'a> {
    /// The value given at a key: as an option, or else in the file.
    pub(super) fn given(&self, name: &str) -> Option<&'a Given> {
        let in_file = || self.choice.home_of(name).and_then(|home| self.spec.file.get(&home));
        self.spec.options.get(name).or_else(in_file)
    }

    /// As [`Lookup::given`]; a missing value is a problem.
    pub(super) fn needed(&self, name: &str) -> Result<&'a Given, Problem> {
        let called = self.choice.home_of(name).map_or(name, |(_, called)| called);
        self.given(name).ok_or_else(|| self.missing(name, &format!("{called} is not given")))
    }

    /// The problem of a key that should have been given.
    pub(super) fn missing(&self, name: &str, message: &str) -> Problem {
        let problem = Problem::new("missing", message).at(self.pointer(name));
        let Some(key) = Key::find(name) else { return problem };
        let problem = problem.allowed(key.kind.allowed());
        let option = format!("--{} {}", key.option(), key.metavar);
        match (&self.spec.name, self.choice.home_of(name)) {
            (Some(file), Some(("", _))) => problem.in_file(file.clone()).hint(option),
            (Some(file), Some((table, _))) => {
                problem.in_file(file.clone()).hint(format!("add it to [{table}], or {option}"))
            }
            _ => problem.hint(option),
        }
    }

    /// An error of the costs, at the value that causes it.
    pub(super) fn cost_problem(&self, error: &CostError) -> Problem {
        let counted = format!("count_{}", error.key());
        let name = match self.choice {
            Choice::Counts if Key::find(&counted).is_some() => counted.as_str(),
            // The counts of a built-in algorithm follow from its size.
            Choice::BuiltIn(_) if self.choice.home_of(error.key()).is_none() => "size",
            Choice::Times if error.key() == "work" && self.given("work").is_none() => "map",
            _ => error.key(),
        };
        let problem = amount::cost_problem(error);
        match self.given(name) {
            Some(given) => given.place.locate(problem.value(given.shown())),
            None => Place { pointer: self.pointer(name), ..Place::default() }.locate(problem),
        }
    }

    /// Where a key would be given.
    fn pointer(&self, name: &str) -> String {
        match (&self.spec.name, self.choice.home_of(name)) {
            (Some(_), Some(("", called))) => format!("/{called}"),
            (Some(_), Some((table, called))) => format!("/{table}/{called}"),
            _ => format!("--{}", name.replace('_', "-")),
        }
    }
}

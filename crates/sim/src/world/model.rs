//! Computational models: rules for the cost of a block, a message or a machine (docs/theory/sim.md, section 3).
//!
//! A model is a set of rules. Each has a subject (`on`), cases (filters), and a formula. The rule with the most
//! matching filters wins, the later one on a tie; if no rule matches, the default holds (see [`crate::world`]). A rule
//! with the filter `hardware` is what \[M\] calls a tuned hardware model.
//!
//! Formulas are compiled when the file is read. Names of numbers of the hardware, the application or the model are
//! resolved once for each kind of place, so that a block costs a few nanoseconds to evaluate.

mod coefficient;
pub mod file;
mod formula;
mod law;
mod rule;
mod scale;
mod scaling;
mod uncertainty;

pub use coefficient::{Coefficient, CoefficientFile};
pub use formula::{Input, Operand, RuleFormula, UsedName, Variable, Variables};
pub use law::{Law, Part, Start};
pub use rule::{Case, Filter, On, Rule};
pub use scale::{Scale, exponent};
pub use scaling::{OneThread, Scaling};
pub use uncertainty::{DRAWS, Draw, Uncertainty};

use indexmap::IndexMap;

/// Name of the model that is always there: no rules, the formulas of docs/theory/sim.md, section 3.
pub const DEFAULT: &str = "default";

/// Where something is in a file: lines and columns from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// File, as the user named it.
    pub file: String,
    pub line: u64,
    /// Column, in characters.
    pub column: u64,
    /// Path in the document.
    pub pointer: String,
}

impl Location {
    /// The problem, at this place.
    pub fn locate(&self, problem: runcast_core::Problem) -> runcast_core::Problem {
        if problem.file.is_some() || self.file.is_empty() {
            return problem;
        }
        let problem = if problem.pointer.is_none() { problem.at(self.pointer.clone()) } else { problem };
        problem.in_file(self.file.clone()).at_line(self.line).at_column(self.column)
    }
}

/// How processes on one device share its cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sharing {
    /// By the number that compute at the moment.
    #[default]
    Busy,
    /// By the number placed there.
    Placed,
}

/// A computational model. After [`file::read`] it also holds what it inherits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    pub name: String,
    pub extends: Option<String>,
    /// Coefficients, which formulas name as `c.NAME`.
    pub coefficients: IndexMap<String, Coefficient>,
    /// Rules; those that are inherited come first, so that own ones win ties.
    pub rules: Vec<Rule>,
    /// How cores are shared.
    pub sharing: Sharing,
    pub location: Location,
}

impl Model {
    pub fn default_model() -> Self {
        Model { name: DEFAULT.to_owned(), ..Model::default() }
    }

    /// Adds a rule, behind all others, with the coefficients that its formula writes out.
    pub fn add(&mut self, rule: Rule) {
        let literals = rule.value.iter().flat_map(|value| value.literals.iter().cloned());
        self.coefficients.extend(literals);
        self.rules.push(rule);
    }

    /// The rule that holds for a case: the one with the most filters that all fit, the later on a tie.
    pub fn rule_for(&self, on: On, case: &Case<'_>) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.on == on && best.is_none_or(|(_, filters)| rule.filters.len() >= filters) && rule.fits(case) {
                best = Some((index, rule.filters.len()));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Whether it has a rule about this.
    pub fn has(&self, on: On) -> bool {
        self.rules.iter().any(|rule| rule.on == on)
    }
}

//! The complexity as a function, with a limit on how much arithmetic a plan may take.

use super::spec::PlanSpec;
use super::{PROCESSES, parse};
use crate::problem::Problem;
use runcast_formula::{Formula, Program};
use std::cell::Cell;
use std::iter;

/// How many formula steps a plan may evaluate; a few seconds' worth.
const PARTS: u64 = 500_000_000;

/// The remaining budget of arithmetic.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

impl Budget {
    pub(super) fn new() -> Self {
        Budget(Cell::new(PARTS))
    }

    fn spend(&self, parts: u64) -> Result<(), Problem> {
        self.expect(parts)?;
        self.0.set(self.0.get() - parts);
        Ok(())
    }

    /// Checks that this much is left.
    fn expect(&self, parts: u64) -> Result<(), Problem> {
        match self.0.get().checked_sub(parts) {
            Some(_) => Ok(()),
            None => Err(Problem::new("too_much_work", "choosing the configurations takes too long")
                .hint("ask for fewer processes or sizes, or give the sizes min, max and multiple")),
        }
    }
}

/// A formula bound to the names of its arguments.
#[derive(Debug)]
pub(super) struct Function<'a> {
    program: Program,
    cost: u64,
    budget: &'a Budget,
}

impl<'a> Function<'a> {
    /// Binds `formula` to arguments of these names, in this order.
    pub(super) fn new(formula: &Formula, names: &[&str], budget: &'a Budget) -> Result<Self, Problem> {
        let program = formula
            .compile(names)
            .map_err(|error| parse::formula_problem(&error.with_known_names(names.iter().copied()), formula.text()))?;
        if program.compares_texts() {
            return Err(Problem::new("formula", "a plan has no labels to compare with texts").value(formula.text()));
        }
        let mut parts = 0;
        formula.tree().walk(&mut |_| parts += 1);
        Ok(Function { program, cost: parts + 2, budget })
    }

    /// The value for these arguments; may be infinite or "not a number".
    pub(super) fn at(&self, arguments: &[f64]) -> Result<f64, Problem> {
        self.budget.spend(self.cost)?;
        Ok(self.program.row(arguments))
    }
}

/// The sequential complexity `T_A` of a plan.
#[derive(Debug)]
pub(super) struct Work<'a> {
    spec: &'a PlanSpec,
    function: Function<'a>,
    /// The arguments: `p`, then the sizes.
    names: Vec<&'a str>,
    /// Whether it depends on `p`.
    pub depends_on_p: bool,
}

impl<'a> Work<'a> {
    /// The complexity of a plan over `p` and these sizes; none if the plan has none.
    pub(super) fn new(spec: &'a PlanSpec, sizes: &'a [String], budget: &'a Budget) -> Result<Option<Self>, Problem> {
        let Some(formula) = &spec.complexity else { return Ok(None) };
        let names: Vec<&str> = iter::once(PROCESSES).chain(sizes.iter().map(String::as_str)).collect();
        let function = Function::new(formula, &names, budget).map_err(|problem| spec.place("complexity", problem))?;
        let depends_on_p = formula.names().iter().any(|name| name == PROCESSES);
        Ok(Some(Work { spec, function, names, depends_on_p }))
    }

    /// Checks that the budget allows this many evaluations, before a search that would exceed it.
    pub(super) fn expect(&self, evaluations: usize) -> Result<(), Problem> {
        let parts = self.function.cost.saturating_mul(evaluations as u64);
        self.function.budget.expect(parts).map_err(|problem| self.spec.place("complexity", problem))
    }

    /// `T_A/p`, which may be infinite.
    ///
    /// # Errors
    /// It is not a number.
    pub(super) fn per_process(&self, arguments: &[f64]) -> Result<f64, Problem> {
        let total = self.function.at(arguments).map_err(|problem| self.spec.place("complexity", problem))?;
        let work = total / arguments[0];
        if work.is_nan() {
            let message = format!("the complexity is not a number at {}", self.show(arguments));
            return Err(self.spec.problem("complexity", "not_a_number", message));
        }
        Ok(work)
    }

    /// Checks that the work per process is comparable: positive and finite.
    pub(super) fn checked(&self, arguments: &[f64]) -> Result<f64, Problem> {
        let work = self.per_process(arguments)?;
        if work > 0.0 && work.is_finite() {
            return Ok(work);
        }
        let message = format!("the complexity per process is {} at {}", parse::shown(work), self.show(arguments));
        Err(self.spec.problem("complexity", "out_of_range", message).allowed("a positive finite number"))
    }

    /// The problem of a complexity that falls while a size grows.
    pub(super) fn falls(&self, arguments: &[f64], varies: usize, from: f64, to: f64) -> Problem {
        let name = self.names[varies];
        let show = |size: f64| {
            let mut at = arguments.to_vec();
            at[varies] = size;
            match self.function.at(&at) {
                Ok(value) => (parse::shown(value), self.show(&at)),
                Err(_) => ("?".to_owned(), self.show(&at)),
            }
        };
        let ((before, at), (after, _)) = (show(from), show(to));
        let message = format!("the complexity falls from {before} at {at} to {after} at {name}={}", parse::shown(to));
        self.spec
            .problem("complexity", "not_monotone", message)
            .allowed(format!("a complexity that grows with {name}"))
            .hint(format!("give {name} a min and a max between which it grows: --size '{name}:min=..,max=..'"))
    }

    /// `p=8, N=20000`
    pub(super) fn show(&self, arguments: &[f64]) -> String {
        self.names
            .iter()
            .zip(arguments)
            .map(|(name, &value)| format!("{name}={}", parse::shown(value)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

//! A value compiled for the names known in its scope.

use super::super::file::Kind;
use super::super::program::{Given, Value};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_formula::{Expr, Program as Code};

/// The position of a name among the values of a scope.
pub(in super::super) type Slot = usize;

/// Positions of the predefined names, as in `BUILT_IN`.
pub(in super::super) const ME: Slot = 0;
pub(in super::super) const RANK: Slot = 2;
pub(in super::super) const IT: Slot = 4;
pub(in super::super) const GROUP: Slot = 5;
pub(in super::super) const GROUPS: Slot = 6;

/// A number, or a compiled formula.
#[derive(Debug, Clone)]
pub(in super::super) struct Cell {
    pub value: Value,
    pub code: Source,
    /// Whether its value can differ between processors of one machine.
    pub is_own: bool,
    /// Whether its value can differ between repetitions.
    pub uses_it: bool,
    /// Models whose slots must be filled first.
    pub models: Vec<usize>,
    /// Names it uses, for messages.
    pub names: Vec<(String, Slot)>,
}

#[derive(Debug, Clone)]
pub(in super::super) enum Source {
    Number(f64),
    Formula(Code),
}

/// The meaning of a name in its scope.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trait {
    pub is_own: bool,
    pub uses_it: bool,
    pub model: Option<usize>,
}

/// Compiles values for a list of names.
pub(super) struct Compiler<'n> {
    names: Vec<&'n str>,
    traits: Vec<Trait>,
}

impl<'n> Compiler<'n> {
    /// A compiler for these names, without predefined ones.
    pub(super) fn plain(names: &[&'n str]) -> Self {
        Compiler { names: names.to_vec(), traits: vec![Trait::default(); names.len()] }
    }

    /// A compiler for the predefined names, followed by these.
    pub(super) fn new(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = super::super::file::BUILT_IN.into_iter().chain(names).collect();
        let mut traits = vec![Trait::default(); names.len()];
        (traits[ME].is_own, traits[RANK].is_own, traits[IT].uses_it) = (true, true, true);
        Compiler { names, traits }
    }

    /// Declares the name at a slot as a model.
    pub(super) fn set(&mut self, slot: Slot, its: Trait) {
        if let Some(known) = self.traits.get_mut(slot) {
            *known = its;
        }
    }

    pub(super) fn slot(&self, name: &str) -> Option<Slot> {
        self.names.iter().position(|known| *known == name)
    }

    pub(super) fn trait_of(&self, slot: Slot) -> Trait {
        self.traits.get(slot).copied().unwrap_or_default()
    }

    pub(super) fn names(&self) -> &[&'n str] {
        &self.names
    }

    /// Compiles a value; `context` is the prefix of a problem's message.
    pub(super) fn cell<'v>(&self, value: &'v Value, context: &str) -> Result<Cell, (Problem, &'v Value)> {
        let wrong = |problem: Problem| (problem, value);
        let formula = match &value.given {
            Given::Number(number) => return Ok(Cell::number(value, *number)),
            Given::Formula(formula) => formula,
        };
        let code = formula.compile(&self.names).map_err(|error| {
            let message = format!("{context}in the formula \"{}\": {error}", shorten(formula.text(), 60));
            let mut problem = Problem::new("formula", message).at_column(error.column() as u64).value(formula.text());
            problem.hint = error.hint();
            wrong(problem.allowed(self.names.join(", ")))
        })?;
        let mut has_text = false;
        formula.tree().walk(&mut |part| has_text |= matches!(part, Expr::TextComparison { .. }));
        if has_text {
            let message = format!("{context}in the formula \"{}\": texts are not allowed", shorten(formula.text(), 60));
            return Err(wrong(Problem::new("formula", message).value(formula.text()).allowed(Kind::Plain.allowed())));
        }
        let slots: Vec<(String, Slot)> =
            formula.names().iter().filter_map(|name| Some((name.clone(), self.slot(name)?))).collect();
        let its = || slots.iter().map(|(_, slot)| self.trait_of(*slot));
        Ok(Cell {
            value: value.clone(),
            code: Source::Formula(code),
            is_own: its().any(|its| its.is_own),
            uses_it: its().any(|its| its.uses_it),
            models: its().filter_map(|its| its.model).collect(),
            names: slots,
        })
    }
}

impl Cell {
    fn number(value: &Value, number: f64) -> Self {
        let (is_own, uses_it) = (false, false);
        Cell {
            value: value.clone(),
            code: Source::Number(number),
            is_own,
            uses_it,
            models: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Its value if no model is used, without checks.
    pub(in super::super) fn evaluate(&self, values: &[f64]) -> f64 {
        match &self.code {
            Source::Number(number) => *number,
            Source::Formula(code) => code.row(values),
        }
    }

    /// `"n/2" is -1, with n = -2`
    pub(in super::super) fn told(&self, seen: f64, values: &[f64]) -> String {
        let seen = super::super::file::shown(seen);
        if let Source::Number(_) = self.code {
            return format!("the value is {seen}");
        }
        let with: Vec<String> = self
            .names
            .iter()
            .filter_map(|(name, slot)| Some(format!("{name} = {}", super::super::file::shown(*values.get(*slot)?))))
            .take(6)
            .collect();
        let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
        format!("\"{}\" is {seen}{with}", shorten(&self.value.text(), 60))
    }
}

/// The problem of a value that is not allowed, with the names it came from.
pub(in super::super) fn trouble(cell: &Cell, seen: f64, values: &[f64], allowed: &str) -> Problem {
    let problem = Problem::new("out_of_range", cell.told(seen, values));
    problem.value(super::super::file::shown(seen)).allowed(allowed)
}

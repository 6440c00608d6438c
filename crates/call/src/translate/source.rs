//! A source with the results of its analysis.

use super::clause::{self, Clause, Parallel};
use super::fault::Fault;
use super::nest::{self, Nested};
use super::scan::lines::Lines;
use super::scan::{self, Pragma, Scanned};
use super::{Input, Language, parallel};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;
use std::rc::Rc;

/// A source with the results of its analysis.
pub struct Source<'a> {
    pub input: &'a Input,
    pub scanned: Scanned,
    /// Its parsed pragmas; none for invalid ones.
    pub clauses: Vec<Option<Clause>>,
    pub nested: Nested,
    lines: Lines,
    pub faults: Vec<Fault>,
    warned: Vec<(&'static str, String, usize)>,
}

impl<'a> Source<'a> {
    pub fn read(input: &'a Input) -> Self {
        let cpp = input.language == Language::Cpp;
        let mut source = Source {
            input,
            scanned: Scanned::default(),
            clauses: Vec::new(),
            nested: Nested::default(),
            lines: Lines::of(&[]),
            faults: Vec::new(),
            warned: Vec::new(),
        };
        if u32::try_from(input.text.len()).is_err() {
            let fault = Fault::new("bad-clause", 0, "the source has more than 4 GiB");
            source.faults.push(fault.hint("split it"));
            return source;
        }
        source.scanned = scan::scan(&input.text, cpp);
        source.warn_of_macros();
        if !source.has_pragmas() {
            return source;
        }
        source.lines = Lines::of(&input.text);
        // Many pragmas say the same.
        let mut known: HashMap<&str, Clause> = HashMap::new();
        for pragma in &source.scanned.pragmas {
            let read = match known.get(pragma.text.as_str()).filter(|_| pragma.is_text) {
                Some(clause) => Ok(clause.clone()),
                None => clause::read(pragma).inspect(|clause| drop(known.insert(&pragma.text, clause.clone()))),
            };
            source.clauses.push(read.map_err(|fault| source.faults.push(fault)).ok());
        }
        source.nested = nest::nest(&input.text, &source.scanned, &source.clauses, &source.lines, cpp);
        source.faults.append(&mut source.nested.faults);
        source.warn_of_divisions();
        source.check_parallel();
        source
    }

    /// Whether there is anything to translate.
    pub fn has_pragmas(&self) -> bool {
        !self.scanned.pragmas.is_empty()
    }

    pub fn pragma(&self, number: usize) -> &Pragma {
        &self.scanned.pragmas[number]
    }

    /// The experiment of a pragma that begins a region.
    pub fn begin(&self, number: usize) -> Option<&Rc<clause::Experiment>> {
        match self.clauses.get(number) {
            Some(Some(Clause::Begin(experiment))) => Some(experiment),
            _ => None,
        }
    }

    /// The line on which a pragma begins.
    pub fn line(&self, number: usize) -> u64 {
        self.lines.line(self.pragma(number).start)
    }

    pub fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// The first kind of parallel program that is declared.
    pub fn parallel(&self) -> Option<Parallel> {
        self.clauses.iter().flatten().find_map(|clause| match clause {
            Clause::Parallel { kind, .. } => Some(*kind),
            _ => None,
        })
    }

    /// Its errors, by line and column.
    pub fn problems(&mut self) -> Vec<Problem> {
        self.faults.sort_by_key(|fault| fault.at);
        self.faults.dedup();
        if self.scanned.pragmas.is_empty() && !self.faults.is_empty() {
            self.lines = Lines::of(&[]);
        }
        let problem = |fault: &Fault| {
            let problem = Problem::new(fault.code, fault.message.clone()).in_file(&self.input.name);
            let problem = problem.at_line(self.lines.line(fault.at));
            let problem = problem.at_column(self.lines.column(&self.input.text, fault.at));
            if fault.hint.is_empty() { problem } else { problem.hint(fault.hint.clone()) }
        };
        self.faults.iter().map(problem).collect()
    }

    pub fn warnings(&self) -> Vec<Warning> {
        let lines = if self.has_pragmas() { self.lines.clone() } else { Lines::of(&self.input.text) };
        let warning = |(code, message, at): &(&'static str, String, usize)| {
            Warning::new(*code, message.clone()).in_file(&self.input.name, lines.line(*at))
        };
        if self.warned.is_empty() { Vec::new() } else { self.warned.iter().map(warning).collect() }
    }

    fn warn_of_macros(&mut self) {
        for &at in &self.scanned.in_macros {
            let message = "a pragma in the body of a macro is ignored: nothing is recorded there";
            self.warned.push(("pragma_in_macro", message.to_owned(), at));
        }
    }

    fn warn_of_divisions(&mut self) {
        for (clause, pragma) in self.clauses.iter().zip(&self.scanned.pragmas) {
            let Some(Clause::Begin(experiment)) = clause else { continue };
            for variable in &experiment.options.variables {
                let Some(at) = variable.divides_at else { continue };
                let message = format!(
                    "{} = {} may divide integers, which drops the remainder; a cast to double divides real numbers",
                    variable.name, variable.expression
                );
                self.warned.push(("integer_division", message, pragma.origin(at)));
            }
        }
    }

    /// A program has one kind; outside functions an expression cannot be evaluated.
    fn check_parallel(&mut self) {
        let Some(first) = self.parallel() else { return };
        let kinds = parallel::Kinds::of(self);
        for (number, clause) in self.clauses.iter().enumerate() {
            let Some(Clause::Parallel { kind, expression }) = clause else { continue };
            let at = self.scanned.pragmas[number].start;
            if *kind != first && kinds.clash(number) {
                let message = format!("the program is {} above, and {} here", first.name(), kind.name());
                self.faults.push(Fault::new("bad-clause", at, message).hint("a program has one kind"));
            }
            if let Some(expression) = expression
                && self.nested.outside.contains(&number)
            {
                let message = format!("\"{expression}\" is not evaluated outside functions; inside main it is");
                self.warned.push(("parallel_outside", message, at));
            }
        }
    }
}

/// The files that a source includes by quotes, and the lines of our pragmas in it.
///
/// Headers are not translated; this finds those with pragmas that would be ignored.
pub fn own_includes(text: &[u8], language: Language) -> (Vec<String>, Vec<u64>) {
    if u32::try_from(text.len()).is_err() {
        return (Vec::new(), Vec::new());
    }
    let scanned = scan::scan(text, language == Language::Cpp);
    let name = |range: &std::ops::Range<usize>| {
        let inside = text.get(range.start + 1..range.end - 1).unwrap_or_default();
        String::from_utf8_lossy(inside).into_owned()
    };
    let lines = Lines::of(text);
    let is_ours = |pragma: &&Pragma| pragma.text.trim_start().starts_with("cll");
    let places = scanned.pragmas.iter().filter(is_ours).map(|pragma| lines.line(pragma.start)).collect();
    (scanned.includes.iter().map(name).collect(), places)
}

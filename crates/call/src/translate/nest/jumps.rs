//! Jumps into regions: `goto`, `case`.

use super::Walker;
use super::frame::NONE;
use crate::translate::fault::Fault;
use crate::translate::scan::{Kind, Token, Word};
use std::collections::HashMap;

/// The labels of a function and the jumps to them, each with the innermost region around it.
#[derive(Debug, Default)]
pub struct Labels {
    labels: HashMap<Vec<u8>, Vec<Jump>>,
    gotos: Vec<(Vec<u8>, Jump)>,
}

#[derive(Debug, Clone, Copy)]
struct Jump {
    region: u32,
    place: usize,
}

impl Walker<'_> {
    pub(super) fn new_function(&mut self) -> u32 {
        self.functions.push(Labels::default());
        (self.functions.len() - 1) as u32
    }

    fn jump(&self) -> Jump {
        let place = self.tokens.get(self.at).map_or(0, |token| token.start as usize);
        Jump { region: self.top().region, place }
    }

    /// `name:`
    pub(super) fn label(&mut self) {
        let (jump, name) = (self.jump(), self.text(self.at).into_owned());
        let function = self.top().function as usize;
        if let Some(labels) = self.functions.get_mut(function) {
            labels.labels.entry(name).or_default().push(jump);
        }
    }

    /// `goto name`
    pub(super) fn goto(&mut self) {
        let (jump, name) = (self.jump(), self.text(self.at + 1).into_owned());
        let function = self.top().function as usize;
        if self.kind(self.at + 1) == Some(Kind::Name)
            && let Some(labels) = self.functions.get_mut(function)
        {
            labels.gotos.push((name, jump));
        }
    }

    /// `case` and `default`: the `switch` must be in the same region.
    pub(super) fn check_case(&mut self, token: Token) {
        let top = self.top();
        let entered = top.switch_region.is_some_and(|outer| outer != top.region);
        let Some(region) = self.regions.get(top.region as usize).filter(|_| entered) else { return };
        let begun = self.line(self.pragmas[region.begin].start);
        let message =
            format!("the region {} of line {begun} is entered by a label of the switch around it", region.name);
        let hint = "begin the region after the label, or before the switch";
        self.fault(Fault::new("case-inside", token.start as usize, message).hint(hint));
    }

    /// `co_await`, `co_yield`, `co_return`: the function would stop inside the region, and go on in any thread.
    pub(super) fn suspends(&mut self, token: Token) {
        let region = self.top().region as usize;
        let Some(region) = self.regions.get(region).filter(|_| self.cpp && token.kind == Kind::Word(Word::Leaves))
        else {
            return;
        };
        let word = self.text(self.at).into_owned();
        if !word.starts_with(b"co_") {
            return;
        }
        let message = format!(
            "{} suspends the coroutine inside the region {} of line {}, which may go on in another thread",
            String::from_utf8_lossy(&word),
            region.name,
            self.line(self.pragmas[region.begin].start)
        );
        let hint = "end the region before it, and begin another one after it";
        self.fault(Fault::new("suspends", token.start as usize, message).hint(hint));
    }

    /// At the end, when all labels are known.
    pub(super) fn check_jumps(&mut self) {
        let mut faults = Vec::new();
        for function in &self.functions {
            for (name, from) in &function.gotos {
                let Some(labels) = function.labels.get(name) else { continue };
                let misses = |label: &&Jump| !self.is_around(label.region, from.region);
                let entered = labels.iter().find(misses).filter(|_| labels.iter().all(|label| misses(&label)));
                if let Some(label) = entered {
                    let region = &self.regions[label.region as usize];
                    let message = format!(
                        "goto {} in line {} jumps to line {}, into the region {} that begins in line {}",
                        String::from_utf8_lossy(name),
                        self.line(from.place),
                        self.line(label.place),
                        region.name,
                        self.line(self.pragmas[region.begin].start)
                    );
                    let hint = "begin the region after the label";
                    faults.push(Fault::new("jump-in", from.place, message).hint(hint));
                }
            }
        }
        self.found.faults.extend(faults);
    }

    /// Whether a region is around another one, or the same.
    fn is_around(&self, outer: u32, mut inner: u32) -> bool {
        loop {
            if outer == inner || outer == NONE {
                return true;
            }
            match self.regions.get(inner as usize) {
                Some(region) => inner = region.parent,
                None => return false,
            }
        }
    }
}

//! Our pragmas among the statements.

use super::Walker;
use super::frame::{Alone, Control, Frame, FrameKind, NONE, Phase};
use super::open_region;
use super::region::{Region, Site};
use crate::translate::clause::{At, Clause};
use crate::translate::fault::Fault;
use crate::translate::scan::{Kind, Word};
use std::rc::Rc;

const BRACES: &str = "put braces around the statements, and the pragmas inside them";

impl Walker<'_> {
    pub(super) fn pragma(&mut self, number: usize) {
        match &self.clauses[number] {
            Some(Clause::Begin(experiment)) => {
                let experiment = Rc::clone(experiment);
                if experiment.options.at != Some(At::End) {
                    self.used_in(number, &experiment.names);
                }
                self.begin(number, experiment.name.clone(), experiment.options.open);
            }
            Some(Clause::End { name }) => {
                let name = name.clone();
                self.end(number, &name);
            }
            Some(_) => self.statement(number),
            // Its clause is invalid; if it was meant to begin a region, an end is expected.
            None => {
                let text = self.pragmas[number].text.clone();
                let mut words =
                    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
                if words.next() == Some("cll")
                    && let Some(name) = words.next().filter(|name| *name != "end")
                {
                    self.excused.push(name.to_owned());
                }
            }
        }
    }

    fn place(&self, number: usize) -> usize {
        self.pragmas[number].start
    }

    /// Ends control statements before a pragma; an error if what follows the pragma belongs to one of them.
    fn settle_before(&mut self, number: usize) -> Result<(), Fault> {
        let mut next = self.at + 1;
        while matches!(self.kind(next), Some(Kind::Pragma(_) | Kind::Governs(_))) {
            next += 1;
        }
        let next = self.kind(next);
        while let Some((control, phase)) = self.top().phase() {
            let belongs = match (phase, control) {
                (Phase::Body, _) => break,
                (Phase::Next, Control::If) if next == Some(Kind::Word(Word::Else)) => "an if and its else",
                (Phase::Next, Control::Do) if next == Some(Kind::Word(Word::While)) => "a do and its while",
                (Phase::Next, Control::Try) if next == Some(Kind::Word(Word::Catch)) => "a try and its catch",
                (Phase::Bracket | Phase::LastBracket | Phase::Semicolon, _) => "the parts of a statement",
                _ => {
                    self.pop();
                    self.complete();
                    continue;
                }
            };
            let message = format!("the pragma is between {belongs}");
            return Err(
                Fault::new("straddle", self.place(number), message).hint("move it before or after the whole construct")
            );
        }
        Ok(())
    }

    /// A macro without a semicolon holds what follows it, or is a statement of its own.
    fn is_lone_macro(&self) -> bool {
        let top = self.top();
        !top.start && !top.is_bracket() && !top.declares() && top.head.alone != Alone::No
    }

    /// Advances to the beginning of a statement, which is where pragmas are allowed.
    fn stand(&mut self, number: usize) -> Result<Frame, Fault> {
        self.settle_before(number)?;
        if self.is_lone_macro() {
            self.enter_macro();
        }
        let top = self.top();
        let place = self.place(number);
        if top.function == NONE {
            let message = "the pragma is outside any function";
            return Err(Fault::new("straddle", place, message).hint("a region holds statements of one function"));
        }
        if !top.start || top.is_bracket() {
            let message = "the pragma is in the middle of a statement";
            return Err(Fault::new("straddle", place, message).hint("move it to where a statement begins"));
        }
        Ok(top)
    }

    fn begin(&mut self, number: usize, name: String, open: bool) {
        let top = match self.stand(number) {
            Ok(top) => top,
            Err(fault) => {
                self.excused.push(name);
                return self.fault(fault);
            }
        };
        let place = self.place(number);
        let single = match top.phase() {
            Some((Control::LoopPragma, _)) => {
                let message = format!("the region {name} begins between a pragma and its loop");
                self.fault(Fault::new("straddle", place, message).hint("begin the region before that pragma"));
                self.excused.push(name);
                return;
            }
            other => other.is_some(),
        };
        if single && open {
            let message = format!("the region {name} is open, and only one statement is expected here");
            self.fault(Fault::new("many-statements", place, message).hint(BRACES));
        }
        self.forget_returns();
        let index = self.regions.len() as u32;
        let region = Region {
            begin: number,
            name,
            parent: top.region,
            side: self.sides.last().copied().unwrap_or(0),
            single,
            open,
            declared: Vec::new(),
        };
        self.regions.push(region);
        self.push(FrameKind::Region(index), true);
        self.top_mut().region = index;
    }

    fn end(&mut self, number: usize, name: &str) {
        let named = |frame: &Frame| open_region(frame).is_some_and(|open| self.regions[open as usize].name == name);
        let Some(depth) = self.state.frames.iter().rposition(named) else { return self.end_of_nothing(number, name) };
        let index = open_region(&self.state.frames[depth]).unwrap_or(NONE);
        let begun = self.place(self.regions[index as usize].begin);
        let (begun_line, line) = (self.line(begun), self.line(self.place(number)));
        if let Err(mut fault) = self.settle_before(number) {
            fault.message = format!(
                "the region {name} of line {begun_line} ends in line {line}, inside a statement: {}",
                fault.message
            );
            self.state.frames.remove(depth);
            return self.fault(fault);
        }
        if self.is_lone_macro() {
            self.complete();
        }
        let inner = self.state.frames[depth + 1..].to_vec();
        let fault = |code, message: String| Fault::new(code, self.place(number), message);
        let fault = match inner.as_slice() {
            [] if !self.top().start => Some(
                fault("straddle", format!("the region {name} of line {begun_line} ends in the middle of a statement"))
                    .hint("move its end after the statement"),
            ),
            [] => None,
            inner if inner.iter().all(|frame| open_region(frame).is_some()) && self.top().start => {
                let other = inner.last().and_then(open_region).map(|open| &self.regions[open as usize]);
                other.map(|other| {
                    let other_line = self.line(self.place(other.begin));
                    let message = format!(
                        "the region {name} of line {begun_line} ends in line {line}, before {} of line {other_line}, \
                         which began inside it",
                        other.name
                    );
                    fault("crossing", message).hint(format!("end {} first", other.name))
                })
            }
            _ => {
                let message = format!(
                    "the region {name} begins in line {begun_line} and ends in line {line}, inside of brackets or of a \
                     statement that it does not hold whole"
                );
                Some(fault("straddle", message).hint("begin and end a region between the same braces"))
            }
        };
        match fault {
            Some(fault) => {
                self.state.frames.remove(depth);
                self.fault(fault);
            }
            None => self.close_region(number, index),
        }
    }

    /// No region of that name is open.
    fn end_of_nothing(&mut self, number: usize, name: &str) {
        let place = self.place(number);
        let line = self.line(place);
        if let Some(found) = self.cut.iter().rposition(|(open, _)| self.regions[*open as usize].name == name) {
            let (open, cut) = self.cut.remove(found);
            let begun = self.line(self.place(self.regions[open as usize].begin));
            let message = format!(
                "the region {name} begins in line {begun} and ends in line {line}: what it began in ends in line {}",
                self.line(cut)
            );
            let hint = "begin and end a region between the same braces, and on the same side of #if";
            return self.fault(Fault::new("straddle", place, message).hint(hint));
        }
        if let Some(found) = self.excused.iter().position(|excused| excused == name) {
            self.excused.remove(found);
            return;
        }
        let message = format!("the region {name} ends here but has not begun");
        self.fault(
            Fault::new("not-open", place, message).hint(format!("write #pragma cll {name} before its first statement")),
        );
    }

    /// The innermost frame is the region, and a statement may begin.
    fn close_region(&mut self, number: usize, index: u32) {
        let statements = self.top().statements;
        let leaves = self.top().leaves;
        let returns = self.last_returns(index);
        let region = self.regions[index as usize].clone();
        let begun = self.place(region.begin);
        let (begun_line, line) = (self.line(begun), self.line(self.place(number)));
        self.pop();
        if region.side != self.sides.last().copied().unwrap_or(0) {
            let message = format!(
                "the region {} begins in line {begun_line} and ends in line {line}, on another side of an #if",
                region.name
            );
            let hint = "begin and end a region on the same side of #if";
            self.fault(Fault::new("straddle", self.place(number), message).hint(hint));
        } else if region.single && statements != 1 {
            let message = format!(
                "the region {} of lines {begun_line} to {line} holds {statements} statements where exactly one is \
                 expected",
                region.name
            );
            self.fault(Fault::new("many-statements", begun, message).hint(BRACES));
        } else {
            self.found.sites.push(Site { begin: region.begin, end: number, leaves, returns });
        }
        self.top_mut().leaves = leaves;
        if region.single {
            return self.complete();
        }
        let frame = self.top_mut();
        frame.statements = frame.statements.saturating_add(statements);
        if !region.open {
            self.hide(&region);
        }
    }

    /// A pragma that becomes a statement of its own.
    fn statement(&mut self, number: usize) {
        let is_parallel = matches!(self.clauses[number], Some(Clause::Parallel { .. }));
        if is_parallel && self.top().function == NONE {
            return self.found.outside.push(number);
        }
        match self.stand(number) {
            Err(mut fault) => {
                fault.code = if self.top().function == NONE { "bad-clause" } else { fault.code };
                self.fault(fault);
            }
            Ok(top) if top.phase().is_some() => {
                let message = "the pragma becomes a statement, and only one is expected here";
                self.fault(Fault::new("many-statements", self.place(number), message).hint(BRACES));
            }
            Ok(_) => {
                self.forget_returns();
                self.found.statements.push(number);
            }
        }
    }
}

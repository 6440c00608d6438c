//! Names that a region declares and later statements use: the braces of the region would hide them.

use super::Walker;
use super::declared::Reader;
use super::frame::{Frame, FrameKind};
use super::region::Region;
use crate::translate::clause::Name;
use crate::translate::fault::Fault;
use crate::translate::scan::{Kind, Token, Word};

/// Maximum number of watched names; programs have a few.
const MOST: usize = 256;

/// A name that is hidden until its block ends.
#[derive(Debug, Clone)]
pub struct Watch {
    name: Vec<u8>,
    tag: bool,
    region: u32,
    /// Where it was declared.
    place: usize,
    /// The frames down to its block; with fewer, it is forgotten.
    depth: usize,
    /// Another name shadows it while there are at least this many frames.
    shadow: Option<usize>,
}

impl Watch {
    /// Whether it is still to be watched when this many frames are left.
    pub fn leaves(&mut self, depth: usize) -> bool {
        if self.shadow.is_some_and(|shadow| depth < shadow) {
            self.shadow = None;
        }
        depth >= self.depth
    }
}

impl Walker<'_> {
    /// A statement begins in this frame: notes what it declares.
    pub(super) fn declares_here(&mut self, top: &Frame) {
        let region = match top.kind {
            FrameKind::Region(number) => Some(number),
            _ => None,
        };
        let wanted = region.is_some_and(|number| {
            let region = &self.regions[number as usize];
            !region.single && !region.open
        });
        if !wanted && self.state.watches.is_empty() {
            return;
        }
        let reader = Reader { tokens: self.tokens, bytes: self.bytes, cpp: self.cpp };
        let names = reader.names(self.at);
        let depth = self.state.frames.len();
        for declared in &names {
            for watch in &mut self.state.watches {
                if watch.name == declared.name && watch.tag == declared.tag {
                    watch.shadow = Some(depth);
                }
            }
        }
        self.state.watches.retain(|watch| watch.shadow != Some(watch.depth));
        if let (true, Some(number)) = (wanted, region) {
            self.regions[number as usize].declared.extend(names);
        }
    }

    /// A region with braces has ended.
    pub(super) fn hide(&mut self, region: &Region) {
        let block = self.state.frames.iter().rposition(|frame| !matches!(frame.kind, FrameKind::Region(_)));
        let depth = block.map_or(1, |block| block + 1);
        let number = self.regions.iter().rposition(|known| known.begin == region.begin).unwrap_or(0) as u32;
        for declared in &region.declared {
            if self.state.watches.len() >= MOST {
                return;
            }
            let place = self.tokens.get(declared.token).map_or(0, |token| token.start as usize);
            let watch =
                Watch { name: declared.name.clone(), tag: declared.tag, region: number, place, depth, shadow: None };
            self.state.watches.push(watch);
        }
    }

    /// A token that may be the use of a hidden name.
    pub(super) fn used(&mut self, token: Token) {
        if token.kind != Kind::Name || self.state.watches.is_empty() {
            return;
        }
        let text = self.text(self.at);
        let Some(found) = self.state.watches.iter().position(|watch| watch.name == *text) else { return };
        let before = self.at.checked_sub(1).and_then(|at| self.kind(at));
        let after = self.kind(self.at + 1);
        let watch = &self.state.watches[found];
        let is_member = matches!(before, Some(Kind::Arrow | Kind::Scope | Kind::Sign(b'.')));
        let is_label = before == Some(Kind::Word(Word::Goto)) || (self.top().start && after == Some(Kind::Sign(b':')));
        let is_tag = before == Some(Kind::Tag);
        if is_member || is_label || watch.shadow.is_some() || is_tag != watch.tag && !(watch.tag && self.cpp) {
            return;
        }
        if matches!(before, Some(Kind::Name | Kind::Type)) || self.is_declared_here(found) {
            // A parameter, or another declaration that was not understood.
            self.state.watches.remove(found);
            return;
        }
        self.report(found, token.start as usize);
    }

    /// Names in the values of a region.
    pub(super) fn used_in(&mut self, number: usize, names: &[Name]) {
        if self.state.watches.is_empty() {
            return;
        }
        for expression in names.iter().map(|name| name.expression.as_str()) {
            let mut from = 0;
            while let Some(start) = expression[from..].find(is_letter).map(|at| from + at) {
                let length = expression[start..].find(|c| !is_letter(c)).unwrap_or(expression.len() - start);
                let name = &expression[start..start + length];
                let before = expression[..start].trim_end();
                let is_member = before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
                let found = self
                    .state
                    .watches
                    .iter()
                    .position(|watch| watch.name == name.as_bytes() && watch.shadow.is_none() && !watch.tag);
                if let (Some(found), false) = (found, is_member) {
                    self.report(found, self.pragmas[number].start);
                }
                from = start + length;
            }
        }
    }

    fn report(&mut self, found: usize, place: usize) {
        let watch = self.state.watches.remove(found);
        let region = &self.regions[watch.region as usize];
        let message = format!(
            "{} is declared in line {}, inside the region {} that begins in line {}, and used behind it",
            String::from_utf8_lossy(&watch.name),
            self.line(watch.place),
            region.name,
            self.line(self.pragmas[region.begin].start)
        );
        let hint = "declare it before the region, or add the option open";
        let fault = Fault::new("hidden-declaration", place, message).hint(hint);
        self.fault(fault);
    }

    /// Whether the statement that begins in a bracket, or with this very token, declares the name: `for (int i = 0; ..`.
    fn is_declared_here(&self, watch: usize) -> bool {
        let name = &self.state.watches[watch].name;
        let reader = Reader { tokens: self.tokens, bytes: self.bytes, cpp: self.cpp };
        let mut start = self.at;
        // Back to where the statement or the bracket begins.
        for _ in 0..32 {
            match start.checked_sub(1).and_then(|at| self.kind(at)) {
                None | Some(Kind::Sign(b';' | b'{' | b'}' | b'(')) => break,
                _ => start -= 1,
            }
        }
        reader.names(start).iter().any(|declared| declared.token == self.at && declared.name == *name)
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

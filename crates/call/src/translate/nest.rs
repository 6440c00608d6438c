//! The nesting of statements, and the regions among them.
//!
//! No grammar of C: brackets, the keywords of control statements, and where a statement begins. Anything else is
//! skipped, so that programs full of macros pass.

mod branches;
mod declared;
mod frame;
mod hidden;
mod jumps;
mod marks;
mod region;
mod returns;
mod statements;

use super::clause::Clause;
use super::fault::Fault;
use super::scan::bytes::Bytes;
use super::scan::lines::Lines;
use super::scan::{Governed, Kind, Pragma, Scanned, Token};
use frame::{Control, Frame, FrameKind, NONE, Phase};
use hidden::Watch;
use region::Region;
pub use region::Site;
use returns::MaybeLast;
use std::borrow::Cow;

/// Brackets, statements and regions that are open at once.
const MOST_FRAMES: usize = 1000;

/// The analyzed pragmas of a source.
#[derive(Debug, Default)]
pub struct Nested {
    /// Properly closed regions, in the order of their ends.
    pub sites: Vec<Site>,
    /// Pragmas that become a statement.
    pub statements: Vec<usize>,
    /// Pragmas that are outside functions.
    pub outside: Vec<usize>,
    pub faults: Vec<Fault>,
}

/// Follows the statements of a source; `clauses` are its parsed pragmas, none for invalid ones.
pub fn nest(source: &[u8], scanned: &Scanned, clauses: &[Option<Clause>], lines: &Lines, cpp: bool) -> Nested {
    let mut walker = Walker {
        bytes: Bytes { all: source },
        tokens: &scanned.tokens,
        pragmas: &scanned.pragmas,
        clauses,
        lines,
        cpp,
        at: 0,
        state: State { frames: vec![Frame::file()], watches: Vec::new(), returns: Vec::new() },
        regions: Vec::new(),
        functions: Vec::new(),
        sides: vec![0],
        last_side: 0,
        branches: Vec::new(),
        cut: Vec::new(),
        excused: Vec::new(),
        found: Nested::default(),
    };
    walker.run();
    walker.found
}

/// State that changes from token to token, and is restored for the other branch of an `#if`.
#[derive(Debug, Clone)]
struct State {
    frames: Vec<Frame>,
    watches: Vec<Watch>,
    /// In the order of the source.
    returns: Vec<MaybeLast>,
}

struct Walker<'a> {
    bytes: Bytes<'a>,
    tokens: &'a [Token],
    pragmas: &'a [Pragma],
    clauses: &'a [Option<Clause>],
    lines: &'a Lines,
    cpp: bool,
    /// The current token.
    at: usize,
    state: State,
    regions: Vec<Region>,
    functions: Vec<jumps::Labels>,
    /// The sides of `#if` that are open, the innermost last.
    sides: Vec<u32>,
    last_side: u32,
    branches: Vec<branches::Branch>,
    /// Regions whose brackets or branch ended before they did.
    cut: Vec<(u32, usize)>,
    /// Names of regions whose beginning was refused: their end causes no error.
    excused: Vec<String>,
    found: Nested,
}

impl Walker<'_> {
    fn run(&mut self) {
        while let Some(token) = self.tokens.get(self.at).copied() {
            if self.state.frames.len() > MOST_FRAMES || self.branches.len() > branches::MOST {
                let fault = Fault::new("straddle", token.start as usize, "the nesting is too deep");
                self.fault(
                    fault.hint(format!("{MOST_FRAMES} open brackets and {} open #if are allowed", branches::MOST)),
                );
                return;
            }
            match token.kind {
                Kind::If => self.branch_opens(),
                Kind::Else => self.branch_changes(token.start as usize),
                Kind::EndIf => self.branch_closes(token.start as usize),
                Kind::Pragma(number) => self.pragma(number as usize),
                Kind::Governs(governed) => self.governs(governed),
                _ => self.token(token),
            }
            self.at += 1;
        }
        self.finish();
    }

    fn finish(&mut self) {
        let open: Vec<u32> = self.state.frames.iter().filter_map(open_region).collect();
        for number in open.into_iter().chain(std::mem::take(&mut self.cut).into_iter().map(|(number, _)| number)) {
            let region = &self.regions[number as usize];
            let message = format!("the region {} is never ended", region.name);
            let hint = format!("write #pragma cll end {} behind its last statement", region.name);
            let at = self.pragmas[region.begin].start;
            self.fault(Fault::new("unclosed", at, message).hint(hint));
        }
        self.check_jumps();
    }

    /// A foreign pragma that applies to the statement after it.
    fn governs(&mut self, governed: Governed) {
        self.settle(None);
        let top = self.top();
        if top.start && top.function != NONE {
            let control = match governed {
                Governed::Statement => Control::Pragma,
                Governed::Loop => Control::LoopPragma,
            };
            self.push(FrameKind::Control(control, Phase::Body), true);
        }
    }

    fn top(&self) -> Frame {
        self.state.frames.last().copied().unwrap_or_else(Frame::file)
    }

    fn top_mut(&mut self) -> &mut Frame {
        if self.state.frames.is_empty() {
            self.state.frames.push(Frame::file());
        }
        let last = self.state.frames.len() - 1;
        &mut self.state.frames[last]
    }

    fn push(&mut self, kind: FrameKind, start: bool) {
        let returns = self.state.returns.len() as u32;
        self.state.frames.push(Frame { returns, ..self.top().inner(kind, start) });
    }

    /// Takes the innermost frame away; the file stays.
    fn pop(&mut self) {
        if self.state.frames.len() > 1
            && let Some(closed) = self.state.frames.pop()
        {
            self.keep_returns(&closed);
            let depth = self.state.frames.len();
            self.state.watches.retain_mut(|watch| watch.leaves(depth));
        }
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn text(&self, at: usize) -> Cow<'_, [u8]> {
        self.tokens
            .get(at)
            .map_or(Cow::Borrowed(&[]), |token| self.bytes.plain(token.start as usize, token.end as usize))
    }

    /// The line of a place.
    fn line(&self, at: usize) -> u64 {
        self.lines.line(at)
    }

    fn fault(&mut self, fault: Fault) {
        self.found.faults.push(fault);
    }
}

fn open_region(frame: &Frame) -> Option<u32> {
    match frame.kind {
        FrameKind::Region(number) => Some(number),
        _ => None,
    }
}

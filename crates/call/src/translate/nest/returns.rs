//! `return` as the last statement of a region: the region's sample is complete, though its end is not reached.

use super::frame::{Control, Frame, FrameKind};
use super::region::LastReturn;
use super::{State, Walker, open_region};
use crate::translate::scan::Token;

/// A `return` behind which nothing has followed so far in the block, the compound statement or the `if` around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaybeLast {
    start: u32,
    end: u32,
    /// The region, if it is in no other statement.
    directly_in: Option<u32>,
}

impl Walker<'_> {
    /// A statement begins: those before it in the same block are not the last one.
    pub(super) fn forget_returns(&mut self) {
        let top = self.top();
        if top.phase().is_none() {
            self.state.returns.truncate(top.returns as usize);
        }
    }

    pub(super) fn return_begins(&mut self, token: Token) {
        let side = self.side();
        self.top_mut().head.returns = Some((token.start, side));
    }

    /// A semicolon that ends a statement. Where an `#if` begins or ends inside it, the return value is unknown.
    pub(super) fn return_ends(&mut self, semicolon: Token) {
        let top = self.top();
        if let Some((start, side)) = top.head.returns
            && side == self.side()
        {
            self.state.returns.push(MaybeLast { start, end: semicolon.end, directly_in: open_region(&top) });
        }
    }

    /// A frame has closed: of compound statements, `if` and regions, the last statement may be the last one outside.
    pub(super) fn keep_returns(&mut self, closed: &Frame) {
        let keeps = match closed.kind {
            FrameKind::Block { ends } => ends && closed.function == self.top().function,
            FrameKind::Control(control, _) => matches!(control, Control::If | Control::Else),
            FrameKind::Region(_) => true,
            _ => false,
        };
        if !keeps {
            self.state.returns.truncate(closed.returns as usize);
        }
    }

    /// Where a region returns that ends here; it is the innermost frame.
    pub(super) fn last_returns(&self, region: u32) -> Vec<LastReturn> {
        let returns = self.state.returns.get(self.top().returns as usize..).unwrap_or_default();
        let last = |found: &MaybeLast| LastReturn {
            start: found.start as usize,
            end: found.end as usize,
            directly: found.directly_in == Some(region),
        };
        returns.iter().map(last).collect()
    }

    /// The side of `#if` that the walk is on.
    fn side(&self) -> u32 {
        self.sides.last().copied().unwrap_or(0)
    }
}

impl State {
    /// Takes over what may be last at the end of another side of the same `#if`.
    pub(super) fn join_returns(&mut self, other: &State, before: &State) {
        let common = |a: &[MaybeLast], b: &[MaybeLast]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let known = common(&before.returns, &self.returns).min(common(&before.returns, &other.returns));
        if known == before.returns.len() {
            return self.returns.extend_from_slice(&other.returns[known..]);
        }
        // On one of the sides, something follows.
        self.returns.truncate(known);
        for frame in &mut self.frames {
            frame.returns = frame.returns.min(known as u32);
        }
    }
}

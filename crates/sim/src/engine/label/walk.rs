//! Where a class is in its program. Loops are walked, not unrolled.

use crate::application::{Op, Site};

/// A place in a program, with the loops around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    at: u32,
    /// From the outermost to the innermost.
    pub turns: Vec<Turn>,
}

/// A loop around the present place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    start: u32,
    end: u32,
    /// Iterations still to come, the present one included.
    pub left: u64,
}

/// An operation on the way, or the end of an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// The operation at a position.
    Op(u32, Op, Site),
    /// An iteration is over, and another one follows.
    Turned,
    /// The program is over.
    End,
}

impl Walk {
    /// Goes on by a step.
    #[inline]
    pub fn next(&mut self, ops: &[(Op, Site)]) -> Next {
        loop {
            if let Some(turn) = self.turns.last_mut()
                && self.at == turn.end
            {
                turn.left -= 1;
                if turn.left > 0 {
                    self.at = turn.start;
                    return Next::Turned;
                }
                self.turns.pop();
                continue;
            }
            let Some((op, site)) = ops.get(self.at as usize) else { return Next::End };
            let position = self.at;
            self.at += 1;
            match *op {
                Op::Repeat { count: 0, len } => self.at += len,
                Op::Repeat { len: 0, .. } => {}
                Op::Repeat { count, len } => self.turns.push(Turn { start: self.at, end: self.at + len, left: count }),
                op => return Next::Op(position, op, *site),
            }
        }
    }

    /// Forgets how many iterations are left: places in different iterations are the same then.
    pub fn without_turns(&mut self) {
        for turn in &mut self.turns {
            turn.left = 0;
        }
    }
}

//! Where a part of a formula is in its text.

use std::ops::Range;

/// A range of bytes in the text of a formula.
///
/// Parts that a program built itself have the empty span at 0. All spans compare equal: two trees are equal when they
/// mean the same, wherever they were written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new(range: Range<usize>) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(range.start), end: clamp(range.end) }
    }

    /// The bytes as a range, for slicing the text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that holds both.
    pub(crate) fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

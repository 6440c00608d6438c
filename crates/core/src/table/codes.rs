//! Small whole numbers, in as few bytes as the largest of them needs.

use std::collections::TryReserveError;

/// The codes of a column: one, two or four bytes each.
///
/// ```
/// use runcast_core::table::Codes;
/// let mut codes: Codes = [0, 1, 1, 300].into_iter().collect();
/// codes.push(70_000);
/// assert_eq!((codes.at(3), codes.at(4), codes.len()), (300, 70_000, 5));
/// ```
#[derive(Debug, Clone)]
pub struct Codes(Width);

#[derive(Debug, Clone)]
enum Width {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Codes(Width::One(Vec::new()))
    }
}

impl Codes {
    /// The code of a row.
    #[inline]
    pub fn at(&self, row: usize) -> u32 {
        match &self.0 {
            Width::One(codes) => codes[row].into(),
            Width::Two(codes) => codes[row].into(),
            Width::Four(codes) => codes[row],
        }
    }

    /// Adds the code of another row; all widen where it does not fit.
    #[inline]
    pub fn push(&mut self, code: u32) {
        match &mut self.0 {
            Width::One(codes) if code <= u8::MAX.into() => codes.push(code as u8),
            Width::Two(codes) if code <= u16::MAX.into() => codes.push(code as u16),
            Width::Four(codes) => codes.push(code),
            _ => {
                self.widen(code);
                self.push(code);
            }
        }
    }

    /// The code of the last row.
    pub fn last(&self) -> Option<u32> {
        self.len().checked_sub(1).map(|row| self.at(row))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Width::One(codes) => codes.len(),
            Width::Two(codes) => codes.len(),
            Width::Four(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes in the order of the rows.
    pub fn iter(&self) -> Iter<'_> {
        Iter { codes: self, rows: 0..self.len() }
    }

    /// Bytes that the codes take.
    pub(crate) fn bytes(&self) -> usize {
        let each = match &self.0 {
            Width::One(_) => 1,
            Width::Two(_) => 2,
            Width::Four(_) => 4,
        };
        each * self.len()
    }

    /// Makes room for so many more rows.
    pub(crate) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        match &mut self.0 {
            Width::One(codes) => codes.try_reserve(more),
            Width::Two(codes) => codes.try_reserve(more),
            Width::Four(codes) => codes.try_reserve(more),
        }
    }

    #[cold]
    fn widen(&mut self, code: u32) {
        let capacity = self.len() + 1;
        self.0 = if code <= u16::MAX.into() {
            let mut wider = Vec::with_capacity(capacity);
            wider.extend(self.iter().map(|code| code as u16));
            Width::Two(wider)
        } else {
            let mut wider = Vec::with_capacity(capacity);
            wider.extend(self.iter());
            Width::Four(wider)
        };
    }
}

impl<'c> IntoIterator for &'c Codes {
    type Item = u32;
    type IntoIter = Iter<'c>;

    fn into_iter(self) -> Iter<'c> {
        self.iter()
    }
}

/// The codes of a column, row by row.
#[derive(Debug, Clone)]
pub struct Iter<'c> {
    codes: &'c Codes,
    rows: std::ops::Range<usize>,
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.rows.next().map(|row| self.codes.at(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl Extend<u32> for Codes {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, codes: I) {
        codes.into_iter().for_each(|code| self.push(code));
    }
}

impl FromIterator<u32> for Codes {
    fn from_iter<I: IntoIterator<Item = u32>>(codes: I) -> Self {
        let mut all = Codes::default();
        all.extend(codes);
        all
    }
}

impl From<Vec<u32>> for Codes {
    fn from(codes: Vec<u32>) -> Self {
        codes.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_widen_as_they_grow() {
        let mut codes = Codes::default();
        let mut widths = Vec::new();
        for code in [0, 255, 256, 7, 65_535, 65_536, u32::MAX, 3] {
            codes.push(code);
            widths.push(codes.bytes() / codes.len());
        }
        assert_eq!(codes.iter().collect::<Vec<_>>(), [0, 255, 256, 7, 65_535, 65_536, u32::MAX, 3]);
        assert_eq!(widths, [1, 1, 2, 2, 2, 4, 4, 4]);
    }
}

//! A column of numbers.

use super::Codes;
use crate::hash::MixMap;
use std::collections::TryReserveError;
use std::ops::Index;

/// From so many different numbers on, each is kept as it is.
const MOST_DISTINCT: usize = 1 << 16;

/// The numbers of a column; an empty cell is NaN, and nothing else is.
///
/// Process counts, sizes and repetitions recur: where there are few different numbers, a row takes one or two bytes
/// instead of eight.
///
/// ```
/// use runcast_core::table::Numbers;
/// let numbers: Numbers = [8.0, 16.0, 8.0].into_iter().collect();
/// assert_eq!((numbers[2], numbers.len()), (8.0, 3));
/// assert!(numbers.iter().all(|value| *value >= 8.0));
/// ```
#[derive(Debug, Clone)]
pub struct Numbers(Form);

#[derive(Debug, Clone)]
enum Form {
    Plain(Vec<f64>),
    Coded { codes: Codes, distinct: Vec<f64> },
}

static NONE: Numbers = Numbers(Form::Plain(Vec::new()));

impl Numbers {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Plain(values) => values.len(),
            Form::Coded { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers in the order of the rows.
    pub fn iter(&self) -> Iter<'_> {
        Iter { numbers: self, rows: 0..self.len() }
    }

    /// The number of the first row.
    pub fn first(&self) -> Option<&f64> {
        self.iter().next()
    }

    /// Whether a row has this number.
    pub fn contains(&self, number: &f64) -> bool {
        self.distinct().contains(number)
    }

    /// The numbers of so many first rows, or of all where there are fewer.
    pub fn start(&self, rows: usize) -> Vec<f64> {
        self.iter().take(rows).copied().collect()
    }

    /// All numbers, eight bytes each.
    pub fn to_vec(&self) -> Vec<f64> {
        self.start(self.len())
    }

    /// The different numbers, in any order; with many of them some may occur more than once.
    pub(crate) fn distinct(&self) -> &[f64] {
        match &self.0 {
            Form::Plain(values) => values,
            Form::Coded { distinct, .. } => distinct,
        }
    }

    /// Codes of the rows into [`Numbers::distinct`], where the numbers are kept that way.
    pub(crate) fn codes(&self) -> Option<&Codes> {
        match &self.0 {
            Form::Plain(_) => None,
            Form::Coded { codes, .. } => Some(codes),
        }
    }

    /// Adds a number as it is.
    pub fn push(&mut self, value: f64) {
        if let Form::Coded { .. } = &self.0 {
            self.0 = Form::Plain(self.to_vec());
        }
        if let Form::Plain(values) = &mut self.0 {
            values.push(value);
        }
    }

    /// Changes every number.
    pub fn map(&mut self, change: impl Fn(usize, f64) -> f64) {
        self.0 = Form::Plain(self.iter().enumerate().map(|(row, &value)| change(row, value)).collect());
    }
}

impl Index<usize> for Numbers {
    type Output = f64;

    #[inline]
    fn index(&self, row: usize) -> &f64 {
        match &self.0 {
            Form::Plain(values) => &values[row],
            Form::Coded { codes, distinct } => &distinct[codes.at(row) as usize],
        }
    }
}

impl Default for &Numbers {
    fn default() -> Self {
        &NONE
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers(Form::Plain(Vec::new()))
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(values: Vec<f64>) -> Self {
        Numbers(Form::Plain(values))
    }
}

impl FromIterator<f64> for Numbers {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Numbers(Form::Plain(values.into_iter().collect()))
    }
}

impl<'n> IntoIterator for &'n Numbers {
    type Item = &'n f64;
    type IntoIter = Iter<'n>;

    fn into_iter(self) -> Iter<'n> {
        self.iter()
    }
}

/// The numbers of a column, row by row.
#[derive(Debug, Clone)]
pub struct Iter<'n> {
    numbers: &'n Numbers,
    rows: std::ops::Range<usize>,
}

impl<'n> Iterator for Iter<'n> {
    type Item = &'n f64;

    #[inline]
    fn next(&mut self) -> Option<&'n f64> {
        self.rows.next().map(|row| &self.numbers[row])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.rows.next_back().map(|row| &self.numbers[row])
    }
}

impl ExactSizeIterator for Iter<'_> {}

/// Numbers under construction.
#[derive(Debug)]
pub(super) struct NumberBuilder {
    form: Form,
    code_of: MixMap<u64, u32>,
    /// Short cells read before, by their bytes: a place each, with the code of the number.
    known: Vec<(u64, u32)>,
}

/// Places for cells read before.
const PLACES: usize = 256;

impl Default for NumberBuilder {
    fn default() -> Self {
        let form = Form::Coded { codes: Codes::default(), distinct: Vec::new() };
        NumberBuilder { form, code_of: MixMap::default(), known: vec![(0, 0); PLACES] }
    }
}

impl NumberBuilder {
    /// Adds a cell that was read before; false if it was not.
    #[inline]
    pub(super) fn push_known(&mut self, cell: &[u8]) -> bool {
        let Form::Coded { codes, .. } = &mut self.form else { return false };
        let Some(word) = word(cell) else { return false };
        let (known, code) = self.known[place(word)];
        if known == word {
            codes.push(code);
        }
        known == word
    }

    /// Adds a number, and remembers the cell that says it.
    pub(super) fn push(&mut self, cell: &[u8], value: f64) {
        let (codes, distinct) = match &mut self.form {
            Form::Plain(values) => return values.push(value),
            Form::Coded { codes, distinct } => (codes, distinct),
        };
        let code = *self.code_of.entry(value.to_bits()).or_insert_with(|| {
            distinct.push(value);
            distinct.len() as u32 - 1
        });
        if distinct.len() > MOST_DISTINCT {
            let mut values = Vec::with_capacity(codes.len() + 1);
            values.extend(codes.iter().map(|code| distinct[code as usize]));
            values.push(value);
            self.form = Form::Plain(values);
            (self.code_of, self.known) = (MixMap::default(), Vec::new());
            return;
        }
        codes.push(code);
        if let Some(word) = word(cell) {
            self.known[place(word)] = (word, code);
        }
    }

    /// Number of rows.
    #[cfg(feature = "parquet")]
    pub(super) fn len(&self) -> usize {
        match &self.form {
            Form::Plain(values) => values.len(),
            Form::Coded { codes, .. } => codes.len(),
        }
    }

    /// Bytes that the rows take.
    pub(super) fn bytes(&self) -> usize {
        match &self.form {
            Form::Plain(values) => 8 * values.len(),
            Form::Coded { codes, .. } => codes.bytes(),
        }
    }

    /// Makes room for so many more rows.
    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        match &mut self.form {
            Form::Plain(values) => values.try_reserve(more),
            Form::Coded { codes, .. } => codes.try_reserve(more),
        }
    }

    pub(super) fn finish(self) -> Numbers {
        match self.form {
            // A short column is as well kept as it is.
            Form::Coded { codes, distinct } if 2 * distinct.len() > codes.len() => {
                codes.iter().map(|code| distinct[code as usize]).collect()
            }
            form => Numbers(form),
        }
    }
}

/// The bytes of a cell of one to eight bytes. The last is not zero, so that no two cells have the same word.
fn word(cell: &[u8]) -> Option<u64> {
    if cell.len() > 8 || cell.last().is_none_or(|last| *last == 0) {
        return None;
    }
    let mut bytes = [0; 8];
    bytes[..cell.len()].copy_from_slice(cell);
    Some(u64::from_le_bytes(bytes))
}

fn place(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(values: impl Iterator<Item = f64>) -> Numbers {
        let mut builder = NumberBuilder::default();
        for value in values {
            let cell = value.to_string();
            if !builder.push_known(cell.as_bytes()) {
                builder.push(cell.as_bytes(), value);
            }
        }
        builder.finish()
    }

    #[test]
    fn few_different_numbers_take_a_byte_each_and_many_are_kept() {
        let few = built((0..10_000).map(|row| f64::from(1 << (row % 11))));
        assert_eq!(few.codes().map(Codes::bytes), Some(10_000));
        assert!((0..10_000).all(|row| few[row] == f64::from(1 << (row % 11))));
        let many = built((0..100_000).map(|row| 0.5 * f64::from(row / 2)).chain([-0.0, 0.0]));
        let expected = |row: usize| 0.5 * (row / 2) as f64;
        assert!((0..100_000).all(|row| many[row] == expected(row)));
        assert!(many[100_000].is_sign_negative() && many[100_001].is_sign_positive());
        let more = built((0..200_000).map(f64::from));
        assert!(more.codes().is_none() && (0..200_000).all(|row| more[row] == row as f64));
    }
}

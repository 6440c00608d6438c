//! Columns of text under construction.

use super::{Codes, ColumnData};
use std::collections::TryReserveError;
use std::hash::{BuildHasher, RandomState};

/// Marks a place of the index that is free.
const FREE: u32 = u32::MAX;

/// A text column under construction: each different text is kept once.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    codes: Codes,
    names: Vec<String>,
    /// Codes by the hash of their text, the next free place where two share one.
    index: Vec<u32>,
    hasher: RandomState,
    /// Bytes of all names.
    length: usize,
    last: u32,
}

impl TextBuilder {
    /// Adds a cell.
    pub(crate) fn push(&mut self, cell: impl AsRef<str>) {
        let code = self.code(cell);
        self.codes.push(code);
    }

    /// Adds a cell by its code.
    pub(crate) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// The code of a text, which is added to the distinct ones when it is new.
    pub(crate) fn code(&mut self, cell: impl AsRef<str>) -> u32 {
        let cell = cell.as_ref();
        // Tables are mostly sorted: the text is usually that of the previous row.
        if self.names.get(self.last as usize).is_some_and(|name| name == cell) {
            return self.last;
        }
        if 4 * (self.names.len() + 1) > 3 * self.index.len() {
            self.grow();
        }
        let mut place = self.place(cell);
        self.last = loop {
            match self.index[place] {
                FREE => {
                    let code = self.names.len() as u32;
                    self.index[place] = code;
                    self.length += cell.len();
                    self.names.push(cell.to_owned());
                    break code;
                }
                code if self.names[code as usize] == cell => break code,
                _ => place = (place + 1) & (self.index.len() - 1),
            }
        };
        self.last
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Bytes that the codes of the rows take.
    pub(crate) fn row_bytes(&self) -> usize {
        self.codes.bytes()
    }

    /// Bytes that the distinct texts take.
    pub(crate) fn text_bytes(&self) -> usize {
        // A text of its own on the heap costs two words more.
        self.length + self.names.len() * (size_of::<String>() + 16) + 4 * self.index.len()
    }

    /// Whether most cells hold a text of their own.
    pub(crate) fn is_unique(&self) -> bool {
        2 * self.names.len() > self.codes.len()
    }

    /// Makes room for so many more rows.
    pub(crate) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.codes.try_reserve(more)
    }

    pub(crate) fn finish(self) -> ColumnData {
        ColumnData::Text { codes: self.codes, names: self.names }
    }

    fn place(&self, cell: &str) -> usize {
        self.hasher.hash_one(cell) as usize & (self.index.len() - 1)
    }

    fn grow(&mut self) {
        self.index = vec![FREE; (2 * self.index.len()).max(16)];
        for (code, name) in (0u32..).zip(&self.names) {
            let mut place = self.place(name);
            while self.index[place] != FREE {
                place = (place + 1) & (self.index.len() - 1);
            }
            self.index[place] = code;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_code() {
        let mut builder = TextBuilder::default();
        for round in 0..3 {
            for text in 0..1000_u32 {
                assert_eq!(builder.code(format!("k{text}")), text, "round {round}");
            }
        }
        builder.push("k7");
        builder.push("new");
        let ColumnData::Text { codes, names } = builder.finish() else { panic!("text") };
        assert_eq!((codes.at(0), codes.at(1), names.len()), (7, 1000, 1001));
    }
}

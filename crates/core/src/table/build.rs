//! Columns under construction.

use super::ColumnData;
use std::borrow::Cow;
use std::collections::HashMap;

/// A text column under construction; cells may borrow from the input.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder<'a> {
    codes: Vec<u32>,
    names: Vec<String>,
    code_of: HashMap<Cow<'a, str>, u32>,
    last: u32,
}

impl<'a> TextBuilder<'a> {
    /// Adds a cell.
    pub(crate) fn push(&mut self, cell: impl Into<Cow<'a, str>>) {
        let code = self.code(cell.into());
        self.codes.push(code);
    }

    /// Adds a cell by its code.
    pub(crate) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// The code of a text, which is added to the distinct ones when it is new.
    pub(crate) fn code(&mut self, cell: Cow<'a, str>) -> u32 {
        // Tables are mostly sorted: the text is usually that of the previous row.
        if self.names.get(self.last as usize).is_some_and(|name| *name == *cell) {
            return self.last;
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let code = match self.code_of.get(&cell) {
            Some(&code) => code,
            None => {
                self.names.push(cell.clone().into_owned());
                self.code_of.insert(cell, next);
                next
            }
        };
        self.last = code;
        code
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn finish(self) -> ColumnData {
        ColumnData::Text { codes: self.codes, names: self.names }
    }
}

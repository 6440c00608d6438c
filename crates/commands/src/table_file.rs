//! A table as a file.

use runcast_core::Table;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// A table as a file, written row by row: the text of a large table is never in memory.
#[derive(Clone)]
pub struct TableFile {
    table: Arc<Table>,
    is_jsonl: bool,
    /// What stands before the header.
    comment: String,
}

impl TableFile {
    /// A table as CSV, below a comment, or as JSON Lines.
    pub fn new(table: Arc<Table>, is_jsonl: bool, comment: String) -> Self {
        TableFile { table, is_jsonl, comment }
    }

    /// Writes it.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(self.comment.as_bytes())?;
        if self.is_jsonl { self.table.write_jsonl(out) } else { self.table.write_csv(out) }
    }

    /// The text of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A list of bytes takes whatever is written to it.
        self.write(&mut bytes).map_or_else(|_| Vec::new(), |()| bytes)
    }
}

impl PartialEq for TableFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.is_jsonl == other.is_jsonl && self.comment == other.comment
    }
}

impl fmt::Debug for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableFile({} rows)", self.table.rows())
    }
}

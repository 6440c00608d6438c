//! Writing tables.

use super::{Column, ColumnData, Table, number};
use std::io::{self, BufWriter, Write};

impl Table {
    /// Writes CSV that reads back as the same table, as far as CSV can: a column of text whose cells are all numbers
    /// reads back as numbers.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        for (index, column) in self.columns.iter().enumerate() {
            separate(&mut out, index)?;
            out.write_all(quoted_name(&column.name, self.columns.len() == 1).as_bytes())?;
        }
        out.write_all(b"\n")?;
        let printed: Vec<Vec<String>> = self.columns.iter().map(quoted_names).collect();
        for row in 0..self.rows() {
            for (index, column) in self.columns.iter().enumerate() {
                separate(&mut out, index)?;
                match &column.data {
                    // An empty line would be skipped.
                    ColumnData::Number(values) if values[row].is_nan() && self.columns.len() == 1 => {
                        out.write_all(b"\"\"")?;
                    }
                    ColumnData::Number(values) => out.write_all(number::to_text(values[row]).as_bytes())?,
                    ColumnData::Text { codes, .. } => {
                        out.write_all(printed[index][codes[row] as usize].as_bytes())?;
                    }
                }
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Writes JSON Lines, one object per row; an empty cell is null.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_jsonl(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        let keys: Vec<String> = self.columns.iter().map(|column| json_text(&column.name)).collect();
        let printed: Vec<Vec<String>> = self.columns.iter().map(json_names).collect();
        for row in 0..self.rows() {
            out.write_all(b"{")?;
            for (index, column) in self.columns.iter().enumerate() {
                separate(&mut out, index)?;
                out.write_all(keys[index].as_bytes())?;
                out.write_all(b":")?;
                match &column.data {
                    ColumnData::Number(values) if values[row].is_nan() => out.write_all(b"null")?,
                    ColumnData::Number(values) => out.write_all(number::to_text(values[row]).as_bytes())?,
                    ColumnData::Text { codes, .. } => {
                        out.write_all(printed[index][codes[row] as usize].as_bytes())?;
                    }
                }
            }
            out.write_all(b"}\n")?;
        }
        out.flush()
    }
}

fn separate(out: &mut impl Write, index: usize) -> io::Result<()> {
    if index > 0 { out.write_all(b",") } else { Ok(()) }
}

fn quoted_names(column: &Column) -> Vec<String> {
    match &column.data {
        ColumnData::Number(_) => Vec::new(),
        ColumnData::Text { names, .. } => names.iter().map(|name| quoted(name)).collect(),
    }
}

fn json_names(column: &Column) -> Vec<String> {
    match &column.data {
        ColumnData::Number(_) => Vec::new(),
        ColumnData::Text { names, .. } => names.iter().map(|name| json_text(name)).collect(),
    }
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A name in the header, quoted also where another delimiter would split it: blanks do where no comma stands.
fn quoted_name(name: &str, is_alone: bool) -> String {
    let is_split = name.contains([';', '\t', '|']) || (is_alone && name.contains(' '));
    match quoted(name) {
        plain if plain == name && is_split => format!("\"{name}\""),
        cell => cell,
    }
}

/// A cell, quoted where needed. Empty text is quoted so that a row of it is not an empty line.
fn quoted(cell: &str) -> String {
    let needs = cell.is_empty()
        || cell.contains(['"', ',', '\n', '\r'])
        || cell.starts_with('#')
        || cell.starts_with(|first: char| first.is_whitespace())
        || cell.ends_with(|last: char| last.is_whitespace());
    if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

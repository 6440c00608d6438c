//! Writing tables.

use super::{Codes, Column, ColumnData, Numbers, Table, number};
use std::io::{self, BufWriter, Write};

impl Table {
    /// Writes CSV that reads back as the same table, as far as CSV can: a column of text whose cells are all numbers
    /// reads back as numbers.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        for (index, column) in self.columns.iter().enumerate() {
            separate(&mut out, index)?;
            out.write_all(quoted_name(&column.name, self.columns.len() == 1).as_bytes())?;
        }
        out.write_all(b"\n")?;
        self.write_rows(&mut out, &self.cells("", quoted), &[], ["", "\n"])?;
        out.flush()
    }

    /// Writes JSON Lines, one object per row; an empty cell is null.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_jsonl(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let keys: Vec<String> = self.columns.iter().map(|column| format!("{}:", json_text(&column.name))).collect();
        self.write_rows(&mut out, &self.cells("null", json_text), &keys, ["{", "}\n"])?;
        out.flush()
    }
}

/// So many different cells are printed before the rows.
const MOST_PRINTED: usize = 1 << 16;

/// How the cells of a column are written.
enum Cells<'t> {
    /// Each by its code.
    Printed(&'t Codes, Vec<String>),
    /// The same where there are too many to print them before.
    Texts(&'t Codes, &'t [String], fn(&str) -> String),
    /// Numbers as they come, and what stands for none.
    Numbers(&'t Numbers, &'static str),
}

impl Cells<'_> {
    /// Whether the cell of a row is written as nothing.
    fn is_nothing(&self, row: usize) -> bool {
        match self {
            Cells::Printed(codes, printed) => printed[codes.at(row) as usize].is_empty(),
            // Empty text is written in quotes.
            Cells::Texts(..) => false,
            Cells::Numbers(values, empty) => empty.is_empty() && values[row].is_nan(),
        }
    }
}

impl Table {
    fn cells<'t>(&'t self, empty: &'static str, text: fn(&str) -> String) -> Vec<Cells<'t>> {
        let number = |value: &f64| if value.is_nan() { empty.to_owned() } else { number::to_text(*value) };
        let of = |column: &'t Column| match &column.data {
            ColumnData::Text { codes, names } if names.len() > MOST_PRINTED => Cells::Texts(codes, names, text),
            ColumnData::Text { codes, names } => Cells::Printed(codes, names.iter().map(|name| text(name)).collect()),
            ColumnData::Number(values) => match values.codes() {
                Some(codes) => Cells::Printed(codes, values.distinct().iter().map(number).collect()),
                None => Cells::Numbers(values, empty),
            },
        };
        self.columns.iter().map(of).collect()
    }

    /// Writes each row between two texts; before each cell its key, where there are keys.
    fn write_rows(
        &self,
        out: &mut impl Write,
        cells: &[Cells<'_>],
        keys: &[String],
        [begin, end]: [&str; 2],
    ) -> io::Result<()> {
        for row in 0..self.rows() {
            out.write_all(begin.as_bytes())?;
            // A line of delimiters alone would be skipped.
            if cells.iter().all(|column| column.is_nothing(row)) {
                out.write_all(b"\"\"")?;
            }
            for (index, column) in cells.iter().enumerate() {
                separate(out, index)?;
                if let Some(key) = keys.get(index) {
                    out.write_all(key.as_bytes())?;
                }
                match column {
                    Cells::Printed(codes, printed) => out.write_all(printed[codes.at(row) as usize].as_bytes())?,
                    Cells::Texts(codes, names, text) => {
                        out.write_all(text(&names[codes.at(row) as usize]).as_bytes())?;
                    }
                    Cells::Numbers(values, empty) if values[row].is_nan() => out.write_all(empty.as_bytes())?,
                    Cells::Numbers(values, _) => number::write(out, values[row])?,
                }
            }
            out.write_all(end.as_bytes())?;
        }
        Ok(())
    }
}

fn separate(out: &mut impl Write, index: usize) -> io::Result<()> {
    if index > 0 { out.write_all(b",") } else { Ok(()) }
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

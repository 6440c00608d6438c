//! JSON Lines: one object per row, its keys the columns; also an array of such objects.
//!
//! A missing key and null are an empty cell. Strings stay text even where they look like numbers; true and false
//! become text.

use super::{Column, ColumnData, Origin, Origins, ReadOptions, Table, TextBuilder, number};
use crate::import::check_size;
use crate::import::json::{self, Lines};
use crate::problem::{Problem, Problems, shorten};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// Reads JSON Lines.
pub(crate) fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_text(text).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str) -> Result<Table, Problem> {
    let mut rows = Rows::default();
    if text.trim_ascii_start().starts_with('[') {
        let mut lines = Lines::new(text);
        let list: Vec<&serde_json::value::RawValue> = json::parse(text)?;
        for raw in list {
            rows.take(raw.get(), lines.of(raw.get()))?;
        }
    } else {
        for (index, line) in text.lines().enumerate() {
            if !line.trim_ascii().is_empty() {
                rows.take(line, index as u64 + 1)?;
            }
        }
    }
    rows.finish()
}

#[derive(Default)]
struct Rows<'a> {
    columns: Vec<Growing<'a>>,
    index_of: HashMap<Cow<'a, str>, usize>,
    origins: Origins,
}

struct Growing<'a> {
    name: Cow<'a, str>,
    cells: Cells,
}

/// Numbers until the first text.
enum Cells {
    Number(Vec<f64>),
    Text(TextBuilder),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Number(values) => values.len(),
            Cells::Text(builder) => builder.len(),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (&mut *self, cell) {
            (Cells::Number(values), Cell::Number(value)) => values.push(value),
            (Cells::Number(values), Cell::Empty) => values.push(f64::NAN),
            (Cells::Number(values), Cell::Text(text)) => {
                let mut builder = TextBuilder::default();
                values.iter().for_each(|&value| builder.push(number::to_text(value)));
                builder.push(text);
                *self = Cells::Text(builder);
            }
            (Cells::Text(builder), Cell::Number(value)) => builder.push(number::to_text(value)),
            (Cells::Text(builder), Cell::Empty) => builder.push(""),
            (Cells::Text(builder), Cell::Text(text)) => builder.push(text),
        }
    }

    fn fill(&mut self, rows: usize) {
        while self.len() < rows {
            self.push(Cell::Empty);
        }
    }
}

impl<'a> Rows<'a> {
    fn take(&mut self, object: &'a str, line: u64) -> Result<(), Problem> {
        let Object(cells) = json::parse_at(object, line)?;
        let row = self.origins.len();
        for (position, (key, cell)) in cells.into_iter().enumerate() {
            let column = self.column(position, key);
            check_size(self.columns.len(), row + 1).map_err(|problem| problem.at_line(line))?;
            let growing = &mut self.columns[column];
            growing.cells.fill(row);
            if growing.cells.len() > row {
                let name = shorten(&growing.name, 60);
                return Err(
                    Problem::new("duplicate_column", format!("\"{name}\" occurs twice in one row")).at_line(line)
                );
            }
            growing.cells.push(cell);
        }
        self.origins.push(Origin { file: 0, line: u32::try_from(line).unwrap_or(u32::MAX) });
        Ok(())
    }

    /// Rows mostly have the same keys in the same order.
    fn column(&mut self, position: usize, key: Cow<'a, str>) -> usize {
        if self.columns.get(position).is_some_and(|column| column.name == key) {
            return position;
        }
        *self.index_of.entry(key.clone()).or_insert_with(|| {
            self.columns.push(Growing { name: key, cells: Cells::Number(Vec::new()) });
            self.columns.len() - 1
        })
    }

    fn finish(self) -> Result<Table, Problem> {
        let rows = self.origins.len();
        let columns = self
            .columns
            .into_iter()
            .map(|mut column| {
                column.cells.fill(rows);
                let data = match column.cells {
                    Cells::Number(values) => ColumnData::Number(values.into()),
                    Cells::Text(builder) => builder.finish(),
                };
                Column { name: column.name.into_owned(), data }
            })
            .collect();
        Ok(Table { columns, origins: self.origins, ..Table::default() })
    }
}

enum Cell<'a> {
    Empty,
    Number(f64),
    Text(Cow<'a, str>),
}

/// The cells of a row, in the order of the file.
struct Object<'a>(Vec<(Cow<'a, str>, Cell<'a>)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object, one row per line")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut cells = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(json::Text(key)) = map.next_key()? {
                    cells.push((key, map.next_value()?));
                }
                Ok(Object(cells))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellVisitor;
        impl<'de> Visitor<'de> for CellVisitor {
            type Value = Cell<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a text, true, false or null")
            }
            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(Cell::Empty)
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Borrowed(if value { "true" } else { "false" })))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Cell::Number(value as f64))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Cell::Number(value as f64))
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Cell::Number(value))
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
                while sequence.next_element::<IgnoredAny>()?.is_some() {}
                Err(de::Error::custom("a cell holds a list; a row has one number or text per column"))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Err(de::Error::custom("a cell holds an object; a row has one number or text per column"))
            }
        }
        deserializer.deserialize_any(CellVisitor)
    }
}

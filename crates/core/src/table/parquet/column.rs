//! One column, from all groups of rows.

use super::cell::{Cell, Meaning, no_text, old_instant};
use super::damaged;
use super::pages::Checked;
use super::rows::Room;
use crate::problem::Problem;
use crate::table::numbers::NumberBuilder;
use crate::table::{ColumnData, TextBuilder, number};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{AsBytes, DataType};
use parquet::file::metadata::ParquetMetaData;
use std::sync::Arc;

/// Rows that are decoded at a time.
const BATCH: usize = 4096;

/// Reads a column.
///
/// # Errors
/// It is damaged, or does not fit.
pub(super) fn read(
    file: &Arc<Bytes>,
    metadata: &ParquetMetaData,
    index: usize,
    room: &mut Room,
) -> Result<ColumnData, Problem> {
    let descriptor = metadata.file_metadata().schema_descr().column(index);
    let meaning = Meaning::of(&descriptor)?;
    let mut cells = Cells::new(meaning.is_number(descriptor.physical_type()));
    loop {
        let mut is_text = false;
        for group in metadata.row_groups() {
            let rows = usize::try_from(group.num_rows()).map_err(damaged)?;
            let pages = Checked::new(file, group.column(index), rows).map_err(damaged)?;
            let mut reader = Reader { meaning, rows, cells: &mut cells, text: String::new(), room };
            is_text |= reader.read(get_column_reader(Arc::clone(&descriptor), Box::new(pages)), descriptor.name())?;
            if is_text {
                break;
            }
        }
        if !is_text {
            return Ok(cells.finish());
        }
        // `inf` is no number of a table: the column is text, as in CSV.
        cells = Cells::new(false);
    }
}

/// The cells of a column so far.
pub(super) enum Cells {
    Number(NumberBuilder),
    Text(TextBuilder),
}

impl Cells {
    fn new(is_number: bool) -> Self {
        if is_number { Cells::Number(NumberBuilder::default()) } else { Cells::Text(TextBuilder::default()) }
    }

    /// Adds a cell; false if the column cannot hold it.
    fn push(&mut self, cell: Cell, text: &str) -> bool {
        match (self, cell) {
            (Cells::Number(numbers), Cell::Number(value)) if value.is_finite() => {
                let bytes = value.to_le_bytes();
                if !numbers.push_known(&bytes) {
                    numbers.push(&bytes, value);
                }
            }
            // Programs without nulls write NaN for what was not measured.
            (Cells::Number(numbers), Cell::Number(value)) if value.is_nan() => numbers.push(&[], f64::NAN),
            (Cells::Number(numbers), Cell::Empty) => numbers.push(&[], f64::NAN),
            (Cells::Number(_), _) => return false,
            (Cells::Text(builder), Cell::Empty) => builder.push(""),
            (Cells::Text(builder), Cell::Number(value)) => builder.push(number::to_text(value)),
            (Cells::Text(builder), Cell::Text) => builder.push(text),
        }
        true
    }

    /// Bytes of the rows, and of texts that become more with the rows; bytes of other texts.
    pub(super) fn bytes(&self) -> (usize, usize) {
        match self {
            Cells::Number(numbers) => (numbers.bytes(), 0),
            Cells::Text(builder) if builder.is_unique() => (builder.row_bytes() + builder.text_bytes(), 0),
            Cells::Text(builder) => (builder.row_bytes(), builder.text_bytes()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Number(numbers) => numbers.len(),
            Cells::Text(builder) => builder.len(),
        }
    }

    /// Makes room for so many more rows; false if there is none.
    pub(super) fn reserve(&mut self, more: usize) -> bool {
        match self {
            Cells::Number(numbers) => numbers.try_reserve(more).is_ok(),
            Cells::Text(builder) => builder.try_reserve(more).is_ok(),
        }
    }

    fn finish(self) -> ColumnData {
        match self {
            Cells::Number(numbers) => ColumnData::Number(numbers.finish()),
            Cells::Text(builder) => builder.finish(),
        }
    }
}

/// Reads a column in one group of rows.
struct Reader<'r> {
    meaning: Meaning,
    rows: usize,
    cells: &'r mut Cells,
    text: String,
    room: &'r mut Room,
}

impl Reader<'_> {
    /// Whether numbers turn out to be text.
    fn read(&mut self, column: ColumnReader, name: &str) -> Result<bool, Problem> {
        let meaning = self.meaning;
        let number = |value: f64| Some(Cell::Number(value));
        match column {
            ColumnReader::BoolColumnReader(column) => self.each(column, name, |value, text| {
                text.clear();
                text.push_str(if *value { "true" } else { "false" });
                Some(Cell::Text)
            }),
            ColumnReader::Int32ColumnReader(column) => {
                self.each(column, name, |value, text| Some(meaning.whole((*value).into(), text)))
            }
            ColumnReader::Int64ColumnReader(column) => {
                self.each(column, name, |value, text| Some(meaning.whole(*value, text)))
            }
            ColumnReader::Int96ColumnReader(column) => {
                self.each(column, name, |value, text| Some(old_instant(value, text)))
            }
            // As its shortest text reads: 0.1, not 0.10000000149.
            ColumnReader::FloatColumnReader(column) => {
                self.each(column, name, |value, _| number(value.to_string().parse().unwrap_or(f64::NAN)))
            }
            ColumnReader::DoubleColumnReader(column) => self.each(column, name, |value, _| number(*value)),
            ColumnReader::ByteArrayColumnReader(column) => {
                self.each(column, name, |value, text| meaning.bytes(value.as_bytes(), text))
            }
            ColumnReader::FixedLenByteArrayColumnReader(column) => {
                self.each(column, name, |value, text| meaning.bytes(value.as_bytes(), text))
            }
        }
    }

    fn each<T: DataType>(
        &mut self,
        mut column: ColumnReaderImpl<T>,
        name: &str,
        cell_of: impl Fn(&T::T, &mut String) -> Option<Cell>,
    ) -> Result<bool, Problem> {
        // A text may be as long as a page, and each of a batch is one of its own.
        let batch = if matches!(T::get_physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) {
            BATCH / 8
        } else {
            BATCH
        };
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let mut done = 0;
        while done < self.rows {
            values.clear();
            levels.clear();
            let (records, _, _) = column
                .read_records(batch.min(self.rows - done), Some(&mut levels), None, &mut values)
                .map_err(damaged)?;
            if records == 0 {
                return Err(damaged(format!("the column \"{name}\" ends early")));
            }
            self.room.make(self.cells, records)?;
            let mut given = values.iter();
            // A column without nulls has no levels.
            for row in 0..records {
                let cell = match levels.get(row) {
                    Some(0) => Cell::Empty,
                    _ => {
                        let value = given.next().ok_or_else(|| damaged("a value is missing"))?;
                        cell_of(value, &mut self.text).ok_or_else(|| no_text(name))?
                    }
                };
                if !self.cells.push(cell, &self.text) {
                    return Ok(true);
                }
            }
            done += records;
        }
        Ok(false)
    }
}

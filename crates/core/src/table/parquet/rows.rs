//! A whole file, column by column.

use super::column::{self, Cells};
use super::pages::{Survey, survey};
use super::{damaged, footer};
use crate::problem::Problem;
use crate::table::read::needs;
use crate::table::{Column, Origin, Origins, Table};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::file::metadata::ParquetMetaData;
use std::sync::Arc;

/// Reads the table in a file, in so many bytes of memory.
pub(super) fn read(file: Bytes, memory: Option<u64>) -> Result<Table, Problem> {
    let metadata = footer::read(&file)?;
    let names = metadata.file_metadata().schema_descr().columns();
    let mut room = Room::of(&file, &metadata, memory)?;
    let file = Arc::new(file);
    let mut columns = Vec::with_capacity(names.len());
    for (index, descriptor) in names.iter().enumerate() {
        let data = column::read(&file, &metadata, index, &mut room)?;
        let column = Column { name: descriptor.name().to_owned(), data };
        room.next();
        columns.push(column);
    }
    let rows = columns.first().map_or(0, Column::len);
    // The number of a row serves for its line.
    let origins: Origins =
        (1..=rows).map(|row| Origin { file: 0, line: u32::try_from(row).unwrap_or(u32::MAX) }).collect();
    Ok(Table { columns, origins, ..Table::default() })
}

/// The memory that the table takes, and may.
pub(super) struct Room {
    memory: Option<u64>,
    rows: f64,
    /// Bytes of the file and of its longest page.
    held: f64,
    /// Bytes of the columns that are read.
    done: f64,
    /// Bytes of the columns that are not, the one being read first, as far as the file says; in reverse order.
    ahead: Vec<f64>,
    /// Bytes of the column being read.
    now: f64,
}

impl Room {
    /// Looks at all pages.
    ///
    /// # Errors
    /// The table takes more than it may; the pages are not in the file.
    fn of(file: &Bytes, metadata: &ParquetMetaData, memory: Option<u64>) -> Result<Self, Problem> {
        let descriptors = metadata.file_metadata().schema_descr().columns();
        let mut rows = 0_u64;
        let mut surveys = vec![Vec::new(); descriptors.len()];
        for group in metadata.row_groups() {
            let more = u64::try_from(group.num_rows()).map_err(damaged)?;
            rows = rows.checked_add(more).ok_or_else(|| damaged("it states too many rows"))?;
            if group.num_columns() != descriptors.len() {
                return Err(damaged("a group of rows lacks columns"));
            }
            for (surveys, chunk) in surveys.iter_mut().zip(group.columns()) {
                surveys.push(survey(file, chunk, more)?);
            }
        }
        let longest = surveys.iter().flatten().map(|survey| survey.longest).max().unwrap_or_default();
        let is_text = |kind: Type| matches!(kind, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        let estimates = surveys.iter().zip(descriptors);
        let ahead: Vec<f64> = estimates
            .map(|(surveys, descriptor)| estimate(surveys, rows as f64, is_text(descriptor.physical_type())))
            .rev()
            .collect();
        let held = (file.len() as u64 + longest) as f64;
        let room = Room { memory, rows: rows as f64, held, done: 0.0, ahead, now: 0.0 };
        // The system may have less than is asked for.
        let is_there = Vec::<u8>::new().try_reserve_exact(usize::try_from(longest).map_err(damaged)?).is_ok();
        if is_there { room.check(0.0) } else { Err(needs(room.needed(0.0), memory)) }?;
        Ok(room)
    }

    /// Makes room for more rows of the column being read.
    ///
    /// # Errors
    /// The table takes more than it may, or will: with what it would need.
    pub(super) fn make(&mut self, cells: &mut Cells, more: usize) -> Result<(), Problem> {
        let (growing, steady) = cells.bytes();
        self.now = (growing + steady) as f64;
        let share = cells.len() as f64 / self.rows.max(1.0);
        // After few rows all texts are new.
        let will_be = if share > 0.1 { growing as f64 / share + steady as f64 } else { self.now };
        let is_there = cells.reserve(more);
        if is_there { self.check(will_be) } else { Err(needs(self.needed(will_be), self.memory)) }
    }

    /// Goes on to the next column.
    fn next(&mut self) {
        self.done += self.now;
        self.now = 0.0;
        self.ahead.pop();
    }

    /// Bytes of the whole, where the column being read takes so many.
    fn needed(&self, column: f64) -> f64 {
        let (now, rest) = self.ahead.split_last().map_or((0.0, &[][..]), |(now, rest)| (*now, rest));
        self.held + self.done + column.max(now) + rest.iter().sum::<f64>()
    }

    fn check(&self, column: f64) -> Result<(), Problem> {
        let needed = self.needed(column);
        if self.memory.is_some_and(|memory| needed > memory as f64) { Err(needs(needed, self.memory)) } else { Ok(()) }
    }
}

/// The least that a column takes, as far as its pages say.
fn estimate(surveys: &[Survey], rows: f64, is_text: bool) -> f64 {
    // The lists of the groups mostly are the same.
    let distinct = surveys.iter().map(|survey| survey.distinct).try_fold(0, |most, one| Some(one?.max(most)));
    let width = match distinct {
        Some(few) if few <= 1 << 8 => 1.0,
        Some(some) if some <= 1 << 16 => 2.0,
        Some(_) if is_text => 4.0,
        // Texts that no list holds may recur all the same.
        None if is_text => 1.0,
        _ => 8.0,
    };
    let texts = surveys.iter().map(|survey| survey.distinct_bytes).max().unwrap_or_default();
    width * rows + if is_text { texts as f64 } else { 0.0 }
}

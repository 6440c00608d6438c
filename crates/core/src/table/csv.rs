//! CSV as in RFC 4180: quoted cells may hold delimiters, quotes and line breaks.
//!
//! Lines end in LF or CRLF. Empty lines are skipped, and so are lines that begin with `#`, except `# roles:`, which
//! says which columns are what. What separates the cells and where the header stands is found by [`Layout`]. The file is
//! scanned once, a block of lines at a time; columns that turn out to be text after their first rows are collected in a
//! second scan. So the memory holds the columns and never the text, and no cell is kept twice.

mod comments;
mod header;
mod scan;

use super::blocks::Blocks;
use super::layout::{Delimiter, Layout};
use super::numbers::NumberBuilder;
use super::read::{OUT_OF_MEMORY, needs};
use super::{Column, ColumnData, Origin, Origins, ReadOptions, Table, TextBuilder, WideForm, number};
use crate::problem::{Problem, Problems, Warning};
use comments::Comments;
use header::{Header, Line, check_names, names_in, unit_row};
use scan::{Field, Place, Record, Scanner, UNCLOSED};
use std::collections::TryReserveError;

/// Reads CSV that is in memory.
pub(crate) fn read(file: &str, text: &str, options: &ReadOptions) -> Result<Table, Problems> {
    read_blocks(&|| Ok(Blocks::Whole(text)), options).map_err(|problem| problem.in_file(file).into())
}

/// Reads CSV from blocks; `open` begins anew each time.
///
/// # Errors
/// What is wrong with the text: bytes that are not UTF-8 first, wherever they stand.
pub(super) fn read_blocks<'s>(
    open: &dyn Fn() -> Result<Blocks<'s>, Problem>,
    options: &ReadOptions,
) -> Result<Table, Problem> {
    let mut blocks = open()?;
    read_rows(&mut blocks, open, options).map_err(|problem| match problem.code.as_str() {
        // Of a text that does not fit the rest is not looked at.
        OUT_OF_MEMORY => problem,
        _ => blocks.check_rest().err().unwrap_or(problem),
    })
}

fn read_rows<'s>(
    blocks: &mut Blocks<'s>,
    open: &dyn Fn() -> Result<Blocks<'s>, Problem>,
    options: &ReadOptions,
) -> Result<Table, Problem> {
    let Head { layout, header, header_line, body, rows } = Head::of(blocks, options.delimiter)?;
    let wide = WideForm { header_line: Some(header_line), ..WideForm::default() };
    let mut states: Vec<State> = header.names.iter().map(|_| State::Number(NumberBuilder::default())).collect();
    let mut origins = Origins::default();
    let mut odd = OddLines::default();
    let mut last_line = header_line;
    let comments = each_row(blocks, rows, layout.delimiter, &mut |item| {
        let (record, text) = match item {
            Item::Block(lines, read) => return make_room(&mut states, lines, read, options.memory),
            Item::Row(record, text) => (record, text),
        };
        last_line = record.line;
        let line = header.line(record, text)?;
        odd.add(line, record.line);
        if !matches!(line, Line::Row | Line::Short(_)) {
            return Ok(());
        }
        for (state, field) in states.iter_mut().zip(&record.fields) {
            state.push(field, text, origins.is_empty(), header.trims);
        }
        origins.push(Origin { file: 0, line: u32::try_from(record.line).unwrap_or(u32::MAX) });
        Ok(())
    })?;
    if origins.is_empty() {
        return Err(odd.no_rows(header.names.len(), last_line));
    }
    collect_late(open, body, layout.delimiter, &mut states, &header, options.memory)?;

    let (roles, mut warnings) = comments.finish();
    warnings.extend(layout.warning);
    warnings.extend(odd.warnings(header.names.len(), origins.len())?);
    let columns = header
        .names_with_units()
        .into_iter()
        .zip(states)
        .map(|(name, state)| Column { name, data: state.finish(origins.len()) })
        .collect();
    Ok(Table { columns, origins, files: Vec::new(), roles, warnings, wide })
}

/// Lines that are no rows, or not whole ones: how many, and the first.
#[derive(Default)]
struct OddLines {
    repeated: (usize, u64),
    titles: (usize, u64),
    /// The same with how many cells the first has.
    short: (usize, u64, usize),
}

impl OddLines {
    fn add(&mut self, line: Line, number: u64) {
        let first = |(count, line): &mut (usize, u64)| {
            *count += 1;
            *line = if *count == 1 { number } else { *line };
        };
        match line {
            Line::Row | Line::Empty => {}
            Line::Repeated => first(&mut self.repeated),
            Line::Title => first(&mut self.titles),
            Line::Short(cells) => {
                let (count, line, of_first) = self.short;
                self.short = if count == 0 { (1, number, cells) } else { (count + 1, line, of_first) };
            }
        }
    }

    /// Why there is no row; the header has `width` cells.
    fn no_rows(&self, width: usize, last_line: u64) -> Problem {
        match self.titles {
            (0, _) => Problem::new("empty_table", "the table has a header and no rows").at_line(last_line),
            (_, line) => Problem::new(
                "empty_table",
                format!("the header has {width} cells, and no line below has more than one"),
            )
            .at_line(line)
            .hint("separate the cells of all lines by the same character as those of the header"),
        }
    }

    /// What the user should know of them.
    ///
    /// # Errors
    /// Some rows are short, and most are not: a cell may lack anywhere. Where most are, the last columns came later.
    fn warnings(&self, width: usize, rows: usize) -> Result<Vec<Warning>, Problem> {
        let mut warnings = Vec::new();
        if let (count @ 1.., line) = self.repeated {
            let message = format!("the header stands again on line {line}; such lines are left out: {count}");
            warnings.push(Warning::new("repeated_header", message));
        }
        if let (count @ 1.., line) = self.titles {
            let message = format!("line {line} is no row: it has a single cell; such lines are left out: {count}");
            warnings.push(Warning::new("lines_left_out", message));
        }
        if let (count @ 1.., line, cells) = self.short {
            if 2 * count <= rows {
                return Err(header::too_few(cells, width).at_line(line));
            }
            let message = format!("{count} of {rows} rows lack the last cells, line {line} the first: they are empty");
            warnings.push(Warning::new("short_rows", message));
        }
        Ok(warnings)
    }
}

/// What stands above the rows.
struct Head {
    layout: Layout,
    header: Header,
    /// Line of the header.
    header_line: u64,
    /// Where the lines beneath the header begin.
    body: Place,
    /// Where the rows begin: beneath the units, too.
    rows: Place,
}

/// Records that the head looks at: the header, units, a row beneath them, and one more.
const LOOKED_AT: usize = 4;

impl Head {
    /// Reads it from the first block, which becomes longer where it does not hold enough.
    fn of(blocks: &mut Blocks<'_>, delimiter: Option<char>) -> Result<Head, Problem> {
        loop {
            let text = blocks.text()?;
            let layout = Layout::of(text, delimiter)?;
            if blocks.is_last() || holds_records(text, layout.delimiter, LOOKED_AT) {
                return Head::within(text, layout);
            }
            blocks.go_on(0)?;
        }
    }

    fn within(text: &str, mut layout: Layout) -> Result<Head, Problem> {
        let mut scanner = Scanner::new(text, layout.delimiter, Place::default());
        let mut record = Record::default();
        let mut body = scanner.clone();
        if !scanner.next(&mut record)? {
            return Err(Problem::new("empty_table", "the file has no header and no rows"));
        }
        let names = match layout.header.take() {
            Some(names) => {
                scanner = body.clone();
                names
            }
            None => {
                body = scanner.clone();
                names_in(text, &record)?
            }
        };
        let mut header = Header::new(names, &record, text);
        check_names(&header.names, record.line)?;
        if let Some((units, beneath)) = unit_row(scanner.clone(), &header, text)? {
            header.units = units;
            scanner = beneath;
            check_names(&header.names_with_units(), record.line)?;
        }
        Ok(Head { layout, header, header_line: record.line, body: body.place, rows: scanner.place })
    }
}

/// Whether a text that goes on holds so many records for certain.
fn holds_records(text: &str, delimiter: Delimiter, count: usize) -> bool {
    let mut scanner = Scanner::new(text, delimiter, Place::default());
    let mut record = Record::default();
    // An error that is there for certain is found again when the head is read.
    (0..count).all(|_| match scanner.next(&mut record) {
        Ok(is_record) => is_record,
        Err(problem) => problem.code != UNCLOSED,
    })
}

/// What is met on the way through the rows.
enum Item<'r> {
    /// A block of so many lines begins; which share of the source was read, and how many bytes of text that gave.
    Block(usize, Option<(f64, u64)>),
    Row(&'r mut Record, &'r str),
}

/// Goes through all records from a place on; returns what the comments said.
fn each_row(
    blocks: &mut Blocks<'_>,
    mut from: Place,
    delimiter: Delimiter,
    take: &mut dyn FnMut(Item<'_>) -> Result<(), Problem>,
) -> Result<Comments, Problem> {
    let mut record = Record::default();
    loop {
        take(Item::Block(blocks.lines(), blocks.read_so_far()))?;
        let is_last = blocks.is_last();
        let text = blocks.text()?;
        let mut scanner = Scanner::new(text, delimiter, from);
        let (mut position, mut line) = (scanner.place.position, scanner.place.line);
        loop {
            match scanner.next(&mut record) {
                Ok(false) => break (position, line) = (scanner.place.position, scanner.place.line),
                Ok(true) => {
                    take(Item::Row(&mut record, text))?;
                    (position, line) = (scanner.place.position, scanner.place.line);
                }
                // A quoted cell that goes on in the next block.
                Err(problem) if problem.code == UNCLOSED && !is_last => break,
                Err(problem) => return Err(problem),
            }
        }
        from = Place { position: 0, line, comments: scanner.place.comments };
        if is_last {
            return Ok(from.comments);
        }
        blocks.go_on(position)?;
    }
}

/// Text read before the size of a table is estimated.
const ENOUGH_TO_ESTIMATE: u64 = 32 << 20;

/// Makes room for the rows of a block.
///
/// # Errors
/// The table takes more than it may, or will: with what it would need.
fn make_room(states: &mut [State], lines: usize, read: Option<(f64, u64)>, memory: Option<u64>) -> Result<(), Problem> {
    let (share, given) = read.unwrap_or((1.0, 0));
    let now: usize = states.iter().map(|state| state.row_bytes() + state.text_bytes()).sum();
    // Texts that recur do not become more.
    let growing = |state: &State| state.row_bytes() + if state.is_unique() { state.text_bytes() } else { 0 };
    let growing: usize = states.iter().map(growing).sum();
    let all = growing as f64 / share.max(1e-9) + (now - growing) as f64;
    let is_full = memory.is_some_and(|memory| now as u64 > memory);
    let will_be = given > ENOUGH_TO_ESTIMATE && memory.is_some_and(|memory| all > memory as f64);
    if is_full || will_be || states.iter_mut().any(|state| state.try_reserve(lines).is_err()) {
        return Err(needs(all, memory));
    }
    Ok(())
}

/// A column whose kind is not yet certain.
enum State {
    /// All cells so far were numbers or empty.
    Number(NumberBuilder),
    /// The first cell was text.
    Text(TextBuilder),
    /// Text came after the first row; collected in the second scan.
    Late,
}

impl State {
    fn push(&mut self, field: &Field, text: &str, first_row: bool, trims: bool) {
        match self {
            State::Number(numbers) => {
                let raw = &text[field.start..field.end];
                // Quotes make a number of `1,234`, which it is not without them.
                let cell = if field.quoted { &[] } else { raw.as_bytes() };
                if numbers.push_known(cell) {
                } else if let Some(value) = number::parse(raw).or_else(|| field.quoted.then(|| number::grouped(raw))?) {
                    numbers.push(cell, value);
                } else if number::is_missing(raw) {
                    numbers.push(cell, f64::NAN);
                } else if first_row {
                    let mut builder = TextBuilder::default();
                    builder.push(field.label(text, trims));
                    *self = State::Text(builder);
                } else {
                    *self = State::Late;
                }
            }
            State::Text(builder) => builder.push(field.label(text, trims)),
            State::Late => {}
        }
    }

    fn try_reserve(&mut self, rows: usize) -> Result<(), TryReserveError> {
        match self {
            State::Number(numbers) => numbers.try_reserve(rows),
            State::Text(builder) => builder.try_reserve(rows),
            State::Late => Ok(()),
        }
    }

    fn row_bytes(&self) -> usize {
        match self {
            State::Number(numbers) => numbers.bytes(),
            State::Text(builder) => builder.row_bytes(),
            State::Late => 0,
        }
    }

    fn text_bytes(&self) -> usize {
        if let State::Text(builder) = self { builder.text_bytes() } else { 0 }
    }

    /// Whether most cells hold a text of their own.
    fn is_unique(&self) -> bool {
        if let State::Text(builder) = self { builder.is_unique() } else { false }
    }

    fn finish(self, rows: usize) -> ColumnData {
        match self {
            State::Number(numbers) => ColumnData::Number(numbers.finish()),
            State::Text(builder) => builder.finish(),
            State::Late => ColumnData::Number(vec![f64::NAN; rows].into()),
        }
    }
}

/// Scans the rows again for the columns that turned out to be text.
fn collect_late<'s>(
    open: &dyn Fn() -> Result<Blocks<'s>, Problem>,
    body: Place,
    delimiter: Delimiter,
    states: &mut [State],
    header: &Header,
    memory: Option<u64>,
) -> Result<(), Problem> {
    let late: Vec<usize> = (0..states.len()).filter(|&index| matches!(states[index], State::Late)).collect();
    if late.is_empty() {
        return Ok(());
    }
    for &index in &late {
        states[index] = State::Text(TextBuilder::default());
    }
    let mut blocks = open()?;
    while blocks.text()?.len() < body.position {
        blocks.go_on(0)?;
    }
    each_row(&mut blocks, body, delimiter, &mut |item| {
        let (record, text) = match item {
            Item::Block(lines, read) => return make_room(states, lines, read, memory),
            Item::Row(record, text) => (record, text),
        };
        if !matches!(header.line(record, text)?, Line::Row | Line::Short(_)) {
            return Ok(());
        }
        for &column in &late {
            states[column].push(&record.fields[column], text, false, header.trims);
        }
        Ok(())
    })?;
    Ok(())
}

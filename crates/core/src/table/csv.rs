//! CSV as in RFC 4180: quoted cells may hold delimiters, quotes and line breaks.
//!
//! Lines end in LF or CRLF. Empty lines are skipped, and so are lines that begin with `#`, except `# roles:`, which
//! says which columns are what. What separates the cells and where the header stands is found by [`Layout`]. The file is
//! scanned once, a block of lines at a time; columns that turn out to be text after their first rows are collected in a
//! second scan. So the memory holds the columns and never the text, and no cell is kept twice.

use super::blocks::Blocks;
use super::layout::{Delimiter, Layout};
use super::numbers::NumberBuilder;
use super::read::needs;
use super::units::{self, Unit};
use super::{Column, ColumnData, DeclaredRoles, Origin, Origins, ReadOptions, Table, TextBuilder, WideForm, number};
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::roles::Role;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, TryReserveError};

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
    read_rows(&mut blocks, open, options).map_err(|problem| blocks.check_rest().err().unwrap_or(problem))
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
    let mut repeated = Vec::new();
    let mut last_line = header_line;
    let comments = each_row(blocks, rows, layout.delimiter, &mut |item| {
        let (record, text) = match item {
            Item::Block(lines, read) => return make_room(&mut states, lines, read, options.memory),
            Item::Row(record, text) => (record, text),
        };
        header.check_width(record, text)?;
        last_line = record.line;
        if header.is_repeated_by(record, text) {
            repeated.push(record.line);
            return Ok(());
        }
        for (state, field) in states.iter_mut().zip(&record.fields) {
            state.push(field, text, origins.is_empty(), header.trims);
        }
        origins.push(Origin { file: 0, line: u32::try_from(record.line).unwrap_or(u32::MAX) });
        Ok(())
    })?;
    if origins.is_empty() {
        let problem = Problem::new("empty_table", "the table has a header and no rows").at_line(last_line);
        return Err(problem);
    }
    collect_late(open, body, layout.delimiter, &mut states, &header, options.memory)?;

    let (roles, mut warnings) = comments.finish();
    warnings.extend(layout.warning);
    if let Some(&line) = repeated.first() {
        let message = format!("the header stands again on line {line}; such lines are left out: {}", repeated.len());
        warnings.push(Warning::new("repeated_header", message));
    }
    let columns = header
        .names_with_units()
        .into_iter()
        .zip(states)
        .map(|(name, state)| Column { name, data: state.finish(origins.len()) })
        .collect();
    Ok(Table { columns, origins, files: Vec::new(), roles, warnings, wide })
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
    let rows: usize = states.iter().map(State::row_bytes).sum();
    let texts: usize = states.iter().map(State::text_bytes).sum();
    let (share, given) = read.unwrap_or((1.0, 0));
    // Texts recur; rows do not.
    let all_rows = rows as f64 / share.max(1e-9);
    let is_full = memory.is_some_and(|memory| (rows + texts) as u64 > memory);
    let will_be = given > ENOUGH_TO_ESTIMATE && memory.is_some_and(|memory| all_rows + texts as f64 > memory as f64);
    if is_full || will_be || states.iter_mut().any(|state| state.try_reserve(lines).is_err()) {
        let all_texts = if texts > rows { texts as f64 / share.max(1e-9) } else { texts as f64 };
        return Err(needs(all_rows + all_texts, memory));
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
        if header.is_repeated_by(record, text) {
            return Ok(());
        }
        for &column in &late {
            states[column].push(&record.fields[column], text, false, header.trims);
        }
        Ok(())
    })?;
    Ok(())
}

/// The names of the columns.
struct Header {
    names: Vec<String>,
    /// Lines end in a delimiter.
    is_open: bool,
    /// The first column had no name.
    has_bare_index: bool,
    /// Blanks stand behind the delimiters: they are not part of the labels.
    trims: bool,
    /// The units in the row beneath; none where there is no such row.
    units: Vec<Unit>,
}

/// The units beneath the header, and what reads on from there. The row beneath them holds numbers.
fn unit_row<'a>(
    mut scanner: Scanner<'a>,
    header: &Header,
    text: &'a str,
) -> Result<Option<(Vec<Unit>, Scanner<'a>)>, Problem> {
    let mut record = Record::default();
    let mut cells = |scanner: &mut Scanner<'a>| -> Result<Option<Vec<Cow<'a, str>>>, Problem> {
        let is_row = scanner.next(&mut record)? && header.check_width(&mut record, text).is_ok();
        Ok(is_row.then(|| record.fields.iter().map(|field| field.text(text)).collect()))
    };
    // A comment to the scanner, where the column of counts has the unit "#".
    let line = text[scanner.place.position..].lines().next().unwrap_or_default();
    let marked: Vec<&str> = scanner.delimiter.cells(line);
    if marked.first() == Some(&"#")
        && marked.len() == header.names.len()
        && let Some(units) = units::units_of(marked)
    {
        let beneath = scanner.clone();
        let row = cells(&mut scanner)?;
        let fits = row.is_some_and(|row| units::fits(&units, row.iter().map(Cow::as_ref)));
        return Ok(fits.then_some((units, beneath)));
    }
    let Some(row) = cells(&mut scanner)? else { return Ok(None) };
    let Some(units) = units::units_of(row.iter().map(Cow::as_ref)) else { return Ok(None) };
    let beneath = scanner.clone();
    let Some(row) = cells(&mut scanner)? else { return Ok(None) };
    Ok(units::fits(&units, row.iter().map(Cow::as_ref)).then_some((units, beneath)))
}

/// The cells of the header's line.
fn names_in(text: &str, record: &Record) -> Result<Vec<String>, Problem> {
    let names: Vec<String> = record.fields.iter().map(|field| field.text(text).trim_ascii().to_owned()).collect();
    if names.iter().all(|name| number::parse(name).is_some()) {
        return Err(Problem::new(
            "missing_header",
            "the first line holds numbers where the names of the columns belong",
        )
        .at_line(record.line)
        .value(names.join(","))
        .hint("put a line with the names of the columns before it, such as p,time_s"));
    }
    Ok(names)
}

/// Names are there, and no two are alike.
fn check_names(names: &[String], line: u64) -> Result<(), Problem> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Problem::new("empty_column_name", format!("column {} has no name", index + 1))
                .at_line(line)
                .hint("give it a name"));
        }
        if let Some(first) = seen.insert(name, index) {
            let shown = shorten(name, 60);
            return Err(Problem::new(
                "duplicate_column",
                format!("\"{shown}\" names both column {} and column {}", first + 1, index + 1),
            )
            .at_line(line)
            .value(name.as_str())
            .hint("give each column a name of its own"));
        }
    }
    Ok(())
}

impl Header {
    /// `record` is the first line of the table, which holds the names where the layout did not find them elsewhere.
    fn new(mut names: Vec<String>, record: &Record, text: &str) -> Self {
        let begins_blank = |field: &Field| !field.quoted && text[field.start..field.end].starts_with(' ');
        let trims = record.fields.iter().skip(1).any(begins_blank);
        let is_open = names.len() > 2 && names.last().is_some_and(String::is_empty);
        if is_open {
            names.pop();
        }
        // The index that data frames are written with.
        let mut has_bare_index = false;
        if let [first, rest @ ..] = names.as_mut_slice()
            && first.is_empty()
            && !rest.is_empty()
            && rest.iter().all(|name| name != "index")
        {
            "index".clone_into(first);
            has_bare_index = true;
        }
        Header { names, is_open, has_bare_index, trims, units: Vec::new() }
    }

    fn names_with_units(&self) -> Vec<String> {
        let named = |(index, name): (usize, &String)| units::with_unit(name.clone(), self.units.get(index));
        self.names.iter().enumerate().map(named).collect()
    }

    /// Whether a row says the names, or the units beneath them, again.
    fn is_repeated_by(&self, record: &Record, text: &str) -> bool {
        let units = || units::units_of(record.fields.iter().map(|field| &text[field.start..field.end]));
        if !self.units.is_empty() && units().is_some_and(|units| units == self.units) {
            return true;
        }
        let same = |(name, field): (&String, &Field)| *name == field.text(text).trim_ascii();
        let unnamed =
            usize::from(self.has_bare_index && record.fields.first().is_some_and(|field| field.start == field.end));
        self.names.iter().zip(&record.fields).skip(unnamed).all(same)
    }

    /// The row has as many cells as there are names; a delimiter at the end of the line makes none.
    fn check_width(&self, record: &mut Record, text: &str) -> Result<(), Problem> {
        let is_empty = |field: &Field| !field.quoted && text[field.start..field.end].trim_ascii().is_empty();
        if record.fields.len() == self.names.len() + 1 && record.fields.last().is_some_and(is_empty) {
            record.fields.pop();
        }
        let wanted = self.names.len() + usize::from(self.is_open && record.fields.len() != self.names.len());
        check_width(record, wanted, text)
    }
}

fn check_width(record: &Record, wanted: usize, text: &str) -> Result<(), Problem> {
    let found = record.fields.len();
    if wanted == found {
        return Ok(());
    }
    let cells = |count: usize| if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
    let problem = Problem::new("field_count", format!("{} where the header has {wanted}", cells(found)))
        .at_line(record.line)
        .allowed(cells(wanted));
    let comma = record.fields.windows(2).any(|pair| {
        let digits = |field: &Field| {
            let cell = &text[field.start..field.end];
            !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())
        };
        digits(&pair[0]) && digits(&pair[1])
    });
    if found > wanted && comma {
        return Err(problem.hint("write numbers with a decimal point, and put text that holds a comma in quotes"));
    }
    if found > wanted {
        return Err(problem.hint("put text that holds a comma in double quotes"));
    }
    Err(problem.hint("an empty cell still needs its comma"))
}

/// A cell in the text.
#[derive(Debug, Clone, Copy)]
struct Field {
    start: usize,
    end: usize,
    quoted: bool,
    /// Quotes inside are written twice.
    escaped: bool,
}

impl Field {
    fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let raw = &text[self.start..self.end];
        if self.escaped { Cow::Owned(raw.replace("\"\"", "\"")) } else { Cow::Borrowed(raw) }
    }

    /// The text as a label.
    fn label<'a>(&self, text: &'a str, trims: bool) -> Cow<'a, str> {
        match self.text(text) {
            Cow::Borrowed(raw) if trims && !self.quoted => Cow::Borrowed(raw.trim_ascii()),
            other => other,
        }
    }
}

/// The cells of a row, reused from row to row.
#[derive(Debug, Default)]
struct Record {
    fields: Vec<Field>,
    /// The line on which it begins.
    line: u64,
}

/// Where a scan has come to.
#[derive(Debug, Clone)]
struct Place {
    /// In the text.
    position: usize,
    line: u64,
    /// What the comments before it said.
    comments: Comments,
}

impl Default for Place {
    fn default() -> Self {
        Place { position: 0, line: 1, comments: Comments::default() }
    }
}

/// The problem of a quoted cell that goes on to the end of the text.
const UNCLOSED: &str = "unclosed_quote";

/// Goes through the records and counts lines.
#[derive(Clone)]
struct Scanner<'a> {
    text: &'a str,
    delimiter: Delimiter,
    place: Place,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, delimiter: Delimiter, place: Place) -> Self {
        Scanner { text, delimiter, place }
    }

    /// The next record; false at the end.
    fn next(&mut self, record: &mut Record) -> Result<bool, Problem> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.place.position) {
                None => return Ok(false),
                Some(b'\n') => {
                    self.place.position += 1;
                    self.place.line += 1;
                }
                Some(b'\r') if matches!(bytes.get(self.place.position + 1), None | Some(b'\n')) => {
                    self.place.position += 1
                }
                Some(b'#') => self.skip_comment()?,
                Some(_) => break,
            }
        }
        record.fields.clear();
        record.line = self.place.line;
        self.skip_blanks();
        loop {
            let field = if bytes.get(self.place.position) == Some(&b'"') { self.quoted()? } else { self.bare() };
            record.fields.push(field);
            match bytes.get(self.place.position) {
                None => return Ok(true),
                Some(&byte) if self.delimiter.is(byte) => {
                    self.place.position += 1;
                    if self.skip_blanks() && matches!(bytes.get(self.place.position), None | Some(b'\n' | b'\r')) {
                        return self.end_line();
                    }
                }
                Some(_) => return self.end_line(),
            }
        }
    }

    /// Steps over a line feed, or the carriage return before one or before the end.
    fn end_line(&mut self) -> Result<bool, Problem> {
        let bytes = self.text.as_bytes();
        self.place.position += usize::from(bytes.get(self.place.position) == Some(&b'\r'));
        if bytes.get(self.place.position) == Some(&b'\n') {
            self.place.position += 1;
            self.place.line += 1;
        }
        Ok(true)
    }

    /// Steps over a run of blanks where these separate the cells; returns whether they do.
    fn skip_blanks(&mut self) -> bool {
        if self.delimiter != Delimiter::Blanks {
            return false;
        }
        let bytes = self.text.as_bytes();
        while bytes.get(self.place.position).is_some_and(|&byte| self.delimiter.is(byte)) {
            self.place.position += 1;
        }
        true
    }

    /// A cell without quotes around it.
    fn bare(&mut self) -> Field {
        let bytes = self.text.as_bytes();
        let start = self.place.position;
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if self.delimiter.is(byte) || byte == b'\n' {
                break;
            }
            if byte == b'\r' && matches!(bytes.get(end + 1), None | Some(b'\n')) {
                break;
            }
            end += 1;
        }
        self.place.position = end;
        Field { start, end, quoted: false, escaped: false }
    }

    /// A quoted cell; the quotes are not part of it.
    fn quoted(&mut self) -> Result<Field, Problem> {
        let bytes = self.text.as_bytes();
        let (first_line, start) = (self.place.line, self.place.position + 1);
        let mut end = start;
        let mut escaped = false;
        loop {
            match bytes.get(end) {
                None => {
                    return Err(Problem::new(UNCLOSED, "a quote is opened here and never closed")
                        .at_line(first_line)
                        .hint("a quote inside a quoted cell is written twice"));
                }
                Some(b'"') if bytes.get(end + 1) == Some(&b'"') => {
                    escaped = true;
                    end += 2;
                }
                Some(b'"') => break,
                Some(b'\n') => {
                    self.place.line += 1;
                    end += 1;
                }
                Some(_) => end += 1,
            }
        }
        self.place.position = end + 1;
        let closed = match bytes.get(self.place.position) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(bytes.get(self.place.position + 1), None | Some(b'\n')),
            Some(&byte) => self.delimiter.is(byte),
        };
        if !closed {
            return Err(Problem::new("text_after_quote", "there is text after the closing quote of a cell")
                .at_line(self.place.line)
                .value(shorten(&self.text[start..end], 60))
                .hint("a quote inside a quoted cell is written twice"));
        }
        Ok(Field { start, end, quoted: true, escaped })
    }

    fn skip_comment(&mut self) -> Result<(), Problem> {
        let rest = &self.text[self.place.position..];
        let length = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
        self.place.comments.take(rest[1..length].trim_ascii(), self.place.line)?;
        self.place.position += length;
        Ok(())
    }
}

/// The content of the lines that begin with `#`.
#[derive(Debug, Clone, Default)]
struct Comments {
    roles: Option<DeclaredRoles>,
    trace: bool,
    end: bool,
}

impl Comments {
    fn take(&mut self, comment: &str, line: u64) -> Result<(), Problem> {
        if let Some(json) = comment.strip_prefix("roles:") {
            self.roles = Some(declared_roles(json).map_err(|problem| problem.at_line(line))?);
        } else if comment.starts_with("cll-trace:") {
            self.trace = true;
        } else if comment.starts_with("end:") {
            self.end = true;
        }
        Ok(())
    }

    fn finish(self) -> (Option<DeclaredRoles>, Vec<Warning>) {
        let mut warnings = Vec::new();
        if self.trace && !self.end {
            warnings.push(Warning::new(
                "incomplete_trace",
                "the trace has no line \"# end:\": the program did not finish, or the file was truncated",
            ));
        }
        (self.roles, warnings)
    }
}

/// `{"params":["p"],"metrics":["time_s"],"units":{"time_s":"s"}}`
fn declared_roles(json: &str) -> Result<DeclaredRoles, Problem> {
    let shape = |what: &str| {
        Problem::new("roles", format!("the line \"# roles:\" {what}"))
            .at("# roles")
            .hint("it looks like # roles: {\"params\":[\"p\"],\"metrics\":[\"time_s\"],\"units\":{\"time_s\":\"s\"}}")
    };
    let value: Value = serde_json::from_str(json).map_err(|error| shape(&format!("is not JSON: {error}")))?;
    let Value::Object(object) = value else { return Err(shape("does not hold an object")) };
    let names = |key: &str| match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| shape(&format!("has something other than names in \"{key}\""))),
        Some(_) => Err(shape(&format!("has no list of names in \"{key}\""))),
    };
    let units = match object.get("units") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(units)) => units
            .iter()
            .map(|(name, unit)| unit.as_str().map(|unit| (name.clone(), unit.to_owned())))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| shape("has something other than text in \"units\""))?,
        Some(_) => return Err(shape("has no object in \"units\"")),
    };
    let mut others = Vec::new();
    for (key, role) in [("labels", Role::Label), ("repetition", Role::Repetition), ("ignored", Role::Ignored)] {
        others.extend(names(key)?.into_iter().map(|name| (name, role)));
    }
    match object.get("processes") {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => others.push((name.clone(), Role::Processes)),
        Some(_) => return Err(shape("has something other than a name in \"processes\"")),
    }
    Ok(DeclaredRoles { parameters: names("params")?, metrics: names("metrics")?, units, others })
}

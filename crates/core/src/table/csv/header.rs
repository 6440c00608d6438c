//! The names of the columns, and the units beneath them.

use super::scan::{Field, Record, Scanner};
use crate::problem::{Problem, shorten};
use crate::table::number;
use crate::table::units::{self, Unit};
use std::borrow::Cow;
use std::collections::HashMap;

/// What a record beneath the header is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Row,
    /// A row without its last cells: as many as it has.
    Short(usize),
    /// The header again.
    Repeated,
    /// Delimiters and nothing between them.
    Empty,
    /// A single cell in a table of three columns and more: the title of a part.
    Title,
}

/// The names of the columns.
pub(super) struct Header {
    pub(super) names: Vec<String>,
    /// Lines end in a delimiter.
    pub(super) is_open: bool,
    /// The first column had no name.
    pub(super) has_bare_index: bool,
    /// Blanks stand behind the delimiters: they are not part of the labels.
    pub(super) trims: bool,
    /// The units in the row beneath; none where there is no such row.
    pub(super) units: Vec<Unit>,
}

/// The units beneath the header, and what reads on from there. The row beneath them holds numbers.
pub(super) fn unit_row<'a>(
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
pub(super) fn names_in(text: &str, record: &Record) -> Result<Vec<String>, Problem> {
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
pub(super) fn check_names(names: &[String], line: u64) -> Result<(), Problem> {
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
    pub(super) fn new(mut names: Vec<String>, record: &Record, text: &str) -> Self {
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

    pub(super) fn names_with_units(&self) -> Vec<String> {
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

    /// What a record is. A row that is short gets empty cells.
    ///
    /// # Errors
    /// It has more cells than there are names.
    pub(super) fn line(&self, record: &mut Record, text: &str) -> Result<Line, Problem> {
        let is_blank = |field: &Field| !field.quoted && text[field.start..field.end].trim_ascii().is_empty();
        if record.fields.len() > 1 && record.fields.iter().all(is_blank) {
            return Ok(Line::Empty);
        }
        let found = record.fields.len();
        if let Err(problem) = self.check_width(record, text) {
            return match found {
                1 if self.names.len() >= 3 => Ok(Line::Title),
                _ if found < self.names.len() => {
                    let end = record.fields.last().map_or(0, |field| field.end);
                    record.fields.resize(self.names.len(), Field { start: end, end, quoted: false, escaped: false });
                    Ok(Line::Short(found))
                }
                _ => Err(problem),
            };
        }
        Ok(if self.is_repeated_by(record, text) { Line::Repeated } else { Line::Row })
    }

    /// The row has as many cells as there are names; a delimiter at the end of the line makes none.
    pub(super) fn check_width(&self, record: &mut Record, text: &str) -> Result<(), Problem> {
        let is_empty = |field: &Field| !field.quoted && text[field.start..field.end].trim_ascii().is_empty();
        if record.fields.len() == self.names.len() + 1 && record.fields.last().is_some_and(is_empty) {
            record.fields.pop();
        }
        let wanted = self.names.len() + usize::from(self.is_open && record.fields.len() != self.names.len());
        check_width(record, wanted, text)
    }
}

pub(super) fn check_width(record: &Record, wanted: usize, text: &str) -> Result<(), Problem> {
    let found = record.fields.len();
    if wanted == found {
        return Ok(());
    }
    if found < wanted {
        return Err(too_few(found, wanted).at_line(record.line));
    }
    let problem = field_count(found, wanted).at_line(record.line);
    let comma = record.fields.windows(2).any(|pair| {
        let digits = |field: &Field| {
            let cell = &text[field.start..field.end];
            !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())
        };
        digits(&pair[0]) && digits(&pair[1])
    });
    Err(problem.hint(match comma {
        true => "write numbers with a decimal point, and put text that holds a comma in quotes",
        false => "put text that holds a comma in double quotes",
    }))
}

/// A row of fewer cells than there are names.
pub(super) fn too_few(found: usize, wanted: usize) -> Problem {
    field_count(found, wanted).hint("an empty cell still needs its comma")
}

fn field_count(found: usize, wanted: usize) -> Problem {
    let cells = |count: usize| if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
    Problem::new("field_count", format!("{} where the header has {wanted}", cells(found))).allowed(cells(wanted))
}

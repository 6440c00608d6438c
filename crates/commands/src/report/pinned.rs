//! Parts pinned from results: a plot, a table or a sentence from one source, with its origin beneath.
//!
//! ```toml
//! [[item]]
//! kind = "figure"                       # figure, table, key-figures, sentence, why, timeline, compare; text has a text
//! source = "../tables/sweep.csv"        # a table or document; job:ID in the browser
//! view = "x=p&y=time_s&color=n&where=n <= 4000"
//! caption = "Twice the processes"
//! digest = "sha256:.."                  # of the source, when it was pinned: a page of another one says that it has changed,
//! live = true                           # unless the part is to show what is there
//! ```

use crate::compare;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::parts::JsonDocument;
use crate::tables;
use runcast_core::roles::{Roles, TableOptions, roles_of, rows_where};
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Table as Rows};
use runcast_report::number;
use runcast_report::page::{Block, Column, Notice, Section, Table};
use runcast_report::plot::{Axis, DataPoint, Line, Plot, Points};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Rows that a pinned table shows.
const MOST_ROWS: usize = 200;
/// Curves of a pinned figure.
const MOST_CURVES: usize = 12;
/// Digits of a number.
const DIGITS: usize = 4;

/// What a pinned part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Text,
    Figure,
    Table,
    KeyFigures,
    Sentence,
    Why,
    Timeline,
    Compare,
}

/// A pinned part, as the report file has it.
#[derive(Debug, Clone)]
pub struct Pinned {
    pub kind: Kind,
    /// A file, or `job:ID`.
    pub source: Option<String>,
    /// The words of a text.
    pub text: Option<String>,
    /// How a table is looked at, as the query of an address.
    pub view: String,
    pub caption: String,
    /// Of the source, when it was pinned.
    pub digest: String,
    pub pinned_at: String,
    /// It shows what is there now, without a word about what changed.
    pub live: bool,
}

impl Pinned {
    /// The file that it is made of; the parts of a job are below `jobs/ID`.
    pub fn path(&self, folder: &Path) -> Option<PathBuf> {
        let source = self.source.as_deref()?;
        let Some(job) = source.strip_prefix("job:") else { return Some(folder.join(source)) };
        let part = match self.kind {
            Kind::Figure | Kind::Table => "table.csv",
            _ => "document.json",
        };
        Some(PathBuf::from(format!("jobs/{job}/{part}")))
    }
}

/// The part as a section of a page.
///
/// # Errors
/// Its source cannot be read, or is of another kind.
pub fn section(pinned: &Pinned, folder: &Path, context: &mut Context) -> Result<Section, Failure> {
    let heading = if pinned.caption.is_empty() { named(pinned) } else { pinned.caption.clone() };
    let mut section = Section::new(heading);
    let Some(path) = pinned.path(folder) else {
        section.push(Block::Text(pinned.text.clone().unwrap_or_default()));
        return Ok(section);
    };
    let bytes = context.read(&path).map_err(|failure| of_job(pinned, failure))?;
    let name = tables::name_of(&path);
    match pinned.kind {
        Kind::Figure => section.push(figure(pinned, &rows(&name, &bytes, &pinned.view)?)?),
        Kind::Table => section.push(table(&rows(&name, &bytes, &pinned.view)?)),
        Kind::Compare => {
            let value = document(&name, &bytes)?;
            let compared = compare::section::of(&JsonDocument { path: path.into(), name: name.clone(), value })?;
            section.blocks.extend(compared.blocks);
        }
        kind => section.blocks.extend(of_document(kind, &document(&name, &bytes)?)),
    }
    if !pinned.live && !pinned.digest.is_empty() && digest(&bytes) != pinned.digest {
        section.push(Block::Warning(Notice {
            code: "changed_source".to_owned(),
            message: format!("{name} has changed since it was pinned: this is what it holds now"),
            remedy: "refresh the part in the browser, or give it live = true".to_owned(),
        }));
    }
    let facts = [pinned.source.as_deref().unwrap_or_default(), &pinned.digest, &pinned.pinned_at];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    section.push(Block::Text(format!("From {}.", facts.join(", "))));
    Ok(section)
}

/// As a server names versions: `sha256:` and the hex of the bytes.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

fn named(pinned: &Pinned) -> String {
    let source = pinned.source.as_deref().unwrap_or("Notes");
    let name = source.rsplit('/').next().unwrap_or(source);
    // The id of a job says nothing to readers.
    let words = match pinned.kind {
        _ if !source.starts_with("job:") => name,
        Kind::Figure => "Figure",
        Kind::Table => "Table",
        Kind::KeyFigures => "Key figures",
        Kind::Why => "Why",
        Kind::Timeline => "Phases",
        Kind::Compare => "Comparison",
        Kind::Sentence | Kind::Text => "Result",
    };
    words.to_owned()
}

/// Parts of jobs are in the database of a server.
fn of_job(pinned: &Pinned, failure: Failure) -> Failure {
    match pinned.source.as_deref().and_then(|source| source.strip_prefix("job:")) {
        None => failure,
        Some(job) => Problem::new("job_source", format!("the result of job {job} is not here"))
            .at("source")
            .value(format!("job:{job}"))
            .hint("build the report on its server, or name a file that runcast job fetch has written")
            .into(),
    }
}

/// A field of a view: what an address says of it, decoded.
fn field(view: &str, name: &str) -> Option<String> {
    let pair = view.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
    let value = pair.into_iter().find(|(key, value)| *key == name && !value.is_empty())?.1;
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        let (byte, next) = match hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => (byte, &tail[2..]),
            None => (if first == b'+' { b' ' } else { first }, tail),
        };
        bytes.push(byte);
        rest = next;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rows of a table that a view shows.
fn rows(name: &str, bytes: &[u8], view: &str) -> Result<Rows, Failure> {
    let table = Rows::read(name, bytes, &ReadOptions::default())?;
    let Some(filter) = field(view, "where") else { return Ok(table) };
    let keep = rows_where(&table, &[filter], "view")?;
    Ok(table.kept(&keep))
}

fn document(name: &str, bytes: &[u8]) -> Result<Value, Failure> {
    let bad = |error: serde_json::Error| Problem::new("bad_document", error.to_string()).in_file(name);
    Ok(serde_json::from_slice(bytes).map_err(bad)?)
}

/// One metric over a parameter, a curve for each value of a third column.
fn figure(pinned: &Pinned, table: &Rows) -> Result<Block, Failure> {
    let roles = roles_of(table, &TableOptions::default()).unwrap_or_default();
    let unknown = |key: &str, name: &str| {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        Problem::new("view", format!("the table has no column {name}"))
            .at(format!("view/{key}"))
            .value(name)
            .one_of(name, names)
    };
    let chosen = |key: &str, usual: Option<usize>| match field(&pinned.view, key) {
        None => Ok(usual.map(|index| &table.columns[index])),
        Some(name) => table.column(&name).map(Some).ok_or_else(|| unknown(key, &name)),
    };
    let (x, y) = (
        chosen("x", roles.process_parameter.or_else(|| roles.parameters.first().copied()))?,
        chosen("y", first_metric(table, &roles))?,
    );
    let color = chosen("color", None)?;
    let (Some(x), Some(y)) = (x, y) else { return Ok(Block::Text("The table has nothing to draw.".to_owned())) };
    let (Some(xs), Some(ys)) = (x.as_numbers(), y.as_numbers()) else { return Ok(Block::Table(page_table(table))) };
    let unit = roles.metrics.iter().find(|(index, _)| table.columns[*index].name == y.name);
    let unit = unit.map_or(String::new(), |(_, metric)| metric.unit.clone());
    let mut curves: Vec<(String, Vec<DataPoint>)> = Vec::new();
    let (low, high) = (bound(table, &y.name, "low"), bound(table, &y.name, "high"));
    for (row, (&x, &y)) in xs.iter().zip(ys.iter()).enumerate() {
        let name = color.map_or(String::new(), |color| format!("{} = {}", color.name, color.cell(row)));
        let bar = low
            .zip(high)
            .map(|(low, high)| (low[row], high[row]))
            .filter(|(low, high)| low.is_finite() && high.is_finite());
        let point = DataPoint { x, y, bar };
        match curves.iter().position(|(known, _)| *known == name) {
            Some(index) => curves[index].1.push(point),
            None if curves.len() < MOST_CURVES => curves.push((name, vec![point])),
            None => {}
        }
    }
    let mut plot = Plot::new(named(pinned), Axis::new(x.name.clone(), ""), Axis::new(y.name.clone(), unit));
    for (name, mut points) in curves {
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        plot = plot.with(Line::new(name.clone(), points.iter().map(|point| (point.x, point.y))));
        plot = plot.with(Points { name, values: points, ..Points::default() });
    }
    Ok(plot.into())
}

/// The metric of a table: a time where there is one.
fn first_metric(table: &Rows, roles: &Roles) -> Option<usize> {
    let names = |index: &usize| table.columns[*index].name.as_str();
    let metrics = roles.metrics.iter().map(|(index, _)| *index);
    let bounds = ["_low_", "_high_"];
    let mut metrics = metrics.filter(|index| !bounds.iter().any(|bound| names(index).contains(bound)));
    metrics.clone().find(|index| names(index) == "time_s").or_else(|| metrics.next())
}

/// The column of a bound of a metric: `time_low_s` of `time_s`.
fn bound<'t>(table: &'t Rows, metric: &str, end: &str) -> Option<&'t runcast_core::table::Numbers> {
    let (stem, unit) = metric.rsplit_once('_')?;
    table.column(&format!("{stem}_{end}_{unit}"))?.as_numbers()
}

fn table(rows: &Rows) -> Block {
    page_table(rows).into()
}

fn page_table(rows: &Rows) -> Table {
    let columns = rows.columns.iter().map(|column| match column.as_numbers() {
        Some(_) => Column::number(column.name.clone(), ""),
        None => Column::text(column.name.clone()),
    });
    let caption = match rows.rows() {
        all if all > MOST_ROWS => format!("The first {MOST_ROWS} of {all} rows"),
        _ => String::new(),
    };
    let mut table = Table::new(caption, columns);
    for row in 0..rows.rows().min(MOST_ROWS) {
        table.rows.push(rows.columns.iter().map(|column| column.cell(row)).collect());
    }
    table
}

/// What a document says: its sentence, its figures, or what limits.
fn of_document(kind: Kind, document: &Value) -> Vec<Block> {
    let sentence = document["sentence"].as_str().map(|sentence| Block::Text(sentence.to_owned()));
    match kind {
        Kind::Sentence => sentence.into_iter().collect(),
        Kind::Why => {
            sentence.into_iter().chain(list(document, "/bottleneck/path", &["kind", "what", "share"])).collect()
        }
        Kind::Timeline => {
            list(document, "/phases", &["phase", "label", "time_s", "compute_s", "wait_s"]).into_iter().collect()
        }
        _ => sentence.into_iter().chain([figures(document)]).collect(),
    }
}

/// The numbers at the top of a document.
fn figures(document: &Value) -> Block {
    let mut table = Table::new("", vec![Column::text("figure"), Column::number("value", "")]);
    for (name, value) in document.as_object().into_iter().flatten() {
        if let Some(value) = value.as_f64().filter(|_| !["version", "seed", "tick_s"].contains(&name.as_str())) {
            table.rows.push(vec![name.clone(), number::significant(value, DIGITS)]);
        }
    }
    table.into()
}

/// Some fields of a list of objects; none: it is not there.
fn list(document: &Value, pointer: &str, fields: &[&str]) -> Option<Block> {
    let items = document.pointer(pointer)?.as_array()?;
    let fields: Vec<&str> =
        fields.iter().copied().filter(|field| items.iter().any(|one| !one[field].is_null())).collect();
    let columns = fields.iter().map(|field| match items.iter().any(|one| one[field].is_number()) {
        true => Column::number(*field, ""),
        false => Column::text(*field),
    });
    let mut table = Table::new("", columns);
    let cell = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number::significant(number.as_f64().unwrap_or(f64::NAN), DIGITS),
        Value::Null => number::DASH.to_owned(),
        other => other.to_string(),
    };
    table.rows = items.iter().map(|one| fields.iter().map(|field| cell(&one[field])).collect()).collect();
    Some(table.into())
}

#[cfg(all(test, feature = "methods"))]
mod tests {
    use super::*;
    use crate::remote::InMemory;
    use std::sync::Arc;

    #[test]
    fn a_part_says_that_its_source_has_changed_unless_it_is_live() {
        let warned = |digest: &str, live: bool| {
            let files = vec![("t.csv".to_owned(), Arc::from(&b"p,time_s\n1,2\n"[..]))];
            let mut context = Context::of_files(Box::new(InMemory::new(files)));
            let pinned = Pinned {
                kind: Kind::Table,
                source: Some("t.csv".to_owned()),
                text: None,
                view: String::new(),
                caption: String::new(),
                digest: digest.to_owned(),
                pinned_at: String::new(),
                live,
            };
            let section = section(&pinned, Path::new(""), &mut context).expect("a section");
            section
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Warning(notice) if notice.code == "changed_source"))
        };
        // By sha256sum.
        let now = "sha256:d92ab4aa8301d381d59188ba95745f6baef10e99d336e31cd64305f42e0e7214";
        assert_eq!((warned(now, false), warned("sha256:00", false), warned("sha256:00", true)), (false, true, false));
        assert!(!warned("", false));
    }

    #[test]
    fn a_view_is_the_query_of_an_address() {
        let view = "view=line&x=p&where=n%3C%3D4000+and+p>1&color=";
        assert_eq!(field(view, "x").as_deref(), Some("p"));
        assert_eq!(field(view, "where").as_deref(), Some("n<=4000 and p>1"));
        assert_eq!((field(view, "color"), field(view, "y")), (None, None));
        assert_eq!(field("x=%", "x").as_deref(), Some("%"));
    }
}

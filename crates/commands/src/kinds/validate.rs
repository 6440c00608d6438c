//! Checks a file, and finds its title.

use super::{Kind, recognize};
use crate::models;
use crate::whatif::remarks::{self, OF_SYSTEMS};
use runcast_bsf::cost::file::CostSpec;
use runcast_call::bsp::Program;
use runcast_core::plan::PlanSpec;
use runcast_core::problem::shorten;
use runcast_core::table::ReadOptions;
use runcast_core::toml::{Reader, Source, Table, document};
use runcast_core::{Problem, Problems, Table as Runs};
use runcast_sim::catalogue::{self, Catalogue, Entry};
use runcast_sim::model::{self, CoefficientFile};
use runcast_sim::{experiment, script, system};
use std::path::Path;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 200;
/// The largest file of formulas and reports, in bytes.
const LARGEST: usize = 16 << 20;
/// Lines looked at for the title of a script.
const HEAD_LINES: usize = 20;

/// What is known about a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Its title for people: its own, or else its path.
    pub title: String,
    /// What is wrong with it. [Remarks](is_remark) alone leave it valid.
    pub problems: Vec<Problem>,
    /// The hardware entries in it.
    pub entries: Vec<Entry>,
}

impl Facts {
    /// Whether it can be read as what it is.
    pub fn is_valid(&self) -> bool {
        self.problems.iter().all(|problem| is_remark(&problem.code))
    }
}

/// Whether a problem is no error: the file can be read and run, and something in it is probably not as it was meant.
pub fn is_remark(code: &str) -> bool {
    const NOTES_OF_DRY_RUNS: [&str; 2] = ["live_label", "unknown_parameter"];
    code == script::UNDEFINED_CALL || NOTES_OF_DRY_RUNS.contains(&code) || OF_SYSTEMS.contains(&code)
}

/// Finds out what a file is, and reads it. `catalogue` is what a system may name.
pub fn facts(path: &str, bytes: &[u8], catalogue: &Catalogue) -> Facts {
    let kind = recognize(path, bytes);
    let mut facts = Facts { kind, title: String::new(), problems: Vec::new(), entries: Vec::new() };
    if let Err(Problems(problems)) = look(path, bytes, catalogue, &mut facts) {
        facts.problems = problems;
    }
    for problem in &mut facts.problems {
        problem.file.get_or_insert_with(|| path.to_owned());
    }
    facts.title = title(&facts.title, path);
    facts
}

fn title(found: &str, path: &str) -> String {
    let words: String = found.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    match words.trim() {
        "" => path.rsplit('/').next().unwrap_or(path).to_owned(),
        words => shorten(words, LONGEST_TITLE),
    }
}

fn look(path: &str, bytes: &[u8], catalogue: &Catalogue, facts: &mut Facts) -> Result<(), Problems> {
    match facts.kind {
        Kind::Other => return Ok(()),
        Kind::Table => return table(path, bytes),
        Kind::Trace => return runcast_call::trace::read(path, bytes).map(|_| ()).map_err(Problems::from),
        Kind::Recording => {
            let recording = runcast_record::read(bytes)?;
            let program = recording.meta.program.rsplit('/').next().unwrap_or_default();
            facts.title = format!("{program}, {} processes", recording.p);
            return Ok(());
        }
        Kind::Model => return models::saved(path, bytes).map(|_| ()).map_err(|failure| failure.problems),
        _ => {}
    }
    let text = text(path, bytes)?;
    match facts.kind {
        Kind::System => {
            let read = system::read(text, path, catalogue, &system::Changes::default()).map_err(Problems)?;
            facts.problems = remarks::of_system(&read.system).iter().map(remarks::Remark::problem).collect();
            facts.title = read.system.name;
        }
        Kind::Experiment => {
            let read = experiment::read(text, path)?;
            facts.title = first_text(text, "name").unwrap_or_default();
            let named = read.system.iter().chain(&read.coeff).chain(&read.catalogue);
            let named = named.chain(read.apps.iter().map(|app| &app.file));
            let outside: Vec<Problem> = named
                .filter(|named| leaves(path, &named.name))
                .map(|named| named.spot.locate(path, outside(&named.name)))
                .collect();
            if !outside.is_empty() {
                return Err(Problems(outside));
            }
        }
        Kind::Application => {
            facts.title = script_title(text);
            script::check_syntax(text, path)?;
            facts.problems = script::undefined(text, path);
        }
        Kind::Hardware => facts.entries = catalogue::read(text, path)?,
        Kind::Formulas => formulas(path, text)?,
        Kind::Plan => PlanSpec::from_toml(path, text).map(|_| ())?,
        Kind::Bsf => costs(path, text)?,
        Kind::Bsp => facts.title = Program::from_toml(path, text)?.title().unwrap_or_default().to_owned(),
        Kind::Wavefront => wavefront(path, text, facts)?,
        Kind::Report => report(path, text, facts)?,
        Kind::Result => facts.title = result_title(path, bytes)?,
        Kind::View => json(path, bytes).map(|_: serde::de::IgnoredAny| ())?,
        Kind::Other | Kind::Table | Kind::Trace | Kind::Recording | Kind::Model => {}
    }
    Ok(())
}

fn text<'b>(path: &str, bytes: &'b [u8]) -> Result<&'b str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        Problem::new("not_utf8", "the file is not UTF-8").in_file(path).at_line(line)
    })
}

fn table(path: &str, bytes: &[u8]) -> Result<(), Problems> {
    Runs::read(path, bytes, &ReadOptions::default()).map(|_| ())
}

/// Costs: what is missing may come as an option.
fn costs(path: &str, text: &str) -> Result<(), Problems> {
    let Err(Problems(mut problems)) = CostSpec::from_toml(path, text)?.resolve() else { return Ok(()) };
    problems.retain(|problem| problem.code != "missing");
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

/// Models as in a system, or coefficients alone.
fn formulas(path: &str, text: &str) -> Result<(), Problems> {
    let source = Source { name: path, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    if has_rules(&top) {
        model::file::read(&mut reader, &top);
        return reader.take_problems().map_or(Ok(()), Err);
    }
    CoefficientFile::read(text, path).map(|_| ())
}

fn has_rules(top: &Table<'_, '_>) -> bool {
    let Some(models) = top.get("model").and_then(|node| node.value.get_ref().as_table()) else { return false };
    models.iter().any(|(_, model)| {
        model.get_ref().as_table().is_some_and(|model| model.iter().any(|(key, _)| key.get_ref() != "coeff"))
    })
}

/// A model of processes that wait: what it names in other files is not looked at.
fn wavefront(path: &str, text: &str, facts: &mut Facts) -> Result<(), Problems> {
    const UNSEEN: &str = "not_looked_at";
    let mut lookup = |named: &Path| {
        let named = named.to_string_lossy();
        if leaves(path, &named) { Err(outside(&named)) } else { Err(Problem::new(UNSEEN, "it is another file")) }
    };
    facts.title = first_text_in(text, "wavefront", "name").unwrap_or_default();
    match runcast_wavefront::model::read(text, path, &mut lookup, &Default::default()) {
        Ok(_) => Ok(()),
        Err(Problems(mut problems)) => {
            problems.retain(|problem| problem.code != UNSEEN);
            if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
        }
    }
}

fn report(path: &str, text: &str, facts: &mut Facts) -> Result<(), Problems> {
    let source = Source { name: path, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    reader.allow(&top, &["title", "item", "format"], "a report");
    facts.title = reader.text(&top, "title", "a title").map(|(title, _)| title).unwrap_or_default();
    for item in reader.tables(&top, "item") {
        const PINNED: [&str; 8] = ["kind", "source", "view", "caption", "digest", "pinned_at", "live", "text"];
        let is_pinned = item.has("kind");
        reader.allow(&item, if is_pinned { &PINNED } else { &["path", "text"] }, "a part of a report");
        let key = if is_pinned { "source" } else { "path" };
        let named = reader.text(&item, key, "the path of a file");
        let words = reader.text(&item, "text", "a text");
        match (&named, &words) {
            (Some((named, place)), None) if leaves(path, named) => reader.wrong(place, outside(named)),
            (Some(_), Some(_)) | (None, None) if item.has(key) == item.has("text") => {
                let place = item.place.clone();
                reader.wrong(
                    &place,
                    Problem::new("bad_report", "a part has either a path or a text, or a kind with a source"),
                );
            }
            _ => {}
        }
    }
    reader.take_problems().map_or(Ok(()), Err)
}

fn json<T: serde::de::DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        Problem::new("json", error.to_string())
            .in_file(path)
            .at_line(error.line() as u64)
            .at_column(error.column().max(1) as u64)
    })
}

fn result_title(path: &str, bytes: &[u8]) -> Result<String, Problem> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: Option<String>,
    }
    Ok(json::<Head>(path, bytes)?.kind.unwrap_or_default())
}

/// The words of the first line of a script, when that is a comment.
fn script_title(text: &str) -> String {
    let lines = text.lines().take(HEAD_LINES).map(str::trim);
    let comment = lines.filter(|line| !line.is_empty()).find_map(|line| line.strip_prefix("--"));
    let words = comment.unwrap_or_default().trim_start_matches(['!', '[', '-', ' ']);
    words.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

fn first_text(text: &str, key: &str) -> Option<String> {
    let document = toml::de::DeTable::parse(text).ok()?;
    Some(document.get_ref().get(key)?.get_ref().as_str()?.to_owned())
}

fn first_text_in(text: &str, table: &str, key: &str) -> Option<String> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let table = document.get_ref().get(table)?.get_ref().as_table()?;
    Some(table.get(key)?.get_ref().as_str()?.to_owned())
}

/// Whether what a file names, relative to its folder, is outside of the project.
fn leaves(file: &str, named: &str) -> bool {
    if named.starts_with(['/', '\\']) || named.contains('\\') || named.as_bytes().get(1) == Some(&b':') {
        return true;
    }
    let mut depth = file.matches('/').count();
    for segment in named.split('/') {
        match segment {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

fn outside(named: &str) -> Problem {
    Problem::new("outside", "the file is outside of the project")
        .value(named)
        .allowed("a path relative to this file, within the project")
}

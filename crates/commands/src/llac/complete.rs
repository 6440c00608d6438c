//! Completion: commands, tables, columns, models, files.

use super::grammar::help::COMMANDS;
use super::session::Session;
use runcast_core::table::ColumnData;
use runcast_formula::Function;
use rustyline::completion::{Completer, Pair};
use rustyline::{Context, Helper, Highlighter, Hinter, Validator};
use std::path::Path;

/// More candidates than this are of no help.
const MOST: usize = 2_000;

/// The names of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    pub tables: Vec<String>,
    pub models: Vec<String>,
    /// Columns of all tables, and parameters of all models.
    pub columns: Vec<String>,
    /// Experiments of all tables.
    pub experiments: Vec<String>,
    /// Texts in the columns of all tables.
    pub labels: Vec<String>,
}

impl Names {
    /// Those of a session.
    pub fn of(session: &Session) -> Names {
        let mut names = Names {
            tables: session.tables.keys().cloned().collect(),
            models: session.models.keys().cloned().collect(),
            ..Names::default()
        };
        for runs in session.tables.values() {
            names.columns.extend(runs.table.columns.iter().map(|column| column.name.clone()));
            names.experiments.extend(runs.experiments());
            for column in &runs.table.columns {
                if let ColumnData::Text { names: texts, .. } = &column.data {
                    names.labels.extend(texts.iter().filter(|text| !text.is_empty()).take(MOST).cloned());
                }
            }
        }
        for kept in session.models.values() {
            names.columns.extend(kept.model.samples().parameters.iter().cloned());
        }
        for list in [&mut names.columns, &mut names.experiments, &mut names.labels] {
            list.sort();
            list.dedup();
        }
        names
    }
}

/// The line editor's view of a session.
#[derive(Helper, Highlighter, Hinter, Validator, Default)]
pub struct Editor {
    /// The names as they are now.
    pub names: Names,
}

impl Completer for Editor {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, candidates) = candidates(line, pos, &self.names);
        let pair = |text: String| Pair { display: text.trim_end().to_owned(), replacement: text };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

/// Where the word before the cursor begins, and what it may become. A word that is complete is followed by a blank.
pub fn candidates(line: &str, pos: usize, names: &Names) -> (usize, Vec<String>) {
    let before = line.get(..pos).unwrap_or(line);
    let (command, quote) = last_command(before);
    let inside = &before[command..];
    if let Some(found) = labels(before, names) {
        return found;
    }
    let start = match quote {
        // Blanks inside of quotes part no words.
        Some(place) => place - command,
        None => inside.rfind(|letter: char| letter.is_whitespace()).map_or(0, |place| place + 1),
    };
    let words: Vec<&str> = inside[..start].split_whitespace().collect();
    let (what, start) = (&inside[start..], command + start);
    let Some((verb, rest)) = words.split_first() else {
        return (start, matching(what, COMMANDS.iter().map(|command| command.name)));
    };
    let last = rest.last().copied().unwrap_or(verb);
    let texts = |list: &[&str]| matching(what, list.iter().copied());
    let of = |list: &[String]| matching(what, list.iter().map(String::as_str));
    let both = || of(&[names.tables.as_slice(), &names.models].concat());
    let is_first = rest.is_empty();
    match (*verb, last) {
        (_, "to") | ("source", _) => files(what, start),
        ("load", _) => {
            let (start, mut found) = files(what, start);
            if !is_first && "as".starts_with(what) {
                found.push("as ".to_owned());
            }
            (start, found)
        }
        (_, "as") => (start, Vec::new()),
        ("help", _) if is_first => (start, matching(what, COMMANDS.iter().map(|command| command.name))),
        ("set", "errors") => (start, texts(&["stop", "continue"])),
        ("set", _) if is_first => (start, texts(&["seed", "errors"])),
        ("merge", _) => (start, of(&[names.tables.clone(), vec!["as".to_owned()]].concat())),
        ("subset" | "transform", _) if is_first => (start, of(&names.tables)),
        ("subset" | "transform", _) => part_of_formula(what, start, names, &["where", "as"]),
        ("show", _) if is_first => (start, both()),
        ("show", _) => (start, texts(&["rows"])),
        ("plot", "x" | "by") => (start, of(&names.columns)),
        ("plot", _) if is_first => (start, both()),
        ("plot", _) => (start, texts(&["x", "by", "to"])),
        ("save", _) if is_first => {
            (start, of(&[names.tables.as_slice(), &names.models, &["session".to_owned()]].concat()))
        }
        ("save", _) => (start, texts(&["to"])),
        ("fit", "in") => (start, of(&names.tables)),
        ("fit", "metric") => (start, of(&names.columns)),
        ("fit", "method") => (start, texts(&["auto", "regimes", "segments", "steps", "single"])),
        ("fit", "signs") => (start, texts(&["auto", "nonneg", "free"])),
        ("fit", "weights") => (start, texts(&["relative", "none", "sqrt"])),
        ("fit", "aggregate") => (start, texts(&["median", "q25", "min", "max", "mean"])),
        ("fit", "ranks") => (start, texts(&["all", "max", "mean"])),
        ("fit", "formula") => part_of_formula(what, start, names, &[]),
        ("fit", "seg") => part_of_formula(what, start, names, &["auto"]),
        ("fit", _) => {
            const OPTIONS: [&str; 11] =
                ["in", "formula", "metric", "seg", "method", "signs", "weights", "aggregate", "ranks", "level", "as"];
            let mut list: Vec<String> = OPTIONS.iter().map(|option| (*option).to_owned()).collect();
            if is_first {
                list.extend(names.experiments.iter().cloned());
            }
            (start, of(&list))
        }
        ("segments" | "constants", _) if is_first => (start, of(&names.models)),
        ("predict", "at") => part_of_formula(what, start, names, &[]),
        ("predict", _) if is_first => (start, of(&[names.models.clone(), vec!["at".to_owned()]].concat())),
        ("predict", _) => part_of_formula(what, start, names, &["at", "level"]),
        ("validate", _) if is_first => {
            (start, of(&[names.models.clone(), vec!["folds".to_owned(), "hold".to_owned()]].concat()))
        }
        ("validate", _) => part_of_formula(what, start, names, &["folds", "hold"]),
        ("eval", "in") => (start, of(&names.tables)),
        ("eval", _) => {
            let all = Names { columns: [names.columns.as_slice(), &names.models].concat(), ..Names::default() };
            part_of_formula(what, start, &all, &["at", "in"])
        }
        ("suggest", _) if is_first => {
            (start, of(&[names.models.clone(), vec!["runs".to_owned(), "to".to_owned()]].concat()))
        }
        ("suggest", _) => (start, texts(&["runs", "to"])),
        _ => (start, Vec::new()),
    }
}

/// Where the command before the cursor begins, and the quote that is open there.
fn last_command(before: &str) -> (usize, Option<usize>) {
    let (mut command, mut quote): (usize, Option<(char, usize)>) = (0, None);
    for (place, letter) in before.char_indices() {
        match (quote, letter) {
            (_, '\n') => (command, quote) = (place + 1, None),
            (Some((open, _)), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, ';') => command = place + 1,
            (None, '"' | '\'') => quote = Some((letter, place)),
            (None, _) => {}
        }
    }
    (command, quote.map(|(_, place)| place))
}

/// Behind `==` and an open quote: the texts that a column may hold.
fn labels(before: &str, names: &Names) -> Option<(usize, Vec<String>)> {
    let place = before.rfind(['"', '\''])?;
    let compares = before[..place].trim_end();
    if !(compares.ends_with("==") || compares.ends_with("!=")) {
        return None;
    }
    let (what, quote) = (&before[place + 1..], &before[place..=place]);
    let found = names.labels.iter().filter(|label| label.starts_with(what)).take(MOST);
    Some((place + 1, found.map(|label| format!("{label}{quote} ")).collect()))
}

/// A name inside of a formula or of a list of targets: behind an operator, too. In quotes functions, too.
fn part_of_formula(what: &str, start: usize, names: &Names, words: &[&str]) -> (usize, Vec<String>) {
    let inner = |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.');
    let cut = what.rfind(inner).map_or(0, |place| place + what[place..].chars().next().map_or(1, char::len_utf8));
    let part = &what[cut..];
    let mut found: Vec<String> =
        names.columns.iter().filter(|name| name.starts_with(part)).take(MOST).cloned().collect();
    if what.starts_with(['"', '\'']) && !part.is_empty() {
        let functions = Function::ALL.iter().map(|function| function.name());
        found.extend(functions.filter(|name| name.starts_with(part)).map(|name| format!("{name}(")));
    }
    if cut == 0 {
        found.extend(matching(part, words.iter().copied()));
    }
    (start + cut, found)
}

fn matching<'a>(what: &str, all: impl Iterator<Item = &'a str>) -> Vec<String> {
    all.filter(|name| name.starts_with(what)).take(MOST).map(|name| format!("{name} ")).collect()
}

/// Files and folders whose path begins so; folders end in a slash.
fn files(what: &str, start: usize) -> (usize, Vec<String>) {
    let bare = what.strip_prefix(['"', '\'']).unwrap_or(what);
    // A file in quotes ends with its quote: a blank would be part of its name.
    let end = if bare.len() < what.len() { format!("{} ", &what[..1]) } else { " ".to_owned() };
    let start = start + (what.len() - bare.len());
    let (folder, prefix) = match bare.rfind('/') {
        Some(place) => bare.split_at(place + 1),
        None => ("", bare),
    };
    let listed = if folder.is_empty() { Path::new(".") } else { Path::new(folder) };
    let Ok(entries) = std::fs::read_dir(listed) else { return (start, Vec::new()) };
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_wanted = name.starts_with(prefix) && (!name.starts_with('.') || prefix.starts_with('.'));
            let is_folder = entry.path().is_dir();
            is_wanted.then(|| format!("{folder}{name}{}", if is_folder { "/" } else { &end }))
        })
        .take(MOST)
        .collect();
    found.sort();
    (start, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect();
        Names {
            tables: list("runs run2"),
            models: list("model"),
            columns: list("n nodes P time_s"),
            experiments: list("fft F"),
            labels: list("fft F ok"),
        }
    }

    fn offers(line: &str) -> (usize, Vec<String>) {
        let (start, found) = candidates(line, line.len(), &names());
        (start, found.into_iter().map(|text| text.trim_end().to_owned()).collect())
    }

    #[test]
    fn each_place_offers_what_may_stand_there() {
        let is = |line: &str, start: usize, wanted: &[&str]| {
            assert_eq!(offers(line), (start, wanted.iter().map(|text| (*text).to_owned()).collect()), "{line}");
        };
        is("s", 0, &["subset", "show", "segments", "suggest", "save", "source", "set"]);
        is("load x; se", 8, &["segments", "set"]);
        is("show ru", 5, &["runs", "run2"]);
        is("show m", 5, &["model"]);
        is("predict m", 8, &["model"]);
        is("fit ff", 4, &["fft"]);
        is("fit fft in ", 11, &["runs", "run2"]);
        is("fit fft si", 8, &["signs"]);
        is("fit fft signs n", 14, &["nonneg"]);
        is("fit fft seg n/P,no", 16, &["nodes"]);
        is("predict model at n=4,P", 21, &["P"]);
        is("subset runs where ti", 18, &["time_s"]);
        is("save ses", 5, &["session"]);
        is("help seg", 5, &["segments"]);
        is("plot model by n", 14, &["n", "nodes"]);
        is("fit fft as ", 11, &[]);
        is("nonsense x", 9, &[]);
        is("validate model hold \"P > 4 and no", 31, &["nodes"]);
        is("fit formula \"c[0]*lo", 18, &["log(", "log2(", "log10("]);
        is("subset runs where region == \"f", 29, &["fft\""]);
        is("subset runs where \"region != 'o", 30, &["ok'"]);
        is("eval mod", 5, &["model"]);
    }

    #[test]
    fn files_are_offered_with_their_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display().to_string();
        std::fs::create_dir(folder.path().join("traces")).expect("made");
        std::fs::write(folder.path().join("traces/fft.cll.1.csv"), "").expect("written");
        let (start, found) = candidates(&format!("load {path}/tr"), 8 + path.len(), &names());
        assert_eq!((start, found), (5, vec![format!("{path}/traces/")]));
        let line = format!("save model to \"{path}/traces/f");
        let (start, found) = candidates(&line, line.len(), &names());
        assert_eq!((start, found), (15, vec![format!("{path}/traces/fft.cll.1.csv\" ")]));
        std::fs::write(folder.path().join("traces/my runs.csv"), "").expect("written");
        let line = format!("load \"{path}/traces/my r");
        let (start, found) = candidates(&line, line.len(), &names());
        assert_eq!((start, found), (6, vec![format!("{path}/traces/my runs.csv\" ")]));
        assert_eq!(candidates("load /no/such/f", 15, &names()).1.len(), 0);
    }
}

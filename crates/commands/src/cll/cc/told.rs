//! Messages about a call of the compiler, kept for the report.

use super::place::{Shadow, write};
use super::say;
use super::settings::Settings;
use super::translate::Translated;
use runcast_call::compiler::{Closure, Line, normal};
use runcast_call::translate::fnv;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A source and what it records.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceEntry {
    pub file: String,
    pub objects: Vec<String>,
    pub experiments: Vec<ExperimentEntry>,
    pub refused: Vec<RefusedEntry>,
    /// Whether its object has a run-time library of its own, compiled with it.
    pub whole: bool,
}

/// An experiment and where its regions are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExperimentEntry {
    pub name: String,
    pub formula: Option<String>,
    pub sites: Vec<SiteEntry>,
}

/// A region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteEntry {
    pub file: String,
    pub begin_line: u64,
    pub end_line: u64,
}

/// A region that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedEntry {
    pub name: String,
    pub line: u64,
    pub code: String,
}

/// A file of the index: one for a source and what is made of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    pub compiler: String,
    pub source: SourceEntry,
}

/// Names the regions that are left out, as a compiler would.
pub fn refusals(translated: &Translated, settings: &Settings) {
    let kind = if settings.strict { "error" } else { "warning" };
    if settings.quiet && !settings.strict {
        return;
    }
    for (file, name, why) in translated.refusals() {
        let (line, column) = (why.line.unwrap_or(1), why.column.unwrap_or(1));
        let reason = why.hint.as_ref().unwrap_or(&why.message);
        let name = if name.is_empty() { String::new() } else { format!("region \"{name}\" is not recorded: ") };
        say(&format!("{}:{line}:{column}: {kind}: {name}{}: {reason} [cll]", file.name.display(), why.code));
    }
    let others = translated.files.iter().flat_map(|file| &file.made.warnings);
    for warning in others.chain(&translated.warnings) {
        let place = warning.file.as_deref().map_or(String::new(), |file| match warning.line {
            Some(line) => format!("{file}:{line}: "),
            None => format!("{file}: "),
        });
        say(&format!("{place}warning: {} [cll]", warning.message));
    }
}

/// Keeps what each source of a call records.
pub fn keep(line: &Line, closure: &Closure, translated: &Translated, place: &Shadow, objects: &[PathBuf], whole: bool) {
    let from = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &Path| normal(&from.join(path)).display().to_string();
    for (number, source) in line.sources.iter().enumerate() {
        if !closure.nodes.get(number).is_some_and(|node| node.ours) {
            continue;
        }
        let file = if source.name == "-" { "<stdin>".to_owned() } else { absolute(Path::new(&source.name)) };
        let object = objects.get(number).or(objects.first().filter(|_| objects.len() == 1));
        let object = object.cloned().or(line.output.clone().map(PathBuf::from));
        let mut entry = SourceEntry {
            objects: object.iter().map(|object| absolute(object)).collect(),
            file,
            experiments: Vec::new(),
            refused: Vec::new(),
            whole,
        };
        for part in reached(closure, number) {
            let Some(found) = translated.files.iter().find(|file| file.node == part) else { continue };
            let file = closure.nodes[part].path.display().to_string();
            for made in &found.made.experiments {
                let sites = made.sites.iter().map(|site| SiteEntry {
                    file: file.clone(),
                    begin_line: site.begin_line,
                    end_line: site.end_line,
                });
                match entry.experiments.iter_mut().find(|known| known.name == made.name) {
                    Some(known) => known.sites.extend(sites),
                    None => entry.experiments.push(ExperimentEntry {
                        name: made.name.clone(),
                        formula: made.formula.clone(),
                        sites: sites.collect(),
                    }),
                }
            }
            entry.refused.extend(found.made.refused.iter().map(|(name, why)| RefusedEntry {
                name: name.clone(),
                line: why.line.unwrap_or(1),
                code: why.code.clone(),
            }));
        }
        let compiler =
            line.words.get(line.compiler).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let key = fnv(format!("{}\n{}", entry.file, entry.objects.join("\n")).as_bytes());
        if let Ok(text) = serde_json::to_vec(&Entry { compiler, source: entry }) {
            let _ = write(&place.index().join(format!("{key:016x}.json")), &text);
        }
    }
}

/// A source and what it includes.
fn reached(closure: &Closure, source: usize) -> Vec<usize> {
    let mut reached = vec![source];
    let mut at = 0;
    while at < reached.len() {
        for target in closure.nodes[reached[at]].targets.iter().flatten() {
            if !reached.contains(&target.node) && closure.nodes[target.node].ours {
                reached.push(target.node);
            }
        }
        at += 1;
    }
    reached
}

//! `save`: tables, models, and the commands so far.

use super::grammar::Command;
use super::outcome::Outcome;
use super::runs::Runs;
use super::session::{Logged, Named, Session};
use crate::context::Context;
use crate::document::Document;
use crate::failure::Failure;
use runcast_call::trace;
use runcast_core::Problem;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Writes a table or a model.
///
/// # Errors
/// The name of the file is not one for this, or it cannot be written.
pub fn named(named: Named<'_>, path: &Path, context: &mut Context) -> Result<Outcome, Failure> {
    let (kind, name, bytes) = match named {
        Named::Table(name, runs) => ("table", name, table(runs, path)?),
        Named::Model(name, kept) => {
            let extension = extension(path);
            if ["csv", "jsonl", "svg", "png", "llac"].contains(&extension.as_str()) {
                let problem = Problem::new("bad_extension", format!("{name} is a model, which is written as JSON"));
                return Err(problem.at("to").value(path.display().to_string()).allowed("FILE.json").into());
            }
            ("model", name, Document::new(kept.document()).pretty()?)
        }
    };
    context.write(path, bytes)?;
    let file = path.display().to_string();
    Ok(Outcome::of(&json!({ "saved": name, "kind": kind, "file": file }))?.noted(format!("wrote {file}")))
}

fn table(runs: &Runs, path: &Path) -> Result<Vec<u8>, Failure> {
    let table = &runs.table;
    let mut bytes = Vec::new();
    let written = match extension(path).as_str() {
        "jsonl" => table.write_jsonl(&mut bytes),
        "json" | "svg" | "png" | "llac" => {
            let problem = Problem::new("bad_extension", "a table is written as CSV or as JSON Lines").at("to");
            return Err(problem.value(path.display().to_string()).allowed("FILE.csv, FILE.jsonl").into());
        }
        _ => {
            bytes.extend(head(runs));
            let written = table.write_csv(&mut bytes);
            if runs.is_trace() {
                bytes.extend(format!("# end: {}\n", json!({ "rows": table.rows() })).into_bytes());
            }
            written
        }
    };
    written.map_err(|error| Failure::writing(path, &error))?;
    Ok(bytes)
}

/// What the heads of traces say goes with their rows: formulas, and that `rank` and `visit` are no parameters.
fn head(runs: &Runs) -> Vec<u8> {
    let mut text = String::new();
    if runs.is_trace() {
        text.push_str(&format!("# cll-trace: {}\n", trace::VERSION));
    }
    for experiment in runs.metadata.experiments.values() {
        let line = json!({
            "name": experiment.name,
            "formula": experiment.template.as_ref().map_or_else(String::new, ToString::to_string),
            "file": experiment.file,
            "line": experiment.line,
            "names": experiment.names,
            "seg": experiment.seg,
            "at": if experiment.at_end { "end" } else { "begin" },
            "exits": if experiment.exits_ok { "ok" } else { "drop" },
            "mode": experiment.mode,
        });
        text.push_str(&format!("# experiment: {line}\n"));
    }
    if let Some(roles) = &runs.table.roles {
        let texts = |pairs: Vec<(String, String)>| -> Map<String, Value> {
            pairs.into_iter().map(|(name, text)| (name, text.into())).collect()
        };
        let counters = runs.metadata.counters.iter().map(|(name, why)| (name.clone(), format!("n/a: {why}")));
        let line = json!({
            "params": roles.parameters,
            "metrics": roles.metrics,
            "units": texts(roles.units.clone()),
            "counters": texts(counters.collect()),
        });
        text.push_str(&format!("# roles: {line}\n"));
    }
    text.into_bytes()
}

/// Writes the commands so far as a script, which makes the same session.
///
/// # Errors
/// It cannot be written.
pub fn session(session: &Session, path: &Path, context: &mut Context) -> Result<Outcome, Failure> {
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    let mut text = format!("# runcast {}: runcast llac FILE makes this session again\n", crate::VERSION);
    for logged in session.log() {
        text.push_str(&format!("{}\n", relocated(logged, &folder)));
    }
    let commands = session.log().len();
    context.write(path, text.into_bytes())?;
    let file = path.display().to_string();
    let outcome = Outcome::of(&json!({ "saved": "session", "kind": "session", "file": file, "commands": commands }))?;
    Ok(outcome.noted(format!("wrote {file}")))
}

/// The command with the names of its files as they are seen from a folder.
fn relocated(logged: &Logged, folder: &Path) -> Command {
    let place = |file: &String| {
        let from = logged.folder.join(file);
        if logged.folder == folder || file == "-" {
            return file.clone();
        }
        let (Ok(from), Ok(folder)) = (std::path::absolute(&from), std::path::absolute(folder)) else {
            return file.clone();
        };
        from.strip_prefix(&folder).unwrap_or(&from).display().to_string()
    };
    let mut command = logged.command.clone();
    match &mut command {
        Command::Load { files, .. } => files.iter_mut().for_each(|file| *file = place(file)),
        Command::Suggest { to: Some(to), .. } | Command::Plot { to: Some(to), .. } => *to = place(to),
        _ => {}
    }
    command
}

/// The end of a file's name, in small letters.
pub fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

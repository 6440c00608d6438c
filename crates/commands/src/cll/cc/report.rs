//! What the wrapper does besides compiling: a report, scripts for builds, cleaning.

use super::place::Shadow;
use super::settings::Settings;
use super::told::{Entry, SourceEntry};
use super::undone;
use crate::failure::Failure;
use crate::output::Output;
use runcast_core::{Problem, Warning};
use serde::Serialize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The document of `cll cc --report`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    /// The folder of translations; null if there is none.
    shadow: Option<String>,
    compilers: Vec<String>,
    sources: Vec<SourceEntry>,
    warnings: Vec<Warning>,
}

/// What sources under the current folder record.
///
/// # Errors
/// None at present.
pub fn report(settings: &Settings) -> Result<Output, Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut document = Document {
        kind: "cll-cc",
        version: 1,
        shadow: None,
        compilers: Vec::new(),
        sources: Vec::new(),
        warnings: Vec::new(),
    };
    let index = settings.shadows.iter().map(|folder| Shadow::version(folder)).find(|root| root.join("index").is_dir());
    let mut entries = index.as_deref().map(entries).unwrap_or_default();
    entries.retain(|entry| Path::new(&entry.source.file).starts_with(&here) && Path::new(&entry.source.file).is_file());
    entries.sort_by(|a, b| (&a.source.file, &a.source.objects).cmp(&(&b.source.file, &b.source.objects)));
    document.shadow = index.map(|root| root.display().to_string());
    for entry in entries {
        if !document.compilers.contains(&entry.compiler) {
            document.compilers.push(entry.compiler);
        }
        match document.sources.iter_mut().find(|known| known.file == entry.source.file) {
            Some(known) => known.objects.extend(entry.source.objects),
            None => document.sources.push(entry.source),
        }
    }
    let human = text(&document, &here);
    if document.sources.is_empty() {
        let message = "no source in this folder was compiled with regions";
        document.warnings.push(Warning::new("nothing_recorded", message));
    }
    let warnings = document.warnings.clone();
    Ok(Output::of(document).human(human).warned(warnings))
}

fn entries(root: &Path) -> Vec<Entry> {
    let Ok(files) = std::fs::read_dir(root.join("index")) else { return Vec::new() };
    files.filter_map(|file| serde_json::from_slice(&std::fs::read(file.ok()?.path()).ok()?).ok()).collect()
}

fn text(document: &Document, here: &Path) -> String {
    let short =
        |file: &str| Path::new(file).strip_prefix(here).map_or(file.to_owned(), |path| path.display().to_string());
    let mut text = String::new();
    for source in &document.sources {
        text += &format!("{}\n", short(&source.file));
        for experiment in &source.experiments {
            let formula = experiment.formula.as_deref().unwrap_or("time only");
            text += &format!("  {}: {formula}\n", experiment.name);
            for site in &experiment.sites {
                text += &format!("    {}, lines {}-{}\n", short(&site.file), site.begin_line, site.end_line);
            }
        }
        for refused in &source.refused {
            text += &format!("  {}: not recorded: {} in line {}\n", refused.name, refused.code, refused.line);
        }
    }
    text
}

/// Removes the translations of this version.
///
/// # Errors
/// They cannot be removed.
pub fn clean(settings: &Settings) -> Result<Output, Failure> {
    let mut output = Output::default();
    for root in
        settings.shadows.iter().map(|folder| Shadow::version(folder)).filter(|root| root.join("include").is_dir())
    {
        std::fs::remove_dir_all(&root).map_err(|error| undone("translations are not removed", &root, &error))?;
        output = output.noted(format!("removed {}", root.display()));
    }
    Ok(output)
}

/// Compilers that get a script without being asked for.
const USUAL: [&str; 8] = ["cc", "c++", "gcc", "g++", "clang", "clang++", "mpicc", "mpicxx"];

/// Writes a script for each compiler, for builds that split no words.
///
/// # Errors
/// A name has a folder in it; a script cannot be written.
pub fn install(folder: &Path, names: &[PathBuf], executable: &Path) -> Result<Output, Failure> {
    let found = |name: &&str| runcast_bench::find_program(name).is_some();
    let names: Vec<String> = match names {
        [] => USUAL.iter().filter(|name| found(name)).map(|name| (*name).to_owned()).collect(),
        names => names.iter().map(|name| name.display().to_string()).collect(),
    };
    std::fs::create_dir_all(folder).map_err(|error| undone("the folder cannot be made", folder, &error))?;
    let mut output = Output::default();
    for name in &names {
        if name.is_empty() || name.contains(['/', '\'']) {
            let problem = Problem::new("bad_value", format!("\"{name}\" is not the name of a compiler")).at("NAME");
            return Err(problem.hint("give names such as gcc, which are found on PATH").into());
        }
        let path = folder.join(format!("cll-{name}"));
        let program = executable.display().to_string().replace('\'', "'\\''");
        let script = format!("#!/bin/sh\nexec '{program}' cll cc -- '{name}' \"$@\"\n");
        super::place::write(&path, script.as_bytes())
            .and_then(|()| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)))
            .map_err(|error| undone("the script cannot be written", &path, &error))?;
        output = output.noted(format!("wrote {}", path.display()));
    }
    Ok(output)
}

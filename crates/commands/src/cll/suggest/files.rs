//! The sources of a program: files, and those in folders.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::tables;
use runcast_call::translate::{Input, Language};
use runcast_core::Problem;
use std::path::{Path, PathBuf};

/// A source.
pub(super) struct Source {
    pub input: Input,
}

/// Folders that are looked into, one inside another.
const DEEPEST: usize = 30;
/// More sources are not read at once.
const MOST_FILES: usize = 20_000;

/// Reads all.
///
/// # Errors
/// One cannot be read, or there is none.
pub(super) fn read(paths: &[InputFile], context: &mut Context) -> Result<Vec<Source>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        if context.files.is_folder(path) {
            in_folder(path, 0, context, &mut files);
        } else {
            files.push(path.to_path_buf());
        }
    }
    let mut sources = Vec::with_capacity(files.len());
    for file in files {
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
        let text = context.read(&file)?;
        let name = tables::name_of(&file);
        let language = Language::of_name(&name);
        let input = Input::new(name, text, language);
        if let Some(problem) = input.not_source(false) {
            return Err(problem.into());
        }
        sources.push(Source { input });
    }
    if sources.is_empty() {
        let problem = Problem::new("no_source", "there is no source in C or C++ in these folders");
        return Err(problem.hint("name a folder with files such as *.c, *.cpp, *.h").into());
    }
    Ok(sources)
}

/// The sources of a folder, in the order of their names.
fn in_folder(folder: &Path, depth: usize, context: &mut Context, files: &mut Vec<PathBuf>) {
    if depth > DEEPEST || files.len() >= MOST_FILES {
        return;
    }
    // What cannot be looked into has no sources for us.
    let mut entries = context.files.list(folder).unwrap_or_default();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') {
            continue;
        }
        if context.files.is_folder(&entry) {
            in_folder(&entry, depth + 1, context, files);
        } else if is_source(&name) && files.len() < MOST_FILES {
            files.push(entry);
        }
    }
}

fn is_source(name: &str) -> bool {
    let ends = ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "C", "H"];
    name.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end))
}

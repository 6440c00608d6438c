//! Reads recordings: the joined file, or the files of ranks of a run that nobody has joined yet.

use crate::context::Context;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_record::{Recording, join, read};
use std::path::{Path, PathBuf};

/// Reads a recording: a folder that `record` has made, or one file.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn load(path: &Path, context: &mut Context) -> Result<Recording, Failure> {
    if !context.files.is_folder(path) {
        return one(path, context);
    }
    let joined = path.join("recording.rcr");
    if context.files.is_file(&joined) {
        return one(&joined, context);
    }
    let listed = context.files.list(path).map_err(|error| Failure::reading(path, &error))?;
    let mut files: Vec<PathBuf> = listed.into_iter().filter(|file| is_rank(file)).collect();
    files.sort();
    // A rank that came to its end has no use for what it had saved on the way.
    let finished: Vec<PathBuf> =
        files.iter().filter(|file| file.extension().is_some_and(|end| end == "rcr")).cloned().collect();
    files.retain(|file| finished.contains(file) || !finished.contains(&file.with_extension("rcr")));
    let parts = files.iter().map(|file| one(file, context)).collect::<Result<Vec<_>, _>>()?;
    join(parts).map_err(|problem| problem.in_file(path.display().to_string()).into())
}

fn is_rank(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let number = name.strip_prefix("rank-").and_then(|rest| rest.split_once('.'));
    number.is_some_and(|(rank, end)| rank.parse::<u32>().is_ok() && ["rcr", "part"].contains(&end))
}

fn one(path: &Path, context: &mut Context) -> Result<Recording, Failure> {
    let bytes = context.read(path)?;
    read(&bytes).map_err(|problem: Problem| problem.in_file(path.display().to_string()).into())
}

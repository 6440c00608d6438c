//! Traces of other tools, read as recordings. A file each.
//!
//! A reader makes a `Track` of each rank: calls in order, with their times. Folding, classes and everything else
//! are those of recordings. Blocks are the times between calls, in wall time where a format has no other.

mod arguments;
mod chakra;
mod dumpi;
mod liballprof;
mod otf2;
mod prv;
mod track;

use crate::{Recording, join};
use runcast_core::Problem;
use std::collections::BTreeSet;

/// Ranks of a trace.
const MOST_RANKS: usize = 1 << 20;

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The text that `otf2-print` prints of an OTF2 trace.
    Otf2,
    /// The text of `dumpi2ascii`, a file a rank.
    Dumpi,
    /// Paraver.
    Prv,
    /// Files of liballprof, one a rank.
    Liballprof,
    /// Chakra execution traces in JSON or Protocol Buffers, a file a rank.
    Chakra,
}

runcast_core::words!(Format::word: Otf2 = "otf2", Dumpi = "dumpi", Prv = "prv", Liballprof = "liballprof", Chakra = "chakra");

/// A file.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// Its name, for errors and the number of its rank.
    pub file: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// What was read.
#[derive(Debug)]
pub struct Imported {
    /// All ranks.
    pub recording: Recording,
    /// Calls of all ranks.
    pub events: u64,
    /// What the format does not say, or the reader leaves out.
    pub lost: Vec<String>,
}

/// Reads the files of a run.
///
/// # Errors
/// What is wrong in them, with file and line.
pub fn import(files: &[Text<'_>], format: Format) -> Result<Imported, Problem> {
    let mut lost = BTreeSet::new();
    let tracks = match format {
        Format::Otf2 => otf2::read(files, &mut lost)?,
        Format::Dumpi => dumpi::read(files, &mut lost)?,
        Format::Prv => prv::read(files, &mut lost)?,
        Format::Liballprof => liballprof::read(files, &mut lost)?,
        Format::Chakra => chakra::read(files, &mut lost)?,
    };
    let p = tracks.len();
    let events = tracks.iter().map(|track| track.len() as u64).sum();
    let parts = tracks.into_iter().map(|track| track.recording(p as u32, format.word())).collect();
    Ok(Imported { recording: join(parts)?, events, lost: lost.into_iter().collect() })
}

/// One file a rank: the number at the end of the name if these are 0, 1, .., else the order of the files.
fn in_order<'a>(files: &[Text<'a>]) -> Result<Vec<Text<'a>>, Problem> {
    let Some(first) = files.first() else {
        return Err(Problem::new("missing", "there is no file to read"));
    };
    if files.len() > MOST_RANKS {
        return Err(Problem::new("too_large", "a trace of more ranks is not read").in_file(first.file));
    }
    let mut numbered: Vec<(Option<usize>, Text<'a>)> = files.iter().map(|text| (number(text.file), *text)).collect();
    let mut numbers: Vec<Option<usize>> = numbered.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    if numbers.iter().enumerate().all(|(place, number)| *number == Some(place)) {
        numbered.sort_by_key(|(number, _)| *number);
    }
    Ok(numbered.into_iter().map(|(_, text)| text).collect())
}

/// The last digits of the name of a file, without its folder and extension.
fn number(file: &str) -> Option<usize> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = stem[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + stem[at..].chars().next().map_or(1, char::len_utf8));
    stem[start..end].parse().ok()
}

/// Lines with their numbers, without what ends them.
fn lines<'a>(text: &Text<'a>) -> impl Iterator<Item = (u64, std::borrow::Cow<'a, str>)> {
    let lines = text.bytes.split(|byte| *byte == b'\n').enumerate();
    lines.map(|(number, line)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (number as u64 + 1, String::from_utf8_lossy(line))
    })
}

/// What is wrong in a line.
fn wrong(file: &str, line: u64, message: &str, seen: &str, allowed: &str) -> Problem {
    let problem = Problem::new("bad_trace", message).in_file(file).at_line(line);
    problem.value(runcast_core::problem::shorten(seen, 60)).allowed(allowed)
}

#[cfg(test)]
mod tests;

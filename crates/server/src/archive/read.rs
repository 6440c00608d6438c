//! Reading an archive that may come from any source.

use crate::api::files::LARGEST_FILE;
use crate::path;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Bytes of all entries together, at most.
pub const MOST_BYTES: u64 = 256 << 20;
pub const MOST_ENTRIES: usize = 10_000;
/// Maximum number of problems reported.
const MOST_PROBLEMS: usize = 20;
/// Bits of a Unix mode that say what kind of file it is, and those of a plain file and of a folder.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// Why an archive is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is larger than allowed when unpacked, or has more entries.
    TooLarge(Problem),
    /// It is not an archive, or has entries that are no files of a project.
    Wrong(Vec<Problem>),
}

/// The files in an archive, in the order of their paths.
///
/// # Errors
/// It is refused as a whole.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Refused> {
    // What the end of the archive says is checked before its list is read into memory.
    let told = entries_told(bytes).ok_or_else(|| wrong("this is not a zip archive"))?;
    if told > MOST_ENTRIES {
        return Err(too_many(told));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| wrong(&error.to_string()))?;
    // The reader keeps one of several entries of the same name; which one, another program may see differently.
    if archive.len() != told {
        return Err(wrong("two of its entries have the same name"));
    }
    let names = look(&mut archive)?;
    let mut left = MOST_BYTES;
    let mut files = Vec::with_capacity(names.len());
    for (index, name) in names {
        let content = unpack(&mut archive, index, &name, left)?;
        left -= content.len() as u64;
        files.push((name, content));
    }
    files.sort_by_cached_key(|(name, _)| name.to_ascii_lowercase());
    Ok(files)
}

/// Looks at every entry: the number and the path of those that are files.
fn look(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<Vec<(usize, String)>, Refused> {
    let mut problems = Vec::new();
    let mut names = Vec::new();
    let mut seen: HashMap<String, String> = HashMap::new();
    for index in 0..archive.len() {
        if problems.len() >= MOST_PROBLEMS {
            break;
        }
        let entry = archive.by_index_raw(index).map_err(|error| wrong(&error.to_string()))?;
        let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let (name, is_folder) = match raw.strip_suffix('/') {
            Some(folder) => (folder.to_owned(), true),
            None => (raw, false),
        };
        let kind = entry.unix_mode().map_or(0, |mode| mode & KIND);
        let bad = |code: &str, message: &str| {
            Problem::new(code, format!("{}: {message}", shorten(&name, 100))).value(name.as_str())
        };
        if let Some(problem) = path::problem(&name, "") {
            problems.push(Problem { pointer: None, ..problem }.in_file(shorten(&name, 100)));
        } else if kind != 0 && kind != PLAIN && !(is_folder && kind == FOLDER) {
            problems.push(bad("link", "it is a link or a device, not a plain file"));
        } else if entry.encrypted() {
            problems.push(bad("encrypted", "it is encrypted"));
        } else if !is_folder {
            match seen.insert(name.to_ascii_lowercase(), name.clone()) {
                Some(other) => problems.push(bad("duplicate", &format!("{other} is the same but for case"))),
                None => names.push((index, name)),
            }
        }
    }
    for (_, name) in &names {
        let ends = name.match_indices('/').map(|(end, _)| name[..end].to_ascii_lowercase());
        for folder in ends.filter_map(|folder| seen.get(&folder)) {
            problems.push(Problem::new("path", format!("{folder} is a file, not a folder for {name}")).value(name));
        }
    }
    problems.truncate(MOST_PROBLEMS);
    if problems.is_empty() { Ok(names) } else { Err(Refused::Wrong(problems)) }
}

/// The bytes of an entry, whatever its head says of how many there are.
fn unpack(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, name: &str, left: u64) -> Result<Vec<u8>, Refused> {
    let entry = archive.by_index(index).map_err(|error| wrong(&format!("{name}: {error}")))?;
    let most = left.min(LARGEST_FILE as u64);
    let mut content = Vec::new();
    let read = entry.take(most + 1).read_to_end(&mut content);
    read.map_err(|error| wrong(&format!("{name}: {error}")))?;
    if content.len() as u64 > most {
        let problem = Problem::new("too_large", format!("{name}: the archive is too large when it is unpacked"));
        return Err(Refused::TooLarge(problem.allowed(format!(
            "{} MiB a file, {} MiB in all",
            LARGEST_FILE >> 20,
            MOST_BYTES >> 20
        ))));
    }
    Ok(content)
}

/// How many entries the end of the archive announces.
fn entries_told(bytes: &[u8]) -> Option<usize> {
    const END: &[u8; 4] = b"PK\x05\x06";
    const LENGTH: usize = 22;
    let last = bytes.len().checked_sub(LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let at = (first..=last).rev().find(|&at| bytes[at..].starts_with(END))?;
    Some(usize::from(u16::from_le_bytes([bytes[at + 10], bytes[at + 11]])))
}

fn too_many(entries: usize) -> Refused {
    let problem = Problem::new("too_large", "the archive has too many entries").value(entries.to_string());
    Refused::TooLarge(problem.allowed(format!("{MOST_ENTRIES} at most")))
}

fn wrong(message: &str) -> Refused {
    Refused::Wrong(vec![Problem::new("archive", message.to_owned())])
}

#[cfg(test)]
mod tests;

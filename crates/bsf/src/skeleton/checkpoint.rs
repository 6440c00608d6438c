//! Checkpoints: the state of a run in a file, written atomically.
//!
//! ```text
//! runcast-bsf-checkpoint\n        what it is
//! version                         4 bytes, little-endian
//! length of the rest              8 bytes
//! checksum of the rest            16 bytes, XXH3
//! name, fingerprint, state, x     as postcard writes them
//! ```
//!
//! A checkpoint is written to a temporary file, synced to disk and renamed; the one before it is kept with
//! `.previous` at the end of its name. So a valid one exists whenever the program is killed.

use super::error::RunError;
use super::norms::Norms;
use crate::cost::Collective;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8] = b"runcast-bsf-checkpoint\n";
const VERSION: u32 = 1;
const HEAD: usize = MAGIC.len() + 4 + 8 + 16;

/// State of a run between two iterations, besides its approximation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// Iterations done.
    pub iteration: u64,
    /// The job of the next one.
    pub job: usize,
    /// Of the last one.
    pub counter: u64,
    /// Wall time of all of them \[s\].
    pub elapsed_s: f64,
    pub norms: Norms,
    /// The collective, once chosen.
    pub collective: Option<Collective>,
}

/// Identity of the problem of a checkpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity<'a> {
    pub name: &'a str,
    pub fingerprint: u64,
    /// Number of jobs.
    pub jobs: usize,
}

/// The name under which the checkpoint before this one is kept.
pub(super) fn previous(file: &Path) -> PathBuf {
    with_ending(file, ".previous")
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Saves the state with its approximation.
///
/// # Errors
/// [`RunError::Checkpoint`]: it cannot be written.
pub(super) fn save<X: Serialize>(file: &Path, identity: Identity<'_>, state: &State, x: &X) -> Result<(), RunError> {
    let body = encode(identity, state, x).map_err(|error| cannot_write(file, &error.to_string()))?;
    write(file, &body).map_err(|error| cannot_write(file, &error.to_string()))
}

fn cannot_write(file: &Path, why: &str) -> RunError {
    let message = format!("the checkpoint cannot be written: {why}");
    RunError::Checkpoint { code: "cannot_write", file: file.to_owned(), message, is_input: false }
}

fn encode<X: Serialize>(identity: Identity<'_>, state: &State, x: &X) -> Result<Vec<u8>, postcard::Error> {
    let body = postcard::to_extend(&(identity.name, identity.fingerprint, state), vec![0; HEAD])?;
    let mut bytes = postcard::to_extend(x, body)?;
    let (head, body) = bytes.split_at_mut(HEAD);
    let parts: [&[u8]; 4] =
        [MAGIC, &VERSION.to_le_bytes(), &(body.len() as u64).to_le_bytes(), &xxh3_128(body).to_le_bytes()];
    head.copy_from_slice(&parts.concat());
    Ok(bytes)
}

fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = with_ending(file, ".new");
    let mut writer = File::create(&new)?;
    writer.write_all(bytes)?;
    writer.sync_all()?;
    drop(writer);
    // Between these two there is no file of this name; a resumed run then takes the previous one.
    match fs::rename(file, previous(file)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(&new, file)
}

/// Reads a checkpoint; if there is none with this name, the previous one.
///
/// # Errors
/// [`RunError::Checkpoint`]: it is missing, incomplete, or belongs to another problem.
pub(super) fn load<X: DeserializeOwned>(file: &Path, identity: Identity<'_>) -> Result<(State, X), RunError> {
    let wrong = |code, message: String| RunError::Checkpoint { code, file: file.to_owned(), message, is_input: true };
    let bytes = read(file).map_err(|error| wrong("cannot_read", format!("the checkpoint cannot be read: {error}")))?;
    let body = check(&bytes).map_err(|(code, message)| wrong(code, message))?;
    let foreign =
        |_| wrong("checkpoint_foreign", "the content of the checkpoint does not match this problem".to_owned());
    let ((name, fingerprint, state), x): ((String, u64, State), &[u8]) =
        postcard::take_from_bytes(body).map_err(foreign)?;
    if name != identity.name {
        let message = format!("the checkpoint is of the problem \"{name}\", but this is \"{}\"", identity.name);
        return Err(wrong("checkpoint_foreign", message));
    }
    if fingerprint != identity.fingerprint || state.job >= identity.jobs {
        let message = format!("the checkpoint is of \"{name}\" with another size or other parameters");
        return Err(wrong("checkpoint_foreign", message));
    }
    Ok((state, postcard::from_bytes(x).map_err(foreign)?))
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let open = File::open(file).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => File::open(previous(file)).map_err(|_| error),
        _ => Err(error),
    });
    let mut bytes = Vec::new();
    open?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The part after the head, if all of it is there.
fn check(bytes: &[u8]) -> Result<&[u8], (&'static str, String)> {
    let short = || ("checkpoint_short", format!("the checkpoint is truncated after {} bytes", bytes.len()));
    let no_checkpoint = || ("not_a_checkpoint", "the file is not a checkpoint of runcast".to_owned());
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
        return Err(no_checkpoint());
    }
    let (version, rest) = bytes.get(MAGIC.len()..).and_then(<[u8]>::split_first_chunk::<4>).ok_or_else(short)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        let message = format!("the checkpoint has version {version}; this program reads version {VERSION}");
        return Err(("checkpoint_version", message));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
    let (checksum, body) = rest.split_first_chunk::<16>().ok_or_else(short)?;
    if (body.len() as u64) < u64::from_le_bytes(*length) {
        return Err(short());
    }
    if body.len() as u64 > u64::from_le_bytes(*length) || xxh3_128(body).to_le_bytes() != *checksum {
        return Err(("checkpoint_damaged", "the checkpoint is damaged: its checksum does not match".to_owned()));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity<'_> = Identity { name: "test", fingerprint: 7, jobs: 2 };

    fn state() -> State {
        let mut norms = Norms::default();
        norms.push(0.1 + 0.2);
        State { iteration: 5, job: 1, counter: 9, elapsed_s: 1.25, norms, collective: Some(Collective::Tree) }
    }

    #[test]
    fn what_was_saved_comes_back_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("run.ck");
        let x = vec![1.0 / 3.0, f64::NAN, -0.0];
        save(&file, IDENTITY, &state(), &x).expect("saved");
        let (read, again): (State, Vec<f64>) = load(&file, IDENTITY).expect("loaded");
        assert_eq!(read, state());
        assert!(x.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn the_one_before_is_kept_and_used_when_there_is_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("run.ck");
        save(&file, IDENTITY, &state(), &1_u8).expect("saved");
        save(&file, IDENTITY, &state(), &2_u8).expect("saved");
        assert_eq!(load::<u8>(&file, IDENTITY).expect("loaded").1, 2);
        fs::remove_file(&file).expect("removed");
        assert_eq!(load::<u8>(&file, IDENTITY).expect("loaded").1, 1);
    }

    #[test]
    fn no_part_of_a_checkpoint_passes_for_one() {
        let bytes = encode(IDENTITY, &state(), &vec![1.0; 4]).expect("encoded");
        assert!(check(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert_eq!(check(&bytes[..length]).expect_err("cut").0, "checkpoint_short", "{length}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            assert!(check(&changed).is_err(), "byte {place}");
        }
    }

    #[test]
    fn another_problem_or_size_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("run.ck");
        save(&file, IDENTITY, &state(), &1_u8).expect("saved");
        let code = |identity| load::<u8>(&file, identity).expect_err("refused").code();
        assert_eq!(code(Identity { name: "other", ..IDENTITY }), "checkpoint_foreign");
        assert_eq!(code(Identity { fingerprint: 8, ..IDENTITY }), "checkpoint_foreign");
        assert_eq!(code(Identity { jobs: 1, ..IDENTITY }), "checkpoint_foreign");
        assert_eq!(load::<u8>(&folder.path().join("none"), IDENTITY).expect_err("none").code(), "cannot_read");
    }
}

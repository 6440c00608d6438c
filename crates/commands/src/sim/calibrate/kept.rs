//! `--resume`: simulations that are kept in a file, a line each, so that a search that was killed goes on where it was.

use crate::failure::Failure;
use runcast_core::Problem;
use runcast_sim::calibrate::Moments;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The first line of such a file.
const HEAD: &str = "# simulations of runcast sim calibrate: key, mean, standard deviation";

/// Simulations by key.
#[derive(Debug, Default)]
pub(super) struct Kept {
    known: HashMap<String, Moments>,
    file: Option<Mutex<File>>,
}

impl Kept {
    /// Reads the simulations of a file, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be read or written; it is another file.
    pub fn open(path: Option<&Path>) -> Result<Kept, Failure> {
        let Some(path) = path else { return Ok(Kept::default()) };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::reading(path, &error)),
        };
        // A killed run may have left half a head.
        let is_ours = text.is_empty() || text.starts_with(HEAD) || HEAD.starts_with(text.trim_end());
        if !is_ours {
            let problem = Problem::new("not_simulations", "this is no file of simulations").at("--resume");
            return Err(problem.in_file(path.display().to_string()).hint("name a new file: it is made").into());
        }
        let written = |error| Failure::writing(path, &error);
        let start = match (text.starts_with(HEAD), text.ends_with('\n')) {
            (true, true) => "",
            (true, false) => "\n",
            (false, _) => {
                std::fs::write(path, format!("{HEAD}\n")).map_err(written)?;
                ""
            }
        };
        let mut file = OpenOptions::new().append(true).open(path).map_err(written)?;
        file.write_all(start.as_bytes()).map_err(written)?;
        Ok(Kept { known: text.lines().filter_map(line).collect(), file: Some(Mutex::new(file)) })
    }

    pub fn get(&self, key: &str) -> Option<Moments> {
        self.known.get(key).copied()
    }

    /// Whether simulations are kept at all.
    pub fn is_used(&self) -> bool {
        self.file.is_some()
    }

    /// Keeps a simulation. What cannot be written is only simulated again next time.
    pub fn add(&self, key: &str, moments: Moments) {
        if let Some(file) = &self.file {
            let line = format!("{key} {:e} {:e}\n", moments.mean, moments.sd);
            let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
    }
}

/// A whole line; half ones are none.
fn line(text: &str) -> Option<(String, Moments)> {
    let mut words = text.split(' ');
    let key = words.next().filter(|key| key.len() == 32)?;
    let (mean, sd) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    words.next().is_none().then(|| (key.to_owned(), Moments { mean, sd }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_there_again_and_half_lines_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept");
        let key = |digit: char| digit.to_string().repeat(32);
        let moments = Moments { mean: 0.1 + 0.2, sd: 1e-300 };
        for killed in ["", "0123 1.0", "# simul"] {
            if killed.starts_with('#') {
                std::fs::write(&path, killed).expect("written");
            }
            Kept::open(Some(&path)).expect("opens").add(&key('a'), moments);
            let mut file = OpenOptions::new().append(true).open(&path).expect("there");
            file.write_all(killed.as_bytes()).expect("written");
            let kept = Kept::open(Some(&path)).expect("opens");
            kept.add(&key('b'), moments);
            let kept = Kept::open(Some(&path)).expect("opens");
            assert_eq!(
                (kept.get(&key('a')), kept.get(&key('b')), kept.get(&key('c'))),
                (Some(moments), Some(moments), None)
            );
        }
        std::fs::write(&path, "p,time_s\n1,2\n").expect("written");
        assert_eq!(Kept::open(Some(&path)).expect_err("another file").problems.0[0].code, "not_simulations");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "p,time_s\n1,2\n");
        assert!(!Kept::open(None).expect("none").is_used());
    }
}

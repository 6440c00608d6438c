//! Where a run that was lost goes on.

use super::Launch;
use crate::import::shell_word;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The checkpoint of a run, watched from before its start.
#[derive(Debug)]
pub struct Resume<'a> {
    checkpoint: Option<&'a Path>,
    given: Option<&'a Path>,
    /// The checkpoint, and the one before it, as they were before the run.
    before: Vec<Identity>,
}

/// Tells one version of a file from the next. A checkpoint is written to a file of its own that is then renamed.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl<'a> Resume<'a> {
    /// Notes the checkpoint as it is before the run: an old one, of another run, must not be taken for its own.
    pub fn of(launch: &Launch<'a>) -> Self {
        let before = launch.checkpoint.map_or(Vec::new(), |file| generations(file).collect());
        Resume { checkpoint: launch.checkpoint, given: launch.resume, before }
    }

    /// The file to go on from: what the run has saved, else what it was started from.
    pub fn newest(&self) -> Option<&'a Path> {
        self.saved().or(self.given)
    }

    /// The checkpoint, if this run has written it. Whoever is killed while the new one takes the place of the old one
    /// leaves the old one alone, under its other name; resuming finds it there.
    pub fn saved(&self) -> Option<&'a Path> {
        self.checkpoint.filter(|file| generations(file).next().is_some_and(|now| !self.before.contains(&now)))
    }

    /// What the user can do.
    pub fn advice(&self, command_line: &[String]) -> String {
        match (self.saved(), self.given, self.checkpoint) {
            (Some(file), ..) => {
                format!("the last checkpoint is {}; to go on: {}", file.display(), resuming(command_line, file))
            }
            (None, Some(file), _) => {
                format!("nothing was saved since {}; to go on from it: {}", file.display(), resuming(command_line, file))
            }
            (None, None, Some(file)) => format!("nothing was saved yet to {}; --retries starts anew", file.display()),
            (None, None, None) => {
                "nothing was saved; with --checkpoint FILE the run can be resumed, with --retries COUNT it does so itself"
                    .to_owned()
            }
        }
    }
}

/// The command line that resumes from a file.
fn resuming(command_line: &[String], file: &Path) -> String {
    let mut words = Vec::new();
    let mut old = command_line.iter();
    while let Some(word) = old.next() {
        match word.as_str() {
            "--resume" => _ = old.next(),
            word if word.starts_with("--resume=") => {}
            word => words.push(shell_word(word)),
        }
    }
    words.extend(["--resume".to_owned(), shell_word(&file.display().to_string())]);
    words.join(" ")
}

/// The file and the one before it, as far as they are there.
fn generations(file: &Path) -> impl Iterator<Item = Identity> {
    let mut previous = file.as_os_str().to_owned();
    previous.push(".previous");
    [file.to_owned(), PathBuf::from(previous)].into_iter().filter_map(|file| identity(&file))
}

fn identity(file: &Path) -> Option<Identity> {
    let data = fs::metadata(file).ok()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&data);
    #[cfg(not(unix))]
    let inode = 0;
    Some(Identity { modified: data.modified().ok(), length: data.len(), inode })
}

#[cfg(test)]
mod tests {
    use super::super::LaunchArgs;
    use super::*;

    fn resume_of<'a>(args: &'a LaunchArgs, file: &'a Path, resume: Option<&'a Path>) -> Resume<'a> {
        let checkpoint = Some(file);
        Resume::of(&Launch { args, workers: 1, are_equal: false, threads: 1, checkpoint, resume, iterations: None })
    }

    #[test]
    fn an_old_checkpoint_is_not_taken_for_that_of_this_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, given) = (folder.path().join("new.ck"), folder.path().join("given.ck"));
        fs::write(&file, "of another run").expect("written");
        let args = LaunchArgs::default();
        let resume = resume_of(&args, &file, Some(&given));
        assert_eq!(resume.newest(), Some(given.as_path()));
        let other = folder.path().join("temporary");
        fs::write(&other, "of another run").expect("written");
        fs::rename(&other, &file).expect("renamed");
        assert_eq!(resume.newest(), Some(file.as_path()));
    }

    #[test]
    fn a_checkpoint_that_was_just_being_replaced_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, previous) = (folder.path().join("ck"), folder.path().join("ck.previous"));
        fs::write(&file, "of another run").expect("written");
        let args = LaunchArgs::default();
        let resume = resume_of(&args, &file, None);
        fs::rename(&file, &previous).expect("renamed");
        assert_eq!(resume.newest(), None, "still that of another run");
        fs::write(&file, "of this run").expect("written");
        fs::rename(&file, &previous).expect("renamed");
        assert_eq!(resume.newest(), Some(file.as_path()));
    }

    #[test]
    fn the_command_that_resumes_names_one_file() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for line in ["runcast bsf run jacobi --resume old", "runcast bsf run --resume=old jacobi"] {
            let resumed = resuming(&words(line), Path::new("new file"));
            assert_eq!(resumed, "runcast bsf run jacobi --resume 'new file'");
        }
    }
}

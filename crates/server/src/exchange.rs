//! A project as a folder: its files as they are, the site's entries that its jobs use, and `run.sh` with their command
//! lines. Such a folder reproduces the project.

use crate::api::files::LARGEST_FILE;
use crate::archive::{MOST_BYTES, MOST_ENTRIES};
use crate::kinds;
use crate::path;
use crate::problem::ApiError;
use crate::wire::jobs::command_line;
use runcast_core::Problem;
use runcast_store::files::Applied;
use runcast_store::jobs::{self, Filter, Job};
use runcast_store::{Database, Digest, Id, StoreError, blobs, files};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The name of the script, and what its first lines are: by these it is known, and not taken for a file of the project.
const SCRIPT: &str = "run.sh";
const HEAD: &str = "#!/bin/sh\n# runcast: the command lines of a project's jobs\n";
/// How it begins: a job that fails does not keep the others from being run.
const START: &str = "set -eu\ncd \"$(dirname \"$0\")\"\nstatus=0\nruncast() { command runcast \"$@\" || status=$?; }\n";
/// The name of the script in a project that has a file of that name itself.
const OTHER_SCRIPT: &str = "run.jobs.sh";
/// Jobs that are read at once.
const PAGE: i64 = 500;
/// Where the site's entries are in a job.
const SITE_FOLDER: &str = "hardware/site/";

/// Why a project does not go out or in.
#[derive(Debug)]
pub enum Trouble {
    /// The store says no.
    Store(StoreError),
    /// The disk says no.
    Disk(io::Error),
    /// The contents of a folder cannot be a project.
    Wrong(Vec<Problem>),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::Store(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Disk(error)
    }
}

impl From<ApiError> for Trouble {
    fn from(error: ApiError) -> Self {
        Trouble::Wrong(vec![Problem::new(error.code, error.detail)])
    }
}

/// Writes a project into an empty folder: the paths that were written, in their order.
///
/// # Errors
/// The folder is not empty or cannot be written, or the database is away.
pub async fn export(db: &Database, project: &Id, folder: &Path) -> Result<Vec<String>, Trouble> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "the folder is not empty").into());
    }
    let Folder { files, script, text, .. } = self::folder(db, project).await?;
    let mut written = Vec::with_capacity(files.len() + 1);
    for (path, digest) in files {
        write(folder, &path, &blobs::get(db, &digest).await?)?;
        written.push(path);
    }
    // `--catalogue hardware` is no error in a project that has no entries yet.
    fs::create_dir_all(folder.join("hardware"))?;
    write(folder, script, text.as_bytes())?;
    make_runnable(&folder.join(script))?;
    written.push(script.to_owned());
    Ok(written)
}

/// Takes in the files of a folder: all of them, or none.
///
/// # Errors
/// What is in it that is not a file of a project, or the database is away.
pub async fn import(db: &Database, project: &Id, user: &str, folder: &Path) -> Result<Applied, Trouble> {
    let mut found = Found::default();
    found.folder(folder, "")?;
    if !found.problems.is_empty() {
        return Err(Trouble::Wrong(found.problems));
    }
    let new = kinds::of_files(db, project, found.files, "imported".to_owned()).await?;
    let applied = files::apply(db, project, user, &new, false, false).await?;
    kinds::look_again(db, project).await?;
    Ok(applied)
}

/// What the folder of a project holds.
#[derive(Debug)]
pub struct Folder {
    /// Its files, and entries of the site that its jobs use.
    pub files: BTreeMap<String, Digest>,
    /// The name of the script.
    pub script: &'static str,
    /// The script: the command line of every job.
    pub text: String,
    /// Whether there is a job at all.
    pub has_jobs: bool,
}

/// What the folder of a project holds, as it is now.
///
/// # Errors
/// The database is away.
pub async fn folder(db: &Database, project: &Id) -> Result<Folder, StoreError> {
    let mut contents: BTreeMap<String, Digest> =
        files::frozen(db, project).await?.into_iter().map(|file| (file.path, file.digest)).collect();
    let filter = Filter { project: Some(project.clone()), ..Filter::default() };
    let (mut lines, mut before) = (Vec::new(), None);
    loop {
        let page = jobs::page(db, &filter, before.as_ref(), PAGE).await?;
        // The newest come first: of the site's entries as jobs froze them the newest; a file of the project goes before them.
        for file in page.iter().flat_map(|job| &job.files).filter(|file| file.path.starts_with(SITE_FOLDER)) {
            contents.entry(file.path.clone()).or_insert_with(|| file.digest.clone());
        }
        lines.extend(page.iter().map(line));
        before = page.last().map(|job| job.id.clone());
        if page.len() < usize::try_from(PAGE).unwrap_or(0) {
            break;
        }
    }
    let has_jobs = !lines.is_empty();
    let script = if contents.contains_key(SCRIPT) { OTHER_SCRIPT } else { SCRIPT };
    lines.reverse();
    Ok(Folder { files: contents, script, text: format!("{HEAD}{START}{}\nexit $status\n", lines.concat()), has_jobs })
}

/// A job as it is typed, with its title above it.
fn line(job: &Job) -> String {
    let title: String = job.title.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\n# {} {}\n{}\n", job.id, title, command_line(&job.task_argv))
}

/// Whether a file is a script that was made here, and none of the project.
pub fn is_script(path: &str, bytes: &[u8]) -> bool {
    (path == SCRIPT || path == OTHER_SCRIPT) && bytes.starts_with(HEAD.as_bytes())
}

fn write(folder: &Path, path: &str, bytes: &[u8]) -> io::Result<()> {
    // The store holds plain paths only; a folder that others can write to must not turn one into something else.
    debug_assert!(path::problem(path, "").is_none(), "{path}");
    let file = folder.join(path);
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut options = fs::OpenOptions::new();
    io::Write::write_all(&mut options.write(true).create_new(true).open(file)?, bytes)
}

#[cfg(unix)]
fn make_runnable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_runnable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[derive(Default)]
struct Found {
    files: Vec<(String, Vec<u8>)>,
    bytes: u64,
    problems: Vec<Problem>,
}

impl Found {
    fn folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            let kind = entry.file_type()?;
            if let Some(problem) = path::problem(&path, "") {
                self.problems.push(Problem { pointer: None, ..problem }.in_file(path));
            } else if kind.is_dir() {
                self.folder(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() {
                self.file(&entry.path(), path)?;
            } else {
                self.problems.push(Problem::new("link", "it is a link or a device, not a plain file").in_file(path));
            }
        }
        Ok(())
    }

    fn file(&mut self, file: &Path, path: String) -> io::Result<()> {
        let size = fs::metadata(file)?.len();
        self.bytes += size;
        if size > LARGEST_FILE as u64 || self.bytes > MOST_BYTES || self.files.len() >= MOST_ENTRIES {
            let problem = Problem::new("too_large", "the folder is too large for a project").in_file(path);
            let allowed =
                format!("{} MiB a file, {} MiB and {MOST_ENTRIES} files in all", LARGEST_FILE >> 20, MOST_BYTES >> 20);
            self.problems.push(problem.allowed(allowed));
            return Ok(());
        }
        let bytes = fs::read(file)?;
        if !is_script(&path, &bytes) {
            self.files.push((path, bytes));
        }
        Ok(())
    }
}

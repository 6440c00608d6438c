//! `runcast serve backup`.

use crate::admin::refused;
use clap::Args;
use runcast_commands::{Failure, Output};
use runcast_core::Problem;
use runcast_store::{Database, Kind};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Where to.
#[derive(Debug, Clone, Args)]
pub struct BackupArgs {
    /// The copy; there must be no file of this name
    pub file: PathBuf,
}

impl BackupArgs {
    pub(super) async fn run(&self, db: &Database) -> Result<Output, Failure> {
        if db.kind() == Kind::Postgres {
            let problem = Problem::new("postgres", "a database of PostgreSQL is copied by its own tools");
            return Err(Failure::input(problem.hint("pg_dump --format=custom --file=FILE DATABASE-URL")));
        }
        if fs::symlink_metadata(&self.file).is_ok() {
            let problem = Problem::new("file_exists", "the file already exists");
            return Err(Failure::undone(problem.in_file(self.file.display().to_string()).hint("name another file")));
        }
        // Under its own name the copy is whole, or not there.
        let part = beside(&self.file);
        let _ = fs::remove_file(&part);
        let copied = db.copy_into(&part).await.map_err(|error| refused(&error));
        let kept = copied.and_then(|()| {
            only_ours(&part)
                .and_then(|()| fs::rename(&part, &self.file))
                .map_err(|error| Failure::writing(&self.file, &error))
        });
        if let Err(failure) = kept {
            let _ = fs::remove_file(&part);
            return Err(failure);
        }
        let bytes = fs::metadata(&self.file).map_err(|error| Failure::reading(&self.file, &error))?.len();
        let document = json!({ "kind": "serve-backup", "version": 1, "file": self.file, "bytes": bytes });
        Ok(Output::of(document).human(format!("wrote {} ({bytes} bytes)\n", self.file.display())))
    }
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// The copy has the hashes of passwords and tokens.
#[cfg(unix)]
fn only_ours(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn only_ours(_: &Path) -> std::io::Result<()> {
    Ok(())
}

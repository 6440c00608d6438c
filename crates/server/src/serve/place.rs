//! The data directory: who may read it, the token, and the lock against a second server.

use crate::serve::undone;
use runcast_commands::Failure;
use runcast_core::Problem;
use runcast_store::secret;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Place {
    folder: PathBuf,
}

/// Held while a server runs.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Place {
    /// Makes it, for this user alone; without a name it is `$XDG_DATA_HOME/runcast`.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(folder: Option<&Path>) -> Result<Self, Failure> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => usual().ok_or_else(|| {
                let problem = Problem::new("data_dir", "neither XDG_DATA_HOME nor HOME is set").at("--data-dir");
                Failure::input(problem.hint("name a folder: --data-dir DIR"))
            })?,
        };
        std::fs::create_dir_all(&folder).map_err(|error| Failure::writing(&folder, &error))?;
        only_ours(&folder, 0o700).map_err(|error| Failure::writing(&folder, &error))?;
        let folder = folder.canonicalize().map_err(|error| Failure::writing(&folder, &error))?;
        Ok(Place { folder })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where SQLite's file is.
    pub fn database(&self) -> PathBuf {
        self.folder.join("runcast.sqlite")
    }

    /// Keeps other servers away.
    ///
    /// # Errors
    /// One is here already: its pid is reported.
    pub fn lock(&self) -> Result<Lock, Failure> {
        let path = self.folder.join("lock");
        let failed = |error: io::Error| Failure::writing(&path, &error);
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.as_mut().map_err(|error| failed(io::Error::from(error.kind())))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                let text = format!("a server with process id {} uses {}", pid.trim(), self.folder.display());
                let problem = Problem::new("locked", text).at("--data-dir");
                return Err(Failure::undone(problem.hint("use that one, end it, or name another --data-dir")));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let written = file.set_len(0).and_then(|()| file.rewind());
        let written = written.and_then(|()| writeln!(file, "{}", std::process::id())).and_then(|()| file.flush());
        written.map_err(failed)?;
        let file = file.try_clone().map_err(|error| Failure::writing(&path, &error))?;
        Ok(Lock { _file: file })
    }

    /// The token, the same over restarts unless a new one is asked for.
    ///
    /// # Errors
    /// It can be neither read nor written.
    pub fn token(&self, replace: bool) -> Result<String, Failure> {
        let path = self.folder.join("token");
        if !replace {
            match std::fs::read_to_string(&path) {
                Ok(text) if text.trim().len() == 43 => {
                    only_ours(&path, 0o600).map_err(|error| Failure::writing(&path, &error))?;
                    return Ok(text.trim().to_owned());
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(undone("token", format!("{}: {error}", path.display()))),
            }
        }
        let token = secret::fresh();
        write_for_us(&path, &token).map_err(|error| Failure::writing(&path, &error))?;
        Ok(token)
    }
}

/// Writes a file beside and renames it: it is whole, and no other user could ever read it.
fn write_for_us(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    let _ = std::fs::remove_file(&beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(unix)]
fn only_ours(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it is the other system's signature")]
fn only_ours(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

fn usual() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data = data.or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let data = data.or_else(|| set("LOCALAPPDATA"));
    data.map(|data| data.join("runcast"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_told_the_pid_of_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::make(Some(folder.path())).expect("a place");
        let lock = place.lock().expect("free");
        let refused = place.lock().expect_err("taken");
        assert_eq!(refused.exit, 1);
        assert!(refused.to_string().contains(&format!("process id {} ", std::process::id())), "{refused}");
        drop(lock);
        place.lock().expect("free again");
    }

    #[cfg(unix)]
    #[test]
    fn the_token_stays_until_replaced_and_only_we_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::make(Some(&folder.path().join("a/b"))).expect("a place");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let token = place.token(false).expect("a token");
        assert_eq!(mode(place.folder()), 0o700);
        assert_eq!(mode(&place.folder().join("token")), 0o600);
        assert_eq!(place.token(false).expect("a token"), token);
        assert_ne!(place.token(true).expect("a token"), token);
    }
}

//! The folder of translations.
//!
//! ```text
//! VERSION/src/HASH/ABSOLUTE/PATH/foo.c    a translation under the source's own name
//! VERSION/include/                        the run-time library
//! VERSION/rt/KEY.o                        its cold part, compiled
//! VERSION/index/                          what was recorded, a file a source and object
//! ```
//!
//! Files are written beside their place and renamed, and only where bytes differ: whoever reads at the same time sees a
//! whole file, and caches of compilers find what they have seen.

use runcast_call::translate::fnv;
use runcast_cll::runtime::{self, FILES};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A folder of translations that can be written.
#[derive(Debug, Clone)]
pub struct Shadow {
    /// `VERSION/`
    pub root: PathBuf,
}

impl Shadow {
    /// The first of the folders that can be written, with the run-time library in it.
    ///
    /// # Errors
    /// None can be written; the error is that of the last.
    pub fn open(folders: &[PathBuf]) -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for folder in folders {
            match Self::try_open(folder) {
                Ok(shadow) => return Ok(shadow),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// The folder of this version in one that may not be there.
    pub fn version(folder: &Path) -> PathBuf {
        folder.join(env!("CARGO_PKG_VERSION"))
    }

    fn try_open(folder: &Path) -> io::Result<Self> {
        let root = std::path::absolute(Self::version(folder))?;
        let shadow = Shadow { root };
        for (name, text) in FILES {
            write(&shadow.include().join(name), text.as_bytes())?;
        }
        write(&shadow.include().join("cll_hot.h"), runtime::declarations().as_bytes())?;
        write(&shadow.include().join("rt.c"), b"#include \"cll.h\"\n")?;
        // The library may be there, and the folder be full or of another user by now.
        let probe = shadow.root.join(format!("index/{}.tmp", std::process::id()));
        std::fs::create_dir_all(shadow.index())?;
        std::fs::write(&probe, b"x")?;
        std::fs::remove_file(&probe)?;
        Ok(shadow)
    }

    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    pub fn compiled(&self) -> PathBuf {
        self.root.join("rt")
    }

    /// The folder under which the paths of sources typed like this begin; headers have no such name.
    pub fn sources(&self, typed: Option<&Path>) -> PathBuf {
        let hash = typed.map_or(0, |typed| {
            let hash = fnv(typed.as_os_str().as_bytes());
            // 0 is that of headers.
            ((hash >> 32) ^ hash) as u32 | 1
        });
        self.root.join(format!("src/{hash:08x}"))
    }
}

/// Writes a file, if it is not there with these bytes.
///
/// # Errors
/// Those of the system.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let written = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}

//! A file that a command reads.

use runcast_core::table::Source;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// From so many bytes on a file of the disk is not taken into memory.
const LARGE: u64 = 8 << 20;

/// Bytes that are looked at to see what a file is.
const LOOKED_AT: u64 = 1 << 20;

/// A file that a command reads: in memory, or on the disk where it is large. It is read as often as needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Bytes(Vec<u8>),
    Large { path: PathBuf, size: u64 },
}

impl Input {
    /// A file of the disk that is too large for memory; none for smaller ones and for pipes, which cannot be read twice.
    pub fn large(path: &Path) -> Option<Input> {
        let file = std::fs::metadata(path).ok()?;
        (file.is_file() && file.len() > LARGE).then(|| Input::Large { path: path.to_owned(), size: file.len() })
    }

    /// How it begins: a megabyte, or all of it where it is in memory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(&self) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Input::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Input::Large { path, .. } => {
                let mut bytes = Vec::new();
                File::open(path)?.take(LOOKED_AT).read_to_end(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// All of it.
    ///
    /// # Errors
    /// Those of the system, lack of memory among them.
    pub fn whole(&self) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Input::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Input::Large { path, .. } => std::fs::read(path).map(Cow::Owned),
        }
    }

    /// All of it if it may be a JSON object, else only how it begins: no table is read as a whole to see that it is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn object_or_start(&self) -> io::Result<Cow<'_, [u8]>> {
        let start = self.start()?;
        if start.trim_ascii_start().first() == Some(&b'{') { self.whole() } else { Ok(start) }
    }
}

impl Source for Input {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match self {
            Input::Bytes(bytes) => Ok(Box::new(bytes.as_slice())),
            Input::Large { path, .. } => Ok(Box::new(File::open(path)?)),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Input::Bytes(bytes) => bytes.len() as u64,
            Input::Large { size, .. } => *size,
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Input::Bytes(bytes) => Some(bytes),
            Input::Large { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_stay_on_the_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.csv");
        std::fs::write(&path, "p,time_s\n".repeat(1_000_000)).expect("written");
        let input = Input::large(&path).expect("nine megabytes");
        assert_eq!((input.size(), input.bytes()), (9_000_000, None));
        assert_eq!(input.object_or_start().expect("reads").len() as u64, LOOKED_AT);
        std::fs::write(&path, "p,time_s\n").expect("written");
        assert_eq!(Input::large(&path), None);
    }
}

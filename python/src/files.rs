//! Files that are only in memory, over those of the disk.

use runcast_commands::{Files, Input, OnDisk};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the names of files begin that are only in memory, read or written.
pub const IN_MEMORY: &str = "runcast:";

/// Files by name; whatever is not among them is on the disk. The standard input belongs to the interpreter.
#[derive(Debug, Clone, Default)]
pub struct Overlay(pub BTreeMap<PathBuf, Arc<[u8]>>);

impl Overlay {
    fn found(&self, path: &Path) -> io::Result<Option<&Arc<[u8]>>> {
        match self.0.get(path) {
            None if path.as_os_str() == "-" => {
                Err(io::Error::new(io::ErrorKind::NotFound, "the standard input belongs to the interpreter"))
            }
            found => Ok(found),
        }
    }
}

impl Files for Overlay {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        match self.found(path)? {
            Some(bytes) => Ok(bytes.to_vec()),
            None => OnDisk.read(path),
        }
    }

    fn input(&mut self, path: &Path) -> io::Result<Input> {
        match self.found(path)? {
            Some(bytes) => Ok(Input::Bytes(bytes.to_vec())),
            None => OnDisk.input(path),
        }
    }

    fn is_file(&mut self, path: &Path) -> bool {
        self.0.contains_key(path) || OnDisk.is_file(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        self.0.keys().any(|known| known != path && known.starts_with(path)) || OnDisk.is_folder(path)
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut listed: Vec<PathBuf> = self
            .0
            .keys()
            .filter_map(|known| known.strip_prefix(folder).ok()?.components().next())
            .map(|first| folder.join(first))
            .collect();
        match OnDisk.list(folder) {
            Ok(others) => listed.extend(others),
            Err(error) if listed.is_empty() => return Err(error),
            Err(_) => {}
        }
        listed.sort();
        listed.dedup();
        Ok(listed)
    }
}

//! Files that are in memory: what a job has frozen.

use super::path::normalized;
use crate::context::Files;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files by their path in the project; nothing else is there.
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    files: BTreeMap<String, Arc<[u8]>>,
}

impl InMemory {
    /// These files.
    pub fn new(files: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Self {
        InMemory { files: files.into_iter().collect() }
    }

    /// What is below a folder, with the rest of its path.
    fn below(&self, folder: &Path) -> Option<impl Iterator<Item = &str>> {
        let start = match normalized(folder)? {
            folder if folder.is_empty() => folder,
            folder => folder + "/",
        };
        let length = start.len();
        let range = self.files.range(start.clone()..).map(|(path, _)| path.as_str());
        Some(range.take_while(move |path| path.starts_with(&start)).map(move |path| &path[length..]))
    }
}

impl Files for InMemory {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let found = normalized(path).and_then(|path| self.files.get(&path).cloned());
        match found {
            Some(bytes) => Ok(bytes.to_vec()),
            None if self.is_folder(path) => Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")),
            None => Err(io::Error::new(io::ErrorKind::NotFound, "no such file or directory")),
        }
    }

    fn is_file(&mut self, path: &Path) -> bool {
        normalized(path).is_some_and(|path| self.files.contains_key(&path))
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        self.below(path).is_some_and(|mut below| below.next().is_some())
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut names: Vec<&str> = match self.below(folder) {
            Some(below) => below.filter_map(|path| path.split('/').next()).collect(),
            None => Vec::new(),
        };
        names.dedup();
        if names.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no such file or directory"));
        }
        Ok(names.into_iter().map(|name| folder.join(name)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_what_paths_say() {
        let paths = ["a/b.toml", "a/c/d.toml", "a/c/e.toml", "ab.toml"];
        let mut files = InMemory::new(paths.map(|path| (path.to_owned(), Arc::from(path.as_bytes()))));
        assert_eq!(files.read(Path::new("x/../a/b.toml")).expect("there"), b"a/b.toml");
        assert!(files.is_folder(Path::new("a")) && !files.is_folder(Path::new("ab.toml")));
        assert!(files.is_file(Path::new("./ab.toml")) && !files.is_file(Path::new("a")));
        assert_eq!(files.list(Path::new("a")).expect("a folder"), [Path::new("a/b.toml"), Path::new("a/c")]);
        assert_eq!(files.list(Path::new("")).expect("the root").len(), 2);
        assert!(files.read(Path::new("../a/b.toml")).is_err() && files.list(Path::new("z")).is_err());
    }
}

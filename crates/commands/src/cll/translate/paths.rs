//! Where translations go, and how they find the headers of their sources.

use crate::context::Files;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use runcast_call::translate::{File, Input};
use runcast_core::Problem;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// The folders of sources and of their translations.
pub struct Places {
    /// For each source, where its translation goes.
    folders: Vec<PathBuf>,
    /// For each source, the folder of its translation and its own.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Headers that are translated, too, and their translations.
    headers: HashMap<PathBuf, PathBuf>,
    /// For each source, whether it has the adapter for BSP programs beside it.
    has_adapter: Vec<bool>,
}

/// The adapter for programs in BSP style.
const ADAPTER: &str = "pub.h";

/// A file to write.
pub struct Written {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// The source that it belongs to; none for the run-time library.
    pub of: Option<usize>,
}

impl Places {
    /// Where translations of these sources go.
    pub fn of(out: Option<&Path>, paths: &[InputFile], inputs: &[Input], disk: &mut dyn Files) -> Self {
        let mut places =
            Places { folders: Vec::new(), moved: Vec::new(), headers: HashMap::new(), has_adapter: Vec::new() };
        for (path, input) in paths.iter().zip(inputs) {
            let own = path.parent().unwrap_or(Path::new("")).to_owned();
            let folder = out.map_or_else(|| own.clone(), Path::to_owned);
            places.has_adapter.push(disk.is_file(&own.join(ADAPTER)));
            let (from, to) = (real(&folder), real(&own));
            if is_translated(input) {
                places.headers.insert(real(path), from.join(input.output_name()));
            }
            places.moved.push((from, to));
            places.folders.push(folder);
        }
        places
    }

    /// # Errors
    /// A source is given twice; two sources would be written to one file, or one over a source.
    pub fn check(&self, paths: &[InputFile], inputs: &[Input], files: &[File]) -> Result<(), Failure> {
        let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
        for path in paths {
            let known = taken.insert(real(path), path);
            if known.is_some() && path.as_os_str() != "-" {
                let problem = Problem::new("file_twice", "the file is given twice").in_file(path.display().to_string());
                return Err(problem.hint("give each source once").into());
            }
        }
        for (((path, input), file), folder) in paths.iter().zip(inputs).zip(files).zip(&self.folders) {
            for name in names(input, file) {
                let target = folder.join(name);
                if let Some(other) = taken.insert(real(&target), path) {
                    let message = format!("{} would be written over {}", target.display(), other.display());
                    let problem = Problem::new("same_output", message).in_file(path.display().to_string());
                    return Err(problem.hint("rename one of them, or translate them into different folders").into());
                }
            }
        }
        Ok(())
    }

    /// The name of a header from the folder of the translation, if the header lies beside the source; that of its own
    /// translation, if it has one.
    pub fn renamed(&self, source: usize, name: &str, disk: &mut dyn Files) -> Option<String> {
        let (from, to) = self.moved.get(source)?;
        let header = to.join(name);
        if Path::new(name).is_absolute() || !disk.is_file(&header) {
            return None;
        }
        let text = match self.headers.get(&real(&header)) {
            Some(translation) => relative(from, translation).to_str()?.to_owned(),
            None if from == to => return None,
            None => relative(from, to).join(name).to_str()?.to_owned(),
        };
        (!text.contains(['"', '\n'])).then_some(text)
    }

    /// All files to write.
    ///
    /// # Errors
    /// A file of someone else is in the place of the run-time library.
    pub fn files(&self, inputs: &[Input], files: &[File], disk: &mut dyn Files) -> Result<Vec<Written>, Failure> {
        let mut written: Vec<Written> = Vec::new();
        for (index, (input, file)) in inputs.iter().zip(files).enumerate() {
            if input.is_header() && !is_translated(input) {
                continue;
            }
            let folder = &self.folders[index];
            let path = folder.join(input.output_name());
            written.push(Written { path, bytes: file.text.clone(), of: Some(index) });
            if let Some(header) = &file.header {
                let path = folder.join(input.header_name());
                written.push(Written { path, bytes: header.clone().into_bytes(), of: Some(index) });
                let mpi = matches!(file.parallel, Some("MPI" | "PUB"));
                let adapter = file.parallel == Some("PUB") && !self.has_adapter[index];
                let needed = |name: &str| match name {
                    ADAPTER => adapter,
                    "cll_mpi.h" => mpi,
                    name => name == "cll.h",
                };
                for (name, text) in runcast_cll::runtime::FILES.iter().filter(|(name, _)| needed(name)) {
                    let path = folder.join(name);
                    if !written.iter().any(|known| known.path == path) {
                        written.push(library_file(path, text, disk)?);
                    }
                }
            }
        }
        Ok(written)
    }
}

/// Whether a header has regions; others are left where they are.
fn is_translated(input: &Input) -> bool {
    input.is_header() && input.is_annotated()
}

/// The files that a source becomes.
fn names(input: &Input, file: &File) -> Vec<String> {
    let source = (!input.is_header() || is_translated(input)).then(|| input.output_name());
    let header = file.header.as_ref().map(|_| input.header_name());
    source.into_iter().chain(header).collect()
}

/// # Errors
/// There is a file of that name, and it is someone else's.
fn library_file(path: PathBuf, text: &str, disk: &mut dyn Files) -> Result<Written, Failure> {
    match disk.read(&path) {
        Ok(there) if !is_ours(&path, &there) => {
            let problem = Problem::new("would_overwrite", "the run-time library would overwrite this file");
            let hint = "rename it, or write the translations into another folder: -o DIR";
            Err(problem.in_file(path.display().to_string()).hint(hint).into())
        }
        _ => Ok(Written { path, bytes: text.as_bytes().to_vec(), of: None }),
    }
}

/// Each file of the library begins with its name in a comment, in every version.
fn is_ours(path: &Path, bytes: &[u8]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    bytes.starts_with(format!("/* {name}: ").as_bytes())
}

/// The path without links and dots, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = PathBuf::new();
    let mut known = absolute.as_path();
    loop {
        if let Ok(real) = known.canonicalize() {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
        let (Some(parent), Some(name)) = (known.parent(), known.file_name()) else { return absolute };
        rest = if rest.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(rest) };
        known = parent;
    }
}

/// How one folder is called from another; both are real.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return to.iter().collect();
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    up.chain(to[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_called_from_another_one() {
        let called = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(called("/a/b", "/a/c/d"), "../c/d");
        assert_eq!(called("/a/b", "/a"), "..");
        assert_eq!(called("/a", "/a/b"), "b");
    }
}

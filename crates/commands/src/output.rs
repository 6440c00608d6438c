//! The output of a command.

use crate::document::Document;
use crate::failure::Failure;
use crate::import::shell_word;
use crate::table_file::TableFile;
use runcast_core::roles::ReadAs;
use runcast_core::{Problem, Warning};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What comes out of a command.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// The document of `--json`; none where a command has none.
    pub document: Option<Document>,
    /// The result for people, with all its line ends.
    pub human: String,
    /// The result for people where it is a table, in place of `human`.
    pub table: Option<TableFile>,
    /// How the table of runs was read.
    pub read_as: Option<ReadAs>,
    /// What people may want to know beside the result: what was written, what to type next.
    pub notes: Vec<String>,
    /// Files to write.
    pub files: Vec<OutFile>,
    /// Folders that the command is documented to make for its files; an empty path stands for any.
    pub folders: Vec<PathBuf>,
    /// What `-o` writes, whether or not it is written.
    pub main: Option<Vec<u8>>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    /// What is wrong with the input, or what ended the work before its end, beside what there is to give.
    pub problems: Vec<Problem>,
    /// 0: done; 1: it could not be done, although there is a result; 2: the same, and the input is wrong.
    pub exit: u8,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq)]
pub struct OutFile {
    /// Where to.
    pub to: Destination,
    /// What is in it.
    pub content: Content,
}

/// Where a file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// The standard output.
    Stdout,
    /// A path.
    Path(PathBuf),
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// The document of `--json`.
    Document,
    /// These bytes.
    Bytes(Vec<u8>),
    /// A table.
    Table(TableFile),
}

impl Output {
    /// An output with this document.
    pub fn of(document: impl Serialize + Send + Sync + 'static) -> Self {
        Output { document: Some(Document::new(document)), ..Output::default() }
    }

    /// With a result for people.
    #[must_use]
    pub fn human(mut self, text: impl Into<String>) -> Self {
        self.human = text.into();
        self
    }

    /// With the answer in one sentence: the field `sentence` of the document.
    #[must_use]
    pub fn with_sentence(mut self, sentence: Option<String>) -> Self {
        if let Some(sentence) = sentence {
            self.document = self.document.map(|document| document.with("sentence", sentence));
        }
        self
    }

    /// With warnings.
    #[must_use]
    pub fn warned(mut self, warnings: impl IntoIterator<Item = Warning>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// With a note.
    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With a file of these bytes, if `-o` asks for it (`-` is the standard output).
    #[must_use]
    pub fn with_file(self, path: Option<&Path>, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let output = self.with_content(path, || Content::Bytes(bytes.clone()));
        Output { main: output.main.or(Some(bytes)), ..output }
    }

    /// With a file of these bytes, and a note that it was written.
    #[must_use]
    pub fn with_written(mut self, path: &Path, bytes: impl Into<Vec<u8>>) -> Self {
        let to = Destination::of(path);
        if to != Destination::Stdout {
            self = self.noted(format!("wrote {}", path.display()));
        }
        self.files.push(OutFile { to, content: Content::Bytes(bytes.into()) });
        self
    }

    /// With the document as a file, if `-o` asks for it (`-` is the standard output).
    #[must_use]
    pub fn with_document_file(self, path: Option<&Path>) -> Self {
        self.with_content(path, || Content::Document)
    }

    /// With a folder that is made for its files where it is missing.
    #[must_use]
    pub fn into_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// With this exit code.
    #[must_use]
    pub fn exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    fn with_content(mut self, path: Option<&Path>, content: impl FnOnce() -> Content) -> Self {
        if let Some(path) = path {
            self.files.push(OutFile { to: Destination::of(path), content: content() });
        }
        self
    }
}

impl OutFile {
    /// Writes it, unless it goes to the standard output. Folders that are missing are made inside `folders` only.
    ///
    /// # Errors
    /// It cannot be written, or its folder is missing.
    pub fn write(&self, document: Option<&Document>, folders: &[PathBuf]) -> Result<(), Failure> {
        let Destination::Path(path) = &self.to else { return Ok(()) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|_| folders.iter().any(|made| path.starts_with(made))) {
            std::fs::create_dir_all(folder).map_err(|error| Failure::writing(path, &error))?;
        }
        check_folder(path)?;
        let written = match &self.content {
            Content::Bytes(bytes) => std::fs::write(path, bytes),
            Content::Document => std::fs::write(path, document.map_or(Ok(Vec::new()), Document::pretty)?),
            Content::Table(table) => std::fs::File::create(path).and_then(|file| table.write(file)),
        };
        written.map_err(|error| Failure::writing(path, &error))
    }
}

/// Looks whether the folder of a file that is to be written is there.
///
/// # Errors
/// `missing_folder`: it is not. What stands in its place and is no folder is found when the file is written.
pub fn check_folder(path: &Path) -> Result<(), Problem> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        None => Ok(()),
        Some(folder) => {
            let message = format!("there is no folder {}", folder.display());
            let problem = Problem::new("missing_folder", message).in_file(path.display().to_string());
            Err(problem.hint(format!("mkdir -p {}", shell_word(&folder.display().to_string()))))
        }
    }
}

impl Destination {
    /// What a user means by this path: `-` is the standard output.
    pub fn of(path: &Path) -> Self {
        if path.as_os_str() == "-" { Destination::Stdout } else { Destination::Path(path.to_owned()) }
    }
}

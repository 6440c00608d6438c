//! What comes out of a command.

use crate::document::Document;
use crate::failure::Failure;
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
    /// What people may want to know beside the result: what was written, what to type next.
    pub notes: Vec<String>,
    /// Files to write.
    pub files: Vec<OutFile>,
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

    /// With the document as a file, if `-o` asks for it (`-` is the standard output).
    #[must_use]
    pub fn with_document_file(self, path: Option<&Path>) -> Self {
        self.with_content(path, || Content::Document)
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
    /// Writes it, unless it goes to the standard output; folders that are missing are made.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, document: Option<&Document>) -> Result<(), Failure> {
        let Destination::Path(path) = &self.to else { return Ok(()) };
        let pretty;
        let bytes = match &self.content {
            Content::Bytes(bytes) => bytes,
            Content::Document => {
                pretty = document.map_or(Ok(Vec::new()), Document::pretty)?;
                &pretty
            }
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(path, bytes)).map_err(|error| Failure::writing(path, &error))
    }
}

impl Destination {
    /// What a user means by this path: `-` is the standard output.
    pub fn of(path: &Path) -> Self {
        if path.as_os_str() == "-" { Destination::Stdout } else { Destination::Path(path.to_owned()) }
    }
}

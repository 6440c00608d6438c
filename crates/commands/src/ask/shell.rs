//! Command lines run on the way to an answer.

use crate::context::{Context, Files};
use crate::failure::Failure;
use crate::import::shell_word;
use crate::remote::{self, Admitted, InMemory};
use runcast_core::Problem;
use runcast_core::roles::ReadAs;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Runs command lines as jobs do, and keeps what they print under `--json`.
pub struct Shell<'a> {
    catalogues: &'a [String],
    pub context: &'a mut Context,
    /// As they are typed.
    pub commands: Vec<String>,
    /// Of these commands, in the same order.
    pub documents: Vec<Value>,
    /// How the first of them read its table.
    pub read_as: Option<ReadAs>,
    /// Command lines that were only noted; none: they are run.
    noted: Option<Vec<Vec<String>>>,
}

impl<'a> Shell<'a> {
    pub fn new(catalogues: &'a [String], context: &'a mut Context) -> Self {
        Shell { catalogues, context, commands: Vec::new(), documents: Vec::new(), read_as: None, noted: None }
    }

    /// One that notes what it would run, and answers as if it had.
    pub fn noting(catalogues: &'a [String], context: &'a mut Context) -> Self {
        Shell { noted: Some(Vec::new()), ..Shell::new(catalogues, context) }
    }

    /// What was noted.
    pub fn noted(self) -> Vec<Vec<String>> {
        self.noted.unwrap_or_default()
    }

    /// The command of a command line.
    pub fn admit(&self, argv: &[String]) -> Result<Admitted, Failure> {
        let mut argv = argv.to_vec();
        if argv.first().is_some_and(|word| word == "sim") && !self.catalogues.is_empty() {
            let added = self.catalogues.iter().flat_map(|folder| ["--catalogue".to_owned(), folder.clone()]);
            argv.extend(added);
        }
        // Files are looked for by the command itself, whose message is that of the shell.
        Ok(remote::admit(&argv, &|_| true)?)
    }

    /// Puts a file over those that there are.
    pub fn lay_over(&mut self, path: &str, text: &str) {
        let below = std::mem::replace(&mut self.context.files, Box::new(InMemory::new([])));
        self.context.files = Box::new(Laid { path: path.to_owned(), text: text.to_owned(), below });
    }

    /// Runs a command line that the answer shows.
    pub fn run(&mut self, argv: &[String]) -> Result<Value, Failure> {
        if let Some(noted) = &mut self.noted {
            noted.push(argv.to_vec());
            return Ok(json!({"time_s": 1.0, "sentence": ""}));
        }
        let document = self.look(argv)?;
        let words = std::iter::once("runcast").chain(argv.iter().map(String::as_str));
        self.commands.push(words.map(shell_word).collect::<Vec<_>>().join(" "));
        self.documents.push(document.clone());
        Ok(document)
    }

    /// Runs a command line that finds something out for the answer.
    pub fn look(&mut self, argv: &[String]) -> Result<Value, Failure> {
        let admitted = self.admit(argv)?;
        let output = admitted.command.run(self.context)?;
        if output.exit != 0
            && let Some(problem) = output.problems.into_iter().next()
        {
            return Err(Failure { exit: output.exit, ..Failure::undone(problem) });
        }
        self.read_as = self.read_as.take().or(output.read_as);
        let none = || Failure::undone(Problem::new("internal", "the command has no document"));
        output.document.ok_or_else(none)?.value()
    }
}

/// The words of a command line.
pub fn argv<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Files with one more over them.
struct Laid {
    path: String,
    text: String,
    below: Box<dyn Files + Send>,
}

impl Laid {
    fn is(&self, path: &Path) -> bool {
        remote::normalized(path).is_some_and(|path| path == self.path)
    }
}

impl Files for Laid {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if self.is(path) { Ok(self.text.clone().into_bytes()) } else { self.below.read(path) }
    }

    fn is_file(&mut self, path: &Path) -> bool {
        self.is(path) || self.below.is_file(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        self.below.is_folder(path)
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.list(folder)
    }
}

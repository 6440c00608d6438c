//! `runcast cll translate`: annotated sources into programs that write traces.

mod document;
mod headers;
mod paths;
mod words;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::output::{Content, Destination, OutFile, Output};
use crate::tables;
use clap::{Args, ValueEnum, ValueHint};
pub use document::Document;
use runcast_call::translate::{self, Input, Language};
use runcast_core::{Problem, Warning};
use std::path::{Path, PathBuf};

/// Arguments of `runcast cll translate`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct TranslateArgs {
    /// Annotated sources of one program; - is the standard input
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// Where to write; made if it is missing [default: beside each source]
    #[arg(short = 'o', long = "output", value_name = "DIR", help_heading = None::<&str>, value_hint = ValueHint::DirPath)]
    pub out: Option<OutputPath>,
    /// The language of the sources
    #[arg(long, value_name = "LANG", help_heading = None::<&str>, default_value = "auto")]
    pub lang: LanguageArg,
    /// Only say what is wrong; write nothing
    #[arg(long, help_heading = None::<&str>)]
    pub check: bool,
}

const EXAMPLES: &str = "\
Examples:
  runcast cll translate fft.c && cc fft.cll.c -lm -o fft
  runcast cll translate src/*.c -o build/cll
  runcast cll translate --check --json solver.cpp";

/// The language of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// By the end of the name: .cpp .cc .cxx .C .hpp .. are C++
    Auto,
    /// C
    C,
    /// C++
    Cpp,
}

/// Translates.
///
/// # Errors
/// Sources that cannot be read; names that would be written twice or over something else.
pub fn run(args: &TranslateArgs, context: &mut Context) -> Result<Output, Failure> {
    let mut inputs = Vec::new();
    let mut paths = Vec::new();
    let mut warnings = Vec::new();
    let mut strangers = Vec::new();
    for file in &args.files {
        let input = read(args, file, context)?;
        if let Some(problem) = input.not_source(args.lang != LanguageArg::Auto) {
            strangers.push(problem);
            continue;
        }
        if translate::is_translated(&input.text) {
            let message = "the file is a translation already, and is passed over";
            warnings.push(Warning::new("translated_already", message).in_file(input.name, 1));
            continue;
        }
        inputs.push(input);
        paths.push(file.clone());
    }
    let disk = context.files.as_mut();
    let places = paths::Places::of(args.out.as_deref(), &paths, &inputs, disk);
    let done = translate::translate(&inputs, &mut |index, name| places.renamed(index, name, disk));
    places.check(&paths, &inputs, &done.files)?;
    let problems = [strangers, done.problems].concat();
    for (input, path) in inputs.iter().zip(&paths) {
        warnings.extend(headers::warnings(input, path, &paths, context));
    }
    warnings.dedup();
    let writes = problems.is_empty() && !args.check;
    let mut document = Document::new(&inputs, &done.files, &problems);
    let mut output = Output::default();
    if writes {
        let files = places.files(&inputs, &done.files, context.files.as_mut())?;
        document.wrote(&files);
        output.folders.extend(args.out.clone().map(PathBuf::from));
        output.files = files.into_iter().map(|file| out_file(file.path, file.bytes)).collect();
    }
    output = output.human(words::text(&document, args.check)).warned(warnings.iter().cloned());
    output = output.warned(done.files.iter().flat_map(|file| file.warnings.iter().cloned()));
    document.warnings = warnings;
    output.exit = if problems.is_empty() { 0 } else { 2 };
    output.problems = problems;
    output.document = Some(crate::Document::new(document));
    Ok(output)
}

/// Reads the sources, and the headers of theirs that a translation looks at.
///
/// # Errors
/// Those that cannot be read.
pub(crate) fn read_files(args: &TranslateArgs, context: &mut Context) -> Result<(), Failure> {
    for file in &args.files {
        let input = read(args, file, context)?;
        headers::warnings(&input, file, &[], context);
    }
    Ok(())
}

fn out_file(path: PathBuf, bytes: Vec<u8>) -> OutFile {
    OutFile { to: Destination::Path(path), content: Content::Bytes(bytes) }
}

fn read(args: &TranslateArgs, file: &Path, context: &mut Context) -> Result<Input, Failure> {
    let text = context.read(file)?;
    let name = tables::name_of(file);
    let language = match args.lang {
        LanguageArg::Auto => Language::of_name(&name),
        LanguageArg::C => Language::C,
        LanguageArg::Cpp => Language::Cpp,
    };
    if file.file_name().is_none() {
        return Err(Problem::new("cannot_read", "a file is expected").in_file(name).into());
    }
    Ok(Input::new(name, text, language))
}

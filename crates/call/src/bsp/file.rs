//! Reading a program from TOML: every value with its place, and every key that is none a problem.

mod parts;
mod reader;
mod step;
mod value;

pub(super) use reader::BUILT_IN;
pub(super) use value::{Kind, number_or_formula, shown};

use super::program::{Program, Source};
use reader::{Reader, one_line};
use runcast_core::{Problem, Problems};
use toml::de::DeTable;

/// The largest file that is read, in bytes.
const LARGEST: usize = 1 << 20;

/// Reads a program.
pub(super) fn read(file: &str, text: &str) -> Result<Program, Problems> {
    if text.len() > LARGEST {
        let problem = Problem::new("too_large", format!("a program of {} bytes", text.len())).in_file(file);
        return Err(problem.allowed(format!("at most {LARGEST} bytes")).into());
    }
    let source = Source { file: file.to_owned(), text: text.to_owned() };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let place = super::program::Place { offset: Some(at), ..Default::default() };
        let mut problem = place.locate(&source, Problem::new("toml", one_line(error.message())));
        problem.pointer = None;
        problem
    })?;
    let mut reader = Reader::new(&source);
    let program = parts::program(&mut reader, document.get_ref());
    match (program, reader.into_problems()) {
        (Some(program), None) => Ok(program),
        (_, Some(problems)) => Err(problems),
        (None, None) => Err(Problem::new("toml", "the program cannot be read").in_file(file).into()),
    }
}

//! Reading a program from TOML: every value with its position, and a problem for every unknown key.

mod parts;
mod step;
mod value;
mod values;

pub(super) use value::{Kind, number_or_formula, shown};
pub(super) use values::BUILT_IN;

use super::program::Program;
use runcast_core::toml::{Reader, Source, document};
use runcast_core::{Problem, Problems};

/// Size limit of a file \[bytes\].
const LARGEST: usize = 1 << 20;

pub(super) fn read(file: &str, text: &str) -> Result<Program, Problems> {
    let source = Source { name: file, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let program = parts::program(&mut reader, &document);
    match (program, reader.take_problems()) {
        (Some(program), None) => Ok(program),
        (_, Some(problems)) => Err(problems),
        (None, None) => Err(Problem::new("toml", "the program cannot be read").in_file(file).into()),
    }
}

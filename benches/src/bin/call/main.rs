//! CALL and OBSP*: what instrumentation costs, what segmentation finds, how fast the parts are.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin call                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin call -- --write     the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin call -- overhead    one part: overhead, segments, translate, load, supersteps
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program whose result is its output")]

mod load;
mod overhead;
mod segments;
mod supersteps;
mod translate;

use runcast_benches::page;
use std::fmt::Write as _;

/// What makes a part of the section.
type Part = fn() -> Result<String, String>;

/// The parts of the section, by name.
const PARTS: [(&str, Part); 5] = [
    ("overhead", overhead::section),
    ("segments", segments::section),
    ("translate", translate::section),
    ("load", load::section),
    ("supersteps", supersteps::section),
];

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => print!("{}", section()?),
        ["--write"] => eprintln!("wrote {}", page::write("call", &section()?)?),
        [name] => {
            let part = PARTS.iter().find(|(part, _)| part == name);
            print!("{}", part.ok_or("allowed are --write and the name of a part")?.1()?);
        }
        _ => return Err("allowed are --write and the name of a part".to_owned()),
    }
    Ok(())
}

fn section() -> Result<String, String> {
    let mut text = String::from("## CALL and OBSP*\n\n");
    let _ = writeln!(text, "{}, on {}.", page::today(), page::machine());
    for (_, part) in PARTS {
        text.push('\n');
        text.push_str(&part()?);
    }
    Ok(text)
}

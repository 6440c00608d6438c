//! The skeleton and its Jacobi: bandwidth, memory, the first iteration, threads, and what an empty iteration costs.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin bsf                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin bsf -- --write     the same into docs/benchmarks.md
//! ```
//!
//! Every size is measured by a process of its own (`--child SIZE`), whose peak of memory is that of one run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program whose result is its output")]

mod child;
mod empty;
mod jacobi;
mod reader;

use runcast_benches::page;
use std::fmt::Write as _;

const USAGE: &str = "allowed are --write and --child SIZE";

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => print!("{}", section()?),
        ["--write"] => eprintln!("wrote {}", page::write("bsf", &section()?)?),
        ["--child", size] => println!("{}", child::measure(size.parse().map_err(|_| USAGE)?)?),
        _ => return Err(USAGE.to_owned()),
    }
    Ok(())
}

fn section() -> Result<String, String> {
    let mut text = String::from("## The skeleton of `runcast bsf run`\n\n");
    let _ = writeln!(text, "{}, on {}.\n", page::today(), page::machine());
    text.push_str(&jacobi::section()?);
    text.push('\n');
    text.push_str(&empty::section()?);
    Ok(text)
}

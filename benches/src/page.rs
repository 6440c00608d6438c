//! Sections of `docs/benchmarks.md` that a program writes.

use runcast_bench::{Machine, Supervised};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/benchmarks.md";

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The day, as `2026-03-01`.
pub fn today() -> String {
    let started = Supervised::new(["true"]).run_quietly().started_at_text();
    started.split('T').next().unwrap_or_default().to_owned()
}

/// This machine in a few words.
pub fn machine() -> String {
    let machine = Machine::observe();
    let kind = if machine.virtual_machine == Some(true) { "a virtual machine" } else { "a machine" };
    let threads = machine.usable_threads.map_or_else(|| "some".to_owned(), |threads| threads.to_string());
    let mut text = format!("{kind} with {threads} hardware threads ({}", machine.architecture);
    for part in [machine.cpu, machine.os].into_iter().flatten() {
        let _ = write!(text, ", {part}");
    }
    text.push(')');
    text
}

/// What makes a part of a section, with its name.
pub type Part = (&'static str, fn() -> Result<String, String>);

/// What a program does whose section has parts: tells all of it, writes all of it (`--write`), or tells the part that the
/// command line names.
///
/// # Errors
/// The command line is another, a part fails, or the page cannot be written.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "its result is its output")]
pub fn run(bin: &str, title: &str, parts: &[Part]) -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => print!("{}", section(title, parts)?),
        ["--write"] => eprintln!("wrote {}", write(bin, &section(title, parts)?)?),
        [name] => {
            let part = parts.iter().find(|(part, _)| part == name);
            print!("{}", part.ok_or("allowed are --write and the name of a part")?.1()?);
        }
        _ => return Err("allowed are --write and the name of a part".to_owned()),
    }
    Ok(())
}

fn section(title: &str, parts: &[Part]) -> Result<String, String> {
    let mut text = format!("## {title}\n\n{}, on {}.\n", today(), machine());
    for (_, part) in parts {
        text.push('\n');
        text.push_str(&part()?);
    }
    Ok(text)
}

/// Puts a section between the marks of the program `bin`, which are comments; gives back the name of the page.
///
/// # Errors
/// The page or the marks are not there, or it cannot be written.
pub fn write(bin: &str, section: &str) -> Result<&'static str, String> {
    let (begin, end) = marks(bin);
    let [before, _, after] = cut(bin)?;
    std::fs::write(root().join(PAGE), format!("{before}{begin}\n{section}\n{end}{after}"))
        .map_err(|error| format!("{PAGE}: {error}"))?;
    Ok(PAGE)
}

/// What stands between the marks of the program `bin`.
///
/// # Errors
/// The page or the marks are not there.
pub fn read(bin: &str) -> Result<String, String> {
    let [_, section, _] = cut(bin)?;
    Ok(section)
}

fn marks(bin: &str) -> (String, String) {
    let begin = format!("<!-- begin: cargo run --release -p runcast-benches --bin {bin} -- --write -->\n");
    (begin, format!("<!-- end: {bin} -->\n"))
}

/// The page before the section, the section, the page behind it.
fn cut(bin: &str) -> Result<[String; 3], String> {
    let (begin, end) = marks(bin);
    let page = std::fs::read_to_string(root().join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let found = page.split_once(&begin).and_then(|(before, rest)| {
        let (section, after) = rest.split_once(&end)?;
        Some([before, section, after].map(str::to_owned))
    });
    found.ok_or_else(|| format!("{PAGE}: the marks of the section are not there"))
}

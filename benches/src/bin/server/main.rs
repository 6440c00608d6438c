//! The web application: its queue, its server, its pages, against the goals of its specification.
//!
//! ```text
//! cargo build --release                                                       the server that is measured
//! cargo run --release -p runcast-benches --bin server                         the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin server -- --write              the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin server -- --only g3,g5         some parts
//! cargo run --release -p runcast-benches --bin server -- --quick              small sizes, to try it out
//! ```
//!
//! Everything is started here on the loopback in temporary folders, and ended. `RUNCAST_BIN` names another program.

mod bench;
mod browser;
mod children;
mod click;
mod depth;
mod disk;
mod frames;
mod load;
mod memory;
mod numbers;
mod pages;
mod paper;
mod recovery;
mod requests;
mod samples;
mod served;
mod start;
mod stored;
mod tasks;

use bench::Bench;
use runcast_benches::page;
use std::time::Instant;

/// What makes a part of the section.
type Part = fn(&Bench) -> Result<String, String>;

/// The parts of the section, by the names of their goals.
const PARTS: [(&[&str], Part); 13] = [
    (&["g1", "g2"], tasks::section),
    (&["g4"], depth::section),
    (&["g3"], children::empty),
    (&["g12"], children::scaling),
    (&["g6"], start::section),
    (&["g5"], requests::section),
    (&["g7"], memory::section),
    (&["g8"], pages::bytes),
    (&["g9"], pages::build),
    (&["g10"], click::section),
    (&["g11"], paper::section),
    (&["g13"], frames::section),
    (&["g14"], recovery::section),
];

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "its result is its output")]
fn main() -> Result<(), String> {
    let wish = wish(std::env::args().skip(1))?;
    let bench = Bench::new(wish.is_quick);
    for (names, part) in PARTS {
        if wish.only.is_empty() || names.iter().any(|name| wish.only.iter().any(|only| only == name)) {
            let begin = Instant::now();
            let text = part(&bench).map_err(|error| format!("{}: {error}", names.join(", ")))?;
            eprintln!("{}: {:.0} s", names.join(", "), begin.elapsed().as_secs_f64());
            if wish.is_written {
                write(&text)?;
            } else {
                println!("{text}");
            }
        }
    }
    Ok(())
}

/// Puts a part into the section, at once: one that fails later takes nothing with it.
fn write(part: &str) -> Result<(), String> {
    const HEADING: &str = "### ";
    let heading = part.lines().next().unwrap_or_default().to_owned();
    let section = page::read("server")?;
    let mut parts: Vec<String> =
        section.split(HEADING).skip(1).map(|part| format!("{HEADING}{}", part.trim_end())).collect();
    let part = format!("{}\n\nMeasured on {}.", part.trim_end(), page::today());
    match parts.iter_mut().find(|there| there.starts_with(&heading)) {
        Some(there) => *there = part,
        None => parts.push(part),
    }
    page::write("server", &format!("## Server\n\nOn {}.\n\n{}\n", page::machine(), parts.join("\n\n")))?;
    Ok(())
}

/// What the command line asks for.
#[derive(Default)]
struct Wish {
    only: Vec<String>,
    is_quick: bool,
    is_written: bool,
}

fn wish(mut words: impl Iterator<Item = String>) -> Result<Wish, String> {
    let mut wish = Wish::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => wish.is_quick = true,
            "--write" => wish.is_written = true,
            "--only" => wish.only = words.next().unwrap_or_default().split(',').map(str::to_owned).collect(),
            _ => return Err(format!("{word}: allowed are --write, --quick and --only g1,g2,..")),
        }
    }
    let is_known = |only: &&String| PARTS.iter().any(|(names, _)| names.contains(&only.as_str()));
    if let Some(unknown) = wish.only.iter().find(|only| !is_known(only)) {
        return Err(format!("--only {unknown}: allowed are g1 to g14"));
    }
    if wish.is_written && wish.is_quick {
        return Err("--write writes at full size".to_owned());
    }
    Ok(wish)
}

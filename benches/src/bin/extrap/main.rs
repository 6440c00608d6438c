//! runcast beside Extra-P on the same files in one run: CPU time of whole processes, and how good the models are.
//!
//! ```text
//! python3 -m venv .venv && .venv/bin/pip install extrap==4.2.5
//! cargo build --release
//! cargo run --release -p runcast-benches --bin extrap                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin extrap -- --write     the same into docs/benchmarks.md
//! ```
//!
//! `--extrap PATH` (else `.venv/bin/extrap`), `--runcast PATH` (else the one beside this program) name the two.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program whose result is its output")]

mod exactness;
mod files;
mod speed;
mod tool;

use files::Files;
use runcast_benches::page;
use std::fmt::Write as _;
use std::path::PathBuf;
use tool::Tool;

struct Arguments {
    runcast: PathBuf,
    extrap: PathBuf,
    write: bool,
}

fn main() -> Result<(), String> {
    let arguments = arguments()?;
    let runcast = Tool::runcast(&arguments.runcast)?;
    let auto = Tool::runcast_auto(&arguments.runcast)?;
    let extrap = Tool::extrap(&arguments.extrap)?;
    let files = Files::gather()?;
    let section = section(&runcast, &auto, &extrap, &files)?;
    if arguments.write {
        eprintln!("wrote {}", page::write("extrap", &section)?);
    } else {
        print!("{section}");
    }
    Ok(())
}

fn arguments() -> Result<Arguments, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut found = Arguments {
        runcast: own.with_file_name("runcast"),
        extrap: page::root().join(".venv/bin/extrap"),
        write: false,
    };
    let mut rest = std::env::args().skip(1);
    while let Some(name) = rest.next() {
        let mut path = || rest.next().map(PathBuf::from).ok_or_else(|| format!("{name}: a path is missing"));
        match name.as_str() {
            "--runcast" => found.runcast = path()?,
            "--extrap" => found.extrap = path()?,
            "--write" => found.write = true,
            other => return Err(format!("{other}: allowed are --runcast PATH, --extrap PATH and --write")),
        }
    }
    Ok(found)
}

fn section(runcast: &Tool, auto: &Tool, extrap: &Tool, files: &Files) -> Result<String, String> {
    let mut text = String::from("## Beside Extra-P\n\n");
    let _ = writeln!(text, "{}, {} and {}, on {}.\n", page::today(), runcast.version, extrap.version, page::machine());
    text.push_str(&speed::section(runcast, auto, extrap, files)?);
    text.push('\n');
    text.push_str(&exactness::section(runcast, extrap, files)?);
    Ok(text)
}

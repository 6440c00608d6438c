//! What the pages are: bytes that are served (G8), and what it takes to build them (G9).

use crate::bench::{Bench, runs};
use crate::browser::measure;
use crate::numbers::{median, spread};
use crate::served::{folder, said};
use runcast_bench::Supervised;
use runcast_bench::supervise::Finished;
use runcast_benches::page::root;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long a step of the build may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The file that is edited before the pages are built again.
const EDITED: &str = "src/App.svelte";

/// G8.
pub fn bytes(_: &Bench) -> Result<String, String> {
    let told = measure("bytes", &[])?;
    let pages: Vec<(String, f64)> = told["pages"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|page| (page["name"].as_str().unwrap_or_default().to_owned(), page["bytes"].as_f64().unwrap_or(f64::NAN)))
        .collect();
    let first = pages.first().ok_or("no pages")?;
    let most = pages.iter().max_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no pages")?;
    let mut text = format!(
        "### Bytes of the pages (G8)\n\nJavaScript and style sheets that a browser with an empty cache asks for, as the server hands them out \
         (gzip), in thousands of bytes: every section and every editor, until nothing more is asked for, {} addresses in all.\n\n\
         | | kB | goal, kB |\n|---|--:|--:|\n| first page | {:.1} | less than 200 |\n| the most of any page: {} | {:.1} | less than 300 |\n",
        pages.len(),
        first.1 / 1e3,
        most.0,
        most.1 / 1e3,
    );
    let _ =
        writeln!(text, "| all files of all pages together | {:.1} | |", told["all"].as_f64().unwrap_or(f64::NAN) / 1e3);
    Ok(text)
}

/// G9.
pub fn build(bench: &Bench) -> Result<String, String> {
    let count = bench.of(3, 1);
    let (mut all, mut again, mut installs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let folder = folder()?;
        let web = folder.path().join("web");
        copy(&web)?;
        // As the build script of the server does it.
        let argv = "npm ci --omit=dev --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error";
        let install = cpu_s(&step(&web, argv)?)?;
        let vite = "node node_modules/vite/bin/vite.js build --logLevel warn --outDir dist --emptyOutDir";
        let first = cpu_s(&step(&web, vite)?)?;
        let source = web.join(EDITED);
        let edited = std::fs::read_to_string(&source).map_err(said)?.replacen("<script", "<!-- edited -->\n<script", 1);
        std::fs::write(&source, edited).map_err(said)?;
        installs.push(install);
        all.push(install + first);
        again.push(cpu_s(&step(&web, vite)?)?);
    }
    Ok(format!(
        "### Building the pages (G9)\n\nProcessor seconds, user and system, of what the build script of the server does: `npm ci` with \
         everything in npm's cache ({:.1} s of it), and `vite build`; and of the second step alone after an edit of `{EDITED}`; {}.\n\n\
         | | CPU s | goal |\n|---|--:|--:|\n| from a filled cache | {} | less than 30 |\n| again after one edit | {} | less than 5 |\n",
        median(&installs),
        runs(count),
        spread(&all, 1),
        spread(&again, 1),
    ))
}

/// What the pages are made from, without what was made.
fn copy(to: &Path) -> Result<(), String> {
    std::fs::create_dir(to).map_err(said)?;
    let made = ["node_modules", "dist", "tests"];
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root().join("web")).map_err(said)? {
        let entry = entry.map_err(said)?;
        if !made.iter().any(|name| entry.file_name() == *name) {
            paths.push(entry.path());
        }
    }
    let copied = Command::new("cp").arg("-r").args(paths).arg(to).status().map_err(said)?;
    if copied.success() { Ok(()) } else { Err("web/ cannot be copied".to_owned()) }
}

fn step(folder: &Path, line: &str) -> Result<Finished, String> {
    let argv = line.split(' ');
    let step = Supervised { workdir: Some(folder.to_owned()), time_limit: Some(PATIENCE), ..Supervised::new(argv) };
    let finished = step.run_quietly();
    if finished.end.is_ok() { Ok(finished) } else { Err(format!("{line}: {}", finished.stderr_tail)) }
}

fn cpu_s(finished: &Finished) -> Result<f64, String> {
    finished.cpu_s.ok_or_else(|| "the processor time was not measured".to_owned())
}

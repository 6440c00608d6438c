//! Recorded runs: for each, the supersteps of its ranks and the traces of its regions.

use crate::context::Context;
use crate::failure::Failure;
use runcast_call::bsp::learn::{Recorded, Run, procedure};
use runcast_core::Problem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run of a program.
#[derive(Debug)]
pub struct Recording {
    pub program: String,
    /// Of the region that communicates, one for each of its configurations.
    pub runs: Vec<Run>,
    pub traces: Vec<PathBuf>,
    /// It is checked with, and not learned from.
    pub held_out: bool,
}

/// The files of a run.
#[derive(Default)]
struct Files {
    events: Vec<PathBuf>,
    traces: Vec<PathBuf>,
}

impl Recording {
    /// All runs of some folders.
    pub fn all(folders: &[PathBuf], context: &mut Context) -> Result<Vec<Recording>, Failure> {
        let mut files: BTreeMap<(PathBuf, String, u64), Files> = BTreeMap::new();
        for folder in folders {
            let entries = std::fs::read_dir(folder).map_err(|error| Failure::reading(folder, &error))?;
            for path in entries.flatten().map(|entry| entry.path()) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if let Some((program, run)) = parts(&name, ".bsp.", ".txt") {
                    files.entry((folder.clone(), program, run)).or_default().events.push(path);
                } else if let Some((program, run)) = parts(&name, ".cll.", ".csv") {
                    files.entry((folder.clone(), program, run)).or_default().traces.push(path);
                }
            }
        }
        files.retain(|_, files| !files.events.is_empty());
        let mut ranks = Vec::new();
        for ((_, program, _), Files { events, traces }) in files {
            let mut of_run = Vec::new();
            for path in &events {
                of_run.push(Recorded::parse(&path.display().to_string(), &context.read_text(path)?)?);
            }
            ranks.push((program, of_run, traces));
        }
        if let Some(other) = ranks.iter().find(|(program, ..)| *program != ranks[0].0) {
            let problem = Problem::new("different", format!("runs of {} and of {}", ranks[0].0, other.0));
            return Err(problem.hint("give folders with runs of one program").into());
        }
        // A run on one process does not communicate: the region is that of the others.
        let most = ranks.iter().max_by_key(|(_, ranks, _)| ranks.len());
        let name = most.and_then(|(_, ranks, _)| procedure(ranks)).ok_or_else(|| none(folders))?;
        let made = ranks.into_iter().map(|(program, ranks, mut traces)| {
            traces.sort();
            Ok(Recording { program, runs: Run::of(&ranks, &name)?, traces, held_out: false })
        });
        made.collect()
    }
}

/// The program and the run in `NAME.bsp.RUN.r0.txt`.
fn parts(name: &str, middle: &str, end: &str) -> Option<(String, u64)> {
    let (program, rest) = name.strip_suffix(end)?.rsplit_once(middle)?;
    Some((program.to_owned(), rest.split('.').next()?.parse().ok()?))
}

fn none(folders: &[PathBuf]) -> Failure {
    let folder = folders.first().map(|folder: &PathBuf| Path::display(folder).to_string()).unwrap_or_default();
    let problem = Problem::new("no_supersteps", "no region holds a synchronization of processes").in_file(folder);
    let hint = "runs with CLL_BSP=1 of a program that uses pub.h, with a region around what communicates";
    problem.hint(hint).into()
}

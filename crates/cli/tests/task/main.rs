//! The process of a task, as workers start it: the same answers as the shell, its sandbox, its limits.

mod answers;
mod hostile;
mod isolation;
mod jobs;
mod sweep;
mod worker;

use runcast_server::task::{Event, Launcher, Limits, Outcome, Process, Spec, Stop, Work};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sweep::words;

/// The program.
fn executable() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_runcast"))
}

/// A file of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// All files below a folder, by their paths in it.
fn files_below(folder: &Path) -> Vec<(String, Arc<[u8]>)> {
    let (mut files, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(here) = waiting.pop() {
        for entry in std::fs::read_dir(here).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").display().to_string();
                files.push((name, std::fs::read(&path).expect("a file").into()));
            }
        }
    }
    files.sort();
    files
}

fn command(argv: Vec<String>, points: Option<Vec<u64>>, files: Vec<(String, Arc<[u8]>)>, limits: Limits) -> Spec {
    Spec { work: Work::Command { argv, points }, files, limits, stop: Stop::default() }
}

/// A script as an application of its own.
fn script(text: &str, limits: Limits) -> Spec {
    let files = vec![("app.luau".to_owned(), Arc::from(text.as_bytes()))];
    command(words("sim run --app app.luau --loggops L=1us,o=1us"), None, files, limits)
}

/// Runs it, and gives what came before the end, too.
async fn run(launcher: &Launcher, spec: Spec) -> (Outcome, Vec<Event>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let outcome = Process::run(launcher, spec, sender).await;
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        events.push(event);
    }
    (outcome, events)
}

//! A command as a call: it runs on other threads while the calling one waits, shows progress and looks for signals.

use super::files::{IN_MEMORY, Overlay};
use super::progress::Notes;
use super::{panics, pool};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use runcast_commands::{Content, Context, Destination, Document, Failure, Output, inside};
use runcast_core::{Problem, Problems, Warning};
use serde_json::json;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// So long the calling thread sleeps at most before it looks for signals.
const SLICE: Duration = Duration::from_millis(50);
/// So long a command that was asked to stop has, to give what it has.
const LAST_CHANCE: Duration = Duration::from_millis(120);

/// What waiting needs from the caller.
struct Waiting<'py> {
    /// Called with what is done, how much of how much.
    progress: Option<Bound<'py, PyAny>>,
    /// Has `is_set()`.
    cancel: Option<Bound<'py, PyAny>>,
    until: Option<Instant>,
}

/// How a call ended before the command was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Interrupted,
    Cancelled,
    TimeLimit,
}

impl Ended {
    fn word(self) -> &'static str {
        match self {
            Ended::Interrupted => "interrupted",
            Ended::Cancelled => "cancelled",
            Ended::TimeLimit => "time_limit",
        }
    }
}

/// What a command has come to, with what was written to memory on the way.
struct Done {
    result: Result<Output, Failure>,
    written: Vec<(PathBuf, Vec<u8>)>,
}

/// Runs a command; `files` are read and written as if they were on the disk. A name that begins with `runcast:` is never on
/// the disk.
#[pyfunction]
#[pyo3(signature = (argv, files, *, program=None, threads=0, progress=None, cancel=None, timeout_s=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn run<'py>(
    py: Python<'py>,
    argv: Vec<String>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    program: Option<PathBuf>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
    cancel: Option<Bound<'py, PyAny>>,
    timeout_s: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    let command = match inside::read(&argv) {
        Ok(command) => command,
        Err(failure) => {
            tell_failure(&answer, &failure)?;
            return Ok(answer);
        }
    };
    let notes = Notes::default();
    let mut context = Context::new();
    context.files = Box::new(Overlay(files.into_iter().map(|(path, bytes)| (path, Arc::from(bytes))).collect()));
    context.progress = Box::new(notes.clone());
    context.executable = program.unwrap_or_else(|| PathBuf::from("runcast"));
    context.command_line = std::iter::once("runcast".to_owned()).chain(argv).collect();
    let interrupt = Arc::clone(&context.interrupt);
    let threads = pool::pool(py, threads)?;
    let (sender, mut receiver) = channel();
    threads.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            let result = command.run(&mut context);
            Done { result, written: context.take_written() }
        }));
        // Nobody may be waiting any more.
        let _ = sender.send(done.map_err(|payload| panics::told(&*payload)));
    });
    let until = timeout_s
        .filter(|limit| limit.is_finite())
        .map(|limit| Instant::now() + Duration::from_secs_f64(limit.clamp(0.0, 1e9)));
    let waiting = Waiting { progress, cancel, until };
    let found = match wait(py, &mut receiver, &notes, &waiting) {
        Ok(found) => found,
        Err(error) => {
            interrupt.store(true, Ordering::Relaxed);
            pool::abandon(py);
            return Err(error);
        }
    };
    let done = match found {
        Ok(done) => Some(done),
        Err(ended) => {
            interrupt.store(true, Ordering::Relaxed);
            answer.set_item("ended", ended.word())?;
            let mine = &mut receiver;
            let done = py.detach(move || mine.recv_timeout(LAST_CHANCE)).ok();
            if done.is_none() {
                pool::abandon(py);
            }
            done
        }
    };
    match done {
        None => {}
        Some(Err(panic)) => answer.set_item("panic", panic)?,
        Some(Ok(Done { result: Err(failure), .. })) => tell_failure(&answer, &failure)?,
        Some(Ok(Done { result: Ok(output), written })) => tell(&answer, output, written)?,
    }
    Ok(answer)
}

/// What comes over the channel: what a command has come to, or what a panic said.
type Found = Result<Done, String>;

fn wait(
    py: Python<'_>,
    receiver: &mut Receiver<Found>,
    notes: &Notes,
    waiting: &Waiting<'_>,
) -> PyResult<Result<Found, Ended>> {
    let mut told = Instant::now();
    loop {
        let left = waiting.until.map_or(SLICE, |until| until.saturating_duration_since(Instant::now()).min(SLICE));
        // What one thread alone may use goes to the closure and back.
        let mine = &mut *receiver;
        match py.detach(move || mine.recv_timeout(left)) {
            Ok(found) => return Ok(Ok(found)),
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the command has no result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals() {
            let is_usual = error.is_instance_of::<PyKeyboardInterrupt>(py);
            return if is_usual { Ok(Err(Ended::Interrupted)) } else { Err(error) };
        }
        if let Some(cancel) = &waiting.cancel
            && cancel.call_method0("is_set")?.is_truthy()?
        {
            return Ok(Err(Ended::Cancelled));
        }
        if waiting.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(Err(Ended::TimeLimit));
        }
        if let Some(progress) = waiting.progress.as_ref().filter(|_| told.elapsed() >= 2 * SLICE) {
            told = Instant::now();
            let state = notes.take();
            if state.is_running {
                progress.call1((state.what, state.done, state.total))?;
            }
        }
    }
}

fn tell_failure(answer: &Bound<'_, PyDict>, failure: &Failure) -> PyResult<()> {
    answer.set_item("exit", failure.exit)?;
    answer.set_item("failed", true)?;
    answer.set_item("problems", problems(&failure.problems.0))?;
    answer.set_item("message", failure.problems.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn problems(problems: &[Problem]) -> String {
    json!(problems).to_string()
}

fn warnings(warnings: &[Warning]) -> String {
    json!(warnings).to_string()
}

/// The answer as Python sees it. Files with names of the disk are written.
fn tell(answer: &Bound<'_, PyDict>, output: Output, written: Vec<(PathBuf, Vec<u8>)>) -> PyResult<()> {
    let py = answer.py();
    let failed = |failure: Failure| PyRuntimeError::new_err(failure.to_string());
    let document = output.document.as_ref();
    let kept = PyDict::new(py);
    let mut stdout = None;
    for file in &output.files {
        let path = match &file.to {
            Destination::Path(path) if !path.to_string_lossy().starts_with(IN_MEMORY) => {
                if let Err(failure) = file.write(document, &output.folders) {
                    return tell_failure(answer, &failure);
                }
                continue;
            }
            Destination::Path(path) => path.to_string_lossy().into_owned(),
            Destination::Stdout => "-".to_owned(),
        };
        let bytes = match &file.content {
            Content::Bytes(bytes) => bytes.clone(),
            Content::Table(table) => table.to_bytes(),
            Content::Document => document.map_or(Ok(Vec::new()), Document::pretty).map_err(failed)?,
        };
        if path == "-" {
            stdout = Some(bytes);
        } else {
            kept.set_item(path, PyBytes::new(py, &bytes))?;
        }
    }
    for (path, bytes) in &written {
        kept.set_item(path.to_string_lossy(), PyBytes::new(py, bytes))?;
    }
    let table = stdout.or_else(|| output.table.as_ref().map(runcast_commands::TableFile::to_bytes));
    let text = match &table {
        Some(table) => String::from_utf8_lossy(table).into_owned(),
        None => output.human,
    };
    let bytes = |bytes: Option<Vec<u8>>| bytes.map(|bytes| PyBytes::new(py, &bytes));
    answer.set_item("exit", output.exit)?;
    let json = document.map(Document::pretty).transpose().map_err(failed)?;
    answer.set_item("document", bytes(json))?;
    answer.set_item("text", text)?;
    answer.set_item("table", bytes(table))?;
    answer.set_item("main", bytes(output.main))?;
    answer.set_item("read_as", output.read_as.map(|read_as| read_as.to_string()))?;
    answer.set_item("notes", PyList::new(py, &output.notes)?)?;
    answer.set_item("warnings", warnings(&output.warnings))?;
    answer.set_item("files", kept)?;
    answer.set_item("problems", problems(&output.problems))?;
    let Problems(all) = Problems(output.problems);
    answer.set_item("message", all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

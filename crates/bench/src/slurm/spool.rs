//! The folder through which a benchmark and its jobs talk.

use crate::error::BenchError;
use crate::journal::{Record, RunIdentity, write_whole};
use crate::machine::Machine;
use crate::measure::{Job, Measured};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The runs of one task of an array.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    version: u32,
    warmup: u32,
    runs: Vec<(RunIdentity, Job)>,
}

/// The outcome of one run.
#[derive(Debug, Serialize, Deserialize)]
struct TaskResult {
    run: RunIdentity,
    measured: Measured,
    machine: Machine,
}

/// Makes the runs of one task, inside a job; returns their number.
///
/// The batch script calls `runcast bench-task --spool SPOOL --index INDEX`, which calls this. Each result is written
/// whole or not at all; runs that have their result already (a requeued job) are not made again.
///
/// # Errors
/// The task cannot be read, or a result cannot be written.
pub fn run_task(spool: &Path, index: u32, interrupt: &AtomicBool) -> Result<usize, BenchError> {
    let path = task_path(spool, index as usize);
    let text = fs::read(&path).map_err(BenchError::io("read", &path))?;
    let task: Task = serde_json::from_slice(&text).map_err(|error| BenchError::io("read", &path)(error.into()))?;
    let machine = Machine::observe();
    let mut warm = Vec::new();
    let mut made = 0;
    for (run, job) in task.runs {
        let path = result_path(spool, &run.key);
        if path.exists() {
            continue;
        }
        if !warm.contains(&run.at) {
            warm.push(run.at.clone());
            if !(0..task.warmup).all(|_| job.warm_up(interrupt)) {
                return Ok(made);
            }
        }
        let Some(measured) = job.measure(machine.host.as_deref(), interrupt) else { return Ok(made) };
        let result = TaskResult { run, measured, machine: machine.clone() };
        let text = serde_json::to_vec(&result).map_err(|error| BenchError::io("write", &path)(error.into()))?;
        write_whole(&path, &text)?;
        made += 1;
    }
    Ok(made)
}

/// Writes tasks and batch script of an array; returns the path of the script.
pub(super) fn write_array(
    spool: &Path,
    executable: &Path,
    warmup: u32,
    tasks: Vec<Vec<(RunIdentity, Job)>>,
) -> Result<PathBuf, BenchError> {
    fs::create_dir_all(spool).map_err(BenchError::io("make", spool))?;
    for (index, runs) in tasks.into_iter().enumerate() {
        let path = task_path(spool, index);
        let text = serde_json::to_vec(&Task { version: 1, warmup, runs })
            .map_err(|error| BenchError::io("write", &path)(error.into()))?;
        fs::write(&path, text).map_err(BenchError::io("write", &path))?;
    }
    let script = spool.join("batch.sh");
    let text = format!(
        "#!/bin/sh\nexec {} bench-task --spool {} --index \"$SLURM_ARRAY_TASK_ID\"\n",
        quoted(executable),
        quoted(spool)
    );
    fs::write(&script, text).map_err(BenchError::io("write", &script))?;
    Ok(script)
}

/// The result of a run, if it is there.
pub(super) fn result(spool: &Path, key: &str) -> Result<Option<(Record, Machine)>, BenchError> {
    let path = result_path(spool, key);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(BenchError::io("read", &path)(error)),
    };
    let TaskResult { run, measured, machine } =
        serde_json::from_slice(&text).map_err(|error| BenchError::io("read", &path)(error.into()))?;
    Ok(Some((Record { run, measured }, machine)))
}

/// The file that the output of a batch script goes to, `%a` being the index.
pub(super) fn output_pattern(spool: &Path) -> PathBuf {
    spool.join("slurm-%a.out")
}

/// The end of what a batch script printed.
pub(super) fn output_tail(spool: &Path, index: usize) -> Option<String> {
    let bytes = fs::read(spool.join(format!("slurm-{index}.out"))).ok()?;
    let from = bytes.len().saturating_sub(8 * 1024);
    bytes.get(from..).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn task_path(spool: &Path, index: usize) -> PathBuf {
    spool.join(format!("task-{index}.json"))
}

fn result_path(spool: &Path, key: &str) -> PathBuf {
    spool.join(format!("result-{key}.json"))
}

/// A word of the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

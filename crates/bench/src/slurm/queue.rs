//! Talking to Slurm: `sbatch`, `squeue`, `scancel`.

use crate::supervise::Supervised;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// What `squeue` shows of our arrays, by name.
pub(super) type Queue = HashMap<String, Queued>;

/// An array in the queue.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Queued {
    /// The number that Slurm gave it.
    pub job: String,
    /// The indices that wait or run.
    pub indices: Vec<usize>,
    /// Why it may wait forever: its request fits nowhere, or it is held.
    pub stuck: Option<String>,
}

/// Prefixes of the reasons for which Slurm lets a job wait until a person intervenes.
const STUCK: [&str; 8] =
    ["Partition", "BadConstraints", "ReqNodeNotAvail", "JobHeld", "QOSMax", "AssocMax", "InvalidAccount", "InvalidQOS"];

/// The request of an array.
pub(super) struct Request<'a> {
    pub name: &'a str,
    pub tasks: usize,
    pub ntasks: &'a str,
    pub minutes: Option<u64>,
    pub output: &'a Path,
    pub options: &'a [String],
    pub script: &'a Path,
}

/// Submits an array; returns its number, or the message of `sbatch`.
pub(super) fn submit(request: &Request<'_>) -> Result<String, String> {
    let mut argv: Vec<OsString> = ["sbatch", "--parsable", "--no-requeue"].map(Into::into).to_vec();
    argv.push(format!("--job-name={}", request.name).into());
    argv.push(format!("--array=0-{}", request.tasks.saturating_sub(1)).into());
    argv.push(format!("--ntasks={}", request.ntasks).into());
    if let Some(minutes) = request.minutes {
        argv.push(format!("--time={minutes}").into());
    }
    let mut output = OsString::from("--output=");
    output.push(request.output);
    argv.push(output);
    argv.extend(request.options.iter().map(Into::into));
    argv.push(request.script.into());
    let answer = call(argv, Vec::new())?;
    // `JOB` or `JOB;CLUSTER`
    let job = answer.lines().last().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if job.is_empty() || !job.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("unexpected answer {answer:?}"));
    }
    Ok(job.to_owned())
}

/// Asks for the tasks of arrays that wait or run. An error means that the number is unknown, not zero.
pub(super) fn ask(names: &[&str]) -> Result<Queue, String> {
    let mut queue = Queue::new();
    // Not all in one command line: it may have only this many bytes.
    for names in names.chunks(100) {
        let argv = ["squeue", "--noheader", "--array", "--format=%j|%F|%K|%T|%r", "--name", &names.join(",")];
        parse(&call(argv.map(OsString::from).to_vec(), Vec::new())?, &mut queue);
    }
    Ok(queue)
}

/// Cancels jobs; what has ended already is no error.
pub(super) fn cancel(jobs: &[String]) {
    for jobs in jobs.chunks(100) {
        let argv = ["scancel", "--quiet"].map(OsString::from).into_iter().chain(jobs.iter().map(OsString::from));
        let _ = call(argv.collect(), Vec::new());
    }
}

fn parse(text: &str, queue: &mut Queue) {
    for line in text.lines() {
        let mut fields = line.trim().split('|');
        let (Some(name), Some(job), Some(index), Some(state)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        // The job is still being cleared away, but our part of it has ended.
        let over = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"].contains(&state);
        let queued = queue.entry(name.to_owned()).or_default();
        queued.job = job.to_owned();
        let reason = fields.next().unwrap_or_default();
        if state == "PENDING" && STUCK.iter().any(|stuck| reason.starts_with(stuck)) {
            queued.stuck = Some(reason.to_owned());
        }
        if let (Ok(index), false) = (index.parse(), over) {
            queued.indices.push(index);
        }
    }
}

/// The output of a command of Slurm, without these variables, or what it complained about.
pub(super) fn call(argv: Vec<OsString>, unset: Vec<OsString>) -> Result<String, String> {
    let mut program = Supervised::new(argv);
    program.unset = unset;
    program.time_limit = Some(Duration::from_secs(60));
    let output = std::sync::Mutex::new(String::new());
    let finished = program.run(&std::sync::atomic::AtomicBool::new(false), &|stream, line| {
        if stream == crate::supervise::Stream::Stdout {
            let mut output = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            output.push_str(line);
            output.push('\n');
        }
    });
    if !finished.end.is_ok() {
        let said = finished.stderr_tail.trim();
        return Err(if said.is_empty() { finished.end.status() } else { said.to_owned() });
    }
    Ok(output.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squeue_is_read_task_by_task() {
        let mut queue = Queue::new();
        parse(
            "a|17|0|RUNNING|None\na|17|3|PENDING|PartitionConfig\nb|18|1|COMPLETING|None\nb|18|2|CANCELLED\nnonsense\n",
            &mut queue,
        );
        assert_eq!(
            queue["a"],
            Queued { job: "17".to_owned(), indices: vec![0, 3], stuck: Some("PartitionConfig".to_owned()) }
        );
        assert_eq!(queue["b"], Queued { job: "18".to_owned(), indices: vec![1], stuck: None });
        assert_eq!(queue.len(), 2);
    }
}

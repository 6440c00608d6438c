//! Single jobs by name, for work other than runs of a benchmark.

use super::queue::call;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The environment kept for a job: without passwords and addresses of databases.
const KEPT: [&str; 8] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "LD_LIBRARY_PATH"];

/// A job to be submitted.
#[derive(Debug, Clone)]
pub struct Submission {
    pub name: String,
    /// The file that is run; it begins with `#!`.
    pub script: PathBuf,
    /// What the script gets.
    pub arguments: Vec<OsString>,
    /// Where its output goes.
    pub output: PathBuf,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
}

/// A job that Slurm knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub job: String,
    /// Its state, as `RUNNING`.
    pub state: String,
}

/// Submits a job; returns its number, or the message of `sbatch`.
///
/// # Errors
/// It was refused, or its state is unknown.
pub fn submit(submission: &Submission) -> Result<String, String> {
    let mut argv: Vec<OsString> = ["sbatch", "--parsable", "--no-requeue"].map(Into::into).to_vec();
    argv.push(format!("--job-name={}", submission.name).into());
    let mut output = OsString::from("--output=");
    output.push(&submission.output);
    argv.push(output);
    argv.extend(submission.options.iter().map(Into::into));
    argv.push(submission.script.clone().into());
    argv.extend(submission.arguments.iter().cloned());
    let is_kept = |name: &OsString| {
        let begins = |name: &str| ["SLURM_", "SBATCH_", "LC_"].iter().any(|prefix| name.starts_with(prefix));
        name.to_str().is_some_and(|name| KEPT.contains(&name) || begins(name))
    };
    let unset = std::env::vars_os().map(|(name, _)| name).filter(|name| !is_kept(name)).collect();
    let answer = call(argv, unset)?;
    // `JOB` or `JOB;CLUSTER`
    let job = answer.lines().last().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if job.is_empty() || !job.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("unexpected answer {answer:?}"));
    }
    Ok(job.to_owned())
}

/// The jobs of these names that `squeue` knows, also those that have just ended. An error means that the state is unknown.
///
/// # Errors
/// The error of `squeue`.
pub fn named(names: &[String]) -> Result<HashMap<String, Known>, String> {
    let mut found = HashMap::new();
    for names in names.chunks(100) {
        let argv = ["squeue", "--noheader", "--states=all", "--format=%j|%A|%T", "--name", &names.join(",")];
        parse(&call(argv.map(OsString::from).to_vec(), Vec::new())?, &mut found);
    }
    Ok(found)
}

/// The state of a job, when `scontrol` still knows it.
///
/// # Errors
/// What `scontrol` complained about, other than that there is no such job.
pub fn state(job: &str) -> Result<Option<String>, String> {
    let argv = ["scontrol", "--oneliner", "show", "job", job].map(OsString::from).to_vec();
    match call(argv, Vec::new()) {
        Ok(text) => Ok(state_of(&text)),
        Err(error) if error.contains("Invalid job id") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Ends jobs; what has ended already is no error.
pub fn cancel(jobs: &[String]) {
    super::queue::cancel(jobs);
}

fn parse(text: &str, found: &mut HashMap<String, Known>) {
    for line in text.lines() {
        let fields: Vec<&str> = line.trim().split('|').collect();
        if let [name, job, state] = fields[..] {
            found.insert(name.to_owned(), Known { job: job.to_owned(), state: state.to_owned() });
        }
    }
}

fn state_of(text: &str) -> Option<String> {
    text.split_whitespace().find_map(|word| word.strip_prefix("JobState=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read() {
        let mut found = HashMap::new();
        parse("runcast-a|17|RUNNING\nnonsense\nrunc|ast|18|X\nruncast-b|19|TIMEOUT\n", &mut found);
        assert_eq!(found.len(), 2);
        assert_eq!(found["runcast-b"], Known { job: "19".to_owned(), state: "TIMEOUT".to_owned() });
        let text = "JobId=17 JobName=x JobState=NODE_FAIL Reason=None";
        assert_eq!(state_of(text).as_deref(), Some("NODE_FAIL"));
        assert_eq!(state_of("JobId=17"), None);
    }
}

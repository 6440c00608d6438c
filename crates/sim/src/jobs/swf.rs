//! The Standard Workload Format: one line per job, 18 fields, comments behind `;`, -1 for what is unknown.

use super::Job;
use runcast_core::problem::shorten;
use runcast_core::{Problem, Warning};

/// Numbers of the fields that are used, from 0.
const SUBMIT: usize = 1;
const RUN: usize = 3;
const ALLOCATED: usize = 4;
const PROCESSORS: usize = 7;
const REQUESTED: usize = 8;
/// Fields of a line.
const FIELDS: usize = 18;
/// Share of unreadable lines from which on the file is refused.
const MOST_UNREADABLE: f64 = 0.01;
/// Unreadable lines that are named.
const MOST_NAMED: usize = 3;

/// The jobs of a log, by submission.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    pub jobs: Vec<Job>,
    /// Jobs that are left out: no run time or processors, more processors than there are, lines that cannot be read.
    pub left_out: u64,
    /// Lines that cannot be read.
    pub warnings: Vec<Warning>,
}

/// Which jobs count, by their submission in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    pub from_s: f64,
    pub to_s: f64,
}

impl Default for Window {
    fn default() -> Self {
        Window { from_s: f64::NEG_INFINITY, to_s: f64::INFINITY }
    }
}

/// Reads a log for a machine of this many processors.
///
/// Processors are those requested, else those allocated; a job without a requested time requests its run time.
///
/// # Errors
/// More than 1 % of the lines have a field that is no number, or fewer than 18 fields; no job is left.
pub fn read(text: &str, file: &str, size: u64, window: Window) -> Result<Log, Problem> {
    let mut log = Log::default();
    let (mut lines, mut unreadable) = (0_u64, 0_u64);
    let mut first: Option<Problem> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        lines += 1;
        match fields(line) {
            Ok(fields) => match job(&fields, lines, size) {
                Some(job) if job.submit_s < window.from_s || job.submit_s >= window.to_s => {}
                Some(job) => log.jobs.push(job),
                None => log.left_out += 1,
            },
            Err((field, value)) => {
                unreadable += 1;
                let number = index as u64 + 1;
                let shown = shorten(value, 40);
                if unreadable as usize <= MOST_NAMED {
                    let text = format!("{file}:{number}: field {field} is \"{shown}\", no number: the job is left out");
                    log.warnings.push(Warning::new("bad_line", text));
                }
                first.get_or_insert_with(|| {
                    let problem =
                        Problem::new("bad_number", format!("field {field} is \"{shown}\", no number")).value(value);
                    problem.in_file(file).at_line(number).allowed("18 numbers a line; -1 for what is unknown")
                });
            }
        }
    }
    if let Some(problem) = first.filter(|_| unreadable as f64 > MOST_UNREADABLE * lines as f64) {
        let hint =
            format!("{unreadable} of {lines} lines cannot be read: is this a log in the Standard Workload Format?");
        return Err(problem.hint(hint));
    }
    log.left_out += unreadable;
    if log.jobs.is_empty() {
        let problem = Problem::new("empty", format!("no job can run on {size} processors")).in_file(file);
        return Err(problem.hint("field 4 is the run time in seconds, field 8 (or 5) the processors"));
    }
    log.jobs.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    Ok(log)
}

/// The numbers of a line, or the field (from 1) that is none.
fn fields(line: &str) -> Result<[f64; FIELDS], (usize, &str)> {
    let mut all = [-1.0; FIELDS];
    let mut count = 0;
    for (slot, word) in all.iter_mut().zip(line.split_ascii_whitespace()) {
        count += 1;
        *slot = word.parse().ok().filter(|number: &f64| number.is_finite()).ok_or((count, word))?;
    }
    if count < FIELDS { Err((count + 1, "")) } else { Ok(all) }
}

fn job(fields: &[f64; FIELDS], line: u64, size: u64) -> Option<Job> {
    let known = |field: usize| Some(fields[field]).filter(|value| *value > 0.0);
    let run_s = known(RUN)?;
    let processors = known(PROCESSORS).or_else(|| known(ALLOCATED))?;
    if processors > size as f64 {
        return None;
    }
    let requested_s = known(REQUESTED).unwrap_or(run_s);
    Some(Job {
        number: if fields[0] >= 0.0 { fields[0] as u64 } else { line },
        submit_s: fields[SUBMIT].max(0.0),
        run_s: run_s.min(requested_s),
        requested_s,
        processors: processors.ceil() as u64,
        is_killed: run_s > requested_s,
    })
}

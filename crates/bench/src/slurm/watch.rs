//! Submitting arrays, collecting their results, and finding them again.

use super::{queue, spool};
use crate::bench::{Assignment, Bench, Progress};
use crate::clock;
use crate::error::BenchError;
use crate::journal::{Array, Entry, Record, RunIdentity};
use crate::launcher::Slurm;
use crate::measure::Measured;
use crate::observer::{Event, Observer};
use crate::session;
use crate::store::{self, OpenArray, Store};
use indexmap::IndexMap;
use runcast_core::Warning;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// Slurm's default `MaxArraySize` is 1001.
const ARRAY_MOST: usize = 1000;
/// Number of consecutive transient refusals (the controller restarts) that are waited out.
const REFUSALS_MOST: u32 = 20;

/// Gives the runs to Slurm and stays until all have ended.
pub(crate) fn run<O: Observer>(
    bench: &Bench,
    slurm: &Slurm,
    todo: Vec<Assignment>,
    store: &mut Store,
    progress: &mut Progress<'_, O>,
) -> Result<(), BenchError> {
    let root = match &slurm.spool {
        Some(spool) => spool.clone(),
        None => store::beside(&bench.options.table, ".bench.spool"),
    };
    let root = std::path::absolute(&root).map_err(BenchError::io("find", &root))?;
    let assignments: HashMap<String, Assignment> =
        todo.iter().map(|assignment| (assignment.run.key.clone(), assignment.clone())).collect();
    let arrays: Vec<LiveArray> = store.open_arrays().into_iter().map(LiveArray::taken_up).collect();
    let out: HashSet<&String> = arrays.iter().flat_map(|array| array.pending.keys()).collect();
    let todo = todo.iter().map(|a| a.run.key.clone()).filter(|key| !out.contains(key)).collect();
    let mut watch =
        Watch { bench, slurm, root, assignments, todo, arrays, store, progress, refusals: 0, complained: false };
    watch.until_done()
}

struct Watch<'a, 'b, O> {
    bench: &'a Bench,
    slurm: &'a Slurm,
    root: PathBuf,
    /// All runs that were to be made when we began.
    assignments: HashMap<String, Assignment>,
    /// Keys of the runs that no array has.
    todo: VecDeque<String>,
    arrays: Vec<LiveArray>,
    store: &'a mut Store,
    progress: &'a mut Progress<'b, O>,
    refusals: u32,
    complained: bool,
}

/// An array from which results are expected.
struct LiveArray {
    name: String,
    spool: PathBuf,
    job: Option<String>,
    /// Was it submitted by an earlier session?
    reattached: bool,
    /// Whether it was reported that it may wait forever.
    told_stuck: bool,
    /// The runs without a result: the index of their task, and since when the queue does not know it.
    pending: IndexMap<String, Pending>,
}

struct Pending {
    run: RunIdentity,
    index: usize,
    gone_since: Option<Instant>,
}

impl LiveArray {
    fn new(array: Array, job: Option<String>) -> Self {
        let mut pending = IndexMap::new();
        for (index, runs) in array.tasks.into_iter().enumerate() {
            for run in runs {
                pending.insert(run.key.clone(), Pending { run, index, gone_since: None });
            }
        }
        LiveArray { name: array.name, spool: array.spool, job, reattached: false, told_stuck: false, pending }
    }

    /// An array of an earlier session, without the runs that were noted already. (A failed run that is retried is
    /// noted, and then belongs to a later array, if to any.)
    fn taken_up(open: OpenArray) -> Self {
        let mut live = LiveArray::new(open.array, open.job);
        live.reattached = true;
        live.pending.retain(|key, _| !open.noted.contains(key));
        live
    }
}

/// Removes a folder of jobs. Slurm may still write the last words of a task whose result is there already: then it is
/// tried again for a moment.
fn sweep(folder: &Path) {
    for _ in 0..20 {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(50)),
            _ => return,
        }
    }
}

impl<O: Observer> Watch<'_, '_, O> {
    fn until_done(&mut self) -> Result<(), BenchError> {
        loop {
            self.collect()?;
            if self.bench.options.interrupt.load(Ordering::Relaxed) {
                return self.cancel();
            }
            self.look_at_queue()?;
            self.submit()?;
            if self.todo.is_empty() && self.arrays.is_empty() {
                let _ = fs::remove_dir(&self.root); // Only if nothing is left in it.
                return Ok(());
            }
            self.pause();
        }
    }

    /// Notes the results that are there, and closes arrays that have none to come.
    fn collect(&mut self) -> Result<(), BenchError> {
        for at in (0..self.arrays.len()).rev() {
            let mut found = Vec::new();
            let Some(array) = self.arrays.get_mut(at) else { continue };
            for key in array.pending.keys() {
                if let Some(result) = spool::result(&array.spool, key)? {
                    found.push(result);
                }
            }
            found.sort_by(|(a, _), (b, _)| a.measured.started_at.cmp(&b.measured.started_at));
            for (record, machine) in found {
                array.pending.shift_remove(&record.run.key);
                self.store.note(Entry::Machine(Box::new(machine)))?;
                self.progress.record(self.store, record)?;
            }
            if array.pending.is_empty() {
                self.close(at)?;
            }
        }
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), BenchError> {
        let array = self.arrays.remove(at);
        // Everything of worth is in the journal now. Killed before the next note, the benchmark takes the array up
        // again, finds nothing pending and comes here once more: no folder stays.
        sweep(&array.spool);
        self.store.note(Entry::Closed { name: array.name })
    }

    /// Finds out which tasks are gone. A task that leaves no result is lost after a while.
    fn look_at_queue(&mut self) -> Result<(), BenchError> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.arrays.iter().map(|array| array.name.as_str()).collect();
        let queue = match queue::ask(&names) {
            Ok(queue) => queue,
            Err(message) => {
                self.complain("squeue", &message);
                return Ok(());
            }
        };
        self.complained = false;
        let now = Instant::now();
        for at in (0..self.arrays.len()).rev() {
            let Some(array) = self.arrays.get_mut(at) else { continue };
            let queued = queue.get(&array.name);
            if let (Some(queued), None) = (queued, &array.job) {
                // It was submitted, but we died or were cut off before its number was noted.
                self.store.note(Entry::Submitted { name: array.name.clone(), job: queued.job.clone() })?;
                array.job = Some(queued.job.clone());
            }
            if let (Some(job), true) = (&array.job, array.reattached) {
                self.progress.observer.event(Event::Reattached { job });
                array.reattached = false;
            }
            if let (Some(reason), false) = (queued.and_then(|queued| queued.stuck.as_ref()), array.told_stuck) {
                array.told_stuck = true;
                let message = format!(
                    "job {} waits: {reason}; unless that changes it will never start (interrupt to cancel it)",
                    array.job.as_deref().unwrap_or("?")
                );
                self.progress.observer.event(Event::Warned(&Warning::new("stuck", message)));
            }
            let mut lost = Vec::new();
            for (key, pending) in &mut array.pending {
                if queued.is_some_and(|queued| queued.indices.contains(&pending.index)) {
                    pending.gone_since = None;
                } else if now.duration_since(*pending.gone_since.get_or_insert(now)) >= self.slurm.lost_after {
                    lost.push(key.clone());
                }
            }
            if lost.is_empty() {
                continue;
            }
            if array.job.is_none() {
                // It never came to Slurm; its runs are free again.
                let free: Vec<String> = array.pending.keys().cloned().collect();
                self.todo.extend(free.into_iter().filter(|key| self.assignments.contains_key(key)));
                self.close(at)?;
                continue;
            }
            for key in lost {
                self.lose(at, &key)?;
            }
        }
        Ok(())
    }

    /// Records a run whose task has gone without a result.
    fn lose(&mut self, at: usize, key: &str) -> Result<(), BenchError> {
        let Some(array) = self.arrays.get_mut(at) else { return Ok(()) };
        // It may have come in the meantime; the next collection finds it.
        if spool::result(&array.spool, key)?.is_some() {
            return Ok(());
        }
        let Some(Pending { run, index, .. }) = array.pending.shift_remove(key) else { return Ok(()) };
        let job = array.job.as_deref().unwrap_or("?");
        let measured = Measured {
            status: "lost".to_owned(),
            message: Some(format!("task {job}_{index} left the queue without a result")),
            stderr_tail: spool::output_tail(&array.spool, index),
            ..Measured::default()
        };
        self.progress.record(self.store, Record { run, measured })
    }

    /// Submits as many tasks as the queue may hold, an array for each number of processes.
    fn submit(&mut self) -> Result<(), BenchError> {
        let bundle = self.slurm.bundle.max(1);
        let most = self.slurm.max_queued.max(1);
        let queued: usize = self.arrays.iter().map(|array| array.pending.len().div_ceil(bundle)).sum();
        let free = most.saturating_sub(queued);
        // A few large arrays rather than many small ones.
        if self.todo.is_empty() || free < self.todo.len().div_ceil(bundle).min(most.div_ceil(2)) {
            return Ok(());
        }
        let mut groups: IndexMap<String, Vec<Assignment>> = IndexMap::new();
        for key in self.todo.drain(..self.todo.len().min(free.saturating_mul(bundle))).collect::<Vec<_>>() {
            if let Some(assignment) = self.assignments.get(&key) {
                groups.entry(assignment.tasks.clone()).or_default().push(assignment.clone());
            }
        }
        let mut refused = Vec::new();
        for (ntasks, group) in groups {
            for part in group.chunks(ARRAY_MOST * bundle) {
                if refused.is_empty() {
                    self.submit_array(&ntasks, part, bundle, &mut refused)?;
                } else {
                    refused.extend(part.iter().map(|assignment| assignment.run.key.clone()));
                }
            }
        }
        for key in refused.into_iter().rev() {
            self.todo.push_front(key);
        }
        Ok(())
    }

    fn submit_array(
        &mut self,
        ntasks: &str,
        part: &[Assignment],
        bundle: usize,
        refused: &mut Vec<String>,
    ) -> Result<(), BenchError> {
        let name = self.new_name();
        let spool = self.root.join(&name);
        let tasks: Vec<Vec<(RunIdentity, crate::measure::Job)>> =
            part.chunks(bundle).map(|runs| runs.iter().map(|a| (a.run.clone(), a.job.clone())).collect()).collect();
        let identities = part.chunks(bundle).map(|runs| runs.iter().map(|a| a.run.clone()).collect()).collect();
        let count = tasks.len();
        // Noted before there is a folder, so that none is forgotten if we are killed in between.
        let array = Array { name: name.clone(), spool: spool.clone(), tasks: identities };
        self.store.note(Entry::Array(array.clone()))?;
        let script = spool::write_array(&spool, &self.slurm.executable, self.bench.options.warmup, tasks)?;
        let answer = queue::submit(&queue::Request {
            name: &name,
            tasks: count,
            ntasks,
            minutes: self.minutes(bundle),
            output: &spool::output_pattern(&spool),
            options: &self.slurm.sbatch_options,
            script: &script,
        });
        match answer {
            Ok(job) => {
                self.refusals = 0;
                self.store.note(Entry::Submitted { name, job: job.clone() })?;
                self.progress.observer.event(Event::Submitted { job: &job, tasks: count });
                self.arrays.push(LiveArray::new(array, Some(job)));
                Ok(())
            }
            Err(message) if may_pass(&message) && self.refusals < REFUSALS_MOST => {
                // Perhaps it was taken all the same: the queue will show it under its name, or its runs come back.
                self.refusals += 1;
                self.complain("sbatch", &message);
                self.arrays.push(LiveArray::new(array, None));
                Ok(())
            }
            Err(message) if is_limit(&message) && !self.arrays.is_empty() => {
                self.store.note(Entry::Closed { name })?;
                sweep(&spool);
                self.complain("sbatch", &message);
                refused.extend(part.iter().map(|assignment| assignment.run.key.clone()));
                Ok(())
            }
            Err(message) => {
                self.store.note(Entry::Closed { name })?;
                sweep(&spool);
                Err(BenchError::Launcher { program: "sbatch".to_owned(), message })
            }
        }
    }

    /// Cancels all jobs; their runs are made when the benchmark is resumed.
    fn cancel(&mut self) -> Result<(), BenchError> {
        let names: Vec<&str> = self.arrays.iter().map(|array| array.name.as_str()).collect();
        let unnoted = queue::ask(&names).unwrap_or_default().into_values().map(|queued| queued.job);
        let mut jobs: Vec<String> = self.arrays.iter().filter_map(|array| array.job.clone()).chain(unnoted).collect();
        jobs.sort();
        jobs.dedup();
        queue::cancel(&jobs);
        self.collect()?;
        while !self.arrays.is_empty() {
            self.close(self.arrays.len() - 1)?;
        }
        Ok(())
    }

    /// The time that a job asks for: that of its runs and a minute.
    fn minutes(&self, bundle: usize) -> Option<u64> {
        let limit_s = self.bench.options.time_limit?.as_secs_f64() + 3.0;
        let runs = bundle as f64 * f64::from(1 + self.bench.options.warmup);
        Some((limit_s * runs / 60.0).ceil().min(1e9) as u64 + 1)
    }

    fn new_name(&self) -> String {
        let now = SystemTime::now();
        let nanos = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let unique = format!("{} {} {nanos} {}", self.root.display(), std::process::id(), clock::rfc3339(now));
        format!("runcast-{}", session::digest(&unique))
    }

    /// Reports trouble with Slurm, once per period of trouble.
    fn complain(&mut self, program: &str, message: &str) {
        if !self.complained {
            self.complained = true;
            let warning = Warning::new("slurm", format!("{program}: {message}; trying again"));
            self.progress.observer.event(Event::Warned(&warning));
        }
    }

    fn pause(&self) {
        let until = Instant::now() + self.slurm.poll.min(Duration::from_secs(3600));
        while Instant::now() < until && !self.bench.options.interrupt.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50).min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// The controller was away or slow; it is unknown whether it took the job.
fn may_pass(message: &str) -> bool {
    ["timed out", "Unable to contact", "Connection refused", "temporarily", "timeout", "Zero Bytes"]
        .iter()
        .any(|part| message.contains(part))
}

/// There are too many jobs already; later there will be room.
fn is_limit(message: &str) -> bool {
    ["QOSMaxSubmit", "AssocMaxSubmit", "job submit limit", "MaxJobCount", "Slurm temporarily unable to accept job"]
        .iter()
        .any(|part| message.contains(part))
}

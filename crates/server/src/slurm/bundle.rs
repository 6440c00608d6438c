//! A bundle, as the dispatcher sees it: how it is written, what comes back, how it is judged when its job is gone.

use super::spool::{self, Begun, End, Entry, Ledger, Point, Task, Work, task_of};
use crate::log;
use crate::queue_worker::contents::Contents;
use crate::queue_worker::held::{AllHeld, Fate, Turn};
use crate::queue_worker::{Overrides, told};
use crate::task::{Code, Limits};
use runcast_commands::remote;
use runcast_store::queue::{self, Claim, Ending, Finish, Held, PointRecord};
use runcast_store::{Database, StoreError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Bytes of what the job printed that are reported when it fails.
const MOST_SAID: usize = 2000;

#[derive(Debug)]
pub struct Bundle {
    pub folder: PathBuf,
    /// The name of its job.
    pub name: String,
    /// The number of its job, once it is known.
    pub job: Option<String>,
    /// Tasks that have not ended.
    pub tasks: Vec<Open>,
    /// Since when its job is known to be over, and how it ended.
    pub over: Option<(Instant, String)>,
    /// A user wanted a task to end.
    pub is_cut: bool,
    /// Slurm was asked to end it.
    pub is_cancelled: bool,
}

/// A task that has not ended.
#[derive(Debug)]
pub struct Open {
    number: usize,
    held: Held,
    is_sweep: bool,
    fate: Fate,
    /// Why the first of its points that failed did.
    reason: Option<String>,
}

impl Bundle {
    /// Writes what was claimed into a new folder of the spool.
    ///
    /// # Errors
    /// A content cannot be had, or the spool cannot be written.
    pub async fn write(
        spool: &Path,
        claims: &[Claim],
        from: (&Database, &Contents),
        how: (Overrides, bool),
        executable: &Path,
    ) -> Result<PathBuf, StoreError> {
        let failed = |error: io::Error| StoreError::State(format!("{}: {error}", spool.display()));
        let name = runcast_store::Id::new().as_str().to_lowercase();
        let new = spool.join(format!(".{name}"));
        spool::private(&new).map_err(failed)?;
        for part in ["files", "done"] {
            spool::private(&new.join(part)).map_err(failed)?;
        }
        let (mut ledger, mut work) = (Ledger::default(), Work { allow_weak_sandbox: how.1, ..Work::default() });
        for claim in claims {
            let is_sweep = remote::is_sweep(&claim.task_argv);
            let mut files = Vec::with_capacity(claim.files.len());
            for file in &claim.files {
                let path = new.join("files").join(file.digest.as_str());
                if !path.exists() {
                    let bytes = from.1.get(from.0, &file.digest).await?;
                    std::fs::write(&path, &bytes).map_err(failed)?;
                }
                files.push((file.path.clone(), file.digest.clone()));
            }
            let points = claim.missing_points.iter().filter_map(|point| u64::try_from(*point).ok()).collect();
            let limits = how.0.over(Limits::of_job(&claim.limits));
            work.tasks.push(Task { argv: claim.task_argv.clone(), points: is_sweep.then_some(points), limits, files });
            ledger.tasks.push(Entry::new(claim.held(), is_sweep));
        }
        spool::write(&new.join("work.json"), &work).map_err(failed)?;
        spool::write(&new.join("bundle.json"), &ledger).map_err(failed)?;
        let script = format!("#!{} worker\n", executable.display());
        std::fs::write(new.join("job"), script).map_err(failed)?;
        let folder = spool.join(&name);
        std::fs::rename(&new, &folder).map_err(failed)?;
        Ok(folder)
    }

    /// Takes up what is in a folder.
    ///
    /// # Errors
    /// It is not a bundle.
    pub fn open(folder: PathBuf, all: &AllHeld) -> io::Result<Bundle> {
        let ledger: Ledger = spool::read(&folder.join("bundle.json"))?;
        let job: Option<String> = spool::read(&folder.join("submitted")).ok();
        let open = |(number, entry): (usize, Entry)| {
            let held = entry.held();
            Open { number, fate: all.add(held.clone()), held, is_sweep: entry.is_sweep, reason: None }
        };
        let tasks = ledger.tasks.into_iter().enumerate().map(open).collect();
        let base = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("runcast-{base}");
        Ok(Bundle { folder, name, job, tasks, over: None, is_cut: false, is_cancelled: false })
    }

    /// Notes the number of its job.
    pub fn is_job(&mut self, job: String) {
        if let Err(error) = spool::write(&self.folder.join("submitted"), &job) {
            log::line(&format!("the number of job {job} cannot be noted: {error}"));
        }
        self.job = Some(job);
    }

    /// Whether a node has begun with it.
    pub fn is_begun(&self) -> bool {
        !self.done("").is_empty()
    }

    /// Stores what is there, ends what has ended, and drops what is not wanted any more.
    ///
    /// # Errors
    /// The database is away; nothing is lost by trying again.
    pub async fn collect(&mut self, db: &Database, all: &AllHeld) -> Result<(), StoreError> {
        // Ends first: points that are listed after an end are all there are.
        let ends = self.done("end-");
        for (path, number) in self.done("points-") {
            let Ok(points) = spool::read::<Vec<Point>>(&path) else { continue };
            if let Some(task) = self.tasks.iter_mut().find(|task| task.number == number) {
                let points: Vec<PointRecord> = points.into_iter().map(PointRecord::from).collect();
                let failed =
                    || points.iter().filter(|point| point.failed).find_map(|point| told::reason(&point.record));
                task.reason = task.reason.take().or_else(failed);
                match queue::store(db, &task.held, &points).await {
                    Ok(true) => {}
                    Ok(false) => task.fate.to(Turn::Lost),
                    Err(error) if error.is_passing() => return Err(error),
                    Err(error) => {
                        log::line(&format!("points of job {} cannot be stored: {error}", task.held.job));
                        task.fate.to(Turn::Lost);
                    }
                }
            }
            let _ = std::fs::remove_file(&path);
        }
        for (path, number) in ends {
            let Some(task) = self.tasks.iter().find(|task| task.number == number) else { continue };
            let end = spool::read::<End>(&path).ok().and_then(End::outcome);
            let finish = end.map_or_else(
                || Finish::failed(Code::Crashed.name(), "the end of the task cannot be read"),
                |outcome| {
                    let number = task.is_sweep.then_some(task.held.number);
                    told::finish(outcome, Vec::new(), number, task.reason.clone())
                },
            );
            end_of(db, task, &finish).await?;
            self.close(number, all);
        }
        let unwanted = |task: &&Open| matches!(task.fate.turn(), Turn::Cancelled | Turn::Lost);
        while let Some(task) = self.tasks.iter().find(unwanted) {
            let number = task.number;
            let _ = std::fs::write(self.folder.join(format!("cancel-{number}")), "");
            if task.fate.turn() == Turn::Cancelled {
                end_of(db, task, &Finish { ending: Ending::Cancelled, ..Finish::succeeded(Vec::new()) }).await?;
            }
            self.is_cut = true;
            self.close(number, all);
        }
        Ok(())
    }

    /// Ends all that has not ended, now that its job is over.
    ///
    /// # Errors
    /// The database is away; nothing is lost by trying again.
    pub async fn judge(&mut self, state: &str, db: &Database, all: &AllHeld) -> Result<(), StoreError> {
        let job = self.job.clone().unwrap_or_default();
        let code = match state {
            "TIMEOUT" | "DEADLINE" => Code::LimitWall,
            "OUT_OF_MEMORY" => Code::LimitMemory,
            _ => Code::WorkerLost,
        };
        let begun = |task: &Open| spool::read::<Begun>(&self.folder.join(format!("done/begun-{}", task.number))).ok();
        // A task that had not all the time of the job may have it in the next one.
        let is_guilty = |begun: Option<Begun>| match code {
            Code::LimitWall => begun.is_some_and(|begun| begun.is_first),
            _ => begun.is_some(),
        };
        let is_any_guilty = self.tasks.iter().any(|task| is_guilty(begun(task)));
        let verdicts: Vec<(usize, bool)> = self
            .tasks
            .iter()
            .map(|task| (task.number, code == Code::WorkerLost || !is_any_guilty || is_guilty(begun(task))))
            .collect();
        let tail = self.said();
        let message = format!("{}: job {job} of Slurm ended as {state}{tail}", code.message());
        // Where others were given back before, a task that had begun later is the first one now.
        for (number, is_over) in verdicts {
            let Some(task) = self.tasks.iter().find(|task| task.number == number) else { continue };
            if is_over {
                end_of(db, task, &Finish::failed(code.name(), &message)).await?;
            } else {
                queue::give_back(db, &task.held).await?;
            }
            self.close(number, all);
        }
        Ok(())
    }

    /// Returns all that has not ended.
    ///
    /// # Errors
    /// The database is away.
    pub async fn give_back(&mut self, db: &Database, all: &AllHeld) -> Result<(), StoreError> {
        while let Some(task) = self.tasks.first() {
            queue::give_back(db, &task.held).await?;
            let number = task.number;
            self.close(number, all);
        }
        Ok(())
    }

    fn close(&mut self, number: usize, all: &AllHeld) {
        self.tasks.retain(|task| {
            if task.number == number {
                all.remove(&task.held);
            }
            task.number != number
        });
    }

    /// Files that the node has left.
    fn done(&self, prefix: &str) -> Vec<(PathBuf, usize)> {
        let Ok(entries) = std::fs::read_dir(self.folder.join("done")) else { return Vec::new() };
        let names = entries.filter_map(|entry| Some((entry.as_ref().ok()?.path(), entry.ok()?.file_name())));
        let of = |name: &str| if prefix.is_empty() { Some(0) } else { task_of(name, prefix) };
        let mut found: Vec<_> = names.filter_map(|(path, name)| Some((path, of(name.to_str()?)?))).collect();
        found.sort();
        found
    }

    /// The end of what the job printed.
    fn said(&self) -> String {
        let bytes = std::fs::read(self.folder.join("slurm.out")).unwrap_or_default();
        let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_SAID)..]).trim().to_owned();
        if tail.is_empty() { tail } else { format!("; it said: {tail}") }
    }
}

async fn end_of(db: &Database, task: &Open, finish: &Finish) -> Result<(), StoreError> {
    match queue::finish(db, &task.held, finish).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_passing() => Err(error),
        Err(error) => {
            log::line(&format!("a task of job {} cannot be ended: {error}", task.held.job));
            queue::finish(db, &task.held, &Finish::failed(Code::Failed.name(), &error.to_string())).await.map(drop)
        }
    }
}

#[cfg(test)]
mod tests;

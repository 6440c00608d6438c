//! The dispatcher: claims tasks, submits them in bundles, stores what comes back, and beats for all that Slurm has.

use super::bundle::Bundle;
use super::spool;
use crate::log;
use crate::queue_worker::contents::Contents;
use crate::queue_worker::held::AllHeld;
use crate::queue_worker::{Overrides, host};
use runcast_bench::slurm::jobs::{self, Submission};
use runcast_commands::Failure;
use runcast_core::Problem;
use runcast_store::workers::{self, NewWorker};
use runcast_store::{Database, Id, StoreError, queue, wakes};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long the spool and the database are left alone.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// How long files may take to be seen here after their job has ended.
const SEEN_LATE: Duration = Duration::from_secs(3);
/// How long nothing is claimed after Slurm has refused a job.
const REFUSED: Duration = Duration::from_secs(10);
/// Bytes that the first line of a script may have.
const MOST_FIRST_LINE: usize = 200;
/// States in which a job still has something to say.
const ALIVE: [&str; 12] = [
    "PENDING",
    "RUNNING",
    "CONFIGURING",
    "COMPLETING",
    "SUSPENDED",
    "REQUEUED",
    "RESIZING",
    "SIGNALING",
    "STAGE_OUT",
    "STOPPED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
];

/// How a dispatcher works.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that it shares with compute nodes.
    pub spool: PathBuf,
    /// Tasks of a bundle.
    pub bundle: usize,
    /// Jobs at once.
    pub most_jobs: usize,
    /// Interval of polling Slurm.
    pub poll: Duration,
    /// Further options of `sbatch`.
    pub sbatch: Vec<String>,
    /// How long a task is its own without a beat.
    pub lease: Duration,
    /// Limits of tasks, overriding those of their jobs.
    pub limits: Overrides,
    /// Work also where the sandbox is not in full force.
    pub allow_weak_sandbox: bool,
    /// Ends when nothing is to be claimed and no job is left.
    pub drain: bool,
}

struct Dispatcher {
    db: Database,
    options: Options,
    worker: Id,
    executable: PathBuf,
    contents: Contents,
    held: Arc<AllHeld>,
    bundles: Vec<Bundle>,
    /// Nothing is claimed before.
    not_before: Instant,
}

/// Works until asked to stop, or until nothing is left where that is wanted. Jobs that Slurm has stay with it: the next
/// dispatcher on the same spool finds them.
///
/// # Errors
/// The spool cannot be used.
pub async fn dispatch(db: Database, mut options: Options, stop: CancellationToken) -> Result<(), Failure> {
    options.spool = std::path::absolute(&options.spool).map_err(|error| Failure::reading(&options.spool, &error))?;
    if !options.spool.exists() {
        spool::private(&options.spool).map_err(|error| Failure::reading(&options.spool, &error))?;
    }
    let _lock = lock(&options.spool)?;
    let executable = executable()?;
    let worker = register(&db, &options).await?;
    let held = Arc::<AllHeld>::default();
    let mut dispatcher = Dispatcher {
        db: db.clone(),
        bundles: taken_up(&options.spool, &held),
        options,
        worker: worker.clone(),
        executable,
        contents: Contents::default(),
        held: Arc::clone(&held),
        not_before: Instant::now(),
    };
    let beating = tokio::spawn(beat(db.clone(), worker.clone(), held, dispatcher.options.lease));
    dispatcher.until_stopped(&stop).await;
    beating.abort();
    if dispatcher.bundles.is_empty() {
        let _ = tokio::time::timeout(Duration::from_secs(1), workers::remove(&db, &worker)).await;
    }
    Ok(())
}

impl Dispatcher {
    async fn until_stopped(&mut self, stop: &CancellationToken) {
        let mut news = self.db.wakes().work();
        let mut asked: Option<Instant> = None;
        while !stop.is_cancelled() {
            let mut result = self.collect().await;
            if result.is_ok() && !self.bundles.is_empty() && asked.is_none_or(|at| at.elapsed() >= self.options.poll) {
                result = self.ask().await;
                asked = Some(Instant::now());
            }
            if result.is_ok() {
                result = self.claim(stop).await;
            }
            match result {
                Ok(is_anything_left) if !is_anything_left && self.bundles.is_empty() && self.options.drain => return,
                Ok(_) => {}
                Err(error) => log::line(&format!("the dispatcher waits: {error}")),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = wakes::wait(&mut news, LOOK_EVERY) => {}
            }
            // News arrive in bursts.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Stores what is there; clears away bundles that are through.
    async fn collect(&mut self) -> Result<bool, StoreError> {
        for bundle in &mut self.bundles {
            bundle.collect(&self.db, &self.held).await?;
            if let Some((since, state)) = bundle.over.clone()
                && since.elapsed() >= SEEN_LATE
            {
                bundle.judge(&state, &self.db, &self.held).await?;
            }
            if bundle.tasks.is_empty()
                && (bundle.is_cut && !bundle.is_cancelled && bundle.over.is_none())
                && let Some(job) = bundle.job.clone()
            {
                bundle.is_cancelled = true;
                blocking(move || jobs::cancel(&[job])).await;
            }
        }
        self.bundles.retain(|bundle| {
            let is_through = bundle.tasks.is_empty() && bundle.over.is_some();
            if is_through {
                let _ = std::fs::remove_dir_all(&bundle.folder);
            }
            !is_through
        });
        Ok(true)
    }

    /// Asks Slurm about all jobs.
    async fn ask(&mut self) -> Result<bool, StoreError> {
        let names: Vec<String> = self.bundles.iter().map(|bundle| bundle.name.clone()).collect();
        let known = match blocking(move || jobs::named(&names)).await {
            Some(Ok(known)) => known,
            Some(Err(error)) => {
                log::line(&format!("squeue: {error}"));
                return Ok(true);
            }
            None => return Ok(true),
        };
        for bundle in &mut self.bundles {
            if bundle.over.is_some() {
                continue;
            }
            let state = match (known.get(&bundle.name), bundle.job.clone()) {
                (Some(found), None) => {
                    log::line(&format!("job {} of Slurm is {}", found.job, bundle.name));
                    bundle.is_job(found.job.clone());
                    Some(found.state.clone())
                }
                (Some(found), Some(_)) => Some(found.state.clone()),
                (None, Some(job)) => match blocking(move || jobs::state(&job)).await {
                    Some(Ok(state)) => state,
                    Some(Err(error)) => {
                        log::line(&format!("scontrol: {error}"));
                        continue;
                    }
                    None => continue,
                },
                (None, None) if bundle.is_begun() => None,
                (None, None) => {
                    // It never came to Slurm.
                    bundle.give_back(&self.db, &self.held).await?;
                    bundle.over = Some((Instant::now(), "NEVER".to_owned()));
                    continue;
                }
            };
            let state = state.unwrap_or_else(|| "LOST".to_owned());
            if !ALIVE.contains(&state.as_str()) {
                bundle.over = Some((Instant::now(), state));
            }
        }
        Ok(true)
    }

    /// Claims a bundle and submits it, as long as there is room; whether there may be more.
    async fn claim(&mut self, stop: &CancellationToken) -> Result<bool, StoreError> {
        while self.bundles.len() < self.options.most_jobs && !stop.is_cancelled() {
            if Instant::now() < self.not_before {
                return Ok(true);
            }
            let mut claims = Vec::new();
            while claims.len() < self.options.bundle {
                match queue::claim(&self.db, &self.worker, self.options.lease).await? {
                    Some(claim) => claims.push(claim),
                    None => break,
                }
            }
            if claims.is_empty() {
                return Ok(false);
            }
            let how = (self.options.limits, self.options.allow_weak_sandbox);
            let from = (&self.db, &self.contents);
            let folder = Bundle::write(&self.options.spool, &claims, from, how, &self.executable).await;
            let bundle = match folder {
                Ok(folder) => Bundle::open(folder, &self.held).map_err(|error| StoreError::State(error.to_string())),
                Err(error) => Err(error),
            };
            match bundle {
                Ok(bundle) => self.submit(bundle).await?,
                Err(error) => {
                    self.not_before = Instant::now() + REFUSED;
                    for claim in &claims {
                        queue::give_back(&self.db, &claim.held()).await?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    async fn submit(&mut self, mut bundle: Bundle) -> Result<(), StoreError> {
        let submission = Submission {
            name: bundle.name.clone(),
            script: bundle.folder.join("job"),
            arguments: vec!["--spool-run".into(), bundle.folder.clone().into()],
            output: bundle.folder.join("slurm.out"),
            options: self.options.sbatch.clone(),
        };
        match blocking(move || jobs::submit(&submission)).await {
            Some(Ok(job)) => bundle.is_job(job),
            // Perhaps it was taken all the same: then the queue shows it under its name.
            Some(Err(error)) => {
                log::line(&format!("sbatch: {error}"));
                self.not_before = Instant::now() + REFUSED;
            }
            None => {}
        }
        self.bundles.push(bundle);
        Ok(())
    }
}

/// Bundles that an earlier dispatcher has left.
fn taken_up(spool: &Path, held: &AllHeld) -> Vec<Bundle> {
    let mut bundles = Vec::new();
    for entry in std::fs::read_dir(spool).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let is_bundle = |name: &str| name.len() == 26 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if name.strip_prefix('.').is_some_and(is_bundle) {
            // It was never whole.
            let _ = std::fs::remove_dir_all(&path);
        } else if is_bundle(&name) {
            match Bundle::open(path, held) {
                Ok(bundle) => bundles.push(bundle),
                Err(error) => log::line(&format!("{name} in the spool is not a bundle: {error}")),
            }
        }
    }
    bundles
}

/// Says every third of a lease that all this is alive, and hears what is not wanted any more.
async fn beat(db: Database, worker: Id, all: Arc<AllHeld>, lease: Duration) {
    let every = (lease / 3).clamp(Duration::from_millis(50), Duration::from_secs(10));
    let mut beaten: Option<Instant> = None;
    loop {
        let held = all.all();
        let heard = if beaten.is_none_or(|at| at.elapsed() >= every) {
            beaten = Some(Instant::now());
            queue::heartbeat(&db, &worker, &held, lease).await
        } else {
            queue::look(&db, &held).await
        };
        match heard {
            Ok(verdicts) => all.hear(&held, &verdicts),
            Err(error) => log::line(&format!("no beat reaches the database: {error}")),
        }
        tokio::time::sleep(every.min(Duration::from_secs(1))).await;
    }
}

async fn register(db: &Database, options: &Options) -> Result<Id, Failure> {
    let new = NewWorker {
        name: format!("slurm-{}", std::process::id()),
        kind: "slurm".to_owned(),
        host: host(),
        pid: i64::from(std::process::id()),
        server: None,
        sandbox: if options.allow_weak_sandbox { "limits" } else { "full" }.to_owned(),
        slots: i64::try_from(options.bundle.saturating_mul(options.most_jobs)).unwrap_or(i64::MAX),
    };
    workers::register(db, &new).await.map_err(|error| Failure::undone(Problem::new("database", error.to_string())))
}

/// One dispatcher for a spool; it is unlocked when its process ends, however that happens.
fn lock(spool: &Path) -> Result<std::fs::File, Failure> {
    let path = spool.join("lock");
    let file = std::fs::File::create(&path).map_err(|error| Failure::reading(&path, &error))?;
    file.try_lock().map_err(|_| {
        let problem = Problem::new("spool_in_use", "another dispatcher works in this spool").at("--spool");
        Failure::undone(problem.value(spool.display().to_string()).hint("give each dispatcher a folder of its own"))
    })?;
    Ok(file)
}

/// What compute nodes run: this very program.
fn executable() -> Result<PathBuf, Failure> {
    let path =
        std::env::current_exe().map_err(|error| Failure::undone(Problem::new("executable", error.to_string())))?;
    let text = path.display().to_string();
    if text.len() > MOST_FIRST_LINE || text.contains(char::is_whitespace) {
        let problem = Problem::new("executable", "the path of runcast is too long for a script, or has blanks");
        return Err(Failure::undone(problem.value(text).hint("install it under a shorter path without blanks")));
    }
    Ok(path)
}

/// Waits for programs without keeping others waiting; none if that failed altogether.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(run).await.ok()
}

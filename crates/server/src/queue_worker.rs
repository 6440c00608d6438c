//! Workers: they claim tasks, run them in processes of their own, and store what comes of them.
//!
//! ```text
//! claim ──> files ──> process ──points──> store (within a second)
//!   ^                    └─────end──────> finish
//!   │ beat: every third of a lease          what is not mine any more: the process ends, nothing is written
//!   │ look: cancels, when there is news     the process ends, finish as cancelled
//!   └ keep: every sixth of a lease          tasks of the dead are queued again
//! ```
//!
//! While the database is away, everything waits: points that are finished are kept until they are stored.

mod attempt;
pub(crate) mod contents;
pub(crate) mod held;
mod keeper;
pub(crate) mod told;

pub use keeper::keep;

use crate::log;
use crate::task::{Launcher, Limits};
use attempt::Attempt;
use contents::Contents;
use held::AllHeld;
use runcast_store::workers::NewWorker;
use runcast_store::{Database, Id, StoreError, queue, wakes, workers};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long a worker waits before it looks for work again when nothing wakes it.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long it waits when the database is away.
const AWAY: Duration = Duration::from_millis(500);
/// How long a claim may take that was under way when the worker was asked to end.
const CLAIM: Duration = Duration::from_secs(1);
/// How long tasks may take to be given back at the end.
const GIVE_BACK: Duration = Duration::from_secs(3);

/// How a worker works.
#[derive(Debug, Clone)]
pub struct Settings {
    pub name: String,
    /// `server` for one in the process of the server, else `worker`.
    pub kind: &'static str,
    /// Of one in the process of a server: what there is one server of at a time.
    pub server: Option<String>,
    /// Tasks at once.
    pub slots: usize,
    /// How long a task is its own without a beat.
    pub lease: Duration,
    /// Limits of tasks, overriding those of their jobs.
    pub limits: Overrides,
    /// Ends when nothing is to be claimed.
    pub drain: bool,
}

/// Limits in place of those of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    pub memory_bytes: Option<u64>,
    /// Seconds of processor time.
    pub cpu_s: Option<u64>,
    /// Milliseconds on the wall.
    pub wall_ms: Option<u64>,
    pub output_bytes: Option<u64>,
    /// Threads of a task.
    pub threads: Option<u16>,
}

impl Overrides {
    pub(crate) fn over(self, limits: Limits) -> Limits {
        Limits {
            memory_bytes: self.memory_bytes.unwrap_or(limits.memory_bytes),
            cpu_s: self.cpu_s.unwrap_or(limits.cpu_s),
            wall_ms: self.wall_ms.unwrap_or(limits.wall_ms),
            output_bytes: self.output_bytes.unwrap_or(limits.output_bytes),
            threads: self.threads.unwrap_or(limits.threads),
        }
    }
}

/// State shared by all tasks of a worker.
#[derive(Debug)]
struct TaskContext {
    db: Database,
    launcher: Launcher,
    settings: Settings,
    contents: Contents,
    held: AllHeld,
}

/// Works until asked to stop, or until nothing is left where that is wanted.
pub async fn work(db: Database, launcher: Launcher, settings: Settings, stop: CancellationToken) {
    let Some(id) = register(&db, &launcher, &settings, &stop).await else { return };
    let context =
        Arc::new(TaskContext { db, launcher, settings, contents: Contents::default(), held: AllHeld::default() });
    let helpers = CancellationToken::new();
    let beating = tokio::spawn(helpers.clone().run_until_cancelled_owned(beat(Arc::clone(&context), id.clone())));
    let looking = tokio::spawn(helpers.clone().run_until_cancelled_owned(look(Arc::clone(&context))));
    let mut running = JoinSet::new();
    claim(&context, &id, &mut running, &stop).await;
    context.held.give_back();
    let all_back = async { while running.join_next().await.is_some() {} };
    if tokio::time::timeout(GIVE_BACK, all_back).await.is_err() {
        log::line("tasks could not be returned in time: their leases will expire");
    }
    helpers.cancel();
    let _ = tokio::join!(beating, looking);
    let _ = tokio::time::timeout(Duration::from_secs(1), workers::remove(&context.db, &id)).await;
}

async fn register(db: &Database, launcher: &Launcher, settings: &Settings, stop: &CancellationToken) -> Option<Id> {
    let new = NewWorker {
        name: settings.name.clone(),
        kind: settings.kind.to_owned(),
        host: host(),
        pid: i64::from(std::process::id()),
        server: settings.server.clone(),
        sandbox: launcher.sandbox().name().to_owned(),
        slots: i64::try_from(settings.slots).unwrap_or(i64::MAX),
    };
    loop {
        match workers::register(db, &new).await {
            Ok(id) => return Some(id),
            Err(error) => log::line(&format!("the worker waits for the database: {error}")),
        }
        tokio::select! {
            () = stop.cancelled() => return None,
            () = tokio::time::sleep(AWAY) => {}
        }
    }
}

/// Claims what there is, as long as there are slots; returns when it is to end, or when nothing is left and that is wanted.
async fn claim(context: &Arc<TaskContext>, worker: &Id, running: &mut JoinSet<()>, stop: &CancellationToken) {
    let mut news = context.db.wakes().work();
    // A claim is not broken off: its result would be unknown.
    let too_late = async {
        stop.cancelled().await;
        tokio::time::sleep(CLAIM).await;
    };
    tokio::pin!(too_late);
    while !stop.is_cancelled() {
        while running.try_join_next().is_some() {}
        if running.len() >= context.settings.slots {
            let _ = stop.run_until_cancelled(running.join_next()).await;
            continue;
        }
        let claimed = tokio::select! {
            claimed = queue::claim(&context.db, worker, context.settings.lease) => claimed,
            () = &mut too_late => return,
        };
        match claimed {
            Ok(Some(claim)) => {
                let (fence, fate) = (claim.held(), context.held.add(claim.held()));
                let attempt = Attempt::new(Arc::clone(context), claim, fate);
                let context = Arc::clone(context);
                running.spawn(async move {
                    attempt.run().await;
                    context.held.remove(&fence);
                });
            }
            Ok(None) if context.settings.drain && running.is_empty() => return,
            Ok(None) if context.settings.drain => {
                let _ = stop.run_until_cancelled(running.join_next()).await;
            }
            Ok(None) => {
                // Ending a task may make room for another of the same user.
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = wakes::wait(&mut news, LOOK_EVERY) => {}
                    Some(_) = running.join_next() => {}
                }
            }
            Err(error) => {
                log::line(&format!("no task can be claimed: {error}"));
                let _ = stop.run_until_cancelled(tokio::time::sleep(AWAY)).await;
            }
        }
    }
}

/// Says every third of a lease that this worker lives, and hears what is not its own any more.
async fn beat(context: Arc<TaskContext>, worker: Id) {
    let every = (context.settings.lease / 3).max(Duration::from_millis(50));
    loop {
        let held = context.held.all();
        match queue::heartbeat(&context.db, &worker, &held, context.settings.lease).await {
            Ok(verdicts) => context.held.hear(&held, &verdicts),
            Err(error) => log::line(&format!("the heartbeat does not reach the database: {error}")),
        }
        tokio::time::sleep(every).await;
    }
}

/// Looks for cancels whenever there is news, and every now and then.
async fn look(context: Arc<TaskContext>) {
    let mut news = context.db.wakes().work();
    loop {
        wakes::wait(&mut news, 2 * LOOK_EVERY).await;
        let held = context.held.all();
        if !held.is_empty()
            && let Ok(verdicts) = queue::look(&context.db, &held).await
        {
            context.held.hear(&held, &verdicts);
        }
        // News arrive in bursts under load.
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether waiting helps.
pub(crate) fn is_passing(error: &StoreError) -> bool {
    matches!(error, StoreError::Away(_) | StoreError::Full(_))
}

pub(crate) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
}

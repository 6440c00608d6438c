//! Workers: they claim tasks, run them in processes of their own, and store what comes of them.
//!
//! ```text
//! turn ──claims──> files ──> slot ──> process ──points──> store (within a second)
//!   ^                                    └──────end──────> the next turn
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
mod pace;
pub(crate) mod told;
mod turns;

pub use keeper::keep;

use crate::log;
use crate::task::{Launcher, Limits};
use contents::Contents;
use held::AllHeld;
use pace::Pace;
use runcast_store::workers::NewWorker;
use runcast_store::{Database, Id, queue, wakes, workers};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use turns::Ends;

/// How long a worker waits before it looks for work again when nothing wakes it.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long it waits when the database is away.
const AWAY: Duration = Duration::from_millis(500);

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
    pace: Arc<Pace>,
    ends: Ends,
}

/// Works until asked to stop, or until nothing is left where that is wanted.
pub async fn work(db: Database, launcher: Launcher, settings: Settings, stop: CancellationToken) {
    let Some(id) = register(&db, &launcher, &settings, &stop).await else { return };
    let (sender, ended) = tokio::sync::mpsc::unbounded_channel();
    let context = Arc::new(TaskContext {
        pace: Pace::new(settings.slots),
        ends: Ends(sender),
        db,
        launcher,
        settings,
        contents: Contents::default(),
        held: AllHeld::default(),
    });
    let helpers = CancellationToken::new();
    let beating = tokio::spawn(helpers.clone().run_until_cancelled_owned(beat(Arc::clone(&context), id.clone())));
    let looking = tokio::spawn(helpers.clone().run_until_cancelled_owned(look(Arc::clone(&context))));
    turns::take(&context, &id, ended, &stop).await;
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

pub(crate) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
}

//! One attempt at a task, from its claim to its end.

use super::held::{Fate, Turn};
use super::pace::Place;
use super::{AWAY, TaskContext, told};
use crate::log;
use crate::task::{Code, Event, Limits, Outcome, PointRow, Process, Spec, Work};
use runcast_commands::remote;
use runcast_store::StoreError;
use runcast_store::queue::{self, Claim, Ending, Finish, Held, PointRecord};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// Points are gathered so long before they are stored.
const GATHER: Duration = Duration::from_millis(200);
/// Points that are stored at once.
const MOST_AT_ONCE: usize = 500;
/// Bytes of the log that watchers get at once.
const MOST_TOLD: usize = 16 << 10;

#[derive(Debug)]
pub struct Attempt {
    context: Arc<TaskContext>,
    claim: Claim,
    held: Held,
    fate: Fate,
    is_sweep: bool,
    /// Until its process has ended.
    place: Option<Place>,
}

impl Attempt {
    pub fn new(context: Arc<TaskContext>, claim: Claim, fate: Fate) -> Self {
        let (is_sweep, place) = (remote::is_sweep(&claim.task_argv), Some(context.pace.place()));
        Attempt { context, held: claim.held(), claim, fate, is_sweep, place }
    }

    /// To its end.
    pub async fn run(mut self) {
        let Some(place) = self.place.take() else { return };
        if self.claim.cancel {
            self.fate.to(Turn::Cancelled);
        }
        if self.is_sweep && self.claim.missing_points.is_empty() {
            // The attempt before was lost between its last point and its end.
            self.finish(Finish::succeeded(Vec::new())).await;
            return;
        }
        let mut files = Vec::with_capacity(self.claim.files.len());
        for file in &self.claim.files {
            let get = || async { self.context.contents.get(&self.context.db, &file.digest).await };
            match self.until_there(get).await {
                Some(Ok(bytes)) => files.push((file.path.clone(), bytes)),
                Some(Err(error)) => {
                    self.finish(Finish::failed(Code::Failed.name(), &format!("{}: {error}", file.path))).await;
                    return;
                }
                None => return self.leave().await,
            }
        }
        // Claimed ahead: it waits for its turn, unless others keep it waiting for long.
        let Some(slot) = place.slot().await else { return self.leave().await };
        if self.fate.turn() != Turn::GoesOn {
            return self.leave().await;
        }
        let points = self.claim.missing_points.iter().filter_map(|point| u64::try_from(*point).ok()).collect();
        let work = Work::Command { argv: self.claim.task_argv.clone(), points: self.is_sweep.then_some(points) };
        let limits = self.context.settings.limits.over(Limits::of_job(&self.claim.limits));
        let spec = Spec { work, files, limits, stop: self.fate.stop.clone() };
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let process = async {
            let begun = Instant::now();
            let outcome = Process::run(&self.context.launcher, spec, sender).await;
            place.took(begun.elapsed());
            drop((slot, place));
            outcome
        };
        let (outcome, left) = tokio::join!(process, self.listen(&mut events));
        self.end(outcome, left).await;
    }

    /// Stores points as they come, until no more come; those that could not be stored are left.
    async fn listen(&self, events: &mut UnboundedReceiver<Event>) -> Left {
        let (mut points, mut text, mut reason) = (Vec::new(), String::new(), None);
        while let Some(event) = events.recv().await {
            take(event, &mut points, &mut text, &mut reason);
            let soon = tokio::time::Instant::now() + GATHER;
            let mut is_over = false;
            while points.len() < MOST_AT_ONCE {
                match tokio::time::timeout_at(soon, events.recv()).await {
                    Ok(Some(event)) => take(event, &mut points, &mut text, &mut reason),
                    Ok(None) => {
                        is_over = true;
                        break;
                    }
                    Err(_) => break,
                }
            }
            if !text.is_empty() && !is_over {
                let told = std::mem::take(&mut text);
                // Who watches may miss a line while the database is away; the whole log comes at the end.
                let _ = queue::log(&self.context.db, &self.held, &told).await;
            }
            // The last ones go with the end, in one transaction.
            if !is_over && !points.is_empty() {
                self.store(&mut points).await;
            }
        }
        Left { points, reason }
    }

    /// Stores points; they are kept while the database is away.
    async fn store(&self, points: &mut Vec<PointRecord>) {
        loop {
            if self.fate.turn() == Turn::Lost {
                points.clear();
                return;
            }
            match queue::store(&self.context.db, &self.held, points).await {
                Ok(is_mine) => {
                    if !is_mine {
                        self.fate.to(Turn::Lost);
                    }
                    points.clear();
                    return;
                }
                Err(error) if error.is_passing() => {
                    log::line(&format!("{} points wait for the database: {error}", points.len()));
                    // The end of the worker does not wait forever; what is left is tried once more with the end.
                    if self.fate.turn() == Turn::GivenBack {
                        return;
                    }
                    tokio::time::sleep(AWAY).await;
                }
                Err(error) => {
                    log::line(&format!("points of job {} cannot be stored: {error}", self.claim.job));
                    points.clear();
                    self.fate.to(Turn::Lost);
                    return;
                }
            }
        }
    }

    /// What becomes of it after its process has ended.
    async fn end(&self, outcome: Outcome, left: Left) {
        let Left { points: mut left, reason } = left;
        match self.fate.turn() {
            Turn::Lost => {}
            Turn::GivenBack if outcome.code == Some(Code::Cancelled) => {
                if !left.is_empty() {
                    self.store(&mut left).await;
                }
                self.leave().await;
            }
            Turn::Cancelled if outcome.code == Some(Code::Cancelled) => {
                let cancelled = Finish { ending: Ending::Cancelled, cpu_s: outcome.cpu_s, ..Finish::succeeded(left) };
                self.finish(cancelled).await;
            }
            // It had ended before it was asked to.
            Turn::GoesOn | Turn::GivenBack | Turn::Cancelled => {
                let finish = told::finish(outcome, left, self.is_sweep.then_some(self.claim.number), reason);
                self.finish(finish).await;
            }
        }
    }

    /// Without having run, or not to the end.
    async fn leave(&self) {
        match self.fate.turn() {
            Turn::Lost => {}
            Turn::Cancelled => {
                self.finish(Finish { ending: Ending::Cancelled, ..Finish::succeeded(Vec::new()) }).await;
            }
            Turn::GivenBack | Turn::GoesOn => {
                if let Err(error) = queue::give_back(&self.context.db, &self.held).await {
                    log::line(&format!("a task of job {} cannot be returned: {error}", self.claim.job));
                }
            }
        }
    }

    async fn finish(&self, finish: Finish) {
        let done = || async { self.context.ends.tell(&self.held, finish.clone()).await };
        if let Some(Err(error)) = self.until_there(done).await {
            // Such as a point that is none of this task's: it would happen again.
            log::line(&format!("a task of job {} cannot be ended: {error}", self.claim.job));
            let failed = Finish::failed(Code::Failed.name(), &error.to_string());
            let _ = queue::finish(&self.context.db, &self.held, &failed).await;
        }
    }

    /// Tries until the database answers; none when it is not worth while any more.
    async fn until_there<T, F>(&self, mut attempt: impl FnMut() -> F) -> Option<Result<T, StoreError>>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        loop {
            match attempt().await {
                Err(error) if error.is_passing() => {
                    log::line(&format!("a task waits for the database: {error}"));
                    if matches!(self.fate.turn(), Turn::Lost | Turn::GivenBack) {
                        return None;
                    }
                    tokio::time::sleep(AWAY).await;
                }
                result => return Some(result),
            }
        }
    }
}

/// What is left when no more points come.
struct Left {
    /// Those that could not be stored.
    points: Vec<PointRecord>,
    /// Why the first that failed did.
    reason: Option<String>,
}

fn take(event: Event, points: &mut Vec<PointRecord>, text: &mut String, reason: &mut Option<String>) {
    match event {
        Event::Point(PointRow { point, failed, record, cpu_s }) => {
            if failed && reason.is_none() {
                *reason = told::reason(&record);
            }
            if let Ok(point) = i64::try_from(point) {
                points.push(PointRecord { point, failed, record, cpu_s });
            }
        }
        Event::Log(line) if text.len() < MOST_TOLD => {
            text.extend(line.chars().take(MOST_TOLD));
            text.push('\n');
        }
        Event::Log(_) | Event::Line(_) | Event::Progress { .. } => {}
    }
}

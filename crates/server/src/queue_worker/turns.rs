//! The turns of a worker: what has ended is stored, and the next tasks are claimed, together in one transaction.
//!
//! An end that comes while a turn is under way goes with the next one. While all slots have work, a turn also waits for a
//! few more ends: nobody loses more than these milliseconds.

use super::attempt::Attempt;
use super::{AWAY, LOOK_EVERY, TaskContext};
use crate::log;
use runcast_store::queue::{self, Claim, Finish, Held, MOST_AT_ONCE, Turned};
use runcast_store::{Id, StoreError, wakes};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long ends are gathered while the slots have work. The clock adds up to a millisecond.
const GATHER: Duration = Duration::from_millis(4);
/// How long tasks may take to be given back at the end.
const GIVE_BACK: Duration = Duration::from_secs(3);

/// The end of an attempt, and who waits until it is stored.
#[derive(Debug)]
pub struct End {
    held: Held,
    finish: Finish,
    stored: oneshot::Sender<Result<bool, StoreError>>,
}

/// The way of ends from the attempts.
#[derive(Debug)]
pub struct Ends(pub UnboundedSender<End>);

impl Ends {
    /// Ends an attempt with the next turn: false when the task is not mine any more.
    pub async fn tell(&self, held: &Held, finish: Finish) -> Result<bool, StoreError> {
        let over = || StoreError::Away("the worker ends".to_owned());
        let (stored, answer) = oneshot::channel();
        self.0.send(End { held: held.clone(), finish, stored }).map_err(|_| over())?;
        answer.await.map_err(|_| over())?
    }
}

/// Takes turns until asked to stop, or until nothing is left where that is wanted; then gives back what it has.
pub async fn take(context: &Arc<TaskContext>, worker: &Id, ended: UnboundedReceiver<End>, stop: &CancellationToken) {
    let mut running = JoinSet::new();
    let too_late = async {
        stop.cancelled().await;
        context.held.give_back();
        sleep(GIVE_BACK).await;
    };
    tokio::select! {
        () = turns(context, worker, ended, stop, &mut running) => {}
        () = too_late => log::line("tasks could not be returned in time: their leases will expire"),
    }
}

async fn turns(
    context: &Arc<TaskContext>,
    worker: &Id,
    mut ended: UnboundedReceiver<End>,
    stop: &CancellationToken,
    running: &mut JoinSet<()>,
) {
    let mut news = context.db.wakes().work();
    // Nothing more can be claimed, until something happens.
    let mut is_empty = false;
    loop {
        while running.try_join_next().is_some() {}
        let is_last = stop.is_cancelled() || (context.settings.drain && is_empty);
        if is_last && running.is_empty() {
            return;
        }
        let mut ends = Vec::new();
        let mut room = if stop.is_cancelled() { 0 } else { context.pace.room() };
        if room == 0 || is_empty {
            tokio::select! {
                biased;
                Some(end) = ended.recv() => ends.push(end),
                () = stop.cancelled(), if !stop.is_cancelled() => continue,
                // Ending a task may make room for another of the same user.
                Some(_) = running.join_next() => {
                    is_empty = false;
                    continue;
                }
                () = wakes::wait(&mut news, LOOK_EVERY), if room > 0 && !context.settings.drain => {}
            }
            gather(context, &mut ended, &mut ends).await;
            room = if stop.is_cancelled() { 0 } else { context.pace.room() };
        }
        match turn(context, worker, ends, room).await {
            Ok(claims) => {
                is_empty = claims.len() < room;
                claims.into_iter().for_each(|claim| start(context, claim, running));
                if stop.is_cancelled() {
                    // Those too that came with this turn.
                    context.held.give_back();
                }
            }
            Err(error) => {
                log::line(&format!("no task can be claimed: {error}"));
                let _ = stop.run_until_cancelled(sleep(AWAY)).await;
            }
        }
    }
}

/// More ends, at once and, while all slots have work, for a while.
async fn gather(context: &TaskContext, ended: &mut UnboundedReceiver<End>, ends: &mut Vec<End>) {
    let until = Instant::now() + GATHER;
    while ends.len() < MOST_AT_ONCE {
        match ended.try_recv() {
            Ok(end) => ends.push(end),
            Err(_) if ends.is_empty() || !context.pace.is_ahead() => return,
            Err(_) => match timeout_at(until, ended.recv()).await {
                Ok(Some(end)) => ends.push(end),
                _ => return,
            },
        }
    }
}

/// One turn; who waits for an end hears of it.
async fn turn(context: &TaskContext, worker: &Id, ends: Vec<End>, room: usize) -> Result<Vec<Claim>, StoreError> {
    let (ends, waiting): (Vec<(Held, Finish)>, Vec<_>) =
        ends.into_iter().map(|End { held, finish, stored }| ((held, finish), stored)).unzip();
    let turned = queue::turn(&context.db, worker, context.settings.lease, &ends, room).await;
    match turned {
        Ok(Turned { ended, claims }) => {
            for (stored, told) in waiting.into_iter().zip(ended) {
                let _ = stored.send(told);
            }
            Ok(claims)
        }
        Err(error) => {
            for stored in waiting {
                let _ = stored.send(Err(StoreError::Away(error.to_string())));
            }
            Err(error)
        }
    }
}

fn start(context: &Arc<TaskContext>, claim: Claim, running: &mut JoinSet<()>) {
    let (fence, fate) = (claim.held(), context.held.add(claim.held()));
    let attempt = Attempt::new(Arc::clone(context), claim, fate);
    let context = Arc::clone(context);
    running.spawn(async move {
        attempt.run().await;
        context.held.remove(&fence);
    });
}

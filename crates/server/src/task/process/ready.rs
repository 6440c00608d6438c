//! A process that is started before its work is known, for users who must not wait for a start.
//!
//! It has read nothing, belongs to no user, and does one piece of work, under the limits and the sandbox of any other.

use super::{Spec, StopOnDrop, watch};
use crate::task::launcher::Launcher;
use crate::task::outcome::{Event, Outcome};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// How long it waits for work.
const IDLE: Duration = Duration::from_secs(60);
/// Work is handed over only so long before the end of that: not to one that is about to go.
const MARGIN: Duration = Duration::from_secs(5);

/// A process that waits for its work. Dropped, it ends.
#[derive(Debug)]
pub struct Ready {
    hand: Sender<Given>,
    started: Instant,
}

#[derive(Debug)]
struct Given {
    spec: Spec,
    events: UnboundedSender<Event>,
    /// The work itself where the process has died.
    tell: oneshot::Sender<Result<Outcome, Spec>>,
}

impl Ready {
    /// Starts one.
    pub fn start(launcher: &Launcher) -> Ready {
        let executable = launcher.executable().to_owned();
        let (hand, given) = channel();
        let wait = move || {
            if let Ok(child) = watch::start(&executable, true) {
                attend(child, &given);
            }
        };
        // The system ends the child when the thread ends that started it. Without a thread nobody takes the work.
        let _ = std::thread::Builder::new().name("ready".to_owned()).spawn(wait);
        Ready { hand, started: Instant::now() }
    }

    /// Whether it still waits.
    pub fn is_fresh(&self) -> bool {
        self.started.elapsed() < IDLE - MARGIN
    }

    /// Does the work. Who drops the future ends the process.
    ///
    /// # Errors
    /// The work, where there is no process any more.
    pub async fn run(self, spec: Spec, events: UnboundedSender<Event>) -> Result<Outcome, Spec> {
        let mut guard = StopOnDrop(Some(spec.stop.clone()));
        let (tell, told) = oneshot::channel();
        let sent = self.hand.send(Given { spec, events, tell });
        let outcome = match sent {
            Ok(()) => told.await.unwrap_or_else(|_| Ok(Outcome::crashed("it was given up"))),
            Err(SendError(given)) => Err(given.spec),
        };
        guard.0 = None;
        outcome
    }
}

fn attend(mut child: std::process::Child, given: &Receiver<Given>) {
    let Ok(Given { spec, events, tell }) = given.recv_timeout(IDLE) else { return watch::dismiss(&child) };
    let outcome = match child.try_wait() {
        Ok(None) => Ok(watch::finish(child, spec, Some(&events)).0),
        _ => Err(spec),
    };
    // Who asked may have given up.
    let _ = tell.send(outcome);
}

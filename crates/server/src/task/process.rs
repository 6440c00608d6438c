//! Outside: starts the process of a task and watches it.

mod hearing;
mod running;
mod watch;

use super::ending::Code;
use super::launcher::Launcher;
use super::limits::Limits;
use super::outcome::{Event, Outcome};
use super::protocol::{Probed, Work};
use runcast_core::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::UnboundedSender;

/// What a process is to do, with what.
#[derive(Debug, Clone)]
pub struct Spec {
    pub work: Work,
    /// The files that it gets, by their paths in the project.
    pub files: Vec<(String, Arc<[u8]>)>,
    /// What it may use.
    pub limits: Limits,
    /// Ends it from outside.
    pub stop: Stop,
}

/// Ends a process from outside. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it, soon.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The process of a task.
#[derive(Debug, Clone, Copy)]
pub struct Process;

impl Process {
    /// Starts it and waits for its end; what comes before the end goes to `events`. Who drops the future ends the process.
    pub async fn run(launcher: &Launcher, spec: Spec, events: UnboundedSender<Event>) -> Outcome {
        Process::watched(launcher, spec, Some(events)).await.0
    }

    /// The same without a listener.
    pub async fn run_quietly(launcher: &Launcher, spec: Spec) -> Outcome {
        Process::watched(launcher, spec, None).await.0
    }

    pub(super) async fn probe(launcher: &Launcher, spec: Spec) -> (Outcome, Option<Probed>) {
        Process::watched(launcher, spec, None).await
    }

    async fn watched(
        launcher: &Launcher,
        spec: Spec,
        events: Option<UnboundedSender<Event>>,
    ) -> (Outcome, Option<Probed>) {
        let mut guard = StopOnDrop(Some(spec.stop.clone()));
        let launcher = launcher.clone();
        // The thread that starts a process waits for its end: the system ends the child when that thread ends.
        let watched = tokio::task::spawn_blocking(move || watch::run(&launcher, spec, events.as_ref())).await;
        guard.0 = None;
        watched.unwrap_or_else(|error| (Outcome::crashed(&error.to_string()), None))
    }
}

/// The caller may give up waiting.
struct StopOnDrop(Option<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.stop();
        }
    }
}

impl Outcome {
    /// The process could not even be started.
    pub(super) fn crashed(why: &str) -> Outcome {
        let problem = Problem::new("crashed", format!("the process of the task: {why}"));
        Outcome { exit: 1, code: Some(Code::Crashed), problems: vec![problem], ..Outcome::default() }
    }
}

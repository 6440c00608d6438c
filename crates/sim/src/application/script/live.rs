//! Processes that read messages or the clock: coroutines that run alongside simulated time.
//!
//! A process runs ahead as far as it can, and its operations are passed on one by one; when it needs a result (a
//! received message, the time), it waits until the last of them is done.

use super::host::Expects;
use super::raw::{Resumed, Thread};
use super::session::{Input, Session};
use crate::application::{Application, Op, Site};
use crate::build::recorder::{Current, Own};
use crate::job::{Feedback, Live, LiveProcess};
use runcast_core::Problem;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A script whose processes are run.
pub(super) struct LiveScript {
    input: Input,
    running: Mutex<Running>,
}

/// The machine of the current simulation, and the processes started in it.
#[derive(Default)]
struct Running {
    session: Option<Arc<Mutex<Session>>>,
    started: HashSet<u64>,
}

impl LiveScript {
    /// Nothing runs yet.
    pub(super) fn new(input: Input) -> Self {
        LiveScript { input, running: Mutex::default() }
    }
}

impl Live for LiveScript {
    fn start(&self, process: u64, application: &Application) -> Result<Box<dyn LiveProcess>, Problem> {
        let mut running = held(&self.running);
        // A process that is started again belongs to a new simulation.
        if running.session.is_none() || !running.started.insert(process) {
            *running = Running {
                session: Some(Arc::new(Mutex::new(Session::start(&self.input, true)?))),
                started: HashSet::from([process]),
            };
        }
        let Some(session) = running.session.clone() else {
            return Err(Problem::new("not_running", "the script does not run"));
        };
        let number = application.label_of(process);
        let label = &application.labels[number];
        let rank = process - label.first;
        let mut locked = held(&session);
        let host = locked.machine.host();
        // Several applications may follow one another in a simulation.
        host.recorder.first_label = 0;
        let in_script = host.recorder.label_named(&label.name)?;
        host.recorder.first_label = number as u32 - in_script;
        let run = host.runs[in_script as usize];
        let mut current = Current::default();
        host.recorder.begin_as(Own {
            label: number as u32,
            first: label.first,
            count: label.count,
            rank,
            ranked: run.ranked,
            running: true,
        });
        host.recorder.exchange(&mut current);
        let thread = match locked.machine.spawn(run.function, [rank as f64, label.count as f64]) {
            Ok(thread) => thread,
            Err(failure) => return Err(locked.told(failure, Some((in_script, rank)))),
        };
        drop(locked);
        Ok(Box::new(Process {
            session,
            thread,
            current,
            label: in_script,
            rank,
            at: 0,
            fresh: true,
            ended: false,
            expects: Expects::Nothing,
        }))
    }

    fn another(&self) -> Result<Option<Box<dyn Live>>, Problem> {
        Ok(Some(Box::new(LiveScript::new(self.input.clone()))))
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Process {
    session: Arc<Mutex<Session>>,
    thread: Thread,
    current: Current,
    label: u32,
    rank: u64,
    /// Operations handed out of those that wait.
    at: usize,
    fresh: bool,
    ended: bool,
    expects: Expects,
}

impl Drop for Process {
    fn drop(&mut self) {
        held(&self.session).machine.forget(self.thread);
    }
}

impl LiveProcess for Process {
    fn next(&mut self, feedback: &Feedback, application: &mut Application) -> Result<Option<(Op, Site)>, Problem> {
        loop {
            if let Some(next) = self.current.ops.get(self.at) {
                self.at += 1;
                return Ok(Some(*next));
            }
            if self.ended {
                return Ok(None);
            }
            self.current.ops.clear();
            self.at = 0;
            self.go_on(feedback, application)?;
        }
    }
}

impl Process {
    /// Runs the script until it needs a result, or has done much.
    fn go_on(&mut self, feedback: &Feedback, application: &mut Application) -> Result<(), Problem> {
        let mut session = held(&self.session);
        let host = session.machine.host();
        std::mem::swap(&mut host.recorder.app, application);
        host.recorder.exchange(&mut self.current);
        host.expects = self.expects;
        host.now_s = feedback.now_s;
        host.received = feedback.received;
        host.completed.clone_from(&feedback.completed);
        let resumed = session.machine.resume(self.thread, std::mem::take(&mut self.fresh));
        let host = session.machine.host();
        self.expects = host.expects;
        host.recorder.exchange(&mut self.current);
        std::mem::swap(&mut host.recorder.app, application);
        match resumed {
            Ok(Resumed::Waiting) => Ok(()),
            Ok(Resumed::Ended) => {
                self.ended = true;
                Ok(())
            }
            Err(failure) => Err(session.told(failure, Some((self.label, self.rank)))),
        }
    }
}

//! Requests that are prepared once, and started many times.

use super::recorder::Recorder;
use super::requests::Made;
use super::{FittingTag, Request};
use crate::application::Tag;
use runcast_core::Problem;

/// A message that is prepared.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Prepared {
    Send { to: u64, size: u64, tag: Tag },
    Recv { from: Option<u64>, tag: FittingTag },
}

/// A prepared request of a process, by its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Persistent {
    pub process: u32,
    pub number: u32,
}

/// What a process has prepared, each with the request that it was started with last, until that is waited for.
#[derive(Debug, Default)]
pub(crate) struct AllPrepared(Vec<(Prepared, Option<Request>)>);

impl AllPrepared {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Recorder {
    /// Prepares a message.
    pub(crate) fn prepare(&mut self, message: Prepared) -> Result<Persistent, Problem> {
        self.charge(size_of::<(Prepared, Option<Request>)>())?;
        self.prepared.0.push((message, None));
        Ok(Persistent { process: self.own_process(), number: self.prepared.0.len() as u32 - 1 })
    }

    /// Starts one that was prepared.
    pub(crate) fn start(&mut self, persistent: Persistent) -> Result<(), Problem> {
        let (message, running) = *self.prepared(persistent)?;
        if running.is_some_and(|request| self.requests.check(request).is_ok()) {
            return Err(Problem::new("request_running", "this request was started before, and was not waited for")
                .hint("wait for it before it is started again"));
        }
        let request = match message {
            Prepared::Send { to, size, tag } => self.isend_as(to, size, tag, true)?,
            Prepared::Recv { from, tag } => self.irecv(from, tag)?,
        };
        self.prepared(persistent)?.1 = Some(request);
        Ok(())
    }

    /// The request that it was started with; none: it is not running.
    #[cfg(feature = "luau")]
    pub(crate) fn running(&mut self, persistent: Persistent) -> Result<Option<Request>, Problem> {
        let running = self.prepared(persistent)?.1;
        Ok(running.filter(|request| self.requests.check(*request).is_ok()))
    }

    /// Waits for one that was started; returns what it was for. One that is not running is complete.
    pub(crate) fn wait_for_started(&mut self, persistent: Persistent) -> Result<Option<Made>, Problem> {
        match self.prepared(persistent)?.1.take() {
            Some(request) if self.requests.check(request).is_ok() => self.wait(request).map(Some),
            _ => Ok(None),
        }
    }

    fn prepared(&mut self, persistent: Persistent) -> Result<&mut (Prepared, Option<Request>), Problem> {
        let is_own = persistent.process == self.own_process();
        let found = self.prepared.0.get_mut(persistent.number as usize).filter(|_| is_own);
        found.ok_or_else(|| Problem::new("request_closed", "this request was prepared by another process"))
    }

    fn own_process(&self) -> u32 {
        (self.own.first + self.own.rank) as u32
    }
}

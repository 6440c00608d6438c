//! Operations of several steps: collectives, farms, operations between labels.

use super::code::Step;
use super::plan::{Halt, Plan};
use crate::application::{Peer, Source};
use crate::cursor::{Action, Expansion, FIRST_OWN_REQUEST};
use crate::job::Received;

/// Where a process is in such an operation.
pub(super) struct More {
    expansion: Option<Box<dyn Expansion>>,
    pub(super) step: Step,
    /// What the last blocking receive got.
    pub(super) received: Option<Received>,
    /// Its requests that are not complete, counted from [`crate::cursor::FIRST_OWN_REQUEST`].
    pub(super) requests: Vec<u64>,
    /// What its requests got, where it looks at that.
    got: Option<Vec<Option<Received>>>,
}

impl More {
    /// An operation begins; `looks` says whether it looks at what its requests got.
    pub(super) fn put(slot: &mut Option<Box<More>>, expansion: Box<dyn Expansion>, looks: bool) {
        let got = looks.then(Vec::new);
        match slot {
            Some(more) => {
                more.expansion = Some(expansion);
                more.received = None;
                more.got = got;
            }
            None => {
                *slot = Some(Box::new(More {
                    expansion: Some(expansion),
                    step: Step::End,
                    received: None,
                    requests: Vec::new(),
                    got,
                }));
            }
        }
    }

    /// A request got a message.
    #[inline]
    pub(super) fn get(&mut self, request: u32, received: Received) {
        if let (Some(got), Some(at)) = (&mut self.got, request.checked_sub(FIRST_OWN_REQUEST)) {
            if got.len() <= at as usize {
                got.resize(at as usize + 1, None);
            }
            got[at as usize] = Some(received);
        }
    }

    /// The wait for a request is over.
    #[inline]
    pub(super) fn waited(&mut self, request: u32) {
        if let (Some(got), Some(at)) = (&mut self.got, request.checked_sub(FIRST_OWN_REQUEST)) {
            self.received = got.get_mut(at as usize).and_then(Option::take);
        }
    }

    /// Its next step; none: it is over.
    pub(super) fn next(&mut self, plan: &Plan<'_>) -> Result<Option<Step>, Halt> {
        let received = self.received.take();
        let Some(action) = self.expansion.as_mut().and_then(|expansion| expansion.next(received)) else {
            self.expansion = None;
            return Ok(None);
        };
        let source = |from: Option<u64>| from.map_or(Source::Any, |from| Source::Peer(Peer::Process(from)));
        self.step = match action {
            Action::Compute(block) => Step::Compute(block),
            Action::Send { to, size, tag } => Step::Send { to: Peer::Process(to), size, tag, request: None },
            Action::Isend { to, size, tag, request, .. } => {
                Step::Send { to: Peer::Process(to), size, tag, request: Some(request) }
            }
            Action::Recv { from, tag } => Step::Receive { from: source(from), tag, request: None },
            Action::Irecv { from, tag, request } => Step::Receive { from: source(from), tag, request: Some(request) },
            Action::Wait { request } => Step::Wait(request),
            Action::Sleep(seconds) => Step::Sleep(plan.job.tick.of(seconds)?),
            Action::Phase(phase) => Step::Phase(phase),
            Action::Remote { .. }
            | Action::Flush { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Closed { .. }
            | Action::Io(_)
            | Action::Copy(_)
            | Action::Launch { .. }
            | Action::Several { .. } => {
                return Err(Halt::Unsupported);
            }
        };
        Ok(Some(self.step))
    }
}

//! Programs as one array of small steps: loops are jumps with a counter, so that a process needs no stack.

use crate::application::{Application, Op, Peer, Program, Site, Source, Tag};
use crate::tick::{Tick, TickLength};
use runcast_core::Problem;

/// A step of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Compute(u32),
    /// A message; without a request the process continues when it is complete.
    Send {
        to: Peer,
        size: u64,
        tag: Tag,
        request: Option<u32>,
    },
    /// A receive; without a request the process continues when it is complete.
    Receive {
        from: Source,
        tag: Tag,
        request: Option<u32>,
    },
    /// Waits for a request.
    Wait(u32),
    /// An operation that consists of several steps.
    Expand(Op),
    /// Nothing, for so long.
    Sleep(Tick),
    /// What follows is this phase.
    Phase(u32),
    /// The loop that begins here is to run so often.
    Loop {
        count: u32,
        depth: u32,
    },
    /// The body of a loop ends here, and began there.
    Again {
        start: u32,
        depth: u32,
    },
    End,
}

impl Step {
    /// Whether it is an operation of the script, and not the frame of a loop or a program.
    #[inline]
    pub(super) fn is_operation(&self) -> bool {
        !matches!(self, Step::Loop { .. } | Step::Again { .. } | Step::End)
    }
}

/// All programs, one after the other.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    /// Where each step is in the script.
    pub(super) sites: Vec<Site>,
    /// Where each program begins.
    pub(super) starts: Vec<u32>,
    /// How deep loops are nested.
    pub(super) depth: u32,
    /// Whether some operation consists of several steps.
    pub(super) expands: bool,
}

/// What a loop may need at most: the answer to more would take years.
const MOST_ROUNDS: u64 = u32::MAX as u64;
/// Loops nested deeper than this are left to the plain engine.
const MOST_DEPTH: u32 = 64;

impl Code {
    /// The programs of an application; none if one of them has what this engine leaves to the plain one.
    ///
    /// # Errors
    /// A sleep that ticks cannot count.
    pub(super) fn of(application: &Application, tick: TickLength) -> Result<Option<Code>, Problem> {
        let mut code = Code::default();
        for program in &application.programs {
            code.starts.push(code.steps.len() as u32);
            if !code.body(program, 0, program.ops.len(), 0, tick)? {
                return Ok(None);
            }
            code.push(Step::End, Site::default());
        }
        // Numbers of steps share a word with a flag.
        Ok((code.steps.len() < 1 << 31).then_some(code))
    }

    fn push(&mut self, step: Step, site: Site) {
        self.steps.push(step);
        self.sites.push(site);
    }

    fn body(
        &mut self,
        program: &Program,
        from: usize,
        to: usize,
        depth: u32,
        tick: TickLength,
    ) -> Result<bool, Problem> {
        let mut at = from;
        while at < to {
            let (op, site) = program.ops[at];
            at += 1;
            let step = match op {
                Op::Repeat { count, len } => {
                    let end = (at + len as usize).min(to);
                    if count > 0 && end > at {
                        if count > MOST_ROUNDS || depth >= MOST_DEPTH {
                            return Ok(false);
                        }
                        self.depth = self.depth.max(depth + 1);
                        self.push(Step::Loop { count: count as u32, depth }, site);
                        let start = self.steps.len() as u32;
                        if !self.body(program, at, end, depth + 1, tick)? {
                            return Ok(false);
                        }
                        self.push(Step::Again { start, depth }, site);
                    }
                    at = end;
                    continue;
                }
                Op::Compute(block) => Step::Compute(block),
                Op::Send { to, size, tag } => Step::Send { to, size, tag, request: None },
                Op::Recv { from, tag } => Step::Receive { from, tag, request: None },
                Op::Isend { to, size, tag, request, .. } => Step::Send { to, size, tag, request: Some(request) },
                Op::Irecv { from, tag, request } => Step::Receive { from, tag, request: Some(request) },
                Op::Wait { request } => Step::Wait(request),
                Op::Sleep(bits) => Step::Sleep(tick.of(f64::from_bits(bits))?),
                Op::Phase(phase) => Step::Phase(phase),
                // Storages and buses are shared, and closed collectives join all at one point of time.
                Op::Remote { .. }
                | Op::Flush { .. }
                | Op::Lock { .. }
                | Op::Unlock { .. }
                | Op::Copy(_)
                | Op::Launch { .. }
                | Op::Several { .. }
                | Op::Read { .. }
                | Op::Write { .. }
                | Op::Icollective { .. } => {
                    return Ok(false);
                }
                Op::P2pSend { .. }
                | Op::P2pRecv { .. }
                | Op::One2OneSend { .. }
                | Op::One2OneRecv { .. }
                | Op::ScatterSend { .. }
                | Op::ScatterRecv { .. }
                | Op::GatherSend { .. }
                | Op::GatherRecv { .. }
                | Op::Collective(_)
                | Op::Farm(_)
                | Op::FarmWorker(_) => {
                    self.expands = true;
                    Step::Expand(op)
                }
            };
            self.push(step, site);
        }
        Ok(true)
    }
}

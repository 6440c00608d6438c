//! The next step of a process: loops are walked, not unrolled, and operations between labels, collectives and farms become
//! the messages that they consist of.

use crate::application::{Access, Application, Label, Op, Programs, Site, Source, Tag, Task, Wanted};
use crate::collective;
use crate::farm;
use crate::job::{Collectives, Feedback, Job, LiveProcess, Received};
use runcast_core::Problem;

/// A step that engines execute. Process numbers are those of the application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// A computing block: an index into the blocks of the application.
    Compute(u32),
    /// Blocking send.
    Send {
        to: u64,
        /// Bytes.
        size: u64,
        tag: Tag,
    },
    /// Blocking receive.
    Recv {
        /// From which process; none: any.
        from: Option<u64>,
        /// Tag or [`crate::application::ANY_TAG`].
        tag: Tag,
    },
    /// Non-blocking send.
    Isend {
        to: u64,
        /// Bytes.
        size: u64,
        tag: Tag,
        /// Number of the request in this process.
        request: u32,
        channel: Channel,
    },
    /// Non-blocking receive.
    Irecv {
        /// From which process; none: any.
        from: Option<u64>,
        /// Tag or [`crate::application::ANY_TAG`].
        tag: Tag,
        /// Number of the request in this process.
        request: u32,
    },
    /// Waits for a request.
    Wait { request: u32 },
    /// Waits for some of a set of requests, or looks whether all are complete.
    Several { set: u32, wanted: Wanted },
    /// A collective by its formula: all enter, all leave this many seconds after the last. Calls of one group match by order.
    Closed {
        /// Index into the collectives of the application.
        collective: u32,
        /// The request if non-blocking; none: blocking.
        request: Option<u32>,
    },
    /// From or to a storage: the operation says which.
    Io(Op),
    /// One side alone moves bytes to or from the memory of another process.
    Remote { access: Access, to: u64, size: u64, window: u32 },
    /// Waits until the own accesses to a window are done, at one process or at all; `answer`: until it is known here.
    Flush { window: u32, to: Option<u64>, answer: bool },
    /// Waits for the lock of a window at a process.
    Lock { window: u32, to: u64 },
    /// Gives it back.
    Unlock { window: u32, to: u64 },
    /// To or from a device: an index into the copies of the application.
    Copy(u32),
    /// A device begins a task; the process goes on.
    Launch { task: Task, request: u32 },
    /// Sleeps for this many seconds.
    Sleep(f64),
    /// Begins a phase.
    Phase(u32),
}

/// How a message goes, beside what its network says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Channel {
    /// Rails that it is spread over, by bits, where there are several; 0: as the network chooses.
    pub rails: u64,
    /// Whether its bytes wait for those of the messages before it between the same processes.
    pub in_order: bool,
    /// Whether its request was prepared before.
    pub persistent: bool,
}

/// A series of steps that one operation consists of.
pub trait Expansion: Send {
    /// The next step; none: it is over. `received` is the message that the last [`Action::Recv`] got.
    fn next(&mut self, received: Option<Received>) -> Option<Action>;
}

/// Requests of expansions are numbered from here, so that they do not clash with those of the script.
pub const FIRST_OWN_REQUEST: u32 = 1 << 30;

/// Operations without a step between two checks of the budget.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 16;

/// Tags of operations between labels; tags of farms and collectives are lower still (see [`farm`] and [`collective`]).
const P2P: Tag = -2;
const ONE2ONE: Tag = -3;
const SCATTER: Tag = -4;
const GATHER: Tag = -5;

/// Position of a process.
pub struct Cursor {
    process: u64,
    label: u32,
    site: Site,
    source: Steps,
    expansion: Option<Box<dyn Expansion>>,
    /// Whether the expansion is a collective.
    collective: bool,
    /// Operations taken so far.
    operations: u64,
}

enum Steps {
    Recorded { program: u32, at: u32, loops: Vec<Loop> },
    Live(Box<dyn LiveProcess>),
}

/// A loop that the process is in: its body, and the remaining iterations.
#[derive(Debug, Clone, Copy)]
struct Loop {
    start: u32,
    end: u32,
    left: u64,
}

impl Cursor {
    /// A process at its start.
    ///
    /// # Errors
    /// Those of a live script.
    pub fn new(process: u64, application: &Application, job: &Job<'_>) -> Result<Cursor, Problem> {
        let label = application.label_of(process);
        let source = match (&application.labels[label].programs, job.live) {
            (Programs::Same(program), _) => Steps::Recorded { program: *program, at: 0, loops: Vec::new() },
            (Programs::PerRank(programs), _) => {
                let rank = (process - application.labels[label].first) as usize;
                Steps::Recorded { program: programs[rank], at: 0, loops: Vec::new() }
            }
            (Programs::Live, Some(live)) => Steps::Live(live.start(process, application)?),
            (Programs::Live, None) => {
                return Err(Problem::new(
                    "not_recorded",
                    "the application reads messages or the clock, but no script runs beside the simulation",
                ));
            }
        };
        Ok(Cursor {
            process,
            label: label as u32,
            site: Site::default(),
            source,
            expansion: None,
            collective: false,
            operations: 0,
        })
    }

    /// Position of the last step in the script.
    pub fn site(&self) -> Site {
        self.site
    }

    /// The label of the process.
    pub fn label(&self) -> u32 {
        self.label
    }

    /// Whether the last step belongs to a collective.
    pub fn in_collective(&self) -> bool {
        self.collective && self.expansion.is_some()
    }

    /// Operations taken so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// The next step; none: the process has ended. `feedback` has the time, and the message that the last blocking receive
    /// (or wait for a receive) got.
    ///
    /// # Errors
    /// Those of a live script; of a collective without an expansion.
    pub fn next(
        &mut self,
        feedback: &Feedback,
        application: &mut Application,
        job: &Job<'_>,
    ) -> Result<Option<Action>, Problem> {
        for step in 1_u64.. {
            // Operations may have no steps, endlessly: a barrier of one process.
            if step.is_multiple_of(STEPS_BETWEEN_LOOKS) {
                job.budget.spend(STEPS_BETWEEN_LOOKS, 0, 0)?;
            }
            if let Some(expansion) = &mut self.expansion {
                if let Some(action) = expansion.next(feedback.received) {
                    return Ok(Some(action));
                }
                self.expansion = None;
            }
            let Some((op, site)) = self.next_op(feedback, application)? else { return Ok(None) };
            self.site = site;
            self.operations += 1;
            if let Some(action) = self.start(op, application, job)? {
                return Ok(Some(action));
            }
        }
        Ok(None)
    }

    fn next_op(&mut self, feedback: &Feedback, application: &mut Application) -> Result<Option<(Op, Site)>, Problem> {
        let (program, at, loops) = match &mut self.source {
            Steps::Live(live) => return live.next(feedback, application),
            Steps::Recorded { program, at, loops } => (*program, at, loops),
        };
        let ops = &application.programs[program as usize].ops;
        loop {
            if let Some(inner) = loops.last_mut()
                && *at == inner.end
            {
                inner.left -= 1;
                if inner.left > 0 {
                    *at = inner.start;
                } else {
                    loops.pop();
                }
                continue;
            }
            let Some((op, site)) = ops.get(*at as usize) else { return Ok(None) };
            *at += 1;
            match *op {
                Op::Repeat { count: 0, len } => *at += len,
                Op::Repeat { len: 0, .. } => {}
                Op::Repeat { count, len } => loops.push(Loop { start: *at, end: *at + len, left: count }),
                op => return Ok(Some((op, *site))),
            }
        }
    }

    /// The steps of one operation of a recorded process, where it consists of several.
    ///
    /// # Errors
    /// A collective without an expansion.
    pub(crate) fn expansion(
        op: Op,
        process: u64,
        application: &Application,
        job: &Job<'_>,
    ) -> Result<Option<Box<dyn Expansion>>, Problem> {
        let label = application.label_of(process) as u32;
        let source = Steps::Recorded { program: 0, at: 0, loops: Vec::new() };
        let (site, expansion) = (Site::default(), None);
        let mut cursor = Cursor { process, label, site, source, expansion, collective: false, operations: 0 };
        cursor.start(op, application, job)?;
        Ok(cursor.expansion)
    }

    /// The step of a plain operation; otherwise the expansion begins, and there is none yet.
    fn start(&mut self, op: Op, application: &Application, job: &Job<'_>) -> Result<Option<Action>, Problem> {
        let own = self.process;
        let partner = |source: Source| match source {
            Source::Peer(peer) => Some(peer.of(own)),
            Source::Any => None,
        };
        let label = &application.labels[self.label as usize];
        let (rank, among) = (own - label.first, label.count);
        let all = |other: u32, next: u64| {
            let Label { first, count, .. } = application.labels[other as usize];
            Partners { first, count, next, step: 1, left: count }
        };
        // Distributed round-robin among the processes of this label.
        let dealt = |other: u32, messages: u64| {
            let left = messages / among + u64::from(rank < messages % among);
            Partners { step: among, left, ..all(other, rank) }
        };
        self.collective = false;
        Ok(Some(match op {
            Op::Repeat { .. } => return Ok(None),
            Op::Compute(block) => Action::Compute(block),
            Op::Send { to, size, tag } => Action::Send { to: to.of(own), size, tag },
            Op::Recv { from, tag } => Action::Recv { from: partner(from), tag },
            Op::Isend { to, size, tag, request, persistent } => {
                let channel = Channel { persistent, ..Channel::default() };
                Action::Isend { to: to.of(own), size, tag, request, channel }
            }
            Op::Irecv { from, tag, request } => Action::Irecv { from: partner(from), tag, request },
            Op::Wait { request } => Action::Wait { request },
            Op::Several { set, wanted } => Action::Several { set, wanted },
            Op::Sleep(bits) => Action::Sleep(f64::from_bits(bits)),
            Op::Phase(phase) => Action::Phase(phase),
            Op::Read { .. } | Op::Write { .. } => Action::Io(op),
            Op::Remote { access, to, size, window } => Action::Remote { access, to: to.of(own), size, window },
            Op::Flush { window, to, answer } => Action::Flush { window, to: to.map(|to| to.of(own)), answer },
            Op::Lock { window, to } => Action::Lock { window, to: to.of(own) },
            Op::Unlock { window, to } => Action::Unlock { window, to: to.of(own) },
            Op::Copy(copy) => Action::Copy(copy),
            Op::Launch { task, request } => Action::Launch { task, request },
            Op::Icollective { collective, request } => Action::Closed { collective, request: Some(request) },
            Op::Collective(collective) if job.collectives == Collectives::Closed => {
                Action::Closed { collective, request: None }
            }
            Op::Collective(collective) => {
                let decision = job.decision(application, collective)?;
                if job.is_at_once(&decision) {
                    return Ok(Some(Action::Closed { collective, request: None }));
                }
                let reduce_s = job.world.reduce_per_byte(job.world.place(own).class);
                self.expansion = Some(collective::expand(application, collective, own, &decision, reduce_s)?);
                self.collective = true;
                return Ok(None);
            }
            Op::Farm(farm) => return Ok(self.expand(farm::master(application, farm))),
            Op::FarmWorker(farm) => return Ok(self.expand(farm::worker(application, farm, own))),
            Op::P2pSend { label, size } => return Ok(self.expand(Sends::to(all(label, rank), size, P2P))),
            Op::ScatterSend { label, size } => return Ok(self.expand(Sends::to(all(label, 0), size, SCATTER))),
            Op::GatherSend { label, size } => return Ok(self.expand(Sends::to(all(label, 0), size, GATHER))),
            Op::One2OneSend { label, size, count } => {
                return Ok(self.expand(Sends::to(dealt(label, count), size, ONE2ONE)));
            }
            Op::P2pRecv { label } => return Ok(self.expand(Receives::from(all(label, 0), P2P))),
            Op::ScatterRecv { label } => return Ok(self.expand(Receives::from(all(label, 0), SCATTER))),
            Op::GatherRecv { label } => return Ok(self.expand(Receives::from(all(label, 0), GATHER))),
            Op::One2OneRecv { label, count } => return Ok(self.expand(Receives::from(dealt(label, count), ONE2ONE))),
        }))
    }

    fn expand(&mut self, expansion: Box<dyn Expansion>) -> Option<Action> {
        self.expansion = Some(expansion);
        None
    }
}

/// Processes of a label, one after the other and around again.
struct Partners {
    first: u64,
    count: u64,
    next: u64,
    step: u64,
    left: u64,
}

impl Iterator for Partners {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let partner = self.first + self.next % self.count;
        self.next = self.next.wrapping_add(self.step);
        Some(partner)
    }
}

/// Concurrent sends, waited for at the end.
struct Sends {
    to: Partners,
    size: u64,
    tag: Tag,
    pending: u32,
    waited: u32,
}

impl Sends {
    fn to(to: Partners, size: u64, tag: Tag) -> Box<dyn Expansion> {
        Box::new(Sends { to, size, tag, pending: 0, waited: 0 })
    }
}

impl Expansion for Sends {
    fn next(&mut self, _: Option<Received>) -> Option<Action> {
        if let Some(to) = self.to.next() {
            self.pending += 1;
            let request = FIRST_OWN_REQUEST + self.pending - 1;
            return Some(Action::Isend { to, size: self.size, tag: self.tag, request, channel: Channel::default() });
        }
        self.waited += 1;
        (self.waited <= self.pending).then(|| Action::Wait { request: FIRST_OWN_REQUEST + self.waited - 1 })
    }
}

/// Receives from the processes of a label, each a message, one after the other.
///
/// They are posted for their senders, so that messages of a faster sender's next operation are not taken for a slower one's.
struct Receives {
    from: Partners,
    tag: Tag,
}

impl Receives {
    fn from(from: Partners, tag: Tag) -> Box<dyn Expansion> {
        Box::new(Receives { from, tag })
    }
}

impl Expansion for Receives {
    fn next(&mut self, _: Option<Received>) -> Option<Action> {
        let from = self.from.next()?;
        Some(Action::Recv { from: Some(from), tag: self.tag })
    }
}

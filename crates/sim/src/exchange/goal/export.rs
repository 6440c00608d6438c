//! A recorded program as a schedule.

use crate::application::{self, Application};
use crate::cursor::Action;
use crate::job::{Collectives, Job};
use crate::plain::{self, Step};
use crate::schedule::{ANY_SOURCE, ANY_TAG, Builder, Edge, Operation, Schedule};
use crate::tick::NANOSECOND;
use runcast_core::{Problem, Warning};
use std::collections::HashMap;

/// A program as a schedule.
#[derive(Debug)]
pub struct Exported {
    /// The schedule; calculations are nanoseconds, and events of one instant come as in the program.
    pub schedule: Schedule,
    /// Warnings about what a schedule cannot express.
    pub warnings: Vec<Warning>,
}

/// Tags of users are below; above are those of collectives and operations between labels.
const FIRST_OWN_TAG: u32 = 1 << 31;
/// Processor of what passes while the process's own is free.
const ASIDE: u16 = 1;

/// Makes a schedule of an application, whose processes are its ranks.
///
/// The next operation after a non-blocking one waits for its start, after a blocking one for its end; a wait adds the end of
/// what it waits for. Sleep is a calculation of a second processor, since messages are taken meanwhile; what arrives at the very
/// instant at which it begins may be taken before or after.
///
/// # Errors
/// Those of the engine; collectives by formula, which are no messages.
pub fn export(application: &mut Application, job: &Job<'_>) -> Result<Exported, Problem> {
    let job = Job { collectives: Collectives::Expanded, ..*job };
    let tape = plain::record(&job, application)?;
    let mut builder = Builder::new(application.file.clone(), tape.len() as u32);
    let mut own_tags = HashMap::new();
    let mut has_io = false;
    for (rank, steps) in tape.iter().enumerate() {
        let mut writer = Writer {
            application,
            rank: rank as u32,
            builder: &builder,
            own_tags: &mut own_tags,
            operations: Vec::with_capacity(steps.len()),
            edges: Vec::new(),
            before: Vec::new(),
            requests: HashMap::new(),
            has_io: false,
        };
        for step in steps {
            writer.step(step)?;
        }
        has_io |= writer.has_io;
        let (operations, edges) = (writer.operations, writer.edges);
        // Later ones wait for earlier ones: there is no circle.
        let _ = builder.rank(rank as u32, &operations, &edges);
    }
    let mut warnings = Vec::new();
    if has_io {
        let message = "reads, writes and copies become calculations of the same duration: storages are not shared";
        warnings.push(Warning::new("not_shared", message));
    }
    if job.platform.laws.iter().all(|law| law.loggops.is_none()) {
        let message = "a schedule has one set of LogGOPS parameters: give them to the replay";
        warnings.push(Warning::new("no_network", message));
    }
    let schedule = Schedule { by_rank: true, ..builder.finish().0 };
    Ok(Exported { schedule, warnings })
}

struct Writer<'a> {
    application: &'a Application,
    rank: u32,
    builder: &'a Builder,
    own_tags: &'a mut HashMap<i64, u32>,
    operations: Vec<Operation>,
    edges: Vec<Edge>,
    /// What the next operation waits for: operation, and whether for its start only.
    before: Vec<(u32, bool)>,
    requests: HashMap<u32, u32>,
    has_io: bool,
}

impl Writer<'_> {
    fn step(&mut self, step: &Step) -> Result<(), Problem> {
        match step.action {
            Action::Compute(_) => self.calc(step.alone_s, 0)?,
            Action::Sleep(seconds) => self.calc(seconds, ASIDE)?,
            Action::Io(_) | Action::Copy(_) => {
                self.has_io = true;
                self.calc(step.alone_s, ASIDE)?;
            }
            Action::Send { to, size, tag } => {
                let send = self.builder.send(self.rank, to as u32, size, self.tag(tag)?);
                self.add(send, false);
            }
            Action::Isend { to, size, tag, request, .. } => {
                let send = self.builder.send(self.rank, to as u32, size, self.tag(tag)?);
                self.requests.insert(request, self.operations.len() as u32);
                self.add(send, true);
            }
            Action::Recv { from, tag } => {
                let receive = self.receive(from, tag)?;
                self.add(receive, false);
            }
            Action::Irecv { from, tag, request } => {
                let receive = self.receive(from, tag)?;
                self.requests.insert(request, self.operations.len() as u32);
                self.add(receive, true);
            }
            Action::Wait { request } => {
                if let Some(operation) = self.requests.remove(&request) {
                    self.before.push((operation, false));
                }
            }
            Action::Closed { .. } => {
                let place = self.application.place_of(step.site);
                return Err(Problem::new("no_schedule", "a collective by formula has no messages")
                    .at(place)
                    .hint("write it as a blocking collective, and drop --collectives closed"));
            }
            Action::Launch { .. } => {
                return Err(Problem::new(
                    "no_schedule",
                    "a schedule cannot express what a device does beside its process",
                )
                .at(self.application.place_of(step.site))
                .hint("write it without async = true"));
            }
            Action::Several { .. } => {
                let message = "a schedule cannot express that a process waits for the first of several requests";
                let problem = Problem::new("no_schedule", message).at(self.application.place_of(step.site));
                return Err(problem.hint("wait for each: waitall{ .. }"));
            }
            Action::Remote { .. } | Action::Flush { .. } | Action::Lock { .. } | Action::Unlock { .. } => {
                let message = "a schedule cannot express accesses to the memory of other processes";
                return Err(Problem::new("no_schedule", message).at(self.application.place_of(step.site)));
            }
            Action::Phase(_) => {}
        }
        Ok(())
    }

    fn calc(&mut self, seconds: f64, cpu: u16) -> Result<(), Problem> {
        let ticks = NANOSECOND.of(seconds)?;
        self.add(Operation { cpu, ..Builder::calc(ticks) }, false);
        Ok(())
    }

    fn receive(&mut self, from: Option<u64>, tag: application::Tag) -> Result<Operation, Problem> {
        let from = from.map_or(ANY_SOURCE, |from| from as u32);
        let tag = self.tag(tag)?;
        // How much is received is for the sender to say.
        Ok(self.builder.recv(self.rank, from, 0, tag))
    }

    /// Adds an operation; the next one waits for its start or its end.
    fn add(&mut self, operation: Operation, start: bool) {
        let number = self.operations.len() as u32;
        for (earlier, of_start) in self.before.drain(..) {
            self.edges.push(Edge { later: number, earlier, start: of_start });
        }
        self.before.push((number, start));
        self.operations.push(operation);
    }

    fn tag(&mut self, tag: application::Tag) -> Result<u32, Problem> {
        if tag == application::ANY_TAG {
            return Ok(ANY_TAG);
        }
        if tag < 0 {
            let fresh = FIRST_OWN_TAG + self.own_tags.len() as u32;
            return Ok(*self.own_tags.entry(tag).or_insert(fresh));
        }
        u32::try_from(tag).ok().filter(|tag| *tag < FIRST_OWN_TAG).ok_or_else(|| {
            let problem = Problem::new("bad_tag", "a schedule cannot have such a large tag").value(tag.to_string());
            problem.allowed("below 2^31")
        })
    }
}

//! Records the operations of a process. Scripts and Rust code both end up here, so that they mean exactly the same.

mod blocks;
mod groups;
mod messages;
mod remote;

#[cfg(feature = "luau")]
use super::arguments::Request;
use super::intern::Interner;
use super::persistent::AllPrepared;
use super::random::Random;
use super::requests::Requests;
use crate::application::{Application, Label, Op, Parameter, Program, Programs, Site};
use runcast_core::Problem;
use runcast_core::hash::hash_of;
use runcast_formula::{Formula, nearest};
use std::cell::Cell;
use std::collections::HashMap;

/// The largest number of bytes, and of anything else that is counted.
pub(crate) const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A farm's worker, until all farms are known: its label, and the process of its master.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Awaited {
    /// Label of the worker.
    pub label: u32,
    /// Process number of the master.
    pub master: u64,
}

/// The label whose operations are being recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Own {
    pub label: u32,
    /// Its first process.
    pub first: u64,
    pub count: u64,
    pub rank: u64,
    /// Whether each rank is recorded separately: then partners in the own label are stored as distances.
    pub ranked: bool,
    /// Whether a process is running at all.
    pub running: bool,
}

/// State of the process being recorded; live processes keep theirs while others run.
#[cfg(feature = "luau")]
#[derive(Debug, Default)]
pub(crate) struct Current {
    own: Own,
    pub ops: Vec<(Op, Site)>,
    requests: Requests,
    windows: Vec<remote::Window>,
    prepared: AllPrepared,
    /// Requests that it asked about last, with their places in its list.
    #[cfg(feature = "luau")]
    asked: Vec<(u32, Request)>,
    frames: Vec<Frame>,
    random: Random,
    /// Farms that this live process has taken part in, by master.
    taken: HashMap<u64, u32>,
}

/// Progress of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    lengths: [usize; 8],
    awaited: usize,
    memory: u64,
    shared_random: bool,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Index of its [`Op::Repeat`]; the number of the body.
    at: usize,
    serial: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The recording so far; during a live process that of the engine.
    pub app: Application,
    /// Farms that workers wait for.
    pub awaited: Vec<Awaited>,
    /// The label whose operations come next.
    pub own: Own,
    /// Operations of the process so far.
    pub ops: Vec<(Op, Site)>,
    /// Line of the call that is being made.
    pub line: u32,
    /// Memory limit and use of the recording, in bytes.
    pub memory_limit: u64,
    pub memory: u64,
    /// Whether a process runs alongside simulated time.
    pub live: bool,
    taken: HashMap<u64, u32>,
    /// Requests that were never waited for.
    pub unwaited: u64,
    /// Whether a random number was drawn for all ranks of a label at once.
    pub shared_random: bool,
    /// Number of the script's first label in the application: others may be before it.
    pub first_label: u32,
    /// Random numbers of the process.
    pub random: Random,
    seed: u64,
    pub requests: Requests,
    windows: Vec<remote::Window>,
    /// Messages that the process has prepared.
    pub prepared: AllPrepared,
    #[cfg(feature = "luau")]
    asked: Vec<(u32, Request)>,
    frames: Vec<Frame>,
    frame_serial: u32,
    label_names: HashMap<String, u32>,
    /// The one named last.
    last_label: Cell<u32>,
    programs: Interner,
    blocks: Interner,
    copies: Interner,
    collectives: Interner,
    groups: Interner,
    #[cfg(feature = "luau")]
    sets: Interner,
    farms: Interner,
    waiting: Interner,
    phases: Interner,
    names: Interner,
    sites_by_line: Vec<u32>,
    formulas: HashMap<String, Formula>,
}

type Outcome<T> = Result<T, Problem>;

impl Recorder {
    /// An empty one.
    pub(crate) fn new(name: &str, file: &str, seed: u64, memory_limit: u64) -> Self {
        Recorder {
            app: Application { name: name.to_owned(), file: file.to_owned(), sites: vec![0], ..Application::default() },
            sites_by_line: vec![0],
            seed,
            memory_limit,
            random: Random::new(seed, u64::MAX),
            ..Recorder::default()
        }
    }

    /// Counts memory; an error when the limit is exceeded.
    pub(crate) fn charge(&mut self, bytes: usize) -> Outcome<()> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory > self.memory_limit {
            return Err(too_much_memory(self.memory_limit));
        }
        Ok(())
    }

    /// A label. Its processes follow those of the labels before it.
    pub(crate) fn label(
        &mut self,
        name: &str,
        count: u64,
        memory: f64,
        on: Option<&str>,
        start_s: f64,
    ) -> Outcome<u32> {
        if name.is_empty() {
            return Err(Problem::new("no_name", "a label needs a name"));
        }
        if self.label_names.contains_key(name) {
            return Err(Problem::new("label_twice", format!("there is already a label `{name}`")).value(name));
        }
        let first = self.app.processes();
        if first.saturating_add(count) as f64 > LARGEST {
            return Err(
                Problem::new("too_many_processes", "there are more than 2^53 processes").value(count.to_string())
            );
        }
        self.charge(200 + 2 * name.len())?;
        let label = self.app.labels.len() as u32;
        self.label_names.insert(name.to_owned(), label);
        self.app.labels.push(Label {
            memory,
            on: on.map(str::to_owned),
            start_s,
            line: self.line,
            ..Label::new(name, first, count, Programs::Same(0))
        });
        Ok(label)
    }

    /// A parameter as the script asked for it; asked again, the first declaration holds.
    pub(crate) fn parameter(&mut self, parameter: Parameter) -> Outcome<()> {
        if !self.app.parameters.iter().any(|old| old.name == parameter.name) {
            if self.app.parameters.len() >= 10_000 {
                return Err(Problem::new("too_many_parameters", "there are more than 10,000 parameters"));
            }
            self.charge(200 + parameter.name.len() + parameter.help.len())?;
            self.app.parameters.push(parameter);
        }
        Ok(())
    }

    /// Something that the script says.
    pub(crate) fn log(&mut self, text: String) -> Outcome<()> {
        self.charge(32 + text.len())?;
        self.app.log.push(text);
        Ok(())
    }

    /// Begins a process.
    pub(crate) fn begin(&mut self, label: u32, rank: u64, ranked: bool) {
        let Label { first, count, .. } = self.app.labels[label as usize];
        self.begin_as(Own { label, first, count, rank, ranked, running: true });
    }

    /// Begins a process of another application.
    pub(crate) fn begin_as(&mut self, own: Own) {
        self.own = own;
        self.ops.clear();
        self.requests.clear();
        self.frames.clear();
        self.taken.clear();
        self.prepared.clear();
        self.windows.clear();
        self.random = Random::new(self.seed, own.first + own.rank);
    }

    /// How far it is.
    pub(crate) fn mark(&self) -> Mark {
        let app = &self.app;
        Mark {
            lengths: [
                app.blocks.len(),
                app.collectives.len(),
                app.groups.len(),
                app.farms.len(),
                app.phases.len(),
                app.names.len(),
                app.log.len(),
                app.copies.len(),
            ],
            awaited: self.awaited.len(),
            memory: self.memory,
            shared_random: self.shared_random,
        }
    }

    /// Restores an earlier state: lookup tables are checked when they are used.
    pub(crate) fn back_to(&mut self, mark: &Mark) {
        let [blocks, collectives, groups, farms, phases, names, log, copies] = mark.lengths;
        self.app.blocks.truncate(blocks);
        self.app.collectives.truncate(collectives);
        self.app.groups.truncate(groups);
        self.app.farms.truncate(farms);
        self.app.phases.truncate(phases);
        self.app.names.truncate(names);
        self.app.log.truncate(log);
        self.app.copies.truncate(copies);
        self.awaited.truncate(mark.awaited);
        (self.memory, self.shared_random) = (mark.memory, mark.shared_random);
    }

    /// Suspends the current process, and resumes another.
    #[cfg(feature = "luau")]
    pub(crate) fn exchange(&mut self, other: &mut Current) {
        use std::mem::swap;
        swap(&mut self.own, &mut other.own);
        swap(&mut self.ops, &mut other.ops);
        swap(&mut self.requests, &mut other.requests);
        swap(&mut self.asked, &mut other.asked);
        swap(&mut self.prepared, &mut other.prepared);
        swap(&mut self.windows, &mut other.windows);
        swap(&mut self.frames, &mut other.frames);
        swap(&mut self.random, &mut other.random);
        swap(&mut self.taken, &mut other.taken);
    }

    /// Forgets the programs of the label before: which farm a worker takes part in depends on its label.
    pub(crate) fn begin_label(&mut self) {
        self.programs = Interner::default();
    }

    /// Ends a process; returns the index of its program.
    pub(crate) fn end(&mut self) -> Outcome<u32> {
        self.own.running = false;
        self.unwaited += self.requests.open() as u64;
        let requests = self.requests.numbers();
        let ops = &self.ops;
        let (program, new) = self.programs.intern(
            &mut self.app.programs,
            hash_of(ops),
            |old| old.requests == requests && old.ops == *ops,
            || Program { ops: ops.clone(), requests },
        );
        if new {
            self.charge(64 + size_of::<(Op, Site)>() * self.ops.len())?;
        }
        Ok(program)
    }

    /// Number of a label.
    pub(crate) fn label_named(&self, name: &str) -> Outcome<u32> {
        // The label named last is usually named again.
        let last = self.last_label.get() + self.first_label;
        if self.app.labels.get(last as usize).is_some_and(|label| same_text(&label.name, name)) {
            return Ok(last);
        }
        let label = self.label_names.get(name).copied();
        self.last_label.set(label.unwrap_or(0));
        label.map(|label| label + self.first_label).ok_or_else(|| {
            let problem = Problem::new("unknown_label", format!("there is no label `{name}`")).value(name);
            match nearest(name, self.app.labels.iter().map(|label| label.name.as_str())) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem,
            }
        })
    }

    /// Multiplicity of a label.
    pub(crate) fn count(&self, name: &str) -> Outcome<u64> {
        Ok(self.app.labels[self.label_named(name)? as usize].count)
    }

    fn site(&mut self) -> Site {
        let line = self.line as usize;
        if let Some(site) = self.sites_by_line.get(line)
            && self.app.sites.get(*site as usize) == Some(&self.line)
        {
            return Site(*site);
        }
        let site = self.app.sites.len() as u32;
        self.app.sites.push(self.line);
        self.sites_by_line.resize(self.sites_by_line.len().max(line + 1), 0);
        self.sites_by_line[line] = site;
        Site(site)
    }

    #[inline]
    fn push(&mut self, op: Op) -> Outcome<()> {
        if !self.own.running {
            return Err(Problem::new("outside_process", "this call belongs in a process, and none is running")
                .hint("call it inside the `run` function of a label"));
        }
        if self.ops.len() == self.ops.capacity() {
            let bytes = (2 * self.ops.len()) as u64 * size_of::<(Op, Site)>() as u64;
            if self.memory.saturating_add(bytes) > self.memory_limit {
                return Err(
                    too_much_memory(self.memory_limit).hint("write repetitions with loop(..), which is stored once")
                );
            }
        }
        let site = self.site();
        self.ops.push((op, site));
        Ok(())
    }

    pub(crate) fn read(&mut self, storage: Option<&str>, size: u64) -> Outcome<()> {
        let storage = storage.map(|name| self.name(name)).transpose()?;
        self.push(Op::Read { storage, size: at_most_2_53(size)? })
    }

    pub(crate) fn write(&mut self, storage: Option<&str>, size: u64) -> Outcome<()> {
        let storage = storage.map(|name| self.name(name)).transpose()?;
        self.push(Op::Write { storage, size: at_most_2_53(size)? })
    }

    /// Sleeps for this many seconds.
    pub(crate) fn sleep(&mut self, seconds: f64) -> Outcome<()> {
        not_negative("time", seconds)?;
        self.push(Op::Sleep((seconds + 0.0).to_bits()))
    }

    /// Begins a phase.
    pub(crate) fn phase(&mut self, name: &str) -> Outcome<()> {
        let (phase, new) =
            self.phases.intern(&mut self.app.phases, hash_of(name), |old| old == name, || name.to_owned());
        if new {
            self.charge(64 + name.len())?;
        }
        self.push(Op::Phase(phase))
    }

    /// The body of a loop begins.
    pub(crate) fn enter(&mut self, count: u64) -> Outcome<()> {
        if self.frames.len() >= 1_000 {
            return Err(Problem::new("too_deep", "loops are nested more than 1,000 deep"));
        }
        self.push(Op::Repeat { count, len: 0 })?;
        self.frame_serial = self.frame_serial.wrapping_add(1);
        let serial = self.frame_serial;
        self.frames.push(Frame { at: self.ops.len() - 1, serial });
        Ok(())
    }

    /// The body of a loop ends.
    pub(crate) fn leave(&mut self) -> Outcome<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let len = self.ops.len() - frame.at - 1;
        let Ok(body) = u32::try_from(len) else {
            return Err(Problem::new("too_long", "the body of a loop has more than 2^32 operations"));
        };
        match &mut self.ops[frame.at].0 {
            Op::Repeat { len, .. } if body > 0 => *len = body,
            _ => self.ops.truncate(frame.at),
        }
        self.unwaited += self.requests.leave(frame.serial) as u64;
        Ok(())
    }

    /// A random number in [0, 1): of the running process, if any.
    pub(crate) fn draw(&mut self) -> f64 {
        self.shared_random |= self.own.running && !self.own.ranked && self.own.count > 1;
        self.random.next()
    }
}

/// The error when memory runs out.
pub(crate) fn too_much_memory(limit: u64) -> Problem {
    Problem::new("script_memory", format!("the application takes more than {} MiB of memory", limit >> 20))
        .hint("raise --script-memory")
}

/// Whether two short texts are equal: for a few bytes, usually none, a library call costs more than the comparison.
#[inline]
fn same_text(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(|(one, other)| one == other)
}

/// A rank that a label does not have.
pub(crate) fn rank_outside(label: &str, count: u64, rank: &str) -> Problem {
    let problem = match count {
        0 => Problem::new("rank_outside", format!("label `{label}` has no processes, so it has no rank {rank}")),
        _ => Problem::new(
            "rank_outside",
            format!("rank {rank} is outside label `{label}`, which has ranks 0 to {}", count - 1),
        ),
    };
    problem.value(rank)
}

/// A number that must be finite and not negative.
pub(crate) fn not_negative(what: &str, value: f64) -> Result<(), Problem> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(bad_number(what, value, "a number from 0"))
}

/// A number that is not allowed.
pub(crate) fn bad_number(what: &str, value: f64, allowed: &str) -> Problem {
    let text = if value.is_nan() { "not a number".to_owned() } else { value.to_string() };
    Problem::new("bad_number", format!("`{what}` is {text}")).value(text).allowed(allowed)
}

fn at_most_2_53(size: u64) -> Outcome<u64> {
    if size as f64 <= LARGEST {
        return Ok(size);
    }
    Err(Problem::new("too_many_bytes", "more than 2^53 bytes").value(size.to_string()))
}

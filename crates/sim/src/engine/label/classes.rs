//! Classes of processes that are simulated by one representative (docs/theory/sim.md).
//!
//! Processes are of one class when they belong to one label, have equal lists of operations (kind, size, type, tag, phase;
//! partners are not compared) and sit in like places. The lowest rank stands for all.

use crate::application::{Application, Op, Peer, Programs, Source};
use crate::world::World;
use runcast_core::Problem;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    pub label: u32,
    /// Process number of the representative, the lowest.
    pub process: u64,
    /// How many processes it stands for.
    pub count: u64,
    /// Program of the representative.
    pub program: u32,
}

/// All classes, and who belongs to which.
#[derive(Debug, Clone)]
pub struct Classes {
    /// Classes, label by label, by lowest rank.
    pub list: Vec<Class>,
    of: Vec<Members>,
}

/// Classes of the processes of a label.
#[derive(Debug, Clone)]
enum Members {
    All(u32),
    Ranks(Vec<u32>),
}

/// Processes of a label with one program whose places are all looked at. Of more, this many are looked at evenly apart, and the
/// last ones, which may sit on a machine that is not full.
const PLACES: u64 = 1 << 16;
/// Processes of a label with one program that may sit in unlike places.
const MOST_UNLIKE: u64 = 1 << 24;
/// Processes of a label on volunteers that are followed one by one. Of more, all wait for the last job of their blocks.
pub const MOST_ON_VOLUNTEERS: u64 = 1024;
/// Looks at single processes while splitting, before it is given up.
const MOST_LOOKS: u64 = 50_000_000;

/// What makes a place unlike another: its class, and how many share its cores.
type PlaceKey = (u32, u64, u64);

fn place_key(world: &dyn World, process: u64, one_by_one: bool) -> PlaceKey {
    let place = world.place(process);
    if one_by_one && world.crowd(place.class).is_some() {
        return (place.class, process, 1);
    }
    if !world.shares(place.device) {
        return (place.class, 0, 0);
    }
    let device = world.device(place.device);
    (place.class, device.cores.to_bits(), device.placed.to_bits())
}

impl Classes {
    /// The classes by programs and places.
    ///
    /// # Errors
    /// A label runs live; too many processes of one program sit in unlike places.
    pub fn new(application: &Application, world: &dyn World) -> Result<Classes, Problem> {
        let mut signatures =
            Signatures { calls: like_calls(application), of_program: HashMap::new(), numbers: HashMap::new() };
        let mut classes = Classes { list: Vec::new(), of: Vec::new() };
        for (number, label) in application.labels.iter().enumerate() {
            let mut numbers: HashMap<(u32, PlaceKey), u32> = HashMap::new();
            // On volunteers each goes its own way; those of farms are known by their tasks.
            let of_farm = || application.farms.iter().any(|farm| farm.to as usize == number);
            let one_by_one = !world.crowds().is_empty() && label.count <= MOST_ON_VOLUNTEERS && !of_farm();
            let members = match &label.programs {
                Programs::Live => return Err(live(application, number)),
                Programs::Same(_) if label.count == 0 => Members::Ranks(Vec::new()),
                Programs::Same(program) if alike(world, label.first, label.count, one_by_one) => {
                    classes.list.push(Class {
                        label: number as u32,
                        process: label.first,
                        count: label.count,
                        program: *program,
                    });
                    Members::All(classes.list.len() as u32 - 1)
                }
                Programs::Same(program) => {
                    if label.count > MOST_UNLIKE {
                        let message = format!("label {} has too many processes in different places", label.name);
                        return Err(Problem::new("too_many_places", message)
                            .value(label.count.to_string())
                            .allowed(format!("at most {MOST_UNLIKE}, or identical machines")));
                    }
                    let of = (0..label.count).map(|rank| {
                        let key = (0, place_key(world, label.first + rank, one_by_one));
                        classes.join(&mut numbers, key, number as u32, label.first + rank, *program)
                    });
                    Members::Ranks(of.collect())
                }
                Programs::PerRank(programs) => {
                    let mut of = Vec::with_capacity(programs.len());
                    for (rank, program) in programs.iter().enumerate() {
                        let process = label.first + rank as u64;
                        let key = (signatures.of(application, *program), place_key(world, process, one_by_one));
                        of.push(classes.join(&mut numbers, key, number as u32, process, *program));
                    }
                    Members::Ranks(of)
                }
            };
            classes.of.push(members);
        }
        Ok(classes)
    }

    fn join<Key: std::hash::Hash + Eq>(
        &mut self,
        numbers: &mut HashMap<Key, u32>,
        key: Key,
        label: u32,
        process: u64,
        program: u32,
    ) -> u32 {
        let next = self.list.len() as u32;
        let number = *numbers.entry(key).or_insert(next);
        if number == next {
            self.list.push(Class { label, process, count: 0, program });
        }
        self.list[number as usize].count += 1;
        number
    }

    /// The class of a process; none: there is no such process.
    #[inline]
    pub fn of(&self, application: &Application, process: u64) -> Option<u32> {
        let number = application.label_of(process);
        let label = application.labels.get(number)?;
        let rank = process.checked_sub(label.first)?;
        if rank >= label.count {
            return None;
        }
        match &self.of[number] {
            Members::All(class) => Some(*class),
            Members::Ranks(ranks) => ranks.get(rank as usize).copied(),
        }
    }

    pub fn of_label(&self, label: u32) -> std::ops::Range<u32> {
        let from = self.list.partition_point(|class| class.label < label);
        let to = self.list.partition_point(|class| class.label <= label);
        from as u32..to as u32
    }

    /// Calls `each` with the processes of all classes that were recorded rank by rank: process, program, class.
    pub fn for_ranks(&self, application: &Application, mut each: impl FnMut(u64, u32, u32)) {
        for (number, label) in application.labels.iter().enumerate() {
            let Members::Ranks(ranks) = &self.of[number] else {
                if let (Members::All(class), Programs::Same(program)) = (&self.of[number], &label.programs) {
                    each(label.first, *program, *class);
                }
                continue;
            };
            for (rank, class) in ranks.iter().enumerate() {
                let process = label.first + rank as u64;
                if let Some(program) = application.program_of(process) {
                    each(process, program, *class);
                }
            }
        }
    }

    /// Splits classes, those of a list or all, by the classes of their members' partners, operation by operation. `None`: nothing
    /// was split.
    ///
    /// # Errors
    /// `too_many_classes`.
    pub fn split(
        &self,
        application: &Application,
        only: Option<&[u32]>,
        most: usize,
        looks: &mut u64,
    ) -> Result<Option<Classes>, Problem> {
        let mut splits = vec![only.is_none(); self.list.len()];
        for class in only.into_iter().flatten() {
            splits[*class as usize] = true;
        }
        let mut finer = Classes { list: Vec::new(), of: Vec::new() };
        let mut partners = Vec::new();
        for (number, label) in application.labels.iter().enumerate() {
            let ranks = match &self.of[number] {
                Members::All(class) => {
                    finer.list.push(self.list[*class as usize]);
                    finer.of.push(Members::All(finer.list.len() as u32 - 1));
                    continue;
                }
                Members::Ranks(ranks) => ranks,
            };
            let mut numbers: HashMap<(u32, Box<[u32]>), u32> = HashMap::new();
            let mut of = Vec::with_capacity(ranks.len());
            for (rank, class) in ranks.iter().enumerate() {
                let process = label.first + rank as u64;
                let Some(program) = application.program_of(process) else { continue };
                partners.clear();
                let ops = &application.programs[program as usize].ops;
                for (op, _) in ops.iter().filter(|_| splits[*class as usize]) {
                    if let Some(partner) = partner_of(op, process) {
                        partners.push(self.of(application, partner).unwrap_or(u32::MAX));
                    }
                }
                *looks += partners.len() as u64 + 1;
                of.push(finer.join(
                    &mut numbers,
                    (*class, partners.as_slice().into()),
                    number as u32,
                    process,
                    program,
                ));
            }
            finer.of.push(Members::Ranks(of));
            if finer.list.len() > most || *looks > MOST_LOOKS {
                return Err(too_many(application, number, finer.list.len(), most));
            }
        }
        Ok((finer.list.len() > self.list.len()).then_some(finer))
    }

    /// An error when there are more classes than wanted.
    ///
    /// # Errors
    /// `too_many_classes`.
    pub fn check(&self, application: &Application, most: usize) -> Result<(), Problem> {
        if self.list.len() <= most {
            return Ok(());
        }
        // The label with most classes is to blame.
        let labels = 0..application.labels.len();
        let worst = labels.max_by_key(|label| self.of_label(*label as u32).len()).unwrap_or(0);
        Err(too_many(application, worst, self.list.len(), most))
    }
}

fn too_many(application: &Application, label: usize, found: usize, most: usize) -> Problem {
    let label = &application.labels[label];
    let message = format!("the processes of label {} fall into too many classes", label.name);
    let problem = Problem::new("too_many_classes", message)
        .in_file(application.file.clone())
        .value(format!("{found} and more"))
        .allowed(format!("at most {most} (--max-classes)"))
        .hint("try --fidelity loggops, where every process is simulated");
    if label.line > 0 { problem.at_line(u64::from(label.line)) } else { problem }
}

fn live(application: &Application, label: usize) -> Problem {
    let label = &application.labels[label];
    let message = format!("label {} reads messages or the clock, so its processes have no common program", label.name);
    let problem = Problem::new("not_recorded", message)
        .in_file(application.file.clone())
        .hint("try --fidelity loggops or flow, where every process is simulated");
    if label.line > 0 { problem.at_line(u64::from(label.line)) } else { problem }
}

/// Whether the places of a label are alike, as far as they are looked at.
fn alike(world: &dyn World, first: u64, count: u64, one_by_one: bool) -> bool {
    let key = place_key(world, first, one_by_one);
    let same = |rank: u64| place_key(world, first + rank, one_by_one) == key;
    if count <= PLACES {
        return (1..count).all(same);
    }
    let step = count / (PLACES / 2);
    (0..PLACES / 2).all(|at| same(at * step)) && (count - PLACES / 2..count).all(same)
}

/// The partner that an operation names, of a process.
pub fn partner_of(op: &Op, process: u64) -> Option<u64> {
    match op {
        Op::Send { to, .. }
        | Op::Isend { to, .. }
        | Op::Remote { to, .. }
        | Op::Lock { to, .. }
        | Op::Unlock { to, .. } => Some(to.of(process)),
        Op::Recv { from: Source::Peer(peer), .. } | Op::Irecv { from: Source::Peer(peer), .. } => {
            Some(peer.of(process))
        }
        _ => None,
    }
}

/// Numbers of programs that differ in partners alone.
struct Signatures {
    calls: Vec<u32>,
    of_program: HashMap<u32, u32>,
    numbers: HashMap<Vec<Op>, u32>,
}

impl Signatures {
    fn of(&mut self, application: &Application, program: u32) -> u32 {
        if let Some(known) = self.of_program.get(&program) {
            return *known;
        }
        let ops = application.programs[program as usize].ops.iter();
        let plain: Vec<Op> = ops.map(|(op, _)| without_partner(&self.calls, *op)).collect();
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(plain).or_insert(next);
        self.of_program.insert(program, number);
        number
    }
}

const SOME_PEER: Peer = Peer::Offset(0);

/// The operation without its partner: two that are equal then are the same but for whom they are with.
fn without_partner(calls: &[u32], op: Op) -> Op {
    let source = |from| if from == Source::Any { from } else { Source::Peer(SOME_PEER) };
    match op {
        Op::Send { size, tag, .. } => Op::Send { to: SOME_PEER, size, tag },
        Op::Isend { size, tag, request, persistent, .. } => Op::Isend { to: SOME_PEER, size, tag, request, persistent },
        Op::Recv { from, tag } => Op::Recv { from: source(from), tag },
        Op::Irecv { from, tag, request } => Op::Irecv { from: source(from), tag, request },
        Op::Collective(collective) => Op::Collective(calls[collective as usize]),
        Op::Icollective { collective, request } => Op::Icollective { collective: calls[collective as usize], request },
        op => op,
    }
}

/// For each collective the first that is the same call in a group of as many.
fn like_calls(application: &Application) -> Vec<u32> {
    let mut first = HashMap::new();
    let number = |(at, call): (usize, &crate::application::Collective)| {
        let members = crate::collective::members(application, call.group);
        *first.entry((call.kind, call.size, call.algorithm.clone(), call.counts.clone(), members)).or_insert(at as u32)
    };
    application.collectives.iter().enumerate().map(number).collect()
}

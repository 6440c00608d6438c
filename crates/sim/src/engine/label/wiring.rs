//! For each operation of a class, the classes whose representatives get its message, see its receive posted, or meet
//! it.
//!
//! A partner is represented by its class, operation by operation: what reaches a representative from a process is sent when
//! the class of that process executes the operation of the same position in its program.

use super::classes::{Class, Classes, partner_of};
use crate::application::{ANY_TAG, Application, Op, Peer, Programs, Source, Tag};
use crate::collective::process_of;
use runcast_core::Problem;
use std::collections::HashMap;

/// A representative that a message goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Class of the receiver.
    pub class: u32,
    /// The member of the sending class that sends to its representative.
    pub from: u64,
}

/// A meeting: its members and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    pub what: What,
    /// Classes that take part, senders (or the master) before receivers.
    pub members: Vec<u32>,
    /// How many of them are senders (or masters).
    pub senders: usize,
}

/// Kinds of meetings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// Collectives of a group.
    Group(u32),
    Farm(u32),
    /// An operation from one label to another.
    Between(Between, u32, u32),
}

/// Operations between labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Between {
    Pairs,
    /// Messages spread evenly over the label.
    One2One,
    /// To each of a label.
    Scatter,
    /// To each of a label, from each.
    Gather,
}

impl Between {
    /// What rules call it.
    pub fn name(self) -> &'static str {
        match self {
            Between::Pairs => "p2p",
            Between::One2One => "one2one",
            Between::Scatter => "scatter",
            Between::Gather => "gather",
        }
    }
}

/// An entry into a meeting at an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub meeting: u32,
    /// Which member enters, counted from 0.
    pub member: u32,
    /// Whether the class itself takes part here, or is only watched by others.
    pub own: bool,
}

/// A link whose next message a matched receive completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    pub link: u32,
    /// At a receive from any source: only for messages of this class.
    pub only: Option<u32>,
}

/// Everything that operations reach, by class and position.
#[derive(Debug, Default)]
pub struct Wiring {
    targets: Lists<Target>,
    entries: Lists<Entry>,
    /// Links that a matched receive completes.
    completes: Lists<Completion>,
    /// The link of a send.
    links: HashMap<(u32, u32), u32>,
    /// The sender of each link.
    senders: Vec<u32>,
    pub meetings: Vec<Meeting>,
}

/// Lists by class and position; most are empty.
#[derive(Debug)]
struct Lists<T> {
    of: HashMap<(u32, u32), Vec<T>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { of: HashMap::new() }
    }
}

impl<T> Lists<T> {
    fn add(&mut self, class: u32, position: u32, item: T) {
        self.of.entry((class, position)).or_default().push(item);
    }

    fn get(&self, class: u32, position: u32) -> &[T] {
        self.of.get(&(class, position)).map_or(&[], Vec::as_slice)
    }
}

/// Messages to one representative from different processes by one operation, at most.
const MOST_TARGETS: usize = 1 << 20;

impl Wiring {
    /// The wiring of these classes.
    ///
    /// # Errors
    /// An operation names a process that is not there; too many processes send to one that takes from any.
    pub fn new(application: &Application, classes: &Classes) -> Result<Wiring, Problem> {
        let mut wiring = Wiring::default();
        let mut peers = Peers::default();
        let (mut meetings, mut wild) = (HashMap::new(), HashMap::new());
        for (class, of) in classes.list.iter().enumerate() {
            if wiring.messages(application, classes, class as u32, of, &mut peers)? {
                wild.insert(of.process, class as u32);
            }
            wiring.own_meetings(application, classes, class as u32, of, &mut meetings)?;
        }
        if !wild.is_empty() {
            wiring.everybody(application, classes, &wild, &mut peers)?;
        }
        wiring.watch(application, classes);
        Ok(wiring)
    }

    /// Representatives that the send at a position reaches.
    pub fn targets(&self, class: u32, position: u32) -> &[Target] {
        self.targets.get(class, position)
    }

    /// Meetings that the operation at a position enters.
    pub fn entries(&self, class: u32, position: u32) -> &[Entry] {
        self.entries.get(class, position)
    }

    /// Links that the receive at a position completes.
    pub fn completes(&self, class: u32, position: u32) -> &[Completion] {
        self.completes.get(class, position)
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.senders.len()
    }

    /// The class that sends over a link.
    pub fn sender(&self, link: u32) -> u32 {
        self.senders[link as usize]
    }

    /// The link of the send at a position.
    pub fn link(&self, class: u32, position: u32) -> Option<u32> {
        self.links.get(&(class, position)).copied()
    }

    /// Whether the class takes from any source: then its senders are yet to be found.
    fn messages(
        &mut self,
        application: &Application,
        classes: &Classes,
        class: u32,
        of: &Class,
        peers: &mut Peers,
    ) -> Result<bool, Problem> {
        let ops = &application.programs[of.program as usize].ops;
        let mut sources = std::collections::BTreeSet::new();
        let mut any_source = false;
        let mut links: HashMap<(u64, Tag), u32> = HashMap::new();
        for (position, (op, site)) in ops.iter().enumerate() {
            if let Some(partner) = partner_of(op, of.process)
                && classes.of(application, partner).is_none()
            {
                let message =
                    format!("{} names process {partner}, which does not exist", application.name_of(of.process));
                return Err(Problem::new("no_such_process", message).at(application.place_of(*site)));
            }
            match op {
                Op::Recv { from, .. } | Op::Irecv { from, .. } => match from {
                    Source::Peer(peer) => {
                        sources.insert(peer.of(of.process));
                    }
                    Source::Any => any_source = true,
                },
                Op::Send { to, tag, .. } | Op::Isend { to, tag, .. } => {
                    let to = to.of(of.process);
                    let next = self.senders.len() as u32;
                    let link = *links.entry((to, *tag)).or_insert(next);
                    if link == next {
                        self.senders.push(class);
                        self.completing(application, classes, peers, (class, of.process), to, *tag, link);
                    }
                    self.links.insert((class, position as u32), link);
                }
                _ => {}
            }
        }
        if any_source {
            return Ok(true);
        }
        for from in sources {
            let Some(sender) = classes.of(application, from) else { continue };
            let Some(program) = application.program_of(from) else { continue };
            for position in peers.sends(application, program, from, of.process) {
                self.targets.add(sender, position, Target { class, from });
            }
        }
        Ok(false)
    }

    /// Receives of `to` that a message from `process` may complete: they let its sender continue.
    #[allow(clippy::too_many_arguments)]
    fn completing(
        &mut self,
        application: &Application,
        classes: &Classes,
        peers: &mut Peers,
        (class, process): (u32, u64),
        to: u64,
        tag: Tag,
        link: u32,
    ) {
        let (Some(receiver), Some(program)) = (classes.of(application, to), application.program_of(to)) else { return };
        for (position, any_source) in peers.receives(application, program, to, process, tag) {
            self.completes.add(receiver, position, Completion { link, only: any_source.then_some(class) });
        }
    }

    /// Representatives that take from any source: all who send to them.
    fn everybody(
        &mut self,
        application: &Application,
        classes: &Classes,
        wild: &HashMap<u64, u32>,
        peers: &mut Peers,
    ) -> Result<(), Problem> {
        for label in &application.labels {
            for from in label.first..label.first + label.count {
                let (Some(program), Some(sender)) = (application.program_of(from), classes.of(application, from))
                else {
                    continue;
                };
                let mut found = false;
                for (to, position) in peers.reached(application, program, from) {
                    let Some(class) = wild.get(&to) else { continue };
                    found = true;
                    if self.targets.get(sender, position).len() >= MOST_TARGETS {
                        let message =
                            format!("{} takes messages from any of too many senders", application.name_of(to));
                        return Err(Problem::new("too_many_senders", message)
                            .allowed(format!("at most {MOST_TARGETS}"))
                            .hint("tasks handed out on demand are a farm{..}, which costs the same for any number"));
                    }
                    self.targets.add(sender, position, Target { class: *class, from });
                }
                if !found && matches!(label.programs, Programs::Same(_)) {
                    // All of this label have one program, which names none of them.
                    break;
                }
            }
        }
        Ok(())
    }

    fn own_meetings(
        &mut self,
        application: &Application,
        classes: &Classes,
        class: u32,
        of: &Class,
        known: &mut HashMap<What, u32>,
    ) -> Result<(), Problem> {
        for (position, (op, _)) in application.programs[of.program as usize].ops.iter().enumerate() {
            let Some((what, sends)) = meeting_of(application, of.label, op) else { continue };
            let next = self.meetings.len() as u32;
            let meeting = *known.entry(what).or_insert(next);
            if meeting == next {
                self.meetings.push(members_of(application, classes, what)?);
            }
            let found = &self.meetings[meeting as usize];
            let side = if sends { 0..found.senders } else { found.senders..found.members.len() };
            let offset = side.start;
            if let Some(at) = found.members[side].iter().position(|member| *member == class) {
                let member = (offset + at) as u32;
                self.entries.add(class, position as u32, Entry { meeting, member, own: true });
            }
        }
        Ok(())
    }

    /// Groups whose members are represented by classes whose representatives are in other groups.
    fn watch(&mut self, application: &Application, classes: &Classes) {
        for meeting in 0..self.meetings.len() {
            let What::Group(group) = self.meetings[meeting].what else { continue };
            if application.groups[group as usize].members.is_none() {
                continue;
            }
            for member in 0..self.meetings[meeting].members.len() {
                let class = self.meetings[meeting].members[member];
                let all = crate::collective::members(application, group);
                let witness = (0..all)
                    .map(|at| process_of(application, group, at))
                    .find(|process| classes.of(application, *process) == Some(class));
                let Some(witness) = witness else { continue };
                if witness == classes.list[class as usize].process {
                    continue;
                }
                let Some(program) = application.program_of(witness) else { continue };
                for (position, (op, _)) in application.programs[program as usize].ops.iter().enumerate() {
                    let of = match op {
                        Op::Collective(call) | Op::Icollective { collective: call, .. } => {
                            application.collectives[*call as usize].group
                        }
                        _ => continue,
                    };
                    let (meeting, member) = (meeting as u32, member as u32);
                    let known = self.entries.get(class, position as u32).iter().any(|entry| entry.meeting == meeting);
                    if of == group && !known {
                        self.entries.add(class, position as u32, Entry { meeting, member, own: false });
                    }
                }
            }
        }
    }
}

/// What an operation meets in, and whether as a sender.
fn meeting_of(application: &Application, label: u32, op: &Op) -> Option<(What, bool)> {
    let (kind, from, to, sends) = match *op {
        Op::Collective(call) | Op::Icollective { collective: call, .. } => {
            return Some((What::Group(application.collectives[call as usize].group), true));
        }
        Op::Farm(farm) => return Some((What::Farm(farm), true)),
        Op::FarmWorker(farm) => return Some((What::Farm(farm), false)),
        Op::P2pSend { label: to, .. } => (Between::Pairs, label, to, true),
        Op::P2pRecv { label: from } => (Between::Pairs, from, label, false),
        Op::One2OneSend { label: to, .. } => (Between::One2One, label, to, true),
        Op::One2OneRecv { label: from, .. } => (Between::One2One, from, label, false),
        Op::ScatterSend { label: to, .. } => (Between::Scatter, label, to, true),
        Op::ScatterRecv { label: from } => (Between::Scatter, from, label, false),
        Op::GatherSend { label: to, .. } => (Between::Gather, label, to, true),
        Op::GatherRecv { label: from } => (Between::Gather, from, label, false),
        _ => return None,
    };
    Some((What::Between(kind, from, to), sends))
}

fn members_of(application: &Application, classes: &Classes, what: What) -> Result<Meeting, Problem> {
    let (members, senders) = match what {
        What::Group(group) => {
            let of = &application.groups[group as usize];
            let members: Vec<u32> = match &of.members {
                None => classes.of_label(of.label).collect(),
                Some(ranks) => {
                    let first = application.labels[of.label as usize].first;
                    let mut members: Vec<u32> =
                        ranks.iter().filter_map(|rank| classes.of(application, first + rank)).collect();
                    members.sort_unstable();
                    members.dedup();
                    members
                }
            };
            let senders = members.len();
            (members, senders)
        }
        What::Farm(farm) => {
            let farm = &application.farms[farm as usize];
            let master = classes.of(application, farm.master).ok_or_else(|| {
                Problem::new("no_such_process", "a farm has a master that does not exist")
                    .value(farm.master.to_string())
            })?;
            (std::iter::once(master).chain(classes.of_label(farm.to)).collect(), 1)
        }
        What::Between(_, from, to) => {
            let senders = classes.of_label(from);
            (senders.clone().chain(classes.of_label(to)).collect(), senders.len())
        }
    };
    Ok(Meeting { what, members, senders })
}

/// Positions of sends and receives in programs, by partner.
#[derive(Debug, Default)]
pub struct Peers {
    sends: HashMap<u32, HashMap<Peer, Vec<(u32, Tag)>>>,
    receives: HashMap<u32, HashMap<Peer, Vec<(u32, Tag)>>>,
    any_source: HashMap<u32, Vec<(u32, Tag)>>,
}

impl Peers {
    fn look(&mut self, application: &Application, program: u32) {
        if self.sends.contains_key(&program) {
            return;
        }
        let mut sends: HashMap<Peer, Vec<(u32, Tag)>> = HashMap::new();
        let mut receives: HashMap<Peer, Vec<(u32, Tag)>> = HashMap::new();
        let mut any_source = Vec::new();
        for (position, (op, _)) in application.programs[program as usize].ops.iter().enumerate() {
            let position = position as u32;
            match *op {
                Op::Send { to, tag, .. } | Op::Isend { to, tag, .. } => {
                    sends.entry(to).or_default().push((position, tag));
                }
                Op::Recv { from: Source::Peer(peer), tag } | Op::Irecv { from: Source::Peer(peer), tag, .. } => {
                    receives.entry(peer).or_default().push((position, tag));
                }
                Op::Recv { from: Source::Any, tag } | Op::Irecv { from: Source::Any, tag, .. } => {
                    any_source.push((position, tag));
                }
                _ => {}
            }
        }
        self.sends.insert(program, sends);
        self.receives.insert(program, receives);
        self.any_source.insert(program, any_source);
    }

    /// Whom a process sends to, by which operation.
    fn reached(&mut self, application: &Application, program: u32, process: u64) -> impl Iterator<Item = (u64, u32)> {
        self.look(application, program);
        let each = move |(peer, positions): (&Peer, &'_ Vec<(u32, Tag)>)| {
            let to = peer.of(process);
            positions.iter().map(|(position, _)| (to, *position)).collect::<Vec<_>>()
        };
        self.sends[&program].iter().flat_map(each)
    }

    /// Positions of the sends of a process to another.
    fn sends(&mut self, application: &Application, program: u32, process: u64, to: u64) -> Vec<u32> {
        self.all_sends(application, program, process, to).map(|(position, _)| position).collect()
    }

    /// Positions of the sends of a process to another with a tag that a receive wants.
    pub fn sends_tagged(
        &mut self,
        application: &Application,
        program: u32,
        process: u64,
        to: u64,
        tag: Tag,
    ) -> Vec<u32> {
        let fits = |(position, sent): (u32, Tag)| (sent == tag || tag == ANY_TAG).then_some(position);
        self.all_sends(application, program, process, to).filter_map(fits).collect()
    }

    fn all_sends(
        &mut self,
        application: &Application,
        program: u32,
        process: u64,
        to: u64,
    ) -> impl Iterator<Item = (u32, Tag)> {
        self.look(application, program);
        let by_peer = &self.sends[&program];
        let peers = [Peer::Process(to), Peer::Offset(to.wrapping_sub(process) as i64)];
        peers.into_iter().flat_map(|peer| by_peer.get(&peer).into_iter().flatten().copied())
    }

    /// Positions of the receives of a process that a message of another with this tag may fit.
    /// The second value says whether it takes from any source.
    pub fn receives(
        &mut self,
        application: &Application,
        program: u32,
        process: u64,
        from: u64,
        tag: Tag,
    ) -> Vec<(u32, bool)> {
        self.look(application, program);
        let fits = |(position, wanted): &(u32, Tag)| (*wanted == tag || *wanted == ANY_TAG).then_some(*position);
        let by_peer = &self.receives[&program];
        let mut positions: Vec<(u32, bool)> =
            self.any_source[&program].iter().filter_map(fits).map(|position| (position, true)).collect();
        for peer in [Peer::Process(from), Peer::Offset(from.wrapping_sub(process) as i64)] {
            positions
                .extend(by_peer.get(&peer).into_iter().flatten().filter_map(fits).map(|position| (position, false)));
        }
        positions
    }
}

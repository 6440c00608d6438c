//! Joins several applications into one: each keeps its processes, labels and programs; their numbers are shifted.

use crate::application::{
    Application, Block, Collective, DeviceCopy, Farm, Group, Op, Part, Peer, Programs, Site, Source, Task,
};
use crate::job::{Feedback, Live, LiveProcess};
use runcast_core::Problem;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lines of a script that live processes may come by, where several applications are joined.
const LIVE_SITES: usize = 4096;

/// Where the things of one application stand among those of all.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Offsets {
    labels: u32,
    processes: u64,
    blocks: u32,
    collectives: u32,
    groups: u32,
    farms: u32,
    phases: u32,
    names: u32,
    copies: u32,
    sets: u32,
    sites: u32,
    programs: u32,
}

impl Offsets {
    fn peer(&self, peer: Peer) -> Peer {
        match peer {
            Peer::Process(process) => Peer::Process(process + self.processes),
            offset @ Peer::Offset(_) => offset,
        }
    }

    fn source(&self, source: Source) -> Source {
        match source {
            Source::Peer(peer) => Source::Peer(self.peer(peer)),
            Source::Any => Source::Any,
        }
    }

    fn site(&self, site: Site) -> Site {
        Site(site.0 + self.sites)
    }

    /// An operation with its numbers moved.
    fn op(&self, op: Op) -> Op {
        match op {
            Op::Repeat { .. } | Op::Wait { .. } | Op::Sleep(_) => op,
            Op::Compute(block) => Op::Compute(block + self.blocks),
            Op::Send { to, size, tag } => Op::Send { to: self.peer(to), size, tag },
            Op::Recv { from, tag } => Op::Recv { from: self.source(from), tag },
            Op::Isend { to, size, tag, request, persistent } => {
                Op::Isend { to: self.peer(to), size, tag, request, persistent }
            }
            Op::Irecv { from, tag, request } => Op::Irecv { from: self.source(from), tag, request },
            Op::P2pSend { label, size } => Op::P2pSend { label: label + self.labels, size },
            Op::P2pRecv { label } => Op::P2pRecv { label: label + self.labels },
            Op::One2OneSend { label, size, count } => Op::One2OneSend { label: label + self.labels, size, count },
            Op::One2OneRecv { label, count } => Op::One2OneRecv { label: label + self.labels, count },
            Op::ScatterSend { label, size } => Op::ScatterSend { label: label + self.labels, size },
            Op::ScatterRecv { label } => Op::ScatterRecv { label: label + self.labels },
            Op::GatherSend { label, size } => Op::GatherSend { label: label + self.labels, size },
            Op::GatherRecv { label } => Op::GatherRecv { label: label + self.labels },
            Op::Several { set, wanted } => Op::Several { set: set + self.sets, wanted },
            Op::Collective(collective) => Op::Collective(collective + self.collectives),
            Op::Icollective { collective, request } => {
                Op::Icollective { collective: collective + self.collectives, request }
            }
            Op::Farm(farm) => Op::Farm(farm + self.farms),
            Op::FarmWorker(farm) => Op::FarmWorker(farm + self.farms),
            Op::Remote { access, to, size, window } => Op::Remote { access, to: self.peer(to), size, window },
            Op::Flush { window, to, answer } => Op::Flush { window, to: to.map(|to| self.peer(to)), answer },
            Op::Lock { window, to } => Op::Lock { window, to: self.peer(to) },
            Op::Unlock { window, to } => Op::Unlock { window, to: self.peer(to) },
            Op::Copy(copy) => Op::Copy(copy + self.copies),
            Op::Launch { task, request } => {
                let task = match task {
                    Task::Block(block) => Task::Block(block + self.blocks),
                    Task::Copy(copy) => Task::Copy(copy + self.copies),
                };
                Op::Launch { task, request }
            }
            Op::Read { storage, size } => Op::Read { storage: storage.map(|storage| storage + self.names), size },
            Op::Write { storage, size } => Op::Write { storage: storage.map(|storage| storage + self.names), size },
            Op::Phase(phase) => Op::Phase(phase + self.phases),
        }
    }

    fn group(&self, group: &Group) -> Group {
        Group { label: group.label + self.labels, members: group.members.clone() }
    }

    fn farm(&self, farm: &Farm) -> Farm {
        Farm {
            master: farm.master + self.processes,
            to: farm.to + self.labels,
            work: farm.work + self.blocks,
            master_work: farm.master_work.map(|work| work + self.blocks),
            ..farm.clone()
        }
    }
}

/// One application that begins when its `[[app]]` says; several become one. Labels keep the number of their application.
pub(super) fn join(mut apps: Vec<(Application, f64)>) -> (Application, Vec<Offsets>) {
    if apps.len() == 1
        && let Some((mut only, start_s)) = apps.pop()
    {
        for label in &mut only.labels {
            label.start_s += start_s;
        }
        return (only, vec![Offsets::default()]);
    }
    let names: Vec<&str> = apps.iter().map(|(app, _)| app.name.as_str()).collect();
    let file = apps.first().map_or(String::new(), |(app, _)| app.file.clone());
    let mut joined = Application { name: names.join(" + "), file, ..Application::default() };
    let mut all = Vec::with_capacity(apps.len());
    for (number, (app, start_s)) in apps.into_iter().enumerate() {
        all.push(take(&mut joined, app, start_s, number as u32));
    }
    (joined, all)
}

/// Adds an application to those joined so far.
fn take(joined: &mut Application, app: Application, start_s: f64, number: u32) -> Offsets {
    let offsets = Offsets {
        labels: joined.labels.len() as u32,
        processes: joined.processes(),
        blocks: joined.blocks.len() as u32,
        collectives: joined.collectives.len() as u32,
        groups: joined.groups.len() as u32,
        farms: joined.farms.len() as u32,
        phases: joined.phases.len() as u32,
        names: joined.names.len() as u32,
        copies: joined.copies.len() as u32,
        sets: joined.sets.len() as u32,
        sites: joined.sites.len() as u32,
        programs: joined.programs.len() as u32,
    };
    joined.parts.push(Part {
        name: app.name,
        file: app.file,
        first_site: offsets.sites,
        first_parameter: joined.parameters.len() as u32,
    });
    joined.parameters.extend(app.parameters);
    joined.labels.extend(app.labels.into_iter().map(|mut label| {
        label.app = number;
        label.first += offsets.processes;
        label.start_s += start_s;
        match &mut label.programs {
            Programs::Same(program) => *program += offsets.programs,
            Programs::PerRank(programs) => programs.iter_mut().for_each(|program| *program += offsets.programs),
            Programs::Live => {}
        }
        label
    }));
    joined.programs.extend(app.programs.into_iter().map(|mut program| {
        for (op, site) in &mut program.ops {
            *op = offsets.op(*op);
            *site = offsets.site(*site);
        }
        program
    }));
    joined.blocks.extend(app.blocks);
    joined.collectives.extend(app.collectives.into_iter().map(|mut collective| {
        collective.group += offsets.groups;
        collective
    }));
    joined.groups.extend(app.groups.iter().map(|group| offsets.group(group)));
    joined.farms.extend(app.farms.iter().map(|farm| offsets.farm(farm)));
    joined.phases.extend(app.phases);
    joined.names.extend(app.names);
    joined.sets.extend(app.sets);
    let device = |copy: DeviceCopy| DeviceCopy { device: copy.device + offsets.names, ..copy };
    joined.copies.extend(app.copies.into_iter().map(device));
    let is_live = joined.labels.iter().any(|label| label.app == number && label.programs == Programs::Live);
    joined.sites.extend(app.sites);
    if is_live {
        // Room for the lines that processes come by while they run, and one that stays empty.
        joined.sites.extend(std::iter::repeat_n(0, LIVE_SITES));
    }
    joined.log.extend(app.log);
    offsets
}

/// The live processes of several applications that were joined.
pub(super) struct JoinedLive {
    parts: Vec<LivePart>,
}

/// The live processes of one of them. They name things of their own application, which they may add to; what they name is
/// carried over when it is first named.
struct LivePart {
    live: Option<Arc<dyn Live>>,
    offsets: Offsets,
    /// Shared by the processes of one simulation.
    own: Arc<Mutex<Carried>>,
}

/// An application with what was carried over from it: numbers in the own to numbers in the joined one.
struct Carried {
    application: Application,
    blocks: HashMap<u32, u32>,
    collectives: HashMap<u32, u32>,
    groups: HashMap<u32, u32>,
    farms: HashMap<u32, u32>,
    phases: HashMap<u32, u32>,
    names: HashMap<u32, u32>,
    copies: HashMap<u32, u32>,
    sets: HashMap<u32, u32>,
    sites: HashMap<u32, u32>,
}

impl JoinedLive {
    /// Of applications, each as it was before it was joined.
    pub(super) fn new(parts: Vec<(Option<Box<dyn Live>>, Application)>, offsets: &[Offsets]) -> JoinedLive {
        let parts = parts.into_iter().zip(offsets).map(|((live, application), offsets)| LivePart {
            live: live.map(Arc::from),
            offsets: *offsets,
            own: Arc::new(Mutex::new(Carried::new(application))),
        });
        JoinedLive { parts: parts.collect() }
    }
}

impl Live for JoinedLive {
    fn start(&self, process: u64, application: &Application) -> Result<Box<dyn LiveProcess>, Problem> {
        let app = application.labels.get(application.label_of(process)).map_or(0, |label| label.app);
        let missing = || Problem::new("not_recorded", "a process must run live, but no script runs it");
        let part = self.parts.get(app as usize).ok_or_else(missing)?;
        let live = part.live.as_ref().ok_or_else(missing)?;
        let inner = live.start(process - part.offsets.processes, &locked(&part.own).application)?;
        Ok(Box::new(JoinedProcess { inner, offsets: part.offsets, own: part.own.clone() }))
    }

    fn another(&self) -> Result<Option<Box<dyn Live>>, Problem> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            // What says that it may be used again is used again, with another account of what was carried over.
            let live = match &part.live {
                Some(live) => Some(live.another()?.map_or_else(|| live.clone(), Arc::from)),
                None => None,
            };
            let own = Carried::new(locked(&part.own).application.clone());
            parts.push(LivePart { live, offsets: part.offsets, own: Arc::new(Mutex::new(own)) });
        }
        Ok(Some(Box::new(JoinedLive { parts })))
    }
}

struct JoinedProcess {
    inner: Box<dyn LiveProcess>,
    offsets: Offsets,
    own: Arc<Mutex<Carried>>,
}

fn locked(own: &Mutex<Carried>) -> MutexGuard<'_, Carried> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveProcess for JoinedProcess {
    fn next(&mut self, feedback: &Feedback, application: &mut Application) -> Result<Option<(Op, Site)>, Problem> {
        let mut feedback = feedback.clone();
        if let Some(received) = &mut feedback.received {
            received.from = received.from.saturating_sub(self.offsets.processes);
        }
        let mut own = locked(&self.own);
        let Some((op, site)) = self.inner.next(&feedback, &mut own.application)? else { return Ok(None) };
        Ok(Some((own.op(op, &self.offsets, application), own.site(site, &self.offsets, application))))
    }
}

impl Carried {
    fn new(application: Application) -> Carried {
        Carried {
            application,
            blocks: HashMap::new(),
            collectives: HashMap::new(),
            groups: HashMap::new(),
            farms: HashMap::new(),
            phases: HashMap::new(),
            names: HashMap::new(),
            copies: HashMap::new(),
            sets: HashMap::new(),
            sites: HashMap::new(),
        }
    }

    fn op(&mut self, op: Op, offsets: &Offsets, to: &mut Application) -> Op {
        // Labels and processes move by their offsets; the rest by what was carried over.
        let plain = Offsets { labels: offsets.labels, processes: offsets.processes, ..Offsets::default() };
        match plain.op(op) {
            Op::Compute(block) => Op::Compute(self.block(block, to)),
            Op::Collective(collective) => Op::Collective(self.collective(collective, &plain, to)),
            Op::Icollective { collective, request } => {
                Op::Icollective { collective: self.collective(collective, &plain, to), request }
            }
            Op::Several { set, wanted } => {
                let own = &self.application.sets;
                Op::Several { set: carry(&mut self.sets, set, own, &mut to.sets, Vec::clone), wanted }
            }
            Op::Farm(farm) => Op::Farm(self.farm(farm, &plain, to)),
            Op::FarmWorker(farm) => Op::FarmWorker(self.farm(farm, &plain, to)),
            Op::Copy(copy) => Op::Copy(self.copy(copy, to)),
            Op::Launch { task: Task::Block(block), request } => {
                Op::Launch { task: Task::Block(self.block(block, to)), request }
            }
            Op::Launch { task: Task::Copy(copy), request } => {
                Op::Launch { task: Task::Copy(self.copy(copy, to)), request }
            }
            Op::Read { storage, size } => Op::Read { storage: storage.map(|name| self.name(name, to)), size },
            Op::Write { storage, size } => Op::Write { storage: storage.map(|name| self.name(name, to)), size },
            Op::Phase(phase) => {
                let own = &self.application.phases;
                Op::Phase(carry(&mut self.phases, phase, own, &mut to.phases, String::clone))
            }
            other => other,
        }
    }

    fn block(&mut self, block: u32, to: &mut Application) -> u32 {
        carry(&mut self.blocks, block, &self.application.blocks, &mut to.blocks, Block::clone)
    }

    fn copy(&mut self, copy: u32, to: &mut Application) -> u32 {
        let Some(known) = self.application.copies.get(copy as usize).copied() else { return copy };
        let device = self.name(known.device, to);
        let made = |known: &DeviceCopy| DeviceCopy { device, ..*known };
        carry(&mut self.copies, copy, &self.application.copies, &mut to.copies, made)
    }

    fn name(&mut self, name: u32, to: &mut Application) -> u32 {
        carry(&mut self.names, name, &self.application.names, &mut to.names, String::clone)
    }

    fn collective(&mut self, collective: u32, plain: &Offsets, to: &mut Application) -> u32 {
        let own = &self.application;
        let group = own.collectives.get(collective as usize).map_or(0, |known| known.group);
        let group = carry(&mut self.groups, group, &own.groups, &mut to.groups, |group| plain.group(group));
        let made = |known: &Collective| Collective { group, ..known.clone() };
        carry(&mut self.collectives, collective, &own.collectives, &mut to.collectives, made)
    }

    fn farm(&mut self, farm: u32, plain: &Offsets, to: &mut Application) -> u32 {
        let Some(known) = self.application.farms.get(farm as usize).cloned() else { return farm };
        let work = self.block(known.work, to);
        let master_work = known.master_work.map(|block| self.block(block, to));
        let made = |known: &Farm| Farm { work, master_work, ..plain.farm(known) };
        carry(&mut self.farms, farm, &self.application.farms, &mut to.farms, made)
    }

    /// The place of the same line among those of the own application; where there is no more room, the file alone.
    fn site(&mut self, site: Site, offsets: &Offsets, to: &mut Application) -> Site {
        let Some(line) = self.application.sites.get(site.0 as usize).copied() else { return site };
        let first = offsets.sites as usize;
        let room = to.parts.iter().map(|part| part.first_site as usize).find(|next| *next > first);
        let room = first..room.unwrap_or(to.sites.len());
        let found = *self.sites.entry(site.0).or_insert_with(|| {
            let places = &mut to.sites[room];
            let index = places.iter().position(|there| *there == line || *there == 0).unwrap_or(places.len() - 1);
            if places[index] == 0 {
                places[index] = line;
            }
            (first + index) as u32
        });
        Site(found)
    }
}

/// The number in `to` of what has a number in `own`; an equal thing that is there already serves.
fn carry<T: PartialEq>(
    known: &mut HashMap<u32, u32>,
    number: u32,
    own: &[T],
    to: &mut Vec<T>,
    made: impl Fn(&T) -> T,
) -> u32 {
    *known.entry(number).or_insert_with(|| {
        let Some(thing) = own.get(number as usize) else { return number };
        let thing = made(thing);
        let index = to.iter().position(|there| *there == thing).unwrap_or_else(|| {
            to.push(thing);
            to.len() - 1
        });
        index as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{CollectiveKind, Label, Program};

    fn app(name: &str, count: u64) -> Application {
        let label = |name: &str, first, programs| Label::new(name, first, count, programs);
        let ops = vec![
            (Op::Compute(0), Site(1)),
            (Op::Send { to: Peer::Process(0), size: 8, tag: 1 }, Site(0)),
            (Op::Recv { from: Source::Peer(Peer::Offset(-1)), tag: 1 }, Site(0)),
            (Op::P2pSend { label: 1, size: 3 }, Site(0)),
            (Op::Collective(0), Site(1)),
        ];
        Application {
            name: name.to_owned(),
            file: format!("{name}.luau"),
            labels: vec![
                label("a", 0, Programs::Same(0)),
                label("b", count, Programs::PerRank(vec![0; count as usize])),
            ],
            programs: vec![Program { ops, requests: 0 }],
            blocks: vec![Block { kind: name.to_owned(), ..Block::default() }],
            collectives: vec![Collective {
                kind: CollectiveKind::Barrier,
                size: 0,
                root: 0,
                group: 0,
                algorithm: None,
                counts: None,
            }],
            groups: vec![Group { label: 1, members: None }],
            sites: vec![4, 5],
            ..Application::default()
        }
    }

    #[test]
    fn numbers_move_up_and_places_keep_their_files() {
        let (joined, offsets) = join(vec![(app("one", 2), 0.0), (app("two", 3), 1.5)]);
        assert_eq!((joined.processes(), offsets[1].processes), (10, 4));
        let label = &joined.labels[3];
        assert_eq!((label.app, label.first, label.start_s), (1, 7, 1.5));
        assert_eq!(label.programs, Programs::PerRank(vec![1; 3]));
        assert_eq!(
            joined.programs[1].ops,
            vec![
                (Op::Compute(1), Site(3)),
                (Op::Send { to: Peer::Process(4), size: 8, tag: 1 }, Site(2)),
                (Op::Recv { from: Source::Peer(Peer::Offset(-1)), tag: 1 }, Site(2)),
                (Op::P2pSend { label: 3, size: 3 }, Site(2)),
                (Op::Collective(1), Site(3)),
            ]
        );
        assert_eq!((joined.collectives[1].group, joined.groups[1].label), (1, 3));
        assert_eq!(joined.place_of(Site(1)), "one.luau:5");
        assert_eq!(joined.place_of(Site(3)), "two.luau:5");
        assert_eq!(joined.name_of(8), "two: b[1]");
    }

    #[test]
    fn one_alone_stays_as_it_is() {
        let (only, _) = join(vec![(app("one", 2), 2.0)]);
        assert!(only.parts.is_empty());
        assert_eq!(only.labels[0].start_s, 2.0);
        assert_eq!(only.name_of(3), "b[1]");
    }
}

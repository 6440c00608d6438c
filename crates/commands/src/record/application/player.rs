//! Plays the calls of one rank to the recorder of the simulator.

use super::accesses::is_access;
use super::blocks::Blocks;
use super::{Playing, Wildcards};
use runcast_record::vocabulary::{Field, Flags, call, shown};
use runcast_record::walk::{Event, walk};
use runcast_record::{Program, Recording};
use runcast_sim::application::CollectiveKind;
use runcast_sim::build::{Any, CollectiveCall, Comm, Compute, Process, Request, Sender};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Tags of irregular collectives, beyond those that MPI guarantees to programs.
const OWN_TAG: i64 = 1 << 30;

/// The tag of accesses to windows.
const ACCESS_TAG: i64 = OWN_TAG + 3;

/// A call whose request is still to be waited for.
enum Posted {
    Running(Request),
    /// Prepared: whether it sends; partner, size and tag.
    Prepared {
        sends: bool,
        partner: Option<u64>,
        size: u64,
        tag: i64,
        running: Option<Request>,
    },
}

/// A communicator as the simulator knows it.
struct Place {
    /// Members; none: all ranks.
    comm: Option<Comm>,
    /// Its number among all communicators, which tells its messages from those of others.
    number: i64,
    own: u64,
}

/// One rank.
pub(super) struct Player<'a, 'p> {
    process: &'a mut Process<'p>,
    places: Vec<Place>,
    posted: HashMap<u64, Posted>,
    playing: (Playing, f64),
    recording: &'a Recording,
    rank: u32,
    /// Ranks that access windows of this one, until it has made one; then the receives of what they send.
    expected: (Vec<u64>, Vec<Request>),
    /// Accesses that are under way.
    under_way: Vec<Request>,
    /// What has no counterpart.
    pub(super) lost: BTreeSet<String>,
}

impl<'a, 'p> Player<'a, 'p> {
    /// Blocks are multiplied by the factor beside `playing`.
    pub(super) fn new(
        recording: &'a Recording,
        rank: u32,
        playing: (Playing, f64),
        process: &'a mut Process<'p>,
    ) -> Self {
        let own = recording.places_of(rank);
        let places = recording.comms_of(rank).into_iter().zip(own).enumerate().map(|(number, (comm, own))| {
            let at = recording.comms.iter().position(|known| std::ptr::eq(known, comm)).unwrap_or(number);
            let members = || comm.members.values().map(|rank| rank.max(0) as u64).collect();
            let comm = (number > 0).then(|| Comm { label: None, members: members() });
            Place { comm, number: at as i64, own }
        });
        let places = places.collect();
        Player {
            process,
            places,
            posted: HashMap::new(),
            playing,
            recording,
            rank,
            expected: Default::default(),
            under_way: Vec::new(),
            lost: BTreeSet::new(),
        }
    }

    /// Who accesses windows of the rank.
    pub(super) fn expect(&mut self, origins: &[u64]) {
        self.expected.0 = origins.to_vec();
    }

    /// Plays the calls of a program, as the rank at `place` among its ranks.
    pub(super) fn play(&mut self, program: &Program, place: usize) {
        let tree = self.recording.tree_of(program, self.rank);
        let mut blocks = Blocks::all(program, place, self.playing);
        let mut number = 0;
        let _ = walk::<()>(&tree, |event| {
            number += 1;
            let time_s = blocks.get_mut(event.index).map_or(0.0, Blocks::next_s);
            if time_s > 0.0 {
                self.process.compute(Compute { time_s: Some(time_s), kind: "block", ..Compute::default() });
            }
            if event.leaf.call == call::FILE {
                let recorded = program.stats.get(event.index).and_then(|stat| stat.ranks.get(place));
                self.process.sleep(recorded.map_or(0.0, |rank| rank.call.s()));
                self.lost.insert("file (takes its recorded time)".to_owned());
            } else {
                self.call(event, number);
            }
            ControlFlow::Continue(())
        });
    }

    fn call(&mut self, event: &Event<'_>, number: u64) {
        let code = event.leaf.call;
        match code {
            call::SEND..=call::PSEND => self.message(event, number, true),
            call::RECV..=call::PRECV => self.message(event, number, false),
            call::SENDRECV => self.sendrecv(event),
            call::WAIT..=call::WAITSOME => self.wait(event, number),
            call::START => self.start(event, number),
            // A probe waits for what the receive after it waits for.
            25 | 26 | call::PROBE | call::MPROBE | call::POST_START | call::LOCK => {}
            call::WIN => self.window(event),
            code if is_access(code) => self.access(event, number),
            call::FENCE => {
                self.quiet();
                self.barrier(event);
            }
            call::COMPLETE_WAIT | call::UNLOCK | call::FLUSH => self.quiet(),
            96..=99 => self.process.waitall(std::mem::take(&mut self.expected.1)),
            57..=call::LAST_COLLECTIVE => self.neighbors(event),
            call::BARRIER..=call::EXSCAN => self.collective(event, number),
            _ => {
                self.lost.insert(shown(code, event.leaf.flags));
            }
        }
    }

    /// The rank of the world behind a rank of the communicator.
    fn world(&self, event: &Event<'_>, field: Field) -> Option<u64> {
        let peer = u64::try_from(event.get(field)?).ok()?;
        match self.places.get(event.leaf.comm as usize)?.comm.as_ref() {
            None => Some(peer),
            Some(comm) => comm.members.get(usize::try_from(peer).ok()?).copied(),
        }
    }

    fn tag(&self, event: &Event<'_>, tag: i64) -> i64 {
        let number = self.places.get(event.leaf.comm as usize).map_or(0, |place| place.number);
        number << 32 | tag.clamp(0, 0xffff_ffff)
    }

    fn message(&mut self, event: &Event<'_>, number: u64, sends: bool) {
        let flags = event.leaf.flags;
        let partner = self.world(event, Field::Peer);
        let size = event.get(Field::Size).unwrap_or(0).max(0) as u64;
        let tag = self.tag(event, event.get(Field::Tag).unwrap_or(0));
        if flags.has(Flags::PERSISTENT) {
            self.posted.insert(number, Posted::Prepared { sends, partner, size, tag, running: None });
            return;
        }
        // MPI_PROC_NULL, or a wildcard that nothing matched.
        let Some(partner) = partner else { return };
        let is_free = !sends && flags.has(Flags::ANY) && self.playing.0.wildcards == Wildcards::Free;
        match (sends, flags.has(Flags::NONBLOCKING)) {
            (true, false) => self.process.send(partner, size, tag),
            (false, false) if is_free => self.process.recv(Any, tag),
            (false, false) => self.process.recv(partner, tag),
            (_, true) if is_free => {
                let request = self.process.irecv(Any, tag);
                self.posted.insert(number, Posted::Running(request));
            }
            (sends, true) => {
                let request = self.begin(sends, partner, size, tag);
                self.posted.insert(number, Posted::Running(request));
            }
        }
    }

    fn begin(&mut self, sends: bool, partner: u64, size: u64, tag: i64) -> Request {
        if sends { self.process.isend(partner, size, tag) } else { self.process.irecv(partner, tag) }
    }

    fn sendrecv(&mut self, event: &Event<'_>) {
        let size = event.get(Field::Size).unwrap_or(0).max(0) as u64;
        let tag = self.tag(event, event.get(Field::Tag).unwrap_or(0));
        // The tag of the receive is not recorded.
        let received = self.world(event, Field::Peer2).map(|from| self.process.irecv(Sender::from(from), Any));
        let sent = self.world(event, Field::Peer).map(|to| self.process.isend(to, size, tag));
        self.process.waitall(received.into_iter().chain(sent));
    }

    /// A window is made or freed: all of the communicator meet.
    fn window(&mut self, event: &Event<'_>) {
        for origin in std::mem::take(&mut self.expected.0) {
            let request = self.process.irecv(origin, ACCESS_TAG);
            self.expected.1.push(request);
        }
        self.quiet();
        self.barrier(event);
    }

    fn access(&mut self, event: &Event<'_>, number: u64) {
        let size = event.get(Field::Size).unwrap_or(0).max(0) as u64;
        let Some(target) = self.world(event, Field::Peer).filter(|target| *target != u64::from(self.rank)) else {
            return;
        };
        let request = self.process.isend(target, size, ACCESS_TAG);
        if event.leaf.flags.has(Flags::NONBLOCKING) {
            self.posted.insert(number, Posted::Running(request));
        } else {
            self.under_way.push(request);
        }
    }

    /// Accesses are complete.
    fn quiet(&mut self) {
        self.process.waitall(std::mem::take(&mut self.under_way));
    }

    fn barrier(&mut self, event: &Event<'_>) {
        let Some(place) = self.places.get(event.leaf.comm as usize).filter(|_| event.leaf.comm != 1) else { return };
        self.process.barrier(CollectiveCall { comm: place.comm.as_ref(), ..CollectiveCall::default() });
    }

    fn wait(&mut self, event: &Event<'_>, number: u64) {
        for distance in event.all(Field::Reqs) {
            let Some(poster) = u64::try_from(*distance).ok().and_then(|distance| number.checked_sub(distance)) else {
                continue;
            };
            let request = match self.posted.get_mut(&poster) {
                Some(Posted::Prepared { running, .. }) => running.take(),
                Some(Posted::Running(_)) => match self.posted.remove(&poster) {
                    Some(Posted::Running(request)) => Some(request),
                    _ => None,
                },
                None => None,
            };
            if let Some(request) = request {
                self.process.wait(request);
            }
        }
    }

    fn start(&mut self, event: &Event<'_>, number: u64) {
        for distance in event.all(Field::Reqs) {
            let poster = u64::try_from(*distance).ok().and_then(|distance| number.checked_sub(distance));
            let Some(poster) = poster else { continue };
            let Some(Posted::Prepared { sends, partner: Some(partner), size, tag, .. }) = self.posted.get(&poster)
            else {
                continue;
            };
            let (sends, partner, size, tag) = (*sends, *partner, *size, *tag);
            let request = self.begin(sends, partner, size, tag);
            if let Some(Posted::Prepared { running, .. }) = self.posted.get_mut(&poster) {
                *running = Some(request);
            }
        }
    }

    fn collective(&mut self, event: &Event<'_>, number: u64) {
        let code = event.leaf.call;
        let sizes = event.all(Field::Size);
        let size = sizes.first().copied().unwrap_or(0).max(0) as u64;
        let received = sizes.get(1).copied().unwrap_or(0).max(0) as u64;
        // What a rank does with itself takes no time.
        if event.leaf.comm == 1 {
            return;
        }
        let (kind, size) = match code {
            call::BARRIER => (CollectiveKind::Barrier, 0),
            call::BCAST => (CollectiveKind::Bcast, size),
            call::GATHER => (CollectiveKind::Gather, size),
            call::SCATTER => (CollectiveKind::Scatter, size),
            call::ALLGATHER => (CollectiveKind::Allgather, size),
            47 => (CollectiveKind::Allgather, received),
            48 => (CollectiveKind::Alltoall, size),
            call::REDUCE => (CollectiveKind::Reduce, size),
            call::ALLREDUCE => (CollectiveKind::Allreduce, size),
            53 | 54 => (CollectiveKind::ReduceScatter, size),
            call::SCAN => (CollectiveKind::Scan, size),
            call::EXSCAN => (CollectiveKind::Exscan, size),
            call::ALLTOALLV | 50 => return self.blocks(event),
            call::GATHERV | call::SCATTERV => return self.rooted_blocks(event),
            _ => {
                self.lost.insert(shown(code, event.leaf.flags));
                return;
            }
        };
        let Some(place) = self.places.get(event.leaf.comm as usize) else { return };
        let root = event.get(Field::Root).unwrap_or(0).max(0) as u64;
        let call = CollectiveCall { size, root, comm: place.comm.as_ref(), ..CollectiveCall::default() };
        if event.leaf.flags.has(Flags::NONBLOCKING) {
            let request = self.process.icollective(kind, call);
            self.posted.insert(number, Posted::Running(request));
            return;
        }
        match kind {
            CollectiveKind::Barrier => self.process.barrier(call),
            CollectiveKind::Bcast => self.process.bcast(call),
            CollectiveKind::Gather => self.process.gather(call),
            CollectiveKind::Scatter => self.process.scatter(call),
            CollectiveKind::Allgather => self.process.allgather(call),
            CollectiveKind::Alltoall => self.process.alltoall(call),
            CollectiveKind::Reduce => self.process.reduce(call),
            CollectiveKind::Allreduce => self.process.allreduce(call),
            CollectiveKind::ReduceScatter => self.process.reduce_scatter(call),
            CollectiveKind::Scan => self.process.scan(call),
            CollectiveKind::Exscan => self.process.exscan(call),
        }
    }

    /// The members of the communicator of a call, and the own place among them.
    fn members(&self, event: &Event<'_>) -> (Vec<u64>, u64) {
        let Some(place) = self.places.get(event.leaf.comm as usize) else { return (Vec::new(), 0) };
        let all = || (0..u64::from(self.recording.p)).collect();
        (place.comm.as_ref().map_or_else(all, |comm| comm.members.clone()), place.own)
    }

    /// To each its block, from each whatever it sends.
    fn blocks(&mut self, event: &Event<'_>) {
        let (members, own) = self.members(event);
        let blocks = event.all(Field::Size).get(3..).unwrap_or_default();
        let total = event.get(Field::Size).unwrap_or(0).max(0) as u64;
        let even = total / members.len().max(1) as u64;
        let tag = self.tag(event, OWN_TAG);
        let others = |(place, _): &(usize, &u64)| *place as u64 != own;
        let mut requests = Vec::new();
        for (_, member) in members.iter().enumerate().filter(others) {
            requests.push(self.process.irecv(*member, tag));
        }
        for (place, member) in members.iter().enumerate().filter(others) {
            let size = blocks.get(place).map_or(even, |block| (*block).max(0) as u64);
            requests.push(self.process.isend(*member, size, tag));
        }
        self.process.waitall(requests);
    }

    /// Messages with the neighbors in a Cartesian grid: down and up in each dimension, the last fastest.
    fn neighbors(&mut self, event: &Event<'_>) {
        let dims = self.recording.comms_of(self.rank).get(event.leaf.comm as usize).map(|comm| comm.dims.clone());
        let dims = dims.unwrap_or_default();
        if dims.is_empty() {
            self.lost.insert(shown(event.leaf.call, event.leaf.flags));
            return;
        }
        let (members, own) = self.members(event);
        let mut partners = Vec::new();
        for (dim, (size, is_periodic)) in dims.iter().enumerate() {
            let stride: u64 = dims[dim + 1..].iter().map(|(size, _)| *size).fold(1, u64::saturating_mul);
            let at = own / stride.max(1) % (*size).max(1);
            let base = own.saturating_sub(at.saturating_mul(stride));
            let down = if at > 0 { Some(at - 1) } else { is_periodic.then(|| size.saturating_sub(1)) };
            let up = if at + 1 < *size { Some(at + 1) } else { is_periodic.then_some(0) };
            let member = |at: u64| members.get((base + at.saturating_mul(stride)) as usize).copied();
            partners.extend([down, up].map(|at| at.and_then(member)));
        }
        let sizes = event.all(Field::Size);
        let even = sizes.first().copied().unwrap_or(0).max(0) as u64 / partners.len() as u64;
        let tag = self.tag(event, OWN_TAG + 2);
        let mut requests = Vec::new();
        for partner in partners.iter().flatten() {
            requests.push(self.process.irecv(*partner, tag));
        }
        for (place, partner) in partners.iter().enumerate() {
            let size = sizes.get(3 + place).map_or(even, |block| (*block).max(0) as u64);
            if let Some(partner) = partner {
                requests.push(self.process.isend(*partner, size, tag));
            }
        }
        self.process.waitall(requests);
    }

    /// Blocks of different sizes to or from a root.
    fn rooted_blocks(&mut self, event: &Event<'_>) {
        let (members, own) = self.members(event);
        let tag = self.tag(event, OWN_TAG + 1);
        let root = event.get(Field::Root).unwrap_or(0).max(0) as u64;
        let sent = event.get(Field::Size).unwrap_or(0).max(0) as u64;
        let blocks = event.all(Field::Size).get(3..).unwrap_or_default();
        let gathers = event.leaf.call == call::GATHERV;
        if own != root {
            let Some(root) = members.get(root as usize).copied() else { return };
            if gathers {
                self.process.send(root, sent, tag)
            } else {
                self.process.recv(root, tag)
            }
            return;
        }
        let mut requests = Vec::new();
        for (place, member) in members.iter().enumerate().filter(|(place, _)| *place as u64 != own) {
            let size = blocks.get(place).map_or(sent / members.len() as u64, |block| (*block).max(0) as u64);
            requests.push(self.begin(!gathers, *member, size, tag));
        }
        self.process.waitall(requests);
    }
}

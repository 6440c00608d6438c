//! Platforms and programs made by hand.

use crate::application::{Application, Block, Label, Op, Peer, Program, Programs, Site, Source};
use crate::budget::Budget;
use crate::flow::engine;
use crate::job::{Collectives, Job};
use crate::outcome::{Blind, Observer, Outcome};
use crate::platform::{Endpoint, Link, LinkId, NetworkLaw, Platform, Routing, Segment};
use crate::tick::PICOSECOND;
use crate::world::{PlainWorld, World};
use runcast_core::Problem;

/// Machines on a switch: links 2i up, 2i + 1 down; then perhaps one for all; then one inside each machine, not shared.
#[derive(Debug)]
pub struct Star {
    machines: u32,
    backbone: bool,
}

impl Routing for Star {
    fn route(&self, from: Endpoint, to: Endpoint, _: Option<u32>, links: &mut Vec<LinkId>) -> u32 {
        let (from, to) = (from.machine, to.machine);
        let first_inside = 2 * self.machines + u32::from(self.backbone);
        if from == to {
            links.push(first_inside + from);
            return 0;
        }
        links.push(2 * from);
        if self.backbone {
            links.push(2 * self.machines);
        }
        links.push(2 * to + 1);
        0
    }
}

pub fn link(bandwidth: f64, latency_s: f64, shared: bool) -> Link {
    Link { name: String::new(), network: 0, bandwidth, latency_s, shared }
}

/// A star: bandwidth and latency of a link, of the backbone, inside a machine.
pub fn star(
    machines: u32,
    each: (f64, f64),
    backbone: Option<(f64, f64)>,
    inside: (f64, f64),
    law: NetworkLaw,
) -> Platform {
    let mut links = vec![link(each.0, each.1, true); 2 * machines as usize];
    links.extend(backbone.map(|(bandwidth, latency)| link(bandwidth, latency, true)));
    links.extend((0..machines).map(|_| link(inside.0, inside.1, false)));
    let routing = Box::new(Star { machines, backbone: backbone.is_some() });
    Platform { machines, links, routing, laws: vec![law] }
}

/// A star without factors: 1 GB/s, 1 us a link.
pub fn plain_star(machines: u32) -> Platform {
    star(machines, (1e9, 1e-6), None, (4e9, 0.5e-6), NetworkLaw::plain("star"))
}

/// Segments from latency and bandwidth factors by size, with an overhead (and one per byte) below a size.
pub fn segments(latency: &[(u64, f64)], bandwidth: &[(u64, f64)], overhead: (u64, f64, f64)) -> Vec<Segment> {
    let mut starts: Vec<u64> = latency.iter().chain(bandwidth).map(|(from, _)| *from).collect();
    starts.push(overhead.0);
    starts.sort_unstable();
    starts.dedup();
    let at = |factors: &[(u64, f64)], from: u64| {
        factors.iter().rev().find(|(start, _)| *start <= from).map_or(1.0, |(_, factor)| *factor)
    };
    let segment = |from: &u64| {
        let charged = if *from < overhead.0 { 1.0 } else { 0.0 };
        Segment {
            from: *from,
            latency_factor: at(latency, *from),
            bandwidth_factor: at(bandwidth, *from),
            send_overhead_s: charged * overhead.1,
            send_overhead_per_byte_s: charged * overhead.2,
            recv_overhead_s: charged * overhead.1,
            recv_overhead_per_byte_s: charged * overhead.2,
            ..Segment::default()
        }
    };
    starts.iter().map(segment).collect()
}

/// `ethernet` of the check data, as its table describes it.
pub fn ethernet() -> Platform {
    let law = NetworkLaw {
        segments: segments(
            &[(0, 1.0), (1420, 1.6), (32768, 2.4), (65536, 3.5), (327_680, 5.5)],
            &[(0, 0.62), (1420, 0.74), (32768, 0.86), (65536, 0.92), (327_680, 0.945)],
            (65536, 6e-6, 1e-9),
        ),
        eager_limit: 65536,
        detach_limit: 65536,
        ..NetworkLaw::plain("ethernet")
    };
    star(104, (125e6, 18e-6), Some((10e9, 4e-6)), (1.5e9, 1e-6), law)
}

/// Sixteen machines on each of two switches, eight links between each and the upper ones, taken by the number of the
/// receiver.
#[derive(Debug)]
struct TwoLevels;

impl Routing for TwoLevels {
    fn route(&self, from: Endpoint, to: Endpoint, _: Option<u32>, links: &mut Vec<LinkId>) -> u32 {
        let (from, to) = (from.machine, to.machine);
        if from == to {
            links.push(96 + from);
            return 0;
        }
        links.push(2 * from);
        let (leaf, other) = (from / 16, to / 16);
        if leaf != other {
            links.push(64 + leaf * 8 + to % 8);
            links.push(80 + other * 8 + to % 8);
        }
        links.push(2 * to + 1);
        0
    }
}

/// `galera` of the check data.
pub fn galera() -> Platform {
    let law = NetworkLaw {
        segments: segments(
            &[(0, 1.0), (1024, 1.3), (8192, 1.7), (65536, 2.5)],
            &[(0, 0.30), (1024, 0.42), (8192, 0.62), (65536, 0.85), (1_048_576, 0.92)],
            (65536, 0.5e-6, 1e-10),
        ),
        eager_limit: 16384,
        detach_limit: 65536,
        ..NetworkLaw::plain("galera")
    };
    let mut links = vec![link(3.4e9, 0.4e-6, true); 96];
    links.extend((0..32).map(|_| link(3.5e9, 0.3e-6, false)));
    Platform { machines: 32, links, routing: Box::new(TwoLevels), laws: vec![law] }
}

/// An application of processes that each have a program of their own.
pub fn application(programs: Vec<Vec<Op>>, blocks: Vec<Block>) -> Application {
    let count = programs.len() as u64;
    let programs: Vec<Program> = programs
        .into_iter()
        .map(|ops| Program { ops: ops.into_iter().map(|op| (op, Site(0))).collect(), requests: 64 })
        .collect();
    Application {
        name: "hand".to_owned(),
        file: "hand.luau".to_owned(),
        labels: vec![Label::new("rank", 0, count, Programs::PerRank((0..count as u32).collect()))],
        programs,
        blocks,
        sites: vec![7],
        phases: vec!["first".to_owned(), "second".to_owned()],
        names: vec!["disk".to_owned()],
        ..Application::default()
    }
}

pub fn send(to: u64, size: u64) -> Op {
    Op::Send { to: Peer::Process(to), size, tag: 0 }
}

pub fn isend(to: u64, size: u64, request: u32) -> Op {
    Op::Isend { to: Peer::Process(to), size, tag: 0, request, persistent: false }
}

pub fn recv(from: u64) -> Op {
    Op::Recv { from: Source::Peer(Peer::Process(from)), tag: 0 }
}

pub fn irecv(from: u64, request: u32) -> Op {
    Op::Irecv { from: Source::Peer(Peer::Process(from)), tag: 0, request }
}

pub fn wait(request: u32) -> Op {
    Op::Wait { request }
}

/// A block of this many seconds.
pub fn seconds(time_s: f64) -> Block {
    Block { time_s: Some(time_s), ..Block::default() }
}

/// A world with one machine a process, as many as the platform has.
pub fn play(platform: &Platform, application: &mut Application) -> Result<Outcome, Problem> {
    play_in(platform, application, &PlainWorld { processes: application.processes() as u32 }, &mut Blind)
}

/// The same in a world, before an observer.
pub fn play_in(
    platform: &Platform,
    application: &mut Application,
    world: &dyn World,
    observer: &mut dyn Observer,
) -> Result<Outcome, Problem> {
    play_with(platform, application, world, observer, Collectives::Usual)
}

/// The same with collectives by formula.
pub fn play_with(
    platform: &Platform,
    application: &mut Application,
    world: &dyn World,
    observer: &mut dyn Observer,
    collectives: Collectives,
) -> Result<Outcome, Problem> {
    let budget = Budget::default();
    let job = Job { tick: PICOSECOND, collectives, ..Job::new(platform, world, &budget) };
    let outcome = engine(&job, application, observer)?;
    // Whatever was played: accounts add up to the ends.
    let finish: u128 = outcome.finish.iter().map(|end| u128::from(*end)).sum();
    let ticks: u128 = outcome.labels.iter().flat_map(|label| label.ticks).sum();
    assert_eq!(ticks, finish, "accounts do not add up to the ends of processes");
    assert_eq!(outcome.labels.iter().map(|label| label.finish).sum::<u128>(), finish);
    Ok(outcome)
}

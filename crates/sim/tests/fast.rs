//! The fast engine against the plain one: the same ticks, accounts and counts, in any number of parts and threads.
#![allow(clippy::expect_used, missing_docs)]

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::application::{
    ANY_TAG, Application, Block, Collective, CollectiveKind, Farm, Group, Label, Op, Peer, Program, Programs, Schedule,
    Site, Source,
};
use runcast_sim::budget::Budget;
use runcast_sim::collective::algorithm::ALGORITHMS;
use runcast_sim::job::Job;
use runcast_sim::outcome::{Blind, Counts, Outcome};
use runcast_sim::platform::{Endpoint, Link, LogGops, NetworkLaw, Platform, Routing, Segment};
use runcast_sim::world::{Cost, Device, DeviceId, Io, IoCost, Place, PlainWorld, Spread, World};
use runcast_sim::{fast, loggops, plain};

/// Simulates with both engines, the fast one in parts of 2^`part` processes; none if that one leaves it to the other.
fn both(
    application: &Application,
    parameters: LogGops,
    part: u32,
    threads: usize,
) -> (Option<Outcome>, Option<Outcome>) {
    let world = PlainWorld { processes: application.processes() as u32 };
    both_in(&world, application, parameters, part, threads)
}

fn both_in(
    world: &dyn World,
    application: &Application,
    parameters: LogGops,
    part: u32,
    threads: usize,
) -> (Option<Outcome>, Option<Outcome>) {
    both_on(&Platform::uniform(application.processes() as u32, parameters), world, application, part, threads)
}

fn both_on(
    platform: &Platform,
    world: &dyn World,
    application: &Application,
    part: u32,
    threads: usize,
) -> (Option<Outcome>, Option<Outcome>) {
    let budget = Budget::default();
    let job = Job { threads, ..Job::new(platform, world, &budget) };
    let quick = fast::simulate_in_parts(&job, application, part).expect("no error but what the plain one finds too");
    let slow = plain::engine(&job, &mut application.clone(), &mut Blind).ok();
    let without_events = |outcome: Outcome| Outcome { counts: Counts { events: 0, ..outcome.counts }, ..outcome };
    (quick.map(without_events), slow.map(without_events))
}

fn label(name: &str, first: u64, count: u64, start_s: f64, programs: Programs) -> Label {
    Label { start_s, ..Label::new(name, first, count, programs) }
}

fn nanoseconds(time: u64) -> Block {
    Block { time_s: Some(time as f64 * 1e-9), ..Block::default() }
}

/// What happens between two processes, or in one, in an order that all keep.
#[derive(Debug, Clone)]
enum Happening {
    Message { from: u8, to: u8, size: u16, tag: u8, isend: bool, irecv: bool, any_source: bool, any_tag: bool },
    Compute { who: u8, time: u16 },
    Wait { who: u8 },
    Sleep { who: u8, time: u16 },
    Phase { who: u8, phase: u8 },
}

fn happening() -> impl Strategy<Value = Happening> {
    let message = (any::<u8>(), any::<u8>(), 0_u16..3000, 0_u8..3, any::<bool>(), any::<bool>(), 0_u8..8, 0_u8..8)
        .prop_map(|(from, to, size, tag, isend, irecv, any_source, any_tag)| Happening::Message {
            from,
            to,
            size,
            tag,
            isend,
            irecv,
            any_source: any_source == 0,
            any_tag: any_tag == 0,
        });
    prop_oneof![
        8 => message,
        2 => (any::<u8>(), prop_oneof![Just(0_u16), Just(500), any::<u16>()])
            .prop_map(|(who, time)| Happening::Compute { who, time }),
        1 => any::<u8>().prop_map(|who| Happening::Wait { who }),
        1 => (any::<u8>(), any::<u16>()).prop_map(|(who, time)| Happening::Sleep { who, time }),
        1 => (any::<u8>(), 0_u8..2).prop_map(|(who, phase)| Happening::Phase { who, phase }),
    ]
}

/// Programs in which every message has its receive, in an order that cannot block unless "any" takes another's message.
fn application(happenings: &[Happening], processes: u8, rounds: u64, split: u8) -> Application {
    let mut blocks: Vec<Block> = Vec::new();
    let mut programs = vec![Program::default(); processes as usize];
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); processes as usize];
    let push = |programs: &mut Vec<Program>, who: u8, op: Op| programs[who as usize].ops.push((op, Site(0)));
    for happening in happenings {
        match *happening {
            Happening::Message { from, to, size, tag, isend, irecv, any_source, any_tag } => {
                let (from, to) = (from % processes, to % processes);
                let (size, tag) = (u64::from(size), i64::from(tag));
                let peer = |of: u8, other: u8| {
                    if size % 2 == 0 {
                        Peer::Process(u64::from(other))
                    } else {
                        Peer::Offset(i64::from(other) - i64::from(of))
                    }
                };
                let request = programs[from as usize].requests;
                if isend || from == to {
                    programs[from as usize].requests += 1;
                    open[from as usize].push(request);
                    push(&mut programs, from, Op::Isend { to: peer(from, to), size, tag, request, persistent: false });
                } else {
                    push(&mut programs, from, Op::Send { to: peer(from, to), size, tag });
                }
                let source = if any_source { Source::Any } else { Source::Peer(peer(to, from)) };
                let tag = if any_tag { ANY_TAG } else { tag };
                if irecv {
                    let request = programs[to as usize].requests;
                    programs[to as usize].requests += 1;
                    open[to as usize].push(request);
                    push(&mut programs, to, Op::Irecv { from: source, tag, request });
                } else {
                    push(&mut programs, to, Op::Recv { from: source, tag });
                }
            }
            Happening::Compute { who, time } => {
                push(&mut programs, who % processes, Op::Compute(blocks.len() as u32));
                blocks.push(nanoseconds(u64::from(time)));
            }
            Happening::Wait { who } => {
                let who = who % processes;
                if let Some(request) = open[who as usize].pop() {
                    push(&mut programs, who, Op::Wait { request });
                }
            }
            Happening::Sleep { who, time } => {
                push(&mut programs, who % processes, Op::Sleep((f64::from(time) * 1e-9).to_bits()));
            }
            Happening::Phase { who, phase } => push(&mut programs, who % processes, Op::Phase(u32::from(phase))),
        }
    }
    for (who, program) in programs.iter_mut().enumerate() {
        // One request in ten is forgotten.
        for request in open[who].iter().filter(|request| *request % 10 != 9) {
            program.ops.push((Op::Wait { request: *request }, Site(0)));
        }
        if rounds > 1 {
            let inner = program.ops.len() as u32;
            program.ops.insert(0, (Op::Repeat { count: 1, len: inner }, Site(0)));
            program.ops.insert(0, (Op::Repeat { count: rounds, len: inner + 1 }, Site(0)));
        }
    }
    let split = u64::from(split % processes);
    let all: Vec<u32> = (0..u32::from(processes)).collect();
    let mut labels = Vec::new();
    if split > 0 {
        labels.push(label("first", 0, split, 0.0, Programs::PerRank(all[..split as usize].to_vec())));
    }
    let rest = u64::from(processes) - split;
    labels.push(label("second", split, rest, 3e-6, Programs::PerRank(all[split as usize..].to_vec())));
    Application {
        programs,
        blocks,
        labels,
        phases: vec!["a".into(), "b".into()],
        sites: vec![1],
        ..Application::default()
    }
}

fn parameters() -> impl Strategy<Value = LogGops> {
    let time = || prop_oneof![Just(0_u32), Just(1), Just(1000), 0_u32..5000];
    (1_u32..5000, time(), time(), 0_u32..8, 0_u32..8).prop_map(|(l, o, g, gap, overhead)| LogGops {
        L: f64::from(l) * 1e-9,
        o: f64::from(o) * 1e-9,
        g: f64::from(g) * 1e-9,
        G: f64::from(gap) * 1e-9,
        O: f64::from(overhead) * 1e-9,
        S: 65_535,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_programs_take_the_same_ticks(
        happenings in prop::collection::vec(happening(), 1..60),
        processes in 1_u8..9,
        rounds in prop_oneof![Just(1_u64), 2_u64..5],
        split in any::<u8>(),
        parameters in parameters(),
        part in 0_u32..4,
    ) {
        let application = application(&happenings, processes, rounds, split);
        let (quick, slow) = both(&application, parameters, part, 1);
        prop_assert_eq!(quick, slow);
    }
}

/// A label of like processes that run one program.
fn like(count: u64, ops: &[Op]) -> Application {
    let program = Program { ops: ops.iter().map(|op| (*op, Site(0))).collect(), requests: 1 };
    Application {
        programs: vec![program],
        labels: vec![label("all", 0, count, 0.0, Programs::Same(0))],
        sites: vec![1],
        ..Application::default()
    }
}

#[test]
fn two_threads_take_the_same_ticks() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = (prop::collection::vec(happening(), 1..60), parameters());
    let mut ended = 0;
    for _ in 0..100 {
        let tree = strategy.new_tree(&mut runner).expect("a case");
        let (happenings, parameters) = proptest::strategy::ValueTree::current(&tree);
        let application = application(&happenings, 8, 2, 3);
        let (one, slow) = both(&application, parameters, 1, 1);
        let (two, _) = both(&application, parameters, 1, 2);
        ended += u32::from(one.is_some());
        assert_eq!(one, two);
        assert_eq!(one, slow);
    }
    // The others come to a deadlock: "any" took the message of another.
    assert!(ended > 50, "{ended}");
}

#[test]
fn all_collectives_take_the_same_ticks() {
    for (number, algorithm) in ALGORITHMS.iter().enumerate() {
        for processes in [1, 2, 3, 7, 8, 12] {
            for (size, root) in [(0, 0), (5_000, processes / 2), (60_000, processes - 1)] {
                let mut application = like(
                    processes,
                    &[Op::Compute(0), Op::Phase(0), Op::Collective(0), Op::Compute(0), Op::Collective(0)],
                );
                application.blocks = vec![nanoseconds(1234)];
                application.phases = vec!["all".into()];
                application.groups = vec![Group { label: 0, members: None }];
                application.collectives = vec![Collective {
                    kind: algorithm.kind,
                    size,
                    root,
                    group: 0,
                    algorithm: Some(algorithm.name.to_owned()),
                    counts: None,
                }];
                let parameters = LogGops { o: (number as f64 % 3.0) * 1e-6, ..LogGops::default() };
                let (quick, slow) = both(&application, parameters, 1, 1);
                assert!(slow.is_some(), "{:?} {}", algorithm.kind, algorithm.name);
                assert_eq!(quick, slow, "{:?} {} {processes} {size}", algorithm.kind, algorithm.name);
            }
        }
    }
}

#[test]
fn farms_take_the_same_ticks() {
    for schedule in [Schedule::Dynamic, Schedule::Static, Schedule::Guided] {
        for (workers, tasks, window) in [(1, 5, 1), (3, 20, 1), (7, 100, 2), (60, 300, 1), (5, 2, 3)] {
            let program = |op| Program { ops: vec![(op, Site(0))], requests: 0 };
            let farm = Farm {
                master: 0,
                to: 1,
                tasks,
                task_size: 1000,
                result_size: 10,
                work: 0,
                master_work: Some(1),
                window,
                schedule,
            };
            let application = Application {
                programs: vec![program(Op::Farm(0)), program(Op::FarmWorker(0))],
                blocks: vec![nanoseconds(50_000), nanoseconds(700)],
                labels: vec![
                    label("master", 0, 1, 0.0, Programs::Same(0)),
                    label("slave", 1, workers, 0.0, Programs::Same(1)),
                ],
                farms: vec![farm],
                sites: vec![1],
                ..Application::default()
            };
            let (quick, slow) = both(&application, LogGops::default(), 2, 1);
            assert!(slow.is_some(), "{schedule:?} {workers} {tasks} {window}");
            assert_eq!(quick, slow, "{schedule:?} {workers} {tasks} {window}");
        }
    }
}

#[test]
fn operations_between_labels_take_the_same_ticks() {
    let pairs: [(Op, Op); 4] = [
        (Op::P2pSend { label: 1, size: 300 }, Op::P2pRecv { label: 0 }),
        (Op::One2OneSend { label: 1, size: 300, count: 17 }, Op::One2OneRecv { label: 0, count: 17 }),
        (Op::ScatterSend { label: 1, size: 300 }, Op::ScatterRecv { label: 0 }),
        (Op::GatherSend { label: 1, size: 300 }, Op::GatherRecv { label: 0 }),
    ];
    for (send, receive) in pairs {
        for (senders, receivers) in [(1, 1), (1, 50), (50, 1), (3, 5), (4, 4)] {
            let program =
                |op| Program { ops: vec![(op, Site(0)), (Op::Compute(0), Site(0)), (op, Site(0))], requests: 0 };
            let application = Application {
                programs: vec![program(send), program(receive)],
                blocks: vec![nanoseconds(1000)],
                labels: vec![
                    label("from", 0, senders, 0.0, Programs::Same(0)),
                    label("to", senders, receivers, 1e-5, Programs::Same(1)),
                ],
                sites: vec![1],
                ..Application::default()
            };
            let (quick, slow) = both(&application, LogGops::default(), 3, 1);
            assert!(slow.is_some());
            assert_eq!(quick, slow, "{send:?} {senders} {receivers}");
        }
    }
}

/// Hundreds of messages arrive at once, and wait for their receives in another order.
#[test]
fn a_burst_takes_the_same_ticks() {
    for (busy, any, early) in
        [(0, false, true), (100_000, true, false), (3_000_000, false, false), (3_000_000, true, true)]
    {
        let (senders, each) = (40_u64, 4_u64);
        let mut application = like(1 + senders, &[Op::Send { to: Peer::Process(0), size: 100, tag: 0 }]);
        application.programs[0].ops = (0..each)
            .map(|tag| (Op::Send { to: Peer::Process(0), size: 100 * (4 - tag), tag: tag as i64 }, Site(0)))
            .collect();
        let mut ops = Vec::new();
        let receives = (0..each).rev().flat_map(|tag| (1..=senders).map(move |from| (from, tag)));
        for (request, (from, tag)) in receives.enumerate() {
            let from = if any && request % 3 == 0 { Source::Any } else { Source::Peer(Peer::Process(from)) };
            let tag = if any && request % 7 == 0 && from != Source::Any { ANY_TAG } else { tag as i64 };
            ops.push((Op::Irecv { from, tag, request: request as u32 }, Site(0)));
        }
        ops.insert(if early { ops.len() } else { 0 }, (Op::Compute(0), Site(0)));
        let requests = (senders * each) as u32;
        if !any {
            ops.extend((0..requests).map(|request| (Op::Wait { request }, Site(0))));
        }
        application.programs.push(Program { ops, requests });
        application.blocks = vec![nanoseconds(busy)];
        application.labels =
            vec![label("root", 0, 1, 0.0, Programs::Same(1)), label("others", 1, senders, 0.0, Programs::Same(0))];
        let (quick, slow) = both(&application, LogGops { o: 0.0, g: 0.0, ..LogGops::default() }, 3, 1);
        assert!(slow.is_some());
        assert_eq!(quick, slow, "{busy} {any} {early}");
    }
}

/// Round k = 0.. sends to (r + 2^k) mod P and receives from (r - 2^k) mod P; receives are posted at once, send k waits for
/// receive k - 1. The ends are those of LogGOPSim.
#[test]
fn dissemination_ends_where_it_should() {
    for (processes, end) in [(16_u64, 22_168), (65_536, 88_672)] {
        let rounds = processes.ilog2();
        let mut programs: Vec<Program> = Vec::new();
        let mut of = Vec::new();
        for rank in 0..processes {
            let to = |k: u32| Peer::Offset(((rank + (1 << k)) % processes) as i64 - rank as i64);
            let from = |k: u32| Peer::Offset(((rank + processes - (1 << k)) % processes) as i64 - rank as i64);
            let mut ops: Vec<Op> =
                (0..rounds).map(|k| Op::Irecv { from: Source::Peer(from(k)), tag: 0, request: k }).collect();
            for k in 0..rounds {
                ops.push(Op::Send { to: to(k), size: 8, tag: 0 });
                ops.push(Op::Wait { request: k });
            }
            let program = Program { ops: ops.into_iter().map(|op| (op, Site(0))).collect(), requests: rounds };
            // Neighbors in number mostly have the same program.
            let known = programs.iter().rposition(|known| *known == program);
            of.push(known.unwrap_or_else(|| {
                programs.push(program);
                programs.len() - 1
            }) as u32);
        }
        let mut application = like(processes, &[]);
        application.programs = programs;
        application.labels[0].programs = Programs::PerRank(of);
        let platform = Platform::uniform(processes as u32, LogGops::default());
        let world = PlainWorld { processes: processes as u32 };
        let outcome = fast_alone(&platform, &world, &application, 2).expect("it suits");
        assert!(outcome.finish.iter().all(|finish| *finish == end), "{}", outcome.end);
    }
}

fn fast_alone(platform: &Platform, world: &dyn World, application: &Application, threads: usize) -> Option<Outcome> {
    let budget = Budget::default();
    let job = Job { threads, ..Job::new(platform, world, &budget) };
    fast::simulate(&job, application).expect("no error")
}

/// A message beyond the eager limit: the sender waits. 300,010 and 694,710 are LogGOPSim's.
#[test]
fn what_the_fast_engine_cannot_do_the_plain_one_does() {
    let ops = |ops: &[Op]| Program { ops: ops.iter().map(|op| (*op, Site(0))).collect(), requests: 1 };
    let receive = Op::Irecv { from: Source::Peer(Peer::Process(0)), tag: 0, request: 0 };
    for (size, ends) in [(65_535, [1_510, 694_704]), (65_536, [300_010, 694_710])] {
        let mut application = like(2, &[]);
        application.programs = vec![
            ops(&[Op::Send { to: Peer::Process(1), size, tag: 0 }, Op::Compute(0)]),
            ops(&[Op::Compute(1), receive, Op::Wait { request: 0 }]),
        ];
        application.labels[0].programs = Programs::PerRank(vec![0, 1]);
        application.blocks = vec![nanoseconds(10), nanoseconds(300_000)];
        let platform = Platform::uniform(2, LogGops::default());
        let world = PlainWorld { processes: 2 };
        let quick = fast_alone(&platform, &world, &application, 1);
        assert_eq!(quick.is_none(), size > 65_535);
        let budget = Budget::default();
        let job = Job::new(&platform, &world, &budget);
        let outcome = loggops::engine(&job, &mut application, &mut Blind).expect("it ends");
        assert_eq!(outcome.finish[0], ends[0]);
    }
}

/// Three processes a device; the second of every four blocks draws its time.
struct Crowded(PlainWorld);

impl World for Crowded {
    fn place(&self, process: u64) -> Place {
        Place { device: process as u32 / 3, class: process as u32 % 2, ..self.0.place(process) }
    }
    fn devices(&self) -> u32 {
        self.0.processes.div_ceil(3)
    }
    fn device(&self, device: DeviceId) -> Device {
        Device { cores: 4.0, ..self.0.device(device) }
    }
    fn device_of(&self, process: u64, _: &str) -> Result<DeviceId, Problem> {
        Ok(process as u32 / 3)
    }
    fn compute(&self, block: &Block, class: u32) -> Result<Cost, Problem> {
        let seconds = block.time_s.unwrap_or(0.0) * (1.0 + f64::from(class));
        Ok(Cost { seconds, spread: (class == 1).then_some(Spread { rule: 7, ..Spread::default() }) })
    }
    fn throughput(&self, _: DeviceId, busy: f64) -> Result<f64, Problem> {
        Ok(busy)
    }
    fn shares(&self, _: DeviceId) -> bool {
        false
    }
    fn noisy(&self, seconds: f64, process: u64, ordinal: u64, spread: Option<Spread>) -> f64 {
        seconds
            * (1.0 + ((process * 31 + ordinal * 17 + u64::from(spread.unwrap_or_default().rule)) % 10) as f64 / 10.0)
    }
    fn io(&self, io: Io<'_>, size: u64, process: u64) -> Result<IoCost, Problem> {
        self.0.io(io, size, process)
    }
}

#[test]
fn processes_on_one_device_and_noise_take_the_same_ticks() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = (prop::collection::vec(happening(), 1..60), parameters());
    for case in 0..300 {
        let tree = strategy.new_tree(&mut runner).expect("a case");
        let (happenings, parameters) = proptest::strategy::ValueTree::current(&tree);
        let mut application = application(&happenings, 8, 1 + case % 2, 3);
        for (number, block) in application.blocks.iter_mut().enumerate() {
            block.threads = 1.0 + (number % 3) as f64;
        }
        let world = Crowded(PlainWorld { processes: 8 });
        let (quick, slow) = both_in(&world, &application, parameters, 1, 1);
        assert_eq!(quick, slow);
    }
}

/// Two processes a node; inside a node there is no link, and a message arrives much sooner than elsewhere.
#[derive(Debug)]
struct Nodes {
    classes: bool,
}

impl Routing for Nodes {
    fn route(&self, from: Endpoint, to: Endpoint, _: Option<u32>, links: &mut Vec<u32>) -> u32 {
        let (from, to) = (from.machine, to.machine);
        if from / 2 != to / 2 {
            links.push(from / 2 % 2);
            links.push(2);
        }
        u32::from(from / 2 == to / 2)
    }

    fn class(&self, from: Endpoint, to: Endpoint) -> Option<u32> {
        let (from, to) = (from.machine, to.machine);
        let class = if from / 2 == to / 2 { 0 } else { 1 + from / 2 % 2 };
        self.classes.then_some(class)
    }
}

#[test]
fn ways_of_several_kinds_take_the_same_ticks() {
    let link = |latency_s, bandwidth| Link { name: "link".into(), network: 0, bandwidth, latency_s, shared: true };
    let segment = |from, latency_factor, overhead| Segment {
        from,
        latency_factor,
        send_overhead_s: overhead,
        recv_overhead_s: 2.0 * overhead,
        ..Segment::default()
    };
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(happening(), 1..60);
    for case in 0..300_u32 {
        let mut between = NetworkLaw::plain("between");
        between.segments = vec![segment(0, 1.0, 1e-7), segment(1000, 0.5, 0.0)];
        let mut inside = NetworkLaw::plain("inside");
        inside.segments = vec![segment(0, 1.0, 3e-8)];
        let platform = Platform {
            machines: 8,
            links: vec![link(1e-6, 1e9), link(2e-6, 3e9), link(5e-7, 1e10)],
            routing: Box::new(Nodes { classes: case % 2 == 0 }),
            laws: vec![between, inside],
        };
        let tree = strategy.new_tree(&mut runner).expect("a case");
        let application = application(&proptest::strategy::ValueTree::current(&tree), 8, 2, 3);
        let (quick, slow) = both_on(&platform, &PlainWorld { processes: 8 }, &application, 1, 1);
        assert_eq!(quick, slow);
    }
}

#[test]
fn collective_kinds_of_the_table_are_all_there() {
    for kind in CollectiveKind::ALL {
        assert!(ALGORITHMS.iter().any(|algorithm| algorithm.kind == kind), "{kind:?}");
    }
}

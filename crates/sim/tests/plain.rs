//! The plain engine on programs: public numbers of LogGOPS, accounts without gaps, deadlocks.

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::application::{
    ANY_TAG, Block, Collective, CollectiveKind, Group, Label, Op, Peer, Program, Programs, Site, Source,
};
use runcast_sim::budget::Budget;
use runcast_sim::job::{Collectives, Job};
use runcast_sim::outcome::{ACTIVITIES, Activity, Blind, Delivered, Interval, Observer};
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::world::{Cost, Device, DeviceId, Io, IoCost, Place, PlainWorld, World};
use runcast_sim::{Application, Outcome, plain};

/// One program a rank; blocks are nanoseconds.
fn application(programs: &[Vec<Op>], blocks: &[f64]) -> Application {
    let requests = 1000;
    Application {
        name: "test".to_owned(),
        file: "test.luau".to_owned(),
        labels: vec![Label::new(
            "cell",
            0,
            programs.len() as u64,
            Programs::PerRank((0..programs.len() as u32).collect()),
        )],
        programs: programs
            .iter()
            .map(|ops| Program { ops: ops.iter().map(|op| (*op, Site(0))).collect(), requests })
            .collect(),
        blocks: blocks.iter().map(|ns| Block { time_s: Some(ns * 1e-9), ..Block::default() }).collect(),
        sites: vec![14],
        ..Application::default()
    }
}

fn play_with(
    application: &mut Application,
    parameters: LogGops,
    observer: &mut dyn Observer,
) -> Result<Outcome, Problem> {
    let processes = application.processes() as u32;
    let (platform, world) = (Platform::uniform(processes, parameters), PlainWorld { processes });
    let budget = Budget::default();
    let job = Job::new(&platform, &world, &budget);
    plain::engine(&job, application, observer)
}

/// A machine of two cores without hyper-threading for all processes, and a storage of 1 GB/s that needs 1 ms to begin.
struct TwoCores {
    processes: u32,
}

impl World for TwoCores {
    fn place(&self, _: u64) -> Place {
        Place { machine: 0, device: 0, slot: 0, class: 0 }
    }
    fn devices(&self) -> u32 {
        1
    }
    fn device(&self, _: DeviceId) -> Device {
        Device { machine: 0, component: 0, cores: 2.0, placed: f64::from(self.processes) }
    }
    fn device_of(&self, _: u64, _: &str) -> Result<DeviceId, Problem> {
        Ok(0)
    }
    fn compute(&self, block: &Block, _: u32) -> Result<Cost, Problem> {
        Ok(Cost { seconds: block.time_s.unwrap_or(0.0), spread: None })
    }
    fn throughput(&self, _: DeviceId, busy: f64) -> Result<f64, Problem> {
        Ok(busy.min(2.0))
    }
    fn shares(&self, _: DeviceId) -> bool {
        true
    }
    fn io(&self, _: Io<'_>, _: u64, _: u64) -> Result<IoCost, Problem> {
        Ok(IoCost { latency_s: 1e-3, bandwidth: 1e9, resource: 0 })
    }
}

/// The same, played there, with collectives by formula.
fn play_on_two_cores(application: &mut Application, observer: &mut dyn Observer) -> Outcome {
    let processes = application.processes() as u32;
    let (platform, world) = (Platform::uniform(1, LogGops::default()), TwoCores { processes });
    let budget = Budget::default();
    let job = Job { collectives: Collectives::Closed, ..Job::new(&platform, &world, &budget) };
    plain::engine(&job, application, observer).expect("plays")
}

fn finish(programs: &[Vec<Op>], blocks: &[f64], parameters: LogGops) -> Vec<u64> {
    let mut application = application(programs, blocks);
    play_with(&mut application, parameters, &mut Blind).expect("plays").finish
}

fn to(process: u64) -> Peer {
    Peer::Process(process)
}

fn isend(process: u64, size: u64, request: u32) -> Op {
    Op::Isend { to: to(process), size, tag: 0, request, persistent: false }
}

fn send(process: u64, size: u64) -> Op {
    Op::Send { to: to(process), size, tag: 0 }
}

fn recv(process: u64) -> Op {
    Op::Recv { from: Source::Peer(to(process)), tag: 0 }
}

fn irecv(process: u64, request: u32) -> Op {
    Op::Irecv { from: Source::Peer(to(process)), tag: 0, request }
}

/// Numbers confirmed with LogGOPSim.
#[test]
fn gives_the_public_numbers() {
    let usual = LogGops::default();
    let per_byte = LogGops { O: 2e-9, ..usual };
    let twice = [vec![isend(1, 1024, 0), isend(1, 1024, 1)], vec![irecv(0, 0), irecv(0, 1)]];
    assert_eq!(finish(&twice, &[], usual), [8_638, 19_276]);
    assert_eq!(finish(&twice, &[], per_byte), [10_684, 19_276]);

    let to_four = [
        vec![send(1, 1024), send(2, 1024), send(3, 1024), send(4, 1024)],
        vec![recv(0)],
        vec![recv(0)],
        vec![recv(0)],
        vec![recv(0)],
    ];
    assert_eq!(finish(&to_four, &[], usual)[4], 33_052);
    let mut from_four = vec![(1..5).map(|from| irecv(from, from as u32)).collect::<Vec<_>>()];
    from_four.extend((0..4).map(|_| vec![send(0, 1024)]));
    assert_eq!(finish(&from_four, &[], usual)[0], 34_552);
    let four_times = [vec![send(1, 1024); 4], vec![recv(0); 4]];
    assert_eq!(finish(&four_times, &[], usual)[1], 34_552);

    let to_all = [
        vec![send(2, 1024), send(3, 1024), send(4, 1024)],
        vec![send(3, 1024), send(4, 1024), send(2, 1024)],
        vec![irecv(0, 0), irecv(1, 1)],
        vec![irecv(0, 0), irecv(1, 1)],
        vec![irecv(0, 0), irecv(1, 1)],
    ];
    assert_eq!(finish(&to_all, &[], usual), [15_776, 15_776, 25_914, 19_276, 26_414]);

    for (size, ends) in [(65_535, [1_510, 694_704]), (65_536, [300_010, 694_710])] {
        let programs = [vec![send(1, size), Op::Compute(0)], vec![irecv(0, 0), Op::Compute(1)]];
        assert_eq!(finish(&programs, &[10.0, 300_000.0], usual), ends);
    }
    for (size, ends) in [(100_000, [50_100, 651_494]), (1_000, [1_600, 57_494])] {
        let programs = [vec![send(1, size), Op::Compute(0)], vec![Op::Compute(1), recv(0)]];
        assert_eq!(finish(&programs, &[100.0, 50_000.0], usual), ends);
    }
    let late = [vec![recv(2), recv(1)], vec![send(0, 1024)], vec![Op::Compute(0), send(0, 1024)]];
    assert_eq!(finish(&late, &[30_000.0], usual), [41_638, 1_500, 31_500]);
}

#[test]
fn dissemination_is_rounds_times_a_pair() {
    for processes in [16_u64, 1024] {
        let rounds = processes.trailing_zeros();
        let program = |rank: u64| {
            let mut ops = Vec::new();
            for round in 0..rounds {
                ops.push(irecv((rank + processes - (1 << round)) % processes, round));
            }
            for round in 0..rounds {
                ops.push(isend((rank + (1 << round)) % processes, 8, 100 + round));
                ops.push(Op::Wait { request: round });
            }
            ops
        };
        let programs: Vec<Vec<Op>> = (0..processes).map(program).collect();
        // lg P (2o + L + 7G) = lg P 5542 ns.
        assert_eq!(finish(&programs, &[], LogGops::default()), vec![u64::from(rounds) * 5_542; processes as usize]);
    }
}

#[test]
fn binomial_reduce_of_eight() {
    let program = |rank: u64| {
        let mut ops: Vec<Op> = Vec::new();
        let mut step = 1;
        while step < 8 {
            if step > rank && rank + step < 8 {
                ops.push(recv(rank + step));
            }
            step *= 2;
        }
        if rank > 0 {
            ops.push(send(rank - (1 << rank.ilog2()), 1024));
        }
        ops
    };
    let programs: Vec<Vec<Op>> = (0..8).map(program).collect();
    let expected = [34_914, 24_776, 13_138, 13_138, 1_500, 1_500, 1_500, 1_500];
    assert_eq!(finish(&programs, &[], LogGops::default()), expected);
}

#[test]
fn a_deadlock_is_told_with_names_and_lines() {
    let mut application = application(
        &[vec![], vec![], vec![], vec![recv(4)], vec![Op::Recv { from: Source::Peer(to(3)), tag: ANY_TAG }]],
        &[],
    );
    let problem = play_with(&mut application, LogGops::default(), &mut Blind).expect_err("two wait");
    assert_eq!(problem.code, "deadlock");
    assert_eq!(
        problem.message,
        "deadlock: 2 of 5 processes wait forever\nin a cycle: cell[3] recv from cell[4] tag 0 \
         (test.luau:14) <- cell[4] recv from cell[3] any tag (test.luau:14)"
    );
    let large = 1 << 20;
    let mut application = self::application(&[vec![send(1, large), recv(1)], vec![send(0, large), recv(0)]], &[]);
    let problem = play_with(&mut application, LogGops::default(), &mut Blind).expect_err("both send first");
    assert!(problem.message.contains("cell[0] send of 1048576 B to cell[1] tag 0"), "{}", problem.message);
}

#[test]
fn what_nobody_asks_for_is_a_warning() {
    let mut application = application(&[vec![isend(1, 8, 0), isend(1, 8, 1)], vec![recv(0)]], &[]);
    let outcome = play_with(&mut application, LogGops::default(), &mut Blind).expect("plays");
    let codes: Vec<&str> = outcome.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["never_received", "never_waited"]);
    assert_eq!(outcome.warnings[1].message, "2 requests were never waited for");
}

/// Sums up what it is told, and looks for gaps.
#[derive(Default)]
struct Sums {
    up_to: Vec<u64>,
    ticks: [u128; ACTIVITIES],
    messages: Vec<Delivered>,
}

impl Observer for Sums {
    fn interval(&mut self, process: u32, interval: Interval) {
        if self.up_to.len() <= process as usize {
            self.up_to.resize(process as usize + 1, 0);
        }
        assert_eq!(self.up_to[process as usize], interval.from, "a gap at process {process}");
        assert!(interval.to > interval.from);
        self.up_to[process as usize] = interval.to;
        self.ticks[interval.activity as usize] += u128::from(interval.to - interval.from);
    }

    fn delivered(&mut self, message: Delivered) {
        assert!(message.received >= message.sent);
        self.messages.push(message);
    }
}

/// Programs that end: in each step somebody sends and somebody else receives, blocking or not, and some compute.
fn steps() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let step = (0_u64..5, 1_u64..5, 0_u64..200_000, 0_u8..64);
    prop::collection::vec(step, 1..60).prop_map(|steps| {
        let mut programs: Vec<Vec<Op>> = vec![Vec::new(); 5];
        let mut requests = [0_u32; 5];
        for (from, offset, size, kind) in steps {
            let target = (from + offset) % 5;
            let (sender, receiver) = (from as usize, target as usize);
            if kind & 1 == 0 {
                programs[sender].push(Op::Compute((kind / 8) as u32));
            }
            if kind & 16 == 0 {
                programs[receiver].push(Op::Sleep((f64::from(kind) * 1e-6).to_bits()));
            }
            let source = if kind & 2 == 0 { Source::Any } else { Source::Peer(to(from)) };
            if kind & 4 == 0 {
                programs[sender].push(send(target, size));
            } else {
                programs[sender].push(isend(target, size, requests[sender]));
                requests[sender] += 1;
            }
            if kind & 8 == 0 {
                programs[receiver].push(Op::Recv { from: source, tag: 0 });
            } else {
                programs[receiver].push(Op::Irecv { from: source, tag: 0, request: requests[receiver] });
                requests[receiver] += 1;
            }
        }
        for (program, requests) in programs.iter_mut().zip(requests) {
            program.extend((0..requests).map(|request| Op::Wait { request }));
        }
        programs
    })
}

proptest! {
    #[test]
    fn accounts_have_no_gaps_and_add_up(programs in steps()) {
        let blocks = [1_000.0, 0.0, 250_000.0, 7.0, 100.0, 12_345.0, 1.0, 50_000.0];
        let mut application = application(&programs, &blocks);
        let mut sums = Sums::default();
        let played = play_with(&mut application, LogGops::default(), &mut sums);
        // A receive from anybody may take the message of another: then a process waits forever.
        prop_assume!(played.is_ok());
        let outcome = played.expect("checked");
        sums.up_to.resize(5, 0);
        prop_assert_eq!(&sums.up_to, &outcome.finish);
        let label = &outcome.labels[0];
        prop_assert_eq!(label.ticks, sums.ticks);
        prop_assert_eq!(label.ticks.iter().sum::<u128>(), label.finish);
        prop_assert_eq!(label.finish, outcome.finish.iter().map(|end| u128::from(*end)).sum::<u128>());
        prop_assert_eq!(label.messages, sums.messages.len() as u64);
        let computed: f64 = outcome.devices.iter()
            .flat_map(|device| &device.computing)
            .map(|(threads, ticks)| threads * *ticks as f64)
            .sum();
        prop_assert_eq!(computed, label.thread_ticks);
        prop_assert_eq!(computed, label.ticks[Activity::Compute as usize] as f64);
    }
}

/// Three blocks on two cores: 3 s; 1 s; and 1 s from 0.5 s on. Up to 0.5 s two progress alone; then three at 2/3, until the
/// second has done its last half after 0.75 s; the third has half left then, the first 2 s.
#[test]
fn cores_are_shared_whenever_somebody_starts_or_stops() {
    let programs = [vec![Op::Compute(0)], vec![Op::Compute(1)], vec![Op::Sleep(0.5_f64.to_bits()), Op::Compute(1)]];
    let mut application = application(&programs, &[3e9, 1e9]);
    let mut sums = Sums::default();
    let outcome = play_on_two_cores(&mut application, &mut sums);
    assert_eq!(outcome.finish, [3_250_000_000, 1_250_000_000, 1_750_000_000]);
    assert_eq!(sums.up_to, outcome.finish);
    let computing = [(1.0, 1_500_000_000), (2.0, 1_000_000_000), (3.0, 750_000_000)];
    assert_eq!(outcome.devices[0].computing, computing);
}

/// What arrives while a block of unknown end runs is taken at its end.
#[test]
fn a_message_waits_for_a_block_that_others_slow_down() {
    let programs = [
        vec![irecv(1, 0), Op::Compute(0), Op::Wait { request: 0 }],
        vec![send(0, 8), Op::Compute(0)],
        vec![Op::Compute(0)],
    ];
    let mut application = application(&programs, &[6_000.0]);
    let outcome = play_on_two_cores(&mut application, &mut Blind);
    // Two alone for 1,500 ns; then three at 2/3, until the first and the third have done 4,500 more after 6,750 ns; rank 0 then
    // takes the message for 1,500 + 7*6 ns. Rank 1 has 1,500 left, alone.
    assert_eq!(outcome.finish, [8_250 + 1_542, 8_250 + 1_500, 8_250]);
}

/// Both begin after 1 ms; 0.5 GB at half the rate take 1 s; the other half of the other takes 0.5 s.
#[test]
fn a_storage_is_shared() {
    let read = |size| vec![Op::Read { storage: None, size }];
    let mut application = application(&[read(1_000_000_000), read(500_000_000)], &[]);
    let outcome = play_on_two_cores(&mut application, &mut Blind);
    assert_eq!(outcome.finish, [1_501_000_000, 1_001_000_000]);
    assert_eq!(outcome.labels[0].ticks[Activity::Io as usize], 2_502_000_000);
}

/// A barrier of two takes 2o + L = 5,500 ns after the last has come.
#[test]
fn collectives_by_formula_begin_with_the_last() {
    let programs = [vec![Op::Collective(0)], vec![Op::Sleep(1e-6_f64.to_bits()), Op::Collective(0)]];
    let mut application = application(&programs, &[]);
    application.groups = vec![Group { label: 0, members: None }];
    application.collectives =
        vec![Collective { kind: CollectiveKind::Barrier, size: 0, root: 0, group: 0, algorithm: None, counts: None }];
    let outcome = play_on_two_cores(&mut application, &mut Blind);
    assert_eq!(outcome.finish, [6_500, 6_500]);
    assert_eq!(outcome.labels[0].ticks[Activity::Collective as usize], 6_500 + 5_500);
    assert_eq!(outcome.counts.collectives, 1);
}

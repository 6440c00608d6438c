//! Shared cores, storages, collectives by formula, live processes, late starts.

use super::stage::{application, plain_star, play_in, play_with, recv, seconds, send};
use crate::application::{Application, Block, Collective, CollectiveKind, Group, Op, Programs, Site};
use crate::budget::Budget;
use crate::flow::engine;
use crate::job::{Collectives, Feedback, Job, Live, LiveProcess, Received};
use crate::outcome::{Activity, Blind, Interval, Observer};
use crate::tick::PICOSECOND;
use crate::world::{Cost, Device, DeviceId, Io, IoCost, Place, PlainWorld, World};
use proptest::prelude::*;
use runcast_core::Problem;
use std::sync::atomic::AtomicBool;

const S: u64 = 1_000_000_000_000;

/// One device for all, with the default law (docs/theory/sim.md, section 3); a storage of 1 GB/s and 1 us.
struct Cores {
    cores: f64,
    threads: f64,
    gain: f64,
}

impl World for Cores {
    fn place(&self, _: u64) -> Place {
        Place { machine: 0, device: 0, slot: 0, class: 0 }
    }

    fn devices(&self) -> u32 {
        1
    }

    fn device(&self, _: DeviceId) -> Device {
        Device { machine: 0, component: 0, cores: self.cores, placed: 1.0 }
    }

    fn device_of(&self, _: u64, _: &str) -> Result<DeviceId, Problem> {
        Ok(0)
    }

    fn compute(&self, block: &Block, _: u32) -> Result<Cost, Problem> {
        Ok(Cost { seconds: block.time_s.unwrap_or(0.0), spread: None })
    }

    fn throughput(&self, _: DeviceId, busy: f64) -> Result<f64, Problem> {
        let over = ((busy - self.cores) / (self.cores * (self.threads - 1.0)).max(1e-9)).clamp(0.0, 1.0);
        let more = if self.threads > 1.0 { (self.gain - 1.0) * over } else { 0.0 };
        Ok(busy.min(self.cores * (1.0 + more)))
    }

    fn shares(&self, _: DeviceId) -> bool {
        true
    }

    fn collective(&self, _: &Collective, processes: u64) -> Result<Option<f64>, Problem> {
        Ok(Some(0.25 * processes as f64))
    }

    fn io(&self, _: Io<'_>, _: u64, _: u64) -> Result<IoCost, Problem> {
        Ok(IoCost { latency_s: 1e-6, bandwidth: 1e9, resource: 3 })
    }
}

#[test]
fn two_blocks_on_one_core_share_it_while_they_overlap() {
    // The second starts after half a second: alone, both at a half for a second, alone again.
    let world = Cores { cores: 1.0, threads: 1.0, gain: 1.0 };
    let late = vec![Op::Sleep(0.5f64.to_bits()), Op::Compute(0)];
    let mut app = application(vec![vec![Op::Compute(0)], late], vec![seconds(1.0)]);
    let outcome = play_in(&plain_star(1), &mut app, &world, &mut Blind).expect("runs");
    assert_eq!(outcome.finish, [3 * S / 2, 2 * S]);
    assert_eq!(outcome.devices[0].computing, [(1.0, u128::from(S)), (2.0, u128::from(S))]);
    assert_eq!(outcome.labels[0].ticks[Activity::Compute as usize], u128::from(3 * S));
    assert_eq!(outcome.labels[0].ticks[Activity::Wait as usize], u128::from(S / 2));
}

#[test]
fn more_threads_than_cores_do_more_than_the_cores() {
    // Spec section 5: 12 cores, 2 threads each, gain 1.22: 12, 12.88, 14.64, 14.64 cores' worth.
    let world = Cores { cores: 12.0, threads: 2.0, gain: 1.22 };
    for (processes, worth) in [(12, 12.0), (16, 12.88), (24, 14.64), (32, 14.64)] {
        let mut app = application(vec![vec![Op::Compute(0)]; processes], vec![seconds(1.0)]);
        let outcome = play_in(&plain_star(1), &mut app, &world, &mut Blind).expect("runs");
        let end_s = PICOSECOND.to_seconds(outcome.end);
        assert!((end_s - processes as f64 / worth).abs() < 2e-12, "{processes}: {end_s}");
    }
}

#[test]
fn a_storage_is_shared_evenly() {
    let world = Cores { cores: 4.0, threads: 1.0, gain: 1.0 };
    let read = vec![Op::Read { storage: None, size: 1_000_000 }];
    let write = vec![Op::Write { storage: Some(0), size: 2_000_000 }];
    let mut app = application(vec![read, write], vec![]);
    let outcome = play_in(&plain_star(1), &mut app, &world, &mut Blind).expect("runs");
    // 1 us; 1 MB each in 2 ms; the other MB alone in 1 ms.
    assert_eq!(outcome.finish, [2_001_000_000, 3_001_000_000]);
    assert_eq!(outcome.labels[0].ticks[Activity::Io as usize], 5_002_000_000);
}

/// A barrier of all processes.
fn with_barrier(app: &mut Application) {
    app.groups = vec![Group { label: 0, members: None }];
    app.collectives =
        vec![Collective { kind: CollectiveKind::Barrier, size: 0, root: 0, group: 0, algorithm: None, counts: None }];
}

#[test]
fn a_collective_by_formula_begins_with_the_last_and_ends_for_all() {
    let world = Cores { cores: 4.0, threads: 1.0, gain: 1.0 };
    let after = |start_s: f64| vec![Op::Sleep(start_s.to_bits()), Op::Collective(0)];
    let mut app = application(vec![after(0.0), after(2.0), after(1.0), after(0.0)], vec![]);
    with_barrier(&mut app);
    let outcome = play_with(&plain_star(1), &mut app, &world, &mut Blind, Collectives::Closed).expect("runs");
    assert_eq!(outcome.finish, [3 * S; 4]);
    assert_eq!(outcome.counts.collectives, 1);
    assert_eq!(outcome.labels[0].ticks[Activity::Collective as usize], u128::from((3 + 1 + 2 + 3) * S));
    // The same with a request: computing continues meanwhile.
    let begin = Op::Icollective { collective: 0, request: 0 };
    let mut app = application(vec![vec![begin, Op::Compute(0), Op::Wait { request: 0 }]; 4], vec![seconds(1.5)]);
    with_barrier(&mut app);
    let outcome = play_with(&plain_star(1), &mut app, &world, &mut Blind, Collectives::Closed).expect("runs");
    assert_eq!(outcome.end, 3 * S / 2);
    assert!(outcome.warnings.is_empty());
}

#[test]
fn a_member_that_stays_away_is_a_deadlock() {
    let world = Cores { cores: 4.0, threads: 1.0, gain: 1.0 };
    let mut app = application(vec![vec![Op::Collective(0)], vec![]], vec![]);
    with_barrier(&mut app);
    let problem =
        play_with(&plain_star(1), &mut app, &world, &mut Blind, Collectives::Closed).expect_err("one is missing");
    assert_eq!(problem.code, "deadlock");
}

#[test]
fn an_expanded_barrier_counts_as_a_collective() {
    let mut app =
        application(vec![vec![Op::Compute(0), Op::Collective(0)], vec![Op::Collective(0)]], vec![seconds(1.0)]);
    with_barrier(&mut app);
    let world = PlainWorld { processes: 2 };
    let outcome = play_in(&plain_star(2), &mut app, &world, &mut Blind).expect("runs");
    let ticks = &outcome.labels[0].ticks;
    assert_eq!(ticks[Activity::Compute as usize], u128::from(S));
    assert_eq!(ticks[Activity::Transfer as usize] + ticks[Activity::Wait as usize], 0);
    assert!(ticks[Activity::Collective as usize] > u128::from(S));
}

/// 0 sends what it likes; 1 answers with twice the size that it got, and ends when that was enough.
struct Echo;

struct EchoProcess {
    own: u64,
    step: u32,
    size: u64,
}

impl Live for Echo {
    fn start(&self, process: u64, _: &Application) -> Result<Box<dyn LiveProcess>, Problem> {
        Ok(Box::new(EchoProcess { own: process, step: 0, size: 1000 }))
    }
}

impl LiveProcess for EchoProcess {
    fn next(&mut self, feedback: &Feedback, _: &mut Application) -> Result<Option<(Op, Site)>, Problem> {
        self.step += 1;
        let other = 1 - self.own;
        let sends = self.step % 2 == (self.own as u32 + 1) % 2;
        if self.step > 1 && sends {
            let got = feedback.received.expect("a message");
            assert_eq!(got, Received { from: other, size: got.size, tag: 0 });
            self.size = 2 * got.size;
            assert!(feedback.now_s > 0.0);
        }
        if self.step > 8 {
            return Ok(None);
        }
        Ok(Some((if sends { send(other, self.size) } else { recv(other) }, Site(0))))
    }
}

#[test]
fn live_processes_see_what_they_receive() {
    let platform = plain_star(2);
    let mut app = application(vec![vec![], vec![]], vec![]);
    app.labels[0].programs = Programs::Live;
    let budget = Budget::default();
    let job = Job { live: Some(&Echo), tick: PICOSECOND, ..Job::new(&platform, &PlainWorld { processes: 2 }, &budget) };
    let outcome = engine(&job, &mut app, &mut Blind).expect("runs");
    // 1, 2, 4 .. 128 kB, one after the other: 8 latencies of 2 us, 255 us of bytes.
    assert_eq!(outcome.counts.bytes, 255_000);
    assert_eq!(outcome.end, 271_000_000);
}

#[test]
fn a_label_may_start_late_and_be_interrupted() {
    let platform = plain_star(1);
    let mut app = application(vec![vec![Op::Phase(1), Op::Sleep(1.0f64.to_bits())]], vec![]);
    app.labels[0].start_s = 2.0;
    let outcome = play_in(&platform, &mut app, &PlainWorld { processes: 1 }, &mut Blind).expect("runs");
    assert_eq!(outcome.end, 3 * S);
    assert_eq!(outcome.phases.iter().map(|phase| (phase.phase, phase.ticks)).collect::<Vec<_>>(), [(1, u128::from(S))]);
    let endless = Op::Repeat { count: u64::MAX, len: 1 };
    let mut app = application(vec![vec![endless, Op::Phase(0)]], vec![]);
    let interrupt = AtomicBool::new(true);
    let budget = Budget::new(&interrupt);
    let job = Job { tick: PICOSECOND, ..Job::new(&platform, &PlainWorld { processes: 1 }, &budget) };
    assert_eq!(engine(&job, &mut app, &mut Blind).expect_err("interrupted").code, "interrupted");
}

#[derive(Default, PartialEq, Debug)]
struct Told(Vec<(u32, Interval)>);

impl Observer for Told {
    fn interval(&mut self, process: u32, interval: Interval) {
        self.0.push((process, interval));
    }

    fn delivered(&mut self, _: crate::outcome::Delivered) {}
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn intervals_leave_no_gap_and_come_again(
        messages in prop::collection::vec((0u64..5, 0u64..5, 0u64..200_000, any::<bool>()), 1..60),
    ) {
        // Each message is posted on both sides in the same order; every process waits for all of its own at the end.
        let mut programs = vec![Vec::new(); 5];
        let mut requests = [0u32; 5];
        for (from, to, size, compute) in messages {
            let mut next = |own: u64| {
                requests[own as usize] += 1;
                requests[own as usize] - 1
            };
            let (out, into) = (next(from), next(to));
            programs[from as usize].push(super::stage::isend(to, size, out));
            programs[to as usize].push(super::stage::irecv(from, into));
            if compute {
                programs[to as usize].push(Op::Compute(0));
            }
        }
        for (own, program) in programs.iter_mut().enumerate() {
            program.extend((0..requests[own]).map(super::stage::wait));
        }
        let platform = super::stage::galera();
        let world = PlainWorld { processes: 5 };
        let mut told = Told::default();
        let app = application(programs, vec![seconds(10e-6)]);
        let outcome = play_in(&platform, &mut app.clone(), &world, &mut told).expect("runs");
        let mut ends = [0; 5];
        for (process, interval) in &told.0 {
            prop_assert_eq!(interval.from, ends[*process as usize]);
            prop_assert!(interval.to > interval.from);
            prop_assert!(interval.cause.is_none_or(|cause| cause.at <= interval.to));
            ends[*process as usize] = interval.to;
        }
        prop_assert_eq!(&ends[..], &outcome.finish[..]);
        let mut again = Told::default();
        prop_assert_eq!(play_in(&platform, &mut app.clone(), &world, &mut again).expect("runs"), outcome);
        prop_assert_eq!(again, told);
    }
}

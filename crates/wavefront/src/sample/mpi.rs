//! Measuring on the ranks of an MPI program: a rank a process, each with a clock of its own.
//!
//! MPI has to be open (such as by a session of `bsf` or of [`run::mpi`](crate::run::mpi)), and all ranks make the same
//! calls. Section numbers are those of the MPI standard, version 4.0.
//!
//! **Updates** and **messages** are measured as on [threads](super::threads). Whether all have made their updates, a
//! turn is over, or a stop was asked for, is voted on by reductions that do not block: all ranks compute
//! meanwhile, and none is synchronized. **Clocks** are compared before and after ([`clock`](super::clock)).

use super::clock::{Clock, Offset, PingPong, fastest};
use super::measured::{Host, Measured, Own, Timed, gather};
use super::plan::{Others, Plan, Turn, pause};
use super::threads::OnProgress;
use super::work::Work;
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::time::{Duration, Instant};

const MESSAGE: i32 = 31;
const CLOCK: i32 = 32;
const RESULT: i32 = 33;
const HOST: i32 = 34;
/// Round trips for each comparison of clocks, of which the fastest counts: this many, and for so long, over all ranks at
/// most so long. On a busy host few of them are undisturbed.
const PINGS: usize = 300;
const PINGS_TIME: Duration = Duration::from_millis(100);
const PINGS_ALL: Duration = Duration::from_secs(2);
/// Stands in the place of a time: no more pings.
const OVER: f64 = -1.0;
/// Updates before the first one that counts.
const WARM_UP: usize = 3;
/// The votes on going on are so far apart.
const VOTE_EVERY: Duration = Duration::from_millis(20);
/// Initial time without a pause while waiting for a message; then pauses grow, as in a run.
const EAGER: Duration = Duration::from_micros(30);
/// The same of a ping: were both sides asleep when it comes, each would wake the other late, again and again.
const EAGER_PING: Duration = Duration::from_millis(2);
const FIRST: Duration = Duration::from_micros(5);
const LONGEST: Duration = Duration::from_micros(100);
/// The time of sending is at the beginning of every message.
const STAMP: usize = size_of::<f64>();

/// Number of ranks.
///
/// # Standard section(s)
/// 7.4.1
pub fn size() -> usize {
    usize::try_from(SimpleCommunicator::world().size()).unwrap_or(1)
}

/// What rank 0 says, at every rank.
///
/// # Standard section(s)
/// 6.4
pub fn as_rank_0_says(mut number: u64) -> u64 {
    SimpleCommunicator::world().process_at_rank(0).broadcast_into(&mut number);
    number
}

/// Measures with a rank for each process of the plan; rank 0 gets what all have measured.
pub fn measure(plan: &Plan, host: &Host, work: Box<dyn Work + '_>, on_progress: OnProgress<'_>) -> Option<Measured> {
    let world = SimpleCommunicator::world();
    let me = usize::try_from(world.rank()).unwrap_or(0);
    let received = vec![Vec::new(); plan.processes];
    world.barrier();
    let mut rank =
        Rank { plan, world, me, epoch: Instant::now(), work, updates: Vec::new(), received, on_progress, halts: false };
    let begin = rank.compare_clocks();
    (0..WARM_UP).for_each(|_| rank.work.update());
    rank.updates();
    rank.messages();
    let end = rank.compare_clocks();
    rank.collect(host, &begin, &end)
}

/// A message as both clocks saw it.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// On the clock of the sender.
    sent_s: f64,
    received_s: f64,
}

struct Rank<'a> {
    plan: &'a Plan,
    world: SimpleCommunicator,
    me: usize,
    epoch: Instant,
    work: Box<dyn Work + 'a>,
    updates: Vec<Timed>,
    /// By sender.
    received: Vec<Vec<Seen>>,
    on_progress: OnProgress<'a>,
    halts: bool,
}

/// What all ranks together have said.
struct Vote {
    /// Ranks that have made their updates.
    finished: u64,
    /// Ranks that were asked to stop.
    stopping: u64,
    /// Samples so far.
    samples: u64,
}

impl Rank<'_> {
    fn now(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64()
    }

    fn samples(&self) -> u64 {
        (self.updates.len() + self.received.iter().map(Vec::len).sum::<usize>()) as u64
    }

    /// One update, which counts while they are wanted.
    fn update(&mut self, counts: bool) {
        let start_s = self.now();
        self.work.update();
        let time_s = self.now() - start_s;
        if counts && self.updates.len() < self.plan.updates {
            self.updates.push(Timed { start_s, time_s });
        }
    }

    /// Asks all ranks, and continues with something until all have answered.
    ///
    /// # Standard section(s)
    /// 6.12.8
    fn vote(&mut self, meanwhile: &mut dyn FnMut(&mut Self)) -> Vote {
        let finished = u64::from(self.updates.len() >= self.plan.updates);
        let mine = [finished, u64::from(self.plan.is_interrupted()), self.samples()];
        let mut all = [0_u64; 3];
        let world = SimpleCommunicator::world();
        mpi::request::scope(|scope| {
            let mut request = world.immediate_all_reduce_into(scope, &mine[..], &mut all[..], SystemOperation::sum());
            while let Err(again) = request.test() {
                request = again;
                meanwhile(self);
            }
        });
        let [finished, stopping, samples] = all;
        self.halts |= stopping > 0;
        if self.me == 0 {
            (self.on_progress)(samples);
        }
        Vote { finished, stopping, samples }
    }

    fn updates(&mut self) {
        let everybody = self.plan.processes as u64;
        self.updates.reserve(self.plan.updates);
        // All begin when all are there: what is made until then does not count.
        self.vote(&mut |rank| rank.update(false));
        while self.plan.updates > 0 {
            let vote = self.vote(&mut |rank| rank.update(true));
            if vote.finished == everybody || vote.stopping > 0 {
                break;
            }
            let next = Instant::now() + VOTE_EVERY;
            while Instant::now() < next {
                self.update(true);
            }
        }
    }

    fn messages(&mut self) {
        let mut room = vec![0_u8; self.plan.bytes.max(STAMP)];
        for turn in self.plan.turns() {
            if self.halts {
                return;
            }
            let is_mine = turn.first == self.me || turn.second == self.me;
            if is_mine {
                self.exchange(&turn, &mut room);
            }
            let computes = !is_mine && self.plan.others == Others::Compute;
            let vote = self.vote(&mut |rank| match computes {
                true => rank.update(false),
                false if is_mine => std::thread::yield_now(),
                false => std::thread::sleep(Duration::from_micros(200)),
            });
            debug_assert!(vote.samples <= self.plan.samples());
        }
    }

    /// The messages of a turn, there and back. The first two find a partner who may still be at an update, and do not
    /// count.
    fn exchange(&mut self, turn: &Turn, room: &mut [u8]) {
        for number in turn.from..=turn.to {
            let counts = number > turn.from;
            if turn.first == self.me {
                self.send(turn.second, room);
                self.receive(turn.second, room, counts);
            } else {
                self.receive(turn.first, room, counts);
                self.send(turn.first, room);
            }
        }
    }

    /// # Standard section(s)
    /// 3.2.1
    fn send(&self, to: usize, room: &mut [u8]) {
        pause();
        room[..STAMP].copy_from_slice(&self.now().to_le_bytes());
        self.world.process_at_rank(rank(to)).send_with_tag(room, MESSAGE);
    }

    /// # Standard section(s)
    /// 3.7.2, 3.7.3
    fn receive(&mut self, from: usize, room: &mut [u8], counts: bool) {
        self.take(from, room, MESSAGE, EAGER);
        let received_s = self.now();
        let stamp = room.first_chunk::<STAMP>().map_or(0.0, |stamp| f64::from_le_bytes(*stamp));
        if counts {
            self.received[from].push(Seen { sent_s: stamp, received_s });
        }
    }

    /// Waits for a message, as [`run::mpi`](crate::run::mpi) does: others get the core when it takes long.
    fn take<T: mpi::datatype::Equivalence>(&self, from: usize, room: &mut [T], tag: i32, eager: Duration) {
        let source = self.world.process_at_rank(rank(from));
        mpi::request::scope(|scope| {
            let (start, mut pause) = (Instant::now(), FIRST);
            let mut request = source.immediate_receive_into_with_tag(scope, room, tag);
            while let Err(again) = request.test() {
                request = again;
                if start.elapsed() < eager {
                    std::hint::spin_loop();
                    continue;
                }
                std::thread::sleep(pause);
                pause = (pause * 3 / 2).min(LONGEST);
            }
        });
    }

    /// What the other clocks show beyond that of rank 0; nothing at the other ranks.
    fn compare_clocks(&self) -> Vec<Offset> {
        if self.me == 0 {
            return (1..self.plan.processes).filter_map(|other| fastest(&self.pings(other))).collect();
        }
        let (reference, mut asked) = (self.world.process_at_rank(0), [0.0]);
        loop {
            self.take(0, &mut asked, CLOCK, EAGER_PING);
            if asked[0] == OVER {
                return Vec::new();
            }
            reference.send_with_tag(&[self.now()], CLOCK);
        }
    }

    fn pings(&self, other: usize) -> Vec<PingPong> {
        let process = self.world.process_at_rank(rank(other));
        let mut answer = [0.0];
        let mut ping = || {
            let sent_s = self.now();
            process.send_with_tag(&[sent_s], CLOCK);
            self.take(other, &mut answer, CLOCK, EAGER_PING);
            PingPong { sent_s, remote_s: answer[0], back_s: self.now() }
        };
        let end = Instant::now() + PINGS_TIME.min(PINGS_ALL / u32::try_from(self.plan.processes).unwrap_or(u32::MAX));
        let mut pings = Vec::with_capacity(PINGS);
        while pings.len() < PINGS || Instant::now() < end {
            pings.push(ping());
        }
        process.send_with_tag(&[OVER], CLOCK);
        pings
    }

    /// Brings everything to rank 0, on its clock.
    ///
    /// # Standard section(s)
    /// 3.2.1, 3.2.4
    fn collect(self, host: &Host, begin: &[Offset], end: &[Offset]) -> Option<Measured> {
        if self.me > 0 {
            let root = self.world.process_at_rank(0);
            root.send_with_tag(&packed(&self.updates, &self.received, host.cores), RESULT);
            root.send_with_tag(host.name.as_bytes(), HOST);
            return None;
        }
        let compared = begin.iter().zip(end).map(|(begin, end)| Clock { begin: *begin, end: *end });
        let clocks: Vec<Clock> = std::iter::once(Clock::reference()).chain(compared).collect();
        let (mut hosts, mut all_cores) = (vec![host.name.clone()], vec![host.cores]);
        let mut all = vec![(self.updates, self.received)];
        for other in 1..self.plan.processes {
            let process = self.world.process_at_rank(rank(other));
            let (numbers, _) = process.receive_vec_with_tag::<f64>(RESULT);
            let (host, _) = process.receive_vec_with_tag::<u8>(HOST);
            let (updates, received, cores) = unpacked(&numbers, self.plan.processes);
            all.push((updates, received));
            hosts.push(String::from_utf8_lossy(&host).into_owned());
            all_cores.push(cores);
        }
        let all: Vec<Own> = all.into_iter().enumerate().map(|(me, seen)| on_one_clock(me, seen, &clocks)).collect();
        let samples: usize =
            all.iter().map(|own| own.updates.len() + own.messages.iter().map(Vec::len).sum::<usize>()).sum();
        let is_interrupted = self.halts && (samples as u64) < self.plan.samples();
        Some(gather(&all, hosts, clocks, all_cores, is_interrupted))
    }
}

fn rank(process: usize) -> i32 {
    i32::try_from(process).unwrap_or(0)
}

fn on_one_clock(me: usize, (updates, received): (Vec<Timed>, Vec<Vec<Seen>>), clocks: &[Clock]) -> Own {
    let update = |timed: Timed| Timed { start_s: clocks[me].to_reference(timed.start_s), ..timed };
    let message = |from: usize, seen: &Seen| {
        let start_s = clocks[from].to_reference(seen.sent_s);
        Timed { start_s, time_s: clocks[me].to_reference(seen.received_s) - start_s }
    };
    let link = |(from, seen): (usize, Vec<Seen>)| seen.iter().map(|seen| message(from, seen)).collect();
    Own {
        updates: updates.into_iter().map(update).collect(),
        messages: received.into_iter().enumerate().map(link).collect(),
    }
}

/// Everything as one list of numbers: cores; then how many, and the pairs, of updates and of each sender's messages.
fn packed(updates: &[Timed], received: &[Vec<Seen>], cores: usize) -> Vec<f64> {
    let mut numbers = vec![cores as f64, updates.len() as f64];
    numbers.extend(updates.iter().flat_map(|timed| [timed.start_s, timed.time_s]));
    for link in received {
        numbers.push(link.len() as f64);
        numbers.extend(link.iter().flat_map(|seen| [seen.sent_s, seen.received_s]));
    }
    numbers
}

fn unpacked(numbers: &[f64], senders: usize) -> (Vec<Timed>, Vec<Vec<Seen>>, usize) {
    let mut numbers = numbers.iter().copied();
    let mut next = || numbers.next().unwrap_or(0.0);
    let cores = next() as usize;
    let updates = (0..next() as usize).map(|_| Timed { start_s: next(), time_s: next() }).collect();
    let link = |_| (0..next() as usize).map(|_| Seen { sent_s: next(), received_s: next() }).collect();
    let received = (0..senders).map(link).collect();
    (updates, received, cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were_packed() {
        let updates = [Timed { start_s: 0.5, time_s: 1.5 }, Timed { start_s: 2.5, time_s: 3.5 }];
        let received = [Vec::new(), vec![Seen { sent_s: 1.0, received_s: 2.0 }], Vec::new()];
        let (again, links, cores) = unpacked(&packed(&updates, &received, 7), 3);
        assert_eq!((again.as_slice(), cores), (&updates[..], 7));
        assert_eq!(links.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!((links[1][0].sent_s, links[1][0].received_s), (1.0, 2.0));
    }

    #[test]
    fn one_clock_for_all() {
        let offset = |offset_s| Offset { remote_s: 0.0, offset_s, half_width_s: 1e-6 };
        let clocks = [Clock::reference(), Clock { begin: offset(100.0), end: offset(100.0) }];
        let seen = vec![vec![Seen { sent_s: 5.0, received_s: 105.25 }], Vec::new()];
        let own = on_one_clock(1, (vec![Timed { start_s: 101.0, time_s: 2.0 }], seen), &clocks);
        assert_eq!(own.updates, [Timed { start_s: 1.0, time_s: 2.0 }]);
        assert_eq!(own.messages[0], [Timed { start_s: 5.0, time_s: 0.25 }]);
    }
}

//! Window after window: parts with something to do, one after the other or on several threads.

use super::code::Code;
use super::kinds::Kinds;
use super::part::Part;
use super::plan::{Halt, Packet, Plan, Worker};
use crate::application::{Application, Block};
use crate::job::Job;
use crate::outcome::Outcome;
use crate::tick::Tick;
use crate::world::Cost;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Costs of blocks that are remembered.
const MOST_COSTS: usize = 1 << 22;
/// Costs of blocks that are looked at in advance.
const LOOKED_AT: usize = 4096;
/// Parts with something to do in a window, from which on several threads are worth it.
const WORTH_THREADS: usize = 2;
/// Windows between two checks of the budget; within a window it is looked at by events.
const WINDOWS_BETWEEN_LOOKS: u64 = 256;

/// What does not change from one try to the next.
pub(super) struct Ground<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) application: &'a Application,
    pub(super) code: Code,
    starts: Vec<Tick>,
    classes: Vec<u32>,
    devices: Option<Vec<u32>>,
    costs: Vec<OnceLock<(Cost, Tick)>>,
    kinds: Kinds,
    noisy: bool,
}

impl<'a> Ground<'a> {
    pub(super) fn new(job: &'a Job<'a>, application: &'a Application, code: Code) -> Result<Self, Halt> {
        let processes = application.processes();
        let starts = application.labels.iter().map(|label| job.tick.of(label.start_s)).collect::<Result<_, _>>()?;
        let mut classes: Vec<u32> = Vec::new();
        let mut devices: Vec<u32> = Vec::new();
        for process in 0..processes {
            let place = job.world.place(process);
            if place.class != 0 && classes.is_empty() {
                classes.resize(process as usize, 0);
                classes.push(place.class);
            } else if !classes.is_empty() {
                classes.push(place.class);
            }
            if u64::from(place.device) != process && devices.is_empty() {
                devices.extend(0..process as u32);
                devices.push(place.device);
            } else if !devices.is_empty() {
                devices.push(place.device);
            }
        }
        let most = classes.iter().copied().max().unwrap_or(0) as usize + 1;
        let cells = most * application.blocks.len();
        let costs = if cells <= MOST_COSTS { (0..cells).map(|_| OnceLock::new()).collect() } else { Vec::new() };
        let threads = application.blocks.first().map_or(1.0, |block| block.threads);
        let plain = application.blocks.iter().all(|block| block.threads == threads && block.device.is_empty());
        let devices = if devices.is_empty() && plain {
            None
        } else {
            if devices.is_empty() {
                devices.extend(0..processes as u32);
            }
            Some(devices)
        };
        // Draws are counted unless it is certain that there are none.
        let draws =
            |(block, class): (&Block, u32)| job.world.compute(block, class).is_ok_and(|cost| cost.spread.is_some());
        let noisy = job.world.is_noisy()
            || cells > LOOKED_AT
            || application.blocks.iter().flat_map(|block| (0..most as u32).map(move |class| (block, class))).any(draws);
        Ok(Ground { noisy, kinds: Kinds::new(job, processes), job, application, code, starts, classes, devices, costs })
    }

    /// A width of windows to begin with: the least time from a send to its arrival over the laws of the platform. Where a
    /// message is faster after all (a way without links), [`Halt::TooSoon`] says how fast.
    pub(super) fn first_width(&self) -> Result<Tick, Halt> {
        let platform = self.job.platform;
        let mut least = f64::INFINITY;
        for (number, law) in platform.laws.iter().enumerate() {
            if let Some(parameters) = law.loggops {
                least = least.min(parameters.o + parameters.L);
                continue;
            }
            let links = platform.links.iter().filter(|link| link.network as usize == number);
            let latency = links.map(|link| link.latency_s).fold(f64::INFINITY, f64::min);
            for segment in &law.segments {
                let time = segment.send_overhead_s + segment.latency_factor * latency;
                if time > 0.0 {
                    least = least.min(time);
                }
            }
        }
        let least = if least.is_finite() { least } else { 1e-6 };
        Ok(self.job.tick.of(least)?.max(1))
    }

    /// Simulates with windows of this width.
    pub(super) fn simulate(&self, lookahead: Tick, shift: u32) -> Result<Outcome, Halt> {
        let processes = self.application.processes();
        let plan = Plan {
            job: self.job,
            application: self.application,
            code: &self.code,
            kinds: &self.kinds,
            processes,
            lookahead,
            starts: &self.starts,
            shift,
            noisy: self.noisy,
            classes: &self.classes,
            devices: self.devices.as_deref(),
            costs: &self.costs,
        };
        let firsts: Vec<u32> = (0..processes).step_by(1 << plan.shift).map(|first| first as u32).collect();
        let pool = match self.job.threads {
            0 | 1 => None,
            threads if firsts.len() > 1 => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
            _ => None,
        };
        let make = |worker: &mut Worker<'_>, first: u32| -> Result<Part, Halt> {
            let end = (u64::from(first) + (1 << plan.shift)).min(processes) as u32;
            let mut part = Part::new(&plan, first, end)?;
            part.begin(worker)?;
            Ok(part)
        };
        let workers: Vec<Mutex<Worker<'_>>> =
            (0..self.job.threads.max(1)).map(|_| Mutex::new(Worker::new(&plan))).collect();
        let mut parts: Vec<Part> = match &pool {
            Some(pool) => {
                let made: Vec<Result<Part, Halt>> =
                    pool.install(|| firsts.par_iter().map(|first| make(&mut worker(&workers), *first)).collect());
                // Of several problems the first in order, whichever thread finds one first.
                made.into_iter().collect::<Result<_, _>>()?
            }
            None => firsts.iter().map(|first| make(&mut worker(&workers), *first)).collect::<Result<_, _>>()?,
        };
        let post = Post {
            mail: parts.iter().map(|_| Mutex::default()).collect(),
            next: parts.iter().map(|part| AtomicU64::new(part.wheel.next().unwrap_or(NEVER))).collect(),
        };
        let halted = self.windows(&plan, &mut parts, &post, pool.as_ref(), &workers);
        let (mut events, mut operations) = (0, 0);
        for worker in workers {
            let worker = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
            events += worker.events;
            operations += worker.operations;
        }
        match halted {
            Err(Halt::Problem(problem)) => Err(Halt::Problem(Box::new(
                self.job.budget.stopped(*problem, || Ok(super::outcome::outcome(&plan, parts, events, operations))),
            ))),
            Err(halt) => Err(halt),
            // The plain engine comes to the same end, and reports who waits for whom.
            Ok(()) if parts.iter().any(Part::is_blocked) => Err(Halt::Unsupported),
            Ok(()) => Ok(super::outcome::outcome(&plan, parts, events, operations)),
        }
    }

    /// Window after window, until nothing is left to happen.
    fn windows(
        &self,
        plan: &Plan<'_>,
        parts: &mut [Part],
        post: &Post,
        pool: Option<&rayon::ThreadPool>,
        workers: &[Mutex<Worker<'_>>],
    ) -> Result<(), Halt> {
        for turn in 0_u64.. {
            let (window, busy) = post.next_window();
            if window == NEVER {
                break;
            }
            if turn.is_multiple_of(WINDOWS_BETWEEN_LOOKS) {
                self.job.budget.spend(0, 0, window.saturating_mul(plan.lookahead))?;
            }
            let is_busy = |number: usize| post.next[number].load(Ordering::Relaxed) == window;
            match pool {
                Some(pool) if busy >= WORTH_THREADS => {
                    let halted: Option<(usize, Halt)> = pool.install(|| {
                        parts
                            .par_iter_mut()
                            .enumerate()
                            .filter(|(number, _)| is_busy(*number))
                            .filter_map(|(number, part)| {
                                let result = work_off(plan, part, number, post, &mut worker(workers), window);
                                result.err().map(|halt| (number, halt))
                            })
                            .min_by_key(|(number, _)| *number)
                    });
                    if let Some((_, halt)) = halted {
                        return Err(halt);
                    }
                }
                _ => {
                    for (number, part) in parts.iter_mut().enumerate() {
                        if is_busy(number) {
                            work_off(plan, part, number, post, &mut worker(workers), window)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// What the present thread keeps.
fn worker<'a, 'p>(workers: &'a [Mutex<Worker<'p>>]) -> MutexGuard<'a, Worker<'p>> {
    let number = rayon::current_thread_index().unwrap_or(0) % workers.len();
    workers[number].lock().unwrap_or_else(PoisonError::into_inner)
}

/// No window: nothing is to happen.
const NEVER: u64 = u64::MAX;

/// Messages on their way between parts, and the next window of each part.
struct Post {
    mail: Vec<Mutex<Vec<Packet>>>,
    next: Vec<AtomicU64>,
}

impl Post {
    /// The next window in which something happens, and in how many parts.
    fn next_window(&self) -> (u64, usize) {
        let mut least = (NEVER, 0);
        for next in &self.next {
            let next = next.load(Ordering::Relaxed);
            if next < least.0 {
                least = (next, 0);
            }
            least.1 += usize::from(next == least.0);
        }
        least
    }

    fn mailbox(&self, number: usize) -> MutexGuard<'_, Vec<Packet>> {
        self.mail[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A part works off a window, and hands over its messages.
fn work_off(
    plan: &Plan<'_>,
    part: &mut Part,
    number: usize,
    post: &Post,
    worker: &mut Worker<'_>,
    window: u64,
) -> Result<(), Halt> {
    // What other parts put there from now on arrives in later windows, and says so itself.
    let packets = {
        let mut mailbox = post.mailbox(number);
        post.next[number].store(NEVER, Ordering::Relaxed);
        std::mem::take(&mut *mailbox)
    };
    for packet in &packets {
        part.deliver(plan, packet);
    }
    drop(packets);
    part.run(worker, window)?;
    if let Some(next) = part.wheel.next() {
        post.next[number].fetch_min(next, Ordering::Relaxed);
    }
    let mut rest = worker.out.as_slice();
    while let Some(packet) = rest.first() {
        let to = plan.part_of(packet.to);
        let count = rest.iter().take_while(|packet| plan.part_of(packet.to) == to).count();
        let (packets, others) = rest.split_at(count);
        let earliest = packets.iter().map(|packet| packet.arrival).min().unwrap_or(NEVER);
        let mut mailbox = post.mailbox(to);
        mailbox.extend_from_slice(packets);
        post.next[to].fetch_min(plan.window_of(earliest), Ordering::Relaxed);
        rest = others;
    }
    worker.out.clear();
    Ok(())
}

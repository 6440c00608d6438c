//! Jobs handed out to volunteers: a block of a process that is placed on them goes, as often as its quorum asks, to the first
//! hosts that are idle and on.
//!
//! A job is over when that many right results from different hosts are there; wrong ones never agree. Another copy waits,
//! behind those that wait already, whenever too few are right, on their way, or waiting: a result was wrong, or a copy is
//! later than its deadline. A late copy still counts when it comes. Copies of a job that is over are finished nevertheless.

use super::host::{Copy, Host};
use super::slab::Slab;
use crate::job::Job;
use crate::outcome::Volunteered;
use crate::tick::{Tick, TickLength};
use crate::volunteer::Crowd;
use runcast_core::Problem;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// What a class of processes has volunteers do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// Who waits for it.
    pub who: u32,
    /// For whom hosts compute.
    pub of: u32,
    /// Like jobs.
    pub jobs: u64,
    /// More of them, of which one begins whenever one is over.
    pub more: u64,
    /// Ticks of computing of one.
    pub work: Tick,
    pub threads: f64,
}

/// A job.
#[derive(Debug)]
struct Task {
    order: u32,
    is_over: bool,
    valid: u32,
    /// Copies on their way that are not late.
    out: u32,
    /// Late ones too.
    held: u32,
    /// Copies that no host has taken yet.
    waiting: u32,
    /// Hosts that compute it, or have sent a right result.
    hosts: Vec<u32>,
}

/// Those who wait for jobs, and for how many.
#[derive(Debug)]
struct Waits {
    order: Order,
    left: u64,
    /// Jobs with a copy anywhere.
    held: u64,
}

/// What has happened up to now.
#[derive(Debug, Default)]
pub struct Events {
    /// Whose jobs are all over.
    pub over: Vec<u32>,
    /// Thread-ticks that hosts have computed, and for whom.
    pub worked: Vec<(u32, f64)>,
}

/// The hosts of a component, and their jobs.
#[derive(Debug)]
pub struct Pool {
    crowd: Crowd,
    tick: TickLength,
    hosts: Vec<Host>,
    orders: Slab<Waits>,
    tasks: Slab<Task>,
    /// Copies that wait for a host.
    queue: VecDeque<u32>,
    /// Hosts with free cores that were on when they were looked at.
    idle: BTreeSet<u32>,
    /// Hosts with free cores that are off, until then.
    off: BinaryHeap<Reverse<(Tick, u32)>>,
    is_off: Vec<bool>,
    /// What happens to copies: when, the host, its version.
    events: BinaryHeap<Reverse<(Tick, u32, u32)>>,
    deadlines: BinaryHeap<Reverse<(Tick, u32, u64)>>,
    /// Fewest threads of a job so far.
    fewest_threads: f64,
    copies: u64,
    open: u64,
    pub seen: Volunteered,
    /// Counts what changes its next event.
    pub version: u32,
}

/// Jobs of one component at once.
const MOST_JOBS: u64 = 1 << 26;
/// Copies that wait behind one that no idle host may take, and are tried instead.
const LOOK_AHEAD: usize = 64;

impl Pool {
    fn new(crowd: &Crowd, tick: TickLength) -> Result<Self, Problem> {
        crowd.check()?;
        Ok(Pool {
            hosts: (0..crowd.hosts).map(|host| Host::new(crowd, host, tick)).collect(),
            crowd: crowd.clone(),
            tick,
            orders: Slab::default(),
            tasks: Slab::default(),
            queue: VecDeque::new(),
            idle: BTreeSet::new(),
            off: BinaryHeap::new(),
            is_off: vec![false; crowd.hosts as usize],
            events: BinaryHeap::new(),
            deadlines: BinaryHeap::new(),
            fewest_threads: f64::INFINITY,
            copies: 0,
            open: 0,
            seen: Volunteered::default(),
            version: 0,
        })
    }

    /// Jobs arrive; whoever waits for them continues when all are done.
    fn add(&mut self, order: Order, now: Tick) -> Result<(), Problem> {
        if self.open == 0 {
            // Copies that came too late were never reported.
            self.advance(now, &mut Events::default())?;
        }
        self.open = self.open.saturating_add(order.jobs.saturating_mul(u64::from(self.crowd.volunteer.quorum)));
        if self.open > MOST_JOBS {
            let message = format!("{}: too many jobs at once to follow one by one", self.crowd.name);
            return Err(Problem::new("too_many_jobs", message).allowed(format!("at most {MOST_JOBS} copies")));
        }
        let work_s = self.tick.to_seconds(order.work);
        let tries = (work_s / self.crowd.volunteer.on_mean_s).exp();
        if !self.crowd.volunteer.keeps_progress && self.crowd.recorded.is_none() && tries > MOST_TRIES {
            return Err(self.does_not_finish(work_s));
        }
        let order = Order { threads: order.threads.min(self.crowd.cores), ..order };
        self.seen.jobs += order.jobs;
        let waits = self.orders.insert(Waits { order, left: order.jobs, held: order.jobs });
        for _ in 0..order.jobs {
            self.begin(waits);
        }
        if order.threads < self.fewest_threads {
            self.fewest_threads = order.threads;
            for host in 0..self.crowd.hosts {
                self.offer(host);
            }
        }
        self.hand_out(now);
        Ok(())
    }

    /// Copies of a job wait for hosts.
    fn begin(&mut self, order: u32) {
        let waiting = self.crowd.volunteer.quorum;
        let task =
            self.tasks.insert(Task { order, is_over: false, valid: 0, out: 0, held: 0, waiting, hosts: Vec::new() });
        self.queue.extend(std::iter::repeat_n(task, waiting as usize));
    }

    fn does_not_finish(&self, work_s: f64) -> Problem {
        let message = format!("a volunteer of {} loses a job of {work_s} s again and again", self.crowd.name);
        Problem::new("does_not_finish", message).hint("smaller jobs, or keeps_progress = true")
    }

    /// A host with free cores takes copies.
    fn offer(&mut self, host: u32) {
        let fits = self.hosts[host as usize].free_cores + 1e-9 >= self.fewest_threads;
        if fits && !self.is_off[host as usize] {
            self.idle.insert(host);
        }
    }

    /// Copies that wait go to hosts.
    fn hand_out(&mut self, now: Tick) {
        while let Some(Reverse((at, host))) = self.off.peek().copied()
            && at <= now
        {
            self.off.pop();
            self.is_off[host as usize] = false;
            self.offer(host);
        }
        let mut from = 0;
        while !self.queue.is_empty()
            && let Some(number) = self.idle.range(from..).next().copied()
        {
            let host = &mut self.hosts[number as usize];
            host.look(now, &self.crowd, number, self.tick);
            if host.on > now {
                self.idle.remove(&number);
                self.is_off[number as usize] = true;
                self.off.push(Reverse((host.on, number)));
                continue;
            }
            match self.copy_for(number) {
                Some(task) => self.take(number, task, now),
                None => from = number + 1,
            }
        }
        self.version = self.version.wrapping_add(1);
    }

    /// The first copy that waits and that a host may take.
    fn copy_for(&mut self, host: u32) -> Option<u32> {
        let free = self.hosts[host as usize].free_cores + 1e-9;
        let mut at = 0;
        while at < self.queue.len().min(LOOK_AHEAD) {
            let number = self.queue[at];
            let task = &mut self.tasks[number];
            if task.is_over {
                self.queue.remove(at);
                task.waiting -= 1;
                self.forget(number);
                continue;
            }
            if !task.hosts.contains(&host) && self.orders[task.order].order.threads <= free {
                self.queue.remove(at);
                task.waiting -= 1;
                return Some(number);
            }
            at += 1;
        }
        None
    }

    fn take(&mut self, number: u32, task: u32, now: Tick) {
        let job = &mut self.tasks[task];
        job.out += 1;
        job.held += 1;
        job.hosts.push(number);
        let order = self.orders[job.order].order;
        self.copies += 1;
        self.seen.copies += 1;
        let host = &mut self.hosts[number as usize];
        host.copies.push(Copy::new(task, self.copies, order.threads, order.work, now));
        host.free_cores -= order.threads;
        if host.free_cores + 1e-9 < self.fewest_threads {
            self.idle.remove(&number);
        }
        let deadline = self.crowd.volunteer.deadline_s;
        if deadline.is_finite()
            && let Ok(ticks) = self.tick.of(deadline)
        {
            self.deadlines.push(Reverse((now.saturating_add(ticks), number, self.copies)));
        }
        self.set_event(number);
    }

    fn set_event(&mut self, number: u32) {
        let host = &mut self.hosts[number as usize];
        host.version = host.version.wrapping_add(1);
        if let Some(at) = host.next().filter(|at| *at < Tick::MAX) {
            self.events.push(Reverse((at, number, host.version)));
        }
    }

    /// When something happens next.
    ///
    /// # Errors
    /// Nothing more, although jobs are not over: ticks do not reach so far.
    fn next(&mut self) -> Result<Option<Tick>, Problem> {
        while let Some(Reverse((_, host, version))) = self.events.peek()
            && self.hosts[*host as usize].version != *version
        {
            self.events.pop();
        }
        let first = |at: Option<Tick>, other: Option<Tick>| at.into_iter().chain(other).min();
        let events = self.events.peek().map(|Reverse((at, ..))| *at);
        let deadlines = self.deadlines.peek().map(|Reverse((at, ..))| *at);
        let off =
            self.off.peek().filter(|_| !self.queue.is_empty()).map(|Reverse((at, _))| *at).filter(|at| *at < Tick::MAX);
        if self.open == 0 {
            return Ok(None);
        }
        first(first(events, deadlines), off).map(Some).ok_or_else(|| self.tick.overflow())
    }

    /// All that happens up to now.
    fn advance(&mut self, now: Tick, events: &mut Events) -> Result<(), Problem> {
        let (mut ended, mut worked) = (Vec::new(), Vec::new());
        while let Some(Reverse((at, number, version))) = self.events.peek().copied()
            && at <= now
        {
            self.events.pop();
            let host = &mut self.hosts[number as usize];
            if host.version != version {
                continue;
            }
            let can_end = host.go_on(at, (&self.crowd, number, self.tick), &mut ended, &mut worked);
            for (job, ticks) in worked.drain(..) {
                self.seen.thread_ticks += ticks;
                events.worked.push((self.orders[self.tasks[job].order].order.of, ticks));
            }
            if !can_end {
                return Err(self.does_not_finish(0.0));
            }
            for copy in ended.drain(..) {
                self.returned(number, copy, events);
            }
            self.offer(number);
            self.set_event(number);
        }
        while let Some(Reverse((at, number, copy))) = self.deadlines.peek().copied()
            && at <= now
        {
            self.deadlines.pop();
            let copies = &mut self.hosts[number as usize].copies;
            if let Some(copy) = copies.iter_mut().find(|known| known.number == copy) {
                copy.late = true;
                let job = copy.job;
                self.tasks[job].out -= 1;
                self.seen.late += 1;
                self.ask_again(job);
            }
        }
        self.hand_out(now);
        Ok(())
    }

    /// A result has come.
    fn returned(&mut self, number: u32, copy: Copy, events: &mut Events) {
        let is_wrong = self.hosts[number as usize].is_wrong(self.crowd.volunteer.error_rate);
        self.seen.wrong += u64::from(is_wrong);
        let task = &mut self.tasks[copy.job];
        task.held -= 1;
        task.out -= u32::from(!copy.late);
        if is_wrong {
            task.hosts.retain(|host| *host != number);
        } else {
            task.valid += 1;
        }
        if !task.is_over && task.valid == self.crowd.volunteer.quorum {
            task.is_over = true;
            let of = task.order;
            let waits = &mut self.orders[of];
            if waits.order.more > 0 {
                waits.order.more -= 1;
                waits.held += 1;
                self.seen.jobs += 1;
                self.begin(of);
            } else {
                self.open -= u64::from(self.crowd.volunteer.quorum);
                waits.left -= 1;
                if waits.left == 0 {
                    events.over.push(waits.order.who);
                }
            }
        }
        self.ask_again(copy.job);
        self.forget(copy.job);
    }

    /// One more copy, if too few are right, on their way or waiting.
    fn ask_again(&mut self, number: u32) {
        let task = &mut self.tasks[number];
        if !task.is_over && task.valid + task.out + task.waiting < self.crowd.volunteer.quorum {
            task.waiting += 1;
            self.queue.push_back(number);
        }
    }

    /// Frees the number of a job that is over everywhere.
    fn forget(&mut self, number: u32) {
        let task = &self.tasks[number];
        if task.is_over && task.held == 0 && task.waiting == 0 {
            let of = task.order;
            self.tasks.remove(number);
            self.orders[of].held -= 1;
            if self.orders[of].held == 0 {
                self.orders.remove(of);
            }
        }
    }
}

/// Tries of a job that is lost whenever a host is switched off, in the mean: beyond, it is said not to finish.
const MOST_TRIES: f64 = 1e7;

/// The pools of a system.
#[derive(Debug, Default)]
pub struct Pools(Vec<Option<Pool>>);

impl Pools {
    /// Hands jobs out to the volunteers of a number: when the pool is to be asked again, with its version.
    ///
    /// # Errors
    /// Jobs that do not finish; too many at once; a quorum of more hosts than there are.
    pub fn add(&mut self, job: &Job<'_>, number: u32, order: Order, now: Tick) -> Result<Option<(Tick, u32)>, Problem> {
        let at = number as usize;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        let pool = match &mut self.0[at] {
            Some(pool) => pool,
            none => none.insert(Pool::new(&job.world.crowds()[at], job.tick)?),
        };
        pool.add(order, now)?;
        Ok(pool.next()?.map(|at| (at, pool.version)))
    }

    /// What has happened up to now; when the pool is to be asked again, with its version. Nothing: it was asked since.
    ///
    /// # Errors
    /// A job that is lost again and again.
    pub fn advance(
        &mut self,
        number: u32,
        version: u32,
        now: Tick,
        events: &mut Events,
    ) -> Result<Option<(Tick, u32)>, Problem> {
        let Some(pool) = self.0.get_mut(number as usize).and_then(Option::as_mut) else { return Ok(None) };
        if pool.version != version {
            return Ok(None);
        }
        pool.advance(now, events)?;
        Ok(pool.next()?.map(|at| (at, pool.version)))
    }

    /// What those of each number did.
    pub fn seen(&self) -> Vec<Volunteered> {
        self.0.iter().map(|pool| pool.as_ref().map_or_else(Volunteered::default, |pool| pool.seen)).collect()
    }
}

/// Like workers of a farm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worker {
    /// The volunteers that compute for them; none: they compute themselves.
    pub crowd: Option<u32>,
    pub count: u64,
    /// Ticks of computing of a task.
    pub work: Tick,
    pub threads: f64,
}

/// When the last of some tasks is done, if each worker takes another when it is done with one: messages take no time.
///
/// # Errors
/// As [`Pools::add`]; the budget.
pub fn last_of(job: &Job<'_>, workers: &[Worker], tasks: u64, now: Tick) -> Result<Tick, Problem> {
    let mut pools = Pools::default();
    // When something happens: of the volunteers of a class of workers with their version, or to the workers themselves.
    let mut heap: BinaryHeap<Reverse<(Tick, usize, Option<u32>)>> = BinaryHeap::new();
    let mut left = tasks;
    let mut last = now;
    let mut begin = |at: usize, count: u64, now: Tick, pools: &mut Pools, heap: &mut BinaryHeap<_>| {
        let Worker { crowd, work, threads, .. } = workers[at];
        for _ in 0..count.min(left) {
            left -= 1;
            match crowd {
                Some(crowd) => {
                    let order = Order { who: at as u32, of: at as u32, jobs: 1, more: 0, work, threads };
                    if let Some((next, version)) = pools.add(job, crowd, order, now)? {
                        heap.push(Reverse((next, at, Some(version))));
                    }
                }
                None => heap.push(Reverse((job.tick.add(now, work)?, at, None))),
            }
        }
        Ok::<(), Problem>(())
    };
    for (at, worker) in workers.iter().enumerate() {
        begin(at, worker.count, now, &mut pools, &mut heap)?;
    }
    let mut events = Events::default();
    for step in 1_u64.. {
        let Some(Reverse((now, at, version))) = heap.pop() else { break };
        if step.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            job.budget.spend(EVENTS_BETWEEN_LOOKS, 0, now)?;
        }
        let (Some(version), Some(crowd)) = (version, workers[at].crowd) else {
            last = last.max(now);
            begin(at, 1, now, &mut pools, &mut heap)?;
            continue;
        };
        let next = pools.advance(crowd, version, now, &mut events)?;
        heap.extend(next.map(|(next, version)| Reverse((next, at, Some(version)))));
        events.worked.clear();
        for who in events.over.drain(..) {
            last = last.max(now);
            begin(who as usize, 1, now, &mut pools, &mut heap)?;
        }
    }
    Ok(last)
}

/// Events between two looks at the budget.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 14;

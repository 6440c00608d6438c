//! Workers in threads of this process; the approximation is shared, not copied.

use super::error::{Place, RunError, UserError};
use super::fleet::Fleet;
use super::fold::{Folded, children};
use super::gate::{Gate, lock};
use super::lane::{Jobs, Lane, Order, Shape, guarded_at_master};
use super::options::Waiting;
use super::times::{Phase, PhaseTimes, Stopwatch};
use crate::cost::Collective;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

/// Workers in threads.
pub(super) struct Threads<'s, 'a, X> {
    shared: &'s Shared<'a, X>,
    /// The number of the last order.
    number: u64,
    times: Vec<PhaseTimes>,
}

struct Shared<'a, X> {
    jobs: &'a Jobs<'a, X>,
    shape: Shape,
    x: RwLock<X>,
    /// The order of the number that `orders` has reached.
    order: Mutex<Command>,
    orders: Gate,
    /// One for each thread of each worker.
    seats: Vec<Seat>,
}

/// The command to the threads.
#[derive(Debug, Clone, Copy)]
enum Command {
    Carry(Order),
    /// Only an answer.
    Echo,
    Leave,
}

/// Where a thread leaves its result.
struct Seat {
    lane: Mutex<Result<Lane, UserError>>,
    done: Gate,
}

/// Sets up some of the workers (from 1) of a run in threads, passes them to `body`, and ends them.
pub(super) fn with_threads<X: Send + Sync, R>(
    jobs: &Jobs<'_, X>,
    x: X,
    shape: Shape,
    workers: Range<usize>,
    wait: Waiting,
    body: impl FnOnce(&mut Threads<'_, '_, X>) -> Result<R, RunError>,
) -> Result<R, RunError> {
    let places: Vec<_> = workers.clone().flat_map(|worker| (0..shape.threads).map(move |t| (worker, t))).collect();
    let seat = || Seat { lane: Mutex::new(Err(not_set_up())), done: Gate::new(wait) };
    let shared = Shared {
        jobs,
        shape,
        x: RwLock::new(x),
        order: Mutex::new(Command::Leave),
        orders: Gate::new(wait),
        seats: places.iter().map(|_| seat()).collect(),
    };
    thread::scope(|scope| {
        let leave = Leave(&shared);
        for (place, &(worker, thread)) in places.iter().enumerate() {
            let shared = &shared;
            let name = format!("worker {worker}.{thread}");
            let run = move || shared.sit(place, worker, thread);
            thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, run)
                .map_err(|error| RunError::usage("no_threads", format!("a thread cannot be started: {error}"), None))?;
        }
        let mut threads = Threads { shared: &shared, number: 1, times: vec![PhaseTimes::default(); workers.len() + 1] };
        for place in 0..places.len() {
            threads.await_seat(place)?;
        }
        let result = body(&mut threads);
        drop(leave);
        result
    })
}

fn not_set_up() -> UserError {
    UserError {
        place: Place::SetUp,
        worker: None,
        iteration: 0,
        element: None,
        panicked: true,
        message: "a thread ended without a message".to_owned(),
    }
}

/// Dropped, it ends the threads, so that none is awaited in vain.
struct Leave<'s, 'a, X>(&'s Shared<'a, X>);

impl<X> Drop for Leave<'_, '_, X> {
    fn drop(&mut self) {
        *lock(&self.0.order) = Command::Leave;
        self.0.orders.open(u64::MAX);
    }
}

/// Dropped when a thread ends, it releases those that still wait for it.
///
/// After an error the master ends all threads, and one that had not begun the order never will.
struct Gone<'s>(&'s Seat);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            *lock(&self.0.lane) = Err(not_set_up());
        }
        self.0.done.open(u64::MAX);
    }
}

impl<X: Send + Sync> Shared<'_, X> {
    /// The life of a thread. Numbers of orders: 1 is the set-up.
    fn sit(&self, place: usize, worker: usize, thread: usize) {
        let seat = &self.seats[place];
        let _gone = Gone(seat);
        *lock(&seat.lane) = Lane::set_up(self.jobs, self.shape, worker, thread);
        let mut number = 1;
        loop {
            seat.done.open(number);
            number += 1;
            self.orders.wait(number);
            let command = *lock(&self.order);
            match command {
                Command::Carry(order) => self.carry_out(place, &order, number),
                Command::Echo => {}
                Command::Leave => return,
            }
        }
    }

    fn carry_out(&self, place: usize, order: &Order, number: u64) {
        let mut seat = lock(&self.seats[place].lane);
        let Ok(lane) = seat.as_mut() else { return };
        let start = Instant::now();
        let done = {
            let x = self.x.read().unwrap_or_else(PoisonError::into_inner);
            lane.map_fold(self.jobs, order, &x)
        };
        let done = done.and_then(|()| self.fold_below(place, lane, order, number));
        if let Err(error) = done {
            *seat = Err(error);
        } else if self.shape.threads == 1 || place.is_multiple_of(self.shape.threads) {
            lane.times.wall_s[Phase::Iteration as usize] = start.elapsed().as_secs_f64();
        }
    }

    /// Appends what follows in the list: the other threads of the worker, and its part of the tree.
    fn fold_below(&self, place: usize, lane: &mut Lane, order: &Order, number: u64) -> Result<(), UserError> {
        let threads = self.shape.threads;
        if !place.is_multiple_of(threads) {
            return Ok(());
        }
        for other in place + 1..place + threads {
            self.append(lane, other, order, number)?;
        }
        if order.collective == Collective::Tree {
            for child in children(place / threads + 1, self.seats.len() / threads + 1) {
                self.append(lane, (child - 1) * threads, order, number)?;
            }
        }
        Ok(())
    }

    /// Waits for a thread and appends what it has folded.
    fn append(&self, lane: &mut Lane, right: usize, order: &Order, number: u64) -> Result<(), UserError> {
        let mut watch = Stopwatch::start(order.with_cpu);
        self.seats[right].done.wait(number);
        let receive = watch.lap();
        let mut right_seat = lock(&self.seats[right].lane);
        let right = right_seat.as_mut().map_err(|error| error.clone())?;
        lane.append(self.jobs, order, &mut right.folded[order.job])?;
        if right.worker == lane.worker {
            // A worker is as slow as its slowest thread.
            lane.times.raise(&right.times);
        }
        lane.times.add(Phase::Receive, receive);
        lane.times.add(Phase::Reduce, watch.lap());
        Ok(())
    }
}

impl<X: Send + Sync> Threads<'_, '_, X> {
    fn give(&mut self, command: Command) {
        *lock(&self.shared.order) = command;
        self.number += 1;
        self.shared.orders.open(self.number);
    }

    fn await_seat(&self, place: usize) -> Result<(), RunError> {
        let seat = &self.shared.seats[place];
        seat.done.wait(self.number);
        lock(&seat.lane).as_ref().map(|_| ()).map_err(|error| RunError::User(error.clone()))
    }

    /// Waits for a worker and appends what it has folded to what the first one has.
    fn receive(&mut self, worker: usize, order: &Order, watch: &mut Stopwatch) -> Result<(), RunError> {
        let place = worker * self.shared.shape.threads;
        self.await_seat(place)?;
        self.times[0].add(Phase::Receive, watch.lap());
        if place == 0 {
            return Ok(());
        }
        let (mut first, mut right) = (lock(&self.shared.seats[0].lane), lock(&self.shared.seats[place].lane));
        if let (Ok(first), Ok(right)) = (first.as_mut(), right.as_mut()) {
            let (job, on_grid) = (self.shared.jobs[order.job].as_ref(), self.shared.shape.on_grid);
            guarded_at_master(Place::Combine, order.iteration, || {
                first.folded[order.job].append(job, &mut right.folded[order.job], on_grid);
                Ok(())
            })
            .map_err(RunError::User)?;
        }
        self.times[0].add(Phase::Reduce, watch.lap());
        Ok(())
    }

    fn collect_times(&mut self) {
        for worker in 0..self.times.len() - 1 {
            if let Ok(lane) = lock(&self.shared.seats[worker * self.shared.shape.threads].lane).as_ref() {
                self.times[worker + 1] = lane.times;
            }
        }
    }
}

impl<X: Send + Sync> Fleet<X> for Threads<'_, '_, X> {
    fn iterate(&mut self, order: &Order) -> Result<(), RunError> {
        let workers = self.times.len() - 1;
        self.times[0] = PhaseTimes::default();
        let mut watch = Stopwatch::start(order.with_cpu);
        self.give(Command::Carry(*order));
        self.times[0].add(Phase::Send, watch.lap());
        match order.collective {
            Collective::Flat => (0..workers).try_for_each(|worker| self.receive(worker, order, &mut watch))?,
            Collective::Tree => {
                children(0, workers + 1).try_for_each(|child| self.receive(child - 1, order, &mut watch))?;
            }
        }
        self.collect_times();
        Ok(())
    }

    fn with(&mut self, job: usize, body: &mut dyn FnMut(&mut X, &mut Folded)) {
        let mut x = self.shared.x.write().unwrap_or_else(PoisonError::into_inner);
        if let Ok(lane) = lock(&self.shared.seats[0].lane).as_mut() {
            body(&mut x, &mut lane.folded[job]);
        }
    }

    fn times(&mut self) -> &mut [PhaseTimes] {
        &mut self.times
    }

    fn message_bytes(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Threads share their memory: nothing is transferred, so the sizes do not matter.
    fn round_trip(&mut self, worker: usize, _there: usize, _back: usize) -> Result<f64, RunError> {
        let start = Instant::now();
        self.give(Command::Echo);
        self.await_seat(worker * self.shared.shape.threads)?;
        let elapsed_s = start.elapsed().as_secs_f64();
        (0..self.shared.seats.len()).try_for_each(|place| self.await_seat(place))?;
        Ok(elapsed_s)
    }

    fn scatter(&mut self, _workers: usize, _bytes: usize) -> Result<f64, RunError> {
        let start = Instant::now();
        self.give(Command::Echo);
        let busy_s = start.elapsed().as_secs_f64();
        (0..self.shared.seats.len()).try_for_each(|place| self.await_seat(place))?;
        Ok(busy_s)
    }
}

//! A worker's side of the messages.

use super::stall::{Stall, at_iteration};
use super::wire::{self, Command};
use crate::cost::Collective;
use crate::skeleton::error::{Place, RunError, UserError};
use crate::skeleton::fleet::Fleet;
use crate::skeleton::fold::{Folded, children, parent};
use crate::skeleton::lane::{Jobs, Order, Shape, guarded_at_master};
use crate::skeleton::link::{HEAD, Link, Patience, Tag};
use crate::skeleton::options::RunOptions;
use crate::skeleton::times::{Phase, PhaseTimes, Stopwatch};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Instant;

/// A worker's rank.
pub(super) struct WorkerRank<'a, X, L> {
    jobs: &'a Jobs<'a, X>,
    shape: Shape,
    link: &'a L,
    options: &'a RunOptions,
    stall: Stall,
    order: Vec<u8>,
    result: Vec<u8>,
    /// The last result of a rank below this one, for each job.
    inbox: Vec<Folded>,
}

impl<'a, X: Serialize + DeserializeOwned, L: Link> WorkerRank<'a, X, L> {
    pub fn new(jobs: &'a Jobs<'a, X>, shape: Shape, link: &'a L, options: &'a RunOptions) -> Self {
        let stall = Stall::new(options);
        let inbox = jobs.iter().map(|_| Folded::default()).collect();
        WorkerRank { jobs, shape, link, options, stall, order: Vec::new(), result: Vec::new(), inbox }
    }

    /// Reports that this rank is set up, or why it is not.
    pub fn report(&mut self, error: Option<UserError>) -> Result<(), RunError> {
        let nothing = Folded::default();
        wire::write_result(self.jobs, 0, error.map_or(Ok(&nothing), Err), Vec::new(), &mut self.result)?;
        self.send_result(0, 0)
    }

    /// Carries out orders until told to leave.
    pub fn serve(&mut self, fleet: &mut dyn Fleet<X>) -> Result<(), RunError> {
        let mut iteration = 0;
        while let Some(order) = self.next_order(iteration)? {
            iteration = order.iteration;
            self.carry_out(fleet, &order)?;
        }
        Ok(())
    }

    /// Answers until told to leave, without anything that could map and fold.
    pub fn wait_to_leave(&mut self) -> Result<(), RunError> {
        while self.next_order(0)?.is_some() {}
        Ok(())
    }

    /// Answers until there is an order; none when told to leave.
    fn next_order(&mut self, iteration: u64) -> Result<Option<Order>, RunError> {
        loop {
            match self.next_command(iteration)? {
                Command::Carry(order) => return Ok(Some(order)),
                Command::Leave => return Ok(None),
                Command::Nothing => {}
                Command::Echo(bytes) => {
                    self.result.clear();
                    self.result.resize(HEAD + bytes as usize, 0);
                    self.send_result(0, iteration)?;
                }
            }
        }
    }

    /// The master may be busy for long, with its hooks or its checkpoint: a worker's timeout is longer than the master's.
    fn patience(&self) -> Patience {
        Patience { wait: self.options.wait, limit: self.stall.limit().checked_mul(4) }
    }

    fn next_command(&mut self, iteration: u64) -> Result<Command, RunError> {
        let patience = self.patience();
        let received = self.link.receive(None, Tag::Order, &mut self.order, patience);
        received.map_err(|error| at_iteration(error, iteration))?;
        Ok(wire::read_command(&self.order)?.0)
    }

    fn send_result(&mut self, to: usize, iteration: u64) -> Result<(), RunError> {
        let patience = self.patience();
        let sent = self.link.send(to, Tag::Result, &mut self.result, patience);
        sent.map_err(|error| at_iteration(error, iteration))
    }

    fn carry_out(&mut self, fleet: &mut dyn Fleet<X>, order: &Order) -> Result<(), RunError> {
        let start = Instant::now();
        let rank = self.link.rank();
        let is_tree = order.collective == Collective::Tree;
        let size = if is_tree { self.shape.workers + 1 } else { 0 };
        let mut told = Told::default();
        self.pass_on(order, children(rank, size), &mut told)?;
        let (bytes, mut read) = (wire::read_command(&self.order)?.1, Ok(()));
        fleet.with(order.job, &mut |x, _| read = wire::read_approximation(bytes, x));
        read?;
        match fleet.iterate(order) {
            Err(RunError::User(error)) => told.error = Some(error),
            done => done?,
        }
        told.own.raise(&fleet.times()[1]);
        children(rank, size).try_for_each(|child| self.take_from(child, fleet, order, &mut told))?;
        let elapsed_s = start.elapsed().as_secs_f64();
        told.own.wall_s[Phase::Iteration as usize] = elapsed_s;
        self.stall.took(elapsed_s);
        self.write(fleet, order, told)?;
        self.send_result(if is_tree { parent(rank) } else { 0 }, order.iteration)
    }

    /// Passes the order on to the ranks below, the largest part of the tree first.
    fn pass_on(
        &mut self,
        order: &Order,
        below: impl DoubleEndedIterator<Item = usize>,
        told: &mut Told,
    ) -> Result<(), RunError> {
        let mut watch = Stopwatch::start(order.with_cpu);
        for child in below.rev() {
            let patience = self.patience();
            let sent = self.link.send(child, Tag::Order, &mut self.order, patience);
            sent.map_err(|error| at_iteration(error, order.iteration))?;
            told.own.add(Phase::Send, watch.lap());
        }
        Ok(())
    }

    /// Receives the result of a rank below, and appends it; also after an error, since that rank is waiting.
    fn take_from(
        &mut self,
        child: usize,
        fleet: &mut dyn Fleet<X>,
        order: &Order,
        told: &mut Told,
    ) -> Result<(), RunError> {
        let mut watch = Stopwatch::start(order.with_cpu);
        let patience = self.patience();
        let received = self.link.receive(Some(child), Tag::Result, &mut self.result, patience);
        received.map_err(|error| at_iteration(error, order.iteration))?;
        told.own.add(Phase::Receive, watch.lap());
        let right = &mut self.inbox[order.job];
        let head = wire::read_result(self.jobs, order.job, &self.result, right)?;
        told.below.extend(head.times);
        told.error = told.error.take().or(head.error);
        if told.error.is_none() {
            told.error = append(self.jobs, self.shape, self.link.rank(), fleet, order, right).err();
        }
        told.own.add(Phase::Reduce, watch.lap());
        Ok(())
    }

    fn write(&mut self, fleet: &mut dyn Fleet<X>, order: &Order, told: Told) -> Result<(), RunError> {
        let mut times = told.below;
        times.push((self.link.rank() as u32, told.own));
        let (jobs, result) = (self.jobs, &mut self.result);
        if let Some(error) = told.error {
            return wire::write_result(jobs, order.job, Err(error), times, result);
        }
        let (mut times, mut written) = (Some(times), Ok(()));
        fleet.with(order.job, &mut |_, folded| {
            written = wire::write_result(jobs, order.job, Ok(folded), times.take().unwrap_or_default(), result);
        });
        written
    }
}

/// This rank's reply to an order, for itself and those below it in the tree.
#[derive(Default)]
struct Told {
    own: PhaseTimes,
    below: Vec<(u32, PhaseTimes)>,
    /// The first one in the order of the list.
    error: Option<UserError>,
}

/// Appends the results from below to this worker's.
fn append<X>(
    jobs: &Jobs<'_, X>,
    shape: Shape,
    rank: usize,
    fleet: &mut dyn Fleet<X>,
    order: &Order,
    right: &mut Folded,
) -> Result<(), UserError> {
    let combined = guarded_at_master(Place::Combine, order.iteration, || {
        fleet.with(order.job, &mut |_, folded| folded.append(jobs[order.job].as_ref(), right, shape.on_grid));
        Ok(())
    });
    combined.map_err(|error| UserError { worker: Some(rank as u64), ..error })
}

//! The master's side of the messages.

use super::stall::{Stall, at_iteration};
use super::wire::{self, Command};
use crate::cost::Collective;
use crate::skeleton::error::{Place, RunError, UserError};
use crate::skeleton::fleet::Fleet;
use crate::skeleton::fold::{Folded, children};
use crate::skeleton::lane::{Jobs, Order, Shape, guarded_at_master};
use crate::skeleton::link::{Link, Patience, Tag};
use crate::skeleton::options::RunOptions;
use crate::skeleton::times::{Phase, PhaseTimes, Stopwatch};
use serde::Serialize;
use std::time::Instant;

/// The ranks of a run, as the master sees them.
pub(super) struct Ranks<'a, X, L> {
    jobs: &'a Jobs<'a, X>,
    x: X,
    shape: Shape,
    link: &'a L,
    options: &'a RunOptions,
    stall: Stall,
    /// The results of the whole list, for each job.
    folded: Vec<Folded>,
    /// The results of each rank that the master communicates with, for each job.
    inbox: Vec<Vec<Folded>>,
    times: Vec<PhaseTimes>,
    message: Vec<u8>,
    /// Of the last order and the last result.
    bytes: (usize, usize),
}

impl<'a, X: Serialize, L: Link> Ranks<'a, X, L> {
    /// Waits until all workers are set up.
    pub fn set_up(
        jobs: &'a Jobs<'a, X>,
        x: X,
        shape: Shape,
        link: &'a L,
        options: &'a RunOptions,
    ) -> Result<Self, RunError> {
        let mut ranks = Ranks {
            jobs,
            x,
            shape,
            link,
            options,
            stall: Stall::new(options),
            folded: jobs.iter().map(|_| Folded::default()).collect(),
            inbox: jobs.iter().map(|_| (0..link.size()).map(|_| Folded::default()).collect()).collect(),
            times: vec![PhaseTimes::default(); link.size()],
            message: Vec::new(),
            bytes: (0, 0),
        };
        let set_up = (1..link.size()).map(|rank| ranks.receive(rank, 0, 0, &mut Folded::default()));
        let failed: Vec<RunError> = set_up.filter_map(Result::err).collect();
        match failed.into_iter().next() {
            None => Ok(ranks),
            Some(error) => {
                ranks.dismiss(&error);
                Err(error)
            }
        }
    }

    fn patience(&self) -> Patience {
        Patience { wait: self.options.wait, limit: Some(self.stall.limit()) }
    }

    /// Receives the result of a rank, and the times of all ranks below it.
    fn receive(&mut self, rank: usize, job: usize, iteration: u64, folded: &mut Folded) -> Result<(), RunError> {
        let patience = self.patience();
        let received = self.link.receive(Some(rank), Tag::Result, &mut self.message, patience);
        received.map_err(|error| at_iteration(error, iteration))?;
        self.bytes.1 = self.message.len();
        let head = wire::read_result(self.jobs, job, &self.message, folded)?;
        for (rank, times) in head.times {
            if let Some(of_rank) = self.times.get_mut(rank as usize) {
                *of_rank = times;
            }
        }
        head.error.map_or(Ok(()), |error| Err(RunError::User(error)))
    }

    /// The ranks that the master communicates with directly.
    fn neighbors(&self, collective: Collective) -> Vec<usize> {
        match collective {
            Collective::Flat => (1..=self.shape.workers).collect(),
            Collective::Tree => children(0, self.shape.workers + 1).collect(),
        }
    }

    fn send(&mut self, rank: usize, iteration: u64) -> Result<(), RunError> {
        let patience = self.patience();
        let sent = self.link.send(rank, Tag::Order, &mut self.message, patience);
        sent.map_err(|error| at_iteration(error, iteration))
    }

    /// Receives the partial results, in the order of the list.
    fn collect(&mut self, order: &Order, neighbors: &[usize], watch: &mut Stopwatch) -> Result<(), RunError> {
        let mut inbox = std::mem::take(&mut self.inbox[order.job]);
        // The last result is in memory that is reused for the first rank's.
        std::mem::swap(&mut self.folded[order.job], &mut inbox[0]);
        self.folded[order.job].nodes.clear();
        // All results are received even after an error: a rank cannot leave before its own is.
        let mut failed = None;
        for (&rank, right) in neighbors.iter().zip(&mut inbox) {
            match self.receive(rank, order.job, order.iteration, right) {
                Ok(()) => {
                    self.times[0].add(Phase::Receive, watch.lap());
                    failed = failed.or(self.append(order, right).err());
                    self.times[0].add(Phase::Reduce, watch.lap());
                }
                Err(RunError::User(error)) => failed = failed.or(Some(error)),
                Err(other) => return Err(other),
            }
        }
        self.inbox[order.job] = inbox;
        failed.map_or(Ok(()), |error| Err(RunError::User(error)))
    }

    fn append(&mut self, order: &Order, right: &mut Folded) -> Result<(), UserError> {
        let (job, folded) = (self.jobs[order.job].as_ref(), &mut self.folded[order.job]);
        guarded_at_master(Place::Combine, order.iteration, || {
            folded.append(job, right, self.shape.on_grid);
            Ok(())
        })
    }

    /// Tells all ranks to end; `reason` is the error, if any. After a stall, nothing can be sent.
    pub fn dismiss(&mut self, reason: &RunError) {
        if !matches!(reason, RunError::Stalled { .. } | RunError::Message(_)) {
            // Ranks that cannot be reached find out themselves, by their timeout.
            let _ = self.leave();
        }
    }

    /// Tells all ranks to end, before they were set up.
    pub fn dismiss_all(link: &'a L, options: &'a RunOptions) -> Result<(), RunError> {
        let patience = Patience { wait: options.wait, limit: Some(Stall::new(options).limit()) };
        let mut message = Vec::new();
        for rank in 1..link.size() {
            link.receive(Some(rank), Tag::Result, &mut message, patience)?;
            wire::write_command(Command::Leave, 0, &mut message)?;
            link.send(rank, Tag::Order, &mut message, patience)?;
        }
        Ok(())
    }

    /// Tells all ranks to end.
    pub fn leave(&mut self) -> Result<(), RunError> {
        wire::write_command(Command::Leave, 0, &mut self.message)?;
        (1..self.link.size()).try_for_each(|rank| self.send(rank, 0))
    }
}

impl<X: Serialize, L: Link> Fleet<X> for Ranks<'_, X, L> {
    fn iterate(&mut self, order: &Order) -> Result<(), RunError> {
        let start = Instant::now();
        self.times[0] = PhaseTimes::default();
        let mut watch = Stopwatch::start(order.with_cpu);
        wire::write_order(*order, &self.x, &mut self.message)?;
        self.bytes.0 = self.message.len();
        let neighbors = self.neighbors(order.collective);
        match order.collective {
            Collective::Flat => neighbors.iter().try_for_each(|&rank| self.send(rank, order.iteration))?,
            // The largest part of a tree first: it takes the longest.
            Collective::Tree => neighbors.iter().rev().try_for_each(|&rank| self.send(rank, order.iteration))?,
        }
        self.times[0].add(Phase::Send, watch.lap());
        self.collect(order, &neighbors, &mut watch)?;
        self.stall.took(start.elapsed().as_secs_f64());
        Ok(())
    }

    fn with(&mut self, job: usize, body: &mut dyn FnMut(&mut X, &mut Folded)) {
        body(&mut self.x, &mut self.folded[job]);
    }

    fn times(&mut self) -> &mut [PhaseTimes] {
        &mut self.times
    }

    fn message_bytes(&self) -> (usize, usize) {
        self.bytes
    }

    fn round_trip(&mut self, worker: usize, there: usize, back: usize) -> Result<f64, RunError> {
        wire::write_command(Command::Echo(back as u64), there, &mut self.message)?;
        let start = Instant::now();
        self.send(worker + 1, 0)?;
        let patience = self.patience();
        self.link.receive(Some(worker + 1), Tag::Result, &mut self.message, patience)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn scatter(&mut self, workers: usize, bytes: usize) -> Result<f64, RunError> {
        wire::write_command(Command::Nothing, bytes, &mut self.message)?;
        let start = Instant::now();
        (1..=workers).try_for_each(|rank| self.send(rank, 0))?;
        let busy_s = start.elapsed().as_secs_f64();
        // All must have received theirs before anything else is measured.
        (0..workers).try_for_each(|worker| self.round_trip(worker, 0, 0).map(|_| ()))?;
        Ok(busy_s)
    }
}

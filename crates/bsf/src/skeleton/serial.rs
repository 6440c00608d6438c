//! All workers one after another, in the thread of the caller.

use super::error::RunError;
use super::fleet::Fleet;
use super::fold::{Folded, children};
use super::lane::{Jobs, Lane, Order, Shape};
use super::times::{Phase, PhaseTimes, Stopwatch};
use crate::cost::Collective;
use std::ops::Range;

/// Workers that run one after another, in the thread of the caller.
pub(super) struct Serial<'a, X> {
    jobs: &'a Jobs<'a, X>,
    x: X,
    shape: Shape,
    /// The lanes of the workers here, with their threads one after another.
    lanes: Vec<Lane>,
    times: Vec<PhaseTimes>,
}

impl<'a, X> Serial<'a, X> {
    /// Sets up some of the workers (from 1) of a run.
    pub fn set_up(jobs: &'a Jobs<'a, X>, x: X, shape: Shape, workers: Range<usize>) -> Result<Self, RunError> {
        let times = vec![PhaseTimes::default(); workers.len() + 1];
        let places = workers.flat_map(|worker| (0..shape.threads).map(move |thread| (worker, thread)));
        let lanes = places.map(|(worker, thread)| Lane::set_up(jobs, shape, worker, thread));
        let lanes = lanes.collect::<Result<_, _>>().map_err(RunError::User)?;
        Ok(Serial { jobs, x, shape, lanes, times })
    }

    /// The workers that are here.
    fn workers(&self) -> usize {
        self.lanes.len() / self.shape.threads
    }

    /// The threads of a worker, and then the parts of the list that follow in the tree.
    fn fold_worker(&mut self, order: &Order, worker: usize) -> Result<(), RunError> {
        let first = worker * self.shape.threads;
        for thread in 1..self.shape.threads {
            self.append(order, first, first + thread)?;
        }
        Ok(())
    }

    /// The part of the tree that hangs below a worker (from 0 here).
    fn fold_tree(&mut self, order: &Order, worker: usize) -> Result<(), RunError> {
        for child in children(worker + 1, self.workers() + 1) {
            self.fold_tree(order, child - 1)?;
            self.append(order, worker * self.shape.threads, (child - 1) * self.shape.threads)?;
        }
        Ok(())
    }

    /// Appends the lane `right` to the lane `left`.
    fn append(&mut self, order: &Order, left: usize, right: usize) -> Result<(), RunError> {
        let (before, after) = self.lanes.split_at_mut(right);
        before[left].append(self.jobs, order, &mut after[0].folded[order.job]).map_err(RunError::User)
    }
}

impl<X> Fleet<X> for Serial<'_, X> {
    fn iterate(&mut self, order: &Order) -> Result<(), RunError> {
        self.times.fill(PhaseTimes::default());
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            lane.map_fold(self.jobs, order, &self.x).map_err(RunError::User)?;
            self.times[1 + place / self.shape.threads].raise(&lane.times);
        }
        let workers = self.workers();
        if self.lanes.len() > 1 {
            let mut watch = Stopwatch::start(order.with_cpu);
            (0..workers).try_for_each(|worker| self.fold_worker(order, worker))?;
            match order.collective {
                Collective::Flat => {
                    (1..workers).try_for_each(|worker| self.append(order, 0, worker * self.shape.threads))?;
                }
                Collective::Tree => {
                    for child in children(0, workers + 1) {
                        self.fold_tree(order, child - 1)?;
                        if child > 1 {
                            self.append(order, 0, (child - 1) * self.shape.threads)?;
                        }
                    }
                }
            }
            self.times[0].add(Phase::Reduce, watch.lap());
        }
        Ok(())
    }

    fn with(&mut self, job: usize, body: &mut dyn FnMut(&mut X, &mut Folded)) {
        body(&mut self.x, &mut self.lanes[0].folded[job]);
    }

    fn times(&mut self) -> &mut [PhaseTimes] {
        &mut self.times
    }

    fn message_bytes(&self) -> (usize, usize) {
        (0, 0)
    }

    fn round_trip(&mut self, _worker: usize, _there: usize, _back: usize) -> Result<f64, RunError> {
        Ok(0.0)
    }

    fn scatter(&mut self, _workers: usize, _bytes: usize) -> Result<f64, RunError> {
        Ok(0.0)
    }
}

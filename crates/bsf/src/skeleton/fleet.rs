//! The workers of a run, as the master sees them.

use super::error::RunError;
use super::fold::Folded;
use super::lane::Order;
use super::times::PhaseTimes;

/// The workers of a run, with the approximation that they work on.
pub(super) trait Fleet<X> {
    /// Has all workers execute the order, and folds their partial results in the order of the list.
    fn iterate(&mut self, order: &Order) -> Result<(), RunError>;

    /// Passes the approximation and the folded partial results to `body`.
    fn with(&mut self, job: usize, body: &mut dyn FnMut(&mut X, &mut Folded));

    /// Times of the last order: the master, and then the workers.
    fn times(&mut self) -> &mut [PhaseTimes];

    /// Bytes of the last order and of the last partial result.
    fn message_bytes(&self) -> (usize, usize);

    /// Sends this many bytes to a worker and receives as many back; returns the wall time \[s\].
    fn round_trip(&mut self, worker: usize, there: usize, back: usize) -> Result<f64, RunError>;

    /// Sends this many bytes to each of the first workers, in a row; returns the time for which the master was busy \[s\].
    fn scatter(&mut self, workers: usize, bytes: usize) -> Result<f64, RunError>;
}

//! What the stationary analysis asks of a way to apply one phase to a measure on states.

use crate::model::Tie;

/// Applies one phase. A measure is a slice with one place a state; places that are not a state stay 0.
pub(crate) trait Engine {
    /// Places of a measure.
    fn places(&self) -> usize;

    /// Groups of identical processes; the states do not record which of a group has which lag.
    fn groups(&self) -> &[Vec<usize>];

    /// How many ticks each process started before the last one, one arrangement of those that the place stands for, and
    /// how many there are; none where the place is not a state.
    fn lags(&self, place: usize, lags: &mut [usize]) -> Option<f64>;

    /// The place of a state; none where its lags are too large.
    fn place(&self, lags: &[usize]) -> Option<usize>;

    /// The measure after a phase in `mode`; `out` is overwritten.
    fn step(&self, mode: usize, measure: &[f64], out: &mut [f64]);

    /// The same weighted with how much the time from the last start to the next last start is above `center`; gives the sum
    /// of all weights with the square of that.
    fn timed(&self, mode: usize, measure: &[f64], center: f64, timed: &mut [f64]) -> f64;

    /// Of the transitions with at most this many iterations: the measure after them and, weighted as before, the sum.
    fn limited(&self, mode: usize, measure: &[f64], limit: Limit, center: f64, out: &mut [f64]) -> f64;

    /// The law after the first phase, from lags that need not be those of a state.
    fn first(&self, mode: usize, lags: &[usize], out: &mut [f64]);
}

/// Which transitions count: those with at most this many iterations of the phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub most: u32,
    pub tie: Tie,
}

//! The starts of the next phase, counted from the end of the last alpha, and the states that they are.

use super::faces::{Faces, advance};
use super::times::{Shape, Times};

/// The box of all ends of the phases with one leader.
pub(super) struct Ends {
    /// By process: the earliest end.
    pub offsets: Vec<usize>,
    /// By process: how many ends there are.
    pub lengths: Vec<usize>,
    /// Processes, the one whose end runs fastest last.
    order: Vec<usize>,
    /// The state of each place.
    states: Vec<u32>,
}

impl Ends {
    pub fn new(times: &Times, shape: &Shape, states: &Faces, leader: usize, order: Vec<usize>) -> Ends {
        let first = |process: usize| {
            if process == leader { 0 } else { times.message[leader][process].first() as usize }
        };
        let offsets: Vec<usize> = (0..shape.size).map(first).collect();
        let lengths: Vec<usize> = (0..shape.size).map(|process| shape.latest[process] + 1 - offsets[process]).collect();
        let mut ends = Ends { offsets, lengths, order, states: Vec::new() };
        let mut map = Vec::with_capacity(ends.places());
        let mut lags = vec![0; shape.size];
        ends.each(|_, at| {
            let last = at.iter().copied().max().unwrap_or(0);
            for (lag, end) in lags.iter_mut().zip(at) {
                *lag = last - end;
            }
            // Lags are below the widths, and one of them is 0.
            map.push(states.place(&lags).unwrap_or(0) as u32);
        });
        ends.states = map;
        ends
    }

    /// Places of the box.
    pub fn places(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Adds the law of the ends up to a measure on states.
    pub fn settle(&self, law: &[f64], out: &mut [f64]) {
        for (state, probability) in self.states.iter().zip(law) {
            out[*state as usize] += probability;
        }
    }

    /// The same, weighted with the last end; gives the sums with it and with its square.
    pub fn settle_timed(&self, law: &[f64], out: &mut [f64]) -> (f64, f64) {
        let (mut first, mut second) = (0.0, 0.0);
        self.each(|place, at| {
            let last = at.iter().copied().max().unwrap_or(0) as f64;
            out[self.states[place] as usize] += last * law[place];
            first += last * law[place];
            second += last * last * law[place];
        });
        (first, second)
    }

    /// The sum weighted with the last end.
    pub fn timed(&self, law: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(|place, at| sum += at.iter().copied().max().unwrap_or(0) as f64 * law[place]);
        sum
    }

    /// Every place with its ends.
    fn each(&self, mut visit: impl FnMut(usize, &[usize])) {
        let mut point = vec![0; self.order.len()];
        let mut at = self.offsets.clone();
        for place in 0.. {
            for (process, step) in self.order.iter().zip(&point) {
                at[*process] = self.offsets[*process] + step;
            }
            visit(place, &at);
            if !advance(&mut point, self.order.iter().map(|process| self.lengths[*process])) {
                return;
            }
        }
    }
}

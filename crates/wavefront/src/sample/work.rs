//! The work of an update while its time is measured.

use crate::run::{FixedPoint, Poll};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

/// One update, over and over.
pub trait Work: Send {
    /// Makes one update.
    fn update(&mut self);
}

/// Several after one another make one update.
impl Work for Vec<Box<dyn Work + '_>> {
    fn update(&mut self) {
        self.iter_mut().for_each(|part| part.update());
    }
}

/// A fixed number of operations: the same work each time, so that what varies is the machine.
#[derive(Debug, Clone)]
pub struct Busy {
    operations: u64,
    value: f64,
}

/// The calibration takes the fastest of this many trials, each of at least so long \[s\].
const TRIALS: usize = 15;
const TRIAL_S: f64 = 2e-3;

/// What this thread has had of a processor \[s\].
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

impl Busy {
    /// An update of this many operations.
    pub fn new(operations: u64) -> Busy {
        Busy { operations, value: 1.0 }
    }

    /// Number of operations that take this long on an undisturbed core \[s\].
    ///
    /// Counted in time of the processor: where others want the core, too, every trial is interrupted.
    pub fn calibrate(seconds: f64) -> u64 {
        let mut probe = Busy::new(1 << 10);
        let time = |probe: &mut Busy| {
            let start_s = processor_s();
            probe.update();
            processor_s() - start_s
        };
        while time(&mut probe) < TRIAL_S && probe.operations < 1 << 40 {
            probe.operations *= 2;
        }
        let fastest = (0..TRIALS).map(|_| time(&mut probe)).fold(f64::INFINITY, f64::min);
        let operations = seconds / fastest.max(1e-9) * probe.operations as f64;
        (operations.round() as u64).max(1)
    }
}

impl Work for Busy {
    fn update(&mut self) {
        // Each operation needs the one before, so that its time depends on nothing but the clock of the core.
        let mut value = self.value;
        for _ in 0..self.operations {
            value = 0.5 * black_box(value) + 0.5;
        }
        self.value = value;
    }
}

/// The update of one piece of an operator, over and over: each from what the one before gave.
pub struct Sweep<'a> {
    operator: &'a dyn FixedPoint,
    piece: usize,
    places: Vec<usize>,
    vector: Vec<f64>,
    new: Vec<f64>,
}

impl<'a> Sweep<'a> {
    /// The piece of a process, counted from 0.
    pub fn new(operator: &'a dyn FixedPoint, piece: usize) -> Sweep<'a> {
        let places = operator.pieces().get(piece).cloned().unwrap_or_default();
        let new = vec![0.0; places.len()];
        Sweep { operator, piece, vector: operator.start(), places, new }
    }
}

impl Work for Sweep<'_> {
    fn update(&mut self) {
        self.operator.update(self.piece, &self.vector, &mut self.new, &mut Poll::never());
        for (place, value) in self.places.iter().zip(&self.new) {
            self.vector[*place] = *value;
        }
        black_box(&mut self.vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operator::{Operator, Rate};
    use crate::run::Linear;
    use std::time::Instant;

    #[test]
    fn busy_work_takes_about_as_long_as_it_should() {
        let mut busy = Busy::new(Busy::calibrate(2e-3));
        let fastest = (0..20)
            .map(|_| {
                let start = Instant::now();
                busy.update();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        // A core that is disturbed in every trial counts too few operations; one that slows down needs longer.
        assert!((2e-4..1e-2).contains(&fastest), "{fastest}");
    }

    #[test]
    fn a_sweep_updates_its_own_piece() {
        let operator = Operator {
            rows: vec![vec![(0, 0.5), (2, 0.25)], vec![(1, 0.5)], vec![(0, 0.25), (1, 0.25)]],
            owner: vec![0, 1, 0],
            gap: 0.2,
            rate: Rate::Auto,
        };
        let linear = Linear::new(operator, 2, 0);
        let fixed = linear.fixed_point().expect("known");
        let mut sweep = Sweep::new(&linear, 0);
        assert_eq!(sweep.vector.len(), 3);
        // With the other piece at its fixed point, updates of this one lead to its own.
        sweep.vector[1] = fixed[1];
        (0..100).for_each(|_| sweep.update());
        assert!(sweep.vector.iter().zip(&fixed).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", sweep.vector);
    }

    #[test]
    fn parts_are_done_one_after_another() {
        let mut both: Vec<Box<dyn Work>> = vec![Box::new(Busy::new(3)), Box::new(Busy::new(4))];
        both.update();
    }
}

//! When a run had gained the digits that were wanted.

use super::fixed_point::FixedPoint;
use super::record::Recording;

/// The first end of a phase at which the error of a run was small enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Phases until then.
    pub phases: u64,
    /// Their iterations: the most updates of a process, phase by phase.
    pub iterations: u64,
    /// What they took on process 1 \[s\].
    pub time_s: f64,
    /// Decimal digits that were gained until then, against the error at the start; at least as many as were wanted.
    pub digits: f64,
}

impl Reached {
    /// Of a run whose error was `initial` at the start: the first phase that ends with at most 10^-`omega` of it. None
    /// where no phase does.
    pub fn of(recording: &Recording, initial: f64, omega: f64) -> Option<Reached> {
        let digits = |error: &Option<f64>| error.map(|error| -(error / initial).log10());
        let gained: Vec<Option<f64>> = recording.errors().iter().map(digits).collect();
        let last = gained.iter().position(|gained| gained.is_some_and(|gained| gained >= omega))?;
        let rows = || recording.processes.iter().map(|rows| &rows.phases[..=last]);
        let iterations = |phase: usize| rows().map(|phases| u64::from(phases[phase].updates)).max().unwrap_or(0);
        let reference = rows().next()?;
        Some(Reached {
            phases: last as u64 + 1,
            iterations: (0..=last).map(iterations).sum(),
            time_s: (reference[last].end - reference[0].start) as f64 / 1e9,
            digits: gained[last]?,
        })
    }

    /// Digits gained an iteration.
    pub fn rate_per_iteration(&self) -> f64 {
        self.digits / self.iterations as f64
    }
}

/// The Euclidean distance between where an operator starts and its fixed point; none where that is unknown.
pub fn initial_error(operator: &dyn FixedPoint) -> Option<f64> {
    let away: Vec<f64> = operator.start().iter().zip(operator.fixed_point()?).map(|(x, fixed)| x - fixed).collect();
    Some(runcast_core::numeric::norm(&away)).filter(|error| *error > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Semantics;
    use crate::run::{Linear, Phase, Rows};

    #[test]
    fn the_first_phase_that_is_accurate_enough_counts() {
        // Two processes with errors 3e-k and 4e-k: 5e-k together, against 5 at the start.
        let rows = |part: f64, updates: [u32; 4]| Rows {
            phases: (1..=4)
                .zip(updates)
                .map(|(phase, updates)| Phase {
                    start: (phase - 1) * 2_000_000_000 + 500_000_000,
                    beta_start: 0,
                    end: phase * 2_000_000_000 + 500_000_000,
                    updates,
                    discarded: 0,
                    error_squared: (part * 10_f64.powi(-(phase as i32))).powi(2),
                })
                .collect(),
            ..Rows::default()
        };
        let processes = vec![rows(3.0, [1, 2, 1, 1]), rows(4.0, [2, 1, 3, 9])];
        let recording = Recording { processes, held: Semantics::Abort, is_interrupted: false };
        let found = Reached::of(&recording, 5.0, 2.5).expect("the third phase gains 3 digits");
        assert_eq!((found.phases, found.iterations, found.time_s), (3, 2 + 2 + 3, 6.0));
        assert!((found.digits - 3.0).abs() < 1e-12 && (found.rate_per_iteration() - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!(Reached::of(&recording, 5.0, 4.5), None);
    }

    #[test]
    fn the_error_at_the_start_is_the_way_to_the_fixed_point() {
        let operator = Linear::uniform(0.5, &[1, 1]);
        let fixed = operator.fixed_point().expect("linear operators know theirs");
        let distance = fixed.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((initial_error(&operator).expect("not there yet") - distance).abs() < 1e-15);
    }
}

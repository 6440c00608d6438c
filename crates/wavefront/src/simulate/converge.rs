//! The error of an iteration along the updates of a simulation: how fast it falls, and when it is small enough.

use super::{Engine, EngineKind, Events, Recursion, Tables};
use crate::model::Model;
use crate::model::operator::Operator;
use crate::model::operator::pieces::{Errors, Pieces};
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Streams of random numbers of the starts lie beyond those of the phases.
const STARTS: u64 = 1 << 40;
/// The stream of the long run.
const LONG: u64 = 1 << 41;
/// Phases between two checks of the interrupt.
const SLICE: u64 = 1024;
/// Runs that take this many times longer than expected are given up.
const PATIENCE: f64 = 20.0;
/// Norms of the error between which it is not rescaled.
const NORMS: std::ops::Range<f64> = 1e-100..1e100;

/// How convergence is simulated.
#[derive(Clone)]
pub struct ConvergeOptions {
    /// Phases of the long run that the rate comes from.
    pub phases: u64,
    /// Runs to the wanted accuracy.
    pub runs: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The engine that plays the phases.
    pub engine: EngineKind,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called with the number of phases of the long run played since the last call.
    pub progress: Option<Arc<dyn Fn(u64) + Send + Sync>>,
}

/// How fast the error falls.
#[derive(Debug, Clone, PartialEq)]
pub struct Converged {
    /// Digits gained a phase: slope of -log10 |z| over the phases of the long run; negative where the error grows, none
    /// where it is 0 after finitely many phases.
    pub rate_per_phase: Option<f64>,
    /// The same an iteration.
    pub rate_per_iteration: Option<f64>,
    /// Ticks on process 1 to the first end of a phase with |z| <= 10^-omega |z_0|, of each run that came so far.
    pub times: Vec<u64>,
    /// Runs that were made.
    pub runs: u64,
}

/// Iterates the error from random starts along simulated phases; none where it was stopped.
///
/// In a phase each process repeats its A_i + N_i updates on its own newest piece of the error, with the others' pieces as
/// they were last broadcast, after A_i updates; |z| is the Euclidean norm of the newest pieces at the end of a phase.
pub fn converge(model: &Model, operator: &Operator, options: &ConvergeOptions) -> Option<Converged> {
    let tables = Tables::new(model);
    let alpha = model.processes.iter().map(|process| process.alpha_updates).collect();
    let pieces = Pieces::new(operator, model.size(), false);
    let course = Course { omega: model.omega, pieces, alpha, options, tables: &tables };
    let (rate_per_phase, iterations_mean) = match options.engine {
        EngineKind::Recursion => course.long(Recursion::of_tables(&tables, options.seed, LONG))?,
        EngineKind::Events => course.long(Events::of_tables(&tables, options.seed, LONG))?,
    };
    let most = match rate_per_phase {
        Some(rate) if rate > 1e-12 => options.phases.max((PATIENCE * model.omega / rate).ceil() as u64 + 1000),
        Some(_) => 0,
        None => options.phases,
    };
    let times: Vec<Option<Option<u64>>> = (0..options.runs).into_par_iter().map(|run| course.run(run, most)).collect();
    let times: Option<Vec<Option<u64>>> = times.into_iter().collect();
    Some(Converged {
        rate_per_phase,
        rate_per_iteration: rate_per_phase.map(|rate| rate / iterations_mean),
        times: times?.into_iter().flatten().collect(),
        runs: options.runs,
    })
}

struct Course<'a> {
    omega: f64,
    pieces: Pieces,
    alpha: Vec<u32>,
    options: &'a ConvergeOptions,
    tables: &'a Arc<Tables>,
}

/// The error of one run, rescaled now and then: it is `errors` times 10 to the `scale`.
struct Falling<'c> {
    course: &'c Course<'c>,
    errors: Errors,
    scale: f64,
}

impl Falling<'_> {
    /// After a phase with these updates: log10 of the norm, against that at the start. None where it is 0, or not finite.
    fn after(&mut self, updates: &[u32]) -> Option<f64> {
        self.errors.phase(&self.course.pieces, &self.course.alpha, updates);
        let norm = self.errors.norm();
        let digits = self.scale + norm.log10();
        if norm > 0.0 && norm.is_finite() && !NORMS.contains(&norm) {
            self.errors.scale(1.0 / norm);
            self.scale = digits;
        }
        Some(digits).filter(|digits| digits.is_finite())
    }
}

impl Course<'_> {
    /// The slope over all phases of one run, and the mean of N; none where it was stopped.
    fn long(&self, mut engine: impl Engine) -> Option<(Option<f64>, f64)> {
        let mut error = self.start(LONG);
        let (mut iterations, mut digits) = (0, Slope::default());
        digits.add(0.0);
        for number in 1..=self.options.phases {
            iterations += u64::from(engine.phase().iterations);
            let Some(left) = error.after(engine.last().0) else {
                return Some((None, iterations as f64 / number as f64));
            };
            digits.add(-left);
            if number % SLICE == 0 || number == self.options.phases {
                if let Some(progress) = &self.options.progress {
                    progress(if number % SLICE == 0 { SLICE } else { number % SLICE });
                }
                if self.is_stopped() {
                    return None;
                }
            }
        }
        Some((Some(digits.slope()), iterations as f64 / self.options.phases as f64))
    }

    /// The time of one run to the wanted accuracy, if it comes so far; none where it was stopped.
    fn run(&self, run: u64, most: u64) -> Option<Option<u64>> {
        match self.options.engine {
            EngineKind::Recursion => self.timed(Recursion::of_tables(self.tables, self.options.seed, run), run, most),
            EngineKind::Events => self.timed(Events::of_tables(self.tables, self.options.seed, run), run, most),
        }
    }

    fn timed(&self, mut engine: impl Engine, run: u64, most: u64) -> Option<Option<u64>> {
        let mut error = self.start(run);
        let mut ticks = 0;
        for number in 1..=most {
            ticks += engine.phase().ticks;
            if error.after(engine.last().0).is_none_or(|left| left <= -self.omega) {
                return Some(Some(ticks));
            }
            if number % SLICE == 0 && self.is_stopped() {
                return None;
            }
        }
        if self.is_stopped() { None } else { Some(None) }
    }

    fn start(&self, run: u64) -> Falling<'_> {
        let mut random = SplitMix::new(self.options.seed, STARTS + run);
        let errors = Errors::new((0..self.pieces.dimension()).map(|_| 2.0 * random.uniform() - 1.0).collect());
        Falling { course: self, scale: -errors.norm().log10(), errors }
    }

    fn is_stopped(&self) -> bool {
        self.options.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }
}

/// The least-squares slope of values at 0, 1, 2, ...
#[derive(Debug, Default)]
struct Slope {
    count: f64,
    mean: f64,
    /// Sum of (place - its mean) (value - its mean).
    product: f64,
    /// Sum of (place - its mean)^2.
    square: f64,
}

impl Slope {
    fn add(&mut self, value: f64) {
        // Updates of running means; places are 0, 1, 2, ..
        let place_off = self.count - 0.5 * (self.count - 1.0).max(0.0);
        self.count += 1.0;
        if self.count == 1.0 {
            self.mean = value;
            return;
        }
        let value_off = value - self.mean;
        self.mean += value_off / self.count;
        let share = (self.count - 1.0) / self.count;
        self.product += share * place_off * value_off;
        self.square += share * place_off * place_off;
    }

    fn slope(&self) -> f64 {
        if self.square > 0.0 { self.product / self.square } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::model::operator::Rate;

    /// A tridiagonal matrix: `center` on the diagonal, `side` beside it; `pieces` rows a process.
    fn tridiagonal(center: f64, side: f64, processes: usize, pieces: usize) -> Operator {
        let size = processes * pieces;
        let row = |place: usize| {
            let entries = [(place.wrapping_sub(1), side), (place, center), (place + 1, side)];
            entries.into_iter().filter(|(column, _)| *column < size).collect()
        };
        let largest = center.abs() + 2.0 * side.abs() * (std::f64::consts::PI / (size + 1) as f64).cos();
        Operator {
            rows: (0..size).map(row).collect(),
            owner: (0..size).map(|place| place / pieces).collect(),
            gap: 1.0 - largest,
            rate: Rate::Auto,
        }
    }

    fn options(engine: EngineKind) -> ConvergeOptions {
        ConvergeOptions { phases: 4000, runs: 20, seed: 3, engine, interrupt: None, progress: None }
    }

    #[test]
    fn a_synchronous_run_gains_what_the_matrix_gives() {
        let model = cases::homogeneous(3, 1, 4);
        let operator = tridiagonal(0.4, 0.2, 3, 10);
        for engine in [EngineKind::Recursion, EngineKind::Events] {
            let found = converge(&model, &operator, &options(engine)).expect("nobody stops it");
            let digits = operator.digits_per_application().expect("a contraction");
            let rate = found.rate_per_phase.expect("a rate");
            assert!((rate / digits - 1.0).abs() < 1e-3, "{rate} instead of {digits}");
            assert_eq!(found.rate_per_iteration, Some(rate));
            // 6 digits less what the start gives, at about 8.7 ticks a phase.
            let mean = found.times.iter().sum::<u64>() as f64 / 20.0;
            assert!(found.times.len() == 20 && mean < 6.0 / digits * 9.5 && mean > 4.0 / digits * 8.0, "{mean}");
        }
    }

    #[test]
    fn alone_every_update_counts() {
        // One process, A = 3: three times the digits a phase.
        let model = cases::plain(1.0, 0.9, vec![crate::Law::constant(2)], crate::Law::constant(0));
        let operator = tridiagonal(0.4, 0.2, 1, 8);
        let found = converge(&model.with_updates(&[(3, 0)]), &operator, &options(EngineKind::Events)).expect("rates");
        let digits = operator.digits_per_application().expect("a contraction");
        assert!((found.rate_per_phase.expect("a rate") / digits - 3.0).abs() < 1e-3);
        assert!((found.rate_per_iteration.expect("a rate") / digits - 1.0).abs() < 1e-3);
    }

    #[test]
    fn an_error_that_grows_and_one_that_vanishes() {
        let model = cases::homogeneous(2, 1, 4);
        let grows = converge(&model, &tridiagonal(1.2, 0.1, 2, 2), &options(EngineKind::Recursion)).expect("a rate");
        assert!(grows.rate_per_phase.expect("a rate") < -0.05 && grows.times.is_empty());
        let vanishes = converge(&model, &tridiagonal(0.0, 0.0, 2, 2), &options(EngineKind::Recursion)).expect("times");
        assert_eq!((vanishes.rate_per_phase, vanishes.times.len()), (None, 20));
    }

    #[test]
    fn slopes_of_lines() {
        let mut slope = Slope::default();
        for place in 0..1000 {
            slope.add(7.0 - 0.25 * f64::from(place));
        }
        assert!((slope.slope() + 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_stopped_ends() {
        let interrupt = Some(Arc::new(AtomicBool::new(true)));
        let options = ConvergeOptions { interrupt, ..options(EngineKind::Recursion) };
        assert_eq!(converge(&cases::barrier(), &tridiagonal(0.4, 0.2, 2, 2), &options), None);
    }
}

//! Runs under a level: phase by phase, every time multiplied by what the level is by then.

use super::tables::{Rule, Tables};
use crate::level::{Level, Path, Paths};
use crate::model::Model;
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Draws of times that are quick ([`RunTimes::is_quick`]) at most, and of them those of processes (runs, phases, processes).
const MOST_DRAWS: f64 = 2e8;
const MOST_OF_PROCESSES: f64 = 1e8;

/// Phases between two looks at the interrupt.
const SLICE: u64 = 1 << 16;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct RunTimes {
    /// Phases of a run.
    pub phases: u64,
    pub runs: u64,
    /// From the last sample to the start of the run \[s\].
    pub start_in_s: f64,
    /// How long a run takes, about \[s\].
    pub run_s: f64,
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl RunTimes {
    /// Random numbers that it takes, about.
    pub fn draws(&self, model: &Model) -> f64 {
        let processes = model.size() as f64;
        let is_constant = model.messages().all(|law| law.support().len() == 1);
        let links = if is_constant { 0.0 } else { processes * (processes - 1.0) };
        self.runs as f64 * self.phases as f64 * (processes + links)
    }

    /// Whether it takes no more than a second or two.
    pub fn is_quick(&self, model: &Model) -> bool {
        let of_processes = self.runs as f64 * self.phases as f64 * model.size() as f64;
        of_processes <= MOST_OF_PROCESSES && self.draws(model) <= MOST_DRAWS
    }

    /// The time of each run on process 1, from the start of the model \[s\]:
    ///
    /// ```text
    /// Y_i = X_i + alpha_i e^x      W_i = max over j != i of (Y_j + n_{j->i} e^x, or n_{j->i})      x: the level at the start of the phase
    /// ```
    ///
    /// Messages slow down alike where the level says so. Each run has random numbers of its own, whatever the number of
    /// threads. None without a level, where nothing is known of it, or where it was interrupted.
    pub fn under_level(&self, model: &Model) -> Option<Vec<f64>> {
        let level = model.level.as_ref()?;
        let paths = Paths::over(level, self.start_in_s, self.run_s)?;
        let with_messages = matches!(level, Level::Fixed { .. }) || matches!(level, Level::Observed(o) if o.messages);
        let tables = Tables::new(model);
        let stop = || self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let time_s = |run: u64| {
            let mut random = SplitMix::new(self.seed, run);
            let path = paths.draw(run, self.runs, &mut random);
            Slowed::new(&tables, &path, with_messages, model.step_s).run(self.phases, &mut random, &stop)
        };
        (0..self.runs).into_par_iter().map(time_s).collect()
    }
}

/// A run.
struct Slowed<'a> {
    tables: &'a Tables,
    path: &'a Path,
    with_messages: bool,
    step_s: f64,
    /// Against process 1, in ticks.
    offsets: Vec<f64>,
    alpha_ends: Vec<f64>,
}

impl<'a> Slowed<'a> {
    fn new(tables: &'a Tables, path: &'a Path, with_messages: bool, step_s: f64) -> Slowed<'a> {
        let offsets: Vec<f64> = tables.offsets.iter().map(|ticks| *ticks as f64).collect();
        Slowed { tables, path, with_messages, step_s, alpha_ends: vec![0.0; offsets.len()], offsets }
    }

    fn run(&mut self, phases: u64, random: &mut SplitMix, stop: &impl Fn() -> bool) -> Option<f64> {
        let mut mode = self.tables.first_mode(random);
        let mut now = 0.0;
        for phase in 0..phases {
            if phase % SLICE == 0 && stop() {
                return None;
            }
            let slow = self.path.at(now * self.step_s).exp();
            now += self.phase(mode, slow, random);
            mode = self.tables.next_mode(mode, random);
        }
        Some(now * self.step_s)
    }

    /// Its duration on process 1, in ticks.
    fn phase(&mut self, mode: usize, slow: f64, random: &mut SplitMix) -> f64 {
        let laws = &self.tables.modes[mode];
        let size = self.offsets.len();
        let of_message = if self.with_messages { slow } else { 1.0 };
        for process in 0..size {
            self.alpha_ends[process] = self.offsets[process] + slow * laws.alpha.draw(process, random) as f64;
        }
        for to in 0..size {
            let mut last = self.alpha_ends[to] + of_message * laws.own[to] as f64;
            for from in (0..size).filter(|from| *from != to) {
                let message = of_message * laws.network.draw(from, to, size, random) as f64;
                last = last.max(self.alpha_ends[from] + message);
            }
            self.offsets[to] = last;
        }
        // Updates of beta that are thrown away make no phase longer.
        if self.tables.rule == Rule::Complete {
            for process in 0..size {
                let (mut now, met) = (self.alpha_ends[process], self.offsets[process]);
                for _ in 0..self.tables.beta_updates[process] {
                    if now >= met {
                        break;
                    }
                    now += slow * laws.update[process].draw(random) as f64;
                }
                self.offsets[process] = now.max(met);
            }
        }
        let ticks = self.offsets[0];
        self.offsets.iter_mut().for_each(|offset| *offset -= ticks);
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::level::Observed;
    use crate::model::{Law, Semantics};
    use crate::simulate::Recursion;
    use runcast_core::statistics::{mean, quantile_of_sorted, sample_variance};

    fn sorted(model: &Model, asked: RunTimes) -> Vec<f64> {
        let mut times = asked.under_level(model).expect("a level");
        times.sort_by(f64::total_cmp);
        times
    }

    /// T = e^x (62 + 2 Binomial(62, 3/4)), by an independent script.
    #[test]
    fn a_constant_level() {
        for (sd, expected_mean, expected_sd, quantiles) in [
            (0.1, 155.776941, 17.068137, [129.28495, 154.90101, 185.2556]),
            (0.2, 158.131208, 32.724086, [110.53844, 154.86385, 216.85091]),
        ] {
            let model = Model { level: Some(Level::Fixed { sd, mean: 0.0 }), ..cases::barrier() };
            let asked =
                RunTimes { phases: 62, runs: 4000, start_in_s: 0.0, run_s: 155.0, seed: 0, ..RunTimes::default() };
            let times = sorted(&model, asked);
            assert!((mean(&times) / expected_mean - 1.0).abs() < 0.005, "{}", mean(&times));
            let found_sd = sample_variance(&times).expect("many").sqrt();
            assert!((found_sd / expected_sd - 1.0).abs() < 0.03, "{found_sd}");
            for (share, expected) in [0.05, 0.5, 0.95].into_iter().zip(quantiles) {
                let found = quantile_of_sorted(&times, share);
                assert!((found / expected - 1.0).abs() < 0.01, "{share}: {found}, expected {expected}");
            }
        }
    }

    /// Without a slowdown, the law of the integer recursion; messages that do not slow down count once.
    #[test]
    fn without_a_slowdown_it_is_the_recursion() {
        for semantics in [Semantics::Abort, Semantics::Complete] {
            let mut model = cases::homogeneous(3, 1, 2);
            model.semantics = semantics;
            model.level = Some(Level::Fixed { sd: 0.0, mean: 0.0 });
            let asked =
                RunTimes { phases: 50, runs: 2000, start_in_s: 0.0, run_s: 50.0, seed: 1, ..RunTimes::default() };
            let found = mean(&asked.under_level(&model).expect("a level"));
            let plain: Vec<f64> = (0..2000)
                .map(|stream| {
                    let mut recursion = Recursion::new(&model, 8, stream);
                    (0..50).map(|_| recursion.phase().ticks).sum::<u64>() as f64 * model.step_s
                })
                .collect();
            let error = (2.0 * sample_variance(&plain).expect("many") / 2000.0).sqrt();
            assert!((found - mean(&plain)).abs() < 4.0 * error, "{found} {}", mean(&plain));
        }
        // Updates of 2, messages of 3: 2 e^x + 3 a phase.
        let observed = Observed {
            times_s: vec![0.0, 1.0],
            end_s: 1.0,
            log_factor: vec![2f64.ln(), 2f64.ln()],
            variance: vec![1e-12, 1e-12],
            messages: false,
        };
        let plain = cases::plain(1.0, 0.9, vec![Law::constant(2), Law::constant(2)], Law::constant(3));
        let model = Model { level: Some(Level::Observed(observed)), ..plain };
        let asked = RunTimes { phases: 10, runs: 64, start_in_s: 0.0, run_s: 1e-6, seed: 1, ..RunTimes::default() };
        let times = sorted(&model, asked);
        assert!((quantile_of_sorted(&times, 0.5) - 70.0).abs() < 1.0, "{}", quantile_of_sorted(&times, 0.5));
    }
}

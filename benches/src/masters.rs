//! Made-up master-worker programs, event by event: what the BSF model forecasts from few workers, and how far off it is.
//!
//! The master sends an order to each worker in turn, then takes the results in the same order and folds them; a worker
//! computes its block. No formula of the model is used: times are those of the events.

use crate::random::Random;
use runcast_bsf::cost::Collective;
use runcast_bsf::fit::{Measured, fit_auto_along};
use runcast_bsf::pieces::{ElementTime, Messages, Pieces, Route};
use runcast_core::ranges::Coverage;
use runcast_core::statistics::{mean, median};
use std::fmt::Write as _;

/// Programs of each kind. They are drawn anew from this seed: no constant of the model was chosen on them.
const PROGRAMS: usize = 40;
const SEED: u64 = 20_261_127;
const SEEN: [u64; 4] = [1, 2, 3, 4];
const ASKED: [u64; 9] = [6, 8, 12, 16, 24, 32, 48, 64, 128];
const LEVEL: f64 = 0.9;

/// A program and its machine.
#[derive(Debug, Clone)]
struct Master {
    list_length: u64,
    element_s: f64,
    /// An order: one way, and how long the master is busy with it.
    send_s: [f64; 2],
    /// A result, likewise.
    receive_s: [f64; 2],
    fold_s: f64,
    compute_s: f64,
    /// Relative spread of a run.
    noise: f64,
}

impl Master {
    fn draw(random: &mut Random, noise: f64) -> Master {
        let mut log = |low: f64, high: f64| 10_f64.powf(low + (high - low) * random.uniform());
        let (send, receive) = (log(-5.3, -3.3), log(-5.3, -3.3));
        let list_length = log(2.3, 4.0) as u64;
        Master {
            list_length,
            element_s: log(-2.0, 0.3) / list_length as f64,
            send_s: [send, send * log(-0.3, 0.0)],
            receive_s: [receive, receive * log(-0.3, 0.0)],
            fold_s: log(-6.5, -4.5),
            compute_s: log(-5.0, -3.5),
            noise,
        }
    }

    fn work_s(&self, workers: u64) -> f64 {
        self.list_length.div_ceil(workers) as f64 * self.element_s
    }

    /// An iteration without noise.
    fn time_s(&self, workers: u64) -> f64 {
        let ([there_s, sent_s], [back_s, taken_s]) = (self.send_s, self.receive_s);
        let mut free_s = workers as f64 * sent_s;
        for worker in 0..workers {
            let ready_s = worker as f64 * sent_s + there_s + self.work_s(workers) + back_s - taken_s;
            free_s = free_s.max(ready_s) + taken_s + if worker > 0 { self.fold_s } else { 0.0 };
        }
        free_s + self.compute_s
    }

    fn run_s(&self, workers: u64, random: &mut Random) -> f64 {
        self.time_s(workers) * (self.noise * random.normal()).exp()
    }

    /// What `bsf calibrate --form pieces` would write: ping-pongs, blocks and the times of one worker.
    fn pieces(&self, random: &mut Random) -> Pieces {
        let mut seen = |value: f64| value * (self.noise * random.normal()).exp();
        let element_s = seen(self.element_s);
        let mut knots =
            [[seen(self.send_s[0]), seen(self.send_s[1])], [seen(self.receive_s[0]), seen(self.receive_s[1])]];
        knots.iter_mut().for_each(|[time_s, busy_s]| *busy_s = busy_s.min(*time_s));
        Pieces {
            list_length: self.list_length,
            send_bytes: 1.0,
            receive_bytes: 2.0,
            element_bytes: 8.0,
            map: ElementTime { in_cache_s: element_s, out_of_cache_s: element_s, cache_bytes: f64::INFINITY },
            fold_s: seen(self.fold_s),
            compute_s: seen(self.compute_s),
            // Two sizes, each a protocol of its own.
            messages: Messages {
                size_bytes: vec![1.0, 2.0],
                time_s: knots.iter().map(|knot| knot[0]).collect(),
                busy_s: knots.iter().map(|knot| knot[1]).collect(),
                switches: vec![1.0],
            },
            overlaps: true,
            collectives: Vec::new(),
        }
    }

    /// How much longer an iteration takes with the workers that a forecast advises, of those seen and asked for, than with
    /// the best of these.
    fn regret_pct(&self, forecast_s: impl Fn(u64) -> f64) -> f64 {
        let least = |of: &dyn Fn(u64) -> f64| SEEN.into_iter().chain(ASKED).min_by(|a, b| of(*a).total_cmp(&of(*b)));
        let time_s = |workers: Option<u64>| workers.map_or(f64::NAN, |workers| self.time_s(workers));
        100.0 * (time_s(least(&forecast_s)) / time_s(least(&|workers| self.time_s(workers))) - 1.0)
    }
}

/// What forecasts of one kind did.
#[derive(Default)]
struct Tally {
    errors_pct: Vec<f64>,
    regrets_pct: Vec<f64>,
    /// Runs with a range, and those within, of each program: they share a fit.
    covered: Vec<(usize, usize)>,
    half_widths: Vec<f64>,
}

impl Tally {
    fn add(&mut self, measured_s: f64, (value_s, range): (f64, Option<(f64, f64)>)) {
        self.errors_pct.push(100.0 * (value_s / measured_s - 1.0).abs());
        if let Some((low_s, high_s)) = range {
            if let Some((runs, within)) = self.covered.last_mut() {
                *runs += 1;
                *within += usize::from((low_s..=high_s).contains(&measured_s));
            }
            self.half_widths.push((high_s / low_s).sqrt());
        }
    }

    fn row(&self, name: &str) -> String {
        let (share, low, high) =
            Coverage::of(&self.covered).map_or((0.0, 0.0, 0.0), |found| (found.share(), found.low, found.high));
        format!(
            "| {name} | {} | {:.1} % | {:.1} % | {:.0} % ({:.0} to {:.0}) | x{:.2} | {:.1} % | {:.1} % |\n",
            self.errors_pct.len(),
            mean(&self.errors_pct),
            median(&self.errors_pct),
            100.0 * share,
            100.0 * low,
            100.0 * high,
            median(&self.half_widths),
            mean(&self.regrets_pct),
            self.regrets_pct.iter().copied().fold(0.0, f64::max),
        )
    }
}

/// The section of the page.
pub fn section() -> String {
    let mut text = format!(
        "\n## BSF: masters and workers\n\n\
         {PROGRAMS} made-up programs a row, drawn at random (seed {SEED}): lists of 200 to 10,000 elements, 10 ms to 2 s of work,\n\
         messages of 5 to 500 us each way, their times event by event. *Fit* (`bsf validate --fit`) has seen 1 to 4 workers,\n\
         *pieces* (`bsf calibrate --form pieces`) the messages, a block and one worker; both are asked for 6 to 128. Judged is\n\
         one more run at each. Regret: how much longer an iteration takes with the workers advised, of all these, than with the best.\n\
         The formula of pieces describes such masters exactly: its errors are those of what was measured. Few workers do not show what\n\
         each worker costs, if that is less than their noise; the fit is told that messages are flat.\n\n\
         | forecast | runs | mean error | median | in the 90 % range | its half, as a factor | mean regret | largest |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for noise in [0.0, 0.005, 0.02] {
        let mut random = Random::new(SEED);
        let (mut fit, mut pieces) = (Tally::default(), Tally::default());
        for _ in 0..PROGRAMS {
            let master = Master::draw(&mut random, noise);
            let runs = SEEN.map(|workers| Measured { workers, time_s: master.run_s(workers, &mut random) });
            let costs = master.pieces(&mut random);
            let auto = fit_auto_along(&runs, Some(master.list_length), Some(Collective::Flat)).ok();
            fit.covered.push((0, 0));
            pieces.covered.push((0, 0));
            for workers in ASKED {
                let run_s = master.run_s(workers, &mut random);
                if let Some(auto) = &auto {
                    let range = auto.range(workers, LEVEL).map(|range| (range.low, range.high));
                    fit.add(run_s, (auto.time_s(workers), range));
                }
                let range = costs.range(Route::Flat, workers, LEVEL).map(|range| (range.low, range.high));
                pieces.add(run_s, (costs.time_s(Route::Flat, workers).unwrap_or(f64::NAN), range));
            }
            fit.regrets_pct.extend(auto.map(|auto| master.regret_pct(|workers| auto.time_s(workers))));
            let pieces_s = |workers| costs.time_s(Route::Flat, workers).unwrap_or(f64::INFINITY);
            pieces.regrets_pct.push(master.regret_pct(pieces_s));
        }
        let spread = 100.0 * noise;
        let _ = write!(text, "{}", fit.row(&format!("fit, runs spread by {spread} %")));
        let _ = write!(text, "{}", pieces.row(&format!("pieces, {spread} %")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_meet_their_goals_where_nothing_is_noise() {
        let mut random = Random::new(SEED);
        for _ in 0..PROGRAMS {
            let master = Master::draw(&mut random, 0.0);
            let costs = master.pieces(&mut random);
            for workers in ASKED {
                let found = costs.time_s(Route::Flat, workers).expect("flat");
                assert!((found / master.time_s(workers) - 1.0).abs() < 1e-9, "{workers}: {master:?}");
            }
            assert_eq!(master.regret_pct(|workers| costs.time_s(Route::Flat, workers).expect("flat")), 0.0);
        }
    }
}

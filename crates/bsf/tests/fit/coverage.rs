//! How often intervals hold, over staircases with a noise of 2 %.

use crate::made::{Random, exact};
use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Coefficients, Loss, Measured, Shape, fit};

const NOISE: f64 = 0.02;
const LEVEL: f64 = 0.9;
const TABLES: usize = 600;

/// A program of which times are made up, and which runs of it are made.
struct Program {
    name: &'static str,
    collective: Collective,
    list_length: u64,
    coefficients: Coefficients,
    train: &'static [u64],
    test: &'static [u64],
}

const PROGRAMS: [Program; 5] = [
    Program {
        name: "as rnd400: five runs, no cost per worker",
        collective: Collective::Flat,
        list_length: 400,
        coefficients: Coefficients { fixed_s: 0.113, work_s: 2390.0, per_worker_s: 0.0 },
        train: &[20, 40, 60, 80, 100],
        test: &[120, 140, 160, 180, 200, 220, 240, 260, 280, 320],
    },
    Program {
        name: "as rnd22: a long list, the boundary far away",
        collective: Collective::Flat,
        list_length: 4_194_303,
        coefficients: Coefficients { fixed_s: 0.04, work_s: 934.6, per_worker_s: 0.001_14 },
        train: &[20, 40, 60, 80, 100],
        test: &[120, 160, 200, 240, 280, 320],
    },
    Program {
        name: "the boundary, 120, beyond ten runs",
        collective: Collective::Flat,
        list_length: 1000,
        coefficients: Coefficients { fixed_s: 0.02, work_s: 14.4, per_worker_s: 0.001 },
        train: &[5, 10, 15, 20, 25, 30, 35, 40, 45, 50],
        test: &[60, 80, 100, 120, 160, 200],
    },
    Program {
        name: "the boundary, 30, among seven runs",
        collective: Collective::Flat,
        list_length: 1500,
        coefficients: Coefficients { fixed_s: 0.001, work_s: 0.9, per_worker_s: 0.001 },
        train: &[1, 2, 4, 8, 16, 32, 64],
        test: &[3, 12, 24, 48, 100, 200],
    },
    Program {
        name: "along a tree",
        collective: Collective::Tree,
        list_length: 1500,
        coefficients: Coefficients { fixed_s: 0.002, work_s: 0.5, per_worker_s: 0.001 },
        train: &[1, 2, 4, 8, 16, 32, 64],
        test: &[3, 12, 24, 48, 128, 500],
    },
];

/// Shares of intervals that held.
struct Coverage {
    times: f64,
    boundary: f64,
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    for program in &PROGRAMS {
        for loss in [Loss::LeastSquares, Loss::LeastAbsolute] {
            let Coverage { times, boundary } = program.coverage(loss);
            let told = format!("{}, {}: {times:.3} of times, {boundary:.3} of boundaries", program.name, loss.name());
            assert!(times >= 0.85, "{told}");
            assert!(boundary >= 0.85, "{told}");
        }
    }
}

impl Program {
    fn coverage(&self, loss: Loss) -> Coverage {
        let mut random = Random(1);
        let (mut times, mut boundary) = (0.0, 0.0);
        for _ in 0..TABLES {
            let (inside, holds) = self.trial(loss, &mut random);
            times += inside / TABLES as f64;
            boundary += holds / TABLES as f64;
        }
        Coverage { times, boundary }
    }

    /// The share of test runs in their intervals, and whether the boundary is in its own.
    fn trial(&self, loss: Loss, random: &mut Random) -> (f64, f64) {
        let shape = Shape::new(Form::Granular, self.collective, Some(self.list_length)).expect("a shape");
        let mut noisy = |workers: &[u64]| -> Vec<Measured> {
            let noise = |run: Measured, x: f64| Measured { time_s: run.time_s * (1.0 + NOISE * x), ..run };
            exact(shape, self.coefficients, workers).into_iter().map(|run| noise(run, random.normal())).collect()
        };
        let (train, test) = (noisy(self.train), noisy(self.test));
        let fitted = fit(&train, shape, loss).expect("a fit");
        let intervals = fitted.at_level(LEVEL);
        let holds = |run: &&Measured| {
            let at = intervals.time(run.workers);
            (at.low_s..=at.high_s).contains(&run.time_s)
        };
        let inside = test.iter().filter(holds).count() as f64 / test.len() as f64;
        let (low, high) = intervals.k_max();
        let truth = self.boundary();
        let is_inside = low.unwrap_or(f64::INFINITY) <= truth && truth <= high.unwrap_or(f64::INFINITY);
        (inside, f64::from(u8::from(is_inside)))
    }

    /// The boundary; infinite where nothing bounds.
    fn boundary(&self) -> f64 {
        let ratio = self.coefficients.work_s / self.coefficients.per_worker_s;
        match self.collective {
            Collective::Flat => ratio.sqrt(),
            Collective::Tree => std::f64::consts::LN_2 * ratio,
        }
    }
}

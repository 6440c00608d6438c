//! The optima are global: nothing that is tried at random, or all that can be tried, is better.

use crate::made::{Random, sum};
use proptest::prelude::*;
use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Coefficients, Loss, Measured, Shape, fit};

fn shapes() -> impl Strategy<Value = Shape> {
    let forms = prop_oneof![Just(Form::Smooth), Just(Form::Granular)];
    let collectives = prop_oneof![Just(Collective::Flat), Just(Collective::Tree)];
    (forms, collectives).prop_map(|(form, collective)| Shape::new(form, collective, Some(64)).expect("a shape"))
}

/// Three to nine numbers of workers with times that follow no law.
fn runs() -> impl Strategy<Value = Vec<Measured>> {
    let workers = prop::collection::btree_set(1u64..=64, 3..9);
    (workers, prop::collection::vec(0.01f64..100.0, 9)).prop_map(|(workers, times)| {
        workers.into_iter().zip(times).map(|(workers, time_s)| Measured { workers, time_s }).collect()
    })
}

/// The least sum of squares over all supports, by the normal equations of two or three unknowns, solved by Cramer's
/// rule: slow, inexact, and independent.
fn squares_by_brute_force(shape: Shape, runs: &[Measured]) -> f64 {
    let rows: Vec<[f64; 3]> = runs
        .iter()
        .map(|run| {
            let unit = |fixed_s, work_s, per_worker_s| {
                let coefficients = Coefficients { fixed_s, work_s, per_worker_s };
                crate::made::time_s(shape, coefficients, run.workers) / run.time_s
            };
            [unit(1.0, 0.0, 0.0), unit(0.0, 1.0, 0.0), unit(0.0, 0.0, 1.0)]
        })
        .collect();
    let moment = |i: usize, j: usize| rows.iter().map(|row| row[i] * row[j]).sum::<f64>();
    let total = |i: usize| rows.iter().map(|row| row[i]).sum::<f64>();
    let mut least = runs.len() as f64;
    for mask in 1..8usize {
        // A coefficient outside of the support has the equation c = 0.
        let on = |i: usize| mask >> i & 1 == 1;
        let entry = |i: usize, j: usize| match (on(i), on(j)) {
            (true, true) => moment(i, j),
            _ => f64::from(u8::from(i == j)),
        };
        let right = |i: usize| if on(i) { total(i) } else { 0.0 };
        let with = |place: usize| determinant(|i, j| if j == place { right(i) } else { entry(i, j) });
        let all = determinant(entry);
        let c = [with(0) / all, with(1) / all, with(2) / all];
        if all > 0.0 && c.iter().all(|value| *value >= 0.0) {
            let residual = |row: &[f64; 3]| row[0] * c[0] + row[1] * c[1] + row[2] * c[2] - 1.0;
            least = least.min(rows.iter().map(|row| residual(row).powi(2)).sum());
        }
    }
    least
}

fn determinant(entry: impl Fn(usize, usize) -> f64) -> f64 {
    let minor = |a: usize, b: usize| entry(1, a) * entry(2, b) - entry(1, b) * entry(2, a);
    entry(0, 0) * minor(1, 2) - entry(0, 1) * minor(0, 2) + entry(0, 2) * minor(0, 1)
}

proptest! {
    #[test]
    fn nothing_at_random_is_better(shape in shapes(), runs in runs(), seed in any::<u64>()) {
        let mut random = Random(seed);
        for (loss, power) in [(Loss::LeastSquares, 2), (Loss::LeastAbsolute, 1)] {
            let best = fit(&runs, shape, loss).expect("a fit").coefficients();
            let least = sum(shape, best, &runs, power);
            for _ in 0..100 {
                // Near the optimum, and anywhere.
                let mut near = |value: f64, scale: f64| match random.even() {
                    x if x < 0.5 => value * (1.0 + 0.1 * random.normal()),
                    _ => value + scale * 10f64.powf(-6.0 * random.even()) * random.normal(),
                }.max(0.0);
                let other = Coefficients {
                    fixed_s: near(best.fixed_s, 10.0),
                    work_s: near(best.work_s, 100.0),
                    per_worker_s: near(best.per_worker_s, 1.0),
                };
                let sum = sum(shape, other, &runs, power);
                prop_assert!(sum >= least * (1.0 - 1e-9), "{loss:?}: {sum} at {other:?}, {least} at {best:?}");
            }
        }
    }

    #[test]
    fn squares_are_those_of_brute_force(shape in shapes(), runs in runs()) {
        let best = fit(&runs, shape, Loss::LeastSquares).expect("a fit").coefficients();
        let (found, expected) = (sum(shape, best, &runs, 2), squares_by_brute_force(shape, &runs));
        prop_assert!(found <= expected * (1.0 + 1e-6) + 1e-9, "{found}, expected {expected}");
    }

    #[test]
    fn coefficients_are_never_negative(shape in shapes(), runs in runs()) {
        for loss in [Loss::LeastSquares, Loss::LeastAbsolute] {
            let Coefficients { fixed_s, work_s, per_worker_s } = fit(&runs, shape, loss).expect("a fit").coefficients();
            prop_assert!(fixed_s >= 0.0 && work_s >= 0.0 && per_worker_s >= 0.0);
        }
    }
}

#[test]
fn thousands_of_worker_counts_are_fitted_at_once() {
    let shape = Shape::new(Form::Granular, Collective::Flat, Some(60_000)).expect("a shape");
    let coefficients = Coefficients { fixed_s: 0.5, work_s: 1000.0, per_worker_s: 0.002 };
    let mut random = Random(7);
    let runs: Vec<Measured> = (1..=20_000)
        .map(|workers| {
            let time_s = crate::made::time_s(shape, coefficients, workers) * (1.0 + 0.05 * random.normal());
            Measured { workers, time_s: time_s * if workers % 9 == 0 { 2.0 } else { 1.0 } }
        })
        .collect();
    let fitted = fit(&runs, shape, Loss::LeastAbsolute).expect("a fit");
    // A ninth of the times is twice too long; squares would be 11 % off.
    assert!((fitted.time_s(700) / crate::made::time_s(shape, coefficients, 700) - 1.0).abs() < 0.02);
}

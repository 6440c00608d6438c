//! Times without noise give their coefficients back.

use crate::made::exact;
use proptest::prelude::*;
use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Coefficients, FitError, Loss, Measured, Shape, fit, fit_both};

const LOSSES: [Loss; 2] = [Loss::LeastSquares, Loss::LeastAbsolute];
const WORKERS: [u64; 9] = [1, 2, 3, 5, 8, 13, 21, 34, 55];

fn shape(form: Form, collective: Collective) -> Shape {
    Shape::new(form, collective, Some(100)).expect("a shape")
}

fn shapes() -> impl Strategy<Value = Shape> {
    let forms = prop_oneof![Just(Form::Smooth), Just(Form::Granular)];
    let collectives = prop_oneof![Just(Collective::Flat), Just(Collective::Tree)];
    (forms, collectives).prop_map(|(form, collective)| shape(form, collective))
}

fn assert_close(found: f64, expected: f64, scale: f64) {
    assert!((found - expected).abs() <= 1e-9 * scale, "{found}, expected {expected}");
}

proptest! {
    #[test]
    fn coefficients_come_back(
        shape in shapes(),
        fixed_s in 0.001f64..10.0,
        work_s in 0.1f64..1e4,
        per_worker_s in 1e-4f64..1.0,
    ) {
        let coefficients = Coefficients { fixed_s, work_s, per_worker_s };
        let runs = exact(shape, coefficients, &WORKERS);
        // What an error of the last digit of the times can do to a coefficient.
        let largest = runs.iter().map(|run| run.time_s).fold(0.0, f64::max);
        for loss in LOSSES {
            let fitted = fit(&runs, shape, loss).expect("a fit");
            assert_close(fitted.coefficients().fixed_s, fixed_s, largest);
            assert_close(fitted.coefficients().work_s, work_s, largest);
            assert_close(fitted.coefficients().per_worker_s, per_worker_s, largest);
            for &workers in &WORKERS {
                assert_close(fitted.time_s(workers), crate::made::time_s(shape, coefficients, workers), largest);
            }
        }
    }

    #[test]
    fn without_a_cost_per_worker_there_is_no_boundary(shape in shapes(), fixed_s in 0.0f64..10.0, work_s in 0.1f64..1e4) {
        let runs = exact(shape, Coefficients { fixed_s, work_s, per_worker_s: 0.0 }, &WORKERS);
        for loss in LOSSES {
            let fitted = fit(&runs, shape, loss).expect("a fit");
            prop_assert_eq!((fitted.coefficients().per_worker_s, fitted.k_max()), (0.0, None), "{:?}", loss);
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(seed in any::<u64>()) {
        let mut random = crate::made::Random(seed);
        let mut runs: Vec<Measured> =
            WORKERS.iter().map(|&workers| Measured { workers, time_s: 1.0 / workers as f64 + random.even() }).collect();
        let shape = shape(Form::Smooth, Collective::Flat);
        let first = fit_both(&runs, shape).expect("a fit");
        runs.reverse();
        runs.swap(1, 4);
        let second = fit_both(&runs, shape).expect("a fit");
        prop_assert_eq!(first.l2.coefficients(), second.l2.coefficients());
        prop_assert_eq!(first.l1.coefficients(), second.l1.coefficients());
    }
}

#[test]
fn the_median_of_repetitions_counts() {
    let shape = shape(Form::Smooth, Collective::Flat);
    let coefficients = Coefficients { fixed_s: 1.0, work_s: 100.0, per_worker_s: 0.1 };
    let once = exact(shape, coefficients, &WORKERS);
    let thrice: Vec<Measured> = [1.0, 0.9, 7.0]
        .iter()
        .flat_map(|factor| once.iter().map(move |run| Measured { time_s: factor * run.time_s, ..*run }))
        .collect();
    for loss in LOSSES {
        assert_eq!(
            fit(&thrice, shape, loss).expect("a fit").coefficients(),
            fit(&once, shape, loss).expect("a fit").coefficients()
        );
    }
}

#[test]
fn absolute_errors_do_not_follow_outliers() {
    let shape = shape(Form::Granular, Collective::Flat);
    let coefficients = Coefficients { fixed_s: 0.5, work_s: 1000.0, per_worker_s: 0.02 };
    let workers: Vec<u64> = (1..=100).collect();
    let mut runs = exact(shape, coefficients, &workers);
    runs[40].time_s *= 3.0;
    runs[9].time_s *= 0.6;
    let both = fit_both(&runs, shape).expect("a fit");
    let found = both.l1.coefficients();
    assert_close(found.fixed_s, 0.5, 1.0);
    assert_close(found.work_s, 1000.0, 1000.0);
    assert_close(found.per_worker_s, 0.02, 1.0);
    let disagreement = both.disagreement(workers, 0.02).expect("squares follow");
    assert_eq!(disagreement.suspect.workers, 41, "67 % off, the other is 40 % off");
    assert!((disagreement.suspect_error - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn where_steps_are_not_seen_nothing_is_made_up() {
    // ceil(100/K) = 2 throughout: fixed and work cannot be told apart.
    let shape = shape(Form::Granular, Collective::Flat);
    let runs: Vec<Measured> =
        [50, 55, 60, 70, 90].map(|workers| Measured { workers, time_s: 2.0 + 0.01 * workers as f64 }).to_vec();
    for loss in LOSSES {
        let fitted = fit(&runs, shape, loss).expect("a fit");
        assert!(!fitted.is_identifiable());
        assert_close(fitted.time_s(80), 2.8, 1.0);
        let intervals = fitted.at_level(0.9);
        assert!(intervals.time(80).high_s < 2.81);
        assert_eq!(intervals.time(20).high_s, f64::INFINITY);
        assert!(intervals.time(20).low_s > 0.0);
    }
}

#[test]
fn what_cannot_be_fitted_is_told() {
    let run = |workers, time_s| Measured { workers, time_s };
    let smooth = shape(Form::Smooth, Collective::Flat);
    let failure = |runs: &[Measured]| fit(runs, smooth, Loss::LeastSquares).map(|_| ()).expect_err("no fit");
    assert_eq!(failure(&[run(1, 1.0), run(2, 1.0), run(2, 1.1)]), FitError::TooFewWorkerCounts { found: 2 });
    assert_eq!(failure(&[run(1, 0.0)]), FitError::Time { workers: 1, time_s: 0.0 });
    assert!(matches!(failure(&[run(1, f64::NAN)]), FitError::Time { workers: 1, .. }));
    assert!(matches!(failure(&[run(1, f64::INFINITY)]), FitError::Time { workers: 1, .. }));
    assert_eq!(failure(&[run(0, 1.0)]), FitError::Workers { workers: 0, most: 100 });
    assert_eq!(failure(&[run(101, 1.0)]), FitError::Workers { workers: 101, most: 100 });
    assert_eq!(failure(&[run(1, 1e-320), run(2, 1e-320), run(3, 1e-320)]), FitError::OutOfRange);
    let no_shape = |form, length| Shape::new(form, Collective::Flat, length).map(|_| ()).expect_err("no shape");
    assert_eq!(no_shape(Form::Granular, None), FitError::NoListLength);
    assert_eq!(no_shape(Form::Smooth, Some(0)), FitError::NoListLength);
    assert_eq!(no_shape(Form::Exact, Some(9)), FitError::ExactIsSmooth);
}

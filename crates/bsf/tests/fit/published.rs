//! Numbers of others: fits to run times of published programs.

use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Fit, Loss, Measured, Shape, fit};
use serde::Deserialize;

const TABLES: [(&str, &str); 2] = [
    ("rnd400.csv", include_str!("../../../../testdata/bsf/rnd400.csv")),
    ("rnd22.csv", include_str!("../../../../testdata/bsf/rnd22.csv")),
];

type Case = runcast_papers::Case<Given, Expected>;

/// A fit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    table: String,
    list_length: u64,
    form: Form,
    loss: String,
    trained_up_to: u64,
}

/// What is known of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    coefficients: Option<[f64; 3]>,
    mean_test_error_pct: Option<f64>,
    max_test_error_pct: Option<f64>,
    mean_train_error_pct: Option<f64>,
    max_train_error_pct: Option<f64>,
    /// Lower end of the interval of `K_max`, level 0.9.
    k_max_low: Option<f64>,
    least_coverage_pct: Option<f64>,
    most_half_width_pct: Option<f64>,
}

#[test]
fn fits_have_the_published_errors() {
    runcast_papers::cases("bsf-fit").iter().for_each(check);
}

fn check(case: &Case) {
    let given = &case.given;
    let runs = given.runs();
    let (train, test): (Vec<Measured>, Vec<Measured>) = runs.iter().partition(|run| run.workers <= given.trained_up_to);
    let shape = Shape::new(given.form, Collective::Flat, Some(given.list_length)).expect("a shape");
    let loss = if given.loss == "l1" { Loss::LeastAbsolute } else { Loss::LeastSquares };
    let fitted = fit(&train, shape, loss).expect("a fit");
    let expected = &case.expected;
    check_errors(case, &errors_pct(&fitted, &train), expected.mean_train_error_pct, expected.max_train_error_pct);
    check_errors(case, &errors_pct(&fitted, &test), expected.mean_test_error_pct, expected.max_test_error_pct);
    if let Some(expected) = expected.coefficients {
        let found = fitted.coefficients();
        for (found, expected) in [found.fixed_s, found.work_s, found.per_worker_s].into_iter().zip(expected) {
            case.close("coefficients", "", found, expected);
        }
    }
    check_intervals(case, &fitted, &test);
}

impl Given {
    fn runs(&self) -> Vec<Measured> {
        let (_, text) = TABLES.iter().find(|(name, _)| *name == self.table).expect("a table");
        let number = |cell: &str| cell.parse::<f64>().expect("a number");
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(number(cells[2]), self.list_length as f64);
            Measured { workers: number(cells[1]) as u64, time_s: number(cells[3]) }
        };
        text.lines().skip(1).map(row).collect()
    }
}

fn check_errors(case: &Case, errors_pct: &[f64], mean: Option<f64>, max: Option<f64>) {
    if let Some(expected) = mean {
        case.near("mean error", "in %", errors_pct.iter().sum::<f64>() / errors_pct.len() as f64, expected);
    }
    if let Some(expected) = max {
        case.near("max error", "in %", errors_pct.iter().copied().fold(0.0, f64::max), expected);
    }
}

fn check_intervals(case: &Case, fitted: &Fit, test: &[Measured]) {
    let intervals = fitted.at_level(0.9);
    if let Some(expected) = case.expected.k_max_low {
        case.close("k_max_low", "", intervals.k_max().0.expect("a lower end"), expected);
    }
    let bounds: Vec<_> = test.iter().map(|run| (run, intervals.time(run.workers))).collect();
    let inside = bounds.iter().filter(|(run, at)| (at.low_s..=at.high_s).contains(&run.time_s)).count();
    if let Some(least) = case.expected.least_coverage_pct {
        assert!(100.0 * inside as f64 / test.len() as f64 >= least, "{}: {inside} inside", case.name);
    }
    let half = |(run, at): &(&Measured, _)| half_width_pct(at, fitted.time_s(run.workers));
    let half_widths: Vec<f64> = bounds.iter().map(half).collect();
    if let Some(most) = case.expected.most_half_width_pct {
        assert!(runcast_core::statistics::median(&half_widths) <= most, "{}", case.name);
    }
}

fn half_width_pct(at: &runcast_bsf::fit::TimeInterval, value: f64) -> f64 {
    100.0 * (at.high_s - value) / value
}

fn errors_pct(fitted: &Fit, runs: &[Measured]) -> Vec<f64> {
    runs.iter().map(|run| 100.0 * (fitted.time_s(run.workers) / run.time_s - 1.0).abs()).collect()
}

//! Numbers of others: fits to run times of published programs.

use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Fit, Loss, Measured, Shape, fit};
use serde::Deserialize;

const CASES: &str = include_str!("../../../../testdata/papers/bsf_fits.toml");
const TABLES: [(&str, &str); 2] = [
    ("rnd400.csv", include_str!("../../../../testdata/bsf/rnd400.csv")),
    ("rnd22.csv", include_str!("../../../../testdata/bsf/rnd22.csv")),
];

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// A fit, and what is known of it.
#[derive(Deserialize)]
struct Case {
    table: String,
    list_length: u64,
    form: Form,
    loss: String,
    trained_up_to: u64,
    coefficients: Option<[f64; 3]>,
    mean_test_error_pct: Option<f64>,
    max_test_error_pct: Option<f64>,
    mean_train_error_pct: Option<f64>,
    max_train_error_pct: Option<f64>,
    tolerance_pct: f64,
    /// Lower end of the interval of `K_max`, level 0.9.
    k_max_low: Option<f64>,
    least_coverage_pct: Option<f64>,
    most_half_width_pct: Option<f64>,
}

#[test]
fn fits_have_the_published_errors() {
    let cases: Cases = toml::from_str(CASES).expect("cases");
    assert_eq!(cases.case.len(), 12);
    cases.case.iter().for_each(Case::check);
}

impl Case {
    fn check(&self) {
        let runs = self.runs();
        let (train, test): (Vec<Measured>, Vec<Measured>) =
            runs.iter().partition(|run| run.workers <= self.trained_up_to);
        let shape = Shape::new(self.form, Collective::Flat, Some(self.list_length)).expect("a shape");
        let loss = if self.loss == "l1" { Loss::LeastAbsolute } else { Loss::LeastSquares };
        let fitted = fit(&train, shape, loss).expect("a fit");
        self.check_errors(&errors_pct(&fitted, &train), self.mean_train_error_pct, self.max_train_error_pct);
        self.check_errors(&errors_pct(&fitted, &test), self.mean_test_error_pct, self.max_test_error_pct);
        self.check_coefficients(&fitted);
        self.check_intervals(&fitted, &test);
    }

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

    fn named(&self) -> String {
        format!("{} {} {} up to {}", self.table, self.form, self.loss, self.trained_up_to)
    }

    fn check_errors(&self, errors_pct: &[f64], mean: Option<f64>, max: Option<f64>) {
        let found = [
            (mean, errors_pct.iter().sum::<f64>() / errors_pct.len() as f64),
            (max, errors_pct.iter().copied().fold(0.0, f64::max)),
        ];
        for (expected, found) in found.into_iter().filter_map(|(expected, found)| Some((expected?, found))) {
            let off = (found - expected).abs();
            assert!(off <= self.tolerance_pct, "{}: {found} %, expected {expected} %", self.named());
        }
    }

    fn check_coefficients(&self, fitted: &Fit) {
        let found = fitted.coefficients();
        for (found, expected) in
            [found.fixed_s, found.work_s, found.per_worker_s].into_iter().zip(self.coefficients.into_iter().flatten())
        {
            // Six digits are printed.
            let off = (found - expected).abs();
            assert!(off <= 5e-6 * expected, "{}: {found}, expected {expected}", self.named());
        }
    }

    fn check_intervals(&self, fitted: &Fit, test: &[Measured]) {
        let intervals = fitted.at_level(0.9);
        if let Some(expected) = self.k_max_low {
            let low = intervals.k_max().0.expect("a lower end");
            assert!((low / expected - 1.0).abs() < 1e-5, "{}: {low}, expected {expected}", self.named());
        }
        let bounds: Vec<_> = test.iter().map(|run| (run, intervals.time(run.workers))).collect();
        let inside = bounds.iter().filter(|(run, at)| (at.low_s..=at.high_s).contains(&run.time_s)).count();
        if let Some(least) = self.least_coverage_pct {
            assert!(100.0 * inside as f64 / test.len() as f64 >= least, "{}: {inside} inside", self.named());
        }
        let half = |(run, at): &(&Measured, _)| half_width_pct(at, fitted.time_s(run.workers));
        let half_widths: Vec<f64> = bounds.iter().map(half).collect();
        if let Some(most) = self.most_half_width_pct {
            assert!(runcast_core::statistics::median(&half_widths) <= most, "{}", self.named());
        }
    }
}

fn half_width_pct(at: &runcast_bsf::fit::TimeInterval, value: f64) -> f64 {
    100.0 * (at.high_s - value) / value
}

fn errors_pct(fitted: &Fit, runs: &[Measured]) -> Vec<f64> {
    runs.iter().map(|run| 100.0 * (fitted.time_s(run.workers) / run.time_s - 1.0).abs()).collect()
}

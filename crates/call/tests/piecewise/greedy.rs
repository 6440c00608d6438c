//! The selection of steps against a slow one that solves every candidate from the start.

use crate::made::{normal, quick, samples};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use runcast_call::piecewise::{Method, Repeated, Samples, Settings, fit};
use runcast_core::random::SplitMix;

/// The term (0: constant, 1: N/P), the variable (0: N, 1: P), and the value before the step.
type Step = (usize, usize, f64);

fn made(seed: u64, sigma: f64) -> Samples {
    let mut random = SplitMix::new(seed, 4);
    let (limit, jump) = (2.0f64.powi(5 + random.below(4) as i32), 4.0 * random.uniform());
    let mut configurations = Vec::new();
    for n in (4..=10).map(|e| 2.0f64.powi(e)) {
        for p in [1.0, 2.0, 4.0, 8.0, 16.0] {
            let cost = if n > limit { 1.0 + jump } else { 1.0 };
            let latency = if p > 4.0 { 90.0 } else { 40.0 };
            let value = (latency + cost * n / p) * (sigma * normal(&mut random)).exp();
            configurations.push(Repeated::new(vec![n, p], vec![value]));
        }
    }
    samples(&["N", "P"], configurations)
}

/// Rows `[N, P, y]`.
fn squares(rows: &[[f64; 3]], steps: &[Step]) -> f64 {
    let phi = |row: &[f64; 3], term: usize| if term == 0 { 1.0 } else { row[0] / row[1] };
    let matrix = DMatrix::from_fn(rows.len(), 2 + steps.len(), |i, j| {
        let row = &rows[i];
        let value = match j.checked_sub(2).map(|step| steps[step]) {
            None => phi(row, j),
            Some((term, variable, below)) if row[variable] > below => phi(row, term),
            Some(_) => 0.0,
        };
        value / row[2]
    });
    let ones = DVector::from_element(rows.len(), 1.0);
    let solution = matrix.clone().svd(true, true).solve(&ones, 1e-12).expect("vectors");
    (ones - matrix * solution).norm_squared()
}

fn criterion(rows: &[[f64; 3]], steps: &[Step]) -> f64 {
    let m = rows.len() as f64;
    m * (squares(rows, steps) / m).max(0.005 * 0.005).ln() + (2.0 + 2.5 * steps.len() as f64) * m.ln()
}

fn slow(rows: &[[f64; 3]]) -> (Vec<Step>, f64) {
    let mut candidates: Vec<Step> = Vec::new();
    for term in 0..2 {
        for variable in 0..2 {
            let mut values: Vec<f64> = rows.iter().map(|row| row[variable]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for &below in &values[..values.len() - 1] {
                let past = rows.iter().filter(|row| row[variable] > below).count();
                if past >= 4 && rows.len() - past >= 4 {
                    candidates.push((term, variable, below));
                }
            }
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut now = criterion(rows, &steps);
    while steps.len() < 8 {
        let with = |step: &Step| {
            let mut with = steps.clone();
            with.push(*step);
            with
        };
        let best = candidates.iter().min_by(|a, b| squares(rows, &with(a)).total_cmp(&squares(rows, &with(b))));
        let next = with(best.expect("a candidate"));
        if now - criterion(rows, &next) <= 2.0 {
            break;
        }
        now = criterion(rows, &next);
        steps = next;
    }
    loop {
        let without = |index: usize| {
            let mut without = steps.clone();
            without.remove(index);
            without
        };
        let best = (0..steps.len()).map(|index| (criterion(rows, &without(index)), index));
        match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((next, index)) if next < now => {
                steps = without(index);
                now = next;
            }
            _ => break,
        }
    }
    steps.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    (steps, now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn prefix_sums_choose_what_full_solutions_choose(seed in 0u64..1000, sigma in 0.01..0.2f64) {
        let made = made(seed, sigma);
        let settings = Settings { method: Some(Method::Steps), ..quick("F[0] + F[1]*N/P", &["N", "P"]) };
        let model = fit(&made, &settings).expect("a fit");
        let rows: Vec<[f64; 3]> =
            made.configurations.iter().map(|repeated| [repeated.at[0], repeated.at[1], repeated.values[0]]).collect();
        let (steps, criterion) = slow(&rows);
        let found: Vec<Step> = model
            .breaks()
            .iter()
            .map(|at| {
                let term = usize::from(at.constant.as_deref() == Some("F[1]"));
                (term, usize::from(at.variable == "P"), at.below)
            })
            .collect();
        prop_assert_eq!(found, steps);
        prop_assert!((model.bic() - criterion).abs() <= 1e-7 * criterion.abs());
    }
}

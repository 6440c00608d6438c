//! What must hold for any samples, and what must not matter.

use crate::made::{at, close, normal, quick, samples, settings};
use proptest::prelude::*;
use runcast_call::piecewise::{Method, Piecewise, Repeated, Samples, Settings, Weights, fit};
use runcast_core::random::SplitMix;

/// A few sizes with some noise, in two pieces.
fn made(m: usize, seed: u64, sigma: f64) -> Samples {
    let mut random = SplitMix::new(seed, 3);
    let border = 1.6f64.powi(3 + random.below(m.saturating_sub(5).max(1)) as i32);
    let configurations = (0..m).map(|i| {
        let n = (10.0 * 1.6f64.powi(i as i32)).round();
        let truth = if n > 10.0 * border { 3e-5 + 4e-8 * n } else { 1e-6 + 1e-8 * n };
        Repeated::new(vec![n], (0..3).map(|_| truth * (sigma * normal(&mut random)).exp()).collect())
    });
    samples(&["n"], configurations.collect())
}

/// Relative squares of `c0 + c1 n` with `c1 >= 0`, by the textbook formulas.
fn squares(rows: &[(f64, f64)]) -> f64 {
    let of = |c0: f64, c1: f64| rows.iter().map(|(n, y)| (1.0 - (c0 + c1 * n) / y).powi(2)).sum::<f64>();
    let sum = |f: &dyn Fn(f64, f64) -> f64| rows.iter().map(|(n, y)| f(*n, *y)).sum::<f64>();
    let (w, wx, wxx) = (sum(&|_, y| 1.0 / (y * y)), sum(&|n, y| n / (y * y)), sum(&|n, y| n * n / (y * y)));
    let (wy, wxy) = (sum(&|_, y| 1.0 / y), sum(&|n, y| n / y));
    let c1 = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    if c1 >= 0.0 { of((wy - c1 * wx) / w, c1) } else { of(wy / w, 0.0) }
}

/// The criterion of every way to cut, by trying all.
fn best_of_all(rows: &[(f64, f64)]) -> (f64, Vec<usize>) {
    fn cut(rows: &[(f64, f64)], from: usize, sum: f64, cuts: &mut Vec<usize>, best: &mut (f64, Vec<usize>)) {
        let m = rows.len() as f64;
        let pieces = cuts.len() as f64 + 1.0;
        let whole = sum + squares(&rows[from..]);
        let criterion = m * (whole / m).max(0.005 * 0.005).ln() + (2.0 * pieces + 3.0 * (pieces - 1.0)) * m.ln();
        if criterion < best.0 {
            *best = (criterion, cuts.clone());
        }
        for next in from + 4..=rows.len().saturating_sub(4) {
            cuts.push(next);
            cut(rows, next, sum + squares(&rows[from..next]), cuts, best);
            cuts.pop();
        }
    }
    let mut best = (f64::INFINITY, Vec::new());
    cut(rows, 0, 0.0, &mut Vec::new(), &mut best);
    best
}

fn cuts(model: &Piecewise) -> Vec<(f64, f64)> {
    model.breaks().iter().map(|at| (at.below, at.above)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_way_to_cut_is_better(m in 4usize..18, seed in 0u64..1000, sigma in 0.0..0.2f64) {
        let made = made(m, seed, sigma);
        let pieces = Settings { method: Some(Method::Segments), ..quick("F[0] + F[1]*n", &["n"]) };
        let model = fit(&made, &pieces).expect("a fit");
        let rows: Vec<(f64, f64)> = model.points().map(|(at, y, _)| (at.get("n").expect("n"), y)).collect();
        let (criterion, places) = best_of_all(&rows);
        prop_assert!((model.bic() - criterion).abs() <= 1e-7 * (1.0 + criterion.abs()), "{} {criterion}", model.bic());
        let wanted: Vec<(f64, f64)> = places.iter().map(|&place| (rows[place - 1].0, rows[place].0)).collect();
        prop_assert_eq!(cuts(&model), wanted);
    }

    #[test]
    fn units_and_order_do_not_matter(seed in 0u64..1000, unit in -6i32..6, size in -6i32..6) {
        let original = made(20, seed, 0.05);
        let model = fit(&original, &settings("F[0] + F[1]*n", &["n"])).expect("a fit");
        let mut shuffled = original.clone();
        shuffled.configurations.reverse();
        shuffled.configurations.iter_mut().for_each(|repeated| repeated.values.reverse());
        let again = fit(&shuffled, &settings("F[0] + F[1]*n", &["n"])).expect("a fit");
        prop_assert_eq!(again.constants(), model.constants());
        prop_assert_eq!(again.breaks(), model.breaks());
        // Powers of two are exact, so that even the resamples are the same.
        let (unit, size) = (2.0f64.powi(unit), 2.0f64.powi(size));
        let mut scaled = original;
        for repeated in &mut scaled.configurations {
            repeated.at[0] *= size;
            repeated.values.iter_mut().for_each(|value| *value *= unit);
        }
        let other = fit(&scaled, &settings("F[0] + F[1]*n", &["n"])).expect("a fit");
        let target = 77_777.0;
        let (a, _) = model.predict(&at(&[("n", target)]), 0.9).expect("a target");
        let (b, _) = other.predict(&at(&[("n", size * target)]), 0.9).expect("a target");
        prop_assert_eq!(a.value.is_some(), b.value.is_some());
        if let (Some(x), Some(y)) = (a.value, b.value) {
            prop_assert!(close(y, unit * x, 1e-9));
        }
        if let (Some(x), Some(y)) = (a.low, b.low) {
            prop_assert!(close(y, unit * x, 1e-9));
        }
        prop_assert_eq!(cuts(&other), cuts(&model).iter().map(|(a, b)| (a * size, b * size)).collect::<Vec<_>>());
    }

    #[test]
    fn predictions_stay_in_order(seed in 0u64..1000, n in 1.0..1e9f64, level in 0.01..0.99f64) {
        let model = fit(&made(16, seed, 0.2), &settings("F[0] + F[1]*n", &["n"])).expect("a fit");
        let (prediction, warnings) = model.predict(&at(&[("n", n)]), level).expect("a target");
        prop_assert!(warnings.iter().all(|warning| prediction.warnings.contains(&warning.code)));
        if let (Some(value), Some(low), Some(high)) = (prediction.value, prediction.low, prediction.high) {
            prop_assert!(0.0 < low && low <= value && value <= high && high.is_finite());
        }
        prop_assert_eq!(prediction.extrapolates, prediction.horizon > 1.0);
    }

    #[test]
    fn nothing_panics(
        rows in prop::collection::vec((prop::num::f64::ANY, 0u8..6, prop::num::f64::ANY), 0..30),
        template in 0usize..6,
        variable in 0usize..5,
    ) {
        let templates = ["F[0]", "F[0]+F[1]*n", "F[0]*n+F[1]*log2(P)", "F[0]/n+F[1]*n^3+F[2]*P", "F[0]*n*P+F[1]*n/P", "F[0]*exp(n)"];
        let variables: [&[&str]; 5] = [&[], &["n"], &["n/P"], &["n", "P"], &["log2(n)", "n*P", "P"]];
        let configurations = rows.iter().map(|(n, p, y)| Repeated::new(vec![*n, f64::from(*p)], vec![*y, y.abs()]));
        let made = samples(&["n", "P"], configurations.collect());
        if let Ok(model) = fit(&made, &quick(templates[template], variables[variable])) {
            let entry = serde_json::to_string(&model.entry()).expect("JSON");
            prop_assert!(!entry.contains("NaN"));
            for target in [0.0, 1.0, 1e300] {
                let _ = model.predict(&at(&[("n", target), ("P", 4.0)]), 0.9);
            }
        }
    }
}

#[test]
fn few_and_extreme_samples_do_no_harm() {
    let huge = [1e-310, 1e-300, 1.0, 1e300, f64::MAX];
    for template in ["F[0]", "F[0]*n", "F[0]+F[1]*n", "F[0]*n+F[1]*log2(P)", "F[0]*P+F[1]*n+F[2]*n^2"] {
        for x in huge {
            for y in huge {
                for count in [1, 2, 7] {
                    let rows =
                        (0..count).map(|i| Repeated::new(vec![x / f64::from(i + 1), 2.0], vec![y / f64::from(i + 1)]));
                    let made = samples(&["n", "P"], rows.collect());
                    for weights in Weights::ALL {
                        let _ = fit(&made, &Settings { weights, ..quick(template, &["n"]) });
                        let _ = fit(&made, &Settings { weights, segmentation_auto: true, ..quick(template, &[]) });
                    }
                }
            }
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let model = fit(&made(24, 5, 0.05), &settings("F[0] + F[1]*n", &["n"])).expect("a fit");
            let prediction = model.predict(&at(&[("n", 1e6)]), 0.9).expect("a target");
            (model.entry(), prediction)
        })
    };
    assert_eq!(on(1), on(4));
    let mut other = settings("F[0] + F[1]*n", &["n"]);
    other.seed = 1;
    let seeded = fit(&made(24, 5, 0.05), &other).expect("a fit");
    assert_ne!(serde_json::to_value(seeded.constants()).expect("JSON"), on(1).0.extra["constants"]);
}

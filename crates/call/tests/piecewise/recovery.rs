//! Made data of known programs: what made them comes back.

use crate::made::{at, close, normal, quick, samples, settings};
use runcast_call::piecewise::{Method, NoFit, Repeated, Samples, Settings, fit};
use runcast_core::prediction::Verdict;
use runcast_core::random::SplitMix;
use runcast_formula::Formula;

fn sizes() -> Vec<f64> {
    (0..52).map(|i| 2.0f64.powf(6.0 + 17.0 * f64::from(i) / 51.0).round()).collect()
}

fn jumps_s(n: f64) -> f64 {
    1e-9 * match n {
        n if n < 4096.0 => 300.0 + n,
        n if n < 131_072.0 => 2500.0 + 1.9 * n,
        n => 40_000.0 + 6.0 * n,
    }
}

fn noisy(truth: fn(f64) -> f64, sigma: f64, outliers: f64, seed: u64) -> Samples {
    let mut random = SplitMix::new(seed, 0);
    let run = |n: f64, random: &mut SplitMix| {
        let slow = if random.uniform() < outliers { 1.3 + 1.7 * random.uniform() } else { 1.0 };
        truth(n) * (sigma * normal(random)).exp() * slow
    };
    let configurations =
        sizes().into_iter().map(|n| Repeated::new(vec![n], (0..5).map(|_| run(n, &mut random)).collect()));
    samples(&["N"], configurations.collect())
}

/// Breaks as numbers of smaller sizes.
fn places(samples: &Samples, settings: &Settings) -> (Vec<usize>, f64) {
    let model = fit(samples, settings).expect("a fit");
    let smaller = |x: f64| sizes().iter().filter(|size| **size < x).count();
    let errors: f64 = sizes().iter().map(|n| (model.value(&[*n]) / jumps_s(*n) - 1.0).abs()).sum();
    (model.breaks().iter().map(|at| smaller(at.at)).collect(), 100.0 * errors / 52.0)
}

#[test]
fn breaks_are_found_within_one_size() {
    let wanted = [4096.0, 131_072.0].map(|limit| sizes().iter().filter(|size| **size < limit).count());
    for (sigma, most_pct) in [(0.02, 0.6), (0.05, 1.2)] {
        let (mut found, mut error_pct) = (0, 0.0);
        for seed in 0..100 {
            let (breaks, error) = places(&noisy(jumps_s, sigma, 0.05, seed), &quick("F[0] + F[1]*N", &["N"]));
            found += usize::from(breaks.len() == 2 && breaks.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1));
            error_pct += error / 100.0;
        }
        assert!(found >= 95, "sigma {sigma}: {found} of 100");
        assert!(error_pct <= most_pct, "sigma {sigma}: {error_pct} %");
    }
}

#[test]
fn kinks_need_a_free_intercept() {
    fn kinks_s(n: f64) -> f64 {
        1e-9 * (300.0 + n + 0.9 * (n - 4096.0).max(0.0) + 4.1 * (n - 131_072.0).max(0.0))
    }
    let wanted = [4096.0, 131_072.0].map(|limit| sizes().iter().filter(|size| **size < limit).count());
    let found = |settings: &Settings| {
        (0..5)
            .filter(|seed| {
                let (breaks, _) = places(&noisy(kinks_s, 0.02, 0.0, *seed), settings);
                breaks.len() == 2 && breaks.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1)
            })
            .count()
    };
    let auto = quick("F[0] + F[1]*N", &["N"]);
    let bounded = Settings { signs: runcast_call::piecewise::Signs::NonNeg, ..auto.clone() };
    assert_eq!(found(&auto), 5);
    assert_eq!(found(&bounded), 0);
    let model = fit(&noisy(kinks_s, 0.02, 0.0, 0), &auto).expect("a fit");
    let intercepts = &model.constants()[0].pieces;
    assert!(intercepts[1].value < 0.0 && intercepts[2].value < 0.0);
    assert!(intercepts.iter().all(|piece| !piece.negative), "an intercept may be negative");
}

fn parallel_s(n: f64, p: f64) -> f64 {
    let local = n / p;
    let (c1, c3) = if p > 8.0 { (2e4, 9.0) } else { (3e3, 2.0) };
    let c2 = if local <= 8192.0 {
        1.0
    } else if local <= 131_072.0 {
        1.9
    } else {
        5.0
    };
    1e-9 * (2000.0 + c1 * p.log2() + c2 * local * local.log2() + c3 * n * (p - 1.0) / p)
}

fn parallel(sigma: f64, seed: u64) -> Samples {
    let mut random = SplitMix::new(seed, 1);
    let mut configurations = Vec::new();
    for n in (8..=22).map(|e| 2.0f64.powi(e)) {
        for p in (0..=6).map(|e| 2.0f64.powi(e)) {
            let values = (0..3).map(|_| parallel_s(n, p) * (sigma * normal(&mut random)).exp()).collect();
            configurations.push(Repeated::new(vec![n, p], values));
        }
    }
    samples(&["N", "P"], configurations)
}

const FFT: &str = "F[0] + F[1]*log2(P) + F[2]*(N/P)*log2(N/P) + F[3]*N*(P-1)/P";

#[test]
fn steps_of_single_constants_are_found_by_themselves() {
    let mut settings = quick(FFT, &[]);
    settings.segmentation_auto = true;
    let mut found = 0;
    for (sigma, seed) in [(0.0, 0), (0.02, 1), (0.02, 2), (0.02, 3), (0.05, 4), (0.05, 5), (0.05, 6)] {
        let model = fit(&parallel(sigma, seed), &settings).expect("a fit");
        assert_eq!(model.method(), Method::Steps);
        let told: Vec<(&str, &str, f64)> = model
            .breaks()
            .iter()
            .map(|at| (at.constant.as_deref().expect("a constant"), at.variable.as_str(), at.below))
            .collect();
        let wanted = [("F[1]", "P", 8.0), ("F[2]", "N/P", 8192.0), ("F[2]", "N/P", 131_072.0), ("F[3]", "P", 8.0)];
        if sigma == 0.0 {
            assert_eq!(told, wanted);
            for (at, _, fitted) in model.points() {
                let truth = parallel_s(at.get("N").expect("N"), at.get("P").expect("P"));
                assert!(close(fitted, truth, 1e-9), "{at}: {fitted} {truth}");
            }
            let values: Vec<f64> = model.constants()[2].pieces.iter().map(|piece| piece.value).collect();
            assert!(values.iter().zip([1e-9, 1.9e-9, 5e-9]).all(|(a, b)| close(*a, b, 1e-6)), "{values:?}");
        }
        found += usize::from(told == wanted);
    }
    assert!(found >= 6, "{found} of 7");
}

#[test]
fn noise_free_data_give_their_constants_back() {
    let configurations =
        (1..=12).map(|i| Repeated::new(vec![f64::from(i * i), 2.0], vec![3e-3 + 2e-5 * f64::from(i * i)]));
    let model =
        fit(&samples(&["n", "P"], configurations.collect()), &settings("A[0] + A[1]*n", &["n"])).expect("a fit");
    assert!(model.breaks().is_empty());
    let values: Vec<f64> = model.constants().iter().map(|constant| constant.pieces[0].value).collect();
    assert!(close(values[0], 3e-3, 1e-12) && close(values[1], 2e-5, 1e-12), "{values:?}");
    let (prediction, warnings) = model.predict(&at(&[("n", 1440.0)]), 0.9).expect("a target");
    assert!(close(prediction.value.expect("a value"), 3e-3 + 2e-5 * 1440.0, 1e-12));
    assert!(prediction.low.expect("low") <= prediction.value.expect("a value"));
    assert!(prediction.extrapolates && prediction.horizon == 10.0 && prediction.verdict == Verdict::Ok);
    assert_eq!(warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["extrapolation", "far"]);
}

#[test]
fn intervals_hold_their_values() {
    let model = fit(&noisy(jumps_s, 0.05, 0.05, 3), &settings("F[0] + F[1]*N", &["N"])).expect("a fit");
    for at in model.breaks() {
        assert!(at.low.expect("low") <= at.at && at.at <= at.high.expect("high"));
        assert!(at.below <= at.at && at.at < at.above);
    }
    for piece in model.constants().iter().flat_map(|constant| &constant.pieces) {
        assert!(piece.low.expect("low") <= piece.value && piece.value <= piece.high.expect("high"));
        assert!(piece.points >= 4);
    }
    let (narrow, _) = model.predict(&at(&[("N", 5e5)]), 0.5).expect("a target");
    let (wide, _) = model.predict(&at(&[("N", 5e5)]), 0.95).expect("a target");
    let width = |low: Option<f64>, high: Option<f64>| high.expect("high") / low.expect("low");
    assert!(width(narrow.low, narrow.high) < width(wide.low, wide.high));
    assert_eq!(wide.interval.as_deref(), Some("runs"));
    let truth = jumps_s(5e5);
    assert!(wide.low.expect("low") < truth && truth < wide.high.expect("high"));
}

#[test]
fn many_distinct_values_are_searched_in_blocks() {
    let truth = |n: f64| if n <= 700.0 { 1e-6 + 1e-9 * n } else { 9e-6 + 4e-9 * n };
    let configurations = (1..=1500).map(|n| Repeated::new(vec![f64::from(n)], vec![truth(f64::from(n))]));
    let model = fit(&samples(&["n"], configurations.collect()), &quick("F[0] + F[1]*n", &["n"])).expect("a fit");
    assert_eq!(model.breaks().len(), 1);
    assert_eq!((model.breaks()[0].below, model.breaks()[0].above), (700.0, 701.0));
    assert!(model.quality().max_error_pct.expect("an error") < 1e-9);
}

#[test]
fn a_raised_flag_stops_the_fit() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let made = noisy(jumps_s, 0.02, 0.0, 0);
    let stopped = runcast_call::piecewise::fit_with(&made, &settings("F[0] + F[1]*N", &["N"]), &stop);
    assert_eq!(stopped.expect_err("stopped"), NoFit::Interrupted);
}

#[test]
fn the_method_follows_the_number_of_expressions() {
    let method = |change: fn(&mut Settings)| {
        let mut settings = quick(FFT, &[]);
        change(&mut settings);
        fit(&parallel(0.02, 1), &settings).map(|model| model.method())
    };
    assert_eq!(method(|_| {}), Ok(Method::Single));
    assert_eq!(method(|s| s.segmentation = vec![Formula::parse("N/P").expect("good")]), Ok(Method::Segments));
    assert_eq!(method(|s| s.segmentation_auto = true), Ok(Method::Steps));
    assert_eq!(method(|s| s.method = Some(Method::Steps)), Ok(Method::Steps));
    assert_eq!(method(|s| s.method = Some(Method::Segments)).expect_err("two").code(), "segmentation");
}

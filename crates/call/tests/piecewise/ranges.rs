//! Ranges of predictions: how many cover another run, and what they are made of.

use crate::made::{at, normal, quick, samples, settings, sweep};
use runcast_call::piecewise::validate::{Scheme, validate};
use runcast_call::piecewise::{Piecewise, Repeated, Samples, Settings, fit};
use runcast_core::prediction::Verdict;
use runcast_core::random::SplitMix;
use runcast_formula::Formula;

fn extra(model: &Piecewise, name: &str) -> f64 {
    model.entry().extra[name].as_f64().unwrap_or_else(|| panic!("{name} is no number"))
}

/// A configuration with the visits of each run.
fn of_runs(at: f64, runs: &[&[f64]]) -> Repeated {
    let mut repeated = Repeated::new(vec![at], runs.concat());
    repeated.runs = (0u32..).zip(runs).flat_map(|(run, visits)| vec![run; visits.len()]).collect();
    repeated
}

#[test]
fn the_spread_between_runs_is_pooled_with_the_usual_one() {
    // Two configurations, three runs each, with these medians: tau = 6.21397 % (computed by hand).
    let one = of_runs(1.0, &[&[1.0, 0.9, 1.3], &[1.1], &[1.21]]);
    let two = of_runs(2.0, &[&[2.0], &[1.9, 2.0, 2.2], &[2.0]]);
    let model = fit(&samples(&["n"], vec![one, two]), &settings("c[0]*n", &[])).expect("a fit");
    let tau = extra(&model, "run_spread_pct");
    assert!((tau - 6.21397).abs() < 1e-5, "expectation 6.21397, actual result {tau}");
    assert_eq!(model.entry().extra["runs"], 3);
    let values: Vec<f64> = model.points().map(|(_, measured, _)| measured).collect();
    assert_eq!(values, [1.1, 2.0], "the median over runs of the medians of their visits");
}

#[test]
fn few_runs_are_warned_about_and_a_long_way_is_far() {
    let run = |n: f64| of_runs(n, &[&[n, 1.01 * n, 0.99 * n, 1.02 * n]]);
    let model = fit(&samples(&["n"], [1.0, 2.0, 4.0, 8.0, 16.0].map(run).to_vec()), &settings("c[0] + c[1]*n", &[]));
    let model = model.expect("a fit");
    let warnings: Vec<&str> = model.warnings().iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(warnings, ["few_runs"]);
    for (n, verdict, is_far) in [
        (100.0, Verdict::Ok, false),
        (128.0, Verdict::Ok, false),
        (129.0, Verdict::Ok, true),
        (257.0, Verdict::Far, true),
    ] {
        let (prediction, _) = model.predict(&at(&[("n", n)]), 0.9).expect("a target");
        assert_eq!((prediction.verdict, prediction.warnings.contains(&"far".to_owned())), (verdict, is_far), "{n}");
        assert!(prediction.value.is_some() && prediction.low.is_some(), "value and range are kept");
    }
    // The usual 30 % for each factor of e, and the usual 5 % between runs, make the range wider with the distance.
    let width = |n: f64| {
        let (prediction, _) = model.predict(&at(&[("n", n)]), 0.9).expect("a target");
        (prediction.high.expect("high") / prediction.low.expect("low")).ln()
    };
    assert!(width(400.0) > 1.5 * width(16.0), "{} {}", width(400.0), width(16.0));
}

/// Coverage of 90 % ranges for the median of 20 visits of another run, at sizes between those measured.
fn coverage(runs: usize, wave: f64, spread: f64, seeds: u64) -> (f64, f64) {
    let truth = |n: f64| (1e-6 + 1e-9 * n) * (1.0 + wave * n.ln().sin());
    let (mut covered, mut all, mut width) = (0, 0, 0.0);
    for seed in 0..seeds {
        let mut random = SplitMix::new(seed, 17);
        let mut visits = |n: f64| {
            let pace = (spread * normal(&mut random)).exp();
            (0..20).map(|_| truth(n) * pace * (0.03 * normal(&mut random)).exp()).collect::<Vec<f64>>()
        };
        let mut configurations = Vec::new();
        for n in (8..=19).map(|e| 2f64.powi(e)) {
            let made: Vec<Vec<f64>> = (0..runs).map(|_| visits(n)).collect();
            let mut repeated = Repeated::new(vec![n], made.concat());
            let first = configurations.len() as u32 * 100;
            repeated.runs = (first..).zip(&made).flat_map(|(run, visits)| vec![run; visits.len()]).collect();
            configurations.push(repeated);
        }
        let model = fit(&samples(&["n"], configurations), &Settings { seed, ..settings("c[0] + c[1]*n", &[]) });
        let model = model.expect("a fit");
        for step in 0..8 {
            let n = 2f64.powf(8.5 + 1.25 * f64::from(step));
            let another = runcast_core::statistics::median(&visits(n));
            let (prediction, _) = model.predict(&at(&[("n", n)]), 0.9).expect("a target");
            let (low, high) = (prediction.low.expect("low"), prediction.high.expect("high"));
            covered += usize::from((low..=high).contains(&another));
            all += 1;
            width += 0.5 * (high / low).ln();
        }
    }
    (100.0 * covered as f64 / f64::from(all), width / f64::from(all))
}

#[test]
fn ranges_cover_another_run() {
    // An independent program in Python found 89.8 (half-width 0.092), 92.3 (0.142), 95.6 and 90.8 %.
    for (runs, wave, spread, expected, half_width) in [
        (5, 0.0, 0.05, 89.8, Some(0.092)),
        (5, 0.1, 0.05, 92.3, Some(0.142)),
        (1, 0.0, 0.05, 95.6, None),
        (5, 0.0, 0.0, 90.8, None),
    ] {
        let (found, width) = coverage(runs, wave, spread, 60);
        let case = format!("{runs} runs, wave {wave}, spread {spread}: {found} %, half-width {width}");
        // Four standard deviations of the share of 480.
        assert!((found - expected).abs() < 5.5, "{case}");
        assert!(half_width.is_none_or(|wanted| (width / wanted - 1.0).abs() < 0.1), "{case}");
    }
}

#[test]
fn a_validation_counts_what_it_covers_and_what_it_cannot_predict() {
    let model = fit(&sweep("fft"), &settings("c[0] + c[1]*n*log2(n)", &["bytes"])).expect("a fit");
    let held = validate(&model, &Scheme::Folds(5)).expect("folds");
    assert_eq!((held.points.len(), held.ranges, held.unpredictable), (19, 19, 0));
    let inside = held.points.iter().filter(|p| p.low <= Some(p.measured) && Some(p.measured) <= p.high).count();
    assert_eq!(held.covered, inside);
    assert_eq!((held.runs, held.coverage), (19 * 9, Some(inside as f64 / 19.0)));
    assert!(held.coverage_low <= held.coverage && held.coverage <= held.coverage_high);
    assert!(held.covered_runs > 19 * 9 * 7 / 10, "{} of {}", held.covered_runs, held.runs);
    // 12 - n is never above 0 beyond 12.
    let falling: Vec<Repeated> =
        (1..=16).map(f64::from).map(|n| Repeated::new(vec![n], vec![(12.0 - n).max(0.5)])).collect();
    let free = Settings { signs: runcast_call::piecewise::Signs::Free, ..quick("c[0] + c[1]*n", &[]) };
    let line: Samples = samples(&["n"], falling);
    let held = validate(&fit(&line, &free).expect("a fit"), &Scheme::Hold(Formula::parse("n > 10").expect("good")));
    let held = held.expect("a rest");
    assert_eq!((held.unpredictable, held.points.len(), held.ranges, held.coverage), (5, 6, 0, None));
    let last = held.points.last().expect("one");
    assert!(last.predicted.is_none() && last.covered.is_none());
    assert!(last.reason.as_ref().is_some_and(|reason| reason.contains("no run can have")), "{last:?}");
}

#[test]
fn runs_with_few_common_sizes_are_drawn_with_residuals_and_others_by_strata() {
    // Three runs at the small sizes, two others at the large ones: the second pair is no stratum of three.
    let small = |n: f64| of_runs(n, &[&[n], &[1.1 * n], &[0.9 * n]]);
    let large = |n: f64| {
        let mut two = Repeated::new(vec![n], vec![0.97 * n, 1.04 * n]);
        two.runs = vec![7, 8];
        two
    };
    let mut all: Vec<Repeated> = [1.0, 2.0, 4.0, 8.0].map(small).to_vec();
    all.extend([16.0, 32.0, 64.0].map(large));
    let model = fit(&samples(&["n"], all), &settings("c[0]*n", &[])).expect("a fit");
    assert_eq!(model.runs(), 5);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let (prediction, _) = model.predict(&at(&[("n", 20.0)]), 0.9).expect("a target");
    assert!(prediction.low < prediction.value && prediction.value < prediction.high);
}

//! Numbers of an independent script, and the properties of a mixture.

use super::*;
use proptest::prelude::*;

fn table(text: &str, upto: u64) -> (Vec<Measured>, Vec<Measured>) {
    let row = |line: &str| {
        let cells: Vec<f64> = line.split(',').skip(1).map(|cell| cell.parse().expect("a number")).collect();
        Measured { workers: cells[0] as u64, time_s: cells[2] }
    };
    text.lines().skip(1).map(row).partition(|run| run.workers <= upto)
}

struct Expected {
    /// Scores of smooth flat, smooth tree, granular flat, granular tree.
    scores: [f64; 4],
    weights: &'static [f64],
    /// Workers, time, low, high at 0.9.
    times: [(u64, f64, f64, f64); 3],
    error_pct: f64,
    covered: (usize, usize),
    half_width: f64,
}

fn check(text: &str, list_length: u64, expected: &Expected) {
    let (train, test) = table(text, 100);
    let auto = fit_auto(&train, Some(list_length)).expect("a fit");
    let hypotheses = Hypothesis::all(Some(list_length), false).expect("shapes");
    for (hypothesis, score) in hypotheses.into_iter().zip(expected.scores) {
        let found = scores::Folds::of(&train, hypothesis).score.expect("folds");
        assert!((found - score).abs() < 1e-6, "{hypothesis:?}: {found}, expected {score}");
    }
    let weights: Vec<f64> = auto.members().iter().map(|member| member.weight).collect();
    assert_eq!(weights.len(), expected.weights.len(), "{weights:?}");
    assert!(weights.iter().zip(expected.weights).all(|(a, b)| (a - b).abs() < 1e-4), "{weights:?}");
    for (workers, time_s, low, high) in expected.times {
        let range = auto.range(workers, 0.9).expect("a range");
        assert!((auto.time_s(workers) - time_s).abs() < 1e-6, "{workers}: {}", auto.time_s(workers));
        assert!((range.low - low).abs() < 1e-3 && (range.high - high).abs() < 1e-3, "{workers}: {range:?}");
    }
    let error = |run: &Measured| 100.0 * (auto.time_s(run.workers) / run.time_s - 1.0).abs();
    let errors: Vec<f64> = test.iter().map(error).collect();
    assert!((runcast_core::statistics::mean(&errors) - expected.error_pct).abs() < 1e-3, "{errors:?}");
    let ranges: Vec<_> = test.iter().filter_map(|run| Some((run.time_s, auto.range(run.workers, 0.9)?))).collect();
    let covered = ranges.iter().filter(|(time_s, range)| (range.low..=range.high).contains(time_s)).count();
    assert_eq!((covered, ranges.len()), expected.covered);
    let mut halves: Vec<f64> = ranges.iter().map(|(_, range)| (range.high / range.low).sqrt()).collect();
    halves.sort_by(f64::total_cmp);
    // Of ten, the script took the sixth.
    assert!((halves[halves.len() / 2] - expected.half_width).abs() < 6e-4, "{halves:?}");
}

#[test]
fn staircases_are_predicted_by_granular_forms() {
    let expected = Expected {
        scores: [0.069_200, 0.049_291, 0.000_747, 0.000_559],
        weights: &[0.4953, 0.5047],
        times: [
            (120, 24.014_985, 23.648, 24.388),
            (200, 12.064_135, 11.640, 12.504),
            (320, 12.064_135, 11.399, 12.768),
        ],
        error_pct: 0.571,
        covered: (10, 10),
        half_width: 1.041,
    };
    check(include_str!("../../../../../testdata/bsf/rnd400.csv"), 400, &expected);
}

#[test]
fn forms_that_cannot_be_told_apart_widen_the_range() {
    let expected = Expected {
        scores: [0.011_930, 0.009_621, 0.011_944, 0.009_631],
        weights: &[0.2214, 0.2789, 0.2211, 0.2786],
        times: [(120, 7.950_923, 7.647, 8.267), (200, 4.892_989, 4.319, 5.543), (320, 3.215_396, 2.302, 4.491)],
        error_pct: 1.518,
        covered: (11, 11),
        half_width: 1.166,
    };
    check(include_str!("../../../../../testdata/bsf/rnd22.csv"), 4_194_303, &expected);
}

#[test]
fn a_step_of_the_cache_is_found() {
    // 1,000 elements of 1 ms, 2 ms in blocks of more than 200; 1 ms for each worker.
    let time_s = |workers: u64| {
        let block = 1000u64.div_ceil(workers);
        1e-3 * (workers + block * if block > 200 { 2 } else { 1 }) as f64
    };
    let runs: Vec<Measured> =
        [1, 2, 3, 4, 5, 6, 8, 10].map(|workers| Measured { workers, time_s: time_s(workers) }).to_vec();
    let auto = fit_auto(&runs, Some(1000)).expect("a fit");
    let step = auto.members().iter().find_map(Member::step).expect("a step");
    assert_eq!(step.size, 200);
    assert!((step.factor - 2.0).abs() < 1e-6, "{step:?}");
    // Prefixes of four points have not seen it, so that forms without a step keep some weight.
    assert!((auto.time_s(20) / time_s(20) - 1.0).abs() < 0.1, "{}", auto.time_s(20));
}

#[test]
fn the_boundary_is_that_of_the_curve() {
    // 0.1 + 80/K + 0.05 K is least at 40 workers.
    let time_s = |workers: u64| 0.1 + 80.0 / workers as f64 + 0.05 * workers as f64;
    let runs: Vec<Measured> =
        [2, 4, 8, 16, 32, 48, 64].map(|workers| Measured { workers, time_s: time_s(workers) }).to_vec();
    let auto = fit_auto(&runs, None).expect("a fit");
    assert_eq!(auto.k_max(), Some(40));
    let range = auto.k_max_range(0.9, 0);
    assert!(range.low.is_some_and(|low| (38.0..=40.0).contains(&low)), "{range:?}");
    assert!(range.high.is_some_and(|high| (40.0..=42.0).contains(&high)), "{range:?}");
    assert_eq!(range, auto.k_max_range(0.9, 0));
}

#[test]
fn three_points_choose_nothing() {
    let runs = [(1, 10.0), (2, 5.2), (4, 3.1)].map(|(workers, time_s)| Measured { workers, time_s });
    let auto = fit_auto(&runs, Some(400)).expect("a fit");
    assert_eq!(auto.members().len(), 4);
    assert!(auto.members().iter().all(|member| member.weight == 0.25 && member.score.is_none()));
    assert_eq!(fit_auto(&runs, None).expect("a fit").members().len(), 2, "smooth alone");
    assert!(fit_auto(&runs[..2], None).is_err());
}

/// Three points determine three coefficients: what their noise does to a forecast follows from the repetitions.
///
/// By hand, flat, `T = 0.1/K + 0.0005 K`, medians known to 1 % each: the coefficient of K is `sum d_i T_i` with d = (0.5,
/// -1.5, 1)/1.5 on 1, 2, 4 workers, here times T = (0.1005, 0.051, 0.027): its standard deviation is 6.36e-4, more than
/// the coefficient.
#[test]
fn three_points_have_a_range_from_their_repetitions() {
    let time_s = |workers: f64| 0.1 / workers + 0.0005 * workers;
    // The root mean square of ln around its mean of (1 - e, 1, 1 + e) is e: 1.5 % of a run, 0.87 % of three.
    let runs = |spread: f64| -> Vec<Measured> {
        let repeated = |k: u64| {
            [-1.0, 0.0, 1.0].map(|side: f64| Measured { workers: k, time_s: time_s(k as f64) * (side * spread).exp() })
        };
        [1, 2, 4].into_iter().flat_map(repeated).collect()
    };
    let flat = Shape::new(Form::Smooth, Collective::Flat, None).expect("a shape");
    let half = |spread: f64, workers: u64| {
        let range = fit_auto(&runs(spread), None).expect("a fit").range(workers, 0.9).expect("a range");
        let one = super::super::fit(&runs(spread), flat, super::super::Loss::LeastSquares).expect("a fit");
        let told = one.at_level(0.9).time(workers);
        ((range.high / range.low).sqrt(), told.high_s / one.time_s(workers))
    };
    let (quiet, loud) = (half(0.0001, 32), half(0.015, 32));
    // Flat and tree are far apart there, whatever the noise.
    assert!(loud.0 > 1.01 * quiet.0, "{quiet:?} {loud:?}");
    // Of the flat curve alone at 32 workers: 32 * 6.36e-4 * 0.87 is 0.018 s beside 0.019 s.
    assert!(quiet.1 < 1.02 && (1.5..4.0).contains(&loud.1), "{quiet:?} {loud:?}");
}

/// With few workers no message has to wait, and whether a master could hide messages remains open.
#[test]
fn what_the_master_hides_remains_open_until_it_is_seen() {
    let time_s = |workers: f64| 0.001 + 0.1 / workers + 0.001 * workers;
    let runs: Vec<Measured> = [1, 2, 3, 4].map(|workers| Measured { workers, time_s: time_s(workers as f64) }).to_vec();
    let auto = fit_auto(&runs, None).expect("a fit");
    // Without any overlap, by the closed form: 0.0666 s on 64 workers.
    let range = auto.range(64, 0.9).expect("a range");
    assert!((range.low..=range.high).contains(&time_s(64.0)), "{range:?}");
    assert!(auto.parts(4).form < 0.01, "{:?}", auto.parts(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn ranges_hold_the_value_and_widen(times in prop::collection::vec(1e-6..1e3f64, 3..9), list in 400u64..1_000_000) {
        let runs: Vec<Measured> = times.iter().zip(1..).map(|(&time_s, k)| Measured { workers: 2 * k, time_s }).collect();
        let auto = fit_auto(&runs, Some(list)).expect("a fit");
        prop_assert!((auto.members().iter().map(|member| member.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        for workers in [1, 2, 7, 30, 300] {
            prop_assert!(auto.time_s(workers) > 0.0);
            if let Some(range) = auto.range(workers, 0.9) {
                prop_assert!(range.low <= auto.time_s(workers) && auto.time_s(workers) <= range.high);
            }
        }
    }
}

/// A simulated master: orders of 100 us, 2 us of overhead each, results as long and 10 us to fold; 200 ms of work. With few
/// workers the orders to later ones are hidden, with 128 nothing is: from runs on 4 workers and fewer that is known.
#[test]
fn orders_are_hidden_until_the_first_results_wait() {
    let order = 102e-6;
    let result = 112e-6;
    let simulated = |workers: u64| {
        let k = workers as f64;
        let first = 13e-6 + order + 0.2 / k + 13e-6;
        (first.max(k * order) + k * result - 10e-6) + 10e-6
    };
    let runs = [1, 2, 3, 4].map(|workers| Measured { workers, time_s: simulated(workers) });
    let auto = fit_auto(&runs, None).expect("a fit");
    let flat = auto.members().iter().find(|member| member.shape().collective() == Collective::Flat).expect("flat");
    for workers in [8, 16, 32, 64, 128] {
        let error = flat.time_s(workers) / simulated(workers) - 1.0;
        assert!(error.abs() < 0.08, "{workers}: {error}");
    }
    // More runs tell how much is hidden.
    let more = [1, 2, 3, 4, 32, 64].map(|workers| Measured { workers, time_s: simulated(workers) });
    let flat = fit_auto(&more, None).expect("a fit");
    let flat = flat.members().iter().find(|member| member.shape().collective() == Collective::Flat).expect("flat");
    assert!((flat.time_s(128) / simulated(128) - 1.0).abs() < 0.06, "{}", flat.time_s(128));
}

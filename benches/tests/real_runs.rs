//! The models on public real runs, against figures computed by other programs (numpy, scipy and Extra-P 4.2.5).
#![expect(clippy::print_stderr, reason = "whoever runs the tests without the public data should know")]

use runcast_benches::outcome::Outcome;
use runcast_benches::real_runs::{self, Set, calibration_scores};
use runcast_core::statistics::median;
use runcast_fit::auto::calibration;

fn sets() -> Option<Vec<Set>> {
    let Some(data) = real_runs::data_folder() else {
        eprintln!("the public data is not here: nothing was compared (set RUNCAST_DATA to its folder)");
        return None;
    };
    Some(real_runs::sets(&data).expect("the data reads"))
}

/// Median and largest error in %.
type Figure = Option<(f64, f64)>;

/// A figure a line of the table, as far as they go.
const FIGURES: [(&str, [Figure; 7]); 5] = [
    (
        "mokrov",
        [
            Some((52.0, 54.0)),
            Some((50.0, 69.0)),
            Some((4.5, 7.0)),
            Some((30.0, 111.0)),
            Some((7.2, 63.0)),
            Some((9.3, 20.0)),
            Some((66.0, 81.0)),
        ],
    ),
    (
        "barnes-linear",
        [
            Some((71.0, 78.0)),
            Some((72.0, 87.0)),
            Some((32.0, 33.0)),
            Some((31.0, 76.0)),
            Some((7.2, 63.0)),
            Some((2.4, 5.0)),
            Some((44.0, 51.0)),
        ],
    ),
    (
        "barnes-quadratic",
        [
            Some((52.0, 54.0)),
            Some((50.0, 69.0)),
            Some((4.5, 7.0)),
            Some((3.1, 159.0)),
            Some((7.5, 1136.0)),
            Some((14.0, 32.0)),
            Some((83.0, 95.0)),
        ],
    ),
    // Extra-P itself; on RELeARN's regions its own search over two parameters, which is not ours.
    (
        "pmnf",
        [
            Some((13.0, 24.0)),
            Some((13.0, 27.0)),
            Some((16.0, 17.0)),
            None,
            Some((8.1, 571.0)),
            Some((18.0, 45.0)),
            Some((6.7, 8.0)),
        ],
    ),
    (
        "ka-strong",
        [
            Some((42.0, 58.0)),
            Some((46.0, 49.0)),
            Some((45.0, 48.0)),
            Some((45.0, 200.0)),
            Some((20.0, 74.0)),
            Some((452.0, 1982.0)),
            Some((74.0, 321.0)),
        ],
    ),
];

#[test]
fn errors_on_held_out_runs_are_those_of_other_programs() {
    let Some(sets) = sets() else { return };
    for (model, figures) in FIGURES {
        for (set, figure) in sets.iter().zip(figures) {
            let Some((expected_median, expected_most)) = figure else { continue };
            let outcome = Outcome::of(set, model, model == "ka-strong");
            let most = outcome.errors_pct.iter().copied().fold(0.0, f64::max);
            let found = median(&outcome.errors_pct);
            // One unit in the last digit that the figures show.
            let unit = |value: f64| if value < 10.0 { 0.1001 } else { 1.001 };
            assert!((found - expected_median).abs() <= unit(expected_median), "{model}, {}: median {found}", set.name);
            assert!((most - expected_most).abs() <= 1.5, "{model}, {}: largest {most}", set.name);
        }
    }
}

/// The baseline that `auto` must not fall behind, as median and largest error in %.
const BASELINE: [(f64, f64); 7] =
    [(5.8, 15.0), (4.7, 22.0), (4.7, 5.0), (6.4, 220.0), (8.0, 33.0), (4.9, 11.0), (1.1, 3.0)];

#[test]
fn auto_is_as_good_as_its_baseline_on_every_line() {
    let Some(sets) = sets() else { return };
    let mut points = 0;
    for (set, (baseline_median, baseline_most)) in sets.iter().zip(BASELINE) {
        let outcome = Outcome::of(set, "auto", false);
        let most = outcome.errors_pct.iter().copied().fold(0.0, f64::max);
        points += outcome.errors_pct.len();
        assert!(median(&outcome.errors_pct) <= baseline_median + 0.15, "{}: {}", set.name, outcome.errors());
        assert!(most <= baseline_most + 1.0, "{}: {}", set.name, outcome.errors());
        assert_eq!(outcome.failed, 0, "{}", set.name);
    }
    assert_eq!(points, 85);
}

#[test]
fn the_scores_that_ship_are_those_of_the_public_data() {
    let Some(sets) = sets() else { return };
    let mut scores: Vec<f64> = calibration_scores(&sets).into_iter().map(|score| score.score).collect();
    scores.sort_by(f64::total_cmp);
    assert_eq!(scores.len(), calibration::SCORES.len());
    for (made, shipped) in scores.iter().zip(calibration::SCORES.iter()) {
        assert!(
            (made - shipped).abs() <= 1e-6 * (1.0 + shipped),
            "{made} and {shipped}: run the accuracy program with --calibrate"
        );
    }
}

#[test]
fn quantiles_of_the_scores_are_those_computed_elsewhere() {
    // From an independent implementation of the same rule, to 5 %.
    for (level, expected) in [(0.5, 0.178), (0.8, 0.548), (0.9, 1.856), (0.95, 3.200)] {
        let (found, capped) = calibration::quantile_of(&calibration::SCORES, level).expect("there are scores");
        assert!((found / expected - 1.0).abs() < 0.05 && !capped, "q_{level} = {found}");
    }
}

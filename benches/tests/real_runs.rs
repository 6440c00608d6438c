//! The models on public real runs, against figures computed by other programs (numpy, scipy and Extra-P 4.2.5).
#![expect(clippy::print_stderr, reason = "whoever runs the tests without the public data should know")]

use runcast_benches::advised_runs::{Replay, no_worse, replays, share};
use runcast_benches::outcome::Outcome;
use runcast_benches::real_runs::{self, Set, calibration_scores};
use runcast_core::statistics::median;
use runcast_fit::auto::calibration::{self, Class, Score, Scores};

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

/// Figures of the first version of `auto`, as median and largest error in %.
const BASELINE: [(f64, f64); 7] =
    [(5.8, 15.0), (4.7, 22.0), (4.7, 5.0), (6.4, 220.0), (8.0, 33.0), (4.9, 11.0), (1.1, 3.0)];

fn most(outcome: &Outcome) -> f64 {
    outcome.errors_pct.iter().copied().fold(0.0, f64::max)
}

#[test]
fn auto1_is_as_good_as_its_baseline_on_every_line() {
    let Some(sets) = sets() else { return };
    let mut points = 0;
    for (set, (baseline_median, baseline_most)) in sets.iter().zip(BASELINE) {
        let outcome = Outcome::of(set, "auto1", false);
        points += outcome.errors_pct.len();
        assert!(median(&outcome.errors_pct) <= baseline_median + 0.15, "{}: {}", set.name, outcome.errors());
        assert!(most(&outcome) <= baseline_most + 1.0, "{}: {}", set.name, outcome.errors());
        assert_eq!(outcome.failed, 0, "{}", set.name);
    }
    assert_eq!(points, 85);
}

#[test]
fn auto_has_the_errors_of_another_program_with_the_same_rule() {
    let Some(sets) = sets() else { return };
    // Slices of the grids of LULESH and RELeARN, pooled: 4.8 and 2.3 % there (5.9 and 4.7 % without).
    for (line, expected) in [(7, 4.8), (8, 2.3)] {
        let found = median(&Outcome::of(&sets[line], "auto", false).errors_pct);
        assert!((found - expected).abs() <= 0.1, "{}: {found}", sets[line].name);
    }
}

#[test]
fn auto_is_better_than_its_first_version() {
    let Some(sets) = sets() else { return };
    let of = |name: &str, lines: std::ops::Range<usize>| {
        let mut all = Outcome::default();
        sets[lines].iter().for_each(|set| all.join(Outcome::of(set, name, false)));
        assert_eq!(all.failed, 0, "{name}");
        all
    };
    let (weak, weak1) = (of("auto", 0..7), of("auto1", 0..7));
    let (strong, strong1) = (of("auto", 9..12), of("auto1", 9..12));
    assert!(median(&weak.errors_pct) <= median(&weak1.errors_pct) + 0.7, "{} {}", weak.errors(), weak1.errors());
    assert!(most(&weak) < most(&weak1));
    assert!(median(&strong.errors_pct) < 0.6 * median(&strong1.errors_pct), "{} {}", strong.errors(), strong1.errors());
    assert!(most(&strong) < 0.5 * most(&strong1));
    let mut all = weak;
    all.join(strong);
    assert!((0.85..=0.95).contains(&all.share_covered()) && all.half_width() <= 1.65, "{}", all.coverage());
}

#[test]
fn the_scores_that_ship_are_those_of_the_public_data() {
    let Some(sets) = sets() else { return };
    let sorted = |mut scores: Vec<Score>| {
        scores.sort_by(|a, b| {
            (a.class.name(), &a.application).cmp(&(b.class.name(), &b.application)).then(a.score.total_cmp(&b.score))
        });
        scores
    };
    let (made, shipped) = (
        sorted(calibration_scores(&sets).into_iter().map(|scored| scored.score).collect()),
        sorted(calibration::SCORES.clone()),
    );
    assert_eq!(made.len(), shipped.len());
    for (made, shipped) in made.iter().zip(&shipped) {
        assert_eq!((made.class, &made.application), (shipped.class, &shipped.application));
        assert!(
            (made.score - shipped.score).abs() <= 1e-5 * (1.0 + shipped.score.abs()),
            "{made:?} and {shipped:?}: run the accuracy program with --calibrate"
        );
    }
}

#[test]
fn the_scores_of_single_models_that_ship_are_those_of_the_public_data() {
    let Some(sets) = sets() else { return };
    let numbers = |text: &str| -> Vec<(String, f64)> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let of = |line: &str| {
            let mut words = line.split_whitespace();
            let name = format!("{} {}", words.next().unwrap_or_default(), words.next().unwrap_or_default());
            words.map(|word| (name.clone(), word.parse().expect("a number"))).collect::<Vec<_>>()
        };
        lines.flat_map(of).collect()
    };
    let made = numbers(&real_runs::ranges_file(&real_runs::model_scores(&sets)));
    let shipped = numbers(include_str!("../../crates/fit/src/ranges.txt"));
    assert_eq!(made.len(), shipped.len());
    for (made, shipped) in made.iter().zip(&shipped) {
        let is_same = made.0 == shipped.0 && (made.1 - shipped.1).abs() <= 2e-3 * (1.0 + shipped.1.abs());
        assert!(is_same, "{made:?} and {shipped:?}: run the accuracy program with --calibrate");
    }
}

#[test]
fn quantiles_weigh_each_application_the_same() {
    // Slow and obvious: every application repeated until all have equally many scores.
    for class in Class::ALL {
        let of_class: Vec<&Score> = calibration::SCORES.iter().filter(|score| score.class == class).collect();
        let count = |name: &str| of_class.iter().filter(|score| score.application == name).count();
        let mut names: Vec<&str> = of_class.iter().map(|score| score.application.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let product: usize = names.iter().map(|name| count(name)).fold(1, lcm);
        let mut repeated: Vec<f64> = of_class
            .iter()
            .flat_map(|score| std::iter::repeat_n(score.score, product / count(&score.application)))
            .collect();
        repeated.sort_by(f64::total_cmp);
        for level in [0.5, 0.8, 0.9, 0.95] {
            let tail = ((1.0 - level) / 2.0 * repeated.len() as f64 + 1e-6) as usize;
            let expected = [repeated[tail].min(0.0), repeated[repeated.len() - 1 - tail].max(0.0)];
            let (found, capped) = Scores::shipped(class).range(level).expect("there are scores");
            assert!(found == expected && !capped, "{class} {level}: {found:?} {expected:?}");
        }
    }
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[test]
fn advised_sets_are_worth_the_largest_run_of_the_same_cost() {
    let Some(sets) = sets() else { return };
    for budget in [1.0, 1.5, 2.0] {
        let replays = replays(&sets, budget);
        assert!(replays.len() >= 50);
        assert!(share(&replays, |replay| no_worse(replay.set, replay.equal)) >= 60.0, "budget {budget}");
        let ratios: Vec<f64> = replays.iter().map(|r| r.set.max(1e-3) / r.equal.max(1e-3)).collect();
        assert!(median(&ratios) <= 1.3, "budget {budget}: {}", median(&ratios));
        assert_eq!(share(&replays, |replay| replay.spent > 1.0 + 1e-9), 0.0, "budget {budget}");
        let of = |error: fn(&Replay) -> f64| median(&replays.iter().map(error).collect::<Vec<f64>>());
        assert!(of(|replay| replay.set) < of(|replay| replay.before), "budget {budget}");
    }
}

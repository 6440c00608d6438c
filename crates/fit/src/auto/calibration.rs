//! Errors of forecasts on real runs, which determine the interval of `auto`.
//!
//! A score is `ln(measured/value) / s` of a real run beyond the runs that were learnt from, `s` as in [`scale`]. The
//! scores ship with the program (`calibration.txt`); `cargo run --release -p runcast-benches --bin accuracy --
//! --calibrate` regenerates them from the public data sets that it names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a series does from its first to its last run; each has scores of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// As strong scaling does.
    Falling,
    /// As weak scaling does.
    Rising,
}

runcast_core::words!(Class::name: Falling = "falling", Rising = "rising");

/// `s = 0.3 spread + 0.05 + 0.15 h`: the unit in which errors are scored. `spread` is the standard deviation of
/// `ln(prediction)` over the panel, `h` the logarithm of how many times beyond the runs the target is.
pub fn scale(spread: f64, h: f64) -> f64 {
    0.3 * spread + 0.05 + 0.15 * h.max(0.0)
}

/// A score with the class and the application that it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    pub class: Class,
    pub application: String,
    pub score: f64,
}

/// The scores that ship.
pub static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| parse(include_str!("calibration.txt")));

static SHIPPED: LazyLock<[Scores; 2]> =
    LazyLock::new(|| [Class::Falling, Class::Rising].map(|class| Scores::of(class, SCORES.iter())));

fn parse(text: &str) -> Vec<Score> {
    let score = |line: &str| {
        let mut words = line.split_whitespace();
        let class = Class::ALL.into_iter().find(|class| Some(class.name()) == words.clone().next());
        words.next();
        Some(Score { class: class?, application: words.next()?.to_owned(), score: words.next()?.parse().ok()? })
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(score).filter(|s| s.score.is_finite()).collect()
}

/// The scores of a class, in ascending order with their weights: each application weighs 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores(Vec<(f64, f64)>);

impl Scores {
    /// The scores of one class.
    pub fn of<'s>(class: Class, scores: impl Iterator<Item = &'s Score>) -> Scores {
        let of_class: Vec<&Score> = scores.filter(|score| score.class == class).collect();
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for score in &of_class {
            *counts.entry(score.application.as_str()).or_default() += 1.0;
        }
        let mut list: Vec<(f64, f64)> =
            of_class.iter().map(|score| (score.score, 1.0 / counts[score.application.as_str()])).collect();
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        Scores(list)
    }

    /// Those that ship with the program.
    pub fn shipped(class: Class) -> &'static Scores {
        &SHIPPED[usize::from(class == Class::Rising)]
    }

    /// Number of scores.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scores between which a share `level` of new runs stays: `[min(q_low, 0), max(q_high, 0)]`, weighted quantiles
    /// at `(1 -+ level)/2`. The flag says that these scores do not support so high a level, and that the outermost
    /// were taken.
    ///
    /// # Examples
    /// ```
    /// use runcast_fit::auto::calibration::{Class, Score, Scores};
    /// let score = |score| Score { class: Class::Rising, application: "lulesh".to_owned(), score };
    /// let scores: Vec<Score> = (-50..=50).map(|k| score(f64::from(k))).collect();
    /// assert_eq!(Scores::of(Class::Rising, scores.iter()).range(0.9), Some(([-45.0, 45.0], false)));
    /// ```
    pub fn range(&self, level: f64) -> Option<([f64; 2], bool)> {
        let total: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        let (first, last) = (self.0.first()?, self.0.last()?);
        let tail = (1.0 - level) / 2.0 * total;
        let from = |list: &mut dyn Iterator<Item = &(f64, f64)>| {
            let mut passed = 0.0;
            for (score, weight) in list {
                passed += weight;
                if passed > tail + 1e-12 {
                    return Some(*score);
                }
            }
            None
        };
        let low = from(&mut self.0.iter())?.min(0.0);
        let high = from(&mut self.0.iter().rev())?.max(0.0);
        Some(([low, high], tail < first.1.min(last.1)))
    }
}

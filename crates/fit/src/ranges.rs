//! Ranges of single models, calibrated by their errors on real runs.
//!
//! A model is assumed right where its own residuals make its range, and far from the runs none is. The scores of each are
//! from every prefix of at least three configurations of public series, and every later configuration 1.4 to 70 times beyond
//! (docs/accuracy.md); `cargo run --release -p runcast-benches --bin accuracy -- --calibrate` makes `ranges.txt` again. Where
//! they are from fewer than five applications, the range is normal.

use crate::fitted::Spread;
use runcast_core::ranges::{Parts, Score, Scores};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a residual is expected to be before the runs have shown theirs, and how many of those it counts as.
const PRIOR_SD: f64 = 0.05;
const PRIOR_FREEDOM: f64 = 2.0;
/// The floor and the rate of classes whose own are not known.
const FLOOR: f64 = 0.02;
const RATE: f64 = 0.15;

static SHIPPED: LazyLock<HashMap<&'static str, Scores>> = LazyLock::new(|| {
    let mut scores: HashMap<&str, Vec<Score>> = HashMap::new();
    for line in include_str!("ranges.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(model), Some(cluster)) = (words.next(), words.next()) else { continue };
        let own = words.filter_map(|word| Some(Score { cluster: cluster.to_owned(), d: word.parse().ok()? }));
        scores.entry(model).or_default().extend(own);
    }
    scores.into_iter().map(|(model, scores)| (model, Scores::new(&scores))).collect()
});

/// The scores of a model; none of one that has other ranges, or that is not calibrated.
pub fn scores(model: &str) -> Option<&'static Scores> {
    SHIPPED.get(model)
}

/// The scale of a prediction `h` (a logarithm) beyond the runs, in which its error is scored.
///
/// ```text
/// s = sqrt( (f sd^2 + 2 (0.05)^2)/(f + 2) ) + 0.02 + 0.15 h        f: degrees of freedom of sd
/// ```
///
/// The standard deviation of few residuals is small by chance as often as it is large, hence the prior.
///
/// # Examples
/// ```
/// use runcast_fit::fitted::Spread;
/// use runcast_fit::ranges::scale;
/// let spread = Spread::Parametric { sd_ln: 0.1, freedom: 2 };
/// assert!((scale(spread, 4f64.ln()) - ((0.01f64 + 0.0025).sqrt() / 2f64.sqrt() + 0.02 + 0.15 * 4f64.ln())).abs() < 1e-12);
/// ```
pub fn scale(spread: Spread, h: f64) -> f64 {
    let (sd, freedom) = match spread {
        Spread::Parametric { sd_ln, freedom } if sd_ln.is_finite() => (sd_ln, freedom as f64),
        _ => (0.0, 0.0),
    };
    let squares = freedom * sd * sd + PRIOR_FREEDOM * PRIOR_SD * PRIOR_SD;
    let parameter = (squares / (freedom + PRIOR_FREEDOM)).sqrt();
    Parts { parameter, floor: FLOOR, rate: RATE, h, ..Parts::default() }.scale(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use runcast_core::ranges::{Range, Source};

    #[test]
    fn every_model_of_one_series_has_scores() {
        for name in registry::names().filter(|name| !["auto", "auto1", "ka-wide", "ka-chain", "formula"].contains(name))
        {
            let scores = scores(name).unwrap_or_else(|| panic!("{name}"));
            assert!(scores.len() > 200, "{name}: {}", scores.len());
        }
        assert!(scores("formula").is_none());
    }

    #[test]
    fn a_range_grows_with_the_distance_and_contains_the_value() {
        let spread = Spread::Parametric { sd_ln: 0.03, freedom: 3 };
        let range = |model: &str, h: f64, is_rate| Range::of(10.0, scale(spread, h), 0.9, scores(model), is_rate);
        let of = |h: f64, is_rate| range("power", h, is_rate).expect("a range");
        let (near, far) = (of(0.0, false), of(2.0, false));
        assert!(far.low < near.low && near.low < 10.0 && 10.0 < near.high && near.high < far.high);
        let rate = of(2.0, true);
        assert!((rate.low * far.high - 100.0).abs() < 1e-9 && rate.source == Source::Calibrated);
        // Of three applications.
        assert_eq!(range("amdahl", 1.0, false).expect("a range").source, Source::Normal);
    }
}

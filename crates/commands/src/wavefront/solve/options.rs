//! What the options of `wavefront solve` take.

use crate::options::{number, share};
use runcast_wavefront::solve::time::Threshold;

/// How many wavefronts are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The most probable ones.
    Most(usize),
    /// All of them.
    All,
}

/// How many phases a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phases {
    /// As many as the wanted accuracy needs.
    Auto,
    /// So many.
    Count(u64),
}

/// Phases beyond this are not a realistic run.
const MOST_PHASES: u64 = 1_000_000_000;

/// Reads `20` or `all`.
pub(super) fn shown(text: &str) -> Result<Shown, String> {
    match text {
        "all" => Ok(Shown::All),
        _ => text.parse().map(Shown::Most).map_err(|_| "a whole number or all is allowed".to_owned()),
    }
}

/// Reads `131` or `auto`.
pub(super) fn phases(text: &str) -> Result<Phases, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(Phases::Auto),
        (_, Ok(count @ 1..=MOST_PHASES)) => Ok(Phases::Count(count)),
        _ => Err(format!("a whole number from 1 to {MOST_PHASES} or auto is allowed")),
    }
}

/// Reads `0.95` or `95%`, between 0 and 1.
pub(super) fn quantile(text: &str) -> Result<f64, String> {
    match share(text)? {
        q if q > 0.0 && q < 1.0 => Ok(q),
        _ => Err("allowed are 0 < Q < 1, such as 0.95".to_owned()),
    }
}

/// Reads `160s` or `1.1x`.
pub(super) fn threshold(text: &str) -> Result<Threshold, String> {
    match Threshold::parse(text) {
        Some(threshold) => Ok(threshold),
        None => Err(format!("\"{text}\" is neither a time, as in 160s, nor a multiple of the mean, as in 1.1x")),
    }
}

/// Reads a spectral radius.
pub(super) fn rho(text: &str) -> Result<f64, String> {
    match number(text)? {
        rho if rho > 0.0 && rho < 1.0 => Ok(rho),
        _ => Err("allowed are 0 < RHO < 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_times_or_multiples_of_the_mean() {
        assert_eq!(threshold("160s"), Ok(Threshold::Seconds(160.0)));
        assert_eq!(threshold("2min"), Ok(Threshold::Seconds(120.0)));
        assert_eq!(threshold("1.1x"), Ok(Threshold::TimesMean(1.1)));
        for bad in ["", "x", "-1x", "-3s", "160kg", "nanx", "infx"] {
            assert!(threshold(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_stand_for_numbers() {
        assert_eq!((shown("all"), shown("3")), (Ok(Shown::All), Ok(Shown::Most(3))));
        assert_eq!((phases("auto"), phases("131")), (Ok(Phases::Auto), Ok(Phases::Count(131))));
        assert!(phases("0").is_err() && phases("1e3").is_err() && shown("-1").is_err());
        assert_eq!(quantile("95%"), Ok(0.95));
        assert!(quantile("0").is_err() && quantile("1").is_err());
    }
}

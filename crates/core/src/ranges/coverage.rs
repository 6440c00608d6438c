//! Coverage: how often ranges held.

use crate::numeric::binomial::interval_of_share;

/// Level of the interval of a coverage.
pub const COVERAGE_LEVEL: f64 = 0.95;

/// How many runs fell into their ranges, with an exact interval for the probability that one does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    pub runs: usize,
    pub covered: usize,
    /// Interval at [`COVERAGE_LEVEL`], as a share.
    pub low: f64,
    pub high: f64,
    /// What the numbers of runs are divided by, since runs of a configuration share one prediction.
    pub design_effect: f64,
}

impl Coverage {
    /// Over configurations, each as `(runs, covered)`; none without runs.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::ranges::Coverage;
    /// let found = Coverage::of(&[(3, 2), (3, 2), (3, 1)]).expect("runs");
    /// assert_eq!((found.covered, found.runs, found.design_effect), (5, 9, 1.0));
    /// assert!((found.low - 0.212009).abs() < 1e-6 && (found.high - 0.863004).abs() < 1e-6);
    /// ```
    pub fn of(configurations: &[(usize, usize)]) -> Option<Coverage> {
        let runs: usize = configurations.iter().map(|(runs, _)| runs).sum();
        let covered = configurations.iter().map(|(_, covered)| covered).sum();
        if runs == 0 {
            return None;
        }
        let design_effect = design_effect(configurations);
        let (low, high) =
            interval_of_share(covered as f64 / design_effect, runs as f64 / design_effect, COVERAGE_LEVEL);
        Some(Coverage { runs, covered, low, high, design_effect })
    }

    /// The share that was covered.
    pub fn share(&self) -> f64 {
        self.covered as f64 / self.runs as f64
    }
}

/// `1 + (m - 1) ICC`, with the intraclass correlation of the flags of runs over their configurations:
///
/// ```text
/// ICC = clamp((MSB - MSW)/(MSB + (m-1) MSW), 0, 1)        m: mean runs of a configuration
/// MSB = sum n_c (p_c - p)^2/(C - 1)       MSW = sum n_c p_c (1 - p_c)/(n - C)
/// ```
///
/// Where all flags are equal, or there is one configuration, nothing distinguishes runs of a configuration: ICC = 1.
///
/// Source: J. L. Fleiss, *Statistical Methods for Rates and Proportions*, 2nd ed. (1981), 13.2; L. Kish, *Survey Sampling*
/// (1965), 5.4.
pub fn design_effect(configurations: &[(usize, usize)]) -> f64 {
    let present: Vec<(f64, f64)> = configurations
        .iter()
        .filter(|(runs, _)| *runs > 0)
        .map(|&(runs, covered)| (runs as f64, covered as f64 / runs as f64))
        .collect();
    let (count, runs) = (present.len() as f64, present.iter().map(|(runs, _)| runs).sum::<f64>());
    let mean_runs = runs / count;
    if present.is_empty() || mean_runs <= 1.0 {
        return 1.0;
    }
    let share = present.iter().map(|(runs, share)| runs * share).sum::<f64>() / runs;
    if count < 2.0 || share <= 0.0 || share >= 1.0 {
        return mean_runs;
    }
    let between = present.iter().map(|(runs, own)| runs * (own - share).powi(2)).sum::<f64>() / (count - 1.0);
    let within = present.iter().map(|(runs, own)| runs * own * (1.0 - own)).sum::<f64>() / (runs - count);
    let spread = between + (mean_runs - 1.0) * within;
    let correlation = if spread > 0.0 { ((between - within) / spread).clamp(0.0, 1.0) } else { 1.0 };
    1.0 + (mean_runs - 1.0) * correlation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_share_their_fate_count_once() {
        let found = Coverage::of(&[(3, 3), (3, 3), (3, 0)]).expect("runs");
        assert!((found.design_effect - 3.0).abs() < 1e-12);
        // As 2 of 3.
        assert!((found.low - 0.094299).abs() < 1e-6 && (found.high - 0.991596).abs() < 1e-6, "{found:?}");
        let all = Coverage::of(&[(5, 5)]).expect("runs");
        assert_eq!((all.design_effect, all.high), (5.0, 1.0));
        assert_eq!(Coverage::of(&[]), None);
        assert_eq!(Coverage::of(&[(1, 1), (1, 0)]).expect("runs").design_effect, 1.0);
    }
}

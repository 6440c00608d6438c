//! The time of a run under a level.

use super::{Level, Observed, Posterior};
use runcast_core::numeric::normal;

/// A run is cut into so many segments for the average of the level.
pub(super) const SEGMENTS: usize = 64;
/// Relative width at which the bisection of a quantile ends.
const WIDTH: f64 = 1e-9;

/// The time of a run as a mixture of lognormal laws:
///
/// ```text
/// ln T = ln E[T0] + mean level + N(0, variance of the mean level + (sd/mean)^2)
/// ```
///
/// T0 is the time without the level. It overstates the level where messages, which do not slow down, take a share of the
/// time.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelNormal {
    /// Weight, mean and standard deviation of ln T.
    parts: Vec<(f64, f64, f64)>,
    /// Mean of the level, averaged over the run.
    pub level_mean: f64,
    /// Its standard deviation.
    pub level_sd: f64,
}

impl LevelNormal {
    /// The law of a run of mean `base_s` and standard deviation `base_sd_s` without the level, which begins `start_in_s`
    /// after the last sample. None where nothing is known.
    ///
    /// The run's own length counts: the level is averaged over the time that the run takes under it, in two passes.
    pub fn of(level: &Level, base_s: f64, base_sd_s: f64, start_in_s: f64) -> Option<LevelNormal> {
        if !(base_s > 0.0 && base_s.is_finite()) {
            return None;
        }
        match level {
            Level::Fixed { sd, mean } => Some(LevelNormal::mixture(&[(1.0, *mean, sd * sd)], base_s, base_sd_s)),
            Level::Observed(observed) => {
                let posterior = Posterior::of(observed)?;
                let over = |run_s: f64| LevelNormal::over(observed, &posterior, (base_s, base_sd_s), start_in_s, run_s);
                Some(over(over(base_s).quantile(0.5)))
            }
        }
    }

    /// The factor on a time at one moment, as a law.
    pub fn factor_at(posterior: &Posterior, time_s: f64) -> LevelNormal {
        LevelNormal::mixture(&posterior.averages(&[time_s]), 1.0, 0.0)
    }

    /// The law with the level averaged over a run of this length.
    pub(super) fn over(
        observed: &Observed,
        posterior: &Posterior,
        (base_s, base_sd_s): (f64, f64),
        start_in_s: f64,
        run_s: f64,
    ) -> LevelNormal {
        let times = middles(observed.end_s + start_in_s, run_s);
        LevelNormal::mixture(&posterior.averages(&times), base_s, base_sd_s)
    }

    /// From weights, means and variances of the average level.
    fn mixture(levels: &[(f64, f64, f64)], base_s: f64, base_sd_s: f64) -> LevelNormal {
        let total: f64 = levels.iter().map(|(weight, ..)| weight).sum();
        let mean: f64 = levels.iter().map(|(weight, mean, _)| weight * mean).sum::<f64>() / total;
        let spread = |(weight, own, variance): &(f64, f64, f64)| weight * (variance + (own - mean).powi(2));
        let variance: f64 = levels.iter().map(spread).sum::<f64>() / total;
        let own = (base_sd_s / base_s).powi(2);
        let part =
            |(weight, mean, variance): &(f64, f64, f64)| (weight / total, base_s.ln() + mean, (variance + own).sqrt());
        LevelNormal { parts: levels.iter().map(part).collect(), level_mean: mean, level_sd: variance.sqrt() }
    }

    /// The mean \[s\].
    pub fn mean_s(&self) -> f64 {
        self.parts.iter().map(|(weight, mean, sd)| weight * (mean + 0.5 * sd * sd).exp()).sum()
    }

    /// The standard deviation \[s\].
    pub fn sd_s(&self) -> f64 {
        let square: f64 = self.parts.iter().map(|(weight, mean, sd)| weight * (2.0 * mean + 2.0 * sd * sd).exp()).sum();
        (square - self.mean_s().powi(2)).max(0.0).sqrt()
    }

    /// P(T > time).
    pub fn above(&self, time_s: f64) -> f64 {
        let above = |(weight, mean, sd): &(f64, f64, f64)| weight * tail(time_s.ln() - mean, *sd);
        if time_s > 0.0 { self.parts.iter().map(above).sum() } else { 1.0 }
    }

    /// The time that a share of the runs is below \[s\].
    pub fn quantile(&self, share: f64) -> f64 {
        let share = share.clamp(1e-15, 1.0 - 1e-15);
        let z = normal::quantile(share);
        let ends = self.parts.iter().map(|(_, mean, sd)| mean + z * sd);
        let (mut low, mut high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), end| (a.min(end), b.max(end)));
        while high - low > WIDTH * 0.5 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if 1.0 - self.above(middle.exp()) < share { low = middle } else { high = middle }
        }
        (0.5 * (low + high)).exp()
    }
}

/// The middles of the segments of a run.
pub(super) fn middles(start_s: f64, run_s: f64) -> Vec<f64> {
    (0..SEGMENTS).map(|segment| start_s + run_s * (segment as f64 + 0.5) / SEGMENTS as f64).collect()
}

/// The share of a normal law beyond a distance from its mean.
fn tail(distance: f64, sd: f64) -> f64 {
    match sd > 0.0 {
        true => normal::share_below(-distance / sd),
        false => f64::from(u8::from(distance < 0.0)),
    }
}

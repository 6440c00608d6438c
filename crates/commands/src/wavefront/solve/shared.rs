//! The law of the time of a run whose processes slow down together.

use super::document::{BaseEntry, QuantileEntry};
use crate::human;
use runcast_core::Warning;
use runcast_wavefront::Model;
use runcast_wavefront::level::{Level, LevelNormal, sessions};
use runcast_wavefront::solve::time::{Tail, TimeEstimate, TimeMethod};

/// A run may end as far beyond the samples as this many times the time that they took.
const FARTHEST: f64 = 3.0;

/// The law under the model's level, if it has one; else with the spread that its samples ask for.
pub(super) fn with_level(model: &Model, base: &TimeEstimate, start_in_s: f64) -> (TimeEstimate, Option<LevelNormal>) {
    let level = model.level.as_ref();
    let factor = spread(model, base);
    let Some(law) = level.and_then(|level| LevelNormal::of(level, base.mean_s, factor * base.sd_s, start_in_s)) else {
        return (stretched(base, factor), None);
    };
    let tail = |tail: &Tail| Tail {
        threshold_s: tail.threshold_s,
        probability: law.above(tail.threshold_s),
        rate: None,
        theta_per_tick: None,
        chernoff: None,
    };
    let mut warnings = base.warnings.clone();
    warnings.extend(level.and_then(|level| far(level, start_in_s, law.mean_s())));
    let found = TimeEstimate {
        method: TimeMethod::LevelNormal,
        phases: base.phases,
        mean_s: law.mean_s(),
        sd_s: law.sd_s(),
        quantiles: base.quantiles.iter().map(|&(share, _)| (share, law.quantile(share))).collect(),
        tails: base.tails.iter().map(tail).collect(),
        warnings,
    };
    (found, Some(law))
}

/// The range of a run, from the quantiles of its law: as it is where the law is given, widened by what sessions on shared
/// machines missed where it was measured.
/// The mean is in it, whatever the level.
pub(super) fn range_s(model: &Model, mean_s: f64, (low_s, high_s): (f64, f64), level: f64) -> (f64, f64) {
    let is_measured = model.pilot_log_sd > 0.0 || matches!(model.level, Some(Level::Observed(_)));
    let widened = || sessions::range(low_s, high_s, level).map(|range| (range.low.min(mean_s), range.high.max(mean_s)));
    is_measured.then(widened).flatten().unwrap_or((low_s, high_s))
}

/// The law without the level, with the quantiles that are shown.
pub(super) fn base(base: &TimeEstimate, shown: usize) -> BaseEntry {
    let shown = base.quantiles.iter().take(shown);
    BaseEntry {
        method: base.method,
        mean_s: base.mean_s,
        sd_s: base.sd_s,
        quantiles: shown.map(|&(q, time_s)| QuantileEntry { q, time_s }).collect(),
    }
}

/// How many times the spread of independent times a run has: what the samples ask for, and how little is known of all its
/// times together.
fn spread(model: &Model, base: &TimeEstimate) -> f64 {
    match base.sd_s > 0.0 && base.mean_s > 0.0 {
        true => model.sigma_factor.max(1.0).hypot(model.pilot_log_sd * base.mean_s / base.sd_s),
        false => model.sigma_factor.max(1.0),
    }
}

/// The law with a spread so many times larger; times stay above 0.
fn stretched(base: &TimeEstimate, factor: f64) -> TimeEstimate {
    if factor <= 1.0 || base.mean_s <= 0.0 {
        return base.clone();
    }
    let away = |time_s: f64| (base.mean_s + factor * (time_s - base.mean_s)).max(0.0);
    // Where a threshold lies in the narrower law; its probability there is not known for times other than those asked.
    let sd_s = factor * base.sd_s;
    let normal = |threshold_s: f64| runcast_core::numeric::normal::share_below((base.mean_s - threshold_s) / sd_s);
    let tail = |tail: &Tail| Tail {
        probability: if sd_s > 0.0 { normal(tail.threshold_s) } else { tail.probability },
        rate: None,
        theta_per_tick: None,
        chernoff: None,
        ..*tail
    };
    TimeEstimate {
        sd_s,
        quantiles: base.quantiles.iter().map(|&(share, time_s)| (share, away(time_s))).collect(),
        tails: base.tails.iter().map(tail).collect(),
        ..base.clone()
    }
}

/// A run that ends long after the samples.
fn far(level: &Level, start_in_s: f64, run_s: f64) -> Option<Warning> {
    let Level::Observed(observed) = level else { return None };
    let (length_s, ahead_s) = (observed.length_s(), start_in_s + run_s);
    (ahead_s > FARTHEST * length_s).then(|| {
        let message = format!(
            "the run ends {} after the last sample, the level was measured for {}: measure longer to know it better",
            human::quantity(ahead_s, "s"),
            human::quantity(length_s, "s")
        );
        Warning::new("horizon_beyond_samples", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_wavefront::cases;

    fn estimate() -> TimeEstimate {
        let tail = Tail { threshold_s: 160.0, probability: 0.2, rate: Some(1.0), theta_per_tick: None, chernoff: None };
        TimeEstimate {
            method: TimeMethod::Exact,
            phases: 62,
            mean_s: 155.0,
            sd_s: 46.5f64.sqrt(),
            quantiles: vec![(0.05, 143.0), (0.5, 155.0), (0.95, 166.0)],
            tails: vec![tail],
            warnings: Vec::new(),
        }
    }

    /// As computed by an independent script.
    #[test]
    fn a_constant_level_widens_the_law() {
        let model = Model { level: Some(Level::Fixed { sd: 0.1, mean: 0.0 }), ..cases::barrier() };
        let (found, law) = with_level(&model, &estimate(), 0.0);
        assert_eq!((found.method, law.map(|law| law.level_sd)), (TimeMethod::LevelNormal, Some(0.1)));
        for ((_, time_s), expected) in found.quantiles.iter().zip([129.506, 155.0, 185.513]) {
            assert!((time_s - expected).abs() < 1e-3, "{time_s}, expected {expected}");
        }
        assert!(found.tails[0].rate.is_none() && (0.3..0.45).contains(&found.tails[0].probability));
    }

    #[test]
    fn a_range_contains_the_mean_at_every_level() {
        let measured = Model { pilot_log_sd: 0.02, ..cases::barrier() };
        for level in [0.1, 0.5, 0.9] {
            // A law of a long tail: its mean is far beyond the middle of its quantiles.
            let (low, high) = range_s(&measured, 4.0, (1.0, 2.0), level);
            assert!(low <= 1.5 && high >= 4.0, "{level}: {low} {high}");
        }
        assert_eq!(range_s(&cases::barrier(), 1.5, (1.0, 2.0), 0.9), (1.0, 2.0));
    }

    #[test]
    fn without_a_level_the_spread_is_that_of_the_samples() {
        let (found, law) = with_level(&cases::barrier(), &estimate(), 0.0);
        assert_eq!((found, law), (estimate(), None));
        let (found, _) = with_level(&Model { sigma_factor: 2.0, ..cases::barrier() }, &estimate(), 0.0);
        assert_eq!(found.quantiles, [(0.05, 131.0), (0.5, 155.0), (0.95, 177.0)]);
        assert!((found.sd_s - 2.0 * 46.5f64.sqrt()).abs() < 1e-12);
        // What is not known of all times together adds to it: 4.4 % of 155 s beside 6.82 s.
        let (found, _) = with_level(&Model { pilot_log_sd: 0.044, ..cases::barrier() }, &estimate(), 0.0);
        assert!((found.sd_s - (46.5 + 6.82 * 6.82_f64).sqrt()).abs() < 1e-9, "{}", found.sd_s);
    }
}

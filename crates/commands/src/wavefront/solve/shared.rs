//! The law of the time of a run whose processes slow down together.

use super::document::{BaseEntry, QuantileEntry};
use crate::human;
use runcast_core::numeric::normal;
use runcast_core::random::SplitMix;
use runcast_core::statistics::{mean, quantile_of_sorted, sample_variance};
use runcast_core::{Problem, Warning};
use runcast_wavefront::Model;
use runcast_wavefront::level::{Level, LevelNormal, sessions};
use runcast_wavefront::simulate::RunTimes;
use runcast_wavefront::solve::time::{RunLaw, Tail, TimeEstimate, TimeMethod};

/// A run may end as far beyond the samples as this many times the time that they took.
const FARTHEST: f64 = 3.0;
/// Random numbers that a simulation may take where it is insisted on: a minute or two.
const MOST_DRAWS: f64 = 1e10;

/// What is asked of the law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub law: RunLaw,
    /// From the last sample to the start of the run.
    pub start_in_s: f64,
    /// Simulated runs.
    pub draws: u64,
    pub seed: u64,
}

/// The time of a run.
pub(super) struct Found {
    pub time: TimeEstimate,
    /// The law in closed form, where there is a level.
    pub closed: Option<LevelNormal>,
}

/// The law under the model's level, if it has one; else with the spread that its samples ask for.
///
/// # Errors
/// A simulation was asked for that would take too long.
pub(super) fn with_level(model: &Model, base: &TimeEstimate, asked: Asked) -> Result<Found, Problem> {
    let factor = spread(model, base);
    let level = model.level.as_ref().filter(|_| asked.law != RunLaw::Base);
    let closed = |level: &Level| LevelNormal::of(level, base.mean_s, factor * base.sd_s, asked.start_in_s);
    let Some(closed) = level.and_then(closed) else {
        return Ok(Found { time: stretched(base, factor), closed: None });
    };
    let runs = RunTimes {
        phases: base.phases,
        runs: asked.draws,
        start_in_s: asked.start_in_s,
        run_s: closed.quantile(0.5),
        seed: asked.seed,
        interrupt: None,
    };
    let draws = runs.draws(model);
    if asked.law == RunLaw::Recursion && draws > MOST_DRAWS {
        let problem = Problem::new("too_large", format!("the law by recursion takes {draws:.1e} random numbers"));
        let problem = problem.at("--law").allowed(format!("at most {MOST_DRAWS:.0e}"));
        return Err(problem.hint("fewer --draws, or --law level-normal"));
    }
    let times = match asked.law {
        RunLaw::Auto if !runs.is_quick(model) => None,
        RunLaw::Auto | RunLaw::Recursion => runs.under_level(model),
        RunLaw::LevelNormal | RunLaw::Base => None,
    };
    let mut time = match times {
        Some(times_s) => {
            let own = if base.mean_s > 0.0 { base.sd_s / base.mean_s } else { 0.0 };
            by_runs(base, stirred(times_s, own * (factor * factor - 1.0).max(0.0).sqrt(), asked.seed))
        }
        None => by_closed(base, &closed),
    };
    time.warnings.extend(level.and_then(|level| far(level, asked.start_in_s, time.mean_s)));
    Ok(Found { time, closed: Some(closed) })
}

fn by_closed(base: &TimeEstimate, law: &LevelNormal) -> TimeEstimate {
    TimeEstimate {
        method: TimeMethod::LevelNormal,
        phases: base.phases,
        mean_s: law.mean_s(),
        sd_s: law.sd_s(),
        quantiles: base.quantiles.iter().map(|&(share, _)| (share, law.quantile(share))).collect(),
        tails: base.tails.iter().map(|tail| chance(tail, law.above(tail.threshold_s))).collect(),
        warnings: base.warnings.clone(),
    }
}

/// From the times of simulated runs, in any order.
fn by_runs(base: &TimeEstimate, mut times_s: Vec<f64>) -> TimeEstimate {
    times_s.sort_by(f64::total_cmp);
    let above = |time_s: f64| times_s.len() - times_s.partition_point(|one| *one <= time_s);
    let share = |tail: &Tail| above(tail.threshold_s) as f64 / times_s.len() as f64;
    TimeEstimate {
        method: TimeMethod::LevelRecursion,
        phases: base.phases,
        mean_s: mean(&times_s),
        sd_s: sample_variance(&times_s).unwrap_or(0.0).sqrt(),
        quantiles: base.quantiles.iter().map(|&(share, _)| (share, quantile_of_sorted(&times_s, share))).collect(),
        tails: base.tails.iter().map(|tail| chance(tail, share(tail))).collect(),
        warnings: base.warnings.clone(),
    }
}

/// Times with one more normal number on their logarithms, of this standard deviation.
fn stirred(mut times_s: Vec<f64>, log_sd: f64, seed: u64) -> Vec<f64> {
    // A stream that no run has.
    let mut random = SplitMix::new(seed, u64::MAX);
    for time_s in &mut times_s {
        *time_s *= (log_sd * normal::quantile(random.uniform().clamp(1e-15, 1.0 - 1e-15))).exp();
    }
    times_s
}

/// The chance of a late run, of which no more is known.
fn chance(tail: &Tail, probability: f64) -> Tail {
    Tail { threshold_s: tail.threshold_s, probability, rate: None, theta_per_tick: None, chernoff: None }
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

/// The law in closed form, as a check.
pub(super) fn closed(law: &LevelNormal, base: &TimeEstimate, shown: usize) -> BaseEntry {
    self::base(&by_closed(base, law), shown)
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
    let late = |tail: &Tail| match sd_s > 0.0 {
        true => normal::share_below((base.mean_s - tail.threshold_s) / sd_s),
        false => tail.probability,
    };
    TimeEstimate {
        sd_s,
        quantiles: base.quantiles.iter().map(|&(share, time_s)| (share, away(time_s))).collect(),
        tails: base.tails.iter().map(|tail| chance(tail, late(tail))).collect(),
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

    fn asked(law: RunLaw) -> Asked {
        Asked { law, start_in_s: 0.0, draws: 4000, seed: 0 }
    }

    /// As computed by an independent script.
    #[test]
    fn a_constant_level_widens_the_law() {
        let model = Model { level: Some(Level::Fixed { sd: 0.1, mean: 0.0 }), ..cases::barrier() };
        for (law, method, tolerance, quantiles) in [
            (RunLaw::LevelNormal, TimeMethod::LevelNormal, 1e-5, [129.506, 155.0, 185.513]),
            (RunLaw::Auto, TimeMethod::LevelRecursion, 0.01, [129.28495, 154.90101, 185.2556]),
        ] {
            let Found { time, closed } = with_level(&model, &estimate(), asked(law)).expect("small");
            assert_eq!((time.method, closed.map(|law| law.level_sd)), (method, Some(0.1)));
            for ((_, time_s), expected) in time.quantiles.iter().zip(quantiles) {
                assert!((time_s / expected - 1.0).abs() < tolerance, "{time_s}, expected {expected}");
            }
            assert!(time.tails[0].rate.is_none() && (0.3..0.45).contains(&time.tails[0].probability));
        }
        let base = with_level(&model, &estimate(), asked(RunLaw::Base)).expect("no simulation");
        assert_eq!((base.time, base.closed), (estimate(), None));
        let long = TimeEstimate { phases: 1 << 40, ..estimate() };
        assert_eq!(
            with_level(&model, &long, asked(RunLaw::Auto)).expect("closed").time.method,
            TimeMethod::LevelNormal
        );
        assert_eq!(
            with_level(&model, &long, asked(RunLaw::Recursion)).map(|_| ()).expect_err("long").code,
            "too_large"
        );
    }

    /// What is not known of all times together is in the simulated law, too: 10 % beside 10 % of the level and 4.4 % of phases.
    #[test]
    fn a_pilot_widens_the_simulated_law() {
        let level = Some(Level::Fixed { sd: 0.1, mean: 0.0 });
        let model = Model { level, pilot_log_sd: 0.1, ..cases::barrier() };
        let time = with_level(&model, &estimate(), asked(RunLaw::Recursion)).expect("small").time;
        let expected = (0.1f64.powi(2) * 2.0 + 0.044f64.powi(2)).sqrt();
        let width = (time.quantiles[2].1 / time.quantiles[0].1).ln() / (2.0 * 1.6449);
        assert!((width / expected - 1.0).abs() < 0.05, "{width}, expected {expected}");
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
        let time = |model: Model| with_level(&model, &estimate(), asked(RunLaw::Auto)).expect("no level").time;
        assert_eq!(time(cases::barrier()), estimate());
        let found = time(Model { sigma_factor: 2.0, ..cases::barrier() });
        assert_eq!(found.quantiles, [(0.05, 131.0), (0.5, 155.0), (0.95, 177.0)]);
        assert!((found.sd_s - 2.0 * 46.5f64.sqrt()).abs() < 1e-12);
        // What is not known of all times together adds to it: 4.4 % of 155 s beside 6.82 s.
        let found = time(Model { pilot_log_sd: 0.044, ..cases::barrier() });
        assert!((found.sd_s - (46.5 + 6.82 * 6.82_f64).sqrt()).abs() < 1e-9, "{}", found.sd_s);
    }
}

//! What recording costs: the same program with all regions, with outer ones alone, and with none.
//!
//! An outer region that holds others is as long as alone if what they cost is taken out rightly:
//!
//! ```text
//! ratio = 100 (median time with all regions / median time alone - 1) %
//! ```
//!
//! Samples of one run are not independent, so a time is the median over rounds of medians over visits, and its standard
//! error is that of a median of as many numbers: 1.2533 sd / sqrt(rounds).

mod visits;

use super::launch::Ran;
use indexmap::IndexMap;
use runcast_core::{Warning, statistics};
use serde::Serialize;
use std::collections::BTreeMap;
use visits::{Key, Seen, Visits};

/// More than this is told, if it is no chance \[%\].
const ALLOWED_PCT: f64 = 5.0;
/// The standard error of the median of normal numbers, in that of their mean.
const OF_MEDIAN: f64 = 1.2533;

/// The three runs of a round.
#[derive(Debug)]
pub(super) struct Round {
    pub full: Ran,
    pub outer: Ran,
    pub off: Ran,
}

/// What recording costs.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Overhead {
    pub rounds: usize,
    /// How much longer the program runs than without recording \[%\].
    pub wall_pct: Option<f64>,
    pub depth1_pct: Option<f64>,
    /// Outer regions, by the values of their variables.
    pub regions: Vec<Region>,
}

/// An outer region at a configuration.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Region {
    pub name: String,
    pub at: IndexMap<String, f64>,
    pub full_s: f64,
    pub depth1_s: f64,
    pub ratio_pct: f64,
    /// Visits of other regions in one of this.
    pub visits_inside: f64,
    /// `ok` or `perturbed`.
    pub verdict: &'static str,
}

/// The outcome of a check.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub overhead: Option<Overhead>,
    pub warnings: Vec<Warning>,
}

/// Compares; without overhead where a run has failed.
pub(super) fn compare(rounds: &[Round]) -> Checked {
    let complete = |round: &&Round| [&round.full, &round.outer, &round.off].iter().all(|ran| ran.entry.status == "ok");
    let rounds: Vec<&Round> = rounds.iter().filter(complete).collect();
    let mut checked = Checked::default();
    if rounds.is_empty() {
        let message = "no round of the check was complete: what recording costs is not known";
        checked.warnings.push(Warning::new("no_check", message));
        return checked;
    }
    let wall =
        |of: fn(&Round) -> &Ran| -> Vec<f64> { rounds.iter().filter_map(|round| of(round).entry.wall_s).collect() };
    let off = wall(|round| &round.off);
    let longer = |times: &[f64]| percent(statistics::median(times), statistics::median(&off));
    let read =
        |of: fn(&Round) -> &Ran| -> Vec<Visits> { rounds.iter().map(|round| Visits::of(&of(round).paths)).collect() };
    let (full, outer) = (read(|round| &round.full), read(|round| &round.outer));
    let (regions, told) = regions(&full, &outer);
    checked.warnings.extend(told);
    checked.overhead = Some(Overhead {
        rounds: rounds.len(),
        wall_pct: longer(&wall(|round| &round.full)),
        depth1_pct: longer(&wall(|round| &round.outer)),
        regions,
    });
    checked
}

/// By how much a time is longer than another \[%\].
fn percent(time: f64, than: f64) -> Option<f64> {
    Some(100.0 * (time / than - 1.0)).filter(|percent| percent.is_finite())
}

/// The outer regions of all rounds, and what is to be said of them.
fn regions(full: &[Visits], outer: &[Visits]) -> (Vec<Region>, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut regions = Vec::new();
    let (mut partly, mut perturbed) = (0, Vec::new());
    let keys: BTreeMap<&Key, ()> =
        outer.iter().flat_map(|visits| visits.outermost.keys()).map(|key| (key, ())).collect();
    for key in keys.into_keys() {
        let of = |all: &[Visits]| -> Option<Vec<Seen>> {
            all.iter().map(|visits| visits.outermost.get(key).cloned()).collect()
        };
        let (Some(all), Some(alone)) = (of(full), of(outer)) else { continue };
        // Where it is sometimes inside another one, its times are not those of the same visits.
        if all.iter().zip(&alone).any(|(all, alone)| all.visits != alone.visits) {
            partly += 1;
            continue;
        }
        let (time, error) = over_rounds(&all);
        let (alone_time, alone_error) = over_rounds(&alone);
        let Some(ratio_pct) = percent(time, alone_time) else { continue };
        let error_pct = 100.0 * (error / time).hypot(alone_error / alone_time);
        let is_perturbed = ratio_pct.abs() > ALLOWED_PCT && (error_pct.is_nan() || ratio_pct.abs() > 2.0 * error_pct);
        if is_perturbed {
            perturbed.push((key.region.clone(), ratio_pct));
        }
        regions.push(Region {
            name: key.region.clone(),
            at: key.at(),
            full_s: time,
            depth1_s: alone_time,
            ratio_pct,
            visits_inside: 0.0,
            verdict: if is_perturbed { "perturbed" } else { "ok" },
        });
        if let (Some(region), Some(visits)) = (regions.last_mut(), full.first()) {
            region.visits_inside = visits.inside(key);
        }
    }
    let busiest = full.first().zip(outer.first()).and_then(|(full, outer)| full.busiest_beside(outer));
    if let Some((region, ratio_pct)) = perturbed.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
        let others = perturbed.len() - 1;
        let more = if others > 0 { format!(" (and {others} more)") } else { String::new() };
        let inner = busiest.map_or_else(String::new, |name| format!("; {name} inside is visited most: "));
        let message = format!(
            "recording what is inside changes the time of \"{region}\"{more} by {ratio_pct:.1} %{inner}{}every(n), \
             mode(aggregate) or CLL_CLOCK=tsc make it cheaper",
            if inner.is_empty() { "; " } else { "" }
        );
        warnings.push(Warning::new("perturbed", message));
    }
    if partly > 0 {
        let message = format!("{partly} configurations of outer regions are also visited inside others: not compared");
        warnings.push(Warning::new("partly_inside", message));
    }
    (regions, warnings)
}

/// The median over rounds, and its standard error.
fn over_rounds(rounds: &[Seen]) -> (f64, f64) {
    let medians: Vec<f64> = rounds.iter().map(Seen::median).collect();
    let median = statistics::median(&medians);
    let mean = statistics::mean(&medians);
    let squares: f64 = medians.iter().map(|value| (value - mean).powi(2)).sum();
    let spread = (squares / (medians.len().max(2) - 1) as f64).sqrt();
    (median, OF_MEDIAN * spread / (medians.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(trace: &str) -> Visits {
        let mut visits = Visits::default();
        visits.take("a.csv", trace.as_bytes());
        visits
    }

    fn full(step_s: f64) -> Visits {
        let mut text = "# cll-trace: 2\n\
            # clock: {\"kind\":\"mono\",\"o_in_s\":1e-8,\"o_pair_s\":5e-8}\n\
            # experiment: {\"name\":\"step\",\"formula\":\"step[0]\",\"names\":[\"n\"]}\n\
            # experiment: {\"name\":\"inner\",\"formula\":\"inner[0]\",\"names\":[]}\n\
            region,run,rank,thread,visit,level,status,visits,n,P,time_s,self_s,raw_s\n"
            .to_owned();
        text += "inner,0,0,0,0,0,ok,30,,1,1e-6,1e-6,1e-6\n";
        for visit in 0..3 {
            text += &format!("step,0,0,0,{visit},0,ok,1,8,1,{step_s:e},1e-6,{:e}\n", step_s + 5.1e-7);
        }
        visits(&text)
    }

    fn alone(step_s: f64) -> Visits {
        let mut visits = full(step_s);
        visits.all.shift_remove("inner");
        visits.outermost.retain(|key, _| key.region == "step");
        visits
    }

    /// By hand: 1.1 to 1.0 is +10 %, and rounds that agree have no error.
    #[test]
    fn a_region_that_gets_longer_is_perturbed() {
        let (regions, warnings) = regions(&[1.1e-3, 1.1e-3, 1.1e-3].map(full), &[1e-3, 1e-3, 1e-3].map(alone));
        assert_eq!(regions.len(), 1);
        let step = &regions[0];
        assert!((step.ratio_pct - 10.0).abs() < 1e-9, "{step:?}");
        // 30 visits in 3.
        assert_eq!(
            (step.name.as_str(), step.at["n"], step.visits_inside, step.verdict),
            ("step", 8.0, 10.0, "perturbed")
        );
        assert_eq!(warnings[0].code, "perturbed");
        assert!(warnings[0].message.contains("inner inside is visited most"), "{warnings:?}");
    }

    /// By hand: 10 % on average, but with a standard error of 1.2533 * 0.3 / sqrt(3) = 22 %.
    #[test]
    fn chance_is_no_perturbation() {
        let (regions, warnings) = regions(&[0.8e-3, 1.1e-3, 1.4e-3].map(full), &[1e-3, 1e-3, 1e-3].map(alone));
        assert_eq!(regions[0].verdict, "ok");
        assert_eq!(warnings, []);
        let (regions, _) = super::regions(&[1.04e-3; 3].map(full), &[1e-3; 3].map(alone));
        assert_eq!(regions[0].verdict, "ok");
    }
}

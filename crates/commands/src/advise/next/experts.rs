//! What runs would say between forecasts of several methods (docs/theory/compare.md).

use super::{NextArgs, USUAL_NOISE};
use crate::compare::forum::{Competitor, Forum, Weighed};
use crate::failure::Failure;
use runcast_core::comparison::{Expert, Observation, Side, choose, deviate, sd_after, sd_now, separation};
use runcast_core::{Configuration, Problem};
use runcast_fit::advise::next::{Advice, Candidate};

/// A run that sets a pair this far apart distinguishes it.
const APART: f64 = 1.0;

/// Values every candidate; the last target is the one that is forecast.
///
/// # Errors
/// Nothing is forecast at the target.
pub(super) fn advise(
    forum: &Forum,
    weighed: &Weighed,
    targets: &[Configuration],
    args: &NextArgs,
) -> Result<Advice, Failure> {
    let nothing = || Failure::undone(Problem::new("no_answer", format!("nothing is forecast at {}", args.at)));
    let target = forum.place(&args.at).ok_or_else(nothing)?;
    let speaking: Vec<(f64, &Competitor)> = weighed
        .weights
        .iter()
        .copied()
        .zip(&forum.members)
        .filter(|(weight, one)| *weight > 0.0 && forum.law(one, target).is_some())
        .collect();
    let expert = |(weight, one): &(f64, &Competitor)| {
        let law = forum.law(one, target)?;
        Some(Expert { weight: *weight, target: law.value.ln(), sd: law.sd() })
    };
    let experts: Vec<Expert> = speaking.iter().filter_map(expert).collect();
    let now = sd_now(&experts).ok_or_else(nothing)?;
    let z = deviate(args.common.level.level).unwrap_or(1.0);
    let factor = |sd: f64| (z * sd).exp();
    let question = Asked { forum, weighed, speaking: &speaking, args };
    let runs: Vec<Run> = targets[..targets.len() - 1].iter().filter_map(|at| question.run(at)).collect();
    let candidate = |run: &Run| {
        let after = sd_after(&experts, &[&run.seen]);
        let gain = after.zip(run.cost).filter(|(_, cost)| *cost > 0.0);
        let gain = gain.map(|(after, cost)| if teaches(now, after) { (now / after).ln() / cost } else { 0.0 });
        Candidate {
            at: run.at.clone(),
            cost_core_hours: run.cost,
            cost_high_core_hours: run.price,
            cost_core_hours_high: run.price,
            factor_after: after.map(factor),
            after_factor: after.map(factor),
            would_tell_apart: question.apart(run),
            gain_per_core_hour: gain,
        }
    };
    let mut candidates: Vec<Candidate> = runs.iter().map(candidate).collect();
    let observed: Vec<Observation> = runs.iter().map(|run| run.seen.clone()).collect();
    let prices: Vec<f64> = runs.iter().map(|run| run.price.unwrap_or(f64::INFINITY)).collect();
    let mut set = args.budget_core_hours.map_or(Vec::new(), |budget| choose(&experts, &observed, &prices, budget));
    let left = sd_after(&experts, &set.iter().map(|place| &observed[*place]).collect::<Vec<_>>());
    set.retain(|_| left.is_some_and(|left| teaches(now, left)));
    let mut chosen: Vec<Candidate> = set.iter().map(|place| candidates[*place].clone()).collect();
    chosen.sort_by(|a, b| a.cost_high_core_hours.unwrap_or(0.0).total_cmp(&b.cost_high_core_hours.unwrap_or(0.0)));
    let sum =
        |of: fn(&Candidate) -> Option<f64>| chosen.iter().map(of).sum::<Option<f64>>().filter(|_| !chosen.is_empty());
    let together: Vec<&Observation> = set.iter().map(|place| &observed[*place]).collect();
    let gain = |candidate: &Candidate| candidate.gain_per_core_hour.unwrap_or(f64::NEG_INFINITY);
    candidates.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Ok(Advice {
        target: forum.rows.list[target].at.clone(),
        factor_now: Some(factor(now)),
        now_factor: Some(factor(now)),
        factor_after_chosen: sd_after(&experts, &together).filter(|_| !set.is_empty()).map(factor),
        cost_chosen_core_hours: sum(|run| run.cost_core_hours),
        cost_chosen_high_core_hours: sum(|run| run.cost_high_core_hours),
        candidates,
        chosen,
        members: forum.listed(weighed),
    })
}

/// A run that leaves more than this share of the range, as a logarithm, is not worth making.
const LEAST_GAIN: f64 = 0.005;

fn teaches(now: f64, after: f64) -> bool {
    (now / after).ln() > LEAST_GAIN
}

/// A run that could be made.
struct Run {
    at: Configuration,
    place: usize,
    seen: Observation,
    /// Core-hours of all repetitions, as forecast.
    cost: Option<f64>,
    /// The same at the upper end of the range.
    price: Option<f64>,
}

struct Asked<'a> {
    forum: &'a Forum,
    weighed: &'a Weighed,
    speaking: &'a [(f64, &'a Competitor)],
    args: &'a NextArgs,
}

impl Asked<'_> {
    fn noise(&self) -> f64 {
        let noise = self.forum.rows.noise();
        if noise > 0.0 { noise } else { USUAL_NOISE }
    }

    /// The run at a candidate; none unless all say something of it.
    fn run(&self, at: &Configuration) -> Option<Run> {
        let place = self.forum.place(at)?;
        let repetitions = f64::from(self.args.repetitions);
        let noise = self.noise() / repetitions.sqrt();
        let laws: Option<Vec<_>> = self.speaking.iter().map(|(_, one)| self.forum.law(one, place)).collect();
        let (expected, sd) = laws?.iter().map(|law| (law.value.ln(), law.sd().hypot(noise))).unzip();
        let said = self.forum.forecast(self.weighed, place)?.prediction;
        let row = &self.forum.rows.list[place];
        let processes = self.forum.rows.processes(row)?;
        let hours = |seconds: f64| processes * seconds * self.args.cores_per_process * repetitions / 3600.0;
        let of_time = |seconds: Option<f64>| seconds.filter(|_| self.forum.rows.metric.unit == "s").map(hours);
        Some(Run {
            at: row.at.clone(),
            place,
            seen: Observation { expected, sd },
            cost: of_time(said.value),
            price: of_time(said.high.or(said.value)),
        })
    }

    /// The two that it sets farthest apart, if far enough.
    fn apart(&self, run: &Run) -> Option<[String; 2]> {
        let noise = self.noise() / f64::from(self.args.repetitions).sqrt();
        let sides: Vec<(&str, Side)> = self
            .speaking
            .iter()
            .filter_map(|(_, one)| {
                let law = self.forum.law(one, run.place)?;
                Some((one.input.as_str(), Side { value: law.value, sd: law.sd() }))
            })
            .collect();
        let mut best: Option<(f64, [String; 2])> = None;
        for (number, (a, one)) in sides.iter().enumerate() {
            for (b, other) in &sides[number + 1..] {
                let Some(z) = separation(*one, *other, noise) else { continue };
                if z > APART && best.as_ref().is_none_or(|(known, _)| z > *known) {
                    best = Some((z, [(*a).to_owned(), (*b).to_owned()]));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }
}

//! The cost of runs, and as many of them as a budget pays for.
//!
//! ```text
//! price of a configuration = repetitions * p * time / 3600                       [core-hours], one core per process
//! time                     = measured time * (T_A/p here) / (T_A/p where it was measured)
//! ```
//!
//! That is ideal scaling: what a run loses to messages, waiting and serial parts comes on top, unless the complexity
//! says so. Without a complexity every configuration must have the sizes of the measured one, and `T_A` cancels out.

use super::layout::Layout;
use super::parse::shown;
use super::solve::Candidate;
use super::spec::PlanSpec;
use super::work::Work;
use crate::configuration::Configuration;
use crate::json;
use crate::problem::{Problem, Warning};
use serde::Serialize;

/// A configuration whose time is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The configuration: `p` and the sizes that nothing fixes.
    pub at: Configuration,
    /// How long one run of it takes \[s\].
    #[serde(serialize_with = "json::as_number")]
    pub time_s: f64,
}

/// What a plan costs, and the assumption behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// What all prices are derived from.
    pub measured: Measured,
    /// `ideal scaling`: the time of a run is proportional to its work per process.
    pub assumes: &'static str,
    /// What the training runs may cost \[core-hours\].
    #[serde(serialize_with = "json::as_optional_number")]
    pub budget_core_hours: Option<f64>,
    /// All training runs together \[core-hours\].
    #[serde(serialize_with = "json::as_number")]
    pub train_core_hours: f64,
    /// All targets together, if someone runs them \[core-hours\]; no part of the budget.
    #[serde(serialize_with = "json::as_number")]
    pub target_core_hours: f64,
    /// Training configurations that the budget does not pay for.
    pub left_out: Vec<Configuration>,
}

/// Fewer numbers of processes than this tell a model little; plans that have no more keep all of theirs.
pub(super) const LEAST_PROCESSES: usize = 3;
/// Fewer configurations than this tell a model little; plans that have no more keep all of theirs.
pub(super) const LEAST_CONFIGURATIONS: usize = 5;

/// How configurations are priced.
#[derive(Debug)]
pub(super) struct Tariff<'a> {
    measured: &'a Measured,
    /// `p`, then the sizes of the measured configuration.
    arguments: Vec<f64>,
    /// Its work per process, where there is a complexity.
    work: Option<f64>,
    repetitions: f64,
}

impl<'a> Tariff<'a> {
    /// The tariff that a specification asks for.
    ///
    /// # Errors
    /// There is a budget but no measured configuration, or that is incomplete.
    pub(super) fn new(spec: &'a PlanSpec, layout: &Layout, work: Option<&Work<'_>>) -> Result<Option<Self>, Problem> {
        let Some(measured) = &spec.measured else {
            return match spec.budget_core_hours {
                None => Ok(None),
                Some(_) => Err(spec
                    .problem("budget", "missing", "a budget needs the time of one configuration, to price the others")
                    .hint("--measured p=4,N=1000:12s says how long one run takes")),
            };
        };
        let arguments = layout.arguments_at(spec, "measured", &measured.at)?;
        let work = work.map(|work| work.checked(&arguments)).transpose();
        let work = work.map_err(|problem| spec.place("measured", problem))?;
        Ok(Some(Tariff { measured, arguments, work, repetitions: f64::from(spec.repetitions()) }))
    }

    /// The price of a configuration with all of its repetitions \[core-hours\].
    fn core_hours(&self, spec: &PlanSpec, candidate: &Candidate) -> Result<f64, Problem> {
        let (p, measured_p) = (candidate.p, self.arguments[0]);
        let time_s = match (candidate.work, self.work) {
            (Some(work), Some(measured)) => self.measured.time_s * (work / measured),
            _ if candidate.sizes == self.arguments[1..] => self.measured.time_s * (measured_p / p),
            _ => {
                let message = "prices of other sizes than the measured one need the sequential complexity";
                return Err(spec.problem("complexity", "missing", message).hint("--complexity 'N^2', say"));
            }
        };
        let price = rounded(self.repetitions * p * time_s / 3600.0);
        if price.is_finite() {
            return Ok(price);
        }
        let message = format!("the price of p = {} is not a finite number", shown(p));
        Err(spec.problem("measured", "out_of_range", message))
    }

    /// Prices the configurations, and leaves out what the budget does not pay for.
    ///
    /// # Errors
    /// The budget does not pay for the cheapest useful plan.
    pub(super) fn apply(
        &self,
        spec: &PlanSpec,
        layout: &Layout,
        train: &mut Vec<Candidate>,
        targets: &mut [Candidate],
        warnings: &mut Vec<Warning>,
    ) -> Result<Price, Problem> {
        for candidate in train.iter_mut().chain(targets.iter_mut()) {
            candidate.core_hours = Some(self.core_hours(spec, candidate)?);
        }
        let mut left_out = Vec::new();
        if let Some(budget) = spec.budget_core_hours.filter(|_| !train.is_empty()) {
            let priced: Vec<Priced> = train.iter().map(Priced::of).collect();
            let kept = affordable(&priced, budget).map_err(|cheapest| too_dear(spec, &priced, budget, cheapest))?;
            let mut index = 0..;
            train.retain(|candidate| {
                let keeps = index.next().is_some_and(|index| kept[index]);
                if !keeps {
                    left_out.push(layout.configuration(candidate));
                }
                keeps
            });
            if !left_out.is_empty() {
                warnings.push(Warning::new("over_budget", told(&left_out, priced.len(), budget)));
            }
        }
        let sum = |candidates: &[Candidate]| {
            rounded(candidates.iter().filter_map(|candidate| candidate.core_hours).sum::<f64>())
        };
        Ok(Price {
            measured: self.measured.clone(),
            assumes: "ideal scaling",
            budget_core_hours: spec.budget_core_hours,
            train_core_hours: sum(train),
            target_core_hours: sum(targets),
            left_out,
        })
    }
}

/// A configuration as the budget sees it.
#[derive(Debug, Clone, Copy)]
struct Priced {
    p: f64,
    core_hours: f64,
}

impl Priced {
    fn of(candidate: &Candidate) -> Priced {
        Priced { p: candidate.p, core_hours: candidate.core_hours.unwrap_or(0.0) }
    }
}

/// Which configurations to keep: as many as the budget pays for, the most expensive dropped first. Of equally
/// expensive ones those with more processes stay: they are nearer to what is to be predicted, and sooner done.
/// The price of the cheapest useful plan where the budget does not pay for it.
fn affordable(all: &[Priced], budget: f64) -> Result<Vec<bool>, f64> {
    let mut cheapest_first: Vec<usize> = (0..all.len()).collect();
    cheapest_first.sort_by(|&a, &b| {
        all[a].core_hours.total_cmp(&all[b].core_hours).then(all[b].p.total_cmp(&all[a].p)).then(a.cmp(&b))
    });
    let mut kept = vec![false; all.len()];
    let least = useful(all, &cheapest_first);
    least.iter().for_each(|&index| kept[index] = true);
    let sum = |kept: &[bool]| -> f64 {
        rounded(all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(priced, _)| priced.core_hours).sum())
    };
    let mut spent = sum(&kept);
    if spent > budget {
        return Err(spent);
    }
    let mut added = Vec::new();
    for index in cheapest_first.into_iter().filter(|index| !least.contains(index)) {
        spent += all[index].core_hours;
        if rounded(spent) > budget {
            break;
        }
        kept[index] = true;
        added.push(index);
    }
    // The order of a sum changes its last digits.
    while sum(&kept) > budget
        && let Some(last) = added.pop()
    {
        kept[last] = false;
    }
    Ok(kept)
}

/// The cheapest configurations from which something can be learnt.
fn useful(all: &[Priced], cheapest_first: &[usize]) -> Vec<usize> {
    let mut seen: Vec<f64> = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    for &index in cheapest_first {
        if seen.len() < LEAST_PROCESSES && !seen.contains(&all[index].p) {
            seen.push(all[index].p);
            chosen.push(index);
        }
    }
    for &index in cheapest_first {
        if chosen.len() < LEAST_CONFIGURATIONS && !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen
}

/// The problem of a budget that pays for nothing useful.
fn too_dear(spec: &PlanSpec, all: &[Priced], budget: f64, cheapest: f64) -> Problem {
    let mut processes: Vec<f64> = all.iter().map(|priced| priced.p).collect();
    processes.sort_by(f64::total_cmp);
    processes.dedup();
    let counted = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let processes = counted(processes.len().min(LEAST_PROCESSES), "number of processes", "numbers of processes");
    let configurations = counted(all.len().min(LEAST_CONFIGURATIONS), "configuration", "configurations");
    let enough = rounded_up(cheapest);
    spec.problem(
        "budget",
        "too_little",
        format!(
            "{} core-hours do not pay for the cheapest useful plan: {configurations} with {processes} cost {enough}",
            shown(budget)
        ),
    )
    .value(shown(budget))
    .allowed(format!("{enough} or more"))
    .hint("a larger budget, fewer repetitions, or smaller sizes")
}

/// Twelve digits: prices that are equal stay equal, whatever was rounded on the way, and so do their sums.
fn rounded(core_hours: f64) -> f64 {
    format!("{core_hours:.11e}").parse().unwrap_or(core_hours)
}

/// A number with three digits that is not less.
fn rounded_up(value: f64) -> String {
    let step = 10f64.powf(value.abs().log10().floor() - 2.0);
    [0.0, 1.0, 2.0]
        .iter()
        .map(|more| format!("{:.2e}", value + more * step).parse::<f64>().unwrap_or(value))
        .find(|&rounded| rounded >= value)
        .map_or_else(|| shown(value), shown)
}

fn told(left_out: &[Configuration], all: usize, budget: f64) -> String {
    const SHOWN: usize = 4;
    let mut names = left_out.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if left_out.len() > SHOWN {
        names.push_str(&format!(" and {} more", left_out.len() - SHOWN));
    }
    format!("{} of {all} configurations do not fit into {} core-hours: {names}", left_out.len(), shown(budget))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn priced(all: &[(f64, f64)]) -> Vec<Priced> {
        all.iter().map(|&(p, core_hours)| Priced { p, core_hours }).collect()
    }

    #[test]
    fn the_most_expensive_go_first_and_of_equal_ones_the_fewest_processes() {
        let all = priced(&[(1.0, 1.0), (2.0, 1.0), (4.0, 1.0), (1.0, 4.0), (2.0, 4.0), (4.0, 4.0), (8.0, 9.0)]);
        // 3 of 1 and 2 of 4 are the least; 15 pays for the third of 4, and not for the one of 9.
        assert_eq!(affordable(&all, 15.0), Ok(vec![true, true, true, true, true, true, false]));
        assert_eq!(affordable(&all, 14.0), Ok(vec![true, true, true, false, true, true, false]));
        assert_eq!(affordable(&all, 11.0), Ok(vec![true, true, true, false, true, true, false]));
        assert_eq!(affordable(&all, 10.9), Err(11.0));
        assert_eq!(affordable(&all, 24.0), Ok(vec![true; 7]));
    }

    #[test]
    fn three_numbers_of_processes_stay_whatever_they_cost() {
        let all = priced(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (2.0, 20.0), (4.0, 30.0)]);
        assert_eq!(affordable(&all, 52.9), Err(53.0), "1 + 20 + 30, and two more of 1");
        assert_eq!(affordable(&all, 53.0).map(|kept| kept.iter().filter(|kept| **kept).count()), Ok(5));
    }

    #[test]
    fn hints_name_a_sum_that_is_enough() {
        for (value, expected) in [(0.16, "0.16"), (0.1601, "0.161"), (12345.0, "12400"), (9.999, "10"), (0.5, "0.5")] {
            assert_eq!(rounded_up(value), expected);
        }
    }

    proptest! {
        #[test]
        fn no_budget_is_exceeded_and_every_plan_is_useful(
            all in prop::collection::vec((0..6_i32, 1e-6..1e3_f64), 1..40),
            budget in 1e-6..1e4_f64,
        ) {
            let all: Vec<Priced> =
                all.iter().map(|&(p, price)| Priced { p: f64::from(1 << p), core_hours: rounded(price) }).collect();
            let distinct = |kept: &[bool]| {
                let mut seen: Vec<f64> =
                    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(priced, _)| priced.p).collect();
                seen.sort_by(f64::total_cmp);
                seen.dedup();
                seen.len()
            };
            match affordable(&all, budget) {
                Ok(kept) => {
                    let count = kept.iter().filter(|kept| **kept).count();
                    let sum: f64 = all.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(one, _)| one.core_hours).sum();
                    prop_assert!(rounded(sum) <= budget, "{sum} of {budget}");
                    prop_assert!(count >= all.len().min(LEAST_CONFIGURATIONS));
                    prop_assert!(distinct(&kept) >= distinct(&vec![true; all.len()]).min(LEAST_PROCESSES));
                    // One more of those left out would be too much.
                    for (one, _) in all.iter().zip(&kept).filter(|(_, kept)| !**kept) {
                        prop_assert!(rounded(sum + one.core_hours) > budget);
                    }
                }
                Err(cheapest) => {
                    prop_assert!(cheapest > budget);
                    prop_assert!(affordable(&all, cheapest).is_ok(), "what the error names is enough");
                }
            }
        }
    }
}

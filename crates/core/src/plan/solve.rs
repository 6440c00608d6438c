//! Turns a specification into a plan: solve, filter, thin out.

use super::layout::Layout;
use super::parse::shown;
use super::price::{Price, Tariff};
use super::spec::{PlanSpec, Rounding, Scaling};
use super::weak::some;
use super::work::{Budget, Function, Work};
use super::{MOST_CONFIGURATIONS, PROCESSES, Plan, PlannedConfiguration, deviation_pct, grid, strong, weak, wide};
use crate::Configuration;
use crate::problem::{Problem, Problems, Warning};
use runcast_formula::numbers::NumberList;

impl PlanSpec {
    /// Chooses the configurations.
    ///
    /// # Errors
    /// Something is missing or contradictory; the complexity falls somewhere in the range of a size, is not a
    /// number there, or never reaches the constant; nothing remains after `keep` and `max_deviation`.
    pub fn solve(&self) -> Result<Plan, Problems> {
        Ok(self.solved()?)
    }

    fn solved(&self) -> Result<Plan, Problem> {
        self.check_grid()?;
        let budget = Budget::new();
        let layout = Layout::new(self)?;
        let keep = self.keep_function(&layout, &budget)?;
        let draft = match self.scaling() {
            Scaling::Weak => weak::solve(self, &layout, &budget)?,
            Scaling::Strong => strong::solve(self, &layout, &budget)?,
            Scaling::Wide => wide::solve(self, &layout, &budget)?,
            Scaling::Grid => grid::solve(self, &layout, &budget)?,
        };
        let work = Work::new(self, &layout.names, &budget)?;
        let tariff = Tariff::new(self, &layout, work.as_ref())?;
        self.finish(&layout, draft, keep.as_ref(), tariff.as_ref())
    }

    /// Checks that only a grid has the keys of a grid.
    fn check_grid(&self) -> Result<(), Problem> {
        if self.scaling() == Scaling::Grid {
            return Ok(());
        }
        let name = self.scaling().name();
        let wrong =
            |key: &str, message: String, hint: &str| Err(self.problem(key, "contradiction", message).hint(hint));
        if !self.grid.is_empty() {
            return wrong("grid", format!("{name} scaling is no grid"), "leave `scaling` out, or say grid");
        }
        if !self.target_grid.is_empty() {
            let hint = "give a list: 64,128; or all values of a grid by --grid 'p=2,4,8; N=1000,2000'";
            return wrong("targets", format!("{name} scaling takes numbers, only a grid takes NAME=LIST"), hint);
        }
        Ok(())
    }

    fn keep_function<'a>(&self, layout: &Layout, budget: &'a Budget) -> Result<Option<Function<'a>>, Problem> {
        let Some(keep) = &self.keep else { return Ok(None) };
        let names: Vec<&str> = layout.parameters().collect();
        Function::new(keep, &names, budget).map(Some).map_err(|problem| self.place("keep", problem))
    }

    /// Filters the candidates and turns them into configurations.
    fn finish(
        &self,
        layout: &Layout,
        draft: Draft,
        keep: Option<&Function<'_>>,
        tariff: Option<&Tariff<'_>>,
    ) -> Result<Plan, Problem> {
        let Draft { constant, mut train, mut targets, mut warnings } = draft;
        warnings.splice(0..0, self.unused());
        let is_empty = |candidates: &[Candidate]| candidates.is_empty();
        if let Some(keep) = keep {
            let before = (train.len(), targets.len());
            retain(&mut train, |candidate| candidate.is_kept(keep))?;
            let dropped = retain(&mut targets, |candidate| candidate.is_kept(keep))?;
            if !dropped.is_empty() {
                let message = format!("targets that do not satisfy `keep` are dropped: p = {}", some(&dropped));
                warnings.push(Warning::new("target_left_out", message));
            }
            if is_empty(&train) && is_empty(&targets) {
                return Err(self.problem(
                    "keep",
                    "empty_plan",
                    format!("none of {} configurations satisfies it", before.0 + before.1),
                ));
            }
        }
        if let Some(most) = self.max_deviation {
            self.drop_deviating(most, &mut train, &mut warnings)?;
            self.drop_deviating(most, &mut targets, &mut warnings)?;
            if is_empty(&train) && is_empty(&targets) {
                let message = format!("every configuration deviates by more than {} %", 100.0 * most);
                let hint = "allow finer sizes (a smaller multiple) or a larger deviation";
                return Err(self.problem("max_deviation", "empty_plan", message).hint(hint));
            }
        }
        let count = self.count.filter(|_| self.scaling() != Scaling::Grid);
        if let Some(count) = count.filter(|&count| count > train.len() && !is_empty(&train)) {
            let message = format!("{count} configurations are requested, {} are allowed", train.len());
            warnings.push(Warning::new("fewer_configurations", message));
        }
        if let Some(count) = count {
            train = thinned(train, count);
        }
        if is_empty(&train) && is_empty(&targets) {
            return Err(self.problem("processes", "empty_plan", "no configuration is allowed"));
        }
        let price =
            tariff.map(|tariff| tariff.apply(self, layout, &mut train, &mut targets, &mut warnings)).transpose()?;
        let configurations =
            train.into_iter().chain(targets).map(|candidate| candidate.planned(layout, self.repetitions())).collect();
        Ok(self.plan(constant, configurations, price, warnings))
    }

    /// The document of a plan.
    pub(super) fn plan(
        &self,
        constant: Option<f64>,
        configurations: Vec<PlannedConfiguration>,
        price: Option<Price>,
        warnings: Vec<Warning>,
    ) -> Plan {
        let complexity = self.complexity.as_ref().map(|formula| formula.text().to_owned());
        Plan { scaling: self.scaling(), complexity, constant, price, warnings, configurations }
    }

    fn drop_deviating(
        &self,
        most: f64,
        candidates: &mut Vec<Candidate>,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Problem> {
        let deviation = |candidate: &Candidate| candidate.deviation_pct().unwrap_or(0.0);
        let mut worst = 0.0f64;
        let dropped = retain(candidates, |candidate| {
            let is_near = deviation(candidate).abs() <= 100.0 * most;
            if !is_near && deviation(candidate).abs() > worst.abs() {
                worst = deviation(candidate);
            }
            Ok(is_near)
        })?;
        if !dropped.is_empty() {
            let message = format!(
                "{} of {} configurations deviate by more than {} % (up to {worst:+.2} %) and are dropped: p = {}",
                dropped.len(),
                dropped.len() + candidates.len(),
                100.0 * most,
                some(&dropped)
            );
            warnings.push(Warning::new("deviation", message));
        }
        Ok(())
    }

    /// Warnings about keys that this scaling does not use.
    fn unused(&self) -> Vec<Warning> {
        let given = |key: &&str| match *key {
            "constant" => self.constant.is_some(),
            "processes" => self.processes.is_some(),
            "min_p" => self.min_p.is_some(),
            "max_p" => self.max_p.is_some(),
            "start" => !self.start.is_empty(),
            "ratio" => self.ratio.is_some(),
            "count" => self.count.is_some(),
            "round" => self.round != Rounding::Nearest,
            "size" => !self.sizes.is_empty(),
            "max_deviation" => self.max_deviation.is_some(),
            _ => false,
        };
        let useless: &[&str] = match self.scaling() {
            Scaling::Weak => &["start", "ratio"],
            Scaling::Strong => &["constant", "start", "ratio"],
            Scaling::Wide => &["constant", "processes", "min_p", "max_p"],
            Scaling::Grid => &["constant", "start", "ratio", "count", "round", "size", "max_deviation"],
        };
        let name = self.scaling().name();
        let warning = |key: &str| Warning::new("unused", format!("{name} scaling does not use `{key}`"));
        useless.iter().copied().filter(given).map(warning).collect()
    }
}

/// Configurations before the filters.
pub(super) struct Draft {
    pub constant: Option<f64>,
    pub train: Vec<Candidate>,
    pub targets: Vec<Candidate>,
    pub warnings: Vec<Warning>,
}

/// A configuration before the filters.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub set: &'static str,
    pub p: f64,
    /// All sizes, in the order of the layout.
    pub sizes: Vec<f64>,
    /// The only size, before rounding.
    pub exact: Option<f64>,
    /// `T_A/p`.
    pub work: Option<f64>,
    /// The work per process that is wanted.
    pub wanted: Option<f64>,
    /// What it costs with all repetitions, where that is known.
    pub core_hours: Option<f64>,
}

impl Candidate {
    fn is_kept(&self, keep: &Function<'_>) -> Result<bool, Problem> {
        let arguments: Vec<f64> = std::iter::once(self.p).chain(self.sizes.iter().copied()).collect();
        let truth = keep.at(&arguments)?;
        Ok(truth != 0.0 && !truth.is_nan())
    }

    fn planned(self, layout: &Layout, repetitions: u32) -> PlannedConfiguration {
        let deviation_pct = self.deviation_pct();
        let at = layout.configuration(&self);
        PlannedConfiguration {
            set: self.set.to_owned(),
            at,
            exact: layout.exact(self.exact),
            work_per_process: self.work,
            deviation_pct,
            core_hours: self.core_hours,
            repetitions,
        }
    }

    fn deviation_pct(&self) -> Option<f64> {
        Some(deviation_pct(self.work?, self.wanted?))
    }
}

impl Layout {
    /// `p`, then the sizes.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        std::iter::once(PROCESSES).chain(self.names.iter().map(String::as_str))
    }

    /// `p` and the sizes of a candidate, by their names.
    pub(super) fn configuration(&self, candidate: &Candidate) -> Configuration {
        let values = std::iter::once(candidate.p).chain(candidate.sizes.iter().copied());
        Configuration(self.parameters().map(str::to_owned).zip(values).collect())
    }

    /// The exact size as a configuration, where there is only one size parameter.
    pub(super) fn exact(&self, exact: Option<f64>) -> Option<Configuration> {
        let names = if self.free.is_empty() { (0..self.names.len()).collect() } else { self.free.clone() };
        match names[..] {
            [only] => exact.map(|exact| Configuration([(self.names[only].clone(), exact)].into_iter().collect())),
            _ => None,
        }
    }
}

/// Keeps the candidates that pass; returns the `p` of the others.
fn retain(
    candidates: &mut Vec<Candidate>,
    mut passes: impl FnMut(&Candidate) -> Result<bool, Problem>,
) -> Result<Vec<f64>, Problem> {
    let mut dropped = Vec::new();
    let mut failed = None;
    candidates.retain(|candidate| match passes(candidate) {
        Ok(true) => true,
        Ok(false) => {
            dropped.push(candidate.p);
            false
        }
        Err(problem) => {
            failed.get_or_insert(problem);
            false
        }
    });
    failed.map_or(Ok(dropped), Err)
}

/// `count` of the items, evenly by index, the first and the last included; all of them if there are not more.
pub(super) fn thinned<T>(items: Vec<T>, count: usize) -> Vec<T> {
    let last = items.len().saturating_sub(1);
    if count > last {
        return items;
    }
    let steps = count.saturating_sub(1).max(1);
    let mut wanted = (0..count).map(|step| (2 * step * last + steps) / (2 * steps)).peekable();
    let mut index = 0..;
    let is_wanted = move |_: &T| index.next().is_some_and(|index| wanted.next_if_eq(&index).is_some());
    items.into_iter().filter(is_wanted).collect()
}

/// Numbers of processes from a list: whole, ascending, each once.
pub(super) fn processes(
    spec: &PlanSpec,
    key: &str,
    list: Option<&NumberList>,
    least: Option<f64>,
    most: Option<f64>,
) -> Result<Vec<f64>, Problem> {
    let Some(list) = list else { return Ok(Vec::new()) };
    whole_processes(spec, key, expanded(spec, key, list, least, most)?)
}

/// The values, ascending, each once, if all of them are numbers of processes.
pub(super) fn whole_processes(spec: &PlanSpec, key: &str, mut values: Vec<f64>) -> Result<Vec<f64>, Problem> {
    if let Some(value) = values.iter().find(|&&value| value < 1.0 || value.fract() != 0.0 || value > 1e15) {
        return Err(spec
            .problem(key, "out_of_range", format!("{} is not a number of processes", shown(*value)))
            .value(shown(*value))
            .allowed("whole numbers from 1"));
    }
    values.sort_by(f64::total_cmp);
    values.dedup();
    Ok(values)
}

/// The numbers of a list, at least one.
pub(super) fn expanded(
    spec: &PlanSpec,
    key: &str,
    list: &NumberList,
    least: Option<f64>,
    most: Option<f64>,
) -> Result<Vec<f64>, Problem> {
    let values = list.expand(least, most).map_err(|error| {
        let mut problem = spec.problem(key, "list", error.to_string()).value(list.to_string());
        problem.hint = error.hint();
        let is_endless = ["processes", "grid/p"].contains(&key) && most.is_none() && list.is_unbounded();
        if is_endless { problem.hint("--max-p sets the end") } else { problem }
    })?;
    if values.is_empty() {
        let bound = |bound: Option<f64>| bound.map_or("none".to_owned(), shown);
        let message = format!("the list is empty between min_p ({}) and max_p ({})", bound(least), bound(most));
        return Err(spec.problem(key, "empty_list", message).value(list.to_string()));
    }
    if values.len() > MOST_CONFIGURATIONS {
        let message = format!("{} configurations", values.len());
        return Err(spec.problem(key, "too_many", message).allowed(format!("at most {MOST_CONFIGURATIONS}")));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends_and_is_even() {
        let squares: Vec<u32> = (2..=14).map(|root| root * root).collect();
        assert_eq!(thinned(squares.clone(), 8), [4, 16, 25, 49, 81, 121, 144, 196]);
        assert_eq!(thinned(squares.clone(), 2), [4, 196]);
        assert_eq!(thinned(squares.clone(), 1), [4]);
        assert_eq!(thinned(squares.clone(), 13), squares);
        assert_eq!(thinned(squares.clone(), 99), squares);
        assert!(thinned(Vec::<u32>::new(), 3).is_empty());
        for count in 1..=13 {
            assert_eq!(thinned(squares.clone(), count).len(), count);
        }
    }
}

//! The placement of processes: entries of options and variations over those of the experiment, with numbers that follow from parameters.

use super::prepare::Prepared;
use crate::experiment::{Order, PlaceEntry, Spot, Value};
use crate::model::Location;
use crate::place::{self, Shares};
use runcast_core::Problem;
use runcast_formula::Formula;

/// Processes beyond which a formula is not asked for each rank.
const MOST_RANKS: u64 = 10_000_000;
/// The name of a process in the formula of a list.
const RANK: &str = "rank";

impl Prepared {
    /// Places of labels: those of options and variations come in place of those of the experiment.
    pub(super) fn places(&self) -> Vec<(u32, PlaceEntry)> {
        let mut places = Vec::new();
        let over: Vec<&PlaceEntry> = self.variation.map.iter().chain(&self.inputs.settings.map).collect();
        for (number, app) in self.inputs.experiment.apps.iter().enumerate() {
            let own = app.place.iter().filter(|entry| over.iter().all(|over| over.label != entry.label));
            places.extend(own.map(|entry| (number as u32, entry.clone())));
        }
        for label in &self.recorded.application.labels {
            let mine = over.iter().filter(|entry| entry.label == label.name);
            places.extend(mine.map(|entry| (label.app, (*entry).clone())));
        }
        places
    }

    /// Machines of each application.
    pub(super) fn shares(&self) -> Shares {
        self.recorded.apps.iter().map(|app| self.variation.shares.get(&app.name).cloned()).collect()
    }

    /// All of them, for these parameters.
    ///
    /// # Errors
    /// A formula without a value, or with one that is no whole number.
    pub(super) fn entries(&self) -> Result<Vec<place::Entry>, Problem> {
        self.places().into_iter().map(|(app, entry)| self.entry(app, entry)).collect()
    }

    fn entry(&self, app: u32, entry: PlaceEntry) -> Result<place::Entry, Problem> {
        let spot = &entry.spot;
        let in_file = spot.line > 0;
        let number = |key: &str, formula: &Option<Formula>| {
            let one = |formula: &Formula| self.whole(app, (key, formula, spot), None, 1);
            formula.as_ref().map(one).transpose()
        };
        let (per, count) = (number("per", &entry.per)?, number("count", &entry.count)?);
        let (order, list) = match &entry.order {
            Order::Block => (place::Order::Block, None),
            Order::Cyclic => (place::Order::Cyclic, None),
            Order::List(list) => {
                let one = |formula: &Formula| self.whole(app, ("list", formula, spot), None, 0);
                (place::Order::Block, Some(list.iter().map(one).collect::<Result<_, _>>()?))
            }
            Order::ByRank(formula) => {
                let labels = &self.recorded.application.labels;
                let label = labels.iter().find(|label| label.app == app && label.name == entry.label);
                let ranks = count.unwrap_or(label.map_or(0, |label| label.count));
                if ranks > MOST_RANKS {
                    let problem = Problem::new("too_many_processes", "a list for so many processes");
                    let problem = problem.at("list").value(ranks.to_string()).allowed(format!("{MOST_RANKS} at most"));
                    return Err(spot.locate(&self.inputs.experiment.file, problem));
                }
                let one = |rank| self.whole(app, ("list", formula, spot), Some(rank), 0);
                (place::Order::Block, Some((0..ranks).map(one).collect::<Result<_, _>>()?))
            }
        };
        let file = if in_file { self.inputs.experiment.file.clone() } else { String::new() };
        let Spot { line, column, pointer } = entry.spot;
        let location = Location { file, line, column, pointer };
        Ok(place::Entry { app: Some(app), label: entry.label, on: entry.on, per, order, list, count, location })
    }

    /// A whole number of at least so much.
    fn whole(
        &self,
        app: u32,
        (key, formula, spot): (&str, &Formula, &Spot),
        rank: Option<u64>,
        least: u64,
    ) -> Result<u64, Problem> {
        let params = self.recorded.apps.get(app as usize).map(|app| app.params.as_slice()).unwrap_or_default();
        let lookup = |name: &str| match rank {
            Some(rank) if name == RANK => Some(rank as f64),
            _ => params.iter().find(|(known, _)| known == name).and_then(|(_, value)| Value::number(value)),
        };
        let located =
            |problem: Problem| spot.locate(&self.inputs.experiment.file, problem.at(key).value(formula.text()));
        let names = || params.iter().map(|(name, _)| name.as_str()).chain(rank.map(|_| RANK)).collect::<Vec<_>>();
        let value = formula.evaluate(lookup).map_err(|error| {
            let mut problem =
                Problem::new("bad_formula", error.to_string()).allowed(format!("a formula of {}", names().join(", ")));
            problem.hint = error.hint();
            located(problem)
        })?;
        let near = value.round();
        // Beyond 2^53 not every number is one.
        if (value - near).abs() > 1e-9 * near.abs().max(1.0) || near < least as f64 || near > 9_007_199_254_740_992.0 {
            let at = rank.map(|rank| format!(" at rank {rank}")).unwrap_or_default();
            let problem = Problem::new("out_of_range", format!("{key} is {value}{at}"));
            let problem = problem.allowed(format!("a whole number from {least}"));
            return Err(located(problem.hint("ceil(), floor() and max() make one")));
        }
        Ok(near as u64)
    }
}

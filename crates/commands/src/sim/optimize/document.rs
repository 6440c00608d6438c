//! The document of `runcast sim optimize`, its table and its text.

use super::schedule::{Part, Schedule};
use super::{Searched, Tried};
use crate::context::Screen;
use crate::human::{DASH, Table, parameter, quantity, significant};
use runcast_core::Warning;
use runcast_core::table::{Column, number};
use runcast_sim::exchanged::{self, Exchange, LeftOut};
use runcast_sim::faults::FaultsResult;
use runcast_sim::optimize::Objective;
use runcast_sim::run::{AppResult, Unallocated};
use runcast_sim::sweep::Axis;
use runcast_sim::world::Scaled;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Rows that people are shown.
const MOST_ROWS: usize = 40;

/// The document of `sim optimize`.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    /// `sim-optimize`.
    pub kind: &'static str,
    /// Version of this shape.
    pub version: u32,
    /// What is to be small.
    pub objectives: Vec<&'static str>,
    /// What nothing beats in all of them.
    pub front: Vec<Best>,
    /// Those of the front that take the same time to the last digits: their places there.
    pub ties: Vec<Vec<usize>>,
    /// Of several applications: who runs where and when.
    pub schedule: Option<Vec<Part>>,
    /// `together` or `one after another`.
    pub schedule_way: Option<&'static str>,
    /// Makespan in seconds or energy in joules of the schedule, and of the other way.
    pub schedule_value: Option<f64>,
    /// That of the other way.
    pub schedule_other_value: Option<f64>,
    /// Configurations that were simulated.
    pub evaluated: usize,
    /// Whether these are all.
    pub exhaustive: bool,
    /// Configurations in all.
    pub combinations: f64,
    /// Seed of the search.
    pub seed: u64,
    /// Sentences.
    pub advice: Vec<String>,
    /// Entries with which there was no result.
    pub left_out: Vec<LeftOut>,
    /// What exchanged hardware does to the result, for the first configuration.
    pub exchange: Vec<Exchange>,
    /// Coefficients that follow exchanged hardware, in the first configuration.
    pub scaled: Vec<Scaled>,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

/// A configuration of the front.
#[derive(Debug, Clone, Serialize)]
pub struct Best {
    /// Parameters that vary.
    pub params: Map<String, Value>,
    /// Hardware that varies, by component.
    pub hardware: Map<String, Value>,
    pub processes: u64,
    pub time_s: f64,
    pub energy_j: Option<f64>,
    /// Chance of failure.
    pub failure_probability: Option<f64>,
    /// Time with failures.
    pub expected_time_s: Option<f64>,
    /// What faults during the run do.
    pub faults: Option<FaultsResult>,
    /// Cost of the run.
    pub cost: Option<f64>,
    /// Purchase price.
    pub price: Option<f64>,
    /// Mean power.
    pub power_mean_w: Option<f64>,
    /// Time, energy, cost and failures of each application.
    pub apps: Vec<AppResult>,
    /// What no application reserves.
    pub unallocated: Unallocated,
}

/// Groups of configurations of the same time.
fn ties(front: &[&Tried]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, one) in front.iter().enumerate() {
        let is_tied = |group: &&mut Vec<usize>| exchanged::is_same(front[group[0]].result.time_s, one.result.time_s);
        match groups.iter_mut().find(is_tied) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

impl Document {
    pub(super) fn new(
        seed: u64,
        axes: &[Axis],
        objectives: &[Objective],
        front: &[&Tried],
        searched: &Searched,
        schedule: Option<Schedule>,
        advice: Vec<String>,
    ) -> Document {
        Document {
            kind: "sim-optimize",
            version: 1,
            objectives: objectives.iter().map(|objective| objective.word()).collect(),
            front: front.iter().map(|one| Best::new(axes, one)).collect(),
            ties: ties(front),
            schedule_way: schedule.as_ref().map(|schedule| schedule.way),
            schedule_value: schedule.as_ref().map(|schedule| schedule.value),
            schedule_other_value: schedule.as_ref().and_then(|schedule| schedule.other),
            schedule: schedule.map(|schedule| schedule.parts),
            evaluated: searched.tried.len(),
            exhaustive: searched.is_exhaustive,
            combinations: searched.combinations,
            seed,
            advice,
            left_out: Vec::new(),
            exchange: Vec::new(),
            scaled: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl Best {
    fn new(axes: &[Axis], one: &Tried) -> Best {
        let mut best = Best {
            params: Map::new(),
            hardware: Map::new(),
            processes: one.result.processes,
            time_s: one.result.time_s,
            energy_j: one.result.energy_j,
            failure_probability: one.result.reliability.failure_probability,
            expected_time_s: one.result.reliability.expected_time_s,
            faults: one.result.faults,
            cost: one.result.cost,
            price: one.result.price,
            power_mean_w: one.result.power_mean_w,
            apps: one.result.apps.clone(),
            unallocated: one.result.unallocated,
        };
        for (axis, value) in axes.iter().zip(&one.point.values) {
            match axis.name.strip_prefix("hardware.") {
                Some(component) => best.hardware.insert(component.to_owned(), json!(value)),
                None => best.params.insert(axis.name.clone(), json!(value)),
            };
        }
        best
    }

    fn results(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("time_s", Some(self.time_s)),
            ("energy_j", self.energy_j),
            ("failure_probability", self.failure_probability),
            ("expected_time_s", self.expected_time_s),
            ("cost", self.cost),
            ("price", self.price),
        ]
    }

    fn value(&self, axis: &str) -> String {
        let value = match axis.strip_prefix("hardware.") {
            Some(component) => self.hardware.get(component),
            None => self.params.get(axis),
        };
        match value {
            Some(Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), parameter),
            Some(Value::String(text)) => text.clone(),
            _ => DASH.to_owned(),
        }
    }
}

/// The front as a table.
pub(super) fn table(document: &Document, axes: &[Axis]) -> Vec<u8> {
    let text = |axis: &Axis| {
        let cells: Vec<String> = document.front.iter().map(|best| best.value(&axis.name)).collect();
        Column::text(axis.name.clone(), cells.iter().map(String::as_str))
    };
    let mut columns: Vec<Column> = axes.iter().map(text).collect();
    for index in 0..6 {
        let cells: Vec<String> = document
            .front
            .iter()
            .map(|best| best.results()[index].1.map(number::to_text).unwrap_or_default())
            .collect();
        let name = document.front.first().map_or("time_s", |best| best.results()[index].0);
        columns.push(Column::text(name, cells.iter().map(String::as_str)));
    }
    let mut bytes = Vec::new();
    // Writing into memory does not fail.
    let _ = runcast_core::Table { columns, ..runcast_core::Table::default() }.write_csv(&mut bytes);
    bytes
}

pub(super) fn text(document: &Document, screen: Screen) -> String {
    let Some(first) = document.front.first() else { return String::new() };
    let axes: Vec<String> = first
        .params
        .keys()
        .cloned()
        .chain(first.hardware.keys().map(|component| format!("hardware.{component}")))
        .collect();
    let told: Vec<usize> =
        (0..6).filter(|&index| document.front.iter().any(|best| best.results()[index].1.is_some())).collect();
    let titles = ["time", "energy", "failure", "expected time", "cost", "price"];
    let mut table = Table::new();
    for axis in &axes {
        table = table.number(axis.as_str());
    }
    for &index in &told {
        table = table.number(titles[index]);
    }
    for best in document.front.iter().take(MOST_ROWS) {
        let mut cells: Vec<String> = axes.iter().map(|axis| best.value(axis)).collect();
        for &index in &told {
            let (name, value) = best.results()[index];
            cells.push(match value {
                Some(value) if name.ends_with("_s") => quantity(value, "s"),
                Some(value) if name.ends_with("_j") => quantity(value, "J"),
                Some(value) => significant(value, 3),
                None => DASH.to_owned(),
            });
        }
        table.row(cells);
    }
    let left = document.front.len().saturating_sub(MOST_ROWS);
    let more = if left > 0 { format!("and {left} more: --json\n") } else { String::new() };
    let all = match document.exhaustive {
        true => "all".to_owned(),
        false => format!("{} searched of", significant(document.evaluated as f64, 15)),
    };
    let advice: String = document.advice.iter().map(|line| format!("- {line}\n")).collect();
    format!(
        "Not beaten in {} at once, of {all} {} configurations:\n\n{}{more}\n{advice}",
        document.objectives.join(", "),
        significant(document.combinations, 6),
        table.render(screen)
    )
}

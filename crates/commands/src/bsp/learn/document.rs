//! The document of kind `bsp-learn`.

use super::check::Check;
use super::models::Fitted;
use crate::context::Screen;
use crate::human::{DASH, Table, count, parameter, quantity, signed_percent};
use runcast_call::bsp::learn::Learnt;
use runcast_core::Warning;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// The file with the program.
    program: String,
    /// Files with the models of its regions.
    models: Vec<String>,
    tasks: Vec<TaskEntry>,
    formulas: Vec<FormulaEntry>,
    unlearned: Vec<UnlearnedEntry>,
    check: Vec<Check>,
    warnings: Vec<Warning>,
}

#[derive(Debug, Clone, Serialize)]
struct TaskEntry {
    name: String,
    args: Vec<String>,
    /// How many supersteps it has.
    steps: usize,
}

#[derive(Debug, Clone, Serialize)]
struct FormulaEntry {
    task: String,
    step: String,
    /// What it gives: `to`, `bytes`, `repeat`, `partition`, or a region and its value.
    key: String,
    formula: String,
    /// `everywhere`, or `ambiguous` where another formula holds, too, and differs on other machines.
    holds: &'static str,
    observations: usize,
}

#[derive(Debug, Clone, Serialize)]
struct UnlearnedEntry {
    what: String,
    #[serde(rename = "where")]
    place: String,
}

impl Document {
    pub fn new(program: &Path, learnt: &Learnt, models: &Fitted, check: Vec<Check>, warnings: Vec<Warning>) -> Self {
        let tasks = learnt.tasks.iter().map(|task| TaskEntry {
            name: task.name.clone(),
            args: task.args.clone(),
            steps: task.steps.len(),
        });
        let formulas = learnt.formulas.iter().map(|found| FormulaEntry {
            task: found.task.clone(),
            step: found.step.clone(),
            key: found.key.clone(),
            formula: found.formula.clone(),
            holds: if found.ambiguous.is_some() { "ambiguous" } else { "everywhere" },
            observations: found.observations,
        });
        let unlearned =
            learnt.unlearned.iter().map(|one| UnlearnedEntry { what: one.what.clone(), place: one.place.clone() });
        Document {
            kind: "bsp-learn",
            version: 1,
            program: program.display().to_string(),
            models: models.files(),
            tasks: tasks.collect(),
            formulas: formulas.collect(),
            unlearned: unlearned.collect(),
            check,
            warnings,
        }
    }

    /// For people.
    pub fn text(&self, screen: Screen) -> String {
        let steps = self.tasks.iter().map(|task| task.steps).sum();
        let mut text = format!(
            "{}: {}, {}, {}\n\n",
            self.program,
            count(self.tasks.len(), "task", "tasks"),
            count(steps, "superstep", "supersteps"),
            count(self.models.len(), "model", "models"),
        );
        let mut table =
            Table::new().text("at").number("measured").number("OBSP*").number("90 % range").number("error").text("");
        for check in &self.check {
            let at: Vec<String> =
                check.at.iter().map(|(name, value)| format!("{name}={}", parameter(*value))).collect();
            table.row([
                at.join(","),
                quantity(check.measured_s, "s"),
                quantity(check.obsp_time_s, "s"),
                match check.low_s.zip(check.high_s) {
                    Some((low, high)) => format!("{} to {}", quantity(low, "s"), quantity(high, "s")),
                    None => DASH.to_owned(),
                },
                signed_percent(Some(check.error_pct), 1),
                if check.held_out { "held out" } else { "" }.to_owned(),
            ]);
        }
        text += &table.render(screen);
        text
    }
}

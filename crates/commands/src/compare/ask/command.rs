//! Files that a command reads are asked by that command, with the options that one would type.

use super::super::input::{Input, Said};
use super::super::rows::{Row, Rows, key_of};
use super::Competitor;
use super::said::{is_set, other_value, spread, varies};
use crate::command::Command;
use crate::compare::switches::{features, is_measured};
use crate::compare::{CompareArgs, Setting};
use crate::context::{Context, NoProgress};
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::output::Output;
use clap::Parser;
use runcast_bsf::fit::{Measured, file};
use runcast_core::prediction::{Prediction, Predictions, Rename};
use runcast_core::roles::TableOptions;
use runcast_core::table::ReadOptions;
use runcast_core::table::number::to_text;
use runcast_core::{Configuration, Metric, Problem, statistics};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

/// Times that differ by less are of the same runs.
const SAME: f64 = 1e-9;
/// What the workers of a cost model are called in its table.
const WORKERS: &str = "workers";
/// What the table of `wavefront solve` calls its processes and phases, and what its options may set.
const PROCESSES: &str = "processes";
const PHASES: &str = "phases";
const A_PHASE: &str = "--phases=1";
const PHASES_AND_DEGREES: [&str; 3] = [PHASES, "A", "B"];
/// The column of runs that counts iterations, and the key of cost models that times are of one of them.
const ITERATIONS: &str = "iterations";

/// Asks a file; a reason where it cannot be asked.
pub(super) fn ask(
    input: &Input,
    kind: Kind,
    renames: &[Rename],
    settings: &[&Setting],
    rows: &Rows,
    args: &CompareArgs,
    context: &mut Context,
) -> Result<Result<Vec<Competitor>, String>, Failure> {
    let own = Names { renames, rows };
    let asked = Asked { input, settings, rows, own: &own, level: args.level.level, jobs: args.jobs(context) };
    let found = match kind {
        Kind::Bsf => asked.costs(context),
        Kind::Wavefront => asked.iterations(context),
        kind => asked.one_by_one(words(kind), context),
    };
    let text = context.read_text(&input.file).unwrap_or_default();
    Ok(found.map(|mut all| {
        if let (Kind::Bsf, Ok(Some(auto))) = (kind, file::read(&input.name, &text)) {
            all.iter_mut().for_each(|one| asked.mark_seen(one, auto.points()));
        }
        for one in &mut all {
            one.features = features(kind, &text);
            if one.model.ends_with("-overlap") {
                one.features.push("overlap");
            }
            one.machine_measured = is_measured(kind, &text);
        }
        all
    }))
}

/// The parameters that an input has by itself: those of what it answers without being asked for any.
pub(in super::super) fn parameters(input: &Input, rows: &Rows, level: f64, context: &mut Context) -> Vec<String> {
    let Said::Command(kind) = input.says else { return Vec::new() };
    if kind == Kind::Bsf {
        return vec!["p".to_owned()];
    }
    let own = Names { renames: &[], rows };
    let asked = Asked { input, settings: &[], rows, own: &own, level, jobs: 1 };
    let options = if kind == Kind::Wavefront { vec![A_PHASE.to_owned()] } else { Vec::new() };
    let said = asked.call(words(kind), &options, context).unwrap_or_default();
    said.first().map(|one| one.at.0.keys().cloned().collect()).unwrap_or_default()
}

/// The command that asks files of a kind.
fn words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Bsf => &["bsf", "predict"],
        Kind::Bsp => &["bsp", "predict"],
        Kind::Wavefront => &["wavefront", "solve"],
        _ => &["sim", "run"],
    }
}

/// The command that asks an input, without options; none of one that holds what it says.
pub(in super::super) fn command_of(input: &Input) -> Option<Command> {
    let Said::Command(kind) = input.says else { return None };
    Line::try_parse_from(line(words(kind), input, &[])).ok().map(|line| line.command)
}

fn line(command: &[&str], input: &Input, options: &[String]) -> Vec<String> {
    let file = input.file.to_string_lossy().into_owned();
    // Whatever begins with a dash is no option.
    let file = if file.starts_with('-') { format!("./{file}") } else { file };
    let words = ["runcast"].iter().chain(command).map(|word| (*word).to_owned());
    words.chain([file]).chain(options.iter().cloned()).collect()
}

/// How the input calls the parameters of the runs.
struct Names<'a> {
    renames: &'a [Rename],
    rows: &'a Rows,
}

impl Names<'_> {
    /// The input's name of a parameter of the runs.
    fn own<'n>(&'n self, in_runs: &'n str) -> &'n str {
        let names: Vec<&str> = self.rows.parameters.iter().map(String::as_str).collect();
        let found = self.renames.iter().find_map(|rename| {
            let (own, of_runs) = rename.towards(&names).ok()?;
            (of_runs == in_runs).then_some(own)
        });
        // The borrow of `towards` ends with the call, that of the options does not.
        found
            .and_then(|own| {
                self.renames.iter().flat_map(|rename| [&rename.left, &rename.right]).find(|name| *name == own)
            })
            .map_or(in_runs, String::as_str)
    }
}

struct Asked<'a> {
    input: &'a Input,
    settings: &'a [&'a Setting],
    rows: &'a Rows,
    own: &'a Names<'a>,
    level: f64,
    /// Calls at once.
    jobs: usize,
}

impl Asked<'_> {
    /// A call for each row, with the parameters that the input has: `--set NAME=V`.
    fn one_by_one(&self, command: &[&str], context: &mut Context) -> Result<Vec<Competitor>, String> {
        let first = self.call(command, &[], context)?;
        let known: Vec<String> = first.iter().flat_map(|one| one.at.0.keys().cloned()).collect();
        let has = |name: &str| known.iter().any(|known| known == name);
        let shared: Vec<&String> = self.rows.parameters.iter().filter(|name| has(self.own.own(name))).collect();
        if let Some(name) = self
            .rows
            .parameters
            .iter()
            .find(|name| varies(name, self.rows) && !shared.contains(name) && !is_set(name, self.settings))
        {
            let input = &self.input.name;
            return Err(format!(
                "it has no {name}, which varies in the runs: --set {input}:{name}=V says which it is for, --rename {input}:{name}=.. what it is called there"
            ));
        }
        let rows: Vec<(&Row, Vec<String>)> = self
            .rows
            .list
            .iter()
            .filter(|row| other_value(row, self.settings).is_none())
            .map(|row| {
                let value = |name: &&&String| row.at.get(name).map(|value| (self.own.own(name).to_owned(), value));
                let mut set: BTreeMap<String, f64> = shared.iter().filter_map(|name| value(&name)).collect();
                set.extend(self.settings.iter().filter(|one| has(&one.name)).map(|one| (one.name.clone(), one.value)));
                (row, set.iter().map(|(name, value)| format!("--set={name}={}", to_text(*value))).collect())
            })
            .collect();
        // Rows that differ in nothing that the input knows are asked once.
        let distinct: Vec<&Vec<String>> =
            rows.iter().map(|(_, options)| options).collect::<BTreeSet<_>>().into_iter().collect();
        let told = context.at_once(self.jobs, distinct.clone(), |options, context| {
            if context.is_interrupted() {
                return Err("the comparison was interrupted".to_owned());
            }
            self.call(command, options, context)
        });
        if context.is_interrupted() {
            return Err("the comparison was interrupted".to_owned());
        }
        let told: BTreeMap<&Vec<String>, Result<Vec<Prediction>, String>> = distinct.into_iter().zip(told).collect();
        let (mut said, mut reasons) = (Vec::new(), Vec::new());
        for (row, options) in &rows {
            match &told[options] {
                Ok(answers) => said.extend(answers.iter().cloned().map(|one| at(one, row))),
                Err(reason) => reasons.push(reason.clone()),
            }
        }
        self.competitors(said, reasons)
    }

    /// A model of phases, which has its own number of processes: a call for each other number of phases and degree.
    fn iterations(&self, context: &mut Context) -> Result<Vec<Competitor>, String> {
        let command = words(Kind::Wavefront);
        // Where no rate is known there is no time of a run, but that of a phase.
        let first = self.call(command, &[A_PHASE.to_owned()], context)?;
        let own = first.iter().find_map(|one| one.at.get(PROCESSES));
        let is_count = |name: &str| self.own.own(name) == PROCESSES || self.rows.process.as_deref() == Some(name);
        let is_known = |name: &str| PHASES_AND_DEGREES.contains(&self.own.own(name));
        let is_open = |name: &&String| {
            varies(name, self.rows) && !is_known(name) && !is_count(name) && !is_set(name, self.settings)
        };
        if let Some(name) = self.rows.parameters.iter().find(is_open) {
            let input = &self.input.name;
            return Err(format!(
                "it has no {name}, which varies in the runs: --set {input}:{name}=V says which it is for"
            ));
        }
        let mut told: BTreeMap<Vec<String>, Result<Vec<Prediction>, String>> = BTreeMap::new();
        let (mut said, mut reasons) = (Vec::new(), Vec::new());
        for row in self.rows.list.iter().filter(|row| other_value(row, self.settings).is_none()) {
            let count = row.at.0.iter().find(|(name, _)| is_count(name)).map(|(_, count)| *count);
            if let (Some(own), Some(count)) = (own, count)
                && own != count
            {
                reasons.push(format!("it is a model of {} processes", to_text(own)));
                continue;
            }
            let settings = self.settings.iter().map(|one| (one.name.as_str(), one.value));
            let given = row.at.0.iter().map(|(name, value)| (self.own.own(name), *value)).chain(settings);
            let given: BTreeMap<&str, f64> = given.filter(|(name, _)| PHASES_AND_DEGREES.contains(name)).collect();
            let mut options: Vec<String> =
                given.iter().map(|(name, value)| format!("--{name}={}", to_text(*value))).collect();
            options.push(format!("--level={}", self.level));
            let answers = told.entry(options.clone()).or_insert_with(|| self.call(command, &options, context));
            match answers {
                // Of a given number of phases only the time of so many is asked for, not of those that the accuracy needs.
                Ok(answers) => {
                    let is_asked = |one: &&Prediction| !given.contains_key(PHASES) || one.model == PHASES;
                    said.extend(answers.iter().filter(is_asked).cloned().map(|one| at(one, row)));
                }
                Err(reason) => reasons.push(reason.clone()),
            }
        }
        self.competitors(said, reasons)
    }

    /// A cost model of an iteration: all workers at once, a call for each combination of its other parameters.
    fn costs(&self, context: &mut Context) -> Result<Vec<Competitor>, String> {
        let process = self.rows.process.as_deref().ok_or("the runs have no parameter that counts processes")?;
        let counts_workers = [WORKERS, "K", "k"].contains(&self.own.own(process));
        let list = &self.rows.list;
        let mut by_set: BTreeMap<Vec<String>, Vec<&Row>> = BTreeMap::new();
        for row in list.iter().filter(|row| other_value(row, self.settings).is_none()) {
            let each = row.at.0.iter().filter(|(name, _)| *name != process && *name != ITERATIONS);
            let set: BTreeMap<&str, f64> = each
                .filter(|(name, _)| !is_set(name, self.settings))
                .map(|(name, value)| (self.own.own(name), *value))
                .chain(self.settings.iter().map(|one| (one.name.as_str(), one.value)))
                .collect();
            let option = |(name, value): (&str, f64)| match name {
                "size" => format!("--size={}", to_text(value)),
                name => format!("--parameters={name}={}", to_text(value)),
            };
            by_set.entry(set.into_iter().map(option).collect()).or_default().push(row);
        }
        let (mut said, mut reasons) = (Vec::new(), Vec::new());
        for (mut options, rows) in by_set {
            let processes = |row: &Row| row.at.get(process).filter(|p| *p >= 1.0 && p.fract() == 0.0);
            let workers = |row: &Row| processes(row).map(|p| if counts_workers { p } else { p - 1.0 });
            let mut asked: Vec<f64> = rows.iter().filter_map(|row| workers(row)).filter(|k| *k >= 1.0).collect();
            asked.push(1.0);
            asked.sort_by(f64::total_cmp);
            asked.dedup();
            options.push(format!("--workers={}", asked.iter().map(|k| to_text(*k)).collect::<Vec<_>>().join(",")));
            options.push(format!("--level={}", self.level));
            let output = match self.run(words(Kind::Bsf), &options, context) {
                Ok(output) => output,
                Err(reason) => {
                    reasons.push(reason);
                    continue;
                }
            };
            let answers = table(&output)?;
            let serial = serial_times(&output);
            for row in rows {
                let Some(k) = workers(row) else { continue };
                let times = row.at.get(ITERATIONS).unwrap_or(1.0);
                let scaled = |mut one: Prediction| {
                    for value in [&mut one.value, &mut one.low, &mut one.high].into_iter().flatten() {
                        *value *= times;
                    }
                    at(one, row)
                };
                if k < 1.0 {
                    // A single process works alone.
                    let alone = |(model, seconds): &(String, f64)| {
                        Prediction::new("bsf", model.clone(), "time_s", Configuration::default(), Some(*seconds))
                    };
                    said.extend(serial.iter().map(alone).map(scaled));
                    continue;
                }
                let of_row = answers.iter().filter(|one| one.at.get(WORKERS) == Some(k));
                said.extend(of_row.cloned().map(scaled));
            }
        }
        let mut all = self.competitors(said, reasons)?;
        if !counts_workers {
            let text = format!(
                "{process} counts the master, too: K = {process} - 1 workers, the serial time at {process} = 1"
            );
            all.iter_mut().for_each(|one| one.warnings.push(text.clone()));
        }
        Ok(all)
    }

    /// Marks the rows that a fit learned from: the same workers, and the same median.
    fn mark_seen(&self, one: &mut Competitor, points: &[Measured]) {
        let process = self.rows.process.as_deref().unwrap_or_default();
        let counts_workers = [WORKERS, "K", "k"].contains(&self.own.own(process));
        one.runs = Some(points.len());
        for (index, row) in self.rows.list.iter().enumerate().filter(|(_, row)| !row.values.is_empty()) {
            let iterations = row.at.get(ITERATIONS).unwrap_or(1.0);
            let time_s = statistics::median(&row.values) / iterations;
            let Some(p) = row.at.get(process) else { continue };
            let workers = if counts_workers { p } else { p - 1.0 };
            let is_same =
                |point: &&Measured| point.workers as f64 == workers && (point.time_s / time_s - 1.0).abs() < SAME;
            if points.iter().any(|point| is_same(&point)) {
                one.seen[index] = true;
                one.learned.insert(key_of(&row.at, &row.group));
            }
        }
    }

    fn competitors(&self, said: Vec<Prediction>, reasons: Vec<String>) -> Result<Vec<Competitor>, String> {
        if said.is_empty() {
            return Err(reasons
                .into_iter()
                .next()
                .unwrap_or_else(|| "it says nothing of these configurations".to_owned()));
        }
        let mut all = spread(self.input, &said, self.settings, self.rows)?;
        self.add_energy(&mut all, &said);
        for one in &mut all {
            reasons.iter().for_each(|reason| one.refuse(reason.clone()));
        }
        Ok(all)
    }

    /// What they say of the energy beside a time.
    fn add_energy(&self, all: &mut [Competitor], said: &[Prediction]) {
        let Ok(energy) = Metric::named("energy_j", None) else { return };
        if self.rows.metric.unit != "s" || !said.iter().any(|one| one.metric == energy.name) {
            return;
        }
        let rows = Rows { metric: energy, ..self.rows.clone() };
        let Ok(of_energy) = spread(self.input, said, self.settings, &rows) else { return };
        for one in all {
            let Some(same) = of_energy.iter().find(|other| other.model == one.model) else { continue };
            one.energy_j = same.answers.iter().map(|answer| answer.as_ref().and_then(|one| one.value)).collect();
        }
    }

    fn call(&self, command: &[&str], options: &[String], context: &mut Context) -> Result<Vec<Prediction>, String> {
        table(&self.run(command, options, context)?)
    }

    fn run(&self, command: &[&str], options: &[String], context: &mut Context) -> Result<Output, String> {
        let line =
            Line::try_parse_from(line(command, self.input, options)).map_err(|error| first_line(&error.to_string()))?;
        // What the parts show would hide how far the whole has come.
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let output = line.command.run(context);
        context.progress = progress;
        output.map_err(|failure| told(&failure))
    }
}

/// A prediction at the configuration of a row.
fn at(mut one: Prediction, row: &Row) -> Prediction {
    one.at = row.at.clone();
    one.group = row.group.clone();
    one
}

/// The table of predictions that `-o` would write.
fn table(output: &Output) -> Result<Vec<Prediction>, String> {
    let bytes = output.main.as_deref().unwrap_or_default();
    let read = Predictions::read("predictions.csv", bytes, &ReadOptions::default(), &TableOptions::default());
    let read = read.map_err(|problems| problems.0.first().map_or(String::new(), |problem| problem.message.clone()))?;
    Ok(read.list.into_iter().map(|one| one.prediction).collect())
}

/// Seconds of an iteration by one process alone, by model.
fn serial_times(output: &Output) -> Vec<(String, f64)> {
    let Some(Ok(document)) = output.document.as_ref().map(crate::document::Document::value) else { return Vec::new() };
    let one = |curve: &serde_json::Value| {
        let model = format!("{}-{}", curve["form"].as_str()?, curve["collective"].as_str()?);
        Some((model, curve["serial_time_s"].as_f64()?))
    };
    document["curves"].as_array().into_iter().flatten().filter_map(one).collect()
}

fn told(failure: &Failure) -> String {
    let problem = failure.problems.0.first();
    problem.map_or("it could not be asked".to_owned(), |problem: &Problem| match &problem.allowed {
        Some(allowed) => format!("{} (allowed: {allowed})", problem.message),
        None => problem.message.clone(),
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

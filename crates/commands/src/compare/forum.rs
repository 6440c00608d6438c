//! Forecasts of any methods for whoever needs them: asked as in a comparison, and judged by the runs that are there.

pub(crate) use super::ask::Competitor;
pub(crate) use super::rows::{Row, Rows};

use super::input::{self, Input, Said};
use super::{CompareArgs, OfInput, Setting, ask, ask_all, check_answered, judge};
use crate::context::Context;
use crate::failure::Failure;
use crate::models::ModelArgs;
use crate::options::paths::InputFile;
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs, SeedArgs};
use crate::own_ranges::RangesArgs;
use crate::tables::TableArgs;
use clap::Args;
use runcast_core::comparison::{Combined, Law, Side, combine, weights};
use runcast_core::prediction::{Prediction, Rename};
use runcast_core::roles::preference;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::advise::next;

/// How several forecasts become one.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ForumArgs {
    /// Of several inputs, the one to go by [default: the best on runs that it has not seen]
    #[arg(long, value_name = "INPUT", conflicts_with = "combine", hide_short_help = true)]
    pub pick: Option<String>,
    /// Combine the forecasts into one, by their errors on runs that they have not seen
    #[arg(long)]
    pub combine: bool,
    /// What the runs call K the predictions call workers, or one of the inputs (INPUT:K=workers); may be repeated
    #[arg(long, value_name = "[INPUT:]K=workers", hide_short_help = true)]
    pub rename: Vec<OfInput<Rename>>,
    /// A value of an input for a parameter that it lacks; may be repeated
    #[arg(long, value_name = "INPUT:NAME=V", hide_short_help = true)]
    pub set: Vec<OfInput<Setting>>,
}

impl ForumArgs {
    /// Whether anything is said of several inputs.
    fn is_empty(&self) -> bool {
        *self == ForumArgs::default()
    }
}

/// Files that are asked together.
pub(crate) struct Files {
    tables: Vec<InputFile>,
    inputs: Vec<Input>,
    args: CompareArgs,
    rows: Rows,
}

/// Whether files are more than tables to fit or models to load: something that only a comparison can ask.
pub(crate) fn is_needed(files: &[InputFile], forum: &ForumArgs, context: &mut Context) -> Result<bool, Failure> {
    if !forum.is_empty() {
        return Ok(true);
    }
    for file in files {
        if !input::is_table_or_models(file, context)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The files that are asked, before it is known about what.
pub(crate) fn read(
    files: &[InputFile],
    forum: &ForumArgs,
    table: &TableArgs,
    models: &ModelArgs,
    level: f64,
    context: &mut Context,
) -> Result<Files, Failure> {
    let args = asking(files, forum, table, models, level);
    let (tables, inputs) = input::read(&args, context)?;
    let rows = Rows::measured(&args, &tables, context)?;
    Ok(Files { tables, inputs, args, rows })
}

/// The commands that the files are asked by, without options.
///
/// # Errors
/// A file cannot be read, or forecasts nothing.
#[cfg(feature = "methods")]
pub(crate) fn commands(
    files: &[InputFile],
    forum: &ForumArgs,
    context: &mut Context,
) -> Result<Vec<crate::command::Command>, Failure> {
    if !is_needed(files, forum, context)? {
        return Ok(Vec::new());
    }
    super::commands(&asking(files, forum, &TableArgs::default(), &ModelArgs::default(), 0.9), context)
}

/// The arguments of a comparison of these files.
fn asking(files: &[InputFile], forum: &ForumArgs, table: &TableArgs, models: &ModelArgs, level: f64) -> CompareArgs {
    CompareArgs {
        files: files.to_vec(),
        predictions: Vec::new(),
        train: None,
        at: AtArgs::default(),
        targets: None,
        rename: forum.rename.clone(),
        set: forum.set.clone(),
        name: Vec::new(),
        combine: forum.combine,
        candidates: None,
        budget_core_hours: None,
        cores_per_process: 1.0,
        jobs: None,
        level: LevelArgs { level },
        ranges: RangesArgs::default(),
        seed: SeedArgs::default(),
        models: models.clone(),
        table: table.clone(),
        plot: PlotArgs::default(),
        report: None,
        out: OutArgs::default(),
    }
}

impl Files {
    /// The parameter that counts processes: as the runs call it, else as the first input does that has one.
    pub(crate) fn process(
        &self,
        #[cfg_attr(not(feature = "methods"), expect(unused_variables, reason = "methods run commands"))]
        context: &mut Context,
    ) -> Result<String, Failure> {
        if let Some(known) = &self.rows.process {
            return Ok(known.clone());
        }
        for input in &self.inputs {
            let mut names: Vec<String> = match &input.says {
                Said::Predictions(known) => {
                    known.list.iter().flat_map(|one| one.prediction.at.0.keys().cloned()).collect()
                }
                Said::Models(models) => {
                    let own = models.first().map(|model| &model.series);
                    let process = own.and_then(|series| series.parameters.get(series.process_parameter?));
                    process.into_iter().cloned().collect()
                }
                #[cfg(feature = "methods")]
                Said::Command(_) => ask::parameters(input, &self.rows, self.args.level.level, context),
                #[cfg(not(feature = "methods"))]
                Said::Command(_) => Vec::new(),
            };
            names.retain(|name| preference(name).is_some());
            if let Some(name) = names.into_iter().min_by_key(|name| preference(name)) {
                return Ok(name);
            }
        }
        let problem = Problem::new("no_processes", "no parameter of the inputs counts processes");
        Err(problem.hint("name it: --process-param NAME").into())
    }

    /// The least and the largest number of processes that was run, by the runs or by what models learned from.
    pub(crate) fn measured(&self, process: &str) -> Option<[f64; 2]> {
        let of_rows = self.rows.list.iter().filter_map(|row| row.at.get(process));
        let models = self.inputs.iter().filter_map(|input| match &input.says {
            Said::Models(models) => Some(models),
            _ => None,
        });
        let of_models = models.flatten().flat_map(|model| {
            let axis = model.series.parameters.iter().position(|name| name == process);
            axis.map_or(Vec::new(), |axis| model.range(axis).to_vec())
        });
        of_rows.chain(of_models).fold(None, |ends: Option<[f64; 2]>, p| {
            let [low, high] = ends.unwrap_or([p, p]);
            Some([low.min(p), high.max(p)])
        })
    }

    /// The least and the largest value of a parameter in the runs.
    pub(crate) fn range(&self, parameter: &str) -> Option<[f64; 2]> {
        let values = self.rows.list.iter().filter_map(|row| row.at.get(parameter));
        values.fold(None, |ends: Option<[f64; 2]>, value| {
            let [low, high] = ends.unwrap_or([value, value]);
            Some([low.min(value), high.max(value)])
        })
    }

    /// The forecast of one configuration by the best of the inputs; none where nobody says anything.
    pub(crate) fn forecast(&self, at: &Configuration, context: &mut Context) -> Result<Option<Prediction>, Failure> {
        let mut forum = self.ask(std::slice::from_ref(at), context)?;
        let weighed = forum.chosen(&ForumArgs::default())?;
        let place = forum.place(at);
        Ok(place.and_then(|place| forum.forecast(&weighed, place)).map(|answer| answer.prediction))
    }

    /// Asks all about these configurations; tables are fitted.
    pub(crate) fn ask(&self, targets: &[Configuration], context: &mut Context) -> Result<Forum, Failure> {
        let Files { tables, inputs, args, .. } = self;
        let mut rows = self.rows.clone();
        rows.ask_about(targets);
        let mut members = Vec::new();
        if !tables.is_empty() {
            members.extend(ask::fitted(args, None, tables, &rows, context)?);
        }
        members.extend(ask_all(args, inputs, &rows, context)?);
        check_answered(&members, &rows)?;
        let mut warnings = rows.warnings.clone();
        warnings.extend(ask::unknown_origin(&members, &rows));
        for one in members.iter().filter(|one| one.answered() == 0) {
            let reason = one.reasons.first().map_or("no reason is known", String::as_str);
            warnings.push(Warning::new("no_answer", format!("{} says nothing here: {reason}", one.input)));
        }
        members.retain(|one| one.answered() > 0);
        judge::name(&mut members);
        Ok(Forum { rows, members, warnings, level: args.level.level })
    }
}

/// What was asked, and who says what.
pub(crate) struct Forum {
    pub rows: Rows,
    /// Those that say something.
    pub members: Vec<Competitor>,
    pub warnings: Vec<Warning>,
    level: f64,
}

/// Members with their weights, which sum to 1.
pub(crate) struct Weighed {
    pub weights: Vec<f64>,
    /// Mean absolute logarithmic error of each on runs that it has not seen.
    pub errors: Vec<Option<f64>>,
}

impl Forum {
    /// The place of a configuration among the rows.
    pub(crate) fn place(&self, target: &Configuration) -> Option<usize> {
        let is_it = |row: &Row| target.0.iter().all(|(name, value)| row.at.get(name) == Some(*value));
        self.rows.list.iter().position(is_it)
    }

    /// What was measured at a row.
    pub(crate) fn measured(&self, index: usize) -> Option<f64> {
        judge::median(&self.rows.list[index])
    }

    /// Errors of a member: of its forward folds if it was fitted here, else on runs that it has not seen.
    fn errors(&self, one: &Competitor) -> Vec<f64> {
        if !one.folds.is_empty() {
            return one.folds.clone();
        }
        (0..self.rows.list.len()).filter_map(|index| judge::error(one, &self.rows, index)).collect()
    }

    /// What members count when they are combined.
    pub(crate) fn weighed(&self) -> Weighed {
        let errors: Vec<Vec<f64>> = self.members.iter().map(|one| self.errors(one)).collect();
        let is_judged = |of: &Vec<f64>| !of.is_empty();
        if !errors.iter().any(is_judged) {
            return Weighed { weights: weights(&errors).of, errors: vec![None; errors.len()] };
        }
        // Whom no run judges does not count beside those that were judged.
        let judged: Vec<Vec<f64>> = errors.iter().filter(|of| is_judged(of)).cloned().collect();
        let found = weights(&judged);
        let mut each = found.of.into_iter().zip(found.errors);
        let of = |of: &Vec<f64>| if is_judged(of) { each.next().unwrap_or((0.0, None)) } else { (0.0, None) };
        let (weights, errors) = errors.iter().map(of).unzip();
        Weighed { weights, errors }
    }

    /// One member with all the weight, or all with theirs.
    ///
    /// # Errors
    /// The one named is not there; several files, and no run judges them.
    pub(crate) fn chosen(&mut self, forum: &ForumArgs) -> Result<Weighed, Failure> {
        let mut weighed = self.weighed();
        if forum.combine {
            return Ok(weighed);
        }
        let place = match &forum.pick {
            Some(name) => {
                let place = self.members.iter().position(|one| one.input == *name || one.file == *name);
                let stem = |one: &Competitor| one.input.split('/').next() == Some(name.as_str());
                place.or_else(|| self.members.iter().position(stem)).ok_or_else(|| self.unknown(name))?
            }
            None => {
                let judged = (0..self.members.len()).filter_map(|place| Some((weighed.errors[place]?, place)));
                let best = judged.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place);
                best.map_or_else(|| self.first_of_one_file(), Ok)?
            }
        };
        weighed.weights = (0..self.members.len()).map(|other| f64::from(u8::from(other == place))).collect();
        Ok(weighed)
    }

    fn unknown(&self, name: &str) -> Failure {
        let known: Vec<&str> = self.members.iter().map(|one| one.input.as_str()).collect();
        let problem = Problem::new("unknown_input", format!("no input that answers is called {name}"));
        problem.at("--pick").value(name).one_of(name, known).into()
    }

    /// Without runs, the first model of a file is as good as its others; of several files none is.
    fn first_of_one_file(&mut self) -> Result<usize, Failure> {
        let names: Vec<&str> = self.members.iter().map(|one| one.input.as_str()).collect();
        if self.members.iter().any(|one| one.file != self.members[0].file) {
            let problem = Problem::new("several_inputs", format!("no run judges these: {}", names.join(", ")));
            return Err(problem.hint("give a table of runs, --pick one of them, or --combine").into());
        }
        if names.len() > 1 {
            let message = format!("{} is taken, of {}: --pick another, or --combine", names[0], names.join(", "));
            self.warnings.push(Warning::new("first_of_several", message));
        }
        Ok(0)
    }

    /// A member's forecast of a row as a law; without a range one is assumed.
    pub(crate) fn law(&self, one: &Competitor, index: usize) -> Option<Law> {
        let (Side { value, sd }, _) = judge::side(one, index, self.level)?;
        let said = one.answers[index].as_ref()?;
        let level = if said.level.is_nan() { self.level } else { said.level };
        let of_range = said.low.zip(said.high).and_then(|(low, high)| Law::of_range(value, low, high, level));
        Some(of_range.unwrap_or(Law { value, low_sd: sd, high_sd: sd }))
    }

    /// The forecast of a row by weight: that of the only member, or the combined one.
    pub(crate) fn forecast(&self, weighed: &Weighed, index: usize) -> Option<Answer> {
        let speaking: Vec<(f64, &Competitor)> =
            weighed.weights.iter().copied().zip(&self.members).filter(|(weight, _)| *weight > 0.0).collect();
        if let [(_, one)] = speaking.as_slice() {
            let said = one.answers[index].clone()?;
            return Some(Answer {
                prediction: said,
                combined: None,
                energy_j: one.energy_j[index],
                input: one.input.clone(),
            });
        }
        let laws: Vec<(f64, Law)> =
            speaking.iter().filter_map(|(weight, one)| Some((*weight, self.law(one, index)?))).collect();
        let combined = combine(&laws, self.level)?;
        let row = &self.rows.list[index];
        let metric = &self.rows.metric;
        let mut prediction = Prediction::new("compare", "combined", &metric.name, row.at.clone(), Some(combined.value));
        prediction.unit.clone_from(&metric.unit);
        prediction = prediction.within(self.level, Some(combined.low), Some(combined.high));
        let energies: Vec<(f64, f64)> =
            speaking.iter().filter_map(|(weight, one)| Some((*weight, one.energy_j[index]?))).collect();
        let sum: f64 = energies.iter().map(|(weight, _)| weight).sum();
        let energy_j = (sum > 0.0)
            .then(|| (energies.iter().map(|(weight, energy)| weight * energy.ln()).sum::<f64>() / sum).exp());
        Some(Answer { prediction, combined: Some(combined), energy_j, input: "combined".to_owned() })
    }

    /// Members for documents.
    pub(crate) fn listed(&self, weighed: &Weighed) -> Vec<next::Member> {
        let each = self.members.iter().zip(&weighed.weights).zip(&weighed.errors);
        each.map(|((one, weight), error)| next::Member {
            input: one.input.clone(),
            method: one.method.clone(),
            model: one.model.clone(),
            weight: *weight,
            error: *error,
        })
        .collect()
    }
}

/// What is said of a row, all taken together.
pub(crate) struct Answer {
    pub prediction: Prediction,
    /// The law, where several are combined.
    pub combined: Option<Combined>,
    pub energy_j: Option<f64>,
    pub input: String,
}

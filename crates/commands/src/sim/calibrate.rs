//! `runcast sim calibrate`: coefficients of a computational model from a table of small real runs.

mod document;
mod entry;
mod file;
mod kept;
mod laws;
mod names;
mod runs;
mod simulated;
mod text;

pub use document::Document;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::options::paths::{InputFile, OutputFile, UpdatedFile};
use crate::output::Output;
use crate::sim::run::{ExperimentArgs, inputs};
use crate::tables::{self, FormatArgs};
use clap::{Args, ValueEnum, ValueHint};
use runcast_core::{Problem, Warning};
use runcast_sim::calibrate::{self, Calibration, Found, Free, Noisy, Options};
use runcast_sim::model::Uncertainty;
use runcast_sim::run;
use std::sync::Arc;

/// Arguments of `runcast sim calibrate`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES, override_usage = "runcast sim calibrate [OPTIONS] EXPERIMENT --table CSV --free NAMES")]
pub struct CalibrateArgs {
    #[command(flatten)]
    pub experiment: ExperimentArgs,

    /// The runs; its columns are parameters by name
    #[arg(long, value_name = "RUNS.csv", value_hint = ValueHint::FilePath, help_heading = "Calibration")]
    pub table: InputFile,
    /// What to find, with bounds where there are: c.sort=1ns..10ns,noise.block.mean,law.sort
    #[arg(
        long,
        value_name = "NAME[=LOW..HIGH],..",
        value_delimiter = ',',
        required = true,
        help_heading = "Calibration"
    )]
    pub free: Vec<String>,
    /// What keeps a value: c.split=1.333ns
    #[arg(
        long = "fixed",
        alias = "fix",
        value_name = "NAME=V,..",
        value_delimiter = ',',
        help_heading = "Calibration"
    )]
    pub fix: Vec<String>,
    /// The rows to calibrate on; the others are held out: 'set == "train"'
    #[arg(long, value_name = "EXPR", help_heading = "Calibration")]
    pub train: Option<String>,
    /// Take only rows for which this holds: 'app == "msort"'
    #[arg(long = "where", value_name = "EXPR", help_heading = "Calibration")]
    pub filters: Vec<String>,
    /// How repetitions become one number
    #[arg(
        long = "aggregate",
        alias = "stat",
        value_name = "HOW",
        default_value = "mean",
        help_heading = "Calibration"
    )]
    pub stat: StatArg,
    /// What was measured: time_s or energy_j
    #[arg(long, value_name = "NAME", default_value = "time_s", help_heading = "Calibration", hide_short_help = true)]
    pub metric: MetricArg,
    /// The columns that are parameters, where others are numbers too
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = "Calibration")]
    pub params: Option<Vec<String>>,
    /// Searches, each from a start of its own
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Calibration", hide_short_help = true)]
    pub starts: u32,
    /// Write this component or network as an entry of the catalogue, with what was found of it
    #[arg(long, value_name = "ID", help_heading = "Calibration", hide_short_help = true, requires = "entry_out")]
    pub entry: Option<String>,
    /// The file of that entry
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Calibration", hide_short_help = true, requires = "entry")]
    pub entry_out: Option<OutputFile>,
    /// Keep simulations in FILE, and take over those that it has
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Calibration", hide_short_help = true)]
    pub resume: Option<UpdatedFile>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// How repetitions become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatArg {
    /// The arithmetic mean
    Mean,
    /// The smallest
    Min,
    /// The middle one
    Median,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricArg {
    /// Seconds
    #[value(name = "time_s")]
    Time,
    /// Joules
    #[value(name = "energy_j")]
    Energy,
}

impl MetricArg {
    /// The column of it.
    pub fn name(self) -> &'static str {
        match self {
            MetricArg::Time => "time_s",
            MetricArg::Energy => "energy_j",
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  runcast sim calibrate sort/experiment.toml --table runs.csv \\
    --free c.sort=1ns..10ns,c.merge --fixed c.split=1.333ns \\
    --train 'set == \"train\"' -o coeff.toml
  runcast sim run sort/experiment.toml --coeff coeff.toml --set p=1024";

/// What was found, with or without noise.
pub(super) struct Outcome {
    /// By name, in the order of `--free`; none: a size of noise that cannot be distinguished from no noise.
    pub found: Vec<Option<Found>>,
    /// What is not known of them, and of the model.
    pub uncertainty: Uncertainty,
    pub condition: f64,
    pub evaluations: u64,
    pub converged: bool,
    /// Relative error beside the noise; none: noise was not sought.
    pub misfit: Option<f64>,
    /// Simulations of a configuration.
    pub seeds: u64,
    pub warnings: Vec<Warning>,
}

impl From<Calibration> for Outcome {
    fn from(of: Calibration) -> Self {
        let Calibration { coefficients, uncertainty, condition, evaluations, converged, warnings } = of;
        let found = coefficients.into_iter().map(Some).collect();
        Outcome { found, uncertainty, condition, evaluations, converged, misfit: None, seeds: 1, warnings }
    }
}

impl From<Noisy> for Outcome {
    fn from(of: Noisy) -> Self {
        let Noisy { found, uncertainty, condition, evaluations, converged, misfit, seeds, warnings } = of;
        Outcome { found, uncertainty, condition, evaluations, converged, misfit: Some(misfit), seeds, warnings }
    }
}

/// Calibrates.
///
/// # Errors
/// What is wrong with the files and options; coefficients that the runs cannot tell apart; what the simulation cannot do.
pub fn run(args: &CalibrateArgs, context: &mut Context) -> Result<Output, Failure> {
    let mut inputs = inputs::read(&args.experiment, context)?;
    let has_noise = args.free.iter().any(|name| name.trim_start().starts_with("noise."));
    {
        let experiment = &mut Arc::make_mut(&mut inputs).experiment;
        experiment.repetitions = Some(1);
        if !has_noise {
            // Noise would be fitted too: what is sought is the model without it.
            (experiment.noise, experiment.noise_trace) = (None, None);
        }
    }
    if has_noise && args.stat != StatArg::Mean {
        let problem = Problem::new("conflict", "sizes of noise are found from means and spreads").at("--aggregate");
        return Err(problem.allowed("mean").into());
    }
    let table = tables::read_files(std::slice::from_ref(&args.table), &args.format.read_options(&[]), context)?;
    let mut base = args.experiment.variation()?;
    let prepared = run::prepare(&inputs, &base).map_err(inputs::failure)?;
    let parameters = &prepared.recorded.application.parameters;
    let texts: Vec<&str> = parameters.iter().filter(|one| one.text.is_some()).map(|one| one.name.as_str()).collect();
    let configurations = runs::configurations(args, &table, &texts, context)?;
    let mut wanted = names::wanted(args, &prepared)?;
    for (name, value) in &wanted.fixed {
        simulated::give(&mut base, name, *value)?;
    }
    let (configurations, unplaced) = simulated::placeable(&prepared, &base, configurations)?;
    let simulations = simulated::Simulations::new(&prepared, &base, &configurations, args, context)?;
    let options = Options {
        starts: args.starts as usize,
        seed: args.experiment.seed.unwrap_or(0),
        level: args.experiment.level.unwrap_or(run::LEVEL),
    };
    let laws = laws::choose(&mut wanted, &simulations, &prepared, &options);
    let laws = match laws {
        Ok(laws) => laws,
        Err(problems) => {
            simulations.end(context);
            return Err(inputs::failure(problems));
        }
    };
    let found = if wanted.has_noise() {
        let observed = simulations.observed_of_training();
        calibrate::with_noise(&observed, &wanted.free, &options, &|free, values, seeds| {
            simulations.training(&laws.trials, free, values, seeds)
        })
        .map(Outcome::from)
    } else {
        let real = simulations.real_of_training();
        let simulate = |values: &[f64]| {
            let moments = simulations.training(&laws.trials, &wanted.free, values, 1)?;
            Ok(moments.into_iter().map(|one| one.mean).collect())
        };
        calibrate::calibrate(&real, &wanted.free, &options, &simulate).map(Outcome::from)
    };
    let all = found.and_then(|found| {
        let (names, values): (Vec<Free>, Vec<f64>) = wanted
            .free
            .iter()
            .zip(&found.found)
            .filter_map(|(free, one)| Some((free.clone(), one.as_ref()?.value)))
            .unzip();
        let moments = simulations.all(&laws.trials, &names, &values, found.seeds)?;
        Ok((found, moments.into_iter().map(|one| one.mean).collect::<Vec<f64>>()))
    });
    simulations.end(context);
    let (found, all) = all.map_err(|problem| inputs::failure(problem.into()))?;
    let uncertainty = file::beyond(found.uncertainty.clone(), &configurations, wanted.has_noise());
    let mut document = Document::new(args, options.level, &wanted, &found, &configurations, &all);
    document.laws.clone_from(&laws.tried);
    document.evaluations += laws.simulations;
    document.warnings.extend(laws.warnings.iter().cloned());
    if let Some(simulated::LeftOut { count, first }) = unplaced {
        document.rows_unplaced = count;
        let text = format!("{count} configurations cannot be placed and are left out; the first: {}", first.message);
        document.warnings.push(Warning::new("rows_unplaced", text));
    }
    let entry = match &args.entry {
        Some(id) => Some(entry::entry(args, id, &prepared, &document, &configurations)?),
        None => None,
    };
    document.entry = entry.as_ref().map(|(id, _)| id.clone());
    let file = file::text(args, &document, &wanted, &laws, &uncertainty, &prepared).map_err(inputs::failure)?;
    let mut output = Output::of(document.clone())
        .human(text::text(&document, args.metric, context.screen))
        .warned(document.warnings.iter().cloned())
        .with_file(args.out.path(), file);
    if let Some(path) = args.out.path().filter(|path| path.as_os_str() != "-") {
        output = output.noted(format!("wrote {}; use it: --coeff {}", path.display(), path.display()));
    }
    if let (Some((id, text)), Some(path)) = (entry, &args.entry_out) {
        let shown = path.display();
        output = output
            .with_file(Some(path), text)
            .noted(format!("wrote {shown}; use it: --catalogue {shown}, hardware = \"{id}\""));
    }
    Ok(output)
}

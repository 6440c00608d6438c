//! The document of kind `wavefront-run`.

use super::job::{Done, Job};
use super::options::RunArgs;
use super::predicted::{INTERVAL_LEVEL, Predicted};
use super::warnings;
use crate::context::Context;
use crate::failure::Failure;
use crate::wavefront::solve::answer;
use crate::wavefront::solve::document::ModelEntry;
use runcast_core::Warning;
use runcast_core::statistics::median;
use runcast_wavefront::Model;
use runcast_wavefront::model::Semantics;
use runcast_wavefront::run::Measured;
use serde::Serialize;
use std::sync::Arc;

/// The document of kind `wavefront-run`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// `done` or `interrupted`.
    pub status: &'static str,
    /// What was run; its step is the lattice of the prediction.
    pub model: ModelEntry,
    /// `threads` or `mpi`.
    pub backend: &'static str,
    /// Times were drawn from the model.
    pub emulated: bool,
    /// What each update did more than the operator.
    pub work_s: Option<f64>,
    /// Phases of a run that were asked for.
    pub phases: u64,
    /// Runs that were made.
    pub runs: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// What was iterated.
    pub operator: OperatorEntry,
    /// The semantics that held.
    pub semantics: Semantics,
    /// The semantics that were asked for.
    pub semantics_asked: Semantics,
    /// Which phases of each run are held against the prediction: `all` or `second_half`.
    pub validated: &'static str,
    /// How many these are, over all runs.
    pub validated_phases: u64,
    /// What was measured.
    pub measured: Option<Measured>,
    /// What the chain says.
    pub predicted: Option<Predicted>,
    /// Predicted less measured, over measured.
    pub relative_error: Option<ErrorEntry>,
    /// The level of the range of the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_level: Option<f64>,
    /// Whether the median run is in its range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
    /// How many runs are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_runs: Option<u64>,
    /// Half the sum of the absolute differences between measured and predicted shares of wavefronts.
    pub wavefront_tv: Option<f64>,
    /// What it would be for as many independent draws from the prediction: so much is chance.
    pub wavefront_tv_chance: Option<f64>,
    /// By how much emulated times were too long.
    pub overshoot: Option<OvershootEntry>,
    /// Tables that were written.
    pub files: Vec<String>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
}

/// What was iterated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperatorEntry {
    /// `linear`, `polynomial`, or `uniform` where the model has no matrix.
    pub kind: &'static str,
    /// Numbers of the vector.
    pub dimension: usize,
}

/// Predicted less measured, over measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorEntry {
    /// Of the mean of Phi.
    pub phase_mean_s: Option<f64>,
    /// Of the mean of N.
    pub iterations_mean: Option<f64>,
    /// Of the means of A_i + N_i.
    pub updates_mean: Vec<Option<f64>>,
    /// Of the digits a phase.
    pub rate_per_phase: Option<f64>,
    /// Of the mean time.
    pub time_s: Option<f64>,
    /// Of its standard deviation.
    pub time_sd_s: Option<f64>,
}

/// By how much emulated times were too long.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OvershootEntry {
    /// On average.
    pub mean_s: f64,
    /// At most.
    pub max_s: f64,
}

impl Document {
    /// What came out, with its prediction.
    ///
    /// # Errors
    /// A stop was asked for while the prediction was made.
    pub(super) fn of(args: &RunArgs, job: &Job, done: &Done, context: &Context) -> Result<Document, Failure> {
        let mut all_warnings = job.warnings.clone();
        let (model, predicted) = predicted(args, job, done, context, &mut all_warnings)?;
        let measured = done.measured.as_ref();
        let relative_error = measured.zip(predicted.as_ref()).map(|(m, p)| errors(m, p));
        let wavefronts = |predicted: &Predicted| -> Option<f64> {
            let expected = predicted.wavefronts.iter().map(|it| (it.offsets.as_slice(), it.probability));
            Some(measured?.wavefront_tv(expected))
        };
        let range = predicted.as_ref().and_then(|it| it.time_low_s.zip(it.time_high_s));
        let covers = |time_s: f64| range.map(|(low_s, high_s)| (low_s..=high_s).contains(&time_s));
        let times_s = measured.map_or(&[][..], |measured| &measured.times_s);
        let chance = |predicted: &Predicted| tv_chance(predicted, measured?.phases);
        let overshoot = args
            .emulate
            .then(|| OvershootEntry { mean_s: done.overshoot.mean_s(), max_s: done.overshoot.most as f64 / 1e9 });
        let mut document = Document {
            kind: "wavefront-run",
            version: 1,
            status: if done.is_interrupted { "interrupted" } else { "done" },
            model: answer::model(&model),
            backend: args.backend().name(),
            emulated: args.emulate,
            work_s: job.work_s(),
            phases: args.phases,
            runs: done.runs,
            seed: args.seed.seed,
            operator: OperatorEntry { kind: job.program.kind, dimension: job.program.operator.dimension() },
            semantics: done.held,
            semantics_asked: job.model.semantics,
            validated: if args.emulate { "all" } else { "second_half" },
            validated_phases: measured.map_or(0, |measured| measured.phases),
            measured: measured.cloned(),
            relative_error,
            interval_level: range.map(|_| INTERVAL_LEVEL),
            covered: if times_s.is_empty() { None } else { covers(median(times_s)) },
            covered_runs: range.map(|_| times_s.iter().filter(|time_s| covers(**time_s) == Some(true)).count() as u64),
            wavefront_tv: predicted.as_ref().and_then(wavefronts),
            wavefront_tv_chance: predicted.as_ref().and_then(chance),
            predicted,
            overshoot,
            files: done.files.clone(),
            warnings: Vec::new(),
        };
        all_warnings.extend(warnings::of(&document, done));
        all_warnings.extend(done.doubts.iter().cloned().map(warnings::without_sample));
        document.warnings = all_warnings;
        Ok(document)
    }
}

/// The model that is held against the run, and what it says.
fn predicted(
    args: &RunArgs,
    job: &Job,
    done: &Done,
    context: &Context,
    all_warnings: &mut Vec<Warning>,
) -> Result<(Model, Option<Predicted>), Failure> {
    let mut none = |why: String| {
        all_warnings.push(Warning::new("no_prediction", why));
        Ok(((*job.model).clone(), None))
    };
    let mut model = match &done.model {
        None => (*job.model).clone(),
        Some(Ok(model)) => model.clone(),
        Some(Err(why)) => return none(why.clone()),
    };
    model.semantics = done.held;
    let Some(measured) = &done.measured else { return none("no phase was measured".to_owned()) };
    let phases = measured.phases as f64 / measured.runs.max(1) as f64;
    // Who has stopped the run wants to see what there is.
    let interrupt = (!done.is_interrupted).then(|| Arc::clone(&context.interrupt));
    // Emulated times are those of the model; others are from the first halves of all runs, each as long as what is forecast.
    let laws_of = (!args.emulate).then_some(measured.runs as u64);
    match Predicted::of(&model, (phases, laws_of), args.seed.seed, interrupt, all_warnings) {
        Ok(predicted) => Ok((model, Some(predicted))),
        Err(_) if context.is_interrupted() && !done.is_interrupted => Err(Failure::interrupted()),
        Err(why) => {
            all_warnings.push(Warning::new("no_prediction", why));
            Ok((model, None))
        }
    }
}

fn errors(measured: &Measured, predicted: &Predicted) -> ErrorEntry {
    let of = |predicted: f64, measured: f64| Some(predicted / measured - 1.0).filter(|error| error.is_finite());
    let both = |predicted: Option<f64>, measured: Option<f64>| of(predicted?, measured?);
    let updates = predicted.updates_mean.iter().zip(&measured.updates_mean);
    ErrorEntry {
        phase_mean_s: of(predicted.phase_mean_s, measured.phase_mean_s),
        iterations_mean: of(predicted.iterations_mean, measured.iterations_mean),
        updates_mean: updates.map(|(predicted, measured)| of(*predicted, *measured)).collect(),
        rate_per_phase: both(predicted.rate_per_phase, measured.rate_per_phase),
        time_s: of(predicted.time_s, measured.time_s),
        time_sd_s: both(predicted.time_sd_s, measured.time_sd_s),
    }
}

/// The mean total variation of as many independent draws, `1/2 sum sqrt(2 p (1 - p) / (pi n))`.
fn tv_chance(predicted: &Predicted, phases: u64) -> Option<f64> {
    let deviation = |it: f64| (2.0 * it * (1.0 - it).max(0.0) / (std::f64::consts::PI * phases as f64)).sqrt();
    let sum: f64 = predicted.wavefronts.iter().map(|it| deviation(it.probability)).sum();
    Some((0.5 * sum).min(1.0)).filter(|_| phases > 0)
}

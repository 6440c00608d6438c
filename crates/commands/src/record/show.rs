//! `runcast record show`: where the time of recorded runs went, what limits them, and how that goes on.

mod document;
mod forecast;
mod sites;
mod text;

use super::application::{Playing, application};
use super::{export, ideal, load, places};
use crate::answer::{Outputs, give};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputFile};
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs, SeedArgs, word};
use crate::output::Output;
use crate::sim::run::inputs::{self, failure, named};
use clap::{Args, ValueHint};
use document::{Shown, ShownRecording};
use runcast_core::{Problem, Warning};
use runcast_record::Recording;
use runcast_record::factors::{Factors, Measured, Scaling, speedup};
use runcast_record::meta::Mpi;
use runcast_record::tree;
use runcast_sim::budget::memory;
use runcast_sim::experiment::Experiment;
use runcast_sim::run::{RunControl, Settings, Variation, prepare_recorded, simulate};
use std::rc::Rc;
use std::sync::Arc;

/// Arguments of `runcast record show`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowArgs {
    /// Recordings: their folders, or files
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub recordings: Vec<InputFile>,
    /// How the problem grows from one recording to the next: strong or weak
    #[arg(long, value_name = "HOW", default_value = "strong", value_parser = word::<Scaling>())]
    pub scaling: Scaling,
    /// Rows of the table of call sites
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub top: usize,
    #[command(flatten)]
    pub at: AtArgs,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Write the calls of the first recording as slices: FILE.json (Perfetto, Chrome)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub timeline: Option<OutputFile>,
    /// A system to replay on: its error, and the time of ranks that shared cores
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub system: Option<InputFile>,
}

const EXAMPLES: &str = "\
Examples:
  runcast record show rec-8 rec-16 rec-32 --at p=512
  runcast record show rec-8 rec-16 rec-32 --plot factors.svg
  runcast record show rec-8 --system cluster.toml --timeline app.json";

/// A recording with what follows from it alone.
struct Looked {
    path: String,
    recording: Rc<Recording>,
    measured: Measured,
    /// Where its time comes from.
    basis: &'static str,
    /// How far a replay on the system is from the measured time.
    replay_error_pct: Option<f64>,
    warnings: Vec<Warning>,
}

/// Above this share of wall time that blocks were off their core, ranks share cores.
const SHARED: f64 = 0.05;

/// Shows them.
///
/// # Errors
/// One cannot be read; targets without p.
pub(super) fn run(args: &ShowArgs, context: &mut Context) -> Result<Output, Failure> {
    let mut looked = Vec::new();
    for path in &args.recordings {
        looked.push(look(path, args, context)?);
    }
    let timeline = looked.first().zip(args.timeline.as_ref());
    let timeline = timeline.map(|(one, path)| (path, export::timeline(&one.recording, context)));
    looked.sort_by_key(|one| one.recording.p);
    let Some(reference) = looked.first().map(|one| one.measured) else {
        return Err(Problem::new("missing", "there is no recording to show").into());
    };
    let mut warnings: Vec<Warning> = looked.iter().flat_map(|one| one.warnings.clone()).collect();
    if let Some((_, (_, Some(cut)))) = &timeline {
        warnings.push(cut.clone());
    }
    let recordings: Vec<ShownRecording> =
        looked.iter().map(|one| shown(one, &reference, args.scaling, context)).collect();
    let forecast = forecast::forecasts(args, &looked, &recordings, &mut warnings)?;
    let answer = Shown {
        kind: "record-show",
        version: 1,
        recordings,
        reference_p: reference.processes as u64,
        scaling: args.scaling.word(),
        forecast,
        top: args.top,
        warnings,
    };
    let to = Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() };
    let output = give(answer, to, context.screen)?;
    Ok(match timeline {
        Some((path, (bytes, _))) => output.with_written(path, bytes),
        None => output,
    })
}

fn look(path: &InputFile, args: &ShowArgs, context: &mut Context) -> Result<Looked, Failure> {
    let recording = Rc::new(load::load(path, context)?);
    let (name, seed) = (path.display().to_string(), args.seed.seed);
    let mut warnings: Vec<Warning> = recording.warnings.clone();
    let useful = recording.useful_s();
    let ranks = useful.len().max(1) as f64;
    let longest = recording.ranks().len();
    let by_statistics = || wall(&recording);
    let time_s =
        recording.meta.time_s().filter(|_| recording.meta.wall_s.len() == longest).unwrap_or_else(by_statistics);
    let ideal_time_s = match ideal::time_s(&recording, Playing { seed, ..Playing::default() }, context) {
        Ok(time_s) => Some(time_s),
        Err(failure) => {
            let why = failure.problems.to_string();
            warnings.push(Warning::new("no_replay", format!("no time on an ideal network: {why}")));
            None
        }
    };
    if let Some(ideal) = ideal_time_s.filter(|ideal| *ideal > time_s) {
        let message = format!("an ideal network would take {ideal:.3e} s, longer than the run with {time_s:.3e} s");
        warnings.push(Warning::new("ideal_above_measured", message));
    }
    let off = recording.off_core_share().unwrap_or(0.0);
    let replayed_s = args.system.as_ref().map(|system| replayed(&recording, system, seed, context)).transpose()?;
    let replay_error_pct = replayed_s.filter(|_| time_s > 0.0).map(|replayed| 100.0 * (replayed / time_s - 1.0));
    // The wall time of ranks that waited for a core says nothing of a machine that has one for each.
    let (time_s, basis) = match replayed_s.filter(|_| off > SHARED) {
        Some(replayed) => (replayed, "replayed"),
        None => (time_s, "measured"),
    };
    let measured = Measured {
        processes: recording.p.into(),
        time_s,
        useful_mean_s: useful.iter().sum::<f64>() / ranks,
        useful_max_s: useful.iter().copied().fold(0.0, f64::max),
        ideal_time_s,
        counted: recording.meta.counted(),
    };
    if off > SHARED {
        let percent = 100.0 * off;
        let message = format!(
            "{name}: ranks were off their cores for {percent:.0} % of the time between calls: they share them, and waits are too long \
                 (--gate helps; sim learn forecasts from processor time)"
        );
        warnings.push(Warning::new("cores_shared", message));
    }
    Ok(Looked { path: name, recording, measured, basis, replay_error_pct, warnings })
}

/// The time of a replay on a system.
fn replayed(recording: &Rc<Recording>, system: &InputFile, seed: u64, context: &mut Context) -> Result<f64, Failure> {
    let experiment =
        Experiment { system: Some(named(system, "--system")), repetitions: Some(1), ..Experiment::default() };
    let settings = Settings { max_memory: memory::limit_bytes(), ..Settings::default() };
    let inputs = inputs::files(experiment, settings, context)?;
    let (application, warnings) = application(recording, "recording", Playing { seed, ..Playing::default() })?;
    let prepared = prepare_recorded(&inputs, &Variation::default(), application, warnings).map_err(failure)?;
    let interrupt = Arc::clone(&context.interrupt);
    Ok(simulate(&prepared, &RunControl::new(&interrupt)).map_err(failure)?.result.time_s)
}

/// Name and version of the MPI library; some versions begin with the name.
fn library(mpi: &Mpi) -> String {
    let is_told = mpi.version.starts_with(&mpi.name);
    if is_told { mpi.version.clone() } else { format!("{} {}", mpi.name, mpi.version).trim().to_owned() }
}

/// The greatest wall time of a rank, from its blocks and calls.
fn wall(recording: &Recording) -> f64 {
    let of_rank = |stats: &[runcast_record::stat::LeafStat], place: usize, share: u64| -> f64 {
        let time = |stat: &runcast_record::stat::LeafStat| {
            let count = (stat.executions / share.max(1)) as f64;
            stat.ranks.get(place).map_or(0.0, |rank| count * (rank.wall.s() + rank.call.s()))
        };
        stats.iter().map(time).sum()
    };
    let programs = recording.programs.iter().filter(|program| program.thread == 0);
    let times = programs.flat_map(|program| {
        let share = program.ranks.len() as u64;
        (0..program.ranks.len()).map(move |place| of_rank(&program.stats, place, share))
    });
    times.fold(0.0, f64::max)
}

fn shown(looked: &Looked, reference: &Measured, scaling: Scaling, context: &mut Context) -> ShownRecording {
    let Looked { path, recording, measured, .. } = looked;
    let factors = Factors::of(measured, reference, scaling);
    let sites = sites::sites(recording, &places::names(recording, context));
    let all_s = measured.time_s * measured.processes;
    let polling: f64 = recording.meta.polling_s.iter().fold(0.0, |sum, time| sum + time);
    let events = |program: &runcast_record::Program| tree::events(&program.tree) * program.ranks.len() as u64;
    let known: serde_json::Map<String, serde_json::Value> = recording
        .meta
        .params
        .iter()
        .chain(&recording.meta.set)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    ShownRecording {
        path: path.clone(),
        p: recording.p,
        params: known,
        program: recording.meta.program.clone(),
        mpi: library(&recording.meta.mpi),
        partial: recording.is_partial(),
        time_s: measured.time_s,
        basis: looked.basis,
        useful_mean_s: measured.useful_mean_s,
        useful_max_s: measured.useful_max_s,
        ideal_time_s: measured.ideal_time_s,
        off_core_share: recording.off_core_share(),
        io_share: (all_s > 0.0).then(|| sites::io_s(&sites) / all_s),
        polling_share: (all_s > 0.0).then(|| polling / all_s),
        events: recording.programs.iter().map(events).sum(),
        nodes: recording.programs.iter().map(|program| tree::nodes(&program.tree)).sum(),
        limits: sites::limits(&factors, &sites),
        factors,
        speedup: speedup(measured, reference, scaling),
        calls: sites::calls(&sites),
        sites,
        classes: sites::classes(recording),
        matrix: sites::matrix(recording),
        replay_error_pct: looked.replay_error_pct,
    }
}

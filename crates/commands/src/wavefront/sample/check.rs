//! Examines a table of samples, read or measured.

use super::measure::Beside;
use super::origin::Origin;
use super::{SampleArgs, Sampled, files, warnings};
use crate::context::Context;
use crate::failure::Failure;
use runcast_core::{Problem, Warning};
use runcast_wavefront::level::{Candidate, Choice};
use runcast_wavefront::sample::diagnose::hints;
use runcast_wavefront::sample::modes::{self, FitOptions, Modes};
use runcast_wavefront::sample::series::{Series, series_of};
use runcast_wavefront::sample::{Samples, diagnose};
use std::path::Path;

/// Reads a table and looks at it.
pub(super) fn read<'a>(args: &'a SampleArgs, table: &Path, context: &mut Context) -> Result<Sampled<'a>, Failure> {
    let name = table.display().to_string();
    let bytes = context.read(table)?;
    let samples = Samples::read(&name, &bytes)?;
    look(args, Origin::table(name), samples, Vec::new(), &Beside::default())
}

/// Looks at samples. Modes that cannot be found in a table are an error; in what was just measured they are a warning,
/// so that it is not lost.
pub(super) fn look<'a>(
    args: &'a SampleArgs,
    origin: Origin,
    mut samples: Samples,
    mut told: Vec<Warning>,
    beside: &Beside,
) -> Result<Sampled<'a>, Failure> {
    let series = series_of(&samples);
    let diagnostics = diagnose(&series);
    told.extend(diagnostics.warnings());
    let windows = args.windows.map(usize::from);
    let level = match &beside.pace {
        Some(pace) => pace.level(windows),
        None => super::level_of(&series, windows),
    };
    let choice = level.as_ref().map(Choice::of);
    let mut wanted = args.wanted(choice.as_ref());
    let modes = match modes_of(args, wanted, &series) {
        None => None,
        Some(Ok(modes)) => Some(modes),
        // Modes that nobody has asked for leave the field to the level.
        Some(Err(_)) if args.fit_modes.is_none() => {
            wanted = Candidate { modes: 1, level: true };
            None
        }
        Some(Err(problem)) if origin.table.is_some() => return Err(Failure::undone(problem)),
        Some(Err(problem)) => {
            told.push(Warning::new(problem.code, problem.message));
            None
        }
    };
    if let Some(modes) = &modes {
        modes.label(&series, &mut samples);
        told.extend(warnings::of_modes(modes));
    }
    let hints = hints(&series);
    let level = match (level, &choice, &modes) {
        (Some(level), Some(choice), Some(_)) => Some(choice.without_modes(wanted, &level)),
        (level, ..) => level,
    };
    let sigma_factor = if wanted.level { 1.0 } else { diagnostics.sigma_factor() };
    let mut sampled = Sampled {
        args,
        origin,
        samples,
        series,
        diagnostics,
        hints,
        modes,
        warnings: told,
        level,
        writes_level: wanted.level,
        pilot: beside.pilot.clone(),
        sigma_factor,
        work: beside.work,
        degree: args.degree(args.processes())?,
        semantics: beside.semantics,
        choice,
    };
    if let Some((pilot, spread)) = beside.pace.as_ref().and_then(|pace| files::closing(&sampled, pace)) {
        // What the phases themselves show is more than what correlations of updates suggest.
        (sampled.pilot, sampled.sigma_factor) = (Some(pilot), spread);
    }
    Ok(sampled)
}

fn modes_of(args: &SampleArgs, wanted: Candidate, series: &[Series]) -> Option<Result<Modes, Problem>> {
    let count = Some(wanted.modes).filter(|count| *count > 1)?;
    let options = FitOptions { modes: count, window: args.window, seed: args.seed.seed };
    Some(modes::fit(series, &options).map_err(|reason| {
        let problem = Problem::new("no_modes", format!("{count} modes cannot be found: {reason}"));
        problem.at("--fit-modes").hint("more --updates, or fewer updates in a --window")
    }))
}

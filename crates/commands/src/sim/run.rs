//! `runcast sim run`: an application model on a system model gives time, energy, chance of failure and cost, and why.

pub(crate) mod cost;
mod document;
mod export;
pub(crate) mod inputs;
mod options;
pub(crate) mod progress;
pub(crate) mod text;

pub use document::Document;
pub use options::{CollectivesArg, ExperimentArgs, ExportArg, FidelityArg, RunArgs};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile, Output};
use runcast_sim::run::{self, RunControl, RunResult};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Simulates.
///
/// # Errors
/// What is wrong with the files and options; a deadlock, a limit that was reached, an interrupt.
pub fn run(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    let meter = cost::Meter::start();
    let timeline = args.timeline()?;
    let bar = progress::Bar::new(context);
    let partial = Mutex::new(None);
    let simulated = inputs::read_shown(&args.experiment, Some(&bar), context).and_then(|inputs| {
        let prepared = run::prepare(&inputs, &args.experiment.variation()?).map_err(inputs::failure)?;
        let interrupt = bar.interrupt();
        if args.export.is_some() {
            return Ok((prepared, None));
        }
        let control = RunControl {
            interrupt: &interrupt,
            threads: rayon::current_num_threads(),
            progress: &|done, of| bar.done(done, of),
            explain: args.explain,
            check: args.check.then_some(args.check_procs),
            timeline: timeline.as_ref().map(|(_, wanted)| wanted.clone()),
            partial: Some(&partial),
        };
        let simulated = run::simulate(&prepared, &control).map_err(inputs::failure)?;
        Ok((prepared, Some(simulated)))
    });
    bar.end(context);
    let (prepared, simulated) = match (simulated, partial.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Ok(simulated), _) => simulated,
        (Err(failure), Some(partial)) => return Ok(stopped(*partial, failure, &meter, context)),
        (Err(failure), None) => return Err(failure),
    };
    let (Some(mut simulated), None) = (simulated, args.export) else {
        return export::export(args, &prepared);
    };
    let recorder = simulated.timeline.take();
    let mut result = simulated.result;
    result.cost_of_simulation = Some(meter.read());
    let warnings = result.warnings.clone();
    let log = prepared.recorded.application.log.clone();
    let document = Document::new(result);
    let mut output = Output::of(document.clone()).human(text::text(&document, context.screen)).warned(warnings);
    for line in log {
        output = output.noted(line);
    }
    if let (Some((format, _)), Some(recorder), Some(path)) = (timeline, recorder, &args.timeline_file) {
        let tick = prepared.inputs.settings.tick;
        let bytes = format.write(&recorder, &prepared.recorded.application, tick);
        output = with_file(output, path, bytes);
    }
    Ok(output)
}

/// The account of what was simulated before it was stopped, with exit code 1.
fn stopped(mut result: RunResult, failure: Failure, meter: &cost::Meter, context: &Context) -> Output {
    result.cost_of_simulation = Some(meter.read());
    let warnings = result.warnings.clone();
    let document = Document::new(result);
    let mut output = Output::of(document.clone()).human(text::text(&document, context.screen)).warned(warnings);
    output.problems.extend(failure.problems.0);
    output.exit(failure.exit)
}

/// With a file, and a note that it was written.
fn with_file(mut output: Output, path: &Path, bytes: Vec<u8>) -> Output {
    let to = Destination::of(path);
    if to != Destination::Stdout {
        output = output.noted(format!("wrote {}", path.display()));
    }
    output.files.push(OutFile { to, content: Content::Bytes(bytes) });
    output
}

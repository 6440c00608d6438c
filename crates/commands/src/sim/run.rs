//! `runcast sim run`: an application model on a system model gives time, energy, chance of failure and cost, and why.

pub(crate) mod cost;
pub(crate) mod document;
mod export;
pub(crate) mod inputs;
mod options;
pub(crate) mod progress;
pub(crate) mod text;

pub use document::Document;
pub use options::{CollectivesArg, ExperimentArgs, RunArgs};
pub(crate) use options::{memory, steps};

use crate::answer::{Outputs, give};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::sentence;
use runcast_sim::exchanged;
use runcast_sim::run::{self, RunControl, RunResult};
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
        let mut simulated = run::simulate(&prepared, &control).map_err(inputs::failure)?;
        let result = &mut simulated.result;
        result.exchange = exchanged::examine(&prepared, result.time_s, &interrupt).map_err(inputs::failure)?;
        result.exchange.extend(exchanged::examine_attributes(&prepared, result, &interrupt).map_err(inputs::failure)?);
        run::calibrated_range(&prepared, result, &control).map_err(inputs::failure)?;
        result.warnings.extend(result.exchange.iter().filter_map(exchanged::Exchange::warning));
        Ok((prepared, Some(simulated)))
    });
    bar.end(context);
    let (prepared, simulated) = match (simulated, partial.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Ok(simulated), _) => simulated,
        (Err(failure), Some(partial)) => return stopped(*partial, failure, &meter, args, context),
        (Err(failure), None) => return Err(failure),
    };
    let (Some(mut simulated), None) = (simulated, args.export) else {
        return export::export(args, &prepared);
    };
    let recorder = simulated.timeline.take();
    let mut result = simulated.result;
    result.cost_of_simulation = Some(meter.read());
    let log = prepared.recorded.application.log.clone();
    let sentence = sentence::limits::of(&result);
    let few = args.ranges.widen(context, |with| {
        if let Some(level) = result.level {
            with.time(result.time_s, level, &mut result.time_low_s, &mut result.time_high_s);
        }
    })?;
    result.warnings.extend(few);
    let document = Document::new(result, &args.experiment);
    let to = Outputs { table: args.output.as_deref(), plot: None };
    let mut output = give(document, to, context.screen)?.with_sentence(sentence);
    for line in log {
        output = output.noted(line);
    }
    if let (Some((format, _)), Some(recorder), Some(path)) = (timeline, recorder, &args.timeline_file) {
        let tick = prepared.inputs.settings.tick;
        let bytes = format.write(&recorder, &prepared.recorded.application, tick);
        output = output.with_written(path, bytes);
    }
    Ok(output)
}

/// The account of what was simulated before it was stopped, with exit code 1.
fn stopped(
    mut result: RunResult,
    failure: Failure,
    meter: &cost::Meter,
    args: &RunArgs,
    context: &Context,
) -> Result<Output, Failure> {
    result.cost_of_simulation = Some(meter.read());
    let mut output = give(Document::new(result, &args.experiment), Outputs::default(), context.screen)?;
    output.problems.extend(failure.problems.0);
    Ok(output.exit(failure.exit))
}

//! Replays a recording of `runcast record` on a system, and with changes.

use super::changes::Change;
use super::options::ReplayArgs;
use super::traces::{self, Compared, inputs, variation};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::record::application::{Playing, application};
use crate::record::ideal;
use crate::record::load::load;
use crate::sim::catalogue::CatalogueArgs;
use crate::sim::run::cost::Meter;
use crate::sim::run::inputs::failure;
use crate::sim::run::progress::Bar;
use runcast_record::Recording;
use runcast_sim::run::{self, Prepared, RunControl};
use std::rc::Rc;
use std::sync::Arc;

/// Replays it.
///
/// # Errors
/// What is wrong with the recording and the options; a deadlock; it was stopped before the end.
pub(super) fn run(args: &ReplayArgs, context: &mut Context) -> Result<Output, Failure> {
    let meter = Meter::start();
    let recording = Rc::new(load(&args.file, context)?);
    let scale = match &args.scale_compute {
        None => 1.0,
        Some(scaled) => {
            let catalogue = CatalogueArgs { catalogue: args.catalogue.clone() };
            scaled.factor(args.bound, catalogue.read(context)?.as_ref())?
        }
    };
    let bar = Bar::new(context);
    let output = play(args, &recording, args.playing(scale), meter, (&bar, &mut *context));
    bar.end(context);
    output
}

fn play(
    args: &ReplayArgs,
    recording: &Rc<Recording>,
    playing: Playing,
    meter: Meter,
    (bar, context): (&Bar, &mut Context),
) -> Result<Output, Failure> {
    let prepared = prepared(args, recording, playing, None, (bar, &mut *context))?;
    let mut what_if = Vec::new();
    for change in &args.what_if {
        what_if.push((*change, changed(args, recording, playing, *change, (&prepared, bar, &mut *context))?));
    }
    // Blocks of another processor are not compared with those of the run.
    let recorded_s = recording.meta.time_s().filter(|_| args.scale_compute.is_none());
    traces::play(args, &prepared, Some(Compared { recorded_s, what_if }), meter, (bar, context))
}

fn prepared(
    args: &ReplayArgs,
    recording: &Rc<Recording>,
    playing: Playing,
    change: Option<(Change, &Prepared)>,
    (bar, context): (&Bar, &mut Context),
) -> Result<Prepared, Failure> {
    let stem = args.file.file_stem().unwrap_or(args.file.as_os_str());
    let (application, mut warnings) = application(recording, &stem.to_string_lossy(), playing)?;
    warnings.extend(recording.warnings.iter().cloned());
    let inputs = inputs(args, change.map(|(change, _)| change), bar, context)?;
    let mut variation = variation(args);
    if let Some((change, before)) = change.filter(|_| args.loggops.is_none()) {
        change.of_system(before, &mut variation)?;
    }
    run::prepare_recorded(&inputs, &variation, application, warnings).map_err(failure)
}

/// The time with a change.
fn changed(
    args: &ReplayArgs,
    recording: &Rc<Recording>,
    playing: Playing,
    change: Change,
    (unchanged, bar, context): (&Prepared, &Bar, &mut Context),
) -> Result<f64, Failure> {
    if change == Change::Ideal {
        return ideal::time_s(recording, playing, context);
    }
    let playing = Playing { is_balanced: change == Change::Balanced, ..playing };
    let prepared = prepared(args, recording, playing, Some((change, unchanged)), (bar, &mut *context))?;
    let interrupt = Arc::clone(&context.interrupt);
    Ok(run::simulate(&prepared, &RunControl::new(&interrupt)).map_err(failure)?.result.time_s)
}

//! The time of a recording on an ideal network: nothing costs anything, and waiting is what dependencies demand.

use super::application::{Playing, application};
use crate::context::Context;
use crate::failure::Failure;
use crate::sim::run::inputs::{failure, files};
use runcast_record::Recording;
use runcast_sim::budget::memory;
use runcast_sim::experiment::Experiment;
use runcast_sim::job::{Collectives, Fidelity};
use runcast_sim::platform::LogGops;
use runcast_sim::run::{Prepared, RunControl, Settings, Variation, prepare_recorded, simulate};
use std::rc::Rc;
use std::sync::Arc;

/// Larger messages wait for their receive.
const EAGER: u64 = 32 * 1_024;

/// On an ideal network a tree of messages would wait for ranks that only pass a message on: the root deals with each.
const ALGORITHMS: [(&str, &str); 5] =
    [("bcast", "linear"), ("scatter", "linear"), ("gather", "linear"), ("reduce", "linear"), ("barrier", "linear")];

/// When the last rank ends.
///
/// # Errors
/// The recording cannot be replayed.
pub(crate) fn time_s(recording: &Rc<Recording>, playing: Playing, context: &mut Context) -> Result<f64, Failure> {
    let prepared = prepared(recording, playing, context)?;
    let interrupt = Arc::clone(&context.interrupt);
    let simulated = simulate(&prepared, &RunControl::new(&interrupt)).map_err(failure)?;
    Ok(simulated.result.time_s)
}

/// The recording on that network, ready to be simulated or written.
///
/// # Errors
/// The recording cannot be replayed.
pub(super) fn prepared(
    recording: &Rc<Recording>,
    playing: Playing,
    context: &mut Context,
) -> Result<Prepared, Failure> {
    let (application, warnings) = application(recording, "recording", playing)?;
    let experiment = Experiment {
        repetitions: Some(1),
        collectives: Collectives::Expanded,
        algorithms: ALGORITHMS.map(|(kind, name)| (kind.to_owned(), name.to_owned())).to_vec(),
        ..Experiment::default()
    };
    let network = LogGops { L: 0.0, o: 0.0, g: 0.0, G: 0.0, O: 0.0, S: EAGER };
    let settings = Settings { loggops: Some(network), max_memory: memory::limit_bytes(), ..Settings::default() };
    let inputs = files(experiment, settings, context)?;
    let variation = Variation { fidelity: Some(Fidelity::Loggops), ..Variation::default() };
    prepare_recorded(&inputs, &variation, application, warnings).map_err(failure)
}

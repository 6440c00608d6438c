//! Replays a recording of `runcast record` on a system.

use super::options::ReplayArgs;
use super::traces;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::record::application::application;
use crate::record::load::load;
use crate::sim::run::cost::Meter;
use std::rc::Rc;

/// Replays it.
///
/// # Errors
/// What is wrong with the recording and the options; a deadlock; it was stopped before the end.
pub(super) fn run(args: &ReplayArgs, context: &mut Context) -> Result<Output, Failure> {
    let meter = Meter::start();
    let recording = Rc::new(load(&args.file, context)?);
    let stem = args.file.file_stem().unwrap_or(args.file.as_os_str());
    let (application, mut warnings) = application(&recording, &stem.to_string_lossy(), 0)?;
    warnings.extend(recording.warnings.iter().cloned());
    let recorded_s = recording.meta.time_s();
    traces::play(args, (application, warnings), recorded_s, meter, context)
}

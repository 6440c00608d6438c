//! `runcast sim replay`: recordings, and schedules and traces of others.

mod changes;
mod document;
mod options;
mod recording;
mod schedule;
mod text;
mod traces;

pub use changes::{Bound, Change, Scaled};
pub use document::Document;
pub use options::ReplayArgs;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use options::Format;

/// Replays a file.
///
/// # Errors
/// What is wrong with the file and the options; a deadlock; it was stopped before the end.
pub fn run(args: &ReplayArgs, context: &mut Context) -> Result<Output, Failure> {
    if context.files.is_folder(&args.file) {
        return recording::run(args, context);
    }
    let bytes = context.read(&args.file)?;
    match args.format_of(&bytes) {
        Format::Recording => recording::run(args, context),
        Format::Goal => args.check_for_others().map_err(Into::into).and_then(|()| schedule::run(args, &bytes, context)),
        Format::Ti => args.check_for_others().map_err(Into::into).and_then(|()| traces::run(args, &bytes, context)),
    }
}

/// Reads the files that a replay reads.
///
/// # Errors
/// Those that cannot be read.
pub(crate) fn read_files(args: &ReplayArgs, context: &mut Context) -> Result<(), Failure> {
    if context.files.is_folder(&args.file) {
        return crate::record::load::load(&args.file, context).map(drop);
    }
    let bytes = context.read(&args.file)?;
    match args.format_of(&bytes) {
        Format::Goal | Format::Recording => Ok(()),
        Format::Ti => traces::files(args, &bytes, context).map(drop),
    }
}

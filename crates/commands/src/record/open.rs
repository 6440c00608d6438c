//! Recordings for programs that go through their calls one by one, such as an interpreter of Python.

use super::{load, places};
use crate::context::Context;
use crate::failure::Failure;
use runcast_record::Recording;
use std::path::Path;

/// A recording with the names of its call sites: a folder that `record` has made, or one file.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn open(path: &Path, context: &mut Context) -> Result<(Recording, Vec<String>), Failure> {
    let recording = load::load(path, context)?;
    let places = places::names(&recording, context);
    Ok((recording, places))
}

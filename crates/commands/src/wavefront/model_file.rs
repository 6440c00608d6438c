//! Reading a model file, with the files that it names: relative to the folder that it stands in.

use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_core::Problem;
use runcast_wavefront::model::{self, Overrides, Read};
use std::path::Path;

/// Reads the model at `path`; `overrides` go before what it says.
///
/// # Errors
/// What is wrong with the file, the files that it names, and the overrides.
pub fn read(path: &Path, overrides: &Overrides, context: &mut Context) -> Result<Read, Failure> {
    let text = context.read_text(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut lookup = |named: &Path| {
        context.read(&folder.join(named)).map_err(|failure| {
            let problems = failure.problems.0.into_iter();
            problems.reduce(|first, _| first).unwrap_or_else(|| Problem::new("cannot_read", "cannot be read"))
        })
    };
    Ok(model::read(&text, &tables::name_of(path), &mut lookup, overrides)?)
}

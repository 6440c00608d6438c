//! `load`: traces and tables become one table of the session.

use super::files;
use super::runs::Runs;
use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_call::trace;
use runcast_core::{Problem, Problems, Table};
use std::path::Path;

/// Reads files into one table.
///
/// # Errors
/// All that is wrong with any of the files; two formulas for one experiment.
pub fn load(names: &[String], folder: &Path, context: &mut Context) -> Result<Runs, Failure> {
    let mut paths = Vec::new();
    for name in names {
        for path in files::expand(folder, name, context.files.as_mut())? {
            if paths.contains(&path) {
                let problem = Problem::new("file_twice", "the file is named twice: its samples would count twice");
                return Err(problem.in_file(tables::name_of(&path)).into());
            }
            paths.push(path);
        }
    }
    let (mut parts, mut problems) = (Vec::with_capacity(paths.len()), Vec::new());
    for path in &paths {
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
        let name = tables::name_of(path);
        let bytes = context.read(path)?;
        let read = if trace::is_trace(&bytes) {
            trace::read(&name, &bytes).map(Runs::of_trace).map_err(Problems::from)
        } else {
            Table::read(&name, &bytes, &Default::default()).map(Runs::of_table)
        };
        match read {
            Ok(runs) => parts.push(runs),
            Err(found) => problems.extend(found.0),
        }
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    let runs = Runs::concatenate(parts)?;
    if runs.table.rows() == 0 {
        let problem = Problem::new("empty_table", "there are no rows: no region was ever left");
        return Err(match runs.table.files.as_slice() {
            [only] => problem.in_file(only.as_str()),
            _ => problem,
        }
        .into());
    }
    Ok(runs)
}

//! `--set initial-error=FILE`: the error that a run begins with, in place of the worst that there can be.

use crate::context::Context;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_core::table::number;
use runcast_wavefront::Model;
use runcast_wavefront::model::Contraction;
use std::path::Path;

/// The error of each row of the operator: numbers between white space or commas, lines that begin with # left out.
///
/// # Errors
/// The model has no operator; the file is not there, has something else than numbers, or not one for each row.
pub(super) fn read(path: &Path, model: &Model, context: &mut Context) -> Result<Vec<f64>, Failure> {
    let Contraction::Operator(operator) = &model.contraction else {
        let problem = Problem::new("no_operator", "the model has no operator that an error could be followed through");
        return Err(problem.at("--initial-error").hint("put an [operator] with a matrix in place of rho").into());
    };
    let text = context.read_text(path)?;
    let file = path.display().to_string();
    let mut error = Vec::with_capacity(operator.dimension());
    for (line, content) in (1..).zip(text.lines()).filter(|(_, content)| !content.trim_start().starts_with('#')) {
        for cell in content.split([',', ' ', '\t']).filter(|cell| !cell.is_empty()) {
            let number = number::parse(cell).filter(|number| number.is_finite());
            error.push(number.ok_or_else(|| number::not_a_number(cell).in_file(&file).at_line(line))?);
        }
    }
    if error.len() != operator.dimension() || error.iter().all(|error| *error == 0.0) {
        let problem = Problem::new("length", format!("{} errors, of rows of an operator", error.len())).in_file(file);
        let allowed = format!("{} numbers, not all of them 0", operator.dimension());
        return Err(problem.value(error.len().to_string()).allowed(allowed).into());
    }
    Ok(error)
}

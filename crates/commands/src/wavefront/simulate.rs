//! `runcast wavefront simulate`: phases played event by event, or by the recursion: independent of the solver.

mod document;
mod options;
mod play;
mod text;
mod trace;

pub use document::Document;
pub use options::SimulateArgs;

use super::model_file;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use runcast_core::Problem;

/// Simulates a model.
///
/// # Errors
/// What is wrong with the model and the options; it was stopped before anything was complete.
pub fn run(args: &SimulateArgs, context: &mut Context) -> Result<Output, Failure> {
    let read = model_file::read(&args.model, &args.changes.overrides()?, context)?;
    args.check(&read.model)?;
    let played = play::play(args, &read.model, context)?;
    let document = Document::new(args, &read, &played);
    let mut output = Output::of(document.clone())
        .human(text::text(&document, &read.model, context.screen))
        .warned(document.warnings.iter().cloned());
    for note in read.notes {
        output = output.noted(note);
    }
    if let Some(path) = &args.trace {
        output = output.with_file(Some(path), trace::csv(&read.model, &played.simulated.traces));
        if path.as_os_str() != "-" {
            output = output.noted(format!("wrote {}", path.display()));
        }
    }
    if played.simulated.is_interrupted {
        let message = format!(
            "interrupted: the results are of {} of {} phases",
            played.simulated.phases,
            args.phases.saturating_mul(args.runs.unwrap_or(1))
        );
        output.problems.push(Problem::new("interrupted", message));
        output = output.exit(1);
    }
    Ok(output)
}

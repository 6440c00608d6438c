//! Replays a GOAL schedule.

use super::document::Document;
use super::options::ReplayArgs;
use super::text;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::sim::run::cost::Meter;
use crate::sim::run::progress::Bar;
use runcast_core::Problem;
use runcast_sim::budget::Budget;
use runcast_sim::goal;
use runcast_sim::schedule::{Control, replay};
use runcast_sim::tick::NANOSECOND;

/// Replays a schedule.
///
/// # Errors
/// What is wrong with the file and the parameters; a deadlock; it was stopped before the end.
pub(super) fn run(args: &ReplayArgs, bytes: &[u8], context: &mut Context) -> Result<Output, Failure> {
    args.check_for_schedule()?;
    let parameters = args.parameters()?;
    let meter = Meter::start();
    let file = args.file.display().to_string();
    let parsed = goal::parse(bytes, &file)?;
    let bar = Bar::new(context);
    let (interrupt, show) = (bar.interrupt(), bar.show(NANOSECOND, 1));
    let budget = Budget::new(&interrupt).limited(args.most_events(), args.most_memory());
    let control = Control {
        tick: NANOSECOND,
        budget: &budget.shown(Some(&*show), None),
        line: &|rank, operation| goal::line_of(bytes, rank, operation),
    };
    let replayed = replay(&parsed.schedule, &parameters, &control);
    bar.end(context);
    let replayed = replayed.map_err(undone)?;
    let cost = meter.read();
    let name = args.file.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
    let warnings: Vec<_> = parsed.warnings.iter().chain(&replayed.warnings).cloned().collect();
    let document = Document::new(&name, &parsed.schedule, &replayed, warnings, cost);
    let human = text::text(&document, &replayed.finish, context.screen);
    Ok(Output::of(document.clone()).human(human).warned(document.warnings))
}

/// A schedule that cannot be played to its end is right, and gives nothing.
fn undone(problem: Problem) -> Failure {
    if problem.code == "time_overflow" {
        // A schedule has no other tick.
        return Failure::undone(problem.hint("times of a schedule are nanoseconds: 2^63 of them are 292 years"));
    }
    if problem.code == "too_many_events" {
        // It has no loops, and no classes of like ranks.
        return Failure::undone(problem.hint("if it should go on, raise --max-events"));
    }
    Failure::undone(problem)
}

//! Runs an admitted command: whole, or some points of a sweep; and puts points together.

use super::admit::Admitted;
use super::answer::Answer;
use crate::command::Command;
use crate::context::Context;
use crate::failure::Failure;
use crate::sim::Sim;
use crate::sim::sweep::{self, Row, SweepArgs};
use runcast_core::Problem;

/// Runs the whole command.
pub fn run(admitted: &Admitted, context: &mut Context) -> Answer {
    context.command_line = std::iter::once("runcast".to_owned()).chain(admitted.argv.iter().cloned()).collect();
    let result = admitted.command.run(context);
    let written = context.take_written();
    Answer::of(result, admitted).with_written(written)
}

/// Computes points of a sweep, in any order; `done` is given each as it comes, and whether it failed.
///
/// # Errors
/// What keeps all of them from being computed; the command as a whole would end with it.
pub fn run_points(
    admitted: &Admitted,
    points: &[u64],
    context: &mut Context,
    done: &(dyn Fn(u64, bool, Row) + Sync),
) -> Result<(), Failure> {
    let row = |point: u64, row: Row| done(point, sweep::is_failed(&row.cells), row);
    sweep::compute(sweep_of(admitted)?, points, context, &row)
}

/// The answer of a sweep whose points were computed elsewhere; those that are not there are left out.
pub fn assemble(admitted: &Admitted, rows: Vec<(u64, Row)>, context: &mut Context) -> Answer {
    Answer::of(sweep_of(admitted).and_then(|args| sweep::assemble(args, rows, context)), admitted)
}

/// Whether a command line is a sweep, without reading all of it.
pub fn is_sweep(argv: &[String]) -> bool {
    let mut words = argv.iter().map(String::as_str);
    let mut command = Vec::with_capacity(2);
    while let Some(word) = words.next() {
        match word {
            "--json" => {}
            "--threads" => drop(words.next()),
            word if word.starts_with("--threads=") => {}
            word => command.push(word),
        }
        if command.len() == 2 {
            break;
        }
    }
    command == ["sim", "sweep"]
}

fn sweep_of(admitted: &Admitted) -> Result<&SweepArgs, Failure> {
    if let Command::Sim(args) = &admitted.command
        && let Sim::Sweep(args) = &args.to
    {
        return Ok(args);
    }
    Err(Failure::undone(Problem::new("internal", "only a sweep is cut into points").value(admitted.name)))
}

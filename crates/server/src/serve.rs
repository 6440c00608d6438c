//! `runcast serve`: the server, and what is done on its database beside it.

mod args;
mod listen;
mod open;
mod place;
mod rest;
mod run;
mod site;
mod staff;
mod tls;

pub use args::{DatabaseArgs, ServeArgs, ServeOptions};
pub use place::Place;

use runcast_commands::{Failure, Output};
use runcast_core::Problem;

/// Serves until asked to stop, or does what a subcommand asks for.
///
/// # Errors
/// The reason why it cannot start or act.
pub fn run(args: &ServeArgs, json: bool) -> Result<Output, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| undone("runtime", error.to_string()))?;
    let result = match &args.action {
        Some(action) => {
            args.options.none_given()?;
            runtime.block_on(action.run(&args.database))
        }
        None => runtime.block_on(run::serve(&args.options, &args.database, json)).map(|()| Output::default()),
    };
    // A hash or a statement that still runs does not delay the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    result
}

/// It could not be done: exit code 1.
pub(crate) fn undone(code: &str, text: impl Into<String>) -> Failure {
    Failure::undone(Problem::new(code, text))
}

/// The usage is wrong: exit code 2.
pub(crate) fn usage(option: &str, text: impl Into<String>, hint: &str) -> Failure {
    Failure::input(Problem::new("usage", text).at(option).hint(hint))
}

/// Processors of this machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

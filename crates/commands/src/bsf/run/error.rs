//! Errors of the skeleton as failures of the command.

use crate::failure::Failure;
use runcast_bsf::skeleton::RunError;
use runcast_core::Problem;

/// Says what is wrong, and whose fault it is.
pub fn failure(error: RunError) -> Failure {
    let mut problem = Problem::new(error.code(), error.to_string());
    match &error {
        RunError::Usage { code, allowed, .. } => {
            problem.allowed.clone_from(allowed);
            problem.pointer = option(code).map(str::to_owned);
        }
        RunError::Checkpoint { file, message, .. } => {
            problem = Problem::new(error.code(), message.as_str()).in_file(file.display().to_string());
        }
        _ => {}
    }
    if error.is_usage() { Failure::input(problem) } else { Failure::undone(problem) }
}

/// The option that an error of the usage is about.
fn option(code: &str) -> Option<&'static str> {
    match code {
        "workers" => Some("--workers"),
        "threads" => Some("--threads"),
        "not_enough_memory" => Some("--size"),
        "without_mpi" => Some("--backend"),
        _ => None,
    }
}

/// Refuses a number of workers that cannot be, before any of them is started.
///
/// # Errors
/// There is none, or more than elements.
pub fn check_workers(workers: usize, list_length: u64) -> Result<(), Failure> {
    match workers {
        0 => Err(not_so_many("there is no worker".to_owned(), list_length)),
        _ if workers as u64 > list_length => Err(too_many_workers(workers, list_length)),
        _ => Ok(()),
    }
}

/// More workers than elements.
pub fn too_many_workers(workers: usize, list_length: u64) -> Failure {
    not_so_many(format!("{workers} workers are more than the {list_length} elements of the list"), list_length)
}

fn not_so_many(message: String, list_length: u64) -> Failure {
    failure(RunError::usage("workers", message, format!("1 to {list_length}")))
}

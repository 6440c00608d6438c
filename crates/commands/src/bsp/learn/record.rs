//! Runs of a program that leave their supersteps.

use super::LearnArgs;
use crate::cll::started;
use crate::context::Context;
use crate::failure::Failure;
use runcast_bench::Supervised;
use runcast_core::{Configuration, Problem, Warning};
use std::path::{Path, PathBuf};

/// Runs the command at each configuration; the folder with what it left.
pub fn record(
    args: &LearnArgs,
    folder: &Path,
    warnings: &mut Vec<Warning>,
    context: &mut Context,
) -> Result<PathBuf, Failure> {
    let mut configurations =
        started::configurations(&args.at, &args.command, "--at P=1,2,4,8 -- mpirun -n {P} ./solver")?;
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let problem = Problem::new("exists", "there are runs in this folder already");
        let problem = problem.in_file(folder.display().to_string());
        return Err(problem.hint("-o DIR names another folder; without a command, DIR/runs is learned from").into());
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let folder = std::fs::canonicalize(folder).map_err(|error| Failure::writing(folder, &error))?;
    warnings.extend(shared_cores(&configurations));
    // The smallest first: a mistake shows before the long ones.
    configurations.sort_by(|a, b| a.0.get("P").partial_cmp(&b.0.get("P")).unwrap_or(std::cmp::Ordering::Equal));
    for (number, configuration) in configurations.iter().enumerate() {
        let program = program(&args.command, configuration, &folder, number);
        started::watch(&program, &args.command, warnings, context)?;
    }
    Ok(folder)
}

/// Ranks that share a core wait for it, and no number of repetitions takes that away.
fn shared_cores(configurations: &[Configuration]) -> Option<Warning> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most =
        configurations.iter().filter_map(|configuration| configuration.0.get("P")).fold(0.0_f64, |a, b| a.max(*b));
    let message = format!(
        "up to {most} processes share {cores} cores: their times hold what they wait for a core; record on a machine with \
         more, or learn from runs on up to {cores} processes"
    );
    (most > cores as f64).then(|| Warning::new("shared_cores", message))
}

fn program(command: &[String], configuration: &Configuration, folder: &Path, number: usize) -> Supervised {
    let mut program = started::at(command, configuration);
    let mut set = |name: &str, value: &str| program.env.push((name.into(), value.into()));
    set("CLL_BSP", "1");
    set("CLL_CLOCK", "mono");
    set("CLL_RUN", &number.to_string());
    program.env.push(("CLL_DIR".into(), folder.as_os_str().to_owned()));
    program
}

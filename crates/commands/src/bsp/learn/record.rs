//! Runs of a program that leave their supersteps.

use super::LearnArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::record::{how_it_ended, watched};
use runcast_bench::supervise::End;
use runcast_bench::{MpiFamily, Supervised};
use runcast_core::{Configuration, Problem, Warning};
use std::path::{Path, PathBuf};

/// Runs the command at each configuration; the folder with what it left.
pub fn record(
    args: &LearnArgs,
    folder: &Path,
    warnings: &mut Vec<Warning>,
    context: &mut Context,
) -> Result<PathBuf, Failure> {
    let mut configurations = args.at.configurations()?;
    if configurations.is_empty() {
        let problem = Problem::new("no_configurations", "a command is run at several numbers of processes").at("--at");
        return Err(problem.allowed("--at P=1,2,4,8, with {P} in the command").into());
    }
    let named = |name: &str| args.command.iter().any(|word| word.contains(&format!("{{{name}}}")));
    if let Some(name) = configurations[0].0.keys().find(|name| !named(name)) {
        let problem = Problem::new("unused_name", format!("{{{name}}} is not in the command")).at("--at");
        return Err(problem.value(args.command.join(" ")).hint("such as mpirun -n {P} ./solver {N}").into());
    }
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let problem = Problem::new("exists", "there are runs in this folder already");
        let problem = problem.in_file(folder.display().to_string());
        return Err(problem.hint("-o DIR names another folder; without a command, DIR/runs is learned from").into());
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let folder = std::fs::canonicalize(folder).map_err(|error| Failure::writing(folder, &error))?;
    // The smallest first: a mistake shows before the long ones.
    configurations.sort_by(|a, b| a.0.get("P").partial_cmp(&b.0.get("P")).unwrap_or(std::cmp::Ordering::Equal));
    for (number, configuration) in configurations.iter().enumerate() {
        let program = program(&words(&args.command, configuration), &folder, number);
        let finished = watched(&program, context);
        if let End::NotStarted(why) = &finished.end {
            let value = args.command.first().cloned().unwrap_or_default();
            return Err(Failure::input(Problem::new("not_started", why.clone()).value(value)));
        }
        warnings.extend(how_it_ended(&finished.end));
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
    }
    Ok(folder)
}

fn words(command: &[String], configuration: &Configuration) -> Vec<String> {
    let filled = |word: &String| {
        let values = configuration.0.iter();
        values.fold(word.clone(), |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string()))
    };
    command.iter().map(filled).collect()
}

fn program(words: &[String], folder: &Path, number: usize) -> Supervised {
    let mut program = Supervised::new(words);
    let first = words.first().map(|first| first.rsplit('/').next().unwrap_or(first)).unwrap_or_default();
    if ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| first.starts_with(known)) {
        let family = words.first().and_then(|first| MpiFamily::of_launcher(first));
        let variables = family.map(MpiFamily::root_variables).unwrap_or_default();
        program.env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
    let mut set = |name: &str, value: &str| program.env.push((name.into(), value.into()));
    set("CLL_BSP", "1");
    set("CLL_CLOCK", "mono");
    set("CLL_RUN", &number.to_string());
    program.env.push(("CLL_DIR".into(), folder.as_os_str().to_owned()));
    program
}

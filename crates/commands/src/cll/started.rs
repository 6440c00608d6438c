//! Starts programs at several configurations: the words of a command with values in place of `{NAME}`.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::AtArgs;
use crate::record::{how_it_ended, watched};
use runcast_bench::supervise::End;
use runcast_bench::{MpiFamily, Supervised};
use runcast_core::{Configuration, Problem, Warning};

/// The configurations of `--at`, each name of which the command uses.
///
/// # Errors
/// There is none, or a name is not in the command.
pub fn configurations(at: &AtArgs, command: &[String], example: &str) -> Result<Vec<Configuration>, Failure> {
    let configurations = at.configurations()?;
    let Some(first) = configurations.first() else {
        let problem = Problem::new("no_configurations", "a command is run at several configurations").at("--at");
        return Err(problem.allowed(example).into());
    };
    let named = |name: &str| command.iter().any(|word| word.contains(&format!("{{{name}}}")));
    if let Some(name) = first.0.keys().find(|name| !named(name)) {
        let problem = Problem::new("unused_name", format!("{{{name}}} is not in the command")).at("--at");
        return Err(problem.value(command.join(" ")).hint(format!("such as {example}")).into());
    }
    Ok(configurations)
}

/// The command at a configuration. Launchers of MPI are told that they may run as root.
pub fn at(command: &[String], configuration: &Configuration) -> Supervised {
    let filled = |word: &String| {
        let values = configuration.0.iter();
        values.fold(word.clone(), |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string()))
    };
    let words: Vec<String> = command.iter().map(filled).collect();
    let mut program = Supervised::new(&words);
    let first = words.first().map(|first| first.rsplit('/').next().unwrap_or(first)).unwrap_or_default();
    if ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| first.starts_with(known)) {
        let family = words.first().and_then(|first| MpiFamily::of_launcher(first));
        let variables = family.map(MpiFamily::root_variables).unwrap_or_default();
        program.env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
    program
}

/// Runs the program to its end; how it ended is a warning.
///
/// # Errors
/// It cannot be started, or the user has had enough.
pub fn watch(
    program: &Supervised,
    command: &[String],
    warnings: &mut Vec<Warning>,
    context: &mut Context,
) -> Result<(), Failure> {
    let finished = watched(program, context);
    if let End::NotStarted(why) = finished.end {
        let value = command.first().cloned().unwrap_or_default();
        return Err(Failure::input(Problem::new("not_started", why).value(value)));
    }
    warnings.extend(how_it_ended(&finished.end));
    if context.is_interrupted() { Err(Failure::interrupted()) } else { Ok(()) }
}

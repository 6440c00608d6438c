//! From a command line to what is simulated: files through the context, options over the experiment.

use super::options::ExperimentArgs;
use super::progress::Bar;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::sim::catalogue::with_folders;
use crate::tables;
use runcast_core::{Problem, Problems};
use runcast_sim::budget::{Monitor, memory};
use runcast_sim::experiment::{self, App, Experiment, Named};
use runcast_sim::run::{self, Inputs, Settings};
use std::path::Path;
use std::sync::Arc;

/// Reads an experiment, or makes one of options, and all files that it names.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn read(args: &ExperimentArgs, context: &mut Context) -> Result<Arc<Inputs>, Failure> {
    read_shown(args, None, context)
}

/// As [`read`]; the bar shows how far each recording and simulation is.
///
/// # Errors
/// What is wrong with the files.
pub(crate) fn read_shown(
    args: &ExperimentArgs,
    bar: Option<&Bar>,
    context: &mut Context,
) -> Result<Arc<Inputs>, Failure> {
    let mut experiment = match &args.file {
        Some(path) => {
            if path.extension().is_some_and(|extension| extension == "luau" || extension == "lua") {
                let shown = path.display();
                let message = format!("{shown} is a script: an experiment (a TOML file) is expected here");
                let problem = Problem::new("not_an_experiment", message);
                return Err(problem.hint(format!("try --system SYSTEM.toml --app {shown}")).into());
            }
            let text = context.read_text(path)?;
            experiment::read(&text, &tables::name_of(path))?
        }
        None => Experiment::default(),
    };
    if !args.app.is_empty() {
        let app = |path: &InputFile| App { file: named(path, "--app"), ..App::default() };
        experiment.apps = args.app.iter().map(app).collect();
    }
    if let Some(system) = &args.system {
        experiment.system = Some(named(system, "--system"));
    }
    if args.loggops.is_some() {
        experiment.system = None;
    }
    experiment.repetitions = args.repetitions.or(experiment.repetitions);
    experiment.seed = args.seed.unwrap_or(experiment.seed);
    experiment.level = args.level.or(experiment.level);
    experiment.collectives = args.collectives.map_or(experiment.collectives, Into::into);
    if let Some(selector) = &args.selector {
        experiment.selector = Some(Named { name: selector.clone(), ..Named::default() });
    }
    experiment.catalogue.extend(args.catalogue.iter().map(|path| named(path, "--catalogue")));
    let default = Settings::default();
    let tick = args.tick.unwrap_or(default.tick);
    let settings = Settings {
        tick,
        loggops: args.loggops,
        script_steps: args.script_steps.unwrap_or(default.script_steps),
        script_memory: args.script_memory.unwrap_or(default.script_memory),
        max_classes: args.max_classes.unwrap_or(default.max_classes),
        max_events: args.max_events.unwrap_or(default.max_events),
        max_memory: args.max_memory.or_else(memory::limit_bytes),
        monitor: Monitor {
            interrupt: Arc::clone(&context.interrupt),
            show: bar.map(|bar| bar.show(tick, experiment.repetitions.unwrap_or(1))),
        },
        include_unused: args.include_unused,
        faults: args.faults,
        energy_price: args.energy_price,
        coeff: args.coeff.iter().map(|path| named(path, "--coeff")).collect(),
        map: Vec::new(),
    };
    files(experiment, settings, context)
}

/// All files that an experiment names; a folder of its catalogue stands for its own `*.toml`.
///
/// # Errors
/// Those that cannot be read, or not as what they should be.
pub(crate) fn files(
    mut experiment: Experiment,
    settings: Settings,
    context: &mut Context,
) -> Result<Arc<Inputs>, Failure> {
    experiment.catalogue = with_folders(&experiment.file, &experiment.catalogue, context)?;
    let mut files = |path: &Path| context.read_text(path).map_err(first);
    Ok(Arc::new(Inputs::read(experiment, settings, &mut files)?))
}

/// A file that an option names.
pub(crate) fn named(path: &Path, option: &str) -> Named {
    Named::option(path.display().to_string(), option)
}

/// What the library could not do, with the exit code that says whose fault it is.
pub(crate) fn failure(problems: Problems) -> Failure {
    if problems.0.iter().any(run::is_undone) { Failure::undone(problems) } else { Failure::input(problems) }
}

/// The first problem of a failure, which has one.
fn first(failure: Failure) -> Problem {
    failure.problems.0.into_iter().next().unwrap_or_default()
}

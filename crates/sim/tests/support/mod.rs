//! Applications and systems as texts, simulated.

use runcast_core::{Problem, Problems};
use runcast_sim::experiment::{self, Experiment};
use runcast_sim::job::Collectives;
use runcast_sim::run::{Inputs, RunControl, RunResult, Settings, Variation, prepare, simulate};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays a script on a system.
#[allow(dead_code, reason = "not each test plays on a system of its own")]
pub fn run(system: &str, script: &str, fidelity: &str, collectives: Collectives) -> Result<RunResult, Problem> {
    let text = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"{fidelity}\"\n[[app]]\nname = \"a\"\nfile = \"a.luau\"\n"
    );
    let mut experiment = experiment::read(&text, "e.toml").expect("reads");
    experiment.collectives = collectives;
    play(experiment, &[("s.toml", system), ("a.luau", script)])
}

/// Plays an experiment with its files.
#[allow(dead_code, reason = "not each test has an experiment of its own")]
pub fn run_experiment(text: &str, files: &[(&str, &str)]) -> Result<RunResult, Problem> {
    play(experiment::read(text, "e.toml").map_err(first)?, files)
}

fn first(problems: Problems) -> Problem {
    problems.0.into_iter().next().expect("a problem")
}

fn play(experiment: Experiment, files: &[(&str, &str)]) -> Result<RunResult, Problem> {
    let mut read = |path: &Path| {
        let text = files.iter().find(|(name, _)| path == Path::new(name)).map(|(_, text)| (*text).to_owned());
        text.ok_or_else(|| Problem::new("no_file", format!("there is no file {}", path.display())))
    };
    let inputs = Arc::new(Inputs::read(experiment, Settings::default(), &mut read).map_err(first)?);
    let prepared = prepare(&inputs, &Variation::default()).map_err(first)?;
    let simulated = simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).map_err(first)?;
    Ok(simulated.result)
}

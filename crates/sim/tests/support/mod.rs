//! Applications and systems as texts, simulated.

use runcast_core::Problem;
use runcast_sim::experiment;
use runcast_sim::job::Collectives;
use runcast_sim::run::{Inputs, RunControl, RunResult, Settings, Variation, prepare, simulate};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays a script on a system.
pub fn run(system: &str, script: &str, fidelity: &str, collectives: Collectives) -> Result<RunResult, Problem> {
    let text = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"{fidelity}\"\n[[app]]\nname = \"a\"\nfile = \"a.luau\"\n"
    );
    let mut experiment = experiment::read(&text, "e.toml").expect("reads");
    experiment.collectives = collectives;
    let mut files = |path: &Path| {
        Ok(if path.extension().is_some_and(|end| end == "toml") { system.to_owned() } else { script.to_owned() })
    };
    let first = |problems: runcast_core::Problems| problems.0.into_iter().next().expect("a problem");
    let inputs = Arc::new(Inputs::read(experiment, Settings::default(), &mut files).map_err(first)?);
    let prepared = prepare(&inputs, &Variation::default()).map_err(first)?;
    let simulated = simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).map_err(first)?;
    Ok(simulated.result)
}

//! The simulation itself, with its progress and its clock.

use super::SimulateArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::wavefront::watch::Watch;
use runcast_wavefront::Model;
use runcast_wavefront::model::Contraction;
use runcast_wavefront::simulate::{
    Beginning, ConvergeOptions, Converged, MonteCarloOptions, RunTimes, Simulated, converge, simulate,
};
use std::sync::Arc;
use std::time::Instant;

/// Independent replications of one long simulation.
const REPLICATIONS: u64 = 40;
/// Runs to the wanted accuracy, where --repetitions does not tell.
const CONVERGE_RUNS: u64 = 100;

/// What was played.
pub(super) struct Played {
    /// The phases.
    pub simulated: Simulated,
    /// How long they took, of warm-ups too.
    pub phases_per_s: f64,
    /// The time of each run under the level that the processes share, where there is one.
    pub under_level_s: Option<Vec<f64>>,
    /// The error, where it was asked for.
    pub converged: Option<Converged>,
}

/// Plays what is asked for.
///
/// # Errors
/// It was stopped before anything was complete.
pub(super) fn play(args: &SimulateArgs, model: &Model, context: &mut Context) -> Result<Played, Failure> {
    let (replications, beginning) = match args.runs {
        Some(runs) => (runs, Beginning::Start),
        None => (REPLICATIONS.min(args.phases), Beginning::LongRun),
    };
    let mut options = MonteCarloOptions {
        phases: args.all_phases(),
        replications,
        engine: args.engine,
        beginning,
        trace: args.trace.is_some(),
        interrupt: Some(Arc::clone(&context.interrupt)),
        ..MonteCarloOptions::new(args.seed.seed)
    };
    let watch = Watch::new("simulating phases", options.steps(), context);
    options.progress = Some(watch.more());
    let begun = Instant::now();
    let simulated = simulate(model, &options);
    let elapsed_s = begun.elapsed().as_secs_f64();
    watch.end(context);
    let simulated = simulated.ok_or_else(Failure::interrupted)?;
    let under_level_s = args.runs.filter(|_| !simulated.totals.is_empty()).and_then(|runs| {
        let ticks: u64 = simulated.totals.iter().sum();
        let run_s = model.step_s * ticks as f64 / simulated.totals.len() as f64;
        let interrupt = Some(Arc::clone(&context.interrupt));
        RunTimes { phases: args.phases, runs, run_s, seed: args.seed.seed, interrupt, start_in_s: 0.0 }
            .under_level(model)
    });
    let played = simulated.phases + simulated.replications * simulated.warm_up;
    let phases_per_s = played as f64 / elapsed_s.max(1e-9);
    let converged = converged(args, model, &options, context);
    // A simulation that was stopped while the error was iterated, or runs were drawn, has its phases to tell.
    let has_no_runs = args.runs.is_some() && model.level.is_some() && under_level_s.is_none();
    let is_interrupted = simulated.is_interrupted || (args.converge && converged.is_none()) || has_no_runs;
    Ok(Played { simulated: Simulated { is_interrupted, ..simulated }, phases_per_s, under_level_s, converged })
}

fn converged(
    args: &SimulateArgs,
    model: &Model,
    options: &MonteCarloOptions,
    context: &mut Context,
) -> Option<Converged> {
    let Contraction::Operator(operator) = &model.contraction else { return None };
    if !args.converge || context.is_interrupted() {
        return None;
    }
    let watch = Watch::new("iterating the error", args.phases, context);
    let options = ConvergeOptions {
        phases: args.phases,
        runs: args.runs.unwrap_or(CONVERGE_RUNS),
        seed: options.seed,
        engine: options.engine,
        interrupt: options.interrupt.clone(),
        progress: Some(watch.more()),
    };
    let converged = converge(model, operator, &options);
    watch.end(context);
    converged
}

//! Real phases with the times of a model, against what the chain says of them.
//!
//! The machine should have nothing else to do: a sleep that ends late makes the phase longer.

use runcast_wavefront::model::Semantics;
use runcast_wavefront::run::{Linear, Measured, Settings, Span, threads};
use runcast_wavefront::solve::SolveOptions;
use runcast_wavefront::solve::chain::{Chain, Limits};
use runcast_wavefront::{Model, cases};
use std::fmt::Write as _;
use std::sync::Arc;

/// Seconds of a tick; sleeps are too long by some tens of microseconds.
const STEP_S: f64 = 4e-3;
/// Phases of a run.
const PHASES: u64 = 400;

pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "### Real phases with the times of a model\n\nThree processes (threads) on a network where every message takes 3 \
         ticks of 4 ms, 400 phases: mean phase and mean number of iterations, measured and from the chain.\n\n",
    );
    text.push_str(
        "| semantics | B | phase, measured | from the chain | off | E\\[N\\], measured | ties discard, count |\n",
    );
    text.push_str("|---|--:|--:|--:|--:|--:|--:|\n");
    for (semantics, beta) in [
        (Semantics::Abort, 0),
        (Semantics::Abort, 1),
        (Semantics::Abort, 2),
        (Semantics::Complete, 1),
        (Semantics::Complete, 2),
    ] {
        let mut model = cases::constant_network(beta);
        model.step_s = STEP_S;
        model.semantics = semantics;
        text.push_str(&row(&Arc::new(model), beta)?);
    }
    Ok(text)
}

fn row(model: &Arc<Model>, beta: u32) -> Result<String, String> {
    let chain = Chain::build(model, &Limits::default()).map_err(|error| format!("{error:?}"))?;
    let solution = chain.solution(&SolveOptions::default());
    let settings = Settings { phases: PHASES, ..Settings::emulating(model, u64::from(beta), 0) };
    let operator = Linear::uniform(0.9, &[10; 3]);
    let recording = threads(&operator, &settings).map_err(|error| error.to_string())?;
    let mut adding = Measured::adding(model.size(), Span::All, model.step_s);
    adding.add(&recording);
    let measured = adding.end().ok_or("no phase was measured")?;
    let expected_s = solution.phase.phase_mean * model.step_s;
    let off_pct = 100.0 * (measured.phase_mean_s / expected_s - 1.0);
    let ties = match solution.ties {
        Some(ties) => format!("{:.3}, {:.3}", ties.discards, ties.counts),
        None => format!("{:.3}", solution.phase.iterations_mean),
    };
    let semantics = if model.semantics == Semantics::Abort { "abort" } else { "complete" };
    let (measured_ms, expected_ms) = (1e3 * measured.phase_mean_s, 1e3 * expected_s);
    let mut line = String::new();
    let _ = writeln!(
        line,
        "| {semantics} | {beta} | {measured_ms:.2} ms | {expected_ms:.2} ms | {off_pct:+.1} % | {:.3} | {ties} |",
        measured.iterations_mean
    );
    Ok(line)
}

//! What holds a run up: processes and links on the critical path.

use super::SolveArgs;
use crate::failure::Failure;
use runcast_core::Warning;
use runcast_wavefront::Model;
use runcast_wavefront::solve::sensitivity::{self, Sensitivity, SensitivityOptions};
use runcast_wavefront::solve::solution::Method;
use runcast_wavefront::solve::{self, SolveOptions, Solved, Wanted};

/// States that are solved for all gains together: about a minute.
const MOST_STATES: u64 = 500_000;

/// Shares of the critical path, and what faster parts would gain.
///
/// A gain is the difference of two means, which is lost in the noise of a simulation: those of an exact solution alone
/// are reported, where the states of all the faster models together are not too many.
///
/// # Errors
/// It was interrupted.
pub(super) fn of(
    model: &Model,
    solved: &Solved,
    args: &SolveArgs,
    warnings: &mut Vec<Warning>,
) -> Result<Sensitivity, Failure> {
    let options = SolveOptions {
        method: Wanted::Exact,
        max_states: args.how.max_states,
        lump: !args.how.no_lump,
        phase_pmf: false,
        seed: args.seed.seed,
        interrupt: None,
    };
    let is_exact = solved.solution.method == Method::Exact;
    let parts = (model.size() * model.size()) as u64;
    let states = solved.solution.states.solved.unwrap_or(0);
    let is_worth_it = is_exact && states.saturating_mul(parts) <= MOST_STATES;
    let mut phase_mean = |faster: &Model| {
        let solved = if is_worth_it { solve::solve(faster, &options).ok() } else { None };
        solved.map(|solved| solved.solution.phase.phase_mean)
    };
    let wanted = SensitivityOptions { seed: args.seed.seed, interrupt: None };
    let chain = solved.chain.as_ref();
    let mut found = sensitivity::sensitivity(model, chain, &solved.solution, &wanted, &mut phase_mean)
        .ok_or_else(Failure::interrupted)?;
    let told = std::mem::take(&mut found.warnings);
    warnings.extend(told.into_iter().filter(|warning| is_worth_it || warning.code != "gain_unknown"));
    if !is_worth_it {
        let text = match is_exact {
            true => {
                format!("what faster parts would gain is not told: {parts} chains of {states} states take too long")
            }
            false => "what faster parts would gain is not told: a simulation is too noisy for it".to_owned(),
        };
        warnings.push(Warning::new("gain_unknown", text));
    }
    Ok(found)
}

//! What holds a run up: processes and links on the critical path.

use super::document::{LinkShare, ProcessShare, SensitivityEntry};
use super::{SolveArgs, answer};
use crate::failure::Failure;
use runcast_core::Warning;
use runcast_wavefront::Model;
use runcast_wavefront::solve::sensitivity::{self, SensitivityOptions};
use runcast_wavefront::solve::{self, SolveOptions, Solved, Wanted};

/// States that are solved for all gains together: about a minute.
const MOST_STATES: u64 = 500_000;

/// Shares of the critical path, and what faster parts would gain.
///
/// A gain is the difference of two means, which is lost in the noise of a simulation: those of an exact solution alone
/// are told, where the states of all the faster models together are not too many.
///
/// # Errors
/// It was interrupted.
pub(super) fn of(
    model: &Model,
    solved: &Solved,
    args: &SolveArgs,
    warnings: &mut Vec<Warning>,
) -> Result<SensitivityEntry, Failure> {
    let options = SolveOptions {
        method: Wanted::Exact,
        max_states: args.how.max_states,
        lump: !args.how.no_lump,
        phase_pmf: false,
        seed: args.seed.seed,
        interrupt: None,
    };
    let is_exact = answer::method(&solved.solution) == "exact";
    let parts = (model.size() * model.size()) as u64;
    let states = solved.solution.states.solved.unwrap_or(0);
    let is_worth_it = is_exact && states.saturating_mul(parts) <= MOST_STATES;
    let mut phase_mean = |faster: &Model| {
        let solved = if is_worth_it { solve::solve(faster, &options).ok() } else { None };
        solved.map(|solved| solved.solution.phase.phase_mean)
    };
    let wanted = SensitivityOptions { seed: args.seed.seed, interrupt: None };
    let chain = solved.chain.as_ref();
    let found = sensitivity::sensitivity(model, chain, &solved.solution, &wanted, &mut phase_mean)
        .ok_or_else(Failure::interrupted)?;
    warnings.extend(found.warnings.into_iter().filter(|warning| is_worth_it || warning.code != "gain_unknown"));
    if !is_worth_it {
        let text = match is_exact {
            true => {
                format!("what faster parts would gain is not told: {parts} chains of {states} states take too long")
            }
            false => "what faster parts would gain is not told: a simulation is too noisy for it".to_owned(),
        };
        warnings.push(Warning::new("gain_unknown", text));
    }
    let name = |process: usize| model.processes.get(process).map(|process| process.name.clone()).unwrap_or_default();
    let processes = found.processes.iter().enumerate().map(|(process, share)| ProcessShare {
        name: name(process),
        critical_share: share.critical_share,
        own_share: share.own_share,
        critical_time_s: share.critical_time_s,
        gain_s: share.gain_s,
    });
    let links = found.links.iter().map(|link| LinkShare {
        from: name(link.from),
        to: name(link.to),
        critical_share: link.critical_share,
        critical_time_s: link.critical_time_s,
        gain_s: link.gain_s,
    });
    Ok(SensitivityEntry {
        method: answer::method_name(found.method).to_owned(),
        processes: processes.collect(),
        links: links.collect(),
        overrun_time_s: found.overrun_time_s,
    })
}

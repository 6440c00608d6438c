//! Busy samples and the real loop in turns: the loop corrects them.

use super::measure::Measuring;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_wavefront::sample::Plan;
use runcast_wavefront::sample::measured::{Measured, of_run};
use runcast_wavefront::sample::pilot::Pilot;
use std::time::Instant;

/// Segments of samples; the loop runs between each two.
const SEGMENTS: usize = 4;
/// Phases of the loop between two segments, at least.
const PHASES_LEAST: u64 = 50;
/// The loop runs as long as a segment, but no longer than this \[s\].
const LOOP_S: f64 = 2.0;

/// The samples of all segments, and what the loop says of them; none where too little was measured.
pub(super) fn measure(measuring: &Measuring<'_>, plan: &Plan) -> Result<(Measured, Option<Pilot>), Failure> {
    let epoch = Instant::now();
    let (mut all, mut sampled, mut real) = (None::<Measured>, Vec::new(), Vec::new());
    let share = |total: usize, segment: usize| total * (segment + 1) / SEGMENTS - total * segment / SEGMENTS;
    let mut before = 0;
    for segment in 0..SEGMENTS {
        let own =
            Plan { updates: share(plan.updates, segment), messages: share(plan.messages, segment), ..plan.clone() };
        let start_s = epoch.elapsed().as_secs_f64();
        let measured = measuring.busy(&own, before)?;
        before += own.samples();
        let means = measured.mean_updates_s();
        let (mean_s, is_interrupted) = (means.iter().copied().fold(0.0, f64::max), measured.is_interrupted);
        sampled.push(means);
        match &mut all {
            Some(all) => all.append(measured, start_s),
            None => all = Some(measured),
        }
        if is_interrupted {
            break;
        }
        if segment + 1 < SEGMENTS && mean_s > 0.0 {
            let most = (LOOP_S / mean_s) as u64;
            let phases = (own.updates as u64).min(most).max(PHASES_LEAST);
            let recording = measuring.in_the_loop(phases, false)?;
            real.push(of_run(&recording, &measuring.host()).mean_updates_s());
        }
    }
    let nothing = || Failure::undone(Problem::new("nothing", "nothing was measured"));
    Ok((all.ok_or_else(nothing)?, Pilot::of_segments(&sampled, &real)))
}

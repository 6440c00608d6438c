//! The wavefronts that most of the weight is on.

use super::whole::Whole;
use crate::solve::solution::Wavefront;

/// Lumped states whose arrangements are written out; the rest, the rarest, are not.
const MOST_WAVEFRONTS: usize = 300_000;

/// The stationary law over pairs of mode and wavefront, each arrangement of lumped states for itself.
pub(super) fn wavefront(whole: &Whole<'_>, law: &[f64]) -> Vec<Wavefront> {
    let engine = whole.engine;
    let mut lags = vec![0; engine.groups().iter().map(Vec::len).sum()];
    let mut states: Vec<(f64, usize, f64)> = Vec::new();
    for (place, weight) in law.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        if let Some(arrangements) = engine.lags(place % engine.places(), &mut lags) {
            states.push((weight / arrangements, place, arrangements));
        }
    }
    states.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut all = Vec::new();
    for (probability, place, arrangements) in states {
        if arrangements > 1.0 && all.len() as f64 + arrangements > MOST_WAVEFRONTS as f64 {
            break;
        }
        engine.lags(place % engine.places(), &mut lags);
        let mode = place / engine.places();
        arrange(engine.groups(), 0, &mut lags, &mut |lags| {
            let offsets = lags.iter().map(|lag| lags[0] as i64 - *lag as i64).collect();
            all.push(Wavefront { mode, offsets, probability });
        });
    }
    Wavefront::sort(&mut all);
    all
}

/// Visits all different arrangements of the lags within the groups.
fn arrange(groups: &[Vec<usize>], from: usize, lags: &mut [usize], visit: &mut dyn FnMut(&[usize])) {
    let Some(group) = groups.get(from) else {
        visit(lags);
        return;
    };
    let mut values: Vec<usize> = group.iter().map(|member| lags[*member]).collect();
    values.sort_unstable();
    loop {
        for (member, value) in group.iter().zip(&values) {
            lags[*member] = *value;
        }
        arrange(groups, from + 1, lags, visit);
        // The next arrangement in order.
        let Some(rise) = (1..values.len()).rev().find(|at| values[at - 1] < values[*at]) else { break };
        let Some(swap) = (rise..values.len()).rev().find(|at| values[*at] > values[rise - 1]) else { break };
        values.swap(rise - 1, swap);
        values[rise..].reverse();
    }
}

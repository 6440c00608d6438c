//! E\[Phi\] of two processes whose laws are continuous, at four steps: a published table.

use super::good;
use crate::model::Model;
use crate::model::law::Law;

/// The mean phase of two processes, A = 1 and B = 0, in ticks: the offset of the second is iterated to its law, written
/// out plainly.
fn mean_phase(model: &Model) -> f64 {
    let laws = &model.modes.laws[0];
    let (one, two) = (&laws.update[0], &laws.update[1]);
    let (to_one, to_two) = (&laws.message[1][0], &laws.message[0][1]);
    let most = i64::try_from(to_one.most().max(to_two.most())).expect("few");
    let size = (2 * most + 1) as usize;
    let difference = |a: &Law, b: &Law| -> Vec<(i64, f64)> {
        let pairs =
            a.support().iter().flat_map(|x| b.support().iter().map(move |y| (y.0 as i64 - x.0 as i64, x.1 * y.1)));
        let mut sums = std::collections::BTreeMap::new();
        pairs.for_each(|(ticks, probability)| *sums.entry(ticks).or_insert(0.0) += probability);
        sums.into_iter().collect()
    };
    let apart = difference(one, two);
    let mut state = vec![0.0; size];
    state[most as usize] = 1.0;
    let mut phase = 0.0;
    for _ in 0..300 {
        let mut next = vec![0.0; size];
        phase = one.mean();
        for (offset, weight) in state.iter().enumerate().filter(|(_, weight)| **weight > 1e-18) {
            for (ticks, probability) in &apart {
                let d = offset as i64 - most + ticks;
                for &(n, p) in to_one.support() {
                    let wait = (d + n as i64).max(0);
                    phase += weight * probability * p * wait as f64;
                    for &(m, q) in to_two.support() {
                        next[(d.max(m as i64) - wait + most) as usize] += weight * probability * p * q;
                    }
                }
            }
        }
        state = next;
    }
    phase
}

#[test]
fn split_from_above_and_nearest_from_below() {
    let table = [("split", [8.02818, 7.99541, 7.98677, 7.98457]), ("nearest", [7.95092, 7.97761, 7.98102, 7.98260])];
    for (bin, expected) in table {
        for (step, expected) in [1.0, 0.5, 0.25, 0.125].into_iter().zip(expected) {
            let model = good(&format!(
                "wavefront.step = {step}
                [[process]]
                update = {{ dist = 'gamma', shape = 2, scale = 0.8, shift = 4, upper = 9, bin = '{bin}' }}
                [[process]]
                update = {{ dist = 'gamma', shape = 2, scale = 0.96, shift = 4.8, upper = 10.8, bin = '{bin}' }}
                [network]
                default = {{ dist = 'exponential', mean = 0.5, shift = 1, upper = 3, bin = '{bin}' }}"
            ))
            .model;
            let found = mean_phase(&model) * step;
            assert!((found - expected).abs() < 1e-4, "{bin} {step}: expected {expected}, found {found}");
        }
    }
}

//! Probabilities too small to matter go to their neighbors.

use crate::model::law::Law;

/// Smaller ones are merged.
const LEAST: f64 = 1e-6;

/// The law without probabilities below 1e-6, of the same mean.
///
/// One between two others is shared between them as its place says. At an end there is only one neighbor: it takes all,
/// and what the mean has moved by is taken back by moving a little of the most probable value to that end.
pub(super) fn merged(law: &Law) -> Law {
    let mut atoms = law.support().to_vec();
    if atoms.len() <= 2 || atoms.iter().all(|atom| atom.1 >= LEAST) {
        return law.clone();
    }
    let risen = low_end(&mut atoms) - high_end(&mut atoms);
    let kept = between(&atoms);
    settled(kept, risen).and_then(|pairs| Law::new(pairs).ok()).unwrap_or_else(|| law.clone())
}

/// Merges what is small at the lower end upwards; by how much the mean has risen.
fn low_end(atoms: &mut Vec<(u64, f64)>) -> f64 {
    let (mut mass, mut risen, mut gone) = (0.0, 0.0, 0);
    while gone + 1 < atoms.len() && mass + atoms[gone].1 < LEAST {
        mass += atoms[gone].1;
        risen += mass * (atoms[gone + 1].0 - atoms[gone].0) as f64;
        gone += 1;
    }
    atoms.drain(..gone);
    atoms[0].1 += mass;
    risen
}

/// Merges what is small at the upper end downwards; by how much the mean has fallen.
fn high_end(atoms: &mut Vec<(u64, f64)>) -> f64 {
    let (mut mass, mut fallen) = (0.0, 0.0);
    while let [.., below, last] = atoms[..] {
        if mass + last.1 >= LEAST {
            break;
        }
        mass += last.1;
        fallen += mass * (last.0 - below.0) as f64;
        atoms.pop();
    }
    if let Some(last) = atoms.last_mut() {
        last.1 += mass;
    }
    fallen
}

/// Shares what is small between two others; both ends are large enough.
fn between(atoms: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let mut kept: Vec<(u64, f64)> = Vec::with_capacity(atoms.len());
    let mut carried = 0.0;
    for (index, &(ticks, probability)) in atoms.iter().enumerate() {
        let probability = probability + carried;
        carried = 0.0;
        match (kept.last_mut(), atoms.get(index + 1)) {
            (Some(below), Some(above)) if probability < LEAST => {
                let up = (ticks - below.0) as f64 / (above.0 - below.0) as f64;
                below.1 += probability * (1.0 - up);
                carried = probability * up;
            }
            _ => kept.push((ticks, probability)),
        }
    }
    kept
}

/// Takes back that the mean has risen by `risen`; none where there is not enough to move.
fn settled(mut atoms: Vec<(u64, f64)>, risen: f64) -> Option<Vec<(u64, f64)>> {
    let end = if risen > 0.0 { 0 } else { atoms.len() - 1 };
    if risen == 0.0 {
        return Some(atoms);
    }
    let others = (0..atoms.len()).filter(|&index| index != end);
    let donor = others.max_by(|&a, &b| atoms[a].1.total_cmp(&atoms[b].1))?;
    let moved = risen.abs() / atoms[donor].0.abs_diff(atoms[end].0) as f64;
    if moved > atoms[donor].1 {
        return None;
    }
    atoms[donor].1 -= moved;
    atoms[end].1 += moved;
    Some(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_small_goes_and_the_mean_stays() {
        let law = Law::new([(0, 4e-7), (1, 5e-7), (5, 0.5), (6, 1e-7), (8, 0.4999987), (100, 3e-7)]).expect("a law");
        let merged = merged(&law);
        assert_eq!(merged.support().iter().map(|atom| atom.0).collect::<Vec<_>>(), [5, 8]);
        assert!((merged.mean() - law.mean()).abs() < 1e-12);
    }

    #[test]
    fn a_law_of_nothing_but_small_ones_becomes_coarser() {
        let count = 3_000_000_u64;
        let law = Law::new((1..=count).map(|ticks| (ticks, 1.0 / count as f64))).expect("a law");
        let merged = merged(&law);
        assert!(merged.support().iter().all(|atom| atom.1 >= 0.99e-6));
        // Sums of millions of probabilities are right to some 1e-10 only.
        assert!((merged.mean() / law.mean() - 1.0).abs() < 1e-9, "{} {}", merged.mean(), law.mean());
    }

    proptest! {
        #[test]
        fn the_mean_stays(weights in prop::collection::vec((1_u64..50, -9.0_f64..0.0), 1..40)) {
            let (mut at, mut pairs) = (0, Vec::new());
            for (gap, power) in &weights {
                at += gap;
                pairs.push((at, 10_f64.powf(*power)));
            }
            let sum: f64 = pairs.iter().map(|pair| pair.1).sum();
            let law = Law::new(pairs.iter().map(|(ticks, weight)| (*ticks, weight / sum))).expect("a law");
            let merged = merged(&law);
            prop_assert!((merged.mean() / law.mean() - 1.0).abs() < 1e-12);
            prop_assert!(merged.least() >= law.least() && merged.most() <= law.most());
            let is_same = merged == law;
            prop_assert!(is_same || merged.support().iter().all(|atom| atom.1 >= 0.5e-6), "{:?}", merged);
        }
    }
}

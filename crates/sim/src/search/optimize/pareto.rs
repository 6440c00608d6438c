//! Pareto fronts: what is not worse than another in all objectives. All objectives are the less the better.

use crate::exchanged::is_same;

/// Whether `one` is nowhere worse than `other`, and somewhere better.
pub fn dominates(one: &[f64], other: &[f64]) -> bool {
    let mut better = false;
    for (a, b) in one.iter().zip(other) {
        if a > b {
            return false;
        }
        better |= a < b;
    }
    better
}

/// Whether `one` dominates `other` even if what is the same to the last digits counts as equal.
fn dominates_clearly(one: &[f64], other: &[f64]) -> bool {
    let pairs = || one.iter().zip(other).filter(|(a, b)| !is_same(**a, **b));
    pairs().all(|(a, b)| a < b) && pairs().next().is_some()
}

/// Indices of the points that no other dominates, in the order of their first objective, then of the next. Of equal points
/// the first is kept; what is better in the last digits alone is not better.
pub fn front(points: &[Vec<f64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    let compare = |a: &usize, b: &usize| {
        let each = points[*a].iter().zip(&points[*b]).map(|(x, y)| x.total_cmp(y));
        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(b))
    };
    order.sort_by(compare);
    let mut kept: Vec<usize> = Vec::new();
    // What comes later in this order cannot dominate what came before.
    for index in order {
        let point = &points[index];
        if !kept.iter().any(|&other| points[other] == *point || dominates(&points[other], point)) {
            kept.push(index);
        }
    }
    let is_beaten = |index: &usize| kept.iter().any(|other| dominates_clearly(&points[*other], &points[*index]));
    let clear: Vec<usize> = kept.iter().copied().filter(|index| !is_beaten(index)).collect();
    // Where errors of rounding go round in a circle, each of them stays.
    if clear.is_empty() { kept } else { clear }
}

/// Indices of the points of the front, each followed by those that equal it in all objectives, as `is_same` says.
pub fn front_with_equals(points: &[Vec<f64>], is_same: impl Fn(f64, f64) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for index in front(points) {
        let equals = |other: &usize| points[index].iter().zip(&points[*other]).all(|(a, b)| is_same(*a, *b));
        let found = (0..points.len()).filter(|other| *other == index || equals(other));
        let (first, others): (Vec<usize>, Vec<usize>) = found.partition(|other| *other == index);
        for other in first.into_iter().chain(others) {
            if !kept.contains(&other) {
                kept.push(other);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_staircase_is_its_own_front() {
        let points: Vec<Vec<f64>> =
            [[3.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [2.0, 2.0]].iter().map(|point| point.to_vec()).collect();
        assert_eq!(front(&points), [1, 2, 0]);
        assert!(front(&[]).is_empty());
        assert_eq!(front_with_equals(&points, |a, b| a == b), [1, 2, 4, 0]);
        // A slower one does not get in by an error of rounding, nor one that is faster by it alone.
        let rounded = [[7.0, 1120.0], [9.0, 1120.0 - 4e-11], [7.0 - 1e-14, 1200.0]].map(|point| point.to_vec());
        assert_eq!(front(&rounded), [0]);
    }

    proptest! {
        #[test]
        fn nobody_on_the_front_is_dominated_and_everybody_else_is(
            points in prop::collection::vec(prop::collection::vec(0u8..6, 3), 1..60)
        ) {
            let points: Vec<Vec<f64>> =
                points.iter().map(|point| point.iter().map(|&value| f64::from(value)).collect()).collect();
            let kept = front(&points);
            for (index, point) in points.iter().enumerate() {
                let beaten = points.iter().any(|other| dominates(other, point));
                let on = kept.iter().any(|&other| points[other] == *point);
                prop_assert_eq!(on, !beaten, "{}", index);
            }
        }
    }
}

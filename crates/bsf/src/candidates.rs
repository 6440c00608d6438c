//! Numbers of workers among which the best of any curve is sought.

use crate::cost::MOST_ELEMENTS;

/// Every number of workers up to this is tried.
const ALL_UP_TO: u64 = 2_000;
/// Beyond, at most so many at which the largest block shrinks, or steps of a factor where there are more.
const MOST_BLOCKS: u64 = 8_000;
/// Steps end here where no list ends them.
const FARTHEST: f64 = 1e9;

/// All numbers of workers up to 2,000; beyond, `ceil(l/q)` for each block size `q`, or steps of the factor `step`.
pub(crate) fn candidates(list_length: Option<u64>, step: f64) -> Vec<u64> {
    let most = list_length.unwrap_or(MOST_ELEMENTS);
    let mut places: Vec<u64> = (1..=most.min(ALL_UP_TO)).collect();
    match list_length {
        // Beyond that, only numbers of workers at which the largest block shrinks can be best.
        Some(length) if length / ALL_UP_TO <= MOST_BLOCKS => {
            let blocks = (1..=length / ALL_UP_TO).rev().map(|elements| length.div_ceil(elements));
            places.extend(blocks.filter(|workers| *workers > ALL_UP_TO));
        }
        _ => {
            let end = FARTHEST.min(most as f64);
            let mut place = ALL_UP_TO as f64 * step;
            while place <= end {
                places.push(place.round() as u64);
                place *= step;
            }
        }
    }
    places.dedup();
    places
}

/// The first of the places with the least time.
pub(crate) fn least(places: &[u64], time_s: impl Fn(u64) -> f64) -> u64 {
    let better = |best: (u64, f64), next: (u64, f64)| if next.1 < best.1 { next } else { best };
    places.iter().map(|&workers| (workers, time_s(workers))).reduce(better).map_or(1, |(workers, _)| workers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_sought_by_their_blocks() {
        assert_eq!(candidates(Some(3), 1.01), [1, 2, 3]);
        let some = candidates(Some(10_000), 1.01);
        assert_eq!(some[1999..], [2000, 2500, 3334, 5000, 10_000]);
        let many = candidates(None, 1.01);
        assert!(many.len() < 4_000 && many.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

//! Whether the complexity grows with each size, on samples.

use super::axis::Axis;
use super::cross::Line;
use super::work::Work;
use crate::problem::Problem;

/// Ranges with at most this many values are checked completely.
const WHOLE: u64 = 256;

/// Checks the lines along each free size, with the other free sizes at their minimum and at their maximum.
pub(super) fn check(
    work: &Work<'_>,
    free: &[usize],
    arguments: &[f64],
    axes: &[Axis],
    ranges: &[(i64, i64)],
) -> Result<(), Problem> {
    let corners = if free.len() == 1 { 1 } else { 2 };
    for corner in 0..corners {
        let mut at = arguments.to_vec();
        for ((&index, axis), &(from, to)) in free.iter().zip(axes).zip(ranges) {
            at[index + 1] = axis.value(if corner == 0 { from } else { to });
        }
        for ((&index, axis), &(from, to)) in free.iter().zip(axes).zip(ranges) {
            let mut line = Line { work, axis, wanted: 1.0, arguments: at.clone(), varies: index + 1 };
            grows(&mut line, from, to)?;
        }
    }
    Ok(())
}

fn grows(line: &mut Line<'_>, from: i64, to: i64) -> Result<(), Problem> {
    let mut before = (from, line.ratio(from)?);
    for index in samples(from, to) {
        let here = (index, line.ratio(index)?);
        line.not_falling(before, here)?;
        before = here;
    }
    Ok(())
}

/// Indices between the two, `to` included: all, or evenly spaced ones and a geometric sequence, for functions that
/// change most at the start.
fn samples(from: i64, to: i64) -> Vec<i64> {
    let gap = to.abs_diff(from);
    if gap <= WHOLE {
        return (from..=to).skip(1).collect();
    }
    let at = |offset: f64| from.saturating_add_unsigned((offset as u64).min(gap));
    let evenly = (1..=64).map(|part| at(gap as f64 * f64::from(part) / 64.0));
    let geometric = (0..=192).map(|part| at((gap as f64).powf(f64::from(part) / 192.0)));
    let mut indices: Vec<i64> = evenly.chain(geometric).chain([to]).filter(|&index| index > from).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_reach_both_ends() {
        assert_eq!(samples(1, 4), [2, 3, 4]);
        assert!(samples(5, 5).is_empty());
        for (from, to) in [(1, 1 << 53), (-1000, 1000), (i64::MIN, i64::MAX)] {
            let samples = samples(from, to);
            assert_eq!(samples.last(), Some(&to));
            assert!(samples.len() < 400 && samples.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}

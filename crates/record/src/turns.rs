//! Blocks that differ with the turn of a loop: the first turn comes after all that precedes the loop.

use crate::stat::{LeafStat, bin_start_s};
use crate::tree::Node;

/// Loops of more turns are not looked at.
const MOST_TURNS: i64 = 64;

/// Long blocks over first turns, at least.
const LEAST_LONG: f64 = 0.3;

/// Quarter octaves between the blocks of first turns and those of others.
const GAP: u8 = 4;

/// The blocks before a call, by whether the loop has just begun.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turns {
    /// Mean of first turns.
    pub first_s: f64,
    /// Standard deviation of these over their mean.
    pub first_spread: f64,
    /// The same of other turns.
    pub rest_s: f64,
    /// Spread of these.
    pub rest_spread: f64,
}

/// Of each leaf, in preorder, the turns of the innermost loop around it, if it is the first call of that and the loop is
/// executed again and again with as many turns. Calls that go through the same partners again and again are such a loop.
pub fn first_of_loops(tree: &[Node]) -> Vec<Option<u64>> {
    fn collect(tree: &[Node], turns: Option<u64>, found: &mut Vec<Option<u64>>) {
        for (place, node) in tree.iter().enumerate() {
            match node {
                Node::Leaf(_) => found.push(turns.filter(|_| place == 0)),
                Node::Loop(l) => {
                    let turns = l.counts.only().filter(|turns| (2..=MOST_TURNS).contains(turns) && l.counts.len() > 1);
                    collect(&l.body, turns.and_then(|turns| u64::try_from(turns).ok()), found);
                }
            }
        }
    }
    let mut found = Vec::new();
    let owned: Vec<Node> = tree.to_vec();
    let split = crate::learn::split(owned);
    collect(&split, None, &mut found);
    found
}

/// Tells first turns apart: if one block in so many turns is longer, by a factor of two or more, than all others. Where fewer
/// are, down to a third of first turns, not all of these are long: those that follow an output may be short; each has its share.
pub fn apart(stat: &LeafStat, turns: u64) -> Option<Turns> {
    let all = stat.bins.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let wanted = all as f64 / turns.max(1) as f64;
    let mut longer = 0_u64;
    let mut bins = stat.bins.clone();
    bins.sort_unstable();
    for place in (1..bins.len()).rev() {
        longer = longer.saturating_add(bins[place].1);
        if (LEAST_LONG * wanted..=1.1 * wanted).contains(&(longer as f64)) && bins[place].0 - bins[place - 1].0 >= GAP {
            let (rest, first) = bins.split_at(place);
            let ([first_sum, mut first_spread], [rest_sum, rest_spread]) = (moments(first), moments(rest));
            if let Some(share) = warm_up(stat) {
                first_spread = moments(&without_longest(first, share))[1];
            }
            let scale = stat.block_s / (first_sum + rest_sum);
            let firsts = if longer as f64 >= 0.9 * wanted { longer as f64 } else { wanted };
            let others = (all as f64 - firsts).max(1.0);
            let (first_s, rest_s) = (scale * first_sum / firsts, scale * rest_sum / others);
            return scale.is_finite().then_some(Turns { first_s, first_spread, rest_s, rest_spread });
        }
    }
    None
}

/// The spread of blocks without the few that took much longer, if there are such. Those of the first executions did where
/// memory was touched for the first time and caches were cold; others where a rank came back to a core that it shares. What
/// they took stays in the mean: ranks do not wait for each other because of it at every turn, as an even law of the same
/// variance would have it.
pub fn steady_spread(stat: &LeafStat) -> Option<f64> {
    let share = warm_up(stat).unwrap_or(0.0).max(rare(stat));
    (share > 0.0).then(|| moments(&without_longest(&stat.bins, share))[1])
}

/// Blocks so many bins above the middle one, two octaves, are long.
const LONG: u8 = 8;

/// The share of blocks of which there are more is no rare one.
const MOST_RARE: f64 = 0.1;

/// The share of blocks that took more than four times as long as the middle one, if these are rare.
fn rare(stat: &LeafStat) -> f64 {
    let all: f64 = stat.bins.iter().map(|(_, count)| *count as f64).sum();
    let mut below = 0.0;
    let middle = stat.bins.iter().find(|(_, count)| {
        below += *count as f64;
        2.0 * below >= all
    });
    let Some((middle, _)) = middle else { return 0.0 };
    let long = stat.bins.iter().filter(|(bin, _)| *bin > middle.saturating_add(LONG));
    let share = long.map(|(_, count)| *count as f64).sum::<f64>() / all;
    if share <= MOST_RARE { share } else { 0.0 }
}

/// The share of the first segment of executions, if it is longer by half than the others.
fn warm_up(stat: &LeafStat) -> Option<f64> {
    let means: Vec<f64> = stat.means.iter().map(|mean| mean.s()).filter(|mean| *mean > 0.0).collect();
    let (first, others) = means.split_first().filter(|(_, others)| others.len() > 2)?;
    let most = others.iter().copied().fold(0.0, f64::max);
    let mean = others.iter().sum::<f64>() / others.len() as f64;
    (*first >= most && *first > 1.5 * mean).then_some(1.0 / means.len() as f64)
}

/// The bins without the longest blocks, up to a share.
fn without_longest(bins: &[(u8, u64)], share: f64) -> Vec<(u8, u64)> {
    let mut bins = bins.to_vec();
    bins.sort_unstable();
    let all = bins.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let mut left = (all as f64 * share).ceil() as u64;
    for (_, count) in bins.iter_mut().rev() {
        let gone = left.min(*count);
        (*count, left) = (*count - gone, left - gone);
    }
    bins
}

/// Sum, and the standard deviation over the mean, each block being in the middle of its bin.
fn moments(bins: &[(u8, u64)]) -> [f64; 2] {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (bin, count) in bins {
        let (count, time) = (*count as f64, bin_start_s(*bin) * 2_f64.powf(0.125));
        n += count;
        sum += count * time;
        squares += count * time * time;
    }
    let mean = sum / n;
    [sum, if mean > 0.0 { (squares / n / (mean * mean) - 1.0).max(0.0).sqrt() } else { 0.0 }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stat::{Time, bin_of};
    use crate::stream::Stream;
    use crate::tree::{Leaf, Loop};
    use crate::vocabulary::Flags;

    fn stat(times: &[(f64, u64)]) -> LeafStat {
        let bins = times.iter().map(|(time, count)| (bin_of(*time), *count)).collect();
        LeafStat { bins, block_s: times.iter().map(|(time, count)| time * *count as f64).sum(), ..LeafStat::default() }
    }

    #[test]
    fn one_long_block_in_three_is_the_first() {
        let turns = apart(&stat(&[(1e-6, 200), (10e-6, 90), (14e-6, 10)]), 3).expect("a gap");
        // 90 x 10 us and 10 x 14 us; a bin is 19 % wide.
        assert!((turns.first_s / 10.4e-6 - 1.0).abs() < 0.1 && (turns.rest_s / 1e-6 - 1.0).abs() < 0.2, "{turns:?}");
        assert!((turns.first_s * 100.0 + turns.rest_s * 200.0 - 1.24e-3).abs() < 1e-9);
        // Every second first turn is long: 50 x 10 us over 100 first turns.
        let turns = apart(&stat(&[(1e-6, 250), (10e-6, 50)]), 3).expect("a gap");
        assert!((turns.first_s / 5e-6 - 1.0).abs() < 0.2, "{turns:?}");
        assert!((turns.first_s * 100.0 + turns.rest_s * 200.0 - 0.75e-3).abs() < 1e-9);
        // One in four, or no gap: nothing is known.
        assert_eq!(apart(&stat(&[(1e-6, 200), (10e-6, 100)]), 4), None);
        assert_eq!(apart(&stat(&[(8e-6, 200), (10e-6, 100)]), 3), None);
    }

    #[test]
    fn what_begins_slowly_is_steady_after_that() {
        let mut slow = stat(&[(1e-6, 150), (3e-6, 10)]);
        slow.means = [Time::of_s(1e-6); 16];
        assert_eq!(steady_spread(&slow), None);
        slow.means[0] = Time::of_s(3e-6);
        assert!(steady_spread(&slow).is_some_and(|spread| spread < 0.01));
    }

    /// 190 blocks of about 1 us and 10 of 40 us: 3 us in the mean, with a standard deviation of 8.5 us; without the ten, none.
    #[test]
    fn a_few_long_blocks_are_no_spread() {
        let few = stat(&[(1e-6, 190), (40e-6, 10)]);
        assert!(steady_spread(&few).is_some_and(|spread| spread < 0.01));
        // Every eighth is no rare one, and three times as long is not much longer.
        assert_eq!(steady_spread(&stat(&[(1e-6, 175), (40e-6, 25)])), None);
        assert_eq!(steady_spread(&stat(&[(1e-6, 190), (3e-6, 10)])), None);
    }

    #[test]
    fn only_the_first_call_of_a_loop_within_another() {
        let leaf =
            || Node::Leaf(Leaf { call: 1, flags: Flags::default(), site: 0, comm: 0, mask: 0, fields: Vec::new() });
        let inner = Node::Loop(Loop { counts: Stream::constant(3, 10), body: vec![leaf(), leaf()] });
        let tree = [leaf(), Node::Loop(Loop { counts: Stream::constant(10, 1), body: vec![leaf(), inner] })];
        assert_eq!(first_of_loops(&tree), [None, None, Some(3), None]);
    }
}

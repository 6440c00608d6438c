//! What a phase is allowed to cost, checked before memory or time is spent.

use crate::model::Model;
use crate::model::law::Law;
use std::collections::BTreeMap;
use std::fmt;

/// Multiplications that the law of one sum may take.
const MOST_STEPS: u64 = 100_000_000;

/// Values that the laws of all sums of a process may have.
const MOST_VALUES: u64 = 2_000_000;

/// A chain has more of something than it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Of what there is too much, in plural.
    pub what: &'static str,
    /// How many there may be.
    pub limit: u64,
}

impl TooLarge {
    /// There are more than `limit` of them.
    pub fn new(what: &'static str, limit: u64) -> TooLarge {
        TooLarge { what, limit }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}

/// How far apart the starts of a phase can be: at the very start, or after any phase.
pub(super) fn reach(model: &Model) -> u64 {
    let (first, last) = (model.start.iter().min().unwrap_or(&0), model.start.iter().max().unwrap_or(&0));
    model.longest_message().saturating_add(model.longest_finished()).max(last.abs_diff(*first))
}

/// The law of the sum of `count` times, where it is not too costly.
pub(super) fn convolved(law: &Law, count: u32) -> Result<Law, TooLarge> {
    law.convolved_by(count, plus)
}

fn plus(one: &Law, other: &Law) -> Result<Law, TooLarge> {
    let steps = (one.support().len() as u64).saturating_mul(other.support().len() as u64);
    if steps > MOST_STEPS || one.most().checked_add(other.most()).is_none_or(|most| most > 1 << 53) {
        return Err(TooLarge::new("steps towards the law of alpha", MOST_STEPS));
    }
    Ok(one.plus(other))
}

/// The laws of the times of 0, 1, .. up to `most` updates, as far as they are at most `longest`.
pub(super) fn sums(law: &Law, most: u32, longest: u64) -> Result<Vec<Vec<(u64, f64)>>, TooLarge> {
    let mut sums = vec![vec![(0, 1.0)]];
    let (mut steps, mut values) = (0_u64, 1_u64);
    while (sums.len() as u64) <= u64::from(most) {
        let former = &sums[sums.len() - 1];
        steps = steps.saturating_add((former.len() as u64).saturating_mul(law.support().len() as u64));
        if steps > MOST_STEPS || values > MOST_VALUES {
            return Err(TooLarge::new("values of the time of updates in a wait", MOST_VALUES));
        }
        let next = next(former, law, longest);
        if next.is_empty() {
            break;
        }
        values += next.len() as u64;
        sums.push(next);
    }
    Ok(sums)
}

fn next(former: &[(u64, f64)], law: &Law, longest: u64) -> Vec<(u64, f64)> {
    let pairs = former.iter().flat_map(|(time, first)| {
        let fits = law.support().iter().take_while(move |(ticks, _)| time.saturating_add(*ticks) <= longest);
        fits.map(move |(ticks, second)| (time + ticks, first * second))
    });
    let least = former.first().map_or(0, |(time, _)| *time).saturating_add(law.least());
    let most = former.last().map_or(0, |(time, _)| *time).saturating_add(law.most()).min(longest);
    if least > most {
        return Vec::new();
    }
    let width = most - least + 1;
    if width <= 4 * (former.len() as u64) * (law.support().len() as u64) {
        let mut dense = vec![0.0; width as usize];
        for (time, probability) in pairs {
            dense[(time - least) as usize] += probability;
        }
        return (least..).zip(dense).filter(|(_, probability)| *probability > 0.0).collect();
    }
    let mut sparse = BTreeMap::new();
    for (time, probability) in pairs {
        *sparse.entry(time).or_insert(0.0) += probability;
    }
    sparse.into_iter().filter(|(_, probability)| *probability > 0.0).collect()
}

//! Times of blocks, one for each execution.

use super::{BlockTimes, Playing};
use runcast_core::random::SplitMix;
use runcast_record::Program;
use runcast_record::stat::{LeafStat, SEGMENTS, bin_start_s};
use runcast_record::turns::{apart, first_of_loops};

/// More executions than this all take the mean.
const MOST_DRAWN: u64 = 1 << 20;

/// The blocks before one call on one rank.
#[derive(Debug)]
pub(super) struct Blocks {
    mean_s: f64,
    drawn: Vec<f64>,
    next: usize,
}

impl Blocks {
    /// Those of every leaf of a program, on the rank at `place` among its ranks.
    pub(super) fn all(program: &Program, place: usize, (playing, factor): (Playing, f64)) -> Vec<Blocks> {
        let rank = program.ranks.get(place).copied().unwrap_or(0);
        let share = program.ranks.len().max(1) as u64;
        let firsts = first_of_loops(&program.tree);
        let of = |(number, stat): (usize, &LeafStat)| {
            let mut random = SplitMix::new(playing.seed, u64::from(rank) << 32 | number as u64);
            let turns = firsts.get(number).copied().flatten().filter(|turns| apart(stat, *turns).is_some());
            let mut blocks = Blocks::of(stat, place, (stat.executions / share, turns), &mut random);
            if playing.blocks == BlockTimes::Mean {
                blocks.drawn.clear();
            }
            blocks.mean_s *= factor;
            blocks.drawn.iter_mut().for_each(|time| *time *= factor);
            blocks
        };
        program.stats.iter().enumerate().map(of).collect()
    }

    /// `count` quantiles of the histogram, scaled to the exact sum, in an order that is random but for what is known of it.
    fn of(stat: &LeafStat, place: usize, (count, turns): (u64, Option<u64>), random: &mut SplitMix) -> Self {
        let sum = stat.block_of(place);
        let mean_s = if count > 0 { sum / count as f64 } else { 0.0 };
        let deviation = stat.ranks.get(place).map_or(0.0, |rank| rank.deviation.s());
        let mut drawn = Vec::new();
        // A deviation below the rounding of the mean is none.
        if (2..=MOST_DRAWN).contains(&count) && deviation > 0.01 * mean_s {
            drawn = quantiles(stat, count);
            drawn = arranged(&drawn, turns.unwrap_or(1), stat, random);
            let all: f64 = drawn.iter().sum();
            let scale = if all > 0.0 { sum / all } else { 0.0 };
            drawn.iter_mut().for_each(|time| *time *= scale);
        }
        Blocks { mean_s, drawn, next: 0 }
    }

    /// The time of the next execution.
    pub(super) fn next_s(&mut self) -> f64 {
        let time = self.drawn.get(self.next).copied().unwrap_or(self.mean_s);
        self.next += 1;
        time
    }
}

/// A segment whose remaining sum is so much of a block may hold it.
const FITS: f64 = 0.7;

/// Blocks, given in ascending order, in the order of executions: the longest are those of first turns of `turns`, and each
/// segment of consecutive executions comes as near to its recorded mean as it can. All else is random.
fn arranged(ascending: &[f64], turns: u64, stat: &LeafStat, random: &mut SplitMix) -> Vec<f64> {
    let (count, turns) = (ascending.len(), turns.max(1) as usize);
    let length = count.div_ceil(SEGMENTS).next_power_of_two();
    let segments = count.div_ceil(length);
    let mut left: Vec<f64> =
        (0..segments).map(|number| stat.means[number].s() * length.min(count - number * length) as f64).collect();
    let (known, all): (f64, f64) = (left.iter().sum(), ascending.iter().sum());
    left.iter_mut().for_each(|sum| *sum *= if known > 0.0 { all / known } else { 0.0 });
    // Free places by segment: first turns, and others.
    let mut free: [Vec<Vec<usize>>; 2] = [vec![Vec::new(); segments], vec![Vec::new(); segments]];
    for place in 0..count {
        free[usize::from(!place.is_multiple_of(turns))][place / length].push(place);
    }
    let mut ordered = vec![0.0; count];
    for time in ascending.iter().rev() {
        let group = usize::from(free[0].iter().all(Vec::is_empty));
        let open: Vec<usize> = (0..segments).filter(|segment| !free[group][*segment].is_empty()).collect();
        let fit: Vec<usize> = open.iter().copied().filter(|segment| left[*segment] >= FITS * time).collect();
        let most = open.iter().copied().max_by(|a, b| left[*a].total_cmp(&left[*b]));
        let chosen = if fit.is_empty() { most } else { weighted(&fit, &left, random) };
        let Some(segment) = chosen else { break };
        let places = &mut free[group][segment];
        let place = places.swap_remove(random.below(places.len()));
        ordered[place] = *time;
        left[segment] -= time;
    }
    ordered
}

/// One of these segments, as likely as what is left of it is long.
fn weighted(segments: &[usize], left: &[f64], random: &mut SplitMix) -> Option<usize> {
    let all: f64 = segments.iter().map(|segment| left[*segment]).sum();
    let mut at = all * random.below(1 << 30) as f64 / f64::from(1 << 30);
    let mut found = segments.iter().copied().filter(|segment| {
        at -= left[*segment];
        at < 0.0
    });
    found.next().or_else(|| segments.last().copied())
}

fn quantiles(stat: &LeafStat, count: u64) -> Vec<f64> {
    let all: u64 = stat.bins.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
    let mut bins = stat.bins.iter();
    let mut bin = bins.next();
    let mut before = 0_u64;
    let one = |number: u64| {
        let place = (number as f64 + 0.5) / count as f64 * all as f64;
        while let Some((_, inside)) = bin {
            if place < (before + inside) as f64 {
                break;
            }
            before += inside;
            bin = bins.next();
        }
        // The geometric middle of the bin.
        bin.map_or(0.0, |(bin, _)| bin_start_s(*bin) * 2_f64.powf(0.125))
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_record::stat::Time;

    /// 30 blocks, three turns a loop: ten long ones, of which the first is much longer.
    #[test]
    fn long_blocks_are_where_they_were() {
        let mut stat = LeafStat::default();
        for segment in 0..15 {
            // Two executions each; every third execution is long.
            let long = (2 * segment..2 * segment + 2).filter(|place| place % 3 == 0).count() as f64;
            let first = if segment == 0 { 50e-6 } else { 0.0 };
            stat.means[segment] = Time::of_s((long * 10e-6 + first + 0.2e-6) / 2.0);
        }
        let mut ascending = vec![0.1e-6; 20];
        ascending.extend([10e-6; 9]);
        ascending.push(60e-6);
        for seed in 0..20 {
            let ordered = arranged(&ascending, 3, &stat, &mut SplitMix::new(seed, 0));
            assert_eq!(ordered[0], 60e-6);
            assert!(ordered.iter().enumerate().all(|(place, time)| (place % 3 == 0) == (*time > 1e-6)), "{ordered:?}");
        }
    }

    #[test]
    fn equal_segments_hold_a_long_block_by_chance() {
        let stat = LeafStat { means: [Time::of_s(2e-6); SEGMENTS], ..LeafStat::default() };
        let mut ascending = vec![1.9e-6; 159];
        ascending.push(18e-6);
        let place = |seed| {
            let ordered = arranged(&ascending, 1, &stat, &mut SplitMix::new(seed, 0));
            ordered.iter().position(|time| *time > 1e-5).expect("the long one")
        };
        let places: std::collections::BTreeSet<usize> = (0..20).map(place).collect();
        assert!(places.len() > 10, "{places:?}");
    }
}

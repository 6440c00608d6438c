//! Times of blocks, one for each execution.

use super::{BlockTimes, Playing};
use runcast_core::random::SplitMix;
use runcast_record::Program;
use runcast_record::stat::{LeafStat, bin_start_s};
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

    /// `count` quantiles of the histogram in random order, scaled to the exact sum; the longest are those of first turns,
    /// where these are told apart.
    fn of(stat: &LeafStat, place: usize, (count, turns): (u64, Option<u64>), random: &mut SplitMix) -> Self {
        let sum = stat.block_of(place);
        let mean_s = if count > 0 { sum / count as f64 } else { 0.0 };
        let deviation = stat.ranks.get(place).map_or(0.0, |rank| rank.deviation.s());
        let mut drawn = Vec::new();
        // A deviation below the rounding of the mean is none.
        if (2..=MOST_DRAWN).contains(&count) && deviation > 0.01 * mean_s {
            drawn = quantiles(stat, count);
            let rest = turns.map_or(0, |turns| drawn.len() - drawn.len() / turns.max(1) as usize);
            let (shorter, longer) = drawn.split_at_mut(rest);
            for group in [shorter, longer] {
                for last in (1..group.len()).rev() {
                    group.swap(last, random.below(last + 1));
                }
            }
            if let Some(turns) = turns {
                let (mut shorter, mut longer) = (drawn[..rest].iter(), drawn[rest..].iter());
                let next = |number: usize| {
                    let is_first = (number as u64).is_multiple_of(turns);
                    let own = if is_first { longer.next() } else { shorter.next() };
                    own.or_else(|| longer.next()).or_else(|| shorter.next()).copied().unwrap_or(mean_s)
                };
                drawn = (0..drawn.len()).map(next).collect();
            }
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

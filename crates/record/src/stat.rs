//! Statistics of the executions of a call: the processor time of the block before it, its wall time, that of the call.

use crate::wire::{Input, put_u};
use runcast_core::Problem;

/// Bins of the histogram of blocks: quarter octaves from 64 ns.
pub const BINS: usize = 64;

/// Segments of equal numbers of executions.
pub const SEGMENTS: usize = 16;

/// What is known of the executions of a call on one rank, in 1/1024 octaves of a nanosecond (0.07 %).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankStat {
    /// Mean processor time of the block before the call.
    pub mean: Time,
    /// Its standard deviation.
    pub deviation: Time,
    /// The longest.
    pub most: Time,
    /// Mean wall time of the block.
    pub wall: Time,
    /// Mean wall time of the call.
    pub call: Time,
}

/// A time as `round(1024 log2 ns)`; 0 is at most a nanosecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u16);

impl Time {
    /// The nearest to a time.
    pub fn of_s(time_s: f64) -> Self {
        let ns = time_s * 1e9;
        Time(if ns > 1.0 { (1_024.0 * ns.log2()).round().min(65_535.0) as u16 } else { 0 })
    }

    /// In seconds.
    pub fn s(self) -> f64 {
        if self.0 == 0 { 0.0 } else { (f64::from(self.0) / 1_024.0).exp2() * 1e-9 }
    }
}

/// Statistics of one call of a tree, over all ranks that share the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeafStat {
    /// Executions, of all ranks together.
    pub executions: u64,
    /// Sum of the processor times of the blocks before it.
    pub block_s: f64,
    /// Sum of their wall times.
    pub wall_s: f64,
    /// Sum of the wall times of the call.
    pub call_s: f64,
    /// Rank by rank.
    pub ranks: Vec<RankStat>,
    /// Bins that are not empty: number of the bin, blocks in it.
    pub bins: Vec<(u8, u64)>,
    /// Means of equal numbers of consecutive executions; the last may be 0: not reached.
    pub means: [Time; SEGMENTS],
}

impl LeafStat {
    /// Sum of the blocks of one rank, scaled so that the ranks' sums add up to the exact sum.
    pub fn block_of(&self, rank: usize) -> f64 {
        let weight: f64 = self.ranks.iter().map(|rank| rank.mean.s()).sum();
        let own = self.ranks.get(rank).map_or(0.0, |rank| rank.mean.s());
        if weight > 0.0 { self.block_s * own / weight } else { self.block_s / self.ranks.len().max(1) as f64 }
    }

    /// Takes in those of ranks that share the tree.
    pub fn merge(&mut self, other: &LeafStat) {
        let (ours, theirs) = (self.ranks.len() as f64, other.ranks.len() as f64);
        self.executions = self.executions.saturating_add(other.executions);
        self.block_s += other.block_s;
        self.wall_s += other.wall_s;
        self.call_s += other.call_s;
        self.ranks.extend(&other.ranks);
        for &(bin, count) in &other.bins {
            match self.bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
                Ok(place) => self.bins[place].1 = self.bins[place].1.saturating_add(count),
                Err(place) => self.bins.insert(place, (bin, count)),
            }
        }
        for (mean, more) in self.means.iter_mut().zip(other.means) {
            *mean = Time::of_s((mean.s() * ours + more.s() * theirs) / (ours + theirs).max(1.0));
        }
    }
}

/// Least time of a bin: `64 ns * 2^(bin/4)`.
pub fn bin_start_s(bin: u8) -> f64 {
    64e-9 * (f64::from(bin) / 4.0).exp2()
}

/// The bin of a time.
pub fn bin_of(time_s: f64) -> u8 {
    let bin = (time_s / 64e-9).log2() * 4.0;
    if bin >= 0.0 { bin.min(BINS as f64 - 1.0) as u8 } else { 0 }
}

/// Appends the statistics of all leaves, column by column.
pub(crate) fn put_stats(out: &mut Vec<u8>, stats: &[&LeafStat]) {
    stats.iter().for_each(|stat| out.extend(stat.executions.to_le_bytes()));
    for column in 0..3 {
        let sum = |stat: &LeafStat| [stat.block_s, stat.wall_s, stat.call_s][column];
        stats.iter().for_each(|stat| out.extend(sum(stat).to_le_bytes()));
    }
    for rank in stats.iter().flat_map(|stat| &stat.ranks) {
        let times = [rank.mean, rank.deviation, rank.most, rank.wall, rank.call];
        times.iter().for_each(|time| out.extend(time.0.to_le_bytes()));
    }
    for stat in stats {
        put_u(out, stat.bins.len() as u64);
        for (bin, count) in &stat.bins {
            put_u(out, u64::from(*bin));
            put_u(out, *count);
        }
    }
    stats.iter().flat_map(|stat| stat.means).for_each(|time| out.extend(time.0.to_le_bytes()));
}

/// Reads the statistics of leaves, each of which belongs to as many ranks as `ranks` says.
///
/// # Errors
/// The bytes end, or hold a sum that is not a time.
pub(crate) fn get_stats(input: &mut Input<'_>, ranks: &[usize]) -> Result<Vec<LeafStat>, Problem> {
    let least = 32 + 1 + 2 * SEGMENTS;
    if ranks.len() > input.left() / least {
        return Err(input.problem(format_args!("statistics of {} calls do not fit", ranks.len())));
    }
    let mut stats = vec![LeafStat::default(); ranks.len()];
    for stat in &mut stats {
        stat.executions = u64::from_le_bytes(input.fixed()?);
    }
    for column in 0..3 {
        for stat in &mut stats {
            let sum = f64::from_le_bytes(input.fixed()?);
            if !sum.is_finite() || sum < 0.0 {
                return Err(input.problem("a sum of times that is not a time"));
            }
            *[&mut stat.block_s, &mut stat.wall_s, &mut stat.call_s][column] = sum;
        }
    }
    for (stat, count) in stats.iter_mut().zip(ranks) {
        if *count > input.left() / 10 {
            return Err(input.problem(format_args!("statistics of {count} ranks do not fit")));
        }
        stat.ranks = (0..*count).map(|_| get_rank(input)).collect::<Result<_, _>>()?;
    }
    for stat in &mut stats {
        let count = input.count(2)?;
        stat.bins = (0..count).map(|_| Ok((input.narrow("a bin")?, input.u()?))).collect::<Result<_, Problem>>()?;
        if !stat.bins.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(input.problem("bins out of order"));
        }
    }
    for stat in &mut stats {
        for mean in &mut stat.means {
            *mean = get_time(input)?;
        }
    }
    Ok(stats)
}

fn get_rank(input: &mut Input<'_>) -> Result<RankStat, Problem> {
    Ok(RankStat {
        mean: get_time(input)?,
        deviation: get_time(input)?,
        most: get_time(input)?,
        wall: get_time(input)?,
        call: get_time(input)?,
    })
}

fn get_time(input: &mut Input<'_>) -> Result<Time, Problem> {
    Ok(Time(u16::from_le_bytes(input.fixed()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_to_seven_hundredths_of_a_percent() {
        for time_s in [2e-9, 1e-6, 0.37e-3, 1.84, 3_600.0] {
            let kept = Time::of_s(time_s).s();
            assert!((kept / time_s - 1.0).abs() < 0.000_7, "{time_s}: {kept}");
        }
        assert_eq!(Time::of_s(0.0).s(), 0.0);
    }

    #[test]
    fn bins_are_quarter_octaves_from_64_nanoseconds() {
        assert_eq!([64e-9, 75e-9, 77e-9, 129e-9, 1e9].map(bin_of), [0, 0, 1, 4, 63]);
        assert!((bin_start_s(8) - 256e-9).abs() < 1e-15);
    }
}

//! Whom a call talks to, as a function of the rank.

use super::grid::{Grid, Shape};

/// A function of the rank r among p, and of the index k of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Nobody, or `MPI_PROC_NULL` always.
    Nobody,
    /// One rank, whoever asks: its number in each recording.
    Fixed(Vec<i64>),
    /// So many steps in the grid.
    Grid(Vec<i64>),
    /// `r xor 2^k`, or down from the highest bit.
    Xor {
        /// From the highest bit.
        down: bool,
    },
    /// `r xor c`.
    XorBits(i64),
    /// `r + 2^k` or `r - 2^k`.
    Power {
        /// 1 or -1.
        sign: i64,
        /// Modulo p.
        wrap: bool,
        /// From the highest power.
        down: bool,
    },
    /// `(r + b) mod p`, or `(b - r) mod p`.
    Affine {
        /// 1 or -1.
        sign: i64,
        /// `b`.
        shift: i64,
    },
    /// `r` without its lowest bit.
    Parent,
    /// Of a square grid: column and row exchanged.
    Transpose,
    /// All others, from the next one on (1), from the one before (-1), or in ascending order (0).
    All(i64),
    /// Whoever matched a receive from any source.
    Matched,
    /// Of the first rank: whoever has sent last. A script takes turns.
    Answer,
}

/// What one rank of one recording did at a call site.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub recording: usize,
    pub rank: i64,
    pub p: i64,
    /// By the index of the loop; one of a constant.
    pub peers: Vec<i64>,
}

impl Reach {
    /// The name of the function.
    pub fn name(&self) -> &'static str {
        match self {
            Reach::Nobody => "none",
            Reach::Fixed(_) => "root",
            Reach::Grid(_) => "grid",
            Reach::Xor { .. } | Reach::XorBits(_) => "xor",
            Reach::Power { .. } | Reach::Parent => "pow2",
            Reach::Affine { .. } => "affine",
            Reach::Transpose => "transpose",
            Reach::All(_) => "all",
            Reach::Matched | Reach::Answer => "matched",
        }
    }

    /// Whether it follows the index of a loop.
    pub fn has_index(&self) -> bool {
        matches!(self, Reach::Xor { .. } | Reach::Power { .. } | Reach::All(_) | Reach::Answer)
    }

    /// The rank, `turns` being how many turns the loop has; none outside.
    pub fn at(&self, rank: i64, p: i64, k: i64, turns: i64, grid: Option<Shape<'_>>) -> Option<i64> {
        let bit = |down: bool| 1_i64.checked_shl(u32::try_from(if down { turns - 1 - k } else { k }).ok()?);
        let inside = |rank: i64| (0..p).contains(&rank).then_some(rank);
        match self {
            Reach::Nobody | Reach::Matched | Reach::Answer | Reach::Fixed(_) => None,
            Reach::Grid(steps) => grid.and_then(|shape| shape.moved(rank, steps)),
            Reach::Xor { down } => inside(rank ^ bit(*down)?),
            Reach::XorBits(bits) => inside(rank ^ bits),
            Reach::Power { sign, wrap, down } => {
                let to = rank + sign * bit(*down)?;
                if *wrap { Some(to.rem_euclid(p)) } else { inside(to) }
            }
            Reach::Affine { sign, shift } => Some((sign * rank + shift).rem_euclid(p)),
            Reach::Parent => (rank > 0).then_some(rank & (rank - 1)),
            Reach::Transpose => {
                let q = (p as f64).sqrt().round() as i64;
                (q * q == p).then_some(rank % q * q + rank / q)
            }
            Reach::All(0) => inside(if k < rank { k } else { k + 1 }),
            Reach::All(sign) => Some((rank + sign * (k + 1)).rem_euclid(p)),
        }
    }

    fn explains(&self, samples: &[Sample], grid: Option<&Grid>) -> bool {
        let one = |sample: &Sample| {
            let turns = sample.peers.len() as i64;
            let grid = grid.map(|grid| grid.shape(sample.recording));
            let each = sample.peers.iter().enumerate();
            each.into_iter().all(|(k, peer)| {
                let seen = self.at(sample.rank, sample.p, k as i64, turns, grid);
                seen == (*peer >= 0).then_some(*peer)
            })
        };
        samples.iter().all(one)
    }
}

/// Functions that need no grid, of sites whose partners go through a loop.
pub(super) fn looped(samples: &[Sample]) -> Option<Reach> {
    if samples.iter().all(|sample| sample.peers.len() < 2) {
        return None;
    }
    let powers = [(1, true), (-1, true), (1, false), (-1, false)];
    let powers =
        powers.into_iter().flat_map(|(sign, wrap)| [false, true].map(|down| Reach::Power { sign, wrap, down }));
    let all = [Reach::Xor { down: false }, Reach::Xor { down: true }].into_iter().chain(powers);
    let mut all = all.chain([1, -1, 0].map(Reach::All));
    all.find(|reach| reach.explains(samples, None))
}

/// One rank for all, in each recording.
pub(super) fn fixed(samples: &[Sample], recordings: usize) -> Option<Reach> {
    let mut roots = vec![None; recordings];
    for sample in samples {
        let [peer] = sample.peers.as_slice() else { return None };
        let known = roots[sample.recording].get_or_insert(*peer);
        if known != peer || *peer < 0 {
            return None;
        }
    }
    // A partner of a single rank says nothing about others.
    let ranks: std::collections::BTreeSet<i64> = samples.iter().map(|sample| sample.rank).collect();
    let same = roots.iter().flatten().collect::<std::collections::BTreeSet<_>>().len() == 1;
    (ranks.len() > 1 || same).then(|| Reach::Fixed(roots.into_iter().map(|root| root.unwrap_or(-1)).collect()))
}

/// Functions of the rank alone: steps in the grid first.
pub(super) fn single(samples: &[Sample], grid: Option<&Grid>) -> Option<Reach> {
    // On a ring the steps are said modulo p.
    if let Some(grid) = grid.filter(|grid| grid.dims > 1 || !grid.wrap) {
        let widest = samples.iter().filter(|sample| sample.peers.first().is_some_and(|peer| *peer >= 0));
        let widest = widest.max_by_key(|sample| sample.p);
        if let Some(sample) = widest {
            let steps = grid.shape(sample.recording).offset(sample.rank, sample.peers[0]);
            let reach = Reach::Grid(steps);
            if reach.explains(samples, Some(grid)) {
                return Some(reach);
            }
        }
    }
    let first = samples.first()?;
    let peer = *first.peers.first()?;
    let near = |b: i64| if b > first.p / 2 { b - first.p } else { b };
    let up = Reach::Affine { sign: 1, shift: near((peer - first.rank).rem_euclid(first.p)) };
    let down = Reach::Affine { sign: -1, shift: near((peer + first.rank).rem_euclid(first.p)) };
    let all = [Reach::XorBits(peer ^ first.rank), up, down, Reach::Parent, Reach::Transpose];
    all.into_iter().find(|reach| reach.explains(samples, grid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(ps: &[i64], peers: impl Fn(i64, i64) -> Vec<i64>) -> Vec<Sample> {
        let of = |(recording, p): (usize, &i64)| {
            let p = *p;
            let peers = &peers;
            (0..p).map(move |rank| Sample { recording, rank, p, peers: peers(rank, p) }).collect::<Vec<_>>()
        };
        ps.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn functions_of_programs() {
        let bits = |p: i64| i64::from(63 - p.leading_zeros());
        let butterfly = samples(&[4, 8, 16], |rank, p| (0..bits(p)).map(|k| rank ^ 1 << k).collect());
        assert_eq!(looped(&butterfly), Some(Reach::Xor { down: false }));
        let all = samples(&[3, 5], |rank, p| (1..p).map(|k| (rank + k) % p).collect());
        assert_eq!(looped(&all), Some(Reach::All(1)));
        let ring = samples(&[3, 5], |rank, p| vec![(rank + 1) % p]);
        assert_eq!(single(&ring, None), Some(Reach::Affine { sign: 1, shift: 1 }));
        let transpose = samples(&[4, 9], |rank, p| {
            let q = (p as f64).sqrt() as i64;
            vec![rank % q * q + rank / q]
        });
        assert_eq!(single(&transpose, None), Some(Reach::Transpose));
        let random = samples(&[5, 7], |rank, p| vec![(rank * rank * 3 + 1) % p]);
        assert_eq!((looped(&random), single(&random, None)), (None, None));
    }
}

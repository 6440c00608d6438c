//! The grid that ranks form, from whom they talk to.

/// Sizes in each recording; the last dimension runs fastest through the ranks, unless these are bisected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Dimensions.
    pub dims: usize,
    /// Whether partners are found across the edges.
    pub wrap: bool,
    /// Pairs of ranks that are further apart than one step in some dimension.
    pub far: usize,
    /// The most different offsets in one recording.
    pub offsets: usize,
    /// By recording.
    pub sizes: Vec<Vec<i64>>,
    /// How sizes follow from the number of processes.
    pub rule: Rule,
    /// Whether the program has said so: its Cartesian communicator.
    pub is_cart: bool,
}

impl Grid {
    /// Of one recording.
    pub(crate) fn shape(&self, recording: usize) -> Shape<'_> {
        Shape { sizes: &self.sizes[recording], wrap: self.wrap, rule: self.rule }
    }

    /// The dimension that runs fastest through the ranks, or that they are halved in all.
    pub fn order(&self) -> &'static str {
        if self.rule == Rule::Bisected { "bisected" } else { "last" }
    }
}

/// How the sizes of a grid follow from the number of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// As equal as possible, the largest first (`MPI_Dims_create`).
    Dims,
    /// The same, the smallest first.
    Reversed,
    /// Halved in one dimension after the other, as recursive bisection does: p is a power of two, the bits of a rank are
    /// those of its coordinates in turn.
    Bisected,
}

/// What one recording says: processes, and pairs of a rank and its partner.
pub(super) type Pairs = (u32, Vec<(i64, i64)>);

/// The grid of one recording.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Of each dimension.
    pub sizes: &'a [i64],
    /// Whether partners are found across the edges.
    pub wrap: bool,
    /// Which ranks are where.
    pub rule: Rule,
}

impl Shape<'_> {
    /// Coordinates of a rank.
    pub fn coordinates(&self, rank: i64) -> Vec<i64> {
        if self.rule == Rule::Bisected {
            return dealt(rank, self.sizes.iter().product(), self.sizes.len());
        }
        let mut rest = rank;
        let mut found: Vec<i64> = self.sizes.to_vec();
        for own in found.iter_mut().rev() {
            let size = (*own).max(1);
            (*own, rest) = (rest % size, rest / size);
        }
        found
    }

    /// The rank at coordinates within the grid.
    fn rank(&self, at: &[i64]) -> i64 {
        if self.rule == Rule::Bisected {
            return collected(at, self.sizes.iter().product());
        }
        at.iter().zip(self.sizes).fold(0, |place, (at, size)| place * size + at)
    }

    /// The rank so far away; none outside of the grid.
    pub fn moved(&self, rank: i64, offset: &[i64]) -> Option<i64> {
        let own = self.coordinates(rank);
        let moved = own.iter().zip(offset).zip(self.sizes).map(|((own, by), size)| {
            let at = own + by;
            let at = if self.wrap { at.rem_euclid(*size) } else { at };
            (0..*size).contains(&at).then_some(at)
        });
        Some(self.rank(&moved.collect::<Option<Vec<i64>>>()?))
    }

    /// The steps from one rank to another, the shorter way round where the grid wraps.
    pub fn offset(&self, from: i64, to: i64) -> Vec<i64> {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let step = |((from, to), size): ((&i64, &i64), &i64)| {
            let by = to - from;
            if !self.wrap {
                return by;
            }
            let up = by.rem_euclid(*size);
            if 2 * up <= *size { up } else { up - size }
        };
        from.iter().zip(&to).zip(self.sizes).map(step).collect()
    }

    /// The dimensions in which members differ, a bit each, if they are all ranks that share the other coordinates, in order.
    pub(super) fn line(&self, members: &[i64]) -> Option<u32> {
        let all: i64 = self.sizes.iter().product();
        let places: Vec<Vec<i64>> = members.iter().map(|rank| self.coordinates(*rank)).collect();
        let (first, in_grid) = (places.first()?, members.iter().all(|rank| (0..all).contains(rank)));
        let differs = |dim: &usize| places.iter().any(|place| place[*dim] != first[*dim]);
        let free: Vec<usize> = (0..self.sizes.len()).filter(differs).collect();
        let count: i64 = free.iter().map(|dim| self.sizes[*dim]).product();
        let is_whole = in_grid && count == members.len() as i64 && members.windows(2).all(|pair| pair[0] < pair[1]);
        is_whole.then(|| free.iter().fold(0, |mask, dim| mask | 1 << dim))
    }
}

/// Coordinates of a rank whose bits, from the highest of p = 2^n on, go to the dimensions in turn.
fn dealt(rank: i64, p: i64, dims: usize) -> Vec<i64> {
    let mut found = vec![0; dims];
    for (level, bit) in (0..p.max(1).ilog2()).rev().enumerate() {
        let own = &mut found[level % dims];
        *own = 2 * *own + (rank >> bit & 1);
    }
    found
}

/// The rank with these coordinates.
fn collected(at: &[i64], p: i64) -> i64 {
    let bits = p.max(1).ilog2() as usize;
    let own = |level: usize| {
        let (dim, turn) = (level % at.len(), level / at.len());
        // Bits that this dimension has, of which it is the one after `turn` others.
        let has = (bits + at.len() - 1 - dim) / at.len();
        at[dim] >> (has - 1 - turn) & 1
    };
    (0..bits).fold(0, |rank, level| 2 * rank + own(level))
}

/// Sizes of a grid of so many processes.
pub fn sizes(p: i64, dims: usize, rule: Rule) -> Vec<i64> {
    if rule == Rule::Bisected {
        return dealt(p - 1, p, dims.max(1)).into_iter().map(|last| last + 1).collect();
    }
    let mut best: Vec<i64> = vec![p];
    best.resize(dims.max(1), 1);
    for mut found in factorizations(p, dims, 1) {
        found.sort_unstable_by(|a, b| b.cmp(a));
        // The least of the largest, then of the next: as equal as possible.
        if found < best {
            best = found;
        }
    }
    if rule == Rule::Reversed {
        best.reverse();
    }
    best
}

/// All ways to write p as a product of so many ordered factors, each at least `least`.
pub(super) fn factorizations(p: i64, dims: usize, least: i64) -> Vec<Vec<i64>> {
    if dims <= 1 {
        return if p >= least { vec![vec![p]] } else { Vec::new() };
    }
    let divisors = (least..=p).filter(|first| p % first == 0);
    divisors
        .flat_map(|first| {
            factorizations(p / first, dims - 1, least).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

/// The grid in which communicators are lines or planes and partners are nearest: least (far pairs, offsets, dimensions,
/// wrap). None without either.
pub(super) fn infer(recordings: &[Pairs], parts: &[(usize, &[i64])]) -> Option<Grid> {
    if recordings.iter().all(|(_, pairs)| pairs.is_empty()) && parts.is_empty() {
        return None;
    }
    let rules = [Rule::Dims, Rule::Reversed, Rule::Bisected];
    let has_bits = recordings.iter().all(|(p, _)| p.is_power_of_two());
    let kinds = rules.into_iter().flat_map(|rule| (1..=3).map(move |dims| (dims, rule)));
    let kinds = kinds.filter(|(dims, rule)| *rule == Rule::Dims || *dims > 1 && (*rule != Rule::Bisected || has_bits));
    let all = kinds.flat_map(|(dims, rule)| [false, true].map(move |wrap| (dims, rule, wrap)));
    let all = all.filter_map(|(dims, rule, wrap)| of_kind(recordings, dims, rule, wrap));
    let has_lines =
        |grid: &Grid| parts.iter().all(|(recording, members)| grid.shape(*recording).line(members).is_some());
    let all = all.filter(has_lines);
    all.min_by_key(|grid| (grid.far, grid.offsets, grid.dims, grid.wrap))
}

/// The grid of a program's own Cartesian communicators, in each recording, if partners are a step away in it.
pub(super) fn of_carts(
    carts: &[Option<&[(u64, bool)]>],
    recordings: &[Pairs],
    parts: &[(usize, &[i64])],
) -> Option<Grid> {
    let carts = carts.iter().copied().collect::<Option<Vec<_>>>()?;
    let (dims, wrap) = (carts.first()?.len(), carts.first()?.first()?.1);
    let is_kind = |cart: &&[(u64, bool)]| cart.len() == dims && cart.iter().all(|(_, periodic)| *periodic == wrap);
    if !carts.iter().all(is_kind) || dims > 3 {
        return None;
    }
    let own = |cart: &[(u64, bool)]| cart.iter().map(|(size, _)| *size as i64).collect::<Vec<i64>>();
    let rules = [Rule::Dims, Rule::Reversed].into_iter();
    let mut found = rules.filter_map(|rule| of_kind(recordings, dims, rule, wrap));
    let grid = found.find(|grid| grid.sizes.iter().zip(&carts).all(|(sizes, cart)| *sizes == own(cart)))?;
    let has_lines = parts.iter().all(|(recording, members)| grid.shape(*recording).line(members).is_some());
    (grid.far == 0 && has_lines).then_some(Grid { is_cart: true, ..grid })
}

fn of_kind(recordings: &[Pairs], dims: usize, rule: Rule, wrap: bool) -> Option<Grid> {
    let sizes: Vec<Vec<i64>> = recordings.iter().map(|(p, _)| sizes(i64::from(*p), dims, rule)).collect();
    // A dimension may be of one rank in small runs, but not in all.
    let is_flat = |dim: usize| sizes.iter().all(|sizes| sizes[dim] < 2);
    if dims > 1 && (0..dims).any(is_flat) {
        return None;
    }
    let (mut far, mut most, mut crosses) = (0, 0, false);
    for ((_, pairs), sizes) in recordings.iter().zip(&sizes) {
        let mut offsets = std::collections::BTreeSet::new();
        for (rank, peer) in pairs {
            let steps = Shape { sizes, wrap, rule }.offset(*rank, *peer);
            far += usize::from(steps.iter().any(|step| step.abs() > 1));
            let straight = Shape { sizes, wrap: false, rule }.offset(*rank, *peer);
            crosses |= steps.iter().zip(&straight).zip(sizes).any(|((step, own), size)| *size > 2 && step != own);
            offsets.insert(steps);
        }
        most = most.max(offsets.len());
    }
    // Two ranks are neighbors either way round: three show whether the first and the last are.
    if wrap && !crosses && sizes.iter().flatten().any(|size| *size > 2) {
        return None;
    }
    Some(Grid { dims, wrap, far, offsets: most, sizes, rule, is_cart: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_equal_as_possible() {
        for (p, dims, expected) in [
            (12, 2, vec![4, 3]),
            (64, 3, vec![4, 4, 4]),
            (36, 2, vec![6, 6]),
            (24, 3, vec![4, 3, 2]),
            (7, 2, vec![7, 1]),
        ] {
            assert_eq!(sizes(p, dims, Rule::Dims), expected);
        }
    }

    #[test]
    fn steps_lead_where_they_came_from() {
        let shapes = [(Rule::Dims, [2, 3, 4]), (Rule::Bisected, [4, 4, 2])];
        for (wrap, (rule, sizes)) in [false, true].into_iter().flat_map(|wrap| shapes.map(move |shape| (wrap, shape))) {
            let (shape, p) = (Shape { sizes: &sizes, wrap, rule }, sizes.iter().product::<i64>());
            for (from, to) in (0..p).flat_map(|from| (0..p).map(move |to| (from, to))) {
                assert_eq!(shape.moved(from, &shape.offset(from, to)), Some(to), "{rule:?}");
            }
        }
        assert_eq!(Shape { sizes: &[2, 4], wrap: false, rule: Rule::Dims }.moved(3, &[0, 1]), None);
    }

    /// Rank 13 of 16 is 1101: halves 1, 1, 0 in three dimensions, then the upper half of the first again.
    #[test]
    fn bits_of_ranks_go_to_dimensions_in_turn() {
        assert_eq!(sizes(16, 3, Rule::Bisected), [4, 2, 2]);
        let shape = Shape { sizes: &[4, 2, 2], wrap: false, rule: Rule::Bisected };
        assert_eq!(shape.coordinates(13), [3, 1, 0]);
        assert_eq!(shape.moved(13, &[-1, 0, 1]), Some(0b1110));
    }

    /// Faces and edges of a box that is halved, on 4, 8 and 16 ranks: flat at first; the first and the last are no neighbors.
    #[test]
    fn a_box_may_be_flat_in_a_small_run() {
        let pairs = |p: i64| {
            let sizes = sizes(p, 3, Rule::Bisected);
            let shape = Shape { sizes: &sizes, wrap: false, rule: Rule::Bisected };
            let steps = (0..27).map(|n| [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1]).filter(|step| *step != [0; 3]);
            let all = steps.flat_map(|step| (0..p).map(move |rank| (rank, step)));
            let all = all.filter_map(|(rank, step)| Some((rank, shape.moved(rank, &step)?)));
            (p as u32, all.collect::<Vec<_>>())
        };
        let grid = infer(&[pairs(4), pairs(8), pairs(16)], &[]).expect("a grid");
        assert_eq!((grid.dims, grid.wrap, grid.far, grid.rule), (3, false, 0, Rule::Bisected));
        assert_eq!(grid.sizes, [[2, 2, 1], [2, 2, 2], [4, 2, 2]]);
    }

    /// Faces of a cube on 8 and 27 ranks: three dimensions, all partners one step away.
    #[test]
    fn a_cube_is_found_from_its_faces() {
        let pairs = |q: i64| {
            let shape = Shape { sizes: &[q, q, q], wrap: false, rule: Rule::Dims };
            let steps = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
            let all = (0..q * q * q).flat_map(|rank| steps.map(|step| (rank, shape.moved(rank, &step))));
            ((q * q * q) as u32, all.filter_map(|(rank, peer)| Some((rank, peer?))).collect::<Vec<_>>())
        };
        let grid = infer(&[pairs(2), pairs(3)], &[]).expect("a grid");
        assert_eq!((grid.dims, grid.wrap, grid.far, grid.offsets), (3, false, 0, 6));
    }
}

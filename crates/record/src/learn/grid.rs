//! The grid that ranks form, from whom they talk to.

/// Sizes in each recording, the last dimension running fastest.
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

/// How the sizes of a grid follow from the number of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// As equal as possible, the largest first (`MPI_Dims_create`).
    Dims,
    /// The same, the smallest first.
    Reversed,
}

/// What one recording says: processes, and pairs of a rank and its partner.
pub(super) type Pairs = (u32, Vec<(i64, i64)>);

/// Coordinates of a rank, the last dimension running fastest.
pub fn coordinates(rank: i64, sizes: &[i64]) -> Vec<i64> {
    let mut rest = rank;
    let mut found: Vec<i64> = sizes
        .iter()
        .rev()
        .map(|size| {
            let own = rest % size.max(&1);
            rest /= size.max(&1);
            own
        })
        .collect();
    found.reverse();
    found
}

/// The rank so far away; none outside of the grid.
pub fn moved(rank: i64, offset: &[i64], sizes: &[i64], wrap: bool) -> Option<i64> {
    let own = coordinates(rank, sizes);
    own.iter().zip(offset).zip(sizes).try_fold(0, |place, ((own, by), size)| {
        let at = own + by;
        let at = if wrap { at.rem_euclid(*size) } else { at };
        (0..*size).contains(&at).then_some(place * size + at)
    })
}

/// The steps from one rank to another, the shorter way round where the grid wraps.
pub fn offset(from: i64, to: i64, sizes: &[i64], wrap: bool) -> Vec<i64> {
    let (from, to) = (coordinates(from, sizes), coordinates(to, sizes));
    let step = |((from, to), size): ((&i64, &i64), &i64)| {
        let by = to - from;
        if !wrap {
            return by;
        }
        let up = by.rem_euclid(*size);
        if 2 * up <= *size { up } else { up - size }
    };
    from.iter().zip(&to).zip(sizes).map(step).collect()
}

/// Sizes of a grid of so many processes.
pub fn sizes(p: i64, dims: usize, rule: Rule) -> Vec<i64> {
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

/// The dimensions in which members differ, a bit each, if they are all ranks that share the other coordinates, in order.
pub(super) fn line(members: &[i64], sizes: &[i64]) -> Option<u32> {
    let all: i64 = sizes.iter().product();
    let places: Vec<Vec<i64>> = members.iter().map(|rank| coordinates(*rank, sizes)).collect();
    let (first, in_grid) = (places.first()?, members.iter().all(|rank| (0..all).contains(rank)));
    let differs = |dim: &usize| places.iter().any(|place| place[*dim] != first[*dim]);
    let free: Vec<usize> = (0..sizes.len()).filter(differs).collect();
    let count: i64 = free.iter().map(|dim| sizes[*dim]).product();
    let is_whole = in_grid && count == members.len() as i64 && members.windows(2).all(|pair| pair[0] < pair[1]);
    is_whole.then(|| free.iter().fold(0, |mask, dim| mask | 1 << dim))
}

/// The grid in which communicators are lines or planes and partners are nearest: least (far pairs, offsets, dimensions,
/// wrap). None without either.
pub(super) fn infer(recordings: &[Pairs], parts: &[(usize, &[i64])]) -> Option<Grid> {
    if recordings.iter().all(|(_, pairs)| pairs.is_empty()) && parts.is_empty() {
        return None;
    }
    let kinds = (1..=3).flat_map(|dims| [Rule::Dims, Rule::Reversed].map(move |rule| (dims, rule)));
    let kinds = kinds.filter(|(dims, rule)| *dims > 1 || *rule == Rule::Dims);
    let all = kinds.flat_map(|(dims, rule)| [false, true].map(move |wrap| (dims, rule, wrap)));
    let all = all.filter_map(|(dims, rule, wrap)| of_kind(recordings, dims, rule, wrap));
    let has_lines =
        |grid: &Grid| parts.iter().all(|(recording, members)| line(members, &grid.sizes[*recording]).is_some());
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
    let has_lines = parts.iter().all(|(recording, members)| line(members, &grid.sizes[*recording]).is_some());
    (grid.far == 0 && has_lines).then_some(Grid { is_cart: true, ..grid })
}

fn of_kind(recordings: &[Pairs], dims: usize, rule: Rule, wrap: bool) -> Option<Grid> {
    let sizes: Vec<Vec<i64>> = recordings.iter().map(|(p, _)| sizes(i64::from(*p), dims, rule)).collect();
    if dims > 1 && sizes.iter().flatten().any(|size| *size < 2) {
        return None;
    }
    let (mut far, mut most) = (0, 0);
    for ((_, pairs), sizes) in recordings.iter().zip(&sizes) {
        let mut offsets = std::collections::BTreeSet::new();
        for (rank, peer) in pairs {
            let steps = offset(*rank, *peer, sizes, wrap);
            far += usize::from(steps.iter().any(|step| step.abs() > 1));
            offsets.insert(steps);
        }
        most = most.max(offsets.len());
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
        for wrap in [false, true] {
            for (from, to) in (0..24).flat_map(|from| (0..24).map(move |to| (from, to))) {
                let steps = offset(from, to, &[2, 3, 4], wrap);
                assert_eq!(moved(from, &steps, &[2, 3, 4], wrap), Some(to));
            }
        }
        assert_eq!(moved(3, &[0, 1], &[2, 4], false), None);
    }

    /// Faces of a cube on 8 and 27 ranks: three dimensions, all partners one step away.
    #[test]
    fn a_cube_is_found_from_its_faces() {
        let pairs = |q: i64| {
            let size = [q, q, q];
            let steps = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
            let all = (0..q * q * q).flat_map(|rank| steps.map(|step| (rank, moved(rank, &step, &size, false))));
            ((q * q * q) as u32, all.filter_map(|(rank, peer)| Some((rank, peer?))).collect::<Vec<_>>())
        };
        let grid = infer(&[pairs(2), pairs(3)], &[]).expect("a grid");
        assert_eq!((grid.dims, grid.wrap, grid.far, grid.offsets), (3, false, 0, 6));
    }
}

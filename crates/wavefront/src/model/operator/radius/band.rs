//! Elimination within a band.

use std::collections::VecDeque;

/// An order of the unknowns in which all entries are close to the diagonal.
pub(super) struct Band {
    /// The place of each unknown in that order.
    place: Vec<usize>,
    /// How far an entry is from the diagonal at most.
    reach: usize,
}

impl Band {
    /// The narrower of the given order and that of E. Cuthill and J. McKee (ACM National Conference, 1969); none where
    /// even that needs more entries or products.
    pub(super) fn new(others: &[Vec<(usize, f64)>], most_entries: usize, most_products: f64) -> Option<Band> {
        let given: Vec<usize> = (0..others.len()).collect();
        let bands = [given, breadth_first(others)].map(|place| Band { reach: reach(others, &place), place });
        let narrowest = bands.into_iter().min_by_key(|band| band.reach)?;
        let fits = others.len().saturating_mul(2 * narrowest.reach + 1) <= most_entries;
        (fits && narrowest.products() <= most_products).then_some(narrowest)
    }

    /// About how many products an elimination takes.
    pub(super) fn products(&self) -> f64 {
        self.place.len() as f64 * (self.reach.max(1) as f64).powi(2)
    }

    /// The solution of (D - low I - N) x = v, D a diagonal and N the others, scaled to a largest entry of 1; none where
    /// rounding leaves no positive vector. The matrix is an M-matrix, so that neither pivots nor subtractions of what
    /// is close are needed, but for the diagonal.
    pub(super) fn solved(
        &self,
        diagonal: &[f64],
        low: f64,
        others: &[Vec<(usize, f64)>],
        v: &[f64],
    ) -> Option<Vec<f64>> {
        let (size, reach) = (diagonal.len(), self.reach);
        let width = 2 * reach + 1;
        // Row i holds columns i - reach to i + reach.
        let mut band = vec![0.0; size * width];
        let mut right = vec![0.0; size];
        for (own, row) in others.iter().enumerate() {
            let i = self.place[own];
            right[i] = v[own];
            band[i * width + reach] = diagonal[own] - low;
            for (column, value) in row {
                band[i * width + self.place[*column] + reach - i] -= value;
            }
        }
        for k in 0..size {
            // A diagonal that rounding has eaten up stands for a very small one: the direction stays right.
            let pivot = band[k * width + reach].max(f64::EPSILON * f64::EPSILON);
            band[k * width + reach] = pivot;
            let last = (k + reach).min(size - 1);
            let (above, below) = band.split_at_mut((k + 1) * width);
            let pivot_row = &above[k * width + reach + 1..k * width + reach + 1 + last - k];
            for i in k + 1..=last {
                let row = &mut below[(i - k - 1) * width..(i - k) * width];
                let factor = row[k + reach - i] / pivot;
                if factor == 0.0 {
                    continue;
                }
                let start = k + 1 + reach - i;
                for (entry, from_pivot) in row[start..start + last - k].iter_mut().zip(pivot_row) {
                    *entry -= factor * from_pivot;
                }
                right[i] -= factor * right[k];
            }
        }
        for i in (0..size).rev() {
            let last = (i + reach).min(size - 1);
            let row = &band[i * width + reach..i * width + reach + 1 + last - i];
            let known: f64 = row[1..].iter().zip(&right[i + 1..=last]).map(|(entry, x)| entry * x).sum();
            right[i] = (right[i] - known) / row[0];
            // Values grow along a band; they are kept within range by a common factor.
            if right[i] > 1e200 {
                right.iter_mut().for_each(|entry| *entry *= 1e-200);
            }
        }
        let largest = right.iter().copied().fold(0.0, f64::max);
        let is_positive = largest.is_finite() && largest > 0.0 && right.iter().all(|entry| *entry > 0.0);
        is_positive.then(|| (0..size).map(|own| right[self.place[own]] / largest).collect())
    }
}

fn reach(others: &[Vec<(usize, f64)>], place: &[usize]) -> usize {
    let far = |(own, row): (usize, &Vec<(usize, f64)>)| row.iter().map(|(j, _)| place[*j].abs_diff(place[own])).max();
    others.iter().enumerate().filter_map(far).max().unwrap_or(0)
}

/// The place of each unknown when they are seen breadth first, those with few neighbors first.
fn breadth_first(others: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let size = others.len();
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); size];
    for (own, row) in others.iter().enumerate() {
        for (column, _) in row {
            neighbors[own].push(*column);
            neighbors[*column].push(own);
        }
    }
    let degrees: Vec<usize> = neighbors.iter().map(Vec::len).collect();
    for list in &mut neighbors {
        list.sort_unstable_by_key(|other| (degrees[*other], *other));
        list.dedup();
    }
    let first = (0..size).min_by_key(|own| degrees[*own]).unwrap_or(0);
    // From the last one seen from there, which lies far out.
    let far = seen_from(first, &neighbors).last().copied().unwrap_or(first);
    let mut place = vec![0; size];
    seen_from(far, &neighbors).into_iter().enumerate().for_each(|(at, own)| place[own] = at);
    place
}

/// All in the order in which they are seen; a component is connected.
fn seen_from(first: usize, neighbors: &[Vec<usize>]) -> Vec<usize> {
    let mut is_seen = vec![false; neighbors.len()];
    let mut queue = VecDeque::from([first]);
    let mut order = Vec::with_capacity(neighbors.len());
    is_seen[first] = true;
    while let Some(own) = queue.pop_front() {
        order.push(own);
        for other in &neighbors[own] {
            if !std::mem::replace(&mut is_seen[*other], true) {
                queue.push_back(*other);
            }
        }
    }
    order
}

//! Identical processes: states need not distinguish them.

use crate::model::Model;
use crate::model::law::Law;
use std::sync::Arc;

/// The processes in groups of which any two can change places without changing the model: equal A, B, start and laws in
/// all modes, and exchangeable links.
pub fn groups(model: &Model) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for process in 0..model.size() {
        match groups.iter_mut().find(|group| exchangeable(model, group[0], process)) {
            Some(group) => group.push(process),
            None => groups.push(vec![process]),
        }
    }
    groups
}

/// Whether the model stays the same when the two change places.
fn exchangeable(model: &Model, a: usize, b: usize) -> bool {
    let (first, second) = (&model.processes[a], &model.processes[b]);
    let updates = |process: &crate::model::Process| (process.alpha_updates, process.beta_updates);
    let swapped = |process: usize| match process {
        _ if process == a => b,
        _ if process == b => a,
        _ => process,
    };
    updates(first) == updates(second)
        && model.start[a] == model.start[b]
        && model.modes.laws.iter().all(|laws| {
            same(&laws.update[a], &laws.update[b])
                // Links that touch neither of them stay where they are.
                && (0..model.size()).all(|other| {
                    [(a, other), (b, other), (other, a), (other, b)]
                        .into_iter()
                        .filter(|(from, to)| from != to)
                        .all(|(from, to)| same(&laws.message[from][to], &laws.message[swapped(from)][swapped(to)]))
                })
        })
}

/// Equal laws; mostly they are one and the same.
fn same(first: &Arc<Law>, second: &Arc<Law>) -> bool {
    Arc::ptr_eq(first, second) || first == second
}

/// All multisets of up to `size` of the values 0, 1, .. `values` - 1, numbered for each size.
///
/// A multiset is a sequence that does not fall; a sequence is numbered after the one without its last value.
pub(crate) struct Multisets {
    pub values: usize,
    pub size: usize,
    sizes: Vec<OfSize>,
}

struct OfSize {
    /// Without the largest value, and the largest value; nothing for the empty one.
    shorter: Vec<(u32, u32)>,
    /// The first that is longer by one.
    longer: Vec<u32>,
    /// With each value more.
    with: Vec<u32>,
}

impl Multisets {
    /// How many multisets of `size` values there are.
    pub fn expected(values: usize, size: usize) -> f64 {
        (0..size).fold(1.0, |count, taken| count * (values + taken) as f64 / (taken + 1) as f64)
    }

    pub fn new(values: usize, size: usize) -> Multisets {
        let mut sizes = vec![OfSize { shorter: vec![(0, 0)], longer: Vec::new(), with: Vec::new() }];
        for length in 0..size {
            let mut next = OfSize { shorter: Vec::new(), longer: Vec::new(), with: Vec::new() };
            for index in 0..sizes[length].shorter.len() {
                let least = sizes[length].shorter[index].1;
                sizes[length].longer.push(next.shorter.len() as u32);
                next.shorter.extend((least..values as u32).map(|value| (index as u32, value)));
            }
            sizes.push(next);
            let mut with = Vec::with_capacity(sizes[length].shorter.len() * values);
            for index in 0..sizes[length].shorter.len() {
                let (shorter, largest) = sizes[length].shorter[index];
                for value in 0..values as u32 {
                    with.push(if length == 0 || value >= largest {
                        sizes[length].longer[index] + value - if length == 0 { 0 } else { largest }
                    } else {
                        let below = sizes[length - 1].with[shorter as usize * values + value as usize] as usize;
                        sizes[length].longer[below] + largest - sizes[length].shorter[below].1
                    });
                }
            }
            sizes[length].with = with;
        }
        Multisets { values, size, sizes }
    }

    /// How many there are of a size.
    pub fn count(&self, size: usize) -> usize {
        self.sizes[size].shorter.len()
    }

    /// One without its largest value, and that value.
    pub fn without_largest(&self, size: usize, index: usize) -> (usize, usize) {
        let (shorter, largest) = self.sizes[size].shorter[index];
        (shorter as usize, largest as usize)
    }

    /// The numbers of one with each value more.
    pub fn with(&self, size: usize, index: usize) -> &[u32] {
        &self.sizes[size].with[index * self.values..][..self.values]
    }

    /// The values of a full one, ascending.
    pub fn values_of(&self, index: usize, values: &mut [usize]) {
        let mut index = index;
        for size in (1..=self.size).rev() {
            (index, values[size - 1]) = self.without_largest(size, index);
        }
    }

    /// The number of a full one.
    pub fn number(&self, values: impl IntoIterator<Item = usize>) -> usize {
        values.into_iter().enumerate().fold(0, |index, (size, value)| self.with(size, index)[value] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn a_thousand_alike_are_one_group_at_once() {
        let law = Law::new([(1, 0.5), (2, 0.5)]).expect("a law");
        let mut model = cases::plain(1.0, 0.9, vec![law.clone(); 1000], law);
        assert_eq!(groups(&model).len(), 1);
        // Two that are apart by one link to a third.
        model.modes.laws[0].message[3][700] = Arc::new(Law::constant(2));
        let sizes: Vec<usize> = groups(&model).iter().map(Vec::len).collect();
        assert_eq!(sizes, [998, 1, 1]);
    }

    #[test]
    fn multisets_are_numbered() {
        let sets = Multisets::new(4, 3);
        assert_eq!((sets.count(0), sets.count(1), sets.count(2), sets.count(3)), (1, 4, 10, 20));
        assert_eq!(Multisets::expected(4, 3), 20.0);
        let mut seen = [false; 20];
        for a in 0..4 {
            for b in 0..4 {
                for c in 0..4 {
                    let index = sets.number([a, b, c]);
                    seen[index] = true;
                    let mut values = [0; 3];
                    sets.values_of(index, &mut values);
                    let mut sorted = [a, b, c];
                    sorted.sort_unstable();
                    assert_eq!(values, sorted);
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn one_slow_link_divides_a_group() {
        let mut model = cases::homogeneous(4, 1, 3);
        assert_eq!(groups(&model), [vec![0, 1, 2, 3]]);
        model.modes.laws[0].message[1][3] = Arc::new(Law::constant(2));
        assert_eq!(groups(&model), [vec![0, 2], vec![1], vec![3]]);
        model.modes.laws[0].message[3][1] = Arc::new(Law::constant(2));
        assert_eq!(groups(&model), [vec![0, 2], vec![1, 3]]);
        model.start = vec![0, 0, 0, 1];
        assert_eq!(groups(&model), [vec![0, 2], vec![1], vec![3]]);
    }
}

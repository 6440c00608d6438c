//! Topologies against plain walks over the same nodes and cables.

use super::*;
use std::collections::HashMap;

const LINK: Common = Common { bandwidth: 1e9, latency_s: 1e-6, shared: true, full_duplex: true };

fn route(paths: &dyn Paths, from: Port, to: Port) -> Vec<Local> {
    let mut links = Vec::new();
    paths.route(from, to, &mut |link| links.push(link));
    links
}

/// Nodes of a fat tree with labels, its parents found by comparing all labels, and the way walked over them: slow, and
/// without the arithmetic of [`FatTree`].
struct Walked {
    /// By level, the labels of its nodes.
    labels: Vec<Vec<Vec<u32>>>,
    down: Vec<u32>,
    up: Vec<u32>,
    cables: Vec<u32>,
}

/// Level of the child, child, parent, cable, and whether upwards.
type Step = (usize, usize, usize, u32, bool);

impl Walked {
    fn new(down: &[u32], up: &[u32], cables: &[u32]) -> Self {
        let levels = down.len();
        let labels = (0..=levels).map(|level| {
            let radix: Vec<u32> =
                (0..levels).map(|digit| if digit < level { up[digit] } else { down[digit] }).collect();
            let count: u32 = radix.iter().product();
            let label = |mut number: u32| {
                radix
                    .iter()
                    .map(|radix| {
                        let digit = number % radix;
                        number /= radix;
                        digit
                    })
                    .collect::<Vec<_>>()
            };
            (0..count).map(label).collect::<Vec<_>>()
        });
        Walked { labels: labels.collect(), down: down.to_vec(), up: up.to_vec(), cables: cables.to_vec() }
    }

    fn parents(&self, level: usize, child: usize) -> Vec<usize> {
        let related = |label: &Vec<u32>| {
            label.iter().zip(&self.labels[level][child]).enumerate().all(|(digit, (a, b))| digit == level || a == b)
        };
        let all = &self.labels[level + 1];
        (0..all.len()).filter(|&parent| related(&all[parent])).collect()
    }

    /// Whether a machine is below a node.
    fn is_above(&self, level: usize, node: usize, machine: usize) -> bool {
        let (label, machine) = (&self.labels[level][node], &self.labels[0][machine]);
        level == 0 && label == machine
            || level > 0 && (level..self.down.len()).all(|digit| label[digit] == machine[digit])
    }

    fn route(&self, from: usize, to: usize) -> Vec<Step> {
        let (mut level, mut node, mut steps) = (0, from, Vec::new());
        while !self.is_above(level, node, to) {
            let mut port = to as u32;
            for below in 0..level {
                port /= self.up[below] * self.cables[below];
            }
            port %= self.up[level] * self.cables[level];
            let parents = self.parents(level, node);
            let parent = parents[(port % self.up[level]) as usize];
            steps.push((level, node, parent, port / self.up[level], true));
            (level, node) = (level + 1, parent);
        }
        while level > 0 {
            let child = (0..self.labels[level - 1].len())
                .find(|&child| self.parents(level - 1, child).contains(&node) && self.is_above(level - 1, child, to));
            let child = child.expect("a child above the destination");
            steps.push((level - 1, child, node, from as u32 % self.cables[level - 1], false));
            (level, node) = (level - 1, child);
        }
        steps
    }
}

#[test]
fn fat_trees_are_those_of_a_plain_walk() {
    for (down, up, cables) in [
        (vec![4], vec![1], vec![1]),
        (vec![16, 2], vec![1, 8], vec![1, 1]),
        (vec![3, 4], vec![2, 3], vec![2, 2]),
        (vec![2, 3, 2], vec![1, 2, 2], vec![1, 1, 2]),
        (vec![2, 2, 3], vec![3, 2, 2], vec![2, 1, 3]),
    ] {
        let tree = FatTree::new(down.clone(), up.clone(), cables.clone(), LINK);
        let walked = Walked::new(&down, &up, &cables);
        let machines: u32 = down.iter().product();
        // Links and steps are the same, one to one.
        let (mut by_link, mut by_step) = (HashMap::new(), HashMap::new());
        for from in 0..machines {
            for to in (0..machines).filter(|to| *to != from) {
                let links = route(&tree, from, to);
                let steps = walked.route(from as usize, to as usize);
                assert_eq!(links.len(), steps.len(), "{from} to {to}");
                assert_eq!(tree.class(from, to), Some(links.len() as u32 / 2));
                for (link, step) in links.into_iter().zip(steps) {
                    assert!(u64::from(link) < tree.links());
                    assert_eq!(*by_link.entry(link).or_insert(step), step, "{down:?} {from} to {to}");
                    assert_eq!(*by_step.entry(step).or_insert(link), link, "{down:?} {from} to {to}");
                }
            }
        }
    }
}

#[test]
fn tori_take_the_shorter_way_dimension_by_dimension() {
    for dims in [vec![5], vec![4, 3], vec![2, 3, 4], vec![1, 6]] {
        let torus = Torus { dims: dims.clone(), link: LINK };
        let nodes: u32 = dims.iter().product();
        let coordinates = |mut node: u32| -> Vec<u32> {
            dims.iter()
                .map(|extent| {
                    let at = node % extent;
                    node /= extent;
                    at
                })
                .collect()
        };
        // A link joins two neighbors: the same two whenever it is used.
        let mut ends: HashMap<Local, (Vec<u32>, Vec<u32>)> = HashMap::new();
        for from in 0..nodes {
            for to in 0..nodes {
                let (mut at, target) = (coordinates(from), coordinates(to));
                let mut links = route(&torus, from, to).into_iter();
                for dimension in 0..dims.len() {
                    let extent = dims[dimension];
                    let up = (target[dimension] + extent - at[dimension]) % extent;
                    let (hops, step) = if 2 * up <= extent { (up, 1) } else { (extent - up, extent - 1) };
                    for _ in 0..hops {
                        let before = at.clone();
                        at[dimension] = (at[dimension] + step) % extent;
                        let link = links.next().expect("a link a hop");
                        assert_eq!(*ends.entry(link).or_insert((before.clone(), at.clone())), (before, at.clone()));
                    }
                }
                assert_eq!((links.next(), &at), (None, &target), "{dims:?} {from} to {to}");
            }
        }
        let used: std::collections::HashSet<_> = ends.keys().collect();
        assert!(used.iter().all(|link| u64::from(**link) < torus.links()));
    }
}

#[test]
fn dragonflies_take_at_most_one_link_between_groups() {
    let dragonfly = Dragonfly {
        groups: 3,
        chassis: 2,
        routers: 4,
        nodes: 2,
        group_links: 4,
        chassis_links: 2,
        router_links: 1,
        link: LINK,
    };
    let machines = 3 * 2 * 4 * 2;
    let mut owner: HashMap<Local, (u32, u32)> = HashMap::new();
    let mut used = std::collections::HashSet::new();
    for from in 0..machines {
        for to in (0..machines).filter(|to| *to != from) {
            let links = route(&dragonfly, from, to);
            let kinds: Vec<u32> = links.iter().map(|&link| dragonfly.kind_of(link)).collect();
            assert_eq!((kinds[0], kinds[kinds.len() - 1]), (0, 0));
            let group = |machine: u32| machine / 16;
            let between = kinds.iter().filter(|kind| **kind == 3).count();
            assert_eq!(between, usize::from(group(from) != group(to)), "{from} to {to}");
            assert_eq!(links.len() == 2, from / 2 == to / 2, "machines of one router");
            // The link between two groups is the same for all their machines.
            for (link, _) in links.iter().zip(&kinds).filter(|(_, kind)| **kind == 3) {
                let pair = (group(from), group(to));
                assert_eq!(*owner.entry(*link).or_insert(pair), pair);
            }
            used.extend(links);
        }
    }
    assert_eq!(owner.len(), 6, "three pairs of groups, both ways");
    assert_eq!(used.len() as u64, dragonfly.links(), "every link is on some way");
    let widths: Vec<f64> = dragonfly.kinds().iter().map(|kind| kind.bandwidth / 1e9).collect();
    assert_eq!(widths, [1.0, 1.0, 2.0, 4.0]);
}

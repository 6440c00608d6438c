//! Shortest ways, for zones whose routes are computed (Floyd, Dijkstra): fewest links.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A hop between two nodes: where to, and its links with whether they are passed backwards.
#[derive(Debug, Clone)]
pub(super) struct Hop {
    pub to: usize,
    pub links: Vec<(u32, bool)>,
}

/// The links from a node to every other one; none where there is no way.
pub(super) fn from(hops: &[Vec<Hop>], start: usize) -> Vec<Option<Vec<(u32, bool)>>> {
    let mut best = vec![usize::MAX; hops.len()];
    let mut before: Vec<Option<(usize, usize)>> = vec![None; hops.len()];
    let mut queue = BinaryHeap::from([Reverse((0, start))]);
    best[start] = 0;
    while let Some(Reverse((cost, node))) = queue.pop() {
        if cost > best[node] {
            continue;
        }
        for (index, hop) in hops[node].iter().enumerate() {
            let next = cost + hop.links.len();
            if next < best[hop.to] {
                best[hop.to] = next;
                before[hop.to] = Some((node, index));
                queue.push(Reverse((next, hop.to)));
            }
        }
    }
    let way = |mut node: usize| {
        if best[node] == usize::MAX {
            return None;
        }
        let mut parts = Vec::new();
        // A node is never its own ancestor: costs do not fall on the way.
        while let Some((from, index)) = before[node].filter(|_| node != start) {
            parts.push(&hops[from][index].links);
            node = from;
        }
        Some(parts.into_iter().rev().flatten().copied().collect())
    };
    (0..hops.len()).map(way).collect()
}

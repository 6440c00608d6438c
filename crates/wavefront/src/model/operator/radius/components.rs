//! Strongly connected components of the graph of a matrix.

/// The components by R. Tarjan's algorithm (SIAM J. Comput. 1, 1972), without recursion; an entry that is 0 is no edge.
pub(super) fn components(rows: &[Vec<(usize, f64)>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        rows,
        order: vec![None; rows.len()],
        low: vec![0; rows.len()],
        is_open: vec![false; rows.len()],
        open: Vec::new(),
        seen: 0,
        found: Vec::new(),
    };
    for root in 0..rows.len() {
        if search.order[root].is_none() {
            search.from(root);
        }
    }
    search.found
}

struct Search<'a> {
    rows: &'a [Vec<(usize, f64)>],
    /// When each was seen first.
    order: Vec<Option<usize>>,
    /// The earliest that is reached from it among those that are open.
    low: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    seen: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        // Nodes on the way with the next edge to look at.
        let mut way = vec![(self.enter(root), 0)];
        while let Some((node, edge)) = way.last_mut() {
            let node = *node;
            let next = self.rows[node].get(*edge).copied();
            *edge += 1;
            match next {
                Some((_, 0.0)) => {}
                Some((column, _)) => match self.order[column] {
                    None => way.push((self.enter(column), 0)),
                    Some(order) if self.is_open[column] => self.low[node] = self.low[node].min(order),
                    Some(_) => {}
                },
                None => {
                    way.pop();
                    if let Some((above, _)) = way.last() {
                        self.low[*above] = self.low[*above].min(self.low[node]);
                    }
                    self.leave(node);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) -> usize {
        self.order[node] = Some(self.seen);
        self.low[node] = self.seen;
        self.seen += 1;
        self.is_open[node] = true;
        self.open.push(node);
        node
    }

    fn leave(&mut self, node: usize) {
        if self.order[node] != Some(self.low[node]) {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == node).unwrap_or(0);
        let members = self.open.split_off(start);
        members.iter().for_each(|member| self.is_open[*member] = false);
        self.found.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_zeros_are_no_edges() {
        let rows =
            vec![vec![(1, 1.0)], vec![(2, 1.0)], vec![(0, 1.0), (3, 1.0)], vec![(0, 0.0), (4, 1.0)], vec![(4, 1.0)]];
        let mut found = components(&rows);
        found.iter_mut().for_each(|members| members.sort_unstable());
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3], vec![4]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let rows: Vec<Vec<(usize, f64)>> = (0..300_000).map(|i| vec![((i + 1) % 300_000, 1.0)]).collect();
        assert_eq!(components(&rows).len(), 1);
    }
}

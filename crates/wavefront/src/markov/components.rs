//! Strongly connected components (R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1(2), 1972).

/// The components of a graph of `count` nodes, as far as they are reached from the first `roots` nodes; each comes before
/// all that lead to it. Without recursion.
pub(crate) fn components<I: Iterator<Item = usize>>(
    count: usize,
    roots: usize,
    neighbors: impl Fn(usize) -> I,
) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let (mut order, mut lowest, mut is_open) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
    let (mut found, mut open, mut seen) = (Vec::new(), Vec::new(), 0);
    for root in 0..roots {
        // Nodes on the way, with the neighbors still to be looked at.
        let mut way: Vec<(usize, I)> = Vec::new();
        let mut enter = (order[root] == UNSEEN).then_some(root);
        loop {
            if let Some(node) = enter.take() {
                (order[node], lowest[node], is_open[node]) = (seen, seen, true);
                seen += 1;
                open.push(node);
                way.push((node, neighbors(node)));
            }
            let Some((node, left)) = way.last_mut() else { break };
            let node = *node;
            match left.next() {
                Some(next) if order[next] == UNSEEN => enter = Some(next),
                Some(next) if is_open[next] => lowest[node] = lowest[node].min(order[next]),
                Some(_) => {}
                None => {
                    way.pop();
                    if let Some((above, _)) = way.last() {
                        lowest[*above] = lowest[*above].min(lowest[node]);
                    }
                    if lowest[node] == order[node] {
                        let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                        let members = open.split_off(start);
                        members.iter().for_each(|member| is_open[*member] = false);
                        found.push(members);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_those_that_lead_to_others_last() {
        let neighbors = [vec![1], vec![2], vec![0, 3], vec![], vec![4, 3]];
        let mut found = components(5, 5, |node| neighbors[node].iter().copied());
        found.iter_mut().for_each(|members| members.sort_unstable());
        assert_eq!(found, [vec![3], vec![0, 1, 2], vec![4]]);
        assert_eq!(components(5, 1, |node| neighbors[node].iter().copied()).len(), 2);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        assert_eq!(components(300_000, 300_000, |node| std::iter::once((node + 1) % 300_000)).len(), 1);
    }
}

//! Trees of programs whose calls are known, against these calls.

use super::*;
use crate::tree::{events, nodes, terms};
use crate::vocabulary::{Flags, call};
use crate::walk::walk;
use proptest::prelude::*;
use std::ops::ControlFlow;

const SITE: u32 = 0;

fn message(number: u16, flags: Flags, peer: i64, size: i64, tag: i64) -> Leaf {
    event(
        number,
        flags,
        SITE + u32::from(number),
        0,
        &[(Field::Peer, &[peer]), (Field::Size, &[size]), (Field::Tag, &[tag])],
    )
}

/// Rank 21 of 4 x 4 x 4: six neighbors, a norm after each tenth iteration.
fn heat(iterations: u32) -> Vec<Leaf> {
    let mut calls = Vec::new();
    for iteration in 1..=iterations {
        for (tags, flags, number) in
            [([1, 0, 3, 2, 5, 4], Flags::NONBLOCKING, call::RECV), ([0, 1, 2, 3, 4, 5], Flags::NONBLOCKING, call::SEND)]
        {
            for (peer, tag) in [22, 20, 25, 17, 37, 5].into_iter().zip(tags) {
                calls.push(message(number, flags, peer, 8_192, tag));
            }
        }
        calls.push(event(call::WAITALL, Flags::default(), 3, 0, &[(Field::Count, &[12])]));
        if iteration % 10 == 0 {
            calls.push(event(call::ALLREDUCE, Flags::COLLECTIVE, 4, 0, &[(Field::Size, &[8])]));
        }
    }
    calls.push(event(call::FINALIZE, Flags::default(), 5, 0, &[]));
    calls
}

/// Panels of a factorization: 64 reductions, 2 broadcasts, 3 swaps, of sizes that fall.
fn panels() -> Vec<Leaf> {
    let mut calls = Vec::new();
    for panel in 0..64 {
        for _ in 0..64 {
            calls.push(event(call::ALLREDUCE, Flags::COLLECTIVE, 1, 0, &[(Field::Size, &[16])]));
        }
        for _ in 0..2 {
            let size = 4_096 * (64 - panel);
            calls.push(event(call::BCAST, Flags::COLLECTIVE, 2, 0, &[(Field::Size, &[size]), (Field::Root, &[panel])]));
        }
        for _ in 0..3 {
            calls.push(message(call::SENDRECV, Flags::default(), 3, 2_048 * (64 - panel), 0));
        }
    }
    calls.push(event(call::FINALIZE, Flags::default(), 5, 0, &[]));
    calls
}

/// Rank 5 of 64: partners r xor 2^k.
fn butterfly(times: u32) -> Vec<Leaf> {
    let partner = |bit: u32| 5_i64 ^ 1 << bit;
    let exchange = |bit| {
        event(
            call::SENDRECV,
            Flags::default(),
            1,
            0,
            &[(Field::Peer, &[partner(bit)]), (Field::Peer2, &[partner(bit)])],
        )
    };
    (0..times).flat_map(|_| (0..6).map(exchange)).collect()
}

fn folded(calls: &[Leaf]) -> (Vec<Node>, Vec<LeafStat>, usize) {
    let mut folder = Folder::default();
    calls.iter().for_each(|leaf| folder.push(leaf.clone(), Sample { block_s: 1e-6, wall_s: 1e-6, call_s: 2e-6 }));
    let longest = folder.longest();
    let (tree, stats) = folder.finish();
    (tree, stats, longest)
}

fn expanded(tree: &[Node]) -> Vec<Leaf> {
    let mut calls = Vec::new();
    let done = walk::<()>(tree, |seen| {
        let lists: Vec<(Field, &[i64])> = Field::of(seen.leaf.mask).map(|field| (field, seen.all(field))).collect();
        calls.push(event(seen.leaf.call, seen.leaf.flags, seen.leaf.site, seen.leaf.comm, &lists));
        ControlFlow::Continue(())
    });
    assert_eq!(done, ControlFlow::Continue(()));
    calls
}

#[test]
fn known_programs_take_few_nodes() {
    // (calls, (events, nodes, terms, longest queue)), from an independent program.
    let cases = [
        ("heat", heat(200), (2_621, 9, 16, 7)),
        ("long heat", heat(2_000), (26_201, 9, 16, 7)),
        ("panels", panels(), (4_417, 8, 10, 6)),
        ("butterfly", butterfly(500), (3_000, 2, 7, 1)),
    ];
    for (name, calls, (all, node_count, term_count, queue)) in cases {
        let (tree, stats, longest) = folded(&calls);
        assert_eq!((calls.len(), events(&tree)), (all, all as u64), "{name}");
        assert_eq!((nodes(&tree), terms(&tree), longest), (node_count, term_count, queue), "{name}: {tree:?}");
        assert_eq!(expanded(&tree), calls, "{name}");
        let sum: f64 = stats.iter().map(|stat| stat.block_s).sum();
        assert!((sum - all as f64 * 1e-6).abs() < 1e-9, "{name}");
        assert!(stats.iter().all(|stat| stat.bins.iter().map(|(_, count)| count).sum::<u64>() == stat.executions));
    }
}

#[test]
fn a_loop_that_is_left_out_once_breaks_the_outer_one_and_nothing_is_lost() {
    let mut calls = Vec::new();
    for trips in [3, 2, 0, 4, 1, 1] {
        calls.extend((0..trips).map(|number| message(call::SEND, Flags::default(), number, 8, 0)));
        calls.push(event(call::BARRIER, Flags::COLLECTIVE, 9, 0, &[]));
    }
    assert_eq!(expanded(&folded(&calls).0), calls);
}

proptest! {
    #[test]
    fn a_tree_expands_to_its_calls(kinds in prop::collection::vec((1..4_u16, 0..3_i64, 1..3_usize), 0..300), window in 1..40_usize) {
        let calls: Vec<Leaf> = kinds.iter().map(|(kind, value, requests)| {
            let requests = vec![*value; *requests];
            event(*kind, Flags::default(), 0, 0, &[(Field::Peer, &[*value]), (Field::Reqs, &requests)])
        }).collect();
        let mut folder = Folder::new(window);
        calls.iter().for_each(|leaf| folder.push(leaf.clone(), Sample::default()));
        let (tree, stats) = folder.finish();
        prop_assert_eq!(stats.iter().map(|stat| stat.executions).sum::<u64>(), calls.len() as u64);
        prop_assert_eq!(expanded(&tree), calls);
    }

    #[test]
    fn programs_of_nested_loops_expand_to_their_calls(trips in prop::collection::vec((1..5_u32, 1..4_u32, 0..3_i64), 1..20)) {
        let mut calls = Vec::new();
        for (outer, inner, value) in trips {
            for _ in 0..outer {
                for peer in 0..inner {
                    calls.push(message(call::SEND, Flags::default(), i64::from(peer), value, 0));
                }
                calls.push(event(call::BARRIER, Flags::COLLECTIVE, 9, 0, &[]));
            }
        }
        prop_assert_eq!(expanded(&folded(&calls).0), calls);
    }
}

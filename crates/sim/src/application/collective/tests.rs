//! Formulas against printed numbers; messages against formulas; every message is received.

use super::algorithm::{ALGORITHMS, Algorithm};
use super::{Choice, Decision, Shape, expand, seconds};
use crate::application::{Application, Collective, CollectiveKind, Group, Label, Programs};
use crate::cursor::Action;
use std::collections::HashMap;

const A: f64 = 2e-6;
const B: f64 = 0.1e-9;
const C: f64 = 0.05e-9;

fn microseconds(kind: CollectiveKind, name: &str, processes: u64, size: u64) -> f64 {
    let chosen = Choice::default().choose(kind, Some(name), size, processes).expect("an algorithm");
    1e6 * seconds(chosen.algorithm, &chosen.shape(processes, size), &(A, B, C))
}

/// P = 8, n = 2^20, a = 2 us, b = 0.1, c = 0.05 ns/B.
#[test]
fn printed_times_of_eight_processes() {
    use CollectiveKind::*;
    for (kind, name, expected) in [
        (Bcast, "linear", 748.0032),
        (Bcast, "binomial", 320.5728),
        (Bcast, "scatter_doubling", 195.5008),
        (Bcast, "scatter_ring", 203.5008),
        (Bcast, "chain:16", 188.1792),
        (Bcast, "chain", 188.1792),
        (Allreduce, "doubling", 477.8592),
        (Allreduce, "rabenseifner", 241.376),
        (Allreduce, "ring", 257.376),
        (Allgather, "doubling", 97.7504),
        (Allgather, "bruck", 97.7504),
        (Allgather, "ring", 105.7504),
        (Alltoall, "bruck", 163.2864),
        (Alltoall, "pairwise", 118.8576),
        (Alltoall, "spread", 118.8576),
        (Scatter, "linear", 105.7504),
        (Gather, "linear", 105.7504),
        (Bcast, "knomial:4", 641.1456),
        (Bcast, "knomial:2", 320.5728),
        // d = 3: (3 + S - 1) 2 (a + (n/S) b).
        (Bcast, "binary:1", 6.0 * 106.8576),
        (Bcast, "binary:8", 20.0 * (2.0 + 104.8576 / 8.0)),
        (Bcast, "split_binary:8", 20.0 * (2.0 + 104.8576 / 16.0) + 54.4288),
        (Allgather, "neighbor", 99.7504),
        (Scan, "doubling", 477.8592),
        (Exscan, "doubling", 477.8592),
        (Alltoall, "linear", 118.8576),
        (Alltoall, "linear_sync", 132.8576),
        (Gather, "linear_sync", 28.0 + 91.7504),
        (Barrier, "dissemination", 6.0),
        (Barrier, "linear", 28.0),
        (Barrier, "tree", 12.0),
    ] {
        let got = microseconds(kind, name, 8, 1 << 20);
        assert!((got - expected).abs() < 5e-5, "{} {name}: {got} instead of {expected}", kind.name());
    }
}

/// Formulas that are typed in again here, for many numbers of processes.
#[test]
fn formulas_hold_for_any_number_of_processes() {
    use CollectiveKind::*;
    let size = 1_000_003_u64;
    let n = size as f64;
    for processes in 2..70_u64 {
        let p = processes as f64;
        let lg = p.log2().ceil();
        let share = (p - 1.0) / p;
        for (kind, name, expected) in [
            (Bcast, "binomial", lg * (A + n * B)),
            (Bcast, "scatter_doubling", 2.0 * lg * A + 2.0 * share * n * B),
            (Bcast, "scatter_ring", (lg + p - 1.0) * A + 2.0 * share * n * B),
            (Bcast, "chain:7", (p - 2.0 + 7.0) * (A + n / 7.0 * B)),
            (Scatter, "binomial", lg * A + share * n * B),
            (Gather, "binomial", lg * A + share * n * B),
            (Allgather, "bruck", lg * A + share * n * B),
            (Alltoall, "bruck", lg * A + n / 2.0 * lg * B),
            (Alltoall, "pairwise", (p - 1.0) * A + n * B),
            (Reduce, "binomial", lg * (A + n * B + n * C)),
            (ReduceScatter, "pairwise", (p - 1.0) * A + share * n * (B + C)),
            (Allreduce, "ring", 2.0 * (p - 1.0) * A + 2.0 * share * n * B + share * n * C),
            (Barrier, "dissemination", lg * A),
        ] {
            let got = microseconds(kind, name, processes, size) * 1e-6;
            assert!((got / expected - 1.0).abs() < 1e-12, "{} {name}, P = {processes}", kind.name());
        }
        // Folded: the power of two below, and 2(a + nb) + nc.
        let inner = p.log2().floor().exp2();
        let folded = if inner < p { 2.0 * (A + n * B) + n * C } else { 0.0 };
        let (lg, share) = (inner.log2(), (inner - 1.0) / inner);
        for (kind, name, expected) in [
            (Allreduce, "doubling", lg * (A + n * B + n * C)),
            (Allreduce, "rabenseifner", 2.0 * lg * A + 2.0 * share * n * B + share * n * C),
            (Reduce, "rabenseifner", 2.0 * lg * A + 2.0 * share * n * B + share * n * C),
            (ReduceScatter, "halving", lg * A + share * n * (B + C)),
        ] {
            let got = microseconds(kind, name, processes, size) * 1e-6;
            assert!((got / (expected + folded) - 1.0).abs() < 1e-12, "{} {name}, P = {processes}", kind.name());
        }
    }
}

#[test]
fn the_table_chooses_by_size_and_number() {
    use CollectiveKind::*;
    let choose =
        |kind, size, processes| Choice::default().choose(kind, None, size, processes).expect("a row").algorithm.name;
    assert_eq!(choose(Bcast, 12_287, 64), "binomial");
    assert_eq!(choose(Bcast, 1 << 20, 7), "binomial");
    assert_eq!(choose(Bcast, 12_288, 64), "scatter_doubling");
    assert_eq!(choose(Bcast, 12_288, 63), "scatter_ring");
    assert_eq!(choose(Bcast, 1 << 19, 64), "scatter_ring");
    assert_eq!(choose(Allgather, 100, 8), "doubling");
    assert_eq!(choose(Allgather, 100, 9), "bruck");
    assert_eq!(choose(Allgather, 1 << 19, 8), "ring");
    assert_eq!(choose(Alltoall, 256, 8), "bruck");
    assert_eq!(choose(Alltoall, 257, 8), "spread");
    assert_eq!(choose(Alltoall, 32_769, 8), "pairwise");
    assert_eq!(choose(Reduce, 2048, 8), "binomial");
    assert_eq!(choose(Allreduce, 2048, 8), "doubling");
    assert_eq!(choose(Allreduce, 2049, 8), "rabenseifner");
    assert_eq!(choose(Barrier, 0, 8), "dissemination");
    let mut mine = Choice::default();
    mine.fix("bcast=linear").expect("known");
    assert_eq!(mine.choose(Bcast, None, 1, 64).expect("fixed").algorithm.name, "linear");
    assert_eq!(mine.choose(Bcast, Some("chain:3"), 1, 64).expect("named").parameter, Some(3));
    assert_eq!(mine.fix("bcast=ring").expect_err("no such").code, "unknown_algorithm");
    assert_eq!(mine.fix("brodcast=ring").expect_err("no such").code, "unknown_collective");
    assert_eq!(mine.fix("bcast=chain:0").expect_err("no segments").code, "bad_segments");
}

fn application(processes: u64, call: Collective, members: Option<Vec<u64>>) -> Application {
    let label = Label::new("cell", 5, processes, Programs::Same(0));
    Application {
        labels: vec![Label { name: "other".to_owned(), first: 0, count: 5, ..label.clone() }, label],
        groups: vec![Group { label: 1, members }],
        collectives: vec![call],
        ..Application::default()
    }
}

/// The algorithm of the first call, between any members.
fn decision(application: &Application) -> Decision {
    let call = &application.collectives[0];
    let processes = super::members(application, call.group);
    let chosen = Choice::default().choose(call.kind, call.algorithm.as_deref(), call.size, processes);
    Decision::Members(chosen.expect("an algorithm"))
}

/// What arrives where, when each process takes its steps as far as it can: a receive waits for its message, nothing else does.
/// Returns the number of messages and of bytes, and how often each pair of processes spoke.
fn run(application: &Application, ranks: &[u64]) -> (u64, u64) {
    let processes: Vec<u64> = ranks.iter().map(|rank| 5 + rank).collect();
    let mut expansions: Vec<_> = processes
        .iter()
        .map(|process| expand(application, 0, *process, &decision(application), 1e-9).expect("a collective"))
        .collect();
    let mut under_way: HashMap<(u64, u64), u64> = HashMap::new();
    let mut waiting: Vec<Option<u64>> = vec![None; processes.len()];
    let mut posted: Vec<HashMap<u32, Option<u64>>> = vec![HashMap::new(); processes.len()];
    let mut over = vec![false; processes.len()];
    let (mut messages, mut bytes) = (0, 0);
    loop {
        let mut moved = false;
        for at in 0..processes.len() {
            while !over[at] {
                if let Some(from) = waiting[at] {
                    match under_way.get_mut(&(from, processes[at])) {
                        Some(left) if *left > 0 => *left -= 1,
                        _ => break,
                    }
                    waiting[at] = None;
                }
                moved = true;
                let Some(action) = expansions[at].next(None) else {
                    over[at] = true;
                    break;
                };
                match action {
                    Action::Send { to, size, tag } | Action::Isend { to, size, tag, .. } => {
                        assert!(tag < 0 && processes.contains(&to) && to != processes[at]);
                        *under_way.entry((processes[at], to)).or_default() += 1;
                        messages += 1;
                        bytes += size;
                        if let Action::Isend { request, .. } = action {
                            assert!(posted[at].insert(request, None).is_none(), "a request is waited for first");
                        }
                    }
                    Action::Recv { from, .. } => waiting[at] = from,
                    Action::Irecv { from, request, .. } => {
                        assert!(posted[at].insert(request, from).is_none(), "a request is waited for first");
                    }
                    Action::Wait { request } => {
                        waiting[at] = posted[at].remove(&request).expect("a request that was made");
                    }
                    Action::Sleep(seconds) => assert!(seconds > 0.0),
                    other => panic!("unexpected {other:?}"),
                }
            }
        }
        if !moved {
            break;
        }
    }
    assert!(over.iter().all(|over| *over), "a process waits forever");
    assert!(under_way.values().all(|left| *left == 0), "a message is never received");
    assert!(posted.iter().all(HashMap::is_empty), "a request is never waited for");
    (messages, bytes)
}

/// Messages and bytes that an algorithm needs at least, or exactly, as counted by hand.
#[test]
fn every_message_is_received_whatever_the_number_of_processes() {
    for algorithm in ALGORITHMS {
        for processes in (1..20).chain([31, 32, 33]) {
            for root in [0, processes / 2, processes - 1] {
                let call = Collective {
                    kind: algorithm.kind,
                    size: 1009,
                    root,
                    group: 0,
                    algorithm: Some(algorithm.name.to_owned()),
                    counts: None,
                };
                let ranks: Vec<u64> = (0..processes).collect();
                let (messages, bytes) = run(&application(processes, call.clone(), None), &ranks);
                let others = processes - 1;
                match (algorithm.kind, algorithm.name) {
                    (CollectiveKind::Bcast, "binomial" | "linear" | "chain" | "knomial" | "binary") => {
                        assert_eq!((messages, bytes), (others, others * 1009));
                    }
                    (CollectiveKind::Bcast, "split_binary") => assert_eq!(bytes, others * 1009),
                    (CollectiveKind::Reduce, "binomial" | "linear" | "chain" | "binary") => {
                        assert_eq!((messages, bytes), (others, others * 1009));
                    }
                    (CollectiveKind::Allgather, "neighbor") => assert_eq!(bytes, 1009 * others),
                    (CollectiveKind::Scatter | CollectiveKind::Gather, "linear") => assert_eq!(messages, others),
                    (CollectiveKind::Alltoall, "pairwise" | "spread") => {
                        // Each sends all but the block that stays.
                        assert_eq!((messages, bytes), (processes * others, 1009 * others));
                    }
                    (CollectiveKind::Allgather, "ring") => assert_eq!(bytes, 1009 * others),
                    (CollectiveKind::Barrier, _) => assert_eq!(bytes, 0),
                    _ => {}
                }
                // The same in a group, evenly apart and shuffled.
                let even: Vec<u64> = (0..processes).map(|member| 3 + 2 * member).collect();
                let mut shuffled = even.clone();
                shuffled.reverse();
                shuffled.swap(0, (processes / 2) as usize);
                for ranks in [even, shuffled] {
                    let of_group = run(&application(100, call.clone(), Some(ranks.clone())), &ranks);
                    assert_eq!(of_group, (messages, bytes));
                }
            }
        }
    }
}

/// For powers of two a member sends or receives in its longest round as many bytes as the formula says (alltoall: but for the
/// block that stays).
#[test]
fn formulas_are_sums_over_rounds() {
    // Pipelines along binary trees have no rounds in common: tests/fidelities.rs holds them against their messages.
    for algorithm in ALGORITHMS.iter().filter(|algorithm| !algorithm.name.contains("binary")) {
        for lg in 1..6 {
            // Trees of four children are full for powers of four alone.
            if algorithm.name == "knomial" && lg % 2 == 1 {
                continue;
            }
            let shape = Shape::new(1 << lg, 64 << 10);
            let (mut rounds, mut bytes, mut reduced) = (0.0, 0.0, 0.0);
            for pattern in algorithm.patterns {
                let mut by_round: HashMap<u64, (u64, u64)> = HashMap::new();
                for member in 0..shape.processes {
                    for round in pattern.rounds(&shape, member) {
                        let step = pattern.step(&shape, member, round);
                        let most = by_round.entry(round).or_default();
                        most.0 = most.0.max(step.send.map_or(0, |send| send.1));
                        most.1 = most.1.max(step.reduce);
                    }
                }
                rounds += by_round.len() as f64;
                bytes += by_round.values().map(|most| most.0 as f64).sum::<f64>();
                reduced += by_round.values().map(|most| most.1 as f64).sum::<f64>();
            }
            let terms = algorithm.terms(&shape);
            let of_formula = |pick: fn(&super::pattern::Term) -> f64| terms.iter().map(pick).sum::<f64>();
            let name = (algorithm.kind.name(), algorithm.name, lg);
            assert_eq!(of_formula(|term| term.rounds), rounds, "{name:?}");
            assert_eq!(of_formula(|term| term.reduced), reduced, "{name:?}");
            let stays = matches!(algorithm.name, "pairwise" | "spread" | "linear" | "linear_sync")
                && algorithm.kind == CollectiveKind::Alltoall;
            let own = if stays { shape.size as f64 / shape.processes as f64 } else { 0.0 };
            assert_eq!(of_formula(|term| term.bytes), bytes + own, "{name:?}");
        }
    }
}

#[test]
fn names_are_there_once_and_a_stranger_is_refused() {
    for (at, algorithm) in ALGORITHMS.iter().enumerate() {
        let twice = ALGORITHMS[..at].iter().any(|other| (other.kind, other.name) == (algorithm.kind, algorithm.name));
        assert!(!twice, "{}", algorithm.name);
        assert!(Algorithm::find(algorithm.kind, algorithm.name).is_some());
        assert_eq!(CollectiveKind::find(algorithm.kind.name()), Some(algorithm.kind));
    }
    let call = Collective { kind: CollectiveKind::Barrier, size: 0, root: 0, group: 0, algorithm: None, counts: None };
    let application = application(8, call, Some(vec![1, 2]));
    let problem = expand(&application, 0, 9, &decision(&application), 0.0).err().expect("not a member");
    assert_eq!(problem.code, "not_in_group");
}

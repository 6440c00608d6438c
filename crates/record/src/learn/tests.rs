//! Programs of known structure: learnt at few ranks, their calls checked at more.

use super::grid::{Rule, Shape};
use super::{Apart, Learnt, Source, learn};
use crate::builder::Builder;
use crate::stream::Stream;
use crate::tables::Comm;
use crate::vocabulary::{Field, Flags, call};
use crate::walk::walk;
use crate::{Recording, join};
use runcast_core::Problem;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A call: its number, flags, site, and fields.
type Event = (u16, Flags, u64, Vec<(Field, Vec<i64>)>);

/// What a rank of so many calls.
type Program = fn(i64, i64) -> Vec<Event>;

const PLAIN: Flags = Flags(0);

fn message(code: u16, flags: Flags, site: u64, peer: i64, size: i64) -> Event {
    (code, flags, site, vec![(Field::Peer, vec![peer]), (Field::Size, vec![size]), (Field::Tag, vec![3])])
}

fn recorded(program: Program, p: i64) -> Recording {
    let rank = |rank: i64| {
        let mut builder = Builder::new(rank as u32, p as u32);
        let q = (p as f64).sqrt() as i64;
        if q * q == p {
            // 2: the row of the rank, 3: its column.
            for members in [(0..q).map(|at| rank / q * q + at).collect(), (0..q).map(|at| at * q + rank % q).collect()]
            {
                let members: Vec<i64> = members;
                builder.comm(Comm { kind: 2, members: Stream::of(members), ..Comm::default() });
            }
        }
        for (code, flags, site, fields) in program(rank, p) {
            let fields: Vec<(Field, &[i64])> =
                fields.iter().map(|(field, values)| (*field, values.as_slice())).collect();
            builder.call(code, flags, (site, (site / 1_000) as u32), &fields, [1e-3 / p as f64, 1e-6]);
        }
        builder.call(call::FINALIZE, PLAIN, (99, 0), &[], [0.0, 0.0]);
        builder.finish()
    };
    join((0..p).map(rank).collect()).expect("one recording")
}

fn learnt(program: Program, sizes: &[i64]) -> Result<Learnt, Problem> {
    let recordings: Vec<Recording> = sizes.iter().map(|p| recorded(program, *p)).collect();
    learn(&recordings.iter().map(|recording| Source { recording, params: &[] }).collect::<Vec<_>>(), 0.05)
}

/// Messages to all neighbors within a box of 960 cells a side on q^3 ranks, ten times.
fn boxes(rank: i64, p: i64) -> Vec<Event> {
    let q = (1..).find(|q| q * q * q >= p).unwrap_or(1);
    let cells = 960 / q;
    let mut steps = Vec::new();
    for number in 0..27 {
        steps.push([number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1]);
    }
    let around = |step: &[i64; 3]| {
        let zeros = step.iter().filter(|by| **by == 0).count();
        let peer = Shape { sizes: &[q; 3], wrap: false, rule: Rule::Dims }.moved(rank, step)?;
        (zeros < 3).then(|| (peer, 8 * cells.pow(zeros as u32)))
    };
    let mut events = Vec::new();
    for _ in 0..10 {
        let partners: Vec<(i64, i64)> = steps.iter().filter_map(around).collect();
        for (code, site) in [(call::RECV, 1), (call::SEND, 2)] {
            events.extend(partners.iter().map(|(peer, size)| message(code, Flags::NONBLOCKING, site, *peer, *size)));
        }
        let requests = 2 * partners.len() as i64;
        let distances = (0..requests).map(|n| requests - n).collect();
        events.push((call::WAITALL, PLAIN, 3, vec![(Field::Count, vec![requests]), (Field::Reqs, distances)]));
        events.push((call::ALLREDUCE, PLAIN, 4, vec![(Field::Size, vec![8])]));
    }
    events
}

/// Messages between the faces of a box that is halved in one dimension after the other, as finite elements are dealt out: each
/// rank goes through its partners by their numbers. Then turns of a solver, of which some check their result.
fn halved(rank: i64, p: i64) -> Vec<Event> {
    let sizes = super::grid::sizes(p, 3, Rule::Bisected);
    let shape = Shape { sizes: &sizes, wrap: false, rule: Rule::Bisected };
    let steps = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    let faces = [0, 0, 1, 1, 2, 2].map(|dim| 8 * 65_536 * sizes[dim] / p);
    let mut partners: Vec<(i64, i64)> =
        steps.iter().zip(faces).filter_map(|(step, size)| Some((shape.moved(rank, step)?, size))).collect();
    partners.sort_unstable();
    let mut events = Vec::new();
    for turn in 0..10 {
        for (code, flags, site) in [(call::RECV, Flags::NONBLOCKING, 1), (call::SEND, PLAIN, 2)] {
            events.extend(partners.iter().map(|(peer, size)| message(code, flags, site, *peer, *size)));
        }
        let count = partners.len() as i64;
        let wait = (call::WAIT, PLAIN, 3, vec![(Field::Count, vec![1]), (Field::Reqs, vec![2 * count])]);
        events.extend(std::iter::repeat_n(wait, partners.len()));
        events.push((call::ALLREDUCE, PLAIN, 4, vec![(Field::Size, vec![8])]));
        if turn == 9 {
            let checks = [7, 1, 4, 0, 2, 5, 3][(p % 7) as usize];
            events.extend((0..checks).map(|_| (call::ALLREDUCE, PLAIN, 5, vec![(Field::Size, vec![16])])));
        }
    }
    events
}

/// Four neighbors of a plane, `MPI_PROC_NULL` at its edges.
fn plane(rank: i64, p: i64) -> Vec<Event> {
    let q = (1..).find(|q| q * q >= p).unwrap_or(1);
    let mut events = Vec::new();
    for _ in 0..20 {
        for (site, step) in [[-1, 0], [1, 0], [0, -1], [0, 1]].iter().enumerate() {
            let peer = Shape { sizes: &[q; 2], wrap: false, rule: Rule::Dims }.moved(rank, step).unwrap_or(-1);
            let size = if peer < 0 { 0 } else { 9600 / q };
            events.push(message(call::SEND, PLAIN, site as u64, peer, size));
        }
    }
    events
}

/// A line of ranks: those that have a neighbor below, then those that have one above, send to it from places of their own.
fn line(rank: i64, p: i64) -> Vec<Event> {
    let below = (rank > 0).then(|| message(call::SEND, PLAIN, 1, rank - 1, 64));
    let above = (rank + 1 < p).then(|| message(call::SEND, PLAIN, 2, rank + 1, 64));
    (0..30).flat_map(|_| [below.clone(), above.clone()]).flatten().collect()
}

/// Exchanges with all ranks that differ in one bit, 50 times.
fn butterfly(rank: i64, p: i64) -> Vec<Event> {
    let bits = i64::from(p.ilog2());
    (0..50 * bits).map(|turn| message(call::SEND, PLAIN, 1, rank ^ 1 << (turn % bits), 128)).collect()
}

/// To the next rank around, and a gather whose size grows with the ranks.
fn ring(rank: i64, p: i64) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..7 {
        events.push(message(call::SEND, PLAIN, 1, (rank + 1) % p, 1_024));
        events.push((call::ALLGATHER, PLAIN, 2, vec![(Field::Size, vec![8 * p])]));
    }
    events
}

/// Panels whose sizes fall from turn to turn.
fn panels(_: i64, p: i64) -> Vec<Event> {
    let size = |k: i64| (call::ALLREDUCE, PLAIN, 1, vec![(Field::Size, vec![8 * (6_400 - 64 * k)])]);
    let mut events: Vec<Event> = (0..100).map(size).collect();
    events.push((call::ALLGATHER, PLAIN, 2, vec![(Field::Size, vec![8 * p])]));
    events
}

/// One-sided calls, a file, and three collectives; each ten times.
fn one_sided(_: i64, _: i64) -> Vec<Event> {
    let turn = [call::WIN, call::FLUSH, call::FILE].map(|code| (code, PLAIN, u64::from(code), Vec::new()));
    let sums = [5, 6, 7].map(|site| (call::ALLREDUCE, PLAIN, site, vec![(Field::Size, vec![8])]));
    turn.into_iter().chain(sums).cycle().take(60).collect()
}

/// A sum up a binomial tree and back down, 20 times.
fn tree(rank: i64, p: i64) -> Vec<Event> {
    let mut events = Vec::new();
    let bits = if rank == 0 { p.trailing_zeros() } else { rank.trailing_zeros() };
    for _ in 0..20 {
        events.extend((0..bits).map(|bit| message(call::RECV, PLAIN, 1, rank + (1 << bit), 8 << bit)));
        if rank > 0 {
            events.push(message(call::SEND, PLAIN, 2, rank - (1 << bits), 8 << bits));
            events.push(message(call::RECV, PLAIN, 3, rank - (1 << bits), 8));
        }
        events.extend((0..bits).rev().map(|bit| message(call::SEND, PLAIN, 4, rank + (1 << bit), (6_144 << bit) / p)));
    }
    events
}

/// A matrix product on a square of ranks: in each of q turns a block of the row and one of the column are sent to all in it.
fn summa(_: i64, p: i64) -> Vec<Event> {
    let q = (p as f64).sqrt() as i64;
    let turn = |k: i64| {
        [2_001, 3_002].map(|site| {
            (call::BCAST, PLAIN, site, vec![(Field::Size, vec![8 * 5_040 * 5_040 / p]), (Field::Root, vec![k])])
        })
    };
    let mut events: Vec<Event> = (0..q).flat_map(turn).collect();
    events.push((call::ALLREDUCE, PLAIN, 5, vec![(Field::Size, vec![8])]));
    events
}

/// Rounds in which all ranks reach each other, whatever their number.
fn rounds(rank: i64, p: i64) -> Vec<Event> {
    let rounds = i64::from((p as u64).next_power_of_two().ilog2());
    let one = |k: i64| {
        [
            message(call::RECV, PLAIN, 1, (rank - (1 << k)).rem_euclid(p), 64),
            message(call::SEND, PLAIN, 2, (rank + (1 << k)) % p, 64),
        ]
    };
    (0..5).flat_map(|_| (0..rounds).flat_map(one)).collect()
}

/// V-cycles: on level k every 2^k-th rank talks to those 2^k away, up the levels and down again.
fn levels(rank: i64, p: i64) -> Vec<Event> {
    let bits = i64::from(p.ilog2());
    let inside = |to: i64| if (0..p).contains(&to) { to } else { -1 };
    let level = |k: i64, site: u64| {
        let size = (8 * 4_096) >> k;
        let one = |site, to: i64| message(call::SEND, PLAIN, site, inside(to), size);
        let both = [one(site, rank - (1 << k)), one(site + 1, rank + (1 << k))];
        both.into_iter().filter(|_| rank % (1 << k) == 0).collect::<Vec<_>>()
    };
    let cycle = |_| {
        let up = (0..=bits).flat_map(|k| level(k, 1));
        let down = (0..=bits).rev().flat_map(|k| level(k, 3));
        up.chain(down).chain([(call::ALLREDUCE, PLAIN, 5, vec![(Field::Size, vec![8])])]).collect::<Vec<_>>()
    };
    (0..6).flat_map(cycle).collect()
}

/// Steps of a solver: how often it turns is in no formula; in each turn there are 2 to 4 sums, as it comes.
fn solver(rank: i64, p: i64) -> Vec<Event> {
    let mut random = runcast_core::random::SplitMix::new(p as u64, 9);
    let turn = |_| {
        let sums = 2 + random.below(3);
        let sum = (call::ALLREDUCE, PLAIN, 2, vec![(Field::Size, vec![8])]);
        std::iter::once(message(call::SEND, PLAIN, 1, (rank + 1) % p, 64))
            .chain(std::iter::repeat_n(sum, sums))
            .collect::<Vec<_>>()
    };
    (0..17 + p * p % 7).flat_map(turn).collect()
}

/// The first rank sends everyone a number in turn, all send one back.
fn rooted(rank: i64, p: i64) -> Vec<Event> {
    let everyone = |code, site| (1..p).map(move |worker| message(code, PLAIN, site, worker, 400));
    let one = || match rank {
        0 => everyone(call::SEND, 1).chain(everyone(call::RECV, 2)).collect::<Vec<_>>(),
        _ => vec![message(call::RECV, PLAIN, 3, 0, 400), message(call::SEND, PLAIN, 4, 0, 400)],
    };
    (0..6).flat_map(|_| one()).collect()
}

/// 60 tasks, each given to whoever has answered.
fn farm(rank: i64, p: i64) -> Vec<Event> {
    let mut random = runcast_core::random::SplitMix::new(p as u64, 5);
    let mut order: Vec<i64> = (0..59).map(|_| 1 + random.below(p as usize - 2) as i64).collect();
    order.push(p - 1);
    if rank > 0 {
        // The last has one task only, and no loop.
        let own = if rank == p - 1 { 1 } else { order.iter().filter(|worker| **worker == rank).count() };
        let turn = [message(call::RECV, PLAIN, 3, 0, 4), message(call::SEND, PLAIN, 4, 0, 8)];
        return turn.into_iter().cycle().take(2 * own).chain([message(call::RECV, PLAIN, 3, 0, 4)]).collect();
    }
    let first = (1..p).map(|worker| message(call::SEND, PLAIN, 1, worker, 4));
    let rest = order
        .iter()
        .flat_map(|worker| [message(call::RECV, Flags::ANY, 2, *worker, 8), message(call::SEND, PLAIN, 5, *worker, 4)]);
    first.chain(rest).collect()
}

/// The partner is a number that nobody can know.
fn random(rank: i64, p: i64) -> Vec<Event> {
    let mut events = Vec::new();
    for turn in 0..9 {
        let mut drawn = runcast_core::random::SplitMix::new(p as u64, (rank * 100 + turn) as u64);
        events.push(message(call::SEND, PLAIN, 7, drawn.below(p as usize) as i64, 64));
    }
    events
}

/// Fifty rounds around a ring; in the middle one message more to a rank that is drawn.
fn once_random(rank: i64, p: i64) -> Vec<Event> {
    let mut random = runcast_core::random::SplitMix::new(p as u64, 3);
    let mut drawn: Vec<i64> = (0..p).collect();
    for place in (1..p as usize).rev() {
        drawn.swap(place, random.below(place + 1));
    }
    let from = drawn.iter().position(|to| *to == rank).unwrap_or(0) as i64;
    let round = |turn: i64| {
        let around = message(call::SEND, PLAIN, 1, (rank + 1) % p, 64);
        let mut more = [message(call::SEND, PLAIN, 7, drawn[rank as usize], 8), message(call::RECV, PLAIN, 8, from, 8)];
        more.iter_mut().for_each(|(_, _, _, fields)| fields[2] = (Field::Tag, vec![9]));
        std::iter::once(around).chain(more.into_iter().filter(move |_| turn == 25)).collect::<Vec<_>>()
    };
    (0..50).flat_map(round).collect()
}

#[test]
fn a_few_calls_without_structure_are_left_out_at_both_ends() {
    let recordings: Vec<Recording> = [5, 8, 13].iter().map(|p| recorded(once_random, *p)).collect();
    let sources: Vec<Source<'_>> = recordings.iter().map(|recording| Source { recording, params: &[] }).collect();
    let learnt = learn(&sources, 0.05).expect("3.8 % of the calls follow nothing");
    let mut left: Vec<(u16, u64)> = learnt.left.iter().map(|one| (one.key.call, one.calls)).collect();
    left.sort_unstable();
    assert_eq!(left, [(call::SEND, 5 + 8 + 13), (call::RECV, 5 + 8 + 13)]);
    let checked = learnt.check(&sources[2], 2);
    assert_eq!((checked.calls, checked.calls_right), (13 * 53, 13 * 51));
    // Blocks of 1 ms / p before each of 53 calls: nothing of the time is lost.
    let time = |items: &[super::Item]| -> f64 { items.iter().map(super::emit::total_s).sum() };
    let all: f64 = [5.0, 8.0, 13.0].iter().map(|p| p * 52.0 * 1e-3 / p).sum();
    assert!((time(&learnt.items) / all - 1.0).abs() < 2e-3, "{} {all}", time(&learnt.items));
    let problem = learn(&sources, 0.03).expect_err("more than may be left out");
    assert!(problem.code == "unexplained" && problem.hint.is_some_and(|hint| hint.contains("--allow-unexplained")));
}

#[test]
fn every_call_at_more_ranks() {
    let cases: [(&str, Program, &[i64], i64); 10] = [
        ("rounds", rounds, &[3, 6, 9], 40),
        ("levels", levels, &[4, 8, 16], 128),
        ("boxes", boxes, &[8, 27], 64),
        ("plane", plane, &[9, 16, 36], 100),
        ("butterfly", butterfly, &[4, 8, 16], 64),
        ("ring", ring, &[3, 5, 8], 40),
        ("panels", panels, &[2, 4, 8], 16),
        ("tree", tree, &[4, 8, 16], 128),
        ("summa", summa, &[4, 9, 16], 144),
        ("rooted", rooted, &[3, 5, 9], 40),
    ];
    for (name, program, sizes, more) in cases {
        let mut learnt = learnt(program, sizes).unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
        let recording = recorded(program, more);
        let number = learnt.with(more as u32, &[]).expect("no parameter");
        let checked = learnt.check(&Source { recording: &recording, params: &[] }, number);
        let calls: i64 = (0..more).map(|rank| program(rank, more).len() as i64 + 1).sum();
        assert_eq!(checked.calls, calls as u64, "{name}");
        assert_eq!((checked.calls_right, checked.bytes_right), (checked.calls, checked.calls), "{name}");
        // Blocks take 1 ms / p.
        let first = learnt.items.iter().flat_map(|item| item.body.iter().chain([item])).next().expect("an item");
        if let Some(block) = first.told.block.as_ref().filter(|block| block.factor_s > 0.0) {
            let time = block.factor_s * block.term.at(&learnt.rows[number]);
            assert!((time * more as f64 / 1e-3 - 1.0).abs() < 0.02, "{name}: {time}");
        }
    }
}

#[test]
fn a_box_has_27_positions() {
    let learnt = learnt(boxes, &[8, 27]).expect("learnt");
    let grid = learnt.grid.as_ref().expect("a grid");
    assert_eq!((grid.dims, grid.wrap, grid.far, grid.offsets), (3, false, 0, 26));
    assert_eq!(learnt.cells.len(), 27);
    let script = learnt.emit(&[], &[]).script;
    assert!(script.contains("local q = dims(p, 3)") && script.contains("waitall(all)"), "{script}");
}

#[test]
fn ranks_without_a_partner_do_not_compute_for_it() {
    let learnt = learnt(line, &[3, 5, 9]).expect("learnt");
    let script = learnt.emit(&[], &[]).script;
    let lines: Vec<&str> = script.lines().map(str::trim).collect();
    let blocks: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("compute{")).collect();
    assert_eq!(blocks.len(), 2, "{script}");
    for block in blocks {
        assert_eq!(lines[block - 1], "if to then", "{script}");
        assert!(lines[block + 1].starts_with("send{ to = to"), "{script}");
    }
}

/// Rank 0 of 16 talks to 8, 4, 2 and 1: bits of its number are halves of the box.
#[test]
fn partners_in_orders_of_their_own_on_a_halved_box() {
    let mut learnt = learnt(halved, &[8, 16, 64]).expect("learnt");
    let grid = learnt.grid.as_ref().expect("a grid");
    assert_eq!((grid.rule, grid.far, learnt.is_sorted), (Rule::Bisected, 0, true));
    assert_eq!(grid.sizes[1], [4, 2, 2]);
    // Checks at p = 8, 16, 64: 1, 4, 1, which no formula gives.
    assert_eq!(learnt.unforeseen.iter().map(|one| one.values.clone()).collect::<Vec<_>>(), [[1.0, 4.0, 1.0]]);
    let script = learnt.emit(&[], &[]).script;
    assert!(script.contains("local c = dealt(rank)") && script.contains("param(\"turns1\""), "{script}");
    let number = learnt.with(128, &[("turns1".to_owned(), 4.0)]).expect("a parameter");
    let checked = learnt.check(&Source { recording: &recorded(halved, 128), params: &[] }, number);
    assert_eq!((checked.calls_right, checked.bytes_right), (checked.calls, checked.calls), "{checked:?}");
}

#[test]
fn ranks_are_told_apart_by_what_is_enough() {
    let apart = |program: Program, sizes: &[i64]| learnt(program, sizes).map(|learnt| learnt.apart);
    assert_eq!(apart(ring, &[3, 5, 8]).ok(), Some(Apart::All));
    assert_eq!(apart(boxes, &[8, 27]).ok(), Some(Apart::Grid));
    assert_eq!(apart(rooted, &[3, 5, 9]).ok(), Some(Apart::Root));
    assert_eq!(apart(tree, &[4, 8, 16]).ok(), Some(Apart::Bits));
    let script = learnt(tree, &[4, 8, 16]).expect("learnt").emit(&[], &[]).script;
    assert!(script.contains("for k1 = 0, n1 - 1 do") && script.contains("rank > 0"), "{script}");
    let script = learnt(summa, &[4, 9, 16]).expect("learnt").emit(&[], &[]).script;
    assert!(script.contains("comm = line{ [2] = true }") && script.contains("comm = line{ [1] = true }"), "{script}");
}

#[test]
fn workers_of_a_farm_share_its_tasks() {
    let mut learnt = learnt(farm, &[4, 6, 9]).expect("learnt");
    let script = learnt.emit(&[], &[]).script;
    assert!(script.contains("floor((60 + p - 1 - rank)/(p - 1))"), "{script}");
    assert!(script.contains("from = \"any\"") && script.contains("1 + k0 % (p - 1)"), "{script}");
    // The master's calls are all right; a worker's number of tasks is a matter of chance.
    let recording = recorded(farm, 4);
    let checked = learnt.check(&Source { recording: &recording, params: &[] }, 0);
    assert!(checked.calls_right > 3 + 2 * 60, "{checked:?}");
    assert!(learnt.with(16, &[]).is_ok());
}

#[test]
fn turns_that_only_data_know_are_parameters() {
    let mut learnt = learnt(solver, &[4, 6, 9]).expect("learnt");
    // 17 + p^2 mod 7 turns, and the mean of sums in each.
    let (whole, even) = (&learnt.unforeseen[0], &learnt.unforeseen[1]);
    assert_eq!((whole.values.as_slice(), whole.is_whole), ([19.0, 18.0, 21.0].as_slice(), true));
    assert!(!even.is_whole && even.values.iter().all(|mean| (2.0..4.0).contains(mean)), "{even:?}");
    let script = learnt.emit(&[], &[]).script;
    assert!(script.contains("param(\"turns1\", whole(") && script.contains("turns2*(k0 + 1)"), "{script}");
    // As many calls in all, though not each in its turn.
    let recording = recorded(solver, 6);
    let checked = learnt.check(&Source { recording: &recording, params: &[] }, 1);
    assert!(checked.calls_right * 5 > checked.calls, "{checked:?}");
    let tree = recording.tree_of(&recording.programs[0], 0);
    let calls = super::check::made(&learnt, 1, (0, &tree));
    let count = |code: u16| calls.iter().filter(|one| one.key.call == code).count();
    let mut recorded = BTreeMap::new();
    let _ = walk::<()>(&tree, |event| {
        *recorded.entry(event.leaf.call).or_insert(0) += 1;
        ControlFlow::Continue(())
    });
    for code in [call::SEND, call::ALLREDUCE] {
        assert_eq!(count(code), recorded[&code], "calls of kind {code}");
    }
    assert!(learnt.with(12, &[("turns1".to_owned(), 30.0)]).is_ok());
}

#[test]
fn what_a_script_cannot_do_is_named_and_not_counted() {
    let learnt = learnt(one_sided, &[4, 8]).expect("learnt");
    assert_eq!(learnt.left_out(), ["file"]);
    let recording = recorded(one_sided, 4);
    let checked = learnt.check(&Source { recording: &recording, params: &[] }, 0);
    assert_eq!((checked.calls, checked.calls_right, checked.calls_modelled), (4 * 61, 4 * 61, 4 * 51));
    let script = learnt.emit(&[], &[]).script;
    assert_eq!(script.matches("not modelled").count(), 1, "{script}");
    assert!(script.contains("quiet() barrier()"), "{script}");
}

#[test]
fn what_follows_no_structure_is_refused() {
    let code = |program: Program, sizes: &[i64]| learnt(program, sizes).err().map(|problem| problem.code.to_string());
    assert_eq!(code(random, &[4, 8, 16]).as_deref(), Some("unexplained"));
    assert_eq!(code(ring, &[8]).as_deref(), Some("one_size"));
}

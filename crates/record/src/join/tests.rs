//! Recordings of programs whose classes are known.

use super::*;
use crate::builder::Builder;
use crate::file::{read, write};
use crate::stream::Stream;
use crate::tables::Comm;
use crate::tree::leaves;
use crate::vocabulary::call;

const TIMES: [f64; 2] = [3e-6, 1e-6];

/// A halo exchange over `q` x `q` x `q` ranks without wrap, ten times.
fn heat(rank: u32, q: u32) -> Recording {
    let mut builder = Builder::new(rank, q * q * q);
    let place = [rank / (q * q), rank / q % q, rank % q];
    let neighbors = |dimension: usize| {
        let stride = [q * q, q, 1][dimension];
        let up = (place[dimension] + 1 < q).then(|| rank + stride);
        [up, (place[dimension] > 0).then(|| rank.wrapping_sub(stride))]
    };
    for _ in 0..10 {
        let mut count = 0;
        for (number, site) in [(call::RECV, 41), (call::SEND, 44)] {
            for peer in (0..3).flat_map(neighbors).flatten() {
                let fields: [(Field, &[i64]); 3] =
                    [(Field::Peer, &[peer.into()]), (Field::Size, &[8_192]), (Field::Tag, &[0])];
                builder.call(number, Flags::NONBLOCKING, (site, 0), &fields, TIMES);
                count += 1;
            }
        }
        builder.call(call::WAITALL, Flags::default(), (46, 0), &[(Field::Count, &[count])], TIMES);
    }
    builder.call(call::FINALIZE, Flags::default(), (70, 0), &[], TIMES);
    builder.finish()
}

/// Through their files, as they come from a run.
fn joined(parts: impl IntoIterator<Item = Recording>) -> Recording {
    let written = parts.into_iter().map(|part| read(&write(&part).expect("bytes")).expect("what was written"));
    let joined = join(written.collect()).expect("one recording");
    assert_eq!(read(&write(&joined).expect("bytes")).expect("what was written"), joined);
    joined
}

#[test]
fn a_grid_of_three_dimensions_has_27_classes() {
    let recording = joined((0..64).rev().map(|rank| heat(rank, 4)));
    assert_eq!(recording.programs.len(), 27);
    let inner = recording.programs.iter().find(|program| program.ranks.contains(&21)).expect("rank 21");
    assert_eq!(inner.ranks, [21, 22, 25, 26, 37, 38, 41, 42]);
    assert_eq!((recording.meta.wall_s.len(), recording.missing()), (64, 0));
    for rank in [0, 21, 42, 63] {
        let program = recording.programs.iter().find(|program| program.ranks.contains(&rank)).expect("a program");
        assert_eq!(recording.tree_of(program, rank), heat(rank, 4).programs[0].tree, "{rank}");
    }
    assert!(inner.stats.iter().all(|stat| stat.ranks.len() == 8));
    assert_eq!(inner.stats[0].executions, 8 * 60);
    assert!((inner.stats[0].block_s - 480.0 * TIMES[0]).abs() < 1e-12);
}

#[test]
fn a_thousand_ranks_fit_into_a_megabyte() {
    let recording = join((0..1_000).map(|rank| heat(rank, 10)).collect()).expect("one recording");
    assert_eq!(recording.programs.len(), 27);
    assert!(write(&recording).expect("bytes").len() < 1_000_000);
}

/// Rows and columns of a square: each rank makes both, a row first.
#[test]
fn communicators_of_rows_and_columns_are_unified() {
    let side = 4_u32;
    let part = |rank: u32| {
        let mut builder = Builder::new(rank, side * side);
        let (row, column) = (rank / side, rank % side);
        let members = |first: u32, step: u32| Stream::of((0..side).map(|place| i64::from(first + place * step)));
        let rows = builder.comm(Comm { kind: 2, members: members(row * side, 1), ..Comm::default() });
        let columns = builder.comm(Comm { kind: 2, members: members(column, side), ..Comm::default() });
        for comm in [rows, columns] {
            let fields: [(Field, &[i64]); 2] = [(Field::Size, &[64]), (Field::Root, &[0])];
            builder.call(call::BCAST, Flags::COLLECTIVE, (9, comm), &fields, TIMES);
        }
        builder.finish()
    };
    let recording = joined((0..side * side).map(part));
    assert_eq!((recording.programs.len(), recording.comms.len()), (1, 2 + 8));
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    for rank in 0..side * side {
        let comms = recording.comms_of(rank);
        assert_eq!(comms.len(), 4);
        assert_eq!(comms[2].members.values().next(), Some(i64::from(rank / side * side)));
        assert_eq!(comms[3].members.values().next(), Some(i64::from(rank % side)));
        assert_eq!(recording.places_of(rank)[2..], [u64::from(rank % side), u64::from(rank / side)]);
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    assert!(join(Vec::new()).expect_err("nothing").message.contains("no recording"));
    let twice = join(vec![heat(0, 2), heat(0, 2)]).expect_err("twice");
    assert_eq!(twice.code, "rank_twice");
    let mixed = join(vec![heat(0, 2), heat(1, 3)]).expect_err("mixed");
    assert!(mixed.message.contains("8 and 27"), "{}", mixed.message);
    let mut other = heat(1, 2);
    other.meta.build_id = "beef".into();
    assert!(join(vec![heat(0, 2), other]).expect_err("programs").message.contains("beef"));
    let few = join(vec![heat(0, 2), heat(5, 2)]).expect("two of eight");
    assert_eq!((few.missing(), few.warnings[0].code.as_str()), (6, "ranks_missing"));
    assert!(few.programs.iter().all(|program| leaves(&program.tree).len() == program.stats.len()));
}

#[test]
fn a_damaged_file_gives_what_comes_before() {
    let bytes = write(&heat(0, 2)).expect("bytes");
    for length in 0..bytes.len() {
        match read(&bytes[..length]) {
            Ok(part) => assert!(
                part.is_partial() && part.warnings.iter().any(|warning| warning.code == "truncated"),
                "{length}"
            ),
            Err(problem) => assert!(length < 200 + bytes.len() / 2, "{length}: {problem}"),
        }
        let mut flipped = bytes.clone();
        flipped[length] ^= 0x40;
        let _ = read(&flipped);
    }
}

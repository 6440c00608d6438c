//! Calls from the arguments that a program gave them.

use super::track::Call;
use crate::vocabulary::{Field, Flags, call, number_of};

/// Arguments of a call; counts are in elements of types, whose sizes are in bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub count: i64,
    pub type_size: i64,
    pub peer: Option<i64>,
    pub tag: i64,
    /// What is received, where that is said apart.
    pub count2: i64,
    pub type_size2: i64,
    pub peer2: Option<i64>,
    pub root: i64,
    /// Counts by rank, sent and received.
    pub sends: Vec<i64>,
    pub receives: Vec<i64>,
}

/// `MPI_ANY_SOURCE` and `MPI_ANY_TAG`.
pub(super) const ANY: i64 = -1;

/// What a function is: its number and flags, and whether it is an event at all.
pub(super) fn function(name: &str) -> Option<(u16, Flags)> {
    let name = name.strip_prefix("MPI_").or_else(|| name.strip_prefix("PMPI_"))?.to_ascii_lowercase();
    match name.as_str() {
        "sendrecv_replace" => Some((call::SENDRECV, Flags::default())),
        "startall" => Some((call::START, Flags::default())),
        "init_thread" => number_of("init"),
        name if name.starts_with("file_") || name.starts_with("win_") || name.starts_with("comm_") => None,
        name => number_of(name),
    }
}

/// The call on a communicator of `p` ranks, of which the caller is `rank`; none for what has no such form.
pub(super) fn call(code: u16, flags: Flags, given: &Arguments, [rank, p]: [i64; 2]) -> Option<Call> {
    let bytes = given.count.max(0).saturating_mul(given.type_size.max(0));
    let bytes2 = given.count2.max(0).saturating_mul(given.type_size2.max(0));
    let all = |bytes: i64| bytes.saturating_mul(p.max(1));
    let is_root = rank == given.root;
    let peer = |peer: Option<i64>| vec![peer.filter(|peer| *peer >= 0).unwrap_or(-1)];
    let mut flags = flags;
    let fields = match code {
        call::SEND..=4 => {
            vec![(Field::Peer, peer(given.peer)), (Field::Size, vec![bytes]), (Field::Tag, vec![given.tag])]
        }
        call::RECV => {
            if given.peer == Some(ANY) || given.tag == ANY {
                flags = flags.and(Flags::ANY);
            }
            let from = given.peer.map_or(-1, |peer| if peer == ANY { -2 } else { peer.max(-1) });
            vec![(Field::Peer, vec![from]), (Field::Size, vec![bytes]), (Field::Tag, vec![given.tag])]
        }
        call::SENDRECV => vec![
            (Field::Peer, peer(given.peer)),
            (Field::Peer2, peer(given.peer2)),
            (Field::Size, vec![bytes]),
            (Field::Tag, vec![given.tag]),
        ],
        call::PROBE | call::MPROBE | 96..=99 => Vec::new(),
        call::BARRIER => Vec::new(),
        call::BCAST => vec![(Field::Size, vec![bytes]), (Field::Root, vec![given.root])],
        call::REDUCE => vec![(Field::Size, vec![bytes]), (Field::Root, vec![given.root])],
        call::ALLREDUCE | call::SCAN | call::EXSCAN => vec![(Field::Size, vec![bytes])],
        53 => vec![(Field::Size, vec![total(&given.receives, given.type_size)])],
        54 => vec![(Field::Size, vec![all(bytes)])],
        call::GATHER => vec![(Field::Size, vec![all(bytes)]), (Field::Root, vec![given.root])],
        call::SCATTER => {
            let block = if is_root || bytes2 == 0 { bytes } else { bytes2 };
            vec![(Field::Size, vec![all(block)]), (Field::Root, vec![given.root])]
        }
        call::ALLGATHER | 48 => vec![(Field::Size, vec![all(bytes)])],
        call::GATHERV | call::SCATTERV => {
            let (blocks, unit) = match code {
                call::GATHERV => (&given.receives, given.type_size2),
                _ => (&given.sends, given.type_size),
            };
            let own = if code == call::GATHERV { bytes } else { bytes2 };
            let known: &[i64] = if is_root { blocks } else { &[] };
            let sum = total(known, unit);
            let ends = if code == call::GATHERV { [own, sum] } else { [sum, own] };
            vec![(Field::Size, irregular(ends, known, unit)), (Field::Root, vec![given.root])]
        }
        47 => {
            let received = total(&given.receives, given.type_size2);
            vec![(Field::Size, irregular([bytes, received], &given.receives, given.type_size2))]
        }
        call::ALLTOALLV => {
            let ends = [total(&given.sends, given.type_size), total(&given.receives, given.type_size2)];
            vec![(Field::Size, irregular(ends, &given.sends, given.type_size))]
        }
        _ => return None,
    };
    if (call::BARRIER..=call::LAST_COLLECTIVE).contains(&code) {
        flags = flags.and(Flags::COLLECTIVE);
    }
    Some(Call { code, flags, fields })
}

fn total(counts: &[i64], unit: i64) -> i64 {
    counts.iter().fold(0_i64, |sum, count| sum.saturating_add(count.max(&0).saturating_mul(unit.max(0))))
}

/// Bytes sent and received, the largest block, and the blocks.
fn irregular(ends: [i64; 2], counts: &[i64], unit: i64) -> Vec<i64> {
    let blocks: Vec<i64> = counts.iter().map(|count| count.max(&0).saturating_mul(unit.max(0))).collect();
    let largest = blocks.iter().copied().max().unwrap_or(ends[0].max(ends[1]));
    ends.into_iter().chain([largest]).chain(blocks).collect()
}

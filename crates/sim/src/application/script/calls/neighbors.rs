//! Exchanges with neighbors: all messages begun at once.

use super::{Outcome, calls, table};
use crate::application::Tag;
use crate::script::arguments::{Arg, Args, Key, Keys, bytes, process, wrong};
use crate::script::host::Host;
use crate::script::raw::Return;
use runcast_core::Problem;

/// Tags of these messages.
const NEIGHBOR: Tag = -6;
const WITH_SIZE: &[Key] = &[Key::neighbors, Key::size];
const WITH_COUNTS: &[Key] = &[Key::neighbors, Key::counts];

calls! {
    "neighbor_allgather" NeighborAllgather (table(WITH_SIZE)) |host, args| alike(host, args);
    "neighbor_alltoall" NeighborAlltoall (table(WITH_SIZE)) |host, args| alike(host, args);
    "neighbor_alltoallv" NeighborAlltoallv (table(WITH_COUNTS)) |host, args| {
        let neighbors = neighbors(host, args)?;
        let counts = args.stack.table(args.get(Key::counts), "counts", Keys::NONE, true)?.list;
        let of = |place: f64| counts.iter().find(|(at, _)| *at == place).map_or(Arg::Nil, |(_, count)| *count);
        let sizes = neighbors.iter().map(|(place, to)| Ok((*to, bytes("counts", of(*place))?)));
        let sizes = sizes.collect::<Result<Vec<_>, Problem>>()?;
        if counts.len() != neighbors.len() {
            let message = format!("`counts` has {} numbers for {} neighbors", counts.len(), neighbors.len());
            let problem = Problem::new("wrong_counts", message).value(counts.len().to_string());
            return Err(problem.allowed(neighbors.len().to_string()));
        }
        exchange(host, &sizes)
    };
}

/// The same bytes to each neighbor.
fn alike(host: &mut Host, args: &Args<'_>) -> Outcome {
    let size = bytes("size", args.get(Key::size))?;
    let sizes: Vec<(u64, u64)> = neighbors(host, args)?.into_iter().map(|(_, to)| (to, size)).collect();
    exchange(host, &sizes)
}

/// Processes, with their places in the list; holes are skipped, as at the edge of a grid.
fn neighbors(host: &mut Host, args: &Args<'_>) -> Result<Vec<(f64, u64)>, Problem> {
    let list = match args.get(Key::neighbors) {
        table @ Arg::Table(_) => args.stack.table(table, "neighbors", Keys::NONE, true)?.list,
        other => return Err(wrong("neighbors", other, "a list of ranks")),
    };
    let mut all = Vec::with_capacity(list.len());
    for (place, rank) in list {
        all.push((place, process("neighbors", rank, host)?));
    }
    all.sort_by(|left, right| left.0.total_cmp(&right.0));
    Ok(all)
}

fn exchange(host: &mut Host, neighbors: &[(u64, u64)]) -> Outcome {
    let recorder = &mut host.recorder;
    let mut requests = Vec::with_capacity(2 * neighbors.len());
    for (from, _) in neighbors {
        requests.push(recorder.irecv_tagged(Some(*from), NEIGHBOR)?);
    }
    for (to, size) in neighbors {
        requests.push(recorder.isend_tagged(*to, *size, NEIGHBOR)?);
    }
    for request in requests {
        recorder.wait(request)?;
    }
    Ok(Return::Nothing)
}

//! Collectives, in the own label or a comm.

use super::{Outcome, calls, table};
use crate::application::CollectiveKind;
use crate::build::CollectiveCall;
use crate::script::arguments::{Arg, Args, Key, Keys, bytes, bytes_or_zero, text, whole, wrong};
use crate::script::host::Host;
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;
use runcast_formula::nearest;

/// All take the same arguments; a root if there is none, and the size of a barrier, are ignored.
const KEYS: &[Key] = &[Key::size, Key::root, Key::comm, Key::algorithm];

calls! {
    "bcast" Bcast (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Bcast);
    "scatter" Scatter (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Scatter);
    "gather" Gather (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Gather);
    "reduce" Reduce (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Reduce);
    "allreduce" Allreduce (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Allreduce);
    "allgather" Allgather (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Allgather);
    "reduce_scatter" ReduceScatter (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::ReduceScatter);
    "alltoall" Alltoall (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Alltoall);
    "scan" Scan (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Scan);
    "exscan" Exscan (table(KEYS)) |host, args| blocking(host, args, CollectiveKind::Exscan);
    "barrier" Barrier (Shape::Values(1)) |host, args| match args.value(0) {
        Arg::Nil => {
            host.recorder.collective(CollectiveKind::Barrier, &CollectiveCall::default())?;
            Ok(Return::Nothing)
        }
        table => blocking(host, &args.stack.table(table, "its argument", Keys::of(KEYS), false)?, CollectiveKind::Barrier),
    };
    "icollective" Icollective (Shape::Values(2)) |host, args| {
        let name = text("name", args.value(0))?;
        let kind = named(name)?;
        let inner = match args.value(1) {
            Arg::Nil => Args::new(args.stack),
            table => args.stack.table(table, "its second argument", Keys::of(KEYS), false)?,
        };
        with_call(host, &inner, kind, |recorder, call| Ok(Return::Request(recorder.icollective(kind, call)?)))
    };
}

fn blocking(host: &mut Host, args: &Args<'_>, kind: CollectiveKind) -> Outcome {
    with_call(host, args, kind, |recorder, call| {
        recorder.collective(kind, call)?;
        Ok(Return::Nothing)
    })
}

fn with_call(
    host: &mut Host,
    args: &Args<'_>,
    kind: CollectiveKind,
    make: impl FnOnce(&mut crate::build::recorder::Recorder, &CollectiveCall<'_>) -> Outcome,
) -> Outcome {
    let size = match kind {
        CollectiveKind::Barrier => {
            bytes_or_zero("size", args.get(Key::size))?;
            0
        }
        _ => bytes("size", args.get(Key::size))?,
    };
    let root = root(args, kind)?;
    let comm = comm(args)?.map(|comm| &host.comms[comm as usize]);
    let algorithm = match args.get(Key::algorithm) {
        Arg::Nil => None,
        name => Some(text("algorithm", name)?),
    };
    make(&mut host.recorder, &CollectiveCall { size, root, comm, algorithm, counts: None })
}

/// The root of a call; 0 for operations without one.
pub(super) fn root(args: &Args<'_>, kind: CollectiveKind) -> Result<u64, Problem> {
    let root = match args.get(Key::root) {
        Arg::Nil => 0,
        root => whole("root", root)?,
    };
    Ok(if is_rooted(kind) { root } else { 0 })
}

/// The comm of a call, by its number.
pub(super) fn comm(args: &Args<'_>) -> Result<Option<u32>, Problem> {
    match args.get(Key::comm) {
        Arg::Nil => Ok(None),
        Arg::Comm(comm) => Ok(Some(comm)),
        other => Err(wrong("comm", other, "a result of comm{ .. }")),
    }
}

fn is_rooted(kind: CollectiveKind) -> bool {
    use CollectiveKind::{Bcast, Gather, Reduce, Scatter};
    matches!(kind, Bcast | Scatter | Gather | Reduce)
}

fn named(name: &str) -> Result<CollectiveKind, Problem> {
    CollectiveKind::find(name).ok_or_else(|| {
        let known = CollectiveKind::ALL.map(CollectiveKind::name);
        let problem = Problem::new("unknown_collective", format!("there is no collective `{name}`"))
            .value(name)
            .allowed(known.join(", "));
        match nearest(name, known) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}

//! Collectives, in the own label or a comm.

use super::{Outcome, calls, table};
use crate::application::CollectiveKind;
use crate::application::check::name_of;
use crate::build::CollectiveCall;
use crate::script::arguments::{Arg, Args, Key, Keys, bytes, bytes_or_zero, text, whole, wrong};
use crate::script::host::Host;
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;
use runcast_formula::nearest;

const ROOTED: &[Key] = &[Key::size, Key::root, Key::comm, Key::algorithm];
const ALL: &[Key] = &[Key::size, Key::comm, Key::algorithm];
const BARRIER: &[Key] = &[Key::comm, Key::algorithm];

calls! {
    "bcast" Bcast (table(ROOTED)) |host, args| blocking(host, args, CollectiveKind::Bcast);
    "scatter" Scatter (table(ROOTED)) |host, args| blocking(host, args, CollectiveKind::Scatter);
    "gather" Gather (table(ROOTED)) |host, args| blocking(host, args, CollectiveKind::Gather);
    "reduce" Reduce (table(ROOTED)) |host, args| blocking(host, args, CollectiveKind::Reduce);
    "allreduce" Allreduce (table(ALL)) |host, args| blocking(host, args, CollectiveKind::Allreduce);
    "allgather" Allgather (table(ALL)) |host, args| blocking(host, args, CollectiveKind::Allgather);
    "reduce_scatter" ReduceScatter (table(ALL)) |host, args| blocking(host, args, CollectiveKind::ReduceScatter);
    "alltoall" Alltoall (table(ALL)) |host, args| blocking(host, args, CollectiveKind::Alltoall);
    "barrier" Barrier (Shape::Values(1)) |host, args| match args.value(0) {
        Arg::Nil => {
            host.recorder.collective(CollectiveKind::Barrier, &CollectiveCall::default())?;
            Ok(Return::Nothing)
        }
        table => blocking(host, &args.stack.table(table, "its argument", Keys::of(BARRIER), false)?, CollectiveKind::Barrier),
    };
    "icollective" Icollective (Shape::Values(2)) |host, args| {
        let name = text("name", args.value(0))?;
        let kind = named(name)?;
        let keys = keys_of(kind);
        let inner = match args.value(1) {
            Arg::Nil => Args::new(args.stack),
            table => args.stack.table(table, "its second argument", Keys::of(keys), false)?,
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
        CollectiveKind::Barrier => bytes_or_zero("size", args.get(Key::size))?,
        _ => bytes("size", args.get(Key::size))?,
    };
    let root = match args.get(Key::root) {
        Arg::Nil => 0,
        root => whole("root", root)?,
    };
    let comm = match args.get(Key::comm) {
        Arg::Nil => None,
        Arg::Comm(comm) => Some(&host.comms[comm as usize]),
        other => return Err(wrong("comm", other, "what comm{ .. } gave")),
    };
    let algorithm = match args.get(Key::algorithm) {
        Arg::Nil => None,
        name => Some(text("algorithm", name)?),
    };
    make(&mut host.recorder, &CollectiveCall { size, root, comm, algorithm })
}

const KINDS: &[CollectiveKind] = &[
    CollectiveKind::Bcast,
    CollectiveKind::Scatter,
    CollectiveKind::Gather,
    CollectiveKind::Reduce,
    CollectiveKind::Allreduce,
    CollectiveKind::Allgather,
    CollectiveKind::ReduceScatter,
    CollectiveKind::Alltoall,
    CollectiveKind::Barrier,
];

fn keys_of(kind: CollectiveKind) -> &'static [Key] {
    match kind {
        CollectiveKind::Bcast | CollectiveKind::Scatter | CollectiveKind::Gather | CollectiveKind::Reduce => ROOTED,
        CollectiveKind::Barrier => BARRIER,
        _ => ALL,
    }
}

fn named(name: &str) -> Result<CollectiveKind, Problem> {
    KINDS.iter().copied().find(|kind| name_of(*kind) == name).ok_or_else(|| {
        let problem = Problem::new("unknown_collective", format!("there is no collective `{name}`"))
            .value(name)
            .allowed(KINDS.iter().map(|kind| name_of(*kind)).collect::<Vec<_>>().join(", "));
        match nearest(name, KINDS.iter().map(|kind| name_of(*kind))) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}

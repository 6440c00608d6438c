//! Collectives whose members have different numbers of bytes.

use super::collectives::{comm, root};
use super::{Outcome, calls, table};
use crate::application::{CollectiveKind, Counts};
use crate::build::CollectiveCall;
use crate::script::arguments::{Arg, Args, Key, Keys, bytes, whole, wrong};
use crate::script::host::Host;
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;
use std::sync::Arc;

const KEYS: &[Key] = &[Key::counts, Key::root, Key::comm];

/// Makes counts of a function: written in the script's own language, so that it may call the function. What a function gives
/// for all pairs is kept, and used again as long as it gives the same for the own row and column.
pub const PRELUDE: &str = r#"
local call, members, keep, paired = ...
local known = setmetatable({}, { __mode = "k" })
local function same(old, f, own, p)
    for j = 0, p - 1 do
        if paired then
            if old.list[own * p + j + 1] ~= f(own, j) or old.list[j * p + own + 1] ~= f(j, own) then return false end
        elseif old.list[j + 1] ~= f(j) then
            return false
        end
    end
    return true
end
return function(given)
    local f = type(given) == "table" and given.counts or nil
    if type(f) ~= "function" then return call(given) end
    local p, own = members(given.comm, paired)
    local old = known[f]
    if not old or old.p ~= p or not same(old, f, own, p) then
        local list = {}
        for i = 0, p - 1 do
            if paired then
                for j = 0, p - 1 do list[i * p + j + 1] = f(i, j) end
            else
                list[i + 1] = f(i)
            end
        end
        old = { p = p, list = list, counts = keep(list, p, paired) }
        known[f] = old
    end
    local copy = table.clone(given)
    copy.counts = old.counts
    return call(copy)
end
"#;

calls! {
    "alltoallv" Alltoallv (table(KEYS)) |host, args| with_counts(host, args, CollectiveKind::Alltoall);
    "allgatherv" Allgatherv (table(KEYS)) |host, args| with_counts(host, args, CollectiveKind::Allgather);
    "gatherv" Gatherv (table(KEYS)) |host, args| with_counts(host, args, CollectiveKind::Gather);
    "scatterv" Scatterv (table(KEYS)) |host, args| with_counts(host, args, CollectiveKind::Scatter);
    "reduce_scatterv" ReduceScatterv (table(KEYS)) |host, args| with_counts(host, args, CollectiveKind::ReduceScatter);
    /// Members of a group, and the own number there.
    "counts" Members (Shape::Values(2)) |host, args| {
        let comm = match args.value(0) {
            Arg::Nil => None,
            Arg::Comm(comm) => Some(comm),
            other => return Err(wrong("comm", other, "a result of comm{ .. }")),
        };
        let (members, own) = host.recorder.members_of(comm.map(|comm| &host.comms[comm as usize]));
        if args.value(1) == Arg::Bool(true) {
            Counts::check_paired(members)?;
        }
        Ok(Return::Two(members as f64, own as f64))
    };
    /// Counts of a list, to be used again.
    "counts" KeepCounts (Shape::Values(3)) |host, args| {
        let members = whole("members", args.value(1))?;
        let is_paired = args.value(2) == Arg::Bool(true);
        let kind = if is_paired { CollectiveKind::Alltoall } else { CollectiveKind::Allgather };
        let counts = listed(host, args, args.value(0), kind, members)?;
        host.counts.push(counts);
        Ok(Return::Counts(host.counts.len() as u32 - 1))
    };
}

fn with_counts(host: &mut Host, args: &Args<'_>, kind: CollectiveKind) -> Outcome {
    let comm = comm(args)?;
    let counts = match args.get(Key::counts) {
        Arg::Counts(known) => host.counts[known as usize].clone(),
        list => {
            let (members, _) = host.recorder.members_of(comm.map(|comm| &host.comms[comm as usize]));
            listed(host, args, list, kind, members)?
        }
    };
    let root = root(args, kind)?;
    let comm = comm.map(|comm| &host.comms[comm as usize]);
    let call = CollectiveCall { root, comm, counts: Some(&counts), ..CollectiveCall::default() };
    host.recorder.collective(kind, &call)?;
    Ok(Return::Nothing)
}

/// Counts of a list of bytes.
fn listed(
    host: &mut Host,
    args: &Args<'_>,
    list: Arg<'_>,
    kind: CollectiveKind,
    members: u64,
) -> Result<Arc<Counts>, Problem> {
    if !matches!(list, Arg::Table(_)) {
        let allowed = "a list of bytes, one for each member, or a function of the member";
        return Err(wrong("counts", list, allowed));
    }
    let mut entries = args.stack.table(list, "counts", Keys::NONE, true)?.list;
    if !entries.is_sorted_by(|left, right| left.0 <= right.0) {
        entries.sort_by(|left, right| left.0.total_cmp(&right.0));
    }
    let each = entries.into_iter().map(|(_, count)| bytes("counts", count));
    let counts = Counts::new(kind, members, each.collect::<Result<_, _>>()?)?;
    host.recorder.charge(64 + 8 * members as usize)?;
    Ok(Arc::new(counts))
}

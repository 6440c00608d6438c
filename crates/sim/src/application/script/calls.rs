//! Arguments and effect of each call of a script.

mod collectives;
mod counts;
mod declare;
mod messages;
mod neighbors;
mod places;
mod remote;
mod work;

use super::arguments::{Key, Keys};
use super::host::{Expects, Host, Mode};
use super::raw::{Return, Shape, function};
use mlua::lua_CFunction;
use runcast_core::Problem;
use std::ffi::CStr;

pub(super) use counts::{KeepCounts, Members, PRELUDE as COUNTS_PRELUDE};
pub(super) use declare::MathRandom;
pub(super) use places::{CartSize, Coords, Neighbor, RankAt};

type Outcome = Result<Return, Problem>;

/// Declares calls: name in scripts, type here, arguments, effect.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:literal $kind:ident ($shape:expr) |$host:ident, $args:ident| $body:expr;)*) => {
        $(
            $(#[$doc])*
            pub(in crate::application::script) struct $kind;

            impl $crate::script::raw::Call for $kind {
                const NAME: &'static str = $name;
                const SHAPE: $crate::script::raw::Shape = $shape;
                #[inline]
                fn call(
                    $host: &mut $crate::script::host::Host,
                    $args: &$crate::script::arguments::Args<'_>,
                ) -> Result<$crate::script::raw::Return, runcast_core::Problem> {
                    $body
                }
            }
        )*
    };
}
pub(crate) use calls;

const fn table(keys: &[Key]) -> Shape {
    Shape::Table { keys: Keys::of(keys), list: false }
}

/// The same, with values without names.
const fn list(keys: &[Key]) -> Shape {
    Shape::Table { keys: Keys::of(keys), list: true }
}

/// A message was received: a live process waits to see it, a recorded one gets one that must not be read.
#[inline]
fn received(host: &mut Host) -> Outcome {
    Ok(if host.mode == Mode::Live { Return::Awaited(Expects::Message) } else { Return::Message })
}

/// All calls that are plain functions.
pub(super) fn each(put: &mut dyn FnMut(&CStr, lua_CFunction)) {
    macro_rules! put {
        ($($name:literal $kind:path),* $(,)?) => { $(put($name, function::<$kind>);)* };
    }
    put! {
        c"param" declare::Param, c"label" declare::DeclareLabel, c"proc" declare::Proc, c"count" declare::Count,
        c"rank_of" declare::RankOf, c"log" declare::Log, c"print" declare::Print, c"random" declare::Random,
        c"now" declare::Now, c"phase" declare::Phase, c"sleep" declare::Sleep,
        c"cart" places::DeclareCart, c"dims" places::Dims, c"comm" places::DeclareComm,
        c"send" messages::Send, c"recv" messages::Recv, c"isend" messages::Isend, c"irecv" messages::Irecv,
        c"sendrecv" messages::Sendrecv, c"wait" messages::Wait, c"waitall" messages::Waitall,
        c"send_init" messages::SendInit, c"recv_init" messages::RecvInit,
        c"start" messages::Start, c"startall" messages::Startall,
        c"waitany" messages::Waitany, c"waitsome" messages::Waitsome, c"testall" messages::Testall,
        c"win" remote::Win, c"put" remote::Put, c"get" remote::Get, c"accumulate" remote::Accumulate,
        c"fence" remote::Fence, c"flush" remote::Flush, c"lock" remote::Lock, c"unlock" remote::Unlock,
        c"p2p_send" messages::P2pSend, c"p2p_recv" messages::P2pRecv,
        c"one2one_send" messages::One2OneSend, c"one2one_recv" messages::One2OneRecv,
        c"scatter_send" messages::ScatterSend, c"scatter_recv" messages::ScatterRecv,
        c"gather_send" messages::GatherSend, c"gather_recv" messages::GatherRecv,
        c"p2pCommunicationSend" messages::AliasP2pSend, c"p2pCommunicationReceive" messages::AliasP2pRecv,
        c"one2oneCommunicationSend" messages::AliasOne2OneSend, c"one2oneCommunicationReceive" messages::AliasOne2OneRecv,
        c"scatterSend" messages::AliasScatterSend, c"scatterReceive" messages::AliasScatterRecv,
        c"bcast" collectives::Bcast, c"scatter" collectives::Scatter, c"gather" collectives::Gather,
        c"reduce" collectives::Reduce, c"allreduce" collectives::Allreduce, c"allgather" collectives::Allgather,
        c"reduce_scatter" collectives::ReduceScatter, c"alltoall" collectives::Alltoall, c"barrier" collectives::Barrier,
        c"scan" collectives::Scan, c"exscan" collectives::Exscan,
        c"icollective" collectives::Icollective,
        c"alltoallv" counts::Alltoallv, c"allgatherv" counts::Allgatherv, c"gatherv" counts::Gatherv,
        c"scatterv" counts::Scatterv, c"reduce_scatterv" counts::ReduceScatterv,
        c"neighbor_allgather" neighbors::NeighborAllgather, c"neighbor_alltoall" neighbors::NeighborAlltoall,
        c"neighbor_alltoallv" neighbors::NeighborAlltoallv,
        c"compute" work::Computing, c"stencil" work::Sweeping, c"computation" work::AliasCompute, c"farm" work::Farming,
        c"farm_worker" work::FarmWorker, c"copy" work::Copy, c"read" work::Read, c"write" work::Write,
    }
}

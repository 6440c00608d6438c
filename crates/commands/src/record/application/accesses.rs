//! Accesses to windows of other ranks as messages.
//!
//! Who accesses sends a message of its size, which is under way until the next fence, unlock, flush or completion; what is got
//! comes the other way in as long a time. The other rank takes part in none of this: it expects all messages from the moment
//! that it makes its first window, and looks for them at its end.

use runcast_record::Recording;
use runcast_record::tree::leaves;
use runcast_record::vocabulary::{Field, call};
use runcast_record::walk::walk;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Accesses that a replay has room for.
const MOST: usize = 10_000_000;

/// Put, get and accumulate.
pub(super) fn is_access(code: u16) -> bool {
    (call::PUT..=call::ACCUMULATE).contains(&code)
}

/// Of each rank, who accesses its windows, once for each access.
pub(super) fn by_target(recording: &Recording) -> HashMap<u32, Vec<u64>> {
    let mut found: HashMap<u32, Vec<u64>> = HashMap::new();
    let mut count = 0;
    for program in recording.programs.iter().filter(|program| program.thread == 0) {
        if !leaves(&program.tree).iter().any(|(leaf, _)| is_access(leaf.call)) {
            continue;
        }
        for rank in &program.ranks {
            let tree = recording.tree_of(program, *rank);
            let comms = recording.comms_of(*rank);
            let _ = walk::<()>(&tree, |event| {
                let peer = event.get(Field::Peer).filter(|_| is_access(event.leaf.call));
                let Some(peer) = peer.and_then(|peer| u32::try_from(peer).ok()) else {
                    return ControlFlow::Continue(());
                };
                let comm = comms.get(event.leaf.comm as usize).filter(|_| event.leaf.comm > 0);
                let world = comm.and_then(|comm| comm.members.values().nth(peer as usize));
                let target = world.and_then(|world| u32::try_from(world).ok()).unwrap_or(peer);
                if target != *rank {
                    found.entry(target).or_default().push(u64::from(*rank));
                    count += 1;
                }
                if count < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
    }
    found
}

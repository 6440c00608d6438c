//! Shared links beside SimGrid: a farm (G6), a halo on a torus (G7), a replay of a trace (G8).
//!
//! The programs of SimGrid are our own, in `benches/peers/simgrid`; they are compiled here if Debian's `libsimgrid-dev` is
//! there. Both sides are run one after the other in the same run, so that ratios mean something on a busy machine.

mod farm;
mod halo;
mod peers;
mod replay;
mod stage;

pub use halo::neighbor;
use std::fmt::Write as _;

/// The section.
pub fn section() -> Result<String, String> {
    let mut text = String::from("### Shared links\n\n");
    let peers = peers::build();
    if let Err(why) = &peers {
        let _ = writeln!(text, "SimGrid is not here ({why}): only our own times are told.\n");
    }
    let peers = peers.ok();
    text.push_str(&farm::part(peers.as_ref())?);
    text.push_str(&halo::part(peers.as_ref())?);
    text.push_str(&replay::part(peers.as_ref())?);
    Ok(text)
}

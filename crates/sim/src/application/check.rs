//! What can be said of an application before it runs: who takes part in which farm, how many messages a receive stands for,
//! and whether all members of a group call the same collectives.

mod order;
mod pairs;

use super::Application;
use crate::build::recorder::Awaited;
use runcast_core::Problems;

#[cfg(feature = "luau")]
pub(crate) use pairs::nth_farm;

/// Fills in what processes could not know while they were recorded, and checks what can be checked.
pub(crate) fn finish(application: &mut Application, awaited: &[Awaited]) -> Result<(), Problems> {
    pairs::fill(application, awaited)?;
    order::check(application)?;
    Ok(())
}

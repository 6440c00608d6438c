//! Checks of an application before it runs: the members of each farm, the number of messages of each receive, and
//! whether all members of a group call the same collectives.

mod order;
mod pairs;

use super::Application;
use crate::build::recorder::Awaited;
use runcast_core::Problems;

pub(crate) use pairs::nth_farm;

/// Fills in what was unknown while processes were recorded, and checks the application.
pub(crate) fn finish(application: &mut Application, awaited: &[Awaited]) -> Result<(), Problems> {
    pairs::fill(application, awaited)?;
    order::check(application)?;
    Ok(())
}

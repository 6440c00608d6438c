//! Files of other simulators: GOAL schedules, SimGrid's platforms and time-independent traces.

pub mod goal;
pub mod simgrid;
pub mod ti;

//! The results of a simulation, and quantities derived from them: energy, chance of failure, cost, explanations, timelines.

pub mod applications;
pub mod cost;
pub mod energy;
pub mod explain;
pub mod faults;
pub mod outcome;
pub mod reliability;
pub mod timeline;

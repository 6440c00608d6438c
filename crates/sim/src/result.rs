//! What a simulation gives, and what follows from it: energy, chance of failure, cost, reasons, pictures of time.

pub mod cost;
pub mod energy;
pub mod explain;
pub mod outcome;
pub mod reliability;
pub mod timeline;
pub mod volunteer;

//! What all engines stand on: the LogGOPS rule, which message goes to which receive, numbered things.

pub mod matching;
pub mod rule;
pub mod slab;

//! The basis of all engines: the LogGOPS rule, which message goes to which receive,
//! collectives by formula, work that is shared evenly, accounts of time.

pub mod accounts;
pub mod device;
pub mod host;
pub mod ledger;
pub mod matching;
pub mod meetings;
pub mod node;
pub mod remote;
pub mod rule;
pub mod slab;
pub mod streams;
pub mod volunteers;

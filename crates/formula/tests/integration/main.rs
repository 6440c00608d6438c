//! The crate from outside: properties that must always hold, and hostile input.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod hostile;
mod properties;
mod shared;
mod trees;

//! The store on both databases.

#![expect(clippy::expect_used, reason = "tests")]

mod data;
mod queue;
mod results;
mod setup;
mod sharing;

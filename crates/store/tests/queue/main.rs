//! The queue on both databases.

#![expect(clippy::expect_used, reason = "tests")]

mod history;
mod interleaved;
mod model;
mod news;
mod order;
mod outcomes;
mod support;
mod trouble;
mod uncounted;

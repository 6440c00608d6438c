//! The queue on both databases.

mod history;
mod interleaved;
mod model;
mod news;
mod order;
mod outcomes;
pub mod support;
mod trouble;
mod turn;
mod uncounted;

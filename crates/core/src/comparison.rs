//! Compares forecasts of several methods: whether they agree, which is better, and what they say together
//! (docs/theory/compare.md).
//!
//! A forecast here is a [`Law`]: a value with a range, read as a split lognormal distribution of one run.

mod agreement;
mod combination;
mod law;
mod learning;
mod ranking;

pub use agreement::{ASSUMED, Side, separation};
pub use combination::{Combined, Weights, combine, weights};
pub use law::{Law, deviate, mean_of};
pub use learning::{Expert, Observation, choose, sd_after, sd_now};
pub use ranking::{Order, rank};

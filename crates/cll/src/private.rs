//! What the macros expand to. Not for use by hand: it may change with any version.

use std::pin::Pin;

pub use crate::library::{Region, Site};
use crate::value::Value;

/// The texts of an experiment, each with a zero at its end.
pub struct Texts {
    pub name: &'static str,
    pub formula: &'static str,
    pub file: &'static str,
    pub names: &'static str,
    pub segments: &'static str,
    pub metrics: &'static str,
    pub source_hash: &'static str,
}

/// A variable's value.
#[inline(always)]
pub fn number<T: Value + ?Sized>(value: &T) -> f64 {
    value.value()
}

/// Ends a region that has come to its end with this value.
#[inline(always)]
pub fn closed<T>(region: Pin<&mut Region>, value: T) -> T {
    region.done();
    value
}

/// Stops the clock of a region that has come to its end with this value.
#[inline(always)]
pub fn stopped<T>(region: Pin<&mut Region>, value: T) -> T {
    region.stop();
    value
}

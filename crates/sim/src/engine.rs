//! Engines: they execute the steps of an application's processes on a platform, at three levels of detail.
//!
//! A [`job::Job`] says what to simulate, a [`platform::Platform`] which links a message takes; [`cursor`] returns the
//! next step of a process. [`label`] keeps one clock for each class of identical processes;
//! [`loggops`] simulates every process by the
//! LogGOPS rule ([`plain`] in plain event order, [`fast`] in windows); [`flow`] shares links max-min fairly. [`schedule`]
//! replays GOAL schedules. All are based on one `kernel`: the rule itself, and the matching of messages and receives.

pub mod budget;
pub mod cursor;
pub mod deadlock;
pub mod fast;
pub mod flow;
pub mod job;
mod kernel;
pub mod label;
pub mod loggops;
pub mod plain;
pub mod platform;
pub mod schedule;

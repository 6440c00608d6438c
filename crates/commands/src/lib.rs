//! Every command as a call: arguments in; documents, tables and files out.
//!
//! A command is a module with its arguments (`PlanArgs`) and a function `run(&PlanArgs, &mut Context)` that gives an
//! [`Output`] or a [`Failure`]. It neither prints nor ends the program, and it writes no file but those that must be
//! on disk before it is done (the table of a benchmark): the shell, the server and Python have it their own way.
//!
//! | what | where |
//! |---|---|
//! | all commands as one enumeration, and its `run` | [`Command`] |
//! | how a command reads files, shows progress, is interrupted | [`Context`] |
//! | what a forecast is before it becomes documents, tables and pictures | `answer` |
//! | the answer in one sentence | [`sentence`] |
//! | the questions of the first page | `ask` |
//! | a curve while its system is being edited | `whatif` |
//! | what comes out | [`Output`], [`Failure`] |
//! | options that mean the same everywhere | [`options`], [`tables::TableArgs`] |
//! | tables of runs as input | [`tables::read`] |
//! | tables for people | [`human::Table`] |
//! | pictures of models | [`plots`] |
//! | what a file of a project is | [`kinds`] |
//! | commands that a worker of the server runs | [`remote`] |
//! | commands within another program | `inside` |

mod answer;
mod command;

mod context;
mod document;
mod examples;
mod failure;
pub mod human;
mod input;
#[cfg(feature = "methods")]
pub mod inside;
mod memory;
pub mod options;
mod output;
mod own_ranges;
#[cfg(feature = "methods")]
mod patient;
pub mod plots;
mod table_file;
pub mod tables;
mod targets;

pub mod advise;
#[cfg(feature = "methods")]
pub mod ask;
pub mod bench;
#[cfg(feature = "methods")]
pub mod bsf;
#[cfg(feature = "methods")]
pub mod bsp;
#[cfg(feature = "methods")]
pub mod cll;
pub mod compare;
pub mod evaluate;
pub mod fit;
pub mod import;
#[cfg(feature = "methods")]
pub mod job;
pub mod kinds;
#[cfg(feature = "methods")]
pub mod llac;
pub mod models;
pub mod plan;
pub mod predict;
pub mod quickstart;
#[cfg(feature = "methods")]
pub mod record;
#[cfg(feature = "methods")]
pub mod remote;
pub mod report;
pub mod sentence;
#[cfg(feature = "methods")]
pub mod sim;
pub mod usage;
#[cfg(feature = "methods")]
pub mod wavefront;
#[cfg(feature = "methods")]
pub mod whatif;

pub use command::Command;
pub use context::{Context, Files, NoProgress, OnDisk, Progress, Screen};
pub use document::Document;
pub use failure::Failure;
pub use input::Input;
pub use output::{Content, Destination, OutFile, Output};
pub use table_file::TableFile;

/// The version of runcast, as `--version` and documents report it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

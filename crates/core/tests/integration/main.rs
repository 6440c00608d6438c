//! Tests of tables, imports, series and evaluation through the public interface.

mod bad_input;
mod formats;
mod grids;
mod large;
#[cfg(feature = "parquet")]
mod parquet;
mod public_data;
mod readings;
mod round_trip;
mod series;
mod size;
mod strangers;
mod units;
mod wide;
mod wild;

use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Table};

/// Reads a table from a text.
fn read(text: &str) -> Table {
    Table::read("runs.csv", text.as_bytes(), &ReadOptions::default()).expect("a table")
}

/// The first problem of a file.
fn problem_of(bytes: &[u8]) -> Problem {
    let problems = Table::read("runs", bytes, &ReadOptions::default()).expect_err("an error");
    problems.0.into_iter().next().expect("one problem at least")
}

/// A file of `testdata/imports`.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../testdata/imports/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

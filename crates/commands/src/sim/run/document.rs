//! The document of `runcast sim run`.

use runcast_sim::run::RunResult;
use serde::Serialize;

/// The document of `runcast sim run`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// `sim-run`.
    pub kind: &'static str,
    /// Version of this shape.
    pub version: u32,
    /// What a run gives.
    #[serde(flatten)]
    pub result: RunResult,
}

impl Document {
    /// With kind and version.
    pub fn new(result: RunResult) -> Document {
        Document { kind: "sim-run", version: 1, result }
    }
}

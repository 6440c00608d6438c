//! The document of kind `bsf-calibrate`.

use super::Measured;
use super::files::LEVEL;
use super::origin::Origin;
use super::warnings::warnings;
use runcast_bsf::pieces::Route;
use runcast_bsf::skeleton::{Calibration, Estimate, MessageTable};
use runcast_core::{Warning, json};
use serde::Serialize;

/// The document of kind `bsf-calibrate`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    pub kind: &'static str,
    pub version: u32,
    /// Level of all intervals.
    pub level: f64,
    pub list_length: u64,
    pub times: TimesEntry,
    /// Wall time of an iteration with one worker, which the times should add up to.
    pub iteration_time_s: Estimate,
    pub messages: Vec<MessageEntry>,
    /// With `--form pieces`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<PiecesEntry>,
    pub origin: Origin,
    pub warnings: Vec<Warning>,
}

/// What costs in pieces have beyond times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PiecesEntry {
    /// Of one element, map and fold, while the block of a worker fits into its cache.
    pub in_cache_s: f64,
    pub out_of_cache_s: f64,
    /// Null where no step was seen.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cache_bytes: Option<f64>,
    /// Memory that an element touches.
    pub element_bytes: f64,
    pub blocks: Vec<BlockEntry>,
    /// The last size of each protocol of messages but the last.
    pub switches_bytes: Vec<f64>,
    /// The number of workers with the least time when messages are flat.
    pub k_max: u64,
    pub k_max_tree: u64,
}

/// A block that was mapped and folded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct BlockEntry {
    pub elements: u64,
    pub time_s: f64,
    pub time_low_s: f64,
    pub time_high_s: f64,
}

impl PiecesEntry {
    fn of(measured: &Measured<'_>) -> Option<Self> {
        let (pieces, parts) = (measured.pieces()?, measured.calibration.parts.as_ref()?);
        let block = |(elements, time): &(u64, Estimate)| BlockEntry {
            elements: *elements,
            time_s: time.value,
            time_low_s: time.low,
            time_high_s: time.high,
        };
        Some(PiecesEntry {
            in_cache_s: pieces.map.in_cache_s,
            out_of_cache_s: pieces.map.out_of_cache_s,
            cache_bytes: Some(pieces.map.cache_bytes).filter(|bytes| bytes.is_finite()),
            element_bytes: pieces.element_bytes,
            blocks: parts.blocks.iter().map(block).collect(),
            switches_bytes: pieces.messages.switches.clone(),
            k_max: pieces.best(Route::Flat),
            k_max_tree: pieces.best(Route::Tree),
        })
    }
}

/// Times of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct TimesEntry {
    pub latency_s: Estimate,
    /// Null where there were no two workers to send to in a row.
    pub overhead_s: Option<Estimate>,
    pub send_s: Estimate,
    pub work_s: Estimate,
    pub fold_s: Estimate,
    pub receive_s: Estimate,
    pub compute_s: Estimate,
}

/// A message one way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct MessageEntry {
    pub size_bytes: u64,
    pub time_s: f64,
    pub time_low_s: f64,
    pub time_high_s: f64,
}

impl Document {
    pub fn of(measured: &Measured<'_>, origin: Origin) -> Self {
        let calibration = &measured.calibration;
        Document {
            kind: "bsf-calibrate",
            version: 1,
            level: LEVEL,
            list_length: calibration.list_length,
            times: TimesEntry::of(calibration),
            iteration_time_s: calibration.iteration_s,
            messages: messages(&calibration.messages),
            pieces: PiecesEntry::of(measured),
            origin,
            warnings: warnings(measured),
        }
    }
}

impl TimesEntry {
    fn of(calibration: &Calibration) -> Self {
        TimesEntry {
            latency_s: calibration.latency_s,
            overhead_s: calibration.overhead_s,
            send_s: calibration.send_s,
            work_s: calibration.work_s,
            fold_s: calibration.fold_s,
            receive_s: calibration.receive_s,
            compute_s: calibration.compute_s,
        }
    }
}

fn messages(table: &MessageTable) -> Vec<MessageEntry> {
    let entry = |(size_bytes, time): &(u64, Estimate)| MessageEntry {
        size_bytes: *size_bytes,
        time_s: time.value,
        time_low_s: time.low,
        time_high_s: time.high,
    };
    table.rows.iter().map(entry).collect()
}

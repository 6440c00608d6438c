//! The document of kind `bsf-calibrate`.

use super::Measured;
use super::files::LEVEL;
use super::origin::Origin;
use super::warnings::warnings;
use runcast_bsf::skeleton::{Calibration, Estimate, MessageTable};
use runcast_core::Warning;
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
    pub origin: Origin,
    pub warnings: Vec<Warning>,
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

//! What costs in pieces consist of, beside times.

use super::busy;
use super::messages::{self, MessageTable};
use super::protocols::switches;
use super::pulse::Pulse;
use super::sample::Estimate;
use crate::cost::Collective;
use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;

/// What costs in pieces consist of, beside the times of a [`Calibration`](super::Calibration).
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Elements and CPU time of growing blocks, mapped and folded.
    pub blocks: Vec<(u64, Estimate)>,
    /// Messages: those of the calibration, and those around a switch.
    pub messages: Vec<Knot>,
    /// The last size of each protocol of messages but the last \[bytes\].
    pub switches: Vec<u64>,
    /// Collectives of the skeleton without work: numbers of workers, and a time \[s\] for each.
    pub collectives: Vec<(Collective, Vec<u64>, Vec<f64>)>,
}

/// A message of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// \[bytes\]
    pub size: u64,
    /// One way \[s\].
    pub time_s: f64,
    /// How long its sender is occupied \[s\].
    pub busy_s: f64,
}

/// Bisections between the sizes on both sides of a switch.
const BISECTIONS: usize = 6;
/// Sends in a row for each size.
const SENDS: usize = 10;

/// The messages of a table with their protocols, and how long each occupies its sender.
pub(super) fn messages<X>(
    table: &MessageTable,
    fleet: &mut dyn Fleet<X>,
    workers: usize,
    repeat: usize,
    pulse: &mut Pulse<'_>,
) -> Result<(Vec<Knot>, Vec<u64>), RunError> {
    let mut knots: Vec<(u64, f64)> = table.rows.iter().map(|(size, time)| (*size, time.value)).collect();
    let column = |knots: &[(u64, f64)]| -> (Vec<f64>, Vec<f64>) {
        knots.iter().map(|(size, time)| (*size as f64, *time)).unzip()
    };
    let (sizes, times) = column(&knots);
    let mut last = Vec::new();
    for left in switches(&sizes, &times) {
        let (mut below, mut above) = (knots_at(&sizes, &times, left), knots_at(&sizes, &times, left + 1));
        let middle = (below.1 * above.1).sqrt();
        for _ in 0..BISECTIONS {
            let size = below.0.midpoint(above.0);
            if size == below.0 {
                break;
            }
            let time_s = messages::one_way(fleet, size as usize, repeat, pulse)?.median();
            if time_s < middle { below = (size, time_s) } else { above = (size, time_s) }
        }
        last.push(below.0);
        knots.extend([below, above]);
    }
    knots.sort_by_key(|(size, _)| *size);
    knots.dedup_by_key(|(size, _)| *size);
    let knot = |&(size, time_s): &(u64, f64)| {
        let busy_s = match workers {
            0 | 1 => time_s,
            _ => busy(fleet, workers, size as usize, repeat.min(SENDS), pulse)?.at_most(time_s).median().max(0.0),
        };
        Ok(Knot { size, time_s, busy_s })
    };
    Ok((knots.iter().map(knot).collect::<Result<_, RunError>>()?, last))
}

fn knots_at(sizes: &[f64], times: &[f64], index: usize) -> (u64, f64) {
    (sizes[index] as u64, times[index])
}

//! Times of messages over their size.

use super::pulse::Pulse;
use super::sample::{Estimate, Sample};
use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;

/// The largest message that is measured: 16 MiB.
const LARGEST: u64 = 16 << 20;
/// Round trips that warm up buffers and connections.
const WARM_UP: usize = 3;

/// Times of messages one way, latency included, over their size.
///
/// They do not follow a single slope: where an MPI library changes its protocol, the time jumps (20-fold at 4 KiB in the
/// shared memory of Open MPI). Between sizes it is interpolated, on logarithmic scales.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageTable {
    /// Size \[B\], growing, and time one way \[s\].
    pub rows: Vec<(u64, Estimate)>,
}

impl MessageTable {
    /// Measures powers of two, from 1 B to 16 MiB.
    pub(super) fn measure<X>(fleet: &mut dyn Fleet<X>, repeat: usize, pulse: &mut Pulse<'_>) -> Result<Self, RunError> {
        let sizes = (0..=LARGEST.ilog2()).map(|power| 1_u64 << power);
        let rows = sizes.map(|size| Ok((size, one_way(fleet, size as usize, repeat, pulse)?.estimate())));
        Ok(MessageTable { rows: rows.collect::<Result<_, RunError>>()? })
    }

    /// Time one way of a message of `bytes` \[s\], interpolated; beyond the largest one, in proportion to the size.
    ///
    /// ```
    /// use runcast_bsf::skeleton::{Estimate, MessageTable};
    /// let row = |size, value| (size, Estimate { value, low: value, high: value });
    /// let table = MessageTable { rows: vec![row(1024, 1e-6), row(4096, 4e-6)] };
    /// assert!((table.time_s(2048).unwrap() - 2e-6).abs() < 1e-15);
    /// assert_eq!(table.time_s(8192), Some(8e-6));
    /// assert_eq!(table.time_s(1), Some(1e-6));
    /// ```
    pub fn time_s(&self, bytes: u64) -> Option<f64> {
        let above = self.rows.partition_point(|(size, _)| *size < bytes);
        let (last_size, last) = self.rows.last()?;
        let Some((size, time)) = self.rows.get(above) else {
            return Some(last.value * bytes as f64 / *last_size as f64);
        };
        let Some((size_before, before)) = above.checked_sub(1).and_then(|before| self.rows.get(before)) else {
            return Some(time.value);
        };
        if before.value <= 0.0 || time.value <= 0.0 {
            return Some(time.value);
        }
        let share = (bytes as f64 / *size_before as f64).ln() / (*size as f64 / *size_before as f64).ln();
        Some(before.value * (time.value / before.value).powf(share))
    }
}

/// Half of the round trips of this many bytes.
pub(super) fn one_way<X>(
    fleet: &mut dyn Fleet<X>,
    bytes: usize,
    repeat: usize,
    pulse: &mut Pulse<'_>,
) -> Result<Sample, RunError> {
    for _ in 0..WARM_UP {
        fleet.round_trip(0, bytes, bytes)?;
    }
    let halves = (0..repeat.max(1)).map(|_| {
        pulse.beat(fleet)?;
        Ok(fleet.round_trip(0, bytes, bytes)? / 2.0)
    });
    halves.collect::<Result<Vec<_>, RunError>>().map(Sample::new)
}

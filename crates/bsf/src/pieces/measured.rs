//! Costs in pieces, from what the skeleton has measured.

use super::{BlockTime, MeasuredCollective, Messages, Pieces, Route};
use crate::cost::Collective;
use crate::skeleton::Calibration;

impl Pieces {
    /// Costs in pieces of an algorithm whose elements touch `element_bytes` of memory each; none where they were not
    /// measured ([`CalibrateOptions::in_pieces`](crate::skeleton::CalibrateOptions)).
    pub fn of(calibration: &Calibration, element_bytes: f64) -> Option<Pieces> {
        let parts = calibration.parts.as_ref()?;
        let blocks: Vec<(u64, f64)> = parts.blocks.iter().map(|(size, time)| (*size, time.value)).collect();
        let found = BlockTime::of(&blocks)?;
        let send_bytes = calibration.send_bytes as f64;
        let collective = |(collective, workers, times): &(Collective, Vec<u64>, Vec<f64>)| MeasuredCollective {
            route: match collective {
                Collective::Flat => Route::Flat,
                Collective::Tree => Route::Tree,
            },
            workers: workers.clone(),
            times: times.iter().map(|time_s| Messages::constant(send_bytes, *time_s)).collect(),
        };
        let messages = &parts.messages;
        Some(Pieces {
            list_length: calibration.list_length,
            send_bytes,
            receive_bytes: calibration.receive_bytes as f64,
            element_bytes,
            map: found.element_time(element_bytes),
            fold_s: calibration.fold_s.value,
            compute_s: calibration.compute_s.value + found.start_s,
            messages: Messages {
                size_bytes: messages.iter().map(|knot| knot.size as f64).collect(),
                time_s: messages.iter().map(|knot| knot.time_s).collect(),
                busy_s: messages.iter().map(|knot| knot.busy_s).collect(),
                switches: parts.switches.iter().map(|last| *last as f64).collect(),
            },
            // As the skeleton does it.
            overlaps: true,
            collectives: parts.collectives.iter().map(collective).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::ElementTime;
    use crate::skeleton::{Estimate, Knot, MessageTable, Parts};

    #[test]
    fn pieces_are_composed_of_what_was_measured() {
        let exact = |value: f64| Estimate { value, low: value, high: value };
        let block = |size: u64| (size, exact(size as f64 * if size <= 128 { 4e-7 } else { 9e-7 } + 3e-6));
        let calibration = Calibration {
            list_length: 1000,
            processes: 2,
            latency_s: exact(2e-6),
            overhead_s: None,
            send_s: exact(0.0),
            receive_s: exact(0.0),
            work_s: exact(9e-4),
            fold_s: exact(5e-7),
            compute_s: exact(2e-6),
            iteration_s: exact(1e-3),
            send_bytes: 0,
            receive_bytes: 0,
            iterations: 20,
            messages: MessageTable { rows: Vec::new() },
            parts: Some(Parts {
                blocks: [16, 32, 63, 125, 250, 500, 1000].map(block).to_vec(),
                messages: vec![Knot { size: 0, time_s: 2e-6, busy_s: 2e-6 }],
                switches: Vec::new(),
                collectives: vec![(Collective::Flat, vec![1, 2], vec![4e-6, 6e-6])],
            }),
        };
        let pieces = Pieces::of(&calibration, 8000.0).expect("measured");
        let close =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
        // 125 * 400 ns + 3 us + 2 us in the cache; comm 6 us at 2 workers, 2 more for each doubling of K+1 by log2(3/2).
        assert_eq!(pieces.map, ElementTime { cache_bytes: 125.0 * 8000.0, ..pieces.map });
        close(pieces.serial_time_s(), 1000.0 * 9e-7 + 5e-6);
        close(pieces.time_s(Route::Flat, 2).expect("flat"), 6e-6 + 5e-7 + 500.0 * 9e-7 + 5e-6);
        let comm = 6e-6 + (9_f64.log2() - 3_f64.log2()) * 2e-6 / (3_f64.log2() - 1.0);
        close(pieces.time_s(Route::Flat, 8).expect("flat"), comm + 7.0 * 5e-7 + 125.0 * 4e-7 + 5e-6);
        close(pieces.time_s(Route::Tree, 2).expect("tree"), 2.0 * 4e-6 + 5e-7 + 500.0 * 9e-7 + 5e-6);
    }
}

//! One clock for all ranks: that of rank 0.

use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::time::Instant;

/// Tag of the messages about clocks.
const TAG: i32 = 2;
/// Round trips, of which the fastest counts.
const ROUNDS: usize = 50;
/// All ranks know the start before it comes [ns].
const START: i64 = 20_000_000;

/// Nanoseconds since the start that all ranks share.
pub(super) struct Clock {
    base: Instant,
    /// What is to be added to the time since `base`.
    offset: i64,
}

impl Clock {
    /// Compares the clocks, rank by rank, and agrees on a start. All ranks call it.
    ///
    /// The clock of rank 0 is read between two readings of the other one; in the fastest of the round trips its middle is
    /// off by at most half the time that the trip took.
    pub(super) fn agree(world: &SimpleCommunicator) -> Clock {
        let mut clock = Clock { base: Instant::now(), offset: 0 };
        if world.rank() == 0 {
            for rank in 1..world.size() {
                let other = world.process_at_rank(rank);
                for _ in 0..ROUNDS {
                    other.receive_into_with_tag(&mut [0_i64], TAG);
                    other.send_with_tag(&[clock.reading()], TAG);
                }
            }
            let start = clock.reading() + START;
            (1..world.size()).for_each(|rank| world.process_at_rank(rank).send_with_tag(&[start], TAG));
            clock.offset -= start;
        } else {
            let first = world.process_at_rank(0);
            let mut best = (i64::MAX, 0);
            let mut answer = [0_i64];
            for _ in 0..ROUNDS {
                let before = clock.reading();
                first.send_with_tag(&[before], TAG);
                first.receive_into_with_tag(&mut answer, TAG);
                let after = clock.reading();
                best = best.min((after - before, answer[0] - (before + (after - before) / 2)));
            }
            first.receive_into_with_tag(&mut answer, TAG);
            clock.offset = best.1 - answer[0];
        }
        clock
    }

    /// Now; not to be asked before the start.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.reading()).unwrap_or(0)
    }

    /// How long it is until the start [ns].
    pub(super) fn until_start(&self) -> u64 {
        u64::try_from(-self.reading()).unwrap_or(0)
    }

    fn reading(&self) -> i64 {
        i64::try_from(self.base.elapsed().as_nanos()).unwrap_or(i64::MAX).saturating_add(self.offset)
    }
}

//! What the ranks have recorded, on its way to rank 0 after a run.

use crate::run::error::RunError;
use crate::run::record::{Message, Overshoot, Phase, Rows, Update};
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};

/// Tag of these messages.
const TAG: i32 = 3;
/// Numbers of a message: MPI counts in 32 bits.
const CHUNK: usize = 1 << 22;
/// Numbers of a row.
const PHASE: usize = 6;
const UPDATE: usize = 6;
const MESSAGE: usize = 5;
/// Numbers that come first: how many rows of each kind, what was left out, and the overshoot.
const HEAD: usize = 7;

/// Gives the rows of all ranks to rank 0; others get nothing. All ranks call it.
///
/// # Errors
/// What came is damaged.
pub(super) fn gather(world: &SimpleCommunicator, rows: Rows) -> Result<Option<Vec<Rows>>, RunError> {
    if world.rank() > 0 {
        let numbers = encoded(&rows);
        let first = world.process_at_rank(0);
        first.send_with_tag(&[numbers.len() as u64], TAG);
        numbers.chunks(CHUNK).for_each(|chunk| first.send_with_tag(chunk, TAG));
        return Ok(None);
    }
    let mut all = vec![rows];
    for rank in 1..world.size() {
        let other = world.process_at_rank(rank);
        let mut length = [0_u64];
        other.receive_into_with_tag(&mut length, TAG);
        let mut numbers = vec![0_u64; usize::try_from(length[0]).unwrap_or(0)];
        numbers.chunks_mut(CHUNK).for_each(|chunk| _ = other.receive_into_with_tag(chunk, TAG));
        let damaged = || RunError::Message(format!("the rows of rank {rank} are damaged"));
        all.push(decoded(&numbers).ok_or_else(damaged)?);
    }
    Ok(Some(all))
}

fn encoded(rows: &Rows) -> Vec<u64> {
    let Rows { phases, updates, messages, left_out, overshoot } = rows;
    let Overshoot { count, sum, most } = *overshoot;
    let lengths = [phases.len() as u64, updates.len() as u64, messages.len() as u64];
    let mut numbers = lengths.to_vec();
    numbers.extend([*left_out, count, sum, most]);
    for row in phases {
        let counts = [u64::from(row.updates), u64::from(row.discarded)];
        numbers.extend([row.start, row.beta_start, row.end, counts[0], counts[1], row.error_squared.to_bits()]);
    }
    for row in updates {
        let flags = [u64::from(row.is_beta), u64::from(row.is_discarded)];
        numbers.extend([row.phase, u64::from(row.number), row.start, row.end, flags[0], flags[1]]);
    }
    for row in messages {
        numbers.extend([row.phase, row.from as u64, row.sent, row.arrived, u64::from(row.is_exact)]);
    }
    numbers
}

fn decoded(numbers: &[u64]) -> Option<Rows> {
    let (head, rest) = numbers.split_first_chunk::<HEAD>()?;
    let length = |place: usize, width: usize| usize::try_from(head[place]).ok()?.checked_mul(width);
    let (phases, rest) = rest.split_at_checked(length(0, PHASE)?)?;
    let (updates, messages) = rest.split_at_checked(length(1, UPDATE)?)?;
    let phase = |row: &[u64]| Phase {
        start: row[0],
        beta_start: row[1],
        end: row[2],
        updates: row[3] as u32,
        discarded: row[4] as u32,
        error_squared: f64::from_bits(row[5]),
    };
    let update = |row: &[u64]| Update {
        phase: row[0],
        number: row[1] as u32,
        start: row[2],
        end: row[3],
        is_beta: row[4] != 0,
        is_discarded: row[5] != 0,
    };
    let message = |row: &[u64]| Message {
        phase: row[0],
        from: row[1] as usize,
        sent: row[2],
        arrived: row[3],
        is_exact: row[4] != 0,
    };
    (messages.len() == length(2, MESSAGE)?).then(|| Rows {
        phases: phases.chunks_exact(PHASE).map(phase).collect(),
        updates: updates.chunks_exact(UPDATE).map(update).collect(),
        messages: messages.chunks_exact(MESSAGE).map(message).collect(),
        left_out: head[3],
        overshoot: Overshoot { count: head[4], sum: head[5], most: head[6] },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_and_torn_ones_do_not() {
        let phase = |start| Phase { start, beta_start: 5, end: 9, updates: 3, discarded: 1, error_squared: 0.25 };
        let update = Update { phase: 1, number: 2, start: 3, end: 8, is_beta: true, is_discarded: false };
        let message = Message { phase: 1, from: 2, sent: 5, arrived: 9, is_exact: true };
        let rows = Rows {
            phases: vec![phase(1), phase(2)],
            updates: vec![update; 3],
            messages: vec![message],
            left_out: 7,
            overshoot: Overshoot { count: 1, sum: 2, most: 3 },
        };
        let numbers = encoded(&rows);
        assert_eq!(decoded(&numbers), Some(rows));
        assert!((0..numbers.len()).all(|end| decoded(&numbers[..end]).is_none()));
    }
}

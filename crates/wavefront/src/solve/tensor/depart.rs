//! From states to meetings: who ends alpha last, and how far behind the others end theirs.
//!
//! For each turn (from the start of the process that starts last to the end of the last alpha) and each leader this is
//! one small matrix a process, applied along its coordinate.

use super::axis::Axis;
use super::faces::{Faces, others};

/// Meetings weighted with how much the turn is above `center`.
pub(super) struct Timed<'a> {
    pub center: f64,
    pub meetings: &'a mut [f64],
    /// The sum of all weights with the square.
    pub squares: f64,
}

/// Adds up the meetings after a phase's alphas, and the same weighted with the turn where `timed` is given.
pub(super) fn depart(
    turns: (i64, i64),
    axes: &[Axis],
    states: &Faces,
    measure: &[f64],
    meetings: &Faces,
    out: &mut [f64],
    mut timed: Option<&mut Timed<'_>>,
) {
    let mut work = Work::default();
    for turn in turns.0..=turns.1 {
        for leader in 0..axes.len() {
            if !lead(turn, &axes[leader], leader, states, measure, &mut work.current) {
                continue;
            }
            let mut possible = true;
            let following: Vec<usize> = others(axes.len(), leader).collect();
            for (position, process) in following.iter().enumerate() {
                let outer = following[..position].iter().map(|before| axes[*before].width).product();
                let inner = following[position + 1..].iter().map(|after| states.widths[*after]).product();
                let along =
                    Along { outer, length: states.widths[*process], inner, least: usize::from(*process < leader) };
                possible = possible && along.apply(turn, &axes[*process], &work.current, &mut work.next);
                std::mem::swap(&mut work.current, &mut work.next);
            }
            if !possible {
                continue;
            }
            for (sum, value) in meetings.face_mut(out, leader).iter_mut().zip(&work.current) {
                *sum += value;
            }
            if let Some(timed) = &mut timed {
                let above = turn as f64 - timed.center;
                for (sum, value) in meetings.face_mut(timed.meetings, leader).iter_mut().zip(&work.current) {
                    *sum += above * value;
                }
                timed.squares += above * above * work.current.iter().sum::<f64>();
            }
        }
    }
}

#[derive(Default)]
struct Work {
    current: Vec<f64>,
    next: Vec<f64>,
}

/// Leaves the states weighted with the probability that `leader` ends alpha at the turn, without its coordinate; false
/// where there is no such state.
fn lead(turn: i64, axis: &Axis, leader: usize, states: &Faces, measure: &[f64], out: &mut Vec<f64>) -> bool {
    let (size, width) = (states.widths.len(), states.widths[leader]);
    let ends: Vec<(usize, f64)> =
        (0..width).map(|lag| (lag, axis.row(turn + lag as i64).0[0])).filter(|(_, p)| *p > 0.0).collect();
    if ends.is_empty() {
        return false;
    }
    out.clear();
    out.resize(states.face(measure, leader).len(), 0.0);
    if ends[0].0 == 0 {
        for (sum, value) in out.iter_mut().zip(states.face(measure, leader)) {
            *sum = ends[0].1 * value;
        }
    }
    let span = |from: usize, to: usize, but: usize| -> usize {
        (from..to).filter(|process| *process != but).map(|process| states.widths[process]).product()
    };
    for face in others(size, leader) {
        // The coordinates of this face: outer, leader, inner; those of the result: left, face (at 0), right.
        let (outer, inner) = (span(0, leader, face), span(leader + 1, size, face));
        let (left, right) = (span(0, face, leader), span(face + 1, size, leader));
        let step = right * states.widths[face];
        let values = states.face(measure, face);
        for (lag, probability) in &ends {
            for block in 0..outer {
                let row = &values[(block * width + lag) * inner..][..inner];
                // Runs within which the place in the result is contiguous.
                let run = inner.min(right);
                for (index, part) in row.chunks_exact(run).enumerate() {
                    let flat = block * inner + index * run;
                    let place = flat / right * step + flat % right;
                    for (sum, value) in out[place..place + run].iter_mut().zip(part) {
                        *sum += probability * value;
                    }
                }
            }
        }
        debug_assert_eq!(left * right, outer * inner);
    }
    true
}

/// A box with the coordinate in question in the middle.
struct Along {
    outer: usize,
    length: usize,
    inner: usize,
    /// The least column that is allowed: a process before the leader must be behind it.
    least: usize,
}

impl Along {
    /// Replaces the lag by how far behind; false where nothing is left.
    fn apply(&self, turn: i64, axis: &Axis, values: &[f64], out: &mut Vec<f64>) -> bool {
        out.clear();
        out.resize(self.outer * axis.width * self.inner, 0.0);
        let mut some = false;
        for lag in 0..self.length {
            let (row, range) = axis.row(turn + lag as i64);
            let range = range.start.max(self.least)..range.end;
            if range.is_empty() {
                continue;
            }
            some = true;
            for block in 0..self.outer {
                let from = &values[(block * self.length + lag) * self.inner..][..self.inner];
                let to = &mut out[block * axis.width * self.inner..][..axis.width * self.inner];
                if let [value] = from {
                    if *value != 0.0 {
                        for (sum, probability) in to[range.clone()].iter_mut().zip(&row[range.clone()]) {
                            *sum += value * probability;
                        }
                    }
                    continue;
                }
                for behind in range.clone() {
                    let probability = row[behind];
                    if probability != 0.0 {
                        let place = &mut to[behind * self.inner..][..self.inner];
                        for (sum, value) in place.iter_mut().zip(from) {
                            *sum += probability * value;
                        }
                    }
                }
            }
        }
        some
    }
}

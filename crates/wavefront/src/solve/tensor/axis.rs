//! From the lag of one process and the turn to how far behind it ends alpha.

use super::count::Beta;
use super::engine::Limit;
use super::times::{Shape, Spread};
use crate::model::Model;
use std::ops::{Range, RangeInclusive};

/// Rows by turn plus lag, each the law over how far behind a process ends alpha.
///
/// A process ends alpha `turn + lag - alpha` ticks before `turn`. Up to the clip point each distance has a column; from
/// it on there is one column for all, or, where the process's own wait still matters, one for each end of its phase.
pub(super) struct Axis {
    /// Columns.
    pub width: usize,
    first: i64,
    rows: Vec<f64>,
    /// Where a row is not 0.
    ranges: Vec<Range<usize>>,
}

impl Axis {
    /// One column from the clip point on.
    pub fn plain(alpha: &Spread, shape: &Shape, process: usize) -> Axis {
        let clip = shape.clip[process];
        Axis::new(shape, clip + 1, |sum, row| {
            exact(alpha, sum, &mut row[..clip]);
            row[clip] = alpha.up_to(sum - clip as i64);
        })
    }

    /// From the clip point on a column for each end, weighted with what `beta` says about a wait of distance plus end.
    pub fn followed(alpha: &Spread, shape: &Shape, process: usize, beta: &Beta) -> Axis {
        let (clip, ends) = (shape.clip[process], shape.latest[process] + 1);
        Axis::new(shape, clip + ends, |sum, row| {
            exact(alpha, sum, &mut row[..clip]);
            for (ticks, probability) in alpha.support() {
                let behind = sum - ticks;
                if behind >= clip as i64 {
                    for (end, weight) in row[clip..].iter_mut().enumerate() {
                        *weight += probability * beta.after(behind as usize + end)[0];
                    }
                }
            }
        })
    }

    fn new(shape: &Shape, width: usize, fill: impl Fn(i64, &mut [f64])) -> Axis {
        let first = shape.turn.0;
        let mut rows = vec![0.0; shape.rows() * width];
        let mut ranges = Vec::with_capacity(shape.rows());
        for (row, sum) in rows.chunks_exact_mut(width).zip(first..) {
            fill(sum, row);
            ranges.push(range(row));
        }
        Axis { width, first, rows, ranges }
    }

    /// The row of a turn plus a lag, where it is not 0, and where that is.
    pub fn row(&self, sum: i64) -> (&[f64], Range<usize>) {
        let index = (sum - self.first) as usize;
        (&self.rows[index * self.width..][..self.width], self.ranges[index].clone())
    }
}

/// One row for any turn plus lag, with one column from the clip point on.
pub(super) fn row(alpha: &Spread, clip: usize, sum: i64) -> Vec<f64> {
    let mut row = vec![0.0; clip + 1];
    exact(alpha, sum, &mut row[..clip]);
    row[clip] = alpha.up_to(sum - clip as i64);
    row
}

/// Of each of these processes: what it does in beta in transitions with few iterations, and the axis that leads there.
pub(super) fn limited(
    model: &Model,
    shape: &Shape,
    alpha: &[Spread],
    (mode, limit): (usize, Limit),
    processes: impl Iterator<Item = usize>,
) -> (Vec<Beta>, Vec<Axis>) {
    let one = |process: usize| {
        let most = limit.most.saturating_sub(model.processes[process].alpha_updates);
        let beta = Beta::new(model, mode, process, Some(most), limit.tie, shape.wait[process]);
        let axis = match shape.abort {
            true => Axis::followed(&alpha[process], shape, process, &beta),
            false => Axis::plain(&alpha[process], shape, process),
        };
        (beta, axis)
    };
    processes.map(one).unzip()
}

/// Ticks from the last start to the last end of alpha that there can be, from these lags.
pub(super) fn turns(alpha: &[Spread], lags: &[usize]) -> RangeInclusive<i64> {
    let latest = |end: fn(&Spread) -> i64| alpha.iter().zip(lags).map(|(law, lag)| end(law) - *lag as i64).max();
    latest(Spread::first).unwrap_or(0)..=latest(Spread::last).unwrap_or(0)
}

fn exact(alpha: &Spread, sum: i64, row: &mut [f64]) {
    for (behind, place) in row.iter_mut().enumerate() {
        *place = alpha.at(sum - behind as i64);
    }
}

fn range(row: &[f64]) -> Range<usize> {
    let start = row.iter().position(|value| *value != 0.0).unwrap_or(row.len());
    let end = row.iter().rposition(|value| *value != 0.0).map_or(start, |last| last + 1);
    start..end
}

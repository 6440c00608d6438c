//! A form that the times may have, and its fit.

use super::super::error::FitError;
use super::super::points::Measured;
use super::super::shape::Shape;
use crate::cost::{Collective, Form};
use runcast_core::numeric::{dot, norm, qr::Qr};

/// Number of coefficients: fixed, work, per worker, and what blocks beyond the step take more.
pub(super) const COLUMNS: usize = 4;
/// The index of the last.
pub(super) const EXTRA: usize = 3;
/// Subsets of the coefficients without a step, then those with one, which need work that can take longer.
const SUPPORTS: [&[usize]; 11] = [
    &[1],
    &[0],
    &[2],
    &[0, 1],
    &[1, 2],
    &[0, 2],
    &[0, 1, 2],
    &[1, EXTRA],
    &[0, 1, EXTRA],
    &[1, 2, EXTRA],
    &[0, 1, 2, EXTRA],
];
const PLAIN: usize = 7;
/// On each side of a step there must be as many different blocks.
const LEAST_BESIDE: usize = 2;

/// A form and a collective, with or without a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hypothesis {
    pub shape: Shape,
    pub has_step: bool,
}

/// Blocks that do not fit into a cache: one factor on those above a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The largest block that fits \[elements\].
    pub size: u64,
    /// How many times longer an element of a larger block takes; 1 or more.
    pub factor: f64,
}

/// A hypothesis with its coefficients.
#[derive(Debug, Clone)]
pub(super) struct Solved {
    pub shape: Shape,
    pub has_step: bool,
    /// The largest block that fits, where a step was found.
    pub size: Option<u64>,
    /// Share of the messages of a flat master that is hidden behind the work of those that have their orders.
    pub hidden: f64,
    /// Whether the points say so.
    pub is_overlap_known: bool,
    pub coefficients: [f64; COLUMNS],
    /// Sum of the squares of the relative errors.
    pub squares: f64,
}

impl Hypothesis {
    /// Every hypothesis that the length of the list allows.
    pub(super) fn all(list_length: Option<u64>, with_step: bool) -> Result<Vec<Hypothesis>, FitError> {
        let mut all = Vec::new();
        let kinds = [(Form::Smooth, false), (Form::Granular, false), (Form::Granular, true)];
        let possible =
            |(form, step): &(Form, bool)| *form == Form::Smooth || list_length.is_some() && (!step || with_step);
        for (form, has_step) in kinds.into_iter().filter(possible) {
            for collective in Collective::ALL {
                all.push(Hypothesis { shape: Shape::new(form, collective, list_length)?, has_step });
            }
        }
        Ok(all)
    }

    /// The coefficients of least relative squares, none below 0, and the best size of a step; none when numbers leave
    /// the range of `f64`.
    pub(super) fn solve(self, points: &[Measured]) -> Option<Solved> {
        let plain = self.solve_at(points, None);
        let sizes = if self.has_step { self.sizes(points) } else { Vec::new() };
        let steps = sizes.into_iter().filter_map(|size| self.solve_at(points, Some(size)));
        // Only a step that is seen: not one that explains rounding errors.
        let better = |best: Solved, next: Solved| {
            if next.squares < best.squares * (1.0 - 1e-9) - 1e-24 { next } else { best }
        };
        plain.into_iter().chain(steps).reduce(better)
    }

    /// At a size of the step: messages first as if the master hid none of them, then hidden as far as the points say.
    fn solve_at(self, points: &[Measured], size: Option<u64>) -> Option<Solved> {
        let open = Solved {
            shape: self.shape,
            has_step: self.has_step,
            size,
            hidden: USUALLY_HIDDEN,
            is_overlap_known: false,
            coefficients: [0.0; COLUMNS],
            squares: f64::INFINITY,
        };
        let first = open.refitted(points)?;
        if points.iter().all(|point| !first.is_bound(point.workers)) {
            return Some(first);
        }
        let settled = |hidden: f64| {
            let mut best = Solved { hidden, is_overlap_known: true, ..first.clone() }.judged(points);
            for _ in 0..ROUNDS {
                let Some(next) = best.refitted(points).filter(|next| next.squares < best.squares) else { break };
                best = next;
            }
            best
        };
        HIDDEN
            .into_iter()
            .map(settled)
            .reduce(|best, next| if next.squares < best.squares * (1.0 - 1e-9) - 1e-24 { next } else { best })
    }

    /// Sizes of blocks between which a step may lie.
    fn sizes(self, points: &[Measured]) -> Vec<u64> {
        let mut blocks: Vec<u64> = points.iter().filter_map(|point| block(self.shape, point.workers)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        match blocks.len().checked_sub(LEAST_BESIDE) {
            Some(end) if end >= LEAST_BESIDE => blocks[LEAST_BESIDE - 1..end].to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Shares of the messages of a flat master that their workers hide, the usual one first.
const HIDDEN: [f64; 6] = [USUALLY_HIDDEN, 1.0, 0.6, 0.4, 0.2, 0.0];
/// Of orders as long as results and a fold: 1 without the fold.
const USUALLY_HIDDEN: f64 = 0.8;
/// Which points are bound by messages changes hardly ever more often.
const ROUNDS: usize = 4;

impl Solved {
    /// Whether messages bound the time with so many workers: the first results are there before the last orders are out.
    fn is_bound(&self, workers: u64) -> bool {
        let [_, share, messages, extra] = terms(self.shape, self.size, workers);
        let [_, work, message, more] = self.coefficients;
        self.shape.collective() == Collective::Flat && self.hidden * messages * message > share * work + extra * more
    }

    /// What the coefficients are multiplied by with so many workers:
    ///
    /// ```text
    /// T(K) = fixed + per_worker K + max(work g(K), hidden per_worker K)        flat
    /// ```
    pub(super) fn terms(&self, workers: u64) -> [f64; COLUMNS] {
        let terms = terms(self.shape, self.size, workers);
        if self.is_bound(workers) { [terms[0], 0.0, terms[2] * (1.0 + self.hidden), 0.0] } else { terms }
    }

    pub(super) fn time_s(&self, workers: u64) -> f64 {
        dot(&self.terms(workers), &self.coefficients)
    }

    /// The time if the master hid nothing.
    pub(super) fn open_s(&self, workers: u64) -> f64 {
        dot(&terms(self.shape, self.size, workers), &self.coefficients)
    }

    fn judged(mut self, points: &[Measured]) -> Solved {
        self.squares = points.iter().map(|point| (self.time_s(point.workers) / point.time_s - 1.0).powi(2)).sum();
        self
    }

    /// The coefficients of least relative squares while the same points are bound by messages.
    fn refitted(&self, points: &[Measured]) -> Option<Solved> {
        let row = |point: &Measured| self.terms(point.workers).map(|term| term / point.time_s);
        let rows: Vec<[f64; COLUMNS]> = points.iter().map(row).collect();
        let supports = if self.size.is_some() { &SUPPORTS[..] } else { &SUPPORTS[..PLAIN] };
        let mut best: Option<([f64; COLUMNS], f64)> = None;
        for (coefficients, squares) in supports.iter().filter_map(|support| least_squares(&rows, support)) {
            let rounding = 1e-26 * rows.len() as f64;
            if best.is_none_or(|(_, least)| squares < least * (1.0 - 1e-12) - rounding) {
                best = Some((coefficients, squares));
            }
        }
        let (coefficients, squares) = best?;
        let found = Solved { coefficients, squares, ..self.clone() };
        // As long as none is bound the squares are those of the least squares, to the last bit.
        let is_plain = points.iter().all(|point| !found.is_bound(point.workers));
        Some(if is_plain { found } else { found.judged(points) })
    }
}

/// Elements of the largest block, where the list is known.
pub(super) fn block(shape: Shape, workers: u64) -> Option<u64> {
    shape.list_length().map(|length| length.div_ceil(workers.max(1)))
}

/// What the coefficients are multiplied by.
pub(super) fn terms(shape: Shape, size: Option<u64>, workers: u64) -> [f64; COLUMNS] {
    let [fixed, share, messages] = shape.terms(workers.max(1));
    let is_large = size.is_some_and(|size| block(shape, workers).is_some_and(|block| block > size));
    [fixed, share, messages, if is_large { share } else { 0.0 }]
}

/// Some columns of rows, brought to length one and factored; with the lengths. None when numbers leave the range.
pub(super) fn factored(rows: &[[f64; COLUMNS]], support: &[usize]) -> Option<(Qr, Vec<f64>)> {
    let columns: Vec<Vec<f64>> = support.iter().map(|&column| rows.iter().map(|row| row[column]).collect()).collect();
    let lengths: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    if lengths.iter().any(|length| !length.is_normal()) {
        return None;
    }
    let scale = |(column, length): (Vec<f64>, &f64)| column.into_iter().map(|value| value / length).collect();
    let columns = columns.into_iter().zip(&lengths).map(scale).collect();
    Some((Qr::of(columns, vec![1.0; rows.len()]), lengths))
}

/// The solution over a support with its sum of squares; none if it is negative or not unique.
fn least_squares(rows: &[[f64; COLUMNS]], support: &[usize]) -> Option<([f64; COLUMNS], f64)> {
    let (factors, lengths) = factored(rows, support)?;
    let mut coefficients = [0.0; COLUMNS];
    for ((&column, value), length) in support.iter().zip(factors.solve()?).zip(&lengths) {
        coefficients[column] = value / length;
    }
    let squares = rows.iter().map(|row| (dot(row, &coefficients) - 1.0).powi(2)).sum();
    coefficients.iter().all(|value| *value >= 0.0).then_some((coefficients, squares))
}

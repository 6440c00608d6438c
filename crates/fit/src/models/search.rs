//! The search for the one term of a normal form: candidates, folds, scores.

use crate::terms::PmnfTerm;
use runcast_core::accuracy::smape_pct;
use runcast_core::statistics::mean;

/// A constant below this share of the smallest value counts as zero, and so does a term that never reaches this share.
pub const NEGLIGIBLE: f64 = 0.0005;

/// A model of a positive metric must stay positive up to this many times the largest measured value.
pub const POSITIVE_UP_TO: f64 = 16.0;

/// The points left out to score a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// Each in turn.
    LeaveOneOut,
    /// The two largest, each predicted from all smaller ones.
    ForwardChaining,
    /// The two largest, each predicted from those at least 1.9 times smaller, if there are two: equivalent where x
    /// doubles from one configuration to the next; in a denser plan it requires a real extrapolation.
    ForwardLeaps,
}

/// The indices to predict from all before them: the last two of `n`, provided that two remain to fit a term.
pub fn forward_folds(n: usize) -> impl Iterator<Item = usize> {
    let first = n.saturating_sub(2).max(2).min(n);
    (first..n).rev()
}

/// The factor that counts as a step along the axis: a doubling, with tolerance for rounded plans.
pub(crate) const LEAP: f64 = 1.9;

/// A search for one term.
pub struct Problem<'d> {
    x: &'d [f64],
    y: &'d [f64],
    terms: &'d [PmnfTerm],
    folds: Folds,
    /// Where a model of a positive metric must be positive; empty if the metric is not positive.
    probes: Vec<f64>,
    /// Indices in ascending order of x.
    order: Vec<usize>,
}

impl<'d> Problem<'d> {
    /// A search over `terms` for `y` at `x`.
    pub fn new(x: &'d [f64], y: &'d [f64], terms: &'d [PmnfTerm], folds: Folds) -> Self {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let positive = y.iter().all(|value| *value > 0.0);
        let probes = match order.last() {
            // Every candidate is monotone here except x^-a*log2(x), which has one maximum, so checking the ends suffices.
            Some(&last) if positive => vec![x[last], x[last] * POSITIVE_UP_TO],
            _ => Vec::new(),
        };
        Problem { x, y, terms, folds, probes, order }
    }
}

impl Problem<'_> {
    /// The points before a held-out one, by its index in the order.
    fn learnt_from(&self, held_out: usize) -> &[usize] {
        let before = &self.order[..held_out];
        if self.folds != Folds::ForwardLeaps {
            return before;
        }
        let limit = self.x[self.order[held_out]] / LEAP;
        match before.partition_point(|&k| self.x[k] <= limit) {
            0 | 1 => before,
            count => &before[..count],
        }
    }
}

/// The outcome of a search: a term, or none for the constant.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    pub term: Option<PmnfTerm>,
    /// Its constant and coefficient, by plain least squares over all points.
    pub line: Line,
    /// Its SMAPE on points left out; of the constant: in sample.
    pub score: f64,
}

/// `c0 + c1 t`
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    /// Intercept.
    pub c0: f64,
    /// Slope.
    pub c1: f64,
}

impl Line {
    pub fn at(&self, t: f64) -> f64 {
        self.c0 + self.c1 * t
    }

    /// Least squares by orthogonalizing against the constant; `None` if t does not vary.
    fn through(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Line> {
        let (mut n, mut t_sum, mut y_sum) = (0.0, 0.0, 0.0);
        for (t, y) in points.clone() {
            n += 1.0;
            t_sum += t;
            y_sum += y;
        }
        let (t_mean, y_mean) = (t_sum / n, y_sum / n);
        let (mut tt, mut ty) = (0.0, 0.0);
        for (t, y) in points {
            tt += (t - t_mean) * (t - t_mean);
            ty += (t - t_mean) * (y - y_mean);
        }
        let c1 = ty / tt;
        c1.is_finite().then_some(Line { c0: y_mean - c1 * t_mean, c1 })
    }
}

/// Extra-P's rule: the term with the least score, if that is better than the constant's SMAPE over all points.
///
/// Score: mean SMAPE over the folds, each fitted by plain least squares, its constant taken as zero when it is below
/// 0.05 % of the smallest value there. A term that never contributes 0.05 % of the metric is excluded.
pub fn select(problem: &Problem<'_>) -> Choice {
    let constant = mean(problem.y);
    let constant_score = smape_pct(problem.y.iter().map(|y| (constant, *y)));
    let mut best = Choice { term: None, line: Line { c0: constant, c1: 0.0 }, score: constant_score };
    let mut t = vec![0.0; problem.x.len()];
    for term in problem.terms {
        for (value, x) in t.iter_mut().zip(problem.x) {
            *value = term.at(*x);
        }
        if let Some((line, score)) = try_term(problem, term, &t, best.score) {
            best = Choice { term: Some(*term), line, score };
        }
    }
    best
}

/// The line and score of a term, when it beats `to_beat`.
fn try_term(problem: &Problem<'_>, term: &PmnfTerm, t: &[f64], to_beat: f64) -> Option<(Line, f64)> {
    let score = score(problem, t, to_beat)?;
    let line = Line::through(t.iter().copied().zip(problem.y.iter().copied()))?;
    let contributes = t.iter().zip(problem.y).any(|(t, y)| (line.c1 * t / y).abs() >= NEGLIGIBLE);
    let stays_positive = problem.probes.iter().all(|x| {
        let value = line.at(term.at(*x));
        value > 0.0 && value.is_finite()
    });
    (line.c1 != 0.0 && contributes && stays_positive).then_some((line, score))
}

/// Mean SMAPE over the folds; `None` when it reaches `to_beat` or cannot be computed.
fn score(problem: &Problem<'_>, t: &[f64], to_beat: f64) -> Option<f64> {
    let (y, n) = (problem.y, problem.y.len());
    let fold_error = |held_out: usize, line: Option<Line>, least: f64| -> Option<f64> {
        let mut line = line?;
        if line.c0.abs() < NEGLIGIBLE * least {
            line.c0 = 0.0;
        }
        let predicted = line.at(t[held_out]);
        let size = predicted.abs() + y[held_out].abs();
        Some(if size > 0.0 { 200.0 * (predicted - y[held_out]).abs() / size } else { 0.0 })
    };
    let least_of = |indices: &mut dyn Iterator<Item = usize>| {
        indices.map(|k| y[k]).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min)
    };
    let mut sum = 0.0;
    match problem.folds {
        Folds::LeaveOneOut => {
            if n < 3 {
                return None;
            }
            let limit = to_beat * n as f64;
            for held_out in 0..n {
                let rest = (0..n).filter(move |k| *k != held_out);
                let line = Line::through(rest.clone().map(|k| (t[k], y[k])));
                sum += fold_error(held_out, line, least_of(&mut rest.clone()))?;
                if sum.is_nan() || sum >= limit {
                    return None;
                }
            }
            Some(sum / n as f64)
        }
        Folds::ForwardChaining | Folds::ForwardLeaps => {
            let mut count = 0.0;
            for held_out in forward_folds(n) {
                let before = problem.learnt_from(held_out);
                let line = Line::through(before.iter().map(|&k| (t[k], y[k])));
                sum += fold_error(problem.order[held_out], line, least_of(&mut before.iter().copied()))?;
                count += 1.0;
            }
            let score = sum / count;
            (score < to_beat).then_some(score)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_of_forward_chaining() {
        let folds = |n| forward_folds(n).collect::<Vec<_>>();
        assert_eq!(folds(5), [4, 3]);
        assert_eq!(folds(4), [3, 2]);
        assert_eq!(folds(3), [2]);
        assert!(folds(2).is_empty() && folds(1).is_empty() && folds(0).is_empty());
    }
}

//! Choosing the sizes for one number of processes.

use super::TOLERANCE;
use super::axis::{Axis, AxisMaker};
use super::cross::{Crossing, Line};
use super::parse::shown;
use super::rounding::{Pick, pick};
use super::spec::{PlanSpec, Rounding};
use super::work::Work;
use crate::problem::Problem;

/// The input of the choice.
pub(super) struct Request<'a> {
    pub spec: &'a PlanSpec,
    pub work: &'a Work<'a>,
    pub makers: &'a [AxisMaker<'a>],
    /// For each free size, its allowed values.
    pub axes: &'a [Axis],
    /// For each free size, its index among all sizes.
    pub free: &'a [usize],
    /// `p` and the sizes; the free ones are overwritten.
    pub arguments: Vec<f64>,
    /// The work per process to reach.
    pub wanted: f64,
    /// For each free size, where the search starts; updated to where it ended.
    pub hints: &'a mut [Option<i64>],
    /// How many combinations may still be tried.
    pub combinations: &'a mut u64,
}

#[derive(Debug)]
pub(super) struct Choice {
    /// The free sizes.
    pub sizes: Vec<f64>,
    /// The size before rounding, with one free size only.
    pub exact: Option<f64>,
    /// Whether one side of the exact value has no allowed value.
    pub at_bound: bool,
    /// For each free size, the indices between which the complexity must grow.
    pub searched: Vec<(i64, i64)>,
}

/// Chooses the sizes; none where the rounding allows none.
pub(super) fn choose(request: &mut Request<'_>) -> Result<Option<Choice>, Problem> {
    if request.free.len() == 1 { one(request) } else { several(request) }
}

fn one(request: &mut Request<'_>) -> Result<Option<Choice>, Problem> {
    let axis = &request.axes[0];
    let rounding = request.spec.round;
    let start = request.hints[0].unwrap_or_else(|| axis.start());
    let mut line = request.line(0, axis, request.arguments.clone());
    let crossing = line.cross(start)?;
    if crossing.above.is_none() && !axis.bounded {
        return Err(request.unreachable(0));
    }
    let exact = line.exact(crossing);
    let picked = pick(&mut line, crossing, rounding)?;
    request.hints[0] = crossing.below.or(crossing.above);
    let at_bound = crossing.above.is_none() || crossing.below.is_none();
    let searched = vec![searched(axis, crossing)];
    Ok(picked.map(|picked| {
        let size = match exact {
            Some(exact) if axis.is_continuous() && !at_bound => exact,
            _ => axis.value(picked.index),
        };
        Choice { sizes: vec![size], exact, at_bound, searched }
    }))
}

/// All combinations of all sizes but one; that one is searched.
fn several(request: &mut Request<'_>) -> Result<Option<Choice>, Problem> {
    let axes = bounded(request)?;
    let solved = (0..axes.len()).max_by_key(|&size| (!axes[size].bounded, axes[size].count())).unwrap_or(0);
    let others: Vec<usize> = (0..axes.len()).filter(|&size| size != solved).collect();
    request.spend_combinations(&axes, &others)?;

    let mut indices: Vec<i64> = axes.iter().map(|axis| axis.first).collect();
    let mut ranges: Vec<(i64, i64)> = axes.iter().map(|axis| (axis.first, axis.last)).collect();
    let mut solved_range: Option<(i64, i64)> = None;
    let mut best: Option<Best> = None;
    let mut is_reachable = false;
    loop {
        let axis = &axes[solved];
        let mut arguments = request.arguments.clone();
        for &other in &others {
            arguments[request.free[other] + 1] = axes[other].value(indices[other]);
        }
        let mut line = request.line(solved, axis, arguments);
        let crossing = line.cross(request.hints[solved].unwrap_or_else(|| axis.start()))?;
        if crossing.above.is_some() || axis.bounded {
            is_reachable = true;
            let (from, to) = searched(axis, crossing);
            solved_range = Some(solved_range.map_or((from, to), |range| (range.0.min(from), range.1.max(to))));
            if let Some(picked) = pick(&mut line, crossing, request.spec.round)? {
                let is_between = crossing.above.is_some() && crossing.below.is_some();
                let exact = if axis.is_continuous() && is_between { line.exact(crossing) } else { None };
                let sizes = sizes(&axes, &indices, solved, exact.unwrap_or_else(|| axis.value(picked.index)));
                let picked = if exact.is_some() { Pick { ratio: 1.0, ..picked } } else { picked };
                best = Some(Best::better(best, Best { error: picked.error(), sizes }));
            }
            request.hints[solved] = crossing.below.or(crossing.above);
        }
        if !advance(&mut indices, &axes, &others) {
            break;
        }
    }
    if !is_reachable {
        return Err(request.unreachable(solved));
    }
    ranges[solved] = solved_range.unwrap_or(ranges[solved]);
    Ok(best.map(|best| Choice { sizes: best.sizes, exact: None, at_bound: false, searched: ranges }))
}

/// The axes, all but at most one bounded. Where several are unbounded, each ends where it alone, with the others at
/// their minimum, reaches the work: beyond, every combination has more.
fn bounded(request: &mut Request<'_>) -> Result<Vec<Axis>, Problem> {
    let mut axes = request.axes.to_vec();
    let endless = || (0..request.axes.len()).filter(|&size| !request.axes[size].bounded);
    let mut real = (0..axes.len()).filter(|&size| axes[size].is_continuous());
    match (real.next(), real.next()) {
        (Some(first), Some(second)) => return Err(request.not_tried(&[first, second])),
        (Some(first), None) => {
            // One axis can compensate for the others, so the others need bounds of their own.
            let others: Vec<usize> = endless().filter(|&size| size != first).collect();
            return if others.is_empty() { Ok(axes) } else { Err(request.not_tried(&others)) };
        }
        (None, _) if endless().count() < 2 => return Ok(axes),
        (None, _) => {}
    }
    let mut arguments = request.arguments.clone();
    for (&index, axis) in request.free.iter().zip(&axes) {
        arguments[index + 1] = axis.value(axis.first);
    }
    for size in endless() {
        let mut line = request.line(size, &request.axes[size], arguments.clone());
        let above = line.cross(axes[size].start())?.above.ok_or_else(|| request.unreachable(size))?;
        axes[size].last = above;
        axes[size].bounded = true;
    }
    Ok(axes)
}

/// The next combination of the others, the last one fastest.
fn advance(indices: &mut [i64], axes: &[Axis], others: &[usize]) -> bool {
    for &other in others.iter().rev() {
        if indices[other] < axes[other].last {
            indices[other] += 1;
            return true;
        }
        indices[other] = axes[other].first;
    }
    false
}

fn sizes(axes: &[Axis], indices: &[i64], solved: usize, size: f64) -> Vec<f64> {
    let value = |index: usize| if index == solved { size } else { axes[index].value(indices[index]) };
    (0..axes.len()).map(value).collect()
}

/// The range in which the complexity must grow: from the smallest value to twice the chosen one, or to the largest.
fn searched(axis: &Axis, crossing: Crossing) -> (i64, i64) {
    let around = crossing.above.or(crossing.below).unwrap_or(axis.first);
    let to = if axis.bounded { axis.last } else { axis.grown(around) };
    let from = if axis.bounded_below { axis.first } else { axis.shrunk(crossing.below.unwrap_or(around)) };
    (from, to)
}

/// The best combination so far.
struct Best {
    error: f64,
    sizes: Vec<f64>,
}

impl Best {
    /// The better of the two; of equally good ones, the one whose first size is smaller, and so on.
    fn better(old: Option<Best>, new: Best) -> Best {
        match old {
            None => new,
            Some(old) if new.error < old.error - TOLERANCE => new,
            Some(old) if new.error <= old.error + TOLERANCE && new.sizes < old.sizes => new,
            Some(old) if new.error.is_infinite() && old.error.is_infinite() && new.sizes < old.sizes => new,
            Some(old) => old,
        }
    }
}

impl<'a> Request<'a> {
    fn line<'l>(&self, size: usize, axis: &'l Axis, arguments: Vec<f64>) -> Line<'l>
    where
        'a: 'l,
    {
        Line { work: self.work, axis, wanted: self.wanted, arguments, varies: self.free[size] + 1 }
    }

    fn unreachable(&self, size: usize) -> Problem {
        let (name, p) = (self.makers[size].name, self.arguments[0]);
        let message = format!("no {name} gives {} work per process at p = {p}", shown(self.wanted));
        let key = if self.spec.constant.is_some() { "constant" } else { "complexity" };
        let hint = match self.spec.round {
            Rounding::Nearest => format!("a max of {name} would select the nearest value"),
            _ => format!("does the complexity grow with {name}?"),
        };
        self.spec.problem(key, "unsolvable", message).hint(hint)
    }

    /// Charges the budget for all combinations of these sizes.
    fn spend_combinations(&mut self, axes: &[Axis], others: &[usize]) -> Result<(), Problem> {
        let count = others.iter().fold(1u64, |product, &other| product.saturating_mul(axes[other].count()));
        match self.combinations.checked_sub(count) {
            Some(left) => {
                *self.combinations = left;
                Ok(())
            }
            None => Err(self.not_tried(others)),
        }
    }

    /// The error for sizes with too many values to try them all.
    fn not_tried(&self, sizes: &[usize]) -> Problem {
        let names: Vec<&str> = sizes.iter().map(|&size| self.makers[size].name).collect();
        let key = format!("size/{}", names.first().unwrap_or(&""));
        let message = format!("too many values of {} to try all", names.join(" and "));
        self.spec
            .problem(&key, "too_many_combinations", message)
            .allowed(format!("at most {} combinations over all processes", super::MOST_COMBINATIONS))
            .hint("give them a min, a max and a multiple: --size 'EF:min=14,max=29'")
    }
}

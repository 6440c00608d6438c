//! Where the work per process reaches the constant, along one size.

use super::TOLERANCE;
use super::axis::Axis;
use super::work::Work;
use crate::problem::Problem;

/// One size varies along its axis; `p` and the other sizes are held.
pub(super) struct Line<'a> {
    pub work: &'a Work<'a>,
    pub axis: &'a Axis,
    /// The work per process to reach.
    pub wanted: f64,
    /// `p` and the sizes, in the order of the complexity's arguments.
    pub arguments: Vec<f64>,
    /// Index of the argument that varies.
    pub varies: usize,
}

/// The two allowed values around the crossing; they are equal where a value is exactly on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// The last index with no more work than wanted.
    pub below: Option<i64>,
    /// The first index with no less work than wanted.
    pub above: Option<i64>,
}

impl Line<'_> {
    /// `T_A/(C p)` at an index of the axis.
    pub(super) fn ratio(&mut self, index: i64) -> Result<f64, Problem> {
        self.ratio_at(self.axis.value(index))
    }

    /// `T_A/(C p)` at any size.
    pub(super) fn ratio_at(&mut self, size: f64) -> Result<f64, Problem> {
        self.arguments[self.varies] = size;
        Ok(self.work.per_process(&self.arguments)? / self.wanted)
    }

    /// Finds the crossing: doubles from `start` until it is passed, then narrows the bracket.
    ///
    /// # Errors
    /// The complexity falls along the way, or is not a number.
    pub(super) fn cross(&mut self, start: i64) -> Result<Crossing, Problem> {
        let start = start.clamp(self.axis.first, self.axis.last);
        let at_start = self.ratio(start)?;
        let (mut low, mut high) = if reaches(at_start) {
            match self.descend(start, at_start)? {
                Ok(bracket) => bracket,
                Err(first) => return Ok(first),
            }
        } else {
            match self.ascend(start, at_start)? {
                Ok(bracket) => bracket,
                Err(last) => return Ok(last),
            }
        };
        let mut halving = Halving::new(low, high);
        while high.0.abs_diff(low.0) > 1 {
            let middle = halving.next(low, high);
            let ratio = self.ratio(middle)?;
            self.not_falling(low, (middle, ratio))?;
            self.not_falling((middle, ratio), high)?;
            if reaches(ratio) { high = (middle, ratio) } else { low = (middle, ratio) }
        }
        let is_hit = high.1 <= 1.0 + TOLERANCE;
        Ok(Crossing { below: Some(if is_hit { high.0 } else { low.0 }), above: Some(high.0) })
    }

    /// Upward until the work is reached; the end of the axis where it is not.
    fn ascend(&mut self, start: i64, ratio: f64) -> Result<Result<Bracket, Crossing>, Problem> {
        let mut low = (start, ratio);
        loop {
            let index = self.axis.grown(low.0);
            if index == low.0 {
                return Ok(Err(Crossing { below: Some(index), above: None }));
            }
            let high = (index, self.ratio(index)?);
            self.not_falling(low, high)?;
            if reaches(high.1) {
                return Ok(Ok((low, high)));
            }
            low = high;
        }
    }

    /// Downward until there is too little work; the beginning of the axis where there never is.
    fn descend(&mut self, start: i64, ratio: f64) -> Result<Result<Bracket, Crossing>, Problem> {
        let mut high = (start, ratio);
        loop {
            let index = self.axis.shrunk(high.0);
            if index == high.0 {
                let below = (high.1 <= 1.0 + TOLERANCE).then_some(index);
                return Ok(Err(Crossing { below, above: Some(index) }));
            }
            let low = (index, self.ratio(index)?);
            self.not_falling(low, high)?;
            if !reaches(low.1) {
                return Ok(Ok((low, high)));
            }
            high = low;
        }
    }

    /// Checks that the complexity does not fall between two indices.
    pub(super) fn not_falling(&self, low: (i64, f64), high: (i64, f64)) -> Result<(), Problem> {
        if high.1 >= low.1 - 1e-12 * low.1.abs() || low.1 == high.1 {
            return Ok(());
        }
        Err(self.work.falls(&self.arguments, self.varies, self.axis.value(low.0), self.axis.value(high.0)))
    }

    /// The size exactly on the crossing, before rounding; `None` if there is none.
    pub(super) fn exact(&mut self, crossing: Crossing) -> Option<f64> {
        let (least, most) = match crossing {
            Crossing { below: Some(below), above: Some(above) } if below == above => {
                return Some(self.tidy(self.axis.value(below)));
            }
            Crossing { below: Some(below), above: Some(above) } => (self.axis.value(below), self.axis.value(above)),
            Crossing { below: Some(below), above: None } => (self.axis.value(below), f64::MAX),
            Crossing { below: None, above: Some(above) } => (f64::MIN_POSITIVE, self.axis.value(above)),
            Crossing { below: None, above: None } => return None,
        };
        if least > most {
            return None;
        }
        let axis = Axis::continuous(least, most);
        let start = if crossing.above.is_none() { axis.first } else { axis.last };
        let arguments = self.arguments.clone();
        let mut line = Line { work: self.work, axis: &axis, wanted: self.wanted, arguments, varies: self.varies };
        let found = line.cross(start).ok()?;
        let (below, above) = (found.below?, found.above?);
        let nearer = if line.error(below)? <= line.error(above)? { below } else { above };
        let value = axis.value(nearer);
        Some(line.tidy(value))
    }

    fn error(&mut self, index: i64) -> Option<f64> {
        self.ratio(index).ok().map(|ratio| (ratio - 1.0).abs())
    }

    /// The same number with fewer digits where that is equivalent: 50 for 50.000000000000007.
    fn tidy(&mut self, value: f64) -> f64 {
        let short: f64 = format!("{value:.12e}").parse().unwrap_or(value);
        match self.ratio_at(short) {
            Ok(ratio) if (ratio - 1.0).abs() <= TOLERANCE => short,
            _ => value,
        }
    }
}

/// Two indices with their ratios that bracket the crossing.
type Bracket = ((i64, f64), (i64, f64));

fn reaches(ratio: f64) -> bool {
    ratio >= 1.0 - TOLERANCE
}

/// Chooses the next index between two: by the ITP method (Oliveira, Takahashi, ACM TOMS 47, 2020), which interpolates,
/// yet needs at most one evaluation more than bisection.
#[derive(Debug)]
struct Halving {
    /// The initial gap.
    gap: f64,
    /// How wide the gap may be after the next evaluation.
    allowed: f64,
}

impl Halving {
    fn new(low: (i64, f64), high: (i64, f64)) -> Self {
        let gap = high.0.abs_diff(low.0) as f64;
        // One evaluation more than bisection needs, and the ends count as whole numbers.
        Halving { gap, allowed: 2f64.powf(gap.log2().ceil() + 1.0) }
    }

    fn next(&mut self, low: (i64, f64), high: (i64, f64)) -> i64 {
        let gap = high.0.abs_diff(low.0) as f64;
        let half = gap / 2.0;
        let slack = (self.allowed / 2.0 - half).max(0.0);
        self.allowed /= 2.0;
        let (below, above) = (low.1.ln(), high.1.ln());
        let interpolated = -below / (above - below) * gap;
        if !(below.is_finite() && above.is_finite() && interpolated.is_finite()) {
            return low.0.midpoint(high.0);
        }
        // Toward the middle, so that the other end moves as well.
        let side = (half - interpolated).signum();
        let nudge = (0.2 / self.gap * gap * gap).max(1.0);
        let nudged = if nudge <= (half - interpolated).abs() { interpolated + side * nudge } else { half };
        let projected = if (nudged - half).abs() <= slack { nudged } else { half - side * slack };
        let offset = projected.round().clamp(1.0, (gap - 1.0).max(1.0));
        low.0.saturating_add_unsigned(offset as u64).clamp(low.0 + 1, high.0 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often one must look to find where `f` reaches 1 between two indices.
    fn looks(low: i64, high: i64, f: impl Fn(i64) -> f64) -> (i64, u32) {
        let (mut low, mut high) = ((low, f(low)), (high, f(high)));
        let mut halving = Halving::new(low, high);
        let mut count = 0;
        while high.0.abs_diff(low.0) > 1 {
            let middle = halving.next(low, high);
            assert!(low.0 < middle && middle < high.0);
            let ratio = f(middle);
            if reaches(ratio) {
                high = (middle, ratio)
            } else {
                low = (middle, ratio)
            }
            count += 1;
        }
        (high.0, count)
    }

    #[test]
    fn smooth_functions_need_few_looks() {
        let (index, count) = looks(1 << 30, 1 << 31, |index| (index as f64 / 1.5e9).powi(3));
        assert_eq!(index, 1_500_000_000);
        assert!(count <= 12, "{count} looks");
    }

    #[test]
    fn no_function_needs_many_more_looks_than_halving() {
        for root in [2, 3, 1000, 1 << 20, (1 << 40) - 1] {
            let step = |index: i64| if index < root { 1e-300 } else { 1.5 };
            let steep = |index: i64| (index as f64 / root as f64).powi(7);
            for (index, count) in [looks(1, 1 << 40, step), looks(1, 1 << 40, steep)] {
                assert_eq!(index, root);
                assert!(count <= 44, "{count} looks for {root}");
            }
        }
        let (index, count) = looks(i64::MIN, i64::MAX, |index| if index < 17 { 0.0 } else { f64::INFINITY });
        assert!(index == 17 && count <= 66, "{count} looks");
    }
}

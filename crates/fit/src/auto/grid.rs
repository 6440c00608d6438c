//! `auto` where several parameters vary on their own.

use super::calibration::{self, Class};
use super::joint::Joint;
use super::law::{between, between_formula};
use super::line::Line;
use super::slices::{Runs, Slice};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::options::FitOptions;
use crate::predict::distance;
use crate::sample::Sample;
use runcast_core::Series;
use runcast_core::statistics::{mean, population_sd};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Minimum number of configurations of a slice.
const LEAST_SLICE: usize = 3;

/// Fits the joint law; slices are fitted when a target lies in one.
pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    let joint = Joint::fit(sample, options)?;
    let rule = |a: &str, b: &str| format!("if({b} <= 0, {a}, {})", between_formula(a, b));
    let runs = Runs::of(sample, options);
    let ranges = (0..sample.series.parameters.len()).map(|k| sample.range(k)).collect();
    Ok(joint.described("auto", rule, |joint| {
        Box::new(Grid { runs, ranges, joint, lines: Mutex::default(), falls: sample.falls() })
    }))
}

/// The forecast of a grid.
///
/// A target in a slice (all parameters equal but one, at least three configurations): `y_n exp(mean_s z_s)`, `z_s` what
/// each parallel slice that was measured at the slice's last x says of the step from there to the target: as measured,
/// or as it forecasts. All others: the joint law, without a jump where its members part.
struct Grid {
    runs: Runs,
    ranges: Vec<[f64; 2]>,
    joint: Joint,
    falls: bool,
    /// Slices fitted so far.
    lines: Mutex<HashMap<Where, Option<Arc<Lines>>>>,
}

/// Which slice: the parameter along which it goes, and the bits of what the others are.
type Where = (usize, Vec<u64>);

/// A slice with those parallel to it.
struct Lines {
    own: Line,
    points: usize,
    /// Those with a run at the last x of the slice.
    parallel: Vec<Line>,
}

impl Grid {
    fn line(&self, series: &Series) -> Option<Line> {
        let sample = Sample::new(series, self.runs.aggregate, &self.runs.options);
        Line::fit(&sample, &self.runs.options).ok()
    }

    fn lines(&self, at: &[f64]) -> Option<(Arc<Lines>, usize)> {
        let Slice { series, along, held } = self.runs.slice(at, LEAST_SLICE)?;
        let key =
            (along, self.runs.dimensions.iter().map(|d| if held.contains(d) { at[*d].to_bits() } else { 0 }).collect());
        let known = self.lines.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let lines = known.unwrap_or_else(|| {
            let lines = self.line(&series).map(|own| {
                let (last, _) = own.points().last();
                let whole = held.len() + 1 == self.runs.dimensions.len();
                let parallel = if whole { self.runs.parallel(along, LEAST_SLICE) } else { Vec::new() };
                let parallel = parallel
                    .iter()
                    .filter(|slice| slice.points.iter().any(|point| point.at[along] == last))
                    .filter_map(|slice| self.line(slice))
                    .collect();
                Arc::new(Lines { own, points: series.points.len(), parallel })
            });
            self.lines.lock().unwrap_or_else(PoisonError::into_inner).insert(key, lines.clone());
            lines
        })?;
        Some((lines, along))
    }

    fn in_slice(&self, lines: &Lines, x: f64) -> f64 {
        let (last, y) = lines.own.points().last();
        if x <= last || lines.parallel.len() < 2 {
            return lines.own.back(x, lines.own.forecast(x));
        }
        let steps: Vec<f64> = lines.parallel.iter().map(|line| (line.forecast(x) / line.forecast(last)).ln()).collect();
        lines.own.back(x, y * mean(&steps).exp())
    }

    /// The joint law, with its spread.
    fn jointly(&self, at: &[f64]) -> (f64, f64) {
        let (a, b) = self.joint.values(at);
        match b.filter(|b| *b > 0.0 && b.is_finite()) {
            Some(b) if a > 0.0 && a.is_finite() => (between(a.ln(), b.ln()).exp(), population_sd(&[a.ln(), b.ln()])),
            Some(b) => (b, 0.0),
            None => (a, 0.0),
        }
    }

    /// A configuration that was run.
    fn measured(&self, at: &[f64]) -> Option<f64> {
        let run = self.runs.series.points.iter().find(|point| point.at == at)?;
        Some(self.runs.aggregate.of(&run.values, &self.runs.series.metric))
    }
}

impl Predictor for Grid {
    fn predict(&self, at: &[f64]) -> Answer {
        if let Some((lines, along)) = self.lines(at) {
            let answer = lines.own.predict(at);
            return Answer { value: self.in_slice(&lines, at[along]), points: Some(lines.points), ..answer };
        }
        let (value, spread) = self.jointly(at);
        let members = self.joint.member_values(at);
        let h = at.iter().zip(&self.ranges).map(|(x, range)| distance(*x, *range)).fold(1.0, f64::max).ln();
        let (a, b) = self.joint.values(at);
        let disagree = b.is_some_and(|b| {
            let apart = (a / b).ln().abs();
            apart.is_nan() || apart > std::f64::consts::LN_2
        });
        let is_rate = self.runs.series.metric.is_rate();
        let class = if self.falls != is_rate { Class::Falling } else { Class::Rising };
        let spread = Spread::Scored { scale: calibration::scale(spread, h), class, is_rate };
        match self.measured(at) {
            Some(value) => Answer { value, spread, members, ..Answer::default() },
            None => Answer { value, spread, members, disagree, ..Answer::default() },
        }
    }

    fn value(&self, at: &[f64]) -> f64 {
        match self.lines(at) {
            Some((lines, along)) => self.in_slice(&lines, at[along]),
            None => self.measured(at).unwrap_or_else(|| self.jointly(at).0),
        }
    }

    fn law(&self, at: &[f64]) -> f64 {
        self.jointly(at).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::fitted::Regression;
    use crate::testing::grid;
    use runcast_formula::Formula;

    #[test]
    fn the_formula_is_the_joint_law() {
        let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[10.0, 20.0, 30.0, 40.0], |p, n| 1.0 + n * n / p);
        let options = FitOptions::default();
        let fitted = Auto.fit(&Sample::new(&runs, Auto.aggregate(), &options), &options).expect("fits");
        let formula = Formula::parse(&fitted.formula).expect("a formula");
        for at in [[64.0, 20.0], [8.0, 100.0], [64.0, 100.0], [3.0, 15.0]] {
            let value = fitted.predictor.law(&at);
            let told = formula.evaluate_at(&[("p", at[0]), ("N", at[1])]).expect("evaluates");
            assert!((value / told - 1.0).abs() < 1e-9, "{value} and {told} at {at:?}");
        }
        assert_eq!(fitted.predictor.predict(&[64.0, 20.0]).points, Some(5));
        assert_eq!(fitted.predictor.predict(&[64.0, 100.0]).points, None);
        assert_eq!(fitted.predictor.value(&[4.0, 20.0]), 101.0, "as measured");
    }

    #[test]
    fn slices_of_one_shape_help_each_other() {
        // T = N (3 + sqrt(p)), and N 20 on 64 processes. The largest size ends at p = 8: its own runs promise N 11, and
        // the smaller sizes know of the break.
        let law = |p: f64, n: f64| n * if p == 64.0 { 20.0 } else { 3.0 + p.sqrt() };
        let mut runs = grid(&[1.0, 2.0, 4.0, 8.0, 64.0], &[10.0, 20.0, 40.0], law);
        runs.points.retain(|point| point.at[0] <= 8.0 || point.at[1] < 40.0);
        let options = FitOptions::default();
        let fitted = Auto.fit(&Sample::new(&runs, Auto.aggregate(), &options), &options).expect("fits");
        let expected = 40.0 * (20.0_f64 * 20.0 * 11.0).cbrt();
        assert!((fitted.predictor.value(&[64.0, 40.0]) / expected - 1.0).abs() < 1e-3);
    }
}

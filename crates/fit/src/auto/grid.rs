//! `auto` where several parameters vary on their own.

use super::apart;
use super::calibration::{self, Class};
use super::envelope::Envelope;
use super::grid_law::GridLaw;
use super::joint::Joint;
use super::law::{between, between_formula};
use super::line::Line;
use super::slices::{Slice, Slices, key};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::options::FitOptions;
use crate::predict::distance;
use crate::sample::Sample;
use runcast_core::hash::MixMap;
use runcast_core::statistics::{mean, population_sd};
use runcast_core::{Point, Series, Warning};
use runcast_formula::units;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Minimum number of configurations of a slice.
const LEAST_SLICE: usize = 3;

/// Fits the joint law; slices are fitted when a target lies in one. Where a short sum of products hits every run, it is
/// the law.
pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    let disturbed = apart::last_runs(sample);
    if disturbed.is_empty() {
        return fit_to(sample, options, Vec::new());
    }
    let is_disturbed = |index: usize| disturbed.binary_search(&index).is_ok();
    let points = sample.series.points.iter().enumerate();
    let kept = points.filter(|(index, _)| !is_disturbed(*index)).map(|(_, point)| point.clone()).collect();
    let series = Series { points: kept, ..sample.series.clone() };
    let left_out = disturbed.iter().map(|&index| sample.series.points[index].clone()).collect();
    let mut fitted = fit_to(&Sample::new(&series, sample.aggregate, options), options, left_out)?;
    fitted.warnings.extend(disturbed.iter().map(|&index| {
        let (at, unit) = (sample.series.configuration(&sample.series.points[index]), &sample.series.metric.unit);
        let value = units::format_quantity(sample.y[index], unit);
        let message = format!("{value} at {at} lies far from what the runs beside it say: forecasts leave it out");
        Warning::new("disturbed_run", message)
    }));
    Ok(fitted)
}

/// The same without the runs that were left out, which are answered alone.
fn fit_to(sample: &Sample<'_>, options: &FitOptions, left_out: Vec<Point>) -> Result<Fitted, NoFit> {
    let joint = Joint::fit_near(sample, options)?;
    let rule = |a: &str, b: &str| format!("if({b} <= 0, {a}, {})", between_formula(a, b));
    let slices = Slices::of(sample, options, LEAST_SLICE, Line::fit);
    let ranges = (0..sample.series.parameters.len()).map(|k| sample.range(k)).collect();
    let (steps, measured) = (Mutex::default(), OnceLock::new());
    let falls = sample.falls();
    let exact = GridLaw::find(sample);
    let shown = exact.as_ref().map(|law| (law.formula(), law.class()));
    let envelope = Envelope::of(sample);
    let grid = |joint| {
        let grid = Grid { slices, ranges, joint, exact, envelope, left_out, steps, falls, measured };
        Box::new(grid) as Box<dyn Predictor>
    };
    let mut fitted = joint.described("auto", rule, grid);
    if let Some((formula, class)) = shown {
        (fitted.formula, fitted.class) = (formula, class);
        fitted.terms = Vec::new();
    }
    Ok(fitted)
}

/// The forecast of a grid.
///
/// A target in a slice (all parameters equal but one, at least three configurations): `y_n exp(mean_s z_s)`, `z_s` what
/// each parallel slice that was measured at the slice's last x says of the step from there to the target: as measured,
/// or as it forecasts. All others: the joint law, without a jump where its members part.
struct Grid {
    slices: Slices<Line>,
    ranges: Vec<[f64; 2]>,
    joint: Joint,
    /// The law itself, where one hits every run.
    exact: Option<GridLaw>,
    /// What bounds the joint law beyond the processes that were run.
    envelope: Option<Envelope>,
    /// Runs that were left out of everything but the answers at their own configurations.
    left_out: Vec<Point>,
    falls: bool,
    /// The steps computed so far.
    steps: Mutex<MixMap<Step, Option<f64>>>,
    /// The index of each configuration that was run.
    measured: OnceLock<MixMap<Vec<u64>, usize>>,
}

/// From the last x of a slice to the x of a target: the direction of the slice, and the bits of both.
type Step = (usize, u64, u64);

/// So many steps are kept: targets are rarely at more places, and the memory is bounded.
const MOST_STEPS: usize = 1 << 20;

impl Grid {
    /// The slice through a target that could be fitted; none where the law itself is known.
    fn line(&self, at: &[f64]) -> Option<(&Line, Slice<'_, Line>)> {
        if self.exact.is_some() {
            return None;
        }
        let slice = self.slices.through(at)?;
        Some((slice.fitted?, slice))
    }

    /// Mean of what the parallel slices say of `ln(y(x)/y(last))`; none where fewer than two were measured there.
    fn step(&self, slice: &Slice<'_, Line>, last: f64, x: f64) -> Option<f64> {
        if !slice.is_whole {
            return None;
        }
        let key = (slice.direction, last.to_bits(), x.to_bits());
        if let Some(known) = self.steps.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *known;
        }
        let parallel = self.slices.parallel(slice.direction, last);
        let steps: Vec<f64> = parallel.iter().map(|line| (line.forecast(x) / line.forecast(last)).ln()).collect();
        let step = (steps.len() >= 2).then(|| mean(&steps));
        let mut known = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_STEPS {
            known.insert(key, step);
        }
        step
    }

    fn in_slice(&self, line: &Line, slice: &Slice<'_, Line>, x: f64) -> f64 {
        let (last, y) = line.points().last();
        let step = if x <= last { None } else { self.step(slice, last, x) };
        line.back(x, step.map_or_else(|| line.forecast(x), |step| y * step.exp()))
    }

    /// The joint law, with its spread.
    fn jointly(&self, at: &[f64]) -> (f64, f64) {
        self.exact.as_ref().map_or_else(|| self.of_members(at), |law| (law.at(at), 0.0))
    }

    /// The joint law within the envelope.
    fn within(&self, at: &[f64]) -> (f64, f64) {
        let (value, spread) = self.jointly(at);
        let Some(envelope) = self.envelope.as_ref().filter(|_| self.exact.is_none()) else { return (value, spread) };
        let nearest = envelope.nearest(at);
        let cut = nearest.map_or(value, |nearest| envelope.cut(at, value, self.jointly(&nearest).0));
        (cut, spread)
    }

    /// What the members of the joint law say together.
    fn of_members(&self, at: &[f64]) -> (f64, f64) {
        let (a, b) = self.joint.values(at);
        match b.filter(|b| *b > 0.0 && b.is_finite()) {
            Some(b) if a > 0.0 && a.is_finite() => (between(a.ln(), b.ln()).exp(), population_sd(&[a.ln(), b.ln()])),
            Some(b) => (b, 0.0),
            None => (a, 0.0),
        }
    }

    /// What was measured at a configuration that was run.
    fn measured(&self, at: &[f64]) -> Option<f64> {
        let Slices { series, aggregate, .. } = &self.slices;
        let all: Vec<usize> = (0..series.parameters.len()).collect();
        let index_of = self.measured.get_or_init(|| {
            let points = series.points.iter().enumerate();
            points.map(|(index, point)| (key(&point.at, &all), index)).collect()
        });
        let point = match index_of.get(&key(at, &all)) {
            Some(&index) => &series.points[index],
            None => self.left_out.iter().find(|point| point.at == at)?,
        };
        Some(aggregate.of(&point.values, &series.metric))
    }
}

impl Predictor for Grid {
    fn predict(&self, at: &[f64]) -> Answer {
        if let Some((line, slice)) = self.line(at) {
            let left_out = if self.left_out.is_empty() { None } else { self.measured(at) };
            let value = left_out.unwrap_or_else(|| self.in_slice(line, &slice, at[slice.along]));
            return Answer { value, points: Some(slice.points), ..line.predict(at) };
        }
        let (value, spread) = self.within(at);
        let members = self.joint.member_values(at);
        let h = at.iter().zip(&self.ranges).map(|(x, range)| distance(*x, *range)).fold(1.0, f64::max).ln();
        let (a, b) = self.joint.values(at);
        let disagree = self.exact.is_none()
            && b.is_some_and(|b| {
                let apart = (a / b).ln().abs();
                apart.is_nan() || apart > std::f64::consts::LN_2
            });
        let is_rate = self.slices.series.metric.is_rate();
        let class = if self.falls != is_rate { Class::Falling } else { Class::Rising };
        let spread = Spread::Scored { scale: calibration::scale(spread, h), class, is_rate };
        match self.measured(at) {
            Some(value) => Answer { value, spread, members, ..Answer::default() },
            None => Answer { value, spread, members, disagree, ..Answer::default() },
        }
    }

    fn value(&self, at: &[f64]) -> f64 {
        match self.line(at).filter(|_| !self.left_out.iter().any(|point| point.at == at)) {
            Some((line, slice)) => self.in_slice(line, &slice, at[slice.along]),
            None => self.measured(at).unwrap_or_else(|| self.within(at).0),
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
        let law = |p: f64, n: f64| (1.0 + n * n / p) * (1.0 + 0.01 * (p * n).sin());
        let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[10.0, 20.0, 30.0, 40.0], law);
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
        assert_eq!(fitted.predictor.value(&[4.0, 20.0]), law(4.0, 20.0), "as measured");
    }

    #[test]
    fn one_disturbed_run_at_the_largest_p_leads_nowhere() {
        let law = |p: f64, n: f64| 1.0 + n / p;
        let disturbed = |p: f64, n: f64| (1.0 + n / p) * if (p, n) == (16.0, 40.0) { 3.0 } else { 1.0 };
        let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[10.0, 20.0, 40.0, 80.0], disturbed);
        let options = FitOptions::default();
        let fitted = Auto.fit(&Sample::new(&runs, Auto.aggregate(), &options), &options).expect("fits");
        for n in [10.0, 20.0, 40.0, 80.0] {
            let value = fitted.predictor.value(&[64.0, n]);
            assert!((value / law(64.0, n) - 1.0).abs() < 0.01, "{value} at {n}");
        }
        assert_eq!(fitted.predictor.value(&[16.0, 40.0]), 10.5, "as measured: 3 (1 + 40/16)");
        assert_eq!(fitted.predictor.predict(&[16.0, 40.0]).value, 10.5);
        assert!(fitted.warnings.iter().any(|warning| warning.code == "disturbed_run"), "{:?}", fitted.warnings);
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

//! What further runs may show: each form of a forecast as a possible truth, and the error that is left if it is one.

use super::interval_factor;
use crate::fitted::Regression;
use crate::predict::Model;
use runcast_core::{Configuration, Point, Prediction, Problem, Series};

/// Level of the ranges by which scenarios are weighed and errors expected, whatever level is shown.
const LEVEL: f64 = 0.9;
/// z of the normal law that such a range reaches to.
const REACH: f64 = 1.645;

/// The possible truths of a question.
pub(super) struct Scenarios<'a> {
    model: &'a Model,
    regression: &'a dyn Regression,
    target: &'a Configuration,
    repetitions: u32,
    truths: Vec<Truth>,
}

/// One of them: what one form says.
struct Truth {
    weight: f64,
    target: f64,
    /// At each candidate.
    runs: Vec<f64>,
}

impl<'a> Scenarios<'a> {
    /// The forms of the forecast at the target, each as likely as the forecast's range holds it; the forecast itself
    /// where it has no forms. `there` is what it predicts at the candidates; at a measured one all say what was measured.
    pub(super) fn of(
        model: &'a Model,
        regression: &'a dyn Regression,
        target: &'a Configuration,
        there: &[Prediction],
        repetitions: u32,
    ) -> Result<Scenarios<'a>, Problem> {
        let (now, _) = model.predict(target, LEVEL)?;
        let (Some(value), Some(low), Some(high)) = (now.value, now.low, now.high) else {
            return Err(Problem::new("no_interval", format!("{} has no interval at {target}", model.fitted.model))
                .hint("at least three configurations are needed"));
        };
        let mut truths: Vec<Truth> = Vec::new();
        for form in &now.members {
            let Some(at_target) = form.value.filter(|value| *value > 0.0) else { continue };
            let bound = if at_target > value { high } else { low };
            let off = REACH * (at_target / value).ln() / (bound / value).ln();
            let runs = there.iter().map(|run| {
                let inside = run.horizon <= 1.0;
                let of_form = run.members.iter().find(|member| member.model == form.model && !inside);
                of_form.and_then(|member| member.value).filter(|value| *value > 0.0).or(run.value).unwrap_or(f64::NAN)
            });
            let weight = if off.is_finite() { (-0.5 * off * off).exp() } else { 1.0 };
            truths.push(Truth { weight, target: at_target, runs: runs.collect() });
        }
        if truths.iter().map(|truth| truth.weight).sum::<f64>() < 1e-6 {
            let runs = there.iter().map(|run| run.value.unwrap_or(f64::NAN)).collect();
            truths = vec![Truth { weight: 1.0, target: value, runs }];
        }
        let sum: f64 = truths.iter().map(|truth| truth.weight).sum();
        truths.iter_mut().for_each(|truth| truth.weight /= sum);
        Ok(Scenarios { model, regression, target, repetitions, truths })
    }

    /// The expected error at the target, as `|ln(predicted/true)|`, after runs at some of the candidates: in each
    /// scenario how far the refitted forecast is from the truth, together with what its own range allows for.
    pub(super) fn error_after(&self, candidates: &[Configuration], set: &[usize]) -> Option<f64> {
        let mut sum = 0.0;
        for truth in &self.truths {
            let extended = self.with_runs(set.iter().map(|k| (&candidates[*k], truth.runs[*k])))?;
            let (after, _) = self.model.refitted(extended, self.regression)?.predict(self.target, LEVEL).ok()?;
            let missed = (after.value? / truth.target).ln();
            let allowed = interval_factor(&after)?.ln() / REACH;
            sum += truth.weight * missed.hypot(allowed);
        }
        Some(sum)
    }

    /// The runs of the model with further ones.
    pub(super) fn with_runs<'b>(&self, runs: impl Iterator<Item = (&'b Configuration, f64)>) -> Option<Series> {
        runs.into_iter().try_fold((*self.model.series).clone(), |series, (at, value)| {
            with_run(&series, at, value, self.repetitions)
        })
    }
}

/// The series with one more run (or more repetitions of an existing one), inserted in order.
pub(super) fn with_run(series: &Series, at: &Configuration, value: f64, repetitions: u32) -> Option<Series> {
    let at: Vec<f64> = series.parameters.iter().map(|name| at.get(name)).collect::<Option<_>>()?;
    let mut extended = series.clone();
    let values = vec![value; repetitions.clamp(1, 1000) as usize];
    match extended.points.iter_mut().find(|point| point.at == at) {
        Some(point) => {
            point.lines.extend(values.iter().map(|_| 0));
            point.values.extend(values);
        }
        None => {
            let order = |point: &[f64]| -> Vec<f64> {
                let first = series.process_parameter.map(|p| point[p]);
                first.into_iter().chain(point.iter().copied()).collect()
            };
            let key = order(&at);
            let place = extended
                .points
                .partition_point(|point| order(&point.at).partial_cmp(&key).is_some_and(std::cmp::Ordering::is_lt));
            let lines = vec![0; values.len()];
            extended.points.insert(place, Point { at, values, lines });
        }
    }
    Some(extended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::options::FitOptions;
    use crate::testing::series;
    use std::sync::Arc;

    fn at(p: f64) -> Configuration {
        Configuration([("p".to_owned(), p)].into_iter().collect())
    }

    #[test]
    fn scenarios_are_weighed_and_larger_runs_leave_less_error() {
        let noise = |k: usize| 1.0 + 0.03 * (11.0 * k as f64).sin();
        let runs: Vec<(f64, f64)> =
            (0..5).map(|k| (f64::from(1 << k), (2.0 + 60.0 / f64::from(1 << k)) * noise(k))).collect();
        let model = Model::fit(&Arc::new(series(&runs)), &Auto, &FitOptions::default()).expect("fits");
        let candidates = [at(32.0), at(64.0), at(128.0)];
        let target = at(512.0);
        let there = candidates.clone().map(|at| model.predict(&at, 0.9).expect("predicts").0);
        let scenarios = Scenarios::of(&model, &Auto, &target, &there, 1).expect("has a range");
        assert!(scenarios.truths.len() > 3);
        assert!((scenarios.truths.iter().map(|truth| truth.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        let error = |set: &[usize]| scenarios.error_after(&candidates, set).expect("an error");
        assert!(error(&[]) > error(&[0]) && error(&[0]) > error(&[1]) && error(&[1]) > error(&[2]));
    }

    #[test]
    fn a_measured_candidate_shows_what_was_measured_in_every_scenario() {
        let model = Model::fit(
            &Arc::new(series(&[(1.0, 9.0), (2.0, 5.2), (4.0, 3.3), (8.0, 2.2)])),
            &Auto,
            &FitOptions::default(),
        )
        .expect("fits");
        let target = at(64.0);
        let there = model.predict(&at(4.0), 0.9).expect("predicts").0;
        let scenarios = Scenarios::of(&model, &Auto, &target, &[there], 1).expect("has a range");
        assert!(scenarios.truths.iter().all(|truth| truth.runs == [3.3]));
    }
}

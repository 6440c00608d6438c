//! `auto` where several parameters vary on their own.

use super::line::{self, Line};
use super::{joined, joined_formula, log_spread};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression, Spread};
use crate::models::weak::Weak;
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text::{name, number};
use runcast_core::Series;
use runcast_core::model::Member;
use runcast_core::prediction::MemberValue;

/// Minimum number of configurations of a slice.
const LEAST_SLICE: usize = 4;

/// Maximum number of slices that the formula spells out.
const MOST_IN_FORMULA: usize = 16;

/// Fits the joint members; slices are fitted when a target lies in one.
pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    let a = Weak.fit(sample, options)?;
    let b = crate::models::pmnf_multi::fit_pt(sample, options).ok();
    let mut members = vec![Member { model: "weak".to_owned(), formula: a.formula.clone(), class: a.class.clone() }];
    members.extend(b.as_ref().map(|b| Member {
        model: "pmnf-pt".to_owned(),
        formula: b.formula.clone(),
        class: b.class.clone(),
    }));
    let joint = match &b {
        Some(b) => joined_formula(&a.formula, &b.formula),
        None => a.formula.clone(),
    };
    let class = b.as_ref().map_or_else(|| a.class.clone(), |b| b.class.clone());
    let terms = b.as_ref().map(|b| b.terms.clone()).unwrap_or_default();
    let warnings = a.warnings.clone();
    let grid = Grid {
        series: sample.series.clone(),
        options: options.clone(),
        aggregate: sample.aggregate,
        dimensions: sample.dimensions.clone(),
        weak: a.predictor,
        multi: b.map(|b| b.predictor),
    };
    let formula = grid.formula(sample, joint);
    let mut fitted = Fitted::new("auto", formula, class, Box::new(grid));
    fitted.members = members;
    fitted.terms = terms;
    fitted.warnings = warnings;
    Ok(fitted)
}

struct Grid {
    series: Series,
    options: FitOptions,
    aggregate: runcast_core::series::Aggregate,
    dimensions: Vec<usize>,
    weak: Box<dyn Predictor>,
    multi: Option<Box<dyn Predictor>>,
}

impl Grid {
    /// The slice through a target: along the processes first, with as many other parameters equal as possible.
    fn slice(&self, at: &[f64]) -> Option<(Series, usize)> {
        for &along in &self.dimensions {
            let others: Vec<usize> = self.dimensions.iter().copied().filter(|k| *k != along).collect();
            let mut held: Vec<u32> = (1..1u32 << others.len()).collect();
            held.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
            for bits in held {
                let is_held = |k: usize| bits >> k & 1 == 1;
                let points: Vec<_> = self
                    .series
                    .points
                    .iter()
                    .filter(|point| others.iter().enumerate().all(|(k, &d)| !is_held(k) || point.at[d] == at[d]))
                    .cloned()
                    .collect();
                if points.len() < LEAST_SLICE {
                    continue;
                }
                let series = Series { points, ..self.series.clone() };
                let sample = Sample::new(&series, self.aggregate, &self.options);
                let on_line = sample.followers.iter().all(|follower| {
                    let line = follower.at(at[sample.axis]);
                    (at[follower.parameter] / line - 1.0).abs() <= crate::predict::OFF_LINE_WARNS
                });
                if sample.dimensions == [along] && on_line {
                    return Some((series, along));
                }
            }
        }
        None
    }

    /// Slices first, then the joint rule. Only slices whose other parameters are all equal are spelled out.
    fn formula(&self, sample: &Sample<'_>, joint: String) -> String {
        let [along, other] = *self.dimensions.as_slice() else { return joint };
        let mut formula = joint;
        let mut spelt = 0;
        // Later ones are wrapped around earlier ones: slices along the first dimension are tried first.
        for (axis, held) in [(other, along), (along, other)] {
            let mut values = sample.column(held);
            values.sort_by(f64::total_cmp);
            values.dedup();
            for value in values {
                let mut at = sample.at.iter().find(|at| at[held] == value).cloned().unwrap_or_default();
                at[axis] = f64::NAN;
                let points: Vec<_> =
                    self.series.points.iter().filter(|point| point.at[held] == value).cloned().collect();
                if points.len() < LEAST_SLICE || spelt >= MOST_IN_FORMULA {
                    continue;
                }
                let series = Series { points, ..self.series.clone() };
                let part = Sample::new(&series, self.aggregate, &self.options);
                if part.dimensions != [axis] {
                    continue;
                }
                if let Ok(fitted) = line::fit(&part, &self.options) {
                    let x = name(&self.series.parameters[held]);
                    formula = format!("if({x} == {}, {}, {formula})", number(value), fitted.formula);
                    spelt += 1;
                }
            }
        }
        formula
    }
}

impl Predictor for Grid {
    fn predict(&self, at: &[f64]) -> Answer {
        if let Some((series, _)) = self.slice(at) {
            let sample = Sample::new(&series, self.aggregate, &self.options);
            if let Ok(line) = Line::fit(&sample, &self.options) {
                return Answer { points: Some(sample.len()), ..line.predict(at) };
            }
        }
        let a = self.weak.value(at);
        let b = self.multi.as_ref().map(|model| model.value(at));
        let (value, disagree) = b.map_or((a, false), |b| joined(a, b));
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut members = vec![MemberValue { model: "weak".to_owned(), value: finite(a) }];
        members.extend(b.map(|b| MemberValue { model: "pmnf-pt".to_owned(), value: finite(b) }));
        let spread = log_spread([Some(a), b].into_iter().flatten());
        Answer {
            value,
            spread: spread.map_or(Spread::None, |spread| Spread::Panel { spread }),
            members,
            disagree,
            ..Answer::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::testing::grid;
    use runcast_formula::Formula;

    #[test]
    fn the_formula_gives_the_value_in_slices_and_beside_them() {
        let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[10.0, 20.0, 30.0, 40.0], |p, n| 1.0 + n * n / p);
        let options = FitOptions::default();
        let sample = Sample::new(&runs, Auto.aggregate(), &options);
        let fitted = Auto.fit(&sample, &options).expect("fits");
        let formula = Formula::parse(&fitted.formula).expect("a formula");
        for at in [[64.0, 20.0], [8.0, 100.0], [64.0, 100.0], [3.0, 15.0]] {
            let value = fitted.predictor.value(&at);
            let told = formula.evaluate_at(&[("p", at[0]), ("N", at[1])]).expect("evaluates");
            assert!((value / told - 1.0).abs() < 1e-9, "{value} and {told} at {at:?}");
        }
        assert_eq!(fitted.predictor.predict(&[64.0, 20.0]).points, Some(5));
        assert_eq!(fitted.predictor.predict(&[64.0, 100.0]).points, None);
    }
}

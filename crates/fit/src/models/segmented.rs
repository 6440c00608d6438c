//! Two normal forms, one on each side of a change in behavior.

use super::one_term::{OneTerm, Transform, describe};
use super::pmnf::candidate_terms;
use super::search::{Choice, Folds, Problem, select};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text::{name, number};
use runcast_core::Warning;
use runcast_core::accuracy::smape_pct;
use runcast_core::model::Segment;
use runcast_core::series::Aggregate;

/// Minimum number of configurations on each side.
const LEAST_SIDE: usize = 4;

/// Every split with at least four configurations per side (a border point may belong to both), each side
/// [`super::pmnf::Pmnf`]; accepted when its cross-validated SMAPE, the folds of both sides pooled, is under half of
/// that of the unsplit model.
pub struct Segmented;

impl Regression for Segmented {
    fn name(&self) -> &'static str {
        "segmented"
    }

    fn summary(&self) -> &'static str {
        "two pmnf models with a break between them, if that is twice as good"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Mean
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        super::one_dimension(sample)?;
        if sample.len() < 2 * LEAST_SIDE - 1 {
            return Err(format!("it needs {} configurations, not {}", 2 * LEAST_SIDE - 1, sample.len()));
        }
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        super::one_dimension(sample).map_err(NoFit::Unsuitable)?;
        let (terms, warning) = candidate_terms(sample, "segmented", options)?;
        let mut order: Vec<usize> = (0..sample.len()).collect();
        order.sort_by(|&a, &b| sample.at[a][sample.axis].total_cmp(&sample.at[b][sample.axis]));
        let whole = choose(sample, &order, &terms);
        let n = order.len();
        let mut best: Option<(f64, usize, usize)> = None;
        for left_end in LEAST_SIDE..=n {
            for right_start in [left_end, left_end - 1] {
                if n - right_start < LEAST_SIDE {
                    continue;
                }
                let (left, right) = (&order[..left_end], &order[right_start..]);
                let sides = [left, right].map(|side| (choose(sample, side, &terms).score, side.len() as f64));
                let pooled = sides.iter().map(|(score, count)| score * count).sum::<f64>()
                    / sides.iter().map(|(_, count)| count).sum::<f64>();
                if best.is_none_or(|(score, ..)| pooled < score) {
                    best = Some((pooled, left_end, right_start));
                }
            }
        }
        // The constant's score is in-sample; the split must beat it nevertheless.
        let accepted = best.filter(|(score, ..)| *score < 0.5 * whole.score);
        let Some((score, left_end, right_start)) = accepted else {
            let model = whole.refit(sample, options, Transform::None);
            let segment = segment(sample, &order, &model);
            let mut fitted = describe("segmented", sample, model, whole.score, warning);
            fitted.segments = vec![segment];
            return Ok(fitted);
        };
        let side = |indices: &[usize]| -> (OneTerm, Segment) {
            let series = sample.series_of(indices);
            let part = Sample { axis: sample.axis, ..Sample::new(&series, sample.aggregate, options) };
            let choice = choose(sample, indices, &terms);
            let model = choice.refit(&part, options, Transform::None);
            let segment = segment(sample, indices, &model);
            (model, segment)
        };
        let (left, left_segment) = side(&order[..left_end]);
        let (right, right_segment) = side(&order[right_start..]);
        // Nothing was measured in the gap: each side extends to its geometric mean.
        let border =
            if right_start < left_end { left_segment.to } else { (left_segment.to * right_segment.from).sqrt() };
        let parameter = &sample.series.parameters[sample.axis];
        let x = name(parameter);
        let formula = format!("if({x} <= {}, {}, {})", number(border), left.formula(&x), right.formula(&x));
        let class = right.class(&x);
        let pieces = Pieces { axis: sample.axis, border, left, right };
        let mut fitted = Fitted::new("segmented", formula, class, Box::new(pieces));
        fitted.coefficients = right_segment.coefficients.clone();
        fitted.terms = right_segment.terms.clone();
        fitted.segments = vec![left_segment, right_segment];
        fitted.validation_smape_pct = Some(score);
        fitted.warnings.extend(warning);
        fitted.warnings.push(Warning::new(
            "mixed_regime",
            format!("the behavior changes near {parameter} = {border:.4}: targets beyond the measured range follow the upper piece"),
        ));
        Ok(fitted.along_axis(sample))
    }
}

fn choose(sample: &Sample<'_>, indices: &[usize], terms: &[crate::terms::PmnfTerm]) -> Choice {
    let x: Vec<f64> = indices.iter().map(|&k| sample.at[k][sample.axis]).collect();
    let y: Vec<f64> = indices.iter().map(|&k| sample.y[k]).collect();
    let mut choice = select(&Problem::new(&x, &y, terms, Folds::LeaveOneOut));
    if choice.term.is_none() {
        // So that sides and whole are compared on points left out, including the constant.
        let n = y.len() as f64;
        let sum: f64 = y.iter().sum();
        choice.score = smape_pct(y.iter().map(|y| ((sum - y) / (n - 1.0), *y)));
    }
    choice
}

fn segment(sample: &Sample<'_>, indices: &[usize], model: &OneTerm) -> Segment {
    let parameter = &sample.series.parameters[sample.axis];
    let x = name(parameter);
    let ends = |k: Option<&usize>| k.map_or(f64::NAN, |&k| sample.at[k][sample.axis]);
    let mut coefficients = indexmap::IndexMap::from([("c0".to_owned(), model.line.c0)]);
    if model.term.is_some() {
        coefficients.insert("c1".to_owned(), model.line.c1);
    }
    Segment {
        from: ends(indices.first()),
        to: ends(indices.last()),
        formula: model.formula(&x),
        class: model.class(&x),
        terms: model.terms(parameter),
        coefficients,
    }
}

struct Pieces {
    axis: usize,
    border: f64,
    left: OneTerm,
    right: OneTerm,
}

impl Predictor for Pieces {
    fn predict(&self, at: &[f64]) -> Answer {
        if at[self.axis] <= self.border { self.left.predict(at) } else { self.right.predict(at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn a_square_then_a_line() {
        let square = (1..=6).map(|p| (f64::from(p), f64::from(p * p)));
        let line = (7..=10).map(|p| (f64::from(p), 30.0 + f64::from(p)));
        check(square.chain(line).collect(), ["p^2", "p"]);
    }

    #[test]
    fn a_logarithm_then_a_square() {
        let log = (1..=5).map(|k| (4.0 * f64::from(k), (4.0 * f64::from(k)).log2()));
        let square = (6..=10).map(|k| (4.0 * f64::from(k), (4.0 * f64::from(k)).powi(2)));
        check(log.chain(square).collect(), ["log2(p)", "p^2"]);
    }

    fn check(points: Vec<(f64, f64)>, classes: [&str; 2]) {
        let runs = series(&points);
        let sample = Sample::new(&runs, Segmented.aggregate(), &FitOptions::default());
        let fitted = Segmented.fit(&sample, &FitOptions::default()).expect("fits");
        let found: Vec<&str> = fitted.segments.iter().map(|segment| segment.class.as_str()).collect();
        assert_eq!(found, classes);
        for (p, y) in points {
            assert!((fitted.predictor.value(&[p]) / y - 1.0).abs() < 1e-6, "at {p}");
        }
    }
}

//! Parts of a time that are fitted apart and added.
//!
//! \[B\] B. J. Barnes et al., *A regression-based approach to scalability prediction* (ICS 2008): the second technique takes
//! the parts of the rank that computes longest, the third those along the critical path.

use super::{Outcome, by_group};
use crate::document;
use crate::fitted::NoFit;
use crate::foreign::Foreign;
use crate::options::FitOptions;
use crate::predict::Model;
use crate::registry;
use runcast_core::model::{ModelEntry, Quality};
use runcast_core::prediction::{Interval, MemberValue, Prediction, Verdict};
use runcast_core::series::Aggregate;
use runcast_core::statistics::{mean, median};
use runcast_core::{Configuration, Point, Problem, Series, Warning};
use serde_json::json;
use std::any::Any;
use std::str::FromStr;
use std::sync::Arc;

pub const NAME: &str = "sum";

/// The sum of the parts may be this far from the measured whole without a warning.
const OFF_WARNS: f64 = 0.05;

/// Words that a whole is called by.
const WHOLE: [&str; 7] = ["time", "total", "elapsed", "runtime", "wall", "walltime", "duration"];

/// `compute_s,communication_s=auto,pmnf`: the columns of the parts, and what each is fitted by.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Columns, that of computing first.
    pub names: Vec<String>,
    /// Names of regressions, one for each part.
    pub models: Vec<String>,
}

impl FromStr for Parts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let list = |text: &str| text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<String>>();
        let (names, models) = match text.split_once('=') {
            Some((names, models)) => (list(names), list(models)),
            None => (list(text), Vec::new()),
        };
        let is_twice = (1..names.len()).any(|k| names[..k].contains(&names[k]));
        if names.len() < 2 || is_twice || names.iter().any(String::is_empty) {
            return Err("two columns or more are needed, such as compute_s,communication_s".to_owned());
        }
        if let Some(unknown) = models.iter().find(|model| registry::MODELS.iter().all(|known| known.name() != **model))
        {
            return Err(format!("\"{unknown}\" is not a model of one series"));
        }
        let models = match models.len() {
            0 => vec!["auto".to_owned(); names.len()],
            1 => vec![models[0].clone(); names.len()],
            count if count == names.len() => models,
            count => return Err(format!("{} parts need one model, or one each, not {count}", names.len())),
        };
        Ok(Parts { names, models })
    }
}

impl Parts {
    pub(super) fn fit(&self, all: &[Series], options: &FitOptions) -> Vec<Outcome> {
        by_group(all).iter().map(|group| self.fit_group(group, options)).collect()
    }

    fn fit_group(&self, group: &[&Series], options: &FitOptions) -> Outcome {
        let mut parts: Vec<&Series> = Vec::new();
        for name in &self.names {
            let Some(part) = group.iter().find(|series| series.metric.name == *name) else {
                let known: Vec<&str> = group.iter().map(|series| series.metric.name.as_str()).collect();
                let why = format!("--sum: {name} is not among the metrics of these runs ({})", known.join(", "));
                return (Arc::new(group[0].clone()), Err(NoFit::Options(why)));
            };
            parts.push(part);
        }
        let (whole, warnings) = whole_of(&parts, group);
        let whole = Arc::new(whole);
        let other = parts.iter().find(|part| part.metric.unit != parts[0].metric.unit || part.metric.is_rate());
        if let Some(other) = other {
            let why = format!("--sum: {} [{}] is no part of a sum", other.metric.name, other.metric.unit);
            return (whole, Err(NoFit::Options(why)));
        }
        let models: Result<Vec<Model>, NoFit> = parts
            .iter()
            .zip(&self.models)
            .map(|(part, model)| {
                let regression = registry::find(model).unwrap_or(registry::MODELS[0]);
                Model::fit(&Arc::new(Series::clone(part)), regression, options)
                    .map_err(|why| NoFit::Unsuitable(format!("{}: {why}", part.metric.name)))
            })
            .collect();
        let model = models.and_then(|models| {
            Sum { models, whole: Arc::clone(&whole), warnings, names: self.clone() }
                .into_model()
                .map_err(|problem| NoFit::Unsuitable(problem.message))
        });
        (whole, model)
    }
}

/// The measured whole where a column has it, else the sum of the parts; with a warning where they differ.
fn whole_of(parts: &[&Series], group: &[&Series]) -> (Series, Vec<Warning>) {
    let is_whole = |series: &&&Series| {
        let first = series.metric.name.split(['_', ' ', '(', '[']).next().unwrap_or_default().to_ascii_lowercase();
        series.metric.unit == parts[0].metric.unit
            && parts.iter().all(|part| part.metric.name != series.metric.name)
            && WHOLE.contains(&first.as_str())
    };
    let sums: Vec<Point> = parts[0].points.iter().filter_map(|point| sum_at(point, parts)).collect();
    let Some(measured) = group.iter().find(is_whole) else {
        let mut whole = Series { points: sums, ..parts[0].clone() };
        whole.metric.name = "time_s".to_owned();
        return (whole, Vec::new());
    };
    let off = |point: &Point| {
        let sum = sums.iter().find(|sum| sum.at == point.at)?;
        let off = median(&sum.values) / median(&point.values) - 1.0;
        (off.abs() > OFF_WARNS).then(|| (off, measured.configuration(point)))
    };
    let worst = measured.points.iter().filter_map(off).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let warning = worst.map(|(off, at)| {
        let names: Vec<&str> = parts.iter().map(|part| part.metric.name.as_str()).collect();
        let (sum, name) = (names.join(" + "), &measured.metric.name);
        let more = if off > 0.0 { "more" } else { "less" };
        let message = format!(
            "{sum} is {:.0} % {more} than {name} at {at}: a part is missing, or parts overlap",
            100.0 * off.abs()
        );
        Warning::new("sum_differs", message)
    });
    (Series::clone(measured), warning.into_iter().collect())
}

/// The sum of the parts at a configuration, run by run; of medians where the parts have different runs.
fn sum_at(point: &Point, parts: &[&Series]) -> Option<Point> {
    let of = |part: &&Series| part.points.iter().find(|other| other.at == point.at).cloned();
    let found: Vec<Point> = parts.iter().map(of).collect::<Option<_>>()?;
    let runs = point.values.len();
    let values = match found.iter().all(|part| part.lines == point.lines) {
        true => (0..runs).map(|run| found.iter().map(|part| part.values[run]).sum()).collect(),
        false => vec![found.iter().map(|part| median(&part.values)).sum()],
    };
    let lines = point.lines[..values.len()].to_vec();
    Some(Point { at: point.at.clone(), values, lines })
}

/// Fitted parts.
struct Sum {
    models: Vec<Model>,
    /// What their sum forecasts.
    whole: Arc<Series>,
    warnings: Vec<Warning>,
    names: Parts,
}

impl Sum {
    fn into_model(self) -> Result<Model, Problem> {
        let whole = Arc::clone(&self.whole);
        Model::of_foreign(Arc::new(self), &whole, Aggregate::Median)
    }

    /// Correlations of the residuals `ln(measured/predicted)` of the parts; 0 where they cannot be told.
    fn correlations(&self) -> Vec<Vec<f64>> {
        let first = &self.models[0].series;
        let residuals = |model: &Model| -> Option<Vec<f64>> {
            let at = |point: &Point| {
                let own = model.series.points.iter().find(|own| own.at == point.at)?;
                let residual = (median(&own.values) / model.fitted.predictor.leader(&own.at)).ln();
                residual.is_finite().then_some(residual)
            };
            first.points.iter().map(at).collect()
        };
        let all: Vec<Option<Vec<f64>>> = self.models.iter().map(residuals).collect();
        let of = |a: &Option<Vec<f64>>, b: &Option<Vec<f64>>| match (a, b) {
            (Some(a), Some(b)) => correlation(a, b),
            _ => 0.0,
        };
        let row = |k: usize| (0..all.len()).map(|l| if k == l { 1.0 } else { of(&all[k], &all[l]) }).collect();
        (0..all.len()).map(row).collect()
    }

    /// `sqrt(sum_kl r_kl d_k d_l)`
    fn together(&self, distances: &[f64], correlations: &[Vec<f64>]) -> f64 {
        let pairs = distances.iter().zip(correlations);
        let square: f64 = pairs.map(|(a, row)| row.iter().zip(distances).map(|(r, b)| r * a * b).sum::<f64>()).sum();
        square.max(0.0).sqrt()
    }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let centered = |list: &[f64]| list.iter().map(|value| value - mean(list)).collect::<Vec<f64>>();
    let (a, b) = (centered(a), centered(b));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norm = (dot(&a, &a) * dot(&b, &b)).sqrt();
    // Residuals that are rounding errors say nothing.
    if a.len() < 3 || norm < 1e-20 { 0.0 } else { (dot(&a, &b) / norm).clamp(-1.0, 1.0) }
}

impl Foreign for Sum {
    fn name(&self) -> &'static str {
        NAME
    }

    fn entry(&self) -> ModelEntry {
        let parts: Vec<ModelEntry> = self.models.iter().map(document::entry_of).collect();
        let mut entry = parts[0].clone();
        entry.metric.clone_from(&self.whole.metric.name);
        NAME.clone_into(&mut entry.model);
        let joined =
            |of: fn(&ModelEntry) -> &str, between: &str| parts.iter().map(of).collect::<Vec<_>>().join(between);
        entry.formula = joined(|part| &part.formula, " + ");
        entry.class = joined(|part| &part.class, " + ");
        (entry.terms, entry.members, entry.dropped) = (Vec::new(), Vec::new(), Vec::new());
        (entry.rank, entry.condition) = (None, None);
        entry.coefficients.clear();
        entry.quality = self.quality();
        entry.warnings =
            parts.iter().flat_map(|part| part.warnings.iter().cloned()).chain(self.warnings.clone()).collect();
        if let Some(training) = &mut entry.training {
            let at = |point: &Point| runcast_core::model::TrainingPoint {
                at: self.whole.configuration(point),
                values: point.values.clone(),
            };
            training.points = self.whole.points.iter().map(at).collect();
        }
        entry.extra.insert("sum_warnings".to_owned(), json!(self.warnings));
        entry.extra.insert("parts".to_owned(), json!(parts));
        entry
    }

    fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem> {
        let mut said: Vec<Prediction> = Vec::new();
        let mut warnings: Vec<Warning> = self.warnings.clone();
        for model in &self.models {
            let (prediction, own) = model.predict(target, level)?;
            said.push(prediction);
            warnings.extend(own.into_iter().filter(|one| !warnings.contains(one)).collect::<Vec<_>>());
        }
        let values: Option<Vec<f64>> = said.iter().map(|part| part.value).collect();
        let value = values.as_ref().map(|values| values.iter().sum::<f64>());
        let correlations = self.correlations();
        // Variances add; on the logarithmic scale each side of a range is one of its own, and no time falls below zero.
        let side = |ratio: &dyn Fn(&Prediction) -> Option<f64>| -> Option<f64> {
            let distance = |part: &Prediction| Some(part.value? * ratio(part)?.ln());
            Some(self.together(&said.iter().map(distance).collect::<Option<Vec<f64>>>()?, &correlations))
        };
        let below = side(&|part| Some(part.value? / part.low?));
        let above = side(&|part| Some(part.high? / part.value?));
        let interval = match (value, below, above) {
            (Some(value), Some(below), Some(above)) => {
                let interval = Interval { low: value * (-below / value).exp(), high: value * (above / value).exp() };
                (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
            }
            _ => None,
        };
        let members = said.iter().map(|part| MemberValue { model: part.metric.clone(), value: part.value }).collect();
        let mut codes: Vec<String> = self.warnings.iter().map(|warning| warning.code.clone()).collect();
        for code in said.iter().flat_map(|part| &part.warnings) {
            if !codes.contains(code) {
                codes.push(code.clone());
            }
        }
        let verdict = said.iter().map(|part| part.verdict).min().unwrap_or(Verdict::Refused);
        let prediction = Prediction {
            metric: self.whole.metric.name.clone(),
            model: NAME.to_owned(),
            value,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            interval: interval.map(|_| "parts".to_owned()),
            intervals: [("parts".to_owned(), interval)].into_iter().collect(),
            verdict,
            members,
            warnings: codes,
            ..said.swap_remove(0)
        };
        Ok((prediction, warnings))
    }

    fn value(&self, at: &[f64]) -> f64 {
        self.models.iter().map(|model| model.fitted.predictor.value(at)).sum()
    }

    /// Fitted to those of its own runs whose configurations are left.
    fn refitted(&self, series: &Series) -> Option<Model> {
        let is_kept = |point: &Point| series.points.iter().any(|kept| kept.at == point.at);
        let kept = |own: &Series| Series {
            points: own.points.iter().filter(|p| is_kept(p)).cloned().collect(),
            ..own.clone()
        };
        // A configuration that was added has no parts.
        let is_known = |point: &Point| self.whole.points.iter().any(|own| own.at == point.at);
        if !series.points.iter().all(is_known) {
            return None;
        }
        let again = |(model, name): (&Model, &String)| model.refitted(kept(&model.series), registry::find(name)?);
        let models: Vec<Model> = self.models.iter().zip(&self.names.models).map(again).collect::<Option<_>>()?;
        let whole = Arc::new(kept(&self.whole));
        Sum { models, whole, warnings: self.warnings.clone(), names: self.names.clone() }.into_model().ok()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Sum {
    fn quality(&self) -> Quality {
        let error = |point: &Point| (self.value(&point.at) / median(&point.values) - 1.0).abs() * 100.0;
        let errors: Vec<f64> = self.whole.points.iter().map(error).filter(|error| error.is_finite()).collect();
        let pairs = self.whole.points.iter().map(|point| (self.value(&point.at), median(&point.values)));
        Quality {
            smape_pct: Some(runcast_core::accuracy::smape_pct(pairs)).filter(|smape| smape.is_finite()),
            median_error_pct: (!errors.is_empty()).then(|| median(&errors)),
            max_error_pct: errors.iter().copied().reduce(f64::max),
            ..Quality::default()
        }
    }
}

/// A saved sum, from its parts.
pub(super) fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    let bad = |message: String| Problem::new("bad_model", message);
    let read = |name: &str| entry.extra.get(name).cloned().unwrap_or_default();
    let parts: Vec<ModelEntry> =
        serde_json::from_value(read("parts")).map_err(|error| bad(format!("parts: {error}")))?;
    let warnings: Vec<Warning> = serde_json::from_value(read("sum_warnings")).unwrap_or_default();
    let models: Vec<Model> = parts.iter().map(document::reload).collect::<Result<_, Problem>>()?;
    if models.is_empty() {
        return Err(bad("the sum has no parts".to_owned()));
    }
    let whole = document::series_of(entry)?;
    let names = Parts {
        names: parts.iter().map(|part| part.metric.clone()).collect(),
        models: parts.iter().map(|part| part.model.clone()).collect(),
    };
    Sum { models, whole: Arc::new(whole), warnings, names }.into_model()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    const P: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

    fn column(name: &str, law: impl Fn(f64) -> f64) -> Series {
        let mut column = series(&P.map(|p| (p, law(p))));
        name.clone_into(&mut column.metric.name);
        column
    }

    fn compute(p: f64) -> f64 {
        40.0 / p + 0.5
    }

    fn communication(p: f64) -> f64 {
        0.01 + 0.2 * p.log2()
    }

    fn fitted(columns: &[Series], parts: &str) -> Model {
        let parts: Parts = parts.parse().expect("parts");
        let mut outcomes = parts.fit(columns, &FitOptions::default());
        assert_eq!(outcomes.len(), 1);
        outcomes.remove(0).1.expect("a model")
    }

    fn at(p: f64) -> Configuration {
        Configuration::from_pairs(&["p".to_owned()], &[p])
    }

    #[test]
    fn parts_are_fitted_apart() {
        let columns = [column("compute_s", compute), column("communication_s", |p| 0.2 * p.log2())];
        // 40/256 + 0.5 + 0.2*8
        let model = fitted(&columns, "compute_s,communication_s=pmnf");
        let (prediction, _) = model.predict(&at(256.0), 0.9).expect("complete");
        let value = prediction.value.expect("a value");
        assert!((value - 2.25625).abs() < 1e-9, "{value}");
        assert_eq!((prediction.metric.as_str(), prediction.members.len()), ("time_s", 2));
    }

    #[test]
    fn the_range_is_that_of_independent_parts_and_comes_back() {
        let noise = |k: f64| 1.0 + 0.03 * (k * 12.9898).sin();
        let columns = [
            column("compute_s", |p| compute(p) * noise(p)),
            column("communication_s", |p| communication(p) * noise(p + 0.7)),
            column("time_s", |p| compute(p) + communication(p)),
        ];
        let model = fitted(&columns, "compute_s,communication_s=power");
        let (prediction, warnings) = model.predict(&at(128.0), 0.9).expect("complete");
        assert!(warnings.iter().all(|warning| warning.code != "sum_differs"), "{warnings:?}");
        let (value, high) = (prediction.value.expect("a value"), prediction.high.expect("a range"));
        let sum = model.foreign().and_then(|sum| sum.as_any().downcast_ref::<Sum>()).expect("a sum");
        let r = sum.correlations()[0][1];
        let distance = |model: &Model| {
            let part = model.predict(&at(128.0), 0.9).expect("complete").0;
            part.value.expect("a value") * (part.high.expect("a range") / part.value.expect("a value")).ln()
        };
        let (a, b) = (distance(&sum.models[0]), distance(&sum.models[1]));
        let expected = value * ((a * a + b * b + 2.0 * r * a * b).sqrt() / value).exp();
        assert!((high / expected - 1.0).abs() < 1e-12, "{high} {expected}");
        let again = reload(&document::entry_of(&model)).expect("reads back");
        assert_eq!(again.predict(&at(128.0), 0.9).expect("complete").0, prediction);
        let less = Series { points: model.series.points[..5].to_vec(), ..Series::clone(&model.series) };
        assert!(model.refitted(less, &crate::models::mean::Mean).is_some_and(|model| model.series.points.len() == 5));
    }

    #[test]
    fn a_whole_that_is_not_the_sum_is_told() {
        let columns = [
            column("compute_s", compute),
            column("communication_s", communication),
            column("time_s", |p| 1.25 * (compute(p) + communication(p))),
        ];
        let (_, warnings) = fitted(&columns, "compute_s,communication_s").predict(&at(128.0), 0.9).expect("complete");
        assert!(warnings[0].code == "sum_differs" && warnings[0].message.contains("20 % less"), "{warnings:?}");
    }

    #[test]
    fn residuals_that_go_together_are_correlated() {
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 2.0], &[2.0, 4.0]), 0.0, "two tell nothing");
    }

    #[test]
    fn options_say_what_is_wrong_with_them() {
        for wrong in ["compute_s", "a,a", "a,", "a,b=auto,auto,auto", "a,b=formula", "a,b=none"] {
            assert!(wrong.parse::<Parts>().is_err(), "{wrong}");
        }
        let parts: Parts = "compute_s,io_s".parse().expect("reads");
        let columns = [column("compute_s", compute), column("time_s", compute)];
        let (_, outcome) = parts.fit(&columns, &FitOptions::default()).remove(0);
        assert!(outcome.is_err_and(|why| why.to_string().contains("io_s is not among the metrics")));
    }
}

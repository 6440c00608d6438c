//! Joining predictions with the runs that they predict.

use super::EvaluationPoint;
use crate::configuration::Configuration;
use crate::prediction::{Predicted, Prediction, Predictions, base_name};
use crate::problem::{Problem, Warning, shorten};
use crate::series::{Aggregate, Series};
use crate::statistics;
use crate::table::number;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

/// Predictions with their runs.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// Every prediction for which there are runs, in the order of the predictions.
    pub points: Vec<EvaluationPoint>,
    /// Warnings about unmatched rows and about the predictions.
    pub warnings: Vec<Warning>,
}

/// Joins predictions to runs on the parameters and labels that both have; labels that only the predictions of another
/// tool have distinguish models in addition to the model's name. Metrics are the same when their names without the
/// unit agree, or when each side has only one and the units agree; predictions of a metric whose name states no unit are
/// in the SI unit that the runs' table declares for it. The measured value is the median of the
/// repetitions.
///
/// # Errors
/// Nothing matches, a prediction matches runs of several configurations, or a run matches several predictions of a model.
pub fn join(predictions: &Predictions, runs: &[Series]) -> Result<Joined, Problem> {
    let common = Common::of(predictions, runs)?;
    let truths = truths(runs, &common, &metric_names(predictions, runs));
    let mut joined = Joined { points: Vec::new(), warnings: predictions.warnings.clone() };

    let mut unmatched = 0usize;
    let mut met: Vec<bool> = vec![false; truths.list.len()];
    let mut by_run: IndexMap<(usize, &str, String), Vec<&Predicted>> = IndexMap::new();
    for predicted in &predictions.list {
        let prediction = &predicted.prediction;
        let key = (metric_key(&prediction.metric, &prediction.unit), common.key(|name| field(prediction, name)));
        let Some(indices) = truths.by_key.get(&key) else {
            unmatched += 1;
            continue;
        };
        if let [first, second, ..] = indices.as_slice() {
            return Err(several_runs(predictions, predicted, &truths.list[*first], &truths.list[*second]));
        }
        let index = indices[0];
        met[index] = true;
        by_run.entry((index, &prediction.method, common.model(prediction))).or_default().push(predicted);
    }
    for ((index, method, model), list) in by_run {
        let truth = &truths.list[index];
        check_same(predictions, &list, &common)?;
        joined.points.push(point(truth, (method, model), &list));
    }
    if joined.points.is_empty() {
        return Err(nothing_joined(predictions, &common, &truths.list));
    }
    let left_over = [
        (unmatched, "prediction has no run", "predictions have no run", "unmatched_predictions"),
        (
            met.iter().filter(|&&met| !met).count(),
            "configuration has no prediction",
            "configurations have no prediction",
            "unmatched_runs",
        ),
    ];
    for (count, one, many, code) in left_over {
        if count > 0 {
            joined.warnings.push(Warning::new(code, format!("{count} {}", if count == 1 { one } else { many })));
        }
    }
    Ok(joined)
}

/// The fields that both sides have.
struct Common {
    /// Parameters and labels to join on.
    names: Vec<String>,
    /// Labels that only the predictions have.
    models: Vec<String>,
    /// A name for predictions without a model name: that of the file.
    unnamed: String,
}

impl Common {
    fn of(predictions: &Predictions, series: &[Series]) -> Result<Common, Problem> {
        let mut ours: IndexSet<&str> = IndexSet::new();
        let mut labels: IndexSet<&str> = IndexSet::new();
        for predicted in &predictions.list {
            let Prediction { group, at, .. } = &predicted.prediction;
            ours.extend(at.0.keys().chain(group.keys()).map(String::as_str));
            labels.extend(group.keys().map(String::as_str));
        }
        let mut theirs: IndexSet<&str> = IndexSet::new();
        for series in series {
            theirs.extend(series.parameters.iter().map(String::as_str));
            theirs.extend(series.group.keys().map(String::as_str));
        }
        let names: Vec<String> =
            ours.iter().filter(|name| theirs.contains(*name)).map(|&name| name.to_owned()).collect();
        if names.is_empty() {
            let list = |names: &IndexSet<&str>| shorten(&names.iter().copied().collect::<Vec<_>>().join(", "), 200);
            let message =
                format!("predictions and runs have no parameter in common: {} and {}", list(&ours), list(&theirs));
            return Err(Problem::new("no_match", message)
                .at("--predictions")
                .hint("--rename NAME=NAME renames a parameter of the predictions to its name in the runs"));
        }
        let models = labels.iter().filter(|name| !theirs.contains(*name)).map(|&name| name.to_owned()).collect();
        let unnamed = predictions.file.as_deref().map_or("predictions", stem).to_owned();
        Ok(Common { names, models, unnamed })
    }

    /// The values of the common fields.
    fn key(&self, value: impl Fn(&str) -> Option<String>) -> Vec<Option<String>> {
        self.names.iter().map(|name| value(name)).collect()
    }

    /// The model that made a prediction.
    fn model(&self, prediction: &Prediction) -> String {
        let labels = self.models.iter().filter_map(|name| prediction.group.get(name));
        let parts: Vec<&str> =
            [&prediction.model].into_iter().chain(labels).map(String::as_str).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { self.unnamed.clone() } else { parts.join("/") }
    }
}

/// A parameter or label of a prediction as text.
fn field(prediction: &Prediction, name: &str) -> Option<String> {
    prediction.group.get(name).cloned().or_else(|| prediction.at.get(name).map(number::to_text))
}

/// Parameters and labels of a prediction for people.
fn shown(prediction: &Prediction) -> String {
    let numbers = prediction.at.0.iter().map(|(name, value)| format!("{name}={}", number::to_text(*value)));
    let labels = prediction.group.iter().map(|(name, value)| format!("{name}={value}"));
    shorten(&numbers.chain(labels).collect::<Vec<_>>().join(", "), 200)
}

/// `dir/forecast.csv` is `forecast`.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// A metric regardless of the unit of its column: the name without the unit, and the SI unit.
type MetricKey = (String, String);

fn metric_key(name: &str, unit: &str) -> MetricKey {
    (base_name(name).to_owned(), unit.to_owned())
}

/// For each metric of the runs, its name in the predictions.
fn metric_names(predictions: &Predictions, series: &[Series]) -> HashMap<String, MetricKey> {
    let ours: IndexSet<MetricKey> =
        predictions.list.iter().map(|one| metric_key(&one.prediction.metric, &one.prediction.unit)).collect();
    let theirs: IndexMap<&str, MetricKey> = series
        .iter()
        .map(|series| (series.metric.name.as_str(), metric_key(&series.metric.name, &series.metric.unit)))
        .collect();
    let only = match (ours.first(), theirs.first()) {
        (Some(our), Some((name, their))) if ours.len() == 1 && theirs.len() == 1 && our.1 == their.1 => {
            Some((*name, our))
        }
        _ => None,
    };
    theirs
        .iter()
        .map(|(&name, key)| match only {
            Some((_, our)) => (name.to_owned(), our.clone()),
            // A table of predictions is in SI units where the name of the metric states none.
            None => match ours.get(&(key.0.clone(), String::new())) {
                Some(bare) if !ours.contains(key) && name == key.0 => (name.to_owned(), bare.clone()),
                _ => (name.to_owned(), key.clone()),
            },
        })
        .collect()
}

/// Measured configurations.
struct Truths<'s> {
    list: Vec<Truth<'s>>,
    by_key: HashMap<(MetricKey, Vec<Option<String>>), Vec<usize>>,
}

struct Truth<'s> {
    series: &'s Series,
    at: Configuration,
    runs: &'s [f64],
    measured: f64,
}

fn truths<'s>(series: &'s [Series], common: &Common, metrics: &HashMap<String, MetricKey>) -> Truths<'s> {
    let mut truths = Truths { list: Vec::new(), by_key: HashMap::new() };
    for series in series {
        let Some(metric) = metrics.get(&series.metric.name) else { continue };
        for (point, measured) in series.points.iter().zip(series.aggregated(Aggregate::Median)) {
            let at = series.configuration(point);
            let key = common.key(|name| match series.group.get(name) {
                Some(label) => Some(label.clone()),
                None => at.get(name).map(number::to_text),
            });
            truths.by_key.entry((metric.clone(), key)).or_default().push(truths.list.len());
            truths.list.push(Truth { series, at, runs: &point.values, measured });
        }
    }
    truths
}

fn point(truth: &Truth<'_>, (method, model): (&str, String), list: &[&Predicted]) -> EvaluationPoint {
    let middle = |field: fn(&Prediction) -> Option<f64>| {
        let values: Vec<f64> = list.iter().filter_map(|predicted| field(&predicted.prediction)).collect();
        (!values.is_empty()).then(|| statistics::median(&values))
    };
    EvaluationPoint {
        method: method.to_owned(),
        model,
        group: truth.series.group.clone(),
        metric: truth.series.metric.name.clone(),
        unit: truth.series.metric.unit.clone(),
        at: truth.at.clone(),
        measured: truth.measured,
        predicted: middle(|prediction| prediction.value),
        low: middle(|prediction| prediction.low),
        high: middle(|prediction| prediction.high),
        level: middle(|prediction| Some(prediction.level).filter(|level| level.is_finite())),
        ..EvaluationPoint::default()
    }
    .scored_by_runs(truth.runs)
}

/// Several predictions of a model for one run are repetitions of it, unless they differ in a field that the runs lack.
fn check_same(predictions: &Predictions, list: &[&Predicted], common: &Common) -> Result<(), Problem> {
    let Some((first, rest)) = list.split_first() else { return Ok(()) };
    let others = |prediction: &Prediction| -> IndexMap<String, String> {
        let names = prediction.at.0.keys().chain(prediction.group.keys());
        let own = names.filter(|name| !common.models.contains(name) && !common.names.contains(name));
        own.filter_map(|name| Some((name.clone(), field(prediction, name)?))).collect()
    };
    let first = others(&first.prediction);
    for other in rest {
        let fields = others(&other.prediction);
        if let Some((name, value)) = first.iter().find(|(name, value)| fields.get(*name) != Some(value)) {
            let message = format!(
                "two predictions match the same runs; they differ in {name} ({} and {}), which the runs do not have",
                shorten(value, 40),
                shorten(fields.get(name).map_or("", String::as_str), 40)
            );
            return Err(located(predictions, other, Problem::new("ambiguous", message))
                .hint(format!("make {name} a column of the runs, or keep one of the predictions")));
        }
    }
    Ok(())
}

fn several_runs(predictions: &Predictions, predicted: &Predicted, one: &Truth<'_>, two: &Truth<'_>) -> Problem {
    let all = |truth: &Truth<'_>| -> IndexMap<String, String> {
        let numbers = truth.at.0.iter().map(|(name, value)| (name.clone(), number::to_text(*value)));
        truth.series.group.clone().into_iter().chain(numbers).collect()
    };
    let (one, two) = (all(one), all(two));
    let differing: Vec<&str> =
        one.iter().filter(|(name, value)| two.get(*name) != Some(value)).map(|(name, _)| name.as_str()).collect();
    let message = format!(
        "the prediction at {} matches runs that differ in {}",
        shown(&predicted.prediction),
        shorten(&differing.join(", "), 100)
    );
    located(predictions, predicted, Problem::new("ambiguous", message))
        .hint("select runs with --where, or add the column to the predictions")
}

fn located(predictions: &Predictions, predicted: &Predicted, problem: Problem) -> Problem {
    match (&predictions.file, predicted.line) {
        (Some(file), Some(line)) => problem.in_file(file.as_str()).at_line(line),
        (Some(file), None) => problem.in_file(file.as_str()),
        _ => problem,
    }
}

fn nothing_joined(predictions: &Predictions, common: &Common, truths: &[Truth<'_>]) -> Problem {
    let ours = predictions.list.first().map(|one| format!("{} of {}", shown(&one.prediction), one.prediction.metric));
    let theirs = truths.first().map(|truth| {
        let labels = crate::configuration::group_name(&truth.series.group);
        let separator = if labels.is_empty() { "" } else { ", " };
        format!("{labels}{separator}{} of {}", truth.at, truth.series.metric.name)
    });
    let message = format!(
        "no prediction has runs; joined on {}, the first prediction is at {}, the first run at {}",
        shorten(&common.names.join(", "), 100),
        shorten(&ours.unwrap_or_default(), 200),
        shorten(&theirs.unwrap_or_default(), 200)
    );
    Problem::new("no_match", message).at("--predictions").hint("both must name the same metric, parameters and labels")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prediction::Rename;
    use crate::problem::Problems;
    use crate::roles::TableOptions;
    use crate::series::series_of;
    use crate::table::Table;

    const RUNS: &str = "p,rep,time_ms\n8,0,1000\n8,1,3000\n8,2,1100\n16,0,500\n32,0,300\n";

    fn joined(predictions: &str, runs: &str) -> Result<Joined, Problems> {
        let options = TableOptions::default();
        let predictions = Predictions::read("f.csv", predictions.as_bytes(), &Default::default(), &options)?;
        let runs = series_of(&Table::read("runs.csv", runs.as_bytes(), &Default::default())?, &options)?;
        let mut joined = join(&predictions, &runs.series)?;
        joined.warnings.splice(0..0, runs.warnings);
        Ok(joined)
    }

    #[test]
    fn labels_that_only_predictions_have_name_the_model() {
        let text = "form,p,time_s,time_low_s,time_high_s,interval_level\n\
                    a,8,1.0,0.9,1.05,0.9\nb,8,2.2,,,\na,16,0.6,0.4,0.7,0.9\na,64,0.1,,,\n";
        let joined = joined(text, RUNS).expect("points");
        let names: Vec<&str> = joined.points.iter().map(|point| point.model.as_str()).collect();
        assert_eq!(names, ["a", "b", "a"]);
        let first = &joined.points[0];
        assert_eq!((first.measured, first.covered, first.level), (1.1, Some(false), Some(0.9)));
        assert_eq!((first.runs, first.covered_runs), (3, Some(1)), "of 1.0, 3.0 and 1.1");
        assert_eq!(joined.points[1].covered, None);
        assert_eq!(joined.points[2].covered, Some(true));
        let codes: Vec<&str> = joined.warnings.iter().map(|warning| warning.code.as_str()).collect();
        assert_eq!(codes, ["repetition_outlier", "unmatched_predictions", "unmatched_runs"]);
    }

    #[test]
    fn a_document_of_predict_is_taken_too() {
        let text = r#"{"kind":"predict","version":1,"predictions":[{"group":{},"metric":"time_s","unit":"s","model":"auto",
            "at":{"p":16},"value":null,"low":null,"high":null,"level":0.9},
            {"group":{},"metric":"time_s","unit":"s","model":"auto","at":{"p":32},"value":0.3,"low":0.2,"high":0.4,"level":0.9}]}"#;
        let joined = joined(text, RUNS).expect("points");
        assert_eq!(joined.points.len(), 2);
        assert_eq!((joined.points[0].predicted, joined.points[0].error_pct), (None, None));
        assert!(joined.points[1].error_pct.expect("an error") < 1e-9);
    }

    #[test]
    fn what_cannot_be_told_apart_is_an_error() {
        let error = joined("p,time_s\n8,1\n", "p,N,time_s\n8,100,1\n8,200,2\n").expect_err("an error");
        assert!(error.to_string().contains("differ in N"), "{error}");
        let error = joined("p,N,time_s\n8,100,1\n8,200,2\n", "p,time_s\n8,1\n").expect_err("an error");
        assert!(error.to_string().contains("they differ in N (100 and 200)"), "{error}");
        let error = joined("workers,time_s\n8,1\n", "p,time_s\n8,1\n").expect_err("an error");
        assert_eq!(error.0[0].code, "no_match");
        let error = joined("p,time_s\n9,1\n", "p,time_s\n8,1\n").expect_err("an error");
        assert!(error.to_string().contains("joined on p, the first prediction is at p=9"), "{error}");
    }

    #[test]
    fn single_metrics_of_one_unit_need_not_share_a_name() {
        let joined = joined("p,speed_s\n8,1\n", RUNS).expect("points");
        assert_eq!(joined.points[0].metric, "time_ms");
    }

    #[test]
    fn a_unit_that_only_the_runs_declare_is_that_of_the_predictions() {
        let options = TableOptions::default();
        let text = "method,model,p,solve,solve_low,solve_high,interval_level,verdict,horizon\n\
                    fit,auto,8,0.5,0.4,0.6,0.9,ok,\n";
        let ours = Predictions::read("f.csv", text.as_bytes(), &Default::default(), &options).expect("read");
        let runs = b"# roles: {\"params\":[\"p\"],\"metrics\":[\"time_s\",\"solve\"],\"units\":{\"solve\":\"ms\"}}\n\
                     p,time_s,solve\n8,9,550\n";
        let runs = Table::read("runs.csv", runs, &Default::default()).expect("a table");
        let runs = series_of(&runs, &options).expect("series").series;
        let points = join(&ours, &runs).expect("points").points;
        assert_eq!((points.len(), points[0].predicted, points[0].covered), (1, Some(0.5), Some(true)));
        assert!((points[0].measured - 0.55).abs() < 1e-12, "milliseconds in the table of runs");
    }

    #[test]
    fn names_meet_in_either_direction() {
        let text = "method,model,workers,time_s,time_low_s,time_high_s,interval_level,verdict,horizon\n\
                    bsf,smooth-flat,8,1,0.9,1.3,0.9,ok,\nbsf,granular-flat,8,,,,,refused,\n";
        let options = TableOptions::default();
        let runs = Table::read("runs.csv", b"K,time_s\n8,1.25\n", &Default::default()).expect("a table");
        let runs = series_of(&runs, &options).expect("series").series;
        for rename in ["K=workers", "workers=K"] {
            let mut all = [Predictions::read("f.csv", text.as_bytes(), &Default::default(), &options).expect("read")];
            Rename::apply(&[rename.parse().expect("two names")], &mut all, &["K", "time_s"]).expect("renamed");
            let points = join(&all[0], &runs).expect("points").points;
            let names: Vec<(&str, &str)> = points.iter().map(|one| (one.method.as_str(), one.model.as_str())).collect();
            assert_eq!(names, [("bsf", "smooth-flat"), ("bsf", "granular-flat")]);
            assert_eq!((points[0].predicted, points[0].covered, points[1].predicted), (Some(1.0), Some(true), None));
        }
        let error = |rename: &str| {
            let mut all = [Predictions::read("f.csv", text.as_bytes(), &Default::default(), &options).expect("read")];
            let rename = rename.parse().expect("two names");
            Rename::apply(&[rename], &mut all, &["K", "time_s"]).expect_err("unknown").to_string()
        };
        assert!(error("K=worker").contains("did you mean workers?"), "{}", error("K=worker"));
        assert!(error("k=x").contains("the runs have neither"), "{}", error("k=x"));
    }
}

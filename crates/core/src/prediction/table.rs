//! The one table of predictions: which columns it has, and how it is written.
//!
//! ```text
//! method,model,<labels>,<parameters>,<metric>,<metric>_low,<metric>_high,..,interval_level,verdict,horizon
//! ```

use super::{Prediction, Verdict};
use crate::table::{Column, Origins, Table};
use indexmap::{IndexMap, IndexSet};
use runcast_formula::units::suffix_unit;

/// Columns of a table of predictions that are neither labels nor parameters nor metrics.
pub(crate) const KNOWN: [&str; 5] = ["method", "model", "interval_level", "verdict", "horizon"];
/// Prefix of a label or parameter with such a name, so that it can be read back.
const ESCAPE: &str = "at.";

/// The predictions as a table: one row for each method, model, group and configuration, with its metrics and their
/// bounds side by side, in the unit that the metric's name states, else in SI units. An empty cell is a refused
/// prediction, or a missing bound.
pub fn table(predictions: &[Prediction]) -> Table {
    let mut rows: IndexMap<Row, Vec<&Prediction>> = IndexMap::new();
    let (mut labels, mut parameters, mut metrics) = (IndexSet::new(), IndexSet::new(), IndexSet::new());
    for prediction in predictions {
        labels.extend(prediction.group.keys().map(String::as_str));
        parameters.extend(prediction.at.0.keys().map(String::as_str));
        metrics.insert(prediction.metric.as_str());
        rows.entry(Row::of(prediction)).or_default().push(prediction);
    }
    let rows: Vec<Vec<&Prediction>> = rows.into_values().collect();
    let number = |name: String, of: &dyn Fn(&[&Prediction]) -> Option<f64>| {
        Column::numbers(name, rows.iter().map(|row| of(row).unwrap_or(f64::NAN)).collect())
    };
    let mut columns = vec![
        Column::text("method", rows.iter().map(|row| row[0].method.as_str())),
        Column::text("model", rows.iter().map(|row| row[0].model.as_str())),
    ];
    for label in labels {
        let cells = rows.iter().map(|row| row[0].group.get(label).map_or("", String::as_str));
        columns.push(Column::text(column(label), cells));
    }
    for parameter in parameters {
        columns.push(number(column(parameter), &|row| row[0].at.get(parameter)));
    }
    for metric in metrics {
        let scale = suffix_unit(metric).map_or(1.0, |suffix| suffix.scale);
        let of = |row: &[&Prediction], value: fn(&Prediction) -> Option<f64>| {
            row.iter().find(|prediction| prediction.metric == metric).and_then(|found| value(found)).map(|v| v / scale)
        };
        columns.push(number(metric.to_owned(), &|row| of(row, |prediction| prediction.value)));
        columns.push(number(bound_name(metric, "low"), &|row| of(row, |prediction| prediction.low)));
        columns.push(number(bound_name(metric, "high"), &|row| of(row, |prediction| prediction.high)));
    }
    columns.push(number("interval_level".to_owned(), &|row| {
        row.iter().find(|prediction| prediction.has_interval()).map(|prediction| prediction.level)
    }));
    columns.push(Column::text("verdict", rows.iter().map(|row| verdict(row).name())));
    columns.push(number("horizon".to_owned(), &|row| row.iter().map(|prediction| prediction.horizon).reduce(f64::max)));
    let origins = Origins::unknown(rows.len());
    Table { columns, origins, ..Table::default() }
}

/// The key that the predictions of a row share.
#[derive(PartialEq, Eq, Hash)]
struct Row {
    names: Vec<String>,
    at: Vec<u64>,
}

impl Row {
    fn of(prediction: &Prediction) -> Self {
        let texts = prediction.group.iter().flat_map(|(label, value)| [label, value]);
        let names = [&prediction.method, &prediction.model].into_iter().chain(texts).chain(prediction.at.0.keys());
        Row {
            names: names.cloned().collect(),
            at: prediction.at.0.values().map(|value| crate::table::number::bits(*value)).collect(),
        }
    }
}

/// The worst verdict on a value of the row: refused only if there is no value.
fn verdict(row: &[&Prediction]) -> Verdict {
    let given = row.iter().map(|prediction| prediction.verdict).filter(|verdict| *verdict != Verdict::Refused);
    given.min().unwrap_or(Verdict::Refused)
}

fn is_taken(name: &str) -> bool {
    KNOWN.contains(&name) || ["rep", "key", "status"].contains(&name)
}

/// The column of a label or a parameter.
pub fn column(name: &str) -> String {
    if is_taken(name) { format!("{ESCAPE}{name}") } else { name.to_owned() }
}

/// The name of a label or parameter from that of its column.
pub(super) fn name_of(column: &str) -> &str {
    column.strip_prefix(ESCAPE).filter(|name| is_taken(name)).unwrap_or(column)
}

/// The columns of a table written row by row.
pub fn header(labels: &[String], parameters: &[String], metrics: &[&str]) -> Vec<String> {
    let with_bounds = |metric: &&str| [(*metric).to_owned(), bound_name(metric, "low"), bound_name(metric, "high")];
    let (first, last) = KNOWN.split_at(2);
    let names = first.iter().map(|name| (*name).to_owned());
    let names = names.chain(labels.iter().chain(parameters).map(|name| column(name)));
    names.chain(metrics.iter().flat_map(with_bounds)).chain(last.iter().map(|name| (*name).to_owned())).collect()
}

/// `time_s` becomes `time`; a name without a unit is unchanged.
pub fn base_name(metric: &str) -> &str {
    suffix_unit(metric).map_or(metric, |suffix| suffix.base)
}

/// The column of a bound of a metric: `time_s` with `low` is `time_low_s`.
pub fn bound_name(metric: &str, word: &str) -> String {
    let base = base_name(metric);
    format!("{base}_{word}{}", &metric[base.len()..])
}

/// The bounds of the columns of a table, by name.
pub(crate) fn bound_columns(table: &Table) -> Vec<String> {
    let names = table.columns.iter().map(|column| column.name.as_str());
    names
        .flat_map(|name| ["low", "high"].map(|word| bound_name(name, word)))
        .filter(|bound| table.column(bound).is_some())
        .collect()
}

/// Whether a table holds predictions, judged by the columns for method and verdict.
pub(crate) fn is_of_predictions(table: &Table) -> bool {
    let is_text = |name: &str| table.column(name).is_some_and(|column| column.as_numbers().is_none());
    ["method", "model", "verdict"].into_iter().all(is_text)
}

/// The columns of a table of predictions that have no role when it is read as a table of runs.
pub(crate) fn special_columns(table: &Table) -> Vec<String> {
    let is_same_everywhere = |name: &&str| {
        let cells = table.column(name).map(|column| (0..table.rows()).map(|row| column.cell(row)));
        let given = cells.map(|cells| cells.filter(|cell| !cell.is_empty()));
        given.is_some_and(|mut cells| cells.next().is_none_or(|first| cells.all(|cell| cell == first)))
    };
    let constant = KNOWN[..2].iter().copied().filter(is_same_everywhere);
    let known = KNOWN[2..].iter().copied().chain(constant).map(str::to_owned);
    known.chain(bound_columns(table)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Predictions;
    use super::*;
    use crate::configuration::Configuration;

    fn at(list: &[(&str, f64)]) -> Configuration {
        Configuration(list.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
    }

    fn csv(predictions: &[Prediction]) -> String {
        let mut bytes = Vec::new();
        table(predictions).write_csv(&mut bytes).expect("written");
        String::from_utf8(bytes).expect("UTF-8")
    }

    fn all() -> Vec<Prediction> {
        let sim = |p: f64, metric: &str, value| {
            let group = [("cpu".to_owned(), "epyc".to_owned())].into_iter().collect();
            Prediction::new("sim", "flow", metric, at(&[("p", p), ("horizon", 3.0)]), value).of_group(group)
        };
        vec![
            sim(2.0, "time_ms", Some(0.5)).within(0.9, Some(0.25), Some(1.0)),
            sim(2.0, "energy_j", Some(7.0)),
            sim(4.0, "time_ms", None),
            Prediction { verdict: Verdict::FewPoints, ..sim(8.0, "time_ms", Some(0.125)).beyond(2.0) },
        ]
    }

    #[test]
    fn metrics_of_a_configuration_share_a_row() {
        assert_eq!(
            csv(&all()),
            "method,model,cpu,p,at.horizon,time_ms,time_low_ms,time_high_ms,energy_j,energy_low_j,energy_high_j,\
             interval_level,verdict,horizon\n\
             sim,flow,epyc,2,3,500,250,1000,7,,,0.9,ok,\n\
             sim,flow,epyc,4,3,,,,,,,,refused,\n\
             sim,flow,epyc,8,3,125,,,,,,,few_points,2\n"
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let text = csv(&all());
        let read = Predictions::read("t.csv", text.as_bytes(), &Default::default(), &Default::default()).expect("read");
        for prediction in all() {
            let is = |found: &&Prediction| found.metric == prediction.metric && found.at == prediction.at;
            let found = read.list.iter().map(|predicted| &predicted.prediction).find(is).expect("there");
            assert_eq!(
                (&found.method, &found.model, &found.group),
                (&prediction.method, &prediction.model, &prediction.group)
            );
            assert_eq!((found.value, found.low, found.high), (prediction.value, prediction.low, prediction.high));
            assert_eq!((found.verdict, found.extrapolates), (prediction.verdict, prediction.extrapolates));
        }
    }
}

//! Models of several series: what each is given more than the others, and what that is worth.

use crate::outcome::Outcome;
use crate::real_runs::{LULESH_FOLDER, public_table};
use runcast_core::prediction::Prediction;
use runcast_core::roles::TableOptions;
use runcast_core::series::{Point, series_of};
use runcast_core::statistics::median;
use runcast_core::{Metric, Series};
use runcast_fit::auto::Auto;
use runcast_fit::joint::{Joint, sum::Parts, uv::Uv};
use runcast_fit::{FitOptions, Model};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Processes up to which LULESH is known, and those that are forecast.
const LULESH_KNOWN: f64 = 125.0;
const LULESH_TARGET: f64 = 343.0;

/// A model on some runs, and `auto` on the same ones from their own series.
pub struct Row {
    pub model: &'static str,
    pub what: String,
    pub own: Outcome,
    auto: Outcome,
}

/// What the models say of each data set.
///
/// # Errors
/// A file is missing or does not read.
pub fn rows(data: &Path) -> Result<Vec<Row>, String> {
    let row = |model: &'static str, what: &str, (own, auto): (Outcome, Outcome)| Row {
        model,
        what: what.to_owned(),
        own,
        auto,
    };
    let mut rows = vec![row("sum", "LULESH, whole program, p <= 125 -> 343", sums(data)?)];
    let regions = lulesh(data, "region", &["p", "s"])?;
    let of_regions = completed(&regions, |point| point.at[0] == LULESH_TARGET);
    rows.push(row("uv", "LULESH, its regions above 1 s, p = 343", of_regions));
    for (application, name) in [("castep", "CASTEP"), ("gromacs", "GROMACS")] {
        let (mut own, mut auto) = (Outcome::default(), Outcome::default());
        for (dataset, held) in strong(data, application)? {
            let (one, other) = completed(&dataset, |point| held.contains(&point.at[0].to_bits()));
            own.join(one);
            auto.join(other);
        }
        rows.push(row("uv", &format!("{name}, a row a machine, the larger half of the nodes"), (own, auto)));
    }
    Ok(rows)
}

/// The part of the page about them.
pub fn section(rows: &[Row]) -> String {
    let mut text = String::from(
        "\n## Predictors that need more than one series\n\n\
         `sum` gets the time inside MPI and the time outside it, each fitted by `auto` to p <= 125. `uv` gets a table of\n\
         programs over configurations, in which the largest runs of one program at a time are missing: those of the other\n\
         programs are there, which no other model sees. Beside each, `auto` on the same targets from the row alone.\n\n\
         | model | what is predicted | points | error | 90 % range holds | its half, as a factor | `auto`: error |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for Row { model, what, own, auto } in rows {
        let points = own.errors_pct.len() + own.failed;
        let _ = writeln!(
            text,
            "| `{model}` | {what} | {points} | {} | {} | {} |",
            own.errors(),
            own.coverage(),
            auto.errors()
        );
    }
    text.push_str(
        "\nErrors: median / largest, in %. `efficiency` has no row: no public table has its four factors beside times, and\n\
         what simulations say of it is what was put into them. A small neural network is not built: the study that tried one\n\
         needed 500 runs for 12 %, and 10,000 of another program for more than 15 %; tables here have 3 to 60 runs.\n",
    );
    text
}

/// LULESH, its time outside and inside of MPI fitted apart.
fn sums(data: &Path) -> Result<(Outcome, Outcome), String> {
    let parts: Parts = "compute_s,communication_s".parse()?;
    let (mut own, mut auto) = (Outcome::default(), Outcome::default());
    let all = lulesh(data, "", &["p"])?;
    let sizes: Vec<String> = all.iter().filter_map(|series| series.group.get("s").cloned()).collect();
    for size in sizes.iter().enumerate().filter(|(k, size)| !sizes[..*k].contains(size)).map(|(_, size)| size) {
        let of = |is: &dyn Fn(&str) -> bool| {
            all.iter().filter(|series| series.group.get("s") == Some(size) && is(&series.group["region"])).collect()
        };
        let whole: Vec<&Series> = of(&|region| region == "ELAPSED");
        let inside: Vec<&Series> =
            of(&|region| region.rsplit("->").next().is_some_and(|last| last.starts_with("MPI_")));
        let Some(whole) = whole.first() else { continue };
        let mpi = |at: &[f64], run: usize| -> f64 {
            let of = |series: &&Series| series.points.iter().find(|point| point.at == at)?.values.get(run).copied();
            inside.iter().filter_map(of).sum()
        };
        let column = |name: &str, value: &dyn Fn(&Point, usize) -> f64| {
            let points = whole.points.iter().map(|point| Point {
                values: (0..point.values.len()).map(|run| value(point, run)).collect(),
                ..point.clone()
            });
            let mut metric: Metric = whole.metric.clone();
            name.clone_into(&mut metric.name);
            Series { points: points.collect(), metric, group: Default::default(), ..Series::clone(whole) }
        };
        let columns = [
            column("compute_s", &|point, run| point.values[run] - mpi(&point.at, run)),
            column("communication_s", &|point, run| mpi(&point.at, run)),
            column("time_s", &|point, run| point.values[run]),
        ];
        let known = |series: &Series| kept(series, |point| point.at[0] <= LULESH_KNOWN);
        let joint = Joint::Sum(parts.clone()).fit(&columns.each_ref().map(known), &FitOptions::default());
        let sum = joint.into_iter().next().and_then(|(_, model)| model.ok());
        judge(&mut own, sum.as_ref(), &columns[2], |point| point.at[0] == LULESH_TARGET);
        let alone = Model::fit(&Arc::new(known(&columns[2])), &Auto, &FitOptions::default()).ok();
        judge(&mut auto, alone.as_ref(), &columns[2], |point| point.at[0] == LULESH_TARGET);
    }
    Ok((own, auto))
}

/// Rows of a table, some cells of each in turn held out.
fn completed(rows: &[Series], is_held: impl Fn(&Point) -> bool + Copy) -> (Outcome, Outcome) {
    let (mut own, mut auto) = (Outcome::default(), Outcome::default());
    for (index, row) in rows.iter().enumerate() {
        let mut table = rows.to_vec();
        table[index] = kept(row, |point| !is_held(point));
        if table[index].points.is_empty() {
            continue;
        }
        let alone = Model::fit(&Arc::new(table[index].clone()), &Auto, &FitOptions::default()).ok();
        let model = Joint::Uv(Uv::default()).fit(&table, &FitOptions::default()).swap_remove(index).1.ok();
        judge(&mut own, model.as_ref(), row, is_held);
        judge(&mut auto, alone.as_ref(), row, is_held);
    }
    (own, auto)
}

/// Forecasts of a model where `is_target` holds.
fn judge(outcome: &mut Outcome, model: Option<&Model>, runs: &Series, is_target: impl Fn(&Point) -> bool) {
    for point in runs.points.iter().filter(|point| is_target(point)) {
        let said: Option<Prediction> =
            model.and_then(|model| Some(model.predict(&runs.configuration(point), 0.9).ok()?.0));
        outcome.add(said, median(&point.values));
    }
}

fn kept(series: &Series, keep: impl Fn(&Point) -> bool) -> Series {
    Series { points: series.points.iter().filter(|point| keep(point)).cloned().collect(), ..series.clone() }
}

/// LULESH by region: those above a second on 343 processes where a row is one, else all; by the sizes that are no parameters.
fn lulesh(data: &Path, row: &str, parameters: &[&str]) -> Result<Vec<Series>, String> {
    let by: &[&str] = if row.is_empty() { &["region", "s"] } else { &["region"] };
    let mut all = series(data, LULESH_FOLDER, "time:s", parameters, by, "p > 0")?;
    if !row.is_empty() {
        all.retain(|series| {
            let largest = |point: &Point| point.at[0] == LULESH_TARGET && median(&point.values) > 1.0;
            let is_part = !["ELAPSED", "main"].contains(&series.group["region"].as_str());
            is_part && series.points.iter().filter(|point| point.at[0] == LULESH_TARGET).all(largest)
        });
    }
    Ok(all)
}

/// Machines over nodes, and the nodes (as bits) that are held out.
type DataSet = (Vec<Series>, Vec<u64>);

/// Series over nodes of each data set of an application, and the nodes that are held out.
fn strong(data: &Path, application: &str) -> Result<Vec<DataSet>, String> {
    let filter = format!("application == \"{application}\"");
    let read = |filter: &str| series(data, "strong", "time_s", &["p"], &["dataset", "series"], filter);
    let (all, held) = (read(&filter)?, read(&format!("{filter} and held == 1"))?);
    let mut datasets: Vec<&String> = all.iter().map(|series| &series.group["dataset"]).collect();
    datasets.dedup();
    let of = |dataset: &String| {
        let is = |series: &&Series| series.group["dataset"] == *dataset;
        let nodes = held.iter().filter(is).flat_map(|series| series.points.iter().map(|point| point.at[0].to_bits()));
        (all.iter().filter(is).cloned().collect(), nodes.collect())
    };
    Ok(datasets.into_iter().map(of).collect())
}

fn series(
    data: &Path,
    folder: &str,
    metric: &str,
    parameters: &[&str],
    by: &[&str],
    filter: &str,
) -> Result<Vec<Series>, String> {
    let strings = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let options = TableOptions {
        metrics: vec![metric.to_owned()],
        params: Some(strings(parameters)),
        by: Some(strings(by)),
        filters: vec![filter.to_owned()],
        ..TableOptions::default()
    };
    Ok(series_of(&public_table(data, folder)?, &options).map_err(|problems| problems.to_string())?.series)
}

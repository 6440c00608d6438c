//! `auto` on tables as their authors published them, read without an option.

use crate::outcome::Outcome;
use runcast_core::evaluation::EvaluationPoint;
use runcast_core::series::series_of;
use runcast_core::statistics::{mean, median};
use runcast_core::{Series, Table};
use runcast_fit::auto::Auto;
use runcast_fit::evaluate::{HoldOut, predict_held_out};
use runcast_fit::{FitOptions, Regression, registry};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `evaluate TABLE --hold-out top:1 --model auto` finds in one table.
pub struct Judged {
    table: String,
    pub outcome: Outcome,
}

/// Each of these tables; none where they are not there.
///
/// # Errors
/// The folder cannot be read.
pub fn judged(data: &Path) -> Result<Vec<Judged>, String> {
    Ok(tables(data)?.iter().filter_map(|path| judge(path, &Auto)).collect())
}

/// What a single model finds in all of them, each table a cluster.
///
/// # Errors
/// The folder cannot be read.
pub fn of_model(name: &str, data: &Path) -> Result<Outcome, String> {
    let mut all = Outcome::default();
    let Some(model) = registry::find(name) else { return Ok(all) };
    for judged in tables(data)?.iter().filter_map(|path| judge(path, model)) {
        all.join(judged.outcome.together());
    }
    Ok(all)
}

fn tables(data: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = data.join("wild");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = std::fs::read_dir(&folder)
        .map_err(fail)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(fail))
        .collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    Ok(paths)
}

/// The part of the page about these tables; nothing without any.
pub fn section(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Tables of strangers\n\n\
         Tables from public repositories as their authors published them, read without an option. The runs on the most\n\
         processes are held out, and `auto` forecasts every time and every rate of them: what `runcast evaluate TABLE\n\
         --hold-out top:1 --model auto` does. Tables without a column of processes, or with fewer than three counts, are not\n\
         judged; from two counts `auto` gives no range. The range was calibrated on none of them.\n\n\
         | table | forecasts | median error | 90 % range holds | its half, as a factor |\n|---|---|---|---|---|\n",
    );
    for one in judged {
        let (table, of) = (&one.table, &one.outcome);
        let errors = &of.errors_pct;
        let _ = writeln!(text, "| {table} | {} | {:.1} % | {} |", errors.len(), median(errors), of.coverage());
    }
    let of_tables = |each: fn(&Outcome) -> f64| {
        judged.iter().map(|one| each(&one.outcome)).filter(|value| value.is_finite()).collect::<Vec<f64>>()
    };
    let _ = writeln!(
        text,
        "| median of {} tables; of the shares the mean | {} | {:.1} % | {:.0} % | x{:.2} |",
        judged.len(),
        judged.iter().map(|one| one.outcome.errors_pct.len()).sum::<usize>(),
        median(&of_tables(|of| median(&of.errors_pct))),
        100.0 * mean(&of_tables(Outcome::share_covered)),
        median(&of_tables(Outcome::half_width)),
    );
    text
}

/// `None` for what is no table with processes.
fn judge(path: &Path, model: &dyn Regression) -> Option<Judged> {
    let name = path.file_name()?.to_str()?;
    let table = Table::read(name, &std::fs::read(path).ok()?, &Default::default()).ok()?;
    let set = series_of(&table, &Default::default()).ok()?;
    let points: Vec<EvaluationPoint> = set.series.into_iter().flat_map(|series| held_out(series, model)).collect();
    let mut outcome = Outcome::default();
    for point in points.iter().filter(|point| point.error_pct.is_some()) {
        outcome.take(point.predicted?, point.low.zip(point.high), point.measured);
    }
    (!outcome.errors_pct.is_empty()).then(|| Judged { table: name.replace("__", "/"), outcome })
}

/// The forecasts of the largest counts of processes of a time or a rate that was measured with three counts or more.
fn held_out(series: Series, model: &dyn Regression) -> Vec<EvaluationPoint> {
    let Some(process) = series.process_parameter else { return Vec::new() };
    let mut counts: Vec<f64> = series.points.iter().map(|point| point.at[process]).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    if counts.len() < 3 || !(series.metric.is_time() || series.metric.is_rate()) {
        return Vec::new();
    }
    let (train, test) = HoldOut::Top(1).split(series);
    predict_held_out(&Arc::new(train), &test, model, &FitOptions::default(), 0.9)
}

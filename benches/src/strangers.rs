//! `auto` on tables as their authors published them, read without an option.

use runcast_core::evaluation::EvaluationPoint;
use runcast_core::series::series_of;
use runcast_core::statistics::median;
use runcast_core::{Series, Table};
use runcast_fit::FitOptions;
use runcast_fit::auto::Auto;
use runcast_fit::evaluate::{HoldOut, predict_held_out};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// What `evaluate TABLE --hold-out top:1 --model auto` finds in one table.
struct Judged {
    table: String,
    errors_pct: Vec<f64>,
    covered: usize,
    ranges: usize,
    log_factors: Vec<f64>,
}

/// The part of the page about these tables; nothing where they are not there.
///
/// # Errors
/// The folder cannot be read.
pub fn section(data: &Path) -> Result<String, String> {
    let folder = data.join("wild");
    if !folder.is_dir() {
        return Ok(String::new());
    }
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = std::fs::read_dir(&folder)
        .map_err(fail)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(fail))
        .collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    let judged: Vec<Judged> = paths.iter().filter_map(|path| judge(path)).collect();
    let mut text = String::from(
        "\n## Tables of strangers\n\n\
         Tables from public repositories as their authors published them, read without an option. The runs on the most\n\
         processes are held out, and `auto` forecasts every time and every rate of them: what `runcast evaluate TABLE\n\
         --hold-out top:1 --model auto` does. Tables without a column of processes, or with fewer than three counts, are not\n\
         judged; from two counts `auto` gives no range. The range was calibrated on none of them.\n\n\
         | table | forecasts | median error | 90 % range holds | its half, as a factor |\n|---|---|---|---|---|\n",
    );
    for one in &judged {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} % | {} of {} | {} |",
            one.table,
            one.errors_pct.len(),
            median(&one.errors_pct),
            one.covered,
            one.ranges,
            if one.log_factors.is_empty() { "-".to_owned() } else { format!("x{:.2}", median(&one.log_factors).exp()) },
        );
    }
    let of_tables = |each: &dyn Fn(&Judged) -> Option<f64>| judged.iter().filter_map(each).collect::<Vec<f64>>();
    let shares = of_tables(&|one| (one.ranges > 0).then(|| one.covered as f64 / one.ranges as f64));
    let _ = writeln!(
        text,
        "| median of {} tables; of the shares the mean | {} | {:.1} % | {:.0} % | x{:.2} |",
        judged.len(),
        judged.iter().map(|one| one.errors_pct.len()).sum::<usize>(),
        median(&of_tables(&|one| Some(median(&one.errors_pct)))),
        100.0 * shares.iter().sum::<f64>() / shares.len() as f64,
        median(&of_tables(&|one| (!one.log_factors.is_empty()).then(|| median(&one.log_factors)))).exp(),
    );
    Ok(text)
}

/// `None` for what is no table with processes.
fn judge(path: &Path) -> Option<Judged> {
    let name = path.file_name()?.to_str()?;
    let table = Table::read(name, &std::fs::read(path).ok()?, &Default::default()).ok()?;
    let set = series_of(&table, &Default::default()).ok()?;
    let points: Vec<EvaluationPoint> = set.series.into_iter().flat_map(held_out).collect();
    let mut judged = Judged {
        table: name.replace("__", "/"),
        errors_pct: points.iter().filter_map(|point| point.error_pct).collect(),
        covered: points.iter().filter(|point| point.covered == Some(true)).count(),
        ranges: points.iter().filter(|point| point.covered.is_some()).count(),
        log_factors: Vec::new(),
    };
    judged.log_factors = points.iter().filter_map(|point| Some(0.5 * (point.high? / point.low?).ln())).collect();
    (!judged.errors_pct.is_empty()).then_some(judged)
}

/// The forecasts of the largest counts of processes of a time or a rate that was measured with three counts or more.
fn held_out(series: Series) -> Vec<EvaluationPoint> {
    let Some(process) = series.process_parameter else { return Vec::new() };
    let mut counts: Vec<f64> = series.points.iter().map(|point| point.at[process]).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    if counts.len() < 3 || !(series.metric.is_time() || series.metric.is_rate()) {
        return Vec::new();
    }
    let (train, test) = HoldOut::Top(1).split(series);
    predict_held_out(&Arc::new(train), &test, &Auto, &FitOptions::default(), 0.9)
}

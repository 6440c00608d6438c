//! `runcast evaluate`: predictions against runs.

mod saved;

pub use saved::PredictionsArgs;
pub(crate) use saved::joined;

use crate::context::Context;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::models::{self, ModelArgs};
use crate::options::paths::{InputFile, OutputFile};
use crate::options::{LevelArgs, OutArgs, PlotArgs};
use crate::output::Output;
use crate::own_ranges::{self, RangesArgs};
use crate::plots;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use rayon::prelude::*;
use runcast_core::evaluation::{EvaluationDocument, EvaluationPoint, ModelSummary, means};
use runcast_core::series::SeriesSet;
use runcast_core::{Direction, Problem, Series, Warning};
use runcast_fit::FitOptions;
use runcast_fit::evaluate::{HoldOut, points_of, predict_held_out};
use std::sync::Arc;

/// Arguments of `runcast evaluate`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct EvaluateArgs {
    /// Tables of runs, of which models see some and predict the others; documents of models and predictions
    #[arg(required_unless_present = "predictions", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tables: Vec<InputFile>,
    /// Which rows a model may see: 'p <= 64'
    #[arg(long, value_name = "EXPR", conflicts_with = "hold_out")]
    pub train: Option<String>,
    /// Which rows it must predict [default: all others]
    #[arg(long, value_name = "EXPR", requires = "train")]
    pub test: Option<String>,
    /// top:K: the K largest p of each group; factor:X: every p > largest/X [default: top:1]
    #[arg(long, value_name = "RULE", value_parser = hold_out)]
    pub hold_out: Option<HoldOut>,
    #[command(flatten)]
    pub predictions: PredictionsArgs,
    /// The runs that predictions are compared with [default: the tables]
    #[arg(long, value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub runs: Vec<InputFile>,
    /// Layout of the result: thesis is a table for each group, as papers on weak scaling print it
    #[arg(long = "layout", id = "show layout", value_name = "LAYOUT", hide_short_help = true)]
    pub layout: Option<Layout>,
    /// Mean errors by labels and parameters, such as app,p, and over all
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', hide_short_help = true)]
    pub means: Vec<String>,
    /// Show how often which error occurred
    #[arg(long = "histogram", id = "show histogram", hide_short_help = true)]
    pub histogram: bool,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,
    /// Write how the ranges did on these runs, for --ranges
    #[arg(long, value_name = "FILE.tsv", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub write_ranges: Option<OutputFile>,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// How the result is laid out for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Layout {
    /// A row a model.
    Summary,
    /// A table for each group: No, PN, PS, RE_time, RE_perf.
    Thesis,
}

pub(crate) fn hold_out(text: &str) -> Result<HoldOut, String> {
    let allowed = || "allowed are top:K and factor:X, such as top:1 or factor:2".to_owned();
    match text.split_once(':') {
        Some(("top", k)) => k.parse().ok().filter(|k| *k >= 1).map(HoldOut::Top).ok_or_else(allowed),
        Some(("factor", x)) => {
            x.parse().ok().filter(|x: &f64| *x > 1.0 && x.is_finite()).map(HoldOut::Factor).ok_or_else(allowed)
        }
        _ => Err(allowed()),
    }
}

/// Fits models to some runs and compares their predictions with the others; or compares predictions made elsewhere.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &EvaluateArgs, context: &mut Context) -> Result<Output, Failure> {
    let inputs = Inputs::of(args, context)?;
    let (mut points, mut warnings, runs) = compared(args, &inputs, context)?;
    let (scores, few) = args.ranges.read(context)?;
    warnings.extend(few);
    if let Some(scores) = &scores {
        own_ranges::apply_to_points(&mut points, &runs, scores, args.level.level);
    }
    let written = args.write_ranges.as_ref().map(|path| (path, own_ranges::written(&points)));
    if points.is_empty() {
        let problem = Problem::new("nothing_to_compare", "no run is there to compare with");
        return Err(Failure::input(problem.hint("--hold-out top:1, or --train 'p <= 64'")));
    }
    let mut document = EvaluationDocument::new(points, warnings);
    if !args.means.is_empty() {
        document.means = means(&document.points, &args.means);
        check_means(&document, &args.means)?;
    }
    let mut human = summary_text(&document, args.level.level, context);
    if args.layout == Some(Layout::Thesis) {
        human = thesis_text(&document, context) + "\n" + &human;
    }
    if !document.means.is_empty() {
        human = human + "\n" + &means_text(&document, context);
    }
    if args.histogram {
        human = human + "\n" + &histogram_text(&document, context);
    }
    let nothing = document.models.iter().all(|model| model.count == 0);
    let picture = match &args.plot.plot {
        Some(path) => Some(plots::file(path, &plots::evaluation_plot(&document))?),
        None => None,
    };
    let warnings = document.warnings.clone();
    let mut output = Output::of(document).human(human).warned(warnings).with_document_file(args.out.path());
    output.files.extend(picture);
    if let Some((path, (text, left))) = written {
        output = output.with_written(path, text);
        if left > 0 {
            let message = format!("{left} points have no range, and no score");
            output.warnings.push(Warning::new("not_scored", message));
        }
    }
    Ok(output.exit(u8::from(nothing)))
}

/// Points, warnings, and the runs that the points are of.
type Compared = (Vec<EvaluationPoint>, Vec<Warning>, Vec<SeriesSet>);

/// The files by what is in them.
struct Inputs {
    /// Tables of runs to fit, or to compare predictions with.
    tables: Vec<InputFile>,
    /// Tables of predictions, and documents.
    predictions: Vec<InputFile>,
}

impl Inputs {
    fn of(args: &EvaluateArgs, context: &mut Context) -> Result<Self, Failure> {
        let (mut tables, mut predictions) = (Vec::new(), args.predictions.predictions.clone());
        for file in &args.tables {
            let is_document = file.as_os_str() != "-" && {
                let input = context.input(file)?;
                saved::is_document(&input.object_or_start().map_err(|error| Failure::reading(file, &error))?)
            };
            if is_document { &mut predictions } else { &mut tables }.push(file.clone());
        }
        let splits = args.train.is_some() || args.hold_out.is_some();
        let problem = match (tables.is_empty(), predictions.is_empty()) {
            (true, _) if splits => Some(("there is no table of runs to fit", "TABLE")),
            (true, _) if args.runs.is_empty() => Some(("there are no runs to compare with", "--runs")),
            (_, true) if !args.runs.is_empty() => Some(("there are no predictions to compare with", "--predictions")),
            _ => None,
        };
        match problem {
            Some((message, place)) => {
                let hint = "evaluate runs.csv --predictions predictions.csv";
                Err(Problem::new("missing_option", message).at(place).hint(hint).into())
            }
            None => Ok(Inputs { tables, predictions }),
        }
    }

    /// Whether models are fitted here: where nothing else is there to be compared, or where it is asked for.
    fn fits(&self, args: &EvaluateArgs) -> bool {
        let is_asked = args.train.is_some() || args.hold_out.is_some() || args.models.names_any();
        !self.tables.is_empty() && (self.predictions.is_empty() || is_asked)
    }
}

fn compared(args: &EvaluateArgs, inputs: &Inputs, context: &mut Context) -> Result<Compared, Failure> {
    let (mut points, mut warnings, mut test) = (Vec::new(), Vec::new(), None);
    if inputs.fits(args) {
        let held_out = held_out(args, &inputs.tables, context)?;
        (points, warnings, test) = (held_out.points, held_out.warnings, Some(held_out.test));
    }
    if inputs.predictions.is_empty() {
        return Ok((points, warnings, test.into_iter().collect()));
    }
    let seen = test.clone();
    let runs = match test.filter(|_| args.runs.is_empty()) {
        Some(test) => test,
        None => {
            // Of `--runs new/*.csv` the shell makes one file of runs and many tables.
            let tables = inputs.tables.iter().filter(|_| args.runs.is_empty() || !inputs.fits(args));
            let files: Vec<InputFile> = args.runs.iter().chain(tables).cloned().collect();
            let (runs, options) = tables::read(&args.table, &files, context)?;
            let runs = tables::series(&runs, &options, context)?;
            warnings.extend(runs.warnings.iter().cloned());
            runs
        }
    };
    let found = args.predictions.read(&inputs.predictions, &runs, args.level.level, &args.table, context)?;
    for joined in joined(&found, &runs, &points)? {
        points.extend(joined.points);
        warnings.extend(joined.warnings);
    }
    Ok((points, warnings, seen.into_iter().chain([runs]).collect()))
}

/// Models of some runs beside the others.
struct HeldOut {
    points: Vec<EvaluationPoint>,
    warnings: Vec<Warning>,
    /// The runs that the models have not seen.
    test: SeriesSet,
}

fn held_out(args: &EvaluateArgs, files: &[InputFile], context: &mut Context) -> Result<HeldOut, Failure> {
    let chosen = args.models.regressions("auto")?;
    let fit_options = args.models.fit_options(&args.table);
    let (runs, mut options) = tables::read(&args.table, files, context)?;
    let runs = args.models.prepared(runs, &mut options);
    let mut with_filter = |filter: &str| {
        let mut options = options.clone();
        options.filters.push(filter.to_owned());
        tables::series(&runs, &options, context)
    };
    let (mut train, test) = match &args.train {
        Some(filter) => {
            let train = with_filter(filter)?;
            let test = match &args.test {
                Some(test) => with_filter(test)?,
                None => with_filter(&format!("not ({filter})"))?,
            };
            (train, test)
        }
        None => split(tables::series(&runs, &options, context)?, args.hold_out.unwrap_or(HoldOut::Top(1)))?,
    };
    models::keep_regime(&mut train, &args.models)?;
    let mut warnings = train.warnings.clone();
    for warning in &test.warnings {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    let unseen = test.clone();
    let level = args.level.level;
    let of_several = of_several(&chosen, &train, &test, &fit_options, level, &mut warnings)?;
    let pairs = pair(train, test, &mut warnings);
    let compared: Vec<Vec<EvaluationPoint>> = pairs
        .par_iter()
        .map(|(train, test)| {
            chosen
                .regressions
                .iter()
                .filter_map(|regression| {
                    let points = predict_held_out(train, test, *regression, &fit_options, level);
                    let applies = points.iter().any(|point| point.predicted.is_some());
                    (applies || !chosen.only_those_that_apply).then_some(points)
                })
                .flatten()
                .collect()
        })
        .collect();
    let mut points: Vec<EvaluationPoint> = compared.into_iter().flatten().collect();
    // Model by model, so that summaries come in the order in which the models were named.
    let place = |point: &EvaluationPoint| chosen.regressions.iter().position(|r| r.name() == point.model);
    points.sort_by_key(place);
    points.extend(of_several);
    Ok(HeldOut { points, warnings, test: unseen })
}

/// What models of several series say of the runs that they have not seen.
fn of_several(
    chosen: &models::Chosen,
    train: &SeriesSet,
    test: &SeriesSet,
    options: &FitOptions,
    level: f64,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<EvaluationPoint>, Failure> {
    if chosen.joint.is_empty() {
        return Ok(Vec::new());
    }
    let several = models::Chosen { regressions: Vec::new(), joint: chosen.joint.clone(), ..*chosen };
    let found = models::fit_all(train.clone(), &several, options)?;
    let mut points = Vec::new();
    for model in &found.models {
        let own = &model.series;
        let same = |series: &&Series| series.group == own.group && series.metric.name == own.metric.name;
        let judged = test.series.iter().filter(same);
        points.extend(judged.flat_map(|series| points_of(Some(model), model.fitted.model, series, level)));
    }
    warnings.extend(crate::fit::failures(&found));
    Ok(points)
}

/// Splits each series along its processes.
fn split(set: SeriesSet, rule: HoldOut) -> Result<(SeriesSet, SeriesSet), Failure> {
    let (mut train, mut test) = (set.clone(), set);
    let halves = train.series.drain(..).map(|series| rule.split(series));
    let (mut kept, held): (Vec<Series>, Vec<Series>) = halves.unzip();
    kept.retain(|series| !series.points.is_empty());
    if kept.is_empty() {
        return Err(Problem::new("nothing_to_fit", "no configuration is left to fit").at("--hold-out").into());
    }
    train.series = kept;
    test.series = held;
    Ok((train, test))
}

/// Series of the same group and metric; groups that only one side has are counted in a warning.
fn pair(train: SeriesSet, test: SeriesSet, warnings: &mut Vec<Warning>) -> Vec<(Arc<Series>, Series)> {
    let key = |series: &Series| (series.group.values().cloned().collect::<Vec<_>>(), series.metric.name.clone());
    let mut tests: std::collections::HashMap<_, Series> =
        test.series.into_iter().map(|series| (key(&series), series)).collect();
    let (mut pairs, mut alone) = (Vec::new(), 0usize);
    for series in train.series {
        match tests.remove(&key(&series)) {
            Some(test) => pairs.push((Arc::new(series), test)),
            None => alone += 1,
        }
    }
    alone += tests.len();
    if alone > 0 {
        warnings.push(Warning::new(
            "unmatched",
            format!(
                "{} have runs on one side of the split only and were left out",
                human::count(alone, "series", "series")
            ),
        ));
    }
    pairs
}

fn summary_text(document: &EvaluationDocument, level: f64, context: &Context) -> String {
    let several = document.models.iter().any(|model| model.method != document.models[0].method);
    let table = Table::new()
        .text("method")
        .text("model")
        .number("points")
        .number("failed")
        .number("median error")
        .number("mean");
    let table = table.number("p90").number("max").number("SMAPE").number("log error").number("bias");
    let mut table = table.number("covered").number("interval");
    for model in &document.models {
        let factor =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("x{}", human::significant(value, 3)));
        table.row([
            if several { model.method.clone() } else { String::new() },
            model.model.clone(),
            model.count.to_string(),
            model.failed.to_string(),
            human::percent(model.median_error_pct),
            human::percent(model.mean_error_pct),
            human::percent(model.p90_error_pct),
            human::percent(model.max_error_pct),
            human::percent(model.smape_pct),
            human::percent(model.mean_re_log_pct),
            factor(model.bias_factor),
            model.coverage_pct.map_or(String::new(), |value| human::percent(Some(value))),
            factor(model.interval_factor),
        ]);
    }
    let mut text = table.render(context.screen);
    let level_pct = human::significant(100.0 * level, 4);
    text.push_str(&format!(
        "\nerror: |predicted - measured| / measured; covered: medians of runs inside the {level_pct} % range, whose half is the factor \"interval\"\n",
    ));
    let several = document.models.len() > 1;
    for model in document.models.iter().filter(|model| model.runs > 0) {
        let name = if several { format!("{}: ", model.model) } else { String::new() };
        text.push_str(&format!("{name}{}\n", coverage_text(model, level)));
    }
    text
}

/// `5 of 9 runs in the 90 % range (56 %; between 21 and 86 %), 2 of 3 medians`
fn coverage_text(model: &ModelSummary, level: f64) -> String {
    let whole = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
    let (low, high) = (model.runs_coverage_low_pct, model.runs_coverage_high_pct);
    let level_pct = 100.0 * level;
    let verdict = match (low, high) {
        (_, Some(high)) if high < level_pct => ": ranges are too narrow",
        (Some(low), _) if low > level_pct => ": ranges are too wide",
        _ => "",
    };
    format!(
        "{} of {} runs in the {} % range ({} %; between {} and {} %), {} of {} medians{verdict}",
        model.covered_runs,
        model.runs,
        human::significant(level_pct, 4),
        whole(model.runs_coverage_pct),
        whole(low),
        whole(high),
        model.covered,
        model.count.saturating_sub(model.no_range),
    )
}

/// For each group and model: No, PN, PS (a column for each size), RE_time or RE_perf.
fn thesis_text(document: &EvaluationDocument, context: &Context) -> String {
    let mut text = String::new();
    let mut groups: indexmap::IndexMap<(String, String), Vec<&EvaluationPoint>> = indexmap::IndexMap::new();
    for point in &document.points {
        let name = runcast_core::configuration::group_name(&point.group);
        groups.entry((name, point.model.clone())).or_default().push(point);
    }
    for ((group, model), points) in groups {
        // One row a configuration; the errors of its time and of its rate side by side.
        let mut rows: Vec<(&EvaluationPoint, Option<f64>, Option<f64>)> = Vec::new();
        for point in points {
            let higher = evaluation_direction(point) == Direction::Higher;
            let (time, rate) = if higher { (None, point.error_pct) } else { (point.error_pct, None) };
            match rows.iter_mut().find(|(other, ..)| other.at == point.at) {
                Some(row) => (row.1, row.2) = (row.1.or(time), row.2.or(rate)),
                None => rows.push((point, time, rate)),
            }
        }
        let sizes: Vec<String> =
            rows.first().map_or(Vec::new(), |(point, ..)| point.at.0.keys().skip(1).cloned().collect());
        let mut table = Table::new().number("No").number("PN");
        for size in &sizes {
            table = table.number(if sizes.len() == 1 { "PS".to_owned() } else { size.clone() });
        }
        let mut table = table.number("RE_time, %").number("RE_perf, %");
        for (index, (point, time, rate)) in rows.iter().enumerate() {
            let mut row = vec![(index + 1).to_string()];
            row.extend(point.at.0.values().map(|value| human::parameter(*value)));
            let percent = |value: &Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
            row.extend([percent(time), percent(rate)]);
            table.row(row);
        }
        let title = if group.is_empty() { model } else { format!("{group}, {model}") };
        text.push_str(&format!("{title}\n{}\n", table.render(context.screen)));
    }
    text
}

/// Each name must be one of the points.
fn check_means(document: &EvaluationDocument, names: &[String]) -> Result<(), Problem> {
    let is_known = |name: &&String| document.means.iter().any(|one| one.by.contains_key(*name));
    let Some(name) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let point = document.points.first();
    let labels = point.into_iter().flat_map(|point| point.group.keys());
    let known: Vec<&str> =
        labels.chain(point.into_iter().flat_map(|point| point.at.0.keys())).map(String::as_str).collect();
    let problem = Problem::new("unknown_column", format!("no point has {name}")).at("--means");
    Err(problem.value(name.as_str()).one_of(name, known))
}

fn means_text(document: &EvaluationDocument, context: &Context) -> String {
    let table = Table::new().text("model").text("by").text("metric").number("errors").number("mean");
    let mut table = table.number("median").number("largest");
    for one in &document.means {
        let told = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
            Some(label) => format!("{name}={label}"),
            None => format!("{name}={value}"),
        };
        let by: Vec<String> = one.by.iter().map(told).collect();
        table.row([
            one.model.clone(),
            if by.is_empty() { "all".to_owned() } else { by.join(", ") },
            one.metric.clone().unwrap_or_else(|| "together".to_owned()),
            one.count.to_string(),
            human::percent(Some(one.mean_error_pct)),
            human::percent(Some(one.median_error_pct)),
            human::percent(Some(one.max_error_pct)),
        ]);
    }
    table.render(context.screen)
}

fn evaluation_direction(point: &EvaluationPoint) -> Direction {
    runcast_core::Metric::from_name(&point.metric).map_or(Direction::Lower, |metric| metric.direction)
}

fn histogram_text(document: &EvaluationDocument, context: &Context) -> String {
    let mut table = Table::new().text("model").text("error").number("runs").text("");
    for bin in &document.histogram {
        let range = match bin.to_pct {
            Some(to) => format!("{} to {} %", bin.from_pct, to),
            None => format!("above {} %", bin.from_pct),
        };
        table.row([bin.model.clone(), range, bin.count.to_string(), "#".repeat(bin.count.min(60))]);
    }
    table.render(context.screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_says_between_what_it_lies() {
        let model = ModelSummary {
            count: 3,
            covered: 2,
            runs: 9,
            covered_runs: 5,
            runs_coverage_pct: Some(500.0 / 9.0),
            runs_coverage_low_pct: Some(21.2),
            runs_coverage_high_pct: Some(86.3),
            ..ModelSummary::default()
        };
        let text = "5 of 9 runs in the 90 % range (56 %; between 21 and 86 %), 2 of 3 medians: ranges are too narrow";
        assert_eq!(coverage_text(&model, 0.9), text);
        assert!(coverage_text(&model, 0.8).ends_with("medians"));
    }
}

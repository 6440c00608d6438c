//! The public real runs on which forecasts are judged: what a model may see, and what it must predict.

use runcast_core::roles::TableOptions;
use runcast_core::series::{Aggregate, series_of};
use runcast_core::{Configuration, Point, Series, Table, statistics};
use runcast_fit::auto::calibration::Score;
use runcast_fit::auto::line::Line;
use runcast_fit::sample::Sample;
use runcast_fit::{FitOptions, Model, Regression, ranges, registry};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A line of the accuracy table.
pub struct Set {
    /// Its name in the table.
    pub name: &'static str,
    /// The application it is from; whoever tunes leaves whole applications out.
    pub application: &'static str,
    /// One per series.
    pub cases: Vec<Case>,
    /// The same runs with a problem size of their own, for the models that want one (`mokrov`, `barnes-*`); none where
    /// `cases` has it already.
    pub sized: Option<Vec<Case>>,
    /// Terms that an expert on the application would give to `formula`, and their unknowns.
    pub formula: (&'static str, &'static [&'static str]),
    /// All runs, none held out, where the range of `auto` learns from them.
    pub whole: Vec<Series>,
}

impl Set {
    /// The cases for a model.
    pub fn cases_for(&self, model: &str) -> &[Case] {
        match &self.sized {
            Some(sized) if model == "mokrov" || model.starts_with("barnes") => sized,
            _ => &self.cases,
        }
    }
}

/// A series to learn from, and runs that a model has not seen.
pub struct Case {
    /// What a model may see.
    pub train: Arc<Series>,
    /// Held-out configurations with the median of their repetitions.
    pub targets: Vec<(Configuration, f64)>,
}

/// How a line of the table comes about.
struct Recipe {
    name: &'static str,
    application: &'static str,
    folder: &'static str,
    metric: &'static str,
    params: &'static [&'static str],
    by: &'static [&'static str],
    filters: &'static [&'static str],
    train: &'static str,
    test: &'static str,
    keep: fn(&[Series]) -> Vec<String>,
    /// Parameters and groups with a problem size.
    sized: Option<(&'static [&'static str], &'static [&'static str])>,
    formula: (&'static str, &'static [&'static str]),
    /// Whether the range of `auto` learns from it: each run once.
    calibrates: bool,
}

/// The time step shrinks with the edge of the whole problem, and so steps grow as p^(1/3).
const LULESH: (&str, &[&str]) = ("a + b*p^(1/3)", &["a", "b"]);
/// A tree over the processes, and something that each does with all.
const TREE_AND_LINE: (&str, &[&str]) = ("a + b*log2(p) + c*p", &["a", "b", "c"]);
/// Amdahl's law.
const AMDAHL: (&str, &[&str]) = ("a + b/p", &["a", "b"]);
/// A tree over the nodes.
const TREE: (&str, &[&str]) = ("a + b*log2(p)", &["a", "b"]);

fn all_regions(series: &[Series]) -> Vec<String> {
    let mut regions: Vec<String> = series.iter().map(|series| region(series).to_owned()).collect();
    regions.dedup();
    regions
}

fn region(series: &Series) -> &str {
    series.group.get("region").map_or("", String::as_str)
}

/// The 12 regions that take longest on 125 processes.
fn twelve_largest(series: &[Series]) -> Vec<String> {
    let mut times: Vec<(f64, String)> = series
        .iter()
        .filter(|series| !["ELAPSED", "main"].contains(&region(series)))
        .filter_map(|series| {
            let point = series.points.iter().find(|point| point.at[0] == 125.0)?;
            Some((statistics::median(&point.values), region(series).to_owned()))
        })
        .collect();
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    times.into_iter().take(12).map(|(_, region)| region).collect()
}

/// The regions, the whole program aside, whose times are all positive and mostly above a millisecond.
fn above_a_millisecond(series: &[Series]) -> Vec<String> {
    let mut kept = all_regions(series);
    kept.sort();
    kept.dedup();
    kept.retain(|name| {
        let values: Vec<f64> = series
            .iter()
            .filter(|series| region(series) == name)
            .flat_map(|series| series.points.iter().flat_map(|point| point.values.iter().copied()))
            .collect();
        name != "main()" && values.iter().all(|value| *value > 0.0) && statistics::median(&values) > 1e-3
    });
    kept
}

/// Runs of LULESH.
pub const LULESH_FOLDER: &str = "lulesh_quartz_grid";

/// LULESH, its whole program.
const LULESH_RUNS: Recipe = Recipe {
    name: "LULESH, whole program, p <= 125 -> 343",
    application: "lulesh",
    folder: LULESH_FOLDER,
    metric: "time:s",
    params: &["p", "N"],
    by: &["region", "s"],
    filters: &["region == \"ELAPSED\""],
    train: "p <= 125",
    test: "p == 343",
    keep: all_regions,
    sized: None,
    formula: LULESH,
    calibrates: true,
};
/// RELeARN, its whole program.
const RELEARN_RUNS: Recipe = Recipe {
    name: "RELeARN, whole program, p <= 256 -> 512",
    application: "relearn",
    folder: "relearn_grid",
    by: &["region", "n"],
    filters: &["region == \"main()\""],
    train: "p <= 256",
    test: "p == 512",
    formula: TREE_AND_LINE,
    ..LULESH_RUNS
};
/// Strong scaling of CASTEP.
const CASTEP_RUNS: Recipe = Recipe {
    name: "CASTEP, strong scaling, 13 series",
    application: "castep",
    folder: "strong",
    metric: "time_s",
    params: &["p"],
    by: &["dataset", "series"],
    filters: &["application == \"castep\""],
    train: "held == 0",
    test: "held == 1",
    keep: |_| vec![String::new()],
    sized: None,
    formula: AMDAHL,
    calibrates: true,
};
/// SPARTA, without the wrong run.
const SPARTA_RUNS: Recipe = Recipe {
    name: "SPARTA, <= 64 -> 128..2048 nodes",
    application: "sparta",
    folder: "sparta_crossroads_weak",
    metric: "time:s",
    params: &["p"],
    by: &["region"],
    filters: &["anomalous == 0"],
    train: "p <= 64",
    test: "p > 64",
    keep: all_regions,
    sized: Some((&["p", "N"], &["region"])),
    formula: TREE,
    calibrates: true,
};

const RECIPES: [Recipe; 12] = [
    LULESH_RUNS,
    Recipe {
        name: "LULESH, its 12 largest regions, p <= 125 -> 343",
        filters: &["s == 30"],
        keep: twelve_largest,
        ..LULESH_RUNS
    },
    RELEARN_RUNS,
    Recipe {
        name: "RELeARN, its 8 regions above 1 ms, p <= 256 -> 512",
        filters: &[],
        keep: above_a_millisecond,
        sized: Some((&["p", "n"], &["region"])),
        ..RELEARN_RUNS
    },
    Recipe {
        name: "MPI collectives, p <= 256 -> 512",
        application: "mpi",
        folder: "mpi_collectives",
        metric: "time_median_us",
        params: &["p"],
        by: &["region", "mpi", "collective"],
        filters: &[],
        ..RELEARN_RUNS
    },
    SPARTA_RUNS,
    Recipe {
        name: "SPARTA with one wrong run, <= 128 -> 256..2048 nodes",
        filters: &[],
        train: "p <= 128",
        test: "p > 128",
        calibrates: false,
        ..SPARTA_RUNS
    },
    Recipe {
        name: "LULESH, whole program, as one grid of p and s",
        params: &["p", "s"],
        by: &["region"],
        calibrates: false,
        ..LULESH_RUNS
    },
    Recipe {
        name: "RELeARN, whole program, as one grid of p and n",
        params: &["p", "n"],
        by: &["region"],
        calibrates: false,
        ..RELEARN_RUNS
    },
    CASTEP_RUNS,
    Recipe {
        name: "GROMACS, strong scaling, 10 series",
        application: "gromacs",
        filters: &["application == \"gromacs\""],
        ..CASTEP_RUNS
    },
    Recipe {
        name: "Castro, strong scaling, three data sets",
        application: "castro",
        filters: &["application != \"castep\" and application != \"gromacs\""],
        by: &["application", "dataset", "series"],
        ..CASTEP_RUNS
    },
];

/// The folder of the public data: `RUNCAST_DATA`, or `../shared/data` beside the checkout. `None` when it is not there.
pub fn data_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("RUNCAST_DATA").map_or(beside, PathBuf::from);
    folder.join("fit").is_dir().then_some(folder)
}

/// All lines of the table.
///
/// # Errors
/// A message when a file is missing or does not read.
pub fn sets(data: &Path) -> Result<Vec<Set>, String> {
    RECIPES.iter().map(|recipe| set(data, recipe)).collect()
}

/// A table of the public data.
///
/// # Errors
/// The file is missing or does not read.
pub fn public_table(data: &Path, folder: &str) -> Result<Table, String> {
    let path = data.join("fit").join(folder).join("tidy.csv");
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Table::read(&path.display().to_string(), &bytes, &Default::default()).map_err(|problems| problems.to_string())
}

fn set(data: &Path, recipe: &Recipe) -> Result<Set, String> {
    let table = public_table(data, recipe.folder)?;
    let cases = cases(&table, recipe, recipe.params, recipe.by)?;
    let sized = match recipe.sized {
        Some((params, by)) => Some(self::cases(&table, recipe, params, by)?),
        None => None,
    };
    let whole = if recipe.calibrates { whole(&table, recipe)? } else { Vec::new() };
    Ok(Set { name: recipe.name, application: recipe.application, cases, sized, formula: recipe.formula, whole })
}

impl Recipe {
    /// The runs of a table as series over some parameters, grouped by some labels, all or those where `filter` holds.
    fn series(&self, table: &Table, params: &[&str], by: &[&str], filter: Option<&str>) -> Result<Vec<Series>, String> {
        let strings = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        let mut filters = strings(self.filters);
        filters.extend(filter.map(str::to_owned));
        let options = TableOptions {
            metrics: vec![self.metric.to_owned()],
            params: Some(strings(params)),
            by: Some(strings(by)),
            filters,
            ..TableOptions::default()
        };
        let mut series = series_of(table, &options).map_err(|problems| problems.to_string())?.series;
        if self.application == "sparta" && params.len() > 1 {
            series.iter_mut().for_each(one_size_per_process_count);
        }
        Ok(series)
    }
}

/// All runs, none held out.
fn whole(table: &Table, recipe: &Recipe) -> Result<Vec<Series>, String> {
    let mut all = recipe.series(table, recipe.params, recipe.by, None)?;
    let keep = (recipe.keep)(&all);
    all.retain(|series| keep.iter().any(|name| name == region(series)));
    Ok(all)
}

fn cases(table: &Table, recipe: &Recipe, params: &[&str], by: &[&str]) -> Result<Vec<Case>, String> {
    let series = |params: &[&str], by: &[&str], filter| recipe.series(table, params, by, filter);
    let keep = (recipe.keep)(&series(recipe.params, recipe.by, None)?);
    let test = series(params, by, Some(recipe.test))?;
    let cases = series(params, by, Some(recipe.train))?
        .into_iter()
        .filter(|train| keep.iter().any(|name| name == region(train)))
        .map(|train| {
            let targets = test
                .iter()
                .filter(|series| series.group == train.group)
                .flat_map(|series| {
                    let measured = series.aggregated(Aggregate::Median);
                    series
                        .points
                        .iter()
                        .zip(measured)
                        .map(|(point, y)| (series.configuration(point), y))
                        .collect::<Vec<_>>()
                })
                .collect();
            Case { train: Arc::new(train), targets }
        })
        .collect();
    Ok(cases)
}

/// The number of particles differs a little from run to run: each process count gets their median.
fn one_size_per_process_count(series: &mut Series) {
    let mut merged: Vec<Point> = Vec::new();
    let mut sizes: Vec<Vec<f64>> = Vec::new();
    for point in &series.points {
        let runs = point.values.len();
        match merged.iter().position(|other| other.at[0] == point.at[0]) {
            Some(index) => {
                merged[index].values.extend(&point.values);
                merged[index].lines.extend(&point.lines);
                sizes[index].extend(std::iter::repeat_n(point.at[1], runs));
            }
            None => {
                merged.push(point.clone());
                sizes.push(vec![point.at[1]; runs]);
            }
        }
    }
    for (point, sizes) in merged.iter_mut().zip(&sizes) {
        point.at[1] = statistics::median(sizes);
    }
    series.points = merged;
}

/// How far beyond the runs a target is when its error is scored.
const BEYOND: std::ops::RangeInclusive<f64> = 1.4..=70.0;

/// A held-out run of a calibration.
pub struct Scored {
    pub score: Score,
    /// What the score is a multiple of.
    pub scale: f64,
}

/// The calibration scores of `auto`: from every prefix of at least three configurations of every series, every later
/// configuration 1.4 to 70 times beyond.
pub fn calibration_scores(sets: &[Set]) -> Vec<Scored> {
    let mut scores = Vec::new();
    for set in sets {
        for series in set.whole.iter().flat_map(lines) {
            scores.extend(scores_of(&series, set.application));
        }
    }
    scores
}

fn scores_of(series: &Series, application: &str) -> Vec<Scored> {
    let options = FitOptions::default();
    let mut points = series.points.clone();
    points.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
    let whole = Series { points, ..series.clone() };
    let truth = whole.aggregated(Aggregate::Median);
    let mut scores = Vec::new();
    for count in 3..whole.points.len() {
        let prefix = Series { points: whole.points[..count].to_vec(), ..whole.clone() };
        let Ok(line) = Line::fit(&Sample::new(&prefix, Aggregate::Median, &options), &options) else { continue };
        let last = prefix.points[count - 1].at[0];
        for (point, measured) in whole.points.iter().zip(&truth).skip(count) {
            let x = point.at[0];
            if let Some((scale, class)) = line.scale(x).filter(|_| BEYOND.contains(&(x / last))) {
                let score = (measured / line.forecast(x)).ln() / scale;
                scores.push(Scored { score: Score { class, application: application.to_owned(), score }, scale });
            }
        }
    }
    scores
}

/// The lines of a grid along its first parameter; a series along one parameter as it is.
pub(crate) fn lines(series: &Series) -> Vec<Series> {
    let dimensions = Sample::new(series, Aggregate::Median, &FitOptions::default()).dimensions;
    let mut lines: Vec<(Vec<f64>, Series)> = Vec::new();
    for point in &series.points {
        let others: Vec<f64> = dimensions[1..].iter().map(|d| point.at[*d]).collect();
        match lines.iter_mut().find(|(held, _)| *held == others) {
            Some((_, line)) => line.points.push(point.clone()),
            None => lines.push((others, Series { points: vec![point.clone()], ..series.clone() })),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// A held-out run of a single model.
pub struct ModelScore {
    pub model: &'static str,
    pub application: &'static str,
    /// What the model claims.
    pub scale: f64,
    /// `ln(measured/predicted)`, of a rate of the reciprocal.
    pub error: f64,
}

/// The scores of the single models, of the same prefixes and runs as those of `auto`.
pub fn model_scores(sets: &[Set]) -> Vec<ModelScore> {
    let others = ["auto", "auto1"];
    let models = registry::MODELS.iter().filter(|model| !others.contains(&model.name()));
    let mut scores = Vec::new();
    for (regression, set) in models.flat_map(|model| sets.iter().map(move |set| (*model, set))) {
        for series in set.whole.iter().flat_map(lines) {
            scores.extend(scores_of_model(&series, regression, set.application));
        }
    }
    scores
}

fn scores_of_model(series: &Series, regression: &dyn Regression, application: &'static str) -> Vec<ModelScore> {
    let name = regression.name();
    let aggregate = name.starts_with("barnes").then(|| "best".to_owned());
    let options = FitOptions { aggregate, free_signs: name == "ka-strong", ..FitOptions::default() };
    let mut points = series.points.clone();
    points.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
    let whole = Series { points, ..series.clone() };
    let truth = whole.aggregated(Aggregate::Median);
    let sign = if series.metric.is_rate() { -1.0 } else { 1.0 };
    let mut scores = Vec::new();
    for count in 3..whole.points.len() {
        let prefix = Arc::new(Series { points: whole.points[..count].to_vec(), ..whole.clone() });
        let Ok(model) = Model::fit(&prefix, regression, &options) else { continue };
        let last = prefix.points[count - 1].at[0];
        let later =
            whole.points.iter().zip(&truth).skip(count).filter(|(point, _)| BEYOND.contains(&(point.at[0] / last)));
        for (point, measured) in later {
            let prediction = model.predict(&whole.configuration(point), 0.9).ok().map(|(prediction, _)| prediction);
            let Some((value, prediction)) = prediction.and_then(|it| Some((it.value?, it))) else { continue };
            let spread = model.fitted.predictor.predict(&point.at).spread;
            let scale = ranges::scale(spread, prediction.horizon.ln());
            scores.push(ModelScore { model: name, application, scale, error: sign * (measured / value).ln() });
        }
    }
    scores
}

/// A line for each model and application.
pub fn ranges_file(scores: &[ModelScore]) -> String {
    let mut text = String::from(
        "# model, application and ln(measured/value) / s of held-out real runs, ascending: see ranges.rs\n\
         # made by: cargo run --release -p runcast-benches --bin accuracy -- --calibrate\n",
    );
    let mut lines: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for score in scores.iter().filter(|score| score.error.is_finite()) {
        lines.entry((score.model, score.application)).or_default().push(score.error / score.scale);
    }
    for ((model, application), mut scores) in lines {
        scores.sort_by(f64::total_cmp);
        let words: Vec<String> = scores.iter().map(|score| format!("{score:.3}")).collect();
        let _ = writeln!(text, "{model} {application} {}", words.join(" "));
    }
    text
}

//! Models from tables, and models that were saved: what `fit`, `predict`, `evaluate` and `advise` share.

mod columns;
pub mod piecewise;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::options::word;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueEnum};
use runcast_core::model::{FailedSeries, ModelDocument, ModelEntry, TableSummary};
use runcast_core::series::SeriesSet;
use runcast_core::{Metric, Problem, Problems, Series, Warning};
use runcast_fit::joint::sum::Parts;
use runcast_fit::joint::uv::{self, Uv};
use runcast_fit::joint::{self, Joint, efficiency};
use runcast_fit::terms::PmnfTerms;
use runcast_fit::{FitOptions, Model, NoFit, Regression, Robust, document, registry};
use std::path::Path;
use std::str::FromStr;

/// Which models to fit, and how.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Models")]
pub struct ModelArgs {
    /// Models to fit, or all (those that apply); see the list below
    #[arg(long = "model", alias = "models", value_name = "NAME,..", value_delimiter = ',')]
    pub model: Vec<String>,
    /// Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    #[arg(long, value_name = "EXPR", requires = "unknown")]
    pub formula: Option<String>,
    /// Names of the unknown coefficients of --formula
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', requires = "formula")]
    pub unknown: Vec<String>,
    /// Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    #[arg(long = "sum", id = "set sum", value_name = "COL,..", value_parser = Parts::from_str, hide_short_help = true)]
    pub sum: Option<Parts>,
    /// The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    #[arg(long = "uv", id = "set uv", value_name = "TABLE", value_parser = Uv::from_str, hide_short_help = true)]
    pub uv: Option<Uv>,
    /// Signs of the coefficients of formula and ka-* [default: nonneg]
    #[arg(long = "signs", id = "set signs", value_name = "SIGNS", hide_short_help = true)]
    pub signs: Option<SignsArg>,
    /// How many times less each smaller run counts [default: 1; power: 4]
    #[arg(long = "recency", id = "set recency", value_name = "R", value_parser = crate::options::positive, hide_short_help = true)]
    pub recency: Option<f64>,
    /// Loss that outliers do not rule [default: none]
    #[arg(long = "loss", alias = "robust", value_name = "LOSS", value_parser = word::<Robust>())]
    pub robust: Option<Robust>,
    /// Try negative powers too, whatever the series (pmnf)
    #[arg(long = "negative", id = "set negative", hide_short_help = true)]
    pub negative: bool,
    /// Count sizes in this unit (mokrov) [default: 1]
    #[arg(long = "size-unit", id = "set size-unit", value_name = "U", value_parser = crate::options::positive, hide_short_help = true)]
    pub size_unit: Option<f64>,
    /// Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    #[arg(long = "metric-unit", id = "set metric-unit", value_name = "UNIT", value_parser = metric_unit, hide_short_help = true)]
    pub metric_unit: Option<f64>,
    /// Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    #[arg(long = "terms", id = "set terms", value_name = "I;J", value_parser = PmnfTerms::from_str, hide_short_help = true)]
    pub terms: Option<PmnfTerms>,
    /// Drop a column within this share of the others' span (weak) [default: 3%]
    #[arg(long = "collinear-tol", id = "set collinear-tol", value_name = "SHARE", value_parser = crate::options::share, hide_short_help = true)]
    pub collinear_tol: Option<f64>,
    /// Leave out runs on fewer processes
    #[arg(long, value_name = "P", value_parser = crate::options::positive, hide_short_help = true)]
    pub min_p: Option<f64>,
    /// Ranks on a node: runs inside one node are another regime
    #[arg(long, value_name = "R", value_parser = crate::options::positive, hide_short_help = true)]
    pub ranks_per_node: Option<f64>,
    /// What to do with runs inside one node [default: warn]
    #[arg(long, value_name = "WHAT", requires = "ranks_per_node", hide_short_help = true)]
    pub regime: Option<RegimeArg>,
}

/// Signs of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SignsArg {
    /// Any sign.
    Free,
    /// At least zero.
    Nonneg,
}

/// What to do with runs of another regime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RegimeArg {
    /// Keep them and warn.
    Warn,
    /// Leave them out.
    Drop,
}

/// A unit of a metric (`gflops`, `mteps`), or a number of SI units.
fn metric_unit(text: &str) -> Result<f64, String> {
    let millions = text.strip_prefix('m').filter(|rest| *rest == "teps").map(|_| 1e6);
    let named = Metric::from_name(&format!("x_{}", text.to_ascii_lowercase())).map(|metric| metric.scale);
    match millions.or(named) {
        Some(scale) => Ok(scale),
        None => crate::options::positive(text)
            .map_err(|_| "a unit such as gflops or mteps is allowed, or a number above 0".to_owned()),
    }
}

impl ModelArgs {
    /// The options of the fit.
    pub fn fit_options(&self, table: &TableArgs) -> FitOptions {
        let mut options = FitOptions {
            aggregate: table.aggregate.clone(),
            recency: self.recency,
            robust: self.robust.unwrap_or_default(),
            negative: self.negative,
            free_signs: self.signs == Some(SignsArg::Free),
            formula: self.formula.clone(),
            unknown: self.unknown.clone(),
            ..FitOptions::default()
        };
        options.metric_unit = self.metric_unit;
        options.terms.clone_from(&self.terms);
        options.size_unit = self.size_unit.unwrap_or(options.size_unit);
        options.collinear_tolerance = self.collinear_tol.unwrap_or(options.collinear_tolerance);
        options
    }

    /// The models that were named; `default` where none was.
    ///
    /// # Errors
    /// A name that is none, with the list of names.
    pub fn regressions(&self, default: &str) -> Result<Chosen, Failure> {
        let mut names: Vec<&str> = self.model.iter().map(String::as_str).collect();
        let mut joint: Vec<Joint> = self.sum.iter().cloned().map(Joint::Sum).collect();
        if self.uv.is_some() || names.contains(&uv::NAME) {
            joint.push(Joint::Uv(self.uv.clone().unwrap_or_default()));
        }
        if names.contains(&efficiency::NAME) {
            joint.push(Joint::Efficiency);
        }
        names.retain(|name| joint::NAMED.iter().all(|(known, _)| known != name));
        if names.is_empty() && self.formula.is_none() && joint.is_empty() {
            names.push(default);
        }
        // Whoever gives terms wants them fitted, beside whatever else is named.
        if self.formula.is_some() && !names.contains(&"formula") && names != ["all"] {
            names.push("formula");
        }
        if names == ["all"] {
            let mut regressions = registry::MODELS.to_vec();
            if self.formula.is_some() {
                regressions.push(&registry::USER_FORMULA);
            }
            return Ok(Chosen { regressions, joint, only_those_that_apply: true });
        }
        let regressions = names
            .iter()
            .map(|name| {
                registry::find(name).ok_or_else(|| {
                    Problem::new("unknown_model", format!("\"{name}\" is not a model"))
                        .at("--model")
                        .value(*name)
                        .one_of(name, all_names().chain(["all"]).collect::<Vec<_>>())
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if regressions.iter().any(|regression| regression.name() == "formula") && self.formula.is_none() {
            let problem = Problem::new("missing_option", "the model formula needs its terms").at("--model");
            return Err(problem.hint("--formula 'a*p + b*N^3/p + c' --unknown a,b,c").into());
        }
        Ok(Chosen { regressions, joint, only_those_that_apply: false })
    }
}

/// Names of all models that `--model` chooses.
fn all_names() -> impl Iterator<Item = &'static str> {
    registry::names().chain(joint::NAMED.iter().map(|(name, _)| *name))
}

/// The models to fit.
pub struct Chosen {
    /// The models of one series.
    pub regressions: Vec<&'static dyn Regression>,
    /// Those of several.
    pub joint: Vec<Joint>,
    /// `all`: models that do not suit a series are no failures.
    pub only_those_that_apply: bool,
}

/// Models, and series for which there is none.
pub type Models = Fits<Model>;

/// What was made of the models of each series, and series for which there is none.
pub struct Fits<T> {
    /// One for each model, series by series.
    pub models: Vec<T>,
    /// Series without a model.
    pub failed: Vec<FailedSeries>,
    /// What concerns the whole.
    pub warnings: Vec<Warning>,
    /// What was read.
    pub summary: TableSummary,
}

/// The series of some tables, runs of another regime seen to.
///
/// # Errors
/// What is wrong with the files or the options.
pub fn series(
    files: &[InputFile],
    table: &TableArgs,
    models: &ModelArgs,
    context: &mut Context,
) -> Result<SeriesSet, Failure> {
    let (runs, mut options) = tables::read(table, files, context)?;
    let runs = models.prepared(runs, &mut options);
    let mut set = tables::series(&runs, &options, context)?;
    keep_regime(&mut set, models)?;
    Ok(set)
}

/// Leaves out runs below `--min-p`, and runs inside one node or a warning about them.
///
/// # Errors
/// The options speak of processes, and no parameter counts them.
pub fn keep_regime(set: &mut SeriesSet, args: &ModelArgs) -> Result<(), Failure> {
    let least = match (args.ranks_per_node, args.regime) {
        (Some(ranks), Some(RegimeArg::Drop)) => Some((ranks, "--ranks-per-node")),
        _ => None,
    };
    let option = args.min_p.map(|_| "--min-p").or(args.ranks_per_node.map(|_| "--ranks-per-node"));
    let mut mixed = 0;
    for series in &mut set.series {
        let Some(p) = series.process_parameter else {
            let Some(option) = option else { continue };
            let problem = Problem::new("no_processes", "no parameter counts processes").at(option);
            return Err(problem.hint("name it: --process-param NAME").into());
        };
        if let Some(min_p) = args.min_p {
            series.points.retain(|point| point.at[p] >= min_p);
        }
        if let Some((ranks, _)) = least {
            series.points.retain(|point| point.at[p] > ranks);
        } else if let Some(ranks) = args.ranks_per_node {
            let inside = series.points.iter().filter(|point| point.at[p] <= ranks).count();
            if inside > 0 && inside < series.points.len() {
                mixed += 1;
                series.warnings.push(Warning::new(
                    "mixed_regime",
                    format!("{inside} of {} configurations run inside one node, where communication costs less; --regime drop leaves them out", series.points.len()),
                ));
            }
        }
    }
    set.series.retain(|series| !series.points.is_empty());
    if set.series.is_empty() {
        return Err(Problem::new("no_runs", "no run is left").at(option.unwrap_or("--where")).into());
    }
    if mixed > 0 {
        set.warnings.push(Warning::new(
            "mixed_regime",
            format!(
                "{mixed} series mix runs inside one node with runs across nodes; --regime drop leaves the former out"
            ),
        ));
    }
    Ok(())
}

/// Fits every chosen model to every series, in parallel; the order of the result is that of the series.
///
/// # Errors
/// As [`fit_each`].
pub fn fit_all(set: SeriesSet, chosen: &Chosen, options: &FitOptions) -> Result<Models, Failure> {
    fit_each(set, chosen, options, |model| model)
}

/// As [`fit_all`], but keeps of each model only what `keep` makes of it.
///
/// # Errors
/// Input that no model of the kind asked for can take, such as a negative number of processes.
pub fn fit_each<T: Send>(
    set: SeriesSet,
    chosen: &Chosen,
    options: &FitOptions,
    keep: impl Fn(Model) -> T + Sync,
) -> Result<Fits<T>, Failure> {
    let outcome = |series: &Series, name: &str, fit: Result<Model, NoFit>| match fit {
        Ok(model) => Some(Ok(keep(model))),
        // With `all`, a model that does not suit the shape of a series is no failure; a bad value is.
        Err(NoFit::Unsuitable(_)) if chosen.only_those_that_apply => None,
        Err(reason) => Some(Err((document::failure_of(series, name, &reason), reason))),
    };
    let of_several = chosen.joint.iter().flat_map(|joint| {
        joint.fit(&set.series, options).into_iter().map(|(series, fit)| outcome(&series, joint.name(), fit))
    });
    let of_several: Vec<_> = of_several.collect();
    let fits = runcast_fit::fit_each(set.series, &chosen.regressions, options, |series, regression, fit| {
        outcome(series, regression.name(), fit)
    });
    let (mut models, mut failed, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for fit in fits.into_iter().chain(of_several).flatten() {
        match fit {
            Ok(model) => models.push(model),
            Err((failure, reason)) => {
                if reason.is_input_error() {
                    wrong.push(problem_of(&failure, &set.summary));
                }
                failed.push(failure);
            }
        }
    }
    if !wrong.is_empty() && !chosen.only_those_that_apply {
        wrong.dedup();
        wrong.truncate(20);
        return Err(Problems(wrong).into());
    }
    Ok(Fits { models, failed, warnings: set.warnings, summary: set.summary })
}

fn problem_of(failure: &FailedSeries, summary: &TableSummary) -> Problem {
    let mut problem = Problem::new("unsuitable_input", failure.reason.clone());
    if let (Some(line), [file]) = (failure.line, summary.files.as_slice()) {
        problem = problem.in_file(file.clone()).at_line(line);
    }
    problem
}

/// Models that were saved, or models fitted to tables: whichever the files hold.
///
/// # Errors
/// What is wrong with the files.
pub fn load_or_fit(
    files: &[InputFile],
    table: &TableArgs,
    args: &ModelArgs,
    default: &str,
    context: &mut Context,
) -> Result<Models, Failure> {
    let mut contents = Vec::with_capacity(files.len());
    for file in files {
        contents.push((tables::name_of(file), context.input(file)?));
    }
    let saved: Vec<Option<ModelDocument>> = contents
        .iter()
        .map(|(name, input)| {
            let bytes = input.object_or_start().map_err(|error| Failure::reading(Path::new(name), &error))?;
            saved_models(name, &bytes)
        })
        .collect::<Result<_, Failure>>()?;
    if saved.iter().all(Option::is_none) {
        let runs = tables::read_contents(&contents, &table.read_options())?;
        let mut options = table.table_options();
        let runs = args.prepared(runs, &mut options);
        let mut set = tables::series(&runs, &options, context)?;
        keep_regime(&mut set, args)?;
        return fit_all(set, &args.regressions(default)?, &args.fit_options(table));
    }
    let mut loaded =
        Models { models: Vec::new(), failed: Vec::new(), warnings: Vec::new(), summary: TableSummary::default() };
    let (mut problems, mut found) = (Vec::new(), Vec::new());
    for ((name, _), document) in contents.iter().zip(saved) {
        let Some(document) = document else {
            let problem = Problem::new("mixed_input", "a table beside saved models").in_file(name.clone());
            return Err(problem.hint("give either tables or models").into());
        };
        loaded.failed.extend(document.failed);
        loaded.warnings.extend(document.warnings);
        loaded.summary.files.push(name.clone());
        for (index, entry) in document.models.iter().enumerate() {
            found.push(entry.model.clone());
            if !args.model.is_empty() && !args.model.contains(&entry.model) && args.model != ["all"] {
                continue;
            }
            match reload(entry) {
                Ok(model) => loaded.models.push(model),
                Err(problem) => problems.push(problem.in_file(name.clone()).at(format!("/models/{index}"))),
            }
        }
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    if loaded.models.is_empty() {
        found.sort();
        found.dedup();
        let problem = Problem::new("no_model", "no such model in the file").at("--model").value(args.model.join(","));
        return Err(problem.allowed(found.join(", ")).into());
    }
    Ok(loaded)
}

/// A saved model, whichever method wrote it.
///
/// # Errors
/// A [`Problem`] when the document holds no runs, an unknown model, or contradicts itself.
pub fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    if runcast_call::piecewise::is_of_llac(&entry.model) { piecewise::reload(entry) } else { document::reload(entry) }
}

/// The piecewise model of `llac` behind a model, if it is one.
pub fn piecewise_of(model: &Model) -> Option<&runcast_call::piecewise::Piecewise> {
    piecewise::of(model)
}

/// Models that were saved; none when the file is something else.
///
/// # Errors
/// What is wrong with the document.
pub fn saved(name: &str, bytes: &[u8]) -> Result<Option<Vec<Model>>, Failure> {
    let Some(document) = saved_models(name, bytes)? else { return Ok(None) };
    let models =
        document.models.iter().enumerate().map(|(index, entry)| {
            reload(entry).map_err(|problem| problem.in_file(name).at(format!("/models/{index}")))
        });
    Ok(Some(models.collect::<Result<_, Problem>>()?))
}

/// The models of a document of `runcast fit` (or `llac`); none when the file is something else.
///
/// # Errors
/// A document of that kind whose fields are wrong.
pub fn saved_models(name: &str, bytes: &[u8]) -> Result<Option<ModelDocument>, Failure> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    if bytes.get(start) != Some(&b'{') {
        return Ok(None);
    }
    #[derive(serde::Deserialize)]
    struct Kind {
        kind: Option<String>,
        version: Option<u64>,
    }
    let Ok(kind) = serde_json::from_slice::<Kind>(bytes) else { return Ok(None) };
    if !matches!(kind.kind.as_deref(), Some("fit" | "llac")) {
        return Ok(None);
    }
    // Models of llac with regimes make it the second version.
    let newest = if kind.kind.as_deref() == Some("llac") { 2 } else { 1 };
    if !kind.version.is_some_and(|version| (1..=newest).contains(&version)) {
        let seen = kind.version.map_or("none".to_owned(), |version| version.to_string());
        let problem = Problem::new("version", "a version of the document that this program does not know");
        return Err(problem
            .in_file(name)
            .at("/version")
            .value(seen)
            .allowed(if newest == 1 { "1" } else { "1, 2" })
            .into());
    }
    serde_json::from_slice(bytes).map(Some).map_err(|error| {
        Problem::new("bad_document", error.to_string())
            .in_file(name)
            .at_line(error.line() as u64)
            .at_column(error.column() as u64)
            .into()
    })
}

/// The list of models for the end of `--help`.
pub fn list() -> String {
    let mut text = String::from("Models:\n");
    let of_one = registry::names().map(|name| (name, registry::find(name).map_or("", |model| model.summary())));
    for (name, summary) in of_one.chain(joint::NAMED) {
        text.push_str(&format!("  {name:<17} {summary}\n"));
    }
    text
}

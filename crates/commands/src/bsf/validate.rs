//! `runcast bsf validate`: predicted against measured times over workers.

mod choice;
mod curves;
mod document;
mod page;
mod places;
mod rows;
mod runs;
mod saved;
mod text;
mod times;
mod warnings;

pub use runs::RunsArgs;

use super::predict::FormArg;
use crate::answer::{self, Outputs};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputFile};
use crate::options::word;
use crate::options::{LevelArgs, OutArgs, PlotArgs, SeedArgs};
use crate::output::Output;
use crate::own_ranges::RangesArgs;
use crate::tables::{self, FormatArgs};
use clap::{Args, ValueEnum, ValueHint};
use runcast_bsf::cost::Collective;
use runcast_bsf::fit::Loss;
use runcast_core::{Problem, Table};
use runcast_formula::numbers::NumberList;

/// Arguments of `runcast bsf validate`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::BSF_VALIDATE)]
pub struct ValidateArgs {
    /// Tables of times over workers, as bsf run --timings writes them
    #[arg(required_unless_present = "run", conflicts_with = "run", value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub tables: Vec<InputFile>,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub choice: RowArgs,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub runs: RunsArgs,
    #[command(flatten)]
    pub output: ResultArgs,
}

/// What is held against the measured times.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ModelArgs {
    /// Predict from the costs in FILE, as bsf predict does
    #[arg(long = "costs", alias = "params", value_name = "FILE", conflicts_with_all = ["fit", "train", "loss"], value_hint = ValueHint::FilePath)]
    pub params: Option<InputFile>,
    /// Fit the cost model to the measured times
    #[arg(long)]
    pub fit: bool,
    /// Which rows to fit, such as 'workers <= 100'; the others are the test [default: all]
    #[arg(long, value_name = "EXPR")]
    pub train: Option<String>,
    /// How the work of a block is counted; auto weighs forms by what they predict [default: auto, with smooth, and
    /// granular where the list is known, beside it]
    #[arg(long, value_name = "FORM,..", value_delimiter = ',')]
    pub form: Vec<FormArg>,
    /// How messages travel: flat, tree; auto weighs both [default: auto, and as the table says, else flat]
    #[arg(long, value_name = "HOW,..", value_delimiter = ',')]
    pub collective: Vec<CollectiveArg>,
    /// What is made least: l2, the squares of relative errors, or l1, which outliers do not move
    #[arg(long, value_name = "LOSS", default_value = "l2", value_parser = word::<Loss>())]
    pub loss: Loss,
    /// Length of the list, where the table has no column list_length
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u64).range(1..=runcast_bsf::cost::MOST_ELEMENTS), hide_short_help = true)]
    pub list_length: Option<u64>,
    /// Numbers of workers to predict beside those of the table: 1,2,4 or powers:2; of --run: those to run with
    /// [default: powers of 2 up to the cores]
    #[arg(long, value_name = "LIST")]
    pub workers: Option<NumberList>,
    /// Draws of uncertain costs, for the intervals
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub draws: u32,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,
}

/// How messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollectiveArg {
    /// From the master to each worker, one by one
    Flat,
    /// Along a binomial tree
    Tree,
    /// Both, weighed by what they predict
    Auto,
}

impl ModelArgs {
    /// The collectives that were named.
    pub(super) fn collectives(&self) -> Vec<Collective> {
        let named = |arg: &CollectiveArg| match arg {
            CollectiveArg::Flat => Some(Collective::Flat),
            CollectiveArg::Tree => Some(Collective::Tree),
            CollectiveArg::Auto => None,
        };
        self.collective.iter().filter_map(named).collect()
    }
}

/// Which rows and columns of the table count.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Table")]
pub struct RowArgs {
    /// The column with the times [default: time_s]
    #[arg(long, value_name = "NAME[:UNIT]")]
    pub metric: Option<String>,
    /// The parameter that counts processes [default: workers]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub process_param: Option<String>,
    /// Take only rows for which this holds: 'app == "rnd400-0"'
    #[arg(long = "where", value_name = "EXPR")]
    pub filters: Vec<String>,
    /// Leave out repetitions that lie far from the others
    #[arg(long, hide_short_help = true)]
    pub drop_outliers: bool,
}

/// Where results go.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Write a page with the curves, their picture and all points
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub report: Option<OutputFile>,
    #[command(flatten)]
    pub out: OutArgs,
}

/// Holds predictions, or fits to some of the rows, against measured times.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &ValidateArgs, context: &mut Context) -> Result<Output, Failure> {
    if let Some(program) = &args.runs.run {
        return runs::run(args, program, context);
    }
    args.runs.check_unused()?;
    let metrics: Vec<String> = args.choice.metric.iter().cloned().collect();
    let table = tables::read_files(&args.tables, &args.format.read_options(&metrics), context)?;
    validated(&table, &args.model, &args.choice, &args.output, context)
}

/// As [`run`], for a table that is there already, such as one of runs that were just made.
///
/// # Errors
/// What is wrong with the table and the options.
pub fn validated(
    table: &Table,
    model: &ModelArgs,
    choice: &RowArgs,
    output: &ResultArgs,
    context: &mut Context,
) -> Result<Output, Failure> {
    check(model)?;
    let times = times::Times::of(table, choice, &times::Split::of(model), model.list_length, context)?;
    let found = curves::Found::of(&times, model, context)?;
    let ResultArgs { plot, report, out } = output;
    let mut document = document::Document::of(&times, &found);
    let few = model.ranges.widen(context, |with| document.widen(with))?;
    document.warnings.extend(few);
    let drawn = plot.plot.is_some() || report.is_some();
    let validation = page::validation(&times, &found, &document, drawn);
    let page = report.as_ref().map(|path| (path, page::page(&times, &found, &validation, context).to_html()));
    let answer =
        document::Validated { summary: text::summary(&times, found.source, found.list_length), document, validation };
    let saved = out.path().filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let saved = saved.map(|path| saved::text(&found, &times).map(|text| (path, text))).transpose()?;
    let to = Outputs { table: out.path().filter(|_| saved.is_none()), plot: plot.plot.as_deref() };
    let mut result = answer::give(answer, to, context.screen)?;
    if let Some((path, html)) = page {
        result = result.with_written(path, html);
    }
    if let Some((path, text)) = saved {
        result = result.with_written(path, text);
    }
    Ok(result)
}

/// Something is held against the times.
fn check(model: &ModelArgs) -> Result<(), Failure> {
    if model.fit || model.params.is_some() {
        return Ok(());
    }
    let problem = match &model.train {
        Some(train) => Problem::new("missing_option", "nothing is fitted").at("--train").value(train.as_str()),
        None => Problem::new("missing_option", "nothing is there to be held against the times"),
    };
    Err(problem.allowed("--fit, --costs FILE").into())
}

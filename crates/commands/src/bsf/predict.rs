//! `runcast bsf predict`: time, speedup and the scalability boundary of an algorithm that need not exist yet.

mod curve;
mod document;
mod fitted;
mod keys;
mod picture;
mod pieces;
mod point;
mod sizes;
mod words;
mod workers;

pub use document::Document;
pub use keys::CostKeys;

use crate::answer::{self, Outputs};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::options::word;
use crate::options::{LevelArgs, OutArgs, PlotArgs, SeedArgs};
use crate::output::Output;
use crate::own_ranges::RangesArgs;
use crate::tables;
use clap::{Args, ValueEnum, ValueHint};
use runcast_bsf::cost::file::CostSpec;
use runcast_bsf::cost::{Collective, Form};
use runcast_core::{Problem, Problems};
use runcast_formula::numbers::NumberList;

/// Arguments of `runcast bsf predict`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::BSF_PREDICT)]
pub struct PredictArgs {
    /// The costs, as TOML; options go before what it says
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub file: Option<InputFile>,
    #[command(flatten)]
    pub costs: CostKeys,
    /// Worker counts to show: 1,2,4 or range:1..64:1 [default: powers of 2 up to twice the boundary]
    #[arg(long, value_name = "LIST", help_heading = None::<&str>, value_parser = workers::list)]
    pub workers: Option<NumberList>,
    /// How the work of a block counts [default: smooth,granular]
    #[arg(long, value_name = "FORM,..", help_heading = None::<&str>, value_delimiter = ',')]
    pub form: Vec<FormArg>,
    /// How messages travel [default: both]
    #[arg(long, value_name = "HOW", help_heading = None::<&str>, value_delimiter = ',', value_parser = word::<Collective>())]
    pub collective: Vec<Collective>,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,
    /// Draws of uncertain inputs, for the intervals
    #[arg(long, value_name = "N", help_heading = None::<&str>, default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub draws: u32,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// How the work of a block counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// Evenly: W/K
    Smooth,
    /// Evenly, one fold less: W/K - t_a
    Exact,
    /// By the largest block: ceil(l/K) W/l
    Granular,
    /// All of these
    All,
    /// The default of the command; of a fit: weighed by what they predict
    Auto,
}

/// Predicts.
///
/// # Errors
/// What is wrong with the file and the options.
pub fn run(args: &PredictArgs, context: &mut Context) -> Result<Output, Failure> {
    if let Some(pieces) = pieces::read(args, context)? {
        return pieces::run(&pieces, args, context);
    }
    if let Some(auto) = fitted::read(args, context)? {
        return fitted::run(&auto, args, context);
    }
    let mut spec = spec(args, context)?;
    if let Some(sizes) = sizes::listed(args)? {
        return sizes::run(args, &mut spec, &sizes, context);
    }
    let described = spec.resolve()?;
    let draws = described.model.draws(args.draws as usize, args.seed.seed);
    let wanted = curve::Wanted {
        costs: described.model.costs(),
        draws: draws.as_ref(),
        level: args.level.level,
        workers: args.workers.as_ref(),
    };
    let curves = args.curves().into_iter().map(|(form, collective)| wanted.curve(form, collective));
    let curves = curves.collect::<Result<Vec<_>, _>>()?;
    let mut document = Document::new(&described, draws, args, curves);
    let points = document.curves.iter_mut().map(|curve| &mut curve.points);
    document.warnings.extend(point::widened(points, args, context)?);
    answer::give(document, Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() }, context.screen)
}

/// What a file holds that needs no costs beside it; none if it is of another kind.
///
/// # Errors
/// What is wrong with the file; options that it does not use.
fn complete<T>(
    args: &PredictArgs,
    context: &mut Context,
    what: &str,
    read: impl FnOnce(&str, &str) -> Result<Option<T>, Problems>,
) -> Result<Option<T>, Failure> {
    let Some(path) = &args.file else { return Ok(None) };
    let name = tables::name_of(path);
    let Some(found) = read(&name, &context.read_text(path)?)? else { return Ok(None) };
    match args.costs.values.first() {
        Some((key, text)) => {
            let problem = Problem::new("unused", format!("{what} not use it; {name} has all it needs"));
            Err(problem.at(format!("--{}", key.replace('_', "-"))).value(text.as_str()).into())
        }
        None => Ok(Some(found)),
    }
}

fn spec(args: &PredictArgs, context: &mut Context) -> Result<CostSpec, Failure> {
    let mut spec = match &args.file {
        Some(file) => CostSpec::from_toml(&tables::name_of(file), &context.read_text(file)?)?,
        None => CostSpec::default(),
    };
    let problems: Vec<_> = args.costs.values.iter().filter_map(|(key, text)| spec.set(key, text).err()).collect();
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    Ok(spec)
}

impl PredictArgs {
    /// The curves that are asked for, flat ones first.
    fn curves(&self) -> Vec<(Form, Collective)> {
        let forms = Form::ALL.into_iter().filter(|form| self.wants_form(*form));
        let forms: Vec<Form> = forms.collect();
        let collectives = Collective::ALL.into_iter().filter(|collective| self.wants_collective(*collective));
        collectives.flat_map(|collective| forms.iter().map(move |&form| (form, collective))).collect()
    }

    fn wants_form(&self, form: Form) -> bool {
        let arg = match form {
            Form::Smooth => FormArg::Smooth,
            Form::Exact => FormArg::Exact,
            Form::Granular => FormArg::Granular,
        };
        let is_default = (self.form.is_empty() || self.form.contains(&FormArg::Auto)) && form != Form::Exact;
        is_default || self.form.contains(&arg) || self.form.contains(&FormArg::All)
    }

    fn wants_collective(&self, collective: Collective) -> bool {
        self.collective.is_empty() || self.collective.contains(&collective)
    }
}

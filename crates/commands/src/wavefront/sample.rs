//! `runcast wavefront sample`: times of updates and messages on this machine, and whether they suit the model.

mod check;
mod document;
mod files;
mod measure;
mod operator;
mod options;
mod origin;
mod picture;
mod ranks;
mod rounds;
mod text;
mod turns;
mod warnings;

pub use options::SampleArgs;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::plots;
use document::Document;
use origin::Origin;
use runcast_core::Warning;
use runcast_wavefront::level::{Choice, Observed, observed};
use runcast_wavefront::model::{Degree, Semantics, Work};
use runcast_wavefront::sample::modes::Modes;
use runcast_wavefront::sample::pilot::Pilot;
use runcast_wavefront::sample::{Diagnostics, Samples, Series, Subject};

/// What the documents, files and texts need to know.
struct Sampled<'a> {
    args: &'a SampleArgs,
    origin: Origin,
    samples: Samples,
    series: Vec<Series>,
    diagnostics: Diagnostics,
    hints: Vec<Warning>,
    /// Modes that were looked for and found.
    modes: Option<Modes>,
    warnings: Vec<Warning>,
    /// A slowdown that the processes share, where the samples show it; without what modes explain.
    level: Option<Observed>,
    /// Whether the model gets it.
    writes_level: bool,
    /// What the real loop says of the updates.
    pilot: Option<Pilot>,
    /// By how much the spread of a run is larger than that of independent times, the level aside.
    sigma_factor: f64,
    /// The busy work of an update.
    work: Option<Work>,
    /// The degree of the loop, where it was told.
    degree: Option<Degree>,
    semantics: Semantics,
    /// What the windows speak for: modes, a level, both or nothing.
    choice: Option<Choice>,
}

impl Sampled<'_> {
    fn level(&self) -> Option<&Observed> {
        self.level.as_ref()
    }
}

/// The level in the updates of all processes, in so many windows.
fn level_of(series: &[Series], windows: Option<usize>) -> Option<Observed> {
    let processes: Vec<&Series> = series.iter().filter(|one| matches!(one.subject, Subject::Process(_))).collect();
    observed(&processes, windows)
}

/// Measures, or looks at a table of samples.
///
/// # Errors
/// The options or the table are wrong, a rank is lost, or a stop was asked for before anything was measured.
pub fn run(args: &SampleArgs, context: &mut Context) -> Result<Output, Failure> {
    args.check()?;
    match &args.check {
        Some(table) => output(check::read(args, table, context)?, context),
        None if args.is_mpi() => ranks::run(args, context),
        None => {
            let measured = measure::on_threads(args, context)?;
            output(measured, context)
        }
    }
}

fn output(sampled: Sampled<'_>, context: &Context) -> Result<Output, Failure> {
    let args = sampled.args;
    let document = Document::of(&sampled);
    let model = files::model(&sampled)?;
    let mut output = Output::of(crate::document::value_of(&document)?)
        .human(text::text(&sampled, &document, context.screen))
        .warned(sampled.warnings.iter().cloned())
        .exit(u8::from(sampled.origin.is_interrupted()));
    for hint in &sampled.hints {
        output = output.noted(&hint.message);
    }
    if let Some(path) = &args.out {
        output = output.with_file(Some(path), sampled.samples.to_csv());
    }
    output = output.with_file(args.write_model.as_deref(), model.unwrap_or_default());
    if let Some(path) = &args.plot.plot {
        output.files.push(plots::file(path, &picture::plot(&sampled))?);
    }
    Ok(files::noted(output, args))
}

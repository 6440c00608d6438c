//! What a forecasting command has found, and the one way from there to documents, tables, pictures and exit codes.

use crate::context::Screen;
use crate::document::Document;
use crate::failure::Failure;
use crate::output::Output;
use crate::plots;
use runcast_core::prediction::{Prediction, Verdict, table};
use runcast_core::{Problem, Warning};
use runcast_report::plot::Plot;
use serde::Serialize;
use std::path::Path;

/// What a forecasting command has found. Serialized, it is the document of `--json`.
pub trait Answer: Serialize + Send + Sync + 'static {
    /// Every prediction, with the names of the method and the model.
    fn predictions(&self) -> Vec<Prediction>;

    /// The result for people.
    fn text(&self, screen: Screen) -> String;

    /// What concerns the result.
    fn warnings(&self) -> Vec<Warning>;

    /// What `--plot` draws.
    ///
    /// # Errors
    /// There is nothing to draw.
    fn plot(&self) -> Result<Plot, Failure> {
        Err(Problem::new("nothing_to_draw", "there is nothing to draw").at("--plot").into())
    }
}

/// Where an answer goes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outputs<'a> {
    /// The table of predictions; a name that ends in `.json` is given the document.
    pub table: Option<&'a Path>,
    /// The picture.
    pub plot: Option<&'a Path>,
}

/// The output of a command whose answer this is.
///
/// # Errors
/// The picture cannot be drawn.
pub fn give(answer: impl Answer, to: Outputs<'_>, screen: Screen) -> Result<Output, Failure> {
    let predictions = answer.predictions();
    let mut output = Output { human: answer.text(screen), warnings: answer.warnings(), ..Output::default() };
    if let Some(path) = to.plot {
        output.files.push(plots::file(path, &answer.plot()?)?);
    }
    output.document = Some(Document::new(answer));
    if to.table.is_some_and(|path| path.extension().is_some_and(|extension| extension == "json")) {
        output = output.with_document_file(to.table);
    } else {
        output = output.with_file(to.table, csv(&predictions)?);
        output.warnings.extend(no_interval(&predictions).filter(|_| to.table.is_some()));
    }
    for path in [to.table, to.plot].into_iter().flatten().filter(|path| path.as_os_str() != "-") {
        output = output.noted(format!("wrote {}", path.display()));
    }
    if !predictions.is_empty() && predictions.iter().all(|prediction| prediction.verdict == Verdict::Refused) {
        output.problems.push(Problem::new("all_refused", "none of the predictions could be given"));
        output.exit = 1;
    }
    Ok(output)
}

/// The table of predictions as CSV.
///
/// # Errors
/// It cannot be written, which is a bug of runcast.
pub fn csv(predictions: &[Prediction]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let written = table(predictions).write_csv(&mut bytes);
    written.map_err(|error| Failure::undone(Problem::new("internal", error.to_string())))?;
    Ok(bytes)
}

/// What is to be said of predictions that come without any range.
fn no_interval(predictions: &[Prediction]) -> Option<Warning> {
    let is_bare = |prediction: &Prediction| prediction.value.is_some() && !prediction.has_interval();
    let bare = predictions.iter().filter(|prediction| is_bare(prediction)).count();
    let message = match bare {
        0 => return None,
        _ if bare == predictions.len() => {
            "the predictions have no ranges: they say nothing of their uncertainty".to_owned()
        }
        _ => format!("{bare} of {} predictions have no range", predictions.len()),
    };
    Some(Warning::new("no_interval", message))
}

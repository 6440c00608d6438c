//! The files of a comparison, by what is in them.

use super::CompareArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::kinds::{Kind, recognize};
use crate::models;
use crate::options::paths::InputFile;
use crate::tables;
use runcast_core::Problem;
use runcast_core::prediction::Predictions;
use runcast_fit::Model;
use serde_json::Value;
use std::path::PathBuf;

/// Something that forecasts.
pub(super) struct Input {
    /// What it is called in the answer.
    pub name: String,
    pub file: PathBuf,
    pub says: Said,
}

/// How it is asked.
pub(super) enum Said {
    /// It holds what it says.
    Predictions(Predictions),
    Models(Vec<Model>),
    /// By the command that reads such a file.
    Command(Kind),
}

impl Input {
    /// Whether an option means it: by its name, its file, or the file's name.
    pub(super) fn is(&self, name: &str) -> bool {
        let file = self.file.to_string_lossy();
        let last = self.file.file_name().map(|last| last.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        [self.name.as_str(), &file, &last, &stem].contains(&name)
    }
}

/// Tables of runs, and everything else.
pub(super) fn read(args: &CompareArgs, context: &mut Context) -> Result<(Vec<InputFile>, Vec<Input>), Failure> {
    let (mut tables, mut files) = (Vec::new(), args.predictions.clone());
    for file in &args.files {
        let is_table = file.as_os_str() == "-" || {
            let (kind, forecasts) = kind_of(file, context)?;
            let is_other =
                matches!(kind, Kind::Model | Kind::Result | Kind::Bsf | Kind::Bsp | Kind::Wavefront | Kind::Experiment);
            !is_other && !forecasts
        };
        if is_table { &mut tables } else { &mut files }.push(file.clone());
    }
    let mut inputs: Vec<Input> = Vec::new();
    for file in files {
        let (name, bytes) = (tables::name_of(&file), context.read(&file)?);
        let says = said(args, &name, &bytes)?;
        let stem = file.file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
        if inputs.iter().any(|known| known.file.as_path() == &*file) {
            let problem = Problem::new("repeated", "this input is given twice").at("--predictions");
            return Err(problem.value(name).into());
        }
        let is_taken = inputs.iter().any(|known| known.name == stem);
        inputs.push(Input { name: if is_taken { name } else { stem }, file: file.to_path_buf(), says });
    }
    for given in &args.name {
        let Some(index) = inputs.iter().position(|known| known.is(&given.input)) else {
            return Err(unknown("--name", &given.input, &inputs).into());
        };
        inputs[index].name.clone_from(&given.text);
    }
    for (index, input) in inputs.iter().enumerate() {
        if inputs[..index].iter().any(|other| other.name == input.name) {
            let problem = Problem::new("repeated", format!("two inputs are called {}", input.name)).at("--name");
            return Err(problem.hint("--name FILE=TEXT calls one of them something else").into());
        }
    }
    Ok((tables, inputs))
}

/// What a file is, and whether it is a table of predictions.
fn kind_of(file: &InputFile, context: &mut Context) -> Result<(Kind, bool), Failure> {
    let head = context.input(file)?;
    let start = head.object_or_start().map_err(|error| Failure::reading(file, &error))?;
    let kind = recognize(&file.to_string_lossy(), &start);
    Ok((kind, kind == Kind::Table && has_columns_of_predictions(&start)))
}

/// Whether files of this kind are fitted or loaded, and nothing else is needed to ask them.
pub(super) fn is_table_or_models(file: &InputFile, context: &mut Context) -> Result<bool, Failure> {
    if file.as_os_str() == "-" {
        return Ok(true);
    }
    let (kind, forecasts) = kind_of(file, context)?;
    let is_asked = matches!(kind, Kind::Result | Kind::Bsf | Kind::Bsp | Kind::Wavefront | Kind::Experiment);
    Ok(!is_asked && !forecasts)
}

/// Whether the header of CSV names what only tables of predictions have.
fn has_columns_of_predictions(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let header = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let columns: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    ["method", "model", "verdict"].iter().all(|name| columns.contains(name))
}

pub(super) fn unknown(option: &str, name: &str, inputs: &[Input]) -> Problem {
    let known: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
    Problem::new("unknown_input", format!("no input is called {name}")).at(option).value(name).one_of(name, known)
}

fn said(args: &CompareArgs, name: &str, bytes: &[u8]) -> Result<Said, Failure> {
    if let Some(models) = models::saved(name, bytes)? {
        return Ok(Said::Models(models));
    }
    let kind = recognize(name, bytes);
    if matches!(kind, Kind::Bsf | Kind::Bsp | Kind::Wavefront | Kind::Experiment) {
        return Ok(Said::Command(kind));
    }
    if let Some(predictions) = of_curves(name, bytes) {
        return Ok(Said::Predictions(predictions));
    }
    let unreadable = [Kind::System, Kind::Hardware, Kind::Formulas, Kind::Plan, Kind::Report, Kind::Application];
    if unreadable.contains(&kind) {
        let problem =
            Problem::new("no_forecast", format!("this is a file of kind {}, which forecasts nothing", kind.word()));
        let allowed = "predictions, models, costs of bsf, programs of bsp, models of wavefront, experiments of sim";
        return Err(problem.in_file(name).allowed(allowed).into());
    }
    let read = Predictions::read(name, bytes, &args.table.read_options(), &args.table.table_options())?;
    Ok(Said::Predictions(read))
}

/// The curves of a document of `bsf predict`.
fn of_curves(name: &str, bytes: &[u8]) -> Option<Predictions> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let document: Value = serde_json::from_slice(bytes).ok()?;
    if document["kind"] != "bsf-predict" {
        return None;
    }
    let level = document["level"].as_f64().unwrap_or(f64::NAN);
    let mut list = Vec::new();
    for curve in document["curves"].as_array()? {
        let model = format!("{}-{}", curve["form"].as_str()?, curve["collective"].as_str()?);
        for point in curve["points"].as_array()? {
            let at = [("workers".to_owned(), point["workers"].as_f64()?)].into_iter().collect();
            let at = runcast_core::Configuration(at);
            let prediction =
                runcast_core::prediction::Prediction::new("bsf", &model, "time_s", at, point["time_s"].as_f64());
            list.push(prediction.within(level, point["time_low_s"].as_f64(), point["time_high_s"].as_f64()));
        }
    }
    Some(Predictions::of(list, name))
}

//! `runcast sim new`: a system, an application and an experiment to start from.

mod bsf;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::output::{Content, Destination, OutFile, Output};
use clap::{Args, ValueHint};
use runcast_core::Problem;
use runcast_formula::nearest;
use runcast_sim::templates::{self, TEMPLATES};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `runcast sim new`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct NewArgs {
    /// Which; without it they are listed. bsf: made of a costs file
    #[arg(value_name = "TEMPLATE")]
    pub template: Option<String>,
    /// Where to write app.luau, system.toml and experiment.toml [default: a folder named as the template]
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<OutputPath>,
    /// Costs of a BSF algorithm, as `runcast bsf predict` reads them (template bsf)
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub costs: Option<InputFile>,
    /// Write over files that are there
    #[arg(long)]
    pub force: bool,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim new
  runcast sim new msort -o sort && runcast sim run sort/experiment.toml
  runcast sim new bsf --costs costs.toml -o paper";

/// The document of `sim new`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    /// The template that was written; null when they are listed.
    template: Option<String>,
    /// The files that were written.
    files: Vec<String>,
    /// All that there are.
    templates: Vec<Listed>,
}

#[derive(Debug, Clone, Serialize)]
struct Listed {
    name: &'static str,
    what: &'static str,
}

/// Writes the files, or lists the templates.
///
/// # Errors
/// There is no such template; files are there already; the costs are wrong.
pub fn run(args: &NewArgs, context: &mut Context) -> Result<Output, Failure> {
    let listed: Vec<Listed> = TEMPLATES
        .iter()
        .chain([&templates::BSF])
        .map(|template| Listed { name: template.name, what: template.what })
        .collect();
    let Some(name) = &args.template else {
        let width = listed.iter().map(|template| template.name.len()).max().unwrap_or(0);
        let lines: String = listed.iter().map(|one| format!("{:width$}  {}\n", one.name, one.what)).collect();
        let document = Document { kind: "sim-new", version: 1, template: None, files: Vec::new(), templates: listed };
        return Ok(Output::of(document).human(lines));
    };
    if args.costs.is_some() && name != templates::BSF.name {
        return Err(usage("--costs goes with the template bsf").at("--costs").into());
    }
    let [app, system, experiment] = if name == templates::BSF.name {
        let Some(costs) = &args.costs else {
            return Err(usage("the template bsf is made of a costs file")
                .hint("runcast sim new bsf --costs costs.toml; runcast bsf predict --help says what stands in it")
                .into());
        };
        bsf::files(costs, context)?
    } else {
        let Some(template) = templates::find(name) else {
            let names: Vec<&str> = listed.iter().map(|template| template.name).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => "runcast sim new lists them".to_owned(),
            };
            return Err(usage("there is no such template").value(name).allowed(names.join(", ")).hint(hint).into());
        };
        [template.app, template.system, template.experiment].map(str::to_owned)
    };
    let folder = args.output.clone().map_or_else(|| PathBuf::from(name), PathBuf::from);
    let files = [("app.luau", app), ("system.toml", system), ("experiment.toml", experiment)];
    let mut paths = files.iter().map(|(file, _)| folder.join(file));
    let there = paths.find(|path| !args.force && (context.files.is_file(path) || context.files.is_folder(path)));
    if let Some(path) = there {
        return Err(Problem::new("file_exists", "the file is there already")
            .in_file(path.display().to_string())
            .hint("another folder: -o DIR; or --force to write over it")
            .into());
    }
    let paths: Vec<String> = files.iter().map(|(file, _)| folder.join(file).display().to_string()).collect();
    let human: String = paths.iter().map(|path| format!("wrote {path}\n")).collect();
    let next = format!("next: runcast sim run {}", paths[2]);
    let document =
        Document { kind: "sim-new", version: 1, template: Some(name.clone()), files: paths, templates: listed };
    let mut output = Output::of(document).human(human).noted(next);
    output.files = files
        .into_iter()
        .map(|(file, text)| OutFile {
            to: Destination::Path(folder.join(file)),
            content: Content::Bytes(text.into_bytes()),
        })
        .collect();
    Ok(output.into_folder(folder))
}

fn usage(message: &str) -> Problem {
    Problem::new("bad_usage", message).at("TEMPLATE")
}

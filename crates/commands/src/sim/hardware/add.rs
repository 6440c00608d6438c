//! `runcast sim hardware add`.

use super::document::EntryRow;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, UpdatedFile};
use crate::output::Output;
use crate::tables;
use clap::{Args, ValueHint};
use runcast_core::Problem;
use runcast_sim::catalogue::{self, Catalogue, Entry};
use serde::Serialize;

/// Arguments of `runcast sim hardware add`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_HARDWARE_ADD)]
pub struct AddArgs {
    /// New entries; - is the standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: InputFile,
    /// The file that they are added to, made if it is not there
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: UpdatedFile,
}

/// The document of `runcast sim hardware add`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddDocument {
    /// `sim-hardware-add`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    /// The file that has them now.
    pub output: String,
    /// What was added.
    pub added: Vec<EntryRow>,
    /// Ids that stand in place of entries that are built in.
    pub replaces: Vec<String>,
}

pub(super) fn run(args: &AddArgs, context: &mut Context) -> Result<Output, Failure> {
    let name = tables::name_of(&args.file);
    let text = context.read_text(&args.file)?;
    let added = catalogue::read(&text, &name)?;
    if added.is_empty() {
        return Err(Problem::new("empty", "there is no entry").in_file(name).allowed("a table [id] each").into());
    }
    let output = args.output.display().to_string();
    let is_there = context.files.is_file(&args.output) || context.files.is_folder(&args.output);
    let there = if is_there { context.read_text(&args.output)? } else { String::new() };
    let known = catalogue::read(&there, &output)?;
    let twice = |entry: &&Entry| known.iter().any(|known| known.id == entry.id);
    if let Some(entry) = added.iter().find(twice) {
        let problem = Problem::new("twice", format!("{output} has an entry {} already", entry.id));
        return Err(problem
            .in_file(name)
            .value(entry.id.as_str())
            .hint("change it there, or choose another id")
            .into());
    }
    let gap = if there.is_empty() || there.ends_with("\n\n") { "" } else { "\n" };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let whole = format!("{there}{gap}{text}{end}");
    // What is to be written reads back.
    catalogue::read(&whole, &output)?;
    let replaces: Vec<String> = added
        .iter()
        .filter(|entry| Catalogue::builtin().get(&entry.id).is_some())
        .map(|entry| entry.id.clone())
        .collect();
    let ids: Vec<&str> = added.iter().map(|entry| entry.id.as_str()).collect();
    let human = format!("added to {output}: {}\n", ids.join(", "));
    let note = format!("use it with --catalogue {output}");
    let document = AddDocument {
        kind: "sim-hardware-add",
        version: 1,
        output,
        added: added.iter().map(EntryRow::new).collect(),
        replaces,
    };
    Ok(Output::of(document).human(human).with_file(Some(&args.output), whole.into_bytes()).noted(note))
}

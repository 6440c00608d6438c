//! A system file, or a platform file of SimGrid.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::sim::catalogue::CatalogueArgs;
use crate::tables;
use clap::{Args, ValueHint};
use runcast_core::{Problems, Warning};
use runcast_sim::simgrid;
use runcast_sim::system::{self, Changes, System};

/// Which system.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct InputArgs {
    /// A system file (TOML), or a platform file of SimGrid (XML); - is the standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: InputFile,
    /// Another catalogue entry for a component or network; may be repeated
    #[arg(long, value_name = "ID=ENTRY", value_parser = pair)]
    pub hardware: Vec<(String, String)>,
    #[command(flatten)]
    pub catalogue: CatalogueArgs,
}

/// A system with what there is to say about it.
pub(super) struct Input {
    pub system: System,
    pub warnings: Vec<Warning>,
    /// Whether it was a platform file of SimGrid.
    pub is_xml: bool,
}

impl InputArgs {
    pub(super) fn read(&self, context: &mut Context) -> Result<Input, Failure> {
        let name = tables::name_of(&self.file);
        let catalogue = self.catalogue.read(context)?;
        let text = context.read_text(&self.file)?;
        let is_xml = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
        if is_xml {
            let imported = simgrid::import(text.trim_start_matches('\u{feff}'), &name)?;
            return Ok(Input { system: imported.system, warnings: imported.warnings, is_xml });
        }
        let changes = Changes { hardware: self.hardware.clone(), ..Changes::default() };
        let read = system::read(&text, &name, &catalogue, &changes).map_err(Problems)?;
        // What the platform of the system would stumble over.
        read.system.platform_unshared(&[])?;
        Ok(Input { system: read.system, warnings: read.warnings, is_xml })
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((id, entry)) if !id.trim().is_empty() && !entry.trim().is_empty() => {
            Ok((id.trim().to_owned(), entry.trim().to_owned()))
        }
        _ => Err("allowed is ID=ENTRY, such as cpu=intel-xeon-l5640".to_owned()),
    }
}

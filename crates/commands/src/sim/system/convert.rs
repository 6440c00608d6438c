//! `runcast sim system convert`.

use super::input::InputArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::output::Output;
use clap::{Args, ValueEnum};
use runcast_core::{Problem, Warning};
use runcast_sim::{simgrid, system};
use serde::Serialize;
use std::path::Path;

/// Arguments of `runcast sim system convert`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_SYSTEM_CONVERT)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// What to write [default: as -o ends in .toml or .xml, else the other format]
    #[arg(long = "export", alias = "to", value_name = "FORMAT")]
    pub to: Option<FormatArg>,
    #[command(flatten)]
    pub out: OutArgs,
}

/// A format of systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// A system file
    Toml,
    /// A platform file of SimGrid, version 4.1
    Xml,
}

/// The document of `runcast sim system convert`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConvertDocument {
    /// `sim-system-convert`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    /// The file that was read.
    pub file: String,
    /// `toml` or `xml`.
    pub from: &'static str,
    /// `toml` or `xml`.
    pub to: &'static str,
    /// The file that was written; null: the standard output.
    pub output: Option<String>,
    pub machines: u64,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

impl FormatArg {
    fn word(self) -> &'static str {
        match self {
            FormatArg::Toml => "toml",
            FormatArg::Xml => "xml",
        }
    }

    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "toml" => Some(FormatArg::Toml),
            "xml" => Some(FormatArg::Xml),
            _ => None,
        }
    }
}

pub(super) fn run(args: &ConvertArgs, context: &mut Context) -> Result<Output, Failure> {
    let input = args.input.read(context)?;
    let (from, other) = match input.is_xml {
        true => (FormatArg::Xml, FormatArg::Toml),
        false => (FormatArg::Toml, FormatArg::Xml),
    };
    let to = args.to.or_else(|| args.out.path().and_then(FormatArg::of)).unwrap_or(other);
    let mut warnings = input.warnings;
    let text = match to {
        FormatArg::Toml => {
            let models: Vec<&str> = input.system.models.iter().skip(1).map(|model| model.name.as_str()).collect();
            if !models.is_empty() {
                let problem = Problem::new("not_converted", "a system file with computational models stays as it is");
                return Err(problem.value(models.join(", ")).at("--export").allowed("xml").into());
            }
            system::write(&input.system)
        }
        FormatArg::Xml => {
            let exported = simgrid::export(&input.system)?;
            warnings.extend(exported.warnings);
            let models = input.system.models.iter().skip(1).map(|model| model.name.as_str());
            let models: Vec<&str> = models.collect();
            if !models.is_empty() {
                let text = format!("computational models are left out: {}", models.join(", "));
                warnings.push(Warning::new("not_exported", text));
            }
            exported.text
        }
    };
    let path = args.out.path().filter(|path| path.as_os_str() != "-");
    let output = path.map(|path| path.display().to_string());
    let document = ConvertDocument {
        kind: "sim-system-convert",
        version: 1,
        file: input.system.file.clone(),
        from: from.word(),
        to: to.word(),
        output: output.clone(),
        machines: input.system.machine_count(),
        warnings: warnings.clone(),
    };
    let mut result = Output::of(document).warned(warnings).with_file(args.out.path(), text.clone().into_bytes());
    match output {
        Some(output) => result = result.noted(format!("wrote {output}")),
        None if args.out.path().is_none() => result = result.human(text),
        None => {}
    }
    Ok(result)
}

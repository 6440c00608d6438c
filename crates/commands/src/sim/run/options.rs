//! The command line of `runcast sim run`; what makes up an experiment serves the other subcommands too.

use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputFile, OutputPath};
use crate::options::word;
use crate::own_ranges::RangesArgs;
use clap::{Args, ValueEnum, ValueHint};
use runcast_core::Problem;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_sim::collective::selector::SELECTORS;
use runcast_sim::experiment::{MOST_REPETITIONS, PlaceEntry, Value};
use runcast_sim::job::{Collectives, Fidelity};
use runcast_sim::platform::LogGops;
use runcast_sim::run::{ExportFormat, Variation, place_option};
use runcast_sim::tick::TickLength;
use runcast_sim::timeline::{Format, Wanted};

/// Arguments of `runcast sim run`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,

    /// Say what limits and why: the path back from the end, an ideal network, free computing
    #[arg(long, help_heading = "Reasons")]
    pub explain: bool,
    /// Hold the fidelities against each other
    #[arg(long = "cross-check", alias = "check", help_heading = "Reasons")]
    pub check: bool,
    /// Processes that --cross-check simulates at most
    #[arg(long = "check-procs", id = "limit cross-check", value_name = "N", default_value_t = 512, help_heading = "Reasons", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub check_procs: u64,

    /// Write what each process did when: FILE.json (Perfetto, Chrome) or FILE.paje
    #[arg(long = "timeline", value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub timeline_file: Option<OutputFile>,
    /// Processes of the timeline, such as 0-63 or 0,5,8-15
    #[arg(
        long = "timeline-ranks",
        id = "timeline ranks",
        value_name = "RANKS",
        help_heading = "Output",
        requires = "timeline_file",
        hide_short_help = true
    )]
    pub timeline_ranks: Option<String>,
    /// Part of the run in the timeline, such as 10ms-20ms
    #[arg(
        long = "timeline-span",
        id = "timeline span",
        value_name = "FROM-TO",
        help_heading = "Output",
        requires = "timeline_file",
        hide_short_help = true
    )]
    pub timeline_span: Option<String>,
    /// Write the recorded program as a GOAL schedule or SimGrid traces instead of simulating it
    #[arg(long, value_name = "FORMAT", requires = "output", help_heading = "Output", value_parser = word::<ExportFormat>())]
    pub export: Option<ExportFormat>,
    /// Write the predictions as a table to FILE; with --export, a folder
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::AnyPath, help_heading = "Output")]
    pub output: Option<OutputPath>,
}

/// What is simulated: an experiment file, or options in its place; and options over the file.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ExperimentArgs {
    /// The experiment; or give --app and a system
    #[arg(value_name = "EXPERIMENT.toml", value_hint = ValueHint::FilePath, required_unless_present = "app", conflicts_with = "app")]
    pub file: Option<InputFile>,
    /// An application: a script; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub app: Vec<InputFile>,
    /// The system
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "loggops")]
    pub system: Option<InputFile>,
    /// LogGOPS parameters in place of a system: L=2us,o=1us,g=0,G=1ns,O=0,S=64KiB
    #[arg(long, value_name = "L=..,o=..", value_parser = loggops)]
    pub loggops: Option<LogGops>,
    /// A parameter of the applications, or an attribute ID.KEY of the system; may be repeated
    #[arg(long, value_name = "NAME=V", value_parser = setting)]
    pub set: Vec<(String, Value)>,
    /// Another catalogue entry for a component or network; may be repeated
    #[arg(long, value_name = "ID=ENTRY", value_parser = pair)]
    pub hardware: Vec<(String, String)>,
    /// Which network a group uses; may be repeated
    #[arg(long = "use", value_name = "ID=NETWORK", value_parser = pair, hide_short_help = true)]
    pub networks: Vec<(String, String)>,
    /// Where a label goes: sorter=node:12:block; may be repeated
    #[arg(long, value_name = "LABEL=ON:PER:ORDER", value_parser = place)]
    pub map: Vec<PlaceEntry>,
    /// How closely to look (default: flow up to 4,096 processes, then loggops)
    #[arg(long, value_name = "F", value_parser = word::<Fidelity>())]
    pub fidelity: Option<Fidelity>,
    /// How often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_REPETITIONS))]
    pub repetitions: Option<u64>,
    /// Seed of everything random
    #[arg(long, value_name = "K")]
    pub seed: Option<u64>,
    /// Probability of the interval of times (0.9)
    #[arg(long, value_name = "L", value_parser = crate::options::level)]
    pub level: Option<f64>,
    /// Coefficients laid over those of the system, as calibrate writes them; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub coeff: Vec<InputFile>,
    /// A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub catalogue: Vec<InputFile>,
    /// Collectives by formula, or as the messages of their algorithm
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    pub collectives: Option<CollectivesArg>,
    /// As which MPI library collectives choose their algorithms (runcast); a table of your own: selector in the experiment
    #[arg(long, value_name = "S", value_parser = clap::builder::PossibleValuesParser::new(SELECTORS), hide_short_help = true)]
    pub selector: Option<String>,
    /// Components fail, by their mtbf: applications start over, or at their last checkpoint
    #[arg(long, hide_short_help = true)]
    pub faults: bool,
    /// Count components that nobody uses
    #[arg(long, hide_short_help = true)]
    pub include_unused: bool,
    /// Price of a kilowatt-hour, for the cost
    #[arg(long, value_name = "PRICE", value_parser = price, hide_short_help = true)]
    pub energy_price: Option<f64>,
    /// Length of a tick (1ps)
    #[arg(long, value_name = "TIME", value_parser = tick, help_heading = "Limits", hide_short_help = true)]
    pub tick: Option<TickLength>,
    /// Classes of the label level
    #[arg(long = "max-classes", id = "limit classes", value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub max_classes: Option<u64>,
    /// Events of a simulation (1e10)
    #[arg(long = "max-events", id = "limit events", value_name = "N", value_parser = steps, help_heading = "Limits", hide_short_help = true)]
    pub max_events: Option<u64>,
    /// Memory of the process (nine tenths of what is free)
    #[arg(long = "max-memory", id = "limit memory", value_name = "BYTES", value_parser = memory, help_heading = "Limits", hide_short_help = true)]
    pub max_memory: Option<u64>,
    /// Steps of a script (1e9)
    #[arg(long = "script-steps", id = "limit script-steps", value_name = "N", value_parser = steps, help_heading = "Limits", hide_short_help = true)]
    pub script_steps: Option<u64>,
    /// Memory of a script (1GiB)
    #[arg(long = "script-memory", id = "limit script-memory", value_name = "BYTES", value_parser = memory, help_heading = "Limits", hide_short_help = true)]
    pub script_memory: Option<u64>,
}

/// What becomes of collectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollectivesArg {
    /// All enter, all leave when the formula says
    Closed,
    /// The messages of the algorithm
    Expanded,
}

impl From<CollectivesArg> for Collectives {
    fn from(how: CollectivesArg) -> Self {
        match how {
            CollectivesArg::Closed => Collectives::Closed,
            CollectivesArg::Expanded => Collectives::Expanded,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  runcast sim run experiment.toml
  runcast sim run experiment.toml --set p=64 --fidelity loggops --explain
  runcast sim run --app heat.luau --system galera.toml --set p=27 --json
  runcast sim run --app heat.luau --loggops L=2us,o=1us,G=0.4ns --set p=1000
  runcast sim run experiment.toml --hardware cpu=amd-epyc-9654 --cross-check
  runcast sim run experiment.toml --timeline run.json,ranks=0-15
  runcast sim run experiment.toml --export goal -o schedule";

impl RunArgs {
    /// What the timeline shows, and its format.
    ///
    /// # Errors
    /// A name or ranges that are none.
    pub(super) fn timeline(&self) -> Result<Option<(Format, Wanted)>, Failure> {
        let Some(file) = &self.timeline_file else { return Ok(None) };
        let format = Format::of(&file.display().to_string())?;
        let ranks = self.timeline_ranks.as_deref().map(ranks).transpose()?;
        let span_s = self.timeline_span.as_deref().map(span).transpose()?;
        Ok(Some((format, Wanted { ranks, span_s })))
    }
}

impl ExperimentArgs {
    /// Threads that may be used: those of `--threads`.
    pub fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    /// Whether an option gives the value of a name, so that it does not vary.
    pub fn fixes(&self, name: &str) -> bool {
        self.set.iter().any(|(set, _)| set == name)
            || name.strip_prefix("hardware.").is_some_and(|id| self.hardware.iter().any(|(known, _)| known == id))
    }

    /// What options change of the configuration.
    ///
    /// # Errors
    /// A value that a name cannot have.
    pub fn variation(&self) -> Result<Variation, Failure> {
        let mut variation = Variation { map: self.map.clone(), ..Variation::default() };
        for (name, value) in &self.set {
            variation.set(name, value.clone()).map_err(|problem| problem.at("--set"))?;
        }
        variation.hardware.extend(self.hardware.iter().cloned());
        variation.networks.extend(self.networks.iter().cloned());
        variation.fidelity = self.fidelity.or(variation.fidelity);
        Ok(variation)
    }
}

fn setting(text: &str) -> Result<(String, Value), String> {
    pair(text).map(|(name, value)| (name, Value::of(&value)))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("\"{text}\" is not NAME=VALUE");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() { Err(wrong()) } else { Ok((name.to_owned(), value.to_owned())) }
}

fn place(text: &str) -> Result<PlaceEntry, String> {
    place_option(text)
        .map_err(|problem| format!("{} (allowed: {})", problem.message, problem.allowed.unwrap_or_default()))
}

fn quantity(text: &str, dimension: Dimension) -> Result<f64, String> {
    parse_quantity(text, dimension).map_err(|error| error.to_string())
}

fn price(text: &str) -> Result<f64, String> {
    match crate::options::number(text)? {
        price if price >= 0.0 => Ok(price),
        _ => Err("a price of 0 or more is allowed".to_owned()),
    }
}

fn tick(text: &str) -> Result<TickLength, String> {
    TickLength::new(quantity(text, Dimension::Time)?).map_err(|problem| problem.message)
}

/// Steps or events.
pub(crate) fn steps(text: &str) -> Result<u64, String> {
    let number = crate::options::number(text)?;
    if (1.0..=1e18).contains(&number) { Ok(number as u64) } else { Err("1 to 1e18 are allowed".to_owned()) }
}

/// Bytes of memory.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let bytes = quantity(text, Dimension::Bytes)?;
    if (1.0..=1e15).contains(&bytes) { Ok(bytes as u64) } else { Err("1B to 1PB are allowed".to_owned()) }
}

/// LogGOPS parameters; those that are not named are 0, and `S` without bound.
pub(crate) fn loggops(text: &str) -> Result<LogGops, String> {
    let mut parameters = LogGops { L: 0.0, o: 0.0, g: 0.0, G: 0.0, O: 0.0, S: u64::MAX };
    let allowed = "allowed are L=, o=, g=, G=, O=, S=, such as L=2us,o=1us,G=0.4ns";
    let mut named = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("\"{part}\" is no parameter: {allowed}"))?;
        let (name, value) = (name.trim(), value.trim());
        if named.contains(&name) {
            return Err(format!("{name} is given twice"));
        }
        named.push(name);
        let place = match name {
            "L" => &mut parameters.L,
            "o" => &mut parameters.o,
            "g" => &mut parameters.g,
            "G" => &mut parameters.G,
            "O" => &mut parameters.O,
            "S" => {
                let bytes = quantity(value, Dimension::Bytes).map_err(|error| format!("S: {error}"))?;
                if !(0.0..=9.007_199_254_740_992e15).contains(&bytes) {
                    return Err("S: 0 bytes to 2^53 are allowed".to_owned());
                }
                parameters.S = bytes as u64;
                continue;
            }
            _ => return Err(format!("\"{name}\" is no parameter: {allowed}")),
        };
        // G and O are times per byte; a plain time is meant so.
        let per_byte = ["G", "O"].contains(&name).then(|| parse_quantity(value, Dimension::TimePerByte).ok()).flatten();
        let seconds = match per_byte {
            Some(seconds) => seconds,
            None => quantity(value, Dimension::Time).map_err(|error| format!("{name}: {error}"))?,
        };
        if seconds < 0.0 {
            return Err(format!("{name}: 0 or more is allowed"));
        }
        *place = seconds;
    }
    Ok(parameters)
}

/// `0,5,8-15`.
fn ranks(text: &str) -> Result<Vec<(u64, u64)>, Problem> {
    let wrong = || {
        let problem = Problem::new("bad_option", "this is no list of processes").at("--timeline-ranks").value(text);
        problem.allowed("numbers and ranges, such as 0-63 or 0,5,8-15")
    };
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u64, u64) =
            (from.trim().parse().map_err(|_| wrong())?, to.trim().parse().map_err(|_| wrong())?);
        if from <= to { Ok((from, to)) } else { Err(wrong()) }
    };
    text.split(',').map(range).collect()
}

/// `10ms-20ms`, `0..1s`.
fn span(text: &str) -> Result<(f64, f64), Problem> {
    let wrong = |message: String| {
        let problem = Problem::new("bad_option", message).at("--timeline-span").value(text);
        problem.allowed("two times, such as 10ms-20ms")
    };
    // A number such as 1e-3 has a sign of its own: the dash that leaves two times is the one.
    let dashes = text.match_indices("..").chain(text.match_indices('-'));
    for (at, dash) in dashes {
        let time = |text: &str| parse_quantity(text.trim(), Dimension::Time).ok().filter(|time| *time >= 0.0);
        if let (Some(from), Some(to)) = (time(&text[..at]), time(&text[at + dash.len()..])) {
            if from < to {
                return Ok((from, to));
            }
            return Err(wrong("the span ends before it begins".to_owned()));
        }
    }
    Err(wrong("this is no span of time".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_spans_are_read() {
        assert_eq!(ranks("0,5, 8-15").expect("ranges"), [(0, 0), (5, 5), (8, 15)]);
        assert!(ranks("9-3").is_err() && ranks("x").is_err() && ranks("").is_err());
        assert_eq!(span("10ms-20ms").expect("a span"), (0.01, 0.02));
        assert_eq!(span("1e-3-2e-3").expect("a span"), (0.001, 0.002));
        assert_eq!(span("0..1s").expect("a span"), (0.0, 1.0));
        assert!(span("2s-1s").is_err() && span("1s").is_err());
    }

    #[test]
    fn loggops_parameters_have_units_and_defaults() {
        let parameters = loggops("L=2.5us,o=1500ns,G=6ns,S=64KiB").expect("parameters");
        assert_eq!(parameters, LogGops { L: 2.5e-6, o: 1.5e-6, g: 0.0, G: 6e-9, O: 0.0, S: 65_536 });
        assert_eq!(loggops("G=0.4ns/B").expect("parameters").G, 0.4e-9);
        for bad in ["L", "x=1", "L=-1us", "L=1us,L=2us", "S=-1", "L=5kg"] {
            assert!(loggops(bad).is_err(), "{bad}");
        }
    }
}

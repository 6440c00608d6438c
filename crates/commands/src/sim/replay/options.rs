//! The command line of `runcast sim replay`.

use super::changes::{Bound, Change, Scaled};
use crate::options::paths::{InputFile, OutputFile};
use crate::options::word;
use crate::record::application::{BlockTimes, Playing, Wildcards};
use crate::sim::run::{CollectivesArg, memory, steps};
use clap::{Args, ValueEnum, ValueHint};
use runcast_core::Problem;
use runcast_sim::budget::MOST_EVENTS;
use runcast_sim::budget::memory::limit_bytes;
use runcast_sim::collective::Choice;
use runcast_sim::collective::selector::SELECTORS;
use runcast_sim::experiment::PlaceEntry;
use runcast_sim::job::Fidelity;
use runcast_sim::platform::LogGops;
use runcast_sim::run::place_option;
use runcast_sim::schedule::{Parameters, parameters};

/// Arguments of `runcast sim replay`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArgs {
    /// A recording; a GOAL schedule; SimGrid traces, or a list of their files
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: InputFile,
    /// What the file is (default: goal if it begins with num_ranks)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// LogGOPS parameters; for a schedule those not named are
    /// L=2500ns,o=1500ns,g=1000ns,G=6ns,O=0,S=65535
    #[arg(long, value_name = "L=..,o=..", conflicts_with = "system")]
    pub loggops: Option<String>,

    /// Do as another simulator does, its slips included
    #[arg(long, value_name = "SIMULATOR", help_heading = "Schedules", hide_short_help = true)]
    pub compat: Option<Compat>,

    /// The system that traces are replayed on
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Traces")]
    pub system: Option<InputFile>,
    /// How closely to look (default: flow up to 4,096 ranks, then loggops)
    #[arg(long, value_name = "F", help_heading = "Traces", value_parser = word::<Fidelity>())]
    pub fidelity: Option<Fidelity>,
    /// The algorithm of a collective: bcast=binomial; a list, may be repeated
    #[arg(long = "collective-algorithm", id = "collectives =", alias = "collective", value_name = "OP=ALGORITHM", value_delimiter = ',', value_parser = algorithm, help_heading = "Traces", hide_short_help = true)]
    pub collective: Vec<(String, String)>,
    /// Collectives by formula, or as the messages of their algorithm
    #[arg(long, value_name = "HOW", help_heading = "Traces", hide_short_help = true)]
    pub collectives: Option<CollectivesArg>,
    /// As which MPI library collectives choose their algorithms (runcast)
    #[arg(long, value_name = "S", value_parser = clap::builder::PossibleValuesParser::new(SELECTORS), help_heading = "Traces", hide_short_help = true)]
    pub selector: Option<String>,
    /// Where ranks go: rank=node:12:block
    #[arg(long, value_name = "rank=ON:PER:ORDER", value_parser = place, help_heading = "Traces")]
    pub map: Vec<PlaceEntry>,
    /// A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Traces")]
    pub catalogue: Vec<InputFile>,

    /// Write what each rank did when: FILE.json (Perfetto, Chrome) or FILE.paje
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Traces")]
    pub timeline: Option<OutputFile>,

    /// Replays to compare: bandwidth=2, latency=0, balanced, ideal; a list
    #[arg(long = "what-if", value_name = "CHANGE,..", value_delimiter = ',', value_parser = Change::parse, help_heading = "Recordings")]
    pub what_if: Vec<Change>,
    /// Scale blocks from one processor of the catalogue to another
    #[arg(long = "scale-compute", value_name = "FROM=TO", value_parser = Scaled::parse, help_heading = "Recordings")]
    pub scale_compute: Option<Scaled>,
    /// What limits blocks that are scaled: cpu, memory or max, the slower of both
    #[arg(long, value_name = "BY", default_value = "max", value_parser = word::<Bound>(), requires = "scale_compute", help_heading = "Recordings")]
    pub bound: Bound,
    /// Times of blocks: draw from their histogram, or mean
    #[arg(long, value_name = "HOW", default_value = "draw", value_parser = word::<BlockTimes>(), hide_short_help = true, help_heading = "Recordings")]
    pub blocks: BlockTimes,
    /// Receives from any source: recorded, or free, from whoever is first
    #[arg(long, value_name = "HOW", default_value = "recorded", value_parser = word::<Wildcards>(), hide_short_help = true, help_heading = "Recordings")]
    pub wildcards: Wildcards,

    /// Events of the simulation (1e10)
    #[arg(long = "max-events", id = "limit events", value_name = "N", value_parser = steps, help_heading = "Limits", hide_short_help = true)]
    pub max_events: Option<u64>,
    /// Memory of the process (nine tenths of what is free)
    #[arg(long = "max-memory", id = "limit memory", value_name = "BYTES", value_parser = memory, help_heading = "Limits", hide_short_help = true)]
    pub max_memory: Option<u64>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A text GOAL schedule
    Goal,
    /// SimGrid time-independent traces
    Ti,
    /// A recording of runcast record
    Recording,
}

/// Another simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// LogGOPSim, source of December 2023
    Loggopsim,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim replay rec/ --system galera.toml
  runcast sim replay rec/ --system galera.toml --what-if bandwidth=2,latency=0,balanced,ideal
  runcast sim replay rec/ --system galera.toml --scale-compute intel-xeon-e5345=amd-epyc-9654
  runcast sim replay allreduce.goal
  runcast sim replay halo.goal --loggops L=1.2us,o=400ns,G=0.1ns --json
  runcast sim replay old.goal --compat loggopsim
  runcast sim replay traces.txt --format ti --system galera.toml
  runcast sim replay lu.trace --system galera.toml --collectives bcast=chain";

impl ReplayArgs {
    /// Events that the simulation may take.
    pub(super) fn most_events(&self) -> u64 {
        self.max_events.unwrap_or(MOST_EVENTS)
    }

    /// Bytes that the process may take.
    pub(super) fn most_memory(&self) -> Option<u64> {
        self.max_memory.or_else(limit_bytes)
    }

    /// What the file is.
    pub fn format_of(&self, bytes: &[u8]) -> Format {
        self.format.unwrap_or_else(|| {
            if bytes.starts_with(runcast_record::container::MAGIC) {
                return Format::Recording;
            }
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
            if head.contains("num_ranks") { Format::Goal } else { Format::Ti }
        })
    }

    /// LogGOPS parameters; those that are not named keep the default of schedules.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn parameters(&self) -> Result<Parameters, Problem> {
        let mut loggops = LogGops::default();
        if let Some(text) = &self.loggops {
            parameters::parse(text, &mut loggops)?;
        }
        Ok(Parameters { loggops, as_loggopsim: self.compat == Some(Compat::Loggopsim) })
    }

    /// How a recording is played, `scale` being what its blocks are multiplied by.
    pub(super) fn playing(&self, scale: f64) -> Playing {
        Playing { scale, blocks: self.blocks, wildcards: self.wildcards, ..Playing::default() }
    }

    /// What only recordings have.
    ///
    /// # Errors
    /// An option of recordings.
    pub fn check_for_others(&self) -> Result<(), Problem> {
        let given = [
            ("--what-if", !self.what_if.is_empty()),
            ("--scale-compute", self.scale_compute.is_some()),
            ("--blocks", self.blocks != BlockTimes::default()),
            ("--wildcards", self.wildcards != Wildcards::default()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Problem::new("conflict", "only recordings have a use for this").at(option)),
            None => Ok(()),
        }
    }

    /// What a schedule does not need is none of it.
    ///
    /// # Errors
    /// An option of traces.
    pub fn check_for_schedule(&self) -> Result<(), Problem> {
        let given = [
            ("--system", self.system.is_some()),
            ("--fidelity", self.fidelity.is_some()),
            ("--collective-algorithm", !self.collective.is_empty()),
            ("--collectives", self.collectives.is_some()),
            ("--selector", self.selector.is_some()),
            ("--map", !self.map.is_empty()),
            ("--catalogue", !self.catalogue.is_empty()),
            ("--timeline", self.timeline.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Problem::new("conflict", "a schedule has no use for this").at(option)),
            None => Ok(()),
        }
    }
}

fn place(text: &str) -> Result<PlaceEntry, String> {
    place_option(text)
        .map_err(|problem| format!("{} (allowed: {})", problem.message, problem.allowed.unwrap_or_default()))
}

fn algorithm(text: &str) -> Result<(String, String), String> {
    Choice::default().fix(text).map_err(|problem| problem.to_string())?;
    text.split_once('=')
        .map(|(kind, name)| (kind.to_owned(), name.to_owned()))
        .ok_or_else(|| "there is no =".to_owned())
}

//! The command line of `runcast wavefront sample`.

use super::rounds::Rounds;
use crate::bsf::launch::{LaunchArgs, parallel_backend};
use crate::failure::Failure;
use crate::options::paths::OutputFile;
use crate::options::word;
use crate::options::{PlotArgs, SeedArgs, duration_s};
use clap::{Args, ValueEnum, ValueHint};
use runcast_bsf::skeleton::{Backend, mpi};
use runcast_core::Problem;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_wavefront::level::{Candidate, Choice};
use runcast_wavefront::model::Degree;
use runcast_wavefront::sample::{Others, modes};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Three threads with 2 ms of work an update, and the model that follows:
    runcast wavefront sample --processes 3 --work 2ms -o samples.csv \\
      --write-model model.toml
  The sweep of a matrix by three processes of MPI:
    runcast wavefront sample --backend mpi --operator m.mtx --set pieces=10,10,10 \\
      -o samples.csv --write-model model.toml
  What a table of samples is worth, and modes in it:
    runcast wavefront sample --examine samples.csv
    runcast wavefront sample --examine samples.csv --fit-modes 2 \\
      -o with-modes.csv --write-model model.toml";

/// Messages on each link where nothing else is said.
const MESSAGES: usize = 2000;
/// Samples of everything in one table, which is held in memory.
const SAMPLES_MOST: u64 = 5_000_000;
/// Threads that are started at most.
const THREADS_MOST: usize = 256;
/// The largest message, in bytes.
const BYTES_MOST: f64 = 1e9;

/// Arguments of `runcast wavefront sample`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct SampleArgs {
    /// What the processes are: threads, or ranks of MPI [default: threads; as a rank of MPI: mpi]
    #[arg(long, value_name = "WHERE", value_parser = parallel_backend(), help_heading = "Measuring")]
    pub backend: Option<Backend>,
    /// Processes [default: one a piece, else 3; under the launcher of MPI as many as it has started]
    #[arg(long, value_name = "COUNT", help_heading = "Measuring")]
    pub processes: Option<usize>,
    /// An update is the sweep of a process over its piece of this matrix (.mtx, .csv), or of "polynomial"
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Measuring")]
    pub operator: Option<PathBuf>,
    /// Rows of each process, in order [default: as even as can be]
    #[arg(
        long = "pieces",
        id = "set pieces",
        value_name = "ROWS,..",
        value_delimiter = ',',
        requires = "operator",
        help_heading = "Measuring"
    )]
    pub pieces: Option<Vec<usize>>,
    /// Variables of the polynomial
    #[arg(
        long = "variables",
        id = "set variables",
        value_name = "COUNT",
        default_value_t = 30,
        help_heading = "Measuring",
        hide_short_help = true
    )]
    pub variables: usize,
    /// So much work an update, calibrated where nothing disturbs it; beside an operator it is added [default: 2ms]
    #[arg(long, value_name = "DURATION", value_parser = duration_s, help_heading = "Measuring")]
    pub work: Option<f64>,
    /// Updates of each process, all at the same time
    #[arg(
        long = "updates",
        id = "set updates",
        value_name = "COUNT",
        default_value_t = 2000,
        help_heading = "Measuring"
    )]
    pub updates: usize,
    /// Messages from each process to each other, as=busy [default: 2000]; the loop has one a phase
    #[arg(long = "messages", id = "set messages", value_name = "COUNT", help_heading = "Measuring")]
    pub messages: Option<usize>,
    /// Size of a message: 800, 64KiB
    #[arg(long = "bytes", id = "set bytes", value_name = "BYTES", default_value = "800", value_parser = bytes, help_heading = "Measuring", hide_short_help = true)]
    pub bytes: usize,
    /// The phases of the real loop, where processes wait (loop), or each update and message for itself (busy) [default: loop;
    /// under MPI, with messages or with others: busy]
    #[arg(long = "as", id = "set as", value_name = "HOW", help_heading = "Measuring", value_parser = word::<How>())]
    pub how: Option<How>,
    /// Degree of asynchronism of the loop: B, or A/B; the model gets it [default: 0, processes wait]
    #[arg(
        long,
        value_name = "B|A/B",
        conflicts_with_all = ["set every", "check"],
        help_heading = "Measuring",
        hide_short_help = true
    )]
    pub degrees: Option<String>,
    /// Rounds of --updates, so long from one start to the next, each added to the table of -o; go on by the same command
    #[arg(long = "every", id = "set every", value_name = "DURATION", value_parser = duration_s, requires_all = ["set for", "out"], help_heading = "Measuring", hide_short_help = true)]
    pub every: Option<f64>,
    /// Rounds for so long, such as 7d
    #[arg(long = "for", id = "set for", value_name = "DURATION", value_parser = duration_s, requires = "set every", help_heading = "Measuring", hide_short_help = true)]
    pub lasting: Option<f64>,
    /// What the others do while two exchange messages, as=busy [default: compute]
    #[arg(long = "others", id = "set others", value_name = "WHAT", help_heading = "Measuring", hide_short_help = true, value_parser = word::<Others>())]
    pub others: Option<Others>,

    /// Examine this table, and measure nothing
    #[arg(long = "examine", alias = "check", value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Looking",
        conflicts_with_all = ["backend", "processes", "operator", "set pieces", "work"])]
    pub check: Option<PathBuf>,
    /// Look for 2 or 3 modes of the machine, such as calm and busy
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(2..=3), help_heading = "Looking", hide_short_help = true)]
    pub fit_modes: Option<u8>,
    /// Updates in a window of time that has one mode
    #[arg(long = "window", id = "set window", value_name = "COUNT", default_value_t = modes::WINDOW, requires = "fit_modes",
        help_heading = "Looking", hide_short_help = true)]
    pub window: usize,
    /// Whether the model gets a slowdown that processes share [default: auto, with modes, by the Bayesian criterion]
    #[arg(
        long = "level-model",
        id = "set level-model",
        value_name = "WHAT",
        help_heading = "Looking",
        hide_short_help = true
    )]
    pub level_model: Option<LevelModel>,
    /// Windows of time in which it is looked for [default: of 25 updates, 6 to 200]
    #[arg(long = "windows", id = "set windows", value_name = "COUNT", value_parser = clap::value_parser!(u16).range(6..=200), help_heading = "Looking", hide_short_help = true)]
    pub windows: Option<u16>,
    #[command(flatten)]
    pub seed: SeedArgs,

    /// Write the samples as a table; - is the standard output
    #[arg(short = 'o', long = "output", alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<OutputFile>,
    /// Write a model with the laws of the samples, which wavefront solve takes
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub write_model: Option<OutputFile>,
    #[command(flatten)]
    pub plot: PlotArgs,

    #[command(flatten)]
    pub launch: LaunchArgs,
}

/// Whether the model gets a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelModel {
    /// As the windows speak for it, and modes likewise
    Auto,
    /// No level, and no modes that are not asked for
    None,
    /// A level
    Level,
}

fn bytes(text: &str) -> Result<usize, String> {
    let bytes = parse_quantity(text, Dimension::Bytes).map_err(|error| error.to_string())?;
    match (0.0..=BYTES_MOST).contains(&bytes) && bytes.fract() == 0.0 {
        true => Ok(bytes as usize),
        false => Err("allowed are whole bytes, 0 to 1GB".to_owned()),
    }
}

/// How times are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Processes always compute while updates are measured, and pairs of them exchange messages
    Busy,
    /// Phases of the real loop, in which processes block and are woken
    Loop,
}

runcast_core::words!(How::name: Busy = "busy", Loop = "loop");

impl SampleArgs {
    /// What the processes are. Processes that a launcher has started would each measure alone, were they no ranks.
    pub fn backend(&self) -> Backend {
        let is_rank = || mpi::under_launcher().is_some_and(|world| world.size != Some(1));
        match self.backend {
            Some(backend) => backend,
            None if is_rank() => Backend::Mpi,
            None => Backend::Threads,
        }
    }

    /// How times are measured: as a run has them, unless something was asked for that only the other way has.
    pub fn how(&self) -> How {
        let is_busy = self.is_mpi() || self.updates == 0 || self.messages.is_some() || self.others.is_some();
        self.how.unwrap_or(if is_busy { How::Busy } else { How::Loop })
    }

    /// Rounds of the loop, where they are asked for.
    pub fn rounds(&self) -> Option<Rounds> {
        let (every_s, for_s) = self.every.zip(self.lasting)?;
        Some(Rounds { every_s, for_s })
    }

    /// The degree of the loop; none where it is not told.
    ///
    /// # Errors
    /// It is none, there are several, or the samples are not from the loop.
    pub fn degree(&self, processes: usize) -> Result<Option<Degree>, Problem> {
        let Some(text) = &self.degrees else { return Ok(None) };
        if self.how() != How::Loop {
            let problem = Problem::new("degrees", "only the real loop has a degree").at("--degrees").value(text);
            return Err(problem.allowed("as=loop, on threads").hint("leave --messages and --others out"));
        }
        let mut degrees = Degree::list(text, processes, &[])?;
        match degrees.len() {
            1 => Ok(degrees.pop()),
            count => {
                let problem = Problem::new("degrees", format!("{count} degrees at once")).at("--degrees").value(text);
                Err(problem.allowed("one: samples of each go into a table and a model of their own"))
            }
        }
    }

    /// Messages on each link; the loop has one a phase.
    pub fn messages(&self) -> usize {
        match self.how() {
            How::Busy => self.messages.unwrap_or(MESSAGES),
            How::Loop => self.updates,
        }
    }

    /// Whether the processes are ranks of MPI.
    pub fn is_mpi(&self) -> bool {
        self.backend() == Backend::Mpi
    }

    /// What the model is to have: what was asked for, else what the windows speak for. Modes need a table that tells the mode
    /// of each sample.
    pub(super) fn wanted(&self, choice: Option<&Choice>) -> Candidate {
        let asked = self.fit_modes.map(usize::from);
        let taken = choice.map_or(Candidate { modes: 1, level: false }, |choice| choice.taken);
        let can_have_modes = self.write_model.is_none() || self.out.is_some();
        match (asked, self.level_model) {
            (Some(modes), level) => Candidate { modes, level: level == Some(LevelModel::Level) },
            (None, Some(LevelModel::None)) => Candidate { modes: 1, level: false },
            (None, Some(LevelModel::Level)) => Candidate { modes: 1, level: true },
            (None, _) if taken.modes > 1 && !can_have_modes => Candidate { modes: 1, level: true },
            (None, _) => taken,
        }
    }

    /// How many processes there are; none where the launcher decides.
    pub fn processes(&self) -> usize {
        let pieces = self.pieces.as_ref().map(Vec::len);
        self.processes.or(pieces).unwrap_or(3)
    }

    /// What is known before anything is measured.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Failure> {
        self.check_files()?;
        if self.check.is_some() {
            return Ok(());
        }
        let processes = self.processes();
        if processes == 0 || !self.is_mpi() && processes > THREADS_MOST {
            let most = if self.is_mpi() { "1 or more".to_owned() } else { format!("1 to {THREADS_MOST}") };
            let problem = Problem::new("processes", format!("{processes} processes cannot be started"));
            return Err(problem.at("--processes").value(processes.to_string()).allowed(most).into());
        }
        if let Some(pieces) = self.pieces.as_ref().filter(|pieces| pieces.len() != processes) {
            let message = format!("there are {} pieces for {processes} processes", pieces.len());
            return Err(Problem::new("pieces", message).at("--pieces").hint("one number a process").into());
        }
        if self.updates == 0 && self.messages() == 0 {
            let problem = Problem::new("nothing", "nothing is to be measured").at("--updates");
            return Err(problem.allowed("updates or messages above 0").into());
        }
        if self.how() == How::Loop && self.is_mpi() {
            let problem = Problem::new("loop_threads", "the real loop is sampled on threads").at("--as");
            return Err(problem.value("loop").allowed("busy").hint("--backend threads").into());
        }
        if self.how() == How::Loop && self.updates == 0 {
            return Err(Problem::new("nothing", "the loop makes no update")
                .at("--updates")
                .allowed("1 or more")
                .into());
        }
        if self.every.is_some_and(|every_s| every_s <= 0.0) {
            let problem = Problem::new("out_of_range", "rounds need a time from one to the next").at("--set every");
            return Err(problem.allowed("a duration above 0, such as 20s").into());
        }
        if self.every.is_some()
            && (self.how() != How::Loop || self.out.as_deref().is_some_and(|out| out.as_os_str() == "-"))
        {
            let problem =
                Problem::new("rounds", "rounds are of the real loop, and are added to a table").at("--set every");
            return Err(problem.allowed("as=loop, and a file with -o").into());
        }
        self.degree(processes)?;
        self.check_size(processes as u64)
    }

    pub(super) fn check_size(&self, processes: u64) -> Result<(), Failure> {
        let links = processes.saturating_mul(processes - 1);
        let round = (processes.saturating_mul(self.updates as u64))
            .saturating_add(links.saturating_mul(self.messages() as u64));
        let samples = round.saturating_mul(self.rounds().map_or(1, Rounds::count));
        if samples > SAMPLES_MOST {
            let problem = Problem::new("too_many", format!("these would be {samples} samples"));
            let problem = problem.at("--messages").value(self.messages().to_string());
            return Err(problem.allowed(format!("{SAMPLES_MOST} in all")).hint("fewer --messages or --updates").into());
        }
        Ok(())
    }

    fn check_files(&self) -> Result<(), Failure> {
        let is_stdout = |path: &Option<OutputFile>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if is_stdout(&self.out) && is_stdout(&self.write_model) {
            let problem = Problem::new("stdout_taken", "-o and --write-model both write to the standard output");
            return Err(problem.at("--output").value("-").hint("name a file for one of them").into());
        }
        let Some(model) = &self.write_model else { return Ok(()) };
        let table = self.table();
        let needs_modes = self.fit_modes.is_some() && self.out.is_none();
        match table {
            Some(table) if table.as_os_str() != "-" && !needs_modes => Ok(()),
            _ => {
                let message = match needs_modes && self.check.is_some() {
                    true => "a model with modes needs a table that tells the mode of each sample",
                    false => "a model needs the file of the table with its samples",
                };
                let problem = Problem::new("no_table", message).at("--write-model").value(model.display().to_string());
                Err(problem.hint("name a file with -o").into())
            }
        }
    }

    /// The file of the table that the model names.
    pub fn table(&self) -> Option<&Path> {
        self.out.as_deref().or(self.check.as_deref())
    }

    /// So much work an update \[s\]; none where an operator is all there is.
    pub fn work_s(&self) -> Option<f64> {
        const DEFAULT_S: f64 = 2e-3;
        self.work.or_else(|| self.operator.is_none().then_some(DEFAULT_S))
    }
}

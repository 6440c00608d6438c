//! The command line of `runcast sim optimize`.

use crate::options::OutArgs;
use crate::sim::run::ExperimentArgs;
use clap::{Args, ValueEnum};
use runcast_sim::optimize::{BUDGET, Objective};

/// Arguments of `runcast sim optimize`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct OptimizeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub experiment: ExperimentArgs,

    /// What varies, over the experiment's own; may be repeated
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Search")]
    pub vary: Vec<String>,
    /// What is to be small (time,energy and whatever else the system tells)
    #[arg(
        long = "objective",
        alias = "objectives",
        value_name = "WHAT,..",
        value_delimiter = ',',
        help_heading = "Search"
    )]
    pub objectives: Vec<ObjectiveArg>,
    /// What must hold, over results and what varies; may be repeated
    #[arg(long, value_name = "EXPR", help_heading = "Search")]
    pub constraint: Vec<String>,
    /// Try everything up to so many simulations, else search
    #[arg(long, value_name = "N", default_value_t = BUDGET, value_parser = clap::value_parser!(u64).range(1..=10_000_000), help_heading = "Search")]
    pub budget: u64,
    /// Of several applications: the time until all have ended, or the energy of all
    #[arg(long, value_name = "AIM", default_value = "makespan", help_heading = "Search", hide_short_help = true)]
    pub aim: AimArg,
    /// Simulations at once (all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096), help_heading = "Search")]
    pub jobs: Option<u64>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub out: OutArgs,
}

/// What is to be small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveArg {
    /// Time of the run
    Time,
    /// Energy of what is used
    Energy,
    /// Chance that it fails
    Failure,
    /// Price of machines and energy for the time
    Cost,
    /// Purchase price of what is used
    Price,
}

/// What is to be least of several applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AimArg {
    /// The time until all have ended
    Makespan,
    /// The energy of all
    Energy,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim optimize sort/experiment.toml --objective time,energy
  runcast sim optimize sort/experiment.toml --vary p=1..1024*2 \\
    --vary hardware.cpu=catalogue:cpu --constraint 'power_mean_w < 20000'
  runcast sim optimize both.toml --aim energy -o front.csv";

impl ObjectiveArg {
    fn objective(self) -> Objective {
        match self {
            ObjectiveArg::Time => Objective::Time,
            ObjectiveArg::Energy => Objective::Energy,
            ObjectiveArg::Failure => Objective::Failure,
            ObjectiveArg::Cost => Objective::Cost,
            ObjectiveArg::Price => Objective::Price,
        }
    }
}

impl OptimizeArgs {
    /// Those that were asked for, each once; else all.
    pub(crate) fn objectives(&self) -> Vec<Objective> {
        let mut all: Vec<Objective> = Vec::new();
        for objective in self.objectives.iter().map(|objective| objective.objective()) {
            if !all.contains(&objective) {
                all.push(objective);
            }
        }
        if all.is_empty() { Objective::ALL.to_vec() } else { all }
    }

    /// Simulations at once.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| self.experiment.threads(), |jobs| jobs as usize)
    }
}

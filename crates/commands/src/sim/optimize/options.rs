//! The command line of `runcast sim optimize`.

use crate::options::OutArgs;
use crate::options::word;
use crate::sim::run::ExperimentArgs;
use clap::Args;
use runcast_sim::optimize::partition::Aim;
use runcast_sim::optimize::{BUDGET, Objective, Search};

/// Arguments of `runcast sim optimize`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct OptimizeArgs {
    #[command(flatten)]
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
        help_heading = "Search", value_parser = word::<Objective>())]
    pub objectives: Vec<Objective>,
    /// What must hold, over results and what varies; may be repeated
    #[arg(long, value_name = "EXPR", help_heading = "Search")]
    pub constraint: Vec<String>,
    /// Try everything up to so many simulations, else search
    #[arg(long, value_name = "N", default_value_t = BUDGET, value_parser = clap::value_parser!(u64).range(1..=10_000_000), help_heading = "Search")]
    pub budget: u64,
    /// What is searched: what varies, or with it all ways to share out the machines among several applications
    #[arg(long, value_name = "WHAT", default_value = "grid", help_heading = "Search", hide_short_help = true, value_parser = word::<Search>())]
    pub search: Search,
    /// Of several applications: the time until all have ended, or the energy of all
    #[arg(long, value_name = "AIM", default_value = "makespan", help_heading = "Search", hide_short_help = true, value_parser = word::<Aim>())]
    pub aim: Aim,
    /// Simulations at once (all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096), help_heading = "Search")]
    pub jobs: Option<u64>,
    #[command(flatten)]
    pub out: OutArgs,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim optimize sort/experiment.toml --objective time,energy
  runcast sim optimize sort/experiment.toml --vary p=1..1024*2 \\
    --vary hardware.cpu=catalogue:cpu --constraint 'power_mean_w < 20000'
  runcast sim optimize both.toml --aim energy -o front.csv
  runcast sim optimize both.toml --search partitions --objective time,energy";

impl OptimizeArgs {
    /// Those that were asked for, each once; else all.
    pub(crate) fn objectives(&self) -> Vec<Objective> {
        let mut all: Vec<Objective> = Vec::new();
        for &objective in &self.objectives {
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

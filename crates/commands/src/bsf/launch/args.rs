//! The options of programs that may run under MPI.

use crate::options::duration_s;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use runcast_bsf::skeleton::Backend;
use std::path::PathBuf;

/// How a run under MPI is started and watched.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Starting MPI")]
pub struct LaunchArgs {
    /// What starts the processes; {processes} is the number of workers and one more
    #[arg(long, value_name = "COMMAND", default_value = "mpirun -n {processes}")]
    pub launcher: String,
    /// Give up when no iteration ends in so long [default: 10 times the longest one, at least 60 s]
    #[arg(long = "stall-timeout", id = "limit stall", value_name = "DURATION", value_parser = duration_s, hide_short_help = true)]
    pub stall_timeout: Option<f64>,
    /// Start again so often from the last checkpoint when a process is lost
    #[arg(long, value_name = "COUNT", default_value_t = 0, hide_short_help = true)]
    pub retries: u32,

    /// Given to the ranks by the process that watches them: how often it has started them again.
    #[arg(long, hide = true, value_name = "RESTARTS")]
    pub launched: Option<u32>,
    /// Given to the ranks that go on after a restart: wins over the file that the user has named.
    #[arg(long, hide = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub resume_instead: Option<PathBuf>,
}

impl Default for LaunchArgs {
    fn default() -> Self {
        LaunchArgs {
            launcher: "mpirun -n {processes}".to_owned(),
            stall_timeout: None,
            retries: 0,
            launched: None,
            resume_instead: None,
        }
    }
}

/// Where things run at the same time: in threads, or in processes of MPI.
pub fn parallel_backend() -> impl TypedValueParser<Value = Backend> {
    let named = |name: String| if name == "mpi" { Backend::Mpi } else { Backend::Threads };
    PossibleValuesParser::new(["threads", "mpi"]).map(named)
}

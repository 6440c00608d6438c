//! Choices on the command line, as the skeleton calls them.

use clap::ValueEnum;
use runcast_bsf::skeleton::{Backend, CollectiveChoice, Waiting};

/// Where the workers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// One after another in one thread.
    Serial,
    /// In threads of this process.
    Threads,
    /// In processes of MPI.
    Mpi,
}

/// How orders and partial results travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollectiveArg {
    /// Between the master and each worker.
    Flat,
    /// Along a binomial tree.
    Tree,
    /// What the cost model recommends after a few timed iterations.
    Auto,
}

/// What those do who have nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WaitArg {
    /// Look again at once.
    Spin,
    /// Leave the core to others.
    Sleep,
}

impl BackendArg {
    /// As the skeleton calls it.
    pub fn backend(self) -> Backend {
        match self {
            BackendArg::Serial => Backend::Serial,
            BackendArg::Threads => Backend::Threads,
            BackendArg::Mpi => Backend::Mpi,
        }
    }
}

impl CollectiveArg {
    /// As the skeleton calls it.
    pub fn choice(self) -> CollectiveChoice {
        match self {
            CollectiveArg::Flat => CollectiveChoice::Flat,
            CollectiveArg::Tree => CollectiveChoice::Tree,
            CollectiveArg::Auto => CollectiveChoice::Auto,
        }
    }
}

impl WaitArg {
    /// As the skeleton calls it.
    pub fn waiting(self) -> Waiting {
        match self {
            WaitArg::Spin => Waiting::Spin,
            WaitArg::Sleep => Waiting::Sleep,
        }
    }
}

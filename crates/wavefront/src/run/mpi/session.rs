//! MPI, from its initialization to its end.

use super::clock::Clock;
use super::gather::gather;
use super::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::fixed_point::FixedPoint;
use crate::run::process::{self, Process};
use crate::run::record::Recording;
use crate::run::settings::Settings;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::cell::Cell;

/// MPI, initialized; it ends with the session. A process can have one session in its life, and uses it in the thread
/// that has opened it.
///
/// # Standard section(s)
/// 11.2.1, 11.2.2, 11.6
pub struct Session {
    /// Taken where MPI cannot be ended.
    universe: Option<Universe>,
    world: SimpleCommunicator,
    /// A run has failed: other ranks may wait for messages that do not come.
    is_broken: Cell<bool>,
}

/// A run, as a rank sees it.
#[derive(Debug)]
pub struct Ran {
    /// The records of all ranks; at rank 0.
    pub recording: Option<Recording>,
    /// A stop was asked for before all phases were done.
    pub is_interrupted: bool,
}

impl Session {
    /// Initializes MPI.
    ///
    /// # Errors
    /// It was initialized before, or does not work in a process with threads.
    pub fn open() -> Result<Session, RunError> {
        let twice = || RunError::Mpi {
            code: "mpi_twice",
            message: "MPI was initialized before, which is possible only once per process".to_owned(),
        };
        let (universe, provided) = mpi::initialize_with_threading(Threading::Funneled).ok_or_else(twice)?;
        let world = universe.world();
        let session = Session { universe: Some(universe), world, is_broken: Cell::new(false) };
        if provided < Threading::Funneled {
            let message = "this MPI does not work in a process with threads".to_owned();
            return Err(RunError::Mpi { code: "mpi_threads", message });
        }
        Ok(session)
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        usize::try_from(self.world.rank()).unwrap_or(0)
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    /// Runs an operator, a rank a process; rank 0 gets the recording. All ranks call it with the same settings, of which
    /// only the interrupt of rank 0 is checked.
    ///
    /// # Errors
    /// As of [`threads`](crate::run::threads); or there is another number of ranks than of processes.
    pub fn run(&self, operator: &dyn FixedPoint, settings: &Settings) -> Result<Ran, RunError> {
        let pieces = settings.pieces(operator)?;
        if pieces.len() != self.size() {
            let message = format!("{} ranks were started for {} processes", self.size(), pieces.len());
            return Err(RunError::Mpi { code: "ranks", message });
        }
        let result = self.phases(operator, settings, &pieces);
        self.is_broken.set(result.is_err());
        result
    }

    /// Leaves MPI as it is in the end, after an error of one's own: other ranks wait for this one.
    pub fn abandon(&self) {
        self.is_broken.set(true);
    }

    fn phases(&self, operator: &dyn FixedPoint, settings: &Settings, pieces: &[Vec<usize>]) -> Result<Ran, RunError> {
        let lengths: Vec<usize> = pieces.iter().map(Vec::len).collect();
        let clock = Clock::agree(&self.world);
        let mut ranks = Ranks::new(&self.world, clock, &lengths);
        let rows = Process::new(operator, settings, pieces, self.rank()).run(&mut ranks)?;
        ranks.close();
        // All ranks stop with the same phase.
        let is_interrupted = (rows.phases.len() as u64) < settings.phases;
        let held = process::semantics(operator, settings);
        let recording = |processes| Recording::of(processes, held, settings);
        Ok(Ran { recording: gather(&self.world, rows)?.map(recording), is_interrupted })
    }
}

impl Drop for Session {
    /// Ends MPI if all is well. If not, other ranks may never come to its end, which waits for all of them: MPI is then
    /// left as it is, and the launcher ends the others when this process has ended.
    ///
    /// # Standard section(s)
    /// 11.2.2
    fn drop(&mut self) {
        if self.is_broken.get() || std::thread::panicking() {
            std::mem::forget(self.universe.take());
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session(rank {} of {})", self.rank(), self.size())
    }
}

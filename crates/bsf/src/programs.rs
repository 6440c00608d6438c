//! Programs on the skeleton that are ready to run.
//!
//! | program | problem | in the cost model |
//! |---|---|---|
//! | [`jacobi`] | a system of linear equations, by the method of Jacobi | `jacobi` |
//! | [`cimmino`] | a system of linear inequalities, by projections on all rows at once | `cimmino` |
//! | [`gravity`] | the path of a small body among large ones | `gravity` |
//! | [`stats`] | mean and variance of numbers, some of them absent, as two jobs | - |
//!
//! [`PROGRAMS`] lists them with their options; [`Program::new`] builds one by its name. [`Program::with`] gives access
//! to the [`Problem`] itself, with its types.

mod calibrate;
pub mod cimmino;
pub mod gravity;
pub mod jacobi;
mod memory;
mod problem;
mod report;
mod settings;
pub mod stats;

pub use problem::{Judgement, Problem, Visit};
pub use report::{Look, Report};
pub use settings::{Kind, OptionInfo, Settings};

use crate::skeleton::{Backend, CalibrateOptions, Calibration, RunError, RunOptions};
use cimmino::Cimmino;
use gravity::Gravity;
use jacobi::Jacobi;
use runcast_core::Problems;
use serde_json::{Map, Value};
use stats::Stats;

/// A program that can be built by its name.
#[derive(Debug, Clone, Copy)]
pub struct ProgramInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The options, with defaults.
    pub options: &'static [OptionInfo],
    /// Its name in the cost model, where its operations are counted.
    pub cost_model: Option<&'static str>,
    build: fn(&Settings) -> Result<Program, Problems>,
}

pub const PROGRAMS: [ProgramInfo; 4] = [jacobi::INFO, cimmino::INFO, gravity::INFO, stats::INFO];

/// A program with its parameters.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Program {
    /// A system of linear equations.
    Jacobi(Jacobi),
    /// A system of linear inequalities.
    Cimmino(Cimmino),
    /// A small body among large ones.
    Gravity(Gravity),
    /// Mean and variance.
    Stats(Stats),
}

impl Program {
    /// The program of this name with these settings.
    ///
    /// # Errors
    /// There is none of this name, a setting is not one of its options, is missing, or out of range.
    pub fn new(name: &str, settings: &Settings) -> Result<Self, Problems> {
        let info = PROGRAMS.iter().find(|info| info.name == name).ok_or_else(|| {
            let names: Vec<&str> = PROGRAMS.iter().map(|info| info.name).collect();
            runcast_core::Problem::new("unknown_program", format!("there is no program \"{name}\""))
                .value(name)
                .allowed(names.join(", "))
        })?;
        settings.all_among(info.options, info.name)?;
        (info.build)(settings)
    }

    /// Its entry in the list of programs.
    pub fn info(&self) -> &'static ProgramInfo {
        match self {
            Program::Jacobi(_) => &jacobi::INFO,
            Program::Cimmino(_) => &cimmino::INFO,
            Program::Gravity(_) => &gravity::INFO,
            Program::Stats(_) => &stats::INFO,
        }
    }

    /// Shows the problem, with its types, to a visitor.
    pub fn with<V: Visit>(&self, visitor: V) -> V::Out {
        match self {
            Program::Jacobi(problem) => visitor.visit(problem),
            Program::Cimmino(problem) => visitor.visit(problem),
            Program::Gravity(problem) => visitor.visit(problem),
            Program::Stats(problem) => visitor.visit(problem),
        }
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// Its name in the cost model, where its operations are counted.
    pub fn cost_model(&self) -> Option<&'static str> {
        self.info().cost_model
    }

    /// Its parameters as documents show them, defaults included.
    pub fn parameters(&self) -> Map<String, Value> {
        self.with(problem::Parameters)
    }

    /// Unknowns, bodies, numbers: the value of `--size`.
    pub fn size(&self) -> u64 {
        self.with(problem::Size)
    }

    pub fn list_length(&self) -> u64 {
        self.with(problem::ListLength)
    }

    /// Default number of iterations; none if it stops by itself.
    pub fn default_iterations(&self) -> Option<u64> {
        self.with(problem::DefaultIterations)
    }

    /// Memory of the blocks of all workers together \[B\].
    pub fn memory_bytes(&self) -> f64 {
        self.with(problem::MemoryBytes)
    }

    /// The part needed on this machine, as far as known: MPI workers may be on others.
    fn memory_here_bytes(&self, options: &RunOptions) -> f64 {
        match (options.backend, options.workers) {
            (Backend::Serial | Backend::Threads, _) => self.memory_bytes(),
            (Backend::Mpi, 0) => 0.0,
            (Backend::Mpi, workers) => self.memory_bytes() / workers as f64,
        }
    }

    /// Runs it; returns the report at the master, and nothing in the other MPI ranks.
    ///
    /// # Errors
    /// The memory does not suffice, and those of [`run`](crate::skeleton::run).
    pub fn run(&self, options: &RunOptions) -> Result<Option<Report>, RunError> {
        self.run_watched(options, 0, |_| {})
    }

    /// Runs it, and shows every n-th approximation on the way (0: none).
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn run_watched(
        &self,
        options: &RunOptions,
        every: u64,
        look: impl FnMut(Look<'_>) + Send,
    ) -> Result<Option<Report>, RunError> {
        memory::check(self.memory_here_bytes(options))?;
        self.with(report::Run { options, every, look })
    }

    /// Measures its costs with one worker; returns them at the master, and nothing in the other MPI ranks.
    ///
    /// # Errors
    /// The memory does not suffice, and those of [`calibrate`](crate::skeleton::calibrate).
    pub fn calibrate(&self, options: &CalibrateOptions) -> Result<Option<Calibration>, RunError> {
        memory::check(self.memory_bytes())?;
        self.with(calibrate::Calibrate(options))
    }
}

/// The largest of several sizes; NaN if one of them is NaN.
fn largest(sizes: impl Iterator<Item = f64>) -> f64 {
    sizes.fold(0.0, |largest, size| if size > largest || size.is_nan() { size } else { largest })
}

#[cfg(test)]
mod tests;

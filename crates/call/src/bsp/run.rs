//! The calculation: a stack of machines, each executing its task superstep by superstep.
//!
//! Both readings, and raw BSP, go through the program together: no formula depends on time, so groups, messages
//! and work are the same in total. Formulas whose value cannot differ between the processors of a machine are evaluated
//! once per machine.

mod close;
mod engine;
mod frame;
mod groups;
mod record;
mod scope;
mod setup;
mod traffic;
mod work;

pub(super) use record::{Event, Log, NONE, Record, StepRecord};

use super::outcome::Outcome;
use super::prepare::Prepared;
use super::{Assignment, Models};
use engine::Engine;
use runcast_core::Problem;
use scope::Evaluator;
use std::sync::atomic::AtomicBool;

/// Details to record besides the finish times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Detail {
    /// Nothing.
    #[default]
    None,
    /// Supersteps and the critical path.
    Steps,
    /// Activities of every processor over time, in both readings.
    Picture,
}

/// Limits of a calculation.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Maximum number of processor-supersteps; a superstep of a machine counts once for each of its processors.
    pub steps: u64,
    pub detail: Detail,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { steps: 100_000_000, detail: Detail::None, interrupt: None }
    }
}

impl Prepared {
    /// What its author calls it.
    pub fn title(&self) -> Option<&str> {
        self.program.title()
    }

    /// Calculates the program with some parameters set.
    ///
    /// # Errors
    /// A parameter that the program does not have; a value that is not allowed, with task, step and
    /// processor; more work than `limits` allow.
    pub fn run(&self, set: &[Assignment], models: &Models, limits: &Limits<'_>) -> Result<Outcome<'_>, Problem> {
        let parameters = self.parameters(set)?;
        let values: Vec<f64> = parameters.values().copied().collect();
        let processors = self.processors(&values, limits)?;
        let evaluator = Evaluator::new(&self.program.source, models);
        let mut engine = Engine::new(self, &evaluator, &values, processors, limits)?;
        engine.run()?;
        let Engine { clocks, raw, record, .. } = engine;
        Ok(Outcome::new(self, parameters, clocks, raw.is_some(), record))
    }
}

/// One g, L and p for everything, as numbers.
#[derive(Debug)]
pub(super) struct RawCosts {
    pub gap: f64,
    pub latency: f64,
    pub prices: Vec<Option<f64>>,
}

/// The current time of each processor, in each reading.
#[derive(Debug)]
pub(super) struct Clocks {
    pub start: Vec<f64>,
    pub obsp: Vec<f64>,
    pub bsp: Vec<f64>,
    /// Empty without raw BSP.
    pub raw: Vec<f64>,
    /// Sums of OBSP*, by processor.
    pub work: Vec<f64>,
    pub wait: Vec<f64>,
    pub comm: Vec<f64>,
}

//! A coefficient whose scaling depends on the block: on what limits it.

use super::{Variable, Variables};
use crate::application::{Precision, Rates};
use runcast_core::Problem;

/// What one thread can do, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OneThread {
    /// Operations per second.
    pub rates: Rates,
    /// Bytes per second from memory.
    pub memory: Option<f64>,
    /// Clock times instructions a cycle.
    pub scalar: Option<f64>,
}

impl OneThread {
    /// Seconds of a block by the roofline of one thread; without operations and bytes, the time of an instruction.
    ///
    /// # Errors
    /// The figure that is unknown.
    fn seconds(&self, ops: f64, bytes: f64, precision: Precision) -> Result<f64, &'static str> {
        if !(ops > 0.0 || bytes > 0.0) {
            return self.scalar.map(|scalar| 1.0 / scalar).ok_or("clock and ipc");
        }
        let speed = || self.rates.get(precision).map(|rate| rate.flops * rate.efficiency).ok_or(precision.flops());
        let computing = if ops > 0.0 { ops / speed()? } else { 0.0 };
        let moving = if bytes > 0.0 { bytes / self.memory.ok_or("mem_bandwidth_core")? } else { 0.0 };
        Ok(computing.max(moving))
    }
}

/// A coefficient with what one thread can do where it was measured, and where it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    pub value: f64,
    pub on: OneThread,
    pub now: OneThread,
    /// 1 for times, -1 for rates.
    pub power: i32,
    /// By operations alone, whatever the block moves.
    pub by_ops: bool,
}

impl Scaling {
    /// Its value for a block.
    ///
    /// # Errors
    /// A figure that it depends on is unknown.
    pub fn evaluate(&self, variables: &Variables) -> Result<f64, Problem> {
        let known = |number: f64| if number.is_finite() { number } else { 0.0 };
        let (ops, bytes) = match self.by_ops {
            true => (1.0, 0.0),
            false => (known(variables.get(Variable::Ops)), known(variables.get(Variable::Bytes))),
        };
        let seconds = |of: &OneThread| {
            of.seconds(ops, bytes, variables.precision).map_err(|key| {
                let message = format!("a coefficient depends on {key}, which an entry of the exchange does not give");
                let problem = Problem::new("missing_figure", message).value(key);
                problem.hint("say what it depends on: scales = \"clock\", \"none\" or another")
            })
        };
        Ok(self.value * (seconds(&self.now)? / seconds(&self.on)?).powi(self.power))
    }
}

//! Counts of operations and numbers, and the speed of a machine.

use crate::cost::costs::{Costs, Times, Work, is_time};
use crate::cost::error::CostError;

/// The counts of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// `l`: length of the list.
    pub list_length: u64,
    /// `c_s`: numbers of 8 bytes that each worker is sent.
    pub send: f64,
    /// `c_Map`: operations of the map over the whole list.
    pub map: f64,
    /// `c_a`: operations of one fold.
    pub fold: f64,
    /// `c_r`: numbers of 8 bytes that each worker sends back.
    pub receive: f64,
    /// `c_p`: operations of the next approximation and the stop condition.
    pub compute: f64,
}

/// The speed of a machine.
///
/// `T` is `f64`, or [`Uncertain`](crate::cost::Uncertain).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine<T = f64> {
    /// `L`: latency of a message \[s\].
    pub latency_s: T,
    /// `o`: the part of `L` in which the master itself is busy \[s\]; none: all of it.
    pub overhead_s: Option<T>,
    /// `tau_op`: an average operation \[s\].
    pub op_time_s: T,
    /// `tau_tr`: transfer of one number of 8 bytes \[s\].
    pub transfer_time_s: T,
}

impl Counts {
    /// The costs on a machine.
    ///
    /// # Errors
    /// [`CostError`] names the first count, speed or time that is not allowed.
    pub fn costs(&self, machine: &Machine) -> Result<Costs, CostError> {
        self.check()?;
        machine.check()?;
        Costs::new(self.times(machine))
    }

    /// Operations of one iteration over the whole list without the master: `c_Map + l c_a`.
    pub fn work(&self) -> f64 {
        self.map + self.list_length as f64 * self.fold
    }

    /// Checks that every count is a number of 0 or more.
    ///
    /// # Errors
    /// The first count that is not.
    pub fn check(&self) -> Result<(), CostError> {
        let counts = [
            ("send", self.send),
            ("map", self.map),
            ("fold", self.fold),
            ("receive", self.receive),
            ("compute", self.compute),
        ];
        let wrong = counts.into_iter().find(|(_, count)| !(count.is_finite() && *count >= 0.0));
        wrong.map_or(Ok(()), |(key, count)| Err(CostError::Count { key, count }))
    }

    pub(in crate::cost) fn times(&self, machine: &Machine) -> Times {
        let (op_s, transfer_s) = (machine.op_time_s, machine.transfer_time_s);
        Times {
            list_length: self.list_length,
            latency_s: machine.latency_s,
            overhead_s: machine.overhead_s,
            send_s: self.send * transfer_s,
            receive_s: self.receive * transfer_s,
            work: Work::Map(self.map * op_s),
            fold_s: self.fold * op_s,
            compute_s: self.compute * op_s,
        }
    }
}

impl Machine {
    /// Checks the times of a number and an operation; the rest is checked with the costs.
    pub(in crate::cost) fn check(&self) -> Result<(), CostError> {
        let speeds = [("op_time", self.op_time_s), ("transfer_time", self.transfer_time_s)];
        let wrong = speeds.into_iter().find(|(_, seconds)| !is_time(*seconds));
        wrong.map_or(Ok(()), |(key, seconds)| Err(CostError::Time { key, seconds }))
    }
}

impl<T> Machine<T> {
    /// Maps the values of the machine, in the order of the fields.
    pub fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> Machine<U> {
        Machine {
            latency_s: each(&self.latency_s),
            overhead_s: self.overhead_s.as_ref().map(&mut each),
            op_time_s: each(&self.op_time_s),
            transfer_time_s: each(&self.transfer_time_s),
        }
    }
}

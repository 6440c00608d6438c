//! What may be wrong with costs that were measured.

use super::Measured;
use crate::human;
use runcast_bench::Machine;
use runcast_bsf::cost::{Collective, Form};
use runcast_core::Warning;

/// An iteration that takes longer than its costs by more than this factor waits for something else.
const ACCOUNTED: f64 = 1.25;
/// Work that varies by more than this between iterations was disturbed.
const STEADY: f64 = 2.0;

pub(super) fn warnings(measured: &Measured<'_>) -> Vec<Warning> {
    let all = [
        busy(&measured.machine),
        noisy(measured),
        waiting(measured),
        without_overhead(measured),
        costs_in_vain(measured),
    ];
    all.into_iter().flatten().collect()
}

/// More goes on than there are cores.
pub fn busy(machine: &Machine) -> Option<Warning> {
    let threads = machine.usable_threads?;
    let load = machine.load.filter(|load| *load > f64::from(threads))?;
    let message = format!(
        "the machine is busy, with a load of {} on {}: times are longer than they would be",
        human::significant(load, 2),
        human::count(threads as usize, "core", "cores")
    );
    Some(Warning::new("machine_busy", message))
}

fn noisy(measured: &Measured<'_>) -> Option<Warning> {
    let work = measured.calibration.work_s;
    let factor = work.high / work.low;
    (factor > STEADY).then(|| {
        let message = format!(
            "the work of an iteration varies by a factor of {}: something else uses the caches and the memory; measure again when the machine is idle",
            human::significant(factor, 2)
        );
        Warning::new("noisy", message)
    })
}

/// The costs do not tell all that an iteration takes.
fn waiting(measured: &Measured<'_>) -> Option<Warning> {
    let iteration_s = measured.calibration.iteration_s.value;
    let costs_s = super::costs(&measured.calibration)?.time_s(Form::Smooth, Collective::Flat, 1);
    (iteration_s > ACCOUNTED * costs_s).then(|| {
        let message = format!(
            "an iteration takes {}, its costs add up to {}: other programs use the cores, or threads wake slowly (then --wait spin helps); runs will take longer than predicted",
            human::quantity(iteration_s, "s"),
            human::quantity(costs_s, "s")
        );
        Warning::new("waiting", message)
    })
}

fn without_overhead(measured: &Measured<'_>) -> Option<Warning> {
    (measured.args.is_mpi() && measured.calibration.overhead_s.is_none()).then(|| {
        let message =
            "overhead needs 3 processes to be measured; without it the master counts as busy for all of the latency";
        Warning::new("no_overhead", message)
    })
}

/// As `bsf predict` would say.
fn costs_in_vain(measured: &Measured<'_>) -> Option<Warning> {
    let costs = super::costs(&measured.calibration)?;
    (!costs.applicable()).then(|| {
        let message = "a worker costs more than all the work that workers share: every worker makes it slower";
        Warning::new("communication_bound", message)
    })
}

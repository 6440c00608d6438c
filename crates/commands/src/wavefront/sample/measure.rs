//! Measuring on threads.

use super::operator::Loaded;
use super::options::How;
use super::origin::Origin;
use super::{SampleArgs, Sampled, check, warnings};
use crate::context::Context;
use crate::failure::Failure;
use crate::wavefront::watch::Watch;
use runcast_bench::Machine;
use runcast_core::Problem;
use runcast_wavefront::run::{self, FixedPoint, Linear, Pace, RunError, Settings};
use runcast_wavefront::sample::measured::{Host, Measured, of_run};
use runcast_wavefront::sample::work::{Busy, Sweep, Work};
use runcast_wavefront::sample::{Plan, threads};
use std::sync::Arc;

/// What the bar of a measurement says.
pub(super) const MEASURING: &str = "measuring updates and messages";

/// Measures on threads, and looks at what came out.
pub(super) fn on_threads<'a>(args: &'a SampleArgs, context: &mut Context) -> Result<Sampled<'a>, Failure> {
    let operator = Loaded::of(args, args.processes(), context)?;
    let plan = plan(args, args.processes(), context);
    let operations = args.work_s().map(Busy::calibrate);
    let watch = Watch::new(MEASURING, plan.samples(), context);
    let shown = watch.done(0, None);
    let panicked = |process: usize| {
        Failure::undone(Problem::new("panicked", format!("the update of process {process} has panicked")))
    };
    let measured = match args.how {
        How::Loop => in_the_loop(args, operator.as_ref(), operations, shown, context).map_err(|error| match error {
            RunError::Panicked { process, .. } => panicked(process),
            other => crate::wavefront::run::failure(other),
        }),
        How::Busy => {
            let work = |process: usize| work(operator.as_ref(), operations, process);
            let measured = threads::measure(&plan, &host(args), &work, &mut |done| shown(done));
            measured.map_err(|process| panicked(process + 1))
        }
    };
    watch.end(context);
    let measured = measured?;
    if measured.is_interrupted && measured.samples.rows.is_empty() {
        return Err(Failure::interrupted());
    }
    let told = warnings::of_measuring(args, &measured);
    let origin = Origin::measured(args, &measured, operator.as_ref(), None);
    check::look(args, origin, measured.samples, told)
}

/// Phases of the synchronous loop, one update each: processes block, and are woken, as in a run.
fn in_the_loop(
    args: &SampleArgs,
    operator: Option<&Loaded>,
    operations: Option<u64>,
    shown: Arc<dyn Fn(u64) + Send + Sync>,
    context: &Context,
) -> Result<Measured, RunError> {
    let processes = args.processes();
    let uniform = || Linear::uniform(0.5, &vec![(args.bytes / size_of::<f64>()).max(1); processes]);
    let own = operator.is_none().then(uniform);
    let operator = match (&own, operator) {
        (Some(own), _) => own as &dyn FixedPoint,
        (None, Some(operator)) => operator.fixed_point(),
        (None, None) => return Err(RunError::Message("there is no operator".to_owned())),
    };
    let each = (processes * processes) as u64;
    let settings = Settings {
        updates: vec![(1, 0); processes],
        phases: args.updates as u64,
        pace: Pace::Work(operations.unwrap_or(0)),
        interrupt: Some(Arc::clone(&context.interrupt)),
        on_phase: Some(Arc::new(move |phase| shown(phase * each))),
        ..Settings::default()
    };
    Ok(of_run(&run::threads(operator, &settings)?, &host(args)))
}

/// What is to be measured.
pub(super) fn plan(args: &SampleArgs, processes: usize, context: &Context) -> Plan {
    Plan {
        processes,
        updates: args.updates,
        messages: args.messages,
        bytes: args.bytes,
        others: args.others,
        interrupt: Some(Arc::clone(&context.interrupt)),
    }
}

/// What a process does in an update: its sweep, then the busy work.
pub(super) fn work<'w>(operator: Option<&'w Loaded>, operations: Option<u64>, process: usize) -> Box<dyn Work + 'w> {
    let mut parts: Vec<Box<dyn Work + 'w>> = Vec::new();
    if let Some(operator) = operator {
        parts.push(Box::new(Sweep::new(operator.fixed_point(), process)));
    }
    if let Some(operations) = operations {
        parts.push(Box::new(Busy::new(operations)));
    }
    Box::new(parts)
}

/// This machine. An MPI launcher may have tied each rank to cores of its own: then all of them count.
pub(super) fn host(args: &SampleArgs) -> Host {
    let machine = Machine::observe();
    let own = machine.usable_threads;
    let cores = if args.is_mpi() { machine.hardware_threads.max(own) } else { own };
    let cores = cores.and_then(|cores| usize::try_from(cores).ok()).unwrap_or(1);
    Host { name: machine.host.unwrap_or_else(|| "?".to_owned()), cores }
}

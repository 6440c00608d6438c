//! Measuring on threads.

use super::operator::Loaded;
use super::options::How;
use super::origin::Origin;
use super::rounds::Rounds;
use super::{SampleArgs, Sampled, check, rounds, turns, warnings};
use crate::context::Context;
use crate::failure::Failure;
use crate::wavefront::watch::Watch;
use runcast_bench::Machine;
use runcast_core::Problem;
use runcast_wavefront::model::{self, Degree, Semantics};
use runcast_wavefront::run::{self, FixedPoint, Linear, Pace, Recording, RunError, Settings};
use runcast_wavefront::sample::measured::{Host, Measured, of_run};
use runcast_wavefront::sample::pilot::{self, Pilot};
use runcast_wavefront::sample::work::{Busy, Sweep, Work};
use runcast_wavefront::sample::{Plan, threads};
use std::sync::Arc;

/// What the bar of a measurement says.
pub(super) const MEASURING: &str = "measuring updates and messages";

/// What is known beside the samples.
#[derive(Default)]
pub(super) struct Beside {
    /// The phases of the loop that the samples are from.
    pub pace: Option<pilot::Pace>,
    /// What overtaken updates were to the loop.
    pub semantics: Semantics,
    /// What the loop says of samples that are not from it.
    pub pilot: Option<Pilot>,
    /// The busy work of an update.
    pub work: Option<model::Work>,
}

/// What is measured, and how far it has come.
pub(super) struct Measuring<'a> {
    pub args: &'a SampleArgs,
    operator: Option<&'a Loaded>,
    /// Of the busy work of an update.
    operations: Option<u64>,
    pub context: &'a Context,
    /// Called with the number of samples so far.
    shown: Arc<dyn Fn(u64) + Send + Sync>,
}

/// Measures on threads, and looks at what came out.
pub(super) fn on_threads<'a>(args: &'a SampleArgs, context: &mut Context) -> Result<Sampled<'a>, Failure> {
    let operator = Loaded::of(args, args.processes(), context)?;
    let plan = plan(args, args.processes(), context);
    let operations = args.work_s().map(Busy::calibrate);
    let rounds = args.rounds().map_or(1, Rounds::count);
    let watch = Watch::new(MEASURING, plan.samples().saturating_mul(rounds), context);
    let measuring = Measuring { args, operator: operator.as_ref(), operations, context, shown: watch.done(0, None) };
    let work = args.work_s().zip(operations).map(|(time_s, operations)| model::Work { time_s, operations });
    let measured = match args.how() {
        How::Loop => match args.rounds() {
            Some(rounds) => rounds::measure(&measuring, rounds)
                .map(|(measured, pace)| (measured, Beside { pace, work, ..Beside::default() })),
            None => measuring.in_the_loop(args.updates as u64, true).map(|recording| {
                let semantics = recording.held;
                let beside = Beside { pace: pilot::Pace::of(&recording), semantics, pilot: None, work };
                (of_run(&recording, &host(args)), beside)
            }),
        },
        How::Busy if args.write_model.is_some() => turns::measure(&measuring, &plan)
            .map(|(measured, pilot)| (measured, Beside { pilot, work, ..Beside::default() })),
        How::Busy => measuring.busy(&plan, 0).map(|measured| (measured, Beside { work, ..Beside::default() })),
    };
    watch.end(context);
    let (measured, beside) = measured?;
    if measured.is_interrupted && measured.samples.rows.is_empty() {
        return Err(Failure::interrupted());
    }
    let told = warnings::of_measuring(args, &measured);
    let origin = Origin::measured(args, &measured, operator.as_ref(), None);
    check::look(args, origin, measured.samples, told, &beside)
}

impl Measuring<'_> {
    pub fn host(&self) -> Host {
        host(self.args)
    }

    /// So many samples there are by now.
    pub fn show(&self, samples: u64) {
        (self.shown)(samples);
    }

    /// Each update and message for itself, after so many samples before.
    pub fn busy(&self, plan: &Plan, before: u64) -> Result<Measured, Failure> {
        let (operator, operations, shown) = (self.operator, self.operations, &self.shown);
        let work = |process: usize| work(operator, operations, process);
        let measured = threads::measure(plan, &self.host(), &work, &mut |done| shown(before + done));
        measured.map_err(|process| panicked(process + 1))
    }

    /// Phases of the loop, one update each unless a degree is told: processes block, and are woken, as in a run.
    pub fn in_the_loop(&self, phases: u64, is_shown: bool) -> Result<Recording, Failure> {
        let processes = self.args.processes();
        let uniform = || Linear::uniform(0.5, &vec![(self.args.bytes / size_of::<f64>()).max(1); processes]);
        let own = self.operator.is_none().then(uniform);
        let operator = match (&own, self.operator) {
            (Some(own), _) => own as &dyn FixedPoint,
            (None, Some(operator)) => operator.fixed_point(),
            (None, None) => return Err(Failure::undone(Problem::new("operator", "there is no operator"))),
        };
        let (each, shown) = ((processes * processes) as u64, Arc::clone(&self.shown));
        let settings = Settings {
            updates: match self.args.degree(processes)? {
                Some(Degree { alpha, beta, .. }) => alpha.into_iter().zip(beta).collect(),
                None => vec![(1, 0); processes],
            },
            phases,
            pace: Pace::Work(self.operations.unwrap_or(0)),
            interrupt: Some(Arc::clone(&self.context.interrupt)),
            on_phase: is_shown.then(|| Arc::new(move |phase| shown(phase * each)) as Arc<dyn Fn(u64) + Send + Sync>),
            ..Settings::default()
        };
        run::threads(operator, &settings).map_err(|error| match error {
            RunError::Panicked { process, .. } => panicked(process),
            other => crate::wavefront::run::failure(other),
        })
    }
}

fn panicked(process: usize) -> Failure {
    Failure::undone(Problem::new("panicked", format!("the update of process {process} has panicked")))
}

/// What is to be measured.
pub(super) fn plan(args: &SampleArgs, processes: usize, context: &Context) -> Plan {
    Plan {
        processes,
        updates: args.updates,
        messages: args.messages(),
        bytes: args.bytes,
        others: args.others.unwrap_or_default(),
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

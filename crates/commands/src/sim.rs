//! `runcast sim`: an application model on a system model. A module a subcommand.

pub mod calibrate;
pub mod catalogue;
pub mod hardware;
pub mod jobs;
pub mod learn;
pub mod new;
pub mod optimize;
pub mod replay;
pub mod run;
pub mod sweep;
pub mod system;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast sim`.
#[derive(Debug, Clone, Args)]
pub struct SimArgs {
    #[command(subcommand)]
    pub to: Sim,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Sim {
    /// A model to start from: a template, one of three published applications, or a BSF costs file
    New(new::NewArgs),
    /// Simulate: time, energy, chance of failure, what limits and why
    Run(run::RunArgs),
    /// Simulate all combinations of parameters and hardware into a table; resumes
    Sweep(sweep::SweepArgs),
    /// Find the coefficients of a computational model in small real runs
    Calibrate(calibrate::CalibrateArgs),
    /// The best process counts and hardware: time, energy, reliability and cost
    Optimize(optimize::OptimizeArgs),
    /// Replay a GOAL schedule or a SimGrid time-independent trace
    Replay(replay::ReplayArgs),
    /// Make an application model of recordings of small runs
    Learn(learn::LearnArgs),
    /// A log of jobs on a system: waits, energy, lost work under a policy of the queue
    Jobs(jobs::JobsArgs),
    /// Check, show and convert systems
    System(system::SystemArgs),
    /// The catalogue of real hardware
    Hardware(hardware::HardwareArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &SimArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Sim::New(args) => new::run(args, context),
        Sim::Run(args) => run::run(args, context),
        Sim::Sweep(args) => sweep::run(args, context),
        Sim::Calibrate(args) => calibrate::run(args, context),
        Sim::Optimize(args) => optimize::run(args, context),
        Sim::Replay(args) => replay::run(args, context),
        Sim::Learn(args) => learn::run(args, context),
        Sim::Jobs(args) => jobs::run(args, context),
        Sim::System(args) => system::run(args, context),
        Sim::Hardware(args) => hardware::run(args, context),
    }
}

impl SimArgs {
    /// Whether it looks at [`Context::interrupt`] and stops in good order.
    pub fn stops_by_itself(&self) -> bool {
        matches!(
            self.to,
            Sim::Run(_)
                | Sim::Sweep(_)
                | Sim::Calibrate(_)
                | Sim::Optimize(_)
                | Sim::Replay(_)
                | Sim::Learn(_)
                | Sim::Jobs(_)
        )
    }
}

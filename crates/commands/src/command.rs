//! All commands in one enumeration.

use crate::context::Context;
use crate::examples;
use crate::failure::Failure;
use crate::human;
use crate::options::bare;
use crate::output::Output;
use crate::{advise, bench, compare, evaluate, fit, import, plan, predict, quickstart, report};
#[cfg(feature = "methods")]
use crate::{bsf, bsp, cll, llac, record, sim, wavefront};
use clap::Subcommand;

/// A command with its arguments.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Measure a small program here, forecast larger runs, and check
    #[command(after_help = examples::QUICKSTART)]
    Quickstart(quickstart::QuickstartArgs),
    /// Choose configurations to run: weak, strong or wide scaling, grids
    #[command(after_help = examples::PLAN)]
    Plan(plan::PlanArgs),
    /// Run a program over a plan, into a table; resumes
    #[command(after_help = examples::BENCH)]
    Bench(bench::BenchArgs),
    /// Turn files of other tools into a table
    #[command(after_help = examples::IMPORT)]
    Import(import::ImportArgs),
    /// Fit models to runs
    #[command(after_help = examples::fit())]
    Fit(fit::FitArgs),
    /// Predict runs that were not made, with intervals
    #[command(after_help = examples::predict())]
    Predict(predict::PredictArgs),
    /// Compare predictions with runs that the models have not seen
    #[command(after_help = examples::evaluate())]
    Evaluate(evaluate::EvaluateArgs),
    /// Forecasts of any methods and the runs, side by side
    #[command(after_help = examples::COMPARE)]
    Compare(compare::CompareArgs),
    /// Advise: how many processes to ask for, what to run next
    Advise(advise::AdviseArgs),
    /// Iterative algorithms as Map and Reduce: how many workers help
    #[cfg(feature = "methods")]
    Bsf(bsf::BsfArgs),
    /// Programs of supersteps: barriers or oblivious synchronization
    #[cfg(feature = "methods")]
    Bsp(bsp::BspArgs),
    /// C and C++ with formulas in pragmas: record times, write traces
    #[cfg(feature = "methods")]
    Cll(cll::CllArgs),
    /// Find the constants of formulas in traces, and where they hold
    #[cfg(feature = "methods")]
    Llac(llac::LlacArgs),
    /// Iterations on shared machines: synchronous or asynchronous
    #[cfg(feature = "methods")]
    Wavefront(wavefront::WavefrontArgs),
    /// Simulate an application on a system: time, energy, failures
    #[cfg(feature = "methods")]
    Sim(sim::SimArgs),
    /// Record an MPI program, unchanged: its calls, blocks and sites
    #[cfg(feature = "methods")]
    Record(record::RecordArgs),
    /// Write an HTML page from tables, models and evaluations
    #[command(after_help = examples::REPORT)]
    Report(report::ReportArgs),
    /// One task of a job array; batch scripts call it
    #[command(hide = true)]
    BenchTask(bench::BenchTaskArgs),
    /// The program that quickstart measures
    #[command(hide = true)]
    QuickstartKernel(quickstart::kernel::KernelArgs),
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// [`Failure`] says what is wrong.
    pub fn run(&self, context: &mut Context) -> Result<Output, Failure> {
        let mut output = match self {
            Command::Quickstart(args) => quickstart::run(args, context),
            Command::QuickstartKernel(args) => quickstart::kernel::run(args, context),
            Command::Plan(args) => plan::run(args, context),
            Command::Bench(args) => bench::run(args, context),
            Command::BenchTask(args) => bench::run_task(args, context),
            Command::Import(args) => import::run(args, context),
            Command::Fit(args) => fit::run(args, context),
            Command::Predict(args) => predict::run(args, context),
            Command::Evaluate(args) => evaluate::run(args, context),
            Command::Compare(args) => compare::run(args, context),
            Command::Advise(args) => advise::run(args, context),
            #[cfg(feature = "methods")]
            Command::Bsf(args) => bsf::run(args, context),
            #[cfg(feature = "methods")]
            Command::Bsp(args) => bsp::run(args, context),
            #[cfg(feature = "methods")]
            Command::Cll(args) => cll::run(args, context),
            #[cfg(feature = "methods")]
            Command::Llac(args) => llac::run(args, context),
            #[cfg(feature = "methods")]
            Command::Wavefront(args) => wavefront::run(args, context),
            #[cfg(feature = "methods")]
            Command::Sim(args) => sim::run(args, context),
            #[cfg(feature = "methods")]
            Command::Record(args) => record::run(args, context),
            Command::Report(args) => report::run(args, context),
        }?;
        output.warnings.extend(bare::warnings(&context.command_line));
        output.human = human::wrapped(output.human, context.screen);
        if let Some(read_as) = context.read_as.take() {
            output.document = output.document.map(|document| document.with("read_as", read_as.clone()));
            output.read_as = Some(read_as);
        }
        Ok(output)
    }

    /// Calls a compiler, if that is what the command does: its exit code. Signals, the terminal and all output are the
    /// compiler's, so nothing of ours is set up before.
    pub fn wraps(&self) -> Option<Result<u8, Failure>> {
        match self {
            #[cfg(feature = "methods")]
            Command::Cll(cll::CllArgs { to: cll::Cll::Cc(args) }) if args.wraps() => Some(cll::cc::wrap(args)),
            _ => None,
        }
    }

    /// Whether it looks at [`Context::interrupt`] and stops in good order; others are simply ended.
    pub fn stops_by_itself(&self) -> bool {
        match self {
            #[cfg(feature = "methods")]
            Command::Bsf(args) => args.stops_by_itself(),
            #[cfg(feature = "methods")]
            Command::Wavefront(args) => args.stops_by_itself(),
            #[cfg(feature = "methods")]
            Command::Sim(args) => args.stops_by_itself(),
            #[cfg(feature = "methods")]
            Command::Llac(_) | Command::Record(_) => true,
            command => matches!(command, Command::Quickstart(_) | Command::Bench(_) | Command::BenchTask(_)),
        }
    }
}

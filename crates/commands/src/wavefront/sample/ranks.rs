//! Measuring on the ranks of MPI: starting them, and being one.

use super::SampleArgs;
use crate::bsf::launch::{self, Launch, Part};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use runcast_core::Problem;

/// Starts the launcher and watches, or measures as a rank.
pub(super) fn run(args: &SampleArgs, context: &mut Context) -> Result<Output, Failure> {
    match launch::part(&args.launch, context)? {
        Part::Parent => below(args, context),
        Part::Nothing(output) => Ok(output),
        #[cfg(feature = "mpi")]
        Part::Rank(rank) => {
            let result = as_rank(args, &rank, context);
            rank.finish(result)
        }
        #[cfg(not(feature = "mpi"))]
        Part::Rank(rank) => rank.finish(Err(Failure::interrupted())),
    }
}

/// Starts the launcher, after all that can be wrong without it.
fn below(args: &SampleArgs, context: &mut Context) -> Result<Output, Failure> {
    let processes = args.processes();
    if processes < 2 {
        let problem = Problem::new("one_process", "a process of MPI alone has nobody to send messages to");
        return Err(problem.at("--processes").allowed("2 or more").hint("--backend threads measures one alone").into());
    }
    super::operator::Loaded::of(args, processes, context)?;
    let launch = Launch {
        args: &args.launch,
        workers: processes - 1,
        are_equal: true,
        threads: 1,
        checkpoint: None,
        resume: None,
        iterations: Some(super::measure::plan(args, processes, context).samples()),
    };
    launch::run(&launch, context).map_err(crate::bsf::calibrate::without_checkpoint)
}

#[cfg(feature = "mpi")]
fn as_rank(args: &SampleArgs, rank: &launch::Rank, context: &mut Context) -> Result<Output, Failure> {
    use super::measure::{Beside, MEASURING, host, plan, work};
    use super::operator::Loaded;
    use super::origin::Origin;
    use super::{check, output, warnings};
    use crate::wavefront::watch::Watch;
    use runcast_bsf::skeleton::mpi::Session;
    use runcast_wavefront::model::Work;
    use runcast_wavefront::sample::mpi;
    use runcast_wavefront::sample::work::Busy;

    // Kept until the end: MPI ends with it.
    let session = Session::open().map_err(crate::bsf::run::error::failure)?;
    let processes = mpi::size();
    check_ranks(args, processes)?;
    let operator = Loaded::of(args, processes, context)?;
    let plan = plan(args, processes, context);
    let calibrated = |seconds: f64| if rank.is_master() { Busy::calibrate(seconds) } else { 0 };
    let operations = args.work_s().map(|seconds| mpi::as_rank_0_says(calibrated(seconds)));
    let watch = Watch::new(MEASURING, plan.samples(), context);
    let shown = watch.done(0, Some(rank));
    let work = work(operator.as_ref(), operations, session.rank());
    let measured = mpi::measure(&plan, &host(args), work, &mut |done| shown(done));
    watch.end(context);
    let Some(measured) = measured else { return Ok(Output::default()) };
    if measured.is_interrupted && measured.samples.rows.is_empty() {
        return Err(Failure::interrupted());
    }
    let told = warnings::of_measuring(args, &measured);
    let library = runcast_bsf::skeleton::mpi::library_version();
    let origin = Origin::measured(args, &measured, operator.as_ref(), library);
    let work = args.work_s().zip(operations).map(|(time_s, operations)| Work { time_s, operations });
    output(check::look(args, origin, measured.samples, told, &Beside { work, ..Beside::default() })?, context)
}

/// The launcher has started as many ranks as were asked for, if a number was.
#[cfg(feature = "mpi")]
fn check_ranks(args: &SampleArgs, ranks: usize) -> Result<(), Failure> {
    let wanted = args.processes.or(args.pieces.as_ref().map(Vec::len));
    match wanted {
        Some(wanted) if wanted != ranks => {
            let problem = Problem::new("ranks", format!("{ranks} ranks were started for {wanted} processes"));
            Err(problem.at("--processes").value(wanted.to_string()).allowed(ranks.to_string()).into())
        }
        _ => args.check_size(ranks as u64),
    }
}

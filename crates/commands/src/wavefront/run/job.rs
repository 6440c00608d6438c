//! The runs, one after the other, and what they come to.

use super::super::model_file;
use super::super::watch::Watch;
use super::launched;
use super::options::RunArgs;
use super::program::Program;
use super::tables::Tables;
use crate::bsf::launch::Rank;
use crate::context::Context;
use crate::failure::Failure;
use runcast_bsf::skeleton::Backend;
use runcast_core::{Problem, Warning};
use runcast_wavefront::Model;
use runcast_wavefront::model::{Degree, Semantics, Work};
use runcast_wavefront::run::{
    Adding, Laws, Measured, Names, Overshoot, Pace, Recording, RunError, Settings, Span, threads,
};
use runcast_wavefront::sample::diagnose;
use runcast_wavefront::sample::work::Busy;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Threads of one process at most.
const THREADS_MOST: usize = 512;

/// Rows of all processes that are kept in memory until a run has ended.
pub(super) const ROWS_MOST: u64 = 20_000_000;

/// What is to be run.
pub struct Job {
    /// The model, with the options in place and the operator that runs.
    pub model: Arc<Model>,
    /// What is iterated.
    pub program: Program,
    /// What the model file has to say to the user.
    pub notes: Vec<String>,
    /// The same as warnings.
    pub warnings: Vec<Warning>,
    /// The busy work of the samples that the model is from.
    work: Option<Work>,
    /// Degrees of the file.
    pub degrees: Vec<Degree>,
    pub args: RunArgs,
    names: Vec<String>,
}

/// What the runs came to.
pub struct Done {
    /// Runs that were made, the last one perhaps not to its end.
    pub runs: u64,
    /// What is measured on the lattice of the model, over the phases that count.
    pub measured: Option<Measured>,
    /// Without `--emulate`, the model that the first half of the phases makes; or why there is none.
    pub model: Option<Result<Model, String>>,
    /// The semantics that held.
    pub held: Semantics,
    /// By how much emulated times were too long.
    pub overshoot: Overshoot,
    /// Rows that are not in the tables.
    pub left_out: u64,
    /// A stop was asked for.
    pub is_interrupted: bool,
    /// The tables.
    pub files: Vec<String>,
    /// What real times have against the assumptions of the model, in the first run.
    pub doubts: Vec<Warning>,
}

impl Job {
    /// Reads the model.
    ///
    /// # Errors
    /// What is wrong with it, or with the options.
    pub fn read(args: &RunArgs, context: &mut Context) -> Result<Job, Failure> {
        let mut read = model_file::read(&args.model, &args.overrides.overrides()?, context)?;
        if args.emulate && read.model.sends_on() {
            let problem = Problem::new("sends", "sends one after the other are not emulated");
            return Err(problem.at("--emulate").hint("a model without send, or real work: --work 2ms").into());
        }
        let program = Program::of(&mut read, args.seed.seed)?;
        let processes = read.model.size();
        if args.backend() == Backend::Threads && processes > THREADS_MOST {
            let problem = Problem::new("too_many_threads", format!("{processes} processes as threads of one"));
            return Err(problem.allowed(format!("at most {THREADS_MOST}")).hint("run them under MPI").into());
        }
        if (processes as u64).saturating_mul(args.phases) > ROWS_MOST {
            let problem = Problem::new("too_many_phases", format!("{} phases of {processes} processes", args.phases));
            let allowed = format!("at most {} phases a run", ROWS_MOST / processes as u64);
            return Err(problem.at("--phases").allowed(allowed).hint("make several runs with --repetitions").into());
        }
        let names = read.model.processes.iter().map(|process| process.name.clone()).collect();
        Ok(Job {
            model: Arc::new(read.model),
            program,
            notes: read.notes,
            warnings: read.warnings,
            work: read.work,
            degrees: read.degrees,
            args: args.clone(),
            names,
        })
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.names.len()
    }

    /// All runs, on threads.
    ///
    /// # Errors
    /// The operator fails, a table cannot be written, or a stop was asked for before anything was measured.
    pub fn on_threads(&self, context: &mut Context) -> Result<Done, Failure> {
        let watch = Watch::new("iterating", self.args.phases.saturating_mul(self.args.runs), context);
        let mut sums = Sums::new(self, &self.model, self.args.out.as_deref())?;
        let pace = self.pace();
        let mut ran = Ok(());
        for run in 0..self.args.runs {
            let mut settings = self.settings(&self.model, run, pace, &context.interrupt);
            settings.on_phase = Some(watch.done(run * self.args.phases, None));
            ran = threads(&*self.program.operator, &settings).map_err(failure).and_then(|it| sums.add(&it, self, run));
            if ran.is_err() || sums.is_interrupted {
                break;
            }
        }
        watch.end(context);
        ran?;
        sums.end()
    }

    /// All runs, on ranks; only the first one knows what they come to.
    ///
    /// # Errors
    /// As on threads; or there is another number of ranks than of processes.
    #[cfg(feature = "mpi")]
    pub fn on_ranks(&self, rank: &Rank, context: &mut Context) -> Result<Option<Done>, Failure> {
        use runcast_wavefront::run::mpi::Session;
        self.check_world()?;
        let watch = Watch::new("iterating", self.args.phases.saturating_mul(self.args.runs), context);
        let mut sums =
            if rank.is_master() { Some(Sums::new(self, &self.model, self.args.out.as_deref())?) } else { None };
        let pace = self.pace();
        let session = Session::open().map_err(failure)?;
        for run in 0..self.args.runs {
            let mut settings = self.settings(&self.model, run, pace, &context.interrupt);
            settings.on_phase = Some(watch.done(run * self.args.phases, Some(rank)));
            let ran = session.run(&*self.program.operator, &settings).map_err(failure)?;
            if let (Some(sums), Some(recording)) = (&mut sums, &ran.recording) {
                // Others would wait for this rank.
                sums.add(recording, self, run).inspect_err(|_| session.abandon())?;
            }
            if ran.is_interrupted {
                break;
            }
        }
        drop(session);
        watch.end(context);
        sums.map(|sums| sums.end()).transpose()
    }

    /// Without MPI no process is a rank: this was reported before.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "mpi"))]
    pub fn on_ranks(&self, _: &Rank, _: &mut Context) -> Result<Option<Done>, Failure> {
        let problem = Problem::new("without_mpi", "this runcast was built without MPI").at("--backend").value("mpi");
        Err(launched::own_words(problem.into()))
    }

    /// Before MPI starts: Open MPI would start a daemon for each process that another launcher has started.
    #[cfg(feature = "mpi")]
    fn check_world(&self) -> Result<(), Failure> {
        use runcast_bsf::skeleton::mpi::{MpiFamily, library_family, library_version, under_launcher};
        let Some(world) = under_launcher() else { return Ok(()) };
        let library = library_version().unwrap_or_default();
        let is_foreign = world.family != MpiFamily::Other && Some(world.family) != library_family();
        if is_foreign && world.size > Some(1) {
            let message =
                format!("this runcast is built for {library}, but was started by the launcher of {}", world.family);
            let problem = Problem::new("mpi_mismatch", message).allowed(format!("the launcher of {library}"));
            return Err(launched::own_words(problem.into()));
        }
        let (ranks, processes) = (world.size, self.processes());
        if let Some(ranks) = ranks.filter(|ranks| *ranks != processes) {
            let message = format!("{ranks} ranks were started for the {processes} processes of the model");
            return Err(Problem::new("ranks", message).value(ranks.to_string()).allowed(processes.to_string()).into());
        }
        Ok(())
    }

    fn sampled(&self) -> Option<Work> {
        let is_same = |time_s: f64, work: &Work| (time_s - work.time_s).abs() <= 1e-6 * work.time_s;
        self.work.filter(|work| self.args.work.is_none_or(|time_s| is_same(time_s, work)))
    }

    /// The time of the busy work of an update \[s\], as on a core that nobody disturbs.
    pub(super) fn work_s(&self) -> Option<f64> {
        let sampled = || self.sampled().filter(|_| !self.args.emulate).map(|work| work.time_s);
        self.args.work.or_else(sampled)
    }

    /// Operations of busy work that an update has; the same as the samples of the model had, where it knows them and no other
    /// time is asked for.
    pub(super) fn pace(&self) -> Option<u64> {
        let own = || self.args.work.map_or(0, Busy::calibrate);
        (!self.args.emulate).then(|| self.sampled().map_or_else(own, |work| work.operations))
    }

    /// How a run is to be made; without operations to add, its times are drawn.
    pub(super) fn settings(
        &self,
        model: &Arc<Model>,
        run: u64,
        operations: Option<u64>,
        interrupt: &Arc<AtomicBool>,
    ) -> Settings {
        let settings = Settings::emulating(model, self.args.seed.seed, run);
        let pace = operations.map_or(settings.pace.clone(), Pace::Work);
        let rows_most = settings.rows_most.min(ROWS_MOST as usize / self.processes());
        Settings { phases: self.args.phases, pace, rows_most, interrupt: Some(Arc::clone(interrupt)), ..settings }
    }

    /// Which phases are held against the prediction.
    pub fn span(&self) -> Span {
        if self.args.emulate { Span::All } else { Span::SecondHalf }
    }
}

/// What is added up, run by run.
pub(super) struct Sums {
    model: Arc<Model>,
    tables: Option<Tables>,
    adding: Adding,
    laws: Laws,
    /// Wavefronts are counted on the lattice of the model, which without `--emulate` is known after the first run.
    lattice: Option<Result<Model, String>>,
    runs: u64,
    held: Semantics,
    overshoot: Overshoot,
    left_out: u64,
    pub is_interrupted: bool,
    doubts: Vec<Warning>,
}

impl Sums {
    /// Of runs with the updates of `model`, whose tables go into the folder `out`.
    pub fn new(job: &Job, model: &Arc<Model>, out: Option<&Path>) -> Result<Sums, Failure> {
        Ok(Sums {
            model: Arc::clone(model),
            tables: out.map(Tables::create).transpose()?,
            adding: Measured::adding(job.processes(), job.span(), model.step_s),
            laws: Laws::new(job.processes()),
            lattice: None,
            runs: 0,
            held: model.semantics,
            overshoot: Overshoot::default(),
            left_out: 0,
            is_interrupted: false,
            doubts: Vec::new(),
        })
    }

    pub fn add(&mut self, recording: &Recording, job: &Job, run: u64) -> Result<(), Failure> {
        if let Some(tables) = &mut self.tables {
            tables.add(recording, Names { run, processes: &job.names })?;
        }
        if !job.args.emulate {
            self.laws.add(recording);
            if self.runs == 0 {
                self.on_measured_lattice(job);
                self.doubts = diagnose(&recording.series(&job.names)).warnings();
            }
        }
        self.adding.add(recording);
        self.runs += 1;
        self.held = recording.held;
        let overshoot = recording.overshoot();
        self.overshoot.count += overshoot.count;
        self.overshoot.sum += overshoot.sum;
        self.overshoot.most = self.overshoot.most.max(overshoot.most);
        self.left_out += recording.processes.iter().map(|rows| rows.left_out).sum::<u64>();
        self.is_interrupted = recording.is_interrupted;
        Ok(())
    }

    /// The lattice that the first run makes serves for all, so that wavefronts of several runs can be counted together.
    fn on_measured_lattice(&mut self, job: &Job) {
        let model = self.laws.model(&self.model, None).map_err(|error| error.to_string());
        if let Ok(model) = &model {
            self.adding = Measured::adding(job.processes(), job.span(), model.step_s);
        }
        self.lattice = Some(model);
    }

    pub fn end(self) -> Result<Done, Failure> {
        let measured = self.adding.end();
        if measured.is_none() && self.is_interrupted {
            return Err(Failure::interrupted());
        }
        let model = self.lattice.map(|first| {
            let step_s = first?.step_s;
            self.laws.model(&self.model, Some(step_s)).map_err(|error| error.to_string())
        });
        Ok(Done {
            runs: self.runs,
            measured,
            model,
            held: self.held,
            overshoot: self.overshoot,
            left_out: self.left_out,
            is_interrupted: self.is_interrupted,
            files: self.tables.as_ref().map_or(Vec::new(), Tables::files),
            doubts: self.doubts,
        })
    }
}

pub(in super::super) fn failure(error: RunError) -> Failure {
    let message = error.to_string();
    match error {
        RunError::Pieces(_) | RunError::Processes { .. } => Problem::new("pieces", message).into(),
        RunError::Panicked { .. } => Failure::undone(Problem::new("panicked", message)),
        RunError::Mpi { code, .. } => Problem::new(code, message).at("--backend").into(),
        _ => Failure::undone(Problem::new("message_failed", message)),
    }
}

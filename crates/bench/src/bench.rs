//! A benchmark: all runs of a plan, into a table.

use crate::error::BenchError;
use crate::figures::Figure;
use crate::journal::{Record, RunIdentity};
use crate::launcher::{self, Launcher, Prefix};
use crate::measure::Job;
use crate::observer::{Event, Observer};
use crate::order::{self, PlannedRun};
use crate::session;
use crate::slurm;
use crate::store::{self, OWN_COLUMNS, Store};
use crate::template::{Filling, Template};
use indexmap::IndexMap;
use runcast_core::plan::PlannedConfiguration;
use runcast_core::{Problem, Warning};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A benchmark: all runs of a plan, into a table.
///
/// # Examples
/// ```
/// use runcast_bench::{Bench, Figure, Launcher, Options, Template};
/// use runcast_core::{Configuration, plan::PlannedConfiguration};
/// # let folder = tempfile::tempdir()?;
/// # let table = folder.path().join("runs.csv");
/// let at = |p: f64| PlannedConfiguration::new("train", Configuration::from_pairs(&["p".into()], &[p]), 2);
/// let mut options = Options::new(&table);
/// options.figures.push(Figure::parse("solve_s=^solved in ([0-9.]+) s")?);
/// let bench = Bench {
///     plan: vec![at(1.0), at(2.0)],
///     template: Template::new(&["echo", "solved in {1/p} s"])?,
///     launcher: Launcher::Local,
///     options,
/// };
/// let outcome = bench.run(&mut ())?;
/// assert_eq!((outcome.ok, outcome.failed), (4, 0));
/// let text = std::fs::read_to_string(&table)?;
/// assert!(text.starts_with("# roles: "));
/// assert_eq!(text.lines().nth(1), Some("p,rep,time_s,cpu_s,peak_bytes,solve_s,status,key"));
/// assert_eq!(bench.run(&mut ())?.skipped, 4, "all is there already");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bench {
    /// The configurations, with their repetitions.
    pub plan: Vec<PlannedConfiguration>,
    pub template: Template,
    /// How it is started.
    pub launcher: Launcher,
    /// Everything else.
    pub options: Options,
}

#[derive(Debug, Clone)]
pub struct Options {
    /// The table to write; a journal is beside it.
    pub table: PathBuf,
    /// Seed of the order.
    pub seed: u64,
    /// What to pick out of the output.
    pub figures: Vec<Figure>,
    /// When a run is ended.
    pub time_limit: Option<Duration>,
    /// Runs before the first recorded one of each configuration, in each session (under Slurm: in each task).
    pub warmup: u32,
    /// Make failed runs again.
    pub retry_failed: bool,
    /// Start over; the old files are kept as `.bak`.
    pub restart: bool,
    /// What to record: a name, and a shell command whose first line of output is kept (`compiler`, `gcc --version`).
    pub record: Vec<(String, String)>,
    /// A working copy whose revision is recorded.
    pub git: Option<PathBuf>,
    /// Raised from outside to end the run in flight and stop.
    pub interrupt: Arc<AtomicBool>,
}

impl Options {
    /// The defaults, for this table.
    pub fn new(table: impl Into<PathBuf>) -> Self {
        Options {
            table: table.into(),
            seed: 0,
            figures: Vec::new(),
            time_limit: None,
            warmup: 0,
            retry_failed: false,
            restart: false,
            record: Vec::new(),
            git: None,
            interrupt: Arc::new(AtomicBool::new(false)),
        }
    }
}

/// The outcome of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub table: PathBuf,
    pub journal: PathBuf,
    /// Runs of the plan.
    pub total: usize,
    /// Runs made now that count.
    pub ok: usize,
    /// Runs made now that failed; the table has them, too.
    pub failed: usize,
    /// Runs that were there already.
    pub skipped: usize,
    /// It was interrupted before the plan was through.
    pub interrupted: bool,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

impl Bench {
    /// Makes all runs that are not in the table yet.
    ///
    /// # Errors
    /// The input is wrong, the table belongs to something else, a file cannot be written, or Slurm refuses.
    pub fn run(&self, observer: &mut impl Observer) -> Result<Outcome, BenchError> {
        let parameters = self.check()?;
        let runs = order::order(&self.plan, self.options.seed);
        let prefix = self.launcher.prepare()?;
        let mut warnings: Vec<Warning> = self.options.figures.iter().filter_map(Figure::unit_warning).collect();
        warnings.extend(prefix.warnings.iter().cloned());
        let assignments = self.assignments(&runs, &prefix)?;
        self.check_program(&assignments)?;
        let session = session::begin(self, &parameters, runs.len(), &mut warnings);
        let host = session.machine.host.clone();
        let mut store = Store::open(&self.options.table, &session, self.options.restart)?;
        warnings.append(&mut store.warnings);
        for warning in &warnings {
            observer.event(Event::Warned(warning));
        }

        let wanted = |assignment: &Assignment| match store.record_of(&assignment.run.key) {
            None => true,
            Some(record) => self.options.retry_failed && !record.measured.is_ok(),
        };
        let total = assignments.len();
        let keys: HashSet<String> = assignments.iter().map(|assignment| assignment.run.key.clone()).collect();
        let todo: Vec<Assignment> = assignments.into_iter().filter(wanted).collect();
        observer.event(Event::Planned { total, todo: todo.len() });
        let mut progress = Progress { observer, done: total - todo.len(), total, ok: 0, failed: 0 };
        let skipped = progress.done;
        match &self.launcher {
            Launcher::Local | Launcher::Mpirun(_) => self.run_here(todo, host, &mut store, &mut progress)?,
            Launcher::Slurm(slurm) => slurm::run(self, slurm, todo, &mut store, &mut progress)?,
        }
        let Progress { ok, failed, .. } = progress;
        warnings.extend(self.final_warnings(store.records().filter(|record| keys.contains(&record.run.key))));
        Ok(Outcome {
            table: self.options.table.clone(),
            journal: store::journal_path(&self.options.table),
            total,
            ok,
            failed,
            skipped,
            interrupted: skipped + ok + failed < total,
            warnings,
        })
    }

    /// One run after another on this machine.
    fn run_here<O: Observer>(
        &self,
        todo: Vec<Assignment>,
        host: Option<String>,
        store: &mut Store,
        progress: &mut Progress<'_, O>,
    ) -> Result<(), BenchError> {
        let interrupt = &self.options.interrupt;
        let mut warm = HashSet::new();
        for Assignment { run, job, .. } in todo {
            let started = |warmup| Event::Started { at: &run.at, rep: run.rep, warmup, argv: &job.argv };
            if warm.insert(run.at.to_string()) {
                for _ in 0..self.options.warmup {
                    progress.observer.event(started(true));
                    if !job.warm_up(interrupt) {
                        return Ok(());
                    }
                }
            }
            if interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
            progress.observer.event(started(false));
            let Some(measured) = job.measure(host.as_deref(), interrupt) else { return Ok(()) };
            progress.record(store, Record { run, measured })?;
        }
        Ok(())
    }

    /// The parameters of the plan, after checking plan, template and figures.
    fn check(&self) -> Result<Vec<String>, Problem> {
        let Some(first) = self.plan.iter().find(|planned| planned.repetitions > 0) else {
            return Err(
                Problem::new("empty_plan", "the plan holds no runs").hint("give configurations with repetitions")
            );
        };
        let parameters: Vec<String> = first.at.0.keys().cloned().collect();
        for planned in &self.plan {
            let same =
                planned.at.0.len() == parameters.len() && parameters.iter().all(|name| planned.at.get(name).is_some());
            if !same {
                return Err(Problem::new(
                    "bad_plan",
                    format!("the configuration {} lacks a parameter or has one more", planned.at),
                )
                .allowed(parameters.join(", ")));
            }
            if let Some((name, value)) = planned.at.0.iter().find(|(_, value)| !value.is_finite()) {
                return Err(Problem::new("bad_plan", format!("{name} is not a finite number")).value(value.to_string()));
            }
        }
        let mut taken: HashSet<&str> = OWN_COLUMNS.into_iter().chain(["set", "seed"]).collect();
        let figures = self.options.figures.iter().map(|figure| &figure.name);
        for name in parameters.iter().chain(figures) {
            if !taken.insert(name) {
                return Err(Problem::new("name_taken", format!("there is already a column {name}"))
                    .value(name.as_str())
                    .hint("choose another name: columns are parameters, rep, time_s, cpu_s, peak_bytes, figures, status, key"));
            }
        }
        // A table that is there already was begun without units: it is taken up as it is.
        if self.options.restart || !store::journal_path(&self.options.table).exists() {
            self.options.figures.iter().try_for_each(Figure::check_unit)?;
        }
        self.template.check_names(&parameters)?;
        self.launcher.templates().into_iter().try_for_each(|text| text.check_names(&parameters))?;
        Ok(parameters)
    }

    /// Every run, filled in, in the order of the plan: what cannot be filled in is reported before anything runs.
    fn assignments(&self, runs: &[PlannedRun], prefix: &Prefix) -> Result<Vec<Assignment>, Problem> {
        let Options { seed, time_limit, figures, .. } = &self.options;
        let mut assignments = Vec::with_capacity(runs.len());
        for (order, run) in runs.iter().enumerate() {
            let Some(planned) = self.plan.get(run.configuration) else { continue };
            let filling = Filling { at: &planned.at, rep: run.rep, seed: *seed };
            let filled = prefix.fill(&self.template, filling)?;
            let tasks = match &self.launcher {
                Launcher::Slurm(slurm) => launcher::whole(&slurm.ntasks, filling)?,
                Launcher::Local | Launcher::Mpirun(_) => String::new(),
            };
            let mut pairs: Vec<String> =
                planned.at.0.iter().map(|(name, value)| format!("{name}={}", value + 0.0)).collect();
            pairs.sort();
            assignments.push(Assignment {
                run: RunIdentity {
                    key: session::digest(&format!("{} rep={}", pairs.join(" "), run.rep)),
                    at: planned.at.clone(),
                    rep: run.rep,
                    set: planned.set.clone(),
                    order,
                },
                job: Job::new(filled, *time_limit, figures, prefix.measures_usage),
                tasks,
            });
        }
        Ok(assignments)
    }

    /// A program that does not exist is one error, not a thousand failed runs. Compute nodes may have other programs.
    fn check_program(&self, assignments: &[Assignment]) -> Result<(), BenchError> {
        let (Some(assignment), false) = (assignments.first(), matches!(self.launcher, Launcher::Slurm(_))) else {
            return Ok(());
        };
        let Job { argv, workdir, .. } = &assignment.job;
        let Some(program) = argv.len().checked_sub(self.template.argv.len()).and_then(|at| argv.get(at)) else {
            return Ok(());
        };
        let found = match workdir {
            Some(workdir) if program.contains('/') => Path::new(workdir).join(program).is_file(),
            _ => launcher::find_program(program).is_some(),
        };
        if found { Ok(()) } else { Err(BenchError::ProgramNotFound { program: program.clone() }) }
    }

    fn final_warnings<'a>(&self, records: impl Iterator<Item = &'a Record> + Clone) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut failed: IndexMap<&str, usize> = IndexMap::new();
        for record in records.clone().filter(|record| !record.measured.is_ok()) {
            *failed.entry(&record.measured.status).or_default() += 1;
        }
        if !failed.is_empty() {
            let list = failed.iter().map(|(status, count)| format!("{count} {status}")).collect::<Vec<_>>().join(", ");
            let message = format!("failed runs: {list}; the journal says why, --retry-failed reruns them");
            warnings.push(Warning::new("failed_runs", message));
        }
        let ok = || records.clone().filter(|record| record.measured.is_ok());
        for figure in &self.options.figures {
            let missing = ok().filter(|record| !record.measured.figures.contains_key(&figure.name)).count();
            if missing > 0 {
                let message =
                    format!("{} was not found in the output of {missing} of {} runs", figure.name, ok().count());
                warnings.push(Warning::new("missing_figure", message));
            }
        }
        let messy = records.clone().filter(|record| record.measured.left_behind > 0).count();
        if messy > 0 {
            let message = format!(
                "{messy} runs left processes running, which were killed so that they do not disturb the next run"
            );
            warnings.push(Warning::new("left_behind", message));
        }
        warnings
    }
}

/// A run with everything that is needed to make it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assignment {
    pub run: RunIdentity,
    pub job: Job,
    /// Slurm tasks that it needs; empty elsewhere.
    pub tasks: String,
}

/// Progress of a benchmark.
pub(crate) struct Progress<'a, O> {
    pub observer: &'a mut O,
    done: usize,
    total: usize,
    ok: usize,
    failed: usize,
}

impl<O: Observer> Progress<'_, O> {
    /// Notes a run that has ended: first on disk, then to the observer.
    pub(crate) fn record(&mut self, store: &mut Store, record: Record) -> Result<(), BenchError> {
        store.record(record.clone())?;
        self.done += 1;
        if record.measured.is_ok() {
            self.ok += 1;
        } else {
            self.failed += 1;
        }
        self.observer.event(Event::Finished { record: &record, done: self.done, total: self.total });
        Ok(())
    }
}

//! `runcast bench`: runs a program over a plan, into a table.

pub mod summary;

use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human;
use crate::import::shell_word;
use crate::options::paths::OutputFile;
use crate::options::{AtArgs, SeedArgs, duration_s};
use crate::output::Output;
use crate::tables;
use clap::{Args, ValueHint};
use runcast_bench::template::TextTemplate;
use runcast_bench::{Bench, Event, Figure, Launcher, Mpirun, Options, Outcome, Slurm, Step, Template};
use runcast_core::plan::{PlannedConfiguration, TARGET, TRAIN, configurations_from};
use runcast_core::{Problem, Warning};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use summary::ConfigurationSummary;

/// Arguments of `runcast bench`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct BenchArgs {
    /// What to run: a plan (CSV, TOML or JSON), or any table whose columns of numbers are parameters
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath, required_unless_present = "at")]
    pub plan: Option<PathBuf>,
    /// The program, with {p}, {N} or formulas such as {2*p} in place of the parameters; also {rep} and {seed}
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// The table to write, which grows with every run; the journal stands beside it
    #[arg(short = 'o', long = "output", value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub output: OutputFile,

    #[command(flatten)]
    pub at: AtArgs,
    /// Make only the runs of this set of the plan: train, target
    #[arg(long, value_name = "SET")]
    pub only: Option<String>,
    /// How many times to run each configuration [default: as the plan says]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub repetitions: Option<u32>,
    #[command(flatten)]
    pub seed: SeedArgs,

    /// Pick a figure out of the output: 'solve_s=^solved in ([0-9.]+) s'; NAME:ms says its unit where the name does not,
    /// NAME:first, :last, :sum, :max, :min choose among several, NAME:required makes a run without it a failed one
    #[arg(long = "figure", value_name = "NAME=REGEX", help_heading = "Measuring")]
    pub figures: Vec<String>,
    /// End a run after this long: 600, 10min
    #[arg(long = "time-limit", id = "limit time", value_name = "DURATION", value_parser = duration_s, help_heading = "Measuring")]
    pub time_limit: Option<f64>,
    /// Runs before the first recorded one of each configuration
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Measuring")]
    pub warmup: u32,
    /// Make failed runs again
    #[arg(long, help_heading = "Measuring", hide_short_help = true)]
    pub retry_failed: bool,
    /// Start over; the old files are kept as .bak
    #[arg(long, help_heading = "Measuring")]
    pub restart: bool,
    /// Keep the first line that a shell command prints: 'compiler=gcc --version'
    #[arg(long = "record", value_name = "NAME=COMMAND", help_heading = "Measuring", hide_short_help = true)]
    pub record: Vec<String>,
    /// Keep the revision of this working copy
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Measuring", hide_short_help = true)]
    pub git: Option<PathBuf>,

    /// Set a variable of the program: OMP_NUM_THREADS={p}
    #[arg(long = "env", value_name = "NAME=VALUE", help_heading = "Starting the program", hide_short_help = true)]
    pub env: Vec<String>,
    /// Start it in this folder, which may hold {p} and the like
    #[arg(long, value_name = "DIR", help_heading = "Starting the program", hide_short_help = true)]
    pub workdir: Option<String>,
    /// Give it this file as its standard input
    #[arg(long, value_name = "FILE", help_heading = "Starting the program", hide_short_help = true)]
    pub stdin: Option<String>,
    /// What starts it: local, slurm, or the command of an MPI launcher with its options, such as 'mpirun --bind-to core'
    #[arg(long, value_name = "COMMAND", default_value = "local", value_parser = launcher_of, help_heading = "Starting the program")]
    pub launcher: LauncherChoice,
    /// MPI, Slurm: how many processes
    #[arg(long, value_name = "FORMULA", default_value = "{p}", help_heading = "Starting the program")]
    pub processes: String,
    /// The program of the MPI launcher, also a word of `--launcher`
    #[arg(long, hide = true, value_name = "PROGRAM", help_heading = "Starting the program")]
    pub mpirun: Option<String>,
    /// Let the MPI launcher start more processes than there are cores, also a word of `--launcher`
    #[arg(long, hide = true, help_heading = "Starting the program")]
    pub oversubscribe: bool,
    /// An option of the MPI launcher, also a word of `--launcher`
    #[arg(
        long = "mpirun-option",
        hide = true,
        value_name = "OPTION",
        allow_hyphen_values = true,
        help_heading = "Starting the program"
    )]
    pub mpirun_options: Vec<String>,

    /// How a job starts the program: direct, srun, or the command of an MPI launcher
    #[arg(long, alias = "step", value_name = "COMMAND", default_value = "direct", value_parser = step_of, help_heading = "Slurm", hide_short_help = true)]
    pub job_step: StepChoice,
    /// Pass this on to sbatch, such as --partition=short; may be repeated
    #[arg(long = "sbatch-option", value_name = "OPTION", allow_hyphen_values = true, help_heading = "Slurm")]
    pub sbatch_options: Vec<String>,
    /// A folder that the nodes share [default: beside the table]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Slurm")]
    pub spool: Option<PathBuf>,
    /// At most so many tasks wait or run at once
    #[arg(
        long = "max-queued",
        id = "limit queued",
        value_name = "COUNT",
        default_value_t = 500,
        help_heading = "Slurm",
        hide_short_help = true
    )]
    pub max_queued: usize,
    /// Runs that one task makes one after another
    #[arg(long, value_name = "COUNT", default_value_t = 1, help_heading = "Slurm", hide_short_help = true)]
    pub bundle: usize,
    /// How often the queue is asked
    #[arg(long, value_name = "DURATION", value_parser = duration_s, default_value = "2s", help_heading = "Slurm", hide_short_help = true)]
    pub poll: f64,
    /// How long the result of a task that has left the queue is waited for
    #[arg(long = "lost-after", id = "limit lost", value_name = "DURATION", value_parser = duration_s, default_value = "30s", help_heading = "Slurm", hide_short_help = true)]
    pub lost_after: f64,
}

/// What starts a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LauncherChoice {
    /// By itself, on this machine.
    Local,
    /// Job arrays of Slurm.
    Slurm,
    /// An MPI launcher: the program and its options.
    Mpi(Vec<String>),
}

/// How a job of Slurm starts the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepChoice {
    /// By itself.
    Direct,
    /// By srun.
    Srun,
    /// An MPI launcher: the program and its options.
    Mpi(Vec<String>),
}

pub(crate) fn launcher_of(text: &str) -> Result<LauncherChoice, String> {
    match text {
        "local" => Ok(LauncherChoice::Local),
        "slurm" => Ok(LauncherChoice::Slurm),
        _ => mpi_words(text, &["local", "slurm"]).map(LauncherChoice::Mpi),
    }
}

fn step_of(text: &str) -> Result<StepChoice, String> {
    match text {
        "direct" => Ok(StepChoice::Direct),
        "srun" => Ok(StepChoice::Srun),
        _ => mpi_words(text, &["direct", "srun"]).map(StepChoice::Mpi),
    }
}

/// The words of the command of an MPI launcher, without the number of processes, which `--processes` says.
fn mpi_words(text: &str, others: &[&str]) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Some(at) = words.windows(2).position(|pair| pair[0] == "-n" && pair[1] == "{processes}") {
        words.drain(at..at + 2);
    }
    let allowed = || format!("{} and MPI launchers such as mpirun are allowed", others.join(", "));
    let Some(program) = words.first() else { return Err(allowed()) };
    match runcast_formula::nearest(program, others.iter().copied()) {
        Some(near) if !program.contains('/') => Err(format!("did you mean {near}? {}", allowed())),
        _ => Ok(words),
    }
}

/// The document of kind `bench`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    kind: &'static str,
    version: u32,
    table: String,
    journal: String,
    total: usize,
    ok: usize,
    failed: usize,
    skipped: usize,
    interrupted: bool,
    warnings: &'a [Warning],
    configurations: &'a [ConfigurationSummary],
}

/// Makes all runs that are not in the table yet.
///
/// # Errors
/// The input is wrong, the table belongs to something else, a file cannot be written, or the launcher fails.
pub fn run(args: &BenchArgs, context: &mut Context) -> Result<Output, Failure> {
    let bench = bench_of(args, context)?;
    let (outcome, shown) = measure(&bench, "measuring", context)?;
    let configurations = summary::of(&outcome)?;
    let document = Document {
        kind: "bench",
        version: 1,
        table: outcome.table.display().to_string(),
        journal: outcome.journal.display().to_string(),
        total: outcome.total,
        ok: outcome.ok,
        failed: outcome.failed,
        skipped: outcome.skipped,
        interrupted: outcome.interrupted,
        warnings: &outcome.warnings,
        configurations: &configurations,
    };
    let quiet = outcome.warnings.iter().filter(|warning| !shown.contains(warning)).cloned();
    let mut output = Output::of(value_of(&document)?).warned(quiet);
    output.human = format!("{}\n{}\n", summary::text(&configurations, context.screen).trim_end(), tally(&outcome));
    let nothing = configurations.iter().all(|configuration| configuration.ok == 0);
    output.notes = next_steps(args, &outcome, nothing);
    Ok(output.exit(u8::from(outcome.interrupted || nothing)))
}

/// Runs a benchmark, showing how far it has come; gives the warnings that were shown on the way, too.
pub(crate) fn measure(bench: &Bench, what: &str, context: &mut Context) -> Result<(Outcome, Vec<Warning>), Failure> {
    let mut shown = Vec::new();
    let mut done = 0;
    let progress = &mut context.progress;
    let result = bench.run(&mut |event: Event<'_>| match event {
        Event::Planned { total, todo } => {
            done = total - todo;
            let there = if done > 0 { format!(", {done} there already") } else { String::new() };
            progress.begin(&format!("{what}: {}{there}", human::count(total, "run", "runs")), total as u64);
            progress.step(done as u64, "");
        }
        Event::Started { at, rep, warmup, .. } => {
            let kind = if warmup { ", warm-up".to_owned() } else { format!(", repetition {}", rep + 1) };
            progress.step(done as u64, &format!("{at}{kind}"));
        }
        Event::Finished { record, done: now, .. } => {
            done = now;
            progress.step(done as u64, &record.run.at.to_string());
            if !record.measured.is_ok() {
                let reason = record.measured.message.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
                progress.line(&format!("failed: {} ({}){reason}", record.run.at, record.measured.status));
            }
        }
        Event::Submitted { job, tasks } => {
            progress.line(&format!("submitted job {job} of {}", human::count(tasks, "task", "tasks")));
        }
        Event::Reattached { job } => progress.line(&format!("found job {job} again")),
        Event::Warned(warning) => {
            progress.line(&format!("warning: {} ({})", warning.message, warning.code));
            shown.push(warning.clone());
        }
        _ => {}
    });
    context.progress.end();
    Ok((result?, shown))
}

/// Makes the runs of one task inside a job of Slurm.
///
/// # Errors
/// The task cannot be read, or a result cannot be written.
pub fn run_task(args: &BenchTaskArgs, context: &mut Context) -> Result<Output, Failure> {
    let made = runcast_bench::slurm::run_task(&args.spool, args.index, &context.interrupt)?;
    Ok(Output::default()
        .human(format!("{}\n", human::count(made, "run", "runs")))
        .exit(u8::from(context.is_interrupted())))
}

/// Arguments of the command that batch scripts call.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct BenchTaskArgs {
    /// The folder of the array.
    #[arg(long)]
    pub spool: PathBuf,
    /// The number of the task.
    #[arg(long, hide_short_help = true)]
    pub index: u32,
}

/// The benchmark that the arguments ask for.
fn bench_of(args: &BenchArgs, context: &mut Context) -> Result<Bench, Failure> {
    let mut template = Template::new(&args.command)?;
    for assignment in &args.env {
        template.add_env(assignment)?;
    }
    let text = |option: &str, text: &str| TextTemplate::parse(text).map_err(|problem| problem.at(option));
    template.workdir = args.workdir.as_deref().map(|folder| text("--workdir", folder)).transpose()?;
    template.stdin = args.stdin.as_deref().map(|file| text("--stdin", file)).transpose()?;
    let launcher = launcher(args, text("--processes", &args.processes)?, context);
    if args.output.as_os_str() == "-" {
        let problem = Problem::new("not_a_file", "the table must be a file, so that no run is lost");
        return Err(problem.at("-o").value("-").hint("name a file: -o runs.csv").into());
    }
    let mut options = Options::new(args.output.as_ref());
    options.seed = args.seed.seed;
    options.figures = args.figures.iter().map(|figure| Figure::parse(figure)).collect::<Result<_, _>>()?;
    options.time_limit = args.time_limit.map(|seconds| duration("--time-limit", seconds)).transpose()?;
    options.warmup = args.warmup;
    options.retry_failed = args.retry_failed;
    options.restart = args.restart;
    options.record = args.record.iter().map(|record| recorded(record)).collect::<Result<_, _>>()?;
    options.git.clone_from(&args.git);
    options.interrupt = Arc::clone(&context.interrupt);
    Ok(Bench { plan: plan(args, context)?, template, launcher, options })
}

fn plan(args: &BenchArgs, context: &mut Context) -> Result<Vec<PlannedConfiguration>, Failure> {
    let mut plan = match &args.plan {
        Some(file) => configurations_from(&tables::name_of(file), &context.read(file)?)?,
        None => Vec::new(),
    };
    plan.extend(args.at.configurations()?.into_iter().map(|at| PlannedConfiguration::new(TRAIN, at, 1)));
    if let Some(only) = &args.only {
        let mut sets: Vec<String> = Vec::new();
        for planned in &plan {
            if !sets.contains(&planned.set) {
                sets.push(planned.set.clone());
            }
        }
        plan.retain(|planned| planned.set == *only);
        if plan.is_empty() {
            let problem = Problem::new("unknown_set", format!("the plan has no configuration of the set \"{only}\""));
            return Err(problem.at("--only").value(only.as_str()).one_of(only, sets.iter().map(String::as_str)).into());
        }
    }
    if let Some(repetitions) = args.repetitions {
        plan.iter_mut().for_each(|planned| planned.repetitions = repetitions);
    }
    Ok(plan)
}

fn launcher(args: &BenchArgs, processes: TextTemplate, context: &Context) -> Launcher {
    let mpirun = |words: &[String]| {
        let is_crowd = |word: &&String| word.as_str() == "--oversubscribe";
        Mpirun {
            program: args.mpirun.as_ref().or(words.first()).cloned().unwrap_or_default(),
            processes: processes.clone(),
            oversubscribe: args.oversubscribe || words.iter().any(|word| is_crowd(&word)),
            options: words.iter().skip(1).chain(&args.mpirun_options).filter(|word| !is_crowd(word)).cloned().collect(),
        }
    };
    match &args.launcher {
        LauncherChoice::Local => Launcher::Local,
        LauncherChoice::Mpi(words) => Launcher::Mpirun(mpirun(words)),
        LauncherChoice::Slurm => Launcher::Slurm(Slurm {
            ntasks: processes.clone(),
            step: match &args.job_step {
                StepChoice::Direct => Step::Direct,
                StepChoice::Srun => Step::Srun,
                StepChoice::Mpi(words) => Step::Mpirun(mpirun(words)),
            },
            sbatch_options: args.sbatch_options.clone(),
            spool: args.spool.clone(),
            max_queued: args.max_queued,
            bundle: args.bundle,
            poll: Duration::try_from_secs_f64(args.poll).unwrap_or(Duration::from_secs(2)),
            lost_after: Duration::try_from_secs_f64(args.lost_after).unwrap_or(Duration::from_secs(30)),
            ..Slurm::new(&context.executable)
        }),
    }
}

fn duration(option: &str, seconds: f64) -> Result<Duration, Problem> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Problem::new("out_of_range", format!("{seconds} s is too long")).at(option))
}

fn recorded(text: &str) -> Result<(String, String), Problem> {
    match text.split_once('=') {
        Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => {
            Ok((name.trim().to_owned(), command.trim().to_owned()))
        }
        _ => Err(Problem::new("bad_record", format!("\"{text}\" is not NAME=COMMAND"))
            .at("--record")
            .value(text)
            .hint("write it as in --record 'compiler=gcc --version'")),
    }
}

/// `12 runs: 10 made now, 1 failed, 1 there already`
fn tally(outcome: &Outcome) -> String {
    let mut parts = vec![format!("{} made now", outcome.ok + outcome.failed)];
    if outcome.failed > 0 {
        parts.push(format!("{} of them failed", outcome.failed));
    }
    if outcome.skipped > 0 {
        parts.push(format!("{} there already", outcome.skipped));
    }
    let missing = outcome.total - outcome.ok - outcome.failed - outcome.skipped;
    if missing > 0 {
        parts.push(format!("{missing} still to be made"));
    }
    format!("{} in {}: {}", human::count(outcome.total, "run", "runs"), outcome.table.display(), parts.join(", "))
}

fn next_steps(args: &BenchArgs, outcome: &Outcome, nothing: bool) -> Vec<String> {
    let table = shell_word(&outcome.table.display().to_string());
    if outcome.interrupted {
        return vec!["interrupted; the same command goes on where it stopped".to_owned()];
    }
    if nothing {
        return vec![format!("no run succeeded; {} tells what each wrote last", outcome.journal.display())];
    }
    // Where the program tells figures, its user is interested in these.
    let metrics: String = args
        .figures
        .iter()
        .filter_map(|figure| figure.split([':', '=']).next())
        .fold(String::new(), |all, name| format!("{all} --metric {}", shell_word(name.trim())));
    match (args.only.as_deref(), &args.plan) {
        (Some(TARGET), _) => {
            vec![format!("to check a forecast: runcast evaluate --predictions predictions.csv --runs {table}")]
        }
        (Some(TRAIN), Some(plan)) => {
            let plan = shell_word(&plan.display().to_string());
            vec![
                format!("to fit models: runcast fit {table}{metrics}"),
                format!(
                    "to predict the targets of the plan: runcast predict {table} --targets {plan}{metrics} -o predictions.csv"
                ),
            ]
        }
        _ => vec![format!("to fit models: runcast fit {table}{metrics}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_a_word_or_a_command() {
        assert_eq!(launcher_of("local"), Ok(LauncherChoice::Local));
        let words = |text: &str| match launcher_of(text) {
            Ok(LauncherChoice::Mpi(words)) => words.join("|"),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(words("mpirun"), "mpirun");
        assert_eq!(
            words("/opt/mpich/bin/mpiexec -n {processes} -bind-to core"),
            "/opt/mpich/bin/mpiexec|-bind-to|core"
        );
        assert!(launcher_of("slrum").is_err_and(|message| message.contains("did you mean slurm")));
        assert!(launcher_of(" ").is_err() && step_of("").is_err());
        assert_eq!(step_of("srun"), Ok(StepChoice::Srun));
    }
}

//! `runcast worker`: a worker of its own, on this or another machine.

use crate::log;
use crate::queue_worker::{self, Overrides, Settings};
use crate::serve::{cores, undone};
use crate::signals::told_to_stop;
use crate::slurm;
use crate::task::{Launcher, Sandbox};
use clap::Args;
use runcast_commands::{Failure, options};
use runcast_core::Problem;
use runcast_store::database::Location;
use runcast_store::{Database, StoreError, wakes};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Arguments of `runcast worker`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct WorkerArgs {
    /// The database: postgres://.., or sqlite:PATH on the same machine
    #[arg(long, value_name = "URL", env = "RUNCAST_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// A file with the address of the database
    #[arg(
        long = "database-url-file",
        id = "database-url @",
        value_name = "FILE",
        conflicts_with = "database_url",
        hide_short_help = true
    )]
    pub database_url_file: Option<PathBuf>,
    /// Tasks at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub jobs: Option<u16>,
    /// How long a task is its own without a sign of life [default: 30s; 5min with --slurm]
    #[arg(long, value_name = "TIME", value_parser = lease)]
    pub lease: Option<f64>,
    /// Memory of a task [default: 2GiB]
    #[arg(long = "memory", id = "limit memory", value_name = "BYTES", value_parser = options::megabytes, help_heading = "Limits")]
    pub memory: Option<u64>,
    /// Processor time of a task [default: 10min]
    #[arg(long = "cpu-time", id = "limit cpu-time", value_name = "TIME", value_parser = options::duration_s, help_heading = "Limits", hide_short_help = true)]
    pub cpu_time: Option<f64>,
    /// Time of a task on the wall [default: 20min]
    #[arg(long = "wall", id = "limit wall", value_name = "TIME", value_parser = options::duration_s, help_heading = "Limits", hide_short_help = true)]
    pub wall: Option<f64>,
    /// Output of a task [default: 64MiB]
    #[arg(long = "max-output", id = "limit output", alias = "output", value_name = "BYTES", value_parser = options::megabytes, help_heading = "Limits", hide_short_help = true)]
    pub output: Option<u64>,
    /// Threads of a task
    #[arg(long = "threads-per-task", id = "limit threads", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Limits", hide_short_help = true)]
    pub threads_per_task: u16,
    /// Work although the sandbox is not in full force
    #[arg(long, hide_short_help = true)]
    pub allow_weak_sandbox: bool,
    /// End when nothing is to be claimed
    #[arg(long)]
    pub drain: bool,
    /// Give tasks to Slurm, in bundles
    #[arg(long, requires = "spool", help_heading = "Slurm")]
    pub slurm: bool,
    /// A folder that compute nodes share
    #[arg(long, value_name = "DIR", requires = "slurm", help_heading = "Slurm")]
    pub spool: Option<PathBuf>,
    /// For `--sbatch-option=--partition=..`
    #[arg(long, hide = true, value_name = "NAME", requires = "slurm", help_heading = "Slurm")]
    pub partition: Option<String>,
    /// For `--sbatch-option=--account=..`
    #[arg(long, hide = true, value_name = "NAME", requires = "slurm", help_heading = "Slurm")]
    pub account: Option<String>,
    /// For `--sbatch-option=--time=..`
    #[arg(long, hide = true, value_name = "TIME", requires = "slurm", help_heading = "Slurm")]
    pub time: Option<String>,
    /// Tasks of a job
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000), help_heading = "Slurm", hide_short_help = true)]
    pub bundle: u16,
    /// At most so many wait or run at once
    #[arg(long = "max-queued", id = "limit queued", alias = "max-jobs", value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000), help_heading = "Slurm", hide_short_help = true)]
    pub max_jobs: u16,
    /// Pass this on to sbatch, such as --partition=short; may be repeated
    #[arg(
        long = "sbatch-option",
        alias = "sbatch-arg",
        value_name = "OPTION",
        allow_hyphen_values = true,
        requires = "slurm",
        help_heading = "Slurm"
    )]
    pub sbatch_arg: Vec<String>,
    /// How often Slurm is asked
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = poll, help_heading = "Slurm", hide_short_help = true)]
    pub poll: f64,
    /// On a compute node: run the tasks of a bundle
    #[arg(long, hide = true, value_name = "BUNDLE", conflicts_with = "slurm", help_heading = "Slurm")]
    pub spool_run: Option<PathBuf>,
    /// The script of a job, which Slurm gives to what runs it
    #[arg(hide = true, requires = "spool_run")]
    pub script: Option<PathBuf>,
}

/// How long the database may be away when a worker starts.
const AWAY_AT_START: Duration = Duration::from_secs(30);

const EXAMPLES: &str = "\
Examples:
  RUNCAST_DATABASE_URL=postgres://runcast@db/runcast runcast worker
  runcast worker --database-url sqlite:data/runcast.sqlite --jobs 4
  runcast worker --database-url @url.txt --limit memory=8GiB,wall=2h --drain
  runcast worker --database-url @url.txt --slurm --spool /shared/runcast";

/// Works until asked to stop.
///
/// # Errors
/// The reason why it cannot work.
pub fn run(args: &WorkerArgs) -> Result<(), Failure> {
    let place = if args.spool_run.is_none() { Some(location(args)?) } else { None };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| undone("runtime", error.to_string()))?;
    let result = runtime.block_on(async {
        match (&args.spool_run, &place) {
            (Some(bundle), _) => {
                let told = told_to_stop()?;
                slurm::run(bundle, args.jobs.map_or_else(cores_of_job, usize::from), told).await
            }
            (None, Some(place)) if args.slurm => dispatch(args, place).await,
            (None, Some(place)) => work(args, place).await,
            (None, None) => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_millis(200));
    result
}

async fn work(args: &WorkerArgs, location: &Location) -> Result<(), Failure> {
    let launcher = Launcher::own().await.map_err(|error| undone("executable", error.to_string()))?;
    if launcher.sandbox() != Sandbox::Full && !args.allow_weak_sandbox {
        let text = format!("the sandbox is not in full force on this machine: {}", launcher.sandbox().name());
        let problem = Problem::new("weak_sandbox", text).at("--allow-weak-sandbox");
        return Err(Failure::undone(problem.hint("if all who launch jobs are trusted: --allow-weak-sandbox")));
    }
    let told = told_to_stop()?;
    tokio::pin!(told);
    let Some(db) = until_open(location, &mut told).await? else { return Ok(()) };
    let stop = CancellationToken::new();
    let lease = Duration::from_secs_f64(args.lease.unwrap_or(30.0));
    let settings = Settings {
        name: format!("worker-{}", std::process::id()),
        kind: "worker",
        server: None,
        slots: args.jobs.map_or_else(cores, usize::from),
        lease,
        limits: overrides(args),
        drain: args.drain,
    };
    let keeping = tokio::spawn(queue_worker::keep(db.clone(), lease));
    let (listened, place) = (db.clone(), location.clone());
    let listening = tokio::spawn(async move { wakes::listen(&listened, &place).await });
    let mut working = tokio::spawn(queue_worker::work(db.clone(), launcher, settings, stop.clone()));
    tokio::select! {
        () = &mut told => {
            stop.cancel();
            let _ = working.await;
        }
        _ = &mut working => {}
    }
    keeping.abort();
    listening.abort();
    let _ = tokio::time::timeout(Duration::from_secs(1), db.close()).await;
    Ok(())
}

/// The database, which may be away for a while when a worker starts; nothing when it is asked to end meanwhile.
async fn until_open(location: &Location, told: impl Future<Output = ()>) -> Result<Option<Database>, Failure> {
    let begun = Instant::now();
    let open = async {
        loop {
            match Database::open(location).await {
                Err(error) if error.is_away() && begun.elapsed() < AWAY_AT_START => {
                    log::line(&format!("the worker waits for the database: {error}"));
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
                other => return other.map_err(|error: StoreError| undone("database", error.to_string())),
            }
        }
    };
    tokio::select! {
        opened = open => opened.map(Some),
        () = told => Ok(None),
    }
}

async fn dispatch(args: &WorkerArgs, location: &Location) -> Result<(), Failure> {
    let told = told_to_stop()?;
    tokio::pin!(told);
    let Some(db) = until_open(location, &mut told).await? else { return Ok(()) };
    let named = |option: &str, value: &Option<String>| value.as_ref().map(|value| format!("--{option}={value}"));
    let own = [named("partition", &args.partition), named("account", &args.account), named("time", &args.time)];
    let lease = Duration::from_secs_f64(args.lease.unwrap_or(300.0));
    let options = slurm::Options {
        spool: args.spool.clone().unwrap_or_default(),
        bundle: usize::from(args.bundle),
        most_jobs: usize::from(args.max_jobs),
        poll: Duration::from_secs_f64(args.poll),
        sbatch: own.into_iter().flatten().chain(args.sbatch_arg.iter().cloned()).collect(),
        lease,
        limits: overrides(args),
        allow_weak_sandbox: args.allow_weak_sandbox,
        drain: args.drain,
    };
    let stop = CancellationToken::new();
    let keeping = tokio::spawn(queue_worker::keep(db.clone(), lease));
    let (listened, place) = (db.clone(), location.clone());
    let listening = tokio::spawn(async move { wakes::listen(&listened, &place).await });
    let mut dispatching = tokio::spawn(slurm::dispatch(db.clone(), options, stop.clone()));
    let ended = tokio::select! {
        () = &mut told => {
            stop.cancel();
            dispatching.await
        }
        ended = &mut dispatching => ended,
    };
    keeping.abort();
    listening.abort();
    let _ = tokio::time::timeout(Duration::from_secs(1), db.close()).await;
    ended.unwrap_or_else(|error| Err(undone("crashed", error.to_string())))
}

/// What tasks may use, in place of what their jobs say.
fn overrides(args: &WorkerArgs) -> Overrides {
    Overrides {
        memory_bytes: args.memory,
        cpu_s: args.cpu_time.map(|seconds| seconds.ceil() as u64),
        wall_ms: args.wall.map(|seconds| (seconds * 1000.0).ceil() as u64),
        output_bytes: args.output,
        threads: Some(args.threads_per_task),
    }
}

/// Where the database is.
fn location(args: &WorkerArgs) -> Result<Location, Failure> {
    let from_file = match &args.database_url_file {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?),
        None => None,
    };
    let url = from_file.as_deref().map(str::trim).or(args.database_url.as_deref()).filter(|url| !url.is_empty());
    let option = if from_file.is_some() { "--database-url-file" } else { "--database-url" };
    let Some(url) = url else {
        let problem = Problem::new("missing_argument", "a worker needs the database of its server").at(option);
        return Err(problem.hint("--database-url postgres://USER@HOST/NAME, or sqlite:PATH").into());
    };
    let location = Location::parse(url).ok_or_else(|| {
        let problem = Problem::new("database_url", "this is not an address of a database").at(option);
        Failure::input(problem.hint("postgres://USER@HOST/NAME, or sqlite:PATH"))
    })?;
    if let Location::File(path) = &location {
        if !path.is_file() {
            let problem = Problem::new("database_url", "there is no such database").at(option);
            return Err(problem.value(path.display().to_string()).hint("runcast serve makes one").into());
        }
        if let Some(name) = network(path) {
            let text = format!("SQLite's file is on a network file system ({name}), where its locks do not hold");
            let problem = Problem::new("network_file_system", text).at(option).value(path.display().to_string());
            return Err(problem.hint("use PostgreSQL for workers on several machines").into());
        }
    }
    Ok(location)
}

/// The network file system that a file is on, if it is on one.
#[cfg(target_os = "linux")]
fn network(path: &Path) -> Option<&'static str> {
    rustix::fs::statfs(path).ok().and_then(|about| network_of(about.f_type))
}

#[cfg(not(target_os = "linux"))]
fn network(_: &Path) -> Option<&'static str> {
    None
}

/// File systems by the numbers that Linux has for them.
#[cfg(target_os = "linux")]
fn network_of(kind: rustix::fs::FsWord) -> Option<&'static str> {
    const NETWORK: [(u32, &str); 12] = [
        (0x6969, "NFS"),
        (0x517B, "SMB"),
        (0xFF53_4D42, "CIFS"),
        (0xFE53_4D42, "SMB2"),
        (0x5346_414F, "AFS"),
        (0x0BD0_0BD0, "Lustre"),
        (0x00C3_6400, "Ceph"),
        (0x4750_4653, "GPFS"),
        (0x1983_0326, "BeeGFS"),
        (0x0102_1997, "9P"),
        (0xAAD7_AAEA, "PanFS"),
        (0x2003_0528, "OrangeFS"),
    ];
    NETWORK.iter().find(|(number, _)| *number == kind as u32).map(|(_, name)| *name)
}

fn lease(text: &str) -> Result<f64, String> {
    match options::duration_s(text)? {
        seconds if (0.1..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("0.1s to 24h are allowed".to_owned()),
    }
}

fn poll(text: &str) -> Result<f64, String> {
    match options::duration_s(text)? {
        seconds if (0.1..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("0.1s to 1h are allowed".to_owned()),
    }
}

/// The processors that Slurm has given to a job for each of its processes.
fn cores_of_job() -> usize {
    std::env::var("SLURM_CPUS_PER_TASK").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known() {
        assert_eq!(network_of(0x6969), Some("NFS"));
        assert_eq!(network_of(0xEF53), None, "ext4");
        assert_eq!(network_of(0xFF53_4D42_u32 as rustix::fs::FsWord), Some("CIFS"));
        assert_eq!(network(Path::new("/")), None);
    }

    #[test]
    fn quantities_have_bounds() {
        assert_eq!(options::megabytes("2GiB"), Ok(2 << 30));
        assert!(options::megabytes("10").is_err() && options::megabytes("x").is_err());
        assert!(lease("30s").is_ok() && lease("1ms").is_err());
    }
}

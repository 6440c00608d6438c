//! `runcast worker --slurm`: tasks of the web application on a real Slurm.
//!
//! One cluster serves all of it, since a machine that tests has few cores; each part has a database, a spool and
//! dispatchers of its own.

use crate::have_slurm;
use crate::slurm_cluster::Cluster;
use crate::sweep::{ENDLESS, files, job, launch, table, table_of_the_shell, words};
use runcast_store::database::Location;
use runcast_store::jobs::{self, Job, State};
use runcast_store::testing::Place;
use runcast_store::{Database, Id};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A job that a node has no more knowledge of is lost when it has been there for 6 s; it would be 20 s.
const LOST_SOON: &str = "BatchStartTimeout=1\nMessageTimeout=5\n";
/// How long a node is away, so that its job is lost.
const AWAY: Duration = Duration::from_secs(6);

/// A database and a spool, on a cluster.
struct Site<'a> {
    name: &'static str,
    cluster: &'a Cluster,
    place: Place,
    folder: tempfile::TempDir,
    db: Database,
}

/// A dispatcher; it ends when dropped.
struct Dispatcher(Child);

impl Drop for Dispatcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn sqlite() -> Place {
    Place::sqlite().expect("a folder")
}

/// SQLite where PostgreSQL may be missing, and is.
async fn postgres() -> Place {
    if let Some(place) = Place::postgres().await.expect("PostgreSQL starts") {
        return place;
    }
    assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "PostgreSQL is missing");
    eprintln!("not tested with PostgreSQL: it is not installed");
    sqlite().await
}

impl<'a> Site<'a> {
    async fn new(name: &'static str, cluster: &'a Cluster, place: Place) -> Site<'a> {
        let db = Database::open(place.location()).await.expect("it opens");
        Site { name, cluster, place, folder: tempfile::tempdir().expect("a folder"), db }
    }

    fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    fn dispatcher(&self, options: &str) -> Dispatcher {
        let url = match self.place.location() {
            Location::File(path) => format!("sqlite:{}", path.display()),
            Location::Url(url) => url.clone(),
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_runcast"));
        command.args(["worker", "--slurm", "--poll", "500ms", "--spool"]).arg(self.spool()).args(words(options));
        command.arg(format!("--sbatch-arg=--comment={}", self.name));
        command.env("RUNCAST_DATABASE_URL", url).env("SLURM_CONF", self.cluster.configuration());
        Dispatcher(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"))
    }

    async fn until(&self, id: &Id, seconds: u64, what: impl Fn(&Job) -> bool) -> Job {
        let begun = Instant::now();
        loop {
            let job = job(&self.db, id).await;
            if what(&job) {
                return job;
            }
            assert!(begun.elapsed() < Duration::from_secs(seconds), "{job:?}\n{:?}", self.queue());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn until_queue(&self, what: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let queue = self.queue();
            if what(&queue) {
                return queue;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{queue:?}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Its jobs that wait or run: numbers, names and states.
    fn queue(&self) -> Vec<String> {
        let all = self.cluster.call("squeue -h -o '%A %j %T %k'");
        all.lines().filter(|line| line.ends_with(self.name)).map(str::to_owned).collect()
    }

    /// Bundles in the spool.
    fn bundles(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.spool()).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.join("bundle.json").is_file()).collect()
    }
}

fn is_running(queue: &[String]) -> bool {
    queue.iter().any(|line| line.contains("RUNNING") && line.contains("runcast-"))
}

fn has(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            has(&path, text)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).contains(text)
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_end_once_whatever_happens_on_slurm() {
    if !have_slurm() {
        return;
    }
    let mut cluster = Cluster::start_with(LOST_SOON);
    let limited = Site::new("limited", &cluster, sqlite().await).await;
    let dispatcher = limited.dispatcher("--sbatch-option=--time=1");
    let endless = launch(&limited.db, &files(), ENDLESS, (1, 1), r#"{"cpu_s":3600,"wall_s":3600}"#).await;
    limited.until_queue(is_running).await;
    // Slurm looks twice a minute for jobs whose time is up: the others go on meanwhile.
    tokio::join!(the_time_limit_of_a_job_is_a_limit_of_its_task(&limited, &endless), async {
        let site = Site::new("sweep", &cluster, postgres().await).await;
        points_equal_those_of_the_shell_and_a_cancel_ends_the_job(&site).await;
        let site = Site::new("killed", &cluster, sqlite().await).await;
        a_killed_dispatcher_is_followed_by_one_that_finds_its_job(&site).await;
    });
    drop((dispatcher, limited));
    a_killed_node_loses_no_task(&mut cluster).await;
}

async fn the_time_limit_of_a_job_is_a_limit_of_its_task(site: &Site<'_>, id: &Id) {
    // A minute is the shortest limit there is.
    let number = site.queue()[0].split(' ').next().expect("a number").to_owned();
    site.cluster.call(&format!("scontrol update JobId={number} EndTime=now+1"));
    let done = site.until(id, 170, |job| job.state.is_terminal()).await;
    assert_eq!(done.state, State::Failed, "{done:?}");
    assert_eq!(done.error.expect("an error")["code"], "limit_wall");
}

async fn points_equal_those_of_the_shell_and_a_cancel_ends_the_job(site: &Site<'_>) {
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..200 --speedup p -o t.csv";
    let id = launch(&site.db, &files(), line, (200, 40), "{}").await;
    let _dispatcher = site.dispatcher("--bundle 14 --max-queued 3 --sbatch-option=--time=5");
    let done = site.until(&id, 100, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 200, 1), "{done:?}");
    assert_eq!(table(&site.db, &id, &files()).await, table_of_the_shell(&files(), line));

    let endless = launch(&site.db, &files(), ENDLESS, (1, 1), "{}").await;
    site.until_queue(is_running).await;
    assert!(!has(&site.spool(), "postgres:") && !has(&site.spool(), "sqlite:"), "it knows nothing of the database");
    jobs::cancel(&site.db, &endless).await.expect("cancelled");
    site.until(&endless, 20, |job| job.state == State::Cancelled).await;
    site.until_queue(<[String]>::is_empty).await;
}

async fn a_killed_dispatcher_is_followed_by_one_that_finds_its_job(site: &Site<'_>) {
    let next = || site.cluster.call("scontrol show config | grep NEXT_JOB_ID");
    let number = |text: &str| text.split_whitespace().last().and_then(|word| word.parse::<u64>().ok());
    let before = number(&next()).expect("a number");
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..8 --set slow=2e7 -o t.csv";
    let id = launch(&site.db, &files(), line, (8, 1), "{}").await;
    let first = site.dispatcher("");
    site.until(&id, 60, |job| job.points_done >= 1).await;
    drop(first);
    let [bundle] = &site.bundles()[..] else { panic!("one bundle") };
    // As if it had been killed between the submission and the note of the number.
    let job = std::fs::read_to_string(bundle.join("submitted")).expect("a number");
    std::fs::remove_file(bundle.join("submitted")).expect("removed");
    let _second = site.dispatcher("");
    let begun = Instant::now();
    while std::fs::read_to_string(bundle.join("submitted")).ok().as_ref() != Some(&job) && bundle.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "the job is not found");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let done = site.until(&id, 100, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 8, 1), "{done:?}");
    assert_eq!(number(&next()), Some(before + 1), "one job was submitted");
}

async fn a_killed_node_loses_no_task(cluster: &mut Cluster) {
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..8 --set slow=2e7 -o t.csv";
    let (place, folder) = (postgres().await, tempfile::tempdir().expect("a folder"));
    let db = Database::open(place.location()).await.expect("it opens");
    let id = launch(&db, &files(), line, (8, 4), "{}").await;
    let site = Site { name: "node", cluster, place, folder, db };
    let dispatcher = site.dispatcher("--sbatch-option=--time=5");
    let before = site.until(&id, 60, |job| job.points_done >= 1).await;
    assert!(before.points_done < 8, "{before:?}");
    let Site { place, folder, db, .. } = site;
    cluster.kill_node();
    tokio::time::sleep(AWAY).await;
    cluster.start_node();
    let site = Site { name: "node", cluster, place, folder, db };
    let done = site.until(&id, 100, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 8, 2), "{done:?}");
    let tasks = jobs::tasks(&site.db, &id, 0, 10).await.expect("tasks");
    assert!(tasks.iter().all(|task| task.state == State::Succeeded && task.attempt <= 2), "{tasks:?}");
    assert_eq!(table(&site.db, &id, &files()).await, table_of_the_shell(&files(), line));
    drop(dispatcher);
}

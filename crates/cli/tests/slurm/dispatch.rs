//! `runcast worker --slurm`: tasks of the web application on a real Slurm.

use crate::have_slurm;
use crate::slurm_cluster::Cluster;
use runcast_commands::Context;
use runcast_commands::remote::{self, InMemory};
use runcast_store::database::Location;
use runcast_store::jobs::{self, FrozenFile, Job, NewJob, State};
use runcast_store::testing::{Place, people};
use runcast_store::{Database, Id, blobs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SCRIPT: &str = r#"
local p = param("p", 2)
local slow = param("slow", 0)
if slow > 0 then local s = 0 for i = 1, slow do s = s + i % 7 end end
label{ "worker", count = p, run = function(rank) compute{ time = 1 / p } end }
"#;
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\n[[app]]\nfile = \"app.luau\"\n";
const ENDLESS: &str = "sim run e.toml --loggops L=1us,o=1us --set slow=1e15 --script-steps 1e18";

/// A cluster, a database, and a spool.
struct Site {
    cluster: Cluster,
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

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn files() -> Vec<(String, Arc<[u8]>)> {
    [("app.luau", SCRIPT), ("e.toml", EXPERIMENT)].map(|(path, text)| (path.to_owned(), text.as_bytes().into())).into()
}

impl Site {
    async fn start() -> Site {
        let place = Place::sqlite().expect("a folder");
        let db = Database::open(place.location()).await.expect("it opens");
        Site { cluster: Cluster::start(), place, folder: tempfile::tempdir().expect("a folder"), db }
    }

    fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    fn dispatcher(&self, options: &str) -> Dispatcher {
        let Location::File(path) = self.place.location() else { panic!("SQLite is a file") };
        let mut command = Command::new(env!("CARGO_BIN_EXE_runcast"));
        command.args(["worker", "--slurm", "--poll", "500ms", "--spool"]).arg(self.spool()).args(words(options));
        command.env("RUNCAST_DATABASE_URL", format!("sqlite:{}", path.display()));
        command.env("SLURM_CONF", self.cluster.configuration());
        Dispatcher(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"))
    }

    async fn launch(&self, line: &str, points: i64, points_per_task: i64, limits: &str) -> Id {
        let (project, mut users) = people(&self.db, 1).await.expect("people");
        let mut frozen = Vec::new();
        for (path, bytes) in files() {
            let digest = blobs::put(&self.db, &bytes).await.expect("stored");
            frozen.push(FrozenFile { path, version: 1, digest });
        }
        let job = NewJob {
            id: Id::new(),
            project,
            user: users.remove(0),
            batch: None,
            title: String::new(),
            argv: words(line),
            task_argv: words(line),
            limits: limits.to_owned(),
            priority: 0,
            points,
            points_per_task,
            files: frozen,
        };
        jobs::launch(&self.db, &[job]).await.expect("launched").remove(0)
    }

    async fn job(&self, id: &Id) -> Job {
        jobs::get(&self.db, id).await.expect("the database answers").expect("the job is there")
    }

    async fn until(&self, id: &Id, seconds: u64, what: impl Fn(&Job) -> bool) -> Job {
        let begun = Instant::now();
        loop {
            let job = self.job(id).await;
            if what(&job) {
                return job;
            }
            assert!(begun.elapsed() < Duration::from_secs(seconds), "{job:?}\n{}", self.queue());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn until_queue(&self, what: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let queue = self.queue();
            if what(&queue) {
                return queue;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{queue}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Jobs that wait or run.
    fn queue(&self) -> String {
        self.cluster.call("squeue -h -o '%A %j %T'")
    }

    /// Bundles in the spool.
    fn bundles(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.spool()).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.join("bundle.json").is_file()).collect()
    }
}

fn table_of_the_shell(line: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files() {
        std::fs::write(folder.path().join(path), bytes).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_runcast"));
    let done = command.args(words(line)).current_dir(folder.path()).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(folder.path().join("t.csv")).expect("a table")
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
async fn points_from_slurm_equal_those_of_the_shell_and_a_cancel_ends_the_job() {
    if !have_slurm() {
        return;
    }
    let site = Site::start().await;
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..200 --speedup p -o t.csv";
    let id = site.launch(line, 200, 5, "{}").await;
    let _dispatcher = site.dispatcher("--bundle 8 --max-jobs 3 --time 5");
    let done = site.until(&id, 100, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 200, 1), "{done:?}");
    let admitted = remote::admit(&done.task_argv, &|_| true).expect("admitted");
    let points = jobs::points(&site.db, &id, 0, 1000).await.expect("points");
    let row = |point: &jobs::Point| (point.point as u64, serde_json::from_str(&point.record).expect("a row"));
    let mut context = Context::of_files(Box::new(InMemory::new(files())));
    let table = remote::assemble(&admitted, points.iter().map(row).collect(), &mut context).table.expect("a table");
    assert_eq!(table, table_of_the_shell(line));

    let endless = site.launch(ENDLESS, 1, 1, "{}").await;
    site.until_queue(|queue| queue.contains("RUNNING") && queue.contains("runcast-")).await;
    assert!(!has(&site.spool(), "sqlite:"), "the spool knows nothing of the database");
    jobs::cancel(&site.db, &endless).await.expect("cancelled");
    site.until(&endless, 20, |job| job.state == State::Cancelled).await;
    site.until_queue(str::is_empty).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_dispatcher_is_followed_by_one_that_finds_its_job() {
    if !have_slurm() {
        return;
    }
    let site = Site::start().await;
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..8 --set slow=3e7 -o t.csv";
    let id = site.launch(line, 8, 8, "{}").await;
    let first = site.dispatcher("");
    site.until(&id, 60, |job| job.points_done >= 1).await;
    drop(first);
    let [bundle] = &site.bundles()[..] else { panic!("one bundle") };
    // As if it had been killed between the submission and the note of the number.
    let number = std::fs::read_to_string(bundle.join("submitted")).expect("a number");
    std::fs::remove_file(bundle.join("submitted")).expect("removed");
    let _second = site.dispatcher("");
    let begun = Instant::now();
    while std::fs::read_to_string(bundle.join("submitted")).ok().as_ref() != Some(&number) && bundle.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "the job is not found");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let done = site.until(&id, 100, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 8, 1), "{done:?}");
    let next = site.cluster.call("scontrol show config | grep NEXT_JOB_ID");
    assert_eq!(next.split_whitespace().last(), Some("2"), "one job was submitted: {next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_limit_of_a_job_is_a_limit_of_its_task() {
    if !have_slurm() {
        return;
    }
    let site = Site::start().await;
    let limits = r#"{"cpu_s":3600,"wall_s":3600}"#;
    let id = site.launch(ENDLESS, 1, 1, limits).await;
    let _dispatcher = site.dispatcher("--time 1");
    let done = site.until(&id, 170, |job| job.state.is_terminal()).await;
    assert_eq!(done.state, State::Failed, "{done:?}");
    assert_eq!(done.error.expect("an error")["code"], "limit_wall");
}

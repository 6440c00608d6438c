//! A sweep as a job of the store, and its table: what tests of workers and of dispatchers launch and compare.

use runcast_commands::Context;
use runcast_commands::remote::{self, InMemory};
use runcast_store::jobs::{self, FrozenFile, Job, NewJob};
use runcast_store::testing::people;
use runcast_store::{Database, Id, blobs};
use std::process::Command;
use std::sync::Arc;

const SCRIPT: &str = r#"
local p = param("p", 2)
local slow = param("slow", 0)
if slow > 0 then local s = 0 for i = 1, slow do s = s + i % 7 end end
label{ "worker", count = p, run = function(rank) compute{ time = 1 / p } end }
"#;
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\n[[app]]\nfile = \"app.luau\"\n";
/// A command that does not end.
pub const ENDLESS: &str = "sim run e.toml --loggops L=1us,o=1us --set slow=1e15 --script-steps 1e18";

/// Paths and contents.
pub type Files = Vec<(String, Arc<[u8]>)>;

/// Words of a command line.
pub fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// What the sweep reads.
pub fn files() -> Files {
    [("app.luau", SCRIPT), ("e.toml", EXPERIMENT)].map(|(path, text)| (path.to_owned(), text.as_bytes().into())).into()
}

/// Launches a job on these files: so many points in so many tasks, under limits as JSON.
pub async fn launch(db: &Database, files: &Files, line: &str, (points, tasks): (i64, i64), limits: &str) -> Id {
    let (project, mut users) = people(db, 1).await.expect("people");
    let mut frozen = Vec::new();
    for (path, bytes) in files {
        let digest = blobs::put(db, bytes).await.expect("stored");
        frozen.push(FrozenFile { path: path.clone(), version: 1, digest });
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
        points_per_task: (points + tasks - 1) / tasks,
        files: frozen,
    };
    jobs::launch(db, &[job]).await.expect("launched").remove(0)
}

/// A job, as it is now.
pub async fn job(db: &Database, id: &Id) -> Job {
    jobs::get(db, id).await.expect("the database answers").expect("the job is there")
}

/// The table of a job, put together from its points.
pub async fn table(db: &Database, id: &Id, files: &Files) -> Vec<u8> {
    let argv = job(db, id).await.task_argv;
    let admitted = remote::admit(&argv, &|_| true).expect("admitted");
    let points = jobs::points(db, id, 0, 1000).await.expect("points");
    let row = |point: &jobs::Point| (point.point as u64, serde_json::from_str(&point.record).expect("a row"));
    let mut context = Context::of_files(Box::new(InMemory::new(files.clone())));
    remote::assemble(&admitted, points.iter().map(row).collect(), &mut context).table.expect("a table")
}

/// The table that the shell writes.
pub fn table_of_the_shell(files: &Files, line: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        std::fs::write(folder.path().join(path), bytes).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_runcast"));
    let done = command.args(words(line)).current_dir(folder.path()).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(folder.path().join("t.csv")).expect("a table")
}

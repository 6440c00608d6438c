//! A worker in this process: it claims tasks from the store and computes them as the shell would, on frozen files.

use runcast_commands::Context;
use runcast_commands::remote::{self, Answer, InMemory};
use runcast_store::queue::{self, Finish, PointRecord};
use runcast_store::workers::{self, NewWorker};
use runcast_store::{Database, Id, blobs, jobs};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(30);

/// A worker that was registered.
pub async fn register(db: &Database) -> Id {
    let new = NewWorker {
        name: "test".to_owned(),
        kind: "worker".to_owned(),
        host: "here".to_owned(),
        pid: 1,
        server: None,
        sandbox: "limits".to_owned(),
        slots: 1,
    };
    workers::register(db, &new).await.expect("registered")
}

/// Works on at most so many tasks: how many there were.
pub async fn work(db: &Database, worker: &Id, most: usize) -> usize {
    for done in 0..most {
        let Some(claim) = queue::claim(db, worker, LEASE).await.expect("a claim") else { return done };
        let held = claim.held();
        let memory = frozen(db, &claim.files).await;
        let argv = claim.task_argv.clone();
        let missing: Vec<u64> = claim.missing_points.iter().map(|point| *point as u64).collect();
        let is_sweep = claim.points_total > 1;
        let (records, answer) = tokio::task::spawn_blocking(move || {
            let admitted = remote::admit(&argv, &|_| true).expect("admitted");
            let mut context = Context::of_files(Box::new(memory));
            if !is_sweep {
                let answer = remote::run(&admitted, &mut context);
                return (vec![record(0, answer.exit != 0, "{}".to_owned())], Some(answer));
            }
            let rows = Mutex::new(Vec::new());
            let keep = |point: u64, failed: bool, row: remote::Row| {
                let text = serde_json::to_string(&row).expect("JSON");
                rows.lock().expect("rows").push(record(point as i64, failed, text));
            };
            remote::run_points(&admitted, &missing, &mut context, &keep).expect("computed");
            (rows.into_inner().expect("rows"), None)
        })
        .await
        .expect("computed");
        let outputs = answer.iter().flat_map(outputs).collect();
        let finish = Finish { points: records, outputs, ..Finish::succeeded(Vec::new()) };
        assert!(queue::finish(db, &held, &finish).await.expect("stored"), "still ours");
    }
    most
}

fn record(point: i64, failed: bool, record: String) -> PointRecord {
    PointRecord { point, failed, record, cpu_s: 0.001 }
}

fn outputs(answer: &Answer) -> Vec<jobs::Output> {
    let output = |name: &str, media: &str, bytes: &[u8]| jobs::Output {
        name: name.to_owned(),
        media: media.to_owned(),
        bytes: bytes.to_owned(),
    };
    let mut all = Vec::new();
    all.extend(answer.document.as_deref().map(|bytes| output("document", "application/json", bytes)));
    all.extend(answer.table.as_deref().map(|bytes| output("table", "text/csv", bytes)));
    all.extend(answer.timeline.as_deref().map(|bytes| output("timeline", "application/json", bytes)));
    all.extend(answer.files.iter().map(|(name, bytes)| output(&format!("file/{name}"), "text/csv", bytes)));
    all.push(output("log", "text/plain", &answer.human));
    all
}

async fn frozen(db: &Database, files: &[jobs::FrozenFile]) -> InMemory {
    let mut contents: Vec<(String, Arc<[u8]>)> = Vec::new();
    for file in files {
        contents.push((file.path.clone(), Arc::from(blobs::get(db, &file.digest).await.expect("bytes"))));
    }
    InMemory::new(contents)
}

/// What the command line gives on the files that a job froze.
pub async fn by_hand(db: &Database, job: &str) -> Answer {
    let job = jobs::get(db, &Id::parse(job).expect("an id")).await.expect("read").expect("a job");
    let memory = frozen(db, &job.files).await;
    let run = move || {
        let admitted = remote::admit(&job.task_argv, &|_| true).expect("admitted");
        remote::run(&admitted, &mut Context::of_files(Box::new(memory)))
    };
    tokio::task::spawn_blocking(run).await.expect("computed")
}

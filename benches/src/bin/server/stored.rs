//! A server's folder with many jobs that have ended.

use crate::served::{Served, folder, said};
use runcast_store::database::Location;
use runcast_store::jobs::{self, FrozenFile, NewJob};
use runcast_store::{Database, Id, StoreError, files, projects, users};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Jobs that are stored at once.
const AT_ONCE: usize = 5_000;

/// What a worker would have written in the end, for all jobs at once.
const ENDED: [&str; 4] = [
    "INSERT INTO points (job_id, point, failed, record, attempt, cpu_s, stored_at) \
     SELECT job_id, first_point, 0, '{}', 1, 0.01, {now} FROM tasks WHERE state = 'queued'",
    "UPDATE tasks SET state = 'succeeded', attempt = 1, started_at = {now}, finished_at = {now} WHERE state = 'queued'",
    "UPDATE jobs SET state = 'succeeded', points_done = points_total, tasks_open = 0, attempts = 1, cpu_s = 0.01, \
     started_at = created_at, finished_at = created_at WHERE state = 'queued'",
    "UPDATE lanes SET ready = 0, points = 0",
];

/// A folder as a first start leaves it, samples and their results included, and so many jobs more.
pub fn folder_with(jobs: usize) -> Result<TempDir, String> {
    let folder = folder()?;
    let served = Served::start(folder.path(), &["--workers", "2"])?;
    let client = served.client();
    for _ in 0..400 {
        std::thread::sleep(Duration::from_millis(50));
        let list = client.get("/projects/main/jobs")?;
        let is_over = |job: &serde_json::Value| job["state"] == "succeeded";
        if list["items"].as_array().is_some_and(|jobs| !jobs.is_empty() && jobs.iter().all(is_over)) {
            break;
        }
    }
    served.stop()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(said)?;
    runtime.block_on(fill(folder.path(), jobs)).map_err(said)?;
    Ok(folder)
}

async fn fill(folder: &Path, jobs: usize) -> Result<(), StoreError> {
    let db = Database::open(&Location::File(folder.join("runcast.sqlite"))).await?;
    let user = users::local(&db).await?.id;
    let project = projects::get(&db, "main").await?.ok_or_else(|| StoreError::missing("project", "main"))?.id;
    // A sweep of the samples reads three files.
    let wanted = ["experiments/heat.toml", "systems/galera.toml", "applications/heat.luau"];
    let frozen = files::frozen(&db, &project).await?.into_iter().filter(|file| wanted.contains(&file.path.as_str()));
    let frozen: Vec<FrozenFile> =
        frozen.map(|file| FrozenFile { path: file.path, version: file.version, digest: file.digest }).collect();
    let mut left = jobs;
    while left > 0 {
        let some: Vec<NewJob> = (0..left.min(AT_ONCE)).map(|number| job(&project, &user, number, &frozen)).collect();
        jobs::launch(&db, &some).await?;
        left -= some.len();
    }
    for statement in ENDED {
        db.write(statement, &[]).await?;
    }
    db.close().await;
    Ok(())
}

fn job(project: &Id, user: &Id, number: usize, files: &[FrozenFile]) -> NewJob {
    let argv: Vec<String> = ["sim", "sweep", "experiments/heat.toml", "--vary"]
        .map(str::to_owned)
        .into_iter()
        .chain([format!("p={}", number + 1)])
        .collect();
    NewJob {
        id: Id::new(),
        project: project.clone(),
        user: user.clone(),
        batch: None,
        title: format!("Heat, number {number}"),
        task_argv: argv.clone(),
        argv,
        limits: r#"{"cpu_s":600,"memory_bytes":2147483648,"output_bytes":67108864,"wall_s":1200}"#.to_owned(),
        priority: 0,
        points: 1,
        points_per_task: 1,
        files: files.to_vec(),
    }
}

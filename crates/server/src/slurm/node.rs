//! On the compute node: runs the tasks of a bundle; needs no network and no database.

use super::spool::{self, Begun, End, Point, Task, Work};
use crate::task::{Code, Event, Launcher, Outcome, PointRow, Process, Sandbox, Spec, Stop, Work as Do};
use runcast_commands::Failure;
use runcast_core::Problem;
use runcast_store::queue::PointRecord;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

/// Points are gathered so long before they are written.
const GATHER: Duration = Duration::from_millis(200);
/// How often the node looks whether a task is to end.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Runs the tasks of a bundle, this many at once, until asked to stop.
///
/// # Errors
/// The bundle cannot be read, or results cannot be written.
pub async fn run(folder: &Path, slots: usize, told: impl Future<Output = ()>) -> Result<(), Failure> {
    let path = folder.join("work.json");
    let work: Work = spool::read(&path).map_err(|error| Failure::reading(&path, &error))?;
    let launcher =
        Launcher::own().await.map_err(|error| Failure::undone(Problem::new("executable", error.to_string())))?;
    if launcher.sandbox() != Sandbox::Full && !work.allow_weak_sandbox {
        let text = format!("the sandbox is not in full force on this node: {}", launcher.sandbox().name());
        let problem = Problem::new("weak_sandbox", text);
        return Err(Failure::undone(
            problem.hint("if all who launch jobs are trusted: the dispatcher's --allow-weak-sandbox"),
        ));
    }
    let folder = Arc::<Path>::from(folder);
    let mut running = JoinSet::new();
    let mut tasks = work.tasks.into_iter().enumerate();
    tokio::pin!(told);
    loop {
        while running.len() < slots.max(1)
            && let Some((number, task)) = tasks.next()
        {
            let (folder, launcher) = (Arc::clone(&folder), launcher.clone());
            running.spawn(async move { one(&folder, number, task, number < slots.max(1), &launcher).await });
        }
        let ended = tokio::select! {
            // Dropping the futures ends the processes; Slurm ends what is left.
            () = &mut told => return Err(Failure::undone(Problem::new("interrupted", "it was asked to end"))),
            ended = running.join_next() => ended,
        };
        match ended {
            None => return Ok(()),
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(error))) => return Err(Failure::undone(Problem::new("spool", error.to_string()))),
            Some(Err(error)) => return Err(Failure::undone(Problem::new("crashed", error.to_string()))),
        }
    }
}

async fn one(folder: &Path, number: usize, task: Task, is_first: bool, launcher: &Launcher) -> io::Result<()> {
    let done = folder.join("done");
    let (cancel, end) = (folder.join(format!("cancel-{number}")), done.join(format!("end-{number}")));
    if end.exists() || cancel.exists() {
        return Ok(());
    }
    spool::write(&done.join(format!("begun-{number}")), &Begun { is_first })?;
    let mut files = Vec::with_capacity(task.files.len());
    for (path, digest) in task.files {
        let bytes = std::fs::read(folder.join("files").join(digest.to_string()))?;
        files.push((path, Arc::from(bytes)));
    }
    let stop = Stop::default();
    let work = Do::Command { argv: task.argv, points: task.points };
    let spec = Spec { work, files, limits: task.limits, stop: stop.clone() };
    let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
    let process = Process::run(launcher, spec, sender);
    let watched = async {
        tokio::pin!(process);
        loop {
            tokio::select! {
                outcome = &mut process => return outcome,
                () = tokio::time::sleep(LOOK_EVERY) => {
                    if cancel.exists() {
                        stop.stop();
                    }
                }
            }
        }
    };
    let (outcome, written): (Outcome, _) = tokio::join!(watched, listen(&done, number, &mut events));
    written?;
    if outcome.code == Some(Code::Cancelled) {
        return Ok(());
    }
    spool::write(&end, &End::from(outcome))
}

/// Writes points as they come.
async fn listen(done: &Path, number: usize, events: &mut UnboundedReceiver<Event>) -> io::Result<()> {
    let run = std::env::var("SLURM_JOB_ID").unwrap_or_else(|_| std::process::id().to_string());
    let (mut count, mut is_over) = (0_u64, false);
    while !is_over {
        let Some(event) = events.recv().await else { break };
        let mut points = Vec::new();
        take(event, &mut points);
        let soon = tokio::time::Instant::now() + GATHER;
        loop {
            match tokio::time::timeout_at(soon, events.recv()).await {
                Ok(Some(event)) => take(event, &mut points),
                Ok(None) => {
                    is_over = true;
                    break;
                }
                Err(_) => break,
            }
        }
        if !points.is_empty() {
            spool::write(&done.join(format!("points-{number}-{run}-{count}")), &points)?;
            count += 1;
        }
    }
    Ok(())
}

fn take(event: Event, points: &mut Vec<Point>) {
    if let Event::Point(PointRow { point, failed, record, cpu_s }) = event
        && let Ok(point) = i64::try_from(point)
    {
        points.push(PointRecord { point, failed, record, cpu_s }.into());
    }
}

//! What becomes of a task, by the outcome of its attempts.

use crate::queue::support::{LEASE, check_books, claim, job, launch, let_expire, let_waits_end, record, records};
use runcast_store::jobs::{self, State};
use runcast_store::queue::{self, Ending, Finish, Verdict};
use runcast_store::testing::{both, people};
use runcast_store::workers::{self, NewWorker};
use runcast_store::{Database, Id};

/// The wait before the next attempt of the only task of a job, in seconds.
async fn wait(db: &Database, id: &Id) -> i64 {
    let statement = "SELECT not_before - {now} AS left, ready FROM tasks WHERE job_id = $1";
    let row = db.read_one(statement, &[id.into()]).await.expect("read").expect("a task");
    // Rounded up: some of the last second has passed.
    if row.yes("ready").expect("ready") { 0 } else { (row.int("left").expect("left") + 999_999) / 1_000_000 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_loses_its_worker_five_times_fails_and_a_retry_revives_it() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 1, 0).await;
        let worker = Id::new();
        for (attempt, pause) in [(1, 0), (2, 1), (3, 5), (4, 30), (5, 0)] {
            let taken = claim(&db, &worker).await.expect("a task");
            assert_eq!(taken.attempt, attempt);
            let_expire(&db, &taken.held()).await;
            queue::expire(&db).await.expect("expired");
            assert_eq!(wait(&db, &id).await, pause, "after attempt {attempt}");
            let late = queue::store(&db, &taken.held(), &[record(0)]).await.expect("answered");
            assert!(!late, "a worker that lost its lease writes nothing");
            let_waits_end(&db).await;
        }
        let failed = job(&db, &id).await;
        assert_eq!((failed.state, failed.points_failed, failed.attempts), (State::Failed, 1, 5));
        assert_eq!(failed.error.expect("an error")["code"], "worker_lost");
        let tasks = jobs::tasks(&db, &id, 0, 10).await.expect("read");
        assert_eq!(tasks[0].code.as_deref(), Some("worker_lost"));
        jobs::retry(&db, &id).await.expect("queued again");
        assert_eq!(job(&db, &id).await.state, State::Queued);
        let taken = claim(&db, &worker).await.expect("a task");
        assert_eq!((taken.attempt, taken.missing_points.as_slice()), (6, &[0_i64][..]));
        queue::finish(&db, &taken.held(), &Finish::succeeded(records(&taken))).await.expect("finished");
        let done = job(&db, &id).await;
        assert_eq!((done.state, done.points_failed, done.error), (State::Succeeded, 0, None));
        check_books(&db, "lost five times").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_stored_a_point_is_no_loss_in_a_row_and_only_missing_points_are_computed() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let mut new = runcast_store::testing::sample_job(&project, &users[0], 8);
        new.points_per_task = 8;
        jobs::launch(&db, &[new.clone()]).await.expect("launched");
        let worker = Id::new();
        for point in 0..7 {
            let taken = claim(&db, &worker).await.expect("a task");
            assert_eq!(taken.missing_points, (point..8).collect::<Vec<_>>());
            assert!(queue::store(&db, &taken.held(), &[record(point)]).await.expect("stored"));
            let_expire(&db, &taken.held()).await;
            queue::expire(&db).await.expect("expired");
            let_waits_end(&db).await;
        }
        let job = job(&db, &new.id).await;
        assert_eq!((job.state, job.points_done), (State::Running, 7));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_are_tried_three_times_errors_once() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let worker = Id::new();
        for (code, attempts) in [("crashed", 3), ("input", 1), ("limit_memory", 1), ("failed", 1)] {
            let id = launch(&db, &project, &users[0], 2, 0).await;
            let mut seen = 0;
            while let Some(taken) = claim(&db, &worker).await {
                let finish = if taken.number == 1 {
                    seen = taken.attempt;
                    Finish::failed(code, "it went wrong")
                } else {
                    Finish::succeeded(records(&taken))
                };
                assert!(queue::finish(&db, &taken.held(), &finish).await.expect("finished"));
                let_waits_end(&db).await;
            }
            let job = job(&db, &id).await;
            assert_eq!((job.state, seen), (State::Failed, attempts), "{code}");
            assert_eq!((job.points_done, job.points_failed), (1, 1), "{code}");
            assert_eq!(job.error.expect("an error")["code"], code);
        }
        check_books(&db, "outcomes").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_counts_the_failed_points_of_all_its_tasks() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let mut new = runcast_store::testing::sample_job(&project, &users[0], 7);
        new.points_per_task = 2;
        jobs::launch(&db, &[new.clone()]).await.expect("launched");
        let worker = Id::new();
        // The last task has nothing that failed: on PostgreSQL it ends by another statement.
        while let Some(taken) = claim(&db, &worker).await {
            let mut points = records(&taken);
            points[0].failed = taken.number < 4;
            assert!(queue::finish(&db, &taken.held(), &Finish::succeeded(points)).await.expect("finished"));
            let ended = job(&db, &new.id).await;
            assert_eq!(ended.error.is_some(), ended.state == State::Failed, "after task {}", taken.number);
        }
        let failed = job(&db, &new.id).await;
        assert_eq!((failed.state, failed.points_done, failed.points_failed), (State::Failed, 4, 3));
        let error = failed.error.expect("an error");
        assert_eq!((&error["code"], &error["message"]), (&"failed".into(), &"3 of 7 points failed".into()));
        check_books(&db, "failed points").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_queued_tasks_at_once_and_running_ones_when_their_worker_looks() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 3, 0).await;
        let worker = Id::new();
        let one = claim(&db, &worker).await.expect("a task");
        let two = claim(&db, &worker).await.expect("a task");
        let held = [one.held(), two.held()];
        let beat = queue::heartbeat(&db, &worker, &held, LEASE).await.expect("heard");
        assert_eq!(beat, [Verdict::Mine, Verdict::Mine]);
        assert_eq!(jobs::cancel(&db, &id).await.expect("asked"), State::Running);
        assert_eq!(queue::look(&db, &held).await.expect("seen"), [Verdict::Cancel, Verdict::Cancel]);
        // One was done already: its point stays.
        queue::finish(&db, &held[0], &Finish::succeeded(records(&one))).await.expect("finished");
        let cancelled = Finish { ending: Ending::Cancelled, ..Finish::succeeded(Vec::new()) };
        queue::finish(&db, &held[1], &cancelled).await.expect("finished");
        let ended = job(&db, &id).await;
        assert_eq!((ended.state, ended.points_done, ended.points_failed), (State::Cancelled, 1, 0));
        assert_eq!(jobs::cancel(&db, &id).await.expect("asked"), State::Cancelled);
        jobs::retry(&db, &id).await.expect("queued again");
        let mut points = Vec::new();
        while let Some(taken) = claim(&db, &worker).await {
            points.extend(taken.missing_points.clone());
            queue::finish(&db, &taken.held(), &Finish::succeeded(records(&taken))).await.expect("finished");
        }
        assert_eq!(points, [1, 2], "the finished point is kept");
        assert_eq!(job(&db, &id).await.state, State::Succeeded);
        jobs::retry(&db, &id).await.expect_err("nothing to retry");
        check_books(&db, "cancelled").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_given_back_was_no_attempt() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        launch(&db, &project, &users[0], 1, 0).await;
        for _ in 0..7 {
            let taken = claim(&db, &Id::new()).await.expect("a task");
            assert_eq!(taken.attempt, 1);
            assert!(queue::give_back(&db, &taken.held()).await.expect("given back"));
            let late = queue::finish(&db, &taken.held(), &Finish::succeeded(records(&taken))).await.expect("answered");
            assert!(!late, "it is not ours any more");
        }
        check_books(&db, "given back").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_queues_at_once_what_its_predecessor_held() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        launch(&db, &project, &users[0], 2, 0).await;
        let mut about = NewWorker {
            name: "one".to_owned(),
            kind: "server".to_owned(),
            host: "here".to_owned(),
            pid: 1,
            server: Some("this data directory".to_owned()),
            sandbox: "full".to_owned(),
            slots: 1,
        };
        let dead = workers::register(&db, &about).await.expect("registered");
        about.server = None;
        let alive = workers::register(&db, &about).await.expect("registered");
        let lost = claim(&db, &dead).await.expect("a task");
        let kept = claim(&db, &alive).await.expect("a task");
        let recovered = queue::recover(&db, "this data directory").await.expect("recovered");
        assert_eq!((recovered.queued, recovered.failed), (1, 0));
        let again = claim(&db, &alive).await.expect("a task");
        assert_eq!((again.number, again.attempt), (lost.number, 2));
        let verdicts = queue::look(&db, &[lost.held(), kept.held()]).await.expect("seen");
        assert_eq!(verdicts, [Verdict::Lost, Verdict::Mine]);
        let there = workers::list(&db).await.expect("read");
        assert_eq!(there.iter().map(|worker| (&worker.id, worker.running)).collect::<Vec<_>>(), [(&alive, 2)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_job_is_lost_to_its_worker_and_leaves_its_lane() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 3, 0).await;
        let worker = Id::new();
        let taken = claim(&db, &worker).await.expect("a task");
        jobs::delete(&db, &id).await.expect("deleted");
        assert!(jobs::get(&db, &id).await.expect("read").is_none());
        assert_eq!(queue::look(&db, &[taken.held()]).await.expect("seen"), [Verdict::Lost]);
        assert!(!queue::store(&db, &taken.held(), &[record(0)]).await.expect("answered"));
        assert!(claim(&db, &worker).await.is_none());
        check_books(&db, "deleted").await;
    })
    .await;
}

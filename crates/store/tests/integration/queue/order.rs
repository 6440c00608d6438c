//! The fair order.

use crate::queue::support::{LEASE, claim, job, launch, let_waits_end, records};
use runcast_store::jobs::{self, Change, Filter, State};
use runcast_store::queue::{self, Finish};
use runcast_store::testing::{both, people};
use runcast_store::{Id, StoreError};
use std::collections::HashSet;

#[tokio::test(flavor = "multi_thread")]
async fn with_one_worker_the_order_is_exact() {
    both(|db| async move {
        let (project, users) = people(&db, 2).await.expect("people");
        let a = launch(&db, &project, &users[0], 4, 0).await;
        let a2 = launch(&db, &project, &users[0], 1, 5).await;
        let b = launch(&db, &project, &users[1], 2, 0).await;
        let worker = Id::new();
        let mut started = Vec::new();
        while let Some(claim) = claim(&db, &worker).await {
            let name = [(&a, "a"), (&a2, "a2"), (&b, "b")].into_iter().find(|job| *job.0 == claim.job).expect("ours").1;
            started.push(format!("{name}/{}", claim.number));
            assert!(queue::finish(&db, &claim.held(), &Finish::succeeded(records(&claim))).await.expect("finished"));
        }
        assert_eq!(started, ["a2/1", "b/1", "a/1", "b/2", "a/2", "a/3", "a/4"]);
        for id in [&a, &a2, &b] {
            let job = job(&db, id).await;
            assert_eq!(job.state, State::Succeeded);
            assert_eq!((job.points_done, job.points_failed), (job.points_total, 0));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_workers_take_each_task_once() {
    both(|db| async move {
        let (project, users) = people(&db, 3).await.expect("people");
        for user in &users {
            launch(&db, &project, user, 60, 0).await;
            launch(&db, &project, user, 40, 3).await;
        }
        let workers: Vec<_> = (0..16)
            .map(|_| {
                let db = db.clone();
                tokio::spawn(async move {
                    let worker = Id::new();
                    let mut taken = Vec::new();
                    while let Some(claim) = claim(&db, &worker).await {
                        let finish = Finish::succeeded(records(&claim));
                        assert!(queue::finish(&db, &claim.held(), &finish).await.expect("finished"));
                        taken.push((claim.job, claim.number));
                    }
                    taken
                })
            })
            .collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.await.expect("no panic"));
        }
        assert_eq!(all.len(), 300);
        assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), 300);
        crate::queue::support::check_books(&db, "sixteen workers").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_priority_holds_for_what_is_queued() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let first = launch(&db, &project, &users[0], 2, 0).await;
        let second = launch(&db, &project, &users[0], 1, 0).await;
        let worker = Id::new();
        assert_eq!(claim(&db, &worker).await.expect("a task").job, first);
        let change = Change { priority: Some(7), title: Some("sooner".to_owned()) };
        jobs::patch(&db, &second, &change).await.expect("changed");
        assert_eq!(claim(&db, &worker).await.expect("a task").job, second);
        assert_eq!(job(&db, &second).await.title, "sooner");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quotas_bound_queued_points_and_running_tasks() {
    both(|db| async move {
        let (project, users) = people(&db, 2).await.expect("people");
        let statement = "INSERT INTO quotas (user_id, quota, value) VALUES ($1, $2, $3)";
        for (quota, value) in [("queued_points", 3_i64), ("running_tasks", 1)] {
            db.write(statement, &[(&users[0]).into(), quota.into(), value.into()]).await.expect("written");
        }
        let mine = launch(&db, &project, &users[0], 3, 0).await;
        let more = runcast_store::testing::sample_job(&project, &users[0], 1);
        let error = jobs::launch(&db, &[more]).await.expect_err("too many points");
        assert!(matches!(error, StoreError::Quota { limit: 3, .. }), "{error}");
        let worker = Id::new();
        let first = claim(&db, &worker).await.expect("a task");
        assert_eq!(first.job, mine);
        assert!(claim(&db, &worker).await.is_none(), "one runs, and more may not");
        let other = launch(&db, &project, &users[1], 1, 0).await;
        assert_eq!(claim(&db, &worker).await.expect("a task").job, other);
        queue::finish(&db, &first.held(), &Finish::succeeded(records(&first))).await.expect("finished");
        assert_eq!(claim(&db, &worker).await.expect("a task").job, mine);
        let_waits_end(&db).await;
        assert!(queue::claim(&db, &worker, LEASE).await.expect("claimed").is_none());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_listed_newest_first_page_by_page() {
    both(|db| async move {
        let (project, users) = people(&db, 2).await.expect("people");
        let mut ids = Vec::new();
        for number in 0..7 {
            ids.push(launch(&db, &project, &users[number % 2], 1, 0).await);
        }
        ids.reverse();
        let mut seen = Vec::new();
        let all = Filter { project: Some(project.clone()), ..Filter::default() };
        loop {
            let page = jobs::page(&db, &all, seen.last(), 3).await.expect("read");
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|job| job.id));
        }
        assert_eq!(seen, ids);
        jobs::cancel(&db, &ids[2]).await.expect("asked");
        let cancelled = Filter { state: Some(State::Cancelled), ..all.clone() };
        let page = jobs::page(&db, &cancelled, None, 50).await.expect("read");
        assert_eq!(page.iter().map(|job| &job.id).collect::<Vec<_>>(), [&ids[2]]);
        let of_user = Filter { user: Some(users[1].clone()), ..Filter::default() };
        assert_eq!(jobs::page(&db, &of_user, None, 50).await.expect("read").len(), 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_of_a_deleted_project_leave_the_queue() {
    both(|db| async move {
        let (project, users) = people(&db, 2).await.expect("people");
        let (other, _) = people(&db, 0).await.expect("another project");
        for user in &users {
            launch(&db, &project, user, 3, 0).await;
        }
        let kept = launch(&db, &other, &users[0], 1, 0).await;
        let worker = Id::new();
        let taken = claim(&db, &worker).await.expect("a task");
        let mut tx = db.begin().await.expect("begun");
        jobs::leave(&mut tx, &project).await.expect("left");
        tx.execute("DELETE FROM projects WHERE id = $1", &[(&project).into()]).await.expect("deleted");
        tx.commit().await.expect("committed");
        crate::queue::support::check_books(&db, "a deleted project").await;
        assert_eq!(queue::look(&db, &[taken.held()]).await.expect("seen"), [queue::Verdict::Lost]);
        assert_eq!(claim(&db, &worker).await.expect("a task").job, kept);
        assert!(claim(&db, &worker).await.is_none());
    })
    .await;
}

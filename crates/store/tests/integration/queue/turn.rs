//! Turns: what has ended and what comes next, together.

use crate::queue::support::{LEASE, check_books, claim, job, launch, records};
use runcast_store::jobs::{self, Output, State};
use runcast_store::queue::{self, Claim, Finish, Turned};
use runcast_store::testing::{both, people};
use runcast_store::{Database, Id, StoreError};

fn output(text: &str) -> Output {
    Output { name: "human".to_owned(), media: "text/plain".to_owned(), bytes: text.as_bytes().to_vec() }
}

/// Ends these with all their points and an output, and claims so many.
async fn turn(db: &Database, worker: &Id, ended: &[Claim], most: usize) -> Turned {
    let end = |claim: &Claim| {
        let outputs = vec![output(&format!("task {}", claim.number % 2))];
        (claim.held(), Finish { outputs, cpu_s: 0.25, ..Finish::succeeded(records(claim)) })
    };
    let ends: Vec<_> = ended.iter().map(end).collect();
    queue::turn(db, worker, LEASE, &ends, most).await.expect("a turn")
}

fn told(turned: &Turned) -> Vec<bool> {
    turned.ended.iter().map(|ended| *ended.as_ref().expect("stored")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_is_that_of_claims_one_by_one() {
    both(|db| async move {
        let (project, users) = people(&db, 2).await.expect("people");
        let a = launch(&db, &project, &users[0], 4, 0).await;
        let a2 = launch(&db, &project, &users[0], 1, 5).await;
        let b = launch(&db, &project, &users[1], 2, 0).await;
        let worker = Id::new();
        let (mut started, mut running) = (Vec::new(), Vec::new());
        loop {
            let turned = turn(&db, &worker, &running, 3).await;
            assert_eq!(told(&turned), vec![true; running.len()]);
            check_books(&db, "after a turn").await;
            running = turned.claims;
            if running.is_empty() {
                break;
            }
            for claim in &running {
                let name = [(&a, "a"), (&a2, "a2"), (&b, "b")].into_iter().find(|job| *job.0 == claim.job);
                started.push(format!("{}/{}", name.expect("ours").1, claim.number));
            }
        }
        // As in `with_one_worker_the_order_is_exact`, but for who has more running at that moment.
        assert_eq!(started[..3], ["a2/1", "b/1", "a/1"]);
        assert_eq!(started.len(), 7);
        for id in [&a, &a2, &b] {
            let job = job(&db, id).await;
            assert_eq!((job.state, job.points_done), (State::Succeeded, job.points_total));
            assert_eq!(job.cpu_s, 0.25 * job.points_total as f64);
        }
        let kept = jobs::output(&db, &a, "human").await.expect("read").expect("an output");
        assert_eq!(
            String::from_utf8(kept.bytes).expect("text").split('/').next(),
            Some("task 0"),
            "of the last task, 4"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_lost_or_wrong_takes_no_other_with_it() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 5, 0).await;
        let worker = Id::new();
        let taken = turn(&db, &worker, &[], 4).await.claims;
        assert_eq!(taken.len(), 4);
        assert!(queue::give_back(&db, &taken[1].held()).await.expect("given back"));
        let mut wrong = Finish::succeeded(records(&taken[2]));
        wrong.points[0].point = 99;
        let failed = Finish::failed("input", "it is wrong");
        let ends = vec![
            (taken[0].held(), Finish::succeeded(records(&taken[0]))),
            (taken[1].held(), Finish::succeeded(records(&taken[1]))),
            (taken[2].held(), wrong),
            (taken[3].held(), failed),
        ];
        let turned = queue::turn(&db, &worker, LEASE, &ends, 0).await.expect("a turn");
        assert!(matches!(turned.ended[..], [Ok(true), Ok(false), Err(StoreError::State(_)), Ok(true)]), "{turned:?}");
        check_books(&db, "after a turn with trouble").await;
        let now = job(&db, &id).await;
        assert_eq!((now.points_done, now.points_failed), (1, 1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_taken_again_stores_nothing_twice() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 3, 0).await;
        let worker = Id::new();
        let taken = turn(&db, &worker, &[], 2).await.claims;
        assert_eq!(told(&turn(&db, &worker, &taken, 0).await), [true, true]);
        // As after a connection that broke at its end.
        assert_eq!(told(&turn(&db, &worker, &taken, 0).await), [false, false]);
        check_books(&db, "after the same turn twice").await;
        let now = job(&db, &id).await;
        assert_eq!((now.points_done, now.cpu_s), (2, 0.5));
        // Points that came before the end count once.
        let last = claim(&db, &worker).await.expect("the third");
        assert!(queue::store(&db, &last.held(), &records(&last)).await.expect("stored"));
        assert_eq!(told(&turn(&db, &worker, &[last], 1).await), [true]);
        let now = job(&db, &id).await;
        assert_eq!((now.state, now.points_done), (State::Succeeded, 3));
        check_books(&db, "at the end").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workers_that_take_turns_take_each_task_once() {
    both(|db| async move {
        let (project, users) = people(&db, 3).await.expect("people");
        for user in &users {
            for _ in 0..10 {
                launch(&db, &project, user, 10, 0).await;
            }
        }
        let hand = |size: usize| {
            let db = db.clone();
            tokio::spawn(async move {
                let (worker, mut running, mut count) = (Id::new(), Vec::new(), 0);
                loop {
                    let turned = turn(&db, &worker, &running, size).await;
                    assert_eq!(told(&turned), vec![true; running.len()]);
                    running = turned.claims;
                    count += running.len();
                    if running.is_empty() {
                        return count;
                    }
                }
            })
        };
        let mut count = 0;
        for hand in [1, 2, 5, 9, 16, 64].map(hand) {
            count += hand.await.expect("no panic");
        }
        assert_eq!(count, 300);
        check_books(&db, "six workers").await;
    })
    .await;
}

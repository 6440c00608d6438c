//! Events, wake-ups, answers to repeated requests.

use crate::queue::support::{claim, launch, records};
use runcast_store::events::{self, Event, Kind, NewEvent, Since};
use runcast_store::idempotency::{self, Answer, Key};
use runcast_store::jobs::{self, Launch, Launched, NewBatch, State};
use runcast_store::queue::{self, Finish};
use runcast_store::testing::{Place, both, people, sample_job};
use runcast_store::{Database, Digest, Id, StoreError, batches, wakes};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

async fn all(db: &Database, project: &Id, after: i64) -> Vec<Event> {
    match events::since(db, project, after, 1000).await.expect("read") {
        Since::Events(events) => events,
        Since::Reset(_) => panic!("nothing is gone"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_tells_what_becomes_of_it() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = launch(&db, &project, &users[0], 2, 0).await;
        let worker = Id::new();
        while let Some(claim) = claim(&db, &worker).await {
            queue::finish(&db, &claim.held(), &Finish::succeeded(records(&claim))).await.expect("finished");
        }
        let told = all(&db, &project, 0).await;
        assert!(told.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(told.iter().all(|event| event.job.as_ref() == Some(&id) && event.data["job"] == json!(id)));
        let states: Vec<_> =
            told.iter().filter(|event| event.kind == Kind::Job).map(|event| &event.data["state"]).collect();
        assert_eq!(states, ["queued", "running", "succeeded"]);
        let progress = told.iter().find(|event| event.kind == Kind::Progress).expect("progress");
        assert_eq!((&progress.data["points_done"], &progress.data["points_total"]), (&json!(1), &json!(2)));
        assert!(progress.data["rate_per_s"].as_f64().expect("a rate") > 0.0);
        let last = told.last().expect("some").id;
        assert_eq!(events::last(&db).await.expect("read"), last);
        assert_eq!(all(&db, &project, last).await, []);
        assert_eq!(all(&db, &project, told[0].id).await.len(), told.len() - 1);
        let (other, _) = people(&db, 0).await.expect("another project");
        assert_eq!(all(&db, &other, 0).await, []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_at_most_five_times_a_second() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        launch(&db, &project, &users[0], 60, 0).await;
        let worker = Id::new();
        let start = Instant::now();
        while let Some(claim) = claim(&db, &worker).await {
            queue::store(&db, &claim.held(), &records(&claim)).await.expect("stored");
            queue::finish(&db, &claim.held(), &Finish::succeeded(Vec::new())).await.expect("finished");
        }
        let most = start.elapsed().as_millis() / 200 + 1;
        let told = all(&db, &project, 0).await.into_iter().filter(|event| event.kind == Kind::Progress).count();
        assert!((1..=most).contains(&(told as u128)), "{told} of at most {most}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_missed_events_that_are_gone_hears_so() {
    both(|db| async move {
        let (project, _) = people(&db, 0).await.expect("a project");
        for number in 0..5 {
            let data = json!({"number": number});
            events::add(&db, NewEvent { project: project.clone(), job: None, kind: Kind::File, data })
                .await
                .expect("told");
        }
        let ids: Vec<i64> = all(&db, &project, 0).await.iter().map(|event| event.id).collect();
        db.write("UPDATE events SET at = 0 WHERE id <= $1", &[ids[2].into()]).await.expect("written");
        assert_eq!(events::purge(&db).await.expect("purged"), 2);
        assert_eq!(events::since(&db, &project, ids[0], 10).await.expect("read"), Since::Reset(ids[4]));
        assert_eq!(events::since(&db, &project, ids[4] + 7, 10).await.expect("read"), Since::Reset(ids[4]));
        assert_eq!(all(&db, &project, ids[2]).await.len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_reader_jumps_over_an_event_that_becomes_visible_late() {
    both(|db| async move {
        let (project, _) = people(&db, 0).await.expect("a project");
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (db, project) = (db.clone(), project.clone());
                tokio::spawn(async move {
                    for number in 0..25 {
                        let mut tx = db.begin().await.expect("begun");
                        let data = json!({"writer": writer, "number": number});
                        let event = NewEvent { project: project.clone(), job: None, kind: Kind::File, data };
                        events::add_in(&mut tx, &[event]).await.expect("told");
                        // Others end before.
                        tokio::time::sleep(Duration::from_millis((writer * 7 + number) % 5)).await;
                        tx.commit().await.expect("committed");
                    }
                })
            })
            .collect();
        let mut seen = BTreeSet::new();
        let mut last = 0;
        while seen.len() < 200 {
            for event in all(&db, &project, last).await {
                assert!(event.id > last);
                last = event.id;
                seen.insert(event.data.to_string());
            }
            let over = writers.iter().all(tokio::task::JoinHandle::is_finished);
            if over && all(&db, &project, last).await.is_empty() {
                break;
            }
        }
        assert_eq!(seen.len(), 200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_wakes_workers_of_this_process_and_of_others() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let mut work = db.wakes().work();
        let mut news = db.wakes().events();
        let start = Instant::now();
        launch(&db, &project, &users[0], 1, 0).await;
        wakes::wait(&mut work, Duration::from_secs(20)).await;
        wakes::wait(&mut news, Duration::from_secs(20)).await;
        assert!(start.elapsed() < Duration::from_secs(10));
        wakes::wait(&mut work, Duration::from_millis(20)).await;
        assert!(!work.has_changed().expect("open"), "it waited in vain, but not for long");
    })
    .await;
    let Some(place) = Place::postgres().await.expect("PostgreSQL starts") else { return };
    let here = Database::open(place.location()).await.expect("opened");
    let there = Database::open(place.location()).await.expect("opened");
    let (listener, location) = (there.clone(), place.location().clone());
    let listening = tokio::spawn(async move { wakes::listen(&listener, &location).await });
    let mut work = there.wakes().work();
    wakes::wait(&mut work, Duration::from_secs(20)).await;
    let (project, users) = people(&here, 1).await.expect("people");
    let start = Instant::now();
    launch(&here, &project, &users[0], 1, 0).await;
    wakes::wait(&mut work, Duration::from_secs(20)).await;
    assert!(start.elapsed() < Duration::from_secs(10), "another process hears of it");
    listening.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_repeated_launches_once() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let key = Key { user: users[0].clone(), key: "k".to_owned(), body: Digest::of(b"body") };
        let request = |body: &[u8]| {
            let job = sample_job(&project, &users[0], 1);
            let answer = Answer { status: 202, location: Some(format!("/jobs/{}", job.id)), body: "{}".to_owned() };
            let key = Key { body: Digest::of(body), ..key.clone() };
            Launch { batch: None, jobs: vec![job], repeat: Some((key, answer)) }
        };
        let first = request(b"body");
        let results = tokio::join!(jobs::launch_all(&db, &first), jobs::launch_all(&db, &first));
        let both = [results.0.expect("answered"), results.1.expect("answered")];
        assert!(both.contains(&Launched::Now));
        let answer = first.repeat.clone().expect("a key").1;
        assert!(both.contains(&Launched::Before(answer.clone())));
        let again = jobs::launch_all(&db, &request(b"body")).await.expect("answered");
        assert_eq!(again, Launched::Before(answer.clone()));
        let error = jobs::launch_all(&db, &request(b"another")).await.expect_err("another body");
        assert!(matches!(error, StoreError::State(_)), "{error}");
        assert_eq!(idempotency::find(&db, &key).await.expect("read"), Some(answer));
        db.write("UPDATE idempotency SET created_at = 0", &[]).await.expect("written");
        assert_eq!(idempotency::find(&db, &key).await.expect("read"), None);
        assert_eq!(jobs::launch_all(&db, &request(b"another")).await.expect("answered"), Launched::Now);
        let queued = db.read("SELECT 1 FROM jobs WHERE state = 'queued'", &[]).await.expect("read");
        assert_eq!(queued.len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_launched_whole_counted_and_cancelled() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let id = Id::new();
        let job = |index: i64| {
            let mut job = sample_job(&project, &users[0], 1);
            job.batch = Some((id.clone(), index));
            job
        };
        let new =
            NewBatch { id: id.clone(), project: project.clone(), user: users[0].clone(), answer: "{}".to_owned() };
        let launch = Launch { batch: Some(new), jobs: (0..150).map(job).collect(), repeat: None };
        let mut broken = launch.clone();
        // Twice the same: none of it is stored.
        broken.jobs.push(broken.jobs[0].clone());
        jobs::launch_all(&db, &broken).await.expect_err("twice the same job");
        assert!(batches::get(&db, &id).await.expect("read").is_none());
        jobs::launch_all(&db, &launch).await.expect("launched");
        let worker = Id::new();
        let claim = claim(&db, &worker).await.expect("a task");
        queue::finish(&db, &claim.held(), &Finish::succeeded(records(&claim))).await.expect("finished");
        batches::cancel(&db, &id).await.expect("asked");
        let batch = batches::get(&db, &id).await.expect("read").expect("there");
        let expected = [0, 0, 1, 0, 149];
        assert_eq!(batch.counts, State::ALL.into_iter().zip(expected).collect::<Vec<_>>());
        let ids = batches::jobs(&db, &id).await.expect("read");
        assert!(ids.iter().enumerate().all(|(index, (place, _))| index as i64 == *place) && ids.len() == 150);
    })
    .await;
}

//! How a bundle is judged when its job is gone.

use super::*;
use runcast_store::jobs::{self, State};
use runcast_store::testing::{Place, people, sample_job};
use runcast_store::workers::{self, NewWorker};
use std::time::Duration;

/// What becomes of three tasks, the first begun at once, the second later, the third not, when their job ends so.
async fn fates(state: &str) -> Vec<(State, Option<String>)> {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("it opens");
    let (project, users) = people(&db, 1).await.expect("people");
    let id = jobs::launch(&db, &[sample_job(&project, &users[0], 3)]).await.expect("launched").remove(0);
    let new = NewWorker {
        name: "slurm".to_owned(),
        kind: "slurm".to_owned(),
        host: "host".to_owned(),
        pid: 1,
        server: None,
        sandbox: "full".to_owned(),
        slots: 3,
    };
    let worker = workers::register(&db, &new).await.expect("registered");
    let mut claims = Vec::new();
    while let Some(claim) = queue::claim(&db, &worker, Duration::from_secs(30)).await.expect("claimed") {
        claims.push(claim);
    }
    let spool = tempfile::tempdir().expect("a folder");
    let from = (&db, &Contents::default());
    let how = (Overrides::default(), false);
    let folder = Bundle::write(spool.path(), &claims, from, how, Path::new("/bin/runcast")).await.expect("written");
    let all = AllHeld::default();
    let mut bundle = Bundle::open(folder.clone(), &all).expect("a bundle");
    assert!(!bundle.is_begun() && bundle.job.is_none());
    bundle.is_job("17".to_owned());
    for (number, is_first) in [(0, true), (1, false)] {
        spool::write(&folder.join(format!("done/begun-{number}")), &Begun { is_first }).expect("written");
    }
    let again = Bundle::open(folder, &AllHeld::default()).expect("a bundle");
    assert!(again.is_begun() && again.job.as_deref() == Some("17") && again.tasks.len() == 3);
    bundle.judge(state, &db, &all).await.expect("judged");
    assert!(bundle.tasks.is_empty() && all.all().is_empty());
    let tasks = jobs::tasks(&db, &id, 0, 10).await.expect("tasks");
    tasks.into_iter().map(|task| (task.state, task.code)).collect()
}

#[tokio::test]
async fn limits_of_the_job_are_limits_of_what_had_begun() {
    let queued = (State::Queued, None);
    let failed = |code: &str| (State::Failed, Some(code.to_owned()));
    assert_eq!(fates("TIMEOUT").await, [failed("limit_wall"), queued.clone(), queued.clone()]);
    assert_eq!(fates("OUT_OF_MEMORY").await, [failed("limit_memory"), failed("limit_memory"), queued]);
}

#[tokio::test]
async fn tasks_of_a_lost_node_are_queued_again() {
    for state in ["NODE_FAIL", "PREEMPTED", "LOST", "FAILED"] {
        let fates = fates(state).await;
        assert!(fates.iter().all(|(state, _)| *state == State::Queued), "{state}: {fates:?}");
    }
}

//! Clients, workers, expiries, cancels and retries all at once: the invariants hold, and what was stored stays.

use crate::queue::support::{LEASE, Random, check_books, let_waits_end};
use runcast_store::jobs::{self, Change, State};
use runcast_store::queue::{self, Claim, Ending, Finish, Held, PointRecord};
use runcast_store::testing::{both, people, sample_job};
use runcast_store::{Database, Id, StoreError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const SEEDS: u64 = 3;
const CLIENTS: u64 = 3;
const WORKERS: u64 = 8;
const STEPS: usize = 30;

/// What all hands of a history share.
struct World {
    db: Database,
    project: Id,
    users: Vec<Id>,
    /// Jobs that were accepted.
    accepted: Mutex<Vec<Id>>,
    /// Results that were acknowledged: they must stay as they are.
    acknowledged: Mutex<HashMap<(Id, i64), String>>,
    /// How often a retry of a job was begun, and how often that was answered.
    retries: Mutex<HashMap<Id, (u32, u32)>>,
    is_over: AtomicBool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_invariants_hold_whatever_happens_at_once() {
    both(|db| async move {
        for seed in 0..SEEDS {
            history(&db, seed).await;
        }
    })
    .await;
}

async fn history(db: &Database, seed: u64) {
    let (project, users) = people(db, 3).await.expect("people");
    let world = Arc::new(World {
        db: db.clone(),
        project,
        users,
        accepted: Mutex::default(),
        acknowledged: Mutex::default(),
        retries: Mutex::default(),
        is_over: AtomicBool::new(false),
    });
    let mut hands = Vec::new();
    for index in 0..CLIENTS {
        hands.push(tokio::spawn(client(world.clone(), Random(1000 * seed + index))));
    }
    for index in 0..WORKERS {
        hands.push(tokio::spawn(worker(world.clone(), Random(1000 * seed + 100 + index))));
    }
    let others = [tokio::spawn(reaper(world.clone(), Random(seed))), tokio::spawn(watcher(world.clone()))];
    for hand in hands {
        hand.await.expect("no panic");
    }
    world.is_over.store(true, Ordering::SeqCst);
    for other in others {
        other.await.expect("no panic");
    }
    let about = format!("seed {seed}");
    check_books(db, &about).await;
    drain(db).await;
    check_books(db, &about).await;
    // I1, and that the queue is empty.
    let accepted = world.accepted.lock().expect("no panic").clone();
    for id in &accepted {
        let job = jobs::get(db, id).await.expect("read").expect("an accepted job is there");
        assert!(job.state.is_terminal(), "{about}: {id}");
    }
    // I2: what was acknowledged is there as it was.
    let acknowledged = world.acknowledged.lock().expect("no panic").clone();
    for ((id, point), record) in &acknowledged {
        let stored = jobs::points(db, id, *point, 1).await.expect("read").remove(0);
        assert_eq!((stored.point, stored.failed, &stored.record), (*point, false, record), "{about}: {id}");
    }
}

/// Nothing may go wrong but what a client can expect; two that wait for each other would be a mistake in the locks.
fn done<T>(result: Result<T, StoreError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(StoreError::State(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

async fn client(world: Arc<World>, mut random: Random) {
    for _ in 0..STEPS {
        let job = random.pick(&world.accepted.lock().expect("no panic")).cloned();
        match (random.below(8), job) {
            (0..=3, _) | (_, None) => {
                let user = random.pick(&world.users).expect("a user").clone();
                let mut job = sample_job(&world.project, &user, 1 + random.below(9) as i64);
                job.points_per_task = 1 + random.below(4) as i64;
                jobs::launch(&world.db, std::slice::from_ref(&job)).await.expect("launched");
                world.accepted.lock().expect("no panic").push(job.id);
            }
            (4, Some(id)) => {
                done(jobs::cancel(&world.db, &id).await);
            }
            (5..=6, Some(id)) => {
                world.retries.lock().expect("no panic").entry(id.clone()).or_default().0 += 1;
                done(jobs::retry(&world.db, &id).await);
                world.retries.lock().expect("no panic").entry(id).or_default().1 += 1;
            }
            (_, Some(id)) => {
                let change = Change { priority: Some(random.below(9) as i64 - 4), title: None };
                done(jobs::patch(&world.db, &id, &change).await);
            }
        }
    }
}

async fn worker(world: Arc<World>, mut random: Random) {
    let me = Id::new();
    let mut frozen: Vec<(Held, i64)> = Vec::new();
    for _ in 0..STEPS {
        let Some(claim) = done(queue::claim(&world.db, &me, LEASE).await).flatten() else {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            continue;
        };
        let held = claim.held();
        let mut left = claim.missing_points.clone();
        while !left.is_empty() && random.below(3) > 0 {
            let point = left.remove(0);
            if !store(&world, &claim, point, random.below(8) == 0).await {
                break;
            }
        }
        match random.below(10) {
            0..=4 => {
                let points: Vec<PointRecord> = left.iter().map(|point| record(&claim, *point, false)).collect();
                if done(queue::finish(&world.db, &held, &Finish::succeeded(points.clone())).await) == Some(true) {
                    acknowledge(&world, &claim, &points);
                }
            }
            5 => fail(&world, &held, "crashed").await,
            6 => fail(&world, &held, "input").await,
            7 => {
                done(queue::give_back(&world.db, &held).await);
            }
            8 => {
                let cancelled = Finish { ending: Ending::Cancelled, ..Finish::succeeded(Vec::new()) };
                done(queue::finish(&world.db, &held, &cancelled).await);
            }
            // Frozen: nobody hears of it for a while.
            _ => frozen.extend(claim.missing_points.first().map(|point| (held, *point))),
        }
        if random.below(4) == 0
            && let Some((held, point)) = frozen.pop()
        {
            thaw(&world, &held, point).await;
        }
    }
}

async fn fail(world: &World, held: &Held, code: &str) {
    done(queue::finish(&world.db, held, &Finish::failed(code, "it went wrong")).await);
}

/// A frozen worker comes back and writes: either its task is its own still, or nothing changes.
async fn thaw(world: &World, held: &Held, point: i64) {
    let mine = PointRecord { point, failed: false, record: format!("{{\"late\":\"{}\"}}", held.worker), cpu_s: 0.0 };
    let before = jobs::points(&world.db, &held.job, point, 1).await.expect("read");
    let is_there = before.first().is_some_and(|stored| stored.point == point);
    let is_mine = done(queue::store(&world.db, held, std::slice::from_ref(&mine)).await) == Some(true);
    if !is_mine {
        let after = jobs::points(&world.db, &held.job, point, 1).await.expect("read");
        let late = after.iter().any(|stored| stored.point == point && stored.record == mine.record);
        assert!(!late || is_there, "an attempt that is over wrote a point");
    }
}

fn record(claim: &Claim, point: i64, failed: bool) -> PointRecord {
    let record = format!("{{\"worker\":\"{}\",\"attempt\":{}}}", claim.worker, claim.attempt);
    PointRecord { point, failed, record, cpu_s: 0.1 }
}

async fn store(world: &World, claim: &Claim, point: i64, failed: bool) -> bool {
    let points = [record(claim, point, failed)];
    let is_mine = done(queue::store(&world.db, &claim.held(), &points).await) == Some(true);
    if is_mine {
        acknowledge(world, claim, &points);
    }
    is_mine
}

fn acknowledge(world: &World, claim: &Claim, points: &[PointRecord]) {
    let mut acknowledged = world.acknowledged.lock().expect("no panic");
    for point in points.iter().filter(|point| !point.failed) {
        let before = acknowledged.insert((claim.job.clone(), point.point), point.record.clone());
        assert!(before.is_none(), "a point was acknowledged twice");
    }
}

/// Lets leases and waits end.
async fn reaper(world: Arc<World>, mut random: Random) {
    while !world.is_over.load(Ordering::SeqCst) {
        let statement = "UPDATE tasks SET lease_until = 0 WHERE (job_id, number) IN (SELECT job_id, number FROM tasks \
                         WHERE state = 'running' AND number = $1 {skip_locked})";
        world.db.write(statement, &[(1 + random.below(5) as i64).into()]).await.expect("written");
        done(queue::expire(&world.db).await);
        let_waits_end(&world.db).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// I4: a terminal state changes only where somebody has asked for a retry.
async fn watcher(world: Arc<World>) {
    let mut seen: HashMap<Id, (State, u32)> = HashMap::new();
    while !world.is_over.load(Ordering::SeqCst) {
        let jobs = world.accepted.lock().expect("no panic").clone();
        let retries = |id: &Id| world.retries.lock().expect("no panic").get(id).copied().unwrap_or_default();
        for id in jobs {
            // What was answered before the look cannot change the state after it; what was begun by now can have.
            let (_, before) = retries(&id);
            let Some(job) = jobs::get(&world.db, &id).await.expect("read") else { panic!("an accepted job is gone") };
            let (after, _) = retries(&id);
            if let Some((state, known)) = seen.insert(id, (job.state, before)) {
                assert!(
                    !state.is_terminal() || job.state == state || after > known,
                    "{state:?} became {:?}",
                    job.state
                );
            }
        }
        tokio::task::yield_now().await;
    }
}

/// All that is left is done.
async fn drain(db: &Database) {
    let me = Id::new();
    loop {
        db.write("UPDATE tasks SET lease_until = 0 WHERE state = 'running'", &[]).await.expect("written");
        let expired = queue::expire(db).await.expect("expired");
        let_waits_end(db).await;
        let Some(claim) = queue::claim(db, &me, LEASE).await.expect("claimed") else {
            if expired == queue::Expired::default() {
                return;
            }
            continue;
        };
        let points = claim.missing_points.iter().map(|point| record(&claim, *point, false)).collect();
        assert!(queue::finish(db, &claim.held(), &Finish::succeeded(points)).await.expect("finished"));
    }
}

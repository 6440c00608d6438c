//! The storm: sweeps are launched while processes are killed at random moments and started again.

use crate::client::Heard;
use crate::dice::Dice;
use crate::scene::{Scene, name_of, on_postgres};
use crate::site::{Plan, Site};
use crate::{VARIANTS, option};
use runcast_store::testing::Postgres;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What each point turns in its script.
const TURNS: u64 = 50_000;
/// Clients that launch.
const CLIENTS: usize = 4;
/// The longest time between two rounds.
const CALM: Duration = Duration::from_millis(400);
/// The longest time that something stays dead.
const DEAD: Duration = Duration::from_millis(150);
/// How long what is left may take when the storm is over: a task that was struck three times waits for 30 s.
const END: Duration = Duration::from_secs(120);
const PLAN: Plan = Plan { in_process: 2, workers: 2, lease_s: 1 };

#[test]
fn what_was_accepted_survives_kills_on_sqlite() {
    survives(None);
}

#[test]
fn what_was_accepted_survives_kills_on_postgres() {
    on_postgres(survives);
}

/// How far launches may go, and that nobody waits for more when the storm ends, in whichever way.
struct Pace {
    due: AtomicU64,
    next: AtomicU64,
    heard: Arc<Heard>,
}

impl Pace {
    /// The number of the next launch, when it is due.
    fn next(&self, jobs: u64) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        while (self.due.load(Ordering::Relaxed)..jobs).contains(&number) && !self.heard.is_over.load(Ordering::Relaxed)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        (number < jobs && !self.heard.is_over.load(Ordering::Relaxed)).then_some(number)
    }
}

struct Over(Arc<Heard>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

fn survives(postgres: Option<Postgres>) {
    let (rounds, jobs) = (option("RUNCAST_CRASH_ROUNDS", 100), option("RUNCAST_CRASH_JOBS", 300));
    let (mut dice, seed) = Dice::new();
    let name = name_of(postgres.as_ref());
    eprintln!("{name}: {rounds} rounds, {jobs} jobs, RUNCAST_CRASH_SEED={seed}");
    let mut scene = Scene::start(PLAN, postgres);
    let Scene { site, client, watch, runtime } = &mut scene;
    let heard = Arc::clone(&client.heard);
    let pace = Pace { due: AtomicU64::new(0), next: AtomicU64::new(0), heard: Arc::clone(&heard) };
    let begun = Instant::now();
    let (kills, storm_took) = std::thread::scope(|scope| {
        let over = Over(Arc::clone(&heard));
        let launch = || {
            while let Some(number) = pace.next(jobs) {
                client.launch(number, number % VARIANTS, TURNS);
            }
        };
        let launching: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(launch)).collect();
        let counting: Vec<_> = (0..2).map(|_| scope.spawn(|| client.count())).collect();
        let mut kills = 0;
        for round in 0..rounds {
            pace.due.store(jobs * (round + 1) / rounds, Ordering::Relaxed);
            kills += blow(site, &mut dice);
            // It may be away for us, as for all.
            let _ = watch.look(runtime);
            site.assert_alive();
            site.assert_no_orphans();
        }
        let storm_took = begun.elapsed();
        // What is accepted only now counts, too.
        launching.into_iter().for_each(|client| client.join().expect("a client"));
        drop(over);
        counting.into_iter().for_each(|client| client.join().expect("a client"));
        (kills, storm_took)
    });
    scene.until_done(END);
    let work_took = begun.elapsed();
    let counted = scene.client.assert_counted();
    let attempts = scene.end(TURNS);
    let repeated = heard.repeated.load(Ordering::Relaxed);
    eprintln!(
        "{name}: {kills} kills in {:.1} s ({:.2}/s), {jobs} jobs done after {:.1} s, all in {:.1} s; {attempts} attempts \
         at {} tasks, {repeated} requests repeated, {counted} versions of a file",
        storm_took.as_secs_f64(),
        kills as f64 / storm_took.as_secs_f64(),
        work_took.as_secs_f64(),
        begun.elapsed().as_secs_f64(),
        jobs * crate::POINTS,
    );
}

/// One round: kills some, starts them again; or a worker sleeps beyond its lease. How many were killed.
fn blow(site: &mut Site, dice: &mut Dice) -> u64 {
    dice.sleep(CALM);
    let sleeper = (dice.below(16) == 0).then(|| usize::from(dice.below(2) == 0));
    let kinds = if site.postgres.is_some() { 4 } else { 3 };
    // One of them mostly, two sometimes, at times all: 0 and 1 are workers, 2 is the server, 3 the database.
    let mut victims = [false; 4];
    let first = dice.below(kinds);
    victims[usize::try_from(first).expect("few")] = true;
    match dice.below(10) {
        0 => victims[..usize::try_from(kinds).expect("few")].fill(true),
        1..=3 => victims[usize::try_from(dice.below(kinds)).expect("few")] = true,
        _ => {}
    }
    if let Some(sleeper) = sleeper {
        // Somebody is killed in each round.
        (victims[sleeper], victims[1 - sleeper]) = (false, victims[1 - sleeper] || victims[sleeper]);
        site.signal_worker(sleeper, "STOP");
    }
    let mut kills = 0;
    for (index, _) in victims.iter().enumerate().filter(|(_, is_victim)| **is_victim) {
        kills += 1;
        match index {
            2 => site.kill_server(),
            3 => site.postgres.as_ref().expect("PostgreSQL").kill().expect("killed"),
            worker => site.kill_worker(worker),
        }
    }
    dice.sleep(DEAD);
    if victims[3] {
        site.postgres.as_ref().expect("PostgreSQL").start_again().expect("it starts again");
    }
    if victims[2] {
        site.start_server();
    }
    (0..2).filter(|worker| victims[*worker]).for_each(|worker| site.start_worker(worker));
    if let Some(sleeper) = sleeper {
        std::thread::sleep(Duration::from_millis(PLAN.lease_s * 1300));
        site.signal_worker(sleeper, "CONT");
    }
    kills
}

//! The storm: sweeps are launched while processes are killed at random moments and started again.

use crate::client::{self, Client, Heard};
use crate::dice::Dice;
use crate::site::{Plan, Site};
use crate::watch::Watch;
use crate::{VARIANTS, check, no_postgres, option};
use runcast_store::testing::Postgres;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What each point turns in its script.
const TURNS: u64 = 500_000;
/// Clients that launch.
const CLIENTS: usize = 4;
/// The longest time between two rounds.
const CALM: Duration = Duration::from_millis(1200);
/// The longest time that something stays dead.
const DEAD: Duration = Duration::from_millis(300);
/// How long what is left may take when the storm is over.
const END: Duration = Duration::from_secs(90);
const PLAN: Plan = Plan { in_process: 2, workers: 2, lease_s: 1 };

#[test]
fn what_was_accepted_survives_kills_on_sqlite() {
    survives(None);
}

#[test]
fn what_was_accepted_survives_kills_on_postgres() {
    match Postgres::start().expect("PostgreSQL starts") {
        Some(postgres) => survives(Some(postgres)),
        None => no_postgres(),
    }
}

/// How far launches may go, and that nobody waits for more when the storm ends, in whichever way.
struct Pace<'a> {
    due: AtomicU64,
    next: AtomicU64,
    heard: &'a Heard,
}

impl Pace<'_> {
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

struct Over<'a>(&'a Heard);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

fn survives(postgres: Option<Postgres>) {
    let (rounds, jobs) = (option("RUNCAST_CRASH_ROUNDS", 40), option("RUNCAST_CRASH_JOBS", 150));
    let (mut dice, seed) = Dice::new();
    let name = if postgres.is_some() { "PostgreSQL" } else { "SQLite" };
    eprintln!("{name}: {rounds} rounds, {jobs} jobs, RUNCAST_CRASH_SEED={seed}");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let mut site = Site::start(PLAN, postgres, &runtime);
    client::prepare(&site);
    let mut watch = Watch::new(site.database(&runtime));
    let heard = Heard::default();
    let client = Client { door: site.door(), heard: &heard };
    let pace = Pace { due: AtomicU64::new(0), next: AtomicU64::new(0), heard: &heard };
    let begun = Instant::now();
    let (kills, storm_took) = std::thread::scope(|scope| {
        let over = Over(&heard);
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
            kills += blow(&mut site, &mut dice);
            // It may be away for us, as for all.
            let _ = watch.look(&runtime);
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
    let calm = Instant::now();
    while watch.look(&runtime).expect("the database answers") > 0 {
        assert!(calm.elapsed() < END, "jobs do not end\n{}", site.said());
        std::thread::sleep(Duration::from_millis(100));
    }
    let work_took = begun.elapsed();
    let attempts = check::all_is_well(&client, &mut watch, TURNS, &runtime);
    let counted = client.assert_counted();
    let ended = site.stop();
    assert!(ended.iter().all(std::process::ExitStatus::success), "{ended:?}\n{}", site.said());
    site.assert_no_orphans();
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
    let sleeper = (dice.below(8) == 0).then(|| usize::from(dice.below(2) == 0));
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
        std::thread::sleep(Duration::from_millis(PLAN.lease_s * 1600));
        site.signal_worker(sleeper, "CONT");
    }
    kills
}

//! Turns of strangers at an account that is being guessed: one check every two seconds, clients in turn.
//!
//! An account is never locked, and guesses from many addresses are slow all the same. Who has logged in from a device
//! before does not stand in a lane.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};

/// Time between two checks of an account.
const APART: Duration = Duration::from_secs(2);
/// Clients that wait for an account at once.
const MOST_WAITING: usize = 32;
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(30);

/// The lanes of all accounts.
#[derive(Debug, Clone)]
pub struct Lanes {
    open: Arc<Mutex<HashMap<String, Lane>>>,
    apart: Duration,
    longest: Duration,
}

impl Default for Lanes {
    fn default() -> Self {
        Lanes { open: Arc::default(), apart: APART, longest: LONGEST }
    }
}

#[derive(Debug)]
struct Lane {
    /// When the next check may begin.
    next: Instant,
    /// Who waits, by client; the first client is next.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<()>>)>,
}

impl Lane {
    fn waiting(&self) -> usize {
        self.waiting.iter().map(|(_, turns)| turns.len()).sum()
    }

    /// The next that still waits; its client comes last then.
    fn call_next(&mut self) -> bool {
        while let Some((client, mut turns)) = self.waiting.pop_front() {
            let turn = turns.pop_front();
            if !turns.is_empty() {
                self.waiting.push_back((client, turns));
            }
            if turn.is_some_and(|turn| turn.send(()).is_ok()) {
                return true;
            }
        }
        false
    }
}

impl Lanes {
    /// Waits for a turn at an account; `false` where too many wait, or it takes too long.
    pub async fn turn(&self, account: &str, client: &str) -> bool {
        let Some(turn) = self.enter(&account.to_lowercase(), client) else { return true };
        match turn {
            Ok(turn) => timeout(self.longest, turn).await.is_ok_and(|turn| turn.is_ok()),
            Err(Full) => false,
        }
    }

    /// A turn to wait for; none where it is free.
    fn enter(&self, account: &str, client: &str) -> Option<Result<oneshot::Receiver<()>, Full>> {
        let mut open = self.lock();
        let Some(lane) = open.get_mut(account) else {
            let lane = Lane { next: Instant::now() + self.apart, waiting: VecDeque::new() };
            open.insert(account.to_owned(), lane);
            tokio::spawn(self.clone().run(account.to_owned()));
            return None;
        };
        if lane.waiting() >= MOST_WAITING {
            return Some(Err(Full));
        }
        let (turn, called) = oneshot::channel();
        match lane.waiting.iter_mut().find(|(other, _)| other == client) {
            Some((_, turns)) => turns.push_back(turn),
            None => lane.waiting.push_back((client.to_owned(), VecDeque::from([turn]))),
        }
        Some(Ok(called))
    }

    /// Calls who waits, one after the other; a lane without anyone is closed.
    async fn run(self, account: String) {
        loop {
            let Some(next) = self.lock().get(&account).map(|lane| lane.next) else { return };
            sleep_until(next).await;
            let mut open = self.lock();
            let Some(lane) = open.get_mut(&account) else { return };
            if !lane.call_next() {
                open.remove(&account);
                return;
            }
            lane.next = Instant::now() + self.apart;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Lane>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Too many wait.
#[derive(Debug)]
struct Full;

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(apart_ms: u64, longest_ms: u64) -> Lanes {
        let [apart, longest] = [apart_ms, longest_ms].map(Duration::from_millis);
        Lanes { apart, longest, ..Lanes::default() }
    }

    /// Asks one after the other, and waits for all: clients in the order of their turns, and how many had none.
    async fn turns(lanes: &Lanes, clients: &[&'static str]) -> (Vec<&'static str>, usize) {
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for &client in clients {
            let (lanes, order) = (lanes.clone(), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let granted = lanes.turn("Alice", client).await;
                if granted {
                    order.lock().expect("no panic").push(client);
                }
                granted
            }));
            tokio::task::yield_now().await;
        }
        let mut refused = 0;
        for task in tasks {
            refused += usize::from(!task.await.expect("no panic"));
        }
        let order = order.lock().expect("no panic").clone();
        (order, refused)
    }

    #[tokio::test]
    async fn clients_take_turns() {
        let found = turns(&lanes(100, 30_000), &["a", "a", "a", "a", "b"]).await;
        assert_eq!(found, (vec!["a", "a", "b", "a", "a"], 0));
    }

    #[tokio::test]
    async fn those_who_wait_are_few_and_not_for_long() {
        let (granted, refused) = turns(&lanes(1_000, 20), &["a"; 40]).await;
        assert_eq!((granted.len(), refused), (1, 39), "nobody waits longer");
        let many = lanes(20, 30_000);
        let (granted, refused) = turns(&many, &["a"; 40]).await;
        assert!(
            (33..=35).contains(&granted.len()) && granted.len() + refused == 40,
            "one and 32 that wait: {refused} refused"
        );
        // A lane without anyone is closed.
        while !many.lock().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

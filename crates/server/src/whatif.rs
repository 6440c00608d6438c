//! Sessions of editors that ask "what if": who computes, what was computed, and what of it holds still.
//!
//! Nothing of it is stored. A session that has not asked for a minute is forgotten.

use crate::task::Stop;
use runcast_commands::whatif::Known;
use runcast_store::Id;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a session is kept that does not ask.
const KEPT: Duration = Duration::from_secs(60);
/// Sessions at once; those beyond are refused.
const MOST: usize = 64;
/// Points that a session knows.
const MOST_POINTS: usize = 512;
/// Users compute in one session at a time.
const MOST_OF_USER: usize = 1;

/// The sessions of a server; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<Mutex<HashMap<(Id, String), Session>>>);

#[derive(Debug)]
struct Session {
    seq: u64,
    stop: Option<Stop>,
    asked: Instant,
    /// By their keys.
    points: HashMap<String, Known>,
    last: Curve,
}

/// A curve as it was answered last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Keys and results, by the parameters.
    pub points: Vec<(BTreeMap<String, f64>, String, Option<Known>)>,
    /// Digests of the parts of the system.
    pub parts: BTreeMap<String, String>,
}

/// Why a request is not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// A later one of the session has come already.
    Superseded,
    /// This user, or the server, computes as much as it may.
    Busy,
}

/// A request that is computed now. Dropped, it is over.
#[derive(Debug)]
pub struct Turn {
    sessions: Sessions,
    key: (Id, String),
    seq: u64,
    /// Ends it, when a later one comes.
    pub stop: Stop,
    /// What is known.
    pub points: HashMap<String, Known>,
    /// The curve before.
    pub before: Curve,
}

impl Sessions {
    /// Begins with a request, and ends the earlier one of the same session.
    ///
    /// # Errors
    /// Another one goes before it.
    pub fn begin(&self, user: &Id, session: &str, seq: u64) -> Result<Turn, Refused> {
        let key = (user.clone(), session.to_owned());
        let mut all = self.lock();
        let now = Instant::now();
        all.retain(|_, session| session.stop.is_some() || now.duration_since(session.asked) < KEPT);
        if all.get(&key).is_some_and(|known| seq <= known.seq) {
            return Err(Refused::Superseded);
        }
        let others = |of_user: bool| {
            let others = all.iter().filter(|(other, one)| **other != key && one.stop.is_some());
            others.filter(|(other, _)| !of_user || other.0 == *user).count()
        };
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let is_new = !all.contains_key(&key);
        if others(true) >= MOST_OF_USER || others(false) >= cores.max(2) || (is_new && all.len() >= MOST) {
            return Err(Refused::Busy);
        }
        let new = || Session { seq, stop: None, asked: now, points: HashMap::new(), last: Curve::default() };
        let known = all.entry(key.clone()).or_insert_with(new);
        if let Some(earlier) = known.stop.take() {
            earlier.stop();
        }
        let stop = Stop::default();
        (known.seq, known.asked, known.stop) = (seq, now, Some(stop.clone()));
        let (points, before) = (known.points.clone(), known.last.clone());
        Ok(Turn { sessions: self.clone(), key, seq, stop, points, before })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Id, String), Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Keeps what was computed: points as they were asked for, and the curve if it is whole.
    pub fn keep(&self, points: Vec<(String, Known)>, curve: Option<Curve>) {
        let mut all = self.sessions.lock();
        let Some(session) = all.get_mut(&self.key) else { return };
        if session.points.len() + points.len() > MOST_POINTS {
            session.points.clear();
        }
        session.points.extend(points);
        if let Some(curve) = curve.filter(|_| session.seq == self.seq) {
            session.last = curve;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.lock().get_mut(&self.key).filter(|session| session.seq == self.seq) {
            session.stop = None;
        }
    }
}

impl Curve {
    /// Why this curve is the one before; none: it is another one, or there was none.
    pub fn unchanged(&self, before: &Curve, idle: &[String]) -> Option<String> {
        let is_same = !self.points.is_empty()
            && self.points.len() == before.points.len()
            && self.points.iter().all(|(at, key, known)| {
                let same = |(old_at, old_key, old): &&(BTreeMap<String, f64>, String, Option<Known>)| {
                    old_at == at && (old_key == key || (known.is_some() && old == known))
                };
                before.points.iter().any(|one| same(&one))
            });
        if !is_same {
            return None;
        }
        let names = self.parts.keys().chain(before.parts.keys().filter(|name| !self.parts.contains_key(*name)));
        let changed: Vec<&str> = names
            .filter(|name| self.parts.get(*name) != before.parts.get(*name))
            .map(|name| name.strip_prefix("network ").unwrap_or(name))
            .collect();
        let list = changed.join(", ");
        Some(match changed.is_empty() {
            true => "nothing changed that the time depends on".to_owned(),
            false if changed.iter().all(|name| idle.iter().any(|one| one == name)) => format!("no process uses {list}"),
            false => format!("the time does not depend on {list}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(time_s: f64) -> Known {
        Known { time_s, fidelity: "flow".to_owned(), ..Known::default() }
    }

    #[test]
    fn a_later_request_ends_the_earlier_one_and_other_sessions_wait() {
        let (sessions, ann, bob) = (Sessions::default(), Id::new(), Id::new());
        let first = sessions.begin(&ann, "a", 1).expect("a turn");
        assert_eq!(sessions.begin(&ann, "b", 1).expect_err("one at a time"), Refused::Busy);
        assert_eq!(sessions.begin(&ann, "a", 1).expect_err("the same"), Refused::Superseded);
        let second = sessions.begin(&ann, "a", 2).expect("a turn");
        assert!(first.stop.is_stopped() && !second.stop.is_stopped());
        first.keep(vec![("k".to_owned(), known(1.0))], Some(Curve::default()));
        drop(first);
        assert_eq!(sessions.begin(&ann, "b", 1).expect_err("still"), Refused::Busy);
        drop(second);
        assert!(sessions.begin(&ann, "b", 1).is_ok());
        assert_eq!(sessions.begin(&ann, "a", 3).expect("a turn").points["k"], known(1.0));
        assert!(sessions.begin(&bob, "a", 1).expect("his own").points.is_empty());
    }

    #[test]
    fn a_hundred_sessions_are_refused() {
        let (sessions, ann) = (Sessions::default(), Id::new());
        let turns: Vec<_> = (0..100).map(|number| sessions.begin(&ann, &number.to_string(), 1)).collect();
        assert_eq!(turns.iter().filter(|turn| turn.is_ok()).count(), 1);
    }

    #[test]
    fn what_did_not_change_names_the_part_that_changed() {
        let curve = |key: &str, time_s, gpu: &str| Curve {
            points: vec![(BTreeMap::from([("p".to_owned(), 8.0)]), key.to_owned(), Some(known(time_s)))],
            parts: BTreeMap::from([("gpu-3".to_owned(), gpu.to_owned()), ("network ib".to_owned(), "x".to_owned())]),
        };
        let before = curve("k", 2.0, "old");
        let idle = ["gpu-3".to_owned()];
        assert_eq!(curve("k", 2.0, "new").unchanged(&before, &idle).as_deref(), Some("no process uses gpu-3"));
        assert_eq!(
            curve("l", 2.0, "new").unchanged(&before, &[]).as_deref(),
            Some("the time does not depend on gpu-3")
        );
        assert_eq!(curve("l", 1.0, "new").unchanged(&before, &idle), None);
        assert_eq!(before.unchanged(&Curve::default(), &idle), None);
    }
}

//! Watching the ranks of a run: what was heard of them, and whether it is time to end it.

use super::lost::Why;
use super::signs::{self, Sign};
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Without another word from the user, so long for an iteration, or ten times the longest one.
const STALL_LEAST: Duration = Duration::from_secs(60);
const STALL_ITERATIONS: f64 = 10.0;
/// The first iteration comes after the set-up, of which nothing is known.
const SET_UP: Duration = Duration::from_secs(600);
/// After the end of a rank the launcher ends the others; it was seen to hang instead.
const LAUNCHER: Duration = Duration::from_secs(5);
/// Lines of the launcher and of the libraries that are kept.
const NOISE_MOST: usize = 100;

/// What was heard of the ranks.
#[derive(Debug, Default)]
pub struct Seen {
    /// The ranks that have reported.
    pub ranks: BTreeMap<usize, Place>,
    /// The last iteration that ended.
    pub iteration: u64,
    /// The longest one [s].
    pub longest_s: f64,
    /// The iterations are over.
    pub is_over: bool,
    /// What a worker has failed with, and its exit code.
    pub failed: Option<(Vec<Problem>, u8)>,
    /// The last lines that are no signs.
    pub noise: VecDeque<String>,
    /// Ranks on this machine that have ended.
    pub gone: BTreeSet<usize>,
    /// The first one of them.
    pub first_gone: Option<usize>,
    pub(super) heard: Option<Instant>,
    pub(super) gone_since: Option<Instant>,
}

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its process.
    pub pid: u32,
    /// The machine.
    pub host: String,
}

impl Seen {
    /// Takes a line of the standard error; gives back what concerns the user.
    pub fn line(&mut self, line: &str) -> Option<String> {
        let (signs, other) = signs::read(line);
        let had_signs = !signs.is_empty();
        for sign in signs {
            self.sign(sign);
        }
        if other.trim().is_empty() {
            // An empty line of a library is kept, one that a sign has left is not.
            return Some(other).filter(|_| !had_signs && !line.is_empty());
        }
        self.noise.push_back(other.clone());
        if self.noise.len() > NOISE_MOST {
            self.noise.pop_front();
        }
        Some(other)
    }

    fn sign(&mut self, sign: Sign) {
        self.heard = Some(Instant::now());
        match sign {
            Sign::Here { rank, pid, host } => _ = self.ranks.insert(rank, Place { pid, host }),
            Sign::Iteration { number, longest_s } => {
                self.iteration = number;
                self.longest_s = longest_s;
            }
            Sign::Over {} => self.is_over = true,
            Sign::Failed { problems, exit, .. } => _ = self.failed.get_or_insert((problems, exit)),
        }
    }

    /// How long nothing may be heard.
    pub fn patience(&self, given: Option<Duration>) -> Duration {
        let own = Duration::try_from_secs_f64(STALL_ITERATIONS * self.longest_s).unwrap_or(Duration::MAX);
        let own = if self.iteration == 0 { SET_UP } else { own.max(STALL_LEAST) };
        given.unwrap_or(own)
    }

    /// Notes processes that have ended, in the order of their ends.
    pub fn ended(&mut self, pids: &[u32], host: &str) {
        let rank_of = |pid: &u32| {
            let mut here = self.ranks.iter().filter(|(_, place)| place.host == host);
            here.find(|(_, place)| place.pid == *pid).map(|(&rank, _)| rank)
        };
        let ranks: Vec<usize> = pids.iter().filter_map(rank_of).collect();
        self.first_gone = self.first_gone.or(ranks.first().copied());
        self.gone.extend(ranks);
    }

    /// Why the run must be ended, if it must.
    pub fn verdict(&mut self, start: Instant, given: Option<Duration>) -> Option<Why> {
        // While the master writes its results, it may take its time, and the workers have left.
        let is_lost = if self.is_over { self.gone.contains(&0) } else { !self.gone.is_empty() };
        if is_lost && self.gone_since.get_or_insert_with(Instant::now).elapsed() > LAUNCHER {
            return Some(Why::Rank { rank: self.first_gone, how: "is gone".to_owned() });
        }
        let silence = self.heard.unwrap_or(start).elapsed();
        let is_silent = !self.is_over && silence > self.patience(given);
        is_silent.then_some(Why::Stalled(silence.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(rank: usize, pid: u32) -> String {
        Sign::Here { rank, pid, host: "vm".to_owned() }.line()
    }

    #[test]
    fn patience_grows_with_the_longest_iteration() {
        let mut seen = Seen::default();
        assert_eq!(seen.patience(None), SET_UP);
        assert_eq!(seen.line(&Sign::Iteration { number: 3, longest_s: 0.5 }.line()), None);
        assert_eq!(seen.patience(None), Duration::from_secs(60));
        seen.line(&Sign::Iteration { number: 4, longest_s: 20.0 }.line());
        assert_eq!((seen.iteration, seen.patience(None)), (4, Duration::from_secs(200)));
        assert_eq!(seen.patience(Some(Duration::from_secs(7))), Duration::from_secs(7));
    }

    #[test]
    fn silence_ends_a_run() {
        let mut seen = Seen::default();
        let start = Instant::now();
        assert_eq!(seen.verdict(start, Some(Duration::from_secs(5))), None);
        std::thread::sleep(Duration::from_millis(20));
        assert!(matches!(seen.verdict(start, Some(Duration::from_millis(10))), Some(Why::Stalled(_))));
        seen.line(&Sign::Over {}.line());
        assert_eq!(seen.verdict(start, Some(Duration::ZERO)), None, "the master may write as long as it likes");
    }

    #[test]
    fn ranks_that_have_ended_are_seen() {
        let mut seen = Seen::default();
        (0..3).for_each(|rank| _ = seen.line(&here(rank, 100 + rank as u32)));
        seen.ended(&[101], "another");
        assert!(seen.gone.is_empty());
        seen.ended(&[101, 102], "vm");
        seen.ended(&[100], "vm");
        assert_eq!((seen.first_gone, seen.gone.len()), (Some(1), 3));
        let start = Instant::now();
        assert_eq!(seen.verdict(start, None), None, "the launcher gets some time");
        seen.gone_since = start.checked_sub(2 * LAUNCHER);
        assert_eq!(seen.verdict(start, None), Some(Why::Rank { rank: Some(1), how: "is gone".to_owned() }));
    }

    #[test]
    fn workers_may_leave_while_the_master_writes() {
        let mut seen = Seen::default();
        (0..2).for_each(|rank| _ = seen.line(&here(rank, 100 + rank as u32)));
        seen.line(&Sign::Over {}.line());
        seen.ended(&[101], "vm");
        assert_eq!(seen.verdict(Instant::now(), None), None);
        assert_eq!(seen.gone_since, None);
        seen.ended(&[100], "vm");
        assert_eq!(seen.verdict(Instant::now(), None), None);
        assert!(seen.gone_since.is_some(), "now the launcher must end");
    }

    #[test]
    fn other_lines_are_for_the_user() {
        let mut seen = Seen::default();
        assert_eq!(seen.line("a warning").as_deref(), Some("a warning"));
        assert_eq!(seen.line(""), None);
        for number in 0..300 {
            seen.line(&format!("line {number}"));
        }
        assert_eq!(seen.noise.len(), NOISE_MOST);
    }
}

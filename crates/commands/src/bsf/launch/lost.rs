//! A lost run: finds out what became of it, as far as possible.

use super::watch::Seen;
use runcast_bench::supervise::End;

/// A run that ended without a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    pub why: Why,
    /// The last iteration that was heard of.
    pub iteration: u64,
}

/// Why a run ended without a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// A rank ended.
    Rank {
        /// Which one, if it is known.
        rank: Option<usize>,
        /// `was killed by signal 9`, `is gone`.
        how: String,
    },
    /// No sign of life came for so long [s].
    Stalled(f64),
    /// A rank has given up, with this code and these words.
    Told(String, String),
    /// The launcher ended for an unknown reason.
    Launcher(String),
}

impl Lost {
    /// Short stable name of the kind.
    pub fn code(&self) -> &str {
        match &self.why {
            Why::Stalled(_) => "stalled",
            Why::Rank { .. } | Why::Launcher(_) => "rank_lost",
            Why::Told(code, _) => code,
        }
    }

    /// One sentence.
    pub fn message(&self) -> String {
        let when = match self.iteration {
            0 => "before the first iteration ended".to_owned(),
            iteration => format!("after iteration {iteration}"),
        };
        match &self.why {
            Why::Rank { rank: Some(0), how } => format!("rank 0 (the master) {how} {when}"),
            Why::Rank { rank: Some(rank), how } => format!("rank {rank} (worker {rank}) {how} {when}"),
            Why::Rank { rank: None, how } => format!("a rank {how} {when}"),
            Why::Stalled(waited_s) => format!("no iteration ended for {waited_s:.0} s, {when}"),
            Why::Told(_, message) => message.clone(),
            Why::Launcher(end) => format!("the launcher ended ({end}) without a result, {when}"),
        }
    }

    /// What is to be said of a run that ended without a result, by itself.
    pub fn of(seen: &Seen, end: &End) -> Lost {
        let named = seen.noise.iter().rev().find_map(|line| open_mpi(line));
        // Who was killed is not surely the first one to be gone: the launcher kills the others at once.
        let why = named.unwrap_or_else(|| match (seen.first_gone, signal(end)) {
            (None, Some(signal)) => Why::Rank { rank: None, how: killed(signal) },
            (rank, Some(signal)) => {
                Why::Rank { rank, how: format!("was the first to be gone, killed by signal {signal},") }
            }
            (rank @ Some(_), None) => Why::Rank { rank, how: format!("was the first to be gone ({})", end.status()) },
            (None, None) => Why::Launcher(end.status()),
        });
        Lost { why, iteration: seen.iteration }
    }
}

/// The signal that ended a rank: Hydra passes it on as its exit code, Open MPI with 128 added.
///
/// Hydra also names a process, but always the first one, whichever was killed (4.0.2).
pub fn signal(end: &End) -> Option<i32> {
    match end {
        End::Signal(signal) | End::Exit(signal @ (6 | 7 | 8 | 9 | 11 | 15)) => Some(*signal),
        End::Exit(code @ 129..=159) => Some(code - 128),
        _ => None,
    }
}

fn killed(signal: impl std::fmt::Display) -> String {
    format!("was killed by signal {signal}")
}

/// `mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).`
fn open_mpi(line: &str) -> Option<Why> {
    let rank = number_after(line, "process rank ")?;
    let how = number_after(line, "exited on signal ").map_or_else(|| "ended".to_owned(), killed);
    Some(Why::Rank { rank: usize::try_from(rank).ok(), how })
}

fn number_after(line: &str, name: &str) -> Option<u64> {
    let rest = &line[line.find(name)? + name.len()..];
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(noise: &[&str], first_gone: Option<usize>, end: End) -> String {
        let mut seen = Seen { iteration: 57, first_gone, ..Seen::default() };
        seen.noise.extend(noise.iter().map(|line| (*line).to_owned()));
        Lost::of(&seen, &end).message()
    }

    #[test]
    fn the_rank_is_named_by_the_launcher_or_by_who_was_gone_first() {
        let open_mpi = ["mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed)."];
        let named = "rank 1 (worker 1) was killed by signal 9 after iteration 57";
        assert_eq!(message(&open_mpi, Some(2), End::Exit(137)), named);
        let hydra = ["=   BAD TERMINATION OF ..", "=   PID 4711 RUNNING AT vm", "=   EXIT CODE: 9"];
        let first = "rank 2 (worker 2) was the first to be gone, killed by signal 9, after iteration 57";
        assert_eq!(message(&hydra, Some(2), End::Exit(9)), first);
        assert_eq!(message(&hydra, None, End::Exit(9)), "a rank was killed by signal 9 after iteration 57");
    }

    #[test]
    fn other_ends_are_told_by_what_is_known() {
        let launcher = "the launcher ended (exit_1) without a result, after iteration 57";
        assert_eq!(message(&[], None, End::Exit(1)), launcher);
        assert_eq!(
            message(&[], Some(3), End::Exit(1)),
            "rank 3 (worker 3) was the first to be gone (exit_1) after iteration 57"
        );
        let lost = Lost { why: Why::Stalled(61.2), iteration: 0 };
        assert_eq!(lost.message(), "no iteration ended for 61 s, before the first iteration ended");
    }
}

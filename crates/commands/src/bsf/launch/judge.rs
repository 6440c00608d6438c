//! What became of a run, by all that was seen of it.

use super::envelope::{self, Opened};
use super::lost::{self, Lost, Why};
use super::watch::Seen;
use crate::failure::Failure;
use crate::output::Output;
use runcast_bench::supervise::{self, Finished};
use runcast_core::{Problem, Problems};

/// How an attempt ended.
pub enum End {
    /// With a result, also one of a run that was stopped.
    Output(Box<Output>),
    /// With an error that comes again when it is tried again.
    Failed(Failure),
    /// Without a result, because the user asked to stop.
    Interrupted,
    /// Without a result.
    Lost(Lost),
}

/// A launcher that has ended, with everything below it.
pub struct Ended {
    /// How.
    pub finished: Finished,
    /// Why it was ended, if it did not end by itself.
    pub why: Option<Why>,
    /// What was seen of the ranks.
    pub seen: Seen,
    /// Their standard output.
    pub printed: String,
    /// The user asked us to stop.
    pub is_interrupted: bool,
}

impl Ended {
    /// What that means; with `may_retry`, a run that others have stopped is lost rather than done.
    pub fn judge(self, may_retry: bool) -> End {
        if let supervise::End::NotStarted(message) = self.finished.end {
            return End::Failed(Failure::undone(Problem::new("launcher_failed", message)));
        }
        // Launchers that lose a rank ask the others to stop: this is then not what rank 0 was meant to tell.
        let was_stopped = |code: Option<&str>| !self.is_interrupted && code == Some("interrupted");
        match envelope::open(&self.printed) {
            Some(Opened::Output(output)) if !(may_retry && was_stopped(status(&output).as_deref())) => {
                End::Output(output)
            }
            Some(Opened::Problems(problems)) if !was_stopped(code(&problems)) => {
                let exit = exit_of(&self.finished);
                self.failed(problems, exit)
            }
            _ => self.without_result(),
        }
    }

    fn without_result(mut self) -> End {
        if let Some((problems, exit)) = self.seen.failed.take() {
            return self.failed(Problems(problems), exit);
        }
        if self.is_interrupted {
            return End::Interrupted;
        }
        match self.why {
            Some(why) => End::Lost(Lost { why, iteration: self.seen.iteration }),
            None if self.seen.ranks.is_empty() && lost::signal(&self.finished.end).is_none() => {
                End::Failed(launcher_failed(&self.finished, &self.seen))
            }
            None => End::Lost(Lost::of(&self.seen, &self.finished.end)),
        }
    }

    fn failed(&self, problems: Problems, exit: u8) -> End {
        match problems.0.first() {
            Some(first) if PASSING.contains(&first.code.as_str()) => {
                let why = Why::Told(first.code.clone(), first.message.clone());
                End::Lost(Lost { why, iteration: self.seen.iteration })
            }
            _ => End::Failed(Failure { problems, exit }),
        }
    }
}

/// The field `status` in the document of a run.
fn status(output: &Output) -> Option<String> {
    Some(output.document.as_ref()?.value().ok()?.get("status")?.as_str()?.to_owned())
}

fn code(problems: &Problems) -> Option<&str> {
    problems.0.first().map(|problem| problem.code.as_str())
}

/// Codes of errors that may be the machine's fault, not that of the program.
const PASSING: [&str; 2] = ["stalled", "message_failed"];

/// Launchers pass the exit code of a rank on.
fn exit_of(finished: &Finished) -> u8 {
    if finished.end == supervise::End::Exit(2) { 2 } else { 1 }
}

/// No rank has reported: the launcher did not understand its options, or found no place for the ranks.
fn launcher_failed(finished: &Finished, seen: &Seen) -> Failure {
    let last = seen.noise.iter().rev().find(|line| line.chars().any(char::is_alphanumeric));
    let said = last.map_or_else(String::new, |line| format!("; its last words: {}", line.trim()));
    let message = format!("the launcher started no rank ({}){said}", finished.end.status());
    Failure::undone(Problem::new("launcher_failed", message).at("--launcher"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsf::launch::watch::Place;
    use serde_json::json;
    use std::time::SystemTime;

    fn ended(end: supervise::End, printed: String) -> Ended {
        let finished = Finished {
            end,
            started_at: SystemTime::UNIX_EPOCH,
            wall_s: None,
            cpu_s: None,
            peak_bytes: None,
            left_behind: 0,
            stdout_tail: String::new(),
            stderr_tail: String::new(),
        };
        let mut seen = Seen::default();
        seen.ranks.insert(0, Place { pid: 1, host: "vm".to_owned() });
        Ended { finished, why: None, seen, printed, is_interrupted: false }
    }

    fn printed(status: &str) -> String {
        let sealed = envelope::seal(Output::of(json!({"kind": "bsf-run", "status": status}))).expect("plain data");
        let document = sealed.document.expect("a document").pretty().expect("plain data");
        String::from_utf8(document).expect("text")
    }

    #[test]
    fn a_result_counts_however_the_launcher_ended() {
        for end in [supervise::End::Exit(1), supervise::End::Interrupted, supervise::End::Signal(9)] {
            assert!(matches!(ended(end, printed("converged")).judge(true), End::Output(_)));
        }
    }

    #[test]
    fn a_run_that_the_launcher_has_stopped_is_lost_where_it_can_go_on() {
        let stopped = || ended(supervise::End::Exit(137), printed("interrupted"));
        assert!(matches!(stopped().judge(true), End::Lost(_)));
        assert!(matches!(stopped().judge(false), End::Output(_)));
        let asked = Ended { is_interrupted: true, ..stopped() };
        assert!(matches!(asked.judge(true), End::Output(_)));
    }

    #[test]
    fn errors_of_the_program_come_again_and_those_of_the_machine_may_not() {
        let error = |code: &str, end| {
            let problem = Problem::new(code, "no");
            ended(end, json!({"kind": "error", "version": 1, "problems": [problem]}).to_string()).judge(true)
        };
        assert!(matches!(error("panicked", supervise::End::Exit(1)), End::Failed(Failure { exit: 1, .. })));
        assert!(matches!(error("workers", supervise::End::Exit(2)), End::Failed(Failure { exit: 2, .. })));
        assert!(matches!(error("stalled", supervise::End::Exit(1)), End::Lost(_)));
    }

    #[test]
    fn without_a_rank_the_launcher_is_to_blame_unless_something_was_killed() {
        let none = |end| {
            let mut ended = ended(end, String::new());
            ended.seen.ranks.clear();
            ended.judge(true)
        };
        assert!(matches!(none(supervise::End::Exit(213)), End::Failed(_)));
        assert!(matches!(none(supervise::End::Exit(137)), End::Lost(_)));
    }
}

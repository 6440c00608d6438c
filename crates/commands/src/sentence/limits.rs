//! What limits a simulated program.

use super::{processes, share};
use crate::human;
use runcast_sim::explain::{Kind, Step};
use runcast_sim::run::RunResult;

/// Kinds of causes that one remedy is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Computing,
    Messages,
    Waiting,
    Files,
}

impl Cause {
    const ALL: [Cause; 4] = [Cause::Computing, Cause::Messages, Cause::Waiting, Cause::Files];

    fn of(kind: Kind) -> Cause {
        match kind {
            Kind::Compute => Cause::Computing,
            Kind::Overhead | Kind::Latency | Kind::Link => Cause::Messages,
            Kind::Wait => Cause::Waiting,
            Kind::Io => Cause::Files,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Cause::Computing => ("Computing limits it", "is spent on it"),
            Cause::Messages => ("Messages limit it", "waits for them"),
            Cause::Waiting => ("Waiting limits it", "passes without work"),
            Cause::Files => ("Copies and files limit it", "is spent on them"),
        }
    }
}

/// `Messages limit it: 61 % of the time at p = 64 waits for them, chiefly in galera: node 3 up; without them 0.83 s
/// instead of 2.13 s.` None where the path back from the end was not asked for.
pub fn of(result: &RunResult) -> Option<String> {
    let bottleneck = result.bottleneck.as_ref()?;
    let shares = Cause::ALL.map(|cause| (cause, share_of(cause, &bottleneck.path)));
    let (cause, part) = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let chief = bottleneck.path.iter().find(|step| Cause::of(step.kind) == cause)?;
    let (limits, what) = cause.words();
    let without = match cause {
        Cause::Computing => bottleneck
            .ideal_network_time_s
            .map(|time_s| format!("; on an ideal network {}", instead(time_s, result.time_s))),
        Cause::Messages => {
            bottleneck.ideal_network_time_s.map(|time_s| format!("; without them {}", instead(time_s, result.time_s)))
        }
        Cause::Waiting | Cause::Files => None,
    };
    Some(format!(
        "{limits}: {} of the time on {} {what}, chiefly {}{}.",
        share(part),
        processes(result.processes as f64),
        chief.what,
        without.unwrap_or_default()
    ))
}

fn share_of(cause: Cause, path: &[Step]) -> f64 {
    path.iter().filter(|step| Cause::of(step.kind) == cause).map(|step| step.share).sum()
}

fn instead(time_s: f64, now_s: f64) -> String {
    format!("{} instead of {}", human::quantity(time_s, "s"), human::quantity(now_s, "s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_with_one_remedy_are_added_up() {
        let step = |kind, share| Step { kind, what: String::new(), time_s: share, share };
        let path =
            [step(Kind::Compute, 0.4), step(Kind::Link, 0.3), step(Kind::Latency, 0.2), step(Kind::Overhead, 0.1)];
        assert!((share_of(Cause::Messages, &path) - 0.6).abs() < 1e-12);
        assert_eq!(share_of(Cause::Files, &path), 0.0);
    }
}

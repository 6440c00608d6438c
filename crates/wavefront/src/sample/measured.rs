//! The results of a measurement, and its table.

use super::clock::Clock;
use super::table::{Kind, Row, Samples};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The table: updates of each process, then messages of each link.
    pub samples: Samples,
    /// The machine of each process.
    pub hosts: Vec<String>,
    /// Threads that may run at once on the machine of each process.
    pub cores: Vec<usize>,
    /// The clock of each process against that of the first.
    pub clocks: Vec<Clock>,
    /// Whether a stop was asked for before the end.
    pub is_interrupted: bool,
    /// Messages that arrived before they were sent, according to the clocks; they count as 0 s.
    pub negative: usize,
}

/// The machine of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    pub name: String,
    /// Threads that may run at once on it.
    pub cores: usize,
}

/// A time on the clock of the first process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Timed {
    pub start_s: f64,
    pub time_s: f64,
}

/// The measurements of one process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Own {
    pub updates: Vec<Timed>,
    /// The messages that it has received, by sender.
    pub messages: Vec<Vec<Timed>>,
}

/// The name of a process, counted from 0: `p1`, `p2`.
pub fn name(process: usize) -> String {
    format!("p{}", process + 1)
}

/// Makes the table of what all processes have measured.
pub(super) fn gather(
    all: &[Own],
    hosts: Vec<String>,
    clocks: Vec<Clock>,
    cores: Vec<usize>,
    is_interrupted: bool,
) -> Measured {
    let mut rows = Vec::new();
    let names: Vec<Arc<str>> = (0..all.len()).map(|process| name(process).into()).collect();
    let machines: Vec<Arc<str>> = hosts.iter().map(|host| host.as_str().into()).collect();
    let mut negative = 0;
    let mut add = |kind: Kind, process: usize, peer: Option<usize>, times: &[Timed]| {
        for (rep, timed) in (0u64..).zip(times) {
            negative += usize::from(timed.time_s < 0.0);
            rows.push(Row {
                kind,
                process: Arc::clone(&names[process]),
                peer: peer.map(|peer| Arc::clone(&names[peer])),
                host: Arc::clone(&machines[process]),
                rep,
                start_s: Some(nanoseconds(timed.start_s)),
                time_s: nanoseconds(timed.time_s.max(0.0)),
                mode: None,
            });
        }
    };
    for (process, own) in all.iter().enumerate() {
        add(Kind::Update, process, None, &own.updates);
    }
    for from in 0..all.len() {
        for (to, own) in all.iter().enumerate().filter(|(to, _)| *to != from) {
            add(Kind::Message, from, Some(to), own.messages.get(from).map_or(&[], Vec::as_slice));
        }
    }
    Measured { samples: Samples { rows }, hosts, cores, clocks, is_interrupted, negative }
}

/// The resolution of the clocks.
fn nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_come_before_it_was_sent() {
        let timed = |start_s, time_s| Timed { start_s, time_s };
        let own = |updates, from: usize, message| {
            let mut messages = vec![Vec::new(); 2];
            messages[from] = vec![message];
            Own { updates, messages }
        };
        let all = [
            own(vec![timed(0.0, 0.1)], 1, timed(1.0, -2e-7)),
            own(vec![timed(0.0, 0.2), timed(0.2, 0.2)], 0, timed(0.5, 1e-6)),
        ];
        let measured = gather(&all, vec!["x".to_owned(), "y".to_owned()], Vec::new(), Vec::new(), false);
        assert_eq!(measured.negative, 1);
        let expected = "kind,process,peer,host,rep,start_s,time_s\nupdate,p1,,x,0,0,0.1\nupdate,p2,,y,0,0,0.2\n\
                        update,p2,,y,1,0.2,0.2\nmessage,p1,p2,x,0,0.5,1e-6\nmessage,p2,p1,y,0,1,0\n";
        assert_eq!(measured.samples.to_csv(), expected);
    }
}

//! The results of a measurement, and its table.

use super::clock::Clock;
use super::table::{Kind, Row, Samples};
use crate::run::{Message, Recording, Rows};
use std::collections::HashMap;
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

impl Measured {
    /// Samples of so many processes of one host, on one clock.
    pub fn of(samples: Samples, host: &Host, processes: usize) -> Measured {
        Measured {
            samples,
            hosts: vec![host.name.clone(); processes],
            cores: vec![host.cores; processes],
            clocks: vec![Clock::reference(); processes],
            is_interrupted: false,
            negative: 0,
        }
    }

    /// Adds what was measured later, its clock so long behind \[s\].
    pub fn append(&mut self, later: Measured, behind_s: f64) {
        let of = |row: &Row| (row.kind, Arc::clone(&row.process), row.peer.clone());
        let mut next: HashMap<_, u64> = HashMap::new();
        for row in &self.samples.rows {
            next.entry(of(row)).and_modify(|next| *next = (row.rep + 1).max(*next)).or_insert(row.rep + 1);
        }
        self.samples.rows.extend(later.samples.rows.into_iter().map(|row| {
            let rep = row.rep + next.get(&of(&row)).copied().unwrap_or(0);
            let start_s = row.start_s.map(|start_s| nanoseconds(start_s + behind_s));
            Row { rep, start_s, ..row }
        }));
        self.is_interrupted |= later.is_interrupted;
        self.negative += later.negative;
    }

    /// The mean update of each process \[s\]; not a number without any.
    pub fn mean_updates_s(&self) -> Vec<f64> {
        let of = |process: usize| {
            let name = name(process);
            let own = self.samples.rows.iter().filter(|row| row.kind == Kind::Update && *row.process == *name);
            let (sum, count) = own.fold((0.0, 0.0), |(sum, count), row| (sum + row.time_s, count + 1.0));
            sum / count
        };
        (0..self.hosts.len()).map(of).collect()
    }
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

/// Messages whose arrival was waited for, above which those that were found later than they came are left out.
const EXACT_LEAST: usize = 20;

/// The samples of a run of the real loop on one host. A message that was found later than it came only bounds its time
/// from above: where few were waited for, the shortest of all stands for them.
pub fn of_run(recording: &Recording, host: &Host) -> Measured {
    let processes = recording.processes.len();
    let timed =
        |start: u64, end: u64| Timed { start_s: start as f64 / 1e9, time_s: end.saturating_sub(start) as f64 / 1e9 };
    let own = |rows: &Rows| {
        let updates = rows.updates.iter().filter(|update| !update.is_discarded);
        let mut messages = vec![Vec::new(); processes];
        for (from, messages) in messages.iter_mut().enumerate() {
            let all = || rows.messages.iter().filter(|message| message.from == from);
            let times = |message: &Message| timed(message.sent, message.arrived);
            *messages = all().filter(|message| message.is_exact).map(times).collect();
            if messages.len() < EXACT_LEAST {
                let shortest = all().map(times).min_by(|a, b| a.time_s.total_cmp(&b.time_s));
                *messages = shortest.into_iter().collect();
            }
        }
        Own { updates: updates.map(|update| timed(update.start, update.end)).collect(), messages }
    };
    let all: Vec<Own> = recording.processes.iter().map(own).collect();
    let (hosts, clocks) = (vec![host.name.clone(); processes], vec![Clock::reference(); processes]);
    gather(&all, hosts, clocks, vec![host.cores; processes], recording.is_interrupted)
}

/// The resolution of the clocks.
fn nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_gives_its_updates_and_the_messages_that_were_waited_for() {
        use crate::model::Semantics;
        use crate::run::{Message, Update};
        let update = |number: u32, is_discarded| Update {
            phase: 1,
            number,
            start: 1_000,
            end: 3_500,
            is_beta: is_discarded,
            is_discarded,
        };
        let message = |arrived: u64, is_exact| Message { phase: 1, from: 0, sent: 5_000, arrived, is_exact };
        let looking = Rows {
            updates: vec![update(1, false), update(2, true)],
            messages: (0..30).map(|more| message(6_000 + more, true)).chain([message(5_001, false)]).collect(),
            ..Rows::default()
        };
        let late = Rows {
            updates: vec![update(1, false)],
            messages: vec![Message { from: 1, ..message(9_000, false) }, Message { from: 1, ..message(7_000, false) }],
            ..Rows::default()
        };
        let recording = Recording { processes: vec![late, looking], held: Semantics::Abort, is_interrupted: false };
        let measured = of_run(&recording, &Host { name: "x".to_owned(), cores: 2 });
        let times = |kind: Kind, process: &str| -> Vec<f64> {
            let rows = measured.samples.rows.iter().filter(|row| row.kind == kind && &*row.process == process);
            rows.map(|row| row.time_s).collect()
        };
        assert_eq!((times(Kind::Update, "p2"), times(Kind::Message, "p2")), (vec![2.5e-6], vec![2e-6]));
        assert_eq!(times(Kind::Message, "p1").len(), 30);
    }

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

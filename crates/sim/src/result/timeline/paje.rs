//! A Paje trace: the definitions of its events, then containers (label, process), states and links, in order of time.

use super::{ALL, Recorder, word};
use crate::application::Application;
use crate::tick::{Tick, TickLength};
use std::fmt::Write as _;

/// Number of an event, its name, and the names and types of its fields.
type Event = (u32, &'static str, &'static [(&'static str, &'static str)]);

/// The events that are used.
const EVENTS: [Event; 9] = [
    (0, "PajeDefineContainerType", &[("Alias", "string"), ("Type", "string"), ("Name", "string")]),
    (1, "PajeDefineStateType", &[("Alias", "string"), ("Type", "string"), ("Name", "string")]),
    (2, "PajeDefineEntityValue", &[("Alias", "string"), ("Type", "string"), ("Name", "string"), ("Color", "color")]),
    (
        3,
        "PajeDefineLinkType",
        &[
            ("Alias", "string"),
            ("Type", "string"),
            ("StartContainerType", "string"),
            ("EndContainerType", "string"),
            ("Name", "string"),
        ],
    ),
    (
        4,
        "PajeCreateContainer",
        &[("Time", "date"), ("Alias", "string"), ("Type", "string"), ("Container", "string"), ("Name", "string")],
    ),
    (5, "PajeDestroyContainer", &[("Time", "date"), ("Type", "string"), ("Name", "string")]),
    (6, "PajeSetState", &[("Time", "date"), ("Type", "string"), ("Container", "string"), ("Value", "string")]),
    (
        7,
        "PajeStartLink",
        &[
            ("Time", "date"),
            ("Type", "string"),
            ("Container", "string"),
            ("StartContainer", "string"),
            ("Value", "string"),
            ("Key", "string"),
        ],
    ),
    (
        8,
        "PajeEndLink",
        &[
            ("Time", "date"),
            ("Type", "string"),
            ("Container", "string"),
            ("EndContainer", "string"),
            ("Value", "string"),
            ("Key", "string"),
        ],
    ),
];

/// Colors of the activities, in their order, and of what is none.
const COLORS: [&str; 7] = [
    "0.20 0.55 0.30",
    "0.90 0.60 0.10",
    "0.20 0.40 0.80",
    "0.75 0.75 0.75",
    "0.55 0.30 0.65",
    "0.60 0.40 0.20",
    "1 1 1",
];
const NOTHING: usize = ALL.len();

/// A line with its time, and the order among lines of one time.
struct Line {
    at: Tick,
    rank: u8,
    text: String,
}

pub(super) fn write(recorder: &Recorder, application: &Application, tick: TickLength) -> Vec<u8> {
    let mut out = String::new();
    header(&mut out);
    let time = |at: Tick| tick.to_seconds(at);
    let processes = recorder.processes();
    let mut lines = Vec::with_capacity(2 * recorder.kept() + 2 * processes.len());
    // Writing to a text does not fail.
    let _ = writeln!(out, "4 0 run RUN 0 \"{}\"", quoted(&application.name));
    let mut known = None;
    for process in &processes {
        let label = application.label_of(u64::from(*process));
        if known != Some(label) {
            let name = application.labels.get(label).map_or("", |label| label.name.as_str());
            let _ = writeln!(out, "4 0 l{label} LABEL run \"{}\"", quoted(name));
            known = Some(label);
        }
        let name = application.name_of(u64::from(*process));
        let _ = writeln!(out, "4 0 p{process} PROCESS l{label} \"{}\"", quoted(&name));
    }
    let mut end = 0;
    for (process, interval) in &recorder.intervals {
        end = end.max(interval.to);
        let value = interval.activity as usize;
        // The state that begins at the end of another wins over the end of that one.
        let start = format!("6 {:.12} STATE p{process} a{value}", time(interval.from));
        lines.push(Line { at: interval.from, rank: 1, text: start });
        let stop = format!("6 {:.12} STATE p{process} a{NOTHING}", time(interval.to));
        lines.push(Line { at: interval.to, rank: 0, text: stop });
    }
    for (key, message) in recorder.messages.iter().enumerate() {
        end = end.max(message.received);
        let start = format!("7 {:.12} MESSAGE run p{} {} m{key}", time(message.sent), message.from, message.size);
        lines.push(Line { at: message.sent, rank: 2, text: start });
        let stop = format!("8 {:.12} MESSAGE run p{} {} m{key}", time(message.received), message.to, message.size);
        lines.push(Line { at: message.received, rank: 3, text: stop });
    }
    lines.sort_by_key(|line| (line.at, line.rank));
    for line in lines {
        out.push_str(&line.text);
        out.push('\n');
    }
    for process in processes {
        let _ = writeln!(out, "5 {:.12} PROCESS p{process}", time(end));
    }
    out.into_bytes()
}

fn header(out: &mut String) {
    for (number, name, fields) in EVENTS {
        let _ = writeln!(out, "%EventDef {name} {number}");
        for (field, kind) in fields {
            let _ = writeln!(out, "%       {field} {kind}");
        }
        out.push_str("%EndEventDef\n");
    }
    out.push_str("0 RUN 0 \"Run\"\n0 LABEL RUN \"Label\"\n0 PROCESS LABEL \"Process\"\n1 STATE PROCESS \"Activity\"\n");
    let words = ALL.iter().map(|activity| word(*activity)).chain(["nothing"]);
    for (value, (word, color)) in words.zip(COLORS).enumerate() {
        let _ = writeln!(out, "2 a{value} STATE \"{word}\" \"{color}\"");
    }
    out.push_str("3 MESSAGE RUN PROCESS PROCESS \"Message\"\n");
}

/// Names of users may hold what would end a text or a line.
fn quoted(name: &str) -> String {
    name.chars().map(|letter| if letter == '"' || letter.is_control() { '\'' } else { letter }).collect()
}

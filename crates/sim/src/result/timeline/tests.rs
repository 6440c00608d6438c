//! What is written is what happened: read back by other means.

use super::*;
use crate::application::{Label, Programs, Site};
use serde_json::Value;

fn application() -> Application {
    let label = |name: &str, first, count| Label::new(name, first, count, Programs::Same(0));
    Application {
        name: "x\"y".to_owned(),
        labels: vec![label("master", 0, 1), label("slave", 1, 2)],
        ..Application::default()
    }
}

fn interval(activity: Activity, from: Tick, to: Tick) -> Interval {
    Interval { activity, collective: false, from, to, site: Site(0), phase: None, cause: None }
}

fn watched(wanted: &Wanted) -> Recorder {
    let mut recorder = Recorder::new(wanted, crate::tick::NANOSECOND).expect("a span");
    recorder.interval(0, interval(Activity::Compute, 0, 1_500));
    recorder.interval(0, interval(Activity::Overhead, 1_500, 1_500));
    recorder.interval(1, interval(Activity::Wait, 0, 1_500));
    recorder.interval(1, interval(Activity::Transfer, 1_500, 2_000));
    recorder.interval(2, interval(Activity::Compute, 0, 500));
    recorder.delivered(Delivered { from: 0, to: 1, size: 64, sent: 1_500, received: 2_000 });
    recorder
}

const ALL_OF_IT: Wanted = Wanted { ranks: None, span_s: None };

#[test]
fn trace_events_have_tracks_slices_and_arrows_in_microseconds() {
    let bytes = Format::Chrome.write(&watched(&ALL_OF_IT), &application(), crate::tick::NANOSECOND);
    let trace: Value = serde_json::from_slice(&bytes).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
    assert_eq!(of("X").len(), 4, "an empty interval is not a slice");
    let transfer = of("X").into_iter().find(|event| event["name"] == "transfer").expect("there");
    assert_eq!((transfer["ts"].as_f64(), transfer["dur"].as_f64()), (Some(1.5), Some(0.5)));
    let names: Vec<_> = of("M").into_iter().filter(|event| event["name"] == "thread_name").collect();
    assert_eq!(
        names.iter().map(|event| event["args"]["name"].as_str().expect("text")).collect::<Vec<_>>(),
        ["master", "slave[0]", "slave[1]"]
    );
    let (starts, ends) = (of("s"), of("f"));
    assert_eq!((starts.len(), ends.len()), (1, 1));
    assert_eq!(
        (&starts[0]["id"], &starts[0]["tid"], &ends[0]["tid"]),
        (&ends[0]["id"], &Value::from(0), &Value::from(1))
    );
}

#[test]
fn ranks_and_span_leave_the_rest_out() {
    let wanted = Wanted { ranks: Some(vec![(0, 1)]), span_s: Some((1.6e-6, 3e-6)) };
    let recorder = watched(&wanted);
    assert_eq!(recorder.intervals.len(), 1, "{:?}", recorder.intervals);
    assert_eq!(recorder.messages.len(), 1);
    let alone = watched(&Wanted { ranks: Some(vec![(0, 0)]), span_s: None });
    assert_eq!((alone.intervals.len(), alone.messages.len()), (1, 0), "a message to a process that is not shown");
}

#[test]
fn paje_events_fit_their_definitions_and_their_order() {
    let bytes = Format::Paje.write(&watched(&ALL_OF_IT), &application(), crate::tick::NANOSECOND);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mut fields: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    let mut current = "";
    let mut last = 0.0;
    let mut states = 0;
    for line in text.lines() {
        if let Some(definition) = line.strip_prefix("%EventDef ") {
            current = definition.split(' ').nth(1).expect("a number");
            fields.insert(current, Vec::new());
        } else if line == "%EndEventDef" {
            current = "";
        } else if let Some(field) = line.strip_prefix('%') {
            fields.get_mut(current).expect("in a definition").push(field.split_whitespace().next().expect("a name"));
        } else {
            // Quoted texts hold no quotes; spaces inside them part no fields.
            let parts: Vec<&str> = line
                .split('"')
                .enumerate()
                .flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
                .collect();
            let names = &fields[parts[0]];
            assert_eq!(parts.len() - 1, names.len(), "{line}");
            if names[0] == "Time" {
                let time: f64 = parts[1].parse().expect("a time");
                assert!(time >= last, "{line} goes back");
                last = time;
            }
            states += usize::from(parts[0] == "6");
        }
    }
    assert_eq!(states, 8);
    assert!(text.contains("7 0.000001500000 MESSAGE run p0 64 m0\n"), "{text}");
}

#[test]
fn a_name_tells_the_format() {
    assert_eq!(Format::of("a/b.json").expect("known"), Format::Chrome);
    assert_eq!(Format::of("b.paje").expect("known"), Format::Paje);
    assert_eq!(Format::of("b.txt").expect_err("unknown").code, "unknown_format");
}

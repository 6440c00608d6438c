//! Trace events in JSON, as Perfetto and Chrome read them: a label is a group of tracks, one process per track, an interval a
//! slice, a message an arrow from slice to slice. Times are in microseconds, as the format wants them.

use super::{Recorder, word};
use crate::application::Application;
use crate::tick::{Tick, TickLength};
use serde_json::{Value, json};

pub(super) fn write(recorder: &Recorder, application: &Application, tick: TickLength) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 * (recorder.kept() + 16));
    out.extend_from_slice(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    let mut first = true;
    let mut put = |event: &Value| {
        if !std::mem::replace(&mut first, false) {
            out.push(b',');
        }
        out.push(b'\n');
        // Writing to memory does not fail, and no key is anything but a text.
        let _ = serde_json::to_writer(&mut out, event);
    };
    let micro = |at: Tick| tick.to_seconds(at) * 1e6;
    let track = |process: u32| (application.label_of(u64::from(process)), process);
    let processes = recorder.processes();
    let mut labels: Vec<usize> = processes.iter().map(|process| track(*process).0).collect();
    labels.dedup();
    for label in labels {
        let name = application.labels.get(label).map_or("", |label| label.name.as_str());
        put(&json!({"ph": "M", "name": "process_name", "pid": label, "args": {"name": name}}));
    }
    for process in processes {
        let (label, thread) = track(process);
        let name = application.name_of(u64::from(process));
        put(&json!({"ph": "M", "name": "thread_name", "pid": label, "tid": thread, "args": {"name": name}}));
        put(
            &json!({"ph": "M", "name": "thread_sort_index", "pid": label, "tid": thread, "args": {"sort_index": thread}}),
        );
    }
    for (process, interval) in &recorder.intervals {
        let (label, thread) = track(*process);
        let phase = interval.phase.and_then(|phase| application.phases.get(phase as usize));
        let mut arguments = json!({"place": application.place_of(interval.site)});
        if let Some(phase) = phase {
            arguments["phase"] = json!(phase);
        }
        let kind = if interval.collective { "collective" } else { "process" };
        put(&json!({
            "ph": "X", "name": word(interval.activity), "cat": kind, "pid": label, "tid": thread,
            "ts": micro(interval.from), "dur": micro(interval.to - interval.from), "args": arguments,
        }));
    }
    for (number, message) in recorder.messages.iter().enumerate() {
        for (phase, process, at) in [("s", message.from, message.sent), ("f", message.to, message.received)] {
            let (label, thread) = track(process);
            let mut event = json!({
                "ph": phase, "name": "message", "cat": "message", "id": number, "pid": label, "tid": thread,
                "ts": micro(at), "args": {"size_bytes": message.size},
            });
            if phase == "f" {
                // The arrow ends in the slice that it meets, not in the next one.
                event["bp"] = json!("e");
            }
            put(&event);
        }
    }
    out.extend_from_slice(b"\n]}\n");
    out
}

//! A recording as trace events in JSON, which Perfetto and Chrome show: a track a rank, a slice a call.
//!
//! A recording holds no single times. Every block and call takes the mean of its call site on its rank, in wall time, so
//! that the length of a track is that of the run.

use crate::recording::Recording;
use crate::vocabulary::{Field, call, shown};
use crate::walk::walk;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Slices that a viewer shows.
pub const MOST_SLICES: usize = 2_000_000;

/// The events, and how many calls are left out.
pub fn trace_events(recording: &Recording, places: &[String]) -> (Vec<u8>, u64) {
    let mut out = b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n".to_vec();
    let name = if recording.meta.program.is_empty() { "program" } else { recording.meta.program.as_str() };
    put(&mut out, &json!({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": name}}));
    let (mut slices, mut left_out) = (0, 0);
    for program in &recording.programs {
        for (place, &rank) in program.ranks.iter().enumerate() {
            let track = u64::from(rank) << 8 | u64::from(program.thread & 0xff);
            let title = match program.thread {
                0 => format!("rank {rank}"),
                thread => format!("rank {rank}, thread {thread}"),
            };
            out.extend_from_slice(b",\n");
            put(&mut out, &json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": track, "args": {"name": title}}));
            let mut now_us = 0.0;
            let _ = walk::<()>(&recording.tree_of(program, rank), |event| {
                let times = program.stats.get(event.index).and_then(|stat| stat.ranks.get(place)).copied();
                let times = times.unwrap_or_default();
                let (begin_us, lasts_us) = (now_us + 1e6 * times.wall.s(), 1e6 * times.call.s());
                now_us = begin_us + lasts_us;
                if slices == MOST_SLICES || event.leaf.call == call::FINALIZE {
                    left_out += u64::from(event.leaf.call != call::FINALIZE);
                    return ControlFlow::Continue(());
                }
                slices += 1;
                let mut told = serde_json::Map::new();
                let site = places.get(event.leaf.site as usize).map_or("unknown", String::as_str);
                told.insert("site".to_owned(), json!(site));
                for (field, key) in [(Field::Peer, "peer"), (Field::Size, "size_bytes"), (Field::Tag, "tag")] {
                    if let Some(value) = event.get(field) {
                        told.insert(key.to_owned(), json!(value));
                    }
                }
                out.extend_from_slice(b",\n");
                let name = shown(event.leaf.call, event.leaf.flags);
                let slice = json!({
                    "ph": "X", "name": name, "cat": "mpi", "pid": 0, "tid": track, "ts": begin_us, "dur": lasts_us,
                    "args": told,
                });
                put(&mut out, &slice);
                ControlFlow::Continue(())
            });
        }
    }
    out.extend_from_slice(b"\n]}\n");
    (out, left_out)
}

fn put(out: &mut Vec<u8>, event: &Value) {
    // Writing to memory does not fail, and no key is anything but a text.
    let _ = serde_json::to_writer(out, event);
}

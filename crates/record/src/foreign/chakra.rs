//! Chakra execution traces, in JSON or Protocol Buffers: a graph of nodes for each rank.
//!
//! ```text
//! {"nodes": [{"id": 1, "name": "all-reduce", "type": 7, "ctrl_deps": [], "data_deps": [0], "duration_micros": 5,
//!             "attr": [{"name": "comm_type", "int64_val": 0}, {"name": "comm_size", "int64_val": 1024}]}, ..]}
//! ```
//!
//! Nodes are taken in the order of their dependencies, the least number first: one chain a rank.

mod binary;

use super::track::{Call, Span, Track};
use super::{Text, in_order};
use crate::vocabulary::{Field, Flags, call};
use runcast_core::Problem;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Reads a file a rank.
pub(super) fn read(files: &[Text<'_>], lost: &mut BTreeSet<String>) -> Result<Vec<Track>, Problem> {
    lost.extend(["call sites", "tensors", "independent chains: one after the other"].map(str::to_owned));
    let files = in_order(files)?;
    let p = files.len() as i64;
    files.iter().enumerate().map(|(rank, text)| one(text, [rank as i64, p], lost)).collect()
}

fn one(text: &Text<'_>, [rank, p]: [i64; 2], lost: &mut BTreeSet<String>) -> Result<Track, Problem> {
    let bad = |message: String| Problem::new("bad_trace", message).in_file(text.file);
    let first = text.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let document: Value = match first {
        Some(b'{' | b'[') | None => serde_json::from_slice(text.bytes)
            .map_err(|error| bad(format!("this is no JSON: {error}")).at_line(error.line() as u64))?,
        _ => binary::nodes(text.bytes, text.file)?.into(),
    };
    let nodes = document.get("nodes").unwrap_or(&document).as_array();
    let Some(nodes) = nodes.filter(|nodes| !nodes.is_empty()) else {
        return Err(bad("there are no nodes".to_owned()).allowed("{\"nodes\": [{\"id\": 1, \"type\": 4, ..}, ..]}"));
    };
    let id = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let mut places: HashMap<u64, usize> = HashMap::new();
    for (place, node) in nodes.iter().enumerate() {
        let id = node.get("id").map_or(Some(0), id).ok_or_else(|| bad(format!("node {place} has no number as id")))?;
        if places.insert(id, place).is_some() {
            return Err(bad(format!("two nodes have the id {id}")));
        }
    }
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut open = vec![0_usize; nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        for list in ["ctrl_deps", "data_deps"] {
            for before in node.get(list).and_then(Value::as_array).into_iter().flatten() {
                let before = id(before).and_then(|id| places.get(&id));
                let before = before.ok_or_else(|| bad(format!("node {place} depends on a node that is not there")))?;
                after[*before].push(place);
                open[place] += 1;
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|place| open[*place] == 0).map(Reverse).collect();
    let mut track = Track::of(rank as u32);
    let (mut now_s, mut played) = (0.0, 0);
    track.skip(Span::default());
    while let Some(Reverse(place)) = ready.pop() {
        played += 1;
        node(&nodes[place], (&mut track, &mut now_s), p, lost).map_err(&bad)?;
        for next in &after[place] {
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    if played < nodes.len() {
        return Err(bad(format!("{} nodes depend on each other in a circle", nodes.len() - played)));
    }
    Ok(track)
}

fn node(
    node: &Value,
    (track, now_s): (&mut Track, &mut f64),
    p: i64,
    lost: &mut BTreeSet<String>,
) -> Result<(), String> {
    let attributes = node.get("attr").or_else(|| node.get("attribute")).and_then(Value::as_array);
    let attribute = |name: &str| {
        let found = attributes?.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(name))?;
        let value = found.as_object()?.iter().find(|(key, _)| key.ends_with("val"))?.1;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    let name = node.get("name").and_then(Value::as_str).unwrap_or("node");
    let duration = ["duration_micros", "duration_micro"].iter().find_map(|key| node.get(*key));
    let duration_s = duration.map_or(Some(0.0), |value| value.as_f64().or_else(|| value.as_str()?.parse().ok()));
    let duration_s = duration_s.filter(|time| time.is_finite() && *time >= 0.0);
    let duration_s = duration_s.ok_or_else(|| format!("the duration of {name} is no number of microseconds"))? * 1e-6;
    let span = Span { from_s: *now_s, to_s: *now_s + duration_s, processor_s: None };
    let size = attribute("comm_size").unwrap_or(0).max(0);
    let partner = |key: &str| match attribute(key) {
        Some(peer) if (0..p).contains(&peer) => Ok(peer),
        other => Err(format!("{key} of {name} is {other:?}: a rank below {p} is allowed")),
    };
    let message = |peer: i64| {
        let tag = attribute("comm_tag").unwrap_or(0);
        vec![(Field::Peer, vec![peer]), (Field::Size, vec![size]), (Field::Tag, vec![tag])]
    };
    let call = match kind(node.get("type")) {
        5 => Call { code: call::SEND, flags: Flags::default(), fields: message(partner("comm_dst")?) },
        6 => Call { code: call::RECV, flags: Flags::default(), fields: message(partner("comm_src")?) },
        7 => {
            let all = size.saturating_mul(p);
            let (code, size) = match attribute("comm_type") {
                Some(0) => (call::ALLREDUCE, size),
                Some(1) => (call::REDUCE, size),
                Some(2) => (call::ALLGATHER, all),
                Some(3) => (call::GATHER, all),
                Some(4) => (call::SCATTER, all),
                Some(5) => (call::BCAST, size),
                Some(6) => (48, size),
                Some(7) => (54, size),
                Some(9) => (call::BARRIER, 0),
                other => return Err(format!("comm_type of {name} is {other:?}: 0 to 7 and 9 are allowed")),
            };
            if attribute("comm_group").is_some() || node.get("pg_name").is_some() {
                lost.insert("groups of ranks: collectives are of all".to_owned());
            }
            let mut fields = if code == call::BARRIER { Vec::new() } else { vec![(Field::Size, vec![size])] };
            if matches!(code, call::REDUCE | call::GATHER | call::SCATTER | call::BCAST) {
                fields.push((Field::Root, vec![attribute("root").unwrap_or(0).clamp(0, p - 1)]));
            }
            Call { code, flags: Flags::COLLECTIVE, fields }
        }
        // Computing, memory, metadata: the time of a block.
        _ => {
            *now_s += duration_s;
            return Ok(());
        }
    };
    *now_s = span.to_s;
    track.push(call, span);
    Ok(())
}

/// 4 computing, 5 send, 6 receive, 7 collective; numbers, or names as JSON of protobuf has them.
fn kind(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::String(text)) => match text.as_str() {
            "COMP_NODE" => 4,
            "COMM_SEND_NODE" => 5,
            "COMM_RECV_NODE" => 6,
            "COMM_COLL_NODE" => 7,
            other => other.parse().unwrap_or(0),
        },
        Some(value) => value.as_i64().unwrap_or(0),
        None => 0,
    }
}

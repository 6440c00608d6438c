//! Paraver traces: `.prv`, and beside it the `.pcf` that names values.
//!
//! ```text
//! #Paraver (10/11/2025 at 12:33):5000_ns:1(2):1:2(1:1,1:1)
//! 2:CPU:APP:TASK:THREAD:TIME:TYPE:VALUE..                      events, in pairs
//! 3:CPU:APP:TASK:THREAD:SENT:LEFT:CPU:APP:TASK:THREAD:POSTED:ARRIVED:SIZE:TAG
//! ```
//!
//! Types 50000001 to 50000003 say which call of MPI a task is in; 0 is its end. Requests are not in the trace: a wait takes the
//! oldest one, or those whose messages have arrived.

use super::arguments::function;
use super::track::{Call, Span, Track};
use super::{MOST_RANKS, Text, lines, wrong};
use crate::vocabulary::{Field, Flags, call};
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Names of values where no `.pcf` has them.
const NAMES: [(u64, &str); 20] = [
    (1, "MPI_Send"),
    (2, "MPI_Recv"),
    (3, "MPI_Isend"),
    (4, "MPI_Irecv"),
    (5, "MPI_Wait"),
    (6, "MPI_Waitall"),
    (7, "MPI_Bcast"),
    (8, "MPI_Barrier"),
    (9, "MPI_Reduce"),
    (10, "MPI_Allreduce"),
    (11, "MPI_Alltoall"),
    (12, "MPI_Alltoallv"),
    (13, "MPI_Gather"),
    (14, "MPI_Gatherv"),
    (15, "MPI_Scatter"),
    (16, "MPI_Scatterv"),
    (17, "MPI_Allgather"),
    (18, "MPI_Allgatherv"),
    (31, "MPI_Init"),
    (32, "MPI_Finalize"),
];

/// Types of events that name a call.
const CALLS: std::ops::RangeInclusive<u64> = 50_000_001..=50_000_005;

/// A call of a task.
#[derive(Debug, Default)]
struct Seen {
    name: String,
    from: u64,
    to: u64,
    /// Partner, size and tag.
    sent: Option<[i64; 3]>,
    /// The same, and when the message arrived.
    received: Option<([i64; 3], u64)>,
    /// Bytes sent and received by a collective; its root.
    bytes: [i64; 2],
    is_root: bool,
}

/// Reads one `.prv`, with its `.pcf` if that is given, too.
pub(super) fn read(files: &[Text<'_>], lost: &mut BTreeSet<String>) -> Result<Vec<Track>, Problem> {
    let kept = ["call sites", "processor time: blocks are wall time", "requests: waits complete the oldest ones"];
    lost.extend(kept.map(str::to_owned));
    let Some(trace) = files.iter().find(|text| text.bytes.starts_with(b"#Paraver")) else {
        let file = files.first().map_or("", |text| text.file);
        return Err(wrong(file, 1, "this is no Paraver trace", "", "a first line that begins with #Paraver"));
    };
    let mut names: HashMap<u64, String> = NAMES.iter().map(|(value, name)| (*value, (*name).to_owned())).collect();
    for text in files.iter().filter(|text| text.file != trace.file) {
        labels(text, &mut names);
    }
    let (tasks, unit_s) = header(trace)?;
    // Memory follows what a file describes, not what it announces.
    if trace.bytes.iter().filter(|byte| **byte == b'\n').count() < tasks {
        return Err(wrong(
            trace.file,
            1,
            "the header announces more tasks than there are lines",
            &tasks.to_string(),
            "a line for each task at least",
        ));
    }
    let mut seen: Vec<Vec<Seen>> = Vec::new();
    seen.resize_with(tasks, Vec::new);
    let mut messages = Vec::new();
    for (number, line) in lines(trace).skip(1) {
        let bad = |message: &str| {
            wrong(trace.file, number, message, &line, "1: state, 2: events or 3: message, numbers with : between")
        };
        let Some((kind, rest)) = line.split_once(':') else { continue };
        if !matches!(kind, "2" | "3") {
            continue;
        }
        let numbers =
            rest.split(':').map(|text| text.trim().parse::<u64>().map_err(|_| bad("a record has whole numbers")));
        let numbers = numbers.collect::<Result<Vec<u64>, Problem>>()?;
        let task = |place: usize| -> Result<usize, Problem> {
            let told = numbers.get(place).copied().unwrap_or(0) as usize;
            told.checked_sub(1).filter(|task| *task < tasks).ok_or_else(|| bad("there is no such task"))
        };
        if kind == "3" {
            if numbers.len() < 14 {
                return Err(bad("a message has 14 numbers"));
            }
            messages.push(([task(2)?, task(8)?], [numbers[4], numbers[10], numbers[11]], [numbers[12], numbers[13]]));
            continue;
        }
        if numbers.len() < 5 {
            return Err(bad("an event has a time"));
        }
        let (task, time) = (task(2)?, numbers[4]);
        for pair in numbers[5..].chunks_exact(2) {
            event(&mut seen[task], time, [pair[0], pair[1]], (&names, &mut *lost));
        }
    }
    for ([from, to], [sent, posted, arrived], [size, tag]) in messages {
        let data = |peer: usize| [peer as i64, size as i64, tag as i64];
        match around(&mut seen[from], sent) {
            Some(seen) => seen.sent = Some(data(to)),
            None => drop(lost.insert("messages outside of calls".to_owned())),
        }
        match around(&mut seen[to], posted) {
            Some(seen) => seen.received = Some((data(from), arrived)),
            None => drop(lost.insert("messages outside of calls".to_owned())),
        }
    }
    let tracks = seen.into_iter().enumerate().map(|(rank, seen)| track([rank, tasks], seen, unit_s, lost));
    Ok(tracks.collect())
}

/// Tasks, and the unit of times.
fn header(trace: &Text<'_>) -> Result<(usize, f64), Problem> {
    let (number, line) = lines(trace).next().unwrap_or_default();
    let bad = |message: &str| {
        wrong(trace.file, number, message, &line, "#Paraver (d/m/y at h:m):TIME_ns:NODES(CPUS..):1:TASKS(..)")
    };
    let rest = line.split_once("):").map(|(_, rest)| rest).ok_or_else(|| bad("the header has no date"))?;
    let unit_s = match rest.split(':').next().unwrap_or_default() {
        time if time.ends_with("_ns") => 1e-9,
        _ => 1e-6,
    };
    // NODES(..):APPS:TASKS(THREADS:NODE,..)
    let rest = rest.split_once(':').map_or("", |(_, rest)| rest);
    let rest = if rest.starts_with('0') { rest } else { rest.split_once(')').map_or(rest, |(_, rest)| rest) };
    let mut parts = rest.trim_start_matches(':').split(':').filter(|part| !part.is_empty());
    let apps = parts.next().unwrap_or_default();
    if apps.parse::<u64>().is_ok_and(|apps| apps > 1) {
        return Err(bad("a trace of several applications"));
    }
    let tasks = parts.next().and_then(|part| part.split('(').next()?.parse::<usize>().ok());
    match tasks.filter(|tasks| (1..=MOST_RANKS).contains(tasks)) {
        Some(tasks) => Ok((tasks, unit_s)),
        None => Err(bad("the header does not say how many tasks there are")),
    }
}

/// Names of the values of calls: `VALUES` after a type that names calls.
fn labels(text: &Text<'_>, names: &mut HashMap<u64, String>) {
    for (_, line) in lines(text) {
        let mut words = line.split_whitespace();
        if let (Some(Ok(value)), Some(name)) = (words.next().map(str::parse::<u64>), words.next())
            && name.starts_with("MPI_")
        {
            names.insert(value, name.to_owned());
        }
    }
}

fn event(
    seen: &mut Vec<Seen>,
    time: u64,
    [kind, value]: [u64; 2],
    (names, lost): (&HashMap<u64, String>, &mut BTreeSet<String>),
) {
    let open = seen.last_mut().filter(|seen| seen.to == u64::MAX);
    match kind {
        kind if CALLS.contains(&kind) && value == 0 => {
            if let Some(open) = open {
                open.to = time;
            }
        }
        kind if CALLS.contains(&kind) => {
            let name = names.get(&value).cloned().unwrap_or_else(|| {
                lost.insert(format!("calls with the value {value}, which no .pcf names"));
                String::new()
            });
            if let Some(open) = open {
                open.to = time;
            }
            seen.push(Seen { name, from: time, to: u64::MAX, ..Seen::default() });
        }
        50_100_001 | 50_100_002 => {
            if let Some(open) = open {
                open.bytes[(kind - 50_100_001) as usize] = i64::try_from(value).unwrap_or(0);
            }
        }
        50_100_003 => {
            if let Some(open) = open {
                open.is_root = value > 0;
            }
        }
        _ => {}
    }
}

/// The call at a time.
fn around(seen: &mut [Seen], time: u64) -> Option<&mut Seen> {
    let place = seen.partition_point(|seen| seen.from <= time);
    seen.get_mut(place.checked_sub(1)?).filter(|seen| time <= seen.to)
}

fn track([rank, p]: [usize; 2], seen: Vec<Seen>, unit_s: f64, lost: &mut BTreeSet<String>) -> Track {
    let mut track = Track::of(rank as u32);
    // Requests in the order in which they were made, with the time at which their messages arrived.
    let mut waiting: BTreeMap<u64, u64> = BTreeMap::new();
    let mut requests = 0;
    for one in seen {
        let to = if one.to == u64::MAX { one.from } else { one.to };
        let span = Span { from_s: one.from as f64 * unit_s, to_s: to as f64 * unit_s, processor_s: None };
        let Some((code, flags)) = function(&one.name) else {
            track.skip(span);
            continue;
        };
        let message = |data: Option<[i64; 3]>| {
            let [peer, size, tag] = data.unwrap_or([-1, 0, 0]);
            vec![(Field::Peer, vec![peer]), (Field::Size, vec![size]), (Field::Tag, vec![tag])]
        };
        let received = one.received.map(|(data, _)| data);
        let fields = match code {
            call::SEND..=4 => message(one.sent),
            call::RECV => message(received),
            call::SENDRECV => {
                let mut fields = message(one.sent);
                fields.insert(1, (Field::Peer2, vec![received.map_or(-1, |[peer, ..]| peer)]));
                fields
            }
            call::WAIT..=call::WAITSOME => {
                let arrived = |(request, at): (&u64, &u64)| (*at <= to).then_some(*request);
                let done: Vec<u64> = match code {
                    call::WAITALL => waiting.keys().copied().collect(),
                    _ => waiting.iter().filter_map(arrived).next().into_iter().collect(),
                };
                waiting.retain(|request, _| !done.contains(request));
                track.wait(code, &done, span);
                continue;
            }
            call::BARRIER | call::FINALIZE => Vec::new(),
            call::BCAST..=call::EXSCAN => collective(code, &one, p),
            _ => {
                if !matches!(code, 96 | 98 | 99) {
                    lost.insert(one.name.clone());
                }
                track.skip(span);
                continue;
            }
        };
        if flags.has(Flags::NONBLOCKING) {
            requests += 1;
            waiting.insert(requests, one.received.map_or(to, |(_, arrived)| arrived));
            track.post(Call { code, flags, fields }, requests, span);
        } else {
            track.push(Call { code, flags, fields }, span);
        }
    }
    track
}

fn collective(code: u16, one: &Seen, p: usize) -> Vec<(Field, Vec<i64>)> {
    let [sent, received] = one.bytes;
    let all = |bytes: i64| bytes.saturating_mul(p as i64);
    let size = match code {
        call::GATHERV | call::SCATTERV | 47 | call::ALLTOALLV | 50 => vec![sent, received, sent.max(received)],
        call::GATHER | call::SCATTER | call::ALLGATHER => vec![all(if sent > 0 { sent } else { received })],
        48 => vec![all(sent)],
        _ => vec![sent.max(received)],
    };
    let mut fields = vec![(Field::Size, size)];
    if matches!(code, call::BCAST | call::REDUCE | call::GATHER | call::GATHERV | call::SCATTER | call::SCATTERV) {
        // Which rank is the root is said by the root alone; elsewhere it is the first.
        fields.push((Field::Root, vec![0]));
    }
    fields
}

//! The text that `otf2-print` prints of an OTF2 trace.
//!
//! ```text
//! CLOCK_PROPERTIES    Ticks per Seconds: 1000000000, Global Offset: 0, Length: 99
//! ENTER       0  15351921486814304  Region: "MPI_Send" <3>
//! MPI_SEND    0  15351921486814310  Receiver: 1 ("Master thread" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 0, Length: 4
//! LEAVE       0  15351921486814320  Region: "MPI_Send" <3>
//! ```
//!
//! Locations with calls of MPI are the ranks, in ascending order. How large a collective is follows from the bytes that the
//! rank has sent and received.

use super::arguments::function;
use super::track::{Call, Span, Track};
use super::{MOST_RANKS, Text, lines, wrong};
use crate::vocabulary::{Field, Flags, call, number_of};
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// What happened within a call.
enum Inside {
    Sent { peer: i64, size: i64, tag: i64, request: Option<u64> },
    Received { peer: i64, size: i64, tag: i64, request: Option<u64> },
    Posted(u64),
    Done(u64),
    Collective { name: String, root: i64, sent: i64, received: i64 },
}

/// A rank that is being read.
#[derive(Default)]
struct Location {
    track: Track,
    /// The call that it is in, since when, and what happened in it.
    open: Option<(String, f64, Vec<Inside>)>,
}

/// Reads one text, or one for each location.
pub(super) fn read(files: &[Text<'_>], lost: &mut BTreeSet<String>) -> Result<Vec<Track>, Problem> {
    lost.extend(["call sites", "processor time: blocks are wall time"].map(str::to_owned));
    let mut locations: BTreeMap<u64, Vec<(u64, &Text<'_>, String)>> = BTreeMap::new();
    let mut ticks: Option<f64> = None;
    for text in files {
        if text.bytes.starts_with(&[3]) || text.bytes.starts_with(b"OTF2\n") {
            let problem = Problem::new("bad_trace", "this is an OTF2 archive and no text").in_file(text.file);
            return Err(problem.hint("otf2-print traces.otf2 > traces.txt, and otf2-print -G for the clock"));
        }
        for (number, line) in lines(text) {
            let mut words = line.split_whitespace();
            let (Some(kind), Some(first)) = (words.next(), words.next()) else { continue };
            if kind == "CLOCK_PROPERTIES" {
                let told = after(&line, "Ticks per Second");
                let told = told.and_then(|rest| rest.trim_start_matches(['s', ':', ' ']).split([',', ' ']).next());
                ticks = ticks.or(told.and_then(|ticks| ticks.parse().ok()));
            } else if matches!(kind, "ENTER" | "LEAVE") || kind.starts_with("MPI_") {
                let Ok(location) = first.parse::<u64>() else { continue };
                locations.entry(location).or_default().push((number, text, line.into_owned()));
            }
        }
    }
    let ticks = ticks.filter(|ticks| *ticks > 0.0).unwrap_or_else(|| {
        lost.insert("the clock: its ticks are taken as nanoseconds".to_owned());
        1e9
    });
    locations.retain(|_, lines| lines.iter().any(|(_, _, line)| line.contains("MPI_")));
    if locations.is_empty() || locations.len() > MOST_RANKS {
        let problem = Problem::new("bad_trace", "there is no call of MPI in this text of otf2-print");
        return Err(problem
            .in_file(files.first().map_or("", |text| text.file))
            .allowed("ENTER 0 TIME Region: \"MPI_Send\" <3>"));
    }
    let p = locations.len() as i64;
    let mut tracks = Vec::new();
    for (rank, lines) in locations.into_values().enumerate() {
        let mut location = Location { track: Track::of(rank as u32), open: None };
        for (number, text, line) in lines {
            location.line(text.file, number, &line, (ticks, [rank as i64, p], &mut *lost))?;
        }
        tracks.push(location.track);
    }
    Ok(tracks)
}

impl Location {
    fn line(
        &mut self,
        file: &str,
        number: u64,
        line: &str,
        (ticks, place, lost): (f64, [i64; 2], &mut BTreeSet<String>),
    ) -> Result<(), Problem> {
        let bad = |message: &str| wrong(file, number, message, line, "an event as otf2-print prints it");
        let mut words = line.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let time = words.nth(1).and_then(|time| time.parse::<u64>().ok()).ok_or_else(|| bad("an event has a time"))?;
        let time_s = time as f64 / ticks;
        let whole = |key: &str| after(line, key).and_then(leading);
        let need = |key: &str| whole(key).ok_or_else(|| bad(&format!("{key} of the event is missing")));
        if let Some(comm) = after(line, "Communicator: ").filter(|comm| !comm.contains("MPI_COMM_WORLD")) {
            if comm.contains("MPI_COMM_SELF") {
                return Ok(());
            }
            return Err(wrong(file, number, "members of this communicator are not read", line, "\"MPI_COMM_WORLD\""));
        }
        let request = whole("Request: ").map(|request| request as u64);
        let inside = match kind {
            "ENTER" => {
                let region = region(line).ok_or_else(|| bad("the event names no region"))?;
                if region.starts_with("MPI_") && self.open.is_none() {
                    self.open = Some((region, time_s, Vec::new()));
                }
                return Ok(());
            }
            "LEAVE" => {
                let region = region(line).ok_or_else(|| bad("the event names no region"))?;
                if let Some((name, from_s, inside)) = self.open.take_if(|(name, ..)| *name == region) {
                    let span = Span { from_s, to_s: time_s, processor_s: None };
                    self.leave(&name, span, inside, (place, lost));
                }
                return Ok(());
            }
            "MPI_SEND" | "MPI_ISEND" => {
                Inside::Sent { peer: need("Receiver: ")?, size: need("Length: ")?, tag: need("Tag: ")?, request }
            }
            "MPI_RECV" | "MPI_IRECV" => {
                Inside::Received { peer: need("Sender: ")?, size: need("Length: ")?, tag: need("Tag: ")?, request }
            }
            "MPI_IRECV_REQUEST" => Inside::Posted(request.ok_or_else(|| bad("Request of the event is missing"))?),
            "MPI_ISEND_COMPLETE" => Inside::Done(request.ok_or_else(|| bad("Request of the event is missing"))?),
            "MPI_COLLECTIVE_END" => {
                let name = after(line, "Operation: ").and_then(|rest| rest.split([',', ' ']).next());
                let name = name.ok_or_else(|| bad("the event names no operation"))?.to_ascii_lowercase();
                let root = after(line, "Root: ").and_then(leading).unwrap_or(0);
                Inside::Collective { name, root, sent: need("Sent: ")?, received: need("Received: ")? }
            }
            _ => return Ok(()),
        };
        match &mut self.open {
            Some((_, _, all)) => all.push(inside),
            None => return Err(bad("a message or collective outside of a call of MPI")),
        }
        Ok(())
    }

    fn leave(
        &mut self,
        name: &str,
        span: Span,
        inside: Vec<Inside>,
        ([rank, p], lost): ([i64; 2], &mut BTreeSet<String>),
    ) {
        let (code, flags) = function(name).unwrap_or((0, Flags::default()));
        let message = |peer: i64, size: i64, tag: i64| {
            vec![(Field::Peer, vec![peer]), (Field::Size, vec![size]), (Field::Tag, vec![tag])]
        };
        let mut done = Vec::new();
        let mut pushed = false;
        let mut sent_to = None;
        for one in inside {
            match one {
                Inside::Sent { peer, size, tag, .. } if code == call::SENDRECV => sent_to = Some((peer, size, tag)),
                Inside::Received { peer, .. } if code == call::SENDRECV => {
                    let (to, size, tag) = sent_to.unwrap_or((-1, 0, 0));
                    let fields = vec![
                        (Field::Peer, vec![to]),
                        (Field::Peer2, vec![peer]),
                        (Field::Size, vec![size]),
                        (Field::Tag, vec![tag]),
                    ];
                    self.track.push(Call { code, flags, fields }, span);
                    pushed = true;
                }
                Inside::Sent { peer, size, tag, request: None } => {
                    let code = if code <= call::PSEND && code > 0 { code } else { call::SEND };
                    let flags = flags.without(Flags::NONBLOCKING);
                    self.track.push(Call { code, flags, fields: message(peer, size, tag) }, span);
                    pushed = true;
                }
                Inside::Sent { peer, size, tag, request: Some(request) } => {
                    let code = if code <= call::PSEND && code > 0 { code } else { call::SEND };
                    let posted = Call { code, flags: Flags::NONBLOCKING, fields: message(peer, size, tag) };
                    self.track.post(posted, request, span);
                    pushed = true;
                }
                Inside::Posted(request) => {
                    let posted = Call { code: call::RECV, flags: Flags::NONBLOCKING, fields: message(-2, 0, 0) };
                    self.track.post(posted, request, span);
                    pushed = true;
                }
                Inside::Received { peer, size, tag, request: None } => {
                    let fields = message(peer, size, tag);
                    self.track.push(Call { code: call::RECV, flags: Flags::default(), fields }, span);
                    pushed = true;
                }
                Inside::Received { peer, size, tag, request: Some(request) } => {
                    if let Some(poster) = self.track.poster(request) {
                        poster.fields = message(peer, size, tag);
                    }
                    done.push(request);
                }
                Inside::Done(request) => done.push(request),
                Inside::Collective { name, root, sent, received } => match number_of(&name) {
                    Some((code, _)) => {
                        let fields = collective(code, [rank, p, root], [sent, received]);
                        self.track.push(Call { code, flags: Flags::COLLECTIVE, fields }, span);
                        pushed = true;
                    }
                    None => drop(lost.insert(name)),
                },
            }
        }
        if !done.is_empty() {
            self.track.wait(call::WAITALL, &done, span);
        } else if code == call::FINALIZE {
            self.track.push(Call { code, flags, ..Call::default() }, span);
        } else if !pushed {
            self.track.skip(span);
        }
    }
}

/// Size and root by the bytes of one rank.
fn collective(code: u16, [rank, p, root]: [i64; 3], [sent, received]: [i64; 2]) -> Vec<(Field, Vec<i64>)> {
    let is_root = rank == root;
    let all = |bytes: i64| bytes.saturating_mul(p);
    let size = match code {
        call::BARRIER => return Vec::new(),
        call::BCAST if received > 0 => vec![received],
        call::BCAST => vec![sent / (p - 1).max(1)],
        call::REDUCE => vec![sent],
        call::GATHER => vec![if is_root { received } else { all(sent) }],
        call::SCATTER => vec![if is_root { sent } else { all(received) }],
        call::ALLREDUCE | call::SCAN | call::EXSCAN => {
            vec![if sent > 0 { sent.min(received.max(1)) } else { received }]
        }
        call::ALLGATHER => vec![received],
        call::GATHERV | call::SCATTERV | 47 | call::ALLTOALLV | 50 => vec![sent, received, sent.max(received)],
        _ => vec![sent],
    };
    let mut fields = vec![(Field::Size, size)];
    if matches!(code, call::BCAST | call::REDUCE | call::GATHER | call::GATHERV | call::SCATTER | call::SCATTERV) {
        fields.push((Field::Root, vec![root]));
    }
    fields
}

fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.find(key).map(|at| &line[at + key.len()..])
}

fn leading(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

fn region(line: &str) -> Option<String> {
    after(line, "Region: \"").and_then(|rest| rest.split('"').next()).map(str::to_owned)
}

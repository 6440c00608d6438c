//! Files of liballprof: a line a call, its arguments in the order of the standard, times in microseconds.
//!
//! ```text
//! MPI_Isend:START:buffer:count:type,size,extent:to:tag:comm,rank,size:request:END
//! ```
//!
//! Requests are addresses; those of an array follow each other in steps of 8 (Open MPI) or 4 bytes (MPICH).

use super::arguments::{Arguments, call, function};
use super::track::{Span, Track};
use super::{Text, in_order, lines, wrong};
use crate::vocabulary::{Flags, call as code};
use runcast_core::Problem;
use std::collections::BTreeSet;

/// Requests of one wait.
const MOST_REQUESTS: u64 = 1 << 20;

/// Arguments of a call, a letter each: `b` buffer and whatever does not count, `n` count, `t` type, `p` partner, `g` tag,
/// `c` communicator, `q` request, `r` root, `N` `T` `P` the same of what is received, `S` and `R` counts by rank to send and
/// to receive, `D` displacements.
const ORDER: [(&str, &str); 24] = [
    ("send", "bntpgc"),
    ("bsend", "bntpgc"),
    ("ssend", "bntpgc"),
    ("rsend", "bntpgc"),
    ("recv", "bntpgc"),
    ("sendrecv", "bntpgbNTPbc"),
    ("sendrecv_replace", "bntpgPbc"),
    ("barrier", "c"),
    ("bcast", "bntrc"),
    ("reduce", "bbntbrc"),
    ("allreduce", "bbntbc"),
    ("scan", "bbntbc"),
    ("exscan", "bbntbc"),
    ("reduce_scatter", "bbRtbc"),
    ("reduce_scatter_block", "bbntbc"),
    ("gather", "bntbNTrc"),
    ("scatter", "bntbNTrc"),
    ("allgather", "bntbNTc"),
    ("alltoall", "bntbNTc"),
    ("gatherv", "bntbRDTrc"),
    ("scatterv", "bSDtbNTrc"),
    ("allgatherv", "bntbRDTc"),
    ("alltoallv", "bSDtbRDTc"),
    ("probe", "pgcb"),
];

/// Reads a file a rank.
pub(super) fn read(files: &[Text<'_>], lost: &mut BTreeSet<String>) -> Result<Vec<Track>, Problem> {
    lost.extend(["call sites", "processor time: blocks are wall time"].map(str::to_owned));
    let files = in_order(files)?;
    let p = files.len() as i64;
    files.iter().enumerate().map(|(rank, text)| one(text, rank as u32, p, lost)).collect()
}

fn one(text: &Text<'_>, rank: u32, p: i64, lost: &mut BTreeSet<String>) -> Result<Track, Problem> {
    let mut track = Track::of(rank);
    for (number, line) in lines(text) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |message: &str, seen: &str| {
            wrong(
                text.file,
                number,
                message,
                seen,
                "a call: MPI_Send:START:buffer:count:type,size,extent:to:tag:comm,rank,size:END",
            )
        };
        let fields: Vec<&str> = line.split(':').collect();
        let [name, start, rest @ ..] = fields.as_slice() else {
            return Err(bad("this is no call of liballprof", line));
        };
        let Some((end, arguments)) = rest.split_last().filter(|_| name.starts_with("MPI_")) else {
            return Err(bad("this is no call of liballprof", line));
        };
        let time = |text: &str| match text {
            "-" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(us) if us.is_finite() => Ok(Some(us * 1e-6)),
                _ => Err(bad("a time is a number of microseconds", text)),
            },
        };
        let (from, to) = (time(start)?, time(end)?);
        let Some(from_s) = from.or(to) else { return Err(bad("a call has a time at least", line)) };
        let span = Span { from_s, to_s: to.unwrap_or(from_s).max(from_s), processor_s: None };
        let request = |text: &str| text.parse::<u64>().map_err(|_| bad("a request is an address", text));
        let short = name["MPI_".len()..].to_ascii_lowercase();
        match short.as_str() {
            "wait" => {
                let address = arguments.first().copied().unwrap_or_default();
                track.wait(code::WAIT, &[request(address)?], span);
            }
            "waitall" | "waitany" | "waitsome" => {
                let [count, address, ..] = arguments else {
                    return Err(bad("a wait has a count and an address", line));
                };
                let count: u64 = count.parse().map_err(|_| bad("a count is a whole number", count))?;
                let requests = array(&track, request(address)?, count.min(MOST_REQUESTS));
                // Which of several has come is not said: all of them, at the first wait.
                if short != "waitall" {
                    lost.insert(format!("which request {short} has completed: all count as complete"));
                }
                track.wait(code::WAITALL, &requests, span);
            }
            "init" | "init_thread" | "initialized" => track.skip(span),
            _ => {
                let Some((number, flags)) = function(name) else {
                    track.skip(span);
                    continue;
                };
                if flags.has(Flags::PERSISTENT) || (20..32).contains(&number) {
                    lost.insert(short.clone());
                    track.skip(span);
                    continue;
                }
                let given = given(arguments, &short, flags).map_err(|(message, seen)| bad(message, &seen))?;
                if let Some(size) = given.comm.filter(|size| *size != p && *size > 1) {
                    let message = format!("a communicator of {size} of {p} ranks: its members are not in the trace");
                    return Err(bad(&message, line));
                }
                let call = call(number, flags, &given.arguments, [rank.into(), p]);
                match (call, given.request) {
                    _ if given.comm == Some(1) && p > 1 => track.skip(span),
                    (None, _) => {
                        lost.insert(short.clone());
                        track.skip(span);
                    }
                    (Some(call), Some(address)) => track.post(call, address, span),
                    (Some(call), None) => track.push(call, span),
                }
            }
        }
    }
    Ok(track)
}

/// Addresses of an array of requests.
fn array(track: &Track, first: u64, count: u64) -> Vec<u64> {
    let at = |step: u64| (0..count).map(move |place| first.saturating_add(place * step));
    let known = |step: u64| at(step).filter(|address| track.is_posted(*address)).count();
    at(if known(8) >= known(4) { 8 } else { 4 }).collect()
}

#[derive(Default)]
struct Given {
    arguments: Arguments,
    request: Option<u64>,
    /// Size of the communicator.
    comm: Option<i64>,
}

fn given(fields: &[&str], name: &str, flags: Flags) -> Result<Given, (&'static str, String)> {
    let is_later = flags.has(Flags::NONBLOCKING);
    let plain = if is_later { name.strip_prefix('i').unwrap_or(name) } else { name };
    let mut given = Given::default();
    let Some((_, order)) = ORDER.iter().find(|(known, _)| *known == plain) else { return Ok(given) };
    let mut fields = fields.iter();
    for letter in order.chars().chain(is_later.then_some('q')) {
        let Some(field) = fields.next() else {
            return Err(("the call has fewer arguments than the standard", name.to_owned()));
        };
        let whole = |text: &str| text.parse::<i64>().map_err(|_| ("an argument is a whole number", text.to_owned()));
        let part = |place: usize| {
            let part = field.split(',').nth(place);
            part.ok_or_else(|| ("types and communicators have three numbers", (*field).to_owned())).and_then(whole)
        };
        let listed = |text: Option<&&str>| {
            let text = text.ok_or_else(|| ("counts by rank are missing", name.to_owned()))?;
            text.split(',').map(whole).collect::<Result<Vec<i64>, _>>()
        };
        let of = &mut given.arguments;
        match letter {
            'n' => of.count = whole(field)?,
            't' => of.type_size = part(1)?,
            'p' => of.peer = Some(whole(field)?),
            'g' => of.tag = whole(field)?,
            'r' => of.root = whole(field)?,
            'N' => of.count2 = whole(field)?,
            'T' => of.type_size2 = part(1)?,
            'P' => of.peer2 = Some(whole(field)?),
            'S' => of.sends = listed(fields.next())?,
            'R' => of.receives = listed(fields.next())?,
            'D' => drop(fields.next()),
            'c' => given.comm = Some(part(2)?),
            'q' => given.request = Some(field.parse().map_err(|_| ("a request is an address", (*field).to_owned()))?),
            _ => {}
        }
    }
    Ok(given)
}

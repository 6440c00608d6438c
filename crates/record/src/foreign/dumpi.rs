//! The text that `dumpi2ascii` prints, a file a rank.
//!
//! ```text
//! MPI_Send entering at walltime 8153.049300000, cputime 0.004400000 seconds in thread 0.
//! int count=8
//! MPI_Datatype datatype=11 (MPI_DOUBLE)
//! int dest=1
//! int tag=0
//! MPI_Comm comm=2 (MPI_COMM_WORLD)
//! MPI_Send returning at walltime 8153.049301000, cputime 0.004401000 seconds in thread 0.
//! ```

use super::arguments::{ANY, Arguments, call, function};
use super::track::{Span, Track};
use super::{Text, in_order, lines, wrong};
use crate::vocabulary::{Field, Flags, call as code};
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the types of C and Fortran, by their names.
const TYPES: [(&str, i64); 27] = [
    ("MPI_CHAR", 1),
    ("MPI_SIGNED_CHAR", 1),
    ("MPI_UNSIGNED_CHAR", 1),
    ("MPI_BYTE", 1),
    ("MPI_PACKED", 1),
    ("MPI_CHARACTER", 1),
    ("MPI_WCHAR", 4),
    ("MPI_SHORT", 2),
    ("MPI_UNSIGNED_SHORT", 2),
    ("MPI_INT", 4),
    ("MPI_UNSIGNED", 4),
    ("MPI_INTEGER", 4),
    ("MPI_LOGICAL", 4),
    ("MPI_REAL", 4),
    ("MPI_FLOAT", 4),
    ("MPI_LONG", 8),
    ("MPI_UNSIGNED_LONG", 8),
    ("MPI_LONG_LONG", 8),
    ("MPI_LONG_LONG_INT", 8),
    ("MPI_UNSIGNED_LONG_LONG", 8),
    ("MPI_DOUBLE", 8),
    ("MPI_DOUBLE_PRECISION", 8),
    ("MPI_COMPLEX", 8),
    ("MPI_2INT", 8),
    ("MPI_DOUBLE_COMPLEX", 16),
    ("MPI_DOUBLE_INT", 16),
    ("MPI_LONG_DOUBLE", 16),
];

/// Reads a file a rank.
pub(super) fn read(files: &[Text<'_>], lost: &mut BTreeSet<String>) -> Result<Vec<Track>, Problem> {
    lost.insert("call sites".to_owned());
    let files = in_order(files)?;
    let p = files.len() as i64;
    let one = |(rank, text): (usize, &Text<'_>)| {
        let mut reader =
            Reader { file: text.file, track: Track::of(rank as u32), rank: rank as i64, p, lost: &mut *lost };
        reader.read(text)?;
        Ok(reader.track)
    };
    files.iter().enumerate().map(one).collect()
}

struct Reader<'a> {
    file: &'a str,
    track: Track,
    rank: i64,
    p: i64,
    lost: &'a mut BTreeSet<String>,
}

/// A call that is being read.
struct Open {
    name: String,
    line: u64,
    at: [f64; 2],
    given: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn read(&mut self, text: &Text<'_>) -> Result<(), Problem> {
        let mut open: Option<Open> = None;
        for (number, line) in lines(text) {
            let line = line.trim();
            if let Some((name, rest)) = line.split_once(" entering at walltime ") {
                if let Some(open) = &open {
                    let message = format!("{} entered at line {} has not returned", open.name, open.line);
                    return Err(wrong(self.file, number, &message, line, "one call after the other"));
                }
                let at = self.times(rest, number)?;
                open = Some(Open { name: name.to_owned(), line: number, at, given: BTreeMap::new() });
            } else if let Some((name, rest)) = line.split_once(" returning at walltime ") {
                let at = self.times(rest, number)?;
                let Some(open) = open.take().filter(|open| open.name == name) else {
                    return Err(wrong(
                        self.file,
                        number,
                        "a call returns that was not entered",
                        line,
                        "the call that was entered last",
                    ));
                };
                self.call(&open, at)?;
            } else if let Some((declared, value)) = line.split_once('=')
                && let Some(open) = &mut open
            {
                let name = declared.rsplit(' ').next().unwrap_or(declared);
                let name = name.split('[').next().unwrap_or(name);
                open.given.insert(name.to_owned(), value.trim().to_owned());
            }
        }
        match open {
            // A rank that was killed.
            Some(open) => {
                self.lost.insert(format!("{} of rank {}, which did not return", open.name, self.rank));
                Ok(())
            }
            None if self.track.len() == 0 && text.bytes.iter().any(|byte| !byte.is_ascii_whitespace()) => {
                let message = "there is no call in this text of dumpi2ascii";
                let problem = Problem::new("bad_trace", message).in_file(self.file);
                Err(problem.allowed("MPI_Send entering at walltime S.N, cputime S.N seconds in thread 0."))
            }
            None => Ok(()),
        }
    }

    /// Wall time and processor time.
    fn times(&self, text: &str, line: u64) -> Result<[f64; 2], Problem> {
        let mut numbers = text.split(", cputime ");
        let wall = numbers.next().unwrap_or_default();
        let processor = numbers.next().unwrap_or_default().split(' ').next().unwrap_or_default();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|time| time.is_finite());
        match (number(wall), number(processor)) {
            (Some(wall), Some(processor)) => Ok([wall, processor]),
            _ => Err(wrong(self.file, line, "the times cannot be read", text, "S.N, cputime S.N seconds in thread 0.")),
        }
    }

    fn call(&mut self, open: &Open, end: [f64; 2]) -> Result<(), Problem> {
        let span = Span { from_s: open.at[0], to_s: end[0].max(open.at[0]), processor_s: Some((open.at[1], end[1])) };
        let name = open.name.strip_prefix("MPI_").unwrap_or(&open.name).to_ascii_lowercase();
        let requests = |key: &str| self.list(open, key);
        match name.as_str() {
            "wait" => {
                let request = requests("request")?;
                self.statuses(open, &request);
                self.track.wait(code::WAIT, &as_requests(&request), span);
                return Ok(());
            }
            "waitall" => {
                let request = requests("requests")?;
                self.statuses(open, &request);
                self.track.wait(code::WAITALL, &as_requests(&request), span);
                return Ok(());
            }
            "waitany" | "waitsome" => {
                let all = requests("requests")?;
                let places = self.list(open, if name == "waitany" { "index" } else { "indices" })?;
                let done = places.iter().filter_map(|place| all.get(usize::try_from(*place).ok()?).copied());
                let done: Vec<i64> = done.collect();
                self.statuses(open, &done);
                self.track.wait(code::WAITALL, &as_requests(&done), span);
                return Ok(());
            }
            "test" | "testall" if self.whole(open, "flag")?.is_some_and(|flag| flag != 0) => {
                let request = requests(if name == "test" { "request" } else { "requests" })?;
                self.statuses(open, &request);
                self.track.wait(code::WAITALL, &as_requests(&request), span);
                return Ok(());
            }
            _ => {}
        }
        let Some((number, flags)) = function(&open.name).filter(|_| !matches!(name.as_str(), "init" | "init_thread"))
        else {
            self.track.skip(span);
            return Ok(());
        };
        if flags.has(Flags::PERSISTENT) || (20..32).contains(&number) {
            self.lost.insert(name);
            self.track.skip(span);
            return Ok(());
        }
        if let Some(comm) = open.given.get("comm").filter(|comm| !comm.contains("MPI_COMM_WORLD")) {
            if comm.contains("MPI_COMM_SELF") {
                self.track.skip(span);
                return Ok(());
            }
            let message = "a communicator of the program: its members are not read";
            return Err(wrong(self.file, open.line, message, comm, "MPI_COMM_WORLD and MPI_COMM_SELF"));
        }
        let given = self.given(open)?;
        let Some(mut call) = call(number, flags, &given, [self.rank, self.p]) else {
            self.lost.insert(name);
            self.track.skip(span);
            return Ok(());
        };
        if number == code::RECV && !flags.has(Flags::NONBLOCKING) {
            fill(&mut call.fields, open.given.get("status").map_or("", String::as_str));
        }
        match self.list(open, "request")?.first() {
            Some(request) if flags.has(Flags::NONBLOCKING) => self.track.post(call, as_requests(&[*request])[0], span),
            _ => self.track.push(call, span),
        }
        Ok(())
    }

    /// Fills receives with what their statuses say.
    fn statuses(&mut self, open: &Open, requests: &[i64]) {
        let text = open.given.get("statuses").or_else(|| open.given.get("status")).map_or("", String::as_str);
        for (request, status) in as_requests(requests).iter().zip(text.split('{').skip(1)) {
            if let Some(poster) = self.track.poster(*request).filter(|call| call.code == code::RECV) {
                fill(&mut poster.fields, status);
            }
        }
    }

    fn given(&self, open: &Open) -> Result<Arguments, Problem> {
        let whole = |key: &str| self.whole(open, key);
        let first = |keys: [&str; 2]| Ok::<i64, Problem>(whole(keys[0])?.or(whole(keys[1])?).unwrap_or(0));
        let size = |keys: [&str; 2]| {
            let text = open.given.get(keys[0]).or_else(|| open.given.get(keys[1]));
            text.map_or(Ok(0), |text| self.type_size(text, open.line))
        };
        Ok(Arguments {
            count: first(["count", "sendcount"])?,
            type_size: size(["datatype", "sendtype"])?,
            peer: whole("dest")?.or(whole("source")?),
            tag: first(["tag", "sendtag"])?,
            count2: first(["recvcount", "recvcount"])?,
            type_size2: size(["recvtype", "recvtype"])?,
            peer2: if open.given.contains_key("dest") { whole("source")? } else { None },
            root: first(["root", "root"])?,
            sends: self.list(open, "sendcounts")?,
            receives: self.list(open, "recvcounts")?,
        })
    }

    /// `11 (MPI_DOUBLE)`.
    fn type_size(&self, text: &str, line: u64) -> Result<i64, Problem> {
        let name = text.split(['(', ')']).nth(1).unwrap_or(text).trim();
        let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
        known.ok_or_else(|| {
            let message = "the size of this type is not known";
            wrong(self.file, line, message, text, "types of C and Fortran, such as 11 (MPI_DOUBLE)")
        })
    }

    fn whole(&self, open: &Open, key: &str) -> Result<Option<i64>, Problem> {
        Ok(self.list(open, key)?.first().copied())
    }

    /// Numbers of `8`, `[5]`, `[5, 6]`, `1 (MPI_ROOT)`; none where they were not kept.
    fn list(&self, open: &Open, key: &str) -> Result<Vec<i64>, Problem> {
        let Some(text) = open.given.get(key).filter(|text| !text.contains("IGNORED")) else { return Ok(Vec::new()) };
        let inner = text.trim_start_matches('[');
        let inner = inner.split([']', '(']).next().unwrap_or(inner);
        let numbers = inner.split(',').map(str::trim).filter(|text| !text.is_empty());
        let one = |text: &str| {
            text.parse::<i64>().map_err(|_| {
                let message = format!("{key} of {} is no whole number", open.name);
                wrong(self.file, open.line, &message, text, "a whole number, or several in [ ]")
            })
        };
        numbers.map(one).collect()
    }
}

fn as_requests(numbers: &[i64]) -> Vec<u64> {
    numbers.iter().map(|number| *number as u64).collect()
}

/// `{bytes=64, cancelled=0, source=1, tag=7, error=0}` into a receive.
fn fill(fields: &mut [(Field, Vec<i64>)], status: &str) {
    let get = |key: &str| {
        let rest = &status[status.find(key)? + key.len()..];
        let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<i64>().ok()
    };
    for (field, values) in fields {
        let told = match field {
            Field::Peer if values.first().is_some_and(|peer| *peer == -2) => get("source="),
            Field::Size => get("bytes="),
            Field::Tag if values.first() == Some(&ANY) => get("tag="),
            _ => None,
        };
        if let Some(told) = told.filter(|told| *told >= 0) {
            *values = vec![told];
        }
    }
}

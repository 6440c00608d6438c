//! Writes a recorded program as time-independent traces.

use super::BYTE;
use crate::application::{self, Application, Block, CollectiveKind};
use crate::cursor::Action;
use crate::job::{Collectives, Job};
use crate::plain::{self, Step};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;
use std::fmt::Write;

/// A program as traces.
#[derive(Debug)]
pub struct Exported {
    /// Name and text of each file; the first lists the others, one a rank.
    pub files: Vec<(String, String)>,
    /// Warnings about what traces cannot express.
    pub warnings: Vec<Warning>,
}

/// Operations per second where computing takes no time.
const OPERATIONS_PER_S: f64 = 1e9;
/// Operations whose time gives the speed of a place.
const REFERENCE_OPS: f64 = 1e9;
/// Blocks whose time is that of their operations, but for rounding, keep the operations.
const SAME: f64 = 1e-9;
/// Tags of collectives and operations between labels begin here.
const FIRST_OWN_TAG: i64 = 1 << 30;

/// Writes the processes of an application as ranks.
///
/// # Errors
/// Those of the engine; collectives among a part of the processes.
pub fn export(application: &mut Application, job: &Job<'_>) -> Result<Exported, Problem> {
    let job = Job { collectives: Collectives::Closed, ..*job };
    let tape = plain::record(&job, application)?;
    let mut writer = Writer {
        application,
        own_tags: HashMap::new(),
        job: &job,
        speeds: HashMap::new(),
        largest: largest(&tape),
        given_times: false,
        io: false,
    };
    let mut files = vec![("traces.txt".to_owned(), String::new())];
    for (rank, steps) in tape.iter().enumerate() {
        let name = format!("rank-{rank}.txt");
        files[0].1.push_str(&name);
        files[0].1.push('\n');
        files.push((name, writer.rank(rank as u64, steps, tape.len() as u64)?));
    }
    let mut warnings = Vec::new();
    if writer.given_times {
        let message = "blocks whose time is given, or given by a rule, are written as the number of operations that takes this time on this system";
        warnings.push(Warning::new("assumed_speed", message));
    }
    if writer.io {
        let message = "reads, writes and copies are written as sleep of the same duration: storages are not shared";
        warnings.push(Warning::new("not_shared", message));
    }
    Ok(Exported { files, warnings })
}

struct Writer<'a> {
    application: &'a Application,
    job: &'a Job<'a>,
    /// Operations per second of a process at places of a class.
    speeds: HashMap<u32, f64>,
    own_tags: HashMap<i64, i64>,
    /// Bytes of the largest message to each rank.
    largest: Vec<u64>,
    given_times: bool,
    io: bool,
}

impl Writer<'_> {
    fn rank(&mut self, rank: u64, steps: &[Step], ranks: u64) -> Result<String, Problem> {
        let mut text = format!("{rank} init\n");
        // What a wait needs to know of its request.
        let mut requests: HashMap<u32, String> = HashMap::new();
        for step in steps {
            let line = match step.action {
                Action::Compute(number) => {
                    let block = &self.application.blocks[number as usize];
                    let flops = step.alone_s * self.speed(rank);
                    let same = block.time_s.is_none() && (flops - block.ops).abs() <= SAME * block.ops;
                    self.given_times |= !same;
                    format!("compute {}", if same { block.ops } else { flops })
                }
                Action::Sleep(seconds) => format!("sleep {seconds}"),
                Action::Io(_) | Action::Copy(_) => {
                    self.io = true;
                    format!("sleep {}", step.alone_s)
                }
                Action::Send { to, size, tag } => format!("send {to} {} {size} {BYTE}", self.tag(tag)),
                Action::Isend { to, size, tag, request, .. } => {
                    let tag = self.tag(tag);
                    requests.insert(request, format!("wait {rank} {to} {tag}"));
                    format!("isend {to} {tag} {size} {BYTE}")
                }
                Action::Recv { from, tag } => {
                    format!("recv {} {} {} {BYTE}", source(from), self.tag(tag), self.largest[rank as usize])
                }
                Action::Irecv { from, tag, request } => {
                    let (from, tag) = (source(from), self.tag(tag));
                    requests.insert(request, format!("wait {from} {rank} {tag}"));
                    format!("irecv {from} {tag} {} {BYTE}", self.largest[rank as usize])
                }
                Action::Wait { request } => match requests.remove(&request) {
                    Some(line) => line,
                    None => continue,
                },
                Action::Closed { collective, request } => {
                    if let Some(request) = request {
                        // A trace has blocking collectives only: the wait is then for nothing.
                        requests.remove(&request);
                    }
                    self.collective(collective, ranks, step)?
                }
                Action::Launch { .. } => {
                    let message = "a trace cannot express what a device does beside its process";
                    let problem = Problem::new("no_trace", message).at(self.application.place_of(step.site));
                    return Err(problem.hint("write it without async = true"));
                }
                Action::Several { .. } => {
                    let message = "a trace cannot express that a process waits for the first of several requests";
                    let problem = Problem::new("no_trace", message).at(self.application.place_of(step.site));
                    return Err(problem.hint("wait for each: waitall{ .. }"));
                }
                Action::Remote { .. } | Action::Flush { .. } | Action::Lock { .. } | Action::Unlock { .. } => {
                    let message = "a trace cannot express accesses to the memory of other processes";
                    return Err(Problem::new("no_trace", message).at(self.application.place_of(step.site)));
                }
                Action::Phase(_) => continue,
            };
            let _ = writeln!(text, "{rank} {line}");
        }
        let _ = writeln!(text, "{rank} finalize");
        Ok(text)
    }

    /// What a process computes in a second when a trace says nothing but operations: by this a replay on the same system takes
    /// as long, whatever rule gave the time of a block.
    fn speed(&mut self, rank: u64) -> f64 {
        let world = self.job.world;
        let class = world.place(rank).class;
        *self.speeds.entry(class).or_insert_with(|| {
            let block = Block { ops: REFERENCE_OPS, ..Block::default() };
            let seconds = world.compute(&block, class).map_or(0.0, |cost| cost.seconds);
            let speed = REFERENCE_OPS / seconds;
            if speed.is_finite() && speed > 0.0 { speed } else { OPERATIONS_PER_S }
        })
    }

    fn collective(&self, number: u32, ranks: u64, step: &Step) -> Result<String, Problem> {
        let call = &self.application.collectives[number as usize];
        let members = crate::collective::members(self.application, call.group);
        if members != ranks {
            let place = self.application.place_of(step.site);
            let problem = Problem::new("no_trace", "a trace cannot express a collective among some of the processes");
            return Err(problem.at(place).value(format!("{members} of {ranks}")));
        }
        let (size, root, part) = (call.size, call.root, call.size / ranks.max(1));
        Ok(match call.kind {
            CollectiveKind::Barrier => "barrier".to_owned(),
            CollectiveKind::Bcast => format!("bcast {size} {root} {BYTE}"),
            CollectiveKind::Reduce => format!("reduce {size} 0 {root} {BYTE}"),
            CollectiveKind::Allreduce => format!("allreduce {size} 0 {BYTE}"),
            CollectiveKind::Scan => format!("scan {size} 0 {BYTE}"),
            CollectiveKind::Exscan => format!("exscan {size} 0 {BYTE}"),
            CollectiveKind::Alltoall => format!("alltoall {part} {part} {BYTE} {BYTE}"),
            CollectiveKind::Allgather => format!("allgather {part} {part} {BYTE} {BYTE}"),
            CollectiveKind::Gather => format!("gather {part} {part} {root} {BYTE} {BYTE}"),
            CollectiveKind::Scatter => format!("scatter {part} {part} {root} {BYTE} {BYTE}"),
            CollectiveKind::ReduceScatter => {
                let counts = vec![part.to_string(); ranks as usize].join(" ");
                format!("reducescatter {counts} 0 {BYTE}")
            }
        })
    }

    fn tag(&mut self, tag: application::Tag) -> i64 {
        if tag == application::ANY_TAG {
            return -444;
        }
        if tag >= 0 {
            return tag;
        }
        let fresh = FIRST_OWN_TAG + self.own_tags.len() as i64;
        *self.own_tags.entry(tag).or_insert(fresh)
    }
}

/// Bytes of the largest message to each rank. Which message a receive gets is not known here, and room for less than comes is
/// an error elsewhere.
fn largest(tape: &[Vec<Step>]) -> Vec<u64> {
    let mut all = vec![0; tape.len()];
    for step in tape.iter().flatten() {
        if let Action::Send { to, size, .. } | Action::Isend { to, size, .. } = step.action
            && let Some(known) = all.get_mut(to as usize)
        {
            *known = size.max(*known);
        }
    }
    all
}

fn source(from: Option<u64>) -> String {
    from.map_or_else(|| "-333".to_owned(), |from| from.to_string())
}

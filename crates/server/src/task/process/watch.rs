//! One thread for one process: feeds it, hears it, watches its limits, and takes its end.

use super::hearing::Hearing;
use super::running::Running;
use super::{Spec, Stop};
use crate::task::ending::Code;
use crate::task::launcher::Launcher;
use crate::task::outcome::{Event, Outcome};
use crate::task::protocol::{Header, Probed};
use crate::task::sys::Reaped;
use runcast_core::Problem;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Signal;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// How often the parent looks whether the process is to end.
const LOOK_EVERY: Duration = Duration::from_millis(15);
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// Runs a process to its end.
pub fn run(launcher: &Launcher, spec: Spec, events: Option<&UnboundedSender<Event>>) -> (Outcome, Option<Probed>) {
    let begun = Instant::now();
    let mut process = match Running::new(launcher) {
        Ok(process) => process,
        Err(error) => return (Outcome::crashed(&error.to_string()), None),
    };
    let mut hearing = Hearing::new(&spec.work, events);
    let killed = attend(&mut process, &spec, begun, &mut hearing).unwrap_or(Some(Code::Crashed));
    // Also what has closed its pipes, or said its last word: nothing more is wanted of it.
    process.kill();
    // Its end of the watched pipe goes only now.
    drop(process.stdin.take());
    let reaped = process.reap().unwrap_or(Reaped { status: 0, exit: None, signal: None, cpu_s: 0.0 });
    let probed = hearing.probed.take();
    (judged(hearing, killed, reaped, &spec), probed)
}

/// What is to be written, without being combined.
struct Feed {
    pieces: Vec<Arc<[u8]>>,
    piece: usize,
    at: usize,
}

impl Feed {
    fn new(spec: &Spec, parent: u32) -> io::Result<Feed> {
        let sizes = spec.files.iter().map(|(path, bytes)| (path.clone(), bytes.len() as u64)).collect();
        let header = Header { work: spec.work.clone(), limits: spec.limits, files: sizes, parent };
        let header = serde_json::to_vec(&header)?;
        let length = u32::try_from(header.len()).map_err(io::Error::other)?.to_le_bytes();
        let first = Arc::from([&length[..], &header].concat());
        let pieces = std::iter::once(first).chain(spec.files.iter().map(|(_, bytes)| Arc::clone(bytes))).collect();
        Ok(Feed { pieces, piece: 0, at: 0 })
    }

    fn is_done(&self) -> bool {
        self.piece == self.pieces.len()
    }

    fn write(&mut self, pipe: &mut impl Write) -> io::Result<()> {
        while let Some(piece) = self.pieces.get(self.piece) {
            let rest = &piece[self.at..];
            if rest.is_empty() {
                (self.piece, self.at) = (self.piece + 1, 0);
                continue;
            }
            match pipe.write(rest) {
                Ok(written) => self.at += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Until its output ends, or it has said its last word: none. Else why it must be ended.
fn attend(process: &mut Running, spec: &Spec, begun: Instant, hearing: &mut Hearing<'_>) -> io::Result<Option<Code>> {
    let mut feed = Feed::new(spec, process.parent())?;
    let Running { stdin: Some(stdin), stdout, stderr, .. } = process else {
        return Err(io::Error::other("its input is closed"));
    };
    unblock(&stdin)?;
    unblock(&stdout)?;
    unblock(&stderr)?;
    let (mut out_open, mut err_open) = (true, true);
    let mut buffer = vec![0; CHUNK];
    while (out_open || err_open) && hearing.end.is_none() {
        if let Some(code) = over(spec, begun, hearing) {
            return Ok(Some(code));
        }
        let mut polled = Vec::with_capacity(3);
        if !feed.is_done() {
            polled.push(PollFd::new(stdin, PollFlags::OUT));
        }
        if out_open {
            polled.push(PollFd::new(stdout, PollFlags::IN));
        }
        if err_open {
            polled.push(PollFd::new(stderr, PollFlags::IN));
        }
        let wait = LOOK_EVERY.min(spec.limits.wall().saturating_sub(begun.elapsed()) + Duration::from_millis(1));
        let wait = rustix::event::Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut polled, Some(&wait)) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        drop(polled);
        if !feed.is_done() && feed.write(stdin).is_err() {
            // It has ended before it has read everything: what it says to that is still heard.
            feed.piece = feed.pieces.len();
        }
        out_open = out_open && read(stdout, &mut buffer, &mut |bytes| hearing.hear(bytes))?;
        err_open = err_open && read(stderr, &mut buffer, &mut |bytes| hearing.murmur(bytes))?;
    }
    Ok(over(spec, begun, hearing))
}

/// Whether it must end now.
fn over(spec: &Spec, begun: Instant, hearing: &Hearing<'_>) -> Option<Code> {
    let is_stopped = |stop: &Stop| stop.is_stopped();
    if is_stopped(&spec.stop) {
        return Some(Code::Cancelled);
    }
    if hearing.output_bytes > spec.limits.output_bytes {
        return Some(Code::LimitOutput);
    }
    if hearing.is_garbled {
        return Some(Code::Crashed);
    }
    (hearing.end.is_none() && begun.elapsed() >= spec.limits.wall()).then_some(Code::LimitWall)
}

fn unblock(pipe: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    Ok(fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

/// Reads what is there; whether more may come.
fn read(pipe: &mut impl Read, buffer: &mut [u8], hear: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
    match pipe.read(buffer) {
        Ok(0) => Ok(false),
        Ok(length) => {
            hear(&buffer[..length]);
            Ok(true)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(true),
        Err(error) => Err(error),
    }
}

/// What is said on the standard error when memory is missing: by Rust, by C++, by the system.
const OUT_OF_MEMORY: [&str; 4] = ["memory allocation of ", "bad_alloc", "Cannot allocate memory", "OutOfMemory"];

fn judged(hearing: Hearing<'_>, killed: Option<Code>, reaped: Reaped, spec: &Spec) -> Outcome {
    let Hearing { mut outcome, end, .. } = hearing;
    outcome.cpu_s = reaped.cpu_s;
    let ended = end.filter(|_| killed.is_none());
    if let Some(end) = ended {
        outcome.exit = end.exit;
        outcome.code = match end.exit {
            0 => None,
            _ if end.is_out_of_memory => Some(Code::LimitMemory),
            2 => Some(Code::Input),
            _ => Some(Code::Failed),
        };
        (outcome.notes, outcome.warnings, outcome.problems) = (end.notes, end.warnings, end.problems);
        return outcome;
    }
    let log = String::from_utf8_lossy(&outcome.log);
    let used_up = reaped.cpu_s >= spec.limits.cpu_s as f64 * 0.99;
    let signal = reaped.signal.unwrap_or(0);
    let code = match killed {
        Some(code) => code,
        None if signal == Signal::XCPU.as_raw() || (signal == Signal::KILL.as_raw() && used_up) => Code::LimitCpu,
        None if OUT_OF_MEMORY.iter().any(|sign| log.contains(sign)) => Code::LimitMemory,
        None => Code::Crashed,
    };
    let how = match (code, reaped.signal, reaped.exit) {
        (Code::Crashed, Some(signal), _) => format!(": signal {signal}"),
        (Code::Crashed, None, Some(exit)) => format!(": exit code {exit}"),
        _ => String::new(),
    };
    outcome.exit = 1;
    outcome.code = Some(code);
    let mut problem = Problem::new(code.name(), format!("{}{how}", code.message()));
    // Those of the worker go before those of the job.
    if let Some(allowed) = spec.limits.shown(code) {
        problem = problem.allowed(allowed);
    }
    outcome.problems.push(problem);
    outcome
}

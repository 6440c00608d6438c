//! What goes out through the pipe, as it comes.

use crate::task::protocol::{self, EndFrame, Kind, PointFrame, ProgressFrame};
use runcast_commands::Progress;
use runcast_commands::remote::{Answer, Row};
use runcast_commands::whatif::Line;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of notes and lines that are reported; the rest is cut.
const MOST_TOLD: usize = 1 << 20;
/// The least time between two reports of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);
/// Marker where a log was cut.
pub const CUT: &str = "... the log is cut here: it is longer than 1 MiB";

/// The pipe, shared by threads.
#[derive(Debug, Default)]
pub struct Report {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cpu_s: f64,
    told: usize,
}

impl Report {
    /// A point is there.
    pub fn point(&self, point: u64, failed: bool, row: Row) {
        let mut state = self.lock();
        let now_s = cpu_s();
        let frame = PointFrame { point, failed, row, cpu_s: (now_s - state.cpu_s).max(0.0) };
        state.cpu_s = now_s;
        send(Kind::Point, &frame);
    }

    /// A line for people.
    pub fn line(&self, text: &str) {
        let mut state = self.lock();
        if state.told > MOST_TOLD {
            return;
        }
        state.told += text.len() + 1;
        let text = if state.told > MOST_TOLD { CUT } else { text };
        let _ = locked(|out| protocol::frame(out, Kind::Log, text.as_bytes()));
    }

    /// A line of a curve.
    pub fn curve(&self, line: &Line) {
        let _state = self.lock();
        send(Kind::Line, line);
    }

    fn progress(&self, frame: &ProgressFrame) {
        let _state = self.lock();
        send(Kind::Progress, frame);
    }

    /// Output of a command, except its end.
    ///
    /// # Errors
    /// The pipe is closed.
    pub fn answer(&self, answer: &Answer) -> io::Result<()> {
        let _state = self.lock();
        locked(|out| {
            let named = [("document", &answer.document), ("table", &answer.table), ("timeline", &answer.timeline)];
            for (name, bytes) in named {
                if let Some(bytes) = bytes {
                    protocol::parts(out, name, bytes)?;
                }
            }
            protocol::parts(out, "human", &answer.human)?;
            answer.files.iter().try_for_each(|(path, bytes)| protocol::parts(out, &format!("file/{path}"), bytes))
        })
    }

    /// A frame of another kind.
    ///
    /// # Errors
    /// The pipe is closed.
    pub fn document(&self, bytes: &[u8]) -> io::Result<()> {
        let _state = self.lock();
        locked(|out| protocol::parts(out, "document", bytes))
    }

    /// What a probe found.
    pub fn probed(&self, probed: &protocol::Probed) {
        send(Kind::Probed, probed);
    }

    /// The last word.
    ///
    /// # Errors
    /// The pipe is closed.
    pub fn end(&self, end: &EndFrame) -> io::Result<()> {
        let _state = self.lock();
        let bytes = serde_json::to_vec(end)?;
        locked(|out| protocol::frame(out, Kind::End, &bytes))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes up to 1 MiB, with a mark where they were cut.
pub fn cut(notes: Vec<String>) -> Vec<String> {
    let mut told = 0;
    let mut kept = Vec::new();
    for note in notes {
        told += note.len() + 1;
        if told > MOST_TOLD {
            kept.push(CUT.to_owned());
            break;
        }
        kept.push(note);
    }
    kept
}

/// If the parent cannot be reached it is gone, and the process ends too.
fn send(kind: Kind, content: &impl Serialize) {
    let bytes = serde_json::to_vec(content).unwrap_or_default();
    let _ = locked(|out| protocol::frame(out, kind, &bytes));
}

fn locked(write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write(&mut out)?;
    out.flush()
}

fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Progress as frames.
pub struct Told {
    report: Arc<Report>,
    what: String,
    of: u64,
    last: Option<Instant>,
}

impl Told {
    /// Through this pipe.
    pub fn new(report: Arc<Report>) -> Self {
        Told { report, what: String::new(), of: 0, last: None }
    }

    fn tell(&self, done: u64) {
        self.report.progress(&ProgressFrame { what: self.what.clone(), done, of: self.of });
    }
}

impl Progress for Told {
    fn begin(&mut self, what: &str, steps: u64) {
        (self.what, self.of) = (what.to_owned(), steps);
        self.report.line(what);
        self.tell(0);
    }

    fn step(&mut self, done: u64, _: &str) {
        if self.last.is_none_or(|last| last.elapsed() >= PROGRESS_EVERY) {
            self.last = Some(Instant::now());
            self.tell(done);
        }
    }

    fn end(&mut self) {}

    fn line(&mut self, text: &str) {
        self.report.line(text);
    }
}

//! Messages from the process of a task. None of them is trusted: a script may have taken over its process.

use crate::task::outcome::{Event, Outcome, PointRow};
use crate::task::protocol::{EndFrame, FRAME_HEAD, Kind, MOST_IN_FRAME, PointFrame, Probed, ProgressFrame, Work, part};
use std::collections::HashSet;
use tokio::sync::mpsc::UnboundedSender;

/// Bytes of the log that are kept.
const MOST_LOG: usize = 1 << 20;
/// Files that a command may write.
const MOST_FILES: usize = 10_000;
/// Marker where a log was cut.
const CUT: &[u8] = b"... the log is cut here: it is longer than 1 MiB\n";
/// Bytes of a frame at most; a row with long cells, or problems, come in one.
const MOST_BYTES: usize = 16 * MOST_IN_FRAME;

/// What is heard, combined.
pub struct Hearing<'a> {
    events: Option<&'a UnboundedSender<Event>>,
    /// Points that were asked for and are not there yet.
    wanted: HashSet<u64>,
    waiting: Vec<u8>,
    /// Bytes of output so far.
    pub output_bytes: u64,
    /// What will come of it.
    pub outcome: Outcome,
    /// What a probe found out.
    pub probed: Option<Probed>,
    /// The last word.
    pub end: Option<EndFrame>,
    /// It does not speak as it should.
    pub is_garbled: bool,
    is_cut: bool,
}

impl<'a> Hearing<'a> {
    /// Of a process that does this work.
    pub fn new(work: &Work, events: Option<&'a UnboundedSender<Event>>) -> Self {
        let wanted = match work {
            Work::Command { points: Some(points), .. } => points.iter().copied().collect(),
            _ => HashSet::new(),
        };
        Hearing {
            events,
            wanted,
            waiting: Vec::new(),
            output_bytes: 0,
            outcome: Outcome::default(),
            probed: None,
            end: None,
            is_garbled: false,
            is_cut: false,
        }
    }

    /// Bytes of the standard output.
    pub fn hear(&mut self, bytes: &[u8]) {
        if self.end.is_some() || self.is_garbled {
            return;
        }
        self.waiting.extend_from_slice(bytes);
        let waiting = std::mem::take(&mut self.waiting);
        let mut rest = waiting.as_slice();
        while let Some((head, behind)) = rest.split_first_chunk::<FRAME_HEAD>() {
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let kind = Kind::of(head[0]).filter(|_| length <= MOST_BYTES);
            let Some(kind) = kind else {
                self.is_garbled = true;
                return;
            };
            let Some((payload, behind)) = behind.split_at_checked(length) else { break };
            if self.frame(kind, payload).is_none() {
                self.is_garbled = true;
                return;
            }
            rest = behind;
        }
        self.waiting = rest.to_vec();
    }

    /// Bytes of the standard error.
    pub fn murmur(&mut self, bytes: &[u8]) {
        self.log(bytes);
    }

    fn frame(&mut self, kind: Kind, payload: &[u8]) -> Option<()> {
        match kind {
            Kind::Point => {
                let frame: PointFrame = serde_json::from_slice(payload).ok()?;
                self.output_bytes += payload.len() as u64;
                // Unrequested or duplicate messages are not passed on.
                if self.wanted.remove(&frame.point) {
                    let record = serde_json::to_string(&frame.row).ok()?;
                    let cpu_s = if frame.cpu_s.is_finite() { frame.cpu_s.max(0.0) } else { 0.0 };
                    self.tell(Event::Point(PointRow { point: frame.point, failed: frame.failed, record, cpu_s }));
                }
            }
            Kind::Progress => {
                let ProgressFrame { what, done, of } = serde_json::from_slice(payload).ok()?;
                self.tell(Event::Progress { what, done, of });
            }
            Kind::Log => {
                if !self.is_cut {
                    let text = String::from_utf8_lossy(payload).into_owned();
                    self.log(format!("{text}\n").as_bytes());
                    self.tell(Event::Log(text));
                }
            }
            Kind::Part => {
                let (name, bytes) = part(payload)?;
                self.output_bytes += bytes.len() as u64;
                let outcome = &mut self.outcome;
                match name {
                    "document" => outcome.document.get_or_insert_default().extend_from_slice(bytes),
                    "table" => outcome.table.get_or_insert_default().extend_from_slice(bytes),
                    "timeline" => outcome.timeline.get_or_insert_default().extend_from_slice(bytes),
                    "human" => outcome.human.extend_from_slice(bytes),
                    name => {
                        let path = name.strip_prefix("file/").filter(|path| !path.is_empty())?;
                        if outcome.outputs.last().is_none_or(|(known, _)| known != path) {
                            if outcome.outputs.len() >= MOST_FILES {
                                return None;
                            }
                            outcome.outputs.push((path.to_owned(), Vec::new()));
                        }
                        outcome.outputs.last_mut()?.1.extend_from_slice(bytes);
                    }
                }
            }
            Kind::Line => {
                self.output_bytes += payload.len() as u64;
                self.tell(Event::Line(String::from_utf8(payload.to_vec()).ok()?));
            }
            Kind::End => self.end = Some(serde_json::from_slice(payload).ok()?),
            Kind::Probed => self.probed = Some(serde_json::from_slice(payload).ok()?),
        }
        Some(())
    }

    fn log(&mut self, bytes: &[u8]) {
        let log = &mut self.outcome.log;
        if self.is_cut {
            return;
        }
        let room = MOST_LOG - log.len();
        log.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            self.is_cut = true;
            if log.last() != Some(&b'\n') {
                log.push(b'\n');
            }
            log.extend_from_slice(CUT);
        }
    }

    fn tell(&self, event: Event) {
        if let Some(events) = self.events {
            // A receiver that was dropped is not interested.
            let _ = events.send(event);
        }
    }
}

//! The protocol between a worker and the process of a task.
//!
//! In: the length of a header, the header as JSON, the contents of the files one after the other; then the pipe stays
//! open, and its end is the request to end. Out: frames, each a kind, a length and as many bytes.

use super::limits::Limits;
use runcast_commands::ask::Question;
use runcast_commands::whatif::Asked;
use runcast_core::{Problem, Warning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Bytes that a frame has at most; what is longer comes in several.
pub const MOST_IN_FRAME: usize = 1 << 20;
/// Bytes that a header has at most.
pub const MOST_IN_HEADER: usize = 64 << 20;
/// Bytes before the payload of a frame.
pub const FRAME_HEAD: usize = 5;

/// What a process is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A command: whole, or some points of a sweep.
    Command {
        /// The command line that is run, without `runcast`.
        argv: Vec<String>,
        /// The points, of a sweep.
        points: Option<Vec<u64>>,
    },
    /// The parameters, labels and messages of an application, without simulating it: the path of its script, and values
    /// of parameters.
    DryRun {
        path: String,
        /// Values of parameters: numbers and texts.
        params: BTreeMap<String, serde_json::Value>,
    },
    /// Answers a question of the first page; the answer becomes the document.
    Ask {
        question: Question,
        /// Folders of hardware that simulations see.
        catalogues: Vec<String>,
    },
    /// A curve while its system is being edited; its lines come as they are known.
    WhatIf { asked: Asked },
    /// Draws a figure: its numbers are the only file, the picture becomes the document.
    Plot {
        /// What stands above it.
        title: String,
        /// PNG, else SVG.
        png: bool,
    },
    /// Tries what a sandbox should not allow, and reports what it could do.
    Probe,
}

/// The first message to the process of a task.
#[derive(Debug, Serialize, Deserialize)]
pub struct Header {
    pub work: Work,
    /// What it may use.
    pub limits: Limits,
    /// The files with their lengths, in the order in which they follow.
    pub files: Vec<(String, u64)>,
    /// Who started it: if that is not its parent, it is dead already.
    pub parent: u32,
}

/// Kinds of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A point: [`PointFrame`].
    Point = 1,
    /// How far it is: [`ProgressFrame`].
    Progress = 2,
    /// A line of the log.
    Log = 3,
    /// A part of an output: the length of its name (2 bytes), its name, and the next bytes of it.
    Part = 4,
    /// It is done: [`EndFrame`]; the last one.
    End = 5,
    /// What a probe found: [`Probed`].
    Probed = 6,
    /// A line of a curve that is being edited, as JSON.
    Line = 7,
}

impl Kind {
    pub fn of(number: u8) -> Option<Kind> {
        let all = [Kind::Point, Kind::Progress, Kind::Log, Kind::Part, Kind::End, Kind::Probed, Kind::Line];
        all.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A point of a sweep.
#[derive(Debug, Serialize, Deserialize)]
pub struct PointFrame {
    pub point: u64,
    pub failed: bool,
    pub row: runcast_commands::remote::Row,
    /// Processor time that it took.
    pub cpu_s: f64,
}

/// How far the work has come.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressFrame {
    pub what: String,
    /// Steps done.
    pub done: u64,
    /// Of how many.
    pub of: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EndFrame {
    pub exit: u8,
    /// Whether it was memory that was missing.
    pub is_out_of_memory: bool,
    pub notes: Vec<String>,
    pub warnings: Vec<Warning>,
    pub problems: Vec<Problem>,
}

/// What a probe found out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// System calls are filtered.
    pub seccomp: bool,
    /// The file system is closed by Landlock.
    pub landlock: bool,
    /// What it could do although it should not.
    pub allowed: Vec<String>,
    /// What it tried in vain.
    pub denied: Vec<String>,
}

/// Writes a frame.
///
/// # Errors
/// The pipe is closed.
pub fn frame(out: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<()> {
    let mut head = [kind as u8, 0, 0, 0, 0];
    let length = u32::try_from(payload.len()).map_err(|_| io::Error::other("a frame is too long"))?;
    head[1..].copy_from_slice(&length.to_le_bytes());
    out.write_all(&head)?;
    out.write_all(payload)
}

/// Writes an output in parts.
///
/// # Errors
/// The pipe is closed.
pub fn parts(out: &mut impl Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    let length = u16::try_from(name.len()).map_err(|_| io::Error::other("a name is too long"))?;
    let mut head = length.to_le_bytes().to_vec();
    head.extend_from_slice(name.as_bytes());
    // Empty fields are present nevertheless.
    let mut rest = bytes;
    loop {
        let (now, later) = rest.split_at(rest.len().min(MOST_IN_FRAME - head.len().min(MOST_IN_FRAME / 2)));
        frame(out, Kind::Part, &[&head, now].concat())?;
        rest = later;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Name and bytes of a part.
pub fn part(payload: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = payload.split_first_chunk::<2>()?;
    let (name, bytes) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    Some((std::str::from_utf8(name).ok()?, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_come_in_parts_and_are_put_together() {
        for length in [0, 1, MOST_IN_FRAME, 3 * MOST_IN_FRAME + 7] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let mut pipe = Vec::new();
            parts(&mut pipe, "file/a.csv", &bytes).expect("written");
            let (mut together, mut at) = (Vec::new(), 0);
            while at < pipe.len() {
                assert_eq!(Kind::of(pipe[at]), Some(Kind::Part));
                let length = u32::from_le_bytes(pipe[at + 1..at + 5].try_into().expect("4")) as usize;
                assert!(length <= MOST_IN_FRAME);
                let (name, now) = part(&pipe[at + 5..at + 5 + length]).expect("a part");
                assert_eq!(name, "file/a.csv");
                together.extend_from_slice(now);
                at += 5 + length;
            }
            assert_eq!(together, bytes);
        }
        assert_eq!(part(&[9, 0, b'a']), None);
        assert_eq!(Kind::of(77), None);
    }
}

//! A recording as text and as a document.
//!
//! ```text
//! # runcast-recording 1  p 64  class 3 of 27  ranks 21 22 25
//! loop 2
//!   loop 10
//!     irecv     s2 app+0x1742  peer 20x[22{2x-2} 25{2x-8}]  size 8192{80x0}  block 80 x 3.1 us
//! ```
//!
//! `{count x stride}` is a level of a nest, the inner first; `20x[..]` a repeat.

use crate::container::VERSION;
use crate::recording::{Program, Recording};
use crate::stat::LeafStat;
use crate::stream::{Sketch, Stream, Term};
use crate::tree::{Leaf, Node};
use crate::vocabulary::{Field, shown};
use serde::Serialize;
use std::fmt::{self, Write};

/// How many ranks and terms a line shows.
const MOST_SHOWN: usize = 64;

/// A program of a recording, as a document.
#[derive(Debug, Clone, Serialize)]
pub struct DumpedProgram {
    /// Number of the class, from 1.
    pub class: usize,
    /// The ranks that did the same.
    pub ranks: Vec<u32>,
    /// The one whose peers are shown.
    pub rank: u32,
    /// Number of the thread.
    pub thread: u32,
    /// Calls and loops.
    pub nodes: Vec<DumpedNode>,
}

/// A call or a loop, as a document.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum DumpedNode {
    /// A loop.
    Loop {
        /// How often, each time.
        trips: String,
        /// What is repeated.
        nodes: Vec<DumpedNode>,
    },
    /// A call.
    Call(Box<DumpedCall>),
}

/// A call, as a document.
#[derive(Debug, Clone, Serialize)]
pub struct DumpedCall {
    /// Its name.
    pub call: String,
    /// What distinguishes it from others of this name.
    pub flags: Vec<&'static str>,
    /// Number of its call site.
    pub site: u32,
    /// The name of the site.
    #[serde(rename = "where")]
    pub place: String,
    /// Number of its communicator on the rank.
    pub comm: u32,
    /// Its fields.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// Executions on the rank.
    pub executions: u64,
    /// Mean processor time of the block before it.
    pub block_mean_s: f64,
    /// Mean wall time of the call.
    pub call_mean_s: f64,
}

/// The programs, or those of one rank. `places` names the call sites.
pub fn programs(recording: &Recording, rank: Option<u32>, places: &[String]) -> Vec<DumpedProgram> {
    let shown = recording.programs.iter().enumerate().filter_map(|(class, program)| {
        let rank = match rank {
            Some(rank) => program.ranks.binary_search(&rank).ok().map(|_| rank),
            None => program.ranks.first().copied(),
        }?;
        Some(dumped(recording, program, class, rank, places))
    });
    shown.collect()
}

fn dumped(recording: &Recording, program: &Program, class: usize, rank: u32, places: &[String]) -> DumpedProgram {
    let place = program.ranks.binary_search(&rank).unwrap_or(0);
    let mut stats = program.stats.iter();
    let share = program.ranks.len().max(1) as u64;
    let mut call = |leaf: &Leaf| {
        let stat = stats.next();
        let own = stat.and_then(|stat: &LeafStat| stat.ranks.get(place)).copied().unwrap_or_default();
        let text = |stream: &Stream| serde_json::Value::String(Shown(stream).to_string());
        DumpedCall {
            call: shown(leaf.call, leaf.flags),
            flags: leaf.flags.names().collect(),
            site: leaf.site,
            place: places.get(leaf.site as usize).cloned().unwrap_or_default(),
            comm: leaf.comm,
            fields: Field::of(leaf.mask)
                .zip(&leaf.fields)
                .map(|(field, stream)| (field.name().into(), text(stream)))
                .collect(),
            executions: stat.map_or(0, |stat| stat.executions / share),
            block_mean_s: own.mean.s(),
            call_mean_s: own.call.s(),
        }
    };
    let nodes = nodes(&recording.tree_of(program, rank), &mut call);
    DumpedProgram { class: class + 1, ranks: program.ranks.clone(), rank, thread: program.thread, nodes }
}

fn nodes(tree: &[Node], call: &mut impl FnMut(&Leaf) -> DumpedCall) -> Vec<DumpedNode> {
    let mut one = |node: &Node| match node {
        Node::Leaf(leaf) => DumpedNode::Call(Box::new(call(leaf))),
        Node::Loop(l) => {
            let trips = l.counts.only().map_or_else(|| Shown(&l.counts).to_string(), |count| count.to_string());
            DumpedNode::Loop { trips, nodes: nodes(&l.body, call) }
        }
    };
    tree.iter().map(&mut one).collect()
}

/// The text of programs. `time` writes a time for people.
pub fn text(recording: &Recording, programs: &[DumpedProgram], time: fn(f64) -> String) -> String {
    let classes = recording.programs.len();
    let mut out = String::new();
    for (number, program) in programs.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let shown = program.ranks.iter().take(MOST_SHOWN).map(u32::to_string).collect::<Vec<_>>().join(" ");
        let more = if program.ranks.len() > MOST_SHOWN { " .." } else { "" };
        let thread = if program.thread > 0 { format!("  thread {}", program.thread) } else { String::new() };
        let class = program.class;
        let p = recording.p;
        let _ = writeln!(
            out,
            "# runcast-recording {VERSION}  p {p}  class {class} of {classes}  ranks {shown}{more}{thread}"
        );
        lines(&mut out, &program.nodes, 0, time);
    }
    out
}

fn lines(out: &mut String, nodes: &[DumpedNode], depth: usize, time: fn(f64) -> String) {
    for node in nodes {
        let indent = "  ".repeat(depth);
        match node {
            DumpedNode::Loop { trips, nodes } => {
                let _ = writeln!(out, "{indent}loop {trips}");
                lines(out, nodes, depth + 1, time);
            }
            DumpedNode::Call(call) => {
                let _ = write!(out, "{indent}{:<9} s{} {}", call.call, call.site, call.place);
                if call.comm > 0 {
                    let _ = write!(out, "  comm {}", call.comm);
                }
                for (name, value) in &call.fields {
                    let _ = write!(out, "  {name} {}", value.as_str().unwrap_or_default());
                }
                let _ = writeln!(out, "  block {} x {}", call.executions, time(call.block_mean_s));
            }
        }
    }
}

/// A stream as text.
pub struct Shown<'a>(pub &'a Stream);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Stream::Exact(terms) => show(terms, f),
            Stream::Sketch(sketch) => {
                let Sketch { count, least, greatest, sum, .. } = &**sketch;
                write!(f, "{count} values {least}..{greatest} sum {sum}")
            }
        }
    }
}

fn show(terms: &[Term], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (number, term) in terms.iter().take(MOST_SHOWN).enumerate() {
        if number > 0 {
            f.write_char(' ')?;
        }
        match term {
            Term::Nest(nest) => {
                write!(f, "{}", nest.base)?;
                for level in nest.levels() {
                    write!(f, "{{{}x{}}}", level.count, level.stride)?;
                }
            }
            Term::Repeat { count, body } => {
                write!(f, "{count}x[")?;
                show(body, f)?;
                f.write_char(']')?;
            }
        }
    }
    if terms.len() > MOST_SHOWN {
        write!(f, " ..{} more", terms.len() - MOST_SHOWN)?;
    }
    Ok(())
}

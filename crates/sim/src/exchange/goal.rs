//! GOAL: schedules as text, read and written.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: send 8b to 1 tag 0 cpu 0 nic 0
//! l2: calc 100
//! l2 requires l1
//! }
//! rank 1 {
//! recv 8b from 0
//! }
//! ```
//!
//! Comments are `//` and `/* */`; options are in any order; -1 is any source or any tag of a receive; a tag that is not given
//! is 0. A first line `// events of one instant: by rank`, which exports have, keeps the order of programs. Source: T. Hoefler, C. Siebert, A. Lumsdaine, *Group Operation Assembly Language*, ICPP 2009.

mod export;
mod parse;

pub use export::{Exported, export};
pub use parse::{Parsed, line_of, parse};

use crate::schedule::{ANY_TAG, Kind, Schedule};
use std::fmt::{self, Write};

/// The first line of a schedule that was made of a program: a comment to others.
const BY_RANK: &str = "// events of one instant: by rank";

/// Writes a schedule as text that [`parse()`] reads back.
///
/// # Errors
/// Those of the sink.
pub fn write(schedule: &Schedule, out: &mut impl Write) -> fmt::Result {
    if schedule.by_rank {
        writeln!(out, "{BY_RANK}")?;
    }
    writeln!(out, "num_ranks {}", schedule.ranks.len())?;
    for rank in 0..schedule.ranks.len() as u32 {
        writeln!(out, "\nrank {rank} {{")?;
        let shape = schedule.shape(rank);
        for (number, operation) in shape.operations.iter().enumerate() {
            write!(out, "l{}: ", number + 1)?;
            match operation.kind {
                Kind::Calc => write!(out, "calc {}", operation.size)?,
                Kind::Send | Kind::Recv => {
                    let (verb, side) = if operation.kind == Kind::Send { ("send", "to") } else { ("recv", "from") };
                    write!(out, "{verb} {}b {side} ", operation.size)?;
                    match schedule.partner(rank, operation) {
                        Some(partner) => write!(out, "{partner}")?,
                        None => out.write_str("-1")?,
                    }
                    match operation.tag {
                        ANY_TAG => out.write_str(" tag -1")?,
                        tag => write!(out, " tag {tag}")?,
                    }
                }
            }
            if operation.cpu != 0 {
                write!(out, " cpu {}", operation.cpu)?;
            }
            if operation.nic != 0 {
                write!(out, " nic {}", operation.nic)?;
            }
            out.write_char('\n')?;
        }
        for earlier in 0..shape.operations.len() as u32 {
            for (later, start) in shape.dependents(earlier) {
                let relation = if start { "irequires" } else { "requires" };
                writeln!(out, "l{} {relation} l{}", later + 1, earlier + 1)?;
            }
        }
        out.write_str("}\n")?;
    }
    Ok(())
}

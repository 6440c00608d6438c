//! Writes GOAL text.

use crate::schedule::{ANY_TAG, Kind, Schedule};
use std::fmt::{self, Write};

/// Writes a schedule as text that [`super::parse()`] reads back.
///
/// # Errors
/// Those of the sink.
pub fn write(schedule: &Schedule, out: &mut impl Write) -> fmt::Result {
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

//! Rounds the crossing to an allowed value.

use super::TOLERANCE;
use super::cross::{Crossing, Line};
use super::spec::Rounding;
use crate::problem::Problem;

/// An allowed value and its `T_A/(C p)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pick {
    pub index: i64,
    pub ratio: f64,
}

impl Pick {
    /// `|ln(T_A/(C p))|`; infinite without work.
    pub(super) fn error(self) -> f64 {
        if self.ratio > 0.0 { self.ratio.ln().abs() } else { f64::INFINITY }
    }
}

/// The allowed value that the rounding selects; none if there is none on its side of the crossing.
pub(super) fn pick(line: &mut Line<'_>, crossing: Crossing, rounding: Rounding) -> Result<Option<Pick>, Problem> {
    let mut at = |index: Option<i64>| -> Result<Option<Pick>, Problem> {
        index.map(|index| Ok(Pick { index, ratio: line.ratio(index)? })).transpose()
    };
    let (below, above) = (at(crossing.below)?, at(crossing.above)?);
    match rounding {
        Rounding::Down => Ok(below),
        Rounding::Up => Ok(above),
        Rounding::Nearest => {
            let nearest = match (below, above) {
                (Some(below), Some(above)) if above.error() + TOLERANCE < below.error() => Some(above),
                (below, above) => below.or(above),
            };
            nearest.map(|pick| smallest_as_good(line, pick)).transpose()
        }
    }
}

/// Where the complexity has steps, the smallest value with the same work.
fn smallest_as_good(line: &mut Line<'_>, pick: Pick) -> Result<Pick, Problem> {
    if line.axis.is_continuous() {
        return Ok(pick);
    }
    let enough = pick.ratio - TOLERANCE * pick.ratio.abs();
    let (mut least, mut best) = (line.axis.first, pick);
    while least < best.index {
        // Try the neighbor first: nearly always it has less work, which ends the search.
        let index = if best.index == pick.index { best.index - 1 } else { least.midpoint(best.index) };
        let ratio = line.ratio(index)?;
        if ratio >= enough {
            best = Pick { index, ratio };
        } else if best.index == pick.index {
            return Ok(best);
        } else {
            least = index + 1;
        }
    }
    Ok(best)
}

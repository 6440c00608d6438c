//! Three versions of a file made one: what two people have changed since both had the same.
//!
//! ```text
//! values   TOML in which one side changed values only: they are put into the text of the other side, byte by byte
//! json     views: object by object
//! lines    everything else: stretches of lines that only one side changed (diff3)
//! ```
//!
//! A merge never guesses: where both sides changed the same, it is a conflict, and tells where.

mod json;
mod lines;
mod values;

use runcast_core::Problem;

/// A place that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What it is: a key such as `component/node/count`, or a line of their version.
    pub place: String,
    /// Line in their version, from 1.
    pub line: Option<u64>,
}

impl Conflict {
    fn at(place: impl Into<String>, line: Option<u64>) -> Conflict {
        Conflict { place: place.into(), line }
    }

    /// As people read it.
    pub fn problem(&self) -> Problem {
        let problem = Problem::new("conflict", format!("both changed {}", self.place)).at(self.place.as_str());
        match self.line {
            Some(line) => problem.at_line(line),
            None => problem,
        }
    }
}

/// The merged text.
///
/// # Errors
/// The places that both sides changed.
pub fn merge(path: &str, base: &str, theirs: &str, mine: &str) -> Result<String, Vec<Conflict>> {
    if mine == theirs || mine == base {
        return Ok(theirs.to_owned());
    }
    if theirs == base {
        return Ok(mine.to_owned());
    }
    if path.ends_with(".json") {
        return json::merge(base, theirs, mine);
    }
    if path.ends_with(".toml") {
        let by_values = values::put(base, mine, theirs).or_else(|| values::put(base, theirs, mine));
        if let Some(merged) = by_values {
            return merged;
        }
        let merged = lines::merge(base, theirs, mine)?;
        // What two people added may be the same key, or the same part twice.
        return match values::is_readable(&merged) {
            true => Ok(merged),
            false => Err(vec![Conflict::at("the same part", None)]),
        };
    }
    lines::merge(base, theirs, mine)
}

#[cfg(test)]
mod tests;

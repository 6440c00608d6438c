//! Signs of life: lines on the standard error, from the ranks to the process that watches them.
//!
//! Lines of several ranks may come glued together, for launchers pass on what they read, whole lines or not. So a sign
//! is found anywhere in a line, and ends where its JSON ends.

use runcast_core::Problem;
use serde::{Deserialize, Serialize};

/// What a sign begins with.
const MARK: &str = "#runcast-bsf ";

/// A sign of life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// A rank has been started.
    Here {
        /// Which one.
        rank: usize,
        /// Its process.
        pid: u32,
        /// On which machine.
        host: String,
    },
    /// The master has ended an iteration.
    Iteration {
        number: u64,
        /// The longest one so far.
        longest_s: f64,
    },
    /// The iterations are over; results are being written.
    Over {},
    /// A rank that is not the master has failed.
    Failed {
        /// Which one.
        rank: usize,
        /// How.
        problems: Vec<Problem>,
        /// With this exit code.
        exit: u8,
    },
}

impl Sign {
    /// The line that bears it.
    pub fn line(&self) -> String {
        // Plain data: it can always be written.
        format!("{MARK}{}", serde_json::to_string(self).unwrap_or_default())
    }
}

/// The signs in a line, and what else is in it.
pub fn read(line: &str) -> (Vec<Sign>, String) {
    let (mut signs, mut other, mut rest) = (Vec::new(), String::new(), line);
    while let Some(at) = rest.find(MARK) {
        let (before, after) = (&rest[..at], &rest[at + MARK.len()..]);
        other.push_str(before);
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Sign>();
        rest = match values.next() {
            Some(Ok(sign)) => {
                signs.push(sign);
                &after[values.byte_offset()..]
            }
            // Torn: the next one will tell more.
            _ => "",
        };
    }
    other.push_str(rest);
    (signs, other)
}

/// The name of this machine.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.or_else(|| std::env::var("HOSTNAME").ok()).map_or_else(|| "?".to_owned(), |name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_found_among_other_words() {
        let here = Sign::Here { rank: 2, pid: 77, host: "node-1".to_owned() };
        let iteration = Sign::Iteration { number: 9, longest_s: 0.25 };
        assert_eq!(read(&here.line()), (vec![here.clone()], String::new()));
        let glued = format!("[0] a warning {}{} more", here.line(), iteration.line());
        assert_eq!(read(&glued), (vec![here, iteration.clone()], "[0] a warning  more".to_owned()));
        let line = iteration.line();
        for end in MARK.len()..line.len() {
            assert_eq!(read(&line[..end]), (Vec::new(), String::new()), "torn at {end}");
        }
        assert_eq!(read("nothing special"), (Vec::new(), "nothing special".to_owned()));
    }
}

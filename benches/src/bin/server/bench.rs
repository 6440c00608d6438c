//! What all parts share: how much work is put in, and a server's folder with many jobs.

use crate::numbers::spread;
use crate::stored;
use std::cell::OnceCell;
use std::path::Path;
use tempfile::TempDir;

/// What all parts share.
#[derive(Debug, Default)]
pub struct Bench {
    /// Small sizes: to try the benchmark out, not to measure.
    pub is_quick: bool,
    stored: OnceCell<TempDir>,
}

impl Bench {
    /// At full size, or to try it out.
    pub fn new(is_quick: bool) -> Self {
        Bench { is_quick, ..Bench::default() }
    }

    /// The full size, or the one to try things out with.
    pub fn of<Size>(&self, full: Size, quick: Size) -> Size {
        if self.is_quick { quick } else { full }
    }

    /// How often something short is run.
    pub fn runs(&self) -> usize {
        self.of(5, 1)
    }

    /// How often something is run that takes 10 seconds or more.
    pub fn long_runs(&self) -> usize {
        self.of(3, 1)
    }

    /// Jobs that a filled server has.
    pub fn jobs(&self) -> usize {
        self.of(100_000, 2_000)
    }

    /// The folder of a server that has them, all of them ended.
    pub fn stored(&self) -> Result<&Path, String> {
        if self.stored.get().is_none() {
            let _ = self.stored.set(stored::folder_with(self.jobs())?);
        }
        self.stored.get().map(TempDir::path).ok_or_else(|| "no folder".to_owned())
    }
}

/// Where a number comes from: one run, or several of which least and most are told.
pub fn runs(count: usize) -> String {
    if count == 1 { "one run".to_owned() } else { format!("medians of {count} runs, with least and most in brackets") }
}

/// Seconds as milliseconds: the middle one, least, most.
pub fn milliseconds(seconds: &[f64], digits: usize) -> String {
    spread(&seconds.iter().map(|second| 1e3 * second).collect::<Vec<_>>(), digits)
}

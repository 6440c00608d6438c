//! Progress of a benchmark, for display.

use crate::journal::Record;
use runcast_core::{Configuration, Warning};

/// Hears what happens, as it happens.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: Event<'_>);
}

/// Something that happened.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The runs are known.
    Planned {
        /// All of the plan.
        total: usize,
        /// Those still to be made.
        todo: usize,
    },
    /// A run or a warm-up starts on this machine.
    Started {
        at: &'a Configuration,
        rep: u32,
        /// Not recorded.
        warmup: bool,
        argv: &'a [String],
    },
    /// A run has ended and is on disk.
    Finished {
        record: &'a Record,
        /// Runs that have ended, those of earlier sessions counted.
        done: usize,
        /// All of the plan.
        total: usize,
    },
    /// Slurm has taken an array.
    Submitted {
        /// The number that Slurm gave it.
        job: &'a str,
        tasks: usize,
    },
    /// An array given to Slurm by an earlier session was found again.
    Reattached {
        /// The number that Slurm gave it.
        job: &'a str,
    },
    /// A warning for the user.
    Warned(&'a Warning),
}

/// Hears nothing.
impl Observer for () {
    fn event(&mut self, _: Event<'_>) {}
}

/// Any closure will do.
impl<F: FnMut(Event<'_>)> Observer for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}

//! Control of the recording by a program: on and off, reports, and its rank in a parallel program.
//!
//! Without the feature `trace` all of it does nothing.

use std::path::Path;

#[cfg(feature = "trace")]
use crate::library;

/// Records again after [`off`].
pub fn on() {
    #[cfg(feature = "trace")]
    library::on();
}

/// Regions that begin from now on are not recorded, in any thread. What is recorded is kept.
pub fn off() {
    #[cfg(feature = "trace")]
    library::off();
}

/// Writes what has been recorded of some experiments, of all when none is named, into the program's trace.
///
/// A program need not call it: the trace is written when the program ends.
pub fn report(experiments: &[&str]) {
    write(experiments, None);
}

/// Writes what has been recorded of some experiments, of all when none is named, into a file.
pub fn report_to(experiments: &[&str], file: impl AsRef<Path>) {
    write(experiments, Some(file.as_ref()));
}

/// Sets the number of processes, which formulas call `P`; 1 until then. A number that is not positive changes nothing.
///
/// Regions that begin from now on have it.
pub fn processes(count: usize) {
    #[cfg(feature = "trace")]
    if count > 0 {
        library::processes(count as f64);
    }
    #[cfg(not(feature = "trace"))]
    let _ = count;
}

/// Sets the rank of this process, counted from 0, and the number of processes: for programs that neither `mpirun`
/// nor Slurm has started, or that have their own idea of it. Each process writes a file of its own.
///
/// Without it both come from the environment.
pub fn rank(rank: usize, processes: usize) {
    #[cfg(feature = "trace")]
    library::rank(rank, processes);
    #[cfg(not(feature = "trace"))]
    let _ = (rank, processes);
}

#[cfg(feature = "trace")]
fn write(experiments: &[&str], file: Option<&Path>) {
    use std::ffi::CString;
    // A text with a zero inside names nothing.
    let names = (!experiments.is_empty()).then(|| CString::new(experiments.join(",")).unwrap_or_default());
    let file = file.map(|file| CString::new(file.as_os_str().as_encoded_bytes()).unwrap_or_default());
    library::report(names.as_deref(), file.as_deref());
}

#[cfg(not(feature = "trace"))]
fn write(_: &[&str], _: Option<&Path>) {}

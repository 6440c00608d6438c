//! Applications as Luau scripts: run in a sandbox, once per rank, and recorded.
//!
//! ```
//! use runcast_sim::script::{Limits, record};
//!
//! let source = r#"
//!     label{ "pair", count = 2, run = function(rank)
//!         if rank == 0 then send{ to = 1, size = "8KiB" } else recv{ from = 0 } end
//!     end }
//! "#;
//! let recorded = record(source, "pair.luau", &Default::default(), &Limits::default())?;
//! assert_eq!(recorded.application.processes(), 2);
//! # Ok::<(), Vec<runcast_core::Problem>>(())
//! ```
//!
//! `raw` drives the virtual machine, enforces the limits, and is the only place with unsafe code; `calls` defines the
//! arguments and effect of each call; `live` runs processes alongside simulated time.

mod arguments;
mod calls;
mod host;
mod live;
mod names;
mod raw;
mod session;
mod syntax;

use crate::application::{Application, Programs, check};
use crate::budget::Monitor;
use crate::job::Live;
pub use names::{UNDEFINED_CALL, undefined, warm_up};
use runcast_core::{Problem, Warning};
use session::Session;
use std::collections::BTreeMap;
pub use syntax::check as check_syntax;

/// A value set for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(f64),
    /// A text: for a parameter whose default is one, or a number with a unit.
    Text(String),
}

/// Resource limits of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Calls and loop iterations; large blocks of memory and long texts count by their length.
    pub steps: u64,
    /// Memory limit of the script, and separately of the recording, in bytes.
    pub memory_bytes: u64,
    /// Seconds of wall time: a safety net in case a step takes long.
    pub seconds: f64,
    /// Seed of random numbers.
    pub seed: u64,
    /// Observes progress, and may stop the script.
    pub monitor: Monitor,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1_000_000_000, memory_bytes: 1 << 30, seconds: 600.0, seed: 0, monitor: Monitor::default() }
    }
}

/// The result of a script.
pub struct Recorded {
    /// The recorded application.
    pub application: Application,
    /// The processes that read messages or the clock.
    pub live: Option<Box<dyn Live>>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Values set for parameters that the script does not have.
    pub unused: Vec<String>,
}

/// Runs a script and records its processes. `file` is the name shown in errors.
///
/// # Errors
/// Those of the script, with their line; a limit reached (code `script_steps`, `script_memory`, `script_time`).
pub fn record(
    source: &str,
    file: &str,
    parameters: &BTreeMap<String, Value>,
    limits: &Limits,
) -> Result<Recorded, Vec<Problem>> {
    let input = session::Input {
        source: source.to_owned(),
        file: file.to_owned(),
        parameters: parameters.clone(),
        limits: limits.clone(),
    };
    let mut session = Session::start(&input, false).map_err(|problem| vec![problem])?;
    if session.labels() == 0 {
        return Err(vec![
            Problem::new("no_label", "the script declares no processes")
                .in_file(file)
                .hint("label{ \"worker\", count = 4, run = function(rank) .. end }"),
        ]);
    }
    for label in 0..session.labels() {
        session.record_label(label).map_err(|problem| vec![problem])?;
    }
    let mut recorded = session.into_left();
    check::finish(&mut recorded.application, &recorded.awaited)
        .map_err(|problems| problems.0.into_iter().map(|problem| host::in_file(problem, file)).collect::<Vec<_>>())?;
    let live = recorded.application.labels.iter().any(|label| label.programs == Programs::Live);
    Ok(Recorded {
        live: live.then(|| Box::new(live::LiveScript::new(input)) as Box<dyn Live>),
        warnings: recorded.warnings.into_iter().chain(undefined_names(source, file)).collect(),
        unused: parameters.keys().filter(|name| !recorded.asked.contains(*name)).cloned().collect(),
        application: recorded.application,
    })
}

/// Calls that would fail, had they been reached.
fn undefined_names(source: &str, file: &str) -> impl Iterator<Item = Warning> {
    undefined(source, file).into_iter().map(|problem| {
        let hint = problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        let message = format!("{}: line {} would fail{hint}", problem.message, problem.line.unwrap_or(1));
        Warning { code: problem.code, message, file: problem.file, line: problem.line }
    })
}

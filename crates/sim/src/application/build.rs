//! Applications written in Rust: every call of a script under the same name, with the same meaning.
//!
//! ```
//! use runcast_sim::build::{Builder, Compute, cart};
//!
//! let mut app = Builder::new("ring");
//! let p = app.param("p", 100.0, "processes") as u64;
//! let ring = cart(&[p], true)?;
//! app.label("cell", p, move |process| {
//!     let rank = process.rank();
//!     let (to, from) = (ring.neighbor(rank, 1, 1), ring.neighbor(rank, 1, -1));
//!     process.r#loop(100, |process| {
//!         let received = process.irecv(from.clone().ok().flatten().unwrap_or(0), 1);
//!         process.send(to.clone().ok().flatten().unwrap_or(0), 8_192, 1);
//!         process.wait(received);
//!         process.compute(Compute { size: 1e6, kind: "stencil", ..Compute::default() });
//!     });
//! });
//! let application = app.build()?;
//! assert_eq!(application.processes(), 100);
//! // Partners are kept as distances, rank 0 as itself: ranks 2 to 98 share a program; 0, 1 and 99 have their own.
//! assert_eq!(application.programs.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mistake (a rank outside its label, a negative size) does not stop the code: the first one is what
//! [`Builder::build`] returns.

mod arguments;
mod cart;
pub(crate) mod intern;
pub(crate) mod persistent;
mod process;
pub(crate) mod random;
pub(crate) mod recorder;
pub(crate) mod requests;

pub use arguments::{
    Any, CollectiveCall, Comm, Compute, CopyCall, FarmCall, FittingTag, From_ as Sender, Partner, Request, proc,
};
pub use cart::{Cart, cart, dims};
pub use process::{PreparedRequest, Process, Window};

use crate::application::{Application, Parameter, Programs, check};
use recorder::Recorder;
use runcast_core::{Problem, Problems};

type Run = Box<dyn Fn(&mut Process<'_>)>;

/// Builds an application.
pub struct Builder {
    recorder: Recorder,
    set: Vec<(String, f64)>,
    runs: Vec<Run>,
    problem: Option<Problem>,
}

/// Options of a label besides its name, multiplicity and programs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelOptions {
    /// Memory of a process, in bytes.
    pub memory: f64,
    /// Component that it runs on.
    pub on: Option<String>,
    /// When its processes start, in seconds.
    pub start_s: f64,
}

impl Builder {
    /// An application of this name.
    pub fn new(name: &str) -> Self {
        Builder::seeded(name, 0)
    }

    /// An application whose random numbers depend on this seed.
    pub fn seeded(name: &str, seed: u64) -> Self {
        Builder {
            recorder: Recorder::new(name, name, seed, u64::MAX),
            set: Vec::new(),
            runs: Vec::new(),
            problem: None,
        }
    }

    /// Gives a parameter a value other than its default, before the application asks for it.
    #[must_use]
    pub fn set(mut self, name: &str, value: f64) -> Self {
        self.set.push((name.to_owned(), value));
        self
    }

    /// The value of a parameter.
    pub fn param(&mut self, name: &str, default: f64, help: &str) -> f64 {
        let value = self.set.iter().rev().find(|(set, _)| set == name).map_or(default, |(_, value)| *value);
        let parameter = Parameter { name: name.to_owned(), value, default, help: help.to_owned(), text: None };
        let result = self.recorder.parameter(parameter);
        self.keep(result);
        value
    }

    /// A class of `count` processes. `run` is called once, unless it asks for [`Process::rank`]: then once for each rank.
    pub fn label(&mut self, name: &str, count: u64, run: impl Fn(&mut Process<'_>) + 'static) {
        self.label_with(name, count, &LabelOptions::default(), run);
    }

    /// The same, with options.
    pub fn label_with(
        &mut self,
        name: &str,
        count: u64,
        options: &LabelOptions,
        run: impl Fn(&mut Process<'_>) + 'static,
    ) {
        match self.recorder.label(name, count, options.memory, options.on.as_deref(), options.start_s) {
            Ok(_) => self.runs.push(Box::new(run)),
            Err(problem) => self.keep(Err(problem)),
        }
    }

    /// A message to the user of the simulation.
    pub fn log(&mut self, text: &str) {
        let result = self.recorder.log(text.to_owned());
        self.keep(result);
    }

    fn keep(&mut self, result: Result<(), Problem>) {
        if let (None, Err(problem)) = (&self.problem, result) {
            self.problem = Some(problem);
        }
    }

    /// Records all processes.
    ///
    /// # Errors
    /// The first mistake in a call; collectives in different order, farms and one-to-one messages without their
    /// counterpart.
    pub fn build(mut self) -> Result<Application, Problems> {
        for (label, run) in self.runs.iter().enumerate() {
            if let Some(problem) = self.problem.take() {
                return Err(problem.into());
            }
            record_label(&mut self.recorder, label as u32, run).map_err(Problems::from)?;
        }
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        check::finish(&mut self.recorder.app, &self.recorder.awaited)?;
        Ok(self.recorder.app)
    }
}

/// Runs the function of a label: once, and for each rank if it asks for its rank.
fn record_label(recorder: &mut Recorder, label: u32, run: &Run) -> Result<(), Problem> {
    let count = recorder.app.labels[label as usize].count;
    recorder.begin_label();
    let mut programs = Vec::new();
    let mut rank = 0;
    while rank < count {
        let ranked = rank > 0;
        let (program, asked) = process::record(recorder, label, rank, ranked, run)?;
        if !asked && !ranked {
            recorder.app.labels[label as usize].programs = Programs::Same(program);
            return Ok(());
        }
        // The first rank was recorded as if it represented all.
        let program = if ranked { program } else { process::record(recorder, label, 0, true, run)?.0 };
        recorder.charge(4)?;
        programs.push(program);
        rank += 1;
    }
    recorder.app.labels[label as usize].programs = Programs::PerRank(programs);
    Ok(())
}

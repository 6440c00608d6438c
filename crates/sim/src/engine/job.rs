//! The task of an engine.

use crate::application::Application;
use crate::budget::Budget;
use crate::collective::{Choice, Decision, Decisions};
use crate::outcome::Outcome;
use crate::platform::Platform;
use crate::tick::{NANOSECOND, TickLength};
use crate::world::World;
use runcast_core::Problem;

/// A simulation: everything but the application, which live processes may still extend.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Machines and links.
    pub platform: &'a Platform,
    /// Places and costs.
    pub world: &'a dyn World,
    /// Live processes of labels that read messages or the clock.
    pub live: Option<&'a dyn Live>,
    /// How long a tick is.
    pub tick: TickLength,
    /// Which algorithms collectives use.
    pub choice: &'a Choice,
    pub collectives: Collectives,
    /// Algorithms of calls, as far as they are known; none: they are looked for at each call.
    pub decisions: Option<&'a Decisions>,
    /// What it may take, and who may stop it.
    pub budget: &'a Budget<'a>,
    /// Threads that an engine may use.
    pub threads: usize,
}

/// What becomes of collectives where processes exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Collectives {
    /// The messages of their algorithm; those of devices at once: as flows where links are shared, else by formula.
    #[default]
    Usual,
    /// By formula.
    Closed,
    /// The messages of their algorithm.
    Expanded,
}

/// The usual algorithms.
static USUAL: Choice = Choice { fixed: Vec::new(), selector: Vec::new() };

impl<'a> Job<'a> {
    /// Recorded programs on one thread: ticks of a nanosecond, and collectives as the messages of the usual algorithms.
    pub fn new(platform: &'a Platform, world: &'a dyn World, budget: &'a Budget<'a>) -> Job<'a> {
        Job {
            platform,
            world,
            live: None,
            tick: NANOSECOND,
            choice: &USUAL,
            collectives: Collectives::Usual,
            decisions: None,
            budget,
            threads: 1,
        }
    }

    /// The algorithm of a collective.
    ///
    /// # Errors
    /// An unknown algorithm; one of devices for a group that is not laid out for it.
    pub fn decision(&self, application: &Application, collective: u32) -> Result<Decision, Problem> {
        match self.decisions {
            Some(known) => known.of(application, self, collective),
            None => Decisions::new().of(application, self, collective),
        }
    }

    /// Whether all enter a collective before any leaves: it is none of messages.
    pub fn is_at_once(&self, decision: &Decision) -> bool {
        match self.collectives {
            Collectives::Closed => true,
            Collectives::Expanded => false,
            Collectives::Usual => matches!(decision, Decision::Devices(_, layout) if layout.on_devices),
        }
    }
}

/// How closely a simulation looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fidelity {
    /// One clock a class of identical processes, closed formulas.
    Label,
    /// Every process, messages by LogGOPS, links not shared.
    Loggops,
    /// Every process, links shared max-min fairly.
    Flow,
}

runcast_core::words!(Fidelity::word: Label = "label", Loggops = "loggops", Flow = "flow");

pub type Engine = fn(&Job<'_>, &mut Application, &mut dyn crate::outcome::Observer) -> Result<Outcome, Problem>;

/// Processes that are run alongside simulated time.
pub trait Live: Send + Sync {
    /// Starts a process.
    ///
    /// # Errors
    /// Those of the script.
    fn start(&self, process: u64, application: &Application) -> Result<Box<dyn LiveProcess>, Problem>;

    /// The same processes for another simulation, which knows nothing of this one: repetitions that run side by side each
    /// take their own. None: this one may be used again and at once.
    ///
    /// # Errors
    /// Those of the script.
    fn another(&self) -> Result<Option<Box<dyn Live>>, Problem> {
        Ok(None)
    }
}

/// A process that is run alongside simulated time.
pub trait LiveProcess {
    /// What it does next; none: it has ended. Blocks, collectives, farms and sites that it names are added to the application.
    ///
    /// # Errors
    /// Those of the script.
    fn next(
        &mut self,
        feedback: &Feedback,
        application: &mut Application,
    ) -> Result<Option<(crate::application::Op, crate::application::Site)>, Problem>;
}

/// What a live process learns when its last operation is done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Feedback {
    /// Simulated time, in seconds.
    pub now_s: f64,
    /// The message that a blocking receive, or the wait for a receive, got.
    pub received: Option<Received>,
    /// Which of several requests were complete: their places in the set.
    pub completed: Vec<u32>,
}

/// A message as its receiver sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Received {
    /// Process number of the sender.
    pub from: u64,
    /// Bytes.
    pub size: u64,
    pub tag: crate::application::Tag,
}

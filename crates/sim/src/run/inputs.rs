//! Everything that a run reads, read once: repeated simulations open no file.

use super::interrupted;
use crate::budget::{MOST_EVENTS, Monitor};
use crate::collective::selector::SELECTORS;
use crate::experiment::{Experiment, Named, PlaceEntry, Spot};
use crate::noise::Trace;
use crate::platform::LogGops;
use crate::tick::{PICOSECOND, TickLength};
use crate::volunteer::Recorded;
use runcast_core::{Problem, Problems};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Settings outside the experiment file.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How long a tick is.
    pub tick: TickLength,
    /// LogGOPS parameters in place of a system.
    pub loggops: Option<LogGops>,
    /// Steps that a script may take.
    pub script_steps: u64,
    /// Bytes that a script may hold.
    pub script_memory: u64,
    /// Classes that the label level may make of all labels.
    pub max_classes: u64,
    /// Events that a simulation may take.
    pub max_events: u64,
    /// Bytes of memory that the whole process may take; none: any.
    pub max_memory: Option<u64>,
    /// Observes progress, and may stop the work.
    pub monitor: Monitor,
    /// Whether unused components draw power.
    pub include_unused: bool,
    /// Whether components fail, where neither experiment nor system says so.
    pub faults: bool,
    /// Price of a kilowatt-hour.
    pub energy_price: Option<f64>,
    /// Files of coefficients, the later over the earlier, beside that of the experiment.
    pub coeff: Vec<Named>,
    /// Places of labels in all applications, in place of those of the experiment.
    pub map: Vec<PlaceEntry>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            tick: PICOSECOND,
            loggops: None,
            script_steps: 1_000_000_000,
            script_memory: 1 << 30,
            max_classes: 4096,
            max_events: MOST_EVENTS,
            max_memory: None,
            monitor: Monitor::default(),
            include_unused: false,
            faults: false,
            energy_price: None,
            coeff: Vec::new(),
            map: Vec::new(),
        }
    }
}

/// A text with the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The file, as the user would name it from where they are.
    pub file: String,
    pub text: String,
}

/// Everything that a run reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    pub experiment: Experiment,
    /// What is beside it.
    pub settings: Settings,
    /// The system file; none with LogGOPS parameters in its place.
    pub system: Option<Text>,
    /// Files that add to the catalogue.
    pub catalogue: Vec<Text>,
    /// The scripts, in the order of the applications; equal ones are there once each.
    pub scripts: Vec<Text>,
    /// Files of coefficients, the later over the earlier.
    pub coefficients: Vec<Text>,
    /// Recorded interruptions.
    pub trace: Option<Arc<Trace>>,
    /// When volunteers are on.
    pub recorded: Option<Arc<Recorded>>,
    /// Rows by which collectives choose algorithms.
    pub selector: Option<Text>,
}

/// Gives the content of a file.
pub type Files<'f> = dyn FnMut(&Path) -> Result<String, Problem> + 'f;

impl Inputs {
    /// Reads all files that an experiment names. Names in the experiment file are relative to it, names in options to the
    /// current folder.
    ///
    /// # Errors
    /// A file that cannot be read, with the place that names it; no system; both a system and LogGOPS parameters.
    pub fn read(experiment: Experiment, settings: Settings, files: &mut Files<'_>) -> Result<Inputs, Problems> {
        let system = match (&experiment.system, settings.loggops) {
            (Some(_), Some(_)) => {
                let problem =
                    Problem::new("conflict", "both a system and LogGOPS parameters are given").at("--loggops");
                return Err(problem.hint("drop one of them").into());
            }
            (None, None) => {
                let problem = Problem::new("missing", "there is no system to simulate on").at("system");
                let problem =
                    if experiment.file.is_empty() { problem } else { problem.in_file(experiment.file.clone()) };
                let hint =
                    "give a system: system = \"FILE\" in the experiment, --system FILE, or --loggops L=2us,o=1us,..";
                return Err(problem.hint(hint).into());
            }
            (named, _) => named.clone(),
        };
        let mut reader = Reader { experiment: &experiment, files, problems: Vec::new() };
        let system = system.and_then(|named| reader.read(&named));
        let catalogue = reader.all(&experiment.catalogue);
        let scripts: Vec<Text> = experiment.apps.iter().filter_map(|app| reader.read(&app.file)).collect();
        let coefficients: Vec<Named> = experiment.coeff.iter().chain(&settings.coeff).cloned().collect();
        let coefficients = reader.all(&coefficients);
        let trace = experiment.noise_trace.as_ref().and_then(|named| reader.read(named));
        let trace = trace.and_then(|text| match Trace::parse(&text.text, &text.file) {
            Ok(trace) => Some(Arc::new(trace)),
            Err(problem) => {
                reader.problems.push(problem);
                None
            }
        });
        let recorded = experiment.volunteer_trace.as_ref().and_then(|named| reader.read(named));
        let recorded = recorded.and_then(|text| match Recorded::parse(&text.text, &text.file) {
            Ok(recorded) => Some(Arc::new(recorded)),
            Err(problem) => {
                reader.problems.push(problem);
                None
            }
        });
        let is_file = |named: &&Named| !SELECTORS.contains(&named.name.as_str());
        let selector = experiment.selector.as_ref().filter(is_file).and_then(|named| reader.read(named));
        if !reader.problems.is_empty() {
            return Err(Problems(reader.problems));
        }
        Ok(Inputs { experiment, settings, system, catalogue, scripts, coefficients, trace, recorded, selector })
    }
}

/// Where a file is that an experiment names: beside the experiment, or, for what options name, as it is.
pub fn beside(experiment: &str, named: &Named) -> PathBuf {
    let folder = Path::new(experiment).parent().filter(|_| named.spot.line > 0);
    folder.map_or_else(|| PathBuf::from(&named.name), |folder| folder.join(&named.name))
}

/// How a path is shown: `experiments/../systems/lab.toml` is `systems/lab.toml`. It is not opened by this name: `..` of a
/// link leads elsewhere.
fn shown(path: &Path) -> String {
    let mut told = PathBuf::new();
    for part in path.components() {
        match (part, told.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(told.pop()),
            _ => told.push(part),
        }
    }
    told.display().to_string()
}

struct Reader<'a, 'f> {
    experiment: &'a Experiment,
    files: &'a mut Files<'f>,
    problems: Vec<Problem>,
}

impl Reader<'_, '_> {
    fn read(&mut self, named: &Named) -> Option<Text> {
        let path = self.path(named);
        match (self.files)(&path) {
            Ok(text) => Some(Text { file: shown(&path), text }),
            Err(problem) => {
                self.problems.push(self.named_at(&named.spot, problem));
                None
            }
        }
    }

    fn all(&mut self, named: &[Named]) -> Vec<Text> {
        named.iter().filter_map(|named| self.read(named)).collect()
    }

    fn path(&self, named: &Named) -> PathBuf {
        beside(&self.experiment.file, named)
    }

    /// An unreadable file is reported with the place that names it.
    fn named_at(&self, spot: &Spot, problem: Problem) -> Problem {
        if spot.line == 0 || problem.hint.as_deref().is_some_and(|hint| hint.contains("named in")) {
            return problem;
        }
        let by = format!("it is named in {}:{}", self.experiment.file, spot.line);
        let hint = problem.hint.as_ref().map_or(by.clone(), |hint| format!("{hint}; {by}"));
        problem.hint(hint)
    }
}

/// Whether an end was requested.
pub(super) fn look(interrupt: &AtomicBool) -> Result<(), Problems> {
    if interrupt.load(Ordering::Relaxed) { Err(interrupted().into()) } else { Ok(()) }
}

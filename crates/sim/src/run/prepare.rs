//! Prepares what was read for simulation: applications recorded for their parameters, the system with its hardware,
//! coefficients laid over. Cheap to make again: what did not change is taken over.

use super::inputs::{Inputs, Text};
use super::join::{self, JoinedLive};
use crate::application::{Application, Programs};
use crate::catalogue::Catalogue;
use crate::collective::{Choice, Row, selector};
use crate::experiment::{Order, PlaceEntry, Value};
use crate::faults::Faults;
use crate::job::{Fidelity, Live};
use crate::model::{CoefficientFile, Model};
use crate::place::Share;
#[cfg(feature = "luau")]
use crate::script;
use crate::system::{self, System};
use runcast_core::{Problem, Problems, Warning};
use runcast_formula::Formula;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// From this many processes on, links are not followed unless requested.
const MOST_AT_FLOW: u64 = 4096;

/// What differs from the experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variation {
    /// Parameters, in every application that has them.
    pub params: BTreeMap<String, Value>,
    /// Hardware by component or network.
    pub hardware: BTreeMap<String, String>,
    /// Attributes of components and networks, by `ID.KEY`.
    pub attributes: BTreeMap<String, String>,
    /// Networks by group.
    pub networks: BTreeMap<String, String>,
    /// Coefficients by name, without `c.`, in every model that has them.
    pub coefficients: BTreeMap<String, f64>,
    /// Laws of blocks that a calibration tries, laid over models behind the files.
    pub laws: Vec<Arc<CoefficientFile>>,
    /// Sizes of noise by name ([`crate::noise::NoiseSpec::set`]).
    pub noise: BTreeMap<String, f64>,
    /// How closely to look.
    pub fidelity: Option<Fidelity>,
    /// Places of labels, in place of what is said elsewhere.
    pub map: Vec<PlaceEntry>,
    /// Machines that applications have for themselves, by application.
    pub shares: BTreeMap<String, Share>,
    /// Components and networks that keep the hardware of the system file, and attributes that keep the value there.
    pub as_in_file: BTreeSet<String>,
    /// Components and networks whose entry is twice as good in every figure, and attributes whose value is: to see what
    /// depends on it.
    pub doubled: BTreeSet<String>,
}

impl Variation {
    /// Takes a value for a name as `[vary]` and options write it: a parameter, `hardware.ID`, `use.GROUP`, `c.NAME`,
    /// `map.LABEL` (or `place.LABEL`), `share.APP`, `ID.KEY`, `noise.NAME`, `fidelity`.
    ///
    /// # Errors
    /// A value that the name cannot have.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Problem> {
        let wrong = |allowed: &str| {
            Problem::new("wrong_type", format!("{name} cannot be {value}"))
                .at(name)
                .value(value.to_string())
                .allowed(allowed)
        };
        if let Some(component) = name.strip_prefix("hardware.") {
            self.hardware.insert(component.to_owned(), value.to_string());
        } else if let Some(group) = name.strip_prefix("use.") {
            self.networks.insert(group.to_owned(), value.to_string());
        } else if let Some(coefficient) = name.strip_prefix("c.") {
            let Some(number) = value.number() else { return Err(wrong("a number")) };
            self.coefficients.insert(coefficient.to_owned(), number);
        } else if let Some(size) = name.strip_prefix("noise.") {
            let Some(number) = value.number() else { return Err(wrong("a number")) };
            self.noise.insert(size.to_owned(), number);
        } else if let Some(label) = name.strip_prefix("map.").or_else(|| name.strip_prefix("place.")) {
            let place = place_option(&format!("{label}={value}")).map_err(|problem| problem.at(name))?;
            self.map.retain(|known| known.label != label);
            self.map.push(place);
        } else if let Some(app) = name.strip_prefix("share.") {
            let share = Share::parse(&value.to_string()).map_err(|problem| problem.at(name))?;
            self.shares.insert(app.to_owned(), share);
        } else if name == "fidelity" {
            let word = value.to_string();
            let found = Fidelity::WORDS.iter().position(|known| *known == word);
            self.fidelity = Some(Fidelity::ALL[found.ok_or_else(|| wrong(&Fidelity::WORDS.join(", ")))?]);
        } else if name.contains('.') {
            self.attributes.insert(name.to_owned(), value.to_string());
        } else {
            self.params.insert(name.to_owned(), value);
        }
        Ok(())
    }
}

#[derive(Clone)]
pub struct Prepared {
    pub inputs: Arc<Inputs>,
    /// What differs from it.
    pub variation: Variation,
    pub recorded: Arc<RecordedApps>,
    /// The system; none with LogGOPS parameters in its place.
    pub system: Option<Arc<SystemRead>>,
    /// How closely is looked.
    pub fidelity: Fidelity,
    /// Which algorithms collectives use.
    pub choice: Choice,
    /// Files of coefficients, the later over the earlier.
    pub coefficients: Vec<CoefficientFile>,
    /// Stands for this configuration in random streams.
    pub configuration: u64,
}

/// A system as it was read, with the hardware that it was read for.
#[derive(Debug)]
pub struct SystemRead {
    pub system: System,
    /// Warnings of its reader.
    pub warnings: Vec<Warning>,
    changes: system::Changes,
}

/// Applications as they were recorded and joined.
pub struct RecordedApps {
    pub application: Application,
    pub live: Option<Box<dyn Live>>,
    /// Each by itself.
    pub apps: Vec<RecordedApp>,
    /// Warnings of the recorder.
    pub warnings: Vec<Warning>,
    params: Vec<BTreeMap<String, Value>>,
}

/// An application of several.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedApp {
    pub name: String,
    /// When it starts, in seconds.
    pub start_s: f64,
    /// Its parameters with their values.
    pub params: Vec<(String, Value)>,
    /// Number of its processes.
    pub processes: u64,
}

/// Records applications and reads the system, for one configuration.
///
/// # Errors
/// Everything that is wrong with the files; limits that a script reached.
pub fn prepare(inputs: &Arc<Inputs>, variation: &Variation) -> Result<Prepared, Problems> {
    prepare_after(inputs, variation, None)
}

/// As [`prepare`]; what has the same parameters or the same hardware as in `before` is taken over.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_after(
    inputs: &Arc<Inputs>,
    variation: &Variation,
    before: Option<&Prepared>,
) -> Result<Prepared, Problems> {
    let before = before.filter(|before| Arc::ptr_eq(&before.inputs, inputs));
    let system = read_system(inputs, variation, before)?;
    let recorded = record(inputs, variation, before)?;
    of(inputs, variation, system, recorded)
}

/// As [`prepare`], for an application that no script made, such as one that was read from traces.
///
/// # Errors
/// What is wrong with the system and the options.
pub fn prepare_recorded(
    inputs: &Arc<Inputs>,
    variation: &Variation,
    application: Application,
    warnings: Vec<Warning>,
) -> Result<Prepared, Problems> {
    let system = read_system(inputs, variation, None)?;
    let apps = vec![told(&application, 0.0)];
    let recorded = RecordedApps { application, live: None, apps, warnings, params: Vec::new() };
    of(inputs, variation, system, Arc::new(recorded))
}

fn of(
    inputs: &Arc<Inputs>,
    variation: &Variation,
    system: Option<Arc<SystemRead>>,
    recorded: Arc<RecordedApps>,
) -> Result<Prepared, Problems> {
    let coefficients = inputs
        .coefficients
        .iter()
        .map(|Text { file, text }| CoefficientFile::read(text, file))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(name) = variation.shares.keys().find(|name| recorded.apps.iter().all(|app| app.name != **name)) {
        let problem = Problem::new("unknown_application", format!("there is no application {name}"));
        let known: Vec<&str> = recorded.apps.iter().map(|app| app.name.as_str()).collect();
        return Err(problem.at(format!("share.{name}")).value(name.as_str()).one_of(name, known).into());
    }
    let fidelity = variation.fidelity.or(inputs.experiment.fidelity);
    let fidelity = fidelity.unwrap_or_else(|| default_fidelity(inputs, &recorded.application));
    if fidelity == Fidelity::Flow && inputs.system.is_none() {
        let problem =
            Problem::new("no_links", "LogGOPS parameters have no links that could be shared").at("--fidelity");
        return Err(problem.value("flow").allowed("label, loggops").hint("give a system for flow").into());
    }
    Ok(Prepared {
        inputs: inputs.clone(),
        variation: variation.clone(),
        recorded,
        system,
        fidelity,
        choice: choice(inputs)?,
        coefficients,
        configuration: configuration(variation),
    })
}

/// The catalogue of hardware, with the files that add to it.
///
/// # Errors
/// What is wrong with those.
pub fn catalogue(inputs: &Inputs) -> Result<Cow<'static, Catalogue>, Problems> {
    if inputs.catalogue.is_empty() {
        return Ok(Cow::Borrowed(Catalogue::builtin()));
    }
    let files: Vec<(String, String)> =
        inputs.catalogue.iter().map(|text| (text.file.clone(), text.text.clone())).collect();
    Ok(Cow::Owned(Catalogue::builtin().extended(&files).map_err(Problems)?))
}

impl Prepared {
    /// The same in another variation.
    ///
    /// # Errors
    /// As [`prepare`].
    pub fn again(&self, variation: &Variation) -> Result<Prepared, Problems> {
        prepare_after(&self.inputs, variation, Some(self))
    }

    /// Number of processes.
    pub fn processes(&self) -> u64 {
        self.recorded.application.processes()
    }

    /// Whether faults happen, and how applications save their state: the experiment says so before the system.
    pub(super) fn faults(&self) -> Option<Faults> {
        let experiment = &self.inputs.experiment;
        let of_system = || self.system.as_ref().and_then(|read| read.system.faults);
        let faults = experiment.faults.or_else(of_system);
        let known = experiment.checkpoint.map(|checkpoint| Faults { checkpoint, ..Faults::default() });
        match faults {
            Some(faults) if faults == Faults::default() => known.or(Some(faults)),
            None if self.inputs.settings.faults => known.or(Some(Faults::default())),
            faults => faults,
        }
    }

    /// Models of the system with the files of coefficients and laws that are laid over.
    ///
    /// # Errors
    /// A model that the system does not have.
    pub fn models(&self) -> Result<Vec<Model>, Problem> {
        let mut models = self.system.as_ref().map(|read| read.system.models.clone()).unwrap_or_default();
        if models.is_empty() {
            models.push(Model::default_model());
        }
        for file in self.coefficients.iter().chain(self.variation.laws.iter().map(AsRef::as_ref)) {
            file.lay_over(&mut models)?;
        }
        Ok(models)
    }
}

/// `--map label=on:per:order`: parts may be empty.
///
/// # Errors
/// It is written in another way.
pub fn place_option(text: &str) -> Result<PlaceEntry, Problem> {
    let wrong = |message: &str| {
        let problem = Problem::new("bad_option", message).at("--map").value(text);
        problem.allowed("LABEL=COMPONENT:PER:ORDER, such as sorter=node:12:block; trailing parts may be omitted")
    };
    let (label, rest) = text.split_once('=').ok_or_else(|| wrong("there is no ="))?;
    let mut parts = rest.split(':').map(str::trim);
    let on = parts.next().filter(|on| !on.is_empty()).map(str::to_owned);
    let per = match parts.next().filter(|per| !per.is_empty()) {
        Some(per) => match (per.parse::<f64>(), Formula::parse(per)) {
            (Ok(number), _) if number < 1.0 || number.fract() != 0.0 => {
                return Err(wrong("the number on each is not a whole number above 0"));
            }
            (_, Ok(per)) => Some(per),
            (_, Err(_)) => return Err(wrong("the number on each is neither a number nor a formula of parameters")),
        },
        None => None,
    };
    let order = match parts.next() {
        None | Some("" | "block") => Order::Block,
        Some("cyclic") => Order::Cyclic,
        Some(_) => return Err(wrong("the order is block or cyclic")),
    };
    if label.trim().is_empty() || parts.next().is_some() {
        return Err(wrong("it is not a label with a component, how many on each, and an order"));
    }
    let spot = crate::experiment::Spot { line: 0, column: 0, pointer: "--map".to_owned() };
    Ok(PlaceEntry { label: label.trim().to_owned(), on, per, order, count: None, spot })
}

/// Flow where links can be followed, within bounds.
fn default_fidelity(inputs: &Inputs, application: &Application) -> Fidelity {
    if inputs.system.is_some() && application.processes() <= MOST_AT_FLOW { Fidelity::Flow } else { Fidelity::Loggops }
}

/// A number that differs where the configuration does.
fn configuration(variation: &Variation) -> u64 {
    // FNV-1a over the text: the same on every machine.
    let text = format!("{:?}{:?}{:?}", variation.params, variation.hardware, variation.networks);
    let text = if variation.attributes.is_empty() { text } else { format!("{text}{:?}", variation.attributes) };
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn choice(inputs: &Inputs) -> Result<Choice, Problems> {
    let mut choice = Choice { selector: selector(inputs)?, ..Choice::default() };
    for (name, algorithm) in &inputs.experiment.algorithms {
        choice.fix(&format!("{name}={algorithm}")).map_err(|problem| {
            let problem = problem.at(format!("algorithms.{name}"));
            if inputs.experiment.file.is_empty() { problem } else { problem.in_file(inputs.experiment.file.clone()) }
        })?;
    }
    Ok(choice)
}

/// The rows by which collectives choose.
fn selector(inputs: &Inputs) -> Result<Vec<Row>, Problems> {
    if let Some(text) = &inputs.selector {
        return selector::read(&text.text, &text.file);
    }
    let rows = inputs.experiment.selector.as_ref().and_then(|named| selector::builtin(&named.name));
    Ok(rows.map(<[Row]>::to_vec).unwrap_or_default())
}

fn read_system(
    inputs: &Inputs,
    variation: &Variation,
    before: Option<&Prepared>,
) -> Result<Option<Arc<SystemRead>>, Problems> {
    let Some(text) = &inputs.system else { return Ok(None) };
    let mut hardware: BTreeMap<String, String> = inputs.experiment.hardware.iter().cloned().collect();
    hardware.extend(variation.hardware.clone());
    hardware.retain(|id, _| !variation.as_in_file.contains(id));
    let set =
        variation.attributes.clone().into_iter().filter(|(name, _)| !variation.as_in_file.contains(name)).collect();
    let doubled = variation.doubled.iter().cloned().collect();
    let changes = system::Changes { hardware: hardware.into_iter().collect(), set, doubled };
    if let Some(known) = before.and_then(|before| before.system.as_ref())
        && known.changes == changes
    {
        return Ok(Some(known.clone()));
    }
    let catalogue = catalogue(inputs)?;
    let read = system::read(&text.text, &text.file, &catalogue, &changes).map_err(Problems)?;
    Ok(Some(Arc::new(SystemRead { system: read.system, warnings: read.warnings, changes })))
}

fn record(inputs: &Inputs, variation: &Variation, before: Option<&Prepared>) -> Result<Arc<RecordedApps>, Problems> {
    let params: Vec<BTreeMap<String, Value>> = inputs
        .experiment
        .apps
        .iter()
        .map(|app| {
            let mut params: BTreeMap<String, Value> = app.params.iter().cloned().collect();
            params.extend(variation.params.clone());
            params
        })
        .collect();
    if let Some(known) = before.map(|before| &before.recorded)
        && known.params == params
    {
        return Ok(known.clone());
    }
    let mut parts = Vec::with_capacity(params.len());
    let mut warnings = Vec::new();
    let mut apps = Vec::with_capacity(params.len());
    let mut unused: Option<BTreeSet<String>> = None;
    for ((app, text), params) in inputs.experiment.apps.iter().zip(&inputs.scripts).zip(&params) {
        let mut recorded = run_script(text, params, inputs)?;
        if let Some(name) = &app.name {
            recorded.application.name.clone_from(name);
        }
        warnings.append(&mut recorded.warnings);
        warn_unused(app, &recorded.unused, variation, &inputs.experiment.file, &mut warnings);
        let mine: BTreeSet<String> = recorded.unused.into_iter().collect();
        unused = Some(unused.map_or(mine.clone(), |all| all.intersection(&mine).cloned().collect()));
        apps.push(told(&recorded.application, app.start_s));
        parts.push((recorded.application, recorded.live, app.start_s));
    }
    if let Some(name) = variation.params.keys().find(|name| unused.as_ref().is_some_and(|all| all.contains(*name))) {
        return Err(unknown_parameter(name, &apps).into());
    }
    let is_live = |application: &Application| application.labels.iter().any(|label| label.programs == Programs::Live);
    let several = parts.len() > 1 && parts.iter().any(|(application, ..)| is_live(application));
    let mut lives = Vec::with_capacity(parts.len());
    let mut to_join = Vec::with_capacity(parts.len());
    for (application, live, start_s) in parts {
        lives.push((live, if several { application.clone() } else { Application::default() }));
        to_join.push((application, start_s));
    }
    let (application, offsets) = join::join(to_join);
    let live = if several {
        Some(Box::new(JoinedLive::new(lives, &offsets)) as Box<dyn Live>)
    } else {
        lives.into_iter().find_map(|(live, _)| live)
    };
    Ok(Arc::new(RecordedApps { application, live, apps, warnings, params }))
}

#[cfg(feature = "luau")]
fn run_script(text: &Text, params: &BTreeMap<String, Value>, inputs: &Inputs) -> Result<script::Recorded, Problems> {
    let limits = script::Limits {
        steps: inputs.settings.script_steps,
        memory_bytes: inputs.settings.script_memory,
        seed: inputs.experiment.seed,
        monitor: inputs.settings.monitor.clone(),
        ..script::Limits::default()
    };
    let value = |value: &Value| match value {
        Value::Number(number) => script::Value::Number(*number),
        Value::Text(text) => script::Value::Text(text.clone()),
    };
    let params = params.iter().map(|(name, given)| (name.clone(), value(given))).collect();
    script::record(&text.text, &text.file, &params, &limits).map_err(Problems)
}

/// What a script would leave.
#[cfg(not(feature = "luau"))]
struct NoScript {
    application: Application,
    live: Option<Box<dyn Live>>,
    warnings: Vec<Warning>,
    unused: Vec<String>,
}

#[cfg(not(feature = "luau"))]
fn run_script(text: &Text, _: &BTreeMap<String, Value>, _: &Inputs) -> Result<NoScript, Problems> {
    let problem = Problem::new("no_scripts", "this runcast was built without scripts").in_file(text.file.clone());
    Err(problem.hint("build it with the feature luau").into())
}

fn told(application: &Application, start_s: f64) -> RecordedApp {
    let value = |parameter: &crate::application::Parameter| match &parameter.text {
        Some(text) => Value::Text(text.clone()),
        None => Value::Number(parameter.value),
    };
    RecordedApp {
        name: application.name.clone(),
        start_s,
        params: application.parameters.iter().map(|known| (known.name.clone(), value(known))).collect(),
        processes: application.processes(),
    }
}

/// Parameters of the experiment file that the script does not have.
fn warn_unused(
    app: &crate::experiment::App,
    unused: &[String],
    variation: &Variation,
    file: &str,
    warnings: &mut Vec<Warning>,
) {
    for name in unused.iter().filter(|name| !variation.params.contains_key(*name)) {
        let message = format!("{} has no parameter {name}: it is ignored", app.file.name);
        let warning = Warning::new("unused_parameter", message);
        warnings.push(if file.is_empty() { warning } else { warning.in_file(file, app.file.spot.line.max(1)) });
    }
}

fn unknown_parameter(name: &str, apps: &[RecordedApp]) -> Problem {
    let mut known: Vec<&str> = apps.iter().flat_map(|app| app.params.iter().map(|(name, _)| name.as_str())).collect();
    known.sort_unstable();
    known.dedup();
    let problem = Problem::new("unknown_parameter", format!("no application has a parameter {name}"));
    problem.at(name).value(name).one_of(name, known)
}

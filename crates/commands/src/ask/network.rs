//! What if the network were twice as fast?

use super::fields::{Fields, at, pointer};
use super::shell::{Shell, argv};
use super::{Bar, Picture, Told, caveats, samples};
use crate::command::Command;
use crate::failure::Failure;
use crate::human;
use crate::sentence::change::{self, Changed, Part};
use crate::sim::Sim;
use crate::sim::run::inputs;
use runcast_core::Problem;
use serde_json::Value;

/// Names of parameters that count processes, the likeliest first.
const COUNTS: [&str; 5] = ["p", "np", "nprocs", "procs", "processes"];

/// What must be read.
pub fn reads(fields: &mut Fields<'_>) -> Result<Vec<Vec<String>>, Failure> {
    let name = if fields.optional("source")?.is_some() { "source" } else { "experiment" };
    let path = fields.text(name, samples::EXPERIMENT)?;
    Ok(vec![argv(["sim", "run", &path])])
}

/// An experiment at its largest number of processes.
pub struct Experiment {
    path: String,
    system: Option<String>,
    count: Option<String>,
    /// Where it is run; none: as its application says.
    pub processes: Option<f64>,
}

impl Experiment {
    /// Reads it.
    pub fn look(path: &str, asked: Option<f64>, shell: &mut Shell<'_>) -> Result<Experiment, Failure> {
        let other = || Failure::undone(Problem::new("internal", "another command was read"));
        let Command::Sim(args) = shell.admit(&argv(["sim", "run", path]))?.command else { return Err(other()) };
        let Sim::Run(args) = &args.to else { return Err(other()) };
        let inputs = inputs::read(&args.experiment, shell.context)?;
        let varied = COUNTS.iter().find_map(|name| inputs.experiment.vary.iter().find(|varied| varied.name == **name));
        let largest =
            varied.and_then(|varied| varied.values.iter().filter_map(|value| value.number()).reduce(f64::max));
        Ok(Experiment {
            path: path.to_owned(),
            system: inputs.system.as_ref().map(|system| system.file.clone()),
            count: varied.map(|varied| varied.name.clone()).or_else(|| asked.map(|_| COUNTS[0].to_owned())),
            processes: asked.or(largest),
        })
    }

    /// The command line.
    pub fn line(&self) -> Vec<String> {
        let mut line = argv(["sim", "run", &self.path]);
        if let (Some(name), Some(count)) = (&self.count, self.processes) {
            line.extend(["--set".to_owned(), format!("{name}={}", human::parameter(count))]);
        }
        line
    }
}

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["experiment", "what", "factor", "p"])?;
    let path = fields.text("experiment", samples::EXPERIMENT)?;
    let experiment = Experiment::look(&path, fields.number("p")?, shell).map_err(at("experiment"))?;
    let word = fields.text("what", Part::Bandwidth.word())?;
    let part = Part::ALL.into_iter().find(|part| part.word() == word).ok_or_else(|| {
        let problem = Problem::new("invalid_value", "this is not made better here").at(pointer("what"));
        problem.value(word.as_str()).allowed(Part::WORDS.join(", ")).hint("other numbers of nodes: edit the system")
    })?;
    let factor = fields.number("factor")?.unwrap_or(2.0);
    fields.fill("factor", factor);
    let system = experiment.system.clone().ok_or_else(|| {
        let problem = Problem::new("missing", "the experiment has no system").at(pointer("experiment"));
        problem.hint("give it one: system = \"FILE\"")
    })?;
    let shown = shell.look(&argv(["sim", "system", "show", &system])).map_err(at("experiment"))?;
    let now = shell.run(&experiment.line()).map_err(at("experiment"))?;
    let mut run = |part: Part| -> Result<Changed, Failure> {
        let settings = better(&shown, part, factor);
        if settings.is_empty() {
            let problem = Problem::new("no_figure", format!("the system gives no {part}")).at(pointer("what"));
            return Err(problem.value(part.word()).allowed(Part::WORDS.join(", ")).into());
        }
        let mut line = experiment.line();
        line.extend(settings.into_iter().flat_map(|setting| ["--set".to_owned(), setting]));
        let document = shell.run(&line).map_err(at("what"))?;
        Ok(Changed { part, factor, time_s: time(&document)? })
    };
    let first = run(part)?;
    let second = match part {
        Part::Bandwidth => Some(run(Part::Latency)?),
        Part::Latency => Some(run(Part::Bandwidth)?),
        Part::Processor | Part::Memory => None,
    };
    let now_s = time(&now)?;
    let counts = &now["counts"];
    let passed = ["messages", "collectives"].iter().filter_map(|name| counts[name].as_u64()).sum();
    let bar = |name: String, value| Bar { name, value };
    let bars = std::iter::once(bar("as it is".to_owned(), now_s)).chain(
        [Some(first), second].into_iter().flatten().map(|changed| {
            let name = format!("{} {} times better", changed.part, human::significant(changed.factor, 3));
            bar(name, changed.time_s)
        }),
    );
    Ok(Told {
        value: Some(1.0 - first.time_s / now_s),
        assumptions: caveats(&now),
        view: "view=dots".to_owned(),
        picture: Picture {
            x: "machine".to_owned(),
            y: "time".to_owned(),
            unit: "s".to_owned(),
            bars: bars.collect(),
            ..Picture::default()
        },
        ..Told::saying(change::of(now_s, passed, first, second))
    })
}

fn time(document: &Value) -> Result<f64, Failure> {
    let time_s = document["time_s"].as_f64().filter(|time_s| *time_s > 0.0);
    time_s.ok_or_else(|| Failure::undone(Problem::new("no_time", "the simulation takes no time")))
}

/// Settings that make a part of a system better by a factor.
fn better(shown: &Value, part: Part, factor: f64) -> Vec<String> {
    type IsChanged = fn(&str, &str) -> bool;
    let list = |name: &str| shown[name].as_array().cloned().unwrap_or_default();
    let kind = |id: &Value| {
        list("components").into_iter().find(|component| component["id"] == *id).map(|one| one["kind"].clone())
    };
    let (things, is_changed): (Vec<Value>, IsChanged) = match part {
        Part::Bandwidth | Part::Latency => {
            let networks = list("networks");
            // Between machines, where there is such a network.
            let between: Vec<Value> = networks
                .iter()
                .filter(|network| kind(&network["of"]).is_some_and(|kind| kind == "group"))
                .cloned()
                .collect();
            let networks = if between.is_empty() { networks } else { between };
            let is_changed: fn(&str, &str) -> bool = match part {
                Part::Latency => |key, _| key == "latency",
                _ => |key, _| key == "bandwidth",
            };
            (networks, is_changed)
        }
        Part::Processor => (list("components"), |key, unit| key == "clock" || unit == "flop/s" || key == "scalar"),
        Part::Memory => (list("components"), |key, _| key.starts_with("mem_bandwidth")),
    };
    let mut settings = Vec::new();
    for thing in things {
        let Some(id) = thing["id"].as_str() else { continue };
        for (key, attribute) in thing["attributes"].as_object().into_iter().flatten() {
            let value = attribute["value"].as_f64();
            let Some(value) = value.filter(|_| is_changed(key, attribute["unit"].as_str().unwrap_or_default())) else {
                continue;
            };
            let value = if part == Part::Latency { value / factor } else { value * factor };
            settings.push(format!("{id}.{key}={}", human::parameter(value)));
        }
    }
    settings
}

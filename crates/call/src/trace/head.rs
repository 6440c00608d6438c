//! Lines `# key: JSON`.

use super::VERSION;
use super::metadata::{Clock, Experiment, FileFacts, Metadata, RunFacts, Tally};
use runcast_core::problem::shorten;
use runcast_core::table::DeclaredRoles;
use runcast_core::{Problem, Warning};
use runcast_formula::template::Template;
use serde_json::{Map, Value};

/// Number of damaged lines reported one by one; more are counted.
const MOST_WARNINGS: usize = 20;

/// The metadata from the lines that begin with `#` so far.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub metadata: Metadata,
    pub file: FileFacts,
    pub roles: Option<DeclaredRoles>,
    pub end: Option<Tally>,
    pub warnings: Vec<Warning>,
}

impl Head {
    /// Takes a line without its `#`.
    ///
    /// # Errors
    /// A version that is not known.
    pub(super) fn take(&mut self, comment: &str, line: u64) -> Result<(), Problem> {
        let Some((key, json)) = comment.split_once(':') else { return Ok(()) };
        let (key, json) = (key.trim(), json.trim());
        if key == "cll-trace" {
            return version(json, line);
        }
        if !["run", "clock", "experiment", "roles", "end"].contains(&key) {
            return Ok(());
        }
        let Ok(Value::Object(fields)) = serde_json::from_str(json) else {
            self.warn(line, format!("the line \"# {key}:\" is damaged: {}", shorten(json, 60)));
            return Ok(());
        };
        match key {
            "run" => self.file.run = Some(run(&fields)),
            "clock" => self.file.clock = Some(clock(&fields)),
            "experiment" => self.experiment(&fields, line),
            "roles" => self.roles(&fields, line),
            _ => {
                let end = tally(&fields);
                self.file.end = Some(end);
                self.end = Some(end);
            }
        }
        Ok(())
    }

    fn experiment(&mut self, fields: &Map<String, Value>, line: u64) {
        let Some(name) = fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            return self.warn(line, "an experiment without a name".to_owned());
        };
        let formula = text(fields, "formula");
        let template = match formula.trim() {
            "" => None,
            formula => match Template::parse_of(name, formula).or_else(|_| Template::parse(formula)) {
                Ok(template) => Some(template),
                Err(error) => {
                    let shown = shorten(formula, 60);
                    self.warn(line, format!("the formula of {name} cannot be read ({shown}): {error}"));
                    None
                }
            },
        };
        let experiment = Experiment {
            name: name.to_owned(),
            template,
            file: text(fields, "file"),
            line: fields.get("line").and_then(Value::as_u64).unwrap_or(0),
            names: list(fields, "names"),
            seg: list(fields, "seg"),
            at_end: text(fields, "at") == "end",
            exits_ok: text(fields, "exits") == "ok",
            mode: text(fields, "mode"),
            trace: String::new(),
            trace_line: line,
        };
        self.metadata.experiments.entry(name.to_owned()).or_insert(experiment);
    }

    fn roles(&mut self, fields: &Map<String, Value>, line: u64) {
        let mut roles = DeclaredRoles {
            parameters: list(fields, "params"),
            metrics: list(fields, "metrics"),
            units: Vec::new(),
            others: Vec::new(),
        };
        if let Some(Value::Object(units)) = fields.get("units") {
            roles.units =
                units.iter().filter_map(|(name, unit)| Some((name.clone(), unit.as_str()?.to_owned()))).collect();
        }
        if let Some(Value::Object(counters)) = fields.get("counters") {
            for (name, reason) in counters {
                if let Some(reason) = reason.as_str().filter(|reason| reason.starts_with("n/a")) {
                    let reason = reason.trim_start_matches("n/a").trim_start_matches(':').trim();
                    self.metadata.counters.insert(name.clone(), reason.to_owned());
                }
            }
        }
        if roles.parameters.is_empty() && roles.metrics.is_empty() {
            return self.warn(line, "the line \"# roles:\" names neither parameters nor metrics".to_owned());
        }
        self.roles = Some(roles);
    }

    fn warn(&mut self, line: u64, message: String) {
        if self.warnings.len() < MOST_WARNINGS {
            let mut warning = Warning::new("damaged_head", message);
            warning.line = Some(line);
            self.warnings.push(warning);
        }
    }
}

fn version(json: &str, line: u64) -> Result<(), Problem> {
    match json.parse::<u64>() {
        Ok(1..=VERSION) => Ok(()),
        _ => Err(Problem::new("version", "a version of traces that this program does not know")
            .at_line(line)
            .at("# cll-trace")
            .value(shorten(json, 40))
            .allowed(format!("1 to {VERSION}"))),
    }
}

fn run(fields: &Map<String, Value>) -> RunFacts {
    let whole = |name: &str| fields.get(name).and_then(Value::as_u64);
    RunFacts {
        name: text(fields, "name"),
        run: whole("run"),
        rank: whole("rank"),
        processes: whole("processes"),
        host: text(fields, "host"),
        placed: text(fields, "placed"),
    }
}

fn clock(fields: &Map<String, Value>) -> Clock {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64).filter(|value| value.is_finite());
    Clock {
        kind: text(fields, "kind"),
        o_in_s: number("o_in_s"),
        o_pair_s: number("o_pair_s"),
        o_value_s: number("o_value_s"),
        o_miss_s: number("o_miss_s"),
    }
}

fn tally(fields: &Map<String, Value>) -> Tally {
    let count = |name: &str| fields.get(name).and_then(Value::as_u64);
    Tally {
        rows: count("rows"),
        open: count("open").unwrap_or(0),
        exit: count("exit").unwrap_or(0),
        clamped: count("clamped").unwrap_or(0),
        rejected: count("rejected").unwrap_or(0),
        spill_s: fields.get("spill_s").and_then(Value::as_f64).filter(|value| value.is_finite()).unwrap_or(0.0),
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list(fields: &Map<String, Value>, name: &str) -> Vec<String> {
    let texts = fields.get(name).and_then(Value::as_array);
    texts.map_or(Vec::new(), |list| list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

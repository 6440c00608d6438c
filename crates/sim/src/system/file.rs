//! Reading a system file (docs/reference/sim-system.md).

mod components;
mod networks;
mod topology;

use super::machines::MOST_RUNS;
use super::{Fate, Parts, System};
use crate::catalogue::Catalogue;
use crate::model::Model;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Source, Table, document};
use runcast_core::{Problem, Warning};
use runcast_formula::nearest;
use std::sync::Arc;

pub(super) use networks::segments;

/// The largest file that is read, in bytes.
const LARGEST: usize = 16 << 20;
/// The value of `format`.
pub const FORMAT: &str = "runcast-system/1";
const KEYS: [&str; 7] = ["format", "name", "default_model", "component", "network", "model", "faults"];

/// Changes to what the file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Other catalogue entries: the id of a component or a network, and the entry.
    pub hardware: Vec<(String, String)>,
    /// Attributes, whatever entry and file say: `ID.KEY` and a value.
    pub set: Vec<(String, String)>,
    /// Ids of those whose entry is twice as good in every figure, and names in `set` whose value is.
    pub doubled: Vec<String>,
}

/// A system with its warnings.
#[derive(Debug, Clone)]
pub struct Read {
    pub system: System,
    /// Suspicious values.
    pub warnings: Vec<Warning>,
}

/// Reads a system file; `file` is its name in messages.
///
/// # Errors
/// All its errors, each with line and column.
pub fn read(text: &str, file: &str, catalogue: &Catalogue, changes: &Changes) -> Result<Read, Vec<Problem>> {
    let source = Source { name: file, text };
    let document = document(source, LARGEST).map_err(|problems| problems.0)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    let system = sections(&mut reader, &top, catalogue, changes);
    let warnings = reader.take_warnings();
    match (reader.take_problems(), system) {
        (None, Some(system)) => Ok(Read { system, warnings }),
        (Some(problems), _) => Err(problems.0),
        (None, None) => Err(vec![Problem::new("empty", "there is no system").in_file(file)]),
    }
}

fn sections(reader: &mut Reader<'_>, top: &Table<'_, '_>, catalogue: &Catalogue, changes: &Changes) -> Option<System> {
    reader.allow(top, &KEYS, "a system");
    format(reader, top);
    let name = match reader.text(top, "name", "a name") {
        Some((name, _)) => name,
        None => stem(reader.source.name),
    };
    let models = crate::model::file::read(reader, top);
    let default_model = model(reader, top, "default_model", &models);
    let components = components::read(reader, top, catalogue, changes)?;
    components::check_models(reader, top, &models);
    let mut system = System {
        name,
        file: reader.source.name.to_owned(),
        components,
        models,
        default_model,
        faults: crate::faults::read(reader, top),
        catalogue: Arc::new(catalogue.clone()),
        ..System::default()
    };
    check_changes(reader, top, &system, changes);
    // Maximum number of distinguishable ids of machines.
    if system.most_runs() > MOST_RUNS {
        let problem = Problem::new("too_large", "identical machines are in too many places");
        reader.wrong(
            &top.place,
            problem.at("component").allowed(format!("at most {MOST_RUNS} runs of identical machines")),
        );
        return None;
    }
    networks::read(reader, top, catalogue, changes, &mut system);
    system.exchange_on_machines();
    if let Err(problem) = system.set(&changes.set, &changes.doubled) {
        reader.wrong_option(problem.in_file(reader.source.name));
    }
    let offset = top.get("component").map_or(0, |node| node.value.span().start);
    for text in system.assume() {
        reader.warn(&Place { offset, pointer: "/network".to_owned() }, "no_network", text);
    }
    Some(system)
}

fn format(reader: &mut Reader<'_>, top: &Table<'_, '_>) {
    match reader.text(top, "format", FORMAT) {
        Some((format, place)) if format != FORMAT => {
            let problem = Problem::new("wrong_format", "this is not a system file, or one of another version");
            reader.wrong(&place, problem.value(format).allowed(FORMAT));
        }
        Some(_) => {}
        None if top.has("format") => {}
        None => reader.missing(top, "format", &format!("format = \"{FORMAT}\" at the top of the file")),
    }
}

/// The name of a model that is there, at a key.
fn model(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str, models: &[Model]) -> Option<String> {
    let (name, place) = reader.text(table, key, "the name of a model")?;
    if models.iter().any(|model| model.name == name) {
        return Some(name);
    }
    let known: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let problem =
        Problem::new("unknown_model", format!("there is no model {}", shorten(&name, 60))).value(name.as_str());
    let problem = problem.allowed(known.join(", "));
    reader.wrong(
        &place,
        match nearest(&name, known) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        },
    );
    None
}

/// Every change names something that may have hardware.
fn check_changes(reader: &mut Reader<'_>, top: &Table<'_, '_>, system: &System, changes: &Changes) {
    // Networks are read later: their ids are looked at as they are in the file.
    let networks = networks::ids(reader, top);
    for (id, entry) in &changes.hardware {
        let component = system.components.iter().find(|component| component.id == *id);
        let has_hardware = component.is_some_and(|component| !component.kind.hardware().is_empty());
        if has_hardware || networks.contains(id) {
            continue;
        }
        let message = match component {
            Some(component) => format!("a {} has no hardware of its own", component.kind),
            None => format!("\"{id}\" is neither a component nor a network of the system"),
        };
        let problem = Problem::new("unknown_component", message).value(format!("{id}={entry}"));
        let problem = problem.in_file(reader.source.name).at(format!("hardware.{id}"));
        let with = system.components.iter().filter(|component| !component.kind.hardware().is_empty());
        let mut ids: Vec<&str> = with.map(|component| component.id.as_str()).collect();
        // A network without an id has that of its group.
        for id in networks.iter().map(String::as_str) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let shown: Vec<&str> = ids.iter().copied().take(20).collect();
        let problem = problem.allowed(shown.join(", "));
        reader.wrong_option(match nearest(id, ids) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        });
    }
}

/// `galera` of `systems/galera.toml`.
pub(crate) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// Reports what an exchange did to what the file sets.
fn tell(reader: &mut Reader<'_>, place: &Place, id: &str, parts: &Parts, fates: &[(String, Fate)]) {
    let name = |entry: &Option<String>| entry.clone().unwrap_or_else(|| "no entry".to_owned());
    let (from, to) = (name(&parts.reference), name(&parts.entry));
    for (key, fate) in fates {
        match fate {
            Fate::Kept => {
                let text = format!("{id}.{key} stays as it was set for {from}: {to} does not give it");
                reader.warn(place, "kept_from_reference", text);
            }
            Fate::Dropped => {
                let text = format!("{id}.{key} is that of {to}, not as it was set for {from}");
                reader.warn(place, "set_dropped", text);
            }
        }
    }
}

/// The entry that a component or a network is to have in place of its own.
fn changed<'c>(changes: &'c Changes, id: &str) -> Option<&'c str> {
    changes.hardware.iter().rev().find(|(changed, _)| changed == id).map(|(_, entry)| entry.as_str())
}

//! Reading `[model.NAME]` sections of a system file, with the place of every formula and name.

mod literal;
mod spread;
mod text;

pub use spread::{law, spread};

use super::{
    Coefficient, DEFAULT, Filter, Location, Model, On, Operand, Rule, RuleFormula, Scale, Sharing, UsedName, Variable,
};
use crate::catalogue::KINDS;
use indexmap::IndexMap;
use runcast_core::Problem;
use runcast_core::toml::{Node, Place, Reader, Table, out_of_range, plain};
use runcast_formula::units::{Powers, Quantity};
use runcast_formula::{Formula, is_name, nearest};
use toml::de::DeValue;

const MODEL: [&str; 4] = ["extends", "coeff", "rule", "sharing"];

/// Reads the models of a file. A model includes what it extends: rules first, so that its own win ties, and
/// coefficients that it does not set itself. The default model is always the first.
pub fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<Model> {
    let mut models = vec![Model::default_model()];
    let Some(sections) = reader.table_at(top, "model") else { return models };
    let mut extends = Vec::new();
    for (name, node) in sections.named() {
        let Some(table) = reader.table(node, sections.at(name), "a table of a model") else { continue };
        if name == DEFAULT {
            let problem = Problem::new("reserved_name", "the model \"default\" is built in and cannot be changed");
            reader.wrong(&table.place, problem.hint("give it another name, and say extends = \"default\""));
            continue;
        }
        let model = model(reader, name, &table, &mut extends);
        models.push(model);
    }
    inherit(reader, &mut models, &extends);
    check_coefficients(reader, &models);
    models
}

fn model(reader: &mut Reader<'_>, name: &str, table: &Table<'_, '_>, extends: &mut Vec<(String, Place)>) -> Model {
    reader.allow(table, &MODEL, "a model");
    let extended = reader.text(table, "extends", "the name of a model");
    let mut model = Model {
        name: name.to_owned(),
        extends: extended.as_ref().map(|(name, _)| name.clone()),
        location: location(reader, &table.place),
        ..Model::default()
    };
    extends.extend(extended.map(|(_, place)| (name.to_owned(), place)));
    model.coefficients = quantities(reader, table, "coeff", coefficient_at);
    if reader.choice(table, "sharing", &["busy", "placed"]) == Some(1) {
        model.sharing = Sharing::Placed;
    }
    for rule in reader.tables(table, "rule") {
        if let Some(rule) = read_rule(reader, &rule) {
            model.add(rule);
        }
    }
    model
}

/// Lays the models that others extend beneath them.
fn inherit(reader: &mut Reader<'_>, models: &mut [Model], extends: &[(String, Place)]) {
    let find = |models: &[Model], name: &str| models.iter().position(|model| model.name == name);
    let own: Vec<Model> = models.to_vec();
    for (name, place) in extends {
        let Some(index) = find(&own, name) else { continue };
        // From the model up to where nothing is extended any more.
        let mut chain = vec![index];
        while let Some(parent) = chain.last().and_then(|last| own[*last].extends.as_deref()) {
            let Some(found) = find(&own, parent) else {
                if chain.len() == 1 {
                    let known: Vec<&str> = own.iter().map(|model| model.name.as_str()).collect();
                    let problem = Problem::new("unknown_model", format!("there is no model {parent}")).value(parent);
                    let mut problem = problem.allowed(known.join(", "));
                    problem.hint = nearest(parent, known).map(|near| format!("did you mean {near}?"));
                    reader.wrong(place, problem);
                }
                break;
            };
            if chain.contains(&found) {
                if found == index {
                    let names: Vec<&str> = chain.iter().map(|index| own[*index].name.as_str()).collect();
                    let message = format!("models extend each other: {} -> {name}", names.join(" -> "));
                    reader.wrong(place, Problem::new("cycle", message).value(parent));
                }
                break;
            }
            chain.push(found);
        }
        let mut whole = Model { rules: Vec::new(), coefficients: IndexMap::new(), ..own[index].clone() };
        for above in chain.iter().rev() {
            whole.rules.extend(own[*above].rules.iter().cloned());
            let coefficients = own[*above].coefficients.iter();
            whole.coefficients.extend(coefficients.map(|(key, value)| (key.clone(), value.clone())));
            if own[*above].sharing != Sharing::default() {
                whole.sharing = own[*above].sharing;
            }
        }
        models[index] = whole;
    }
}

/// Every `c.NAME` must exist: in the model whose rule uses it, or in a model that it extends.
fn check_coefficients(reader: &mut Reader<'_>, models: &[Model]) {
    let mut told: Vec<Location> = Vec::new();
    for model in models {
        for used in model.rules.iter().filter_map(|rule| rule.value.as_ref()).flat_map(|value| &value.names) {
            let Operand::Coefficient(key) = &used.operand else { continue };
            if model.coefficients.contains_key(key) || told.contains(&used.location) {
                continue;
            }
            told.push(used.location.clone());
            let problem = Problem::new("unknown_name", format!("the model {} has no coefficient {key}", model.name));
            let mut problem = problem.value(used.name.as_str());
            if !model.coefficients.is_empty() {
                let known: Vec<&str> = model.coefficients.keys().map(String::as_str).collect();
                problem = problem.allowed(known.join(", "));
            }
            problem.hint = Some(match nearest(key, model.coefficients.keys().map(String::as_str)) {
                Some(near) => format!("did you mean c.{near}?"),
                None => format!("give it a value: coeff = {{ {key} = .. }}"),
            });
            reader.wrong_option(used.location.locate(problem));
        }
    }
}

/// The value of a rule on computing that stands for the default law.
pub const ROOFLINE: &str = "roofline";

pub(super) fn read_rule(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Rule> {
    let mut keys = vec!["on", "value", "spread"];
    keys.extend(Filter::ALL.iter().map(|(_, word)| *word));
    reader.allow(table, &keys, "a rule");
    let words: Vec<&str> = On::all().map(On::word).collect();
    if !table.has("on") {
        reader.missing(table, "on", &words.join(", "));
    }
    let on = reader.choice(table, "on", &words).and_then(|index| On::of_word(words[index]));
    let mut filters = Vec::new();
    for (filter, word) in Filter::ALL {
        filters.extend(reader.text(table, word, "a text").map(|(text, _)| (filter, text)));
    }
    let spread = table.get("spread").and_then(|node| spread(reader, node, &table.at("spread")));
    if !table.has("value") && !table.has("spread") {
        reader.missing(table, "value", "a formula");
    }
    let is_roofline = |node: &Node<'_, '_>| matches!(node.value.get_ref(), DeValue::String(text) if text == ROOFLINE);
    let value = match table.get("value") {
        Some(node) if on == Some(On::Compute) && is_roofline(&node) => None,
        Some(node) => Some(formula(reader, node, &table.at("value"), on?)?),
        None => None,
    };
    Some(Rule { on: on?, filters, value, spread, location: location(reader, &table.place) })
}

/// A formula, or a number.
fn formula(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str, on: On) -> Option<RuleFormula> {
    let place = reader.place(node, pointer);
    let text = match node.value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(_) | DeValue::Float(_) => plain(node.value.get_ref())?.to_string(),
        _ => {
            reader.wrong_type(node, &place, "a formula");
            return None;
        }
    };
    let raw = reader.source.text.get(node.value.span()).unwrap_or_default();
    let inside =
        |offset: usize| Place { offset: place.offset + text::raw_offset(raw, offset), pointer: pointer.to_owned() };
    let (masked, literals) = literal::mask(&text);
    let parsed = match Formula::parse(&masked) {
        Ok(parsed) => parsed,
        Err(error) => {
            let mut problem = Problem::new("bad_formula", error.to_string()).value(text.as_str());
            problem.hint = error.hint();
            let at = inside(error.span().start);
            reader.wrong(&at, problem);
            return None;
        }
    };
    let all: Vec<&str> = parsed.names().iter().map(String::as_str).collect();
    let mut names = Vec::new();
    for name in &all {
        if let Some(one) = literals.iter().find(|one| one.name == *name) {
            let operand = Operand::Coefficient(one.text.clone());
            names.push(UsedName { name: one.text.clone(), operand, location: location(reader, &inside(one.offset)) });
            continue;
        }
        // Where it stands first: compiling without it fails there.
        let others: Vec<&str> = all.iter().copied().filter(|other| other != name).collect();
        let offset = parsed.compile(&others).err().map_or(0, |error| error.span().start);
        let at = inside(offset);
        match operand(name, on) {
            Some(operand) => {
                names.push(UsedName { name: (*name).to_owned(), operand, location: location(reader, &at) })
            }
            None => unknown(reader, &at, name, on),
        }
    }
    if names.len() < all.len() {
        return None;
    }
    match parsed.compile(&all) {
        Ok(program) if !program.compares_texts() => {
            let coefficient = |one: &literal::Literal| {
                let Quantity { value, powers: unit, .. } = one.quantity;
                Coefficient { value, unit, location: location(reader, &inside(one.offset)), ..Coefficient::default() }
            };
            let literals = literals.iter().map(|one| (one.text.clone(), coefficient(one))).collect();
            Some(RuleFormula { text, program, names, literals })
        }
        Ok(_) => {
            let problem = Problem::new("bad_formula", "a formula of a rule cannot compare texts").value(text.as_str());
            reader.wrong(&place, problem.hint("give the rule a filter, such as type = \"sort\""));
            None
        }
        Err(error) => {
            reader.wrong(
                &inside(error.span().start),
                Problem::new("bad_formula", error.to_string()).value(text.as_str()),
            );
            None
        }
    }
}

/// What a name may stand for in a rule about this.
fn operand(name: &str, on: On) -> Option<Operand> {
    if let Some((variable, _)) = Variable::ALL.iter().find(|(_, known)| *known == name) {
        return known_variables(on).contains(variable).then_some(Operand::Variable(*variable));
    }
    let (scope, key) = name.split_once('.')?;
    let key = key.to_owned();
    match scope {
        "hw" => Some(Operand::Hardware(key)),
        "node" => Some(Operand::Node(key)),
        "net" => Some(Operand::Network(key)),
        "par" => Some(Operand::Parameter(key)),
        "c" => Some(Operand::Coefficient(key)),
        _ => None,
    }
}

/// The variables that a question about this knows.
fn known_variables(on: On) -> &'static [Variable] {
    use Variable::*;
    match on {
        On::Compute | On::Overhead => &[Size, Ops, Bytes, Threads, NodeProcs, NodeCores, DeviceProcs, Busy, H, Bw],
        On::Throughput => &[Busy, DeviceProcs, NodeProcs, NodeCores, H, Bw],
        On::Power => &[Busy, NodeProcs, NodeCores],
        On::FailureRate => &[NodeCores],
        _ => &[Size, Bytes, Count, Concurrent, Procs, NodeProcs, NodeCores, DeviceProcs],
    }
}

fn unknown(reader: &mut Reader<'_>, at: &Place, name: &str, on: On) {
    let known: Vec<&str> = Variable::ALL
        .iter()
        .filter(|(variable, _)| known_variables(on).contains(variable))
        .map(|(_, word)| *word)
        .collect();
    let mut problem = Problem::new("unknown_name", format!("a rule on {} has no {name}", on.word()));
    problem =
        problem.value(name).allowed(format!("{}, and hw.KEY, node.KEY, net.KEY, par.NAME, c.NAME", known.join(", ")));
    let near = nearest(name, known.iter().copied());
    problem.hint = Some(match near {
        Some(near) => format!("did you mean {near}?"),
        None => format!("a coefficient is c.{name}, a parameter of the application par.{name}"),
    });
    reader.wrong(at, problem);
}

/// The entries of a table of names at a key, in the order of the file.
pub(super) fn quantities<T>(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    key: &str,
    one: impl Fn(&mut Reader<'_>, Node<'_, '_>, &str) -> Option<T>,
) -> IndexMap<String, T> {
    let mut all = IndexMap::new();
    let Some(entries) = reader.table_at(table, key) else { return all };
    for ((name, place), (_, node)) in entries.keys(&reader.source).into_iter().zip(entries.named()) {
        if !is_name(&name) {
            let problem = Problem::new("bad_name", "a formula could not name this coefficient").value(name.as_str());
            reader.wrong(&place, problem.allowed("a name of letters, digits and _"));
            continue;
        }
        all.extend(one(reader, node, &entries.at(&name)).map(|value| (name, value)));
    }
    all
}

const QUANTITY: &str = "a number, a quantity such as \"2.9ns\", or { value, low, high }";

/// A coefficient: a number, a quantity of any dimension, or a table `{ value, low, high }`.
pub(super) fn coefficient_at(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Coefficient> {
    let place = reader.place(node, pointer);
    let location = location(reader, &place);
    if !matches!(node.value.get_ref(), DeValue::Table(_)) {
        let (value, unit) = quantity(reader, node, pointer)?;
        return Some(Coefficient { value, unit, location, ..Coefficient::default() });
    }
    let table = reader.table(node, pointer.to_owned(), QUANTITY)?;
    reader.allow(&table, &["value", "low", "high", "stderr", "on", "scales"], "a coefficient");
    let Some(value) = table.get("value") else {
        reader.missing(&table, "value", "a number or a quantity");
        return None;
    };
    let (value, unit) = quantity(reader, value, &table.at("value"))?;
    let mut bound =
        |key: &str| table.get(key).and_then(|node| quantity(reader, node, &table.at(key)).map(|(value, _)| value));
    let (low, high) = (bound("low"), bound("high"));
    if low.is_some_and(|low| low > value) || high.is_some_and(|high| high < value) {
        reader.wrong(&place, out_of_range("value", &value.to_string(), "a number between low and high"));
    }
    let words = Scale::ALL.map(|(_, word)| word);
    let scales = reader.choice(&table, "scales", &words).map(|index| Scale::ALL[index].0);
    let on = reader.text(&table, "on", ON).and_then(|(text, place)| {
        let found = text.split_once(':').filter(|(kind, _)| KINDS.contains(kind));
        if found.is_none() {
            reader.wrong(&place, Problem::new("unknown_name", "this is no entry").value(text.as_str()).allowed(ON));
        }
        found.map(|(kind, id)| (kind.to_owned(), id.to_owned()))
    });
    Some(Coefficient { value, low, high, unit, on, scales, location })
}

const ON: &str = "KIND:ENTRY of the catalogue, such as \"cpu:intel-xeon-e5345\"";

/// A quantity of any dimension, in SI base units.
fn quantity(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<(f64, Powers)> {
    let DeValue::String(text) = node.value.get_ref() else {
        return reader.number_at(node, pointer, QUANTITY).map(|(number, _)| (number, Powers::default()));
    };
    match Quantity::parse(text) {
        Ok(quantity) => Some((quantity.value, quantity.powers)),
        Err(error) => {
            let place = reader.place(node, pointer);
            let mut problem = Problem::new("bad_quantity", error.to_string()).value(text.as_ref()).allowed(QUANTITY);
            problem.hint = error.hint();
            reader.wrong(&place, problem);
            None
        }
    }
}

pub(super) fn location(reader: &Reader<'_>, place: &Place) -> Location {
    let (line, column) = reader.source.line_and_column(place.offset);
    Location { file: reader.source.name.to_owned(), line, column, pointer: place.pointer.clone() }
}

#[cfg(test)]
mod tests;

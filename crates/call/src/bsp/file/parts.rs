//! The parts of a program, top to bottom.

use super::super::program::{
    Block, Duplex, Gap, Machine, ModelFile, Program, Raw, RawInstruction, Source, Start, Task,
};
use super::step;
use super::value::Kind;
use super::values::Values;
use indexmap::IndexMap;
use runcast_core::Problem;
use runcast_core::toml::Source as TomlSource;
use runcast_core::toml::{Node, Reader, Table};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TOP: [&str; 8] = ["title", "parameters", "machine", "block", "instruction", "bsp", "models", "task"];
/// Maximum number of parameters, models, blocks or tasks of a program.
const MOST: usize = 1000;

/// The program; none after a problem.
pub(super) fn program(reader: &mut Reader<'_>, document: &Spanned<DeTable<'_>>) -> Option<Program> {
    let top = reader.top(document);
    reader.allow(&top, &TOP, "a program");
    let title = reader.text(&top, "title", "a text").map(|(title, _)| title);
    let parameters = match entries(reader, &top, "parameters", "a table such as { P = 8 }") {
        Some(table) => reader.named_values(&table, "a parameter", Kind::Any),
        None => IndexMap::new(),
    };
    let models = each(reader, &top, "models", model);
    let blocks = each(reader, &top, "block", block);
    let instructions = match entries(reader, &top, "instruction", "a table such as { flop = \"1 ns\" }") {
        Some(table) => instructions(reader, &table),
        None => IndexMap::new(),
    };
    let raw = entries(reader, &top, "bsp", "a table { g, L, instruction }").and_then(|table| raw(reader, &table));
    let tasks = each(reader, &top, "task", task);
    let machine = match entries(reader, &top, "machine", "a table { processors, task }") {
        Some(table) => machine(reader, &table),
        None => {
            if top.get("machine").is_none() {
                reader.missing(&top, "machine", "machine = { processors = 8, task = \"main\" }");
            }
            None
        }
    };
    for (name, model) in &models {
        if parameters.contains_key(name) {
            let problem = Problem::new("conflict", format!("{name} is also a parameter")).value(name.clone());
            let place = reader.source.place(model.place.offset.unwrap_or(0), model.place.pointer.clone());
            reader.wrong(&place, problem.allowed("names of models that are not parameters"));
        }
    }
    let TomlSource { name, text } = reader.source;
    let source = Source { file: name.to_owned(), text: text.to_owned() };
    Some(Program { source, title, parameters, machine: machine?, blocks, instructions, raw, models, tasks })
}

/// The table at a key, if present.
fn entries<'t, 'i>(reader: &mut Reader<'_>, top: &Table<'t, 'i>, key: &str, wanted: &str) -> Option<Table<'t, 'i>> {
    let node = top.get(key)?;
    let table = reader.table(node, top.at(key), wanted)?;
    let count = table.named().count();
    if count > MOST {
        let problem = Problem::new("too_many", format!("{count} entries"));
        reader.wrong(&table.place, problem.allowed(format!("at most {MOST}")));
        return None;
    }
    Some(table)
}

/// The tables of a table, each by its name.
fn each<T>(
    reader: &mut Reader<'_>,
    top: &Table<'_, '_>,
    key: &str,
    read: impl Fn(&mut Reader<'_>, &str, Table<'_, '_>) -> Option<T>,
) -> IndexMap<String, T> {
    let mut found = IndexMap::new();
    let Some(table) = entries(reader, top, key, "a table of tables") else { return found };
    for (name, node, place) in reader.named(&table) {
        let Some(entry) = reader.table(node, place.pointer.clone(), "a table") else { continue };
        if key == "models" {
            reader.check_name(&name, &place, "a model");
        }
        reader.context = if key == "task" { String::new() } else { format!("{key} {name}: ") };
        let read = read(reader, &name, entry);
        reader.context.clear();
        if let Some(entry) = read {
            found.insert(name, entry);
        }
    }
    found
}

fn model(reader: &mut Reader<'_>, _: &str, table: Table<'_, '_>) -> Option<ModelFile> {
    reader.allow(&table, &["file", "with"], "a model");
    let with = match table.get("with") {
        Some(node) => {
            let with = reader.table(node, table.at("with"), "a table { name = formula }")?;
            let mut values = IndexMap::new();
            // These are names of the model's parameters, so built-in names are allowed.
            for (name, node, place) in reader.named(&with) {
                if let Some(value) = reader.value_at(node, &place.pointer, Kind::Any) {
                    values.insert(name, value);
                }
            }
            values
        }
        None => IndexMap::new(),
    };
    if table.get("file").is_none() {
        reader.missing(&table, "file", "the document that llac or fit has saved");
    }
    let (file, place) = reader.text(&table, "file", "the name of a file")?;
    Some(ModelFile { file, with, place: place.into() })
}

fn block(reader: &mut Reader<'_>, _: &str, table: Table<'_, '_>) -> Option<Block> {
    reader.allow(&table, &["g", "bandwidth", "L", "h"], "a block");
    let duplex = duplex(reader, &table);
    let (gap, latency) = (gap(reader, &table), reader.needed(&table, "L", Kind::Time));
    Some(Block { gap: gap?, latency: latency?, duplex })
}

/// `g`, or `bandwidth`.
fn gap(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Gap> {
    match (table.get("g"), table.get("bandwidth")) {
        (Some(_), None) => reader.value(table, "g", Kind::TimePerByte).map(Gap::PerByte),
        (None, Some(_)) => reader.value(table, "bandwidth", Kind::Bandwidth).map(Gap::Bandwidth),
        (None, None) => {
            reader.missing(table, "g", "g = \"0.8 ns/B\", or bandwidth = \"10 Gbit/s\"");
            None
        }
        (Some(_), Some(node)) => {
            let place = reader.place(node, &table.at("bandwidth"));
            reader.wrong(&place, Problem::new("conflict", "g and bandwidth are both given").allowed("one of them"));
            None
        }
    }
}

fn duplex(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Duplex> {
    let (text, place) = reader.text(table, "h", "\"max\" or \"sum\"")?;
    match text.as_str() {
        "max" => Some(Duplex::Max),
        "sum" => Some(Duplex::Sum),
        _ => {
            let problem = Problem::new("unknown_name", format!("h is \"{text}\"")).value(text);
            reader.wrong(&place, problem.allowed("\"max\" (full duplex), \"sum\" (half duplex)"));
            None
        }
    }
}

fn instructions(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> IndexMap<String, super::super::program::Value> {
    let mut found = IndexMap::new();
    for (name, node, place) in reader.named(table) {
        if name == "time" {
            let problem = Problem::new("reserved_name", "time cannot be a class of instructions").value("time");
            reader.wrong(&place, problem.hint("in work, time = .. are extra seconds"));
        }
        if let Some(value) = reader.value_at(node, &place.pointer, Kind::Instruction) {
            found.insert(name, value);
        }
    }
    found
}

fn raw(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Raw> {
    reader.allow(table, &["g", "bandwidth", "L", "instruction"], "bsp");
    let instruction = match table.get("instruction") {
        None => RawInstruction::Own,
        Some(node) if matches!(node.value.get_ref(), DeValue::Table(_)) => {
            let classes = reader.table(node, table.at("instruction"), "a table")?;
            RawInstruction::Each(instructions(reader, &classes))
        }
        Some(_) => RawInstruction::One(reader.value(table, "instruction", Kind::Instruction)?),
    };
    let (gap, latency) = (gap(reader, table), reader.needed(table, "L", Kind::Time));
    Some(Raw { gap: gap?, latency: latency?, instruction })
}

fn machine(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Machine> {
    reader.allow(table, &["processors", "task", "args", "h", "start"], "machine");
    let processors = reader.needed(table, "processors", Kind::Plain);
    if table.get("task").is_none() {
        reader.missing(table, "task", "the name of the task to start");
    }
    let task = reader.text(table, "task", "the name of a task");
    let args = match table.get("args") {
        Some(node) => {
            let args = reader.table(node, table.at("args"), "a table such as { n = \"N\" }")?;
            reader.named_values(&args, "an argument", Kind::Any)
        }
        None => IndexMap::new(),
    };
    let duplex = match table.get("h") {
        Some(_) => duplex(reader, table)?,
        None => Duplex::Max,
    };
    let start = match table.get("start") {
        None => Start::Zero,
        Some(node) => start(reader, node, &table.at("start"))?,
    };
    let (name, place) = task?;
    Some(Machine { processors: processors?, task: (name, place.into()), args, duplex, start })
}

fn start(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Start> {
    if !matches!(node.value.get_ref(), DeValue::Array(_)) {
        return reader.value_at(node, pointer, Kind::Time).map(Start::Each);
    }
    let place = reader.place(node, pointer).into();
    Some(Start::List(reader.values(node, pointer, Kind::Time, "a list of times")?, place))
}

fn task(reader: &mut Reader<'_>, name: &str, table: Table<'_, '_>) -> Option<Task> {
    reader.context = format!("task {name}: ");
    reader.allow(&table, &["step"], "a task");
    let Some(node) = table.get("step") else {
        reader.missing(&table, "step", "a list of steps: [[task.NAME.step]]");
        return None;
    };
    let list = reader.list(node, &table.at("step"), "a list of steps")?;
    let steps = list.into_iter().enumerate();
    let steps: Vec<_> = steps.map(|(index, node)| step::read(reader, name, index, node, &table)).collect();
    Some(Task { steps: steps.into_iter().collect::<Option<Vec<_>>>()? })
}

//! A step of a task.

use super::super::program::{Call, Closing, Send, StepSpec, Synchronization, To, Traffic, Work};
use super::value::Kind;
use super::values::Values;
use runcast_core::Problem;
use runcast_core::toml::{Node, Place, Reader, Table};
use runcast_formula::nearest;
use toml::de::DeValue;

const KEYS: [&str; 14] = [
    "name",
    "if",
    "repeat",
    "before",
    "work",
    "partition",
    "call",
    "args",
    "send",
    "expect",
    "sync",
    "block",
    "partners",
    "h_bytes",
];

/// The step; none after a problem.
pub(super) fn read(
    reader: &mut Reader<'_>,
    task: &str,
    index: usize,
    node: Node<'_, '_>,
    steps: &Table<'_, '_>,
) -> Option<StepSpec> {
    reader.context = format!("task {task}, step {}: ", index + 1);
    let table = reader.table(node, format!("{}/{index}", steps.at("step")), "a table")?;
    let name = reader.text(&table, "name", "a text").map(|(name, _)| name);
    if let Some(name) = &name {
        reader.context = format!("task {task}, step {} ({}): ", index + 1, runcast_core::problem::shorten(name, 40));
    }
    reader.allow(&table, &KEYS, "a step");
    let condition = reader.value(&table, "if", Kind::Plain);
    let repeat = reader.value(&table, "repeat", Kind::Plain);
    let before = table.get("before").and_then(|node| work(reader, node, &table.at("before")));
    let work = table.get("work").and_then(|node| work(reader, node, &table.at("work")));
    let call = call(reader, &table);
    let closing = closing(reader, &table)?;
    Some(StepSpec { name, condition, repeat, before, work, call, closing })
}

/// A time, or a table of classes with counts.
fn work(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Work> {
    if !matches!(node.value.get_ref(), DeValue::Table(_)) {
        let time = reader.value_at(node, pointer, Kind::Time)?;
        return Some(Work { time: Some(time), counts: Vec::new() });
    }
    let table = reader.table(node, pointer.to_owned(), "a table class = count")?;
    let time = reader.value(&table, "time", Kind::Time);
    let mut counts = Vec::new();
    for (name, node, place) in reader.named(&table) {
        if name != "time" {
            counts.extend(reader.value_at(node, &place.pointer, Kind::Count).map(|count| (name, count)));
        }
    }
    Some(Work { time, counts })
}

fn call(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Call> {
    let Some(node) = table.get("call") else {
        for key in ["partition", "args"] {
            if let Some(node) = table.get(key) {
                let place = reader.place(node, &table.at(key));
                let problem = Problem::new("missing", format!("{key} without call: nothing to run"));
                reader.wrong(&place, problem.hint("call = \"NAME\" names the task that the groups run"));
            }
        }
        return None;
    };
    let pointer = table.at("call");
    let place = reader.place(node, &pointer);
    let tasks = match node.value.get_ref() {
        DeValue::Array(_) => {
            let list = reader.list(node, &pointer, "names of tasks")?;
            let names = list.into_iter().enumerate();
            let names: Option<Vec<_>> = names
                .map(|(index, node)| reader.text_at(node, &format!("{pointer}/{index}"), "the name of a task"))
                .collect();
            names?
        }
        _ => vec![reader.text_at(node, &pointer, "the name of a task, or a list of names, one for each group")?],
    };
    let is_list = matches!(node.value.get_ref(), DeValue::Array(_));
    let partition = match table.get("partition") {
        Some(node) => Some(reader.values(node, &table.at("partition"), Kind::Plain, "a list of cumulative ends")?),
        None => None,
    };
    let groups = partition.as_ref().map_or(1, Vec::len);
    if is_list && partition.is_none() {
        let problem = Problem::new("missing", "a list of tasks, but no partition").allowed("call = \"NAME\"");
        reader.wrong(&place, problem.hint("partition = [..] gives the end of each group"));
    } else if groups == 0 || (is_list && tasks.len() != groups) {
        let message = format!("{} tasks for {groups} groups", tasks.len());
        reader.wrong(&place, Problem::new("wrong_count", message).allowed("a task for each group, or one for all"));
    }
    let args = match table.get("args") {
        Some(node) => {
            let args = reader.table(node, table.at("args"), "a table such as { n = \"n/2\" }")?;
            reader.named_values(&args, "an argument", Kind::Any)
        }
        None => Default::default(),
    };
    let tasks = tasks.into_iter().map(|(name, place)| (name, place.into())).collect();
    Some(Call { tasks, partition, args, place: place.into() })
}

fn closing(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Closing> {
    let traffic = traffic(reader, table)?;
    let by_default = match traffic {
        Traffic::Nothing => Synchronization::None,
        _ => Synchronization::Oblivious,
    };
    let synchronization = match reader.text(table, "sync", "a text") {
        Some((text, place)) => sync_named(reader, &text, &place)?,
        None => by_default,
    };
    let has_traffic = !matches!(traffic, Traffic::Nothing);
    if has_traffic && synchronization == Synchronization::None {
        let key = if table.get("send").is_some() { "send" } else { "partners" };
        let place = table.get("sync").map_or(table.place.clone(), |node| reader.place(node, &table.at("sync")));
        let problem = Problem::new("conflict", format!("{key} in a step that does not synchronize")).value("none");
        reader.wrong(&place, problem.allowed("sync = \"oblivious\" (default), \"barrier\""));
    }
    let block = reader.text(table, "block", "the name of a block");
    if block.is_none() && table.get("block").is_none() && (has_traffic || synchronization != Synchronization::None) {
        let problem = Problem::new("missing", "a step that communicates needs a block").allowed("block = \"NAME\"");
        let place = Place { pointer: table.at("block"), ..table.place.clone() };
        reader.wrong(&place, problem.hint("block.NAME = { g = \"0.8 ns/B\", L = \"2 us\" } sets its cost"));
    }
    let expect = reader.value(table, "expect", Kind::Plain);
    if let (Some(value), false) = (&expect, matches!(traffic, Traffic::Messages(_))) {
        let problem = Problem::new("missing", "expect in a step without send").allowed("expect beside send");
        let place = reader.source.place(value.place.offset.unwrap_or(0), value.place.pointer.clone());
        reader.wrong(&place, problem);
    }
    let block = block.map(|(name, place)| (name, place.into()));
    Some(Closing { synchronization, block, traffic, expect })
}

fn sync_named(reader: &mut Reader<'_>, text: &str, place: &Place) -> Option<Synchronization> {
    let all = [Synchronization::Oblivious, Synchronization::Barrier, Synchronization::None];
    let found = all.into_iter().find(|sync| sync.name() == text);
    if found.is_none() {
        let problem = Problem::new("unknown_name", format!("sync is \"{text}\"")).value(text);
        let mut problem = problem.allowed("\"oblivious\", \"barrier\", \"none\"");
        if let Some(near) = nearest(text, all.map(Synchronization::name)) {
            problem = problem.hint(format!("did you mean {near}?"));
        }
        reader.wrong(place, problem);
    }
    found
}

fn traffic(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Traffic> {
    let given = ["partners", "h_bytes"].into_iter().find_map(|key| Some((key, table.get(key)?)));
    match (table.get("send"), given) {
        (None, None) => Some(Traffic::Nothing),
        (Some(node), None) => {
            let pointer = table.at("send");
            let list = reader.list(node, &pointer, "a list of { to, bytes, if }")?;
            let messages = list.into_iter().enumerate();
            let messages: Vec<_> =
                messages.map(|(index, node)| send(reader, node, format!("{pointer}/{index}"))).collect();
            Some(Traffic::Messages(messages.into_iter().collect::<Option<Vec<_>>>()?))
        }
        (Some(_), Some((key, node))) => {
            let place = reader.place(node, &table.at(key));
            let problem = Problem::new("conflict", format!("send and {key} are both given"));
            reader.wrong(&place, problem.allowed("send, or partners with h_bytes in place of messages"));
            None
        }
        (None, Some((key, node))) => {
            let bytes = reader.value(table, "h_bytes", Kind::Bytes);
            let partners = match table.get("partners") {
                Some(node) => reader.values(node, &table.at("partners"), Kind::Plain, "a list of processors")?,
                None => Vec::new(),
            };
            let is_barrier = table.get("sync").is_some_and(|node| node.value.get_ref().as_str() == Some("barrier"));
            if table.get("partners").is_none() && !is_barrier {
                let place = reader.place(node, &table.at(key));
                let problem = Problem::new("missing", "h_bytes without partners");
                reader.wrong(&place, problem.allowed("partners = [..], or sync = \"barrier\""));
            }
            Some(Traffic::Given { partners, bytes })
        }
    }
}

fn send(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: String) -> Option<Send> {
    let table = reader.table(node, pointer, "a table { to, bytes, if }")?;
    reader.allow(&table, &["to", "bytes", "if"], "a message");
    let condition = reader.value(&table, "if", Kind::Plain);
    let bytes = reader.needed(&table, "bytes", Kind::Bytes);
    let Some(node) = table.get("to") else {
        reader.missing(&table, "to", "a formula, a list of formulas, or \"all\"");
        return None;
    };
    let to = match node.value.get_ref() {
        DeValue::String(text) if text == "all" => Some(To::All),
        DeValue::Array(_) => {
            reader.values(node, &table.at("to"), Kind::Plain, "a list of processors").map(To::Processors)
        }
        _ => reader.value(&table, "to", Kind::Plain).map(|value| To::Processors(vec![value])),
    };
    Some(Send { to: to?, bytes: bytes?, condition })
}

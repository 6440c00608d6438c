//! Reading `algorithm = "pieces"`.

use super::{ElementTime, MeasuredCollective, Messages, Pieces, Route};
use crate::cost::MOST_ELEMENTS;
use runcast_core::toml::{Reader, Source, Table, document, out_of_range};
use runcast_core::{Problem, Problems};
use runcast_formula::units::Dimension;

const LARGEST: usize = 4 << 20;
const TOP: [&str; 6] = ["format", "algorithm", "pieces", "messages", "collective", "origin"];
const PIECES: [&str; 8] =
    ["list_length", "send_bytes", "receive_bytes", "element_bytes", "map", "fold", "compute", "overlap"];
const MESSAGES: [&str; 6] = ["size_bytes", "time_s", "busy_s", "switches", "latency", "overhead"];
const SIZE: &str = "a size of 0 or more, such as 8000 or \"64KiB\"";

/// Reads costs in pieces; `name` is what problems call the file. None if the file has another `algorithm`.
///
/// # Errors
/// Everything that is wrong, each with line and field.
///
/// # Examples
/// ```
/// use runcast_bsf::pieces::{Route, read};
/// let text = r#"
///     algorithm = "pieces"
///     pieces = { list_length = 100, send_bytes = 8, map = "1ms" }
///     messages = { size_bytes = [8], time_s = [1e-5] }
/// "#;
/// let pieces = read("costs.toml", text)?.expect("pieces");
/// assert!((pieces.time_s(Route::Flat, 10).unwrap() - (10e-3 + 20e-5)).abs() < 1e-12);
/// assert_eq!(read("costs.toml", "algorithm = 'times'")?, None);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
pub fn read(name: &str, text: &str) -> Result<Option<Pieces>, Problems> {
    let source = Source { name, text };
    // What is no TOML at all is for the reader of other costs to refuse.
    let Ok(tree) = document(source, LARGEST) else { return Ok(None) };
    let mut reader = Reader::new(source);
    let top = reader.top(&tree);
    let is_pieces = top.get("algorithm").is_some_and(|node| node.value.get_ref().as_str() == Some("pieces"));
    if !is_pieces {
        return Ok(None);
    }
    reader.allow(&top, &TOP, "costs in pieces");
    let messages = messages(&mut reader, &top);
    let pieces = pieces(&mut reader, &top);
    let collectives = collectives(&mut reader, &top);
    match (reader.take_problems(), pieces, messages) {
        (None, Some(pieces), Some(messages)) => Ok(Some(Pieces { messages, collectives, ..pieces })),
        (Some(problems), ..) => Err(problems),
        (None, ..) => Err(Problem::new("missing", "the costs are not complete").in_file(name).into()),
    }
}

/// `[pieces]`, without messages.
fn pieces(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Pieces> {
    let node = reader.required(top, "pieces", "a table [pieces]")?;
    let table = reader.table(node, top.at("pieces"), "a table [pieces]")?;
    reader.allow(&table, &PIECES, "[pieces]");
    reader.required(&table, "list_length", "a whole number, 1 or more");
    reader.required(&table, "send_bytes", SIZE);
    let list_length = reader.whole(&table, "list_length", 1, MOST_ELEMENTS);
    let send_bytes = size(reader, &table, "send_bytes");
    let receive_bytes = size(reader, &table, "receive_bytes").or(send_bytes);
    let element_bytes = size(reader, &table, "element_bytes");
    let map = map(reader, &table, element_bytes.is_some());
    let fold_s = reader.time(&table, "fold").unwrap_or(0.0);
    let compute_s = reader.time(&table, "compute").unwrap_or(0.0);
    Some(Pieces {
        list_length: list_length?,
        send_bytes: send_bytes?,
        receive_bytes: receive_bytes?,
        element_bytes: element_bytes.unwrap_or(0.0),
        map: map?,
        fold_s,
        compute_s,
        overlaps: reader.flag(&table, "overlap").unwrap_or(false),
        messages: Messages { size_bytes: Vec::new(), time_s: Vec::new(), busy_s: Vec::new(), switches: Vec::new() },
        collectives: Vec::new(),
    })
}

/// The time of an element: plain, or with the step of a cache.
fn map(reader: &mut Reader<'_>, table: &Table<'_, '_>, has_size: bool) -> Option<ElementTime> {
    let wanted = "a time, or { in_cache = \"400ns\", out_of_cache = \"900ns\", cache = \"1MiB\" }";
    let node = reader.required(table, "map", wanted)?;
    if node.value.get_ref().as_table().is_none() {
        let (seconds, _) = reader.time_at(node, &table.at("map"))?;
        return Some(ElementTime { in_cache_s: seconds, out_of_cache_s: seconds, cache_bytes: f64::INFINITY });
    }
    let parts = reader.table(node, table.at("map"), wanted)?;
    reader.allow(&parts, &["in_cache", "out_of_cache", "cache"], "map");
    for key in ["in_cache", "out_of_cache", "cache"] {
        reader.required(&parts, key, wanted);
    }
    if !has_size {
        reader.missing(table, "element_bytes", "the memory that an element touches, such as 8000");
    }
    let (inside, outside) = (reader.time(&parts, "in_cache"), reader.time(&parts, "out_of_cache"));
    let cache_bytes = size(reader, &parts, "cache");
    Some(ElementTime { in_cache_s: inside?, out_of_cache_s: outside?, cache_bytes: cache_bytes? })
}

fn messages(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Messages> {
    let node = reader.required(top, "messages", "a table [messages] with size_bytes and time_s")?;
    let table = reader.table(node, top.at("messages"), "a table [messages]")?;
    reader.allow(&table, &MESSAGES, "[messages]");
    let sizes = sizes(reader, &table)?;
    let time_s = times(reader, &table, "time_s", sizes.len())?;
    let latency_s = reader.time(&table, "latency").unwrap_or(0.0);
    let overhead_s = reader.time(&table, "overhead").unwrap_or(latency_s);
    let busy_s = match table.get("busy_s") {
        Some(_) => times(reader, &table, "busy_s", sizes.len())?,
        None => time_s.iter().map(|time_s| (time_s - (latency_s - overhead_s).max(0.0)).max(0.0)).collect(),
    };
    if let Some(knot) = busy_s.iter().zip(&time_s).position(|(busy, time)| busy > time) {
        let problem = out_of_range(
            "busy_s",
            &busy_s[knot].to_string(),
            &format!("0 to {} s, the time of the message", time_s[knot]),
        );
        wrong(reader, &table, "busy_s", problem);
    }
    let switches = match table.get("switches") {
        Some(node) => reader.numbers(node, &table.at("switches"), "a list of sizes")?,
        None => Vec::new(),
    };
    let is_knot = |last: &&f64| !sizes.contains(last);
    let strange = switches.iter().find(is_knot).or_else(|| descending(&switches));
    if let Some(last) = strange {
        let problem = Problem::new("not_a_knot", format!("a protocol ends at {last} bytes")).value(last.to_string());
        wrong(reader, &table, "switches", problem.allowed("sizes among size_bytes, rising"));
    }
    Some(Messages { size_bytes: sizes, time_s, busy_s, switches })
}

/// `[[collective]]`, each with times over workers and sizes.
fn collectives(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<MeasuredCollective> {
    let mut found = Vec::new();
    for table in reader.tables(top, "collective") {
        reader.allow(&table, &["name", "workers", "size_bytes", "time_s", "switches"], "a collective");
        found.extend(collective(reader, &table));
    }
    found
}

fn collective(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<MeasuredCollective> {
    let names = Route::ALL.map(Route::name);
    reader.required(table, "name", "flat, tree or allreduce")?;
    let route = Route::ALL[reader.choice(table, "name", &names)?];
    let node = reader.required(table, "workers", "a list of numbers of workers")?;
    let nodes = reader.list(node, &table.at("workers"), "a list of numbers of workers")?;
    let workers = reader.each(nodes, &table.at("workers"), |reader, node, pointer| {
        reader.whole_at(node, pointer, "workers", 1, MOST_ELEMENTS)
    })?;
    if let Some(pair) = workers.windows(2).find(|pair| pair[0] >= pair[1]) {
        let problem = Problem::new("not_rising", format!("{} workers after {}", pair[1], pair[0]));
        wrong(reader, table, "workers", problem.allowed("numbers of workers, rising"));
        return None;
    }
    let sizes = sizes(reader, table)?;
    let switches = match table.get("switches") {
        Some(node) => reader.numbers(node, &table.at("switches"), "a list of sizes")?,
        None => Vec::new(),
    };
    let node = reader.required(table, "time_s", "a list of times for each number of workers")?;
    let rows = reader.list(node, &table.at("time_s"), "a list of times for each number of workers")?;
    let rows = reader
        .each(rows, &table.at("time_s"), |reader, node, pointer| reader.numbers(node, pointer, "a list of times"))?;
    let fits = rows.len() == workers.len() && !rows.is_empty() && rows.iter().all(|row| row.len() == sizes.len());
    if !fits || rows.iter().flatten().any(|time| !(*time > 0.0 && time.is_finite())) {
        let problem = Problem::new("wrong_length", "the times do not fit to workers and sizes".to_owned());
        let allowed = format!("{} lists of {} times above 0", workers.len(), sizes.len());
        wrong(reader, table, "time_s", problem.allowed(allowed));
        return None;
    }
    let of_row = |time_s: Vec<f64>| Messages {
        size_bytes: sizes.clone(),
        busy_s: time_s.clone(),
        time_s,
        switches: switches.clone(),
    };
    Some(MeasuredCollective { route, workers, times: rows.into_iter().map(of_row).collect() })
}

/// `size_bytes`: at least one, rising.
fn sizes(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Vec<f64>> {
    let node = reader.required(table, "size_bytes", "a list of sizes")?;
    let sizes = reader.numbers(node, &table.at("size_bytes"), "a list of sizes")?;
    let least = sizes.iter().find(|size| !(**size >= 0.0 && size.is_finite()));
    if sizes.is_empty() || least.is_some() || descending(&sizes).is_some() {
        let seen = least.or_else(|| descending(&sizes)).map_or("none".to_owned(), f64::to_string);
        let problem = Problem::new("not_rising", "the sizes of messages do not rise".to_owned()).value(seen);
        wrong(reader, table, "size_bytes", problem.allowed("sizes of 0 or more, each larger than the one before"));
        return None;
    }
    Some(sizes)
}

/// Times, one for each size.
fn times(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str, count: usize) -> Option<Vec<f64>> {
    let node = reader.required(table, key, "a list of times, one for each size")?;
    let nodes = reader.list(node, &table.at(key), "a list of times")?;
    let times = reader
        .each(nodes, &table.at(key), |reader, node, pointer| reader.time_at(node, pointer).map(|(time_s, _)| time_s))?;
    if times.len() != count {
        let problem = Problem::new("wrong_length", format!("{key} does not fit to size_bytes"));
        wrong(reader, table, key, problem.value(format!("{} times", times.len())).allowed(format!("{count} times")));
        return None;
    }
    Some(times)
}

fn size(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str) -> Option<f64> {
    let (bytes, place) = reader.quantity(table, key, Dimension::Bytes, SIZE)?;
    if bytes >= 0.0 && bytes.is_finite() {
        return Some(bytes);
    }
    reader.wrong(&place, out_of_range(key, &bytes.to_string(), SIZE));
    None
}

/// The first value that does not exceed the one before.
fn descending(values: &[f64]) -> Option<&f64> {
    values.windows(2).find(|pair| pair[0] >= pair[1]).map(|pair| &pair[1])
}

fn wrong(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str, problem: Problem) {
    let mut place = table.get(key).map_or_else(|| table.place.clone(), |node| reader.place(node, &table.at(key)));
    place.pointer = table.at(key);
    reader.wrong(&place, problem);
}

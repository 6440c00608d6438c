//! What a file is. One that cannot be read is recognized by its folder, so that it is not lost among others.

use super::Kind;
use toml::de::{DeTable, DeValue};

/// Folders of kinds: where new files of a kind go, and what tells the kind of one that cannot be read.
const FOLDERS: [(&str, Kind); 13] = [
    ("systems", Kind::System),
    ("experiments", Kind::Experiment),
    ("hardware", Kind::Hardware),
    ("formulas", Kind::Formulas),
    ("tables", Kind::Table),
    ("traces", Kind::Trace),
    ("models", Kind::Model),
    ("plans", Kind::Plan),
    ("bsf", Kind::Bsf),
    ("bsp", Kind::Bsp),
    ("wavefront", Kind::Wavefront),
    ("results", Kind::Result),
    ("reports", Kind::Report),
];

/// Bytes of a document that are looked at for its head.
const MOST_TOML: usize = 32 << 20;

/// What a file is.
pub fn recognize(path: &str, bytes: &[u8]) -> Kind {
    let path = path.to_ascii_lowercase();
    let (stem, extension) = path.rsplit_once('.').unwrap_or((&path, ""));
    match extension {
        "luau" | "lua" => Kind::Application,
        "csv" | "jsonl" if runcast_call::trace::is_trace(bytes) => Kind::Trace,
        "csv" | "jsonl" => Kind::Table,
        "json" if stem.ends_with(".view") => Kind::View,
        "json" => json(bytes).unwrap_or_else(|| by_folder(&path, &[Kind::Model, Kind::Result])),
        "toml" => of_toml(&path, bytes),
        "rcr" => Kind::Recording,
        _ => Kind::Other,
    }
}

fn by_folder(path: &str, allowed: &[Kind]) -> Kind {
    let folder = path.split_once('/').map_or("", |(folder, _)| folder);
    let known = FOLDERS.iter().find(|(name, kind)| *name == folder && allowed.contains(kind));
    known.map_or(Kind::Other, |(_, kind)| *kind)
}

fn json(bytes: &[u8]) -> Option<Kind> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: Option<String>,
        #[serde(default)]
        models: Option<serde::de::IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(bytes).ok()?;
    Some(match (head.kind.as_deref(), head.models) {
        (Some("fit" | "llac"), Some(_)) => Kind::Model,
        (Some(_), _) => Kind::Result,
        (None, _) => return None,
    })
}

const OF_TOML: [Kind; 10] = [
    Kind::System,
    Kind::Experiment,
    Kind::Hardware,
    Kind::Formulas,
    Kind::Model,
    Kind::Plan,
    Kind::Bsf,
    Kind::Bsp,
    Kind::Wavefront,
    Kind::Report,
];

fn of_toml(path: &str, bytes: &[u8]) -> Kind {
    let unread = || by_folder(path, &OF_TOML);
    let Ok(text) = std::str::from_utf8(bytes) else { return unread() };
    let text = text.trim_start_matches('\u{feff}');
    if text.len() > MOST_TOML {
        return unread();
    }
    let Ok(document) = DeTable::parse(text) else { return by_line(text).unwrap_or_else(unread) };
    let top = document.get_ref();
    if let Some(format) = top.get("format").and_then(|value| value.get_ref().as_str())
        && let Some(kind) = by_format(format)
    {
        return kind;
    }
    if path.starts_with("hardware/") {
        return Kind::Hardware;
    }
    let has = |key: &str| top.get(key).is_some();
    let is_table = |key: &str| matches!(top.get(key).map(|value| value.get_ref()), Some(DeValue::Table(_)));
    let only = |keys: &[&str]| top.iter().all(|(key, _)| keys.contains(&key.get_ref().as_ref()));
    if is_table("model") && only(&["model", "origin", "format"]) {
        return Kind::Formulas;
    }
    if has("wavefront") || (has("process") && !has("component")) {
        return Kind::Wavefront;
    }
    if has("algorithm") || ((has("times") || has("counts")) && !has("block")) {
        return Kind::Bsf;
    }
    if has("complexity") || has("scaling") {
        return Kind::Plan;
    }
    if has("block") || has("task") || has("instruction") {
        return Kind::Bsp;
    }
    if has("item") && only(&["title", "item", "format"]) {
        return Kind::Report;
    }
    unread()
}

fn by_format(format: &str) -> Option<Kind> {
    match format.split_once('/').map_or(format, |(name, _)| name) {
        "runcast-system" => Some(Kind::System),
        "runcast-experiment" => Some(Kind::Experiment),
        "runcast-report" => Some(Kind::Report),
        _ => None,
    }
}

/// The format of a file that is no TOML, as one does while it is written.
fn by_line(text: &str) -> Option<Kind> {
    let formats = text.lines().take(1000).filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "format").then(|| value.trim().trim_matches(['"', '\'']))
    });
    formats.filter_map(by_format).next()
}

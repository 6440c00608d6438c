//! Views: objects by their keys, anything else whole.

use super::Conflict;
use serde_json::{Map, Value};

pub fn merge(base: &str, theirs: &str, mine: &str) -> Result<String, Vec<Conflict>> {
    let read =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|_| vec![Conflict::at("what is no JSON", None)]);
    let (base, theirs, mine) = (read(base)?, read(theirs)?, read(mine)?);
    let mut conflicts = Vec::new();
    let merged = value(String::new(), Some(&base), Some(&theirs), Some(&mine), &mut conflicts);
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let text = serde_json::to_string_pretty(&merged.unwrap_or(Value::Null)).unwrap_or_default();
    Ok(text + "\n")
}

/// None: it is deleted.
fn value(
    path: String,
    base: Option<&Value>,
    theirs: Option<&Value>,
    mine: Option<&Value>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Value> {
    if mine == base || mine == theirs {
        return theirs.cloned();
    }
    if theirs == base {
        return mine.cloned();
    }
    let (Some(Value::Object(theirs)), Some(Value::Object(mine))) = (theirs, mine) else {
        conflicts.push(Conflict::at(path, None));
        return None;
    };
    let empty = Map::new();
    let base = base.and_then(Value::as_object).unwrap_or(&empty);
    let added = mine.keys().filter(|key| !theirs.contains_key(*key));
    let merged = theirs.keys().chain(added).filter_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
        Some((key.clone(), value(path, base.get(key), theirs.get(key), mine.get(key), conflicts)?))
    });
    Some(Value::Object(merged.collect()))
}

//! Where to predict: `N=1e3,2e3,P=4` is all combinations of the values.

use super::words;
use runcast_core::{Configuration, Problem};
use runcast_formula::Formula;
use runcast_formula::numbers::NumberList;
use std::fmt;

/// More configurations than this are a slip.
const MOST: usize = 100_000;

/// Values for each name.
#[derive(Debug, Clone, PartialEq)]
pub struct Targets {
    /// The names with their values, in the order in which they were named.
    pub axes: Vec<Axis>,
}

/// A name with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

impl Targets {
    /// Reads targets. A part without `=` goes on with the list of the name before it.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn parse(text: &str) -> Result<Targets, Problem> {
        let bad = |message: String| Problem::new("bad_target", message).at("at").value(text);
        let example = "at N=1e3,2e3,P=4, or at N=1024..65536*2";
        let mut axes: Vec<Axis> = Vec::new();
        for part in parts(text) {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (Some(name.trim()), value.trim()),
                None => (None, part),
            };
            if let Some(name) = name {
                if name.is_empty() || name.contains(char::is_whitespace) {
                    return Err(bad(format!("\"{part}\" is not NAME=VALUES")).hint(example));
                }
                if axes.iter().any(|axis| axis.name == name) {
                    return Err(bad(format!("{name} is given twice")).hint("list its values: at N=1e3,2e3"));
                }
                axes.push(Axis { name: name.to_owned(), values: Vec::new() });
            }
            let Some(axis) = axes.last_mut() else {
                return Err(bad(format!("\"{part}\" has no name before it")).hint(example));
            };
            axis.values.extend(values(value).map_err(|message| bad(format!("{}: {message}", axis.name)))?);
            if axis.values.len() > MOST {
                return Err(bad(format!("{} has more than {MOST} values", axis.name)));
            }
        }
        let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
        match count {
            _ if axes.is_empty() => Err(bad("there is no target".to_owned()).hint(example)),
            Some(0) => Err(bad("a name has no values".to_owned()).hint(example)),
            Some(count) if count <= MOST => Ok(Targets { axes }),
            _ => Err(bad(format!("these are more than {MOST} configurations"))),
        }
    }

    /// All combinations, the last name running fastest.
    pub fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Configuration::default()];
        for axis in &self.axes {
            all = all
                .iter()
                .flat_map(|at| {
                    axis.values.iter().map(|value| {
                        let mut at = at.clone();
                        at.0.insert(axis.name.clone(), *value);
                        at
                    })
                })
                .collect();
        }
        all
    }
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists: Vec<String> = self
            .axes
            .iter()
            .map(|axis| {
                let values: Vec<String> = axis.values.iter().map(|value| format!("{value:?}")).collect();
                format!("{}={}", axis.name, values.join(","))
            })
            .collect();
        // A name may hold what a word cannot.
        let text = lists.join(",");
        if text.contains(|letter: char| letter.is_whitespace() || ";#\"'".contains(letter)) {
            return f.write_str(&words::quoted_whole(&text));
        }
        f.write_str(&text)
    }
}

/// Parts between commas, brackets kept together.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    let mut quote: Option<char> = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// One part: a number, a list in brackets, a rule for numbers, or a formula without names.
fn values(text: &str) -> Result<Vec<f64>, String> {
    let text = text.trim();
    if let Some(inside) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let mut all = Vec::new();
        for part in parts(inside) {
            all.extend(one(part.trim())?);
        }
        return Ok(all);
    }
    one(text)
}

fn one(text: &str) -> Result<Vec<f64>, String> {
    if text.is_empty() {
        return Err("a value is missing".to_owned());
    }
    let list = match NumberList::parse(text) {
        Ok(list) if list.is_unbounded() => return Err(format!("{text} has no end; write 1..1024*2")),
        Ok(list) => return list.expand(None, None).map_err(|error| error.to_string()),
        Err(error) => error,
    };
    let computed = Formula::parse(text).ok().filter(|formula| formula.names().is_empty());
    match computed.and_then(|formula| formula.evaluate_at(&[]).ok()) {
        Some(value) if value.is_finite() => Ok(vec![value]),
        _ => Err(list.to_string()),
    }
}

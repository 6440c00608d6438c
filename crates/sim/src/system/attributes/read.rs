//! Attributes in a TOML table: `cores = 6`, `clock = "2.27GHz"`, `flops_double = { value = .., quality = .., .. }`.

use super::states::states;
use super::{Attribute, Attributes, Bound, KNOWN, Known, Quality, Value, What, known};
use runcast_core::Problem;
use runcast_core::toml::{Node, Reader, Table, out_of_range, plain};
use runcast_formula::units::{Dimension, Quantity};
use runcast_formula::{Formula, is_name};
use toml::de::DeValue;

/// Defaults for attributes.
#[derive(Debug, Clone)]
pub(crate) struct Defaults {
    pub quality: Quality,
    pub source: String,
}

/// The attributes of a table at a key, if it is there.
pub(crate) fn attribute_table(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    key: &str,
    defaults: &Defaults,
) -> Attributes {
    match reader.table_at(table, key) {
        Some(set) => attributes(reader, &set, &[], defaults),
        None => Attributes::default(),
    }
}

/// The attributes of a table, apart from the keys in `others`.
pub(crate) fn attributes(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    others: &[&str],
    defaults: &Defaults,
) -> Attributes {
    let mut all = Attributes::default();
    let mut formulas = Vec::new();
    for (key, place) in table.keys(&reader.source) {
        let Some(node) = table.get(&key).filter(|_| !others.contains(&key.as_str())) else { continue };
        if !is_name(&key) || key.contains('.') {
            let problem = Problem::new("bad_name", "a formula could not name this attribute").value(key.as_str());
            reader.wrong(&place, problem.allowed("a name of letters, digits and _"));
            continue;
        }
        if known(&key).is_none()
            && let Some(near) = KNOWN.iter().find(|known| is_slip(&key, known.key))
        {
            reader.warn(
                &place,
                "unusual_attribute",
                format!("{key} has no meaning of its own; did you mean {}?", near.key),
            );
        }
        if let Some(attribute) = attribute(reader, node, &table.at(&key), &key, defaults) {
            if attribute.formula.is_some() {
                formulas.push(key.clone());
            }
            all.insert(key, attribute);
        }
    }
    for key in formulas {
        derive(reader, table, &mut all, &key);
    }
    all
}

fn attribute(
    reader: &mut Reader<'_>,
    node: Node<'_, '_>,
    pointer: &str,
    key: &str,
    defaults: &Defaults,
) -> Option<Attribute> {
    let mut attribute = Attribute {
        value: Value::Number(f64::NAN),
        unit: String::new(),
        quality: defaults.quality,
        source: defaults.source.clone(),
        formula: None,
    };
    if !matches!(node.value.get_ref(), DeValue::Table(_)) {
        (attribute.value, attribute.unit) = value(reader, node, pointer, key)?;
        return Some(attribute);
    }
    let table = reader.table(node, pointer.to_owned(), "a table")?;
    reader.allow(&table, &["value", "quality", "source", "formula"], "an attribute");
    if let Some(quality) = reader.choice(&table, "quality", &Quality::WORDS) {
        attribute.quality = Quality::nth(quality);
    }
    if let Some((source, _)) = reader.text(&table, "source", "a document and its date") {
        attribute.source = source;
    }
    attribute.formula = reader.text(&table, "formula", "a formula of other attributes").map(|(formula, _)| formula);
    match table.get("value") {
        Some(node) => (attribute.value, attribute.unit) = value(reader, node, &table.at("value"), key)?,
        None if attribute.formula.is_some() => attribute.unit = known(key).map_or("", Known::unit).to_owned(),
        None => {
            reader.missing(&table, "value", "a value, or a formula");
            return None;
        }
    }
    Some(attribute)
}

fn value(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str, key: &str) -> Option<(Value, String)> {
    let Some(known) = known(key) else { return anything(reader, node, pointer) };
    let unit = known.unit().to_owned();
    let place = reader.place(node, pointer);
    match known.what {
        What::Quantity(dimension) => {
            let wanted = wanted(known);
            let (number, place) = match dimension {
                Dimension::TimePerByte => reader.per_byte_at(node, pointer, &wanted)?,
                _ => reader.quantity_at(node, pointer, dimension, &wanted)?,
            };
            if !known.bound.allows(number) {
                let seen = reader.source.text.get(node.value.span()).unwrap_or_default().to_owned();
                reader.wrong(&place, out_of_range(key, &seen, &wanted));
                return None;
            }
            Some((Value::Number(number), unit))
        }
        What::Flag => match node.value.get_ref() {
            DeValue::Boolean(flag) => Some((Value::Flag(*flag), unit)),
            _ => {
                reader.wrong_type(node, &place, "true or false");
                None
            }
        },
        What::Word(words) => {
            let allowed = words.join(", ");
            let (word, place) = reader.text_at(node, pointer, &format!("one of {allowed}"))?;
            if !words.contains(&word.as_str()) {
                let problem = Problem::new("unknown_name", format!("{key} is {allowed}, and nothing else"));
                reader.wrong(&place, problem.value(word).allowed(allowed));
                return None;
            }
            Some((Value::Word(word), unit))
        }
        What::Name => reader.text_at(node, pointer, "a name").map(|(name, _)| (Value::Word(name), unit)),
        What::Curve => curve(reader, node, pointer).map(|points| (Value::Curve(points), unit)),
        What::States => states(reader, node, pointer).map(|states| (Value::States(states), unit)),
    }
}

fn wanted(known: &Known) -> String {
    let unit = known.unit();
    let bound = known.bound.words();
    match (unit, known.bound) {
        ("", Bound::Count) => format!("a number, {bound}"),
        ("", _) => format!("a number {bound}"),
        _ => format!("a number of {unit} {bound}, or a text with a unit"),
    }
}

/// The value of a key that means nothing to us but something to formulas.
fn anything(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<(Value, String)> {
    let place = reader.place(node, pointer);
    match node.value.get_ref() {
        DeValue::Boolean(flag) => Some((Value::Flag(*flag), String::new())),
        DeValue::String(text) => match Quantity::parse(text) {
            Ok(quantity) => Some((Value::Number(quantity.value + 0.0), quantity.powers.unit())),
            Err(error) => {
                let mut problem = Problem::new("bad_quantity", error.to_string()).value(text.as_ref());
                problem.hint = error.hint();
                reader.wrong(&place, problem.allowed("a number, or a quantity such as \"12GB\""));
                None
            }
        },
        value => match plain(value) {
            Some(number) => Some((Value::Number(number), String::new())),
            None => {
                reader.wrong_type(node, &place, "a number, or a quantity such as \"12GB\"");
                None
            }
        },
    }
}

const CURVE: &str = "points [threads, watts] by ascending threads, such as [[0, 100], [12, 220]]";

fn curve(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Vec<(f64, f64)>> {
    let points = reader.list(node, pointer, CURVE)?;
    let place = reader.place(node, pointer);
    let points = reader.each(points, pointer, |reader, node, pointer| {
        let pair = reader.list(node, pointer, CURVE)?;
        let place = reader.place(node, pointer);
        let &[threads, watts] = pair.as_slice() else {
            reader.wrong(&place, Problem::new("bad_curve", "a point has two numbers").allowed(CURVE));
            return None;
        };
        let (threads, _) = reader.number_at(threads, &format!("{pointer}/0"), "a number of threads")?;
        let power = Dimension::Power;
        let (watts, _) = reader.quantity_at(watts, &format!("{pointer}/1"), power, "a power such as \"100W\"")?;
        Some((threads, watts))
    })?;
    let ascending = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if points.is_empty() || !ascending || points.iter().any(|&(threads, watts)| threads < 0.0 || watts < 0.0) {
        let message = "the threads of a curve ascend, and nothing in it is negative";
        reader.wrong(&place, Problem::new("bad_curve", message).allowed(CURVE));
        return None;
    }
    Some(points)
}

/// A value that has a formula is what the formula gives; if both are there they agree to half a percent.
fn derive(reader: &mut Reader<'_>, table: &Table<'_, '_>, all: &mut Attributes, key: &str) {
    let Some(attribute) = all.attribute(key).cloned() else { return };
    let Some(text) = &attribute.formula else { return };
    let Some(node) = table.get(key) else { return };
    let place = reader.place(node, &format!("{}/formula", table.at(key)));
    let wrong = |reader: &mut Reader<'_>, message: String| {
        reader.wrong(&place, Problem::new("bad_formula", message).value(text.as_str()));
    };
    let formula = match Formula::parse(text) {
        Ok(formula) => formula,
        Err(error) => return wrong(reader, error.to_string()),
    };
    let mut values = Vec::new();
    for name in formula.names() {
        match all.get(name).filter(|number| number.is_finite()) {
            Some(number) => values.push((name.as_str(), number)),
            None => return wrong(reader, format!("{name} is not an attribute with a number here")),
        }
    }
    match formula.evaluate_at(&values) {
        Ok(computed) if computed.is_finite() => match attribute.value {
            Value::Number(stated) if stated.is_finite() && (stated - computed).abs() > 0.005 * computed.abs() => {
                wrong(reader, format!("the formula yields {computed}, not {stated}"));
            }
            Value::Number(stated) if stated.is_finite() => {}
            _ => all.insert(key, Attribute { value: Value::Number(computed), ..attribute }),
        },
        Ok(_) => wrong(reader, "the formula does not yield a number".to_owned()),
        Err(error) => wrong(reader, error.to_string()),
    }
}

/// Whether a word is another but for one letter changed, added, left out or exchanged with its neighbor.
fn is_slip(word: &str, of: &str) -> bool {
    let (word, of) = (word.as_bytes(), of.as_bytes());
    if word.len() < 4 || word.len().abs_diff(of.len()) > 1 {
        return false;
    }
    let front = word.iter().zip(of).take_while(|(a, b)| a == b).count();
    let back = word.iter().rev().zip(of.iter().rev()).take_while(|(a, b)| a == b).count();
    let longer = word.len().max(of.len());
    let swapped = word.len() == of.len()
        && front + back + 2 == longer
        && word[front] == of[front + 1]
        && word[front + 1] == of[front];
    front + back + 1 >= longer || swapped
}

//! Shared by the readers of JSON formats: lines of values, errors with lines, maps that keep repeated keys.

use crate::problem::{Problem, shorten};
use crate::table::number;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Parses a whole text.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Problem> {
    parse_at(text, 1)
}

/// Parses a part of a file that begins on `line`.
pub(crate) fn parse_at<'a, T: Deserialize<'a>>(text: &'a str, line: u64) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| problem_of(&error, text, line))
}

/// The problem of a JSON error in a text that begins on `line` of its file.
fn problem_of(error: &serde_json::Error, text: &str, line: u64) -> Problem {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    let at = line + (error.line() as u64).saturating_sub(1);
    let seen = text.lines().nth(error.line().saturating_sub(1)).map_or("", |line| {
        let start = error.column().saturating_sub(1);
        line.get(start..).unwrap_or("")
    });
    let code = match error.classify() {
        serde_json::error::Category::Data => "field",
        _ => "json",
    };
    let problem = Problem::new(code, message).at_line(at);
    let problem = if line == 1 { problem.at_column(error.column().max(1) as u64) } else { problem };
    if ["NaN", "Infinity", "-Infinity", "nan", "inf"].iter().any(|word| seen.starts_with(word)) {
        return Problem { code: "not_a_number".to_owned(), ..problem }
            .value(shorten(seen, 12))
            .hint("JSON has no NaN and no infinity; write null where nothing was measured");
    }
    problem
}

/// Finds the lines of parts of a text, queried in order.
pub(crate) struct Lines<'a> {
    text: &'a str,
    position: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    /// A finder for parts of this text.
    pub(crate) fn new(text: &'a str) -> Self {
        Lines { text, position: 0, line: 1 }
    }

    /// The line on which a part begins.
    pub(crate) fn of(&mut self, part: &str) -> u64 {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset > self.text.len() {
            return self.line;
        }
        if offset < self.position {
            (self.position, self.line) = (0, 1);
        }
        let between = &self.text.as_bytes()[self.position..offset];
        self.line += between.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.position = offset;
        self.line
    }
}

/// A text that borrows from the input where it can.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// The entries of an object in the order of the file, repeated keys included.
pub(crate) struct Pairs<'a, T>(pub(crate) Vec<(Cow<'a, str>, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<'de, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
            type Value = Pairs<'de, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    pairs.push((key, map.next_value()?));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

/// A value of the file with its position.
pub(crate) type Raw<'a> = &'a RawValue;

/// A number, or a number written as text; `field` names it in the problem.
pub(crate) fn number_of(value: &Value, field: &str) -> Result<f64, Problem> {
    let found = match value {
        Value::Number(number) => number.as_f64().filter(|value| value.is_finite()),
        Value::String(text) => match number::parse(text) {
            Some(number) => Some(number),
            None => return Err(number::not_a_number(text).at(field)),
        },
        _ => None,
    };
    found.ok_or_else(|| {
        let seen = shorten(&value.to_string(), 60);
        Problem::new("not_a_number", format!("{seen} is not a number")).at(field).value(seen)
    })
}

/// A number or a list of numbers; null means not measured and becomes NaN.
pub(crate) fn numbers_of(value: &Value, field: &str) -> Result<Vec<f64>, Problem> {
    match value {
        Value::Array(list) => {
            list.iter().map(|item| if item.is_null() { Ok(f64::NAN) } else { number_of(item, field) }).collect()
        }
        _ => Ok(vec![number_of(value, field)?]),
    }
}

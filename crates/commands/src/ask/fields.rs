//! Fields of a question: read with their defaults, and kept as they were filled.

use super::Question;
use crate::failure::Failure;
use runcast_core::Problem;
use serde_json::{Map, Value};

/// The fields of a question.
pub struct Fields<'a> {
    given: &'a Map<String, Value>,
    /// With the defaults that were used.
    pub filled: Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub fn of(question: &'a Question) -> Self {
        Fields { given: &question.fields, filled: Map::new() }
    }

    /// Refuses fields that the question does not have.
    pub fn only(&self, names: &[&str]) -> Result<(), Failure> {
        let Some(name) = self.given.keys().find(|name| !names.contains(&name.as_str())) else { return Ok(()) };
        let problem = Problem::new("unknown_field", format!("this question has no field {name}")).at(pointer(name));
        Err(problem.allowed(names.join(", ")).into())
    }

    /// A text, such as a path.
    pub fn text(&mut self, name: &str, default: &str) -> Result<String, Failure> {
        let text = match self.value(name) {
            None => default.to_owned(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => return Err(wrong(name, other, "a text")),
        };
        self.fill(name, text.as_str());
        Ok(text)
    }

    /// A text without a default.
    pub fn optional(&mut self, name: &str) -> Result<Option<String>, Failure> {
        match self.value(name).is_some() {
            true => self.text(name, "").map(Some),
            false => Ok(None),
        }
    }

    /// A positive number; pages send what was typed.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, Failure> {
        let allowed = "a number above 0";
        let number = match self.value(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(other) => return Err(wrong(name, other, allowed)),
        };
        let number = number.filter(|number| number.is_finite() && *number > 0.0);
        let Some(number) = number else {
            return Err(wrong(name, self.value(name).unwrap_or(&Value::Null), allowed));
        };
        self.fill(name, number);
        Ok(Some(number))
    }

    /// Texts: a list, or with commas between.
    pub fn list(&mut self, name: &str, default: &[&str]) -> Result<Vec<String>, Failure> {
        let words =
            |text: &str| text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let list: Vec<String> = match self.value(name) {
            None => default.iter().map(|word| (*word).to_owned()).collect(),
            Some(Value::String(text)) => words(text),
            Some(Value::Array(all)) if all.iter().all(Value::is_string) => {
                all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(other) => return Err(wrong(name, other, "a list of texts")),
        };
        self.fill(name, list.clone());
        Ok(list)
    }

    /// Keeps what a field was filled with.
    pub fn fill(&mut self, name: &str, value: impl Into<Value>) {
        self.filled.insert(name.to_owned(), value.into());
    }

    /// What was given; an empty text is as good as nothing.
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !value.is_null() && value.as_str() != Some(""))
    }
}

fn wrong(name: &str, value: &Value, allowed: &str) -> Failure {
    let problem = Problem::new("invalid_value", format!("{name} cannot be this")).at(pointer(name));
    problem.value(value.to_string()).allowed(allowed).into()
}

/// Where a field is in the request.
pub fn pointer(name: &str) -> String {
    format!("/fields/{name}")
}

/// The failure with every problem at a field, unless it has a place in a file.
pub fn at(name: &str) -> impl Fn(Failure) -> Failure {
    move |mut failure| {
        for problem in failure.problems.0.iter_mut().filter(|problem| problem.line.is_none()) {
            problem.pointer = Some(pointer(name));
        }
        failure
    }
}

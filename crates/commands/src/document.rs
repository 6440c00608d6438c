//! The document of `--json`, made on demand.

use crate::failure::Failure;
use runcast_core::Problem;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The document of `--json`, made on demand: a table of a hundred thousand models costs nothing until
/// then.
#[derive(Clone)]
pub struct Document(Arc<dyn Source>);

trait Source: Send + Sync {
    fn value(&self) -> Result<Value, serde_json::Error>;
    fn pretty(&self) -> Result<Vec<u8>, serde_json::Error>;
}

impl<T: Serialize + Send + Sync> Source for T {
    fn value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn pretty(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec_pretty(self)
    }
}

impl Document {
    /// A document with the fields of `content`.
    pub fn new(content: impl Serialize + Send + Sync + 'static) -> Self {
        Document(Arc::new(content))
    }

    /// With one more field at its end.
    #[must_use]
    pub fn with(self, name: &'static str, content: impl Serialize + Send + Sync + 'static) -> Self {
        Document(Arc::new(Extended { base: self.0, name, content }))
    }

    /// The document as a value.
    ///
    /// # Errors
    /// It cannot be JSON, which is a bug of runcast.
    pub fn value(&self) -> Result<Value, Failure> {
        self.0.value().map_err(|error| internal(&error))
    }

    /// The document as it is printed and written.
    ///
    /// # Errors
    /// It cannot be JSON, which is a bug of runcast.
    pub fn pretty(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = self.0.pretty().map_err(|error| internal(&error))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// A document with one more field.
struct Extended<T> {
    base: Arc<dyn Source>,
    name: &'static str,
    content: T,
}

impl<T: Serialize + Send + Sync> Source for Extended<T> {
    fn value(&self) -> Result<Value, serde_json::Error> {
        let mut value = self.base.value()?;
        if let Value::Object(object) = &mut value {
            object.insert(self.name.to_owned(), serde_json::to_value(&self.content)?);
        }
        Ok(value)
    }

    fn pretty(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = self.base.pretty()?;
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'}') else { return Ok(bytes) };
        let is_empty = bytes[..end].trim_ascii_end().ends_with(b"{");
        bytes.truncate(bytes[..end].trim_ascii_end().len());
        let field = serde_json::to_string_pretty(&self.content)?.replace('\n', "\n  ");
        let separator = if is_empty { "" } else { "," };
        bytes.extend_from_slice(format!("{separator}\n  \"{}\": {field}\n}}", self.name).as_bytes());
        Ok(bytes)
    }
}

/// Two documents are equal when they say the same.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        matches!((self.0.value(), other.0.value()), (Ok(a), Ok(b)) if a == b)
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.value() {
            Ok(value) => write!(f, "{value}"),
            Err(error) => write!(f, "{error}"),
        }
    }
}

fn internal(error: &serde_json::Error) -> Failure {
    Failure::undone(Problem::new("internal", format!("the document cannot be written: {error}")))
}

/// A document of borrowed parts, made at once.
///
/// # Errors
/// It cannot be JSON, which is a bug of runcast.
pub(crate) fn value_of(content: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(content).map_err(|error| internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_with_one_more_field_reads_as_its_value() {
        for base in [json!({}), json!({"kind": "fit", "text": "a } in a text", "list": [{"x": 1.5}]})] {
            let document =
                Document::new(base.clone()).with("read_as", json!({"columns": [{"column": "a\nb"}], "none": {}}));
            let printed: Value = serde_json::from_slice(&document.pretty().expect("printed")).expect("JSON");
            assert_eq!(printed, document.value().expect("a value"));
            assert_eq!(printed["read_as"]["columns"][0]["column"], "a\nb");
            assert_eq!(printed.as_object().map(serde_json::Map::len), base.as_object().map(|object| object.len() + 1));
        }
    }
}

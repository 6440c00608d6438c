//! The document of `--json`, made when somebody asks for it.

use crate::failure::Failure;
use runcast_core::Problem;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The document of `--json`, made when somebody asks for it: a table of a hundred thousand models costs nothing until
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

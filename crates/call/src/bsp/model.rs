//! Fitted models as seen from a program: a name in a formula whose value is predicted.

use indexmap::IndexMap;

/// A predictor of a number from named numbers.
pub trait Model {
    /// The names that it needs, in the order in which [`predict`](Self::predict) takes their values.
    fn parameters(&self) -> &[String];

    /// The prediction in SI base units.
    ///
    /// # Errors
    /// Why the prediction is refused, in one sentence without a final full stop.
    fn predict(&self, at: &[f64]) -> Result<f64, String>;
}

/// The models of a program by the names that its formulas use.
pub type Models = IndexMap<String, Box<dyn Model>>;

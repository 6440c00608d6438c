//! The common interface of the programs.

use crate::skeleton::Algorithm;
use runcast_core::Warning;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A problem with its parameters.
pub trait Problem: Sync {
    type Approximation: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// The parameters as documents show them, defaults included.
    fn parameters(&self) -> Map<String, Value>;

    /// Unknowns, bodies, numbers: the value of `--size`.
    fn size(&self) -> u64;

    /// Length of the list; that of the first job, if they differ.
    fn list_length(&self) -> u64 {
        self.size()
    }

    /// Default number of iterations; none if it stops by itself.
    fn default_iterations(&self) -> Option<u64> {
        None
    }

    /// Memory of the blocks of all workers together \[B\].
    fn memory_bytes(&self) -> f64;

    /// The algorithm with its first approximation.
    fn algorithm(&self) -> Algorithm<'_, Self::Approximation>;

    /// The numbers that the approximation consists of, in their order.
    fn numbers<'x>(&self, x: &'x Self::Approximation) -> Cow<'x, [f64]>;

    /// Judges the result.
    fn judge(&self, _: &Self::Approximation) -> Judgement {
        Judgement::default()
    }
}

/// Judgement of a result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// The largest error, if the exact solution is known.
    pub error_max: Option<f64>,
    /// Numbers by which a result can be checked.
    pub checks: Map<String, Value>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// An operation on a problem of any types.
pub trait Visit {
    /// The result of the operation.
    type Out;

    /// Performs the operation.
    fn visit<P: Problem>(self, problem: &P) -> Self::Out;
}

/// A visitor that answers one query.
macro_rules! question {
    ($name:ident, $out:ty, $method:ident) => {
        pub(super) struct $name;

        impl Visit for $name {
            type Out = $out;

            fn visit<P: Problem>(self, problem: &P) -> $out {
                problem.$method()
            }
        }
    };
}

question!(Parameters, Map<String, Value>, parameters);
question!(Size, u64, size);
question!(ListLength, u64, list_length);
question!(DefaultIterations, Option<u64>, default_iterations);
question!(MemoryBytes, f64, memory_bytes);

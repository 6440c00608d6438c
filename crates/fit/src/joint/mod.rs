//! Models that need more than one series: parts that are fitted apart, programs that tell about each other, factors of
//! efficiency beside a time.

pub mod efficiency;
pub mod sum;
pub mod uv;

use crate::fitted::NoFit;
use crate::options::FitOptions;
use crate::predict::Model;
use runcast_core::model::ModelEntry;
use runcast_core::{Problem, Series};
use std::sync::Arc;

/// A kind of model of several series.
#[derive(Debug, Clone, PartialEq)]
pub enum Joint {
    Sum(sum::Parts),
    Uv(uv::Uv),
    Efficiency,
}

/// A model, or why there is none of this series.
pub type Outcome = (Arc<Series>, Result<Model, NoFit>);

impl Joint {
    /// Its name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Joint::Sum(_) => sum::NAME,
            Joint::Uv(_) => uv::NAME,
            Joint::Efficiency => efficiency::NAME,
        }
    }

    /// The models of a table's series, in their order.
    pub fn fit(&self, all: &[Series], options: &FitOptions) -> Vec<Outcome> {
        match self {
            Joint::Sum(parts) => parts.fit(all, options),
            Joint::Uv(uv) => uv.fit(all),
            Joint::Efficiency => efficiency::fit(all, options),
        }
    }
}

/// Names and summaries of models of several series that `--model` chooses.
pub const NAMED: [(&str, &str); 2] = [
    (uv::NAME, "completes a table of programs over configurations: --uv 'rows=app;columns=p,N'"),
    (efficiency::NAME, "columns load_balance, serialization, transfer, computation_scaling, and a time"),
];

/// A saved model of several series; none if it is of one.
///
/// # Errors
/// A [`Problem`] when the document contradicts itself.
pub fn reload(entry: &ModelEntry) -> Option<Result<Model, Problem>> {
    match entry.model.as_str() {
        sum::NAME => Some(sum::reload(entry)),
        uv::NAME => Some(uv::reload(entry)),
        efficiency::NAME => Some(efficiency::reload(entry)),
        _ => None,
    }
}

/// Series of the same labels, in the order of their first.
fn by_group(all: &[Series]) -> Vec<Vec<&Series>> {
    let mut groups: Vec<Vec<&Series>> = Vec::new();
    for series in all {
        match groups.iter_mut().find(|group| group[0].group == series.group) {
            Some(group) => group.push(series),
            None => groups.push(vec![series]),
        }
    }
    groups
}

//! The curve: how the work of a block is counted, and how messages travel.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How the work of a worker's block is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// `W/K`: Eq. 8 to 10 of \[S\]. Exact where `K` divides `l` and a worker folds into an identity.
    Smooth,
    /// `W/K - t_a`: Algorithm 2 of \[S\] to the letter, where `m` elements need `m - 1` folds.
    Exact,
    /// `ceil(l/K) W/l`: the largest block decides. Equals [`Form::Smooth`] where `K` divides `l`.
    Granular,
}

runcast_core::words!(Form::name: Smooth = "smooth", Exact = "exact", Granular = "granular");

/// How the approximation reaches the workers, and their results the master.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collective {
    /// The master sends to each worker and receives from each, one by one: as published.
    Flat,
    /// Along a binomial tree with the master at the root.
    Tree,
}

runcast_core::words!(Collective::name: Flat = "flat", Tree = "tree");

/// Parses a name; the error states what is allowed.
impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Form::ALL.into_iter().find(|form| form.name() == text.trim());
        found.ok_or_else(|| "allowed are smooth, exact and granular".to_owned())
    }
}

/// Parses a name; the error states what is allowed.
impl FromStr for Collective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Collective::ALL.into_iter().find(|collective| collective.name() == text.trim());
        found.ok_or_else(|| "allowed are flat and tree".to_owned())
    }
}

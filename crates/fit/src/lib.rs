//! Forecasts from some runs at small scale.
//!
//! A [`runcast_core::Series`] becomes a [`Sample`]: numbers, and how its parameters are related. A
//! [`Regression`] from the [`registry`] turns it into a [`Fitted`] model; [`Model`] adds what is needed to predict:
//! intervals, the distance from the measured range, a verdict.
//!
//! ```
//! # use std::sync::Arc;
//! use runcast_core::{Configuration, roles::TableOptions, series::series_of, Table};
//! use runcast_fit::{FitOptions, Model, registry};
//!
//! let csv = "p,time_s\n8,10\n16,9\n32,8.5\n64,8.4\n";
//! let table = Table::read("runs.csv", csv.as_bytes(), &Default::default())?;
//! let series = series_of(&table, &TableOptions::default())?.series.remove(0);
//! let model = Model::fit(&Arc::new(series), registry::MODELS[0], &FitOptions::default())?;
//! let target = Configuration([("p".to_owned(), 256.0)].into_iter().collect());
//! let (prediction, _) = model.predict(&target, 0.9)?;
//! assert!((prediction.value.unwrap() - 8.423262).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod advise;
pub mod auto;
pub mod document;
pub mod evaluate;
pub mod fitted;
pub mod foreign;
pub mod joint;
pub mod models;
pub mod options;
pub mod predict;
pub mod ranges;
pub mod registry;
pub mod sample;
pub mod terms;
#[cfg(test)]
mod testing;
pub mod text;

pub use fitted::{Fitted, NoFit, Regression};
pub use foreign::Foreign;
pub use options::FitOptions;
pub use predict::Model;
pub use runcast_core::numeric::linear::Robust;
pub use sample::Sample;

use rayon::prelude::*;
use runcast_core::Series;
use runcast_core::series::Aggregate;
use std::sync::Arc;

/// Fits every regression to every series, in parallel, and gives what `each` makes of the outcomes, in the order of
/// the series and then of the regressions, for any number of threads.
pub fn fit_each<T: Send>(
    series: Vec<Series>,
    regressions: &[&'static dyn Regression],
    options: &FitOptions,
    each: impl Fn(&Arc<Series>, &'static dyn Regression, Result<Model, NoFit>) -> T + Sync,
) -> Vec<T> {
    let of_one = |series: Series| -> Vec<T> {
        let series = Arc::new(series);
        let fit = |regression: &&'static dyn Regression| {
            each(&series, *regression, Model::fit(&series, *regression, options))
        };
        regressions.iter().map(fit).collect()
    };
    series.into_par_iter().flat_map_iter(of_one).collect()
}

pub fn aggregate_of(name: &str) -> Option<Aggregate> {
    [Aggregate::Median, Aggregate::Min, Aggregate::Max, Aggregate::Mean, Aggregate::Best]
        .into_iter()
        .find(|aggregate| aggregate.name() == name)
}

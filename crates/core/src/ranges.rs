//! Ranges of predictions: one layer for every method (docs/theory/ranges.md).
//!
//! A range says where a *run* will fall. A method **claims** a value and what it knows of its own uncertainty
//! ([`Parts`]); the layer puts the parts together into a **scale**, and turns it into a range by the **scores** that
//! the method earned on points kept from it ([`Scores`]), or, where there are too few, by quantiles of the normal
//! distribution. [`Coverage`] judges ranges against runs.
//!
//! ```text
//! d = ln(measured/predicted)/s                              a score; of a rate with the reciprocal
//! range = [ value exp(min(q_low,0) s), value exp(max(q_high,0) s) ]
//! ```

mod coverage;
mod folds;
mod own;
mod range;
mod scale;
mod scores;

pub use coverage::{COVERAGE_LEVEL, Coverage, design_effect};
pub use folds::{LEAST_DISTANCE, fold_square, prefixes};
pub use own::{OWN_SCALE, own_file, own_scale, recalibrated};
pub use range::{PartsEntry, Range, RangeEntry, Source};
pub use scale::{Noise, Parts, Scale, noise};
pub use scores::{Quantiles, Score, Scores};

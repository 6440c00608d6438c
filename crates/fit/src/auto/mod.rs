//! `auto`: the recommended model when only the runs are known.

mod apart;
pub mod baseline;
pub mod calibration;
mod envelope;
mod expert;
mod grid;
mod grid_law;
mod joint;
mod law;
pub mod line;
mod points;
mod slices;

use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;

/// Several forms, weighed by how well they predict the larger runs from the smaller ones; what was measured where it was.
///
/// Along one parameter: at a measured configuration what was measured, between two a line in log-log, beyond a mixture
/// of forms (`law.rs` has the rule) that starts at the last run. A time or a rate over processes stays within ideal
/// scaling below and growth with the processes above unless two held-out runs left them. What rose at every step does
/// not fall beyond. A rate is forecast as a time: its reciprocal, or `p / rate` in weak scaling. The verdict is `disagree` where the power law and the normal
/// form are more than a factor of two apart.
///
/// In a grid: the slice through the target (all parameters equal but one, at least three configurations), helped by
/// those parallel to it; if there is none, a joint law within the same bounds. A last run that lies far from the slices beside
/// it (`apart.rs`) is answered where it was measured, and says nothing beyond. Where a sum of at most four products of processes and size hits
/// every run (`grid_law.rs`), it is the forecast. `formula` is the law alone, without what was measured.
///
/// The interval comes from the errors of the same rule on real runs ([`calibration`]).
pub struct Auto;

impl Regression for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn summary(&self) -> &'static str {
        "the recommended forecast: several forms weighed, calibrated interval"
    }

    fn leaves_out_zeros(&self) -> bool {
        true
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        if sample.dimensions.len() > 1 { grid::fit(sample, options) } else { line::fit(sample, options) }
    }
}

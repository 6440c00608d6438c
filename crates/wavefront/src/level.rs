//! A slowdown that all processes of a run share: the **level** x(t) of the logarithm of their times.
//!
//! ```text
//! dx  = -kappa (x - mu) dt + sqrt(q) dB          kappa = 0: a random walk; kappa > 0 reverts to mu
//! y_k = ln(mean over processes of (window mean/process mean)) = x(t_k) + error of variance r_k
//! ```
//!
//! Twenty windows know q within a factor of 3 at best, so that no single q is chosen: every pair (q, kappa) of a grid has a
//! weight ([`Posterior`]), and the level at later times is a mixture of normal laws. [`LevelNormal`] is the law of a run's
//! time under it.
//!
//! Source: A. C. Harvey, *Forecasting, Structural Time Series Models and the Kalman Filter* (1989), 2.3 and 3.4, for local
//! levels and their restricted likelihood; N. Cressie, *Statistics for Spatial Data* (1993), 3.2, for ordinary kriging.

mod choice;
mod law;
mod observe;
mod path;
mod posterior;
pub mod sessions;
mod simplex;

pub use choice::{Candidate, Choice, Judged};
pub use law::LevelNormal;
pub use observe::{LEAST_WINDOWS, observed};
pub use path::{Path, Paths};
pub use posterior::{Entry, Posterior};

/// What is known of the level.
#[derive(Debug, Clone, PartialEq)]
pub enum Level {
    /// Measured in windows.
    Observed(Observed),
    /// Constant over a run, normal.
    Fixed { sd: f64, mean: f64 },
}

/// The level in windows of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Middles of the windows, from the first sample \[s\]; rising.
    pub times_s: Vec<f64>,
    /// End of the last sample \[s\].
    pub end_s: f64,
    /// y
    pub log_factor: Vec<f64>,
    /// r, above 0.
    pub variance: Vec<f64>,
    /// Whether messages slow down alike.
    pub messages: bool,
}

impl Observed {
    /// From the first window to the last \[s\].
    pub fn length_s(&self) -> f64 {
        match self.times_s.as_slice() {
            [first, .., last] => last - first,
            _ => 0.0,
        }
    }

    /// Median distance of windows \[s\].
    pub fn window_s(&self) -> f64 {
        let distances: Vec<f64> = self.times_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
        runcast_core::statistics::median(&distances)
    }
}

#[cfg(test)]
mod tests;

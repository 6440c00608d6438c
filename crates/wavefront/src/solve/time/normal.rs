//! The normal law of the time, rounded to the lattice.

use runcast_core::numeric::normal;
use statrs::function::erf::erfc;

/// A normal law on the lattice: P(T <= t) is that of t + 1/2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lattice {
    /// Ticks.
    pub mean: f64,
    /// Ticks.
    pub sd: f64,
}

/// Of `phases` phases with mean and asymptotic variance of one.
pub(super) fn law(phases: f64, phase_mean: f64, phase_var: f64) -> Lattice {
    Lattice { mean: phases * phase_mean, sd: (phases * phase_var).sqrt() }
}

impl Lattice {
    pub fn above(&self, ticks: f64) -> f64 {
        if self.sd == 0.0 {
            return if self.mean.round() > ticks { 1.0 } else { 0.0 };
        }
        0.5 * erfc((ticks + 0.5 - self.mean) / (self.sd * std::f64::consts::SQRT_2))
    }

    /// Level 0 and 1 mark values indistinguishable from them.
    pub fn quantile(&self, level: f64) -> f64 {
        let score = normal::quantile(level.clamp(1e-16, 1.0 - 1e-16));
        (self.mean + self.sd * score - 0.5).ceil().max(0.0)
    }
}

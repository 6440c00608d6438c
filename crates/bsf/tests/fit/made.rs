//! Times that are computed, not measured.

use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::fit::{Coefficients, Measured, Shape};

/// Times of a curve without noise.
pub fn exact(shape: Shape, coefficients: Coefficients, workers: &[u64]) -> Vec<Measured> {
    workers.iter().map(|&workers| Measured { workers, time_s: time_s(shape, coefficients, workers) }).collect()
}

/// The model, written down once more, term by term.
pub fn time_s(shape: Shape, coefficients: Coefficients, workers: u64) -> f64 {
    let count = workers as f64;
    let share = match (shape.form(), shape.list_length()) {
        (Form::Granular, Some(length)) => (length as f64 / count).ceil() / length as f64,
        _ => 1.0 / count,
    };
    let messages = match shape.collective() {
        Collective::Flat => count,
        Collective::Tree => (count + 1.0).log2().ceil(),
    };
    coefficients.fixed_s + coefficients.work_s * share + coefficients.per_worker_s * messages
}

/// The sum that a loss makes least, at given coefficients.
pub fn sum(shape: Shape, coefficients: Coefficients, runs: &[Measured], power: i32) -> f64 {
    let error = |run: &Measured| (time_s(shape, coefficients, run.workers) / run.time_s - 1.0).abs();
    runs.iter().map(|run| error(run).powi(power)).sum()
}

/// Random numbers with a seed: SplitMix64 (S. Vigna, public domain).
pub struct Random(pub u64);

impl Random {
    /// Evenly between 0 and 1.
    pub fn even(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = ((-2.0 * (1.0 - self.even()).ln()).sqrt(), std::f64::consts::TAU * self.even());
        radius * angle.cos()
    }
}

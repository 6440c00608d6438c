//! Samples of known programs.

use runcast_call::piecewise::{Repeated, Samples, Settings};
use runcast_core::Metric;
use runcast_core::random::SplitMix;
use runcast_formula::Formula;
use runcast_formula::template::Template;

/// How a measurement differs from the truth.
#[derive(Clone, Copy)]
pub struct Noise {
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Share of samples that take 1.3 to 3 times as long.
    pub outliers: f64,
}

impl Noise {
    /// So many measurements of a value.
    pub fn repeat(self, truth: f64, repetitions: usize, random: &mut SplitMix) -> Vec<f64> {
        (0..repetitions)
            .map(|_| {
                let radius = (-2.0 * (1.0 - random.uniform()).ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * random.uniform()).cos();
                let slow = if random.uniform() < self.outliers { 1.3 + 1.7 * random.uniform() } else { 1.0 };
                truth * (self.sigma * normal).exp() * slow
            })
            .collect()
    }
}

/// 52 sizes, three to an octave.
pub fn sizes() -> Vec<f64> {
    (0..52).map(|i| 2.0f64.powf(6.0 + 17.0 * f64::from(i) / 51.0).round()).collect()
}

/// A program that passes two caches: seconds for a size.
pub fn jumps_s(size: f64) -> f64 {
    let (c0, c1) = match size {
        n if n < 4096.0 => (300.0, 1.0),
        n if n < 131_072.0 => (2500.0, 1.9),
        _ => (40_000.0, 6.0),
    };
    1e-9 * (c0 + c1 * size)
}

/// A program whose cost per element rises, without a jump.
pub fn kinks_s(size: f64) -> f64 {
    let past = |limit: f64| (size - limit).max(0.0);
    1e-9 * (300.0 + size + 0.9 * past(4096.0) + 4.1 * past(131_072.0))
}

/// The four-term formula of a parallel FFT, with a node's border and two caches.
pub fn parallel_s(size: f64, processes: f64) -> f64 {
    let local = size / processes;
    let (c1, c3) = if processes > 8.0 { (2e4, 9.0) } else { (3e3, 2.0) };
    let c2 = match local {
        l if l <= 8192.0 => 1.0,
        l if l <= 131_072.0 => 1.9,
        _ => 5.0,
    };
    1e-9 * (2000.0 + c1 * processes.log2() + c2 * local * local.log2() + c3 * size * (processes - 1.0) / processes)
}

/// Samples of `time_s`.
pub fn samples(parameters: &[&str], configurations: Vec<Repeated>) -> Samples {
    Samples {
        group: Default::default(),
        metric: Metric::new("time_s", "s", runcast_core::Direction::Lower),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        process_parameter: parameters.contains(&"P").then(|| "P".to_owned()),
        configurations,
        rejected: Default::default(),
    }
}

/// Settings with expressions to segment by; none: every parameter, product and ratio.
pub fn settings(template: &str, segmentation: &[&str], bootstrap: bool) -> Result<Settings, String> {
    let mut settings = Settings::new(Template::parse(template).map_err(|error| error.to_string())?);
    for text in segmentation {
        settings.segmentation.push(Formula::parse(text).map_err(|error| error.to_string())?);
    }
    settings.segmentation_auto = segmentation.is_empty();
    settings.bootstrap = bootstrap;
    Ok(settings)
}

//! Samples for the other files.

use runcast_call::piecewise::{Repeated, Samples, Settings};
use runcast_core::random::SplitMix;
use runcast_core::{Configuration, Metric};
use runcast_formula::Formula;
use runcast_formula::template::Template;

/// Samples of `time_s` with these parameters.
pub fn samples(parameters: &[&str], configurations: Vec<Repeated>) -> Samples {
    Samples {
        group: Default::default(),
        metric: Metric::from_name("time_s").expect("a metric"),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        process_parameter: parameters.contains(&"P").then(|| "P".to_owned()),
        configurations,
        rejected: Default::default(),
    }
}

/// Settings with the expressions to segment by.
pub fn settings(template: &str, segmentation: &[&str]) -> Settings {
    let mut settings = Settings::new(Template::parse(template).expect(template));
    settings.segmentation = segmentation.iter().map(|text| Formula::parse(text).expect(text)).collect();
    settings
}

/// Without intervals, which most tests do not look at.
pub fn quick(template: &str, segmentation: &[&str]) -> Settings {
    Settings { bootstrap: false, ..settings(template, segmentation) }
}

pub fn at(pairs: &[(&str, f64)]) -> Configuration {
    Configuration(pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
}

/// A normal number.
pub fn normal(random: &mut SplitMix) -> f64 {
    let radius = (-2.0 * (1.0 - random.uniform()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.uniform()).cos()
}

pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

//! Samples for the other files.

use runcast_call::piecewise::{Repeated, Samples, Settings};
use runcast_core::random::SplitMix;
use runcast_core::{Configuration, Metric};
use runcast_formula::Formula;
use runcast_formula::template::Template;
use std::collections::BTreeMap;
use std::path::Path;

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

/// A sweep of `testdata/cll`: its repetitions are runs through all sizes.
pub fn sweep(name: &str) -> Samples {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/cll/{name}.csv"));
    let text = std::fs::read_to_string(path).expect("a sweep");
    let mut runs: BTreeMap<u64, Repeated> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let here = runs.entry(cells[0] as u64).or_insert_with(|| Repeated::new(vec![cells[0], cells[1]], vec![]));
        here.values.push(cells[3]);
        here.visits.push(1.0);
        here.runs.push(cells[2] as u32);
    }
    samples(&["n", "bytes"], runs.into_values().collect())
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

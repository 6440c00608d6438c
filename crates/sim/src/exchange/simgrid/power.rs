//! `wattage_per_state` and the attributes of a processor.

use crate::attributes::{Attribute, Attributes, Quality, Value};

/// Watts of the first state: idle, with next to no load, with all cores at work.
///
/// SimGrid takes `epsilon + load * (all - epsilon)` for a load above 0; at whole numbers of busy cores this is the line
/// between one and all of them. `idle:all` is the line from idle.
pub(super) fn read(text: &str, cores: f64, attributes: &mut Attributes) -> bool {
    let first = text.split(',').next().unwrap_or_default();
    let watts: Option<Vec<f64>> = first.split(':').map(|part| part.trim().parse().ok()).collect();
    let Some(watts) = watts.filter(|watts| watts.iter().all(|watts: &f64| watts.is_finite() && *watts >= 0.0)) else {
        return false;
    };
    match *watts.as_slice() {
        [always] => pair(attributes, always, always),
        [idle, all] => pair(attributes, idle, all),
        [idle, _, all] if cores <= 1.0 => curve(attributes, vec![(0.0, idle), (1.0, all)]),
        [idle, epsilon, all] => {
            curve(attributes, vec![(0.0, idle), (1.0, epsilon + (all - epsilon) / cores), (cores, all)]);
        }
        _ => return false,
    }
    true
}

fn pair(attributes: &mut Attributes, idle: f64, all: f64) {
    attributes.give("power_idle", idle);
    attributes.give("power_load", all);
}

fn curve(attributes: &mut Attributes, points: Vec<(f64, f64)>) {
    let attribute = Attribute {
        value: Value::Curve(points),
        unit: "W".to_owned(),
        quality: Quality::Given,
        source: String::new(),
        formula: None,
    };
    attributes.insert("power_threads", attribute);
}

/// The text of `wattage_per_state` for one of `count` like processors in a machine that takes `base` watts itself.
pub(super) fn write(attributes: &Attributes, cores: f64, count: f64, base: f64) -> Option<String> {
    if let Some(points) = attributes.curve("power_threads") {
        let at = |threads: f64| base + count * line(points, threads);
        let all_cores = cores * count;
        let (idle, one, all) = (at(0.0), base + line(points, 1.0) + (count - 1.0) * line(points, 0.0), at(cores));
        // The line between one core and all, continued to none.
        let epsilon = if all_cores > 1.0 { (all_cores * one - all) / (all_cores - 1.0) } else { one };
        return Some(format!("{}:{}:{}", short(idle), short(epsilon), short(all)));
    }
    let load = attributes.get("power_load")?;
    let idle = attributes.get("power_idle").unwrap_or(0.4 * load);
    Some(format!("{}:{}", short(base + count * idle), short(base + count * load)))
}

/// Without the last digits, in which a way there and back may differ.
fn short(watts: f64) -> f64 {
    format!("{watts:.11e}").parse().unwrap_or(watts)
}

/// Linear between points, constant past the ends.
fn line(points: &[(f64, f64)], threads: f64) -> f64 {
    let after = points.partition_point(|point| point.0 <= threads);
    match (after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)) {
        (Some(&(x, y)), Some(&(to_x, to_y))) => y + (to_y - y) * (threads - x) / (to_x - x),
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 0.0,
    }
}

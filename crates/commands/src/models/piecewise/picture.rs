//! The picture of a piecewise model: its samples, curve and breaks over the parameter that matters.

use crate::failure::Failure;
use runcast_call::piecewise::{Piecewise, Samples};
use runcast_core::problem::shorten;
use runcast_core::{Configuration, Problem};
use runcast_report::piecewise_plot::{self, Break, Curve, Picture, Place};
use runcast_report::plot::Plot;
use std::collections::HashSet;

/// Values of `by` that have a curve of their own.
pub const MOST_CURVES: usize = 6;
/// Places of a curve beside the measured ones.
const STEPS: usize = 96;

/// The picture of a model, as `report` shows it, too.
pub fn picture_of(model: &Piecewise) -> Plot {
    model_plot(model, "", None, None).unwrap_or_default()
}

/// As [`picture_of`], with a name, and over given parameters.
///
/// # Errors
/// A parameter that the model does not have.
pub fn model_plot(model: &Piecewise, name: &str, x: Option<&str>, by: Option<&str>) -> Result<Plot, Failure> {
    let samples = model.samples();
    // Breaks are seen where their variable is on the axis.
    let along = model.breaks().iter().map(|b| b.variable.as_str()).find(|name| model.names().iter().any(|n| n == name));
    let axes = Axes::of(samples, model.names(), x.or(along), by)?;
    let level = model.settings().level;
    let points: Vec<(Configuration, f64, f64)> = model.points().collect();
    let breaks: Vec<Break> = model
        .breaks()
        .iter()
        .filter(|b| Some(b.variable.as_str()) == axes.x.as_deref())
        .map(|b| Break { at: b.at, low: b.low, high: b.high, label: b.constant.clone().unwrap_or_default() })
        .collect();
    let curves = axes
        .keys(points.iter().map(|(at, ..)| at))
        .into_iter()
        .map(|key| {
            let own: Vec<&(Configuration, f64, f64)> = points.iter().filter(|(at, ..)| axes.holds(key, at)).collect();
            let mut curve = Curve {
                name: key.map_or_else(|| "model".to_owned(), |key| axes.name(key)),
                measured: own.iter().filter_map(|(at, y, _)| Some((at.get(axes.x.as_ref()?)?, *y))).collect(),
                predicted: Vec::new(),
            };
            let mut targets: Vec<Configuration> = own.iter().map(|(at, ..)| at.clone()).collect();
            targets.extend(axes.between(&targets, &breaks));
            for target in targets {
                let Some(place) = axes.x.as_ref().and_then(|x| target.get(x)) else { continue };
                let Ok((prediction, _)) = model.predict(&target, level) else { continue };
                curve.predicted.push(Place {
                    x: place,
                    value: prediction.value,
                    interval: prediction.low.zip(prediction.high),
                });
            }
            curve.predicted.sort_by(|a, b| a.x.total_cmp(&b.x));
            curve.predicted.dedup_by(|a, b| a.x == b.x);
            curve
        })
        .collect();
    let group: Vec<&str> = samples.group.values().map(String::as_str).collect();
    let title = match (name, group.join(", ")) {
        ("", group) if group.is_empty() => samples.metric.name.clone(),
        ("", group) => format!("{group}: {}", samples.metric.name),
        (name, group) if group.is_empty() => format!("{name}: {}", samples.metric.name),
        (name, group) => format!("{name}: {group}, {}", samples.metric.name),
    };
    Ok(piecewise_plot::plot(&Picture {
        title,
        subtitle: model.settings().template.to_string(),
        x: axes.x.clone().unwrap_or_default(),
        metric: samples.metric.name.clone(),
        unit: samples.metric.unit.clone(),
        samples: single_samples(samples, &axes),
        aggregate: model.settings().aggregate.name().to_owned(),
        curves,
        breaks,
        level,
    }))
}

/// Every sample, if there are not too many to see.
fn single_samples(samples: &Samples, axes: &Axes) -> Vec<(f64, f64)> {
    const MOST: usize = 2_000;
    let Some(place) = axes.x.as_ref().and_then(|x| samples.parameters.iter().position(|name| name == x)) else {
        return Vec::new();
    };
    let all: usize = samples.configurations.iter().map(|repeated| repeated.values.len()).sum();
    let each = all.div_ceil(MOST).max(1);
    samples
        .configurations
        .iter()
        .flat_map(|repeated| repeated.values.iter().map(move |value| (repeated.at[place], *value)))
        .step_by(each)
        .collect()
}

/// What stands on the axis, and what makes curves.
pub struct Axes {
    /// The parameter on the axis.
    pub x: Option<String>,
    by: Option<String>,
}

impl Axes {
    /// The parameters that were asked for, else those that vary most.
    ///
    /// # Errors
    /// A name that is no parameter.
    pub fn of(samples: &Samples, names: &[String], x: Option<&str>, by: Option<&str>) -> Result<Axes, Failure> {
        let check = |name: &str, option: &str| {
            if names.iter().any(|known| known == name) {
                return Ok(name.to_owned());
            }
            let problem = Problem::new("unknown_name", format!("{} is not a parameter here", shorten(name, 60)));
            let problem = problem.at(option).value(name).allowed(names.join(", "));
            Err(problem.or_near(name, names.iter().map(String::as_str)))
        };
        let distinct = |name: &String| {
            let Some(place) = samples.parameters.iter().position(|known| known == name) else { return 0 };
            let values: HashSet<u64> =
                samples.configurations.iter().map(|repeated| repeated.at[place].to_bits()).collect();
            values.len()
        };
        let most = |without: Option<&str>| {
            let others = names.iter().filter(|name| Some(name.as_str()) != without);
            others.rev().max_by_key(|name| distinct(name)).cloned()
        };
        let places: Vec<Option<usize>> =
            names.iter().map(|name| samples.parameters.iter().position(|known| known == name)).collect();
        let key = |at: &[f64]| places.iter().flatten().map(|&place| at[place].to_bits()).collect::<Vec<u64>>();
        let configurations =
            samples.configurations.iter().map(|repeated| key(&repeated.at)).collect::<HashSet<_>>().len();
        let x = match x {
            Some(x) => Some(check(x, "x")?),
            None => most(by),
        };
        let by = match by {
            Some(by) => Some(check(by, "by")?),
            // Where every configuration has its own place on the axis, the others follow it.
            None if x.as_ref().is_none_or(|x| distinct(x) == configurations) => None,
            None => most(x.as_deref()).filter(|name| distinct(name) > 1),
        };
        Ok(Axes { x, by })
    }

    /// The values that make a curve each, evenly chosen where there are many.
    pub fn keys<'a>(&self, all: impl Iterator<Item = &'a Configuration>) -> Vec<Option<f64>> {
        let Some(by) = &self.by else { return vec![None] };
        let mut values: Vec<f64> = all.filter_map(|at| at.get(by)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() <= MOST_CURVES {
            return values.into_iter().map(Some).collect();
        }
        let step = (values.len() - 1) as f64 / (MOST_CURVES - 1) as f64;
        (0..MOST_CURVES).map(|index| values.get((index as f64 * step).round() as usize).copied()).collect()
    }

    /// Whether a configuration belongs to the curve.
    pub fn holds(&self, key: Option<f64>, at: &Configuration) -> bool {
        match (&self.by, key) {
            (Some(by), Some(key)) => at.get(by) == Some(key),
            _ => true,
        }
    }

    /// What the curve of a value is called.
    pub fn name(&self, key: f64) -> String {
        format!("{} = {}", self.by.as_deref().unwrap_or_default(), runcast_report::number::parameter(key))
    }

    /// Places between measured ones where nothing but `x` changes, and on both sides of each break.
    fn between(&self, measured: &[Configuration], breaks: &[Break]) -> Vec<Configuration> {
        let (Some(x), Some(first)) = (&self.x, measured.first()) else { return Vec::new() };
        let others = |at: &Configuration| {
            let mut at = at.clone();
            at.0.shift_remove(x);
            at
        };
        if measured.iter().any(|at| others(at) != others(first)) {
            return Vec::new();
        }
        let values = || measured.iter().filter_map(|at| at.get(x));
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let mut places: Vec<f64> = (1..STEPS)
            .map(|step| {
                let share = step as f64 / STEPS as f64;
                if least > 0.0 { least * (most / least).powf(share) } else { least + (most - least) * share }
            })
            .collect();
        places.extend(breaks.iter().flat_map(|b| [b.at, b.at.next_up()]));
        places.retain(|place| (least..=most).contains(place));
        let at = |place: f64| {
            let mut at = first.clone();
            at.0.insert(x.clone(), place);
            at
        };
        places.into_iter().map(at).collect()
    }
}

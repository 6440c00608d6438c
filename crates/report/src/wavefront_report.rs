//! Degrees of asynchronism side by side, and the law of a run's time: the results of `runcast wavefront solve`, as pictures.

use crate::number;
use crate::plot::{Axis, Line, Place, Plot, RankedRow, Ranking, Rule, Scale};

/// More steps than this look like a curve.
const MOST_STEPS: usize = 40;

/// A degree of asynchronism with its times by estimate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Degree {
    pub name: String,
    pub times: Vec<EstimatedTime>,
}

/// An estimate's time for a degree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EstimatedTime {
    /// Which estimate: `average`.
    pub estimate: String,
    /// The time \[s\].
    pub time_s: f64,
    pub range_s: Option<(f64, f64)>,
}

/// The law of a run's time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TimeLaw {
    /// Short description of the run.
    pub title: String,
    /// How the law was computed, in a few words.
    pub subtitle: String,
    /// Mean \[s\].
    pub mean_s: f64,
    /// `(seconds, P(T <= seconds))`, ascending.
    pub distribution: Vec<(f64, f64)>,
    /// `(probability, seconds)`.
    pub quantiles: Vec<(f64, f64)>,
    /// Deadlines \[s\].
    pub deadlines_s: Vec<f64>,
}

/// A point for each degree and estimate, with its interval; degrees from top to bottom in the given order.
pub fn degrees_plot(title: &str, subtitle: &str, degrees: &[Degree]) -> Plot {
    let mut plot = Plot::new(title, Axis::new("time", "s"), Axis::default()).subtitled(subtitle);
    let mut names: Vec<&str> = Vec::new();
    for time in degrees.iter().flat_map(|degree| &degree.times) {
        if !names.contains(&time.estimate.as_str()) {
            names.push(&time.estimate);
        }
    }
    for name in names {
        let row = |degree: &Degree| {
            let time = degree.times.iter().find(|time| time.estimate == name)?;
            Some(RankedRow { label: degree.name.clone(), value: time.time_s, interval: time.range_s })
        };
        plot = plot.with(Ranking { name: name.to_owned(), rows: degrees.iter().filter_map(row).collect() });
    }
    plot
}

/// The distribution function with quantiles and deadlines; as steps if there are few.
pub fn time_plot(law: &TimeLaw) -> Plot {
    let ended = Axis::new("runs that have ended", "%").scaled(Scale::Linear);
    let mut plot = Plot::new(&*law.title, Axis::new("time", "s"), ended);
    plot = plot.subtitled(law.subtitle.as_str());
    let points = match law.distribution.len() > MOST_STEPS {
        true => law.distribution.iter().map(|&(time_s, probability)| (time_s, 100.0 * probability)).collect(),
        false => steps(&law.distribution),
    };
    plot = plot.with(Line::new("", points));
    for (q, time_s) in &law.quantiles {
        plot = plot.with(Rule { place: Place::Vertical(*time_s), label: percent_of_runs(*q) });
    }
    for deadline_s in &law.deadlines_s {
        let label = format!("deadline {}", number::quantity(*deadline_s, "s", 4));
        plot = plot.with(Rule { place: Place::Vertical(*deadline_s), label });
    }
    plot
}

/// `95 %`
fn percent_of_runs(q: f64) -> String {
    number::with_unit(&number::significant(100.0 * q, 4), "%")
}

/// Corners of a step function, in percent.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(2 * points.len());
    let mut before = 0.0;
    for &(time_s, probability) in points {
        corners.push((time_s, 100.0 * before));
        corners.push((time_s, 100.0 * probability));
        before = probability;
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Layer;
    use crate::svg;

    #[test]
    fn an_estimate_is_a_ranking_and_a_degree_a_row() {
        let time = |estimate: &str, time_s: f64, range_s: Option<(f64, f64)>| EstimatedTime {
            estimate: estimate.to_owned(),
            time_s,
            range_s,
        };
        let degree = |name: &str, time_s: f64| Degree {
            name: name.to_owned(),
            times: vec![time("average", time_s, None), time("operator", 0.9 * time_s, Some((0.8 * time_s, time_s)))],
        };
        let plot = degrees_plot("Degrees", "", &[degree("sync", 100.0), degree("async 1", 90.0)]);
        let Layer::Ranking(second) = &plot.layers[1] else { panic!("{:?}", plot.layers[1]) };
        assert_eq!((second.name.as_str(), second.rows.len()), ("operator", 2));
        assert_eq!(second.rows[1].interval, Some((72.0, 90.0)));
        let picture = svg::render(&plot);
        assert!(picture.contains("async 1") && picture.contains("operator"), "{picture}");
    }

    #[test]
    fn a_law_is_drawn_in_steps() {
        assert_eq!(steps(&[(1.0, 0.25), (3.0, 1.0)]), [(1.0, 0.0), (1.0, 25.0), (3.0, 25.0), (3.0, 100.0)]);
        let law = TimeLaw {
            title: "Time of 62 phases".to_owned(),
            distribution: vec![(144.0, 0.05), (156.0, 0.5), (170.0, 0.99)],
            quantiles: vec![(0.5, 156.0)],
            deadlines_s: vec![160.0],
            ..TimeLaw::default()
        };
        let picture = svg::render(&time_plot(&law));
        assert!(picture.contains("deadline") && picture.contains("Time of 62 phases"), "{picture}");
    }
}

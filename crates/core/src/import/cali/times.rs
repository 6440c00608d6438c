//! Which of the values of a profile are the times of regions, and their visits.
//!
//! Caliper puts what was done with a value before its name: `sum#time.duration` is the time of a region without those in it,
//! `inclusive#sum#time.duration` with them, and `avg#inclusive#sum#time.duration` the mean of the latter over processes.

use crate::table::number;
use std::collections::HashMap;

/// The names of values, and the seconds in their units.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Times {
    inclusive: Option<(String, f64)>,
    own: Option<(String, f64)>,
    visits: Option<String>,
}

impl Times {
    /// Among values and their units; none where no time is among them.
    pub(super) fn among(values: &[(String, Option<String>)]) -> Option<Self> {
        let best = |wanted: &dyn Fn(&str) -> bool| {
            let seconds =
                |(name, unit): &(String, Option<String>)| Some((name.clone(), seconds(name, unit.as_deref())?));
            let mut found: Vec<(String, f64)> =
                values.iter().filter(|(name, _)| wanted(name)).filter_map(seconds).collect();
            // The first of the best: sorting is stable.
            found.sort_by_key(|(name, _)| over_processes(name));
            found.into_iter().next()
        };
        let is_inclusive = |name: &str| name.contains("inclusive");
        let inclusive = best(&is_inclusive);
        let own = best(&|name| !is_inclusive(name));
        let is_count = |name: &str| ["count", "sum#count", "sum#aggregate.count", "aggregate.count"].contains(&name);
        let visits = values.iter().find(|(name, _)| is_count(name)).map(|(name, _)| name.clone());
        (inclusive.is_some() || own.is_some()).then_some(Times { inclusive, own, visits })
    }

    /// The time of a region with and without what is in it \[s\]; NaN where it is unknown.
    pub(super) fn of(&self, values: &HashMap<String, String>) -> (f64, f64) {
        let time = |chosen: &Option<(String, f64)>| {
            let Some((name, second)) = chosen else { return f64::NAN };
            values.get(name).and_then(|text| number::parse(text)).map_or(f64::NAN, |value| value * second)
        };
        (time(&self.inclusive), time(&self.own))
    }

    /// How often a region was entered; NaN where it is unknown.
    pub(super) fn visits(&self, values: &HashMap<String, String>) -> f64 {
        let text = self.visits.as_ref().and_then(|name| values.get(name));
        text.and_then(|text| number::parse(text)).unwrap_or(f64::NAN)
    }
}

/// What a value is in seconds, if it is a duration.
fn seconds(name: &str, unit: Option<&str>) -> Option<f64> {
    let last = name.rsplit('#').next().unwrap_or(name);
    let is_time = last.contains("time") && (last.contains("duration") || last.contains("inclusive"));
    // `count#..` of times is none.
    let counts = name.split('#').any(|word| word.ends_with("count") || word.ends_with("percent") || word == "scale");
    if !is_time || counts {
        return None;
    }
    match unit {
        Some("sec" | "s") => Some(1.0),
        Some("msec" | "ms") => Some(1e-3),
        Some("usec" | "us") => Some(1e-6),
        Some("nsec" | "ns") => Some(1e-9),
        Some(_) => None,
        None if last.ends_with(".ns") => Some(1e-9),
        None => Some(1.0),
    }
}

/// Which of several values over processes is meant: that of a process itself first, then the mean.
fn over_processes(name: &str) -> usize {
    const ORDER: [&str; 4] = ["avg", "max", "sum", "min"];
    let mut words = name.split('#');
    let first = words.next().unwrap_or("");
    // In `sum#time.duration` the sum is over the visits of a region.
    if !words.clone().any(|word| word == "sum" || word == "inclusive") {
        return 0;
    }
    ORDER.iter().position(|known| *known == first).map_or(0, |place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_regions_are_found() {
        let among = |names: &[&str]| {
            let values: Vec<_> = names.iter().map(|name| ((*name).to_owned(), None)).collect();
            let name = |chosen: Option<(String, f64)>| chosen.map(|(name, _)| name);
            Times::among(&values).map(|times| (name(times.inclusive), name(times.own)))
        };
        let some = |name: &str| Some(name.to_owned());
        let cross =
            ["min#inclusive#sum#time.duration", "max#inclusive#sum#time.duration", "avg#inclusive#sum#time.duration"];
        assert_eq!(among(&cross), Some((some("avg#inclusive#sum#time.duration"), None)));
        let plain = ["count", "sum#time.duration", "inclusive#sum#time.duration", "percent_total#sum#time.duration"];
        assert_eq!(among(&plain), Some((some("inclusive#sum#time.duration"), some("sum#time.duration"))));
        assert_eq!(among(&["count", "avg.count#inclusive#sum#time.duration", "bytes"]), None);
        assert_eq!(seconds("sum#time.duration.ns", None), Some(1e-9));
        assert_eq!(seconds("time.duration", Some("usec")), Some(1e-6));
    }
}

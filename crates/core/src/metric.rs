//! Metrics: what is measured or predicted, its unit and its direction.

mod suggest;

use crate::problem::{Problem, shorten};
use runcast_formula::units::{self, Quantity};
use serde::{Deserialize, Serialize};

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Times, bytes, energy.
    Lower,
    /// Rates.
    Higher,
}

crate::words!(Direction::word: Lower = "lower", Higher = "higher");

/// A measured or predicted quantity.
///
/// Values are in the SI base unit `unit`; `scale` is the factor by which the numbers of the column were multiplied to get there.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Name of the column, as in the table (`time_us`).
    pub name: String,
    /// SI base unit of the values (`s`); empty for a bare number.
    pub unit: String,
    /// SI base units per unit of the column (`time_us`: 1e-6).
    pub scale: f64,
    /// Which way is better.
    pub direction: Direction,
    /// Whether no unit was given and the name only suggests one.
    pub unit_assumed: bool,
}

impl Metric {
    /// Values in an SI base unit, which the column has, too.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, direction: Direction) -> Metric {
        Metric { name: name.into(), unit: unit.into(), scale: 1.0, direction, unit_assumed: false }
    }

    /// Whether it is a time, so that `p * metric` is the work of all processes.
    pub fn is_time(&self) -> bool {
        self.unit == "s"
    }

    /// Whether it is a rate: more per second is better.
    pub fn is_rate(&self) -> bool {
        self.direction == Direction::Higher
    }

    /// The metric that a column's name states, if any: a unit after the last `_`, one of the words `probability`,
    /// `cost`, `speedup`, `efficiency` at the end, or a bare `time`, `elapsed`, `runtime` (seconds are assumed).
    ///
    /// # Examples
    /// ```
    /// use runcast_core::Metric;
    /// let metric = Metric::from_name("time_us").expect("a unit");
    /// assert_eq!((metric.unit.as_str(), metric.scale), ("s", 1e-6));
    /// assert!(Metric::from_name("time_min").is_none(), "a minimum, not minutes");
    /// ```
    pub fn from_name(name: &str) -> Option<Metric> {
        let lower = name.to_ascii_lowercase();
        let metric = |unit: &str, scale, direction, unit_assumed| {
            Some(Metric { scale, unit_assumed, ..Metric::new(name, unit, direction) })
        };
        if let Some(rate) = suggest::each_second(name) {
            return metric(&rate.unit, rate.scale, Direction::Higher, false);
        }
        if let Some(suffix) = units::suffix_unit(name) {
            let direction = direction_of(&lower, suffix.rate);
            return metric(suffix.unit, suffix.scale, direction, false);
        }
        if ["speedup", "efficiency"].iter().any(|word| ends_with_word(&lower, word)) {
            return metric("", 1.0, Direction::Higher, false);
        }
        if ["probability", "cost"].iter().any(|word| ends_with_word(&lower, word)) {
            return metric("", 1.0, Direction::Lower, false);
        }
        if ["time", "elapsed", "runtime"].contains(&lower.as_str()) {
            return metric("s", 1.0, Direction::Lower, true);
        }
        None
    }

    /// The metric that a column's words suggest, as people write them: a time (`wall_time`, `ExecutionTime`, `seconds`;
    /// seconds are assumed where no unit is named), a unit in brackets or behind the name (`Time (ms)`, `TimeMs`), a rate
    /// by its unit (`Photons/s`, `gflops`) or by its word (`throughput`), memory in bytes (`peak_memory_mb`). Weaker
    /// evidence than [`Metric::from_name`].
    ///
    /// # Examples
    /// ```
    /// use runcast_core::Metric;
    /// let metric = Metric::from_word("Time (ms)").expect("a time");
    /// assert_eq!((metric.unit.as_str(), metric.scale), ("s", 1e-3));
    /// assert!(Metric::from_word("time_steps").is_none());
    /// ```
    pub fn from_word(name: &str) -> Option<Metric> {
        let found = suggest::quantity(name)?;
        let direction = direction_of(&name.to_ascii_lowercase(), found.rate);
        Some(Metric { scale: found.scale, unit_assumed: found.assumed, ..Metric::new(name, &found.unit, direction) })
    }

    /// The time that a name of several words begins with, in seconds that are assumed, or the rate by its unit
    /// (`gflops_gemm`); for columns whose numbers look measured.
    pub(crate) fn from_first_word(name: &str) -> Option<Metric> {
        if let Some(rate) = suggest::begins_with_rate(name) {
            return Some(Metric { scale: rate.scale, ..Metric::new(name, &rate.unit, Direction::Higher) });
        }
        suggest::begins_with_time(name)
            .then(|| Metric { unit_assumed: true, ..Metric::new(name, "s", Direction::Lower) })
    }

    /// The metric of a column that the user or an imported file declares as one: by the given unit, else by its name,
    /// else a bare number. A column named like a time (`time_max`, `wall_time`) is taken to be in seconds.
    ///
    /// # Errors
    /// The unit is not known.
    pub fn named(name: &str, unit: Option<&str>) -> Result<Metric, Problem> {
        let lower = name.to_ascii_lowercase();
        let metric = |unit: &str, scale, rate, unit_assumed| {
            let direction = direction_of(&lower, rate);
            Metric { scale, unit_assumed, ..Metric::new(name, unit, direction) }
        };
        let Some(unit) = unit.map(str::trim) else {
            let known = Metric::from_name(name).or_else(|| Metric::from_word(name));
            return Ok(known.unwrap_or_else(|| metric("", 1.0, false, false)));
        };
        if unit.is_empty() || unit == "1" {
            return Ok(Metric { unit: String::new(), unit_assumed: false, scale: 1.0, ..Metric::named(name, None)? });
        }
        let known = unit_named(unit).ok_or_else(|| {
            Problem::new("unknown_unit", format!("\"{}\" is not a unit of a metric", shorten(unit, 40)))
                .value(unit)
                .allowed("s, ms, us, ns, min, h, J, kWh, W, B, KiB, MiB, GiB, flop/s, Gflop/s, B/s, GB/s, Hz, 1/s, ..")
        })?;
        let direction = match Metric::from_name(name) {
            // A speedup given a unit stays a speedup.
            Some(named) if known.base.is_empty() => named.direction,
            _ => direction_of(&lower, known.rate),
        };
        Ok(Metric { direction, ..metric(&known.base, known.scale, known.rate, false) })
    }
}

/// A unit that a metric may have.
struct KnownUnit {
    base: String,
    scale: f64,
    rate: bool,
}

/// A unit as in a quantity (`us`, `GiB`, `Gflop/s`), as at the end of a column's name (`gflops`, `kwh`), or spelled out.
fn unit_named(unit: &str) -> Option<KnownUnit> {
    if let Some(scale) = suggest::time_unit(unit) {
        return Some(KnownUnit { base: "s".to_owned(), scale, rate: false });
    }
    let unit = match unit {
        "byte" | "bytes" => "B",
        "1/s" => "per_s",
        other => other,
    };
    if !unit.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
        && let Ok(found) = Quantity::parse(&format!("1 {unit}"))
        && found.has_unit
    {
        let rate = found.powers.time < 0 && found.powers.energy == 0;
        // The name of the kind of operation is kept: flop/s are not traversed edges.
        let base = match found.powers.unit().as_str() {
            "op/s" if unit.contains("flop") => "flop/s".to_owned(),
            "op/s" if unit.contains("TEPS") => "TEPS".to_owned(),
            "op" if unit.contains("flop") => "flop".to_owned(),
            "1/s" if unit.contains("Hz") => "Hz".to_owned(),
            base => base.to_owned(),
        };
        return Some(KnownUnit { base, scale: found.value, rate });
    }
    let name = format!("x_{}", unit.to_ascii_lowercase());
    let found = units::suffix_unit(&name)?;
    Some(KnownUnit { base: found.unit.to_owned(), scale: found.scale, rate: found.rate })
}

/// Higher is better for rates and for names that start with `perf` or `fom`.
pub(crate) fn direction_of(lower_name: &str, rate: bool) -> Direction {
    if rate || lower_name.starts_with("perf") || lower_name.starts_with("fom") {
        Direction::Higher
    } else {
        Direction::Lower
    }
}

fn ends_with_word(name: &str, word: &str) -> bool {
    name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
}

/// Whether a word is that of a unit of time: `s`, `ms`, `seconds`.
pub(crate) fn is_unit_of_time(word: &str) -> bool {
    suggest::time_unit(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, unit: Option<&str>) -> (String, f64, Direction, bool) {
        let metric = Metric::named(name, unit).expect("a known unit");
        (metric.unit, metric.scale, metric.direction, metric.unit_assumed)
    }

    #[test]
    fn units_of_options_are_those_of_quantities_and_of_names() {
        assert_eq!(named("time", Some("us")), ("s".to_owned(), 1e-6, Direction::Lower, false));
        assert_eq!(named("mem", Some("GiB")), ("B".to_owned(), 1024f64.powi(3), Direction::Lower, false));
        assert_eq!(named("x", Some("Gflop/s")), ("flop/s".to_owned(), 1e9, Direction::Higher, false));
        assert_eq!(named("x", Some("gflops")), ("flop/s".to_owned(), 1e9, Direction::Higher, false));
        assert_eq!(named("x", Some("kWh")).0, "J");
        assert_eq!(named("x", Some("W")).2, Direction::Lower);
        assert_eq!(named("x", Some("1/s")), ("1/s".to_owned(), 1.0, Direction::Higher, false));
        assert_eq!(named("x", Some("bytes")).0, "B");
        for wrong in ["parsec", "3s", "5", "-s", "s s"] {
            assert_eq!(Metric::named("x", Some(wrong)).expect_err(wrong).code, "unknown_unit");
        }
    }

    #[test]
    fn words_and_units_in_brackets_suggest_metrics() {
        let suggested =
            |name: &str| Metric::from_word(name).map(|metric| (metric.unit, metric.scale, metric.direction));
        for name in [
            "wall_time",
            "exec_time",
            "elapsed_mean",
            "Time(s)",
            "avg_time (seconds)",
            "T [s]",
            "Total(s)",
            "time_sec",
            "seconds",
            "ExecutionTime",
            "execution_time",
            "Wall Clock Time",
            "elapsed",
            "tiempo_segundos",
            "total time",
            "Zeit",
            "time per iteration",
            "solve_time",
        ] {
            assert_eq!(suggested(name), Some(("s".to_owned(), 1.0, Direction::Lower)), "{name}");
        }
        for name in ["Time [ms]", "TimeMs", "temps_ms", "avg time in ms", "latency (msec)"] {
            assert_eq!(suggested(name), Some(("s".to_owned(), 1e-3, Direction::Lower)), "{name}");
        }
        for name in ["Photons/s", "throughput", "Zcycles/sec", "it/s", "steps_per_second", "ops_per_sec", "IOPS"] {
            let (_, scale, direction) = suggested(name).expect(name);
            assert_eq!((scale, direction), (1.0, Direction::Higher), "{name}");
        }
        assert_eq!(suggested("Mop/s").map(|(_, scale, way)| (scale, way)), Some((1e6, Direction::Higher)));
        assert_eq!(suggested("MB/s"), Some(("B/s".to_owned(), 1e6, Direction::Higher)));
        assert_eq!(suggested("ns/day").map(|(_, _, way)| way), Some(Direction::Higher));
        assert_eq!(suggested("peak_memory_mb"), Some(("B".to_owned(), 1e6, Direction::Lower)));
        assert_eq!(suggested("MaxRSS (KiB)"), Some(("B".to_owned(), 1024.0, Direction::Lower)));
        assert_eq!(suggested("GFLOPS"), Some(("flop/s".to_owned(), 1e9, Direction::Higher)));
        assert_eq!(suggested("Daxpy Bandwidth (MB/s)"), Some(("B/s".to_owned(), 1e6, Direction::Higher)));
        for name in [
            "size (bytes)",
            "s",
            "ms",
            "time_steps",
            "n (max)",
            "h",
            "w",
            "x ()",
            "(s",
            "bytes",
            "start_time",
            "timestep",
            "dt",
            "chunk_kb",
            "n/p",
            "scheme",
            "sim_time",
        ] {
            assert_eq!(suggested(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_named_like_a_time_is_in_seconds() {
        for name in ["time", "ELAPSED", "time_max", "wall_time", "elapsed_mean", "runtime"] {
            assert_eq!(named(name, None), ("s".to_owned(), 1.0, Direction::Lower, true), "{name}");
        }
        assert_eq!(named("time_steps", None), (String::new(), 1.0, Direction::Lower, false));
        assert_eq!(named("fom_per_node", None).2, Direction::Higher);
        assert_eq!(named("time_us", None).1, 1e-6);
        assert_eq!(named("Time [ms]", None), ("s".to_owned(), 1e-3, Direction::Lower, false));
        assert_eq!(named("x", Some("minutes")).1, 60.0);
    }
}

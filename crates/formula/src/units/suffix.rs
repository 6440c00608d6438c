//! Units at the end of the names of metrics: `time_s`, `perf_gflops`, `read_gb_per_s`.

/// The unit that the name of a metric ends in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuffixUnit<'a> {
    /// The name without the unit and the `_` before it.
    pub base: &'a str,
    /// The unit of the numbers inside: `s`, `J`, `W`, `B`, `flop/s`, `TEPS`, `Hz`, `B/s` or `1/s`.
    pub unit: &'static str,
    /// What one of the named unit is in that unit.
    pub scale: f64,
    /// Whether it is a rate, of which more is better.
    pub rate: bool,
}

/// Endings with the unit inside and the factor to it. Longer ones come before those that they end in.
const SUFFIXES: [(&str, &str, f64); 23] = [
    ("gb_per_s", "B/s", 1e9),
    ("bytes_per_s", "B/s", 1.0),
    ("per_s", "1/s", 1.0),
    ("s", "s", 1.0),
    ("ms", "s", 1e-3),
    ("us", "s", 1e-6),
    ("ns", "s", 1e-9),
    ("h", "s", 3600.0),
    ("j", "J", 1.0),
    ("kj", "J", 1e3),
    ("kwh", "J", 3.6e6),
    ("w", "W", 1.0),
    ("bytes", "B", 1.0),
    ("kib", "B", 1024.0),
    ("mib", "B", 1_048_576.0),
    ("gib", "B", 1_073_741_824.0),
    ("flops", "flop/s", 1.0),
    ("mflops", "flop/s", 1e6),
    ("gflops", "flop/s", 1e9),
    ("tflops", "flop/s", 1e12),
    ("teps", "TEPS", 1.0),
    ("gteps", "TEPS", 1e9),
    ("hz", "Hz", 1.0),
];

/// The unit that a name ends in after `_`, upper and lower case alike.
///
/// None for `min`, which is rather a minimum. `TEPS` are edges per second, counted as they are. A name that is nothing
/// but `gb_per_s` keeps `gb` as its base.
///
/// ```
/// use runcast_formula::units::suffix_unit;
///
/// let unit = suffix_unit("read_GB_per_s").unwrap();
/// assert_eq!((unit.base, unit.unit, unit.scale, unit.rate), ("read", "B/s", 1e9, true));
/// assert_eq!(suffix_unit("time_us").map(|unit| (unit.base, unit.unit)), Some(("time", "s")));
/// assert_eq!(suffix_unit("time_min"), None);
/// assert_eq!(suffix_unit("s"), None);
/// ```
pub fn suffix_unit(name: &str) -> Option<SuffixUnit<'_>> {
    let (start, (suffix, unit, scale)) = SUFFIXES.iter().find_map(|row| Some((suffix_start(name, row.0)?, *row)))?;
    let base = match name[..start].strip_suffix('_') {
        Some(base) => base,
        None if suffix != "per_s" => name.split_once('_')?.0,
        None => return None,
    };
    let rate = matches!(unit, "B/s" | "1/s" | "flop/s" | "TEPS" | "Hz");
    (!base.is_empty()).then_some(SuffixUnit { base, unit, scale, rate })
}

/// Where the suffix begins, if it is the whole name or is behind a `_`.
fn suffix_start(name: &str, suffix: &str) -> Option<usize> {
    let start = name.len().checked_sub(suffix.len())?;
    let ends = name.get(start..)?.eq_ignore_ascii_case(suffix);
    (ends && (start == 0 || name[..start].ends_with('_'))).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_is_found() {
        for (suffix, unit, scale) in SUFFIXES {
            for name in [format!("x_{suffix}"), format!("a_b_{}", suffix.to_uppercase())] {
                let found = suffix_unit(&name).unwrap();
                assert_eq!((found.unit, found.scale), (unit, scale), "{name}");
                assert!(name.starts_with(found.base) && !found.base.ends_with('_'), "{name}");
            }
        }
    }

    #[test]
    fn endings_need_a_name_before_them() {
        for name in ["", "s", "_s", "time_", "times", "time_min", "p", "N", "größe", "per_s", "_per_s", "gflops"] {
            assert_eq!(suffix_unit(name), None, "{name}");
        }
    }

    #[test]
    fn rates_are_better_when_higher() {
        for name in ["perf_gflops", "x_teps", "clock_hz", "x_bytes_per_s", "gb_per_s", "jobs_per_s"] {
            assert!(suffix_unit(name).unwrap().rate, "{name}");
        }
        for name in ["time_s", "energy_kwh", "power_w", "size_bytes"] {
            assert!(!suffix_unit(name).unwrap().rate, "{name}");
        }
    }
}

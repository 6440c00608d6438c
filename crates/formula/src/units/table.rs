//! The symbols of units, and the prefixes that each may have.

use super::dimension::Powers;

/// A unit that has a symbol of its own.
pub(super) struct BaseUnit {
    pub symbol: &'static str,
    /// In SI base units.
    pub scale: f64,
    pub powers: Powers,
    pub prefixes: &'static [&'static [Prefix]],
}

/// A prefix and its factor.
pub(super) type Prefix = (&'static str, f64);

/// `µ` is in Unicode twice: as a sign and as the Greek letter.
const SMALL: &[Prefix] = &[("m", 1e-3), ("u", 1e-6), ("µ", 1e-6), ("μ", 1e-6), ("n", 1e-9), ("p", 1e-12), ("f", 1e-15)];
const LARGE: &[Prefix] = &[("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18)];
const BINARY: &[Prefix] = &[
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
];

const TIME: Powers = Powers { time: 1, ..Powers::NONE };
const BYTES: Powers = Powers { bytes: 1, ..Powers::NONE };
const OPERATIONS: Powers = Powers { operations: 1, ..Powers::NONE };
const OPERATIONS_PER_TIME: Powers = Powers { operations: 1, time: -1, ..Powers::NONE };
const PER_TIME: Powers = Powers { time: -1, ..Powers::NONE };
const ENERGY: Powers = Powers { energy: 1, ..Powers::NONE };
const POWER: Powers = Powers { energy: 1, time: -1, ..Powers::NONE };

/// Every symbol. None begins with a prefix of another so that the two could be confused, but `min`, which is not milli-in.
pub(super) const BASE_UNITS: [BaseUnit; 16] = [
    BaseUnit { symbol: "s", scale: 1.0, powers: TIME, prefixes: &[SMALL] },
    BaseUnit { symbol: "min", scale: 60.0, powers: TIME, prefixes: &[] },
    BaseUnit { symbol: "h", scale: 3600.0, powers: TIME, prefixes: &[] },
    BaseUnit { symbol: "d", scale: 86_400.0, powers: TIME, prefixes: &[] },
    BaseUnit { symbol: "y", scale: 8760.0 * 3600.0, powers: TIME, prefixes: &[] },
    BaseUnit { symbol: "B", scale: 1.0, powers: BYTES, prefixes: &[LARGE, BINARY] },
    BaseUnit { symbol: "bit", scale: 0.125, powers: BYTES, prefixes: &[LARGE, BINARY] },
    BaseUnit { symbol: "flop", scale: 1.0, powers: OPERATIONS, prefixes: &[LARGE] },
    BaseUnit { symbol: "op", scale: 1.0, powers: OPERATIONS, prefixes: &[LARGE] },
    BaseUnit { symbol: "TEPS", scale: 1.0, powers: OPERATIONS_PER_TIME, prefixes: &[LARGE] },
    BaseUnit { symbol: "iops", scale: 1.0, powers: OPERATIONS_PER_TIME, prefixes: &[LARGE] },
    BaseUnit { symbol: "Hz", scale: 1.0, powers: PER_TIME, prefixes: &[LARGE] },
    BaseUnit { symbol: "J", scale: 1.0, powers: ENERGY, prefixes: &[SMALL, LARGE] },
    BaseUnit { symbol: "Wh", scale: 3600.0, powers: ENERGY, prefixes: &[SMALL, LARGE] },
    BaseUnit { symbol: "W", scale: 1.0, powers: POWER, prefixes: &[SMALL, LARGE] },
    BaseUnit { symbol: "%", scale: 0.01, powers: Powers::NONE, prefixes: &[] },
];

/// The factor and the powers of a symbol with or without a prefix.
pub(super) fn find(symbol: &str) -> Option<(f64, Powers)> {
    let plain = BASE_UNITS.iter().find(|unit| unit.symbol == symbol);
    if let Some(unit) = plain {
        return Some((unit.scale, unit.powers));
    }
    BASE_UNITS.iter().find_map(|unit| {
        let prefix = symbol.strip_suffix(unit.symbol)?;
        let mut prefixes = unit.prefixes.iter().flat_map(|group| group.iter());
        let (_, factor) = prefixes.find(|(name, _)| *name == prefix)?;
        Some((unit.scale * factor, unit.powers))
    })
}

/// What to write instead of a symbol that is often written but not clear.
pub(super) fn advice(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "m" => "milli needs a unit: `ms`; minutes are `min`",
        "K" | "k" | "M" | "G" | "T" | "P" | "E" => "a prefix needs a unit, as in `kB`",
        "b" | "kb" | "Kb" | "Mb" | "Gb" | "Tb" => "write `bit` or `B`: `b` is not clear",
        "KB" | "Kbit" => "write `kB` for 1000 or `KiB` for 1024 bytes",
        "bps" | "kbps" | "Kbps" | "Mbps" | "Gbps" | "Tbps" => "write `bit/s` or `B/s`",
        "Bps" | "kBps" | "MBps" | "GBps" | "TBps" => "write `B/s`",
        "flops" | "Mflops" | "Gflops" | "Tflops" | "Pflops" | "FLOPS" | "MFLOPS" | "GFLOPS" | "TFLOPS" | "PFLOPS" => {
            "write `flop/s` for a rate, `flop` for a number"
        }
        "sec" | "secs" | "second" | "seconds" | "S" => "seconds are `s`",
        "mins" | "minute" | "minutes" => "minutes are `min`",
        "hr" | "hrs" | "hour" | "hours" | "H" => "hours are `h`",
        "day" | "days" | "D" => "days are `d`",
        "year" | "years" | "yr" | "a" | "Y" => "years are `y`",
        "byte" | "bytes" | "Byte" | "Bytes" => "bytes are `B`",
        "hz" | "HZ" => "write `Hz`",
        _ if symbol.starts_with(',') => "write decimals with a point: `1.5`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_two_units() {
        let mut seen = std::collections::HashSet::new();
        for unit in &BASE_UNITS {
            let prefixes = unit.prefixes.iter().flat_map(|group| group.iter()).map(|(name, _)| *name);
            for prefix in prefixes.chain([""]) {
                assert!(seen.insert(format!("{prefix}{}", unit.symbol)), "{prefix}{} twice", unit.symbol);
            }
        }
    }

    #[test]
    fn advice_is_given_for_what_is_not_a_unit_only() {
        for symbol in ["s", "min", "kB", "Gbit", "Gflop", "MHz", "kWh"] {
            assert!(find(symbol).is_some() && advice(symbol).is_none(), "{symbol}");
        }
        for symbol in ["m", "b", "KB", "Gbps", "flops", "hr"] {
            assert!(find(symbol).is_none() && advice(symbol).is_some(), "{symbol}");
        }
    }
}

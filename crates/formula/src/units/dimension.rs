//! What is measured: time, bytes, energy, and their ratios.

use std::fmt;

/// What a quantity must measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dimension {
    /// Seconds.
    Time,
    Bytes,
    /// Operations: flop, op.
    Operations,
    /// Bytes per second.
    BytesPerTime,
    /// Operations per second: flop/s, TEPS, iops.
    OperationsPerTime,
    /// Hertz: a clock. The same as [`PerTime`](Self::PerTime), named differently in errors.
    Frequency,
    /// Events per second: failures, say.
    PerTime,
    /// Joules.
    Energy,
    /// Watts.
    Power,
    /// Seconds per byte.
    TimePerByte,
    /// Seconds per operation.
    TimePerOperation,
    /// Joules per byte.
    EnergyPerByte,
    /// Joules per operation.
    EnergyPerOperation,
    /// A part of a whole: `5%` or `0.05`.
    Share,
    /// A number without a unit.
    Dimensionless,
}

/// The exponents of the base units in a unit: bytes per second are `bytes` 1, `time` -1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Powers {
    /// Of the second.
    pub time: i8,
    pub bytes: i8,
    pub operations: i8,
    /// Of the joule.
    pub energy: i8,
}

impl Powers {
    pub(super) const NONE: Self = Self { time: 0, bytes: 0, operations: 0, energy: 0 };

    pub(super) fn divided_by(self, other: Self) -> Self {
        Self {
            time: self.time.saturating_sub(other.time),
            bytes: self.bytes.saturating_sub(other.bytes),
            operations: self.operations.saturating_sub(other.operations),
            energy: self.energy.saturating_sub(other.energy),
        }
    }

    /// The unit in SI base units as it is written: `s`, `B/s`, `W`, `op/s`; empty for none.
    ///
    /// ```
    /// use runcast_formula::units::Quantity;
    /// assert_eq!(Quantity::parse("56 Gbit/s").unwrap().powers.unit(), "B/s");
    /// assert_eq!(Quantity::parse("60 W").unwrap().powers.unit(), "W");
    /// ```
    pub fn unit(self) -> String {
        let (time, energy) = if self.energy == 1 && self.time < 0 { (self.time + 1, "W") } else { (self.time, "J") };
        let parts = [(energy, self.energy), ("B", self.bytes), ("op", self.operations), ("s", time)];
        let write = |sign: i8| {
            let part = |&(symbol, power): &(&str, i8)| match power.saturating_mul(sign) {
                ..=0 => None,
                1 => Some(symbol.to_owned()),
                power => Some(format!("{symbol}^{power}")),
            };
            parts.iter().filter_map(part).collect::<Vec<_>>()
        };
        let (above, below) = (write(1).join("*"), write(-1).join("/"));
        match (above.is_empty(), below.is_empty()) {
            (_, true) => above,
            (true, false) => format!("1/{below}"),
            (false, false) => format!("{above}/{below}"),
        }
    }
}

impl Dimension {
    /// Every dimension.
    pub const ALL: [Self; 15] = [
        Self::Time,
        Self::Bytes,
        Self::Operations,
        Self::BytesPerTime,
        Self::OperationsPerTime,
        Self::Frequency,
        Self::PerTime,
        Self::Energy,
        Self::Power,
        Self::TimePerByte,
        Self::TimePerOperation,
        Self::EnergyPerByte,
        Self::EnergyPerOperation,
        Self::Share,
        Self::Dimensionless,
    ];

    /// The exponents of the base units.
    pub fn powers(self) -> Powers {
        let none = Powers::NONE;
        match self {
            Self::Time => Powers { time: 1, ..none },
            Self::Bytes => Powers { bytes: 1, ..none },
            Self::Operations => Powers { operations: 1, ..none },
            Self::BytesPerTime => Powers { bytes: 1, time: -1, ..none },
            Self::OperationsPerTime => Powers { operations: 1, time: -1, ..none },
            Self::Frequency | Self::PerTime => Powers { time: -1, ..none },
            Self::Energy => Powers { energy: 1, ..none },
            Self::Power => Powers { energy: 1, time: -1, ..none },
            Self::TimePerByte => Powers { time: 1, bytes: -1, ..none },
            Self::TimePerOperation => Powers { time: 1, operations: -1, ..none },
            Self::EnergyPerByte => Powers { energy: 1, bytes: -1, ..none },
            Self::EnergyPerOperation => Powers { energy: 1, operations: -1, ..none },
            Self::Share | Self::Dimensionless => none,
        }
    }

    /// The unit of the numbers inside.
    pub fn si_unit(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::Bytes => "B",
            Self::Operations => "op",
            Self::BytesPerTime => "B/s",
            Self::OperationsPerTime => "op/s",
            Self::Frequency => "Hz",
            Self::PerTime => "1/s",
            Self::Energy => "J",
            Self::Power => "W",
            Self::TimePerByte => "s/B",
            Self::TimePerOperation => "s/op",
            Self::EnergyPerByte => "J/B",
            Self::EnergyPerOperation => "J/op",
            Self::Share | Self::Dimensionless => "",
        }
    }

    /// Units that people write for it, for error messages: not all that are accepted.
    pub fn usual_units(self) -> &'static [&'static str] {
        match self {
            Self::Time => &["s", "ms", "us", "ns", "min", "h", "d", "y"],
            Self::Bytes => &["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bit"],
            Self::Operations => &["flop", "Mflop", "Gflop", "Tflop", "op"],
            Self::BytesPerTime => &["B/s", "MB/s", "GB/s", "MiB/s", "GiB/s", "Mbit/s", "Gbit/s"],
            Self::OperationsPerTime => &["flop/s", "Mflop/s", "Gflop/s", "Tflop/s", "op/s", "iops", "TEPS", "GTEPS"],
            Self::Frequency => &["Hz", "kHz", "MHz", "GHz"],
            Self::PerTime => &["1/s", "1/h", "1/d", "1/y"],
            Self::Energy => &["J", "kJ", "MJ", "Wh", "kWh"],
            Self::Power => &["W", "mW", "kW", "MW"],
            Self::TimePerByte => &["s/B", "us/B", "ns/B", "ps/B"],
            Self::TimePerOperation => &["s/flop", "ns/flop", "ps/flop", "ns/op"],
            Self::EnergyPerByte => &["J/B", "nJ/B", "pJ/B", "pJ/bit"],
            Self::EnergyPerOperation => &["J/flop", "nJ/flop", "pJ/flop"],
            Self::Share => &["%"],
            Self::Dimensionless => &[],
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "a time",
            Self::Bytes => "a number of bytes",
            Self::Operations => "a number of operations",
            Self::BytesPerTime => "a bandwidth",
            Self::OperationsPerTime => "a rate of operations",
            Self::Frequency => "a frequency",
            Self::PerTime => "a rate per time",
            Self::Energy => "an energy",
            Self::Power => "a power",
            Self::TimePerByte => "a time per byte",
            Self::TimePerOperation => "a time per operation",
            Self::EnergyPerByte => "an energy per byte",
            Self::EnergyPerOperation => "an energy per operation",
            Self::Share => "a share",
            Self::Dimensionless => "a number without a unit",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::parse_quantity;

    #[test]
    fn usual_units_are_accepted() {
        for dimension in Dimension::ALL {
            for unit in dimension.usual_units() {
                assert!(parse_quantity(&format!("1{unit}"), dimension).is_ok() || unit.starts_with("1/"), "{unit}");
                assert!(parse_quantity(&format!("1 {unit}"), dimension).is_ok(), "{unit}");
            }
        }
    }

    #[test]
    fn the_unit_inside_is_worth_one() {
        for dimension in Dimension::ALL {
            assert_eq!(parse_quantity(&format!("1 {}", dimension.si_unit()), dimension), Ok(1.0), "{dimension}");
        }
    }

    #[test]
    fn powers_are_written_as_units() {
        let powers = Powers { time: 1, bytes: -1, ..Powers::NONE };
        assert_eq!(powers.unit(), "s/B");
        assert_eq!(Powers { time: -1, ..Powers::NONE }.unit(), "1/s");
        assert_eq!(Powers { energy: 1, time: -1, ..Powers::NONE }.unit(), "W");
        assert_eq!(Powers { energy: 1, operations: -1, ..Powers::NONE }.unit(), "J/op");
        assert_eq!(Powers { operations: 1, bytes: -1, time: -1, ..Powers::NONE }.unit(), "op/B/s");
        assert_eq!(Powers { time: -2, ..Powers::NONE }.unit(), "1/s^2");
        assert_eq!(Powers::NONE.unit(), "");
    }
}

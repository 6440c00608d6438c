//! Numbers with SimGrid's units: `98.095Mf`, `125MBps`, `1Gbps`, `50us`.

/// What a number measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// flop/s.
    Speed,
    /// B/s.
    Bandwidth,
    /// s.
    Time,
}

impl Measure {
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Measure::Speed => "a speed such as \"4Gf\"",
            Measure::Bandwidth => "a bandwidth such as \"125MBps\" or \"1Gbps\"",
            Measure::Time => "a time such as \"50us\"",
        }
    }
}

const PREFIXES: [(&str, i32); 8] = [("", 0), ("k", 3), ("K", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [(&str, f64); 6] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1.099_511_627_776e12),
    ("Pi", 1.125_899_906_842_624e15),
    ("Ei", (1_u64 << 60) as f64),
];

/// The value in SI base units; none where it is something else, or not finite.
pub(super) fn parse(text: &str, measure: Measure) -> Option<f64> {
    let text = text.trim();
    let digits = number_length(text);
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim();
    let (exponent, factor) = match measure {
        _ if unit.is_empty() => (0, 1.0),
        Measure::Time => time(unit)?,
        Measure::Speed => scale(unit.strip_suffix("flops").or_else(|| unit.strip_suffix('f'))?)?,
        Measure::Bandwidth => match unit.strip_suffix("Bps") {
            Some(prefix) => scale(prefix)?,
            None => {
                let (exponent, factor) = scale(unit.strip_suffix("bps")?)?;
                (exponent, factor / 8.0)
            }
        },
    };
    // One rounding: as if the unit stood in the exponent.
    let (mantissa, own) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let own: i32 = own.parse().ok()?;
    let value: f64 = format!("{mantissa}e{}", own.checked_add(exponent)?).parse().ok()?;
    let value = value * factor;
    value.is_finite().then_some(value)
}

fn time(unit: &str) -> Option<(i32, f64)> {
    Some(match unit {
        "s" => (0, 1.0),
        "ms" => (-3, 1.0),
        "us" => (-6, 1.0),
        "ns" => (-9, 1.0),
        "ps" => (-12, 1.0),
        "m" => (0, 60.0),
        "h" => (0, 3600.0),
        "d" => (0, 86_400.0),
        "w" => (0, 604_800.0),
        _ => return None,
    })
}

fn scale(prefix: &str) -> Option<(i32, f64)> {
    if let Some((_, exponent)) = PREFIXES.iter().find(|(name, _)| *name == prefix) {
        return Some((*exponent, 1.0));
    }
    BINARY.iter().find(|(name, _)| *name == prefix).map(|(_, factor)| (0, *factor))
}

/// Bytes of the number at the start of a text.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let sign = usize::from(bytes.first().is_some_and(|byte| b"+-".contains(byte)));
    let mut end = digits(sign);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if bytes.get(end).is_some_and(|byte| b"eE".contains(byte)) {
        let sign = usize::from(bytes.get(end + 1).is_some_and(|byte| b"+-".contains(byte)));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_simgrid() {
        let cases = [
            ("98.095Mf", Measure::Speed, Some(98.095e6)),
            ("4Gf", Measure::Speed, Some(4e9)),
            ("1e9", Measure::Speed, Some(1e9)),
            ("125MBps", Measure::Bandwidth, Some(125e6)),
            ("1Gbps", Measure::Bandwidth, Some(125e6)),
            ("1MiBps", Measure::Bandwidth, Some(1_048_576.0)),
            ("1.25e+08Bps", Measure::Bandwidth, Some(1.25e8)),
            ("1.8e-05s", Measure::Time, Some(1.8e-5)),
            ("18us", Measure::Time, Some(1.8e-5)),
            ("2m", Measure::Time, Some(120.0)),
            ("1EBps", Measure::Bandwidth, Some(1e18)),
            ("4us", Measure::Speed, None),
            ("Bps", Measure::Bandwidth, None),
            ("1e999Gf", Measure::Speed, None),
            ("nan", Measure::Time, None),
        ];
        for (text, measure, value) in cases {
            assert_eq!(parse(text, measure), value, "{text}");
        }
    }
}

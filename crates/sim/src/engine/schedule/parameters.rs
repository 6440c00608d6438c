//! Parameters of LogGOPS on the command line: `L=2500ns,o=1500ns,g=1000ns,G=6ns,O=0,S=65535`.

use crate::platform::LogGops;
use runcast_core::Problem;

/// Parameters, and whether two bugs of LogGOPSim are reproduced.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parameters {
    /// Parameters of every pair of ranks.
    pub loggops: LogGops,
    /// As LogGOPSim (source of December 2023) does: an empty message costs minus a gap, and an operation that depends on one
    /// of another processor does not wait for its end.
    pub as_loggopsim: bool,
}

/// Reads `L=..,o=..,g=..,G=..,O=..,S=..`; unnamed parameters keep their value.
///
/// # Errors
/// An unknown name, or a value that is not a time (S: no size).
pub fn parse(text: &str, into: &mut LogGops) -> Result<(), Problem> {
    let wrong = |part: &str| {
        Problem::new("bad_loggops", "this is not a LogGOPS parameter")
            .at("--loggops")
            .value(part)
            .allowed("L, o, g, G, O with times such as 2500ns or 1.5us (G, O: for a byte), S with bytes")
            .hint("--loggops L=2500ns,o=1500ns,g=1000ns,G=6ns,O=0,S=65535")
    };
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
        let value = value.trim();
        if name.trim() == "S" {
            into.S = size(value).ok_or_else(|| wrong(part))?;
            continue;
        }
        let seconds = time(value).ok_or_else(|| wrong(part))?;
        match name.trim() {
            "L" => into.L = seconds,
            "o" => into.o = seconds,
            "g" => into.g = seconds,
            "G" => into.G = seconds,
            "O" => into.O = seconds,
            _ => return Err(wrong(part)),
        }
    }
    Ok(())
}

/// `2500ns`, `1.5us`, `0`, `2e-6` (seconds). A division keeps decimal values as near as they can be.
fn time(text: &str) -> Option<f64> {
    let text = text.strip_suffix("/B").unwrap_or(text);
    let units = [("ps", 1e12), ("ns", 1e9), ("us", 1e6), ("µs", 1e6), ("ms", 1e3), ("s", 1.0)];
    let (number, per_second) = units
        .iter()
        .find_map(|(unit, per_second)| text.strip_suffix(unit).map(|number| (number, *per_second)))
        .unwrap_or((text, 1.0));
    let value: f64 = number.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value / per_second)
}

fn size(text: &str) -> Option<u64> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("kB", 1000), ("MB", 1_000_000), ("B", 1)];
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, *factor)))
        .unwrap_or((text, 1));
    number.trim().parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_with_units() {
        let mut read = LogGops::default();
        parse("L=2.5us, o=1500 ns,G=0.25ns,O=0,S=64KiB", &mut read).expect("reads");
        assert_eq!((read.L, read.o, read.g), (2.5e-6, 1.5e-6, 1e-6));
        assert_eq!((read.G, read.O, read.S), (0.25e-9, 0.0, 65_536));
        for text in ["L", "L=x", "L=-1ns", "L=inf", "Q=1ns", "S=1.5"] {
            assert_eq!(parse(text, &mut read).expect_err(text).code, "bad_loggops");
        }
    }
}

//! Bare numbers that are probably not meant in the SI unit in which they are read: `15` for a latency of 15 us.

use super::format::format_quantity;
use super::parse::Quantity;

/// What a number is for, which tells how large it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// The time of a short message: below 0.1 s, mostly microseconds.
    Latency,
    /// The time of an operation or of moving one number: below 1 ms, mostly nanoseconds.
    Operation,
    /// The time of a byte: below 1 us (a megabyte per second), mostly fractions of a nanosecond.
    Byte,
    /// The memory of a machine or a program: above 10 kB, mostly gigabytes.
    Memory,
}

/// A bare number that is far from what is usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What it is read as: `15 s`.
    pub read_as: String,
    /// The same number with the unit that is usual: `15us`.
    pub hint: String,
}

impl Usual {
    /// The doubt about a quantity as it was written; none where it has a unit, is 0, or can be meant so.
    ///
    /// ```
    /// use runcast_formula::units::Usual;
    /// let doubt = Usual::Latency.doubt("15").unwrap();
    /// assert_eq!((doubt.read_as.as_str(), doubt.hint.as_str()), ("15 s", "15us"));
    /// assert_eq!(Usual::Latency.doubt("15s"), None);
    /// assert_eq!(Usual::Latency.doubt("1.5e-5"), None);
    /// ```
    pub fn doubt(self, text: &str) -> Option<Doubt> {
        let quantity = Quantity::parse(text).ok().filter(|quantity| !quantity.has_unit && quantity.value > 0.0)?;
        let (is_doubtful, read_in, usual) = match self {
            Usual::Latency => (quantity.value > 0.1, "s", "us"),
            Usual::Operation => (quantity.value > 1e-3, "s", "ns"),
            Usual::Byte => (quantity.value > 1e-6, "s/B", "ns/B"),
            Usual::Memory => (quantity.value < 1e4, "B", "GiB"),
        };
        let read_as = match read_in {
            "s" => format_quantity(quantity.value, "s"),
            unit => format!("{} {unit}", quantity.value),
        };
        is_doubtful.then(|| Doubt { read_as, hint: format!("{}{usual}", text.trim()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_numbers_out_of_bounds_are_doubtful() {
        let hint =
            |usual: Usual, text: &str| usual.doubt(text).map(|doubt| format!("{}, {}", doubt.read_as, doubt.hint));
        assert_eq!(hint(Usual::Latency, "0.5"), Some("500 ms, 0.5us".to_owned()));
        assert_eq!(hint(Usual::Operation, " 29 "), Some("29 s, 29ns".to_owned()));
        assert_eq!(hint(Usual::Byte, "0.4"), Some("0.4 s/B, 0.4ns/B".to_owned()));
        assert_eq!(hint(Usual::Memory, "4"), Some("4 B, 4GiB".to_owned()));
        for (usual, text) in [
            (Usual::Latency, "0.1"),
            (Usual::Latency, "0"),
            (Usual::Latency, "-3"),
            (Usual::Latency, "fast"),
            (Usual::Operation, "29e-9"),
            (Usual::Operation, "2s"),
            (Usual::Byte, "1e-9"),
            (Usual::Memory, "4e9"),
            (Usual::Memory, "4B"),
        ] {
            assert_eq!(usual.doubt(text), None, "{text}");
        }
    }
}

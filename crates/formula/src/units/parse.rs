//! Text to quantities.

use super::dimension::{Dimension, Powers};
use super::error::QuantityError;
use super::table;
use crate::lexer::number_length;

/// A number in SI base units, and what it measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// In SI base units.
    pub value: f64,
    pub powers: Powers,
    /// Whether a unit was written; a bare number can be of any dimension.
    pub has_unit: bool,
}

/// Reads a quantity of a known dimension; the value is in SI base units, as is a bare number.
///
/// # Errors
/// Not a number; an unknown unit; a unit of another dimension; a value that is not finite.
///
/// ```
/// use runcast_formula::units::{Dimension, parse_quantity};
///
/// assert_eq!(parse_quantity("1.5 us", Dimension::Time), Ok(1.5e-6));
/// assert_eq!(parse_quantity("64KiB", Dimension::Bytes), Ok(65536.0));
/// assert_eq!(parse_quantity("0.25", Dimension::Time), Ok(0.25));
/// let error = parse_quantity("5 GB", Dimension::BytesPerTime).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "\"5 GB\" is a number of bytes, expected a bandwidth: \
///      allowed are B/s MB/s GB/s MiB/s GiB/s Mbit/s Gbit/s and the like"
/// );
/// ```
pub fn parse_quantity(text: &str, dimension: Dimension) -> Result<f64, QuantityError> {
    let quantity = read(text, Some(dimension))?;
    if quantity.has_unit && quantity.powers != dimension.powers() {
        return Err(QuantityError::WrongDimension { text: text.to_owned(), seen: quantity.powers, wanted: dimension });
    }
    Ok(quantity.value)
}

impl Quantity {
    /// Reads a quantity of any dimension.
    ///
    /// # Errors
    /// Not a number; an unknown unit; a value that is not finite.
    ///
    /// ```
    /// use runcast_formula::units::{Dimension, Quantity};
    /// let tdp = Quantity::parse("60W")?;
    /// assert_eq!((tdp.value, tdp.powers), (60.0, Dimension::Power.powers()));
    /// # Ok::<(), runcast_formula::units::QuantityError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        read(text, None)
    }
}

fn read(text: &str, wanted: Option<Dimension>) -> Result<Quantity, QuantityError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(QuantityError::Empty);
    }
    let sign = usize::from(trimmed.starts_with(['+', '-']));
    let digits = number_length(&trimmed[sign..]);
    let (number, unit) = trimmed.split_at(sign + digits);
    let number: f64 = match number.parse() {
        Ok(number) if digits > 0 => number,
        _ => return Err(QuantityError::NotANumber { text: text.to_owned() }),
    };
    let unknown =
        |symbol: &str| QuantityError::UnknownUnit { text: text.to_owned(), symbol: symbol.to_owned(), wanted };
    let unit = unit.trim();
    let (multiplier, divisor, powers) = unit_scale(unit).map_err(unknown)?;
    // One rounding for a decimal multiple alone, as if it stood in the exponent; else two at most.
    let value =
        in_exponent(&trimmed[..sign + digits], multiplier).unwrap_or_else(|| scaled(number, multiplier)) / divisor;
    if !value.is_finite() {
        return Err(QuantityError::TooLarge { text: text.to_owned() });
    }
    Ok(Quantity { value, powers, has_unit: !unit.is_empty() })
}

/// `1.9us` as `1.9e-6`, which is another number than 1.9/1e6.
fn in_exponent(number: &str, multiplier: f64) -> Option<f64> {
    let power = multiplier.log10().round();
    let is_decimal = power != 0.0 && 10_f64.powi(power as i32) == multiplier;
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent = exponent.parse::<i32>().ok().filter(|_| is_decimal)?.checked_add(power as i32)?;
    format!("{digits}e{exponent}").parse().ok()
}

/// Multiplies, but divides by 1e6 rather than to multiply by 1e-6, which no `f64` is exactly.
fn scaled(number: f64, multiplier: f64) -> f64 {
    let inverse = (1.0 / multiplier).round();
    if multiplier < 1.0 && 1.0 / inverse == multiplier { number / inverse } else { number * multiplier }
}

/// What one of the unit is in SI base units, as a ratio; the symbol that is not known as an error.
fn unit_scale(unit: &str) -> Result<(f64, f64, Powers), &str> {
    if unit.is_empty() {
        return Ok((1.0, 1.0, Powers::NONE));
    }
    let mut parts = unit.split('/').map(str::trim);
    let (multiplier, mut powers) = match parts.next().unwrap_or_default() {
        "" | "1" if unit.contains('/') => (1.0, Powers::NONE),
        symbol => table::find(symbol).ok_or(symbol)?,
    };
    let mut divisor = 1.0;
    for symbol in parts {
        // A share of something is not a unit.
        let (scale, below) = table::find(symbol).filter(|(_, powers)| *powers != Powers::NONE).ok_or(symbol)?;
        divisor *= scale;
        powers = powers.divided_by(below);
    }
    Ok((multiplier, divisor, powers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_of_every_kind() {
        use Dimension::*;
        for (text, dimension, expected) in [
            ("1.5us", Time, 1.5e-6),
            ("1.5 µs", Time, 1.5e-6),
            ("  20min ", Time, 1200.0),
            ("5y", Time, 5.0 * 8760.0 * 3600.0),
            ("2d", Time, 172_800.0),
            ("500 ms", Time, 0.5),
            ("1e3s", Time, 1000.0),
            ("1e-3", Time, 0.001),
            ("0s", Time, 0.0),
            ("-2s", Time, -2.0),
            ("56Gbit/s", BytesPerTime, 7e9),
            ("3.4GB/s", BytesPerTime, 3.4e9),
            ("1 GB / s", BytesPerTime, 1e9),
            ("60 GB/h", BytesPerTime, 6e10 / 3600.0),
            ("2.6GHz", Frequency, 2.6e9),
            ("1/y", PerTime, 1.0 / 31_536_000.0),
            ("2 1/h", PerTime, 2.0 / 3600.0),
            ("0.8ns/B", TimePerByte, 0.8e-9),
            ("1 s/B", TimePerByte, 1.0),
            ("64KiB", Bytes, 65536.0),
            ("1.6MB", Bytes, 1.6e6),
            ("8bit", Bytes, 1.0),
            ("54.48Gflop/s", OperationsPerTime, 54.48e9),
            ("3 GTEPS", OperationsPerTime, 3e9),
            ("10kiops", OperationsPerTime, 1e4),
            ("29ns/op", TimePerOperation, 29e-9),
            ("1kWh", Energy, 3.6e6),
            ("60W", Power, 60.0),
            ("1.5mW", Power, 1.5e-3),
            ("1.5MW", Power, 1.5e6),
            ("7 J/s", Power, 7.0),
            ("30pJ/bit", EnergyPerByte, 240e-12),
            ("5%", Share, 0.05),
            ("0.05", Share, 0.05),
            ("12", Dimensionless, 12.0),
        ] {
            let value = parse_quantity(text, dimension).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{text}: {value} {expected}");
        }
    }

    #[test]
    fn decimal_prefixes_give_the_nearest_number() {
        assert_eq!(parse_quantity("1.5us", Dimension::Time), Ok(1.5e-6));
        assert_eq!(parse_quantity("29ns", Dimension::Time), Ok(29e-9));
        assert_eq!(parse_quantity("1.9us", Dimension::Time), Ok(1.9e-6));
        assert_eq!(parse_quantity("-190e-3 us", Dimension::Time), Ok(-190e-9));
        assert_eq!(parse_quantity("0.3us", Dimension::Time), Ok(0.3e-6));
        assert_eq!(parse_quantity("5%", Dimension::Share), Ok(0.05));
    }

    #[test]
    fn what_is_not_a_finite_number_is_an_error() {
        for text in ["nan", "inf", "-inf", "s", "", " ", "-", ".", "1e999", "1e308 GB", "five s"] {
            assert!(parse_quantity(text, Dimension::Bytes).is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_units_list_the_allowed_ones() {
        let error = parse_quantity("5 m", Dimension::Time).unwrap_err();
        assert_eq!(error.to_string(), "unknown unit `m` in \"5 m\": allowed are s ms us ns min h d y and the like");
        assert_eq!(error.hint().unwrap(), "milli needs a unit: `ms`; minutes are `min`");
        for text in ["1 S", "1 P", "1 ks", "1 mB", "1 Gs", "1 kmin", "3,5 s", "1 s/", "1 s/%", "1 /", "1 B/s/x", "1 %/"]
        {
            let error = parse_quantity(text, Dimension::Time).unwrap_err();
            assert!(matches!(error, QuantityError::UnknownUnit { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn units_of_something_else_are_errors() {
        for (text, dimension) in
            [("1 W", Dimension::Energy), ("1 B", Dimension::Time), ("5%", Dimension::Time), ("1 s", Dimension::Share)]
        {
            let error = parse_quantity(text, dimension).unwrap_err();
            assert!(matches!(error, QuantityError::WrongDimension { .. }), "{text}: {error}");
        }
    }
}

//! What the values of a column mean.

use super::instant::{write_clock, write_date, write_instant};
use crate::problem::{Problem, shorten};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::data_type::Int96;
use parquet::schema::types::ColumnDescriptor;
use std::fmt::Write;

/// What the values of a column mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A number, true or false, or a text, as the type says.
    Plain,
    /// A whole number without sign, of so many bits.
    Unsigned {
        bits: u32,
    },
    /// A whole number of 10^-digits.
    Decimal {
        digits: i32,
    },
    Date,
    Clock {
        per_s: i64,
    },
    Instant {
        per_s: i64,
        is_utc: bool,
    },
    Half,
    Uuid,
}

/// A cell; its text is in the buffer that was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Empty,
    Number(f64),
    Text,
}

impl Meaning {
    /// Of a column.
    ///
    /// # Errors
    /// A table has no cells for it.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Meaning, Problem> {
        if let Some(kind) = column.logical_type_ref() {
            let per_s = |unit: &TimeUnit| match unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            };
            match kind {
                LogicalType::Integer(whole) if !whole.is_signed => {
                    return Ok(Meaning::Unsigned { bits: whole.bit_width.unsigned_abs().into() });
                }
                LogicalType::Decimal(decimal) => return Ok(Meaning::Decimal { digits: decimal.scale }),
                LogicalType::Date => return Ok(Meaning::Date),
                LogicalType::Time(time) => return Ok(Meaning::Clock { per_s: per_s(&time.unit) }),
                LogicalType::Timestamp(time) => {
                    return Ok(Meaning::Instant { per_s: per_s(&time.unit), is_utc: time.is_adjusted_to_u_t_c });
                }
                LogicalType::Float16 => return Ok(Meaning::Half),
                LogicalType::Uuid => return Ok(Meaning::Uuid),
                LogicalType::Bson | LogicalType::Variant(_) | LogicalType::Geometry(_) | LogicalType::Geography(_) => {
                    return Err(no_text(column.name()));
                }
                _ => {}
            }
        }
        Ok(match column.converted_type() {
            ConvertedType::UINT_8 => Meaning::Unsigned { bits: 8 },
            ConvertedType::UINT_16 => Meaning::Unsigned { bits: 16 },
            ConvertedType::UINT_32 => Meaning::Unsigned { bits: 32 },
            ConvertedType::UINT_64 => Meaning::Unsigned { bits: 64 },
            ConvertedType::DECIMAL => Meaning::Decimal { digits: column.type_scale() },
            ConvertedType::DATE => Meaning::Date,
            ConvertedType::TIME_MILLIS => Meaning::Clock { per_s: 1_000 },
            ConvertedType::TIME_MICROS => Meaning::Clock { per_s: 1_000_000 },
            ConvertedType::TIMESTAMP_MILLIS => Meaning::Instant { per_s: 1_000, is_utc: true },
            ConvertedType::TIMESTAMP_MICROS => Meaning::Instant { per_s: 1_000_000, is_utc: true },
            ConvertedType::INTERVAL | ConvertedType::BSON => return Err(no_text(column.name())),
            _ => Meaning::Plain,
        })
    }

    /// Whether the cells are numbers as far as the type says.
    pub(super) fn is_number(self, column: Type) -> bool {
        match self {
            Meaning::Unsigned { .. } | Meaning::Decimal { .. } | Meaning::Half => true,
            Meaning::Plain => matches!(column, Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE),
            _ => false,
        }
    }

    pub(super) fn whole(self, value: i64, text: &mut String) -> Cell {
        match self {
            Meaning::Unsigned { bits: 64 } => Cell::Number(value as u64 as f64),
            Meaning::Unsigned { .. } => Cell::Number(f64::from(value as u32)),
            Meaning::Decimal { digits } => decimal(value.into(), digits),
            Meaning::Date => written(text, |text| write_date(text, value)),
            Meaning::Clock { per_s } => written(text, |text| write_clock(text, value, per_s)),
            Meaning::Instant { per_s, is_utc } => {
                written(text, |text| write_instant(text, value.into(), per_s, is_utc))
            }
            _ => Cell::Number(value as f64),
        }
    }

    /// A number of any size, or a text; none where the bytes are no such thing.
    pub(super) fn bytes(self, value: &[u8], text: &mut String) -> Option<Cell> {
        Some(match self {
            Meaning::Half => Cell::Number(half(u16::from_le_bytes(value.try_into().ok()?))),
            Meaning::Decimal { digits } => {
                let first = value.first().copied().unwrap_or_default();
                let fill = if first < 128 { 0 } else { 255 };
                // Decimals of 256 bits mostly hold numbers of 128.
                let (more, least) = value.split_at(value.len().saturating_sub(16));
                if more.iter().any(|byte| *byte != fill)
                    || least.first().is_some_and(|byte| !more.is_empty() && (byte ^ fill) > 127)
                {
                    return None;
                }
                let mut unscaled = [fill; 16];
                unscaled[16 - least.len()..].copy_from_slice(least);
                decimal(i128::from_be_bytes(unscaled), digits)
            }
            Meaning::Uuid => written(text, |text| {
                for (index, byte) in value.iter().enumerate() {
                    let _ = write!(text, "{}{byte:02x}", if [4, 6, 8, 10].contains(&index) { "-" } else { "" });
                }
            }),
            _ => {
                let value = std::str::from_utf8(value).ok()?;
                written(text, |text| text.push_str(value))
            }
        })
    }
}

/// A time in nanoseconds and days, as older programs write it.
pub(super) fn old_instant(value: &Int96, text: &mut String) -> Cell {
    let &[low, high, day] = value.data() else { return Cell::Empty };
    let nanoseconds = i128::from(u64::from(high) << 32 | u64::from(low));
    // Days are counted from noon in the year -4713.
    let days = i128::from(day) - 2_440_588;
    written(text, |text| write_instant(text, days * 86_400_000_000_000 + nanoseconds, 1_000_000_000, false))
}

/// The problem of a column that is neither numbers nor text.
pub(super) fn no_text(column: &str) -> Problem {
    let message = format!("the column \"{}\" holds bytes that are no text", shorten(column, 60));
    Problem::new("binary_column", message).value(column).hint("leave it out, or write it as text or numbers")
}

fn written(text: &mut String, write: impl FnOnce(&mut String)) -> Cell {
    text.clear();
    write(text);
    Cell::Text
}

/// The number next to a decimal.
fn decimal(unscaled: i128, digits: i32) -> Cell {
    // Read as text would be, where one division would not be exact.
    let is_exact = unscaled.unsigned_abs() < 1 << 53 && (0..=22).contains(&digits);
    Cell::Number(match is_exact {
        true => unscaled as f64 / 10_f64.powi(digits),
        false => format!("{unscaled}e{}", -i64::from(digits)).parse().unwrap_or(f64::NAN),
    })
}

/// A number of 16 bits: a sign, five bits of the exponent, ten of the fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_few_bits_are_read() {
        for (bits, number) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_953_125), (0x0001, 5.960_464_477_539_063e-8)]
        {
            assert_eq!(half(bits), number);
        }
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }

    #[test]
    fn decimals_are_read_as_their_text_is() {
        let of = |bytes: &[u8], digits| Meaning::Decimal { digits }.bytes(bytes, &mut String::new());
        assert_eq!(of(&[0x30, 0x39], 2), Some(Cell::Number(123.45)));
        assert_eq!(of(&[0xff, 0xff, 0x85], 2), Some(Cell::Number(-1.23)));
        assert_eq!(of(&[255; 32], 1), Some(Cell::Number(-0.1)));
        assert_eq!(of(&12_345_678_901_234_567_890_i128.to_be_bytes(), 10), Some(Cell::Number(1_234_567_890.123_456_7)));
        assert_eq!(of(&[1; 32], 1), None, "more digits than a decimal of 128 bits has");
    }
}

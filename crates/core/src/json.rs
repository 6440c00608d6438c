//! How numbers are written in JSON: whole numbers without a decimal point, undefined values as null.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// A JSON number: `8` rather than `8.0`; null for NaN and infinities.
///
/// # Examples
/// ```
/// use runcast_core::json::number;
/// assert_eq!(number(8.0).to_string(), "8");
/// assert_eq!(number(0.1).to_string(), "0.1");
/// assert!(number(f64::NAN).is_null());
/// ```
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        return Value::Number(Number::from(value as i64));
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// For `#[serde(serialize_with = "json::as_number")]`.
///
/// # Errors
/// Those of the serializer.
pub fn as_number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number(*value).serialize(serializer)
}

/// For `#[serde(deserialize_with = "json::number_or_nan")]`: the counterpart of [`as_number`].
///
/// # Errors
/// Neither a number nor null.
pub fn number_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// For optional numbers: null when absent.
///
/// # Errors
/// Those of the serializer.
pub fn as_optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map_or(Value::Null, number).serialize(serializer)
}

/// For maps from names to numbers.
///
/// # Errors
/// Those of the serializer.
pub fn numbers_by_name<S: Serializer>(map: &IndexMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().map(|(name, value)| (name, number(*value))))
}

/// For lists of numbers.
///
/// # Errors
/// Those of the serializer.
pub fn as_numbers<S: Serializer>(list: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().map(|value| number(*value)))
}

/// For maps from names to ranges.
///
/// # Errors
/// Those of the serializer.
pub fn ranges<S: Serializer>(map: &IndexMap<String, [f64; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().map(|(name, [least, most])| (name, [number(*least), number(*most)])))
}

//! What a page needs so that its pictures answer: the numbers of each, and the one script, which the policy of the page
//! allows by its hash.
//!
//! Pictures of points, curves and ranges answer; histograms and rankings stay as they are drawn.

use crate::plot::{DataPoint, Place, Plot};
use crate::scale::{Kind, Ruler};
use crate::scene::{Drawn, Look, Scene};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::LazyLock;

const SOURCE: &str = include_str!("live.js");
/// Digits of a number: more than a screen can show.
const DIGITS: usize = 6;
/// Decades that packed numbers of a column span.
const DECADES: i32 = 8;
/// A shorter column is as short when it is written out.
const FEW: usize = 6;

/// The script of every page with pictures: without the indents and comments of its source.
pub(crate) fn script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        let lines = SOURCE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    });
    &SCRIPT
}

/// The source that the policy of a page allows: the hash of [`script`].
pub(crate) fn source() -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(script().as_bytes())))
}

/// The numbers of a picture as JSON; none for one that the script does not draw.
///
/// ```text
/// {"x": [label, unit, scale], "y": [..], "end": x | null, "k": [column, ..],
///  "d": [{"t": "p" | "l" | "b", "n": name, "c": look, "v": [number of a column, ..]}]}
/// ```
///
/// `t` are points with columns `x, y, low, high` or `x, y`, a curve `x, y`, a range `x, low, high`; `c` is the number of a
/// color, -1 for measurements and -2 for the background. A column that layers share is there once; see [`column`].
pub(crate) fn data(plot: &Plot) -> Option<String> {
    let scene = Scene::whole(plot);
    if scene.is_empty() || !scene.rankings.is_empty() {
        return None;
    }
    let (mut layers, mut end) = (Vec::new(), None);
    let mut columns: Vec<Value> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut add = |values: Vec<f64>| {
        let made = column(&values);
        *numbers.entry(made.to_string()).or_insert_with(|| {
            columns.push(made);
            columns.len() - 1
        })
    };
    for layer in &scene.layers {
        let (kind, name, look, values): (&str, &str, Look, Vec<usize>) = match layer {
            Drawn::Points { name, look, values } => {
                let each = |of: fn(&DataPoint) -> f64| values.iter().map(of).collect::<Vec<f64>>();
                let mut kept = vec![add(each(|point| point.x)), add(each(|point| point.y))];
                if values.iter().any(|point| point.bar.is_some()) {
                    kept.push(add(each(|point| point.bar.map_or(f64::NAN, |bar| bar.0))));
                    kept.push(add(each(|point| point.bar.map_or(f64::NAN, |bar| bar.1))));
                }
                ("p", name, *look, kept)
            }
            Drawn::Line { name, look, pieces } => {
                let each = |of: fn(&(f64, f64)) -> f64| pieces.iter().flatten().map(of).collect::<Vec<f64>>();
                ("l", name, *look, vec![add(each(|point| point.0)), add(each(|point| point.1))])
            }
            // The range of a curve has its color; the names of both are one.
            Drawn::Band { label, look, pieces } => {
                let name = named(&scene, *look).unwrap_or(label);
                let each = |of: fn(&(f64, f64, f64)) -> f64| pieces.iter().flatten().map(of).collect::<Vec<f64>>();
                ("b", name, *look, vec![add(each(|at| at.0)), add(each(|at| at.1)), add(each(|at| at.2))])
            }
            Drawn::Rule { place: Place::EndOfData(x), .. } => {
                end = Some(*x);
                continue;
            }
            Drawn::Rule { place: Place::Vertical(_), .. } => continue,
            // What lies on either side of a line matters more than what a script adds.
            Drawn::Rule { place: Place::Horizontal(_), .. } | Drawn::Bars { .. } => return None,
        };
        layers.push(json!({"t": kind, "n": name, "c": number(look), "v": values}));
    }
    let axis = |label: &str, unit: &str, ruler: &Ruler| json!([label, unit, scale(ruler.kind())]);
    let data = json!({
        "x": axis(&plot.x.label, &plot.x.unit, &scene.x),
        "y": axis(&plot.y.label, &plot.y.unit, &scene.y),
        "end": end,
        "k": columns,
        "d": layers,
    });
    Some(data.to_string())
}

/// Numbers of six digits, in three bytes each where they span few decades: `"least|base64"`, else as they are.
///
/// ```text
/// 24 bits = digits (20) | exponent (3) | sign (1)      value = +-digits * 10^(least + exponent)
/// ```
///
/// A float of 32 bits takes a third more and has no more of the digits that are shown. All bits of `digits` set: no number.
fn column(values: &[f64]) -> Value {
    let parts: Vec<Option<(i64, i32)>> = values.iter().map(|value| decimal(*value)).collect();
    let exponents = || parts.iter().flatten().filter(|part| part.0 != 0).map(|part| part.1);
    let least = exponents().min().unwrap_or(0);
    if values.len() < FEW || exponents().max().unwrap_or(0) - least >= DECADES {
        return values.iter().map(|value| short(*value)).collect();
    }
    let bytes = parts.iter().flat_map(|part| {
        let word = match part {
            None => 0xff_fff0,
            Some((0, _)) => 0,
            Some((digits, exponent)) => {
                (digits.unsigned_abs() as u32) << 4 | ((exponent - least) as u32) << 1 | u32::from(*digits < 0)
            }
        };
        word.to_be_bytes().into_iter().skip(1)
    });
    Value::String(format!("{least}|{}", base64(&bytes.collect::<Vec<u8>>())))
}

/// Six digits and the power of ten of the last of them; none for what is not finite.
fn decimal(value: f64) -> Option<(i64, i32)> {
    let text = value.is_finite().then(|| format!("{value:.*e}", DIGITS - 1))?;
    let (digits, exponent) = text.split_once('e')?;
    Some((digits.replace('.', "").parse().ok()?, exponent.parse::<i32>().ok()? - (DIGITS as i32 - 1)))
}

/// The name of the curve of a look.
fn named<'a>(scene: &Scene<'a>, wanted: Look) -> Option<&'a str> {
    scene.layers.iter().find_map(|layer| match layer {
        Drawn::Line { name, look, .. } if *look == wanted => Some(*name),
        _ => None,
    })
}

fn number(look: Look) -> i64 {
    match look {
        Look::Measured => -1,
        Look::Faint => -2,
        Look::Series(index) => i64::try_from(index).unwrap_or(0),
    }
}

fn scale(kind: Kind) -> &'static str {
    match kind {
        Kind::Linear => "linear",
        Kind::Log2 => "log2",
        Kind::Log10 => "log10",
    }
}

/// A number with few digits; what is not finite is null.
fn short(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let exact = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    // Whole numbers, such as processes, are written without a point.
    if rounded.fract() == 0.0 && exact < 15 { json!(rounded as i64) } else { json!(rounded) }
}

/// Text of bytes, as policies spell a hash.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, &byte| group << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(LETTERS[(group >> (18 - 6 * place) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Bar, Bars, Line, Points};

    #[test]
    fn bytes_as_the_standard_spells_them() {
        // RFC 4648, section 10.
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_script_is_small_and_ends_no_element() {
        assert!(script().len() <= 40_000, "{}", script().len());
        assert!(!script().to_lowercase().contains("</script") && !script().contains("<!--"));
    }

    #[test]
    fn numbers_are_short_and_whole_ones_whole() {
        let plot = Plot::new("t", Axis::new("processes p", ""), Axis::new("time", "s"))
            .with(Points::new("a", [(1.0, 1.23456789), (2.0, 1e-12), (3.0, f64::NAN)]));
        let data = data(&plot).expect("data");
        assert!(data.contains("\"k\":[[1,2],[1.23457,1e-12]]") && data.contains("\"v\":[0,1]"), "{data}");
        assert!(data.contains("[\"processes p\",\"\",\"linear\"]"), "{data}");
    }

    #[test]
    fn columns_are_packed_by_hand_the_same() {
        // The least power is that of -0.123457 = -123457 * 10^-6: 123457 << 4 | 1 = 0x1e2411. Hence
        // 1 = 100000 * 10^-5: 100000 << 4 | 1 << 1 = 0x186a02, 64 = 640000 * 10^-4: 0x9c4004, 999999: 0xf423fc.
        let values = [1.0, 64.0, -0.123_456_7, f64::NAN, 0.0, 999_999.0];
        assert_eq!(column(&values), json!("-6|GGoCnEAEHiQR///wAAAA9CP8"));
        // Nine decades do not fit, few numbers need no packing.
        assert_eq!(column(&[1e-3, 1e6, 1.0, 2.0, 3.0, 4.0]), json!([0.001, 1_000_000, 1, 2, 3, 4]));
        assert_eq!(column(&[0.25]), json!([0.25]));
    }

    #[test]
    fn layers_share_their_columns() {
        let xs: Vec<f64> = (1..=9).map(f64::from).collect();
        let curve = |k: f64| Line::new(format!("{k}"), xs.iter().map(move |x| (*x, k / x)));
        let plot = Plot::new("t", Axis::new("p", ""), Axis::new("t", "s")).with(curve(1.0)).with(curve(2.0));
        let data: Value = serde_json::from_str(&data(&plot).expect("data")).expect("JSON");
        assert_eq!((&data["d"][0]["v"], &data["d"][1]["v"]), (&json!([0, 1]), &json!([0, 2])));
        assert_eq!(data["k"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn histograms_and_empty_pictures_stay_as_they_are() {
        let bars = Bars { name: "a".into(), bars: vec![Bar { from: 0.0, to: 1.0, value: 2.0 }] };
        assert_eq!(data(&Plot::new("h", Axis::default(), Axis::default()).with(bars)), None);
        assert_eq!(data(&Plot::new("e", Axis::default(), Axis::default()).with(Line::new("a", []))), None);
    }
}

//! What a page needs so that its pictures answer: the numbers of each, and the one script, which the policy of the page
//! allows by its hash.
//!
//! Pictures of points, curves and ranges answer; histograms and rankings stay as they are drawn.

use crate::plot::{Place, Plot};
use crate::scale::{Kind, Ruler};
use crate::scene::{Drawn, Look, Scene};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The script of every page with pictures.
pub(crate) const SCRIPT: &str = include_str!("live.js");
/// Digits of a number: more than a screen can show.
const DIGITS: i32 = 6;
/// A picture with more points stays as it is drawn.
const MOST: usize = 20_000;

/// The source that the policy of a page allows: the hash of [`SCRIPT`].
pub(crate) fn source() -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(SCRIPT.as_bytes())))
}

/// The numbers of a picture as JSON; none for one that the script does not draw.
///
/// ```text
/// {"x": [label, unit, scale], "y": [..], "end": x | null, "d": [{"t": "p" | "l" | "b", "n": name, "c": look, "v": [..]}]}
/// ```
///
/// `t` are points `[x, y, low, high]` or `[x, y]`, a curve `[x, y]`, a range `[x, low, high]`; `c` is the number of a color,
/// -1 for measurements and -2 for the background.
pub(crate) fn data(plot: &Plot) -> Option<String> {
    let scene = Scene::new(plot);
    if scene.is_empty() || !scene.rankings.is_empty() {
        return None;
    }
    let (mut layers, mut end, mut count) = (Vec::new(), None, 0);
    for layer in &scene.layers {
        let (kind, name, look, values): (&str, &str, Look, Vec<Value>) = match layer {
            Drawn::Points { name, look, values } => {
                let point = |point: &crate::plot::DataPoint| match point.bar {
                    Some((low, high)) => json!([short(point.x), short(point.y), short(low), short(high)]),
                    None => json!([short(point.x), short(point.y)]),
                };
                ("p", name, *look, values.iter().map(point).collect())
            }
            Drawn::Line { name, look, pieces } => {
                let values = pieces.iter().flatten().map(|&(x, y)| json!([short(x), short(y)]));
                ("l", name, *look, values.collect())
            }
            // The range of a curve has its color; the names of both are one.
            Drawn::Band { label, look, pieces } => {
                let name = named(&scene, *look).unwrap_or(label);
                let values = pieces.iter().flatten().map(|&(x, low, high)| json!([short(x), short(low), short(high)]));
                ("b", name, *look, values.collect())
            }
            Drawn::Rule { place: Place::EndOfData(x), .. } => {
                end = Some(*x);
                continue;
            }
            Drawn::Rule { place: Place::Vertical(_), .. } => continue,
            // What lies on either side of a line matters more than what a script adds.
            Drawn::Rule { place: Place::Horizontal(_), .. } | Drawn::Bars { .. } => return None,
        };
        count += values.len();
        layers.push(json!({"t": kind, "n": name, "c": number(look), "v": values}));
    }
    if count > MOST {
        return None;
    }
    let axis = |label: &str, unit: &str, ruler: &Ruler| json!([label, unit, scale(ruler.kind())]);
    let data = json!({
        "x": axis(&plot.x.label, &plot.x.unit, &scene.x),
        "y": axis(&plot.y.label, &plot.y.unit, &scene.y),
        "end": end,
        "d": layers,
    });
    Some(data.to_string())
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
    let rounded: f64 = format!("{value:.*e}", usize::try_from(DIGITS - 1).unwrap_or(5)).parse().unwrap_or(value);
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
        assert!(SCRIPT.len() <= 40_000, "{}", SCRIPT.len());
        assert!(!SCRIPT.to_lowercase().contains("</script") && !SCRIPT.contains("<!--"));
    }

    #[test]
    fn numbers_are_short_and_whole_ones_whole() {
        let plot = Plot::new("t", Axis::new("processes p", ""), Axis::new("time", "s"))
            .with(Points::new("a", [(1.0, 1.23456789), (2.0, 1e-12), (3.0, f64::NAN)]));
        let data = data(&plot).expect("data");
        assert!(data.contains("[1,1.23457]") && data.contains("[2,1e-12]") && !data.contains("null]"), "{data}");
        assert!(data.contains("[\"processes p\",\"\",\"linear\"]"), "{data}");
    }

    #[test]
    fn histograms_and_empty_pictures_stay_as_they_are() {
        let bars = Bars { name: "a".into(), bars: vec![Bar { from: 0.0, to: 1.0, value: 2.0 }] };
        assert_eq!(data(&Plot::new("h", Axis::default(), Axis::default()).with(bars)), None);
        assert_eq!(data(&Plot::new("e", Axis::default(), Axis::default()).with(Line::new("a", []))), None);
    }
}

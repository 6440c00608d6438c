//! What a list shows of a result: its sentence, its columns, its first picture in small.

use super::long::Long;
use super::long::line::m4;
use super::long::schema::{Schema, schema};
use super::long::view::View;
use super::{Choice, figure};
use runcast_core::Table;
use runcast_store::results::Facts;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Width and height of a picture.
const SIZE: [f64; 2] = [100.0, 40.0];
/// Lines of a picture, at most.
const MOST_LINES: usize = 8;
/// Words of a column listed at most.
const MOST_WORDS: usize = 20;
/// Letters that a search looks through, at most.
const MOST_LETTERS: usize = 4_000;

/// What is known of a result from its sentence and its table.
pub fn facts(sentence: Option<String>, table: Option<&Table>) -> Facts {
    let mut facts = Facts { sentence, columns: json!({}), ..Facts::default() };
    let Some(long) = table.and_then(|table| Long::of(table, None).ok()) else { return facts };
    let found = schema(&long, None);
    facts.columns = Value::Object(columns(&found));
    facts.words = words(&found);
    facts.thumbnail = thumbnail(&long, &found);
    facts
}

/// Of each column its value, its ends, or its words.
fn columns(found: &Schema) -> Map<String, Value> {
    let told = found.columns.iter().filter(|column| column.role != "other" && column.role != "bound");
    told.map(|column| {
        let value = match (&column.words, column.min, column.max) {
            (Some(words), ..) if words.len() == 1 => json!(words[0]),
            (Some(words), ..) => json!(words.iter().take(MOST_WORDS).collect::<Vec<_>>()),
            (None, Some(least), Some(most)) if least == most => json!(least),
            (None, least, most) => json!([least, most]),
        };
        (column.name.clone(), value)
    })
    .collect()
}

fn words(found: &Schema) -> String {
    let mut text = String::new();
    for column in &found.columns {
        let of_column = column.words.iter().flatten().take(MOST_WORDS);
        for word in std::iter::once(&column.name).chain(of_column) {
            if text.len() + word.len() > MOST_LETTERS {
                return text;
            }
            text.push_str(&word.to_lowercase());
            text.push(' ');
        }
        // `p=8` finds what has no other p.
        if let (Some(least), Some(most)) = (column.min, column.max)
            && least == most
        {
            let _ = write!(text, "{}={least} ", column.name.to_lowercase());
        }
    }
    text
}

/// The lines of the first view as the path of an SVG; none where it has no lines.
fn thumbnail(long: &Long<'_>, found: &Schema) -> Option<String> {
    let view = &found.first_view;
    if view.view.view != View::Line {
        return None;
    }
    let choice = Choice { x: view.view.x.clone(), y: view.view.y.clone(), ..Choice::default() };
    let drawn = figure(long.table, &choice).ok()?;
    let scaled = |value: f64, is_log: bool| if is_log { value.ln() } else { value };
    let lines: Vec<Vec<[f64; 2]>> = drawn
        .series
        .iter()
        .take(MOST_LINES)
        .map(|curve| {
            let points = curve.points.iter().map(|point| [scaled(point.x, view.log_x), scaled(point.y, view.log_y)]);
            points.filter(|point| point.iter().all(|value| value.is_finite())).collect()
        })
        .collect();
    let ends = |axis: usize| {
        let all = || lines.iter().flatten().map(|point| point[axis]);
        Some([all().reduce(f64::min)?, all().reduce(f64::max)?])
    };
    let (across, up) = (ends(0)?, ends(1)?);
    let place = |value: f64, [from, to]: [f64; 2]| if to > from { (value - from) / (to - from) } else { 0.5 };
    let mut path = String::new();
    for line in &lines {
        let (xs, ys): (Vec<f64>, Vec<f64>) = line.iter().map(|point| (point[0], point[1])).unzip();
        let kept = if xs.len() > SIZE[0] as usize { m4(&xs, &ys, across, 25) } else { (0..xs.len()).collect() };
        for (order, &index) in kept.iter().enumerate() {
            let (x, y) = (SIZE[0] * place(xs[index], across), SIZE[1] * (1.0 - place(ys[index], up)));
            let _ = write!(path, "{}{x:.1} {y:.1}", if order == 0 { 'M' } else { 'L' });
        }
    }
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(csv: &str) -> Table {
        Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table")
    }

    #[test]
    fn a_list_knows_ends_words_and_the_first_line() {
        let table = table("app,p,n,time_s\nHeat,1,100,8\nHeat,2,100,4\nHeat,3,100,0\n");
        let found = facts(Some("Short.".to_owned()), Some(&table));
        assert_eq!(found.columns, json!({"app": "Heat", "p": [1.0, 3.0], "n": 100.0, "time_s": [0.0, 8.0]}));
        assert!(found.words.contains("heat ") && found.words.contains("n=100 "), "{}", found.words);
        // p = 1, 2, 3 is linear, and so is a time that comes to 0: a straight line from corner to corner.
        assert_eq!(found.thumbnail.as_deref(), Some("M0.0 0.0L50.0 20.0L100.0 40.0"));
    }

    #[test]
    fn without_a_table_there_is_the_sentence_alone() {
        let found = facts(Some("Short.".to_owned()), None);
        assert_eq!((found.sentence.as_deref(), found.thumbnail, found.columns), (Some("Short."), None, json!({})));
    }
}

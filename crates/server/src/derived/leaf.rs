//! A result as one page that needs no server: what holders of a link see.

use super::long::Long;
use super::long::line::m4;
use super::long::schema::schema;
use super::long::view::View;
use super::{Choice, figure, picture};
use runcast_core::Table;
use runcast_report::page::{Block, Column, Page, Section, Table as Rows};
use serde_json::Value;

/// Rows that the page shows.
const MOST_ROWS: usize = 500;
/// Pixel columns of its picture.
const WIDTH: usize = 800;
/// Curves of its picture, at most.
const MOST_CURVES: usize = 60;
/// Letters of what the command printed, at most.
const MOST_LETTERS: usize = 20_000;

/// What a page is made of.
#[derive(Debug, Clone, Default)]
pub struct Leaf {
    pub title: String,
    /// When the result was made, and by whom.
    pub summary: String,
    pub command: String,
    /// The document of the command.
    pub document: Option<Value>,
    /// What the command printed for people.
    pub text: String,
    /// Files that it was made of: path, version, digest.
    pub files: Vec<[String; 3]>,
}

/// The page as HTML.
pub fn html(leaf: &Leaf, table: Option<&Table>) -> String {
    let mut answer = Section::new("Answer");
    if let Some(sentence) = leaf.document.as_ref().and_then(|document| document["sentence"].as_str()) {
        answer.push(Block::Text(sentence.to_owned()));
    }
    if let Some(figures) = leaf.document.as_ref().and_then(key_figures) {
        answer.push(Block::Table(figures));
    }
    let long = table.and_then(|table| Long::of(table, None).ok());
    if let Some(plot) = long.as_ref().and_then(drawn) {
        answer.push(Block::Plot(plot));
    }
    let mut sections = vec![answer];
    if let Some(long) = &long {
        sections.push(rows(long));
    } else if !leaf.text.is_empty() {
        let mut printed = Section::new("What the command printed");
        printed.push(Block::Code(leaf.text.chars().take(MOST_LETTERS).collect()));
        sections.push(printed);
    }
    if !leaf.files.is_empty() {
        let columns = [Column::text("File"), Column::number("Version", ""), Column::text("Digest")];
        let mut made_of = Rows::new("Files, frozen when it was launched", columns);
        made_of.rows = leaf.files.iter().map(|file| file.to_vec()).collect();
        let mut section = Section::new("Made of");
        section.push(Block::Table(made_of));
        sections.push(section);
    }
    sections.retain(|section| !section.blocks.is_empty());
    let page = Page {
        title: leaf.title.clone(),
        summary: leaf.summary.clone(),
        sections,
        machine: Vec::new(),
        commands: vec![leaf.command.clone()],
        generated_by: format!("runcast {}", env!("CARGO_PKG_VERSION")),
        all_data: false,
    };
    page.to_html()
}

/// Numbers of a document that stand at its top, with their units.
fn key_figures(document: &Value) -> Option<Rows> {
    let units = [("_s", "s"), ("_j", "J"), ("_w", "W"), ("_bytes", "B"), ("_pct", "%")];
    let mut figures =
        Rows::new("Key figures", [Column::text("What"), Column::number("Value", ""), Column::text("Unit")]);
    for (name, value) in document.as_object()? {
        let Some(number) = value.as_f64().filter(|_| name != "version" && name != "seed") else { continue };
        let unit = units.iter().find(|(ending, _)| name.ends_with(ending)).map_or("", |(_, unit)| unit);
        figures.rows.push(vec![name.clone(), short(number), unit.to_owned()]);
    }
    (!figures.rows.is_empty()).then_some(figures)
}

/// A number with six digits.
fn short(number: f64) -> String {
    if number == number.trunc() && number.abs() < 1e9 {
        return format!("{number:.0}");
    }
    let digits = 5 - number.abs().log10().floor() as i32;
    match number.abs() {
        size if (1e-3..1e6).contains(&size) => format!("{number:.*}", usize::try_from(digits).unwrap_or(0)),
        _ => format!("{number:.5e}"),
    }
}

/// The first view, where it has lines.
fn drawn(long: &Long<'_>) -> Option<runcast_report::plot::Plot> {
    let view = schema(long, None).first_view.view;
    let choice = match view.view {
        View::Line => Choice { x: view.x, y: view.y, ..Choice::default() },
        View::KeyFigures => return None,
        _ => Choice::default(),
    };
    let mut found = figure(long.table, &choice).ok()?;
    if found.series.len() > MOST_CURVES {
        return None;
    }
    for curve in &mut found.series {
        let (xs, ys): (Vec<f64>, Vec<f64>) = curve.points.iter().map(|point| (point.x, point.y)).unzip();
        if xs.len() > 4 * WIDTH
            && let (Some(first), Some(last)) = (xs.first(), xs.last())
        {
            let kept = m4(&xs, &ys, [*first, *last], WIDTH);
            curve.points = kept.into_iter().map(|index| curve.points[index].clone()).collect();
        }
    }
    Some(picture::plot(&found, ""))
}

/// The first rows of the table; columns without a value are left out.
fn rows(long: &Long<'_>) -> Section {
    let all = &long.table.columns;
    let is_filled = |column: &&runcast_core::table::Column| long.rows.iter().any(|&row| !column.cell(row).is_empty());
    let shown: Vec<_> = all.iter().filter(is_filled).collect();
    let columns = shown.iter().map(|column| match column.as_numbers() {
        Some(_) => Column::number(column.name.as_str(), ""),
        None => Column::text(column.name.as_str()),
    });
    let caption = match long.rows.len() {
        count if count > MOST_ROWS => format!("The first {MOST_ROWS} of {count} rows"),
        count => format!("{count} rows"),
    };
    let mut table = Rows::new(caption, columns);
    let cells = |&row: &usize| shown.iter().map(|column| column.cell(row)).collect();
    table.rows = long.rows.iter().take(MOST_ROWS).map(cells).collect();
    let mut section = Section::new("Table");
    section.push(Block::Table(table));
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_has_sentence_figures_picture_table_and_command_and_escapes_words() {
        let csv = "app,p,time_s,empty\n<b>x,1,8,\n<b>x,2,4,\n<b>x,4,2.5,\n";
        let table = Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table");
        let leaf = Leaf {
            title: "<script>alert(1)</script>".to_owned(),
            command: "runcast sim sweep a.toml".to_owned(),
            document: Some(
                json!({"kind": "sim-run", "version": 1, "time_s": 0.123456789, "sentence": "Short & good."}),
            ),
            files: vec![["a.toml".to_owned(), "3".to_owned(), "sha256:00".to_owned()]],
            ..Leaf::default()
        };
        let page = html(&leaf, Some(&table));
        for part in ["Short &amp; good.", "0.123457", "<svg", "2.5", "runcast sim sweep a.toml", "sha256:00"] {
            assert!(page.contains(part), "{part}");
        }
        for part in ["<script>alert", "<b>x", "http://", ">empty<"] {
            assert!(!page.replace("http://www.w3.org", "").contains(part), "{part}");
        }
    }

    #[test]
    fn numbers_have_six_digits() {
        let cases =
            [(12.0, "12"), (0.123_456_789, "0.123457"), (123.456_789, "123.457"), (1.5e-9, "1.50000e-9"), (0.0, "0")];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}

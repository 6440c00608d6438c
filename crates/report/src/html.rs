//! A page as HTML: everything inline, nothing fetched, and one script, without which the page shows the same.
//!
//! The policy in the head forbids every request and every script but that one, which it knows by its hash, so that even a
//! mistake here could not run code injected by a name or a formula.

use crate::data_table;
use crate::live;
use crate::page::{Align, Block, Column, Notice, Page, Section, Table};
use crate::plot::Plot;
use crate::svg::{self, Size, SvgOptions, Theme};
use crate::text::{escape, shorten_middle};
use crate::thin;
use std::collections::HashMap;
use std::fmt::Write;

/// A table of contents appears from this many sections on.
const SECTIONS_FOR_CONTENTS: usize = 5;
/// Longer cells are cut in the middle.
const MOST_CELL: usize = 400;
/// Names in headings are cut in the middle.
const MOST_HEADING: usize = 160;

/// The page as one HTML file.
pub(crate) fn page(page: &Page) -> String {
    let mut sections: Vec<(String, &str, String)> = Vec::new();
    let mut anchors = Anchors::default();
    for section in &page.sections {
        sections.push((anchors.unique(&section.heading), &section.heading, section_body(section, page.all_data)));
    }
    let machine = machine_section(&page.machine);
    if let Some(body) = machine {
        sections.push((anchors.unique("machine"), "Machine", body));
    }
    if !page.commands.is_empty() {
        let body = format!("<p>Commands that produced this page:</p>{}", code(&page.commands.join("\n")));
        sections.push((anchors.unique("commands"), "Commands", body));
    }
    let mut out = String::with_capacity(16_384 + sections.iter().map(|section| section.2.len()).sum::<usize>());
    let title = if page.title.is_empty() { "runcast report" } else { &page.title };
    let is_live = sections.iter().any(|(_, _, body)| body.contains("<figure data-plot="));
    let scripts = if is_live { format!("script-src {}; ", live::source()) } else { String::new() };
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; {scripts}img-src data:; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"{}\">\n\
         <title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
        escape(&page.generated_by),
        escape(&shorten_middle(title, MOST_HEADING)),
        STYLE,
        svg::embedded_css()
    );
    let _ = write!(out, "<header>\n<h1>{}</h1>\n", escape(&shorten_middle(title, MOST_HEADING)));
    if !page.summary.is_empty() {
        let _ = writeln!(out, "<p class=\"lead\">{}</p>", escape(&page.summary));
    }
    out.push_str("</header>\n");
    if sections.len() >= SECTIONS_FOR_CONTENTS {
        contents(&mut out, &sections);
    }
    out.push_str("<main>\n");
    for (anchor, heading, body) in &sections {
        let heading = escape(&shorten_middle(heading, MOST_HEADING));
        let _ = write!(out, "<section id=\"{anchor}\">\n<h2>{heading}</h2>\n{body}</section>\n");
    }
    out.push_str("</main>\n");
    if !page.generated_by.is_empty() {
        let _ = writeln!(out, "<footer><p>Written by {}.</p></footer>", escape(&page.generated_by));
    }
    if is_live {
        let _ = writeln!(out, "<script>{}</script>", live::script());
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Lower-case ASCII letters and digits, joined by hyphens: part of a file's name or an anchor.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        if slug.len() >= 60 {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "plot".to_owned() } else { slug.to_owned() }
}

/// Anchors that are unique in a page.
#[derive(Default)]
struct Anchors {
    taken: HashMap<String, usize>,
}

impl Anchors {
    fn unique(&mut self, heading: &str) -> String {
        let base = slug(heading);
        let count = self.taken.entry(base.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count == 1 { base } else { format!("{base}_{count}") }
    }
}

fn contents(out: &mut String, sections: &[(String, &str, String)]) {
    out.push_str("<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n");
    for (anchor, heading, _) in sections {
        let _ = writeln!(out, "<li><a href=\"#{anchor}\">{}</a></li>", escape(&shorten_middle(heading, MOST_HEADING)));
    }
    out.push_str("</ol>\n</nav>\n");
}

fn section_body(section: &Section, all_data: bool) -> String {
    let mut out = String::new();
    blocks(&mut out, &section.blocks, (&section.heading, all_data), 0);
    out
}

fn blocks(out: &mut String, list: &[Block], section: (&str, bool), depth: usize) {
    let mut rest = list;
    while let Some((block, after)) = rest.split_first() {
        rest = after;
        match block {
            Block::Text(text) => {
                for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
                    let _ = writeln!(out, "<p>{}</p>", with_code(paragraph));
                }
            }
            Block::Heading(heading) => {
                let level = if depth == 0 { 3 } else { 4 };
                let _ = writeln!(out, "<h{level}>{}</h{level}>", escape(&shorten_middle(heading, MOST_HEADING)));
            }
            Block::Warning(notice) => warning(out, notice),
            Block::Plot(plot) => figure(out, plot, section),
            Block::Table(table) => table_html(out, table),
            Block::Details { summary, blocks: inner } => {
                let _ =
                    writeln!(out, "<details>\n<summary>{}</summary>", escape(&shorten_middle(summary, MOST_HEADING)));
                // No legitimate page nests deeper; the bound protects the stack from hostile input.
                if depth < 16 {
                    blocks(out, inner, section, depth + 1);
                }
                out.push_str("</details>\n");
            }
            Block::Code(text) => out.push_str(&code(text)),
        }
    }
}

fn warning(out: &mut String, notice: &Notice) {
    out.push_str("<div class=\"warning\" role=\"note\"><p><strong>Warning");
    if !notice.code.is_empty() {
        let _ = write!(out, " <code>{}</code>", escape(&shorten_middle(&notice.code, 60)));
    }
    let _ = write!(out, ":</strong> {}", escape(&shorten_middle(&notice.message, 2_000)));
    out.push_str("</p>");
    if !notice.remedy.is_empty() {
        let _ = write!(out, "<p class=\"remedy\">What to do: {}</p>", with_code(&notice.remedy));
    }
    out.push_str("</div>\n");
}

fn figure(out: &mut String, plot: &Plot, (section, all_data): (&str, bool)) {
    // A caption that repeats the heading serves readers of a screen reader.
    let class = if plot.title == section { " class=\"heard\"" } else { "" };
    let title = escape(&shorten_middle(&plot.title, MOST_HEADING));
    let (numbers, left) = if all_data { (plot.clone(), None) } else { thin::for_script(plot) };
    let data = live::data(&numbers).map_or(String::new(), |data| {
        format!(" data-plot='{}'", data.replace('&', "&amp;").replace('\'', "&#39;").replace('<', "&lt;"))
    });
    let _ = write!(out, "<figure{data}>\n<figcaption><strong{class}>{title}</strong>");
    if !plot.subtitle.is_empty() {
        let _ = write!(out, " <span>{}</span>", escape(&shorten_middle(&plot.subtitle, 2 * MOST_HEADING)));
    }
    out.push_str("</figcaption>\n");
    let drawn = &thin::as_drawn(plot);
    for (size, class) in [(Size::Wide, "plot wide"), (Size::Narrow, "plot narrow")] {
        let picture = svg::render_with(drawn, &SvgOptions { size, theme: Theme::Auto, embedded: true });
        let _ = writeln!(out, "<div class=\"{class}\">{picture}</div>");
    }
    if let Some((kept, of)) = left {
        let _ = writeln!(
            out,
            "<p class=\"note\">{kept} of {of} values are in this page: of neighbors the lowest and the highest. \
             <code>--all-data</code> keeps all.</p>"
        );
    }
    if let Some(table) = data_table::of(if all_data { plot } else { drawn }, all_data) {
        out.push_str("<details>\n<summary>Data of this picture</summary>\n");
        data_html(out, &table);
        out.push_str("</details>\n");
    }
    out.push_str("</figure>\n");
}

fn table_html(out: &mut String, table: &Table) {
    start_table(out, table, "");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in table.columns.iter().zip(row) {
            let _ = write!(out, "<td{}>{}</td>", align(column), cell_html(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// The numbers of a picture, of which there are many: they say once that all but the first column are numbers.
fn data_html(out: &mut String, table: &Table) {
    start_table(out, table, " class=\"data\"");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{}</td>", cell_html(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn start_table(out: &mut String, table: &Table, class: &str) {
    // The box can be scrolled sideways, so it must be reachable by keyboard.
    let _ = write!(out, "<div class=\"table\" tabindex=\"0\">\n<table{class}>\n");
    if !table.caption.is_empty() {
        let _ = writeln!(out, "<caption>{}</caption>", escape(&table.caption));
    }
    out.push_str("<thead><tr>");
    for column in &table.columns {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", align(column), escape(&column_title(column)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

/// Escaped, with text between backticks as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(index, part): (usize, &&str)| {
        if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) }
    };
    parts.iter().enumerate().map(part).collect()
}

/// Call paths break after an arrow, never inside one.
fn cell_html(cell: &str) -> String {
    escape(&shorten_middle(cell, MOST_CELL)).replace("-&gt;", "<span class=\"arrow\">-&gt;</span><wbr>")
}

fn align(column: &Column) -> &'static str {
    if column.align == Align::Right { " class=\"num\"" } else { "" }
}

fn column_title(column: &Column) -> String {
    match (column.name.as_str(), column.unit.as_str()) {
        (name, "") => name.to_owned(),
        ("", unit) => unit.to_owned(),
        (name, unit) => format!("{name} ({unit})"),
    }
}

fn machine_section(machine: &[(String, String)]) -> Option<String> {
    if machine.is_empty() {
        return None;
    }
    let mut out = String::from("<dl class=\"facts\">\n");
    for (name, value) in machine {
        let _ =
            writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(&shorten_middle(value, MOST_CELL)));
    }
    out.push_str("</dl>\n");
    Some(out)
}

fn code(text: &str) -> String {
    format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escape(text))
}

const STYLE: &str = include_str!("page.css");

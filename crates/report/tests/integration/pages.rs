//! What a page promises: one file, no requests, no script but its own, nothing of a name's own making.

use crate::sample;
use proptest::prelude::*;
use roxmltree::{Document, Node, ParsingOptions};
use runcast_report::evaluation_report::{self, Evaluation};
use runcast_report::fit_report::{self, FitReport, SERIES_WITH_PICTURES};
use runcast_report::page::{Block, Column, Notice, Page, Section, Table};
use runcast_report::plot::{Axis, Line, Plot, Points};

/// Twelve pictures of 2,000 values each, twice as drawn, once as numbers and once, in part, as a table.
const MOST_BYTES: usize = 300_000;

/// The page as a tree: what we write is well-formed XML but for the elements that HTML leaves open.
fn parse<R>(html: &str, read: impl FnOnce(&Document) -> R) -> R {
    let body = html.strip_prefix("<!DOCTYPE html>\n").expect("a doctype");
    let closed = without_script(body).replace("<wbr>", "<wbr/>");
    let mut out = String::new();
    for line in closed.split_inclusive('\n') {
        let open = line.starts_with("<meta");
        out.push_str(&if open { line.replacen(">\n", "/>\n", 1) } else { line.to_owned() });
    }
    let options = ParsingOptions { nodes_limit: 5_000_000, ..ParsingOptions::default() };
    match Document::parse_with_options(&out, options) {
        Ok(document) => read(&document),
        Err(error) => panic!("not well-formed: {error}\n{}", &out[..out.len().min(3_000)]),
    }
}

/// The page without its script, which is ours, but for indents and comments, and the only one.
fn without_script(html: &str) -> String {
    let ours = include_str!("../../src/live.js").lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let ours = format!("<script>{}</script>\n", ours.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"));
    let rest = html.replacen(&ours, "", 1);
    assert!(!rest.to_lowercase().contains("<script"), "another script");
    rest
}

fn elements<'a>(document: &'a Document, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(move |node| node.tag_name().name() == name)
}

fn text_of(node: &Node) -> String {
    node.descendants().filter(|node| node.is_text()).filter_map(|node| node.text().map(str::to_owned)).collect()
}

/// Attributes by which a page runs scripts or fetches something.
fn assert_harmless(document: &Document) {
    const ALLOWED: [&str; 52] = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "nav",
        "ol",
        "li",
        "a",
        "main",
        "section",
        "figure",
        "figcaption",
        "strong",
        "span",
        "div",
        "details",
        "summary",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
        "dl",
        "dt",
        "dd",
        "footer",
        "wbr",
        "svg",
        "desc",
        "path",
        "rect",
        "g",
        "text",
        "em",
        "b",
        "i",
        "ul",
        "hr",
        "br",
        "small",
    ];
    for node in document.descendants().filter(Node::is_element) {
        assert!(ALLOWED.contains(&node.tag_name().name()), "<{}>", node.tag_name().name());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "src" && name != "style", "{name}={value}");
            assert!(name != "href" || value.starts_with('#'), "href={value}");
        }
    }
}

#[test]
fn nothing_is_fetched() {
    let html = sample::page().to_html();
    parse(&html, |document| {
        assert_harmless(document);
        for style in elements(document, "style") {
            let css = text_of(&style);
            assert!(!css.contains("url(") && !css.contains("@import") && !css.contains("//"), "{css}");
        }
        let policy = elements(document, "meta").find_map(|meta| {
            (meta.attribute("http-equiv") == Some("Content-Security-Policy")).then(|| meta.attribute("content"))?
        });
        assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none'")), "{policy:?}");
        let scripts = policy.and_then(|policy| policy.split("; ").find(|part| part.starts_with("script-src")));
        assert!(scripts.is_some_and(|part| part.starts_with("script-src 'sha256-") && !part.contains("unsafe")));
    });
    let without_names = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_names.contains("http://") && !without_names.contains("https://"));
}

#[test]
fn a_page_without_pictures_allows_no_script() {
    let page = Page { title: "words".into(), sections: vec![Section::new("only words")], ..Page::default() };
    let html = page.to_html();
    assert!(!html.contains("<script") && !html.contains("script-src"), "{html}");
}

/// A page of twelve pictures.
fn twelve(all_data: bool, layers: impl Fn(Plot) -> Plot) -> String {
    let picture = |number: usize| {
        let plot = Plot::new(format!("picture {number}"), Axis::new("processes p", ""), Axis::new("time", "s"));
        Block::Plot(layers(plot))
    };
    let section = Section { heading: "all".into(), blocks: (0..12).map(picture).collect() };
    Page { sections: vec![section], all_data, ..Page::default() }.to_html()
}

/// Numbers as scattered as can be: without pattern, from 0 to 1.
fn scattered(seed: u64) -> impl Iterator<Item = f64> {
    // Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators".
    (1..).map(move |step: u64| {
        let mut z = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    })
}

#[test]
fn twelve_pictures_of_two_thousand_values_are_a_small_page() {
    let noisy = |x: f64, noise: f64| (x, 100.0 / x * (1.0 + 0.2 * noise));
    let smooth = |plot| {
        let curve = |k: usize| (1..=500).map(move |x| (f64::from(x), 100.0 / f64::from(x) + k as f64));
        (0..4).fold(plot, |plot: Plot, k| plot.with(Line::new(format!("model {k}"), curve(k))))
    };
    let rough = |plot| {
        let curve = |k: u64| (1..=500).map(f64::from).zip(scattered(k)).map(move |(x, noise)| noisy(x, noise));
        (0..4).fold(plot, |plot: Plot, k| plot.with(Line::new(format!("machine {k}"), curve(k))))
    };
    let runs = |plot: Plot| {
        let points = scattered(1).zip(scattered(2)).map(|(at, noise)| noisy(1.0 + 500.0 * at, noise));
        plot.with(Points::new("measured", points.take(2_000)))
    };
    let pages: [(&str, &dyn Fn(Plot) -> Plot); 3] = [("smooth", &smooth), ("rough", &rough), ("runs", &runs)];
    for (name, layers) in pages {
        let html = twelve(false, layers);
        assert!(html.len() <= MOST_BYTES, "{name}: {} bytes", html.len());
        assert_eq!(html, twelve(false, layers), "{name}: other bytes of the same");
        assert!(!html.contains("are in this page"), "{name}: all values are there");
        parse(&html, assert_harmless);
    }
}

#[test]
fn a_page_says_what_it_leaves_out_and_has_it_when_asked() {
    let many = |plot: Plot| plot.with(Points::new("measured", scattered(1).zip(scattered(2)).take(20_000)));
    let html = twelve(false, many);
    assert!(html.contains(" of 20000 values are in this page: of neighbors the lowest and the highest."));
    assert!(html.contains("The first 10 values; 19990 more rows with --all-data."));
    assert!(html.len() <= MOST_BYTES, "{} bytes", html.len());
    let all = twelve(true, many);
    assert!(!all.contains("--all-data") && all.matches("<tr>").count() == 12 * 20_001);
}

#[test]
fn everything_that_a_report_needs_is_there() {
    parse(&sample::page().to_html(), |document| {
        let headings: Vec<String> = elements(document, "h2").map(|node| text_of(&node)).collect();
        for expected in ["Contents", "Overview", "main: time", "Predicted against measured", "Machine", "Commands"] {
            assert!(headings.iter().any(|heading| heading == expected), "{expected} in {headings:?}");
        }
        let tables: Vec<Vec<String>> = elements(document, "table")
            .map(|table| {
                table.descendants().filter(|node| node.tag_name().name() == "th").map(|node| text_of(&node)).collect()
            })
            .collect();
        let has = |columns: &[&str]| tables.iter().any(|table| columns.iter().all(|c| table.iter().any(|t| t == c)));
        assert!(has(&["No", "PN", "PS", "RE_time (%)", "RE_perf (%)"]), "{tables:?}");
        assert!(has(&["at", "model", "predicted", "90\u{a0}% range", "beyond the runs", "verdict"]), "{tables:?}");
        assert!(has(&["model", "grows as", "error on its runs (%)", "in range (%)", "formula"]), "{tables:?}");
        let texts: Vec<String> = elements(document, "text").map(|node| text_of(&node)).collect();
        for expected in ["measured (median)", "single runs", "extrapolated", "auto", "as measured", "over 30"] {
            assert!(texts.iter().any(|text| text == expected), "{expected}");
        }
        let all_digits = elements(document, "details").find(|node| text_of(node).contains("Formulas with all digits"));
        assert!(all_digits.is_some_and(|node| text_of(&node).contains("auto: ")), "formulas");
        let warning = elements(document, "div").find(|node| node.attribute("class") == Some("warning"));
        assert!(warning.is_some_and(|node| text_of(&node).contains("What to do")));
    });
}

#[test]
fn every_picture_is_there_for_wide_and_narrow_with_its_data() {
    let page = sample::page();
    parse(&page.to_html(), |document| {
        let figures: Vec<Node> = elements(document, "figure").collect();
        assert_eq!(figures.len(), page.plots().len());
        for figure in figures {
            let svgs: Vec<Node> = figure
                .descendants()
                .filter(|node| node.tag_name().name() == "svg" && node.attribute("role") == Some("img"))
                .collect();
            assert_eq!(svgs.len(), 2);
            for svg in svgs {
                assert!(svg.attribute("viewBox").is_some());
                assert!(svg.children().any(|node| node.tag_name().name() == "desc"));
            }
            let rows = figure.descendants().filter(|node| node.tag_name().name() == "tr").count();
            assert!(rows > 1, "no data table");
        }
    });
}

#[test]
fn ids_and_names_of_files_are_unique() {
    let mut page = sample::page();
    page.sections.push(Section::new("Overview"));
    parse(&page.to_html(), |document| {
        let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        let unique: std::collections::HashSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{ids:?}");
        for link in elements(document, "a").filter_map(|node| node.attribute("href")) {
            assert!(ids.contains(&link.trim_start_matches('#')), "{link}");
        }
    });
    let names: Vec<String> = page.plots().into_iter().map(|(name, _)| name).collect();
    let unique: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(names.len(), unique.len(), "{names:?}");
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
}

#[test]
fn contents_appear_from_five_sections_on() {
    let sections = |count: usize| {
        let page = Page { sections: vec![Section::new("s"); count], ..Page::default() };
        page.to_html().contains("<nav")
    };
    assert!(!sections(4) && sections(5));
}

#[test]
fn a_thousand_regions_share_a_table() {
    let all: Vec<_> =
        (0..1_000).map(|index| sample::series(&format!("region{index}"), 1.0 / f64::from(index + 1), 1)).collect();
    let entries: Vec<_> = all.iter().map(|series| vec![sample::entry(series, sample::LAWS[0])]).collect();
    let series = all
        .iter()
        .zip(&entries)
        .enumerate()
        .map(|(index, (series, entries))| sample::report(series, entries, 1.0 / (index + 1) as f64));
    let report = FitReport { series: series.rev().collect(), ..FitReport::default() };
    let page = Page { sections: fit_report::sections(&report), ..Page::default() };
    let html = page.to_html();
    assert!(
        html.contains(
            "The 12 series with the largest values at the largest configuration have pictures; the other 988"
        )
    );
    assert_eq!(page.sections[1].heading, "region0: time");
    assert_eq!(page.sections.last().map(|section| section.heading.as_str()), Some("Other series"));
    assert_eq!(page.plots().len(), 2 * SERIES_WITH_PICTURES);
    assert!(html.contains("region999"));
    assert!(html.len() < 8_000_000, "{} bytes", html.len());
}

#[test]
fn a_curve_through_all_runs_has_no_errors_to_show() {
    let series = sample::series("main", 1.0, 1);
    let entries = [sample::entry(&series, sample::LAWS[0])];
    let mut report = sample::report(&series, &entries, 1.0);
    assert!(fit_report::residual_plot(&report).is_some());
    let measured = series.points.iter().map(|point| point.values[0]);
    for (fitted, value) in report.models[0].fitted.iter_mut().zip(measured) {
        fitted.value = Some(value * (1.0 + 1e-13));
    }
    assert!(fit_report::residual_plot(&report).is_none());
}

#[test]
fn the_predictions_of_a_series_are_one_table() {
    let series = sample::series("main", 1.0, 1);
    let entries = [sample::entry(&series, sample::LAWS[0])];
    let report = FitReport { series: vec![sample::report(&series, &entries, 1.0)], ..FitReport::default() };
    let tables = fit_report::sections(&report).into_iter().flat_map(|section| section.blocks).filter(
        |block| matches!(block, Block::Table(table) if table.columns.iter().any(|column| column.name == "verdict")),
    );
    assert_eq!(tables.count(), 1);
}

#[test]
fn a_grid_has_a_curve_for_each_size() {
    let mut series = sample::series("main", 1.0, 1);
    let single = series.points.clone();
    for size in [10_000.0, 40_000.0] {
        series.points.extend(single.iter().cloned().map(|mut point| {
            point.at[1] = size;
            point.values.iter_mut().for_each(|value| *value *= size / 20_000.0);
            point
        }));
    }
    let entries = [sample::entry(&series, sample::LAWS[0])];
    let plot = fit_report::series_plot(&sample::report(&series, &entries, 1.0));
    let named = |name: &str| {
        plot.layers
            .iter()
            .any(|layer| matches!(layer, runcast_report::plot::Layer::Points(points) if points.name == name))
    };
    assert!(named("N = 10000") && named("N = 20000") && named("N = 40000"), "{:?}", plot.layers);
}

#[test]
fn the_document_of_evaluate_is_read() {
    let json = r#"{"kind":"evaluate","version":1,"warnings":[],"models":[{"model":"auto","count":5,"failed":0,
        "mean_error_pct":4.1,"median_error_pct":3.8,"p90_error_pct":9.0,"max_error_pct":11.4,"smape_pct":4.2,
        "mean_re_log_pct":4.4,"bias_factor":0.98,"coverage_pct":100.0,"interval_factor":1.6}],
        "points":[{"model":"auto","group":{},"metric":"time_s","at":{"p":343,"N":1000},"measured":6.8,"predicted":7.0,
        "error_pct":2.94,"re_log_pct":2.94,"low":5.0,"high":9.8,"covered":true},
        {"model":"auto","group":{},"metric":"time_s","at":{"p":216,"N":800},"measured":9.0,"predicted":null,
        "error_pct":null,"re_log_pct":null,"low":null,"high":null,"covered":null}],
        "histogram":[{"model":"auto","from_pct":0,"to_pct":5,"count":3},{"model":"auto","from_pct":30,"to_pct":null,"count":1}]}"#;
    let evaluation: Evaluation = serde_json::from_str(json).expect("the shape of the specification");
    let tables = evaluation_report::thesis_tables(&evaluation, "p");
    assert_eq!(tables.len(), 1);
    let rows: Vec<Vec<&str>> = tables[0].rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    assert_eq!(
        rows,
        [vec!["1", "216", "800", "refused"], vec!["2", "343", "1000", "2.94"], vec!["mean", "", "", "2.94"]]
    );
    assert_eq!(evaluation_report::section(&evaluation, "p").heading, "Predicted against measured");
}

#[test]
fn nothing_at_all_is_a_page_too() {
    let sections = fit_report::sections(&FitReport::default());
    let mut page = Page { sections, ..Page::default() };
    page.sections.push(evaluation_report::section(&Evaluation::default(), "p"));
    parse(&page.to_html(), assert_harmless);
}

fn hostile() -> impl Strategy<Value = String> {
    let attacks = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style><script>alert(1)</script>",
        "</title><svg onload=alert(1)>",
        "]]><!--",
        "javascript:alert(1)",
        "a`b`c` <b>",
        "\u{0}\u{b}\u{1b}[2J\u{202e}",
        "main->solve->\"x\"",
    ];
    prop_oneof![prop::sample::select(attacks.to_vec()).prop_map(str::to_owned), "\\PC{0,40}", ".{0,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_name_becomes_markup(text in hostile(), other in hostile()) {
        let mut table = Table::new(text.clone(), [Column::text(other.clone()), Column::number(text.clone(), other.clone())]);
        table.rows.push(vec![text.clone(), other.clone()]);
        let axis = Axis::new(other.clone(), text.clone());
        let plot = Plot::new(text.clone(), axis.clone(), axis)
            .subtitled(other.clone())
            .with(Points::new(text.clone(), [(1.0, 1.0), (f64::NAN, 2.0)]))
            .with(Line::new(other.clone(), [(1.0, 1.0), (2.0, 2.0)]));
        let blocks = vec![
            Block::Text(text.clone()),
            Block::Heading(other.clone()),
            Block::Warning(Notice { code: text.clone(), message: other.clone(), remedy: text.clone() }),
            Block::Plot(plot),
            Block::Table(table),
            Block::Code(other.clone()),
            Block::Details { summary: text.clone(), blocks: vec![Block::Text(other.clone())] },
        ];
        let page = Page {
            title: text.clone(),
            summary: other.clone(),
            sections: vec![Section { heading: text.clone(), blocks }; 5],
            machine: vec![(text.clone(), other.clone())],
            commands: vec![text.clone()],
            generated_by: other,
            all_data: false,
        };
        parse(&page.to_html(), assert_harmless);
    }
}

//! Pictures as SVG.
//!
//! Written directly rather than through a plotting library: the marks that make a forecast readable (an interval as a
//! band, the shaded range beyond the data, ticks at powers of two with the unit on each, names at the ends of curves,
//! markers that differ by shape, one picture for light and dark ground, descriptions for screen readers) are the work
//! in any case, and the axes of `plotters`, say, would have to be replaced to get them.
//!
//! Colors come from classes and a style sheet, not from attributes, so that a picture inside a page follows the page
//! from light to dark.

use crate::chart;
use crate::palette;
use crate::plot::Plot;

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SvgOptions {
    pub size: Size,
    pub theme: Theme,
    /// Whether it is part of a page of [`page`](crate::page), which gives it its title and its style sheet.
    pub embedded: bool,
}

/// Proportions of a picture; its height follows from what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// For screens and paper: 760 units wide.
    #[default]
    Wide,
    /// For phones: 360 units wide, with letters of the same size.
    Narrow,
}

/// The ground of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the reader's screen is set.
    #[default]
    Auto,
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
}

/// The picture as a file of its own, light or dark as the reader's screen is set.
pub fn render(plot: &Plot) -> String {
    render_with(plot, &SvgOptions::default())
}

/// The picture drawn with `options`.
pub fn render_with(plot: &Plot, options: &SvgOptions) -> String {
    chart::draw(plot, options)
}

/// The style sheet that a page with embedded pictures needs, once.
pub(crate) fn embedded_css() -> String {
    format!(
        "{}{}@media(prefers-color-scheme:dark){{{}}}@media print{{{}}}",
        STRUCTURE,
        palette::css(&palette::LIGHT, ".plot "),
        palette::css(&palette::DARK, ".plot "),
        palette::css(&palette::LIGHT, ".plot ")
    )
}

/// The style sheet inside a picture of its own.
pub(crate) fn own_css(theme: Theme) -> String {
    let (light, dark) = (palette::css(&palette::LIGHT, ""), palette::css(&palette::DARK, ""));
    match theme {
        Theme::Light => light,
        Theme::Dark => dark,
        Theme::Auto => format!("{light}@media(prefers-color-scheme:dark){{{dark}}}"),
    }
}

/// Strokes fill nothing: their classes are those of [`stroke_class`](crate::canvas::stroke_class) and of axes and grids.
const STRUCTURE: &str = ".plot svg{display:block;width:100%;height:auto;font-family:inherit}\
    .plot :is(.a,.r,.n,.ms,.fs,[class^=s]){fill:none;stroke-linejoin:round}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Band, Bar, Bars, DataPoint, Ink, Line, Points, RankedRow, Ranking, Rule, Scale};
    use proptest::prelude::*;
    use roxmltree::Document;

    fn sample() -> Plot {
        Plot::new("Time <of> the \"solver\"", Axis::new("processes p", ""), Axis::new("time", "s"))
            .subtitled("N = 20000 & more")
            .with(Points::new("measured", [(1.0, 100.0), (8.0, 14.0), (64.0, 2.5)]).inked(Ink::Measured))
            .with(Line::new("auto", [(1.0, 99.0), (8.0, 14.0), (64.0, 2.6), (512.0, 0.9)]))
            .with(Band {
                name: "auto".into(),
                label: "90 % range".into(),
                values: vec![(1.0, 90.0, 110.0), (64.0, 2.0, 3.0), (512.0, 0.5, 2.0)],
                ink: Ink::Auto,
            })
            .with(Rule::end_of_data(64.0, "extrapolated"))
    }

    fn texts(svg: &str) -> Vec<String> {
        let document = Document::parse(svg).expect("well-formed");
        document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .filter_map(|node| node.text())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_picture_says_what_it_shows_in_words_too() {
        let svg = render(&sample());
        let document = Document::parse(&svg).expect("well-formed");
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let child = |name: &str| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        assert_eq!(child("title"), Some("Time <of> the \"solver\""));
        assert!(
            child("desc").is_some_and(|text| text.contains("auto") && text.contains("processes p")),
            "{:?}",
            child("desc")
        );
        let texts = texts(&svg);
        for expected in
            ["N = 20000 & more", "measured", "auto", "90 % range", "extrapolated", "processes p", "64", "10\u{a0}s"]
        {
            assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
        }
    }

    #[test]
    fn nothing_to_draw_is_said() {
        let empty = Plot::new("", Axis::default(), Axis::default())
            .with(Points::new("a", [(f64::NAN, 1.0), (1.0, f64::INFINITY)]))
            .with(Rule::zero());
        assert!(texts(&render(&empty)).contains(&"no data".to_owned()));
    }

    #[test]
    fn one_point_is_drawn() {
        let svg =
            render(&Plot::new("one", Axis::new("p", ""), Axis::new("t", "s")).with(Points::new("a", [(4.0, 2.0)])));
        assert!(svg.contains("f0") && texts(&svg).contains(&"4".to_owned()), "{svg}");
    }

    #[test]
    fn a_ranking_names_its_rows() {
        let rows = vec![
            RankedRow { label: "auto".into(), value: 4.1, interval: None },
            RankedRow { label: "mokrov".into(), value: 52.0, interval: Some((40.0, 60.0)) },
            RankedRow { label: "failed".into(), value: f64::NAN, interval: None },
        ];
        let plot = Plot::new("ranking", Axis::new("median error", "%"), Axis::default())
            .with(Ranking { name: "held out".into(), rows });
        let texts = texts(&render(&plot));
        assert!(texts.contains(&"mokrov".to_owned()) && texts.contains(&"failed".to_owned()), "{texts:?}");
    }

    #[test]
    fn embedded_pictures_leave_style_and_title_to_the_page() {
        let svg = render_with(&sample(), &SvgOptions { embedded: true, ..SvgOptions::default() });
        assert!(!svg.contains("<style"), "{svg}");
        assert!(!svg.contains("id="), "ids would collide in a page");
        // What is not filled has a class of which the page says so.
        assert!(
            !svg.contains("fill=\"none\"") && embedded_css().contains(":is(.a,.r,.n,.ms,.fs,[class^=s]){fill:none")
        );
    }

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![prop::num::f64::ANY, -1e3..1e3f64, Just(0.0), Just(f64::MAX), Just(5e-324)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_data_and_any_names_give_a_well_formed_picture(
            xy in prop::collection::vec((numbers(), numbers(), numbers()), 0..12),
            name in "\\PC{0,30}",
            scale in prop::sample::select(vec![Scale::Auto, Scale::Linear, Scale::Log2, Scale::Log10]),
            size in prop::sample::select(vec![Size::Wide, Size::Narrow]),
        ) {
            let axis = Axis::new(name.clone(), "s").scaled(scale);
            let values = xy.iter().map(|&(x, y, e)| DataPoint { x, y, bar: Some((y, e)) }).collect();
            let plot = Plot::new(name.clone(), axis.clone(), axis.clone())
                .with(Points { name: name.clone(), ink: Ink::Auto, values })
                .with(Line::new(name.clone(), xy.iter().map(|&(x, y, _)| (x, y))))
                .with(Band { label: name.clone(), values: xy.clone(), ..Band::default() })
                .with(Rule::end_of_data(xy.first().map_or(1.0, |p| p.0), name.clone()));
            let bars = Plot::new("b", axis.clone(), axis.clone())
                .with(Bars { name: name.clone(), bars: xy.iter().map(|&(from, to, value)| Bar { from, to, value }).collect() });
            let rows = xy.iter().map(|&(value, low, high)| RankedRow { label: name.clone(), value, interval: Some((low, high)) });
            let ranking = Plot::new("r", axis.clone(), axis).with(Ranking { name: name.clone(), rows: rows.collect() });
            for plot in [plot, bars, ranking] {
                let svg = render_with(&plot, &SvgOptions { size, ..SvgOptions::default() });
                prop_assert!(Document::parse(&svg).is_ok(), "{svg}");
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
                let _ = crate::terminal::render(&plot, &crate::terminal::TerminalOptions::default());
            }
        }
    }
}

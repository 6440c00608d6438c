//! The picture itself: frame, heading, axes, names at the ends of curves.

use crate::canvas::{Area, LINE_HEIGHT, Measures, fill_class, labels, straight, stroke_class, text};
use crate::layers;
use crate::legend;
use crate::number;
use crate::palette::coordinate;
use crate::plot::{Place, Plot};
use crate::rows;
use crate::scale::{Kind, Ruler, Tick};
use crate::scene::{Drawn, Look, Scene};
use crate::svg::{SvgOptions, own_css};
use crate::text::{escape, fit, width, wrap};
use std::fmt::Write;

/// A name at the end of its curve.
struct EndName {
    text: String,
    look: Look,
    from: f64,
    at: f64,
}

const MOST_END_NAMES: usize = 8;

pub(crate) fn draw(plot: &Plot, options: &SvgOptions) -> String {
    let scene = Scene::new(plot);
    let measures = Measures::of(options.size, options.embedded);
    let mut body = String::new();
    let mut y = if options.embedded { 4.0 } else { measures.pad };
    if !options.embedded {
        y = draw_heading(&mut body, plot, &measures, y);
    }
    y = if scene.is_empty() {
        draw_nothing(&mut body, &measures, y)
    } else if scene.rankings.is_empty() {
        draw_chart(&mut body, &scene, &measures, y)
    } else {
        rows::draw(&mut body, &scene, &measures, y)
    };
    let strokes = options.embedded && layers::has_strokes(&scene);
    let strokes = strokes.then(|| "Strokes are dense points, from the lowest to the highest.".to_owned());
    for note in scene.notes.iter().chain(&strokes) {
        for line in wrap(note, measures.font - 1.0, measures.width - 2.0 * measures.pad, 3) {
            y += (measures.font - 1.0) * LINE_HEIGHT;
            text(&mut body, "u", measures.pad, y, "start", measures.font - 1.0, &line);
        }
    }
    let height = (y + if options.embedded { 6.0 } else { measures.pad }).ceil();
    frame(&body, &scene, &measures, height, options)
}

fn frame(body: &str, scene: &Scene, measures: &Measures, height: f64, options: &SvgOptions) -> String {
    let width = measures.width;
    let mut out = String::with_capacity(body.len() + 4096);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\"{}>",
        if options.embedded {
            String::new()
        } else {
            format!(
                " width=\"{width}\" height=\"{height}\" font-family=\"Ubuntu, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\""
            )
        }
    );
    let _ = write!(out, "<title>{}</title>", escape(&fit(&scene.plot.title, 1.0, 150.0)));
    let _ = write!(out, "<desc>{}</desc>", escape(&describe(scene)));
    if !options.embedded {
        let _ = write!(out, "<style>{}</style>", own_css(options.theme));
        let _ = write!(out, "<rect class=\"g\" width=\"{width}\" height=\"{height}\"/>");
    }
    match options.embedded {
        // The style sheet of the page says it once.
        true => out.push_str(&body.replace(" fill=\"none\"", "").replace(" stroke-linejoin=\"round\"", "")),
        false => out.push_str(body),
    }
    out.push_str("</svg>");
    out
}

/// Description for readers who cannot see the picture.
fn describe(scene: &Scene) -> String {
    let plot = scene.plot;
    let scale = |ruler: &Ruler| if ruler.kind() == Kind::Linear { "linear" } else { "logarithmic" };
    if scene.is_empty() {
        return "No data.".to_owned();
    }
    if !scene.rankings.is_empty() {
        return format!("{} of: {}.", plot.x.label, scene.row_labels().join(", "));
    }
    let mut parts = Vec::new();
    for layer in &scene.layers {
        match layer {
            Drawn::Points { name, values, .. } if !name.is_empty() => {
                parts.push(format!("{} points of {name}", values.len()))
            }
            Drawn::Line { name, .. } if !name.is_empty() => parts.push(format!("a curve of {name}")),
            Drawn::Band { label, .. } if !label.is_empty() => parts.push(format!("a band: {label}")),
            Drawn::Bars { name, bars, .. } => parts.push(format!("{} bars {name}", bars.len())),
            Drawn::Rule { place: Place::EndOfData(x), label } => {
                parts.push(format!("shaded from {} on: {label}", number::parameter(*x)));
            }
            _ => {}
        }
    }
    parts.dedup();
    parts.truncate(30);
    format!(
        "{} ({} axis) against {} ({} axis): {}.",
        plot.y.label,
        scale(&scene.y),
        plot.x.label,
        scale(&scene.x),
        parts.join("; ")
    )
}

fn draw_heading(out: &mut String, plot: &Plot, measures: &Measures, top: f64) -> f64 {
    let space = measures.width - 2.0 * measures.pad;
    let mut y = top;
    for line in wrap(&plot.title, measures.title_font * 1.04, space, 2) {
        y += measures.title_font * 1.15;
        let _ = write!(
            out,
            "<text class=\"t\" x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"600\">{}</text>",
            coordinate(measures.pad),
            coordinate(y),
            coordinate(measures.title_font),
            escape(&line)
        );
    }
    for line in wrap(&plot.subtitle, measures.font, space, 3) {
        y += measures.font * LINE_HEIGHT + 1.0;
        text(out, "u", measures.pad, y, "start", measures.font, &line);
    }
    if y > top { y + 10.0 } else { y }
}

fn draw_nothing(out: &mut String, measures: &Measures, top: f64) -> f64 {
    let height = 0.5 * measures.plot_height;
    let _ = write!(
        out,
        "<rect class=\"h\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
        measures.pad,
        coordinate(top),
        measures.width - 2.0 * measures.pad,
        height
    );
    text(out, "u", 0.5 * measures.width, top + 0.5 * height + 5.0, "middle", measures.font + 2.0, "no data");
    top + height
}

fn draw_chart(out: &mut String, scene: &Scene, measures: &Measures, top: f64) -> f64 {
    let end_names = end_names(scene, measures);
    let font = measures.font;
    let y_title = fit(&scene.y.title(&scene.plot.y), font, measures.width - 2.0 * measures.pad);
    let span = measures.plot_height;
    let y_ticks = scene.y.ticks(measures.ticks_y, |below, above| (above.fraction - below.fraction) * span < font * 1.5);
    let tick_width = y_ticks.iter().map(|tick| width(&tick.label, font)).fold(0.0, f64::max);
    let names_width = end_names.iter().map(|(_, name)| width(&name.text, font)).fold(0.0, f64::max);
    let mut area = Area {
        left: (measures.pad + tick_width.min(0.3 * measures.width) + 8.0).ceil(),
        top: 0.0,
        right: measures.width - measures.pad - if end_names.is_empty() { 4.0 } else { (names_width + 14.0).ceil() },
        bottom: 0.0,
    };
    let end_named = |x: f64, label: &str| {
        shade_from(scene, x).is_some_and(|left| label_fits_above(measures, &area, area.x(left), label, &y_title))
    };
    let named_at_end = |name: &str| end_names.iter().any(|(known, _)| *known == name);
    let top = legend::draw(out, &legend::entries(scene, named_at_end, end_named), measures, top);
    area.top = (if y_title.is_empty() { top + 8.0 } else { top + font * LINE_HEIGHT + 12.0 }).ceil();
    area.bottom = area.top + span;
    text(out, "u", measures.pad, area.top - 13.0, "start", font, &y_title);

    let open_end = open_end(scene);
    let x_span = area.right - area.left;
    let x_ticks: Vec<Tick> = scene
        .x
        .ticks(measures.ticks_x, |left, right| {
            let needed = 0.5 * (width(&left.label, font) + width(&right.label, font)) + 10.0;
            (right.fraction - left.fraction) * x_span < needed
        })
        .into_iter()
        .filter(|tick| open_end.is_none_or(|from| scene.x.fraction(from).is_none_or(|end| tick.fraction <= end + 1e-9)))
        .collect();

    draw_shade(out, scene, &area);
    draw_grid(out, scene, measures, &area, &x_ticks, &y_ticks);
    draw_vertical_rules(out, scene, measures, &area, &y_title);
    layers::draw(out, scene, measures, &area);
    draw_end_names(out, end_names.into_iter().map(|(_, name)| name).collect(), measures, &area);

    let label_y = area.bottom + font * LINE_HEIGHT + 2.0;
    let under = x_ticks.iter().map(|tick| {
        // The first and the last label must not leave the picture.
        let half = 0.5 * width(&tick.label, font);
        let x = area.x(tick.fraction).clamp(half.min(area.left), measures.width - half.min(area.left) - 2.0);
        (x, label_y, tick.label.clone())
    });
    labels(out, measures, "middle", under);
    if let Some(from) = open_end.and_then(|from| Some((from, scene.x.fraction(from)?))) {
        let label = format!("over {}", number::parameter(from.0));
        let last = x_ticks.last().map_or(area.left, |tick| area.x(tick.fraction) + 0.5 * width(&tick.label, font));
        let middle = 0.5 * (area.x(from.1) + area.right);
        let x = middle.max(last + 6.0 + 0.5 * width(&label, font));
        text(out, "u", x.min(measures.width - 0.5 * width(&label, font)), label_y, "middle", font, &label);
    }
    let x_title = fit(&scene.x.title(&scene.plot.x), font, measures.width - 2.0 * measures.pad);
    let x_title_y = label_y + font * LINE_HEIGHT + 2.0;
    if x_title.is_empty() {
        return label_y;
    }
    text(out, "u", 0.5 * (area.left + area.right), x_title_y, "middle", font, &x_title);
    x_title_y
}

/// The left edge of the bar that is open to the right.
fn open_end(scene: &Scene) -> Option<f64> {
    scene.layers.iter().find_map(|layer| match layer {
        Drawn::Bars { bars, .. } => bars.iter().find(|bar| bar.to == f64::INFINITY).map(|bar| bar.from),
        _ => None,
    })
}

/// Curves whose name can be placed at their end: named, not too many, in a picture wide enough.
fn end_names<'a>(scene: &Scene<'a>, measures: &Measures) -> Vec<(&'a str, EndName)> {
    let named: Vec<(&str, Look, (f64, f64))> = scene
        .layers
        .iter()
        .filter_map(|layer| match layer {
            Drawn::Line { name, look, pieces } if !name.is_empty() => Some((*name, *look, *pieces.last()?.last()?)),
            _ => None,
        })
        .collect();
    if measures.narrow || named.is_empty() || named.len() > MOST_END_NAMES {
        return Vec::new();
    }
    // At the ends of curves that stop far from the right edge, names would cover the picture.
    let reaches_edge = |end: &(f64, f64)| scene.x.fraction(end.0).is_some_and(|fraction| fraction > 0.9);
    if !named.iter().all(|(_, _, end)| reaches_edge(end)) {
        return Vec::new();
    }
    named
        .into_iter()
        .map(|(name, look, end)| {
            let text = fit(name, measures.font, 0.19 * measures.width);
            let at = scene.y.clamped(end.1).unwrap_or(0.5).clamp(0.0, 1.0);
            (name, EndName { text, look, from: at, at })
        })
        .collect()
}

fn draw_end_names(out: &mut String, mut names: Vec<EndName>, measures: &Measures, area: &Area) {
    if names.is_empty() {
        return;
    }
    let height = area.bottom - area.top;
    let needed = (measures.font * 1.25 / height).min(1.0 / names.len() as f64);
    names.sort_by(|a, b| a.from.total_cmp(&b.from));
    // Pushed up past the one below, then down from the top: no two names touch.
    let mut free = 0.0f64;
    for name in &mut names {
        name.at = name.at.max(free);
        free = name.at + needed;
    }
    let mut most = 1.0f64;
    for name in names.iter_mut().rev() {
        name.at = name.at.min(most);
        most = name.at - needed;
    }
    for name in &names {
        let (from, at) = (area.y(name.from), area.y(name.at));
        straight(out, &stroke_class(name.look), (area.right + 1.0, from), (area.right + 8.0, at), " fill=\"none\"");
        text(
            out,
            &fill_class(name.look),
            area.right + 11.0,
            at + 0.35 * measures.font,
            "start",
            measures.font,
            &name.text,
        );
    }
}

fn draw_shade(out: &mut String, scene: &Scene, area: &Area) {
    for layer in &scene.layers {
        let Drawn::Rule { place: Place::EndOfData(x), .. } = layer else { continue };
        let Some(fraction) = shade_from(scene, *x) else { continue };
        let left = area.x(fraction);
        let _ = write!(
            out,
            "<rect class=\"h\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            coordinate(left),
            coordinate(area.top),
            coordinate(area.right - left),
            coordinate(area.bottom - area.top)
        );
    }
}

/// Vertical lines with their labels above the picture, clear of everything in it.
fn draw_vertical_rules(out: &mut String, scene: &Scene, measures: &Measures, area: &Area, y_title: &str) {
    let mut labels_end = 0.0;
    for layer in &scene.layers {
        let Drawn::Rule { place, label } = layer else { continue };
        let (fraction, dash) = match place {
            Place::EndOfData(x) => (shade_from(scene, *x), "4 3"),
            Place::Vertical(x) => (scene.x.fraction(*x).filter(|fraction| (0.0..=1.0).contains(fraction)), "6 4"),
            Place::Horizontal(_) => continue,
        };
        let Some(x) = fraction.map(|fraction| area.x(fraction)) else { continue };
        let labelled = !label.is_empty() && x > labels_end && label_fits_above(measures, area, x, label, y_title);
        let top = if labelled { area.top - 22.0 } else { area.top };
        let style = format!(" stroke-dasharray=\"{dash}\" stroke-width=\"1.3\" fill=\"none\"");
        straight(out, "a", (x, top), (x, area.bottom), &style);
        if labelled {
            text(out, "u", x + 5.0, area.top - 13.0, "start", measures.font - 1.0, label);
            labels_end = x + 12.0 + width(label, measures.font - 1.0);
        }
    }
}

/// Where the shade begins, if any of it is visible.
pub(crate) fn shade_from(scene: &Scene, x: f64) -> Option<f64> {
    scene.x.fraction(x).filter(|fraction| (0.0..0.999).contains(fraction))
}

fn label_fits_above(measures: &Measures, area: &Area, left: f64, label: &str, y_title: &str) -> bool {
    let end_of_title = measures.pad + width(y_title, measures.font) + 10.0;
    left > end_of_title
        && left + 5.0 + width(label, measures.font - 1.0) < area.right.max(measures.width - measures.pad)
}

fn draw_grid(out: &mut String, scene: &Scene, measures: &Measures, area: &Area, xs: &[Tick], ys: &[Tick]) {
    let mut minor = String::new();
    for fraction in if measures.narrow || measures.sparing { Vec::new() } else { scene.y.minor() } {
        let y = area.y(fraction);
        let _ = write!(minor, "M{},{}H{}", coordinate(area.left), coordinate(y), coordinate(area.right));
    }
    if !minor.is_empty() {
        let _ = write!(out, "<path class=\"n\" fill=\"none\" d=\"{minor}\"/>");
    }
    let mut major = String::new();
    for tick in ys {
        let _ = write!(
            major,
            "M{},{}H{}",
            coordinate(area.left),
            coordinate(area.y(tick.fraction)),
            coordinate(area.right)
        );
    }
    // Bars have edges of their own.
    let bars = scene.layers.iter().any(|layer| matches!(layer, Drawn::Bars { .. }));
    for tick in xs.iter().filter(|_| !bars) {
        let _ = write!(
            major,
            "M{},{}V{}",
            coordinate(area.x(tick.fraction)),
            coordinate(area.top),
            coordinate(area.bottom)
        );
    }
    if !major.is_empty() {
        let _ = write!(out, "<path class=\"r\" fill=\"none\" d=\"{major}\"/>");
    }
    straight(out, "a", (area.left, area.bottom), (area.right, area.bottom), " fill=\"none\"");
    let mut marks = String::new();
    for tick in xs {
        let _ = write!(marks, "M{},{}v4", coordinate(area.x(tick.fraction)), coordinate(area.bottom));
    }
    if !marks.is_empty() {
        let _ = write!(out, "<path class=\"a\" fill=\"none\" d=\"{marks}\"/>");
    }
    let beside = ys.iter().map(|tick| {
        let y = area.y(tick.fraction) + 0.35 * measures.font;
        (area.left - 8.0, y, fit(&tick.label, measures.font, 0.3 * measures.width))
    });
    labels(out, measures, "end", beside);
}

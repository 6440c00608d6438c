//! Colors, markers and dashes.
//!
//! Every named item gets its own color, marker and dash, so that a picture printed in gray, or seen by a color-blind
//! reader, shows the same. All colors reach a contrast of 4.5 : 1 on their background, because they also color text.

/// Colors of one ground.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colors {
    pub ground: &'static str,
    pub text: &'static str,
    pub muted: &'static str,
    pub axis: &'static str,
    pub grid: &'static str,
    pub minor: &'static str,
    pub shade: &'static str,
    pub series: [&'static str; SERIES],
}

/// Colors before they repeat.
pub(crate) const SERIES: usize = 8;

pub(crate) const LIGHT: Colors = Colors {
    ground: "#ffffff",
    text: "#1c2128",
    muted: "#57606a",
    axis: "#8c959f",
    grid: "#e4e7eb",
    minor: "#f1f3f5",
    shade: "#f3f4f6",
    series: ["#0a5fb4", "#b8430a", "#0a7257", "#8a3b8f", "#7d5c00", "#b0245f", "#126f8a", "#57534e"],
};

pub(crate) const DARK: Colors = Colors {
    ground: "#14181d",
    text: "#e6eaef",
    muted: "#a3adb8",
    axis: "#6b7682",
    grid: "#2a3038",
    minor: "#1d2229",
    shade: "#1c2229",
    series: ["#6cb4ff", "#ff9a5c", "#45cfa6", "#d9a0dd", "#e6bb4a", "#ff8db3", "#74d3ee", "#c3bdb6"],
};

/// Dashes of the curves, solid first.
pub(crate) const DASHES: [&str; 5] = ["", "7 4", "2 3", "9 3 2 3", "14 4"];

/// How many markers there are.
pub(crate) const MARKERS: usize = 8;

/// The outline of a marker around a point, as path data.
pub(crate) fn marker(index: usize, x: f64, y: f64, radius: f64) -> String {
    let r = radius;
    let at = |dx: f64, dy: f64| format!("{},{}", coordinate(x + dx), coordinate(y + dy));
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners.iter().map(|&(dx, dy)| at(dx, dy)).collect();
        format!("M{}Z", corners.join("L"))
    };
    match index % MARKERS {
        0 => format!(
            "M{}a{r},{r} 0 1,0 {d},0a{r},{r} 0 1,0 -{d},0Z",
            at(-r, 0.0),
            r = coordinate(r),
            d = coordinate(2.0 * r)
        ),
        1 => polygon(&[(-0.9 * r, -0.9 * r), (0.9 * r, -0.9 * r), (0.9 * r, 0.9 * r), (-0.9 * r, 0.9 * r)]),
        2 => polygon(&[(0.0, -1.2 * r), (1.1 * r, 0.85 * r), (-1.1 * r, 0.85 * r)]),
        3 => polygon(&[(0.0, -1.3 * r), (1.2 * r, 0.0), (0.0, 1.3 * r), (-1.2 * r, 0.0)]),
        4 => polygon(&cross(r, 1.0)),
        5 => polygon(&[(-1.1 * r, -0.85 * r), (1.1 * r, -0.85 * r), (0.0, 1.2 * r)]),
        6 => polygon(&cross(r, std::f64::consts::FRAC_1_SQRT_2)),
        _ => polygon(&star(1.35 * r)),
    }
}

/// A number in a picture: a tenth of a pixel is seen by nobody.
pub(crate) fn coordinate(value: f64) -> String {
    let text = format!("{:.1}", value.clamp(-1e5, 1e5));
    let text = text.trim_end_matches(".0");
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Twelve corners of a plus; with `cosine` = 1/sqrt 2, turned by 45 degrees.
fn cross(r: f64, cosine: f64) -> Vec<(f64, f64)> {
    let (long, thick) = (1.25 * r, 0.42 * r);
    let corners = [
        (-thick, -long),
        (thick, -long),
        (thick, -thick),
        (long, -thick),
        (long, thick),
        (thick, thick),
        (thick, long),
        (-thick, long),
        (-thick, thick),
        (-long, thick),
        (-long, -thick),
        (-thick, -thick),
    ];
    let sine = (1.0 - cosine * cosine).sqrt();
    corners.iter().map(|&(x, y)| (x * cosine - y * sine, x * sine + y * cosine)).collect()
}

fn star(r: f64) -> Vec<(f64, f64)> {
    (0..10)
        .map(|corner| {
            let angle = std::f64::consts::PI * (f64::from(corner) / 5.0 - 0.5);
            let reach = if corner % 2 == 0 { r } else { 0.45 * r };
            (reach * angle.cos(), reach * angle.sin())
        })
        .collect()
}

/// The elements that a class colors, and the color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Fill(&'static str),
    Stroke(&'static str),
}

/// The color of each class on one ground.
pub(crate) fn classes(colors: &Colors) -> Vec<(String, Paint)> {
    use Paint::{Fill, Stroke};
    let fixed = [
        ("g", Fill(colors.ground)),
        ("t", Fill(colors.text)),
        ("u", Fill(colors.muted)),
        ("a", Stroke(colors.axis)),
        ("r", Stroke(colors.grid)),
        ("n", Stroke(colors.minor)),
        ("h", Fill(colors.shade)),
        ("mf", Fill(colors.text)),
        ("ms", Stroke(colors.text)),
        ("ff", Fill(colors.muted)),
        ("fs", Stroke(colors.muted)),
    ];
    let series = colors.series.iter().enumerate();
    let series =
        series.flat_map(|(index, &color)| [(format!("f{index}"), Fill(color)), (format!("s{index}"), Stroke(color))]);
    fixed.into_iter().map(|(class, paint)| (class.to_owned(), paint)).chain(series).collect()
}

/// The style sheet of a picture on one ground; `scope` precedes every selector.
pub(crate) fn css(colors: &Colors, scope: &str) -> String {
    let rule = |(class, paint): (String, Paint)| match paint {
        Paint::Fill(color) => format!("{scope}.{class}{{fill:{color}}}"),
        Paint::Stroke(color) => format!("{scope}.{class}{{stroke:{color}}}"),
    };
    classes(colors).into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of two colors after WCAG 2.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |color: &str| {
            let channel = |at: usize| {
                let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).expect("hex")) / 255.0;
                if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_color_of_text_stands_out_from_its_ground() {
        for colors in [LIGHT, DARK] {
            for color in colors.series.iter().chain([&colors.text, &colors.muted]) {
                for ground in [colors.ground, colors.shade] {
                    assert!(contrast(color, ground) >= 4.5, "{color} on {ground}: {}", contrast(color, ground));
                }
            }
            assert!(contrast(colors.axis, colors.ground) >= 3.0, "{}", contrast(colors.axis, colors.ground));
        }
    }

    #[test]
    fn markers_differ() {
        let outlines: std::collections::HashSet<String> =
            (0..MARKERS).map(|index| marker(index, 0.0, 0.0, 4.0)).collect();
        assert_eq!(outlines.len(), MARKERS);
    }
}

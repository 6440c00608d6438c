//! Space-time diagrams: the activity of each processor over time, one lane each, one time axis for all panels.
//!
//! Work, waiting and communication differ by height as well as by color, so that a picture in gray shows the same. The
//! critical path runs along the foot of the lanes, clear of the bars. Light and dark as in [`svg`](crate::svg).

use crate::canvas::{LINE_HEIGHT, straight, text};
use crate::number;
use crate::palette::coordinate;
use crate::plot::Axis;
use crate::scale::{Extent, Kind, Ruler, Tick, drawable};
use crate::svg::{Theme, own_css};
use crate::text::{escape, fit, width, wrap};
use std::fmt::Write;

/// What a space-time diagram shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpaceTime {
    /// Above the picture.
    pub title: String,
    /// Under the title.
    pub subtitle: String,
    /// One above the other, over the same times.
    pub panels: Vec<Panel>,
    /// Under the picture: notes for the reader.
    pub notes: Vec<String>,
}

/// The lanes of one reading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    pub name: String,
    /// From top to bottom.
    pub lanes: Vec<Lane>,
    /// Groups of adjacent lanes.
    pub groups: Vec<Bracket>,
    /// The critical lane over time; the lane is its position, none if it is not shown.
    pub critical: Vec<Stretch>,
}

/// What one processor does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Left of it.
    pub label: String,
    /// In the order of time.
    pub spans: Vec<LaneSpan>,
}

/// A span of a lane, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaneSpan {
    pub activity: Activity,
    pub from_s: f64,
    pub to_s: f64,
}

/// What a processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It computes.
    Work,
    /// It waits for others.
    Wait,
    /// It communicates.
    Comm,
}

/// A group of lanes from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// The first lane.
    pub first: usize,
    /// The last lane.
    pub last: usize,
    /// How deep it lies in others, from 1.
    pub depth: u32,
    pub from_s: f64,
    pub to_s: f64,
}

/// A stretch of the critical path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Its lane; none if that is not shown.
    pub lane: Option<usize>,
    pub from_s: f64,
    pub to_s: f64,
}

const WIDTH: f64 = 760.0;
const PAD: f64 = 20.0;
const FONT: f64 = 13.0;
/// Finest resolution of a lane; more spans would be illegible.
const COLUMNS: usize = 600;
const MOST_BRACKETS: usize = 600;
const MOST_STRETCHES: usize = 4_000;

/// The picture as a file of its own, light or dark as the reader's screen is set.
pub fn render(diagram: &SpaceTime) -> String {
    render_with(diagram, Theme::Auto)
}

/// The picture on one ground.
pub fn render_with(diagram: &SpaceTime, theme: Theme) -> String {
    let mut body = String::new();
    let mut y = heading(&mut body, diagram, PAD);
    let times = Times::of(diagram);
    y = match &times {
        Some(times) => panels(&mut body, diagram, times, y),
        None => {
            text(&mut body, "u", PAD, y + FONT, "start", FONT, "nothing takes any time");
            y + FONT * LINE_HEIGHT
        }
    };
    for note in &diagram.notes {
        for line in wrap(note, FONT - 1.0, WIDTH - 2.0 * PAD, 3) {
            y += (FONT - 1.0) * LINE_HEIGHT;
            text(&mut body, "u", PAD, y, "start", FONT - 1.0, &line);
        }
    }
    let height = (y + PAD).ceil();
    let mut out = String::with_capacity(body.len() + 4096);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"Ubuntu, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\">"
    );
    let _ = write!(out, "<title>{}</title>", escape(&fit(&diagram.title, 1.0, 150.0)));
    let _ = write!(out, "<desc>{}</desc>", escape(&described(diagram, times.as_ref())));
    let _ = write!(out, "<style>{}</style>", own_css(theme));
    let _ = write!(out, "<rect class=\"g\" width=\"{WIDTH}\" height=\"{height}\"/>");
    out.push_str(&body);
    out.push_str("</svg>");
    out
}

/// Description for readers who cannot see the picture.
fn described(diagram: &SpaceTime, times: Option<&Times>) -> String {
    let panels: Vec<String> = diagram
        .panels
        .iter()
        .map(|panel| {
            let spans = |activity| {
                let of = panel.lanes.iter().flat_map(|lane| &lane.spans).filter(|span| span.activity == activity);
                number::quantity(of.map(|span| span.to_s - span.from_s).sum(), "s", 3)
            };
            let (work, wait, comm) = (spans(Activity::Work), spans(Activity::Wait), spans(Activity::Comm));
            format!(
                "{}: {} lanes with {work} of work, {wait} of waiting, {comm} of communication",
                panel.name,
                panel.lanes.len()
            )
        })
        .collect();
    let range = times.map_or_else(String::new, |times| {
        let told = |value| number::quantity(value, "s", 4);
        format!(" from {} to {}", told(times.from), told(times.to))
    });
    format!("What processors do over time{range}. {}.", panels.join(". "))
}

/// The times that all panels share, in the unit that the axis shows, so that its ticks are round numbers of it.
struct Times {
    from: f64,
    to: f64,
    ruler: Ruler,
    unit_s: f64,
    title: String,
}

impl Times {
    fn of(diagram: &SpaceTime) -> Option<Times> {
        let spans = || diagram.panels.iter().flat_map(|panel| &panel.lanes).flat_map(|lane| &lane.spans);
        let mut seconds = Extent::default();
        spans().flat_map(|span| [span.from_s, span.to_s]).for_each(|at| seconds.add(at));
        let (from, to) = seconds.all.filter(|(from, to)| to > from)?;
        let (unit_s, unit) = number::prefixed_si(from.abs().max(to.abs()), "s");
        let mut extent = Extent::default();
        extent.add(from / unit_s);
        extent.add(to / unit_s);
        let ruler = Ruler::new(Kind::Linear, &extent, &Axis::new("time", ""), true);
        Some(Times { from, to, ruler, unit_s, title: format!("time ({unit})") })
    }

    fn fraction(&self, at: f64) -> f64 {
        if drawable(at) { self.ruler.fraction(at / self.unit_s).unwrap_or(0.0).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Where lanes and times lie.
struct Frame<'t> {
    times: &'t Times,
    left: f64,
    right: f64,
    lane: f64,
    top: f64,
}

impl Frame<'_> {
    fn x(&self, at: f64) -> f64 {
        self.left + self.times.fraction(at) * (self.right - self.left)
    }

    fn y(&self, lane: usize) -> f64 {
        self.top + lane as f64 * self.lane
    }

    /// Where the critical path runs in a lane.
    fn foot(&self, lane: usize) -> f64 {
        self.y(lane) + 0.9 * self.lane
    }
}

fn heading(out: &mut String, diagram: &SpaceTime, top: f64) -> f64 {
    let mut y = top;
    for line in wrap(&diagram.title, 17.7, WIDTH - 2.0 * PAD, 2) {
        y += 17.0 * 1.15;
        let _ = write!(
            out,
            "<text class=\"t\" x=\"{PAD}\" y=\"{}\" font-size=\"17\" font-weight=\"600\">{}</text>",
            coordinate(y),
            escape(&line)
        );
    }
    for line in wrap(&diagram.subtitle, FONT, WIDTH - 2.0 * PAD, 3) {
        y += FONT * LINE_HEIGHT + 1.0;
        text(out, "u", PAD, y, "start", FONT, &line);
    }
    legend(out, diagram, y + 12.0)
}

/// The legend.
fn legend(out: &mut String, diagram: &SpaceTime, top: f64) -> f64 {
    let middle = top + 8.0;
    let mut x = PAD;
    let mut entry = |out: &mut String, draw: &dyn Fn(&mut String, f64), label: &str| {
        draw(out, x);
        text(out, "u", x + 28.0, middle + 4.5, "start", FONT, label);
        x += 28.0 + width(label, FONT) + 18.0;
    };
    entry(out, &|out, x| bar(out, Activity::Work, (x, x + 22.0), (middle - 7.0, 14.0)), "work");
    entry(out, &|out, x| bar(out, Activity::Comm, (x, x + 22.0), (middle - 7.0, 14.0)), "communication");
    entry(out, &|out, x| bar(out, Activity::Wait, (x, x + 22.0), (middle - 7.0, 14.0)), "waiting");
    if diagram.panels.iter().any(|panel| !panel.critical.is_empty()) {
        entry(out, &|out, x| straight(out, "ms", (x, middle), (x + 22.0, middle), CRITICAL), "critical path");
    }
    if diagram.panels.iter().any(|panel| !panel.groups.is_empty()) {
        let draw = |out: &mut String, x: f64| outline(out, (x, x + 22.0), (middle - 7.0, 14.0));
        entry(out, &draw, "group");
    }
    top + 26.0
}

const CRITICAL: &str = " fill=\"none\" stroke-width=\"2.4\" stroke-linecap=\"round\"";

fn panels(out: &mut String, diagram: &SpaceTime, times: &Times, top: f64) -> f64 {
    let labels = diagram.panels.iter().flat_map(|panel| &panel.lanes).map(|lane| width(&lane.label, FONT - 2.0));
    let left = PAD + labels.fold(0.0, f64::max).min(120.0) + 8.0;
    let right = WIDTH - PAD - 6.0;
    let lanes = diagram.panels.iter().map(|panel| panel.lanes.len()).max().unwrap_or(1);
    let lane = match lanes {
        0..=8 => 26.0,
        9..=16 => 19.0,
        17..=32 => 14.0,
        _ => 10.0,
    };
    let ticks = times.ruler.ticks(9, |before, after| {
        let needed = 0.5 * (width(&before.label, FONT) + width(&after.label, FONT)) + 10.0;
        (after.fraction - before.fraction) * (right - left) < needed
    });
    let mut y = top;
    for panel in &diagram.panels {
        let frame = Frame { times, left, right, lane, top: y + FONT * LINE_HEIGHT + 8.0 };
        text(out, "t", PAD, y + FONT + 2.0, "start", FONT, &fit(&panel.name, FONT, WIDTH - 2.0 * PAD));
        draw_panel(out, panel, &frame, &ticks);
        y = frame.y(panel.lanes.len()) + 10.0;
    }
    draw_axis(out, times, (left, right), y - 6.0, &ticks)
}

fn draw_panel(out: &mut String, panel: &Panel, frame: &Frame<'_>, ticks: &[Tick]) {
    let bottom = frame.y(panel.lanes.len());
    let mut grid = String::new();
    for tick in ticks {
        let x = frame.left + tick.fraction * (frame.right - frame.left);
        let _ = write!(grid, "M{},{}V{}", coordinate(x), coordinate(frame.top), coordinate(bottom));
    }
    let _ = write!(out, "<path class=\"r\" fill=\"none\" d=\"{grid}\"/>");
    // Labels of narrow lanes would touch: then every second or fourth has one.
    let every = ((FONT - 1.0) / frame.lane).ceil().max(1.0) as usize;
    for (index, lane) in panel.lanes.iter().enumerate() {
        if index % every == 0 {
            let label = fit(&lane.label, FONT - 2.0, 120.0);
            text(out, "u", frame.left - 8.0, frame.y(index) + 0.5 * frame.lane + 4.0, "end", FONT - 2.0, &label);
        }
        draw_lane(out, lane, index, frame);
    }
    for group in panel.groups.iter().take(MOST_BRACKETS) {
        draw_bracket(out, group, frame);
    }
    draw_critical(out, &panel.critical, frame);
}

fn draw_lane(out: &mut String, lane: &Lane, index: usize, frame: &Frame<'_>) {
    let sparse = thinned(lane, frame);
    for activity in [Activity::Wait, Activity::Comm, Activity::Work] {
        let mut data = String::new();
        let (offset, height) = shape(activity, frame.lane);
        for (from, to) in sparse.iter().filter(|(kind, _, _)| *kind == activity).map(|(_, from, to)| (from, to)) {
            let x = coordinate(*from);
            let _ = write!(
                data,
                "M{x},{}H{}v{}H{x}z",
                coordinate(frame.y(index) + offset),
                coordinate(*to),
                coordinate(height)
            );
        }
        if !data.is_empty() {
            let _ = write!(out, "<path class=\"{}\" d=\"{data}\"/>", class(activity));
        }
    }
}

/// The spans of a lane in units of the picture; where there are too many, the prevailing activity in each column.
fn thinned(lane: &Lane, frame: &Frame<'_>) -> Vec<(Activity, f64, f64)> {
    let placed = lane.spans.iter().map(|span| (span.activity, frame.x(span.from_s), frame.x(span.to_s)));
    if lane.spans.len() <= COLUMNS {
        return placed.collect();
    }
    let step = (frame.right - frame.left) / COLUMNS as f64;
    let mut columns = vec![[0.0f64; 3]; COLUMNS];
    for (activity, from, to) in placed {
        let column = |x: f64| (((x - frame.left) / step) as usize).min(COLUMNS - 1);
        let (first, last) = (column(from), column(to));
        for (index, shares) in columns.iter_mut().enumerate().take(last + 1).skip(first) {
            let (left, right) = (frame.left + index as f64 * step, frame.left + (index + 1) as f64 * step);
            shares[activity as usize] += (to.min(right) - from.max(left)).max(0.0);
        }
    }
    let mut spans: Vec<(Activity, f64, f64)> = Vec::new();
    for (index, shares) in columns.iter().enumerate() {
        let all = [Activity::Work, Activity::Wait, Activity::Comm];
        let prevails = all.into_iter().max_by(|a, b| shares[*a as usize].total_cmp(&shares[*b as usize]));
        let Some(activity) = prevails.filter(|activity| shares[*activity as usize] > 0.0) else { continue };
        let from = frame.left + index as f64 * step;
        match spans.last_mut() {
            Some(last) if last.0 == activity && (last.2 - from).abs() < 1e-6 => last.2 = from + step,
            _ => spans.push((activity, from, from + step)),
        }
    }
    spans
}

/// Offset and height in a lane: work is high, communication half as high, waiting a line.
fn shape(activity: Activity, lane: f64) -> (f64, f64) {
    match activity {
        Activity::Work => (0.1 * lane, 0.66 * lane),
        Activity::Comm => (0.25 * lane, 0.36 * lane),
        Activity::Wait => (0.41 * lane, (0.05 * lane).max(1.0)),
    }
}

fn class(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "f0",
        Activity::Comm => "f1",
        Activity::Wait => "ff",
    }
}

fn bar(out: &mut String, activity: Activity, (from, to): (f64, f64), (top, height): (f64, f64)) {
    let (offset, inner) = shape(activity, height / 0.9);
    let _ = write!(
        out,
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        class(activity),
        coordinate(from),
        coordinate(top + offset),
        coordinate(to - from),
        coordinate(inner)
    );
}

fn draw_bracket(out: &mut String, group: &Bracket, frame: &Frame<'_>) {
    // Groups inside groups are inside their lines, as far as there is room.
    let inset = f64::from(group.depth.saturating_sub(1)).min(4.0) * 0.05 * frame.lane.min(20.0);
    let (top, bottom) = (frame.y(group.first) + inset, frame.y(group.last + 1) - inset);
    outline(out, (frame.x(group.from_s), frame.x(group.to_s)), (top, bottom - top));
}

fn outline(out: &mut String, (from, to): (f64, f64), (top, height): (f64, f64)) {
    let _ = write!(
        out,
        "<rect class=\"a\" fill=\"none\" stroke-width=\"1\" stroke-dasharray=\"4 3\" rx=\"2\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        coordinate(from),
        coordinate(top),
        coordinate((to - from).max(1.0)),
        coordinate(height.max(1.0))
    );
}

fn draw_critical(out: &mut String, critical: &[Stretch], frame: &Frame<'_>) {
    let mut data = String::new();
    let mut last: Option<usize> = None;
    for stretch in critical.iter().take(MOST_STRETCHES) {
        let Some(lane) = stretch.lane else {
            last = None;
            continue;
        };
        let (from, to, y) = (coordinate(frame.x(stretch.from_s)), coordinate(frame.x(stretch.to_s)), frame.foot(lane));
        let _ = match last {
            Some(_) => write!(data, "L{from},{y}H{to}", y = coordinate(y)),
            None => write!(data, "M{from},{y}H{to}", y = coordinate(y)),
        };
        last = Some(lane);
    }
    if !data.is_empty() {
        let _ = write!(out, "<path class=\"ms\" d=\"{data}\"{CRITICAL} stroke-linejoin=\"round\"/>");
    }
}

fn draw_axis(out: &mut String, times: &Times, (left, right): (f64, f64), y: f64, ticks: &[Tick]) -> f64 {
    straight(out, "a", (left, y), (right, y), " fill=\"none\"");
    let mut marks = String::new();
    let label_y = y + FONT * LINE_HEIGHT + 2.0;
    for tick in ticks {
        let x = left + tick.fraction * (right - left);
        let _ = write!(marks, "M{},{}v4", coordinate(x), coordinate(y));
        let half = 0.5 * width(&tick.label, FONT);
        let x = x.min(WIDTH - half - 2.0);
        text(out, "u", x, label_y, "middle", FONT, &tick.label);
    }
    let _ = write!(out, "<path class=\"a\" fill=\"none\" d=\"{marks}\"/>");
    let title_y = label_y + FONT * LINE_HEIGHT + 2.0;
    text(out, "u", 0.5 * (left + right), title_y, "middle", FONT, &times.title);
    title_y
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use roxmltree::Document;

    fn lane(label: &str, spans: &[(Activity, f64, f64)]) -> Lane {
        let spans = spans.iter().map(|&(activity, from_s, to_s)| LaneSpan { activity, from_s, to_s });
        Lane { label: label.to_owned(), spans: spans.collect() }
    }

    fn sample() -> SpaceTime {
        let lanes = vec![
            lane("0", &[(Activity::Work, 0.0, 2.0), (Activity::Wait, 2.0, 4.0), (Activity::Comm, 4.0, 5.0)]),
            lane("<1>", &[(Activity::Work, 0.0, 4.0), (Activity::Comm, 4.0, 5.0)]),
        ];
        let critical =
            vec![Stretch { lane: Some(1), from_s: 0.0, to_s: 4.0 }, Stretch { lane: Some(0), from_s: 4.0, to_s: 5.0 }];
        let groups = vec![Bracket { first: 0, last: 1, depth: 1, from_s: 0.0, to_s: 4.0 }];
        SpaceTime {
            title: "A & B".to_owned(),
            panels: vec![Panel { name: "OBSP*: 5 s".to_owned(), lanes, groups, critical }],
            notes: vec!["64 of 128".to_owned()],
            ..SpaceTime::default()
        }
    }

    #[test]
    fn everything_is_named_and_drawn_to_scale() {
        let svg = render(&sample());
        let document = Document::parse(&svg).expect("well-formed");
        let texts: Vec<&str> =
            document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
        for expected in [
            "A & B",
            "OBSP*: 5 s",
            "<1>",
            "work",
            "waiting",
            "communication",
            "critical path",
            "group",
            "64 of 128",
            "time (s)",
        ] {
            assert!(texts.contains(&expected), "{expected} in {texts:?}");
        }
        // The work of the second lane lasts four fifths of the axis.
        let axis = (PAD + width("<1>", FONT - 2.0) + 8.0, WIDTH - PAD - 6.0);
        let end = coordinate(axis.0 + 0.8 * (axis.1 - axis.0));
        assert!(svg.contains(&format!("H{end}v")), "{end} in {svg}");
    }

    #[test]
    fn a_crowd_of_spans_is_thinned_to_what_prevails() {
        let spans: Vec<(Activity, f64, f64)> = (0..100_000)
            .flat_map(|index| {
                let at = f64::from(index);
                [(Activity::Work, at, at + 0.9), (Activity::Wait, at + 0.9, at + 1.0)]
            })
            .collect();
        let panel = Panel { lanes: vec![lane("0", &spans)], ..Panel::default() };
        let svg = render(&SpaceTime { panels: vec![panel], ..SpaceTime::default() });
        assert!(svg.len() < 50_000, "{} bytes", svg.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn any_times_give_a_well_formed_picture(
            times in prop::collection::vec((prop::num::f64::ANY, prop::num::f64::ANY), 0..8),
            name in "\\PC{0,30}",
        ) {
            let spans: Vec<_> = times.iter().map(|&(from, to)| (Activity::Comm, from, to)).collect();
            let critical = times.iter().map(|&(from_s, to_s)| Stretch { lane: Some(0), from_s, to_s }).collect();
            let groups = times.iter().map(|&(from_s, to_s)| Bracket { first: 0, last: 0, depth: 1, from_s, to_s }).collect();
            let panel = Panel { name: name.clone(), lanes: vec![lane(&name, &spans)], groups, critical };
            let svg = render(&SpaceTime { title: name.clone(), subtitle: name, panels: vec![panel], notes: Vec::new() });
            prop_assert!(Document::parse(&svg).is_ok(), "{svg}");
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
        }
    }
}

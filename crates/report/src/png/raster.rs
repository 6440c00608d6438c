//! Draws what [`svg`](crate::svg) writes: `svg` (nested, with clipping), `g`, `rect`, `path` and `text`,
//! with colors by class.

use super::{PngError, letters};
use crate::palette::{self, Colors, Paint as ClassPaint};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use svgtypes::{SimplePathSegment, SimplifyingPathParser};
use tiny_skia::{
    Color, FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

/// The picture at `pixels` per unit.
///
/// # Errors
/// [`PngError::Svg`] for elements not supported here; [`PngError::Size`].
pub(super) fn draw(svg: &str, colors: &Colors, pixels: f32) -> Result<Pixmap, PngError> {
    let document = Document::parse(svg).map_err(|error| PngError::Svg(error.to_string()))?;
    let root = document.root_element();
    let size = |name: &'static str| Ok::<u32, PngError>((number(root, name)? * pixels).round().clamp(1.0, 1e6) as u32);
    let (width, height) = (size("width")?, size("height")?);
    let pixmap = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    let mut canvas = Canvas { pixmap, classes: palette::classes(colors).into_iter().collect() };
    let state = State { at: Transform::from_scale(pixels, pixels), mask: None, look: Look::default() };
    for child in root.children() {
        canvas.node(child, &state)?;
    }
    Ok(canvas.pixmap)
}

struct Canvas {
    pixmap: Pixmap,
    classes: HashMap<String, ClassPaint>,
}

/// Properties that an element inherits from its parent.
#[derive(Clone)]
struct State {
    at: Transform,
    mask: Option<Mask>,
    look: Look,
}

#[derive(Clone, Default)]
struct Look {
    /// Without a class, shapes are black as SVG has it.
    fill: Option<Color>,
    stroke: Option<Color>,
    has_no_fill: bool,
}

impl Canvas {
    fn node(&mut self, node: Node, around: &State) -> Result<(), PngError> {
        if !node.is_element() {
            return Ok(());
        }
        let mut state = State { look: self.look(node, &around.look)?, ..around.clone() };
        match node.tag_name().name() {
            "title" | "desc" | "style" => {}
            "g" => self.children(node, &state)?,
            "svg" => {
                let seen = node.attribute("viewBox").unwrap_or_default();
                let seen = seen.split(' ').map(|word| word.parse().map_err(|_| wrong(node, "viewBox")));
                let seen = seen.collect::<Result<Vec<f32>, _>>()?;
                let &[left, top, width, height] = seen.as_slice() else { return Err(wrong(node, "viewBox")) };
                // Pictures inside a picture have the scale of the one around them.
                state.at = state.at.pre_translate(number(node, "x")? - left, number(node, "y")? - top);
                let window = Rect::from_xywh(left, top, width, height).ok_or_else(|| wrong(node, "viewBox"))?;
                let mut mask =
                    Mask::new(self.pixmap.width(), self.pixmap.height()).ok_or_else(|| wrong(node, "size"))?;
                mask.fill_path(&PathBuilder::from_rect(window), FillRule::Winding, true, state.at);
                state.mask = Some(mask);
                self.children(node, &state)?;
            }
            "rect" => {
                if let Some(path) = rectangle(node)? {
                    self.path(node, &path, &state)?;
                }
            }
            "path" => {
                if let Some(path) = path_of(node)? {
                    self.path(node, &path, &state)?;
                }
            }
            "text" => self.text(node, &state)?,
            other => return Err(PngError::Svg(format!("no way to draw <{other}>"))),
        }
        Ok(())
    }

    fn children(&mut self, node: Node, state: &State) -> Result<(), PngError> {
        node.children().try_for_each(|child| self.node(child, state))
    }

    fn look(&self, node: Node, around: &Look) -> Result<Look, PngError> {
        let mut look = around.clone();
        if let Some(class) = node.attribute("class") {
            match self.classes.get(class) {
                Some(ClassPaint::Fill(color)) => look.fill = Some(color_of(node, color)?),
                Some(ClassPaint::Stroke(color)) => look.stroke = Some(color_of(node, color)?),
                None => return Err(wrong(node, "class")),
            }
        }
        look.has_no_fill = node.attribute("fill") == Some("none");
        Ok(look)
    }

    fn path(&mut self, node: Node, path: &Path, state: &State) -> Result<(), PngError> {
        let mask = state.mask.as_ref();
        if !state.look.has_no_fill {
            let mut color = state.look.fill.unwrap_or(Color::BLACK);
            color.apply_opacity(optional(node, "fill-opacity")?.unwrap_or(1.0).clamp(0.0, 1.0));
            self.pixmap.fill_path(path, &paint(color), FillRule::Winding, state.at, mask);
        }
        if let Some(color) = state.look.stroke {
            let dash = node.attribute("stroke-dasharray").map(|text| {
                let lengths =
                    text.split([' ', ',']).map(|word| word.parse().map_err(|_| wrong(node, "stroke-dasharray")));
                lengths.collect::<Result<Vec<f32>, _>>()
            });
            let stroke = Stroke {
                width: optional(node, "stroke-width")?.unwrap_or(1.0),
                line_join: join(node),
                // SVG repeats an odd number of lengths.
                dash: dash.transpose()?.and_then(|mut lengths| {
                    if lengths.len() % 2 == 1 {
                        lengths.extend_from_within(..);
                    }
                    StrokeDash::new(lengths, 0.0)
                }),
                ..Stroke::default()
            };
            self.pixmap.stroke_path(path, &paint(color), &stroke, state.at, mask);
        }
        Ok(())
    }

    /// The font is light; a thin outline in its own color brings it to the weight that screens show, a thicker one to
    /// that of titles.
    fn text(&mut self, node: Node, state: &State) -> Result<(), PngError> {
        let (outline, width) = letters::outline(node.text().unwrap_or_default(), number(node, "font-size")?);
        let Some(outline) = outline else { return Ok(()) };
        let back = match node.attribute("text-anchor") {
            Some("middle") => 0.5 * width,
            Some("end") => width,
            _ => 0.0,
        };
        let at = state.at.pre_translate(number(node, "x")? - back, number(node, "y")?);
        let ink = paint(state.look.fill.unwrap_or(Color::BLACK));
        let weight = if node.attribute("font-weight").is_some() { 0.75 } else { 0.3 };
        let stroke = Stroke { width: weight, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.fill_path(&outline, &ink, FillRule::Winding, at, state.mask.as_ref());
        self.pixmap.stroke_path(&outline, &ink, &stroke, at, state.mask.as_ref());
        Ok(())
    }
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color);
    paint
}

fn join(node: Node) -> LineJoin {
    if node.attribute("stroke-linejoin") == Some("round") { LineJoin::Round } else { LineJoin::Miter }
}

/// `rx` rounds its corners.
fn rectangle(node: Node) -> Result<Option<Path>, PngError> {
    let (x, y) = (optional(node, "x")?.unwrap_or(0.0), optional(node, "y")?.unwrap_or(0.0));
    let (width, height) = (number(node, "width")?, number(node, "height")?);
    let Some(rectangle) = Rect::from_xywh(x, y, width, height) else { return Ok(None) };
    let radius = optional(node, "rx")?.unwrap_or(0.0).min(0.5 * width).min(0.5 * height);
    if radius <= 0.0 {
        return Ok(Some(PathBuilder::from_rect(rectangle)));
    }
    let (right, bottom) = (x + width, y + height);
    let corner = |path: &mut PathBuilder, from: (f32, f32), corner: (f32, f32), to: (f32, f32)| {
        path.line_to(from.0, from.1);
        // A conic of this share of the radius is a quarter of a circle to 0.03 %.
        let toward = |end: (f32, f32)| (end.0 + 0.552_285 * (corner.0 - end.0), end.1 + 0.552_285 * (corner.1 - end.1));
        let (a, b) = (toward(from), toward(to));
        path.cubic_to(a.0, a.1, b.0, b.1, to.0, to.1);
    };
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    corner(&mut path, (right - radius, y), (right, y), (right, y + radius));
    corner(&mut path, (right, bottom - radius), (right, bottom), (right - radius, bottom));
    corner(&mut path, (x + radius, bottom), (x, bottom), (x, bottom - radius));
    corner(&mut path, (x, y + radius), (x, y), (x + radius, y));
    path.close();
    Ok(path.finish())
}

fn path_of(node: Node) -> Result<Option<Path>, PngError> {
    let mut path = PathBuilder::new();
    for segment in SimplifyingPathParser::from(node.attribute("d").unwrap_or_default()) {
        match segment.map_err(|_| wrong(node, "d"))? {
            SimplePathSegment::MoveTo { x, y } => path.move_to(x as f32, y as f32),
            SimplePathSegment::LineTo { x, y } => path.line_to(x as f32, y as f32),
            SimplePathSegment::CurveTo { x1, y1, x2, y2, x, y } => {
                path.cubic_to(x1 as f32, y1 as f32, x2 as f32, y2 as f32, x as f32, y as f32);
            }
            SimplePathSegment::Quadratic { x1, y1, x, y } => path.quad_to(x1 as f32, y1 as f32, x as f32, y as f32),
            SimplePathSegment::ClosePath => path.close(),
        }
    }
    Ok(path.finish())
}

/// `#rrggbb`.
fn color_of(node: Node, text: &str) -> Result<Color, PngError> {
    let channel = |at: usize| text.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    match (channel(1), channel(3), channel(5)) {
        (Some(red), Some(green), Some(blue)) => Ok(Color::from_rgba8(red, green, blue, 255)),
        _ => Err(wrong(node, "class")),
    }
}

fn number(node: Node, name: &'static str) -> Result<f32, PngError> {
    optional(node, name)?.ok_or_else(|| wrong(node, name))
}

fn optional(node: Node, name: &'static str) -> Result<Option<f32>, PngError> {
    node.attribute(name).map(|text| text.parse().map_err(|_| wrong(node, name))).transpose()
}

fn wrong(node: Node, attribute: &str) -> PngError {
    let seen = node.attribute(attribute).unwrap_or_default();
    PngError::Svg(format!("{attribute}=\"{seen}\" of <{}>", node.tag_name().name()))
}

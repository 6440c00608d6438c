//! The shapes of letters.

use std::sync::OnceLock;
use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const DATA: [&[u8]; 2] = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];

/// The fonts, read once.
fn faces() -> &'static [Face<'static>] {
    static FACES: OnceLock<Vec<Face<'static>>> = OnceLock::new();
    FACES.get_or_init(|| DATA.iter().filter_map(|data| Face::parse(data, 0).ok()).collect())
}

/// A text in letters `size` units high that begins at the origin of the baseline, and its width in units.
pub(super) fn outline(text: &str, size: f32) -> (Option<Path>, f32) {
    let (mut all, mut pen) = (PathBuilder::new(), 0.0);
    for letter in text.chars() {
        let Some((face, glyph)) = glyph(letter) else { continue };
        let scale = size / f32::from(face.units_per_em());
        let mut shape = Shape(PathBuilder::new());
        face.outline_glyph(glyph, &mut shape);
        let placed = Transform::from_row(scale, 0.0, 0.0, -scale, pen, 0.0);
        if let Some(path) = shape.0.finish().and_then(|path| path.transform(placed)) {
            all.push_path(&path);
        }
        pen += scale * f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    (all.finish(), pen)
}

/// The first font that has the letter; else the empty box of the first font.
fn glyph(letter: char) -> Option<(&'static Face<'static>, GlyphId)> {
    let letter = if letter == '\u{a0}' { ' ' } else { letter };
    let known = faces().iter().find_map(|face| Some((face, face.glyph_index(letter)?)));
    known.or_else(|| faces().first().map(|face| (face, GlyphId(0))))
}

/// Copies the outline of a glyph, point by point.
struct Shape(PathBuilder);

impl OutlineBuilder for Shape {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

//! The characters of a picture: layers become dots, marks and shades.

use super::pen::Pen;
use crate::plot::{Bar, Place};
use crate::scene::{Drawn, Look, Scene};

/// One character of the picture.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    /// Dots of a braille character, or 1 where ASCII draws a curve.
    pub dots: u8,
    /// A character that covers everything else.
    pub mark: Option<char>,
    /// Whether an interval lies here.
    pub band: bool,
    /// The end of the data or a rule.
    pub rule: Option<char>,
    /// Whose dots or mark these are.
    pub look: Option<Look>,
    pub band_look: Option<Look>,
}

/// The characters of the picture.
pub(super) struct Grid {
    pub cells: Vec<Cell>,
    pub columns: usize,
    pub lines: usize,
}

impl Grid {
    pub(super) fn new(columns: usize, lines: usize) -> Grid {
        Grid { cells: vec![Cell::default(); columns * lines], columns, lines }
    }

    fn at(&mut self, column: i64, line: i64) -> Option<&mut Cell> {
        let inside = (0..self.columns as i64).contains(&column) && (0..self.lines as i64).contains(&line);
        if inside { self.cells.get_mut(line as usize * self.columns + column as usize) } else { None }
    }

    /// Cell of a place between 0 and 1, counted from the top.
    pub(super) fn place(&self, x: f64, y: f64) -> (i64, i64) {
        let column = (x * self.columns as f64).floor().min(self.columns as f64 - 1.0);
        let line = ((1.0 - y) * self.lines as f64).floor().min(self.lines as f64 - 1.0);
        (column as i64, line as i64)
    }

    fn dot(&mut self, x: f64, y: f64, look: Look) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        let across = ((x * self.columns as f64 * 2.0) as i64).min(self.columns as i64 * 2 - 1);
        let down = (((1.0 - y) * self.lines as f64 * 4.0) as i64).min(self.lines as i64 * 4 - 1);
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let bit = BITS[(across % 2) as usize][(down % 4) as usize];
        if let Some(cell) = self.at(across / 2, down / 4) {
            cell.dots |= bit;
            cell.look = Some(look);
        }
    }

    fn segment(&mut self, from: (f64, f64), to: (f64, f64), look: Look) {
        let steps = ((to.0 - from.0).abs() * self.columns as f64 * 2.0)
            .max((to.1 - from.1).abs() * self.lines as f64 * 4.0)
            .ceil()
            .clamp(1.0, 4_000.0);
        for step in 0..=steps as usize {
            let share = step as f64 / steps;
            self.dot(from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1), look);
        }
    }
}

pub(super) fn draw(grid: &mut Grid, scene: &Scene, pen: &Pen, layer: &Drawn) {
    match layer {
        Drawn::Points { look, values, .. } => {
            for point in values {
                let (Some(x), Some(y)) = (scene.x.fraction(point.x), scene.y.fraction(point.y)) else { continue };
                if let Some((low, high)) = point.bar.filter(|(low, high)| !low.is_nan() && !high.is_nan()) {
                    let end = |value: f64| scene.y.clamped(value).unwrap_or(y);
                    grid.segment((x, end(low)), (x, end(high)), *look);
                }
                let (column, line) = grid.place(x, y.clamp(0.0, 1.0));
                let covers = *look != Look::Faint;
                if let Some(cell) = grid.at(column, line).filter(|cell| covers || cell.mark.is_none()) {
                    (cell.mark, cell.look) = (Some(pen.mark(*look)), Some(*look));
                }
            }
        }
        Drawn::Line { look, pieces, .. } => {
            for piece in pieces {
                let places: Vec<(f64, f64)> =
                    piece.iter().filter_map(|&(x, y)| Some((scene.x.fraction(x)?, scene.y.clamped(y)?))).collect();
                for pair in places.windows(2) {
                    grid.segment(pair[0], pair[1], *look);
                }
                if let [only] = places.as_slice() {
                    grid.dot(only.0, only.1, *look);
                }
            }
        }
        Drawn::Band { look, pieces, .. } => {
            for piece in pieces {
                draw_band(grid, scene, *look, piece);
            }
        }
        Drawn::Rule { place, .. } => draw_rule(grid, scene, pen, *place),
        Drawn::Bars { look, bars, slot, slots, .. } => draw_bars(grid, scene, pen, (*look, bars), (*slot, *slots)),
    }
}

fn draw_band(grid: &mut Grid, scene: &Scene, look: Look, piece: &[(f64, f64, f64)]) {
    let place =
        |&(x, low, high): &(f64, f64, f64)| Some((scene.x.fraction(x)?, scene.y.clamped(low)?, scene.y.clamped(high)?));
    let places: Vec<(f64, f64, f64)> = piece.iter().filter_map(place).collect();
    for pair in places.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let first = grid.place(from.0.clamp(0.0, 1.0), 0.0).0;
        let last = grid.place(to.0.clamp(0.0, 1.0), 0.0).0;
        for column in first..=last {
            let center = (column as f64 + 0.5) / grid.columns as f64;
            let share = if to.0 > from.0 { ((center - from.0) / (to.0 - from.0)).clamp(0.0, 1.0) } else { 0.0 };
            let low = from.1 + share * (to.1 - from.1);
            let high = from.2 + share * (to.2 - from.2);
            for line in 0..grid.lines {
                let height = 1.0 - (line as f64 + 0.5) / grid.lines as f64;
                if let Some(cell) = grid.at(column, line as i64).filter(|_| (low..=high).contains(&height)) {
                    (cell.band, cell.band_look) = (true, Some(look));
                }
            }
        }
    }
}

fn draw_rule(grid: &mut Grid, scene: &Scene, pen: &Pen, place: Place) {
    let inside = |fraction: &f64| (0.0..=1.0).contains(fraction);
    match place {
        Place::Horizontal(y) => {
            let Some(y) = scene.y.fraction(y).filter(inside) else { return };
            let line = grid.place(0.0, y).1;
            for column in 0..grid.columns as i64 {
                if let Some(cell) = grid.at(column, line) {
                    cell.rule = Some(if pen.ascii { '-' } else { '┄' });
                }
            }
        }
        Place::Vertical(x) | Place::EndOfData(x) => {
            let Some(x) = scene.x.fraction(x).filter(inside) else { return };
            let column = grid.place(x, 0.0).0;
            for line in 0..grid.lines as i64 {
                if let Some(cell) = grid.at(column, line) {
                    cell.rule = Some(if pen.ascii { '|' } else { '┊' });
                }
            }
        }
    }
}

fn draw_bars(grid: &mut Grid, scene: &Scene, pen: &Pen, (look, bars): (Look, &[Bar]), (slot, slots): (usize, usize)) {
    const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let base = scene.y.clamped(0.0).unwrap_or(0.0).clamp(0.0, 1.0);
    for bar in bars {
        let (Some(from), Some(value)) = (scene.x.fraction(bar.from), scene.y.clamped(bar.value)) else { continue };
        let to = scene.x.clamped(bar.to).unwrap_or(1.0).clamp(0.0, 1.0);
        let columns = grid.columns as f64;
        let (left, right) = ((from * columns).round(), (to * columns).round() - 1.0);
        let each = (right - left) / slots.max(1) as f64;
        let (first, after) = ((left + each * slot as f64).round(), (left + each * (slot + 1) as f64).round());
        let height = (value.clamp(0.0, 1.0) - base).max(0.0) * grid.lines as f64;
        for line in 0..grid.lines {
            let filled = (height - (grid.lines - 1 - line) as f64).clamp(0.0, 1.0);
            let eighth = (filled * 8.0).round() as usize;
            if eighth == 0 {
                continue;
            }
            // With several layers, the marker of each distinguishes them.
            let mark = if slots > 1 || pen.ascii { None } else { EIGHTHS.get(eighth).copied() };
            for column in first as i64..after as i64 {
                if let Some(cell) = grid.at(column, line as i64) {
                    (cell.mark, cell.look) = (Some(mark.unwrap_or_else(|| pen.mark(look))), Some(look));
                }
            }
        }
    }
}

pub(super) fn glyph(cell: &Cell, pen: &Pen) -> String {
    if let Some(mark) = cell.mark {
        return pen.paint(&mark.to_string(), cell.look);
    }
    if cell.dots != 0 {
        let character = if pen.ascii {
            pen.stroke(cell.look.unwrap_or(Look::Measured))
        } else {
            char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or('·')
        };
        return pen.paint(&character.to_string(), cell.look);
    }
    if let Some(rule) = cell.rule {
        return pen.paint(&rule.to_string(), Some(Look::Faint));
    }
    if cell.band {
        return pen.paint(if pen.ascii { ":" } else { "░" }, cell.band_look);
    }
    " ".to_owned()
}

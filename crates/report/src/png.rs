//! Pictures as PNG, at twice the resolution of their SVG.
//!
//! The letters come from two fonts that are compiled in (Ubuntu Light, and Hack for missing characters), so the same
//! plot yields the same picture everywhere; fonts of the machine are never read.
//! A character that neither font has is drawn
//! as an empty box.
//!
//! A general renderer of SVG took a tenth of the time of a whole build. `raster` draws the few elements that
//! [`svg`] writes, and refuses any other.

mod letters;
mod raster;

use crate::palette;
use crate::plot::Plot;
use crate::svg::{self, SvgOptions, Theme};

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The SVG could not be read back; this is a bug of runcast.
    #[error("the picture could not be drawn: {0}")]
    Svg(String),
    /// The picture is too large for memory.
    #[error("a picture of {width} x {height} pixels is too large")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The pixels could not be written.
    #[error("the picture could not be encoded: {0}")]
    Encoding(String),
}

/// The picture as a PNG file, dark on white, twice as many pixels as its SVG has units.
///
/// # Errors
/// [`PngError`], none of which a plot can cause.
pub fn render(plot: &Plot) -> Result<Vec<u8>, PngError> {
    render_with(plot, &SvgOptions { theme: Theme::Light, ..SvgOptions::default() }, 2.0)
}

/// The picture as `options` ask, at `pixels` per unit (0.25 to 8). [`Theme::Auto`] is light.
///
/// # Errors
/// [`PngError`], none of which a plot can cause.
pub fn render_with(plot: &Plot, options: &SvgOptions, pixels: f32) -> Result<Vec<u8>, PngError> {
    let theme = if options.theme == Theme::Auto { Theme::Light } else { options.theme };
    let svg = svg::render_with(plot, &SvgOptions { theme, embedded: false, ..*options });
    let colors = if theme == Theme::Dark { &palette::DARK } else { &palette::LIGHT };
    let pixels = if pixels.is_finite() { pixels.clamp(0.25, 8.0) } else { 2.0 };
    let pixmap = raster::draw(&svg, colors, pixels)?;
    pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Points};
    use tiny_skia::Pixmap;

    fn decoded(plot: &Plot) -> Pixmap {
        Pixmap::decode_png(&render(plot).expect("drawn")).expect("a PNG")
    }

    /// How many pixels of a rectangle, given in units of the SVG, are darker than gray.
    fn dark_pixels(pixmap: &Pixmap, (left, top, right, bottom): (u32, u32, u32, u32)) -> usize {
        let inside = |x: u32, y: u32| (2 * left..2 * right).contains(&x) && (2 * top..2 * bottom).contains(&y);
        let width = pixmap.width();
        let pixels = pixmap.pixels().iter().zip(0u32..);
        pixels.filter(|(pixel, at)| inside(at % width, at / width) && pixel.red() < 140).count()
    }

    fn titled(title: &str) -> Plot {
        Plot::new(title, Axis::new("processes", ""), Axis::new("time", "s"))
            .with(Points::new("a", [(1.0, 2.0), (2.0, 3.0)]))
    }

    #[test]
    fn letters_are_drawn() {
        let title = (16, 20, 400, 46);
        let (with, without) =
            (dark_pixels(&decoded(&titled("A title in letters")), title), dark_pixels(&decoded(&titled("")), title));
        assert!(with > 400 && with > 2 * without, "{with} dark pixels with a title, {without} without");
    }

    #[test]
    fn every_sign_that_we_write_has_a_shape() {
        // A character without a shape becomes the same empty box whichever it is.
        let shape = |text: &str| decoded(&titled(text)).data().to_vec();
        let missing = shape("\u{10fffd}");
        for sign in "…–−µ×±≤²⁰⁻αЖ→%".chars() {
            assert_ne!(shape(&sign.to_string()), missing, "{sign}");
        }
    }

    #[test]
    fn it_is_twice_as_fine_as_the_svg() {
        assert_eq!(decoded(&titled("t")).width(), 2 * 760);
    }

    #[test]
    fn dark_is_dark() {
        let options = SvgOptions { theme: Theme::Dark, ..SvgOptions::default() };
        let pixmap = Pixmap::decode_png(&render_with(&titled("t"), &options, 1.0).expect("drawn")).expect("a PNG");
        assert!(pixmap.pixel(1, 1).is_some_and(|pixel| pixel.red() < 40 && pixel.alpha() == 255));
    }
}

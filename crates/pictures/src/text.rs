//! Text in pictures: Roboto Medium (Apache-2.0), reduced to Latin letters, digits and signs.

use super::Image;
use super::palette::Colour;
use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, ScaleFont, point};
use firstcontact::error::{Error, Result};

const ROBOTO: &[u8] = include_bytes!("Roboto-Medium.ttf");
/// Displayed for characters that the font lacks.
const UNKNOWN: char = '?';

/// A font of one size.
#[derive(Debug)]
pub struct Font {
    font: FontRef<'static>,
    scale: PxScale,
}

impl Font {
    /// The font, `height_px` from its lowest to its highest line.
    ///
    /// # Errors
    /// The built-in font is damaged.
    pub fn new(height_px: f32) -> Result<Self> {
        let font = FontRef::try_from_slice(ROBOTO).map_err(|e| Error::usage(format!("the built-in font: {e}")))?;
        Ok(Self { font, scale: PxScale::from(height_px) })
    }

    fn glyph(&self, c: char) -> GlyphId {
        match self.font.glyph_id(c) {
            GlyphId(0) => self.font.glyph_id(UNKNOWN),
            known => known,
        }
    }

    /// The width of a line, pixels.
    pub fn width(&self, text: &str) -> f32 {
        let font = self.font.as_scaled(self.scale);
        text.chars().map(|c| font.h_advance(self.glyph(c))).sum()
    }

    /// Draws a line with its upper left corner at `x` and `y`; parts outside the image are left out.
    pub fn write(&self, image: &mut Image, text: &str, [mut x, y]: [f32; 2], colour: Colour) {
        let font = self.font.as_scaled(self.scale);
        for c in text.chars() {
            let id = self.glyph(c);
            let glyph = id.with_scale_and_position(self.scale, point(x, y + font.ascent()));
            if let Some(outline) = self.font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|column, row, cover| {
                    image.blend([corner.x + column as f32, corner.y + row as f32], colour, cover);
                });
            }
            x += font.h_advance(id);
        }
    }
}

impl Image {
    /// Blends a colour into a pixel, if that place is in the image.
    pub fn blend(&mut self, [x, y]: [f32; 2], colour: Colour, share: f32) {
        let [width, height] = self.size.map(|n| n as f32);
        if (0.0..width).contains(&x) && (0.0..height).contains(&y) {
            let at = 4 * (y as usize * self.size[0] as usize + x as usize);
            if let Some(pixel) = self.rgba.get_mut(at..at + 3) {
                for (value, new) in pixel.iter_mut().zip(colour) {
                    let old = f32::from(*value);
                    *value = (old + (f32::from(new) - old) * share.clamp(0.0, 1.0)).round() as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_drawn_within_their_box() {
        let font = Font::new(20.0).unwrap();
        let mut image = Image { size: [100, 40], rgba: vec![255; 4 * 100 * 40] };
        font.write(&mut image, "HxH", [10.0, 10.0], [0, 0, 0]);
        let dark: Vec<usize> = (0..4000).filter(|i| image.rgba[4 * i] < 100).collect();
        assert!(dark.len() > 60, "{} dark pixels", dark.len());
        let columns = dark.iter().map(|i| i % 100);
        let [left, right] = [columns.clone().min().unwrap(), columns.max().unwrap()];
        let end = 10.0 + f64::from(font.width("HxH"));
        assert!(left >= 10 && (right as f64) < end && right as f64 > end - 4.0, "{left} to {right}, until {end}");
        assert!(dark.iter().all(|i| (10..30).contains(&(i / 100))));
    }

    #[test]
    fn any_text_can_be_drawn_at_any_position() {
        let font = Font::new(14.0).unwrap();
        let mut image = Image { size: [9, 5], rgba: vec![255; 4 * 9 * 5] };
        for at in [[-50.0, -3.0], [0.0, 0.0], [8.5, 4.5], [1e9, 0.0], [f32::NAN, 1.0]] {
            font.write(&mut image, "a\u{0}\u{1f980}\u{627}…é\u{301}", at, [1, 2, 3]);
        }
        assert_eq!(image.rgba.len(), 4 * 9 * 5);
        assert_eq!(font.width("\u{1f980}"), font.width("?"));
        assert!(font.width("é") > 0.0 && font.width("") == 0.0);
    }
}

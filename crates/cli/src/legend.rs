//! Common properties of all plots: their size, their fonts, and legends below them.

use super::colour::{colour, dashes, mark};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// Width of a plot, pixels: that of the report page's text, so that pages do not scale it down.
pub const WIDTH_PX: u32 = 880;
/// Height of a line of the legend, pixels.
const LINE_PX: i32 = 21;
/// Distance of the legend from the plot's left and right border, and of its rows from other elements, pixels.
const MARGIN_PX: i32 = 14;
/// Width of a sign with the space after it, pixels.
const SIGN_PX: i32 = 34;
/// Upper bound on the average width of a letter in a legend, pixels: fonts differ between browsers.
const LETTER_PX: f64 = 8.4;
/// Maximum number of letters of a displayed name.
const MAX_LETTERS: usize = 96;

/// A drawing area of a plot.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of drawing.
pub type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// The font whose letters have that height in pixels.
pub fn font(height_px: f64) -> (&'static str, f64) {
    // The library divides by this when it writes SVG.
    ("sans-serif", 1.24 * height_px)
}

/// Height of a title's letters, pixels.
pub const TITLE_PX: f64 = 18.0;
/// Height of the letters of labels and legends, pixels.
pub const LABEL_PX: f64 = 14.0;

/// The sign in front of a name in a legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A line with a mark.
    Line,
    /// A line without a mark.
    PlainLine,
    /// A mark.
    Point,
    /// A patch of colour.
    Patch,
}

/// Names in columns.
#[derive(Debug)]
pub struct Legend {
    names: Vec<String>,
    columns: usize,
}

impl Legend {
    /// A legend for series with these names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: Vec<String> = names.map(shortened).collect();
        let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let column_px = f64::from(SIGN_PX + MARGIN_PX) + LETTER_PX * longest as f64;
        let room_px = f64::from(WIDTH_PX) - f64::from(2 * MARGIN_PX);
        Self { columns: ((room_px / column_px) as usize).clamp(1, names.len().max(1)), names }
    }

    /// Its height, pixels.
    pub fn height_px(&self) -> u32 {
        let rows = self.names.len().div_ceil(self.columns) as i32;
        (rows * LINE_PX + MARGIN_PX) as u32
    }

    /// Draws it; names follow each other down the columns.
    pub fn draw(&self, area: &Area, sign: Sign) -> Drawn {
        let rows = self.names.len().div_ceil(self.columns).max(1);
        let column_px = (WIDTH_PX as i32 - 2 * MARGIN_PX) / self.columns as i32;
        let style = font(LABEL_PX).into_text_style(area);
        for (k, name) in self.names.iter().enumerate() {
            let (x, y) = (MARGIN_PX + (k / rows) as i32 * column_px, (k % rows) as i32 * LINE_PX);
            let middle = y + LINE_PX / 2;
            if matches!(sign, Sign::Line | Sign::PlainLine) {
                draw_line(area, vec![(x, middle), (x + SIGN_PX - 8, middle)], k)?;
            }
            match sign {
                Sign::Line | Sign::Point => {
                    let at = EmptyElement::at((x + SIGN_PX / 2 - 4, middle));
                    area.draw(&(at + Polygon::new(mark(k), colour(k))))?;
                }
                Sign::Patch => area.draw(&Rectangle::new([(x + 8, y + 4), (x + 22, y + 17)], colour(k).filled()))?,
                Sign::PlainLine => {}
            }
            area.draw_text(name, &style, (x + SIGN_PX, y + 3))?;
        }
        Ok(())
    }
}

fn draw_line(area: &Area, points: Vec<(i32, i32)>, k: usize) -> Drawn {
    let style = colour(k).stroke_width(2);
    match dashes(k) {
        None => area.draw(&PathElement::new(points, style))?,
        Some([dash, gap]) => area.draw(&DashedPathElement::new(points, dash, gap, style))?,
    }
    Ok(())
}

/// A name that fits into a row.
fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_LETTERS {
        return name.into();
    }
    name.chars().take(MAX_LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_as_many_columns_as_fit() {
        let columns = |n: usize, letters: usize| {
            let name = "m".repeat(letters);
            Legend::new((0..n).map(|_| name.as_str())).columns
        };
        assert_eq!([columns(2, 5), columns(30, 5), columns(30, 40), columns(3, 90), columns(0, 0)], [2, 9, 2, 1, 1]);
        let long = "n".repeat(300);
        assert_eq!(Legend::new([long.as_str()].into_iter()).names[0].chars().count(), MAX_LETTERS);
    }
}

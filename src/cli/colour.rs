//! Colours of lines and bars.

use plotters::style::{Color, Palette, RGBAColor};

/// Nine colours that are told apart on white, also by those who see fewer: Okabe and Ito's without yellow, and brown and grey.
struct Distinct;

impl Palette for Distinct {
    const COLORS: &'static [(u8, u8, u8)] = &[
        (0, 114, 178),
        (213, 94, 0),
        (0, 158, 115),
        (204, 121, 167),
        (86, 180, 233),
        (230, 159, 0),
        (0, 0, 0),
        (140, 81, 10),
        (127, 127, 127),
    ];
}

/// The colour of line `k`; after nine they come again.
pub fn colour(k: usize) -> RGBAColor {
    Distinct::pick(k).mix(0.9)
}

//! The appearance of the series of plots: colours, and marks and dashes if there are more series than colours.

use plotters::style::{Color, Palette, RGBAColor};

/// Nine colours that differ on white and on black, also for colour-blind readers: those of Okabe and Ito without yellow
/// and black, and wine, brown and grey.
struct Distinct;

impl Palette for Distinct {
    const COLORS: &'static [(u8, u8, u8)] = &[
        (0, 114, 178),
        (213, 94, 0),
        (0, 158, 115),
        (204, 121, 167),
        (86, 180, 233),
        (230, 159, 0),
        (136, 34, 85),
        (140, 81, 10),
        (127, 127, 127),
    ];
}

/// The colour of series `k`; after nine they repeat.
pub fn colour(k: usize) -> RGBAColor {
    Distinct::pick(k).mix(0.9)
}

/// The number of times that the colours have been used up before series `k`.
fn round(k: usize) -> usize {
    k / Distinct::COLORS.len()
}

/// Dash and gap of a line of series `k`, pixels; `None` if it is solid.
pub fn dashes(k: usize) -> Option<[i32; 2]> {
    [None, Some([8, 4]), Some([2, 4])][round(k) % 3]
}

/// The corners of the mark of a point of series `k`, pixels relative to the point: a disc, then a square, a triangle, a
/// diamond.
pub fn mark(k: usize) -> &'static [(i32, i32)] {
    match round(k) % 4 {
        0 => &[(-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2)],
        1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        2 => &[(0, -5), (5, 4), (-5, 4)],
        _ => &[(0, -6), (5, 0), (0, 6), (-5, 0)],
    }
}

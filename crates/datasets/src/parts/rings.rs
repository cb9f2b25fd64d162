//! Closed surfaces from rings of vertices, and the number of corners of circles.

use super::mesh::Mesh;

/// The fineness of the tessellation of round surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// The largest distance between a circle and its polygon, metres, unless the limits on the number of corners
    /// prevent it.
    pub(crate) chord_error_m: f64,
}

/// The smallest and the largest number of corners of a full circle.
const CORNERS: [usize; 2] = [6, 72];

impl Detail {
    /// The even number of corners of a full circle.
    pub(crate) fn corners(self, radius_m: f64) -> usize {
        // The chord error of n corners is about r (π/n)²/2.
        let n = std::f64::consts::PI * (radius_m / (2.0 * self.chord_error_m)).sqrt();
        (2 * (n * 0.5).ceil() as usize).clamp(CORNERS[0], CORNERS[1])
    }

    /// The number of steps of a quarter circle.
    pub(crate) fn quarter_steps(self, radius_m: f64) -> usize {
        self.corners(radius_m).div_ceil(4)
    }
}

/// A ring of consecutive vertices, counter-clockwise seen from the next ring; a single vertex is a pole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) first: u32,
    pub(crate) n: u32,
}

/// Joins rings into a closed surface: bands between neighbours, and flat caps on ends that are not poles.
pub(crate) fn skin(loops: &[Loop], mesh: &mut Mesh) {
    for pair in loops.windows(2) {
        band(pair[0], pair[1], mesh);
    }
    if let (Some(&low), Some(&high)) = (loops.first(), loops.last()) {
        cap(low, true, mesh);
        cap(high, false, mesh);
    }
}

/// A band between two rings.
pub(crate) fn band(a: Loop, b: Loop, mesh: &mut Mesh) {
    for i in 0..a.n.max(b.n) {
        let corner = |l: Loop, i: u32| l.first + if l.n == 1 { 0 } else { i % l.n };
        if a.n > 1 {
            mesh.triangles.push([corner(a, i), corner(a, i + 1), corner(b, i)]);
        }
        if b.n > 1 {
            mesh.triangles.push([corner(a, i + 1), corner(b, i + 1), corner(b, i)]);
        }
    }
}

/// A flat polygon, cut in a zigzag as the tessellators of CAD programs do, with similar thin triangles.
fn cap(l: Loop, looks_back: bool, mesh: &mut Mesh) {
    let (mut low, mut high) = (0, l.n - 1);
    let mut from_low = true;
    while high - low >= 2 {
        let [a, b, c] = if from_low { [low, low + 1, high] } else { [low, high - 1, high] };
        if from_low {
            low += 1
        } else {
            high -= 1
        }
        from_low = !from_low;
        mesh.triangles.push(if looks_back { [a, c, b] } else { [a, b, c] }.map(|k| l.first + k));
    }
}

//! Mesh pieces: solids of revolution, swept tubes, rings, boxes and prisms, each tessellated on demand.
//!
//! Every piece is a closed surface whose triangles face outward. Its number of triangles is known without generating
//! them, so that a scene can be fitted to an exact count.

use super::frame::Frame;
use super::mesh::Mesh;
use super::outline::ears;
use super::rings::{Detail, Loop, band, skin};
use super::tube::Tube;
use super::turn::cos_sin;
use glam::DVec3;

/// One step of the outline of a solid of revolution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A straight line to height z and radius r, metres.
    To(f64, f64),
    /// A quarter of an ellipse to height z and radius r, starting parallel to the axis.
    ShoulderTo(f64, f64),
    /// A quarter of an ellipse to height z and radius r, starting at a right angle to the axis.
    BowlTo(f64, f64),
}

/// A closed surface in its own frame; lengths in metres.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A box about the origin.
    Cuboid {
        /// Half of its lengths along x, y and z.
        half: DVec3,
    },
    /// A solid of revolution about z, its outline given upward.
    Lathe {
        /// The steps from the lower end to the upper one.
        outline: Vec<Step>,
    },
    /// A round tube along a path.
    Tube(Tube),
    /// A closed ring about z.
    Ring {
        /// Distance of the rod's centre line from the centre.
        major: f64,
        /// Half of the rod's thickness.
        minor: f64,
    },
    /// A polygon without crossings, counter-clockwise, extruded along z.
    Prism {
        /// The corners in the x-y plane.
        outline: Vec<[f64; 2]>,
        /// Lower and upper end.
        z: [f64; 2],
    },
}

impl Shape {
    /// A straight cylinder from z = 0 upward.
    pub(crate) fn cylinder(radius: f64, height: f64) -> Self {
        Self::frustum(radius, radius, height)
    }

    /// A truncated cone, from z = 0 upward.
    pub(crate) fn frustum(lower_radius: f64, upper_radius: f64, height: f64) -> Self {
        Self::Lathe { outline: vec![Step::To(0.0, lower_radius), Step::To(height, upper_radius)] }
    }

    /// A box with these full lengths around the origin.
    pub(crate) fn cuboid(x: f64, y: f64, z: f64) -> Self {
        Self::Cuboid { half: DVec3::new(x, y, z) * 0.5 }
    }

    /// The number of triangles that [`append`](Self::append) adds.
    pub(crate) fn n_triangles(&self, detail: Detail) -> usize {
        match self {
            Self::Cuboid { .. } => 12,
            Self::Lathe { outline } => {
                let rings = lathe_rings(outline, detail);
                let n = lathe_corners(outline, detail);
                let is_pole = |ring: Option<&[f64; 2]>| ring.is_some_and(|r| r[1] == 0.0);
                let bands: usize =
                    rings.windows(2).map(|w| if w[0][1] == 0.0 || w[1][1] == 0.0 { n } else { 2 * n }).sum();
                let cap = |pole| if pole { 0 } else { n - 2 };
                bands + cap(is_pole(rings.first())) + cap(is_pole(rings.last()))
            }
            Self::Tube(tube) => tube.n_triangles(detail),
            Self::Ring { major, minor } => 2 * detail.corners(*major) * detail.corners(*minor),
            Self::Prism { outline, .. } => 4 * outline.len() - 4,
        }
    }

    /// Adds the piece, placed by `frame`.
    pub(crate) fn append(&self, detail: Detail, frame: &Frame, mesh: &mut Mesh) {
        match self {
            Self::Cuboid { half } => append_cuboid(*half, frame, mesh),
            Self::Lathe { outline } => {
                append_lathe(&lathe_rings(outline, detail), lathe_corners(outline, detail), frame, mesh);
            }
            Self::Tube(tube) => tube.append(detail, frame, mesh),
            Self::Ring { major, minor } => append_ring([*major, *minor], detail, frame, mesh),
            Self::Prism { outline, z } => append_prism(outline, *z, frame, mesh),
        }
    }
}

/// Triangles of the corners 0–7, whose bits 0, 1 and 2 select the side along x, y and z.
const CUBOID: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

fn append_cuboid(half: DVec3, frame: &Frame, mesh: &mut Mesh) {
    let first = mesh.vertices.len() as u32;
    for corner in 0..8u32 {
        let side = |bit: u32, h: f64| if corner >> bit & 1 == 1 { h } else { -h };
        mesh.vertex(frame.point(side(0, half.x), side(1, half.y), side(2, half.z)));
    }
    mesh.triangles.extend(CUBOID.map(|t| t.map(|v| first + v)));
}

/// All rings as height and radius, with the curved steps subdivided.
fn lathe_rings(outline: &[Step], detail: Detail) -> Vec<[f64; 2]> {
    let mut rings: Vec<[f64; 2]> = Vec::new();
    for &step in outline {
        let (z, r, shoulder) = match step {
            Step::To(z, r) => {
                rings.push([z, r]);
                continue;
            }
            Step::ShoulderTo(z, r) => (z, r, true),
            Step::BowlTo(z, r) => (z, r, false),
        };
        let [z0, r0] = rings.last().copied().unwrap_or([z, r]);
        let size = (z - z0).abs().max((r - r0).abs());
        let steps = detail.quarter_steps(size).max(2);
        for k in 1..steps {
            let (c, s) = cos_sin(k as i64, 4 * steps as i64);
            let (along, across) = if shoulder { (s, 1.0 - c) } else { (1.0 - c, s) };
            rings.push([z0 + (z - z0) * along, r0 + (r - r0) * across]);
        }
        rings.push([z, r]);
    }
    rings
}

fn lathe_corners(outline: &[Step], detail: Detail) -> usize {
    let widest = outline.iter().fold(0.0, |widest: f64, step| {
        let (Step::To(_, r) | Step::ShoulderTo(_, r) | Step::BowlTo(_, r)) = *step;
        widest.max(r)
    });
    detail.corners(widest)
}

fn append_lathe(rings: &[[f64; 2]], n: usize, frame: &Frame, mesh: &mut Mesh) {
    let mut loops: Vec<Loop> = Vec::with_capacity(rings.len());
    for &[z, r] in rings {
        let first = mesh.vertices.len() as u32;
        if r == 0.0 {
            mesh.vertex(frame.point(0.0, 0.0, z));
            loops.push(Loop { first, n: 1 });
        } else {
            for k in 0..n {
                let (c, s) = cos_sin(k as i64, n as i64);
                mesh.vertex(frame.point(r * c, r * s, z));
            }
            loops.push(Loop { first, n: n as u32 });
        }
    }
    skin(&loops, mesh);
}

fn append_ring([major, minor]: [f64; 2], detail: Detail, frame: &Frame, mesh: &mut Mesh) {
    let (n, m) = (detail.corners(minor), detail.corners(major));
    let mut loops = Vec::with_capacity(m + 1);
    for k in 0..m {
        let (c, s) = cos_sin(k as i64, m as i64);
        loops.push(Loop { first: mesh.vertices.len() as u32, n: n as u32 });
        for i in 0..n {
            let (ci, si) = cos_sin(i as i64, n as i64);
            let r = major + minor * ci;
            mesh.vertex(frame.point(r * c, r * s, -minor * si));
        }
    }
    loops.extend(loops.first().copied());
    for pair in loops.windows(2) {
        band(pair[0], pair[1], mesh);
    }
}

fn append_prism(outline: &[[f64; 2]], z: [f64; 2], frame: &Frame, mesh: &mut Mesh) {
    let n = outline.len() as u32;
    let first = mesh.vertices.len() as u32;
    for end in z {
        for &[x, y] in outline {
            mesh.vertex(frame.point(x, y, end));
        }
    }
    band(Loop { first, n }, Loop { first: first + n, n }, mesh);
    for [a, b, c] in ears(outline) {
        mesh.triangles.push([first + a, first + c, first + b]);
        mesh.triangles.push([first + n + a, first + n + b, first + n + c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each() -> Vec<(Shape, f64)> {
        let dome = vec![Step::To(-0.2, 0.0), Step::BowlTo(0.0, 0.3), Step::To(1.0, 0.3), Step::ShoulderTo(1.2, 0.0)];
        let l = vec![[0.0, 0.0], [0.1, 0.0], [0.1, 0.02], [0.02, 0.02], [0.02, 0.1], [0.0, 0.1]];
        let path = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0), DVec3::new(1.0, 2.0, -1.0)];
        let mitred = vec![DVec3::ZERO, DVec3::X, DVec3::new(2.0, 0.3, 0.0), DVec3::new(3.0, 0.3, -0.1)];
        let tau = std::f64::consts::TAU;
        vec![
            (Shape::cuboid(1.0, 2.0, 3.0), 6.0),
            (Shape::cylinder(0.1, 2.0), 0.02 * tau / 2.0),
            (Shape::frustum(0.2, 0.1, 0.3), tau / 2.0 * 0.3 * (0.04 + 0.02 + 0.01) / 3.0),
            (Shape::Lathe { outline: dome }, tau / 2.0 * (0.09 + 4.0 / 3.0 * 0.09 * 0.2)),
            (Shape::Ring { major: 0.5, minor: 0.05 }, tau * 0.5 * tau / 2.0 * 0.0025),
            (Shape::Prism { outline: l, z: [-0.5, 0.5] }, 0.0036),
            (Shape::Tube(Tube { path, radius: 0.05, bend: 0.15 }), {
                let straight = 4.0 - 4.0 * 0.15;
                tau / 2.0 * 0.0025 * (straight + 2.0 * 0.15 * tau / 4.0)
            }),
            (Shape::Tube(Tube { path: mitred, radius: 0.05, bend: 0.0 }), {
                tau / 2.0 * 0.0025 * (1.0 + (1.0f64 + 0.09).sqrt() + (1.0f64 + 0.01).sqrt())
            }),
        ]
    }

    #[test]
    fn shapes_are_closed_face_outward_and_have_the_right_volume() {
        let detail = Detail { chord_error_m: 1e-4 };
        let frame = Frame::along(DVec3::new(0.3, 0.1, -2.0), DVec3::new(1.0, -0.4, 0.2));
        for (shape, volume) in each() {
            let mut mesh = Mesh::default();
            shape.append(detail, &frame, &mut mesh);
            assert!(mesh.is_closed(), "{shape:?}");
            let found = mesh.six_volumes() / 6.0;
            assert!((found / volume - 1.0).abs() < 0.02, "{found} for {volume}: {shape:?}");
        }
    }

    #[test]
    fn counts_are_known_beforehand() {
        for chord_error_m in [1e-5, 1e-4, 1e-3, 1e-2, 1.0] {
            for (shape, _) in each() {
                let mut mesh = Mesh::default();
                let detail = Detail { chord_error_m };
                shape.append(detail, &Frame::at(0.0, 0.0, 0.0), &mut mesh);
                assert_eq!(mesh.triangles.len(), shape.n_triangles(detail), "{shape:?}");
                assert_eq!(mesh.triangles.len() % 2, 0);
            }
        }
    }

    #[test]
    fn finer_detail_never_takes_fewer_triangles() {
        for (shape, _) in each() {
            let mut last = usize::MAX;
            for k in 0..200 {
                let n = shape.n_triangles(Detail { chord_error_m: 1e-5 * 1.05f64.powi(k) });
                assert!(n <= last, "{shape:?}");
                last = n;
            }
        }
    }
}

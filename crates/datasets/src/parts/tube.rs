//! A round tube swept along a path: straight pieces joined by elbows or mitres.

use super::frame::Frame;
use super::mesh::Mesh;
use super::rings::{Detail, Loop, skin};
use super::turn::cos_sin;
use glam::DVec3;

/// A solid round tube with flat ends.
#[derive(Clone, Debug)]
pub(crate) struct Tube {
    /// At least two different points, metres; consecutive points differ, and the path never reverses its direction.
    pub(crate) path: Vec<DVec3>,
    /// Half of its thickness, metres.
    pub(crate) radius: f64,
    /// Radius of the centre line in right-angled bends, metres; other bends are mitres. Zero makes all bends mitres.
    pub(crate) bend: f64,
}

/// The connection of two pieces at an inner point of the path.
enum Joint {
    Straight,
    Mitre,
    /// A right angle, rounded.
    Elbow,
}

impl Tube {
    pub(crate) fn n_triangles(&self, detail: Detail) -> usize {
        let n = detail.corners(self.radius);
        let rings: usize = (1..self.path.len().saturating_sub(1))
            .map(|i| match self.joint(i) {
                Joint::Straight => 0,
                Joint::Mitre => 1,
                Joint::Elbow => 1 + self.elbow_steps(detail),
            })
            .sum();
        2 * n * (rings + 1) + 2 * (n - 2)
    }

    fn elbow_steps(&self, detail: Detail) -> usize {
        detail.quarter_steps(self.bend + self.radius).max(2)
    }

    /// The direction of the piece after point `i`.
    fn direction(&self, i: usize) -> DVec3 {
        (self.path[i + 1] - self.path[i]).normalize_or(DVec3::X)
    }

    fn joint(&self, i: usize) -> Joint {
        let turn = self.direction(i - 1).dot(self.direction(i));
        match turn {
            t if t > 1.0 - 1e-12 => Joint::Straight,
            t if t.abs() < 1e-9 && self.bend > 0.0 => Joint::Elbow,
            _ => Joint::Mitre,
        }
    }

    pub(crate) fn append(&self, detail: Detail, frame: &Frame, mesh: &mut Mesh) {
        let Some(last) = self.path.len().checked_sub(1).filter(|&last| last > 0) else { return };
        let n = detail.corners(self.radius);
        let mut loops = Vec::new();
        let mut ring = |centre: DVec3, u: DVec3, v: DVec3, mesh: &mut Mesh| {
            loops.push(Loop { first: mesh.vertices.len() as u32, n: n as u32 });
            for k in 0..n {
                let (c, s) = cos_sin(k as i64, n as i64);
                let p = centre + (u * c + v * s) * self.radius;
                mesh.vertex(frame.point(p.x, p.y, p.z));
            }
        };
        let start = Frame::along(self.path[0], self.direction(0));
        let (mut u, mut v) = (start.x, start.y);
        ring(self.path[0], u, v, mesh);
        for i in 1..last {
            let (at, d, next) = (self.path[i], self.direction(i - 1), self.direction(i));
            match self.joint(i) {
                Joint::Straight => {}
                Joint::Mitre => {
                    // The ring is in the plane that bisects the bend; reflection there turns the frame to the new
                    // piece.
                    let bisector = (d + next).normalize_or(d);
                    let slide = |w: DVec3| w - d * (w.dot(bisector) / d.dot(bisector));
                    ring(at, slide(u), slide(v), mesh);
                    let reflect = |w: DVec3| w - bisector * (2.0 * w.dot(bisector));
                    (u, v) = (reflect(u), reflect(v));
                }
                Joint::Elbow => {
                    let centre = at + (next - d) * self.bend;
                    let steps = self.elbow_steps(detail) as i64;
                    let (u0, v0) = (u, v);
                    for k in 0..=steps {
                        let (c, s) = cos_sin(k, 4 * steps);
                        let turned = |w: DVec3| {
                            let (a, b) = (w.dot(d), w.dot(next));
                            w + d * (a * (c - 1.0) - b * s) + next * (a * s + b * (c - 1.0))
                        };
                        (u, v) = (turned(u0), turned(v0));
                        ring(centre + (d * s - next * c) * self.bend, u, v, mesh);
                    }
                }
            }
        }
        ring(self.path[last], u, v, mesh);
        skin(&loops, mesh);
    }
}

//! The placement of a piece: an origin and three perpendicular unit axes.

use super::turn;
use glam::DVec3;

/// A right-handed frame in the world or in another frame; lengths in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) origin: DVec3,
    pub(crate) x: DVec3,
    pub(crate) y: DVec3,
    pub(crate) z: DVec3,
}

impl Frame {
    /// A frame at a point, with the axes of the world.
    pub(crate) fn at(x: f64, y: f64, z: f64) -> Self {
        Self::upright(DVec3::new(x, y, z))
    }

    /// A frame with the axes of the world.
    pub(crate) fn upright(origin: DVec3) -> Self {
        Self { origin, x: DVec3::X, y: DVec3::Y, z: DVec3::Z }
    }

    /// A frame with z along a direction; x is horizontal where possible.
    pub(crate) fn along(origin: DVec3, direction: DVec3) -> Self {
        let z = direction.normalize_or(DVec3::Z);
        let side = if z.z.abs() > 0.999 { DVec3::Y } else { DVec3::Z };
        let x = side.cross(z).normalize_or(DVec3::X);
        Self { origin, x, y: z.cross(x), z }
    }

    /// A frame with z along one direction and x as close as possible to another.
    pub(crate) fn oriented(origin: DVec3, z: DVec3, x: DVec3) -> Self {
        let z = z.normalize_or(DVec3::Z);
        let across = x - z * z.dot(x);
        if across.length() <= 1e-9 * x.length() {
            return Self::along(origin, z);
        }
        let x = across.normalize();
        Self { origin, x, y: z.cross(x), z }
    }

    /// The frame rotated about its own z axis by a fraction of a full turn.
    pub(crate) fn turned(self, numerator: i64, denominator: i64) -> Self {
        let (c, s) = turn::cos_sin(numerator, denominator);
        Self { x: self.x * c + self.y * s, y: self.y * c - self.x * s, ..self }
    }

    /// A frame with the same axes at a point given in this frame.
    pub(crate) fn moved(self, x: f64, y: f64, z: f64) -> Self {
        Self { origin: self.point(x, y, z), ..self }
    }

    /// A point of this frame, in the coordinates of the frame around it.
    pub(crate) fn point(&self, x: f64, y: f64, z: f64) -> DVec3 {
        self.origin + self.x * x + self.y * y + self.z * z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_right_handed(f: &Frame) -> bool {
        (f.x.cross(f.y) - f.z).length() < 1e-14 && (f.x.length() - 1.0).abs() < 1e-14
    }

    #[test]
    fn frames_are_right_handed() {
        let oblique = DVec3::new(0.3, -2.0, 0.7);
        for f in [
            Frame::along(DVec3::ONE, oblique),
            Frame::along(DVec3::ONE, -DVec3::Z),
            Frame::along(DVec3::ONE, DVec3::Z),
            Frame::oriented(DVec3::ZERO, DVec3::X, oblique),
            Frame::oriented(DVec3::ZERO, oblique, oblique),
            Frame::along(DVec3::ZERO, oblique).turned(2, 7),
        ] {
            assert!(is_right_handed(&f), "{f:?}");
        }
    }

    #[test]
    fn axis_parallel_frames_are_exact() {
        let f = Frame::along(DVec3::ZERO, DVec3::X).turned(1, 4);
        for axis in [f.x, f.y, f.z] {
            assert!(axis.to_array().iter().all(|c| [0.0, 1.0, -1.0].contains(c)), "{f:?}");
        }
    }
}

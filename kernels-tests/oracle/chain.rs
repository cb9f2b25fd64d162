//! One joint's motion as the numbers that define it.
//!
//! `x -> P(t) x + T(t)` with `P(t) = cos(w t) A + sin(w t) B + C` and `T(t) = c + t s`, all in the parent frame. The
//! stored `f64` numbers are taken as exact: they define the motion, not the axis and angles from which they were
//! computed.

use glam::{DAffine3, DMat3, DVec3};

/// The defining numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub a: DMat3,
    pub b: DMat3,
    /// The constant matrix C.
    pub k: DMat3,
    /// Position at t = 0.
    pub c: DVec3,
    /// Velocity.
    pub s: DVec3,
    /// Angle of the whole motion.
    pub w: f64,
}

impl Part {
    /// A turn by `w` about the unit axis `u` from the orientation `r`, while the origin moves from `c` to `c + s`.
    pub fn new(u: DVec3, r: DMat3, c: DVec3, s: DVec3, w: f64) -> Self {
        let outer = DMat3::from_cols(u * u.x, u * u.y, u * u.z);
        let cross = DMat3::from_cols(u.cross(DVec3::X), u.cross(DVec3::Y), u.cross(DVec3::Z));
        let k = outer * r;
        Self { a: r - k, b: cross * r, k, c, s, w }
    }

    /// No motion.
    pub fn fixed(pose: DAffine3) -> Self {
        Self::new(DVec3::Z, pose.matrix3, pose.translation, DVec3::ZERO, 0.0)
    }

    /// The position of the child's point `p` in the parent at time `t`, in plain `f64`.
    pub fn apply(&self, t: f64, p: DVec3) -> DVec3 {
        let (sin, cos) = (self.w * t).sin_cos();
        (self.a * cos + self.b * sin + self.k) * p + self.c + self.s * t
    }
}

/// The position of the point `p` of a chain's last joint in the frame above the first one, in plain `f64`.
pub fn position(chain: &[Part], t: f64, p: DVec3) -> DVec3 {
    chain.iter().rev().fold(p, |p, part| part.apply(t, p))
}

/// The published reference chain "C4" with its point.
pub fn reference() -> (Vec<Part>, DVec3) {
    let v = DVec3::new;
    let tilted = DMat3::from_cols(v(1.0, 0.0, 0.0), v(0.0, 0.0, 1.0), v(0.0, -1.0, 0.0));
    let one = DMat3::IDENTITY;
    let chain = vec![
        Part::new(DVec3::Z, one, v(0.0, 0.0, 0.3), DVec3::ZERO, 0.5),
        Part::new(DVec3::Y, one, v(0.5, 0.0, 0.0), v(0.0, 0.0, 0.25), -1.25),
        Part::new(DVec3::Z, one, v(0.25, 0.125, 0.0), v(0.5, 0.0, 0.0), 0.0),
        Part::new(v(0.6, 0.0, 0.8), tilted, v(0.375, 0.0, 0.0), DVec3::ZERO, 2.0),
    ];
    (chain, v(0.25, -0.125, 0.5))
}

#[test]
fn the_reference_chain_is_where_it_was_published() {
    let (chain, e) = reference();
    let near = |t: f64, p: [f64; 3]| assert!((position(&chain, t, e) - DVec3::from_array(p)).length() < 1e-14);
    near(0.0, [1.375, -0.375, 0.175]);
    near(1.0, [0.69083666062831736, 1.0418791216525017, 1.8526069332120785]);
    near(0.375, [1.7463076715435861, 0.27697824264304323, 0.71581316384519005]);
}

//! A point of a curve or surface with its derivatives.

use glam::{DMat3, DVec3};

/// A point with first and second derivatives with respect to two parameters, in the body's own frame; metres, and
/// metres per (product of) parameters. Derivatives with respect to a parameter that a curve or a point does not have
/// are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The point.
    pub point: DVec3,
    /// First derivatives.
    pub first: [DVec3; 2],
    /// Second derivatives: first parameter twice, mixed, second parameter twice.
    pub second: [DVec3; 3],
}

impl Jet {
    /// Returns the jet after a rotation.
    #[must_use]
    pub fn turned(&self, rotation: &DMat3) -> Self {
        let turn = |v: DVec3| *rotation * v;
        Self { point: turn(self.point), first: self.first.map(turn), second: self.second.map(turn) }
    }

    /// Returns the second derivative with respect to parameters `i` and `j`.
    pub fn second_of(&self, i: usize, j: usize) -> DVec3 {
        self.second[i + j]
    }

    /// Returns first × second tangent, not normalised.
    pub fn cross(&self) -> DVec3 {
        self.first[0].cross(self.first[1])
    }

    /// Returns the derivatives of [`Jet::cross`].
    pub fn cross_derivatives(&self) -> [DVec3; 2] {
        let [r, s] = self.first;
        let [rr, rs, ss] = self.second;
        [rr.cross(s) + r.cross(rs), rs.cross(s) + r.cross(ss)]
    }
}

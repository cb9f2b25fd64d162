//! A point of a curve or surface with its derivatives.

use glam::{DMat3, DVec3};

/// A point with first and second derivatives after two parameters, in the body's own frame; metres, and metres by (product
/// of) parameters. What a curve or a point has no parameter for is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The point.
    pub point: DVec3,
    /// First derivatives.
    pub first: [DVec3; 2],
    /// Second derivatives: twice after the first parameter, mixed, twice after the second.
    pub second: [DVec3; 3],
}

impl Jet {
    /// The same, turned.
    #[must_use]
    pub fn turned(&self, rotation: &DMat3) -> Self {
        let turn = |v: DVec3| *rotation * v;
        Self { point: turn(self.point), first: self.first.map(turn), second: self.second.map(turn) }
    }

    /// The second derivative after parameters `i` and `j`.
    pub fn second_of(&self, i: usize, j: usize) -> DVec3 {
        self.second[i + j]
    }

    /// First × second tangent, not normalised.
    pub fn cross(&self) -> DVec3 {
        self.first[0].cross(self.first[1])
    }

    /// The derivatives of [`Jet::cross`].
    pub fn cross_derivatives(&self) -> [DVec3; 2] {
        let [r, s] = self.first;
        let [rr, rs, ss] = self.second;
        [rr.cross(s) + r.cross(rs), rs.cross(s) + r.cross(ss)]
    }
}

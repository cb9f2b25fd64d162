//! Bounds on the displacement of points of link `b` relative to link `a`, over a box of joint values.
//!
//! Let `c` be the middle of the box, `w_j` half the width of the value of joint `j` of the path, and `p` a point at the
//! middle. Change the joints from `c` to any values `q` of the box one by one, the joint next to `a` first:
//!
//! ```text
//! p(q) - p(c) = Σ_j  G_{j-1}(q) [M_j(q_j) - M_j(c_j)] p_j(c)
//! ```
//!
//! where `p_j(c)` is the point in the frame of joint `j`, whose following joints still have the values `c`, and
//! `G_{j-1}(q)` is the rigid motion of the joints before it. Rigid motions preserve lengths. Therefore every term
//! depends only on the configuration at the middle: with `r_j` the distance of `p` from the axis of joint `j`,
//!
//! - *in any direction*: a revolute joint contributes a chord, `2 sin(w_j / 2) r_j`, and a prismatic one `w_j`;
//! - *along a unit vector `n`*: a revolute joint contributes `w_j |n·(u_j × (p - o_j))|` to first order, a prismatic
//!   one `w_j |n·u_j|`. The chord differs from the tangent by at most `w_j² r_j / 2`, and `G_{j-1}` turns by at most
//!   the sum `W_j` of the half widths of the revolute joints before it, which changes the term by at most `W_j w_j r_j`
//!   (`W_j w_j` for a prismatic joint).
//!
//! For a ball of radius `e` around `p`, `r_j` increases by at most `e` and the first-order term by `w_j e |n × u_j|`.
//! Both bounds are convex functions of `p`, so their maximum over a triangle is at one of its vertices.
//!
//! The second bound is smaller near contact: a link that turns about its own axis moves along its surface.

use crate::acm::path::PathAt;
use glam::DVec3;
use std::f64::consts::PI;

/// Factor that covers the rounding of the bounds themselves.
const ROUNDED: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// The joints of a path that move within a box of joint values.
#[derive(Clone, Debug, Default)]
pub struct Displacement {
    joints: Vec<Moving>,
    /// Upper bound on the angle by which the whole link turns, radians.
    pub turn_rad: f64,
}

#[derive(Clone, Copy, Debug)]
struct Moving {
    axis: DVec3,
    point: DVec3,
    slides: bool,
    column: usize,
    /// Half the width of the joint's value.
    half: f64,
    /// Displacement at unit distance from the axis.
    chord: f64,
    /// Upper bound on the turn of all joints before this one, radians.
    before: f64,
}

impl Displacement {
    /// The displacement from the configuration `at` of a path whose columns change by at most `half`.
    pub fn new(at: &PathAt, half: &[f64]) -> Self {
        let mut before = 0.0;
        let joints = at.joints.iter().map(|joint| {
            let half = (joint.rate * half[joint.column] + joint.slack) * ROUNDED;
            let moving = Moving {
                axis: joint.axis,
                point: joint.point,
                slides: joint.slides,
                column: joint.column,
                half,
                chord: if half < PI { 2.0 * (0.5 * half).sin() } else { 2.0 },
                before,
            };
            before += if joint.slides { 0.0 } else { half };
            moving
        });
        let joints = joints.collect();
        Self { joints, turn_rad: before }
    }

    /// Bound on the displacement of the points within `ball` of a point, in any direction.
    pub fn any(&self, p: DVec3, ball: f64) -> f64 {
        self.joints.iter().map(|j| j.any(p, ball)).sum::<f64>() * ROUNDED
    }

    /// Bound on the displacement of the points within `ball` of a point, along a unit vector.
    pub fn along(&self, n: DVec3, p: DVec3, ball: f64) -> f64 {
        self.joints.iter().map(|j| j.along(n, p, ball)).sum::<f64>() * ROUNDED
    }

    /// The share of each column in the smaller of the two bounds for a point; if `n` is zero, in the first bound.
    pub fn shares(&self, n: DVec3, p: DVec3, shares: &mut [f64]) {
        shares.fill(0.0);
        let is_tangential = n != DVec3::ZERO && self.along(n, p, 0.0) < self.any(p, 0.0);
        for (i, joint) in self.joints.iter().enumerate() {
            if !is_tangential {
                shares[joint.column] += joint.any(p, 0.0);
                continue;
            }
            let lever = joint.lever(p);
            shares[joint.column] += joint.along(n, p, 0.0) - 0.5 * lever * joint.half * joint.before;
            for other in self.joints[..i].iter().filter(|other| !other.slides) {
                shares[other.column] += 0.5 * lever * joint.half * other.half;
            }
        }
    }
}

impl Moving {
    /// The distance of a point from the axis of a revolute joint; 1 for a prismatic joint.
    fn lever(&self, p: DVec3) -> f64 {
        if self.slides { 1.0 } else { self.axis.cross(p - self.point).length() }
    }

    fn any(&self, p: DVec3, ball: f64) -> f64 {
        if self.slides { self.half } else { self.chord * (self.lever(p) + ball) }
    }

    fn along(&self, n: DVec3, p: DVec3, ball: f64) -> f64 {
        if self.slides {
            return self.half * (n.dot(self.axis).abs() + self.before);
        }
        let around = n.cross(self.axis);
        let tangent = around.dot(p - self.point).abs() + ball * around.length();
        let bend = (self.lever(p) + ball) * (0.5 * self.half + self.before);
        self.half * (tangent + bend)
    }
}

//! Proofs that two triangles intersect throughout a box of joint values: an edge of one pierces the other.
//!
//! Unlike in [`predicate::piercing`](crate::predicate::piercing), where the error of each point is a small ball, the
//! displacement here may be a large part of the triangles' sizes. One triangle is fixed. The other one moves rigidly,
//! its points by at most `away`, and turns by at most `turn`, so a vector between two of its points `v` changes by at
//! most `min(turn |v|, 2 away)`. An orientation determinant `y·(e1×e2)` of three differences that change by `δ`,
//! `δ1`, `δ2` changes by at most
//!
//! ```text
//! (|y| + δ)(|e1| + δ1)(|e2| + δ2) - |y||e1||e2|
//! ```
//!
//! and rounds by less than `24 UNIT` times the first product, as derived there; the subtraction adds two units. Each
//! point may also have an error of `error`, and a difference twice that.

use crate::arith::real::Real;
use crate::robot::Triangle;
use glam::DVec3;

/// Units that cover the rounding of a determinant and of its bound.
const ROUNDINGS: f64 = 32.0;

/// Bounds on the change of a moving triangle relative to a fixed one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change {
    /// Largest displacement of a point of the moving triangle, metres.
    pub away: f64,
    /// Largest turn of the moving triangle, radians.
    pub turn: f64,
    /// Largest error of a point of either triangle, metres.
    pub error: f64,
}

/// A point, and true if it belongs to the moving triangle.
type Point = (DVec3, bool);

/// Returns whether an edge of one triangle pierces the other during the whole change.
pub fn pierces(moving: &Triangle, fixed: &Triangle, change: Change) -> bool {
    let (x, y) = (moving.map(|v| (v, true)), fixed.map(|v| (v, false)));
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        change.crosses(x[i], x[j], y) || change.crosses(y[i], y[j], x)
    })
}

impl Change {
    /// Returns whether a segment certainly crosses a triangle.
    fn crosses(self, p: Point, q: Point, t: [Point; 3]) -> bool {
        let ends = self.side(t[0], t[1], t[2], p) * self.side(t[0], t[1], t[2], q);
        if ends >= 0 {
            return false;
        }
        let first = self.side(p, q, t[0], t[1]);
        first != 0 && first == self.side(p, q, t[1], t[2]) && first == self.side(p, q, t[2], t[0])
    }

    /// The sign of the orientation of `d` against `a`, `b`, `c`; zero if it is not certain.
    fn side(self, a: Point, b: Point, c: Point, d: Point) -> i8 {
        let [y, e1, e2] = [d, b, c].map(|to| to.0 - a.0);
        let determinant = y.dot(e1.cross(e2));
        let [ny, n1, n2] = [y, e1, e2].map(DVec3::length);
        let [ry, r1, r2] = [self.of(a, d, ny), self.of(a, b, n1), self.of(a, c, n2)];
        let grown = (ny + ry) * (n1 + r1) * (n2 + r2);
        let bound = grown - ny * n1 * n2 + grown * (ROUNDINGS * f64::UNIT) + f64::UNDERFLOW;
        i8::from(determinant > bound) - i8::from(-determinant > bound)
    }

    /// Bound on the change of the difference of two points, metres; `length` is the length of the difference.
    fn of(self, from: Point, to: Point, length: f64) -> f64 {
        let moved = match (from.1, to.1) {
            (false, false) => 0.0,
            (true, true) => (self.turn * length).min(2.0 * self.away),
            _ => self.away,
        };
        moved + 2.0 * self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    const FLOOR: Triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn spike(depth: f64) -> Triangle {
        [[0.3, 0.3, -depth], [0.3, 0.3, 1.0], [0.4, 0.3, 1.0]].map(DVec3::from_array)
    }

    #[test]
    fn a_spike_through_the_floor_is_certain_up_to_its_depth() {
        let change = |away| Change { away, turn: 0.0, error: 0.0 };
        for moves in [true, false] {
            let pierces = |depth: f64, away: f64| match moves {
                true => pierces(&spike(depth), &FLOOR, change(away)),
                false => pierces(&FLOOR, &spike(depth), change(away)),
            };
            assert!(pierces(0.1, 0.02) && !pierces(0.1, 0.1001) && !pierces(0.0, 0.0) && !pierces(-1e-9, 0.0));
            assert!(pierces(1e-9, 0.0) && !pierces(1e-9, 1e-8));
        }
        let error = Change { error: 0.2, ..Change::default() };
        assert!(!super::pierces(&spike(0.1), &FLOOR, error));
        assert!(!super::pierces(&FLOOR, &FLOOR, Change::default()));
    }

    /// A certain pair intersects after every turn and displacement within the bounds.
    #[test]
    fn certain_pairs_intersect_wherever_they_move() {
        let mut random = crate::acm::random::Random::new(5);
        let mut seen = 0;
        for _ in 0..20_000 {
            let mut triangle = || [(); 3].map(|()| DVec3::from_array(random.vector()));
            let (x, y) = (triangle(), triangle());
            let (turn, slide) = (0.05, 0.05);
            let away = slide + turn * x.iter().map(|v| v.length()).fold(0.0, f64::max);
            if !pierces(&x, &y, Change { away, turn, error: 0.0 }) {
                continue;
            }
            seen += 1;
            for _ in 0..16 {
                let [axis, direction] = [(); 2].map(|()| DVec3::from_array(random.vector()).normalize());
                let m = DMat3::from_axis_angle(axis, turn);
                let moved = x.map(|v| m * v + direction * slide);
                assert!(pierces(&moved, &y, Change::default()), "{x:?} {y:?}");
            }
        }
        assert!(seen > 200, "{seen}");
    }
}

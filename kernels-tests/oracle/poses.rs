//! Boxes that contain moving points over an interval of time.

use super::chain::Part;
use super::interval::{Box3, Interval};
use glam::{DMat3, DVec3};

/// Some points that move with t in [0, 1].
pub trait Points {
    /// A box for each point that contains it at every time of `t`.
    fn boxes(&self, t: Interval) -> Vec<Box3>;
}

/// Points of bodies at the end of chains of joints; an empty chain is the world.
#[derive(Clone, Debug, Default)]
pub struct Articulated {
    pub bodies: Vec<(Vec<Part>, Vec<DVec3>)>,
}

/// Points that move from a start to an end on straight lines.
#[derive(Clone, Debug, Default)]
pub struct Straight {
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

/// An interval matrix and translation.
pub type Pose = ([[Interval; 3]; 3], Box3);

impl Points for Articulated {
    fn boxes(&self, t: Interval) -> Vec<Box3> {
        let mut out = Vec::new();
        for (chain, points) in &self.bodies {
            let poses: Vec<Pose> = chain.iter().map(|part| pose(part, t)).collect();
            for p in points {
                // from tip to root: no product of matrices, so less is lost
                out.push(poses.iter().rev().fold(exactly(*p), |x, (m, c)| add(turn(m, x), *c)));
            }
        }
        out
    }
}

impl Points for Straight {
    fn boxes(&self, t: Interval) -> Vec<Box3> {
        let at = |a: f64, b: f64, t: f64| {
            Interval::point(a) * (Interval::point(1.0) - Interval::point(t)) + Interval::point(b) * t
        };
        let between = |a: f64, b: f64| at(a, b, t.lo).hull(at(a, b, t.hi));
        let one = |(a, b): (&DVec3, &DVec3)| [between(a.x, b.x), between(a.y, b.y), between(a.z, b.z)];
        self.start.iter().zip(&self.end).map(one).collect()
    }
}

/// The pose of one joint's child in its parent, over `t`.
pub fn pose(part: &Part, t: Interval) -> Pose {
    let (sin, cos) = (t * part.w).sin_cos();
    let entry = |i: usize, j: usize| {
        let of = |m: &DMat3| m.col(j)[i];
        cos * of(&part.a) + sin * of(&part.b) + Interval::point(of(&part.k))
    };
    let matrix = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
    (matrix, std::array::from_fn(|i| Interval::point(part.c[i]) + t * part.s[i]))
}

/// The pose of a chain's last joint in the frame above the first, by products of the joints' interval matrices.
pub fn product(chain: &[Part], t: Interval) -> Pose {
    let identity = DMat3::IDENTITY.to_cols_array_2d().map(|c| c.map(Interval::point));
    chain.iter().fold((identity, [Interval::ZERO; 3]), |(p, x), part| {
        let (q, c) = pose(part, t);
        let entry = |i: usize, j: usize| p[i][0] * q[0][j] + p[i][1] * q[1][j] + p[i][2] * q[2][j];
        (std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))), add(x, turn(&p, c)))
    })
}

/// Matrix times vector.
pub fn turn(m: &[[Interval; 3]; 3], x: Box3) -> Box3 {
    std::array::from_fn(|i| m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2])
}

/// The box of one point.
pub fn exactly(p: DVec3) -> Box3 {
    p.to_array().map(Interval::point)
}

pub fn add(a: Box3, b: Box3) -> Box3 {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn subtract(a: Box3, b: Box3) -> Box3 {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn hull(a: Box3, b: Box3) -> Box3 {
    std::array::from_fn(|i| a[i].hull(b[i]))
}

#[cfg(test)]
mod tests {
    use super::super::chain;
    use super::*;

    #[test]
    fn products_are_as_wide_as_published() {
        let (chain, e) = chain::reference();
        for (t, expected) in [
            (
                (0.0, 1.0),
                [
                    [0.08045908434282839, 2.9180312325282256],
                    [-0.5083544852446057, 1.8921276900593371],
                    [-0.20563409399793847, 2.3850644489123525],
                ],
            ),
            (
                (0.25, 0.5),
                [
                    [1.3244551188011244, 2.13986375566732],
                    [-0.01608100617239122, 0.6075848743482386],
                    [0.34813945577896427, 1.1177116722151574],
                ],
            ),
        ] {
            let (p, x) = product(&chain, Interval::new(t.0, t.1));
            let point = add(turn(&p, exactly(e)), x);
            for (got, [lo, hi]) in point.iter().zip(expected) {
                assert!((got.lo - lo).abs() < 1e-13 && (got.hi - hi).abs() < 1e-13, "{got:?} is not [{lo}, {hi}]");
            }
        }
    }

    #[test]
    fn boxes_hold_the_moving_point() {
        let (chain, e) = chain::reference();
        let points = Articulated { bodies: vec![(chain.clone(), vec![e]), (vec![], vec![e])] };
        let straight = Straight { start: vec![e], end: vec![DVec3::new(0.1, 0.7, -3.0)] };
        for k in 0..64_u32 {
            let t = Interval::new(f64::from(k) / 64.0, f64::from(k + 1) / 64.0);
            let (moving, line) = (points.boxes(t), straight.boxes(t));
            assert!(moving[0].iter().all(|i| i.width() < 0.2));
            for share in [0.0, 0.3, 1.0] {
                let at = t.lo + share * (t.hi - t.lo);
                let p = chain::position(&chain, at, e);
                let q = straight.start[0].lerp(straight.end[0], at);
                (0..3).for_each(|i| assert!(moving[0][i].has(p[i]) && line[0][i].has(q[i])));
            }
            assert_eq!(moving[1], exactly(e));
        }
    }
}

//! The fifteen elementary equations of a pair of triangles: three vertices of the link against the scene's face, three
//! vertices of the scene against the link's face, nine pairs of edges (Redon et al. 2004, section 5.2.1).

use super::pair::Pair;
use crate::arith::linear::V3;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::contraction::{Side, Standing, Window, edge_edge, face_vertex, vertex_face};
use crate::predicate::features::{nearest_in_triangle, nearest_of_segments};
use crate::predicate::separation::StaticTriangle;
use crate::predicate::vf_ee::{Kind, Points, is_inside, sign};
use crate::robot::RobotMotion;
use glam::DVec3;

/// One elementary equation of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// A vertex of the link against the scene's face.
    VertexFace(u8),
    /// The link's face against a vertex of the scene.
    FaceVertex(u8),
    /// An edge of the link against one of the scene.
    EdgeEdge(u8, u8),
}

use Equation::{EdgeEdge, FaceVertex, VertexFace};

/// All equations, in the order in which equal contacts are reported.
pub const EQUATIONS: [Equation; 15] = [
    VertexFace(0),
    VertexFace(1),
    VertexFace(2),
    FaceVertex(0),
    FaceVertex(1),
    FaceVertex(2),
    EdgeEdge(0, 0),
    EdgeEdge(0, 1),
    EdgeEdge(0, 2),
    EdgeEdge(1, 0),
    EdgeEdge(1, 1),
    EdgeEdge(1, 2),
    EdgeEdge(2, 0),
    EdgeEdge(2, 1),
    EdgeEdge(2, 2),
];

impl Equation {
    /// The equation's kind, and its four elements among those that belong to the vertices of the link and of the scene.
    #[inline(always)]
    pub fn choose<P: Copy>(self, x: &[P; 3], y: &[P; 3]) -> (Kind, [P; 4]) {
        let next = |i: u8| (i as usize + 1) % 3;
        match self {
            VertexFace(i) => (Kind::VertexFace, [x[i as usize], y[0], y[1], y[2]]),
            FaceVertex(i) => (Kind::VertexFace, [y[i as usize], x[0], x[1], x[2]]),
            EdgeEdge(i, j) => (Kind::EdgeEdge, [x[i as usize], x[next(i)], y[j as usize], y[next(j)]]),
        }
    }
}

/// The local times at which the features of an equation can touch, by the axes of the equation and the direction
/// between their nearest points, which also separates parallel edges and degenerate faces.
pub fn window(equation: Equation, x: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>, h: f64) -> Window<f64> {
    let origin = tri.y[0];
    let place = |v: V3<f64>| DVec3::from_array((v - origin).0);
    let (p, q) = (x.map(|p| place(p.c[0])), tri.y.map(place));
    let next = |i: u8| (i as usize + 1) % 3;
    let standing = |k: usize| tri.y[k];
    match equation {
        VertexFace(i) => {
            let (x, y) = (Side::new(&[x[i as usize]], origin, h, 0.0, 0.0), Standing::new(&tri.y, tri.error, origin));
            let v = p[i as usize];
            let mut window = vertex_face(&x, &y, h, 1);
            window.cut(V3::new(v - nearest_in_triangle(v, q)), &x, &y, 1);
            window
        }
        FaceVertex(i) => {
            let (x, y) = (Side::new(x, origin, h, 0.0, 0.0), Standing::new(&[standing(i as usize)], tri.error, origin));
            let v = q[i as usize];
            let mut window = face_vertex(&x, &y, h, 1);
            window.cut(V3::new(nearest_in_triangle(v, p) - v), &x, &y, 1);
            window
        }
        EdgeEdge(i, j) => {
            let (i, i1, j, j1) = (i as usize, next(i), j as usize, next(j));
            let x = Side::new(&[x[i], x[i1]], origin, h, 0.0, 0.0);
            let y = Standing::new(&[standing(j), standing(j1)], tri.error, origin);
            let mut window = edge_edge(&x, &y, h, 1);
            let (on_a, on_b) = nearest_of_segments(p[i], p[i1], q[j], q[j1]);
            window.cut(V3::new(on_a - on_b), &x, &y, 1);
            window
        }
    }
}

/// A pair of triangles at the ends and the middle of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    ends: [[V3<f64>; 3]; 2],
    middle: [V3<f64>; 3],
    scene: [V3<f64>; 3],
    /// Bound on the distance of points from the given ones, at the given times and at all times between, metres.
    eps: f64,
    rad: f64,
}

impl Moments {
    /// The pair over `[t0, t1]`.
    pub fn new(motion: &RobotMotion, pair: &Pair, t0: f64, t1: f64) -> Self {
        let mid = 0.5 * (t0 + t1);
        let at = |t: f64| pair.points_at(motion, t);
        let (first, middle, last) = (at(t0), at(mid), at(t1));
        let ball = first.iter().chain(&middle).chain(&last).fold(pair.tri.error, |m: f64, p| m.max(p.ball));
        let half = (t1 - mid).max(mid - t0) * (1.0 + 2.0 * f64::EPSILON);
        Self {
            ends: [first.map(|p| p.c[0]), last.map(|p| p.c[0])],
            middle: middle.map(|p| p.c[0]),
            scene: pair.tri.y,
            eps: ball,
            rad: (ball + half * pair.speed(motion)) * (1.0 + 1e-12),
        }
    }

    /// Returns whether an equation certainly has a root inside both features within the interval.
    pub fn has_root(&self, equation: Equation) -> bool {
        let points = |x: &[V3<f64>; 3]| -> (Kind, Points) { equation.choose(x, &self.scene) };
        let (kind, middle) = points(&self.middle);
        is_inside(kind, &middle, self.rad)
            && sign(kind, &points(&self.ends[0]).1, self.eps)
                .is_some_and(|s| sign(kind, &points(&self.ends[1]).1, self.eps) == Some(!s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointMotion;
    use crate::verdict::Obstacle;
    use glam::DMat3;

    /// A vertex moves down through the plane of a face at a known time, in powers of two, fast along x and slowly along
    /// z. If it crosses the plane beyond the border, there is no root, although it was above the face a moment before.
    #[test]
    fn a_root_beyond_the_border_is_rejected() {
        let (at, fast, slow) = (0.5, 64.0, -1.0 / 64.0);
        let run = |beyond: f64, before: f64, after: f64| {
            let mut motion = RobotMotion::default();
            let start = DVec3::new(beyond - fast * at, 0.0, -slow * at);
            let slide = DVec3::new(fast, 0.0, slow);
            motion.push(None, JointMotion::from_axis(DMat3::IDENTITY, DVec3::Z, 0.0, start, slide));
            let e = [DVec3::ZERO, DVec3::new(-1.0, 0.0, 1.0), DVec3::new(0.0, 1.0, 1.0)].map(V3::new);
            let y = [DVec3::new(0.0, -4.0, 0.0), DVec3::new(0.0, 4.0, 0.0), DVec3::new(-8.0, 0.0, 0.0)].map(V3::new);
            let tri = StaticTriangle { y, error: 0.0 };
            let pair = Pair {
                shape: 0,
                obstacle: Obstacle::Object(0),
                moving: 0,
                x: 0,
                y: 0,
                within: None,
                mask: 0xffff,
                earliest: 0.0,
                e,
                reach_m: 2.0,
                body: 0,
                tri,
                is_flat: false,
            };
            Moments::new(&motion, &pair, at - before, at + after).has_root(VertexFace(0))
        };
        for width in (8..40).map(|k| 2f64.powi(-k)) {
            for (before, after) in [(0.5, 0.5), (0.75, 0.25), (0.97, 0.03), (0.03, 0.97)] {
                for far in (0..50).map(|k| 2f64.powi(-k)) {
                    assert!(!run(far, before * width, after * width), "{far:e} beyond, {width:e}");
                }
                assert!(!run(0.0, before * width, after * width));
            }
        }
        // Well inside there is a root, but not before the plane is reached.
        assert!(run(-1.0, 2f64.powi(-20), 2f64.powi(-20)));
        assert!(!run(-1.0, 2f64.powi(-19), -2f64.powi(-20)));
    }
}

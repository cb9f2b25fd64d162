//! Proofs of freedom in f64: everything that a stage drops must be proved free, whatever the stage's own arithmetic
//! was.
//!
//! The proofs bisect time until the reference's bounds separate the two sides; they return `false` if that fails.

use firstcontact::arith::linear::V3;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::robot::{RobotMotion, Triangle};
use firstcontact::scene::world::SceneBox;
use glam::DVec3;

/// Maximum number of bisections of a proof.
const DEPTH: u32 = 24;

/// Returns whether a body's triangles stay clear of a box during `[t0, t1]`.
pub fn avoids_box(motion: &RobotMotion, body: u32, triangles: &[Triangle], b: &SceneBox, [t0, t1]: [f64; 2]) -> bool {
    fn search(
        m: &RobotMotion,
        body: u32,
        vertices: &[V3<f64>],
        reach: f64,
        b: &SceneBox,
        t: [f64; 2],
        depth: u32,
    ) -> bool {
        let (mid, h) = (0.5 * (t[0] + t[1]), 0.5 * (t[1] - t[0]) * (1.0 + 1e-12));
        let bound = m.body_bound(body, mid, h);
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &v in vertices {
            let (l, u) = bound.point(v, reach).range(h);
            for i in 0..3 {
                (lo[i], hi[i]) = (lo[i].min(l.0[i]), hi[i].max(u.0[i]));
            }
        }
        let apart = (0..3).any(|i| lo[i] > f64::from(b.hi[i]) || hi[i] < f64::from(b.lo[i]));
        apart
            || (depth > 0
                && search(m, body, vertices, reach, b, [t[0], mid], depth - 1)
                && search(m, body, vertices, reach, b, [mid, t[1]], depth - 1))
    }
    let vertices: Vec<V3<f64>> = triangles.iter().flatten().map(|v| V3::new(*v)).collect();
    let reach = triangles.iter().flatten().fold(0.0, |m: f64, v| m.max(v.length())) * (1.0 + 1e-12);
    search(motion, body, &vertices, reach, b, [t0, t1], DEPTH)
}

/// Returns whether a triangle of a body stays clear of a triangle at rest during `[t0, t1]`.
pub fn avoids_triangle(
    motion: &RobotMotion,
    body: u32,
    x: &Triangle,
    y: &StaticTriangle<f64>,
    [t0, t1]: [f64; 2],
) -> bool {
    let reach = x.iter().fold(0.0, |m: f64, v| m.max(v.length())) * (1.0 + 1e-12);
    fn search(
        m: &RobotMotion,
        body: u32,
        x: &Triangle,
        reach: f64,
        y: &StaticTriangle<f64>,
        t: [f64; 2],
        depth: u32,
    ) -> bool {
        let (mid, h) = (0.5 * (t[0] + t[1]), 0.5 * (t[1] - t[0]) * (1.0 + 1e-12));
        let bound = m.body_bound(body, mid, h);
        let points = x.map(|v| bound.point(V3::new(v), reach));
        some_axis_separates(&points, y, h)
            || (depth > 0
                && search(m, body, x, reach, y, [t[0], mid], depth - 1)
                && search(m, body, x, reach, y, [mid, t[1]], depth - 1))
    }
    search(motion, body, x, reach, y, [t0, t1], DEPTH)
}

/// Returns whether an axis separates a moving triangle from one at rest during `|τ| <= h`: the seventeen axes of two
/// triangles, and the coordinate axes, since edges and points have few among those.
///
/// Independent of `numeric::separation`, which is under test: unit axes, each vertex with its own velocity and
/// acceleration, and a slack for rounding a thousand times as large as f64 needs.
fn some_axis_separates(points: &[PointBound<f64>; 3], standing: &StaticTriangle<f64>, h: f64) -> bool {
    let vector = |v: V3<f64>| DVec3::from_array(v.0);
    let y = standing.y.map(vector);
    let moving = points.map(|p| p.c.map(vector));
    let (ball, cube) =
        points.iter().fold((0.0_f64, DVec3::ZERO), |(ball, cube), p| (ball.max(p.ball), cube.max(vector(p.cube))));
    let size = moving.iter().flatten().chain(&y).fold(0.0, |m: f64, v| m.max(v.length()));
    let slack = ball + standing.error + 1e-12 * size;
    let edges = |t: [DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (e, f) = (edges(moving.map(|c| c[0])), edges(y));
    let normals = [e, f].map(|[a, b, _]| a.cross(b));
    let products = e.iter().flat_map(|a| f.map(|b| a.cross(b)));
    let in_plane = [(normals[0], e), (normals[1], f)].into_iter().flat_map(|(n, edges)| edges.map(|a| n.cross(a)));
    let separates = |n: DVec3| {
        let n = n.normalize_or_zero();
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for [at, velocity, acceleration] in moving {
            let (middle, swing) = (n.dot(at - y[0]), n.dot(velocity).abs() * h);
            let bend = 0.5 * h * h * n.dot(acceleration);
            (lo, hi) = (lo.min(middle - swing + bend.min(0.0)), hi.max(middle + swing + bend.max(0.0)));
        }
        let side = y.map(|v| n.dot(v - y[0]));
        let off = slack + n.abs().dot(cube);
        lo - off > side.into_iter().fold(f64::NEG_INFINITY, f64::max)
            || hi + off < side.into_iter().fold(f64::INFINITY, f64::min)
    };
    DVec3::AXES.into_iter().chain(normals).chain(products).chain(in_plane).any(separates)
}

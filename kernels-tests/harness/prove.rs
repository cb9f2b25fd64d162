//! Proofs of freedom in f64: what a stage drops must be proved free, whatever the stage's own arithmetic was.
//!
//! The proofs halve time until the reference's bounds separate the two sides; they say no where that does not come about.

use firstcontact::model::robot::Triangle;
use firstcontact::model::world::SceneBox;
use firstcontact::motion::ModelMotion;
use firstcontact::numeric::linear::V3;
use firstcontact::numeric::separation::{StandingTriangle, boxes_miss, triangle_misses};

/// Halvings before a proof is given up.
const DEPTH: u32 = 24;

/// Whether a body's triangles stay clear of a box during `[t0, t1]`.
pub fn avoids_box(motion: &ModelMotion, body: u32, triangles: &[Triangle], b: &SceneBox, [t0, t1]: [f64; 2]) -> bool {
    fn search(
        m: &ModelMotion,
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

/// Whether a triangle of a body stays clear of a standing triangle during `[t0, t1]`.
pub fn avoids_triangle(
    motion: &ModelMotion,
    body: u32,
    x: &Triangle,
    y: &StandingTriangle<f64>,
    [t0, t1]: [f64; 2],
) -> bool {
    let reach = x.iter().fold(0.0, |m: f64, v| m.max(v.length())) * (1.0 + 1e-12);
    fn search(
        m: &ModelMotion,
        body: u32,
        x: &Triangle,
        reach: f64,
        y: &StandingTriangle<f64>,
        t: [f64; 2],
        depth: u32,
    ) -> bool {
        let (mid, h) = (0.5 * (t[0] + t[1]), 0.5 * (t[1] - t[0]) * (1.0 + 1e-12));
        let bound = m.body_bound(body, mid, h);
        let points = x.map(|v| bound.point(V3::new(v), reach));
        // Edges and points have few separating axes among those of triangles: the coordinate axes help them.
        let (mut lo, mut hi) = points[0].range(h);
        for p in &points[1..] {
            let (l, u) = p.range(h);
            (lo, hi) = (lo.min(l), hi.max(u));
        }
        boxes_miss(&(lo, hi), &y.bounds()) != 0
            || triangle_misses(&points, y, h, 1) != 0
            || (depth > 0
                && search(m, body, x, reach, y, [t[0], mid], depth - 1)
                && search(m, body, x, reach, y, [mid, t[1]], depth - 1))
    }
    search(motion, body, x, reach, y, [t0, t1], DEPTH)
}

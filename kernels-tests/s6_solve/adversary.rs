//! Contraction against an adversary: points that deviate from their quadratics as far as their bounds allow, in the
//! direction in which the contact is hardest to detect. Whatever the contact's time, it must be in the window.
//!
//! The bounds are invented, without an underlying motion, so that each term of the window's error decides in some case.
//! The errors are far larger than rounding errors; those are tested where nothing else is left.

use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::triangles as oracle;
use firstcontact::arith::linear::V3;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::contraction::{
    Side, Standing, Window, edge_edge, edge_moving_edge, face_vertex, triangle_sides, triangles, vertex_face,
    vertex_moving_face,
};
use firstcontact::predicate::separation::StaticTriangle;
use glam::DVec3;

/// The features that touch; the second is at rest, unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    VertexFace,
    FaceVertex,
    EdgeEdge,
    VertexMovingFace,
    EdgeMovingEdge,
    Triangles,
}

const WAYS: [Way; 6] =
    [Way::VertexFace, Way::FaceVertex, Way::EdgeEdge, Way::VertexMovingFace, Way::EdgeMovingEdge, Way::Triangles];

/// Sizes of the terms, some of which are zero.
#[derive(Clone, Copy, Debug)]
struct Terms {
    velocity: f64,
    acceleration: f64,
    ball: f64,
    cube: f64,
    /// Error of the points at rest.
    error: f64,
    margin: f64,
}

fn terms(draw: &mut Draw) -> Terms {
    let mut some = |size: f64| if draw.below(3) == 0 { 0.0 } else { size * 10f64.powf(draw.between(-4.0, 0.0)) };
    let (velocity, acceleration) = (some(4.0), some(8.0));
    let (ball, cube, error, margin) = (some(0.1), some(0.1), some(0.1), some(0.3));
    Terms { velocity, acceleration, ball, cube, error, margin }
}

/// Points that are at `at` at local time `tau`, after a deviation along `along`, each with a velocity and an
/// acceleration.
fn moving(draw: &mut Draw, at: [DVec3; 3], tau: f64, along: DVec3, t: &Terms) -> [PointBound<f64>; 3] {
    // To the bounds every point moves independently.
    at.map(|p| {
        let (velocity, acceleration) = (draw.direction() * t.velocity, draw.direction() * t.acceleration);
        // A corner of the cube, and the ball in this direction, move the point to its place.
        let strays = along * t.ball + along.signum() * t.cube;
        let c0 = p - strays - velocity * tau - acceleration * (0.5 * tau * tau);
        PointBound { c: [c0, velocity, acceleration].map(V3::new), ball: t.ball, cube: V3([t.cube; 3]) }
    })
}

/// The nominal positions of points at rest that are truly at `at`.
fn standing(at: [DVec3; 3], along: DVec3, error: f64) -> [V3<f64>; 3] {
    at.map(|p| V3::new(p - along * error))
}

/// A triangle with a corner near `p`, so that `p` is inside it.
fn around(draw: &mut Draw, p: DVec3) -> [DVec3; 3] {
    let (u, w) = (draw.direction(), draw.direction());
    let (s, r) = (draw.between(0.05, 0.5), draw.between(0.05, 0.5));
    [p - u * s - w * r, p + u * (1.0 - s) - w * r, p - u * s + w * (1.0 - r)]
}

fn normal(t: [DVec3; 3]) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero()
}

/// The window of a contact at local time `tau`, or of a distance of `margin` at that time.
fn window(draw: &mut Draw, way: Way, h: f64, tau: f64, t: &Terms) -> Window<f64> {
    let look = [0.0, tau, draw.between(-h, h)][draw.below(3)];
    let p = draw.vector(1.0);
    let sign = if draw.below(2) == 0 { 1.0 } else { -1.0 };
    match way {
        Way::VertexFace | Way::VertexMovingFace | Way::Triangles => {
            // A corner of one triangle, off the inside of the other by the margin.
            let face = around(draw, p);
            let n = normal(face) * sign;
            let at = p + n * t.margin;
            let x = [at, at + draw.direction() + n, at + draw.direction() + n];
            let x = moving(draw, x, tau, n, t);
            if way == Way::VertexMovingFace {
                let y = moving(draw, face, tau, -n, t);
                let origin = x[0].c[0];
                let y = Side::new(&y, origin, h, look, 0.0);
                return vertex_moving_face(&Side::new(&[x[0]], origin, h, look, t.margin), &y, h, 1);
            }
            let y = standing(face, -n, t.error);
            if way == Way::Triangles {
                let (x, y) = triangle_sides(&x, &StaticTriangle { y, error: t.error }, h, look, t.margin);
                return triangles(&x, &y, h, 1);
            }
            let x = Side::new(&[x[0]], y[0], h, look, t.margin);
            vertex_face(&x, &Standing::new(&y, t.error, y[0]), h, 1)
        }
        Way::FaceVertex => {
            let face = around(draw, p);
            let n = normal(face) * sign;
            let x = moving(draw, face, tau, n, t);
            let y = standing([p - n * t.margin; 3], -n, t.error)[0];
            face_vertex(&Side::new(&x, y, h, look, t.margin), &Standing::new(&[y], t.error, y), h, 1)
        }
        Way::EdgeEdge | Way::EdgeMovingEdge => {
            let (e, f) = (draw.direction(), draw.direction());
            let n = e.cross(f).normalize_or_zero() * sign;
            let (s, r) = (draw.between(0.0, 1.0), draw.between(0.0, 1.0));
            let at = p + n * t.margin;
            let x = moving(draw, [at - e * s, at + e * (1.0 - s), at], tau, n, t);
            let (x, other) = ([x[0], x[1]], [p - f * r, p + f * (1.0 - r), p]);
            if way == Way::EdgeMovingEdge {
                let y = moving(draw, other, tau, -n, t);
                let origin = x[0].c[0];
                let y = Side::new(&[y[0], y[1]], origin, h, look, 0.0);
                return edge_moving_edge(&Side::new(&x, origin, h, look, t.margin), &y, h, 1);
            }
            let y = standing(other, -n, t.error);
            let x = Side::new(&x, y[0], h, look, t.margin);
            edge_edge(&x, &Standing::new(&[y[0], y[1]], t.error, y[0]), h, 1)
        }
    }
}

#[test]
fn deviations_within_the_bounds_hide_no_contact() {
    let mut draw = Draw::new(111);
    let (mut narrowed, n) = (0, effort(60_000, 3_000_000));
    for i in 0..n {
        let way = WAYS[i % WAYS.len()];
        let h = 10f64.powf(draw.between(-3.0, 0.0));
        let tau = [-h, h, draw.between(-h, h), draw.between(-h, h)][draw.below(4)];
        let mut t = terms(&mut draw);
        // Near parallel lines a coarse error hides all others: some cases have only one term.
        if draw.below(2) == 0 {
            let keep = draw.below(5);
            let only = |k: usize, x: f64| if k == keep { x } else { 0.0 };
            t = Terms {
                velocity: t.velocity,
                acceleration: only(0, t.acceleration),
                ball: only(1, t.ball),
                cube: only(2, t.cube),
                error: only(3, t.error),
                margin: only(4, t.margin),
            };
        }
        let w = window(&mut draw, way, h, tau, &t);
        narrowed += usize::from(w.hi - w.lo < 1.9 * h);
        // The rounding here is 10⁻¹⁵ m of positions, at a speed of 10⁻⁴ m or more, unless the speed is zero.
        let room = if t.velocity > 0.0 { 1e-14 / t.velocity } else { 2.0 * h };
        assert!(w.lo <= tau + room && w.hi >= tau - room && w.lo <= w.hi, "{way:?} at {tau} of {h}: {w:?} {t:?}");
    }
    println!("{n} contacts, {narrowed} in a narrower window");
    assert!(narrowed > n / 20, "{narrowed} of {n}");
}

/// Returns whether the axes leave an empty window for two features, or two triangles, at rest.
fn are_told_apart(way: Way, x: [DVec3; 3], y: [DVec3; 3]) -> bool {
    let still = |p: DVec3| PointBound { c: [V3::new(p), V3::zero(), V3::zero()], ball: 0.0, cube: V3::zero() };
    let (x, y) = (x.map(still), y.map(V3::new));
    let w = match way {
        Way::EdgeEdge => {
            let x = Side::new(&[x[0], x[1]], y[0], 0.0, 0.0, 0.0);
            edge_edge(&x, &Standing::new(&[y[0], y[1]], 0.0, y[0]), 0.0, 1)
        }
        Way::Triangles => {
            let (x, y) = triangle_sides(&x, &StaticTriangle { y, error: 0.0 }, 0.0, 0.0, 0.0);
            triangles(&x, &y, 0.0, 1)
        }
        _ => {
            let x = Side::new(&[x[0]], y[0], 0.0, 0.0, 0.0);
            vertex_face(&x, &Standing::new(&y, 0.0, y[0]), 0.0, 1)
        }
    };
    w.lo > w.hi
}

/// At rest the axes are complete: features a thousandth apart are separated. A missing axis would report contacts that
/// do not exist.
#[test]
fn separate_features_at_rest_are_separated() {
    let mut draw = Draw::new(112);
    let mut seen = [0; 3];
    for i in 0..effort(60_000, 3_000_000) {
        let k = i % 3;
        let way = [Way::VertexFace, Way::EdgeEdge, Way::Triangles][k];
        let mut any = || [draw.vector(1.0), draw.vector(1.0), draw.vector(1.0)];
        let (mut x, mut y) = (any(), any());
        // In one plane, parallel, or on one line.
        match draw.below(4) {
            0 => x.iter_mut().chain(&mut y).for_each(|p| p.z = 0.0),
            1 => x[1] = x[0] + (y[1] - y[0]) * draw.between(0.2, 2.0),
            2 => (0..2).for_each(|j| x[j] = y[0] + (y[1] - y[0]) * draw.between(-3.0, 3.0)),
            _ => {}
        }
        let apart = match way {
            Way::VertexFace => oracle::on_triangle(x[0], &y).distance(x[0]),
            Way::EdgeEdge => {
                let (p, q) = oracle::on_segments(x[0], x[1], y[0], y[1]);
                p.distance(q)
            }
            _ => oracle::distance(&x, &y),
        };
        if apart > 1e-3 {
            seen[k] += 1;
            assert!(are_told_apart(way, x, y), "{way:?} {apart}: {x:?} {y:?}");
        }
    }
    assert!(seen.iter().all(|n| *n > 1000), "{seen:?}");
}

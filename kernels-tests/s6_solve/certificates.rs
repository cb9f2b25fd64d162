//! Certificates of contact do not concern given points alone, but all points within an error of them. Here an adversary
//! moves the points against the certificate, as far as the error allows, and exact arithmetic judges.
//!
//! A determinant or product is taken to its limit first: bisection finds a height, or an error, at which the
//! certificate just holds. So the test checks not a formula of bounds but its guarantee.

use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::dyadic::{Dyadic, Exact3, cross, difference, dot, exact};
use firstcontact::arith::linear::V3;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::piercing::triangles_meet;
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::predicate::vf_ee::{Kind, Points, is_inside, sign};
use glam::DVec3;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

type Four = [DVec3; 4];

fn points(p: &Four) -> Points {
    p.map(V3::new)
}

/// The volume in both equations, in exact arithmetic; [`volume`] rounds to nearest.
fn exact_volume([a, b, c, d]: &Four, kind: Kind) -> Dyadic {
    let [a, b, c, d]: [Exact3; 4] = [a, b, c, d].map(|p| exact(*p));
    let from = |x: &Exact3, y: &Exact3| difference(x, y);
    match kind {
        Kind::VertexFace => dot(&from(&a, &b), &cross(&from(&c, &b), &from(&d, &b))),
        Kind::EdgeEdge => dot(&from(&c, &a), &cross(&from(&b, &a), &from(&d, &c))),
    }
}

fn volume([a, b, c, d]: &Four, kind: Kind) -> f64 {
    match kind {
        Kind::VertexFace => (*a - *b).dot((*c - *b).cross(*d - *b)),
        Kind::EdgeEdge => (*c - *a).dot((*b - *a).cross(*d - *c)),
    }
}

/// The four quantities that are positive where a root is inside both features, exact; [`shares`] rounds to nearest.
fn exact_shares([a, b, c, d]: &Four, kind: Kind) -> Vec<Dyadic> {
    let [a, b, c, d]: [Exact3; 4] = [a, b, c, d].map(|p| exact(*p));
    let from = |x: &Exact3, y: &Exact3| difference(x, y);
    match kind {
        Kind::VertexFace => {
            let n = cross(&from(&c, &b), &from(&d, &b));
            let on = |p: &Exact3, q: &Exact3| dot(&n, &cross(&from(p, &a), &from(q, &a)));
            vec![on(&c, &d), on(&d, &b), on(&b, &c)]
        }
        Kind::EdgeEdge => {
            let (e, f) = (from(&b, &a), from(&d, &c));
            let n = cross(&e, &f);
            let along = |p: &Exact3, q: &Exact3| dot(&n, &cross(p, q));
            vec![along(&from(&c, &a), &f), along(&from(&b, &c), &f), along(&from(&c, &a), &e), along(&e, &from(&d, &a))]
        }
    }
}

fn shares([a, b, c, d]: &Four, kind: Kind) -> Vec<f64> {
    match kind {
        Kind::VertexFace => {
            let n = (*c - *b).cross(*d - *b);
            let on = |p: &DVec3, q: &DVec3| n.dot((*p - *a).cross(*q - *a));
            vec![on(c, d), on(d, b), on(b, c)]
        }
        Kind::EdgeEdge => {
            let (e, f) = (*b - *a, *d - *c);
            let n = e.cross(f);
            vec![
                (*c - *a).cross(f).dot(n),
                (*b - *c).cross(f).dot(n),
                (*c - *a).cross(e).dot(n),
                e.cross(*d - *a).dot(n),
            ]
        }
    }
}

/// Every point moved by `by` in the direction in which `value` falls most.
fn moved_against(p: &Four, by: f64, value: impl Fn(&Four) -> f64) -> Four {
    let size = p.iter().fold(0.0, |m: f64, v| m.max((*v - p[0]).length()));
    let step = 1e-6 * size;
    std::array::from_fn(|i| {
        let slope = DVec3::from_array(std::array::from_fn(|k| {
            let along = |s: f64| {
                let mut q = *p;
                q[i][k] += s;
                value(&q)
            };
            along(step) - along(-step)
        }));
        p[i] - slope.normalize_or_zero() * by * (1.0 - 1e-9)
    })
}

/// Four points about the origin; lengths between them differ by a factor of up to a thousand.
fn four(draw: &mut Draw, kind: Kind) -> Four {
    let mut length = || 10f64.powf(draw.between(-1.5, 1.5));
    let (l1, l2, l3) = (length(), length(), length());
    let (e1, e2, y) = (draw.direction() * l1, draw.direction() * l2, draw.direction() * l3);
    let b = draw.vector(0.3);
    match kind {
        Kind::VertexFace => [b + y, b, b + e1, b + e2],
        Kind::EdgeEdge => [b, b + e1, b + y, b + y + e2],
    }
}

/// Moves the first feature along the common normal until the volume is zero, except for rounding; returns that normal.
fn flattened(p: &mut Four, kind: Kind) -> Option<DVec3> {
    let n = match kind {
        Kind::VertexFace => (p[2] - p[1]).cross(p[3] - p[1]),
        Kind::EdgeEdge => (p[1] - p[0]).cross(p[3] - p[2]),
    };
    let n = n.try_normalize()?;
    let between = match kind {
        Kind::VertexFace => p[0] - p[1],
        Kind::EdgeEdge => p[0] - p[2],
    };
    for i in 0..if kind == Kind::VertexFace { 1 } else { 2 } {
        p[i] -= n * n.dot(between);
    }
    Some(n)
}

/// The sign of the volume, where it is just certain: no points within the error have the opposite one.
#[test]
fn a_certain_sign_holds_for_all_points_within_the_error() {
    let mut draw = Draw::new(101);
    let (mut seen, mut least, mut conventions) = (0, f64::INFINITY, [None; 2]);
    for i in 0..effort(6000, 500_000) {
        let kind = KINDS[i % 2];
        let mut flat = four(&mut draw, kind);
        let Some(n) = flattened(&mut flat, kind) else { continue };
        let eps = 10f64.powf(draw.between(-8.0, -2.5));
        let above = |height: f64| -> Four {
            let mut p = flat;
            (0..if kind == Kind::VertexFace { 1 } else { 2 }).for_each(|k| p[k] += n * height);
            p
        };
        let certain = |height: f64| sign(kind, &points(&above(height)), eps).is_some();
        let (mut low, mut high) = (0.0, 1e4);
        if !certain(high) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if certain(middle) { high = middle } else { low = middle }
        }
        let p = above(high);
        // The positive side is a matter of convention, the same for all of a kind.
        let claimed = volume(&p, kind).signum();
        let agrees = sign(kind, &points(&p), eps) == Some(claimed > 0.0);
        assert_eq!(*conventions[i % 2].get_or_insert(agrees), agrees, "{kind:?} {p:?}");
        let worst = moved_against(&p, eps, |q| claimed * volume(q, kind));
        assert_eq!(exact_volume(&worst, kind).sign(), claimed as i32, "{kind:?} {p:?} moved by {eps:e}");
        least = least.min(volume(&worst, kind) / volume(&p, kind));
        seen += 1;
    }
    println!("{seen} signs; of the volume at least {least:.3} is left");
    // The adversary comes close: less than half of some volume is left.
    assert!(seen > 1000 && least < 0.5, "{seen} {least}");
}

/// Flat tetrahedra of integers of fifty bits: their computed volume is only rounding error.
#[test]
fn rounding_noise_has_no_certain_sign() {
    let mut draw = Draw::new(102);
    let mut noise = 0;
    for i in 0..effort(20_000, 500_000) {
        let kind = KINDS[i % 2];
        let mut whole = || DVec3::from_array([0; 3].map(|_| (draw.between(-1.0, 1.0) * 2f64.powi(49)).round()));
        let (b, c, d) = (whole(), whole(), whole());
        // In the plane of the others, exactly: sums of these are below 2^52.
        let a = c + d - b;
        let p = [[a, b, c, d], [b, a, c, d]][i % 2];
        assert!(exact_volume(&p, kind).is_zero());
        noise += usize::from(volume(&p, kind) != 0.0);
        assert_eq!(sign(kind, &points(&p), 0.0), None, "{kind:?} {p:?}");
    }
    assert!(noise > 1000, "{noise}");
}

/// Points that are just certainly inside: no points within `rad` of them are outside.
#[test]
fn a_certainly_inside_point_is_inside_for_all_points_within_the_error() {
    let mut draw = Draw::new(103);
    let (mut seen, mut least) = (0, f64::INFINITY);
    for i in 0..effort(4000, 300_000) {
        let kind = KINDS[i % 2];
        // Features of about equal size, crossing near a border: there the tolerance decides.
        let (on, e, f) = (draw.vector(0.3), draw.direction(), draw.direction());
        let near = 10f64.powf(draw.between(-4.0, -1.0));
        let p: Four = match kind {
            Kind::VertexFace => {
                let share = draw.between(0.2, 0.8);
                let v = on + e * near + f * share * (1.0 - near);
                // Near one side of the face or another.
                [[v, on, on + e, on + f], [v, on + e, on + f, on], [v, on + f, on, on + e]][draw.below(3)]
            }
            Kind::EdgeEdge => {
                let share = draw.between(0.2, 0.8);
                let [a, b, c, d] = [on - e * near, on + e * (1.0 - near), on - f * share, on + f * (1.0 - share)];
                [[a, b, c, d], [b, a, c, d], [c, d, a, b], [c, d, b, a]][draw.below(4)]
            }
        };
        let certain = |rad: f64| is_inside(kind, &points(&p), rad);
        if !certain(0.0) {
            continue;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if certain(middle) { low = middle } else { high = middle }
        }
        if low < 1e-9 {
            continue;
        }
        let at_first = shares(&p, kind);
        for (k, at_first) in at_first.iter().enumerate() {
            let worst = moved_against(&p, low, |q| shares(q, kind)[k]);
            assert!(exact_shares(&worst, kind)[k].sign() > 0, "{kind:?} {p:?} moved by {low:e}");
            least = least.min(shares(&worst, kind)[k] / at_first);
        }
        seen += 1;
    }
    println!("{seen} certificates; of a share at least {least:.3} is left");
    assert!(seen > 1000 && least < 0.9, "{seen} {least}");
}

/// A vertex exactly above the border of a face, or an edge's end exactly above another edge, in integers of fifty bits:
/// the computed share is only rounding error, and never inside.
#[test]
fn rounding_noise_is_never_certainly_inside() {
    let mut draw = Draw::new(104);
    let mut noise = 0;
    // Perpendicular, and in the plane.
    let (m, u, w) = (DVec3::new(3.0, -2.0, 5.0), DVec3::new(2.0, 3.0, 0.0), DVec3::new(0.0, 5.0, 2.0));
    for i in 0..effort(20_000, 500_000) {
        let kind = KINDS[i % 2];
        let mut even = || 2.0 * (draw.between(-1.0, 1.0) * 2f64.powi(44)).round();
        let (x, y, z) = (u * even() + w * even(), u * even() + w * even(), u * even() + w * even());
        let above = m * even();
        let p = match kind {
            Kind::VertexFace => [(x + y) * 0.5 + above, x, y, z],
            Kind::EdgeEdge => [(x + y) * 0.5 + above, z + above, x, y],
        };
        assert!(exact_shares(&p, kind).iter().any(Dyadic::is_zero));
        noise += usize::from(shares(&p, kind).iter().all(|s| *s > 0.0));
        assert!(!is_inside(kind, &points(&p), 0.0), "{kind:?} {p:?}");
    }
    assert!(noise > 100, "{noise}");
}

/// A spike that pierces by less than the error of its points proves nothing, whether the error is a ball or a cube.
#[test]
fn a_piercing_shallower_than_the_error_is_not_proved() {
    let floor = [DVec3::ZERO, DVec3::X, DVec3::Y].map(V3::new);
    let spike = |ball: f64, cube: f64| {
        [[0.3, 0.3, -1e-6], [0.3, 0.3, 1.0], [0.4, 0.3, 1.0]].map(|p| PointBound {
            c: [V3(p), V3::zero(), V3::zero()],
            ball,
            cube: V3([cube; 3]),
        })
    };
    let meets =
        |ball: f64, cube: f64, error: f64| triangles_meet(&spike(ball, cube), &StaticTriangle { y: floor, error });
    assert_eq!(meets(1e-9, 0.0, 0.0), 1);
    assert_eq!([meets(2e-6, 0.0, 0.0), meets(0.0, 2e-6, 0.0), meets(0.0, 0.0, 2e-6)], [0; 3]);
}

//! The formulas in the worst arithmetic that WGSL allows: for every point of a body, the polygon covers the centre of
//! its pixel, even after a device has moved its vertices, and the depths contain the point's depth.

use crate::effort;
use crate::harness::emulate::{DOWN, Emulated, FROM_ZERO, NEAREST, RANDOM, TO_ZERO, UP};
use crate::harness::models::Draw;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::Real;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::silhouette::{Aim, Body, Frame, Silhouette, axes};
use glam::DVec3;
use std::ops::{Add, Mul, Neg, Sub};

/// Rounds according to `MODE`, but the formulas do not know it: every term for rounding is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Untold<const MODE: u8>(Emulated<MODE>);

impl<const M: u8> Add for Untold<M> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl<const M: u8> Sub for Untold<M> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}
impl<const M: u8> Mul for Untold<M> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0)
    }
}
impl<const M: u8> Neg for Untold<M> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl<const M: u8> Real for Untold<M> {
    const UNIT: f64 = 0.0;
    const UNDERFLOW: f64 = 0.0;
    const LANES: usize = 1;
    fn new(x: f64) -> Self {
        Self(Real::new(x))
    }
    fn abs(self) -> Self {
        Self(Real::abs(self.0))
    }
    fn max(self, o: Self) -> Self {
        Self(Real::max(self.0, o.0))
    }
    fn min(self, o: Self) -> Self {
        Self(Real::min(self.0, o.0))
    }
    fn gt(self, o: Self) -> u32 {
        self.0.gt(o.0)
    }
}

/// Rounds a number to f32.
fn short(x: f64) -> f64 {
    f64::from(x as f32)
}

fn short_vector(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(short))
}

/// The path of an end of a segment, in numbers of f32.
#[derive(Clone, Copy)]
struct Path {
    c: [DVec3; 3],
    ball: f64,
    cube: DVec3,
}

impl Path {
    fn draw(draw: &mut Draw, at: DVec3, fast: f64) -> Self {
        let cube = if draw.below(3) == 0 { short_vector(draw.vector(0.02).abs()) } else { DVec3::ZERO };
        let c = [at, draw.vector(fast), draw.vector(fast * fast * 4.0)].map(short_vector);
        Self { c, ball: short(draw.unit() * 1e-3), cube }
    }

    fn bound<T: Real>(&self) -> PointBound<T> {
        PointBound { c: self.c.map(V3::new), ball: T::new(self.ball), cube: V3::new(self.cube) }
    }

    fn at(&self, t: f64) -> DVec3 {
        self.c[0] + self.c[1] * t + self.c[2] * (0.5 * t * t)
    }
}

/// One of the two farthest points, or one between them.
fn sign(draw: &mut Draw) -> f64 {
    let any = draw.between(-1.0, 1.0);
    [-1.0, 1.0, any][draw.below(3)]
}

/// A length that is smaller than another by more than the rounding error of a point at that distance.
fn inside(length: f64, far: DVec3) -> f64 {
    (length * (1.0 - 1e-12) - 1e-14 * (1.0 + far.length())).max(0.0)
}

fn outward(draw: &mut Draw) -> DVec3 {
    let any = draw.direction();
    [DVec3::AXES[draw.below(3)] * if draw.below(2) == 0 { 1.0 } else { -1.0 }, any][draw.below(2)]
}

/// A body in numbers of f32 in some arithmetic and in f64, and a point of it.
struct Drawn<T> {
    body: Body<T>,
    exact: Body<f64>,
    point: DVec3,
}

fn swept<T: Real>(draw: &mut Draw, far: DVec3) -> Drawn<T> {
    let fast = [0.0, 0.1, 2.0][draw.below(3)];
    let (from, to) = (far + draw.vector(0.3), far + draw.vector(0.3));
    let ends = [from, to].map(|e| Path::draw(draw, e, fast));
    let (radius, h) = (short(draw.between(0.0, 0.1)), 1.0 / 32.0);
    let (s, t) = (0.5 + 0.5 * sign(draw), sign(draw) * h);
    let ball = ends[0].ball * (1.0 - s) + ends[1].ball * s;
    let cube = ends[0].cube * (1.0 - s) + ends[1].cube * s;
    let shift = DVec3::new(sign(draw), sign(draw), sign(draw)) * cube;
    let point = ends[0].at(t) * (1.0 - s) + ends[1].at(t) * s + shift + outward(draw) * inside(radius + ball, far);
    let body = Body::swept(&ends.map(|e| e.bound()), T::new(radius), T::new(h));
    Drawn { body, exact: Body::swept(&ends.map(|e| e.bound()), radius, h), point }
}

fn triangle<T: Real>(draw: &mut Draw, far: DVec3) -> Drawn<T> {
    let size = [0.001, 0.1, 3.0, 300.0][draw.below(4)];
    let y = draw.triangle(far, size).map(short_vector);
    let error = short(draw.unit() * 1e-4);
    let (mut a, mut b) = (draw.unit(), draw.unit());
    if a + b > 1.0 {
        (a, b) = (1.0 - a, 1.0 - b);
    }
    let corner = [0.0, a, 1.0][draw.below(3)];
    let on = y[0] + (y[1] - y[0]) * (corner * (1.0 - b)) + (y[2] - y[0]) * b;
    let point = on + outward(draw) * inside(error, far);
    let vertices = y.map(V3::new);
    let exact = Body::triangle(&y.map(V3::new), error);
    Drawn { body: Body::triangle(&vertices, T::new(error)), exact, point }
}

/// Of `n` bodies and views, the number with a point outside of its polygon, and the number with a point outside of its
/// depths.
fn failures<T: Real>(seed: u64, n: usize, far_m: f64, value: fn(T) -> f64) -> [usize; 2] {
    let mut draw = Draw::new(seed);
    let mut bad = [0; 2];
    for _ in 0..n {
        let far = draw.direction() * far_m;
        let Drawn { body, exact, point } =
            if draw.below(2) == 0 { swept(&mut draw, far) } else { triangle(&mut draw, far) };
        let half = [8.0, 16.0, 32.0][draw.below(3)];
        let scale =
            short_vector(DVec3::new(draw.between(5.0, 200.0), draw.between(5.0, 200.0), draw.between(5.0, 200.0)));
        // Anywhere in the tile, or as near to a pixel's corner as f32 allows.
        let aimed = DVec3::from_array([(); 3].map(|()| {
            let q = draw.between(-half, half);
            if draw.below(2) == 0 { q } else { q.round() + sign(&mut draw) * 1e-6 }
        }));
        let middle = short_vector(point - aimed / scale);
        let q = (point - middle) * scale;
        if q.abs().max_element() >= half {
            continue;
        }
        let frame = Frame { middle: V3::new(middle), scale: V3::new(scale) };
        let view = draw.below(3);
        // Values that may be chosen freely are derived from the exact numbers and rounded, or are arbitrary.
        let chosen = Aim::at(&exact, &Frame { middle: V3::new(middle), scale: V3::new(scale) }, view);
        let slope =
            if draw.below(4) == 0 { [draw.between(-16.0, 16.0), draw.between(-16.0, 16.0)] } else { chosen.slope };
        let along = if draw.below(4) == 0 {
            let (sin, cos) = draw.between(-4.0, 4.0).sin_cos();
            [cos, sin]
        } else {
            chosen.along
        };
        let aim = Aim { along: along.map(T::new), slope: slope.map(T::new) };
        let s = Silhouette::of(&body, &frame, view, T::new(half), &aim);
        let [u, w] = axes(view);
        // The centre of a pixel whose closed square contains the point: of two such pixels, the farther.
        let centre = [u, w].map(|i| (q[i].floor() + 0.5).clamp(0.5 - half, half - 0.5));
        bad[0] += usize::from(!covers(&s, centre, value));
        let step = |z: T| (value(z + T::new(half)).clamp(0.0, 2.0 * half) * 16.0) as u32;
        let [near, far] = s.span(centre.map(T::new));
        let [near, far] = [step(near), step(far)];
        let depth = ((q[view] + half) * 16.0) as u32;
        bad[1] += usize::from(!(near <= depth && depth <= far));
    }
    bad
}

/// Returns whether the path along the vertices winds around a centre although each of them was moved by the device's
/// sub-pixel grid. Both vertices of each line are beyond the centre, in the direction of the line's normal: so is the
/// line between them, and then the path winds around it once.
fn covers<T: Real>(s: &Silhouette<T>, centre: [f64; 2], value: fn(T) -> f64) -> bool {
    let [x, y] = s.along.map(value);
    let vertices = s.vertices().map(|v| v.map(value));
    let normals = [[x, y], [x - y, y + x], [-y, x], [-y - x, x - y]];
    (0..8).all(|k| {
        let sign = if k < 4 { 1.0 } else { -1.0 };
        let [a, b] = normals[k % 4].map(|n| sign * n);
        let moved = (1.0 / 16.0 + 1.0 / 256.0) * (a.abs() + b.abs());
        [vertices[k], vertices[(k + 7) % 8]].iter().all(|v| a * (v[0] - centre[0]) + b * (v[1] - centre[1]) > moved)
    })
}

#[test]
fn outlines_and_depths_hold_however_f32_rounds() {
    let n = effort(10_000, 1_000_000);
    for far_m in [0.0, 1e3, 1e4] {
        assert_eq!(failures::<f64>(40, n, far_m, |x| x), [0, 0]);
        assert_eq!(failures::<Emulated<NEAREST>>(40, n, far_m, |x| f64::from(x.0)), [0, 0]);
        assert_eq!(failures::<Emulated<UP>>(41, n, far_m, |x| f64::from(x.0)), [0, 0]);
        assert_eq!(failures::<Emulated<DOWN>>(42, n, far_m, |x| f64::from(x.0)), [0, 0]);
        assert_eq!(failures::<Emulated<TO_ZERO>>(43, n, far_m, |x| f64::from(x.0)), [0, 0]);
        assert_eq!(failures::<Emulated<FROM_ZERO>>(44, n, far_m, |x| f64::from(x.0)), [0, 0]);
        assert_eq!(failures::<Emulated<RANDOM>>(45, n, far_m, |x| f64::from(x.0)), [0, 0]);
    }
}

/// Without the terms for rounding both the outline and the depths fail.
#[test]
fn missing_rounding_terms_are_detected() {
    let n = effort(20_000, 200_000);
    let far = [
        failures::<Untold<TO_ZERO>>(43, n, 1e4, |x| f64::from(x.0.0)),
        failures::<Untold<FROM_ZERO>>(44, n, 1e4, |x| f64::from(x.0.0)),
        failures::<Untold<RANDOM>>(45, n, 1e4, |x| f64::from(x.0.0)),
    ];
    println!("without terms for rounding, of {n}: outlines and depths that fail {far:?}");
    assert!(far.iter().all(|[_, depth]| *depth > 0) && far.iter().any(|[outline, _]| *outline > 0));
}

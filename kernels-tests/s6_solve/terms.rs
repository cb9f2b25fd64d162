//! Terms of the bounds, one by one, each isolated: bounds on derivatives, which are attained; rounding of poses; sines
//! and interval operations against exact arithmetic; axes that underflow; a distance slightly above a margin.

use super::direct::Direct;
use crate::effort;
use crate::harness::models::Draw;
use crate::harness::truth::position;
use crate::oracle::ball::Ball;
use crate::oracle::chain::Part;
use crate::oracle::dyadic::Dyadic;
use crate::oracle::precise::derivatives;
use crate::random_models::model::{Kind, Model, Triangle};
use firstcontact::arith::interval::{Interval, sin_cos_range};
use firstcontact::arith::linear::V3;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::contraction::{Side, Standing, edge_edge, vertex_face};
use firstcontact::robot::{JointMotion, RobotMotion};
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::verdict::Verdict;
use glam::{DMat3, DVec3};

/// The parts of a chain, chosen so that one term of its bounds is isolated.
#[derive(Clone, Copy, Debug)]
enum Only {
    /// The point is away from the last joint, and the joints are not away from one another.
    Point,
    /// The joints are away from one another, and the point is the last one's origin.
    Offsets,
    /// The last joint slides, and turns nothing.
    Slide,
    All,
}

/// A chain whose joints turn about parallel axes, so that vectors add up, or about any axes.
fn chain(draw: &mut Draw, only: Only) -> (RobotMotion, DVec3) {
    let depth = 1 + draw.below(3) + usize::from(matches!(only, Only::Slide | Only::Offsets));
    let (parallel, mut motion) = (draw.below(2) == 0, RobotMotion::default());
    for i in 0..depth {
        let axis = if parallel { DVec3::Z } else { draw.direction() };
        let last = i + 1 == depth;
        let slides = last && matches!(only, Only::Slide) || matches!(only, Only::All) && draw.below(4) == 0;
        let w = if slides { 0.0 } else { draw.between(0.05, 2.0) };
        let across = |v: DVec3| if parallel { v.with_z(0.0).normalize_or(DVec3::X) } else { v };
        let away = matches!(only, Only::Offsets | Only::All);
        let origin = if away { across(draw.direction()) * 0.4 } else { DVec3::ZERO };
        let slide = if slides { across(draw.direction()) * 0.7 } else { DVec3::ZERO };
        let turn = if parallel { DMat3::from_rotation_z(draw.between(-3.0, 3.0)) } else { draw.rotation() };
        motion.push((i > 0).then(|| i as u32 - 1), JointMotion::from_axis(turn, axis, w, origin, slide));
    }
    let e = if matches!(only, Only::Point | Only::All) { draw.direction().with_z(0.0) * 0.5 } else { DVec3::ZERO };
    (motion, e)
}

fn parts(motion: &RobotMotion) -> Vec<Part> {
    motion.joints.iter().map(|j| Part { a: j.a, b: j.b, k: j.c, c: j.origin_m, s: j.slide_m, w: j.w_rad }).collect()
}

/// Speed, acceleration and the distance from the quadratic are within their bounds, and come close to them.
#[test]
fn derivatives_are_within_their_bounds_and_attain_them() {
    let mut draw = Draw::new(121);
    for only in [Only::Point, Only::Offsets, Only::Slide, Only::All] {
        let mut worst = [0.0_f64; 3];
        for _ in 0..effort(3000, 200_000) {
            let (motion, e) = chain(&mut draw, only);
            let body = motion.joints.len() as u32 - 1;
            let bounds = motion.chains[body as usize];
            let h = draw.between(0.02, 0.1);
            let mid = draw.between(h, 1.0 - h);
            let point = motion.body_bound(body, mid, h).point(V3::new(e), e.length());
            let [c0, c1, c2] = point.c.map(|c| DVec3::from_array(c.0));
            let at = |tau: f64| position(&motion, body, e, mid + tau);
            let mut ratio = |k: usize, value: f64, bound: f64| {
                // The rounding errors of differences and positions.
                let room = [1e-10, 1e-6, 1e-15][k];
                assert!(value <= bound * (1.0 + 1e-9) + room, "{only:?} {k}: {value:e} beyond {bound:e}");
                if bound > 1e3 * room {
                    worst[k] = worst[k].max(value / bound);
                }
            };
            // By differences of the true path, not by the jet.
            let s = 1e-5;
            ratio(0, (at(s) - at(-s)).length() / (2.0 * s), bounds.speed(e.length()));
            ratio(1, (at(s) - at(0.0) * 2.0 + at(-s)).length() / (s * s), bounds.acceleration(e.length()) + 2e-5);
            for tau in [-h, h] {
                let off = at(tau) - (c0 + (c1 + c2 * (0.5 * tau)) * tau);
                ratio(2, off.length(), point.ball);
            }
        }
        println!("{only:?}: speed, acceleration, remainder reach {worst:.3?} of their bounds");
        assert!(worst.iter().all(|w| *w > 0.9), "{only:?}: {worst:?}");
    }
}

/// At a single time a jet has no remainder. A point at the last joint's origin has only the rounding of offsets; a
/// chain whose joints are in one place has only that of orientations.
#[test]
fn each_part_of_the_rounding_bound_is_needed_and_holds() {
    let mut draw = Draw::new(122);
    for only in [Only::Point, Only::Offsets, Only::All] {
        let mut worst = 0.0_f64;
        for _ in 0..effort(300, 20_000) {
            let (motion, e) = chain(&mut draw, only);
            let body = motion.joints.len() as u32 - 1;
            let t = draw.unit();
            let truth = derivatives(&parts(&motion), &Ball::from(t), e);
            let point = motion.body_bound(body, t, 0.0).point(V3::new(e), e.length());
            let off: [f64; 3] = std::array::from_fn(|i| (&truth[0][i] - &Ball::from(point.c[0].0[i])).value());
            let off = DVec3::from_array(off).length();
            assert!(off <= point.ball, "{only:?}: {off:e} beyond {:e}", point.ball);
            worst = worst.max(off / point.ball);
        }
        println!("{only:?}: rounding reaches {worst:.4} of its bound");
        assert!(worst > 1e-3, "{only:?}: {worst}");
    }
}

/// Ranges of sine and cosine contain the values of all angles in between, to the last bit.
#[test]
fn ranges_of_sine_and_cosine_hold_all_angles() {
    let mut draw = Draw::new(123);
    for _ in 0..effort(3000, 100_000) {
        let w = draw.between(-1.0, 1.0) * 10f64.powf(draw.between(-6.0, 3.0));
        let (a, b) = (draw.unit(), draw.unit() * 10f64.powf(draw.between(-6.0, 0.0)));
        let (t0, t1) = (a * (1.0 - b), a);
        let (sin, cos) = sin_cos_range(w, t0, t1);
        for t in [t0, t1, t0 + (t1 - t0) * draw.unit()] {
            let (s, c) = (&Ball::from(w) * &Ball::from(t.clamp(t0, t1))).sin_cos();
            for (x, range) in [(s, sin), (c, cos)] {
                let within =
                    (&x - &Ball::from(range.lo)).sign() != Some(-1) && (&Ball::from(range.hi) - &x).sign() != Some(-1);
                assert!(within, "{w:e} {t:e}: {} in {range:?}", x.value());
            }
        }
    }
}

/// Sums, differences, products and quotients of numbers, and middle and radius, contain the exact ones, down to the
/// smallest numbers.
#[test]
fn interval_operations_are_outward() {
    let mut draw = Draw::new(124);
    let exact = Dyadic::from;
    for _ in 0..effort(20_000, 1_000_000) {
        let mut some = || {
            let size = [0.0, -150.0, -280.0, 100.0][draw.below(4)];
            draw.between(-1.0, 1.0) * 10f64.powf(size + draw.between(-3.0, 3.0))
        };
        let (x, y) = (some(), some());
        let (a, b) = (Interval::exact(x), Interval::exact(y));
        let holds = |i: Interval<f64>, value: &Dyadic| exact(i.lo) <= *value && *value <= exact(i.hi);
        assert!(holds(a + b, &(&exact(x) + &exact(y))) && holds(a - b, &(&exact(x) - &exact(y))), "{x:e} {y:e}");
        assert!(holds(a * b, &(&exact(x) * &exact(y))), "{x:e} {y:e}");
        let q = a.quotient(b);
        if q.lo.is_finite() && q.hi.is_finite() && y != 0.0 {
            let sign = Dyadic::from(y.signum());
            let (low, high) = (&(&exact(q.lo) * &exact(y)) * &sign, &(&exact(q.hi) * &exact(y)) * &sign);
            assert!(low <= &exact(x) * &sign && high >= &exact(x) * &sign, "{x:e} / {y:e}: {q:?}");
        }
        let wide = Interval { lo: x.min(y), hi: x.max(y) };
        let (mid, radius) = wide.mid_radius();
        let (down, up) = (&exact(mid) - &exact(radius), &exact(mid) + &exact(radius));
        assert!(down <= exact(wide.lo) && up >= exact(wide.hi), "{wide:?}");
    }
}

/// Certainly touching, in coordinates so small that products of axes lose their digits.
#[test]
fn axes_that_underflow_prove_nothing() {
    let mut draw = Draw::new(125);
    for _ in 0..effort(20_000, 500_000) {
        // Even numbers times a power of two: half sums are exact.
        let unit = 2f64.powi(-290 - draw.below(60) as i32);
        let mut vector = || V3([0; 3].map(|_| 2.0 * (draw.between(-1.0, 1.0) * 2f64.powi(49)).round() * unit));
        let still = |p: V3<f64>| PointBound { c: [p, V3::zero(), V3::zero()], ball: 0.0, cube: V3::zero() };
        let y = [vector(), vector(), vector()];
        let middle = V3::from_fn(|i| (y[0].0[i] + y[1].0[i]) * 0.5);
        let x = Side::new(&[still(middle)], y[2], 0.0, 0.0, 0.0);
        let window = vertex_face(&x, &Standing::new(&y, 0.0, y[2]), 0.0, 1);
        assert!(window.lo <= window.hi, "{y:?}");
        let edge = Side::new(&[still(middle), still(vector())], y[2], 0.0, 0.0, 0.0);
        let window = edge_edge(&edge, &Standing::new(&[y[0], y[1]], 0.0, y[2]), 0.0, 1);
        assert!(window.lo <= window.hi, "{y:?}");
    }
}

/// A point that moves from far away to a small face in exactly a power of two of the time, in integers: the rounding
/// error of its computed path exceeds the width of the face.
#[test]
fn rounding_of_a_fast_point_loses_no_contact() {
    let mut draw = Draw::new(127);
    for _ in 0..effort(20_000, 500_000) {
        let mut whole = |bits: i32| V3([0; 3].map(|_| 2.0 * (draw.between(-1.0, 1.0) * 2f64.powi(bits)).round()));
        let (y, velocity) = ([whole(8), whole(8), whole(8)], whole(49));
        // Inside the face, or on its border.
        let share = if draw.below(2) == 0 { 0.0 } else { 0.25 };
        let mix = |i: usize| 0.5 * y[0].0[i] + (0.5 - share) * y[1].0[i] + share * y[2].0[i];
        let tau = 2f64.powi(-(draw.below(4) as i32)) * if draw.below(2) == 0 { 1.0 } else { -1.0 };
        let place = V3::from_fn(|i| mix(i) - velocity.0[i] * tau);
        let point = PointBound { c: [place, velocity, V3::zero()], ball: 0.0, cube: V3::zero() };
        let x = Side::new(&[point], y[0], 1.0, tau, 0.0);
        let w = vertex_face(&x, &Standing::new(&y, 0.0, y[0]), 1.0, 1);
        assert!(w.lo <= tau && tau <= w.hi, "{w:?} without {tau}: {velocity:?} {y:?}");
    }
}

/// A triangle that slides along a floor at a distance slightly larger than the margin, in integers: a contact may be
/// reported, but must never be proved.
#[test]
fn slightly_above_the_margin_is_never_proved_within_it() {
    let mut draw = Draw::new(126);
    let mut told = 0;
    // The normal, of length 7, and two directions in the plane.
    let (n, u, w) = (DVec3::new(2.0, 3.0, 6.0), DVec3::new(3.0, -2.0, 0.0), DVec3::new(0.0, 2.0, -1.0));
    for k in 0..effort(400, 20_000) {
        let mut whole = |size: f64| (draw.between(-size, size)).round();
        let mut along = |size: f64| u * whole(size) + w * whole(size);
        let floor = [along(1e6), along(1e6), along(1e6)];
        let (tip, way) = ((floor[0] + floor[1] + floor[2]) / 3.0, along(1e4));
        let tip = DVec3::new(tip.x.round(), tip.y.round(), 0.0);
        // Its foot on the floor has integer coordinates: 3 x = -2 y there, except for z.
        let tip = tip - DVec3::Z * ((tip.dot(n) / 6.0).round()) + n * (draw.between(1e4, 1e6)).round();
        let height = tip.dot(n);
        let unit = 2f64.powi(-20);
        // The distance is height / 7: the margin is the largest number below it.
        let mut margin_m = height * unit / 7.0;
        while &Dyadic::from(margin_m) * &Dyadic::from(7.0) >= Dyadic::from(height * unit) {
            margin_m = margin_m.next_down();
        }
        let x: Triangle = [tip, tip + n * 1e5 + u * 1e4, tip + n * 1e5 - w * 1e4].map(|p| p * unit);
        let mut model = Model::default();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let parent = model.bodies.len().checked_sub(1);
            model.add(parent, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Sliding(axis, value));
        }
        model.links.push((2, vec![x]));
        model.objects.push(vec![floor.map(|p| p * unit)]);
        let direct = Direct::new(&model, &(vec![0.0; 3], (way * unit).to_array().to_vec()));
        if let Verdict::Contact(c) = direct.all(&SolveOptions { margin_m, ..SolveOptions::default() }) {
            told += 1;
            assert!(!c.is_proved(), "{k}: {c:?} at {} above {margin_m}", height * unit / 7.0);
        }
    }
    assert!(told > 0, "nothing was near");
}

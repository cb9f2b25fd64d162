//! Line-swept spheres of links: containment in exact arithmetic, their size compared with the smallest ones, and the
//! separation of moving ones by a plane.

use crate::effort;
use crate::harness::emulate::{Emulated, FROM_ZERO, NEAREST, RANDOM, TO_ZERO, UP};
use crate::harness::models::Draw;
use crate::oracle::data;
use crate::oracle::dyadic::{Dyadic, difference, dot, exact};
use crate::oracle::triangles::on_segments;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::{FullReal, Real};
use firstcontact::bvh::circle::Circle;
use firstcontact::bvh::lss::{DISTANCE_SLACK, Lss};
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::lss_separation::{MovingLss, lss_misses, moving_lss_misses};
use firstcontact::robot::{Robot, Triangle};
use firstcontact_datasets::Dataset;
use glam::{DVec2, DVec3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use std::f64::consts::PI;

/// Returns whether a point is within the radius of the segment, without rounding: near the segment's middle part by `|p
/// - a|² |d|² - ((p - a)·d)² <= r² |d|²`.
fn holds(lss: &Lss, p: DVec3) -> bool {
    let [a, b, p] = [lss.a, lss.b, p].map(exact);
    let r = Dyadic::from(lss.radius);
    let r2 = &r * &r;
    let (d, from_a) = (difference(&b, &a), difference(&p, &a));
    let (t, dd) = (dot(&from_a, &d), dot(&d, &d));
    if t <= Dyadic::zero() {
        return dot(&from_a, &from_a) <= r2;
    }
    if t >= dd {
        let from_b = difference(&p, &b);
        return dot(&from_b, &from_b) <= r2;
    }
    &(&dot(&from_a, &from_a) * &dd) - &(&t * &t) <= &r2 * &dd
}

/// The same sphere with a radius that does not allow for rounding.
fn without_slack(lss: &Lss, points: &[DVec3]) -> Lss {
    Lss { radius: points.iter().fold(0.0, |m: f64, p| m.max(lss.distance(*p))), ..*lss }
}

/// Sets of triangles of all kinds: ordinary, flat, thin, far away, tiny, points.
fn sets(n: usize) -> Vec<Vec<Triangle>> {
    let mut draw = Draw::new(5);
    let mut set = |i: usize| {
        let far = draw.vector([0.0, 1.0, 1e3, 1e6][i % 4]);
        let size = [1.0, 1e-3, 1e2, 1e-9][i / 4 % 4];
        let squeezed =
            [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 0.2, 0.01)][i / 16 % 4];
        let turn = draw.rotation();
        let n_triangles = [1, 2, 8, 40][i / 64 % 4];
        let triangle = |draw: &mut Draw| draw.triangle(DVec3::ZERO, size).map(|v| far + turn * (v * squeezed));
        (0..n_triangles).map(|_| triangle(&mut draw)).collect()
    };
    (0..n).map(&mut set).collect()
}

#[test]
fn every_vertex_is_within_the_radius_exactly() {
    let mut lacking = 0;
    let sets = sets(effort(512, 4096));
    for triangles in &sets {
        let lss = Lss::around(triangles.iter());
        let points: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        assert!(lss.radius >= 0.0 && lss.a.is_finite() && lss.b.is_finite());
        assert!(points.iter().all(|p| holds(&lss, *p)), "{lss:?}");
        let bare = without_slack(&lss, &points);
        lacking += usize::from(points.iter().any(|p| !holds(&bare, *p)));
        // The allowance is not larger than documented.
        let size = points.iter().chain([&lss.a, &lss.b]).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        assert!(lss.radius - bare.radius <= 1.2 * (bare.radius + size) * DISTANCE_SLACK + 1e-149);
    }
    println!("without the allowance {lacking} of {} sets have a vertex outside", sets.len());
    assert!(lacking > sets.len() / 10, "the allowance is needed: {lacking}");
}

/// The robots of the table: the program's own, and real ones if they are available.
fn robots() -> Vec<(String, Robot)> {
    let mut all: Vec<(String, Robot)> = ["puma", "chain-10"]
        .iter()
        .map(|n| (n.to_string(), Dataset::generate(n, 2004, 1).unwrap().robot().unwrap()))
        .collect();
    for (folder, file) in [
        ("robot-puma560", "puma560_robot.urdf"),
        ("robot-ur5", "ur5_robot.urdf"),
        ("robot-panda", "panda.urdf"),
        ("robot-pr2", "pr2.urdf"),
    ] {
        let Some(folder) = data::folder(folder) else { continue };
        all.push((file.to_string(), Robot::from_urdf(folder.join(file)).unwrap_or_else(|e| panic!("{e}"))));
    }
    all
}

fn hull(triangles: &[Triangle]) -> Option<(Vec<DVec3>, f64)> {
    let points: Vec<Vector> = triangles.iter().flatten().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let (corners, faces) = try_convex_hull(&points).ok()?;
    let corners: Vec<DVec3> = corners.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect();
    let middle = corners[0];
    let volume = faces.iter().map(|f| {
        let [a, b, c] = f.map(|i| corners[i as usize] - middle);
        a.dot(b.cross(c)) / 6.0
    });
    let volume: f64 = volume.sum();
    (volume > 1e-9).then_some((corners, volume))
}

/// The smallest volume over many axes: the smallest circle perpendicular to each, and many radii.
fn by_trying_axes(corners: &[DVec3], n_axes: usize) -> f64 {
    let mut draw = Draw::new(3);
    let mut least = f64::INFINITY;
    let axes: Vec<DVec3> = (0..n_axes).map(|_| draw.direction()).chain([DVec3::X, DVec3::Y, DVec3::Z]).collect();
    for axis in axes {
        let (u, v) = axis.any_orthonormal_pair();
        let flat: Vec<DVec2> = corners.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
        let circle = Circle::around(&flat);
        for k in 0..24 {
            let r = circle.radius * (1.0 + f64::from(k * k) * 0.003);
            let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
            for (p, q) in corners.iter().zip(&flat) {
                let cap = (r * r - (*q - circle.centre).length_squared()).max(0.0).sqrt();
                (from, to) = (from.min(p.dot(axis) + cap), to.max(p.dot(axis) - cap));
            }
            least = least.min(PI * r * r * ((to - from).max(0.0) + 4.0 / 3.0 * r));
        }
    }
    least
}

/// No fit is much larger than the best of many tried at random, and on average the fits are smaller.
#[test]
fn fits_are_close_to_the_smallest() {
    println!(
        "{:22} {:28} {:>9} {:>10} | by the hull's volume: fit, tried axes",
        "robot", "link", "triangles", "hull m³"
    );
    let (mut log_sum, mut n, mut poor) = (0.0, 0, Vec::new());
    for (name, robot) in robots() {
        for link in robot.links.iter().filter(|l| !l.triangles.is_empty()) {
            let Some((corners, volume)) = hull(&link.triangles) else { continue };
            if link.triangles.len() > effort(6_000, usize::MAX) {
                continue;
            }
            let lss = Lss::around(link.triangles.iter());
            let tried = by_trying_axes(&corners, effort(150, 3000));
            println!(
                "{name:22} {:28} {:9} {volume:10.6} | {:6.3} {:6.3}",
                link.name,
                link.triangles.len(),
                lss.volume() / volume,
                tried / volume
            );
            if lss.volume() > 1.04 * tried {
                poor.push(format!("{name} {}: {:.3} times", link.name, lss.volume() / tried));
            }
            assert!(lss.volume() >= volume * (1.0 - 1e-6), "it contains the hull");
            log_sum += (lss.volume() / tried).ln();
            n += 1;
        }
    }
    let mean = (log_sum / f64::from(n)).exp();
    println!("{n} links; fit by tried axes, geometric mean: {mean:.4}");
    assert!(poor.is_empty(), "{poor:?}");
    assert!(n > 15 && mean <= 1.005, "{n} links, {mean}");
}

/// A moving line-swept sphere, and a static one.
struct Pair {
    /// Position, velocity and acceleration of both ends at the middle time.
    ends: [[DVec3; 3]; 2],
    ball: f64,
    cube: DVec3,
    fixed: [DVec3; 2],
    h: f64,
}

impl Pair {
    fn new(draw: &mut Draw) -> Self {
        let [speed, acceleration] = [draw.between(0.0, 3.0), draw.between(0.0, 20.0)];
        let mut end = || [draw.vector(1.0), draw.vector(speed), draw.vector(acceleration)];
        let ends = [end(), end()];
        let [ball, cube] = [0.0, 0.1].map(|most| draw.between(0.0, most));
        Self {
            ends,
            ball: if draw.below(2) == 0 { ball } else { draw.between(0.0, 0.1) },
            cube: draw.vector(cube).abs(),
            fixed: [draw.vector(1.0), draw.vector(1.0)],
            h: draw.between(0.01, 0.3),
        }
    }

    /// The smallest distance of the segments at sampled times, if both ends stray as far as they may towards the static
    /// segment.
    fn distance(&self) -> f64 {
        let [c, d] = self.fixed;
        let at_time = |i: i32| {
            let t = self.h * f64::from(i) / 16.0;
            let [a, b] = self.ends.map(|[c0, c1, c2]| c0 + c1 * t + c2 * (0.5 * t * t));
            let (p, q) = on_segments(a, b, c, d);
            let towards = (q - p).normalize_or_zero();
            let stray = towards * self.ball + self.cube * towards.signum();
            let (p, q) = on_segments(a + stray, b + stray, c, d);
            // A sphere that strays past the segment has met it.
            if (q - p).dot(towards) > 0.0 { p.distance(q) } else { 0.0 }
        };
        (-16..=16).map(at_time).fold(f64::INFINITY, f64::min)
    }

    fn is_separated(&self, radius: f64, fixed_radius: f64) -> bool {
        let ends = self.ends.map(|c| PointBound { c: c.map(V3::new), ball: self.ball, cube: V3::new(self.cube) });
        let fixed = Lss { a: self.fixed[0], b: self.fixed[1], radius: fixed_radius };
        lss_misses(&ends, radius, &fixed, self.h) == 1
    }
}

#[test]
fn separated_spheres_stay_apart() {
    let mut draw = Draw::new(83);
    let (mut separated, mut kept) = (0, 0);
    for _ in 0..effort(200_000, 5_000_000) {
        let pair = Pair::new(&mut draw);
        let radii = pair.distance() * draw.between(0.5, 1.1);
        let radius = radii * draw.unit();
        if pair.is_separated(radius, radii - radius) {
            separated += 1;
            assert!(radii < pair.distance(), "{:?} {:?}", pair.ends, pair.fixed);
        } else {
            kept += 1;
        }
    }
    println!("{separated} separated, {kept} kept");
    assert!(separated > 10_000 && kept > 10_000);
}

#[test]
fn spheres_at_rest_are_separated_whenever_they_are_apart() {
    let mut draw = Draw::new(84);
    for _ in 0..effort(50_000, 1_000_000) {
        let mut pair = Pair::new(&mut draw);
        (pair.ball, pair.cube) = (0.0, DVec3::ZERO);
        pair.ends.iter_mut().for_each(|end| (end[1], end[2]) = (DVec3::ZERO, DVec3::ZERO));
        let distance = pair.distance();
        assert!(distance < 1e-6 || pair.is_separated(0.3 * distance, 0.7 * distance - 1e-7), "{distance}");
    }
}

/// A segment that moves.
#[derive(Clone, Debug)]
struct Moving {
    /// Position, velocity and acceleration of both ends at the middle time.
    ends: [[DVec3; 3]; 2],
    ball: f64,
    cube: DVec3,
}

impl Moving {
    fn new(draw: &mut Draw) -> Self {
        let [speed, acceleration] = [draw.between(0.0, 3.0), draw.between(0.0, 20.0)];
        let mut end = || [draw.vector(1.0), draw.vector(speed), draw.vector(acceleration)];
        let ends = [end(), end()];
        let [ball, cube] = [0.0, 0.1].map(|most| draw.between(0.0, most));
        let ball = if draw.below(2) == 0 { ball } else { draw.between(0.0, 0.1) };
        Self { ends, ball, cube: draw.vector(cube).abs() }
    }

    fn at(&self, t: f64) -> [DVec3; 2] {
        self.ends.map(|[c0, c1, c2]| c0 + c1 * t + c2 * (0.5 * t * t))
    }

    /// The largest deviation towards a direction.
    fn stray(&self, towards: DVec3) -> DVec3 {
        towards * self.ball + self.cube * towards.signum()
    }

    fn lss<T: Real>(&self, radius: f64) -> MovingLss<T> {
        let point = |c: [DVec3; 3]| PointBound { c: c.map(V3::new), ball: T::new(self.ball), cube: V3::new(self.cube) };
        MovingLss { ends: self.ends.map(point), radius: T::new(radius) }
    }

    /// The same at rest and exactly where it is planned.
    fn at_rest(&self) -> Self {
        let ends = self.ends.map(|[c0, ..]| [c0, DVec3::ZERO, DVec3::ZERO]);
        Self { ends, ball: 0.0, cube: DVec3::ZERO }
    }

    /// The same with numbers that f32 represents, and displaced.
    fn in_f32(&self, by: DVec3) -> Self {
        let short = |v: DVec3| v.as_vec3().as_dvec3();
        let ends = self.ends.map(|[c0, c1, c2]| [c0 + by, c1, c2].map(short));
        Self { ends, ball: f64::from(self.ball as f32), cube: short(self.cube) }
    }
}

/// Two moving segments.
struct Both {
    segments: [Moving; 2],
    h: f64,
}

impl Both {
    fn new(draw: &mut Draw) -> Self {
        Self { segments: [Moving::new(draw), Moving::new(draw)], h: draw.between(0.01, 0.3) }
    }

    /// The smallest distance at sampled times, if all ends stray towards the other segment.
    fn distance(&self) -> f64 {
        let [x, y] = &self.segments;
        let at_time = |i: i32| {
            let t = self.h * f64::from(i) / 16.0;
            let ([a, b], [c, d]) = (x.at(t), y.at(t));
            let (p, q) = on_segments(a, b, c, d);
            let towards = (q - p).normalize_or_zero();
            let (u, v) = (x.stray(towards), y.stray(-towards));
            let strayed = |share: f64| {
                let (p, q) = on_segments(a + u * share, b + u * share, c + v * share, d + v * share);
                p.distance(q)
            };
            (0..=4).map(|i| strayed(0.25 * f64::from(i))).fold(f64::INFINITY, f64::min)
        };
        (-16..=16).map(at_time).fold(f64::INFINITY, f64::min)
    }

    fn is_separated<T: FullReal>(&self, radii: [f64; 2]) -> bool {
        let [x, y] = &self.segments;
        moving_lss_misses::<T>(&x.lss(radii[0]), &y.lss(radii[1]), T::new(self.h)) == 1
    }
}

#[test]
fn separated_moving_spheres_stay_apart() {
    let mut draw = Draw::new(83);
    let (mut separated, mut kept) = (0, 0);
    for _ in 0..effort(200_000, 5_000_000) {
        let pair = Both::new(&mut draw);
        let radii = pair.distance() * draw.between(0.5, 1.1);
        let radius = radii * draw.unit();
        if pair.is_separated::<f64>([radius, radii - radius]) {
            separated += 1;
            assert!(radii < pair.distance(), "{:?}", pair.segments);
        } else {
            kept += 1;
        }
    }
    println!("{separated} separated, {kept} kept");
    assert!(separated > 10_000 && kept > 10_000);
}

/// Pairs that touch at a sampled time, near and far from the origin of coordinates: moving in any way, at rest, or
/// approaching each other so fast that their distance is small compared with their travel.
fn touching(draw: &mut Draw) -> (Both, [f64; 2]) {
    let far = [0.0, 3.0, 100.0][draw.below(3)];
    let by = draw.vector(far);
    let Both { segments, h } = Both::new(draw);
    let h = f64::from(h as f32);
    let kind = draw.below(3);
    let mut segments = if kind == 0 { segments } else { segments.map(|moving| moving.at_rest()) };
    if kind == 2 {
        let [[a, b], [c, d]] = segments.each_ref().map(|moving| moving.at(0.0));
        let (p, q) = on_segments(a, b, c, d);
        let velocity = (q - p) * ((1.0 - 0.1_f64.powf(draw.between(1.0, 5.0))) / h);
        segments[0].ends.iter_mut().for_each(|end| end[1] = velocity);
    }
    let pair = Both { segments: segments.map(|moving| moving.in_f32(by)), h };
    let distance = pair.distance();
    let radius = f64::from((distance * draw.unit()) as f32);
    let other = ((distance - radius).max(0.0) as f32).next_up().next_up();
    (pair, [radius, f64::from(other)])
}

#[test]
fn touching_spheres_are_never_separated_however_f32_rounds() {
    fn never<const MODE: u8>(draw: &mut Draw) {
        for _ in 0..effort(100_000, 2_000_000) {
            let (pair, radii) = touching(draw);
            assert!(!pair.is_separated::<Emulated<MODE>>(radii), "mode {MODE}: {radii:?} {:?}", pair.segments);
        }
    }
    let mut draw = Draw::new(85);
    never::<NEAREST>(&mut draw);
    never::<UP>(&mut draw);
    never::<TO_ZERO>(&mut draw);
    never::<FROM_ZERO>(&mut draw);
    never::<RANDOM>(&mut draw);
}

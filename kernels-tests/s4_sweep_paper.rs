//! The tessellated swept volume: every point of the exact surface is within ε of the triangles, and is behind them in
//! every direction. The exact surface is found by marching from outside by the distance from the moving axis, with the
//! oracle's own forward kinematics: no normal, pipe or cap is involved.

use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::chain::{self, Part};
use firstcontact::bvh::lss::Lss;
use firstcontact::robot::{JointMotion, RobotMotion};
use firstcontact::stage::s4_sweep::paper::{Budget, SweptSurface, tessellate, tessellate_with};
use glam::{DMat3, DVec3};
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use rayon::prelude::*;

/// A chain of joints, an axis and a radius on its last link, and a deviation.
struct Case {
    name: &'static str,
    parts: Vec<Part>,
    lss: Lss,
    epsilon_m: f64,
}

fn turn(axis: DVec3, at: DVec3, angle: f64) -> Part {
    Part::new(axis.normalize(), DMat3::IDENTITY, at, DVec3::ZERO, angle)
}

fn slide(way: DVec3) -> Part {
    Part::new(DVec3::Z, DMat3::IDENTITY, DVec3::ZERO, way, 0.0)
}

fn cases() -> Vec<Case> {
    let v = DVec3::new;
    let lss = |a: DVec3, b: DVec3, radius: f64| Lss { a, b, radius };
    let rod = lss(v(0.3, 0.0, 0.1), v(0.9, 0.1, 0.0), 0.1);
    let case = |name, parts, lss, epsilon_m| Case { name, parts, lss, epsilon_m };
    let mut draw = Draw::new(42);
    let six = (0..6).map(|_| {
        let way = if draw.below(3) == 0 { draw.vector(0.2) } else { DVec3::ZERO };
        Part::new(draw.direction(), draw.rotation(), draw.vector(0.25), way, draw.between(-0.6, 0.6))
    });
    let six: Vec<Part> = six.collect();
    vec![
        case("revolute", vec![turn(DVec3::Z, DVec3::ZERO, 1.2)], rod, 0.01),
        case(
            "revolute about its own end",
            vec![turn(DVec3::Z, DVec3::ZERO, 1.0)],
            lss(DVec3::ZERO, v(0.6, 0.0, 0.0), 0.08),
            0.01,
        ),
        case("revolute, fine", vec![turn(v(1.0, 2.0, 3.0), v(0.1, 0.0, 0.0), 0.5)], rod, 0.002),
        case(
            "more than a turn",
            vec![turn(v(0.0, 0.2, 1.0), DVec3::ZERO, 7.0)],
            lss(v(0.8, 0.0, 0.0), v(1.2, 0.0, 0.2), 0.07),
            0.02,
        ),
        case("prismatic", vec![slide(v(0.2, 0.7, 0.1))], rod, 0.01),
        case(
            "prismatic along itself",
            vec![slide(v(1.0, 0.0, 0.0))],
            lss(v(0.0, 0.0, 0.0), v(0.5, 0.0, 0.0), 0.1),
            0.01,
        ),
        case(
            "screw",
            vec![Part::new(DVec3::Z, DMat3::IDENTITY, DVec3::ZERO, v(0.0, 0.0, 0.6), 2.5)],
            lss(v(0.4, 0.0, 0.0), v(0.4, 0.1, 0.5), 0.06),
            0.01,
        ),
        case(
            "screw along its own axis",
            vec![Part::new(DVec3::Z, DMat3::IDENTITY, DVec3::ZERO, v(0.0, 0.0, 0.6), 2.5)],
            lss(v(0.0, 0.0, 0.1), v(0.0, 0.0, 0.5), 0.1),
            0.01,
        ),
        case("chain of six", six.clone(), lss(v(0.1, -0.1, 0.0), v(0.4, 0.2, 0.3), 0.09), 0.01),
        case("chain of six, a ball", six, lss(v(0.2, 0.1, 0.3), v(0.2, 0.1, 0.3), 0.12), 0.01),
        case(
            "turned about its own axis",
            vec![turn(DVec3::X, DVec3::ZERO, 2.0)],
            lss(v(0.1, 0.0, 0.0), v(0.7, 0.0, 0.0), 0.1),
            0.01,
        ),
        case(
            "about the middle of the axis",
            vec![turn(DVec3::Z, DVec3::ZERO, 1.5)],
            lss(v(-0.5, 0.0, 0.0), v(0.5, 0.0, 0.0), 0.05),
            0.01,
        ),
        case("still", vec![turn(DVec3::Z, DVec3::ZERO, 0.0)], rod, 0.005),
        case("nearly still", vec![turn(DVec3::Z, DVec3::ZERO, 1e-9)], rod, 0.005),
        case(
            "to and fro",
            vec![turn(DVec3::Z, DVec3::ZERO, 1.0), turn(DVec3::Z, v(0.5, 0.0, 0.0), -1.0)],
            lss(v(0.0, 0.0, 0.0), v(0.4, 0.0, 0.0), 0.05),
            0.01,
        ),
        case(
            "no radius",
            vec![turn(v(0.0, 1.0, 1.0), DVec3::ZERO, 0.8)],
            lss(v(0.3, 0.0, 0.0), v(0.8, 0.0, 0.0), 0.0),
            0.01,
        ),
    ]
}

impl Case {
    fn motion(&self) -> RobotMotion {
        let mut motion = RobotMotion::default();
        for (i, p) in self.parts.iter().enumerate() {
            let joint = JointMotion { a: p.a, b: p.b, c: p.k, origin_m: p.c, slide_m: p.s, w_rad: p.w };
            motion.push((i as u32).checked_sub(1), joint);
        }
        motion
    }

    fn tessellated(&self) -> SweptSurface {
        let motion = self.motion();
        let body = motion.joints.len() as u32 - 1;
        tessellate(&motion, body, &self.lss, [0.0, 1.0], self.epsilon_m)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn with(&self, budget: Budget) -> SweptSurface {
        let motion = self.motion();
        tessellate_with(&motion, motion.joints.len() as u32 - 1, &self.lss, [0.0, 1.0], budget).unwrap()
    }

    fn axis(&self, t: f64) -> [DVec3; 2] {
        [self.lss.a, self.lss.b].map(|e| chain::position(&self.parts, t, e))
    }
}

fn from_segment([a, b]: [DVec3; 2], p: DVec3) -> f64 {
    let d = b - a;
    let s = if d == DVec3::ZERO { 0.0 } else { ((p - a).dot(d) / d.length_squared()).clamp(0.0, 1.0) };
    (a + d * s - p).length()
}

/// The exact swept volume, represented by the axis at many times.
struct Exact<'a> {
    case: &'a Case,
    axes: Vec<[DVec3; 2]>,
}

const TIMES: usize = 400;

impl<'a> Exact<'a> {
    fn new(case: &'a Case) -> Self {
        Self { case, axes: (0..=TIMES).map(|i| case.axis(i as f64 / TIMES as f64)).collect() }
    }

    /// Distance from the moving axis: at the sampled times, then between the neighbours of the nearest one by
    /// golden-section search.
    fn distance(&self, p: DVec3) -> f64 {
        let (mut best, mut at) = (f64::INFINITY, 0);
        for (i, axis) in self.axes.iter().enumerate() {
            let d = from_segment(*axis, p);
            if d < best {
                (best, at) = (d, i);
            }
        }
        let time = |i: usize| i as f64 / TIMES as f64;
        let (mut lo, mut hi) = (time(at.saturating_sub(1)), time((at + 1).min(TIMES)));
        let golden = 0.6180339887498949;
        let f = |t: f64| from_segment(self.case.axis(t), p);
        let (mut x, mut y) = (hi - golden * (hi - lo), lo + golden * (hi - lo));
        let (mut fx, mut fy) = (f(x), f(y));
        for _ in 0..24 {
            if fx < fy {
                (hi, y, fy) = (y, x, fx);
                x = hi - golden * (hi - lo);
                fx = f(x);
            } else {
                (lo, x, fx) = (x, y, fy);
                y = lo + golden * (hi - lo);
                fy = f(y);
            }
        }
        best.min(fx).min(fy)
    }

    /// A random point of the boundary: marches from far away towards a random point of the axis until the distance
    /// equals the radius.
    fn boundary(&self, draw: &mut Draw) -> DVec3 {
        let [a, b] = self.case.axis(draw.unit());
        let inside = a + (b - a) * draw.unit();
        let way = draw.direction();
        let mut from = 20.0;
        for _ in 0..400 {
            let step = self.distance(inside + way * from) - self.case.lss.radius;
            if step < 1e-10 {
                break;
            }
            from -= step;
        }
        inside + way * from.max(0.0)
    }
}

/// The greatest distance of points of the exact surface from the triangles, divided by ε; and the greatest reach of the
/// exact volume beyond the triangles in some direction, in metres.
fn deviation(case: &Case, surface: &SweptSurface, n: usize) -> [f64; 2] {
    let vertices = || surface.triangles.iter().flatten();
    assert!(vertices().all(|v| v.is_finite()), "{}", case.name);
    let points = vertices().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let indices = (0..surface.triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = TriMesh::new(points, indices).unwrap();
    let exact = Exact::new(case);
    let farthest = (0..n.div_ceil(64) as u64).into_par_iter().map(|block| {
        let mut draw = Draw::new(1000 + block);
        (0..64).fold(0.0, |most: f64, _| {
            let p = exact.boundary(&mut draw);
            let near = mesh.project_local_point(Vector::new(p.x, p.y, p.z), false).point;
            most.max((DVec3::new(near.x, near.y, near.z) - p).length())
        })
    });
    let farthest = farthest.reduce(|| 0.0, f64::max);
    let mut draw = Draw::new(7);
    let mut beyond = f64::NEG_INFINITY;
    for _ in 0..n.min(2000) {
        let way = draw.direction();
        let support =
            |points: &mut dyn Iterator<Item = DVec3>| points.fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(way)));
        let volume = support(&mut exact.axes.iter().flatten().copied()) + case.lss.radius;
        beyond = beyond.max(volume - support(&mut vertices().copied()));
    }
    [farthest / case.epsilon_m, beyond]
}

#[test]
fn the_exact_surface_is_within_epsilon_of_the_triangles() {
    for case in cases() {
        let surface = case.tessellated();
        let [farthest, beyond] = deviation(&case, &surface, effort(640, 100_000));
        println!(
            "{:30} {:8} triangles, {:5} sheets, {:4} pipes, {:4} round; {farthest:.3} ε, {beyond:+.2e} m",
            case.name,
            surface.triangles.len(),
            surface.n_sheets,
            surface.n_pipes,
            surface.n_round
        );
        assert!(farthest <= 1.0, "{}: {farthest} ε", case.name);
        assert!(beyond <= 1e-12, "{}: {beyond} m beyond the triangles", case.name);
    }
}

/// Half as many steps give four times the deviation.
#[test]
fn half_as_many_steps_are_too_few() {
    let mut caught = 0;
    for case in cases() {
        let right = Budget::new(case.epsilon_m);
        let surface = case.with(Budget { tolerance_m: 4.0 * right.tolerance_m, ..right });
        let [farthest, beyond] = deviation(&case, &surface, effort(320, 4000));
        caught += usize::from(farthest > 1.0 || beyond > 1e-12);
    }
    println!("caught in {caught} of {} cases", cases().len());
    assert!(caught >= 8, "{caught}");
}

#[test]
fn too_little_growth_of_the_radius_fails_to_enclose_the_volume() {
    let mut caught = 0;
    for case in cases() {
        let right = Budget::new(case.epsilon_m);
        let surface = case.with(Budget { growth_m: 1e-3 * right.growth_m, ..right });
        caught += usize::from(deviation(&case, &surface, 64)[1] > 1e-12);
    }
    println!("caught in {caught} of {} cases", cases().len());
    assert!(caught >= 10, "{caught}");
}

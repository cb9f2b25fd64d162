//! Contacts placed where a feature of a link passes at a known time are in every window, for elementary equations and
//! for pairs of triangles, one at a time and in parallel lanes.

use crate::effort;
use crate::harness::models::{Draw, RobotKind, motion, robot};
use crate::harness::truth::position;
use firstcontact::arith::lanes::Lanes;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::{FullReal, Real};
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::contraction::{
    Side, Standing, Window, edge_edge, face_vertex, triangle_sides, triangles, vertex_face,
};
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::robot::RobotMotion;
use glam::DVec3;

/// The features placed in the path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    VertexFace,
    FaceVertex,
    EdgeEdge,
    /// Two edges that are parallel when they touch.
    ParallelEdges,
    /// A vertex that reaches the border of a face in the face's own plane.
    Coplanar,
}

const WAYS: [Way; 5] = [Way::VertexFace, Way::FaceVertex, Way::EdgeEdge, Way::ParallelEdges, Way::Coplanar];

/// A contact at a known time.
#[derive(Clone, Copy, Debug)]
struct Implant {
    way: Way,
    t: f64,
    /// The link's triangle in its frame, its reach, and the scene's triangle.
    e: [DVec3; 3],
    reach: f64,
    y: [DVec3; 3],
}

/// Shares of three corners: inside, on an edge, or at a corner.
fn shares(draw: &mut Draw) -> [f64; 3] {
    let (a, b) = (draw.unit(), draw.unit());
    match draw.below(4) {
        0 => [1.0, 0.0, 0.0],
        1 => [0.0, a, 1.0 - a],
        _ => [a * b, a * (1.0 - b), 1.0 - a],
    }
}

fn implant(draw: &mut Draw, motion: &RobotMotion, body: u32, far: DVec3, size: f64) -> Implant {
    let way = WAYS[draw.below(WAYS.len())];
    let t = [0.0, 1.0, draw.unit(), draw.unit(), draw.unit()][draw.below(5)];
    let e: [DVec3; 3] = std::array::from_fn(|_| draw.vector(0.5) + far);
    let at = |p: DVec3| position(motion, body, p, t);
    let x = e.map(at);
    let velocity =
        |p: DVec3| position(motion, body, p, (t + 1e-4).min(1.0)) - position(motion, body, p, (t - 1e-4).max(0.0));
    let mut aside = || draw.direction() * size;
    let (a, b) = (aside(), aside());
    let [u, v, w] = shares(draw);
    let y = match way {
        Way::VertexFace => {
            // The corners around the vertex such that it has these shares.
            let inside = a * v + b * w;
            [x[0] - inside, x[0] + a - inside, x[0] + b - inside]
        }
        Way::FaceVertex => [x[0] * u + x[1] * v + x[2] * w, a, b],
        Way::EdgeEdge => {
            let (s, r) = (draw.unit(), draw.unit());
            let on = x[0] + (x[1] - x[0]) * s;
            [on - a * r, on + a * (1.0 - r), on + b]
        }
        Way::ParallelEdges => {
            let along = (x[1] - x[0]) * draw.between(0.3, 2.0);
            let on = x[0] + (x[1] - x[0]) * draw.unit();
            [on - along * draw.unit(), on + along * draw.unit(), on + b]
        }
        Way::Coplanar => {
            let ahead = velocity(e[0]).try_normalize().unwrap_or(DVec3::X) * size;
            let across = a - ahead * (a.dot(ahead) / ahead.length_squared());
            [x[0] - across * draw.unit(), x[0] + across * draw.unit(), x[0] + ahead]
        }
    };
    let y = if way == Way::FaceVertex { [y[0], y[0] + a, y[0] + b] } else { y };
    let reach = e.iter().fold(0.0, |m: f64, p| m.max(p.length())) * (1.0 + 1e-12);
    Implant { way, t, e, reach, y }
}

/// A random interval around the contact, often one that starts or ends there.
fn interval(draw: &mut Draw, t: f64) -> (f64, f64) {
    let width = 10f64.powf(draw.between(-10.0, -0.5));
    let before = [0.0, 1.0, draw.unit(), draw.unit()][draw.below(4)];
    let (t0, t1) = ((t - before * width).max(0.0), (t + (1.0 - before) * width).min(1.0));
    let mid = 0.5 * (t0 + t1);
    (mid, (t1 - mid).max(mid - t0) * (1.0 + 2.0 * f64::EPSILON))
}

/// The windows of the equation that is known to hold, and of the whole pair.
fn windows<T: FullReal>(way: Way, x: &[PointBound<T>; 3], y: &[V3<T>; 3], h: T, look: T) -> [Window<T>; 2] {
    let origin = y[0];
    let zero = T::new(0.0);
    let all = u32::MAX >> (32 - T::LANES);
    let equation = match way {
        Way::VertexFace | Way::Coplanar => {
            vertex_face(&Side::new(&[x[0]], origin, h, look, 0.0), &Standing::new(y, zero, origin), h, all)
        }
        Way::FaceVertex => {
            face_vertex(&Side::new(x, origin, h, look, 0.0), &Standing::new(&[y[0]], zero, origin), h, all)
        }
        Way::EdgeEdge | Way::ParallelEdges => {
            let x = Side::new(&[x[0], x[1]], origin, h, look, 0.0);
            edge_edge(&x, &Standing::new(&[y[0], y[1]], zero, origin), h, all)
        }
    };
    let (x, y) = triangle_sides(x, &StaticTriangle { y: *y, error: zero }, h, look, 0.0);
    [equation, triangles(&x, &y, h, all)]
}

/// The defect of the bounds used in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mutant {
    None,
    /// The balls, which contain remainder and rounding, are empty.
    NoBall,
    /// The acceleration is omitted, and the ball is that of the jet with it.
    NoAcceleration,
    /// A point's velocity is omitted.
    NoVelocity,
}

/// Counts implants that are outside their window; returns this number and the total.
fn run(seed: u64, n: usize, degrees: f64, far: f64, mutant: Mutant) -> (usize, usize) {
    let (mut missed, mut seen) = (0, 0);
    let mut draw = Draw::new(seed);
    while seen < n {
        let kind = RobotKind { n_bodies: 1 + draw.below(12), link_m: 0.4, n_triangles: 0, mixed: true };
        let robot = robot(&mut draw, kind);
        let (q0, q1) = motion(&mut draw, &robot, degrees.to_radians(), 0.5);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        for _ in 0..32 {
            let body = draw.below(motion.joints.len()) as u32;
            let away = draw.direction() * far * draw.unit();
            let size = 10f64.powf(draw.between(-3.0, 1.0));
            let i = implant(&mut draw, &motion, body, away, size);
            let (mid, h) = interval(&mut draw, i.t);
            let bound = motion.body_bound(body, mid, h);
            let mut x = i.e.map(|e| bound.point(V3::new(e), i.reach));
            for p in &mut x {
                match mutant {
                    Mutant::None => {}
                    Mutant::NoBall => p.ball = 0.0,
                    Mutant::NoAcceleration => p.c[2] = V3::zero(),
                    Mutant::NoVelocity => p.c[1] = V3::zero(),
                }
            }
            let look = [0.0, i.t - mid, draw.between(-h, h)][draw.below(3)].clamp(-h, h);
            let y = i.y.map(V3::new);
            let found = windows(i.way, &x, &y, h, look);
            let tau = i.t - mid;
            let holds = |w: &Window<f64>| w.lo <= tau.next_up() && w.hi >= tau.next_down();
            missed += usize::from(!found.iter().all(holds));
            if mutant == Mutant::None {
                assert!(found.iter().all(holds), "{i:?} at {tau:e} of {h:e}: {found:?}");
                side_by_side(&i, &x, &y, h, look, &found);
            }
            seen += 1;
        }
    }
    (missed, seen)
}

/// The same bits in each of eight lanes.
fn side_by_side(i: &Implant, x: &[PointBound<f64>; 3], y: &[V3<f64>; 3], h: f64, look: f64, found: &[Window<f64>; 2]) {
    type L = Lanes<8>;
    let vector = |v: V3<f64>| V3(v.0.map(L::new));
    let x = x.map(|p| PointBound { c: p.c.map(vector), ball: L::new(p.ball), cube: vector(p.cube) });
    let wide = windows(i.way, &x, &y.map(vector), L::new(h), L::new(look));
    for (wide, one) in wide.iter().zip(found) {
        for lane in 0..8 {
            // An empty window may be detected at an earlier or a later axis.
            let both_empty = one.lo > one.hi && wide.lo.0[lane] > wide.hi.0[lane];
            assert!(both_empty || (wide.lo.0[lane], wide.hi.0[lane]) == (one.lo, one.hi), "{i:?} {wide:?} {one:?}");
        }
    }
}

#[test]
fn no_contact_is_outside_of_its_window() {
    for (k, degrees) in [5.0, 30.0, 60.0].into_iter().enumerate() {
        run(k as u64, effort(30_000, 334_000), degrees, 0.0, Mutant::None);
        run(10 + k as u64, effort(10_000, 50_000), degrees, 1e3, Mutant::None);
    }
}

#[test]
fn bounds_that_lack_a_term_lose_contacts() {
    for mutant in [Mutant::NoBall, Mutant::NoAcceleration, Mutant::NoVelocity] {
        let (missed, seen) = run(20, 4000, 60.0, 0.0, mutant);
        println!("{mutant:?}: {missed} of {seen} contacts lost");
        assert!(missed > 20, "{mutant:?}: {missed} of {seen}");
    }
}

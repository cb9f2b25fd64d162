//! Balls contain the parts of motions for which they are computed.

use crate::effort;
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use firstcontact::robot::RobotMotion;
use firstcontact::toleranced::bezier::Bezier;
use firstcontact::toleranced::enclosure::{Map, Vector, middle};
use firstcontact::toleranced::metric::{Feature, Metric};
use firstcontact::toleranced::motion::{Motion, Span};
use firstcontact::toleranced::smooth::{
    JointCourse, Smooth, arc_radius, chord_is_diameter, chord_radius, middle_radius,
};
use glam::DVec3;

const TV1: [([f64; 3], f64); 4] =
    [([0.0, 0.0, 0.0], 1.0), ([2.0, 0.0, 0.0], 2.0), ([0.0, 1.0, 0.0], 1.5), ([0.0, 0.0, 0.5], 0.5)];

fn features(points: &[([f64; 3], f64)]) -> Vec<Feature> {
    points.iter().map(|(at, weight)| Feature { at: *at, weight: *weight }).collect()
}

fn near(x: f64, y: f64, tolerance: f64) {
    assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} against {y}");
}

/// Independently computed numbers: mass, distortion rates, distances.
#[test]
fn a_metric_from_four_points() {
    let metric = Metric::new(&features(&TV1)).unwrap();
    for (at, rho2) in [([1.0, 1.0, 1.0], 15.041666666666667), ([0.5, 0.2, 0.1], 0.26041666666666667), ([0.0; 3], 1.0)] {
        near(middle(metric.rho2(Vector::exact(at))), rho2, 1e-13);
    }
    let turned = Map::from_rows([[0.8, -0.6, 0.0, 0.1], [0.6, 0.8, 0.0, -0.2], [0.0, 0.0, 1.0, 0.3]]);
    near(metric.norm(&turned.minus(&Map::identity())).powi(2), 3.32, 1e-13);
    // A line on which the hyperboloid does not exist at R = 0.5.
    let d = Vector::exact([1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    near(middle(d.dot(metric.distort(d))), 8.5601851851851852, 1e-13);
    // Scaled weights give the same result.
    let heavy: Vec<_> = features(&TV1).iter().map(|f| Feature { weight: 8.0 * f.weight, ..*f }).collect();
    let heavy = Metric::new(&heavy).unwrap();
    let delta = turned.minus(&Map::identity());
    let x = Vector::exact([0.3, -0.4, 0.2]);
    let reach = |m: &Metric| m.norm(&delta) * middle(m.rho2(x)).sqrt();
    near(reach(&metric), reach(&heavy), 1e-13);
}

/// Four points of equal mass that represent any body: with `J = L Lᵀ` at `s ± L(σ)/√m`.
#[test]
fn four_points_represent_any_body() {
    let mut draw = Draw::new(711);
    for _ in 0..200 {
        let points: Vec<_> = (0..8).map(|_| (draw.vector(1.0).to_array(), draw.between(0.2, 2.0))).collect();
        let metric = Metric::new(&features(&points)).unwrap();
        let (m, s) = (middle(metric.mass), metric.centre.middle());
        let j = metric.inertia.map(|r| r.map(middle));
        let mut l = [[0.0f64; 3]; 3];
        for i in 0..3 {
            for k in 0..=i {
                let sum: f64 = (0..k).map(|n| l[i][n] * l[k][n]).sum();
                l[i][k] = if i == k { (j[i][i] - sum).sqrt() } else { (j[i][k] - sum) / l[k][k] };
            }
        }
        let four: Vec<_> = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
            .map(|sigma| {
                let at: [f64; 3] =
                    std::array::from_fn(|i| s[i] + (0..3).map(|k| l[i][k] * sigma[k]).sum::<f64>() / m.sqrt());
                (at, m / 4.0)
            })
            .to_vec();
        let same = Metric::new(&features(&four)).unwrap();
        let mut row =
            || [draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), draw.between(-1.0, 1.0)];
        let delta = Map::from_rows([row(), row(), row()]);
        near(metric.norm(&delta), same.norm(&delta), 1e-12);
        let x = Vector::exact(draw.vector(1.0).to_array());
        near(middle(metric.rho2(x)), middle(same.rho2(x)), 1e-10);
        // The boxes' closed form equals the sum over eight corners.
        let (c, h) = (draw.vector(1.0).to_array(), draw.vector(1.0).abs().to_array());
        let corner = |k: usize| std::array::from_fn(|i| c[i] + if k >> i & 1 == 1 { 2.0 * h[i] } else { -2.0 * h[i] });
        let eight = Metric::new(&features(&(0..8).map(|k| (corner(k), 1.0)).collect::<Vec<_>>())).unwrap();
        near(Metric::of_box(c, h, 2.0).norm(&delta), eight.norm(&delta), 1e-12);
        let x = Vector::exact(std::array::from_fn(|i| c[i] + h[i] * draw.between(-1.0, 1.0)));
        assert!(middle(eight.rho2(x)) <= (1.0 + 3.0 / 4.0) / 8.0 + 1e-12);
    }
}

/// The distance of two maps, computed from the features.
fn dist(points: &[([f64; 3], f64)], a: impl Fn(DVec3) -> DVec3, b: impl Fn(DVec3) -> DVec3) -> f64 {
    let each = points.iter().map(|(p, w)| {
        // The second first: Rust 1.95 passes `p` itself to a closure that it inlines, and a closure that modifies its
        // argument modifies `p`.
        let y = b(DVec3::from_array(*p));
        let x = a(DVec3::from_array(*p));
        w * (x - y).length_squared()
    });
    each.sum::<f64>().sqrt()
}

fn apply(map: &Map, p: DVec3) -> DVec3 {
    DVec3::from_array(map.point(Vector::exact(p.to_array())).0.map(middle))
}

#[test]
fn balls_of_bezier_motions_contain_them() {
    let mut draw = Draw::new(712);
    let mut tightest = 0f64;
    for _ in 0..effort(300, 5_000) {
        let n = 1 + draw.below(4);
        let degree = 2 * n;
        let points: Vec<_> = (0..6).map(|_| (draw.vector(1.0).to_array(), draw.between(0.2, 2.0))).collect();
        let metric = Metric::new(&features(&points)).unwrap();
        // Rigid motions, and affine ones with very unequal weights.
        let motion = if draw.below(2) == 0 {
            let q: Vec<_> = (0..=n)
                .map(|_| [1.0, draw.between(-0.7, 0.7), draw.between(-0.7, 0.7), draw.between(-0.7, 0.7)])
                .collect();
            let a: Vec<_> = (0..=degree).map(|_| draw.vector(2.0).to_array()).collect();
            Bezier::rigid(&q, &a).unwrap()
        } else {
            let maps: Vec<_> =
                (0..=degree).map(|_| [0, 1, 2].map(|_| [0, 1, 2, 3].map(|_| draw.between(-1.0, 1.0)))).collect();
            let weights: Vec<_> = (0..=degree).map(|_| 10f64.powf(draw.between(-1.0, 1.0))).collect();
            Bezier::new(&maps, &weights).unwrap()
        };
        let level = draw.below(5) as u32;
        let span = Span { level, index: draw.below(1 << level) as u64 };
        let Some(ball) = motion.piece(span).and_then(|p| p.ball(&Map::identity(), &metric)) else { continue };
        let mut farthest = 0f64;
        for k in 0..16u64 {
            let inner = Span { level: span.level + 4, index: span.index * 16 + k };
            let pose = super::pose(&motion, inner);
            farthest = farthest.max(dist(&points, |p| apply(&pose, p), |p| apply(&ball.centre, p)));
        }
        assert!(farthest <= ball.radius, "{farthest} {}", ball.radius);
        let pose = super::pose(&motion, span);
        assert!(dist(&points, |p| apply(&pose, p), |p| apply(&ball.centre, p)) <= ball.middle_radius);
        tightest = tightest.max(farthest / ball.radius);
    }
    println!("the farthest sample reaches {tightest:.4} of a radius");
    assert!(tightest > 0.5);
}

/// Links of random robots, sliding and free joints among them.
#[test]
fn balls_of_articulated_motions_contain_them() {
    let mut draw = Draw::new(713);
    let mut tightest = 0f64;
    for _ in 0..effort(400, 5_000) {
        let kind = RobotKind { n_bodies: 1 + draw.below(6), link_m: 0.4, n_triangles: 1, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let angle = [0.05, 0.5, 2.0][draw.below(3)];
        let (q0, q1) = models::motion(&mut draw, &robot, angle, 0.3);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let body = draw.below(robot.bodies.len()) as u32;
        let points: Vec<_> = (0..6).map(|_| (draw.vector(0.5).to_array(), draw.between(0.2, 2.0))).collect();
        let metric = Metric::new(&features(&points)).unwrap();
        let level = draw.below(6) as u32;
        let span = Span { level, index: draw.below(1 << level) as u64 };
        let course = JointCourse { motion: &motion, body };
        let ball = course.piece(span).and_then(|p| p.ball(&Map::identity(), &metric)).unwrap();
        let mut farthest = 0f64;
        for k in 0..=16 {
            let t = span.start() + span.length() * f64::from(k) / 16.0;
            let at = dist(&points, |p| position(&motion, body, p, t), |p| apply(&ball.centre, p));
            assert!(at <= ball.radius + 1e-13, "{at} {} at {t}", ball.radius);
            if k == 8 {
                assert!(at <= ball.middle_radius + 1e-13);
            }
            farthest = farthest.max(at);
        }
        if level > 2 && ball.radius > 1e-6 {
            tightest = tightest.max(farthest / ball.radius);
        }
    }
    println!("the farthest sample reaches {tightest:.4} of a radius");
    assert!(tightest > 0.9);
}

/// A helix given by value, velocity and a bound on its acceleration.
#[test]
fn balls_of_smooth_motions_contain_them() {
    let (w, pitch) = (3.0f64, 0.4);
    let at = |t: f64| {
        let (s, c) = (w * t).sin_cos();
        let value = [[c, -s, 0.0, c], [s, c, 0.0, s], [0.0, 0.0, 1.0, pitch * t]];
        let speed = [[-w * s, -w * c, 0.0, -w * s], [w * c, -w * s, 0.0, w * c], [0.0, 0.0, 0.0, pitch]];
        [value, speed]
    };
    let motion = Smooth { at, error_m: [1e-15, 1e-15], acceleration_m: [w * w * 1.000_001; 2] };
    let metric = Metric::new(&features(&TV1)).unwrap();
    for level in 0..6 {
        for index in 0..1 << level {
            let span = Span { level, index };
            let ball = motion.piece(span).and_then(|p| p.ball(&Map::identity(), &metric)).unwrap();
            for k in 0..=20 {
                let pose = Map::from_rows(at(span.start() + span.length() * f64::from(k) / 20.0)[0]);
                let far = metric.norm(&pose.minus(&ball.centre));
                assert!(far <= ball.radius, "{far} {}", ball.radius);
            }
        }
    }
}

/// A planar arm of two joints, computed independently.
#[test]
fn radii_from_speed_and_acceleration() {
    let (v, a, h) = (2.3647740185701791, 3.0409154594305265, 0.5);
    near(arc_radius(v * h), 0.59119350464254477, 1e-14);
    // The speed in the middle that corresponds to the second-order radius.
    let speed = (0.272324803888 - a * h * h / 8.0) * 2.0 / h;
    near(middle_radius(speed, h, a), 0.272324803888, 1e-12);
    // Half the chord must not be used: it is shorter than a h²/2.
    let chord = 2.0 * 0.17676509721630484;
    assert!(chord < a * h * h / 2.0 && chord_radius(chord, h, a) > 0.5 * chord);
    near(chord_radius(chord, h, a), chord * chord / (2.0 * a * h * h) + a * h * h / 8.0, 1e-13);
    near(chord_radius(1.0, h, a), 0.5, 1e-13);
}

/// Arcs of a helix of curvature one: the ball over the chord contains them up to half a turn, and no longer; the
/// published ball on a tangent contains them too, and is never smaller than that about the middle.
#[test]
fn arcs_lie_in_the_balls_of_their_chords() {
    let mut draw = Draw::new(714);
    for _ in 0..effort(500, 10_000) {
        let rise: f64 = draw.between(0.0, 1.0);
        let scale = 1.0 / (1.0 + rise * rise);
        // Curvature r/(r² + rise²) with r = 1, in arc length.
        let speed = (1.0 + rise * rise).sqrt();
        let c = |l: f64| DVec3::new((l / speed).cos(), (l / speed).sin(), rise * l / speed);
        let length = draw.between(0.1, 3.2) / scale;
        let holds = |centre: DVec3, radius: f64| {
            (0..=100).all(|k| c(length * f64::from(k) / 100.0).distance(centre) <= radius * (1.0 + 1e-12))
        };
        let chord = c(length).distance(c(0.0));
        if chord_is_diameter(length, scale) {
            assert!(holds((c(0.0) + c(length)) * 0.5, 0.5 * chord));
        }
        assert!(holds(c(0.5 * length), arc_radius(length)));
        let bend = length * scale;
        if bend < 2.6 {
            let radius = (0.5 * bend).tan() / scale;
            let tangent = (c(1e-7) - c(-1e-7)) / 2e-7;
            assert!(holds(c(0.0) + tangent * radius, radius * (1.0 + 1e-6)));
            assert!(radius >= arc_radius(length) * (1.0 - 1e-12));
        }
    }
    // An arc of 3.3 on a circle is outside of the ball over its chord.
    assert!(!chord_is_diameter(3.3, 1.0));
    let (chord, far) = (2.0 * 1.65f64.sin(), 1.0 - 1.65f64.cos());
    near(far / (0.5 * chord), 1.0825, 1e-4);
    assert!(far > 0.5 * chord);
}

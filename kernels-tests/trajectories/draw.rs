//! Seeded random arms, objects and trajectories.

use super::course::Course;
use super::curve::{Trajectory, Waypoint};
use crate::harness::models::Draw;
use crate::link_pairs::mechanism::Mechanism;
use crate::oracle::scene::Object;
use crate::oracle::urdf::Kind;
use glam::{DAffine3, DQuat, DVec3};

/// Largest angle and length at the start.
const START: [f64; 2] = [1.5, 0.15];

/// The data of a random trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// Straight, without times.
    Straight,
    /// Straight, with times.
    Timed,
    Cubic,
    Quintic,
    /// Each waypoint without velocity, with it, or with acceleration, too.
    Mixed,
}

impl Style {
    pub const ALL: [Self; 5] = [Self::Mixed, Self::Quintic, Self::Straight, Self::Cubic, Self::Timed];

    /// Returns whether a waypoint has a velocity and an acceleration.
    fn has(self, draw: &mut Draw) -> [bool; 2] {
        match self {
            Self::Straight | Self::Timed => [false, false],
            Self::Cubic => [true, false],
            Self::Quintic => [true, true],
            Self::Mixed => [[false, false], [true, false], [true, true], [true, true]][draw.below(4)],
        }
    }
}

/// An arm of 3 to 6 joints on a base without shape; about a quarter of them slide, and some links have no shape.
pub fn arm(draw: &mut Draw) -> Mechanism {
    let mut arm = Mechanism::default().link("base", vec![]);
    branch(draw, &mut arm, "", DVec3::ZERO);
    arm
}

/// An arm whose root moves freely.
pub fn flying_arm(draw: &mut Draw) -> Mechanism {
    let mut arm = Mechanism::default().link("world", vec![]).link("base", vec![]);
    arm = arm.joint(("fly", "floating"), ("world", "base"), DVec3::ZERO, DVec3::X);
    branch(draw, &mut arm, "", DVec3::ZERO);
    arm
}

/// Two arms whose roots are 24 cm apart.
pub fn two_arms(draw: &mut Draw) -> Mechanism {
    let mut arms = Mechanism::default().link("base", vec![]);
    branch(draw, &mut arms, "left ", DVec3::new(-0.12, 0.0, 0.0));
    branch(draw, &mut arms, "right ", DVec3::new(0.12, 0.0, 0.0));
    arms
}

fn branch(draw: &mut Draw, arm: &mut Mechanism, side: &str, root: DVec3) {
    let mut above = "base".to_owned();
    let n = 3 + draw.below(4);
    for k in 0..n {
        let (link, joint) = (format!("{side}link{k}"), format!("{side}joint{k}"));
        let along = 0.2 * draw.direction();
        let n_triangles = if draw.below(6) == 0 && k + 1 < n { 0 } else { 3 + draw.below(4) };
        let triangles = (0..n_triangles).map(|_| {
            let about = draw.unit() * along;
            [0; 3].map(|_| about + draw.vector(0.08))
        });
        let triangles = triangles.collect();
        let place = if k == 0 { root } else { 0.2 * draw.direction() };
        let origin = DAffine3 { matrix3: draw.rotation(), translation: place };
        let kind = if draw.below(4) == 0 { "prismatic" } else { "continuous" };
        let axis = draw.direction();
        let grown = std::mem::take(arm).link(&link, triangles).joint((&joint, kind), (&above, &link), origin, axis);
        *arm = grown;
        above = link;
    }
}

/// Objects of scattered triangles around the origin.
pub fn objects(draw: &mut Draw) -> Vec<Object> {
    let object = |i: usize| {
        let about = draw.between(0.2, 0.7) * draw.direction();
        let triangles = (0..5).map(|_| {
            let at = about + draw.vector(0.15);
            [0; 3].map(|_| at + draw.vector(0.11))
        });
        Object { name: format!("thing{i}"), triangles: triangles.collect() }
    };
    (0..7).map(object).collect()
}

/// A trajectory of these numbers of segments from a start that is clear by 1 mm, if a few tries find one.
pub fn trajectory(draw: &mut Draw, course: &Course, style: Style, n_segments: usize) -> Trajectory {
    let is_clear = |q: &Vec<f64>| {
        let t = Trajectory::straight(std::slice::from_ref(q));
        course.clearance(&t.nominal(), 0.0, 1e-3) >= 1e-3
    };
    let tries: Vec<_> = (0..30).map(|_| row(draw, course, START)).collect();
    let start = tries.iter().find(|q| is_clear(q)).unwrap_or(&tries[0]).clone();
    onward(draw, course, style, start, n_segments)
}

/// A trajectory from any start.
pub fn from_anywhere(draw: &mut Draw, course: &Course, style: Style, n_segments: usize) -> Trajectory {
    let start = row(draw, course, START);
    onward(draw, course, style, start, n_segments)
}

/// A random walk of the waypoints.
fn onward(draw: &mut Draw, course: &Course, style: Style, start: Vec<f64>, n_segments: usize) -> Trajectory {
    let (mut at, mut time_s, mut t) = (start, draw.between(0.0, 0.5), Trajectory::default());
    let mut times_s = Vec::new();
    let stride = draw.between(0.1, 0.6) * (6.0 / n_segments as f64).sqrt();
    for _ in 0..=n_segments {
        let [moves, speeds_up] = style.has(draw);
        let velocity = moves.then(|| row(draw, course, [0.8, 0.2]));
        let acceleration = speeds_up.then(|| row(draw, course, [2.0, 0.5]));
        t.points.push(Waypoint { position: at.clone(), velocity, acceleration });
        times_s.push(time_s);
        time_s += draw.between(0.3, 1.2);
        at.iter_mut().zip(row(draw, course, [stride, 0.3 * stride])).for_each(|(q, d)| *q += d);
    }
    t.times_s = (style != Style::Straight).then_some(times_s);
    t
}

/// Straight segments of a [`flying_arm`], from a start that is clear by 1 mm if a few tries find one.
pub fn flight(draw: &mut Draw, course: &Course, n_segments: usize) -> Trajectory {
    let one = |draw: &mut Draw| {
        let (mut place, mut turn) = (draw.vector(0.3), DQuat::from_mat3(&draw.rotation()).normalize());
        let mut arm = row(draw, course, START);
        let mut rows = Vec::new();
        for _ in 0..=n_segments {
            rows.push([&place.to_array()[..], &turn.to_array(), &arm[7..]].concat());
            let axis = draw.direction();
            place += draw.vector(0.2);
            turn = (DQuat::from_axis_angle(axis, draw.between(-1.0, 1.0)) * turn).normalize();
            arm.iter_mut().zip(row(draw, course, [0.3, 0.1])).for_each(|(q, d)| *q += d);
        }
        Trajectory::straight(&rows)
    };
    let tries: Vec<_> = (0..30).map(|_| one(draw)).collect();
    let is_clear = |t: &&Trajectory| course.clearance(&t.nominal(), 0.0, 1e-3) >= 1e-3;
    tries.iter().find(is_clear).unwrap_or(&tries[0]).clone()
}

/// Values for all columns, up to the first size for angles and the second for lengths.
fn row(draw: &mut Draw, course: &Course, [angle, length]: [f64; 2]) -> Vec<f64> {
    let size = |kind: &Kind| if *kind == Kind::Sliding { length } else { angle };
    course.robot.columns.iter().map(|(_, kind)| size(kind)).map(|s| draw.between(-s, s)).collect()
}

/// Trajectories of 4 to 12 segments of all styles in turn.
pub fn trajectories(draw: &mut Draw, course: &Course, n: usize) -> Vec<Trajectory> {
    let one = |i: usize| {
        let n_segments = 4 + draw.below(9);
        trajectory(draw, course, Style::ALL[i % 5], n_segments)
    };
    (0..n).map(one).collect()
}

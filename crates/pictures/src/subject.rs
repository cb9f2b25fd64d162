//! The subject of a picture: the robot's poses at several times of the motion, and the points that must be visible.

use super::course::Course;
use firstcontact::engine::Engine;
use firstcontact::error::Result;
use firstcontact::robot::{Link, Triangle};
use firstcontact::scene::world::CollisionWorld;
use firstcontact::verdict::{ContactPoint, TrajectoryVerdict};
use glam::{DAffine3, DVec3};

/// Number of times of a motion that the frame covers.
const MOMENTS: usize = 17;
/// Maximum number of points that represent the moving parts.
const MAX_POINTS: usize = 6000;
/// Maximum number of points that represent the surface of the robot.
const MAX_SCATTERED: usize = 1000;
/// The rest of the robot is shown if its size is at most this, relative to the moving parts.
const WHOLE_ROBOT: f64 = 1.7;

/// Poses of all bodies at one time, in the world.
#[derive(Clone, Debug)]
pub struct Moment(Vec<DAffine3>);

impl Moment {
    /// The pose of a body.
    pub fn pose(&self, body: u32) -> &DAffine3 {
        &self.0[body as usize]
    }

    /// Returns whether the pose of a body differs from its pose at another time.
    pub fn differs(&self, other: &Self, body: u32) -> bool {
        !self.pose(body).abs_diff_eq(*other.pose(body), 1e-9)
    }
}

/// The robot's poses at the times that a picture shows.
#[derive(Clone, Debug)]
pub struct Poses {
    /// At the start.
    pub start: Moment,
    /// At first contact, at the end of a free motion, or where the search ended.
    pub now: Moment,
    /// At the end.
    pub end: Moment,
    along: Vec<Moment>,
}

impl Poses {
    /// The poses of a path for which the engine has returned `answer`.
    ///
    /// # Errors
    /// The path does not fit the robot.
    pub fn new(engine: &Engine, course: &Course, answer: &TrajectoryVerdict) -> Result<Self> {
        let moment = |time: f64| course.poses(engine, time).map(Moment);
        let along = moments(engine, course)?;
        let [start, now, end] = [course.start(), course.event(answer), course.end()];
        Ok(Self { start: moment(start)?, now: moment(now)?, end: moment(end)?, along })
    }

    /// Returns whether a body moves.
    pub fn moves(&self, body: u32) -> bool {
        self.along.iter().any(|m| m.differs(&self.start, body))
    }
}

/// The poses at equal steps of time, the first of them at the start.
pub fn moments(engine: &Engine, course: &Course) -> Result<Vec<Moment>> {
    course.moments(MOMENTS).into_iter().map(|time| course.poses(engine, time).map(Moment)).collect()
}

/// The points that must be visible, world coordinates, metres.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Balls that must be in the frame: centre and radius.
    pub frame: Vec<(DVec3, f64)>,
    /// Points of the moving parts, along the whole motion.
    pub moving: Vec<DVec3>,
    /// Points on the robot at the time that the picture shows.
    pub robot: Vec<DVec3>,
    /// Points on the robot at the start and at the end.
    pub ghosts: Vec<DVec3>,
    /// The contact and its normal.
    pub contact: Option<[DVec3; 2]>,
    /// The touched triangle of the world's scene.
    pub touched: Option<usize>,
}

impl Subject {
    /// Collects the moving parts, and the rest of the robot unless it is much larger. `posed` is the whole robot at the
    /// time that the picture shows; `balls` enclose everything else that must be in the frame.
    pub fn new(
        world: &CollisionWorld,
        poses: &Poses,
        posed: &[Triangle],
        contact: Option<&ContactPoint>,
        balls: Vec<(DVec3, f64)>,
    ) -> Self {
        let links: Vec<_> = world.robot.links.iter().filter(|l| poses.moves(l.body)).collect();
        let n_corners = 3 * poses.along.len() * links.iter().map(|l| l.triangles.len()).sum::<usize>();
        let links = &links;
        let corners = poses.along.iter().flat_map(|m| links.iter().flat_map(move |l| corners_of(l, m)));
        let moving: Vec<DVec3> = corners.step_by(step(n_corners)).collect();
        let touched = contact.and_then(|c| touched_triangle(world, c));
        let contact = contact.map(|c| [c.point.into(), c.normal.into()]);
        let rest = scattered(posed, MAX_SCATTERED);
        let ghost = |moment: &Moment| {
            let moved = links.iter().filter(|l| moment.differs(&poses.now, l.body));
            let posed = moved.flat_map(|l| {
                let pose = *moment.pose(l.body);
                l.triangles.iter().map(move |t| t.map(|v| pose.transform_point3(v)))
            });
            scattered(&posed.collect::<Vec<Triangle>>(), MAX_SCATTERED / 2)
        };
        let ghosts = [ghost(&poses.start), ghost(&poses.end)].concat();
        let own = || moving.iter().copied().chain(contact.map(|c| c[0]));
        let mut frame: Vec<DVec3> = own().collect();
        let whole = || posed.iter().flatten().copied().step_by(step(3 * posed.len()));
        if moving.is_empty() || size(own().chain(whole())) <= WHOLE_ROBOT * size(own()) {
            frame.extend(whole());
        }
        let frame = frame.into_iter().map(|p| (p, 0.0)).chain(balls).collect();
        Self { frame, moving, robot: rest, ghosts, contact, touched }
    }
}

/// The touched triangle in the order of the scene's tree.
fn touched_triangle(world: &CollisionWorld, contact: &ContactPoint) -> Option<usize> {
    let object = world.scene.objects.get(contact.b.object()? as usize)?;
    let in_file = object.first_triangle.checked_add(contact.b.triangle())?;
    world.scene.tree.order.iter().position(|&i| i == in_file)
}

fn corners_of<'l>(link: &'l Link, moment: &Moment) -> impl Iterator<Item = DVec3> + use<'l> {
    let pose = *moment.pose(link.body);
    link.triangles.iter().flatten().map(move |v| pose.transform_point3(*v))
}

impl Poses {
    /// The poses along the motion.
    pub fn along(&self) -> impl Iterator<Item = &Moment> {
        self.along.iter()
    }
}

/// The stride that samples `n` points.
fn step(n: usize) -> usize {
    (n / MAX_POINTS).max(1)
}

/// The diagonal of the box around points.
fn size(points: impl Iterator<Item = DVec3>) -> f64 {
    let none = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    let (lo, hi) = points.fold(none, |(lo, hi), p| (lo.min(p), hi.max(p)));
    (hi - lo).length()
}

/// About `n` points on triangles, evenly by area and independent of the size of the triangles.
fn scattered(triangles: &[Triangle], n: usize) -> Vec<DVec3> {
    let area = |[a, b, c]: &Triangle| 0.5 * (b - a).cross(c - a).length();
    let total: f64 = triangles.iter().map(area).sum();
    let mut points: Vec<DVec3> = Vec::with_capacity(n);
    let mut covered = 0.0;
    for triangle in triangles.iter().filter(|_| total > 0.0) {
        covered += n as f64 * area(triangle) / total;
        while (points.len() as f64) + 0.5 < covered {
            // The R2 sequence of Roberts, folded into the triangle.
            let k = points.len() as f64;
            let (u, v) = ((0.754_877_666 * k).fract(), (0.569_840_291 * k).fract());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let [a, b, c] = triangle;
            points.push(a + (b - a) * u + (c - a) * v);
        }
    }
    points
}

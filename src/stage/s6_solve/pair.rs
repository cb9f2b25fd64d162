//! A pair of triangles, one of a link and one of the scene or of another link, in the form used by the exact stage.

use super::TouchingPair;
use crate::arith::linear::V3;
use crate::enclosure::point_bound::PointBound;
use crate::enclosure::pose_bound::TaylorModel;
use crate::predicate::piercing::triangles_meet;
use crate::predicate::proximity::are_within;
use crate::predicate::separation::StaticTriangle;
use crate::robot::RobotMotion;
use crate::verdict::Obstacle;

/// A pair with the data that the solver needs.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The link shape and the obstacle; for two links, the one with the lower index is the link. Pairs that touch at
    /// the start are ignored by this key.
    pub shape: u32,
    /// See `shape`.
    pub obstacle: Obstacle,
    /// The link shape that moves.
    pub moving: u32,
    /// Index of its triangle in tree order.
    pub x: u32,
    /// Index of the static triangle in tree order.
    pub y: u32,
    /// The frame in which the static triangle is at rest; `None` for the world.
    pub within: Option<Within>,
    /// The sub-intervals in which it may touch.
    pub mask: u32,
    /// Nothing touches in this piece before this time.
    pub earliest: f64,
    /// The link's triangle in its body's frame.
    pub e: [V3<f64>; 3],
    /// Bound on the distance of its vertices from the origin of the body, metres.
    pub reach_m: f64,
    /// The body that moves it.
    pub body: u32,
    /// The static triangle.
    pub tri: StaticTriangle<f64>,
    /// True if the area of one of the triangles is negligible.
    pub is_flat: bool,
}

/// The frame of a link in which a pair is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// Index in [`CollisionWorld::frames`](crate::scene::world::CollisionWorld::frames).
    pub frame: u32,
    /// Index of the moving link's motion in [`Motions::chains`].
    pub chain: u32,
}

/// The motion of a robot in the world, and motions of some of its links in the frames of others.
#[derive(Clone, Copy, Debug)]
pub struct Motions<'a> {
    /// The robot's motion.
    pub robot: &'a RobotMotion,
    /// Motions of links in the frames of others; the last body of each chain carries the link.
    pub chains: &'a [RobotMotion],
}

impl<'a> Motions<'a> {
    /// The motion to which a pair's body belongs.
    pub fn of(&self, pair: &Pair) -> &'a RobotMotion {
        pair.within.map_or(self.robot, |within| &self.chains[within.chain as usize])
    }
}

impl<'a> From<&'a RobotMotion> for Motions<'a> {
    fn from(robot: &'a RobotMotion) -> Self {
        Self { robot, chains: &[] }
    }
}

/// Returns whether a triangle's area is negligible compared with the length of its sides.
pub fn is_flat(t: &[V3<f64>; 3]) -> bool {
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let n = e.cross(f);
    n.dot(n) <= 1e-24 * e.dot(e).max(f.dot(f)).powi(2)
}

impl Pair {
    /// Its triangles.
    pub fn triangles(&self) -> TouchingPair {
        let frame = self.within.map(|within| within.frame);
        TouchingPair { link: self.moving, link_triangle: self.x, frame, scene_triangle: self.y }
    }

    /// Bounds on the paths of the link's three vertices.
    pub fn points(&self, bound: &TaylorModel<f64>) -> [PointBound<f64>; 3] {
        self.e.map(|e| bound.point(e, self.reach_m))
    }

    /// The same at one time, with velocities.
    pub fn points_at(&self, motion: &RobotMotion, t: f64) -> [PointBound<f64>; 3] {
        self.points(&motion.body_at::<1>(self.body, t))
    }

    /// Bound on the speed of the link's vertices, metres per motion.
    pub fn speed(&self, motion: &RobotMotion) -> f64 {
        motion.chains[self.body as usize].speed(self.reach_m)
    }

    /// Returns whether the triangles certainly touch, or are within `margin_m` of each other, at the middle time of a
    /// bound.
    pub fn meets(&self, bound: &TaylorModel<f64>, margin_m: f64) -> bool {
        let x = self.points(bound);
        if margin_m > 0.0 && are_within(&x, &self.tri, margin_m) {
            return true;
        }
        triangles_meet(&x, &self.tri) != 0
    }
}

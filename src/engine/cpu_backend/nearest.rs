//! The nearest triangles of a robot and its obstacles at a single time.

use super::scratch::Scratch;
use crate::arith::linear::{M3, V3};
use crate::clearance::ClosestPoints;
use crate::enclosure::pose_bound::TaylorModel;
use crate::enclosure::pose_jet::PoseJet;
use crate::predicate::features::{self, Nearest};
use crate::robot::trajectory::Place;
use crate::robot::{RobotMotion, Triangle};
use crate::scene::world::{CollisionWorld, LinkFrame};
use crate::stage::s5_pairs::{Among, NearestPair, PlacedLink, Sought, nearest_in};
use crate::stage::s6_solve::TouchingPair;
use crate::verdict::{Obstacle, ObstacleFeature};
use glam::DVec3;

/// A triangle of a link, and one of the scene or of another link.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Neighbours {
    /// Index of the link in [`CollisionWorld::links`].
    link: u32,
    /// Its triangle, in tree order.
    link_triangle: u32,
    /// Index of the frame of the other link; `None` for the scene.
    frame: Option<u32>,
    /// The triangle of the scene or of the other link, in tree order.
    scene_triangle: u32,
}

/// The nearest points of two triangles at a time.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Apart {
    /// Upper bound on the distance of the triangles, metres.
    pub distance_m: f64,
    nearest: Nearest,
}

impl Scratch {
    /// Removes the ignored pairs and the contact of an earlier motion.
    pub fn forget_motion(&mut self) {
        self.solver.forget_motion();
    }

    /// The triangles of the contact that the exact stage has found last.
    pub fn touching(&self) -> Option<Neighbours> {
        let TouchingPair { link, link_triangle, frame, scene_triangle } = self.solver.touching()?;
        Some(Neighbours { link, link_triangle, frame, scene_triangle })
    }

    /// The nearest triangles of the motion in this memory at time `t`, if they are less than `limit_m` apart, or others
    /// that are less than `1 / accuracy` times as far apart. Pairs of link and obstacle that are ignored do not count.
    pub fn nearest(&mut self, world: &CollisionWorld, t: f64, limit_m: f64, accuracy: f64) -> Option<Neighbours> {
        let mut of = Vec::new();
        of.extend((0..world.links.len() as u32).map(|link| (link, None)));
        for (number, frame) in world.frames.iter().enumerate() {
            for &link in &frame.partners {
                let [first, second] = [frame.link.min(link), frame.link.max(link)];
                if !self.solver.is_ignored(first, Obstacle::Link(second)) {
                    of.push((link, Some(number as u32)));
                }
            }
        }
        self.nearest_of(world, t, &of, Sought { among: Among::All, limit_m, accuracy })
    }

    /// The nearest triangles at time `t` of the same link as `near`, and of the cluster that contains the other
    /// triangle of `near`, if they are less than `limit_m` apart.
    pub fn nearest_around(
        &mut self,
        world: &CollisionWorld,
        t: f64,
        limit_m: f64,
        near: &Neighbours,
    ) -> Option<Neighbours> {
        let among = Among::Cluster(near.scene_triangle);
        self.nearest_of(world, t, &[(near.link, near.frame)], Sought { among, limit_m, accuracy: 1.0 })
    }

    /// The nearest triangles of links, each in the world or in a frame.
    fn nearest_of(
        &mut self,
        world: &CollisionWorld,
        t: f64,
        of: &[(u32, Option<u32>)],
        sought: Sought,
    ) -> Option<Neighbours> {
        let mut poses = std::mem::take(&mut self.models);
        poses.clear();
        self.motion.taylor_models(t, 0.0, |_, model| poses.push(model));
        let pose = |link: u32| &poses[world.links[link as usize].body as usize];
        let placed = |&(link, frame): &(u32, Option<u32>)| match frame {
            None => PlacedLink { world, link, pose: *pose(link) },
            Some(number) => {
                let frame = &world.frames[number as usize];
                PlacedLink { world: &frame.world, link, pose: seen_from(pose(frame.link), pose(link)) }
            }
        };
        let placed: Vec<_> = of.iter().map(placed).collect();
        let is_ignored = |number: u32, object: u32| {
            let (link, frame) = of[number as usize];
            frame.is_none() && self.solver.is_ignored(link, Obstacle::Object(object))
        };
        let found = nearest_in(&mut self.pairs, &placed, sought, &is_ignored);
        drop(placed);
        self.models = poses;
        found.map(|NearestPair { of: number, link_triangle, scene_triangle, .. }| {
            let (link, frame) = of[number as usize];
            Neighbours { link, link_triangle, frame, scene_triangle }
        })
    }
}

/// A pose in the frame of another one, to within rounding.
fn seen_from(frame: &TaylorModel<f64>, of: &TaylorModel<f64>) -> TaylorModel<f64> {
    let (turned, apart) = (frame.jet.p[0], of.jet.x[0] - frame.jet.x[0]);
    let inverse = M3::from_fn(|i, j| turned.0[j][i]);
    let mut jet = PoseJet::default();
    jet.x[0] = inverse.apply(apart);
    jet.p[0] = inverse.product(&of.jet.p[0]);
    TaylorModel { jet, ball: [0.0; 2] }
}

impl Neighbours {
    /// The nearest points at time `t` of a motion.
    pub fn apart_at(&self, world: &CollisionWorld, motion: &RobotMotion, t: f64) -> Apart {
        let (x, error) = self.moved(world, motion, t, self.link, &self.link_triangle(world));
        let (y, other) = match self.frame(world) {
            Some(frame) => {
                let y = frame.world.scene.triangles[self.scene_triangle as usize];
                self.moved(world, motion, t, frame.link, &y)
            }
            None => {
                let standing = world.scene.standing(self.scene_triangle as usize);
                (standing.y.map(|v| DVec3::from_array(v.0)), standing.error)
            }
        };
        let nearest = features::nearest(x, y, 0.0);
        let size = x.iter().chain(&y).fold(0.0, |m: f64, v| m.max(v.length()));
        // The difference and the length have rounding errors of a few units of the coordinates.
        Apart { distance_m: nearest.distance() + error + other + 64.0 * f64::EPSILON * size, nearest }
    }

    /// A triangle of a link at time `t`, and a bound on the error of its vertices.
    fn moved(
        &self,
        world: &CollisionWorld,
        motion: &RobotMotion,
        t: f64,
        link: u32,
        of: &Triangle,
    ) -> ([DVec3; 3], f64) {
        let shape = &world.links[link as usize];
        let points = of.map(|e| motion.body_at::<0>(shape.body, t).point(V3::new(e), shape.reach_m));
        (points.map(|p| DVec3::from_array(p.c[0].0)), points[0].ball)
    }

    fn frame<'w>(&self, world: &'w CollisionWorld) -> Option<&'w LinkFrame> {
        self.frame.map(|frame| &world.frames[frame as usize])
    }

    fn link_triangle(&self, world: &CollisionWorld) -> Triangle {
        world.links[self.link as usize].triangles[self.link_triangle as usize]
    }

    /// The record of the nearest points at a place of a trajectory.
    pub fn record(&self, world: &CollisionWorld, place: Place, at: &Apart) -> ClosestPoints {
        let Nearest { a, b, on_a, on_b, .. } = at.nearest;
        let moving =
            world.link_feature(self.link, world.links[self.link as usize].tree.order[self.link_triangle as usize], a);
        let mut points = [on_a, on_b].map(|p| (p + world.origin_m).to_array());
        let (a, b) = match self.frame(world) {
            Some(frame) => {
                let triangle = frame.world.scene.tree.order[self.scene_triangle as usize];
                let other = world.link_feature(frame.link, triangle, b);
                if self.link < frame.link {
                    (moving, ObstacleFeature::Link(other))
                } else {
                    points.reverse();
                    (other, ObstacleFeature::Link(moving))
                }
            }
            None => (moving, ObstacleFeature::Scene(world.scene_feature(self.scene_triangle, b))),
        };
        ClosestPoints { segment: place.segment, t: place.t, distance_m: at.distance_m, a, b, points }
    }
}

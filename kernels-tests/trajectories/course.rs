//! Bodies along a trajectory: poses, distances at a time, and bounds of the travel. With a margin, contact is a
//! distance of at most the margin.

use super::curve::{Execution, Trajectory};
use crate::oracle::advance;
use crate::oracle::fk::Robot;
use crate::oracle::mesh::Triangle;
use crate::oracle::scene::Object;
use crate::oracle::tree::{Closest, Tree};
use crate::oracle::urdf::{Joint, Kind};
use glam::{DAffine3, DVec3};

/// The second body of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Other {
    Link(usize),
    Object(usize),
}

pub type Pair = (usize, Other);

/// A robot, objects, and the pairs that are tested.
pub struct Course {
    pub robot: Robot,
    pub objects: Vec<Object>,
    pub pairs: Vec<Pair>,
    pub margin_m: f64,
    /// The triangles of each link in its frame.
    pub links: Vec<Vec<Triangle>>,
    trees: Vec<Tree>,
    obstacles: Vec<Tree>,
    radius: Vec<f64>,
}

impl Course {
    /// All links that have triangles are tested against all objects, and the given pairs of links.
    pub fn new(robot: Robot, links: Vec<Vec<Triangle>>, objects: Vec<Object>, own: &[(usize, usize)]) -> Self {
        let trees: Vec<Tree> = links.iter().map(|t| Tree::new(t)).collect();
        let solid = (0..links.len()).filter(|l| !links[*l].is_empty());
        let mut pairs: Vec<Pair> = solid.flat_map(|l| (0..objects.len()).map(move |o| (l, Other::Object(o)))).collect();
        pairs.extend(own.iter().map(|(a, b)| (*a, Other::Link(*b))));
        let obstacles = objects.iter().map(|o| Tree::new(&o.triangles)).collect();
        let radius = links.iter().map(|t| advance::radius(t)).collect();
        Self { robot, objects, pairs, margin_m: 0.0, links, trees, obstacles, radius }
    }

    /// World pose of a link. A free root follows straight segments only.
    pub fn pose(&self, link: usize, e: &Execution, k: usize, x: f64) -> DAffine3 {
        if self.flies() {
            let [a, b] = e.trajectory.ends(k);
            assert!(e.trajectory.is_straight(k) && e.waves.is_empty());
            return self.robot.pose(link, &a.position, &b.position, x);
        }
        let q = e.at(k, x);
        self.robot.pose(link, &q, &q, 0.0)
    }

    fn flies(&self) -> bool {
        self.robot.columns.iter().any(|(_, kind)| *kind == Kind::Floating)
    }

    /// The closest triangles of a pair, if they are nearer than `limit` beyond the margin.
    pub fn measure(&self, (link, other): Pair, e: &Execution, (k, x): (usize, f64), limit: f64) -> Option<Closest> {
        let (pose, limit) = (self.pose(link, e, k, x), limit + self.margin_m);
        let found = match other {
            Other::Object(o) => self.trees[link].closest(&pose, &self.obstacles[o], limit, &|_| true),
            Other::Link(b) => {
                let second = self.pose(b, e, k, x);
                self.trees[link].closest_of_two(&pose, &self.trees[b], &second, limit, &|_| true)
            }
        };
        found.map(|c| Closest { distance: (c.distance - self.margin_m).max(0.0), ..c })
    }

    /// Least distance of the pairs at a time, less the margin, up to `limit`.
    pub fn clearance(&self, e: &Execution, u: f64, limit: f64) -> f64 {
        let at = e.trajectory.split(u);
        let nearer = |least: f64, pair: &Pair| self.measure(*pair, e, at, least).map_or(least, |c| c.distance);
        self.pairs.iter().fold(limit, nearer)
    }

    /// The pairs in contact at the start.
    pub fn touching_at_start(&self, t: &Trajectory) -> Vec<Pair> {
        let touches = |p: &&Pair| self.measure(**p, &t.nominal(), (0, 0.0), 1e-12).is_some();
        self.pairs.iter().filter(touches).copied().collect()
    }

    /// A bound of the travel of a link's vertices per segment, over an interval of `x`.
    pub fn rate(&self, link: usize, e: &Execution, k: usize, x: (f64, f64)) -> f64 {
        if self.flies() {
            let [a, b] = e.trajectory.ends(k);
            return advance::travel_bound(&self.robot.chain(link, &a.position, &b.position), self.radius[link]);
        }
        let (mut reach, mut travel) = (self.radius[link], 0.0);
        for joint in self.robot.path(link).into_iter().rev() {
            let [size, rate] = self.bounds(joint, e, k, x);
            match joint.kind {
                Kind::Turning => travel += rate * reach,
                Kind::Sliding => {
                    travel += rate;
                    reach += size;
                }
                _ => {}
            }
            reach += joint.origin.translation.length();
        }
        travel * (1.0 + 1e-9)
    }

    /// Bounds of the size and rate of a joint's value.
    fn bounds(&self, joint: &Joint, e: &Execution, k: usize, x: (f64, f64)) -> [f64; 2] {
        if let Some((master, multiplier, offset)) = joint.mimic {
            let [size, rate] = self.bounds(&self.robot.urdf.joints[master], e, k, x);
            return [multiplier.abs() * size + offset.abs(), multiplier.abs() * rate];
        }
        let column = self.robot.columns.iter().position(|(name, _)| *name == joint.name);
        column.map_or([0.0; 2], |c| e.bounds(k, c, x))
    }

    /// A triangle of each body in the world at a time.
    pub fn triangles_at(&self, (link, other): Pair, [a, b]: [usize; 2], e: &Execution, u: f64) -> [Triangle; 2] {
        let (k, x) = e.trajectory.split(u);
        let of = |l: usize, t: usize| {
            let pose = self.pose(l, e, k, x);
            self.links[l][t].map(|p| pose.transform_point3(p))
        };
        match other {
            Other::Link(l) => [of(link, a), of(l, b)],
            Other::Object(o) => [of(link, a), self.objects[o].triangles[b]],
        }
    }

    /// The displacement from time `from` to time `u` of the link's point that is at `p` at time `u`.
    pub fn displacement(&self, link: usize, e: &Execution, (from, u): (f64, f64), p: DVec3) -> DVec3 {
        let [before, now] = [from, u].map(|u| {
            let (k, x) = e.trajectory.split(u);
            self.pose(link, e, k, x)
        });
        p - before.transform_point3(now.inverse().transform_point3(p))
    }
}

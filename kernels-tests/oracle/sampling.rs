//! Contacts of a motion by dense sampling in time.
//!
//! Every link advances in time separately ([`advance`](super::advance)).

use super::advance::{self, Passage};
use super::fk::Robot;
use super::mesh::Triangle;
use super::poses::Articulated;
use super::scene::Object;
use super::shapes::LinkMeshes;
use super::tree::{Closest, Tree};
use super::urdf::Kind;
use glam::DAffine3;
use rayon::prelude::*;
use std::collections::HashSet;

pub use super::advance::Fineness;

/// A contact: its time and its two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The triangles pierce each other at this time (or touch, to the last bit), and did not about 1e-10 m of travel
    /// before.
    pub t: f64,
    pub link: usize,
    pub link_triangle: usize,
    pub object: usize,
    /// Triangle of the object.
    pub triangle: usize,
}

/// The result of sampling a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The first piercing found.
    pub hit: Option<Hit>,
    /// Before this time every link is clear by measured distances and bounded speeds, up to rounding.
    pub clear_until: f64,
    /// Least distance that was measured before the hit or the end: the true minimum is smaller by at most a tenth and
    /// the fine step.
    pub least_gap_m: f64,
}

/// A robot with its triangles, and a scene.
pub struct Sampler {
    pub robot: Robot,
    pub objects: Vec<String>,
    meshes: Vec<Vec<Triangle>>,
    scene: Vec<Object>,
    links: Vec<Tree>,
    /// Largest distance of a vertex from its link's origin.
    radius: Vec<f64>,
    tree: Tree,
    object_of: Vec<usize>,
    /// Index of each object's first triangle.
    first_of: Vec<usize>,
    allowed: HashSet<(usize, usize)>,
}

impl Sampler {
    /// The pairs of names in `allow` are ignored; `*` is every link or every object.
    pub fn new(robot: Robot, meshes: &LinkMeshes, scene: &[Object], allow: &[(&str, &str)]) -> Self {
        let matches = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        let mut allowed = HashSet::new();
        for (l, link) in robot.links().iter().enumerate() {
            for (o, object) in scene.iter().enumerate() {
                if allow.iter().any(|(a, b)| matches(a, &link.name) && matches(b, &object.name)) {
                    allowed.insert((l, o));
                }
            }
        }
        let triangles: Vec<_> = scene.iter().flat_map(|o| o.triangles.iter().copied()).collect();
        Self {
            links: meshes.triangles.iter().map(|t| Tree::new(t)).collect(),
            radius: meshes.triangles.iter().map(|t| advance::radius(t)).collect(),
            tree: Tree::new(&triangles),
            first_of: scene.iter().scan(0, |at, o| Some(std::mem::replace(at, *at + o.triangles.len()))).collect(),
            meshes: meshes.triangles.clone(),
            scene: scene.to_vec(),
            object_of: scene.iter().enumerate().flat_map(|(i, o)| vec![i; o.triangles.len()]).collect(),
            objects: scene.iter().map(|o| o.name.clone()).collect(),
            robot,
            allowed,
        }
    }

    /// An upper bound of the travel of every vertex of `link` in the motion.
    pub fn travel_bound(&self, link: usize, q0: &[f64], q1: &[f64]) -> f64 {
        advance::travel_bound(&self.robot.chain(link, q0, q1), self.radius[link])
    }

    /// An upper bound of the travel of every vertex of the robot in the motion.
    pub fn speed(&self, q0: &[f64], q1: &[f64]) -> f64 {
        (0..self.links.len()).map(|l| self.travel_bound(l, q0, q1)).fold(0.0, f64::max)
    }

    /// Distance of the robot at `q` from the scene, up to `limit`.
    pub fn clearance(&self, q: &[f64], limit: f64) -> f64 {
        self.clearance_at(q, q, 0.0, limit)
    }

    /// The same at time `t` of a motion; 0 if triangles pierce each other.
    pub fn clearance_at(&self, q0: &[f64], q1: &[f64], t: f64, limit: f64) -> f64 {
        let poses = self.robot.poses(q0, q1, t);
        (0..self.links.len())
            .fold(limit, |least, link| self.measure(link, &poses[link], least).map_or(least, |c| c.distance))
    }

    /// Names of the links and objects nearer than `limit` to each other at `q`, for inspecting a placement.
    pub fn near_pairs(&self, q: &[f64], limit: f64) -> Vec<(String, String, f64)> {
        let poses = self.robot.poses(q, q, 0.0);
        let mut out = Vec::new();
        for link in 0..self.links.len() {
            for (o, object) in self.objects.iter().enumerate() {
                let wanted = |t: usize| self.object_of[t] == o;
                if let Some(c) = self.links[link].closest(&poses[link], &self.tree, limit, &wanted) {
                    out.push((self.robot.links()[link].name.clone(), object.clone(), c.distance));
                }
            }
        }
        out
    }

    /// Samples one motion.
    pub fn motion(&self, q0: &[f64], q1: &[f64], fineness: Fineness) -> Outcome {
        let mut outcome = Outcome { hit: None, clear_until: 1.0, least_gap_m: fineness.horizon_m };
        let mut doubtful = Vec::new();
        for link in (0..self.links.len()).filter(|l| !self.links[*l].is_empty()) {
            let end = outcome.hit.map_or(1.0, |h| h.t);
            let walk = self.with_passage(link, (q0, q1), |p| p.walk((0.0, end), fineness));
            outcome.least_gap_m = outcome.least_gap_m.min(walk.least_gap_m);
            doubtful.push((link, walk.sure_until));
            if let Some((t, c)) = walk.hit.filter(|(t, _)| outcome.hit.is_none_or(|h| *t < h.t)) {
                let object = self.object_of[c.resting];
                let triangle = c.resting - self.first_of[object];
                outcome.hit = Some(Hit { t, link, link_triangle: c.moved, object, triangle });
            }
        }
        // repeated with tiny steps where the fine ones went further than what was proved
        let end = outcome.hit.map_or(1.0, |h| h.t);
        outcome.clear_until = end;
        for (link, since) in doubtful.into_iter().filter(|d| d.1 < end) {
            let clear = self.with_passage(link, (q0, q1), |p| p.creep((since, end)));
            outcome.clear_until = outcome.clear_until.min(clear);
        }
        outcome
    }

    /// Samples many motions, on all cores.
    pub fn motions(&self, motions: &[(Vec<f64>, Vec<f64>)], fineness: Fineness) -> Vec<Outcome> {
        motions.par_iter().map(|(q0, q1)| self.motion(q0, q1, fineness)).collect()
    }

    /// The triangles of a link in its frame.
    pub fn link_triangles(&self, link: usize) -> &[Triangle] {
        &self.meshes[link]
    }

    /// The two triangles of a hit with their motion: the input of the interval solver.
    pub fn pair(&self, hit: &Hit, q0: &[f64], q1: &[f64]) -> Articulated {
        let moving = self.meshes[hit.link][hit.link_triangle].to_vec();
        let resting = self.scene[hit.object].triangles[hit.triangle].to_vec();
        Articulated { bodies: vec![(self.robot.chain(hit.link, q0, q1), moving), (vec![], resting)] }
    }

    fn measure(&self, link: usize, pose: &DAffine3, limit: f64) -> Option<Closest> {
        let wanted = |t: usize| !self.allowed.contains(&(link, self.object_of[t]));
        self.links[link].closest(pose, &self.tree, limit, &wanted)
    }

    /// The passage of a link through the scene during a motion.
    fn with_passage<R>(&self, link: usize, (q0, q1): (&[f64], &[f64]), f: impl Fn(&Passage) -> R) -> R {
        let measure = |t: f64, limit: f64| self.measure(link, &self.robot.pose(link, q0, q1, t), limit);
        f(&Passage { measure: &measure, travel: self.travel_bound(link, q0, q1) })
    }
}

/// The columns of a robot that are angles or lengths, with the limits of their joints.
pub fn limits(robot: &Robot) -> Vec<Option<(f64, f64)>> {
    robot
        .columns
        .iter()
        .map(|(name, kind)| match kind {
            Kind::Turning | Kind::Sliding => robot.urdf.joints.iter().find(|j| &j.name == name).and_then(|j| j.limits),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{Choice, link_meshes};
    use super::super::urdf;
    use super::*;
    use glam::DVec3;
    use std::path::Path;

    /// A bar of 1 m along x that turns about z, and a block that slides along the bar.
    const BAR: &str = r#"<robot name="bar"><link name="stand"/>
      <link name="bar"><visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></visual></link>
      <link name="block"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
      <joint name="turn" type="continuous"><parent link="stand"/><child link="bar"/><axis xyz="0 0 1"/></joint>
      <joint name="slide" type="prismatic"><parent link="bar"/><child link="block"/></joint></robot>"#;

    /// A wall in the plane y = `y`, and a far one.
    fn sampler(y: f64, allow: &[(&str, &str)]) -> Sampler {
        let robot = Robot::new(urdf::parse(BAR, Path::new(".")), [0.0; 6], false);
        let meshes = link_meshes(&robot, Choice::Default);
        let wall = |name: &str, y: f64| Object {
            name: name.into(),
            triangles: vec![[DVec3::new(-9.0, y, -9.0), DVec3::new(9.0, y, -9.0), DVec3::new(0.0, y, 9.0)]],
        };
        Sampler::new(robot, &meshes, &[wall("far", -5.0), wall("wall", y)], allow)
    }

    #[test]
    fn a_turning_bar_meets_a_wall_when_its_corner_does() {
        let (r, lift) = (1.0_f64.hypot(0.01), 0.01_f64.atan());
        let look = |y: f64| sampler(y, &[]).motion(&[0.0, 0.2], &[2.0, 0.2], Fineness::default());
        let hit = look(0.6).hit.expect("a hit");
        let t = ((0.6 / r).asin() - lift) / 2.0;
        assert!(hit.t >= t && hit.t < t + 1e-9, "{} {t}", hit.t);
        assert_eq!((hit.link, hit.object, hit.triangle), (1, 1, 0));
        assert!(look(0.6).clear_until <= t && look(0.6).clear_until > t - 1e-6);
        for gap in [1e-3, 1e-4, 1e-6] {
            let outcome = look(r + gap);
            assert!(outcome.hit.is_none() && outcome.least_gap_m >= gap, "{outcome:?}");
            assert!(outcome.least_gap_m < 1.1 * gap + 1e-4, "{outcome:?}");
        }
        // deep enough to be detected by steps of 0.1 mm
        assert!(look(r - 1e-5).hit.is_some());
    }

    #[test]
    fn allowed_pairs_of_a_sliding_block_are_ignored() {
        // the bar points along y; the block's front is 5 cm ahead of its origin
        let quarter = std::f64::consts::FRAC_PI_2;
        let (q0, q1) = ([quarter, 1.1], [quarter, 1.6]);
        let outcome = sampler(1.4, &[]).motion(&q0, &q1, Fineness::default());
        let hit = outcome.hit.expect("a hit");
        assert!((hit.t - 0.5).abs() < 1e-9 && hit.link == 2, "{hit:?}");
        assert!(sampler(1.4, &[("block", "wall")]).motion(&q0, &q1, Fineness::default()).hit.is_none());
        assert!(sampler(1.4, &[("*", "far")]).motion(&q0, &q1, Fineness::default()).hit.is_some());
        let within = sampler(0.7, &[("bar", "*")]).motion(&[quarter, 0.7], &q1, Fineness::default());
        assert_eq!((within.hit.map(|h| h.t), within.clear_until), (Some(0.0), 0.0));
        assert!((sampler(1.4, &[]).clearance(&q0, 1.0) - 0.25).abs() < 1e-12);
        assert_eq!(sampler(9.0, &[]).clearance(&q0, 1.0), 1.0);
        assert_eq!(sampler(1.4, &[]).near_pairs(&q0, 0.3).len(), 1);
    }

    #[test]
    fn no_vertex_goes_further_than_the_bound() {
        let s = sampler(9.0, &[]);
        let (q0, q1) = ([0.3, 0.2], [2.0, 1.4]);
        let at = |t: f64| s.robot.poses(&q0, &q1, t)[2].transform_point3(DVec3::splat(0.05));
        let travelled: f64 = (0..1000).map(|i| at(f64::from(i) / 1e3).distance(at(f64::from(i + 1) / 1e3))).sum();
        let bound = s.travel_bound(2, &q0, &q1);
        assert!(travelled <= bound && bound < 2.0 * travelled, "{travelled} {bound}");
    }
}

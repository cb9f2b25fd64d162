//! Contacts between the links of a robot by dense sampling in time.
//!
//! Every pair advances in time separately ([`advance`](super::advance)). Both links are placed in the world, also where
//! they move together: nothing is computed in the frame of a link.

use super::advance::{self, Fineness, Passage};
use super::chain::Part;
use super::fk::Robot;
use super::mesh::Triangle;
use super::poses::Articulated;
use super::shapes::LinkMeshes;
use super::tree::{Closest, Tree};
use rayon::prelude::*;

/// A contact of two links: its time and its two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairHit {
    /// The triangles pierce each other at this time (or touch, to the last bit), and did not about 1e-10 m of travel
    /// before.
    pub t: f64,
    /// The two links, in the order of the file.
    pub links: (usize, usize),
    /// A triangle of each.
    pub triangles: (usize, usize),
}

/// The result of sampling a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOutcome {
    /// The first piercing found.
    pub hit: Option<PairHit>,
    /// Before this time every pair is clear by measured distances and bounded speeds, up to rounding.
    pub clear_until: f64,
    /// Least distance that was measured before the hit or the end: the true minimum is smaller by at most a tenth and
    /// the fine step.
    pub least_gap_m: f64,
}

/// A robot with its triangles, and the pairs of its links that are tested.
pub struct PairSampler {
    pub robot: Robot,
    /// The first link of a pair is before the second in the file.
    pub pairs: Vec<(usize, usize)>,
    pub meshes: LinkMeshes,
    trees: Vec<Tree>,
    radius: Vec<f64>,
}

/// Start and end of a motion.
type Ends<'a> = (&'a [f64], &'a [f64]);

impl PairSampler {
    pub fn new(robot: Robot, meshes: LinkMeshes, pairs: Vec<(usize, usize)>) -> Self {
        let trees = meshes.triangles.iter().map(|t| Tree::new(t)).collect();
        let radius = meshes.triangles.iter().map(|t| advance::radius(t)).collect();
        Self { robot, pairs, meshes, trees, radius }
    }

    /// An upper bound of the change of distance of two links in the motion. Joints that move both do not change it.
    pub fn travel_bound(&self, (a, b): (usize, usize), (q0, q1): Ends) -> f64 {
        let chains = [a, b].map(|link| self.robot.chain(link, q0, q1));
        let n_common = chains[0].iter().zip(&chains[1]).take_while(|(x, y)| x == y).count();
        let of = |chain: &[Part], link: usize| advance::travel_bound(&chain[n_common..], self.radius[link]);
        of(&chains[0], a) + of(&chains[1], b)
    }

    /// An upper bound of the sum of the travels of two links in the world.
    pub fn travel_in_world(&self, (a, b): (usize, usize), (q0, q1): Ends) -> f64 {
        [a, b].iter().map(|l| advance::travel_bound(&self.robot.chain(*l, q0, q1), self.radius[*l])).sum()
    }

    /// The closest triangles of two links at time `t`, if they are nearer than `limit`.
    pub fn measure(&self, (a, b): (usize, usize), (q0, q1): Ends, t: f64, limit: f64) -> Option<Closest> {
        let [x, y] = [a, b].map(|l| self.robot.pose(l, q0, q1, t));
        self.trees[a].closest_of_two(&x, &self.trees[b], &y, limit, &|_| true)
    }

    /// Least distance of the pairs at time `t`, up to `limit`; 0 if triangles pierce each other.
    pub fn clearance(&self, q: Ends, t: f64, limit: f64) -> f64 {
        let nearer = |least: f64, pair: &(usize, usize)| self.measure(*pair, q, t, least).map_or(least, |c| c.distance);
        self.pairs.iter().fold(limit, nearer)
    }

    /// The pairs nearer than `limit` to each other at `q`.
    pub fn near_pairs(&self, q: &[f64], limit: f64) -> Vec<(usize, usize)> {
        let is_near = |pair: &&(usize, usize)| self.measure(**pair, (q, q), 0.0, limit).is_some();
        self.pairs.iter().filter(is_near).copied().collect()
    }

    /// Samples one motion.
    pub fn motion(&self, q: Ends, fineness: Fineness) -> PairOutcome {
        let mut outcome = PairOutcome { hit: None, clear_until: 1.0, least_gap_m: fineness.horizon_m };
        let mut doubtful = Vec::new();
        for &links in &self.pairs {
            let end = outcome.hit.map_or(1.0, |h| h.t);
            let walk = self.with_passage(links, q, |p| p.walk((0.0, end), fineness));
            outcome.least_gap_m = outcome.least_gap_m.min(walk.least_gap_m);
            doubtful.push((links, walk.sure_until));
            if let Some((t, c)) = walk.hit.filter(|(t, _)| outcome.hit.is_none_or(|h| *t < h.t)) {
                outcome.hit = Some(PairHit { t, links, triangles: (c.moved, c.resting) });
            }
        }
        // repeated with tiny steps where the fine ones went further than what was proved
        let end = outcome.hit.map_or(1.0, |h| h.t);
        outcome.clear_until = end;
        for (links, since) in doubtful.into_iter().filter(|d| d.1 < end) {
            let clear = self.with_passage(links, q, |p| p.creep((since, end)));
            outcome.clear_until = outcome.clear_until.min(clear);
        }
        outcome
    }

    /// Samples many motions, on all cores.
    pub fn motions(&self, motions: &[(Vec<f64>, Vec<f64>)], fineness: Fineness) -> Vec<PairOutcome> {
        motions.par_iter().map(|(q0, q1)| self.motion((q0, q1), fineness)).collect()
    }

    /// Two triangles, one of each link, with their motion in the world.
    pub fn pair(&self, links: (usize, usize), triangles: (usize, usize), (q0, q1): Ends) -> Articulated {
        let body = |l: usize, t: usize| (self.robot.chain(l, q0, q1), self.meshes.triangles[l][t].to_vec());
        Articulated { bodies: vec![body(links.0, triangles.0), body(links.1, triangles.1)] }
    }

    /// The triangles of a link in its frame.
    pub fn triangles(&self, link: usize) -> &[Triangle] {
        &self.meshes.triangles[link]
    }

    /// The approach of two links during a motion.
    fn with_passage<R>(&self, links: (usize, usize), q: Ends, f: impl Fn(&Passage) -> R) -> R {
        let measure = |t: f64, limit: f64| self.measure(links, q, t, limit);
        f(&Passage { measure: &measure, travel: self.travel_bound(links, q) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain;
    use super::super::{groups, shapes, urdf};
    use super::*;
    use glam::{DAffine3, DMat3, DVec3};
    use std::path::Path;

    /// Two cubes of 0.2 m side, 1 m apart on a cart that travels along y: the left one slides along x, the right one
    /// turns about z.
    const CART: &str = r#"<robot name="cart"><link name="ground"/><link name="cart"/>
      <link name="left"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
      <link name="right"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
      <joint name="y" type="prismatic"><parent link="ground"/><child link="cart"/><axis xyz="0 1 0"/></joint>
      <joint name="l" type="prismatic"><parent link="cart"/><child link="left"/></joint>
      <joint name="r" type="revolute"><parent link="cart"/><child link="right"/><origin xyz="1 0 0"/>
        <axis xyz="0 0 1"/></joint></robot>"#;

    fn sampler() -> PairSampler {
        let robot = Robot::new(urdf::parse(CART, Path::new(".")), [0.0; 6], false);
        let meshes = shapes::link_meshes(&robot, shapes::Choice::Default);
        let pairs = groups::pairs(&robot, &[false, false, true, true], false);
        assert_eq!(pairs, [(2, 3)]);
        PairSampler::new(robot, meshes, pairs)
    }

    #[test]
    fn times_of_contact_by_hand() {
        let look = |q0: [f64; 3], q1: [f64; 3]| sampler().motion((&q0, &q1), Fineness::default());
        for travel in [0.0, 5.0] {
            // Faces 0.8 m apart, which a slide of 1.6 m closes in half of the motion.
            let hit = look([0.0; 3], [travel, 1.6, 0.0]).hit.expect("a hit");
            assert!((hit.t - 0.5).abs() < 1e-9 && hit.links == (2, 3), "{hit:?}");
            let free = look([0.0; 3], [travel, 0.799, 0.0]);
            assert!(free.hit.is_none() && free.least_gap_m >= 0.001 && free.least_gap_m < 0.0013, "{free:?}");
            // The right cube turns by an eighth: its edge comes 0.1 (√2 - 1) m nearer.
            let reach = 0.1 * (2.0_f64.sqrt() - 1.0);
            let (near, far) = (0.8 - reach + 1e-4, 0.8 - reach - 1e-3);
            let turned = |slide: f64| look([0.0, slide, 0.0], [travel, slide, std::f64::consts::FRAC_PI_4]);
            assert!(turned(near).hit.is_some() && turned(far).hit.is_none());
            assert!((turned(far).least_gap_m - 1e-3).abs() < 2e-4, "{:?}", turned(far));
        }
    }

    #[test]
    fn distances_of_links_that_both_move() {
        let s = sampler();
        let (q0, q1) = ([0.0; 3], [3.0, 0.3, 0.0]);
        assert!((s.clearance((&q0, &q1), 0.5, 2.0) - 0.65).abs() < 1e-12);
        assert_eq!(s.clearance((&q0, &q1), 0.5, 0.5), 0.5);
        assert_eq!((s.near_pairs(&q1, 0.6).len(), s.near_pairs(&q1, 0.4).len()), (1, 0));
        // The slide of the left cube alone: the cart moves both.
        let travel_m = s.travel_bound((2, 3), (&q0, &q1));
        assert!((0.3..0.3 + 1e-6).contains(&travel_m), "{travel_m}");
        assert!(s.travel_in_world((2, 3), (&q0, &q1)) >= 6.0);
        let pair = s.pair((2, 3), (0, 1), (&q0, &q1));
        let corner = chain::position(&pair.bodies[1].0, 0.5, pair.bodies[1].1[0]);
        assert!((corner - (s.triangles(3)[1][0] + DVec3::new(1.0, 1.5, 0.0))).length() < 1e-14);
    }

    /// Points of one body in the frame of another, as published for pairs of moving links.
    #[test]
    fn relative_positions_as_published() {
        let (c4, e) = chain::reference();
        let turn = Part::new(DVec3::X, DMat3::IDENTITY, DVec3::new(0.9, 0.2, 0.4), DVec3::ZERO, -0.8);
        let y = [c4[0], turn];
        let pose = |parts: &[Part]| {
            let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| chain::position(parts, 0.375, p));
            DAffine3 { matrix3: DMat3::from_cols(x - o, y - o, z - o), translation: o }
        };
        let relative =
            |a: &[Part], b: &[Part], p: DVec3| pose(a).inverse().transform_point3(pose(b).transform_point3(p));
        let near = |p: DVec3, expected: [f64; 3]| assert!((p - DVec3::from_array(expected)).length() < 2e-8, "{p}");
        near(relative(&y, &c4, e), [0.86733034, -0.24674943, -0.05977609]);
        near(relative(&c4, &y, DVec3::new(0.1, -0.2, 0.3)), [-0.02868359, 0.32333411, -0.1646444]);
        near(relative(&c4, &c4[..2], DVec3::new(0.1, 0.2, 0.3)), [-0.510615, 0.14858625, -0.56610574]);
    }
}

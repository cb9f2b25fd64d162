//! Robots whose sweeps are difficult, and scenes of triangles close to their links' paths.

use super::distance::triangle_to_triangle;
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::prove::avoids_triangle;
use crate::harness::truth::position;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s1_concat::{self, Poses};
use firstcontact::stage::s2_bound::{self, Boxes};
use firstcontact::stage::s4_sweep::Input;
use firstcontact::stage::{ALL_SUBS, Candidate, Piece, SUBS, s3_cull};
use glam::DVec3;
use std::collections::HashMap;

/// The difficulty of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No particular difficulty: links of six triangles on a branching tree.
    Any,
    /// Links that are edges: the line-swept sphere has no radius that could hide an error.
    Needles,
    /// Edges that slide along themselves, and turn slightly.
    Along,
    /// Edges that turn about their middle: the sweep intersects itself.
    Spinning,
    /// Edges a thousand to ten thousand metres from the origin of coordinates.
    Far,
}

pub const KINDS: [Kind; 5] = [Kind::Any, Kind::Needles, Kind::Along, Kind::Spinning, Kind::Far];

/// The positions of a scene's triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// A vertex of a link, or a point between two, passes at a distance of 10⁻⁷ m or more; it touches some of the
    /// triangles.
    Around,
    /// It touches all triangles, from one side and with no slack: a term missing in a bound makes the stage lose some.
    Touching,
}

pub struct Case {
    pub world: CollisionWorld,
    pub motions: Vec<RobotMotion>,
    pub pieces: Vec<Piece>,
    pub poses: Poses,
    pub boxes: Boxes,
    /// The output of `s3_cull`.
    pub candidates: Vec<Candidate>,
}

fn edge(a: DVec3, b: DVec3) -> Vec<Triangle> {
    vec![[a, b, (a + b) * 0.5]]
}

fn add(robot: &mut Robot, draw: &mut Draw, parent: u32, origin_m: DVec3, kind: JointKind, shape: Vec<Triangle>) -> u32 {
    let joint = Joint { name: format!("j{parent}"), orientation: draw.rotation(), origin_m, kind };
    let body = robot.add_body(format!("b{parent}"), Some(parent), joint).unwrap();
    if !shape.is_empty() {
        robot.add_link(format!("l{parent}"), body, shape, vec![0]).unwrap();
    }
    body
}

fn turning(robot: &mut Robot, draw: &mut Draw) -> JointKind {
    let column = robot.add_column("r", ColumnKind::AngleRad, None);
    JointKind::Revolute { axis: draw.direction(), drive: Drive::direct(column) }
}

fn robot(draw: &mut Draw, kind: Kind) -> Robot {
    if kind == Kind::Any {
        let n_bodies = 1 + draw.below(6);
        return models::robot(draw, RobotKind { n_bodies, link_m: 0.4, n_triangles: 6, mixed: true });
    }
    let mut robot = Robot::new("hard", "base", draw.rotation(), draw.vector(0.1)).unwrap();
    let mut body = 0;
    if kind == Kind::Far {
        let drive = Drive::direct(robot.add_column("p", ColumnKind::LengthM, None));
        let axis = draw.direction();
        body = add(&mut robot, draw, body, DVec3::ZERO, JointKind::Prismatic { axis, drive }, Vec::new());
    }
    for _ in 0..3 {
        let (joint, from, to) = match kind {
            Kind::Along => {
                let axis = draw.direction();
                let drive = Drive::direct(robot.add_column("p", ColumnKind::LengthM, None));
                (JointKind::Prismatic { axis, drive }, axis * 0.05, axis * 0.3)
            }
            Kind::Spinning => {
                let middle = draw.direction() * 0.2;
                (turning(&mut robot, draw), middle, -middle)
            }
            _ => (turning(&mut robot, draw), draw.vector(0.1), draw.vector(0.4)),
        };
        let at = draw.direction() * 0.4;
        body = add(&mut robot, draw, body, at, joint, edge(from, to));
        if kind == Kind::Along {
            let joint = turning(&mut robot, draw);
            body = add(&mut robot, draw, body, DVec3::ZERO, joint, Vec::new());
        }
    }
    robot
}

/// Start and end of a motion.
fn ends(draw: &mut Draw, robot: &Robot, kind: Kind, i: usize) -> (Vec<f64>, Vec<f64>) {
    let (angle, slide) = match kind {
        Kind::Spinning => [(0.0, 0.0), (2.0, 0.0), (6.5, 0.0), (13.0, 0.0)][i % 4],
        Kind::Along => [(0.0, 0.0), (0.0, 0.5), (1e-3, 0.3), (0.5, 0.5)][i % 4],
        _ => [(0.0, 0.0), (1e-3, 1e-3), (0.3, 0.1), (2.0, 0.5)][i % 4],
    };
    let (mut q0, mut q1) = models::motion(draw, robot, angle, slide);
    if kind == Kind::Far {
        let far = 10f64.powf(draw.between(3.0, 4.0));
        (q0[0], q1[0]) = (q0[0] + far, q1[0] + far);
    }
    (q0, q1)
}

/// A triangle whose first vertex, or a point of its inside, is at a given point, or at a distance of 10⁻⁷ m or more
/// from it.
fn around(draw: &mut Draw, there: DVec3) -> Triangle {
    let gap = if draw.below(4) == 0 { 0.0 } else { 10f64.powf(draw.between(-7.0, -0.5)) };
    let size = [1e-4, 0.02, 0.1, 0.5][draw.below(4)];
    let at = there + draw.direction() * gap;
    let t = draw.triangle(at, size);
    let shift = if draw.below(2) == 0 { at - t[0] } else { at - (t[0] + t[1] + t[2]) / 3.0 };
    t.map(|v| v + shift)
}

/// A triangle with a vertex at a given point, and the rest of it on one side of the plane there.
pub fn one_sided(draw: &mut Draw, there: DVec3, normal: DVec3) -> Triangle {
    let (u, v) = normal.any_orthonormal_pair();
    let mut corner = || {
        let along = u * draw.between(-0.1, 0.1) + v * draw.between(-0.1, 0.1);
        there + along + normal * draw.between(0.02, 0.1)
    };
    [there, corner(), corner()]
}

/// The normal, to either side, of the surface that a segment of a body sweeps at its point `e`; if the segment is at
/// rest, any direction perpendicular to it.
pub fn sheet_normal(draw: &mut Draw, m: &RobotMotion, body: u32, x: [DVec3; 2], e: DVec3, time: f64) -> DVec3 {
    let along = position(m, body, x[1], time) - position(m, body, x[0], time);
    let way = position(m, body, e, time + 1e-6) - position(m, body, e, time - 1e-6);
    let way = if way.length() > 1e-9 { way } else { draw.direction() };
    let side = if draw.below(2) == 0 { 1.0 } else { -1.0 };
    along.cross(way).try_normalize().unwrap_or(DVec3::Z) * side
}

impl Case {
    /// One robot, some motions, and for each of them triangles near its links.
    pub fn new(draw: &mut Draw, kind: Kind, near: Near, n_motions: usize, n_near: usize) -> Self {
        let robot = robot(draw, kind);
        let (mut motions, mut pieces, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n_motions {
            let (q0, q1) = ends(draw, &robot, kind, i);
            let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
            pieces.extend(Piece::cut(i as u32, &motion));
            for _ in 0..n_near {
                let link = &robot.links[draw.below(robot.links.len())];
                let x = link.triangles[draw.below(link.triangles.len())];
                let e = if draw.below(2) == 0 { x[draw.below(2)] } else { x[0].lerp(x[1], draw.unit()) };
                // Often where two sub-intervals meet: remainders are largest there.
                let time = if draw.below(2) == 0 { draw.unit() } else { draw.below(17) as f64 / 16.0 };
                let there = position(&motion, link.body, e, time);
                triangles.push(match near {
                    Near::Around => around(draw, there),
                    Near::Touching => {
                        let n = sheet_normal(draw, &motion, link.body, [x[0], x[1]], e, time);
                        one_sided(draw, there, n)
                    }
                });
            }
            motions.push(motion);
        }
        let mut scene = Scene::new();
        scene.add_object("near", triangles).unwrap();
        Self::of(&robot, &scene, motions, pieces, PoseEnclosure::TaylorModel)
    }

    pub fn of(
        robot: &Robot,
        scene: &Scene,
        motions: Vec<RobotMotion>,
        pieces: Vec<Piece>,
        form: PoseEnclosure,
    ) -> Self {
        let world = CollisionWorld::new(robot, scene, &[]).unwrap();
        let poses = s1_concat::reference(&pieces, &motions, form);
        let boxes = s2_bound::reference(&world, &pieces, &poses);
        let candidates = s3_cull::reference(&world, &pieces, &boxes);
        Self { world, motions, pieces, poses, boxes, candidates }
    }

    /// Cuts the motions into the pieces of the CPU, which have fewer sub-intervals.
    pub fn cut_for_cpu(&mut self) {
        self.pieces = models::pieces_of_the_cpu(&self.world, &self.motions);
        self.poses = s1_concat::reference(&self.pieces, &self.motions, PoseEnclosure::TaylorModel);
        self.boxes = s2_bound::reference(&self.world, &self.pieces, &self.poses);
        self.candidates = s3_cull::reference(&self.world, &self.pieces, &self.boxes);
    }

    pub fn input(&self) -> Input<'_> {
        Input {
            world: &self.world,
            motions: &self.motions,
            pieces: &self.pieces,
            poses: &self.poses,
            boxes: &self.boxes,
        }
    }

    /// Number of (motion, link, triangle) sets among candidates.
    pub fn sets(&self, candidates: &[Candidate]) -> usize {
        candidates.iter().map(|c| c.triangles(&self.world).count()).sum()
    }

    /// Number of culled (link, triangle, sub-interval)s, and of those among them that cannot be proved free. `before`
    /// is the input of the stage, `after` its output.
    pub fn unproved(&self, before: &[Candidate], after: &[Candidate]) -> (usize, usize) {
        let key = |c: &Candidate| (c.piece, c.link, c.cluster);
        let kept: HashMap<_, _> = after.iter().map(|c| (key(c), c)).collect();
        assert_eq!((kept.len(), after.len()), (before.len(), before.len()), "candidates stay in the queue, each once");
        let (mut culled, mut bad) = (0, 0);
        for c in before {
            let left = kept[&key(c)];
            // Bits are cleared, never set.
            bad += (left.mask & !c.mask).count_ones() as usize;
            let link = &self.world.links[c.link as usize];
            let (piece, motion) =
                (&self.pieces[c.piece as usize], &self.motions[self.pieces[c.piece as usize].motion as usize]);
            for y in c.triangles(&self.world) {
                let left = if left.has(&self.world, y) { left.mask } else { 0 };
                let dropped = c.mask & ALL_SUBS & !left;
                culled += dropped.count_ones() as usize;
                let tri = self.world.scene.standing(y);
                let free = |span| {
                    let avoids = |x| {
                        avoids_triangle(motion, link.body, x, &tri, span)
                            || keeps_away(motion, link.body, x, &tri, span)
                    };
                    link.triangles.iter().all(avoids)
                };
                bad += runs(dropped)
                    .filter(|&(i, j)| !free([piece.sub(i)[0], piece.sub(j)[1]]))
                    .map(|(i, j)| (i..=j).filter(|&k| !free(piece.sub(k))).count())
                    .sum::<usize>();
            }
        }
        (culled, bad)
    }
}

/// Returns whether a triangle of a body stays clear of one at rest: by their distance, which decreases no faster than
/// the body moves. For edges and points, which have too few of the separating axes of triangles.
fn keeps_away(motion: &RobotMotion, body: u32, x: &Triangle, y: &StaticTriangle<f64>, t: [f64; 2]) -> bool {
    fn search(m: &RobotMotion, body: u32, x: &Triangle, y: &Triangle, speed: f64, t: [f64; 2], depth: u32) -> bool {
        let (mid, h) = (0.5 * (t[0] + t[1]), 0.5 * (t[1] - t[0]));
        let now = x.map(|e| position(m, body, e, mid));
        let error = 1e-13 * (1.0 + now[0].length());
        let distance = triangle_to_triangle(&now, y);
        distance > speed * h + error
            || (depth > 0
                && distance > error
                && search(m, body, x, y, speed, [t[0], mid], depth - 1)
                && search(m, body, x, y, speed, [mid, t[1]], depth - 1))
    }
    let reach = x.iter().fold(0.0, |m: f64, v| m.max(v.length()));
    let speed = motion.chains[body as usize].speed(reach);
    search(motion, body, x, &y.y.map(|v| DVec3::from_array(v.0)), speed, t, 24)
}

/// First and last of each run of bits.
fn runs(mask: u32) -> impl Iterator<Item = (usize, usize)> {
    let starts = mask & !(mask << 1);
    (0..SUBS).filter(move |i| starts >> i & 1 != 0).map(move |i| (i, i + (mask >> i).trailing_ones() as usize - 1))
}

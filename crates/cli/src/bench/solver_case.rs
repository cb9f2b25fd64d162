//! A chain with one triangle at its end among many fixed ones, for the comparison of solvers.

use super::draw::Draw;
use firstcontact::Result;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s6_solve::{SolveOptions, Solver};
use firstcontact::stage::{Piece, TrianglePair};
use firstcontact::verdict::Verdict;
use glam::{DMat3, DQuat, DVec3};

/// A chain with one triangle at its end, a motion of it, and triangles around its position halfway.
fn scenario(draw: &mut Draw, depth: usize, degrees: f64, n: usize) -> Result<(CollisionWorld, RobotMotion)> {
    let mut robot = Robot::new("chain", "base", DMat3::IDENTITY, DVec3::ZERO)?;
    let mut parent = 0;
    for i in 0..depth {
        let axis = draw.vector(1.0).normalize();
        let drive = Drive::direct(robot.add_column(format!("q{i}"), ColumnKind::AngleRad, None));
        let turn = DQuat::from_axis_angle(draw.vector(1.0).normalize(), 3.0 * draw.signed());
        let joint = Joint {
            name: format!("joint{i}"),
            orientation: DMat3::from_quat(turn),
            origin_m: draw.vector(1.0).normalize() * 0.4,
            kind: JointKind::Revolute { axis, drive },
        };
        parent = robot.add_body(format!("body{i}"), Some(parent), joint)?;
    }
    let corners = [(); 3].map(|()| draw.vector(0.1));
    robot.add_link("tip", parent, vec![corners], vec![0])?;
    let q0: Vec<f64> = (0..depth).map(|_| 3.0 * draw.signed()).collect();
    let q1: Vec<f64> = q0.iter().map(|q| q + degrees.to_radians() * draw.signed()).collect();
    let half: Vec<f64> = q0.iter().zip(&q1).map(|(a, b)| 0.5 * (a + b)).collect();
    let near = robot.body_poses(&half)?[parent as usize].transform_point3(corners[0]);
    let mut scene = Scene::new();
    let triangles = (0..n).map(|_| {
        let at = near + draw.vector(0.3);
        [(); 3].map(|()| at + draw.vector(0.05))
    });
    scene.add_object("around", triangles.collect::<Vec<_>>())?;
    let motion = RobotMotion::new(&robot, &q0, &q1)?;
    Ok((CollisionWorld::new(&robot, &scene, &[])?, motion))
}

/// One depth and angle: a motion, with triangles that the tip misses and others that it touches.
pub struct Case {
    /// Chain and triangles.
    pub world: CollisionWorld,
    motion: RobotMotion,
    pieces: Vec<Piece>,
    /// Triangles of the scene that the motion misses.
    pub apart: Vec<u32>,
    /// Triangles of the scene that it touches with a certified first contact, not at the start.
    pub touching: Vec<u32>,
}

impl Case {
    /// A case with `n_apart` misses and up to `n_touching` contacts, at least one.
    ///
    /// # Errors
    /// None in practice: the parameters describe a valid chain.
    pub fn new(seed: u64, depth: usize, degrees: f64, n_apart: usize, n_touching: usize) -> Result<Self> {
        let mut draw = Draw::new(seed + depth as u64);
        loop {
            let (world, motion) = scenario(&mut draw, depth, degrees, 4 * n_apart)?;
            let pieces: Vec<Piece> = Piece::cut(0, &motion).collect();
            let mut case = Self { world, motion, pieces, apart: Vec::new(), touching: Vec::new() };
            let (mut apart, mut touching) = (Vec::new(), Vec::new());
            let mut solver = Solver::new(&case.world, SolveOptions::default());
            for y in 0..4 * n_apart as u32 {
                match case.solve(&mut solver, &[y]) {
                    Verdict::Free => apart.push(y),
                    Verdict::Contact(c) if c.is_certified() && !c.initial_overlap => touching.push(y),
                    _ => {}
                }
            }
            apart.truncate(n_apart);
            touching.truncate(n_touching);
            if apart.len() == n_apart && !touching.is_empty() {
                (case.apart, case.touching) = (apart, touching);
                return Ok(case);
            }
        }
    }

    /// Solves the link's triangle against some triangles of the scene over the whole motion.
    pub fn solve(&self, solver: &mut Solver, scene_triangles: &[u32]) -> Verdict {
        solver.begin();
        for (p, piece) in self.pieces.iter().enumerate() {
            let pair = |&scene_triangle: &u32| TrianglePair {
                piece_link: p as u32,
                link_triangle: 0,
                scene_triangle,
                mask_slice: 0xffff,
            };
            let pairs: Vec<TrianglePair> = scene_triangles.iter().map(pair).collect();
            if solver.feed(&self.motion, piece, &pairs) {
                break;
            }
        }
        solver.finish()
    }
}

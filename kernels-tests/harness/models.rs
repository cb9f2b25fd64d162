//! Seeded random robots, motions and scenes.

use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::Piece;
use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Random numbers.
pub struct Draw(Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DMat3 {
        let angle = self.between(-3.0, 3.0);
        DMat3::from_quat(DQuat::from_axis_angle(self.direction(), angle))
    }

    /// A triangle about `centre`: mostly ordinary, sometimes a needle, a sliver, huge, an edge or a point.
    pub fn triangle(&mut self, centre: DVec3, size: f64) -> Triangle {
        let mut corner = |size: f64| centre + self.vector(size);
        let (a, b, c) = (corner(size), corner(size), corner(size));
        match self.below(12) {
            0 => [a, a + (b - a) * 4.0, a + (b - a) * 2.0 + (c - a) * 1e-6],
            1 => [a, b, a + (b - a) * 0.5],
            2 => [a; 3],
            3 => [a, a + (b - a) * 20.0, a + (c - a) * 20.0],
            _ => [a, b, c],
        }
    }
}

/// The properties of a random robot.
#[derive(Clone, Copy)]
pub struct RobotKind {
    /// Moving bodies.
    pub n_bodies: usize,
    /// Distance between joints, metres.
    pub link_m: f64,
    /// Triangles per link.
    pub n_triangles: usize,
    /// True if bodies may have several children, and joints may be free, sliding or fixed.
    pub mixed: bool,
}

/// The pieces into which the CPU cuts some motions; they have fewer sub-intervals than those of adapters.
pub fn pieces_of_the_cpu(world: &CollisionWorld, motions: &[RobotMotion]) -> Vec<Piece> {
    motions.iter().enumerate().flat_map(|(i, motion)| Piece::cut_by_travel(i as u32, motion, world)).collect()
}

/// A random robot of triangles about its joints.
pub fn robot(draw: &mut Draw, kind: RobotKind) -> Robot {
    let mut robot = Robot::new("random", "base", draw.rotation(), draw.vector(0.1)).unwrap();
    add_link(&mut robot, draw, 0, kind);
    for i in 0..kind.n_bodies {
        let parent = if kind.mixed && draw.below(4) == 0 { draw.below(i + 1) as u32 } else { i as u32 };
        let axis = draw.direction();
        let joint_kind = match if kind.mixed { draw.below(8) } else { 7 } {
            0 => JointKind::Prismatic { axis, drive: Drive::direct(robot.add_column("p", ColumnKind::LengthM, None)) },
            1 => JointKind::Fixed,
            2 => {
                let first_column = robot.columns.len() as u32;
                for k in 0..7 {
                    robot.add_column("f", ColumnKind::Free(k), None);
                }
                JointKind::Free { first_column }
            }
            _ => JointKind::Revolute { axis, drive: Drive::direct(robot.add_column("r", ColumnKind::AngleRad, None)) },
        };
        let joint = Joint {
            name: format!("joint{i}"),
            orientation: draw.rotation(),
            origin_m: draw.direction() * kind.link_m,
            kind: joint_kind,
        };
        let body = robot.add_body(format!("body{i}"), Some(parent), joint).unwrap();
        add_link(&mut robot, draw, body, kind);
    }
    robot
}

fn add_link(robot: &mut Robot, draw: &mut Draw, body: u32, kind: RobotKind) {
    let along = draw.direction() * kind.link_m;
    let triangles = (0..kind.n_triangles).map(|_| {
        let at = along * draw.unit();
        draw.triangle(at, 0.15 * kind.link_m)
    });
    let triangles = triangles.collect();
    robot.add_link(format!("link{body}"), body, triangles, vec![0]).unwrap();
}

/// A random motion of a robot: angles change by up to `angle` radians, lengths by up to `slide` metres.
pub fn motion(draw: &mut Draw, robot: &Robot, angle: f64, slide: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    let mut turn = (DQuat::IDENTITY, DQuat::IDENTITY);
    for column in &robot.columns {
        let (a, b) = match column.kind {
            ColumnKind::AngleRad => {
                let a = draw.between(-3.0, 3.0);
                (a, a + draw.between(-angle, angle))
            }
            ColumnKind::LengthM | ColumnKind::Free(0..=2) => {
                let a = draw.between(-0.5, 0.5);
                (a, a + draw.between(-slide, slide))
            }
            ColumnKind::Free(k) => {
                if k == 3 {
                    let from = DQuat::from_mat3(&draw.rotation().as_mat3().as_dmat3()).normalize();
                    let by = DQuat::from_axis_angle(draw.direction(), draw.between(0.0, angle.min(3.0)));
                    turn = (from, (by * from).normalize());
                }
                let part = |q: DQuat| [q.x, q.y, q.z, q.w][k as usize - 3];
                (part(turn.0), part(turn.1))
            }
        };
        start.push(a);
        end.push(b);
    }
    (start, end)
}

/// A scene of `n` triangles within `size` metres, in objects of ten.
pub fn scene(draw: &mut Draw, n: usize, size: f64, triangle_m: f64) -> Scene {
    let mut scene = Scene::new();
    for first in (0..n).step_by(10) {
        let triangles: Vec<Triangle> = (first..n.min(first + 10))
            .map(|_| {
                let at = draw.vector(size);
                draw.triangle(at, triangle_m)
            })
            .collect();
        scene.add_object(format!("object{first}"), triangles).unwrap();
    }
    scene
}

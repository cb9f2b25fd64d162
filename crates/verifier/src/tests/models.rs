//! Small robots, scenes and motions.

use crate::{Body, Drive, Joint, Link, Motion, Object, Robot, Scene, Segment, Statement};

pub const UPRIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The twelve triangles of a box.
pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Vec<[[f64; 3]; 3]> {
    let corner = |k: usize| std::array::from_fn(|r| if k >> r & 1 == 1 { high[r] } else { low[r] });
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).map(|t| t.map(corner)).collect()
}

pub fn drive(column: usize) -> Drive {
    Drive { column, multiplier: 1.0, offset: 0.0 }
}

pub fn revolute(column: usize, axis: [f64; 3]) -> Joint {
    Joint::Revolute { axis, drive: drive(column) }
}

pub fn prismatic(column: usize, axis: [f64; 3]) -> Joint {
    Joint::Prismatic { axis, drive: drive(column) }
}

pub fn body(parent: Option<usize>, origin_m: [f64; 3], joint: Joint) -> Body {
    Body { parent, orientation: UPRIGHT, origin_m, joint }
}

pub fn link(name: &str, body: usize, triangles: Vec<[[f64; 3]; 3]>) -> Link {
    Link { name: name.into(), body, triangles }
}

pub fn scene(triangles: Vec<[[f64; 3]; 3]>) -> Scene {
    Scene { objects: vec![Object { name: "wall".into(), triangles }] }
}

/// A motion of one segment along straight lines.
pub fn line(columns: &[[f64; 2]]) -> Motion {
    Motion { segments: vec![segment(columns)] }
}

pub fn segment(columns: &[[f64; 2]]) -> Segment {
    Segment { coefficients: columns.iter().map(|ends| ends.to_vec()).collect() }
}

/// A problem: everything but a certificate.
#[derive(Clone)]
pub struct Problem {
    pub robot: Robot,
    pub scene: Scene,
    pub motion: Motion,
    pub statement: Statement,
}

/// A cube of side 0.2 m at the origin that slides along x, in front of a wall at x = 1 m.
pub fn slider(from: f64, to: f64) -> Problem {
    Problem {
        robot: Robot {
            n_columns: 1,
            bodies: vec![body(None, [0.0; 3], prismatic(0, [1.0, 0.0, 0.0]))],
            links: vec![link("cube", 0, cuboid([-0.1; 3], [0.1; 3]))],
        },
        scene: scene(cuboid([1.0, -1.0, -1.0], [1.1, 1.0, 1.0])),
        motion: line(&[[from, to]]),
        statement: Statement::default(),
    }
}

/// An arm of two links of 1 m and 0.8 m that turn about z, with a fixed body between them, and two obstacles.
pub fn arm(from: [f64; 2], to: [f64; 2]) -> Problem {
    let beam = |length: f64| cuboid([0.0, -0.05, -0.05], [length, 0.05, 0.05]);
    let up = [0.0, 0.0, 1.0];
    let mut obstacles = scene(cuboid([1.3, 1.3, -0.3], [1.5, 1.5, 0.3]));
    obstacles.objects.push(Object { name: "post".into(), triangles: cuboid([-1.3, -1.2, -1.0], [-1.1, -1.0, 1.0]) });
    Problem {
        robot: Robot {
            n_columns: 2,
            bodies: vec![
                body(None, [0.0, 0.0, 0.1], revolute(0, up)),
                body(Some(0), [1.0, 0.0, 0.0], Joint::Fixed),
                body(Some(1), [0.0, 0.0, 0.11], revolute(1, up)),
            ],
            links: vec![link("upper", 0, beam(1.0)), link("lower", 2, beam(0.8))],
        },
        scene: obstacles,
        motion: line(&[[from[0], to[0]], [from[1], to[1]]]),
        statement: Statement { link_pairs: vec![[0, 1]], ..Statement::default() },
    }
}

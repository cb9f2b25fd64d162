//! Arms of a few boxes, made for these tests.

use firstcontact::robot::Triangle;
use firstcontact::{Backend, ColumnKind, Drive, Engine, Joint, JointKind, LinkPairs, Report, Robot, Scene};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// The twelve triangles of a box.
pub fn block(lo: [f64; 3], hi: [f64; 3]) -> Vec<Triangle> {
    let corner =
        |bits: usize| DVec3::from_array(std::array::from_fn(|i| if bits >> i & 1 == 1 { hi[i] } else { lo[i] }));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
}

/// A robot at a base, turned by `yaw` about z.
fn at(name: &str, base: DVec3, yaw: f64) -> Robot {
    let mut robot = Robot::new(name, "base", DMat3::from_rotation_z(yaw), base).unwrap();
    robot.add_link("base", 0, block([-0.1, -0.1, -0.3], [0.1, 0.1, -0.2]), vec![0]).unwrap();
    robot
}

fn turning(robot: &mut Robot, name: &str, origin_m: DVec3, axis: DVec3) -> Joint {
    let drive = Drive::direct(robot.add_column(name, ColumnKind::AngleRad, Some([-PI, PI])));
    let kind = JointKind::Revolute { axis, drive };
    Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m, kind }
}

/// An arm of six joints with the proportions of a UR5, upright at the zero pose but for its forearm, which reaches
/// along x.
pub fn arm(base: DVec3, yaw: f64) -> Robot {
    let mut robot = at("arm", base, yaw);
    let v = DVec3::new;
    let joints = [
        ("pan", v(0.0, 0.0, 0.1), DVec3::Z, [0.12, 0.12, 0.1]),
        ("lift", v(0.0, 0.14, 0.0), DVec3::Y, [0.1, 0.1, 0.42]),
        ("elbow", v(0.0, -0.12, 0.42), DVec3::Y, [0.39, 0.08, 0.08]),
        ("wrist1", v(0.39, 0.0, 0.0), DVec3::Y, [0.07, 0.09, 0.07]),
        ("wrist2", v(0.0, 0.09, 0.0), DVec3::Z, [0.06, 0.06, 0.09]),
        ("wrist3", v(0.0, 0.0, 0.09), DVec3::Y, [0.05, 0.08, 0.05]),
    ];
    for (i, (name, origin_m, axis, size)) in joints.into_iter().enumerate() {
        let joint = turning(&mut robot, name, origin_m, axis);
        let body = robot.add_body(format!("{name}_link"), Some(i as u32), joint).unwrap();
        let triangles = block([-0.03, -0.03, -0.03], size);
        robot.add_link(format!("{name}_link"), body, triangles, vec![0]).unwrap();
    }
    robot
}

/// A bar of length 1 along x that turns about z, 0.1 thick.
pub fn bar(base: DVec3, yaw: f64) -> Robot {
    let mut robot = at("bar", base, yaw);
    let joint = turning(&mut robot, "turn", DVec3::ZERO, DVec3::Z);
    let body = robot.add_body("bar", Some(0), joint).unwrap();
    robot.add_link("bar", body, block([0.0, -0.05, -0.05], [1.0, 0.05, 0.05]), vec![0]).unwrap();
    robot
}

/// A post that does not move.
pub fn post(base: DVec3) -> Robot {
    let mut robot = at("post", base, 0.0);
    robot.add_link("post", 0, block([-0.05, -0.05, -1.0], [0.05, 0.05, 1.0]), vec![0]).unwrap();
    robot
}

/// Two robots as one, of which only pairs of links of different robots are tested.
pub fn pair(left: Robot, right: Robot) -> (Robot, LinkPairs) {
    let both = Robot::join([("left".to_string(), left), ("right".to_string(), right)]).unwrap();
    let pairs = LinkPairs::of_robots(&both, &[LinkPairs::none(), LinkPairs::none()]).unwrap();
    (both, pairs)
}

/// An engine on the CPU.
pub fn engine(robot: &Robot, scene: &Scene, pairs: LinkPairs) -> Engine {
    Engine::builder(robot, scene).backend(Backend::Cpu).link_pairs(pairs).build().unwrap()
}

/// The answers to motions, given as start and end.
pub fn check(engine: &Engine, motions: &[[Vec<f64>; 2]]) -> Report {
    let ends = |i: usize| motions.iter().map(|m| m[i].clone()).collect::<Vec<_>>();
    engine.check(&firstcontact::MotionBatch::between(&ends(0), &ends(1)).unwrap()).unwrap()
}

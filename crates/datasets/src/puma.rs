//! A Puma 560 from its published Denavit–Hartenberg parameters.
//!
//! Frames follow the standard convention: joint i is followed by a shift `d` along its axis, a shift `a` along the
//! common normal and a rotation `α` about it. Link i's frame has joint i's axis as z. The shapes are modelled after
//! the real arm: a pedestal, a shoulder housing across it, an upper arm at its side, a forearm set back towards the
//! middle, a spherical wrist, and a gripper with two fingers.

use super::arm::{Arm, ArmLink, Mount};
use super::parts::assembly::{Assembly, tessellate};
use super::parts::frame::Frame;
use super::parts::outline::tapered_bar;
use super::parts::shapes::{Shape, Step::*};
use firstcontact::error::Result;
use glam::DVec3;
use std::f64::consts::PI;

/// The number of triangles of all links.
pub(crate) const N_TRIANGLES: usize = 800;
/// The length of the upper arm, metres.
const A2_M: f64 = 0.4318;
/// Distance of the elbow's axis from the forearm's axis, metres.
const A3_M: f64 = 0.0203;
/// Lateral offset of the forearm from the shoulder, metres.
const D3_M: f64 = 0.15005;
/// Distance of the centre of the wrist from the elbow, metres.
const D4_M: f64 = 0.4318;
/// The height of the shoulder above the floor, metres.
const SHOULDER_M: f64 = 0.6718;
/// Centre and radius, metres, of a ball that contains all points of the moving links in every pose; a unit test checks
/// it against the meshes.
pub(crate) const REACH: (DVec3, f64) = (DVec3::new(0.0, 0.0, SHOULDER_M), 1.06);
/// Half of the thickness of the space around the z axis that pedestal and shoulder sweep, metres; scenes keep it free.
pub(crate) const COLUMN_M: f64 = 0.3;
/// The height of that space, metres.
pub(crate) const COLUMN_HEIGHT_M: f64 = 1.0;

/// `(a, α in quarter turns, d)` of the six joints.
const DH: [(f64, i32, f64); 6] =
    [(0.0, 1, 0.0), (A2_M, 0, 0.0), (A3_M, -1, D3_M), (0.0, 1, D4_M), (0.0, -1, 0.0), (0.0, 0, 0.0)];

/// The arm, its base on the plane z = 0 and its first axis along z.
///
/// # Errors
/// No error in practice: the counts of its pieces are fixed.
pub(crate) fn arm() -> Result<Arm> {
    let parts = tessellate(&links(), N_TRIANGLES)?;
    let links = parts.into_iter().enumerate().map(|(i, mut part)| {
        part.name = format!("link{i}");
        let mount = match i.checked_sub(2) {
            None => Mount { origin_m: DVec3::new(0.0, 0.0, if i == 1 { SHOULDER_M } else { 0.0 }), x_quarters: 0 },
            Some(before) => {
                let (a, quarters, d) = DH[before];
                Mount { origin_m: DVec3::new(a, 0.0, d), x_quarters: quarters }
            }
        };
        ArmLink { mesh_file: part.name.clone(), part, mount, axis: DVec3::Z, start_range_rad: [-PI, PI] }
    });
    Ok(Arm { name: "puma560".into(), links: links.collect() })
}

fn links() -> [Assembly; 7] {
    let here = Frame::at(0.0, 0.0, 0.0);
    let across = |y: f64| Frame::along(DVec3::new(0.0, y, 0.0), -DVec3::Y);
    let mut links: [Assembly; 7] = std::array::from_fn(|_| Assembly::new("link"));
    let [base, shoulder, upper, fore, wrist, hand, tool] = &mut links;

    // Pedestal with its foot plate, and the box where the cables exit.
    base.lathe(
        here,
        &[To(0.0, 0.155), To(0.022, 0.155), To(0.05, 0.09), To(0.47, 0.08), To(0.47, 0.095), To(0.53, 0.095)],
    )
    .block(here, [-0.16, -0.06, 0.05], [-0.07, 0.06, 0.2]);

    // Turret on the pedestal, and the housing of the shoulder's axis across it.
    shoulder
        .lathe(here, &[To(-0.135, 0.09), To(-0.05, 0.09), To(0.03, 0.085), ShoulderTo(0.1, 0.0)])
        .lathe(across(0.085), &[To(0.0, 0.05), To(0.02, 0.075), To(0.275, 0.075)]);

    // The upper arm is at the side of the shoulder: a tapered casing, with a hub towards the shoulder and one at the
    // elbow.
    upper
        .add(here, Shape::Prism { outline: tapered_bar(A2_M, 0.105, 0.07, 6), z: [0.205, 0.29] })
        .add(here.moved(0.0, 0.0, 0.192), Shape::cylinder(0.08, 0.013))
        .add(here.moved(A2_M, 0.0, 0.198), Shape::cylinder(0.05, 0.007));

    // The forearm runs along y, narrowing to the wrist.
    let elbow = Frame::oriented(DVec3::ZERO, DVec3::Z, DVec3::new(A3_M, 0.36, 0.0));
    fore.add(elbow, Shape::Prism { outline: tapered_bar(0.34, 0.07, 0.042, 5), z: [0.108, 0.188] })
        .add(here.moved(0.0, 0.0, 0.188), Shape::cylinder(0.05, 0.008));

    // The wrist's tube, and the drum of its second axis.
    wrist
        .add(here.moved(0.0, 0.0, 0.335), Shape::cylinder(0.036, 0.075))
        .add(Frame::along(DVec3::new(0.0, -0.045, D4_M), DVec3::Y), Shape::cylinder(0.036, 0.09));

    // The nose that carries the tool's flange.
    hand.lathe(
        Frame::along(DVec3::new(0.0, 0.02, 0.0), DVec3::Y),
        &[To(0.0, 0.028), To(0.028, 0.028), To(0.036, 0.02)],
    );

    // Flange, palm and two fingers with pads.
    tool.add(here.moved(0.0, 0.0, 0.0555), Shape::cylinder(0.0315, 0.0085)).block(
        here,
        [-0.05, -0.016, 0.064],
        [0.05, 0.016, 0.088],
    );
    for side in [-1.0, 1.0] {
        let finger = here.moved(0.034 * side, 0.0, 0.0);
        tool.block(finger, [-0.006, -0.011, 0.088], [0.006, 0.011, 0.158]).block(
            finger.moved(-0.009 * side, 0.0, 0.0),
            [-0.003, -0.009, 0.13],
            [0.003, 0.009, 0.156],
        );
    }
    links
}

#[cfg(test)]
mod tests {
    use super::super::parts::touch;
    use super::super::random::Stream;
    use super::*;
    use glam::DMat4;

    /// The product of the convention's matrices up to each joint, with the published parameters.
    fn dh_frames(q: &[f64]) -> Vec<DMat4> {
        let rows = [
            (0.0, PI / 2.0, 0.0),
            (0.4318, 0.0, 0.0),
            (0.0203, -PI / 2.0, 0.15005),
            (0.0, PI / 2.0, 0.4318),
            (0.0, -PI / 2.0, 0.0),
            (0.0, 0.0, 0.0),
        ];
        let mut at = DMat4::from_translation(DVec3::new(0.0, 0.0, 0.6718));
        let mut frames = vec![at];
        for ((a, alpha, d), theta) in rows.into_iter().zip(q) {
            let ((st, ct), (sa, ca)) = (theta.sin_cos(), alpha.sin_cos());
            at *= DMat4::from_cols_array(&[
                ct,
                st,
                0.0,
                0.0, //
                -st * ca,
                ct * ca,
                sa,
                0.0, //
                st * sa,
                -ct * sa,
                ca,
                0.0, //
                a * ct,
                a * st,
                d,
                1.0,
            ]);
            frames.push(at);
        }
        frames
    }

    fn random_configurations(n: usize) -> Vec<Vec<f64>> {
        let mut random = Stream::new(1, "puma/test");
        (0..n).map(|_| (0..6).map(|_| random.between(-PI, PI)).collect()).collect()
    }

    fn assert_near(a: DMat4, b: DMat4, what: &str) {
        let worst = (a - b).to_cols_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-13, "{what}: {worst}");
    }

    /// Link i's frame is the convention's frame i - 1 after the rotation of joint i.
    #[test]
    fn the_model_moves_as_the_convention_says() {
        let robot = arm().unwrap().robot().unwrap();
        assert_eq!(robot.columns.len(), 6);
        for q in random_configurations(200) {
            let frames = dh_frames(&q);
            for (i, (rotation, position)) in touch::poses(&robot, &q).into_iter().enumerate().skip(1) {
                let pose = DMat4::from_cols(
                    rotation.x_axis.extend(0.0),
                    rotation.y_axis.extend(0.0),
                    rotation.z_axis.extend(0.0),
                    position.extend(1.0),
                );
                assert_near(pose, frames[i - 1] * DMat4::from_rotation_z(q[i - 1]), &format!("link {i}"));
            }
        }
    }

    #[test]
    fn the_written_urdf_moves_as_the_convention_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.urdf");
        super::super::files::urdf::write(&path, "test", &arm().unwrap()).unwrap();
        let urdf = urdf_rs::read_file(&path).unwrap();
        assert_eq!((urdf.links.len(), urdf.joints.len()), (7, 6));
        for q in random_configurations(200) {
            let mut at = DMat4::IDENTITY;
            for (i, joint) in urdf.joints.iter().enumerate() {
                assert_eq!(joint.joint_type, urdf_rs::JointType::Continuous);
                assert_eq!(
                    (joint.parent.link.as_str(), joint.child.link.as_str()),
                    (&*format!("link{i}"), &*format!("link{}", i + 1))
                );
                let (xyz, rpy) = (joint.origin.xyz.0, joint.origin.rpy.0);
                at *= DMat4::from_translation(DVec3::from_array(xyz))
                    * DMat4::from_rotation_z(rpy[2])
                    * DMat4::from_rotation_y(rpy[1])
                    * DMat4::from_rotation_x(rpy[0])
                    * DMat4::from_axis_angle(DVec3::from_array(joint.axis.xyz.0), q[i]);
                assert_near(at, dh_frames(&q)[i] * DMat4::from_rotation_z(q[i]), &joint.name);
            }
        }
    }

    #[test]
    fn the_arm_has_seven_links_and_800_triangles() {
        let arm = arm().unwrap();
        assert_eq!(arm.links.len(), 7);
        // The counts in datasets/README.md.
        let counts: Vec<usize> = arm.links.iter().map(|l| l.part.mesh.triangles.len()).collect();
        assert_eq!(counts, [200, 186, 142, 84, 56, 44, 88]);
        assert_eq!(counts.iter().sum::<usize>(), 800);
        assert!(arm.links.iter().all(|l| l.part.mesh.is_closed() && l.part.mesh.six_volumes() > 0.0));
    }

    /// Uses the triangle inequality: shoulder to elbow, elbow to wrist, wrist to any point of wrist and tool.
    #[test]
    fn no_point_leaves_the_ball_of_reach() {
        let links = arm().unwrap().links;
        let farthest = |i: usize, from: DVec3| {
            links[i].part.mesh.vertices.iter().map(|v| (*v - from).length()).fold(0.0, f64::max)
        };
        let elbow_to_wrist = DVec3::new(A3_M, D4_M, D3_M).length();
        let wrist = farthest(4, DVec3::Z * D4_M).max(farthest(5, DVec3::ZERO)).max(farthest(6, DVec3::ZERO));
        let reach = [
            farthest(1, DVec3::ZERO),
            farthest(2, DVec3::ZERO),
            A2_M + farthest(3, DVec3::ZERO),
            A2_M + elbow_to_wrist + wrist,
        ];
        for r in reach {
            assert!(r <= REACH.1, "{r}");
        }
        assert!(reach[3] > REACH.1 - 0.01, "the ball is larger than it needs to be: {}", reach[3]);
    }

    #[test]
    fn pedestal_and_shoulder_stay_in_their_column() {
        let links = arm().unwrap().links;
        for (i, lift) in [(0, 0.0), (1, SHOULDER_M)] {
            for v in &links[i].part.mesh.vertices {
                assert!((v.x * v.x + v.y * v.y).sqrt() < COLUMN_M && v.z + lift < COLUMN_HEIGHT_M, "link {i}: {v}");
            }
        }
    }
}

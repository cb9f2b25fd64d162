//! Forward kinematics from a URDF, for a start, an end and a time.
//!
//! Joint values are linear in time. A free joint's origin moves on a straight line while its orientation turns at a
//! constant rate about one axis fixed in the parent, by the shorter way; of the two ways of a half turn it takes the
//! one whose axis (in the parent frame) has its first non-zero component positive.

use super::chain::Part;
use super::urdf::{self, Joint, Kind, Link, Urdf};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::path::Path;

/// A kinematic tree. Links 0 to n-1 and joints are in the order of the file; a free root joint, if requested, is the
/// last joint, but its columns are the first.
#[derive(Clone, Debug)]
pub struct Robot {
    pub urdf: Urdf,
    /// Pose of the root link in the world, before a free root joint.
    pub base: DAffine3,
    pub root: usize,
    /// True if the root moves freely relative to [`Robot::base`].
    pub floating_root: bool,
    /// Name and kind of the joint of every column (seven equal entries for a free joint).
    pub columns: Vec<(String, Kind)>,
    /// First column of every joint that has its own.
    column_of: Vec<Option<usize>>,
    /// Joint above each link; `None` for the root.
    above: Vec<Option<usize>>,
    /// Links, parents first.
    order: Vec<usize>,
}

/// A pose from `x, y, z, roll, pitch, yaw`.
pub fn base_pose(b: [f64; 6]) -> DAffine3 {
    DAffine3 { matrix3: urdf::rotation(DVec3::new(b[3], b[4], b[5])), translation: DVec3::new(b[0], b[1], b[2]) }
}

/// The shorter turn from `start` to `end`: unit axis in the frame in which both are given, and an angle from 0 to π.
pub fn turn_between(start: DQuat, end: DQuat) -> (DVec3, f64) {
    let mut q = (end.normalize() * start.normalize().conjugate()).normalize();
    let first = [q.x, q.y, q.z].into_iter().find(|c| *c != 0.0).unwrap_or(0.0);
    if q.w < 0.0 || (q.w == 0.0 && first < 0.0) {
        q = -q;
    }
    let v = DVec3::new(q.x, q.y, q.z);
    let n = v.length();
    if n < 1e-150 { (DVec3::Z, 0.0) } else { (v / n, 2.0 * n.atan2(q.w)) }
}

impl Robot {
    /// Reads a URDF and places its root at `base`; with `floating_root` the first seven columns move the root relative
    /// to it.
    ///
    /// # Panics
    /// The file is not a valid URDF.
    pub fn load(path: &Path, base: [f64; 6], floating_root: bool) -> Self {
        Self::new(urdf::read(path), base, floating_root)
    }

    /// Builds the tree from a parsed URDF.
    ///
    /// # Panics
    /// The joints do not make one tree.
    pub fn new(urdf: Urdf, base: [f64; 6], floating_root: bool) -> Self {
        let mut above = vec![None; urdf.links.len()];
        for (j, joint) in urdf.joints.iter().enumerate() {
            assert!(above[joint.child].replace(j).is_none(), "link {} has two parents", joint.child);
        }
        let roots: Vec<usize> = (0..above.len()).filter(|l| above[*l].is_none()).collect();
        let [root] = roots[..] else { panic!("{} roots", roots.len()) };
        let mut order = vec![root];
        for at in 0..above.len() {
            let link = *order.get(at).expect("a tree without a cycle");
            order.extend(urdf.joints.iter().filter(|j| j.parent == link).map(|j| j.child));
        }
        let mut columns = vec![("floating root".to_owned(), Kind::Floating); if floating_root { 7 } else { 0 }];
        let mut column_of = Vec::new();
        for joint in &urdf.joints {
            let own = if joint.mimic.is_some() { 0 } else { joint.kind.columns() };
            column_of.push((own > 0).then_some(columns.len()));
            columns.extend((0..own).map(|_| (joint.name.clone(), joint.kind)));
        }
        Self { base: base_pose(base), root, floating_root, columns, column_of, above, order, urdf }
    }

    /// The links, in the order of the file.
    pub fn links(&self) -> &[Link] {
        &self.urdf.links
    }

    /// The index of a link.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link(&self, name: &str) -> usize {
        self.links().iter().position(|l| l.name == name).unwrap_or_else(|| panic!("no link {name}"))
    }

    /// The joints from the root down to `link`.
    pub fn path(&self, link: usize) -> Vec<&Joint> {
        let mut path = Vec::new();
        let mut at = link;
        while let Some(j) = self.above[at] {
            path.push(&self.urdf.joints[j]);
            at = self.urdf.joints[j].parent;
        }
        path.reverse();
        path
    }

    /// World poses of all links at time `t` of the motion from `q0` to `q1`.
    pub fn poses(&self, q0: &[f64], q1: &[f64], t: f64) -> Vec<DAffine3> {
        assert!(q0.len() == self.columns.len() && q1.len() == q0.len(), "wrong number of columns");
        let mut poses = vec![DAffine3::IDENTITY; self.links().len()];
        for &link in &self.order {
            poses[link] = match self.above[link] {
                None => self.root_pose(q0, q1, t),
                Some(j) => poses[self.urdf.joints[j].parent] * self.joint_pose(j, q0, q1, t),
            };
        }
        poses
    }

    /// World pose of one link: the same as in [`Self::poses`].
    pub fn pose(&self, link: usize, q0: &[f64], q1: &[f64], t: f64) -> DAffine3 {
        match self.above[link] {
            None => self.root_pose(q0, q1, t),
            Some(j) => self.pose(self.urdf.joints[j].parent, q0, q1, t) * self.joint_pose(j, q0, q1, t),
        }
    }

    /// The joint above a link; `None` for the root.
    pub fn joint_above(&self, link: usize) -> Option<&Joint> {
        self.above[link].map(|j| &self.urdf.joints[j])
    }

    fn root_pose(&self, q0: &[f64], q1: &[f64], t: f64) -> DAffine3 {
        if !self.floating_root {
            return self.base;
        }
        self.base * floating(DAffine3::IDENTITY, seven(&q0[..7]), seven(&q1[..7]), t)
    }

    /// Pose of the child link in the parent link at time `t`.
    fn joint_pose(&self, j: usize, q0: &[f64], q1: &[f64], t: f64) -> DAffine3 {
        let joint = &self.urdf.joints[j];
        let value = || {
            let (a, b) = self.ends(j, q0, q1);
            a + t * (b - a)
        };
        match joint.kind {
            Kind::Fixed => joint.origin,
            Kind::Turning => joint.origin * DAffine3::from_axis_angle(joint.axis, value()),
            Kind::Sliding => joint.origin * DAffine3::from_translation(joint.axis * value()),
            Kind::Floating => {
                let c = self.column_of[j].expect("a free joint has columns");
                floating(joint.origin, seven(&q0[c..c + 7]), seven(&q1[c..c + 7]), t)
            }
        }
    }

    /// Value of a joint with one degree of freedom at both ends of the motion, after applying any mimic relation.
    pub fn ends(&self, j: usize, q0: &[f64], q1: &[f64]) -> (f64, f64) {
        if let Some((master, multiplier, offset)) = self.urdf.joints[j].mimic {
            let (a, b) = self.ends(master, q0, q1);
            return (multiplier * a + offset, multiplier * b + offset);
        }
        self.column_of[j].map_or((0.0, 0.0), |c| (q0[c], q1[c]))
    }

    /// The motion of `link` as the numbers A, B, C, c, s, w of every joint of its chain, starting at the world: the
    /// base is a joint at rest. This is the input of the interval and the high-precision oracles.
    pub fn chain(&self, link: usize, q0: &[f64], q1: &[f64]) -> Vec<Part> {
        let free = |origin: DAffine3, c: usize| {
            let ((x0, r0), (x1, r1)) = (seven(&q0[c..c + 7]), seven(&q1[c..c + 7]));
            let k = DQuat::from_mat3(&origin.matrix3);
            let (u, w) = turn_between(k * r0, k * r1);
            let (c0, c1) = (origin.transform_point3(x0), origin.transform_point3(x1));
            Part::new(u, DMat3::from_quat(k * r0), c0, c1 - c0, w)
        };
        let mut chain = vec![Part::fixed(self.base)];
        if self.floating_root {
            chain.push(free(DAffine3::IDENTITY, 0));
        }
        for joint in self.path(link) {
            let j = self.above[joint.child].expect("a joint is above its child");
            let DAffine3 { matrix3: k, translation: c } = joint.origin;
            let (a, b) = self.ends(j, q0, q1);
            chain.push(match joint.kind {
                Kind::Fixed => Part::fixed(joint.origin),
                Kind::Turning => {
                    let turned = k * DMat3::from_axis_angle(joint.axis, a);
                    Part::new((k * joint.axis).normalize(), turned, c, DVec3::ZERO, b - a)
                }
                Kind::Sliding => {
                    let along = k * joint.axis;
                    Part::new(DVec3::Z, k, c + a * along, (b - a) * along, 0.0)
                }
                Kind::Floating => free(joint.origin, self.column_of[j].expect("a free joint has columns")),
            });
        }
        chain
    }
}

/// Pose in the parent of a free joint with frame `origin`, at time `t` between two positions and orientations.
fn floating(origin: DAffine3, (x0, r0): (DVec3, DQuat), (x1, r1): (DVec3, DQuat), t: f64) -> DAffine3 {
    let k = DQuat::from_mat3(&origin.matrix3);
    let (start, end) = (k * r0, k * r1);
    let (u, w) = turn_between(start, end);
    DAffine3 {
        matrix3: DMat3::from_quat(DQuat::from_axis_angle(u, w * t) * start),
        translation: origin.transform_point3(x0 + t * (x1 - x0)),
    }
}

/// Position and unit quaternion from seven columns.
fn seven(q: &[f64]) -> (DVec3, DQuat) {
    let r = DQuat::from_xyzw(q[3], q[4], q[5], q[6]);
    assert!((r.length() - 1.0).abs() <= 1e-6, "a quaternion of norm {}", r.length());
    (DVec3::new(q[0], q[1], q[2]), r.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    const ALL_KINDS: &str = r#"<robot name="r" xmlns:x="http://x">
      <!-- <link name="hidden"/> -->
      <link name="world"/><link name="arm"/><link name="slider"/><link name="finger"/>
      <link name="free"/><link name="tip"/>
      <joint name="last" type="fixed"><parent link="free"/><child link="tip"/><origin xyz="0 0 1"/></joint>
      <joint name="follow" type="prismatic"><parent link="arm"/><child link="finger"/><axis xyz="0 -2 0"/>
        <mimic joint="slide" multiplier="-3" offset="0.5"/></joint>
      <joint name="turn" type="revolute"><parent link="world"/><child link="arm"/>
        <origin xyz="1 0 0" rpy="1.5707963267948966 0 1.5707963267948966"/><axis xyz="0 0 1"/></joint>
      <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/>
        <limit lower="-1" upper="2"/></joint>
      <joint name="fly" type="floating"><parent link="arm"/><child link="free"/>
        <origin xyz="0 2 0" rpy="0 0 3.141592653589793"/></joint>
      <transmission name="t"><joint name="turn"/></transmission>
    </robot>"#;

    fn robot() -> Robot {
        Robot::new(urdf::parse(ALL_KINDS, Path::new(".")), [0.0; 6], false)
    }

    fn near(a: DVec3, b: [f64; 3]) {
        assert!((a - DVec3::from_array(b)).length() < 1e-14, "{a} is not {b:?}");
    }

    #[test]
    fn columns_are_in_the_order_of_the_file() {
        let names: Vec<String> = robot().columns.into_iter().map(|c| c.0).collect();
        assert_eq!(names, ["turn", "slide", "fly", "fly", "fly", "fly", "fly", "fly", "fly"]);
        assert_eq!(robot().urdf.joints[3].limits, Some((-1.0, 2.0)));
        let free = Robot::new(urdf::parse(ALL_KINDS, Path::new(".")), [0.0; 6], true);
        assert_eq!(free.columns.len(), 16);
        assert_eq!(free.columns[0].1, Kind::Floating);
        assert_eq!(free.columns[7].0, "turn");
    }

    #[test]
    fn each_kind_of_joint_moves_as_it_should() {
        // rpy (90°, 0, 90°): first about x (y to z, z to -y), then about z (x to y, y to -x): x to y, y to z, z to x
        let r = robot();
        let q0 = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let q1 = [2.0 * PI, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let at =
            |t: f64, link: &str, p: [f64; 3]| r.poses(&q0, &q1, t)[r.link(link)].transform_point3(DVec3::from_array(p));
        near(at(0.0, "arm", [0.1, 0.2, 0.3]), [1.3, 0.1, 0.2]);
        // a quarter of a whole turn about the joint's z: x to y, which is z in the world
        near(at(0.25, "arm", [0.1, 0.0, 0.0]), [1.0, 0.0, 0.1]);
        near(at(1.0, "arm", [0.1, 0.2, 0.3]), [1.3, 0.1, 0.2]);
        // default axis x: in the arm frame (1/4, 0, 0), then turned to its y
        near(at(0.25, "slider", [0.0; 3]), [1.0, 0.0, 0.25]);
        // mimic: 0.5 - 3/4 along -y, that is +1/4 along y, turned to -x of the joint, -y of the world
        near(at(0.25, "finger", [0.0; 3]), [1.0, -0.25, 0.0]);
        // free joint: frame turned by 180° about z: the half turn from (0,0,0,1) to (0,0,1,0) goes about +z
        near(at(1.0, "free", [0.0; 3]), [1.0, -1.0, 2.0]);
        let a = r.poses(&q0, &q1, 0.5)[r.link("arm")];
        let f = a.inverse() * r.poses(&q0, &q1, 0.5)[r.link("free")];
        near(f.translation, [-0.5, 2.0, 0.0]);
        near(f.transform_vector3(DVec3::X), [0.0, -1.0, 0.0]);
        near(a.inverse().transform_point3(at(0.5, "tip", [0.0; 3])), [-0.5, 2.0, 1.0]);
    }

    #[test]
    fn the_turn_between_two_orientations() {
        // the published vectors: axis (2/3, 1/3, 2/3)
        let u = DVec3::new(2.0, 1.0, 2.0) / 3.0;
        for w in [0.7, 1e-9, 3.141_592_652_589_793_2] {
            let start = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.1);
            let (axis, angle) = turn_between(start, DQuat::from_axis_angle(u, w) * start);
            assert!((angle - w).abs() < 1e-15 && (axis - u).length() < 1e-6, "{w}: {axis} {angle}");
        }
        let (axis, angle) = turn_between(DQuat::IDENTITY, DQuat::from_axis_angle(u, 0.7));
        assert!((axis - u).length() < 1e-15 && (angle - 0.7).abs() < 1e-15);
        // longer than half a turn: the other way round
        let (axis, angle) = turn_between(DQuat::IDENTITY, DQuat::from_axis_angle(u, 2.0 * PI - 0.7));
        assert!((axis + u).length() < 1e-14 && (angle - 0.7).abs() < 1e-14);
        // half turns, exact: first non-zero component of the axis positive
        let half = |x, y, z| turn_between(DQuat::IDENTITY, DQuat::from_xyzw(x, y, z, 0.0));
        assert_eq!(half(-1.0, 0.0, 0.0), (DVec3::X, PI));
        assert_eq!(half(0.0, -1.0, 0.0), (DVec3::Y, PI));
        assert_eq!(half(0.0, 0.0, 1.0), (DVec3::Z, PI));
        assert_eq!(half(0.6, -0.8, 0.0).0, DVec3::new(0.6, -0.8, 0.0));
        assert_eq!(turn_between(DQuat::IDENTITY, DQuat::IDENTITY), (DVec3::Z, 0.0));
    }

    #[test]
    fn the_chain_of_numbers_agrees_with_the_poses() {
        for floating_root in [false, true] {
            let base = [0.3, -0.2, 0.1, 0.5, -0.25, FRAC_PI_2];
            let r = Robot::new(urdf::parse(ALL_KINDS, Path::new(".")), base, floating_root);
            let fly = |a: f64| {
                let q = DQuat::from_axis_angle(DVec3::new(0.6, 0.48, 0.64), a);
                vec![a, -0.5 * a, 0.25, q.x, q.y, q.z, q.w]
            };
            let row = |a: f64| {
                let mut q = if floating_root { fly(1.0 - a) } else { vec![] };
                q.extend([a, 0.5 - a]);
                q.extend(fly(2.0 * a));
                q
            };
            let (q0, q1) = (row(-0.4), row(1.1));
            let point = DVec3::new(0.2, -0.1, 0.4);
            for link in 0..r.links().len() {
                let chain = r.chain(link, &q0, &q1);
                for t in [0.0, 0.3, 0.5, 1.0] {
                    let p = chain.iter().rev().fold(point, |p, part| part.apply(t, p));
                    near(r.poses(&q0, &q1, t)[link].transform_point3(point), p.to_array());
                }
            }
        }
    }
}

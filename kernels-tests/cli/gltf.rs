//! `render --out motion.glb`, parsed by an independent reader: poses of links, against independent forward kinematics;
//! contacts; the displayed part of a scene.

use super::{CUBE, Desk, Motion, Run, joint, link, npy, numbers, robot, slider, walls};
use crate::oracle::fk;
use glam::{DAffine3, DQuat, DVec3};
use gltf::Gltf;
use gltf::animation::util::ReadOutputs;
use serde_json::Value;
use std::collections::HashMap;

/// A binary glTF file at one time of one of its animations.
pub(super) struct Reader {
    pub(super) file: Gltf,
    blob: Vec<u8>,
    /// The world pose of each node, below the root node that turns z up into y up; and scales.
    poses: HashMap<usize, DAffine3>,
}

impl Reader {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut file = Gltf::from_slice(bytes).unwrap_or_else(|e| panic!("{e}"));
        let blob = file.blob.take().unwrap();
        Self { file, blob, poses: HashMap::new() }
    }

    /// The values of a sampler at time `t`, according to the specification of glTF 2.0 (section 3.11): linear, and for
    /// rotations spherically linear.
    fn sampled(&self, channel: &gltf::animation::Channel, t: f64) -> Vec<f64> {
        let reader = channel.reader(|_| Some(&self.blob));
        let times: Vec<f64> = reader.read_inputs().unwrap().map(f64::from).collect();
        let after = times.partition_point(|x| *x < t).clamp(1, times.len() - 1);
        let share = ((t - times[after - 1]) / (times[after] - times[after - 1])).clamp(0.0, 1.0);
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(v) | ReadOutputs::Scales(v) => {
                let v: Vec<_> = v.map(|v| DVec3::from_array(v.map(f64::from))).collect();
                assert_eq!(v.len(), times.len());
                v[after - 1].lerp(v[after], share).to_array().to_vec()
            }
            ReadOutputs::Rotations(q) => {
                let q: Vec<_> = q.into_f32().map(|q| DQuat::from_array(q.map(f64::from))).collect();
                assert_eq!(q.len(), times.len());
                q[after - 1].slerp(q[after], share).to_array().to_vec()
            }
            ReadOutputs::MorphTargetWeights(_) => panic!("weights"),
        }
    }

    /// Sets the poses to time `t` of an animation.
    pub(super) fn at(&mut self, animation: usize, t: f64) {
        let animation = self.file.animations().nth(animation).unwrap();
        let mut local: HashMap<usize, [Vec<f64>; 3]> = HashMap::new();
        for node in self.file.nodes() {
            let (x, r, s) = node.transform().decomposed();
            let wide = |v: &[f32]| v.iter().map(|x| f64::from(*x)).collect();
            local.insert(node.index(), [wide(&x), wide(&r), wide(&s)]);
        }
        for channel in animation.channels() {
            let which = match channel.target().property() {
                gltf::animation::Property::Translation => 0,
                gltf::animation::Property::Rotation => 1,
                _ => 2,
            };
            local.get_mut(&channel.target().node().index()).unwrap()[which] = self.sampled(&channel, t);
        }
        let top = self.file.default_scene().unwrap().nodes().next().unwrap();
        // All nodes below are in the engine's axes: the topmost node, which turns them, is omitted.
        let turned = DQuat::from_slice(&local[&top.index()][1]) * DVec3::Z;
        assert!((turned - DVec3::Y).length() < 1e-6, "z is not up: {turned}");
        let mut open: Vec<_> = top.children().map(|child| (child, DAffine3::IDENTITY)).collect();
        let mut poses = HashMap::new();
        while let Some((node, above)) = open.pop() {
            let [x, r, s] = &local[&node.index()];
            let own = DAffine3::from_scale_rotation_translation(
                DVec3::from_slice(s),
                DQuat::from_slice(r).normalize(),
                DVec3::from_slice(x),
            );
            open.extend(node.children().map(|child| (child, above * own)));
            poses.insert(node.index(), above * own);
        }
        self.poses = poses;
    }

    fn node(&self, name: &str) -> gltf::Node<'_> {
        let found = self.file.nodes().find(|n| n.name() == Some(name) && n.mesh().is_some());
        found.unwrap_or_else(|| panic!("no node {name} with a mesh"))
    }

    /// The vertices of the triangles of a node, in the world.
    pub(super) fn corners(&self, name: &str) -> Vec<DVec3> {
        let node = self.node(name);
        let mut corners = Vec::new();
        for primitive in node.mesh().unwrap().primitives() {
            let reader = primitive.reader(|_| Some(&self.blob));
            let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
            let bounds = primitive.bounding_box();
            for i in reader.read_indices().unwrap().into_u32() {
                let p = positions[i as usize];
                assert!((0..3).all(|k| bounds.min[k] <= p[k] && p[k] <= bounds.max[k]));
                corners.push(self.poses[&node.index()].transform_point3(DVec3::from_array(p.map(f64::from))));
            }
        }
        corners
    }

    pub(super) fn extras(&self, animation: usize) -> Value {
        let extras = self.file.animations().nth(animation).unwrap().extras().clone().unwrap();
        serde_json::from_str(extras.get()).unwrap()
    }
}

fn export(desk: &Desk, robot: &str, scene: &str, motions: &[Motion], more: &[&str]) -> Run {
    desk.put("motions.npy", npy(motions)).put("robot.urdf", robot).put("scene.obj", scene);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    desk.run(&[&["render", "--out", "motion.glb"][..], &files, more].concat())
}

fn read(desk: &Desk) -> Reader {
    Reader::new(&std::fs::read(desk.path("motion.glb")).unwrap())
}

/// Joints of every kind in one tree, with cubes of 0.2 m on each link: at any time of the motion, which includes
/// several whole turns, all corners are where independent forward kinematics places them.
#[test]
fn links_follow_the_motion() {
    let with = |joint: String, more: &str| joint.replace("</joint>", &format!("{more}</joint>"));
    let elements = [
        link("base", CUBE),
        link("arm", CUBE),
        link("hand", CUBE),
        link("finger", CUBE),
        link("tool", CUBE),
        link("kite", CUBE),
        with(
            joint("turn", "continuous", "base", "arm", "0.6 0 0.8"),
            "<origin xyz=\"0.5 0 0.1\" rpy=\"0.4 -0.2 1.1\"/>",
        ),
        with(joint("slide", "prismatic", "arm", "hand", "0 0.6 -0.8"), "<origin xyz=\"0 0.7 0\" rpy=\"0 1.2 0\"/>"),
        with(
            joint("follow", "continuous", "hand", "finger", "0 1 0"),
            "<mimic joint=\"turn\" multiplier=\"-0.5\" offset=\"0.3\"/>",
        ),
        with(joint("mount", "fixed", "hand", "tool", "1 0 0"), "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0.3 0 0\"/>"),
        with(joint("fly", "floating", "arm", "kite", "1 0 0"), "<origin xyz=\"0 0 2\" rpy=\"0 0.5 0\"/>"),
    ];
    let urdf = robot(&elements.each_ref().map(String::as_str));
    let ends = |a: f64, s: f64, (axis, angle): (DVec3, f64), x: DVec3| {
        let q = DQuat::from_axis_angle(axis.normalize(), angle);
        vec![a, s, x.x, x.y, x.z, q.x, q.y, q.z, q.w]
    };
    let start = ends(-0.7, 0.2, (DVec3::new(1.0, 2.0, 0.5), 0.4), DVec3::new(0.3, 0.0, -0.2));
    // Three turns and more about the first axis; the kite turns by nearly half a turn.
    let end = ends(19.5, -0.9, (DVec3::new(-1.0, 0.3, 2.0), 3.0), DVec3::new(-0.4, 1.0, 0.6));
    let desk = Desk::new();
    let far = walls(&[("wall", 50.0)]);
    let base = ["--index", "0", "--base", "0.3,-0.2,0.1,0.5,-0.25,1.5"];
    export(&desk, &urdf, &far, &[[&start, &end]], &base).expect(0);
    let truth = fk::Robot::load(&desk.path("robot.urdf"), [0.3, -0.2, 0.1, 0.5, -0.25, 1.5], false);
    let mut reader = read(&desk);
    for t in [0.0, 0.013, 0.25, 0.37, 0.5, 0.771, 0.999, 1.0] {
        reader.at(0, t);
        let poses = truth.poses(&start, &end, t);
        for name in ["base", "arm", "hand", "finger", "tool", "kite"] {
            let found = reader.corners(name);
            assert_eq!(found.len(), 36, "a cube has twelve triangles");
            for k in 0..8 {
                let corner = DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 0 { -0.1 } else { 0.1 }));
                let expected = poses[truth.link(name)].transform_point3(corner);
                let away = found.iter().map(|p| (*p - expected).length()).fold(f64::INFINITY, f64::min);
                // Single precision, over a chain of some metres.
                assert!(away < 3e-6, "{name} at {t}: {away} m away");
            }
        }
    }
}

#[test]
fn the_first_contact_is_marked() {
    let desk = Desk::new();
    let scene = walls(&[("behind", -3.0), ("wall", 1.1)]);
    let motions: &[Motion] = &[[&[-0.5], &[-0.1]], [&[0.0], &[2.0]]];
    export(&desk, &slider(CUBE), &scene, motions, &["--index", "1"]).expect(0);
    let mut reader = read(&desk);
    let checked = desk.check(&slider(CUBE), &scene, motions, &[]).expect(1);
    let contact = &checked.lines[1];
    assert_eq!(reader.extras(0), *contact, "as check says it");
    let [point, normal] = ["point", "normal"].map(|key| DVec3::from_slice(&numbers(&contact[key])));
    for t in [0.0, 0.6, 1.0] {
        reader.at(0, t);
        let mark = reader.corners("contact 1");
        // A ball about the point, and an arrow along the normal.
        let along: Vec<f64> = mark.iter().map(|p| (*p - point).dot(normal)).collect();
        let beside = mark.iter().map(|p| (*p - point - normal * (*p - point).dot(normal)).length());
        let (least, most) = along.iter().fold((0.0f64, 0.0f64), |(lo, hi), x| (lo.min(*x), hi.max(*x)));
        let widest = beside.fold(0.0, f64::max);
        assert!(least < 0.0 && most > 5.0 * -least && widest < 0.25 * most, "{least} to {most}, {widest}");
    }
    let colour = |name: &str| {
        reader.node(name).mesh().unwrap().primitives().next().unwrap().material().name().map(str::to_string)
    };
    assert_eq!(["slider", "wall", "behind"].map(|n| colour(n).unwrap()), ["robot", "touched", "scene"]);
    // When the contact begins, the cube's front is at the wall.
    reader.at(0, numbers(&contact["toc"])[0]);
    let front = reader.corners("slider").iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    assert!((front - 1.1).abs() < 1e-6, "{front}");

    export(&desk, &slider(CUBE), &scene, motions, &["--index", "0"]).expect(0);
    let reader = read(&desk);
    assert_eq!(reader.extras(0), checked.lines[0], "a free motion");
    assert!(reader.file.nodes().all(|n| n.name().is_none_or(|name| !name.starts_with("contact"))));
}

/// A robot far from the world's origin: coordinates are relative to a reported origin.
#[test]
fn precision_is_kept_far_from_the_origin() {
    let desk = Desk::new();
    let base = ["--index", "0", "--base", "123456.5,0,0,0,0,0"];
    export(&desk, &slider(CUBE), &walls(&[("wall", 123_459.0)]), &[[&[0.0], &[1.0]]], &base).expect(0);
    let mut reader = read(&desk);
    let scene = reader.file.default_scene().unwrap().extras().clone().unwrap();
    let told: Value = serde_json::from_str(scene.get()).unwrap();
    let origin = DVec3::from_slice(&numbers(&told["origin_m"]));
    for t in [0.0, 0.3] {
        reader.at(0, t);
        let front = reader.corners("slider").iter().map(|p| p.x + origin.x).fold(f64::NEG_INFINITY, f64::max);
        assert!((front - (123_456.6 + t)).abs() < 1e-6, "{front}");
        assert!(reader.corners("wall").iter().all(|p| (p.x + origin.x - 123_459.0).abs() < 1e-6));
    }
}

/// Of a large scene the parts nearest to the motion are shown, whole objects first, and the touched one before all
/// others.
#[test]
fn large_scenes_are_cut_to_the_nearest_objects() {
    let desk = Desk::new();
    // The far end of the second motion is nearer to `east` than to `north`; `hit` is touched by the first.
    let scene = walls(&[("west", -9.0), ("east", 4.0), ("hit", 1.1), ("beyond", 30.0)]);
    let motions: &[Motion] = &[[&[0.0], &[2.0]]];
    for (most, expected) in [
        (1, &["hit"][..]),
        (2, &["east", "hit"]),
        (3, &["west", "east", "hit"]),
        (9, &["west", "east", "hit", "beyond"]),
    ] {
        let more = ["--index", "0", "--scene-triangles", &most.to_string()];
        let run = export(&desk, &slider(CUBE), &scene, motions, &more);
        run.expect(0);
        assert!(run.stdout.contains(&format!("with {} of the scene's 4 triangles", expected.len())), "{}", run.stdout);
        let reader = read(&desk);
        let found: Vec<&str> = reader.file.nodes().filter(|n| n.mesh().is_some()).filter_map(|n| n.name()).collect();
        let of_scene: Vec<&str> = found.into_iter().filter(|n| *n != "slider" && !n.starts_with("contact")).collect();
        assert_eq!(of_scene, expected);
    }
}

#[test]
fn options_for_pictures_are_refused() {
    let desk = Desk::new();
    for option in [["--size", "640x400"], ["--exposures", "4"], ["--view", "90,0"], ["--adapter", "any"]] {
        let more = [&["--index", "0"][..], &option].concat();
        let run = export(&desk, &slider(CUBE), &walls(&[("wall", 9.0)]), &[[&[0.0], &[1.0]]], &more);
        let expected = format!("motion.glb: {} has no effect on GLB (leave out {})", option[0], option[0]);
        assert!(run.code == Some(3) && run.stderr.contains(&expected), "{:?}: {}", run.code, run.stderr);
        assert!(!desk.path("motion.glb").exists());
    }
}

#[test]
fn motions_that_cannot_be_animated_are_refused() {
    let desk = Desk::new();
    let urdf =
        robot(&["<link name=\"stand\"/>", &link("arm", CUBE), &joint("turn", "continuous", "stand", "arm", "0 0 1")]);
    let run = export(&desk, &urdf, &walls(&[("wall", 9.0)]), &[[&[0.0], &[6e3]]], &["--index", "0"]);
    assert!(
        run.code == Some(3) && run.errors().len() == 1 && run.stderr.contains("too far for an animation"),
        "{}",
        run.stderr
    );
    assert!(!desk.path("motion.glb").exists() && !desk.path("motion.glb.part").exists());
    // A motion in which nothing moves is a motion too.
    export(&desk, &slider(CUBE), &walls(&[("wall", 9.0)]), &[[&[0.5], &[0.5]]], &["--index", "0"]).expect(0);
    let mut reader = read(&desk);
    for t in [0.0, 1.0] {
        reader.at(0, t);
        assert!(reader.corners("slider").iter().all(|p| (p.x - 0.5).abs() < 0.1001));
    }
}

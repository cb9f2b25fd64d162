//! A robot with every kind of joint among random objects: each answer is compared with the oracles, which derive the
//! motion from the files alone.

use super::{Checked, Desk, Motion, joint, obj, robot, toc};
use crate::oracle::fk::Robot;
use crate::oracle::inclusion::{self, Limits};
use crate::oracle::mesh::Triangle;
use crate::oracle::sampling::{Fineness, Hit, Sampler};
use crate::oracle::shapes::{Choice, LinkMeshes, link_meshes};
use crate::oracle::{scene, triangles};
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::Value;

const BASE: [f64; 6] = [0.3, -0.2, 0.1, 0.4, -0.3, 1.1];
const BASE_WORDS: &str = "0.3,-0.2,0.1,0.4,-0.3,1.1";

/// A tetrahedron about a point, as OBJ lines; `first` counts its vertices from 1.
fn tetrahedron(rng: &mut Pcg64Mcg, middle: DVec3, size: f64, first: usize) -> String {
    let mut corner = || DVec3::from_array(std::array::from_fn(|_| rng.random_range(-size..size)));
    let corners: Vec<[f64; 3]> = (0..4).map(|_| (middle + corner()).to_array()).collect();
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|f| f.map(|i| first + i));
    obj(&corners, &faces)
}

fn mesh_link(name: &str) -> String {
    // Two shapes, the second one turned and smaller.
    format!(
        "<link name=\"{name}\"><collision><geometry><mesh filename=\"{name}.obj\"/></geometry></collision>\
         <collision><origin xyz=\"0.1 0 0.1\" rpy=\"0.5 0 1\"/><geometry>\
         <mesh filename=\"{name}.obj\" scale=\"0.5 0.5 -0.5\"/>\
         </geometry></collision></link>"
    )
}

fn placed(joint: String, origin: &str) -> String {
    joint.replace("<axis", &format!("<origin {origin}/><axis"))
}

/// Writes the robot, the scene and the motions to files.
fn prepare(desk: &Desk, n: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for (name, x) in [("upper", 0.3), ("fore", 0.25), ("slide", 0.1), ("finger", 0.1), ("moon", 0.0)] {
        desk.put(&format!("{name}.obj"), tetrahedron(&mut rng, DVec3::X * x, 0.3, 1));
    }
    let links = ["upper", "fore", "slide", "finger", "moon"].map(mesh_link).concat();
    let mimic = joint("f", "prismatic", "fore", "finger", "0 1 0");
    let joints = [
        joint("a", "continuous", "base", "upper", "0 0 1"),
        placed(joint("b", "revolute", "upper", "fore", "0.6 0.8 0"), "xyz=\"0.6 0 0\" rpy=\"0.1 0.2 0.3\""),
        placed(joint("s", "prismatic", "fore", "slide", "1 0 0"), "xyz=\"0.5 0 0\""),
        mimic.replace("</joint>", "<mimic joint=\"s\" multiplier=\"-0.5\" offset=\"0.2\"/></joint>"),
        placed(joint("m", "floating", "base", "moon", "1 0 0"), "xyz=\"0 0 0.4\" rpy=\"0 0.5 0\""),
    ];
    desk.put("robot.urdf", robot(&["<link name=\"base\"/>", &links, &joints.concat()]));
    let mut text = String::new();
    for i in 0..16 {
        // On a ring about the base, none of them near the axis.
        let azimuth = f64::from(i) * 0.4;
        let middle = DVec3::new(azimuth.cos() * 1.3, azimuth.sin() * 1.3, rng.random_range(-0.5..0.5));
        text += &format!("o thing_{i}\n{}", tetrahedron(&mut rng, middle, 0.35, 4 * i as usize + 1));
    }
    desk.put("scene.obj", text);
    let turned = |rng: &mut Pcg64Mcg, at: f64| {
        let q = DQuat::from_euler(glam::EulerRot::XYZ, rng.random_range(-3.0..3.0), rng.random_range(-1.5..1.5), at);
        [q.x, q.y, q.z, q.w]
    };
    let row = |rng: &mut Pcg64Mcg, reach: f64| {
        let mut draw = |most: f64| rng.random_range(-most..most);
        let mut q = vec![draw(reach), draw(reach), draw(0.3), draw(1.2), draw(1.2), draw(0.5)];
        q.extend(turned(rng, reach));
        q
    };
    (0..n).map(|i| (row(&mut rng, 3.0), row(&mut rng, if i % 8 == 0 { 9.0 } else { 3.0 }))).collect()
}

struct CollisionWorld {
    sampler: Sampler,
    meshes: LinkMeshes,
    objects: Vec<scene::Object>,
}

/// The corners of a feature as a triangle; the last one is repeated if there are fewer than three.
fn feature(t: &Triangle, side: &Value) -> Triangle {
    let k = side["index"].as_u64().unwrap() as usize;
    match side["feature"].as_str().unwrap() {
        "vertex" => [t[k]; 3],
        "edge" => [t[k], t[(k + 1) % 3], t[(k + 1) % 3]],
        _ => *t,
    }
}

impl CollisionWorld {
    fn read(desk: &Desk) -> Self {
        let robot = Robot::load(&desk.path("robot.urdf"), BASE, false);
        let meshes = link_meshes(&robot, Choice::Default);
        let objects = scene::read(&desk.path("scene.obj"));
        Self { sampler: Sampler::new(robot, &meshes, &objects, &[]), meshes, objects }
    }

    /// The contents of a line: link, its triangle, object, its triangle.
    fn hit(&self, line: &Value) -> Hit {
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let link = self.sampler.robot.link(line["a"]["link"].as_str().unwrap());
        let object = self.objects.iter().position(|o| o.name == line["b"]["object"].as_str().unwrap()).unwrap();
        let (link_triangle, triangle) = (number(&line["a"]["triangle"]), number(&line["b"]["triangle"]));
        Hit { t: toc(line)[0], link, link_triangle, object, triangle }
    }

    /// The two triangles of a hit in the world at time `t`.
    fn pair(&self, hit: &Hit, (q0, q1): (&[f64], &[f64]), t: f64) -> [Triangle; 2] {
        let pose = self.sampler.robot.poses(q0, q1, t)[hit.link];
        let moved = self.meshes.triangles[hit.link][hit.link_triangle].map(|p| pose.transform_point3(p));
        [moved, self.objects[hit.object].triangles[hit.triangle]]
    }
}

/// Checks that the features, the point and the normal of a line are those of its triangles.
fn check_record(world: &CollisionWorld, line: &Value, q: (&[f64], &[f64])) {
    let hit = world.hit(line);
    let n_triangles = world.meshes.triangles[hit.link].len() as u64;
    // Both shapes have four triangles.
    assert_eq!(line["a"]["shape"], u64::from(hit.link_triangle as u64 >= n_triangles / 2), "{line}");
    let [x, y] = world.pair(&hit, q, hit.t);
    let vector = |key: &str| DVec3::from_slice(&super::numbers(&line[key]));
    let (point, normal) = (vector("point"), vector("normal"));
    let (fx, fy) = (feature(&x, &line["a"]), feature(&y, &line["b"]));
    // At the start of the enclosure the contact is at most 1e-9 of a motion of some metres away.
    let off = |t: &Triangle| triangles::on_triangle(point, t).distance(point);
    assert!(off(&fx) < 1e-7 && off(&fy) < 1e-7, "{} {} m off: {line}", off(&fx), off(&fy));
    assert!((normal.length() - 1.0).abs() < 1e-12, "{line}");
    // Perpendicular to the face, or to both edges.
    let kinds = [&line["a"], &line["b"]].map(|side| side["feature"].as_str().unwrap());
    let along = |t: &Triangle| [t[1] - t[0], t[2] - t[0]].map(|e| normal.dot(e) / e.length());
    let flat = match kinds {
        ["vertex", "face"] | ["edge", "face"] => along(&fy).to_vec(),
        ["face", "vertex"] | ["face", "edge"] => along(&fx).to_vec(),
        ["edge", "edge"] => vec![along(&fx)[0], along(&fy)[0]],
        other => panic!("{other:?}: {line}"),
    };
    assert!(flat.iter().all(|d| d.abs() < 1e-6), "{flat:?}: {line}");
    // The normal points from the scene to the robot: slightly earlier, the robot is on that side.
    if line["initial_overlap"] == false {
        let before = (hit.t - 1e-5).max(0.0);
        let [x, y] = world.pair(&hit, q, before);
        let (p, q) = triangles::closest(&x, &y);
        assert!(normal.dot(p - q) > 0.0, "{normal} against {}: {line}", p - q);
    }
}

/// Checks that the pair of triangles of a line is proved apart until its enclosure begins, or nearly.
fn check_pair(world: &CollisionWorld, line: &Value, q: (&[f64], &[f64])) {
    let hit = world.hit(line);
    let limits = Limits { part: 1e-7, difference: 1e-8, cap: 300_000, ..Limits::default() };
    let answer = inclusion::triangles(&world.sampler.pair(&hit, q.0, q.1), limits);
    let until = answer.clear_until();
    assert!(until <= toc(line)[1] + 1e-12, "{answer:?}: {line}");
    assert!(until >= hit.t - 1e-5, "{answer:?}: {line}");
}

#[test]
fn answers_agree_with_the_oracles() {
    let desk = Desk::new();
    let motions = prepare(&desk, crate::effort(160, 2000));
    let rows: Vec<Motion> = motions.iter().map(|(a, b)| [&a[..], &b[..]]).collect();
    let text = desk.text("robot.urdf");
    let checked: Checked = desk.check(&text, "scene.obj", &rows, &["--base", BASE_WORDS]).expect(1);
    let world = CollisionWorld::read(&desk);
    let outcomes = world.sampler.motions(&motions, Fineness::default());
    let (mut free, mut certified, mut overlap, mut features) = (0, 0, 0, [0; 3]);
    for ((line, outcome), (q0, q1)) in checked.lines.iter().zip(&outcomes).zip(&motions) {
        if line["verdict"] == "free" {
            assert!(outcome.hit.is_none(), "{line} {outcome:?}");
            free += 1;
            continue;
        }
        assert_eq!(line["verdict"], "contact", "{line}");
        let [lo, hi] = toc(line);
        // Real piercings are not before the start; proved contacts are found, unless they are too short to be detected.
        assert!(outcome.hit.is_none_or(|hit| hit.t >= lo), "{line} {outcome:?}");
        if line["proved"] == true {
            let seen = outcome.hit.is_some_and(|hit| hit.t <= hi + 1e-9);
            assert!(seen || outcome.least_gap_m < 1e-4, "{line} {outcome:?}");
            // Contacts that the measured distances exclude are not proved.
            assert!(outcome.clear_until <= hi + 1e-9, "{line} {outcome:?}");
        }
        certified += u32::from(line["certified"] == true);
        overlap += u32::from(line["initial_overlap"] == true);
        let kinds = [&line["a"], &line["b"]].map(|side| side["feature"].as_str().unwrap());
        if line["initial_overlap"] == true {
            assert_eq!(outcome.hit.map(|hit| hit.t), Some(0.0), "{line}");
        } else {
            assert_ne!(outcome.hit.map(|hit| hit.t), Some(0.0), "{line}");
            let kind = [["vertex", "face"], ["face", "vertex"], ["edge", "edge"]].iter().position(|k| *k == kinds);
            features[kind.unwrap_or_else(|| panic!("{line}"))] += 1;
            if features.iter().sum::<u32>() % 6 == 0 {
                check_pair(&world, line, (q0, q1));
            }
        }
        check_record(&world, line, (q0, q1));
    }
    println!("{free} free, {certified} certified, {overlap} from the start, {features:?} by features");
    // The test covers every kind of answer.
    assert!(free >= 10 && certified >= 80 && overlap >= 5 && features.iter().all(|n| *n >= 10));
}

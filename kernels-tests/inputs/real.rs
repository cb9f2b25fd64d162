//! Real data: robots and scenes made by others, with the counts that their sources state. They are searched in the
//! folder given by the environment variable `FIRSTCONTACT_DATA`.

use crate::oracle::data;
use firstcontact::formats::MotionOptions;
use firstcontact::formats::mesh::Mesh;
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::{MotionBatch, Robot, Triangle};
use firstcontact::scene::Scene;
use glam::DVec3;
use std::collections::HashMap;
use std::path::Path;

pub(super) fn robot(path: &Path, geometry: Geometry) -> Robot {
    let options = UrdfOptions { geometry, ..UrdfOptions::default() };
    Robot::from_urdf_with(path, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// The rows of the table in a folder's PROVENANCE.md: a name and its numbers.
fn table(folder: &Path) -> Vec<(String, Vec<f64>)> {
    let text = std::fs::read_to_string(folder.join("PROVENANCE.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let name = cells.next()?.to_string();
        let numbers: Vec<f64> = cells.flat_map(|c| c.split(", ")).filter_map(|c| c.parse().ok()).collect();
        (!numbers.is_empty()).then_some((name, numbers))
    };
    text.lines().filter_map(row).collect()
}

/// Lowest and highest corner of the box around triangles.
fn bounds<'a>(triangles: impl IntoIterator<Item = &'a Triangle>) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    triangles.into_iter().flatten().fold(start, |[low, high], &v| [low.min(v), high.max(v)])
}

/// A robot's triangles in the world with every joint at 0.
fn at_zero(robot: &Robot) -> Vec<Triangle> {
    let poses = robot.body_poses(&robot.zero_configuration()).unwrap();
    let place = |body: u32| move |t: &Triangle| (body, *t);
    let all = robot.links.iter().flat_map(|l| l.triangles.iter().map(place(l.body)));
    all.map(|(body, t)| t.map(|v| poses[body as usize].transform_point3(v))).collect()
}

pub(super) const ROBOTS: [(&str, &str, usize); 6] = [
    ("robot-puma560", "puma560_robot.urdf", 6),
    ("robot-ur5", "ur5_robot.urdf", 6),
    ("robot-panda", "panda.urdf", 8),
    ("robot-pr2", "pr2.urdf", 20),
    ("robot-laikago", "urdf/laikago.urdf", 12),
    ("puma-pool", "robot.urdf", 6),
];

#[test]
fn robots_have_the_stated_columns_and_triangles() {
    let Some(data) = data::root() else { return };
    for (folder, file, n_columns) in ROBOTS {
        let path = data.join(folder).join(file);
        let modes = [Geometry::Auto, Geometry::Collision, Geometry::Visual];
        let [auto, collision, visual] = modes.map(|g| robot(&path, g));
        for robot in [&auto, &collision, &visual] {
            assert_eq!(robot.columns.len(), n_columns, "{folder}");
        }
        // The tables count the triangles of meshes; tessellated shapes without a mesh add to them.
        let text = std::fs::read_to_string(&path).unwrap();
        for (name, numbers) in table(&data.join(folder)) {
            for (robot, tag, stated) in [(&visual, "visual", numbers[0]), (&collision, "collision", numbers[1])] {
                let found = robot.links.iter().find(|l| l.name == name).map_or(0, |l| l.triangles.len());
                if has_primitive(&text, &name, tag) {
                    assert!(found as f64 > stated, "{folder}: {tag} of {name} has {found}, stated {stated}");
                } else {
                    assert_eq!(found as f64, stated, "{folder}: {tag} of {name}");
                }
            }
        }
        for link in auto.links.iter() {
            let other = if collision.links.iter().any(|l| l.name == link.name) { &collision } else { &visual };
            let same = other.links.iter().find(|l| l.name == link.name).unwrap();
            assert_eq!(link.triangles, same.triangles, "{folder}: {}", link.name);
        }
        println!("{folder}: {n_columns} columns, {} links, {} triangles", auto.links.len(), auto.triangle_count());
    }
}

/// Returns whether a link's visual or collision elements have a shape that is not a mesh, by plain text search.
fn has_primitive(urdf: &str, link: &str, tag: &str) -> bool {
    let start = urdf.find(&format!("<link name=\"{link}\"")).unwrap();
    let own = &urdf[start..start + urdf[start..].find("</link>").unwrap_or(0)];
    let (open, close) = (format!("<{tag}"), format!("</{tag}"));
    own.split(&open)
        .skip(1)
        .filter_map(|s| s.split(&close).next())
        .any(|s| ["<box", "<cylinder", "<sphere"].iter().any(|p| s.contains(p)))
}

#[test]
fn robots_have_a_plausible_size() {
    let Some(data) = data::root() else { return };
    let size = |folder: &str, file: &str, geometry| {
        let [low, high] = bounds(&at_zero(&robot(&data.join(folder).join(file), geometry)));
        (high - low).to_array()
    };
    let within = |found: [f64; 3], low: [f64; 3], high: [f64; 3]| {
        assert!((0..3).all(|i| low[i] < found[i] && found[i] < high[i]), "{found:?}");
    };
    // The maker states 0.56 x 0.35 x 0.6 m for the Laikago, standing; here the legs are straight. Its trunk is in
    // inches.
    within(size("robot-laikago", "urdf/laikago.urdf", Geometry::Visual), [0.5, 0.25, 0.5], [0.75, 0.45, 0.75]);
    let [low, high] = bounds(&at_zero(&robot(&data.join("robot-laikago/urdf/laikago.urdf"), Geometry::Collision)));
    within((high - low).to_array(), [0.5, 0.25, 0.5], [0.75, 0.45, 0.75]);
    // A Puma 560 reaches 0.86 m and stands on a base of 0.67 m; its meshes are in inches, by the URDF's scale.
    within(size("robot-puma560", "puma560_robot.urdf", Geometry::Auto), [0.3, 0.3, 0.7], [1.5, 1.0, 1.6]);
    // A UR5 stretched out reaches 0.85 m.
    within(size("robot-ur5", "ur5_robot.urdf", Geometry::Visual), [0.8, 0.1, 0.1], [1.05, 0.5, 0.6]);
    // A PR2 is 1.33 m high, its base 0.668 m square.
    within(size("robot-pr2", "pr2.urdf", Geometry::Visual), [0.66, 0.66, 1.2], [2.0, 2.0, 1.7]);
}

#[test]
fn collision_and_visual_meshes_of_one_robot_lie_on_each_other() {
    let Some(data) = data::root() else { return };
    for (folder, file) in [("robot-ur5", "ur5_robot.urdf"), ("robot-panda", "panda.urdf")] {
        let path = data.join(folder).join(file);
        let (collision, visual) = (robot(&path, Geometry::Collision), robot(&path, Geometry::Visual));
        // STL and COLLADA of one link, in the link's frame: the same bounding box, to a few centimetres.
        for link in visual.links.iter() {
            let Some(other) = collision.links.iter().find(|l| l.name == link.name) else { continue };
            let [a, b] = [bounds(link.triangles.iter()), bounds(other.triangles.iter())];
            let apart = (a[0] - b[0]).abs().max((a[1] - b[1]).abs()).max_element();
            assert!(apart < 0.05, "{folder}: {}: {a:?}, {b:?}", link.name);
        }
    }
}

#[test]
fn scenes_have_the_stated_objects_and_triangles() {
    let Some(data) = data::root() else { return };
    let read = |name: &str| Scene::from_file(data.join(name)).unwrap_or_else(|e| panic!("{e}"));
    for (name, n_objects, n_triangles) in [
        ("env-bookstore/scene.json", 130, 101_833),
        ("puma-pool/pipes.obj", 73, 38_000),
        ("puma-pool/amr.obj", 1_180, 187_000),
    ] {
        let scene = read(name);
        assert_eq!((scene.objects.len(), scene.triangles.len()), (n_objects, n_triangles), "{name}");
    }
    for (name, numbers) in table(&data.join("env-gazebo-structures")) {
        let scene = read(&format!("env-gazebo-structures/{name}"));
        let [low, high] = bounds(&scene.triangles);
        let size = (high - low).to_array();
        assert_eq!((scene.objects.len(), scene.triangles.len() as f64), (1, numbers[0]), "{name}");
        assert!(size.iter().zip(&numbers[1..]).all(|(a, b)| (a - b).abs() <= 0.0051), "{name}: {size:?}");
    }
    for (name, numbers) in table(&data.join("rigid-ipc-fixtures")) {
        assert_eq!(read(&format!("rigid-ipc-fixtures/{name}")).triangles.len() as f64, numbers[0], "{name}");
    }
}

#[test]
fn the_bookstore_is_a_room_with_its_things_inside() {
    let Some(data) = data::root() else { return };
    let scene = Scene::from_file(data.join("env-bookstore/scene.json")).unwrap();
    let numbers: HashMap<&str, u32> = scene.objects.iter().map(|o| o.name.as_str()).zip(0..).collect();
    let floor = numbers.iter().find(|(name, _)| name.contains("Floor")).map(|(_, &o)| o).unwrap();
    let [low, high] = bounds(scene.triangles_of(floor));
    let size = high - low;
    assert!((5.0..40.0).contains(&size.x) && (5.0..40.0).contains(&size.y) && size.z < 0.5, "{size}");
    let [all_low, all_high] = bounds(&scene.triangles);
    assert!(all_low.cmpge(low - 1.0).all() && all_high.truncate().cmple(high.truncate() + 1.0).all());
    assert!((2.0..6.0).contains(&(all_high.z - all_low.z)), "{all_low} {all_high}");
    // Each object is as large as its mesh, because the matrices are rigid; the chairs stand on the floor.
    for (name, object) in numbers.iter().filter(|(name, _)| name.starts_with("Chair")) {
        let chair = bounds(scene.triangles_of(*object));
        assert!((chair[0].z - high.z).abs() < 0.1, "{name}: {chair:?} on {high}");
    }
}

#[test]
fn the_kitchen_and_the_table_are_found_in_a_package() {
    let Some(data) = data::root() else { return };
    // Their URDFs refer to package://motion_bench_maker/configs/scenes/…; a symbolic link provides such a package.
    let package = tempfile::tempdir().unwrap();
    std::fs::create_dir(package.path().join("configs")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(data.join("env-mbm-meshes"), package.path().join("configs/scenes")).unwrap();
    let stated: HashMap<String, Vec<f64>> = table(&data.join("env-mbm-meshes")).into_iter().collect();
    for (name, n_objects) in [("kitchen", 5), ("table_bars", 3)] {
        let path = data.join(format!("env-mbm-meshes/{name}/{name}.urdf"));
        let options = SceneOptions { package_paths: vec![package.path().into()], ..SceneOptions::default() };
        let scene = Scene::from_file_with(&path, &options).unwrap_or_else(|e| panic!("{e}"));
        let total: f64 = stated.iter().filter(|(file, _)| file.starts_with(name)).map(|(_, n)| n[0]).sum();
        assert_eq!((scene.objects.len(), scene.triangles.len() as f64), (n_objects, total), "{name}");
        let error = Scene::from_file(&path).unwrap_err().to_string();
        assert!(error.contains("motion_bench_maker/configs") && error.contains(&format!("{name}.urdf")), "{error}");
    }
}

#[test]
fn every_mesh_of_the_data_is_read() {
    let Some(data) = data::root() else { return };
    let mut n = HashMap::new();
    let mut folders = vec![data];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            if path.is_dir() {
                folders.push(path);
            } else if ["stl", "obj", "dae", "ply", "glb", "gltf"].contains(&extension.as_str()) {
                Mesh::load(&path, &LoadLimits::default()).unwrap_or_else(|e| panic!("{e}"));
                *n.entry(extension).or_insert(0) += 1;
            }
        }
    }
    println!("{n:?}");
}

#[test]
fn the_motions_of_the_pool_fit_its_robot() {
    let Some(data) = data::root() else { return };
    let pool = data.join("puma-pool");
    let robot = robot(&pool.join("robot.urdf"), Geometry::Auto);
    for (name, n) in [("pipes", 2_400), ("amr", 2_700)] {
        let motions = MotionBatch::load(pool.join(format!("{name}.npy")), &robot, &MotionOptions::default()).unwrap();
        let truth = std::fs::read_to_string(pool.join(format!("{name}.truth.jsonl"))).unwrap();
        assert_eq!((motions.len(), truth.lines().count()), (n, n));
        assert_eq!(motions.n_columns(), 6);
    }
    let wrong = MotionBatch::load(
        pool.join("pipes.npy"),
        &self::robot(&data.join("robot-pr2/pr2.urdf"), Geometry::Auto),
        &MotionOptions::default(),
    );
    assert!(wrong.unwrap_err().to_string().contains("6 columns where the robot has 20"));
}

//! `info` and `dataset`.

use super::{CUBE, Desk, Run, joint, link, obj, robot};
use crate::inputs::samples;
use crate::oracle;
use serde_json::{Value, json};

fn info(desk: &Desk, more: &[&str]) -> Value {
    let run = desk.run(&[&["info", "--json"], more].concat());
    run.expect(0);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stdout))
}

/// The values of one key in a list.
fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a Value> {
    list.as_array().unwrap().iter().map(|x| &x[key]).collect()
}

#[test]
fn joints_are_listed_in_the_order_of_the_columns() {
    let desk = Desk::new();
    samples::prepare(desk.0.path());
    let of_robot = &info(&desk, &["--robot", "sample.urdf"])["robot"];
    // In the order of the file; a joint that is fixed or mimics another one has no column.
    assert_eq!(each(&of_robot["joints"], "joint"), ["turn", "push", "spin"]);
    assert_eq!(each(&of_robot["joints"], "unit"), ["rad", "m", "rad"]);
    assert_eq!(each(&of_robot["joints"], "limits"), [&json!([-1.5, 1.5]), &json!([0.0, 1.0]), &Value::Null]);
    // The links with triangles, in the order of the file; the number of moving joints above each.
    assert_eq!(each(&of_robot["links"], "link"), ["base", "arm", "slide", "tip", "cap"]);
    assert_eq!(each(&of_robot["links"], "depth"), [0, 1, 2, 3, 2]);
    let triangles = each(&of_robot["links"], "triangles");
    // A box has 12; the mesh has a triangle, a square, and a triangle.
    assert_eq!((triangles[0], triangles[1]), (&12.into(), &4.into()));
    let total: u64 = triangles.iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(of_robot["triangles"], total);
    // A free root comes first.
    let of_robot = &info(&desk, &["--robot", "sample.urdf", "--floating-root"])["robot"];
    let names: Vec<String> = each(&of_robot["joints"], "joint").iter().map(|n| n.as_str().unwrap().into()).collect();
    assert_eq!(names.len(), 10);
    let endings = [".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"];
    assert!(names.iter().zip(endings).all(|(name, end)| name.ends_with(end)), "{names:?}");
    assert_eq!(names[7..], ["turn", "push", "spin"]);
}

#[test]
fn objects_are_listed_with_triangle_counts_and_closedness() {
    // A tetrahedron, the same without a face, and the same whose faces each have vertices of their own.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[1, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]];
    let vertices = obj(&corners, &[]);
    let rows = |faces: &[[usize; 3]]| obj(&[], faces);
    let soup: Vec<[f64; 3]> = faces.iter().flatten().map(|v| corners[v - 1]).collect();
    let own: Vec<[usize; 3]> = (0..4).map(|i| [3 * i + 5, 3 * i + 6, 3 * i + 7]).collect();
    let scene = format!("{vertices}o whole\n{}o open\n{}o soup\n{}", rows(&faces), rows(&faces[..3]), obj(&soup, &own));
    let desk = Desk::new();
    desk.put("scene.obj", scene);
    let of_scene = &info(&desk, &["--scene", "scene.obj"])["scene"];
    assert_eq!(each(&of_scene["objects"], "object"), ["whole", "open", "soup"]);
    assert_eq!(each(&of_scene["objects"], "triangles"), [4, 3, 4]);
    assert_eq!(each(&of_scene["objects"], "closed"), [true, false, true]);
    assert_eq!(of_scene["triangles"], 11);
}

#[test]
fn every_format_has_as_many_triangles_as_its_sample() {
    let desk = Desk::new();
    samples::prepare(desk.0.path());
    let square_and_triangle = 3;
    for (name, n) in [
        ("binary.stl", 2),
        ("ascii.stl", 2),
        // A triangle, a square, a triangle.
        ("a.obj", 4),
        ("ascii.ply", square_and_triangle),
        ("little.ply", square_and_triangle),
        ("big.ply", square_and_triangle),
        // The contents of the mesh each time it is placed: a triangle, a triangle and a square, a square, a strip and a
        // fan of four corners; it is placed by its own node, by a shared one, and by a node in the first.
        ("a.dae", 3 * (1 + 3 + 2 + 2 + 2)),
        // Six indices are two triangles; as a strip four; four points as a fan two; placed by two nodes.
        ("a.glb", 2 * (2 + 4 + 2)),
        ("a.gltf", 2 * (2 + 4 + 2)),
        // Two placements of the OBJ file's four triangles.
        ("scene.json", 8),
    ] {
        let bytes = samples::all().into_iter().find(|s| s.0 == name).unwrap().1;
        desk.put(name, bytes);
        let run = desk.run(&["info", "--json", "--scene", name]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{name}: {e} {}", run.stderr));
        assert_eq!((run.code, &found["scene"]["triangles"]), (Some(0), &n.into()), "{name}");
    }
}

#[test]
fn tables_contain_the_same_as_json() {
    let desk = Desk::new();
    let elements = ["<link name=\"rail\"/>", &link("box", CUBE), &joint("x", "prismatic", "rail", "box", "1 0 0")];
    desk.put("robot.urdf", robot(&elements)).put("scene.obj", super::walls(&[("the wall", 1.0)]));
    let run = desk.run(&["info", "--robot", "robot.urdf", "--scene", "scene.obj"]);
    run.expect(0);
    for words in ["columns of a motion: 1", "links with triangles: 1", "objects: 1", "the wall", "graphics adapters"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    // Without options: the adapters only.
    let run = desk.run(&["info"]);
    run.expect(0);
    assert!(run.stdout.contains("graphics adapters") && !run.stdout.contains("objects"), "{}", run.stdout);
    assert_eq!(info(&desk, &[])["version"], env!("CARGO_PKG_VERSION"));
    assert!(info(&desk, &[]).get("robot").is_none());
}

#[test]
fn options_of_robots_require_a_robot() {
    let desk = Desk::new();
    for option in [["--base", "0,0,0,0,0,0"], ["--srdf", "r.srdf"], ["--attach", "box.json"]] {
        let run = desk.run(&[&["info", "--scene", "wall.obj"][..], &option].concat());
        refused(&desk, &run, &format!("{} requires a robot (also give --robot R.urdf)", option[0]));
    }
}

#[test]
fn an_adapter_is_listed() {
    if crate::harness::gpu::skip() {
        return;
    }
    let adapters = &info(&Desk::new(), &[])["adapters"];
    let names = each(adapters, "name");
    assert!(!names.is_empty(), "no graphics adapter: install mesa-vulkan-drivers and libvulkan1");
    assert!(names.iter().all(|n| n.as_str().is_some_and(|n| !n.is_empty())), "{adapters}");
}

#[test]
fn the_data_sets_are_listed() {
    let run = Desk::new().run(&["dataset", "list"]);
    run.expect(0);
    let names: Vec<&str> = run.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for name in ["puma", "pipes", "amr", "chain-10", "chain-30", "chain-100"] {
        assert!(names.contains(&name), "{name}: {}", run.stdout);
    }
    // Each has a short description.
    let mut sets = run.stdout.lines().filter(|line| line.starts_with(' '));
    assert!(sets.all(|line| line.split_whitespace().count() > 2), "{}", run.stdout);
}

/// One error in one line, exit code 3, nothing created.
#[track_caller]
fn refused(desk: &Desk, run: &Run, word: &str) {
    assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(3), 1, 1), "{}", run.stderr);
    assert!(run.errors()[0].contains(word), "{word}: {}", run.stderr);
    assert!(desk.names().is_empty(), "{:?}", desk.names());
}

#[test]
fn unknown_data_sets_are_refused() {
    let desk = Desk::new();
    refused(&desk, &desk.run(&["dataset", "make", "pipe", "--out", "set"]), "'pipe'");
    refused(&desk, &desk.run(&["check", "--dataset", "pipe", "--out", "results"]), "'pipe'");
    refused(&desk, &desk.run(&["check", "--dataset", "pipes/7", "--out", "results"]), "'7'");
    refused(&desk, &desk.run(&["check", "--dataset", "puma", "--out", "results"]), "'puma'");
}

#[test]
fn a_data_set_depends_only_on_its_seed() {
    let desk = Desk::new();
    let make = |out: &str, more: &[&str]| {
        let run = desk.run(&[&["dataset", "make", "chain-10", "--out", out, "--motions", "5"], more].concat());
        run.expect(0);
        assert!(run.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", run.stdout);
        let files = desk.names().into_iter().filter(|n| n.starts_with(&format!("{out}/")) && desk.path(n).is_file());
        let content = |name: String| (name[out.len()..].to_string(), std::fs::read(desk.path(&name)).unwrap());
        files.map(content).collect::<Vec<_>>()
    };
    let first = make("one", &[]);
    assert!(first.iter().any(|(name, _)| name == "/robot.urdf") && first.iter().all(|(_, bytes)| !bytes.is_empty()));
    assert!(!first.iter().any(|(name, _)| name.ends_with(".part")));
    assert!(first == make("two", &[]) && first == make("one", &["--seed", "2004"]));
    let other = make("three", &["--seed", "1"]);
    assert!(first.iter().map(|f| &f.0).eq(other.iter().map(|f| &f.0)));
    assert!(first.iter().any(|f| f.0.ends_with(".npy") && !other.contains(f)));
    // Every motion starts free: as one that ends where it starts.
    let (name, _) = first.iter().find(|(name, _)| name.ends_with("-30deg.npy")).unwrap();
    let motions = oracle::npy::read_motions(&desk.path(&format!("one{name}")));
    assert!(motions.len() == 5 && motions.iter().all(|(a, b)| a.len() == 10 && a != b));
    let rests: Vec<super::Motion> = motions.iter().map(|(start, _)| [&start[..], &start[..]]).collect();
    desk.put("rests.npy", super::npy(&rests));
    let scene = desk.names().into_iter().find(|n| n.starts_with("one/") && n.ends_with(".obj")).unwrap();
    let arguments = ["--robot", "one/robot.urdf", "--scene", &scene, "--motions", "rests.npy", "--out", "results"];
    desk.run(&[&["check", "--backend", "cpu"], &arguments[..]].concat()).expect(0);
}

/// The whole process from an empty folder: a data set is generated, reported only on the standard error, and checked;
/// the second time it exists.
#[test]
fn a_missing_data_set_is_generated() {
    let desk = Desk::new();
    let check = |more: &[&str]| {
        let set = ["check", "--dataset", "pipes/1", "--dataset-folder", "sets", "--backend", "cpu", "--out", "results"];
        desk.run(&[&set[..], more].concat())
    };
    let run = check(&["--stats", "stats.json"]);
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{}", run.stderr);
    assert!(run.stderr.contains("pipes") && run.errors().is_empty(), "{}", run.stderr);
    assert!(run.stdout.starts_with("1000 motions: ") && !run.stdout.contains("making"), "{}", run.stdout);
    let results = desk.text("results");
    assert_eq!(results.lines().count(), 1000);
    // Every motion starts free, and one degree is a short motion.
    let stats: Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
    let free = stats["free"].as_u64().unwrap();
    assert!((500..1000).contains(&free) && !results.contains("\"initial_overlap\":true"), "{stats}");
    // Again, with the motions of another file: the first two of the set.
    let all = desk.names().into_iter().find(|n| n.ends_with("-1deg.npy")).unwrap();
    let motions = oracle::npy::read_motions(&desk.path(&all));
    let two: Vec<super::Motion> = motions[..2].iter().map(|(a, b)| [&a[..], &b[..]]).collect();
    desk.put("two.npy", super::npy(&two));
    let run = check(&["--motions", "two.npy"]);
    assert_eq!(run.stderr, "");
    let first: String = results.lines().take(2).flat_map(|line| [line, "\n"]).collect();
    assert_eq!(desk.text("results"), first);
    // The folder contains no unfinished files.
    assert!(!desk.names().iter().any(|n| n.ends_with(".part")), "{:?}", desk.names());
}

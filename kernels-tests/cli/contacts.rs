//! The touching features, the contact point and the direction of the normal: all derived by hand.

use super::{CUBE, Checked, Desk, Motion, joint, link, near, numbers, obj, robot, slider, walls};
use crate::harness::gpu::skip;
use serde_json::Value;

type Triangle = [[f64; 3]; 3];

/// The corners listed from another one on: corner 0 becomes corner `k`, and edge 0 becomes edge `k`.
fn from_corner(t: Triangle, k: usize) -> Triangle {
    std::array::from_fn(|i| t[(i + 3 - k) % 3])
}

/// A triangle perpendicular to x.
fn across(x: f64) -> Triangle {
    [[x, -1.0, -1.0], [x, 1.0, -1.0], [x, 0.0, 1.0]]
}

fn mesh(triangles: &[Triangle]) -> String {
    let faces: Vec<[usize; 3]> = (0..triangles.len()).map(|i| [3 * i + 1, 3 * i + 2, 3 * i + 3]).collect();
    obj(&triangles.concat(), &faces)
}

/// A link of two shapes slides along x from 0 to 2 m; of its three triangles, two are far behind, and `leads`, the
/// second one of the second shape, is in front. In the scene, `met` is the second triangle of the second object; all
/// others are far ahead.
fn slide(leads: Triangle, met: Triangle) -> Checked {
    let desk = Desk::new();
    desk.put("back.obj", mesh(&[across(-3.0)])).put("front.obj", mesh(&[across(-2.0), leads]));
    let [back, front] = ["back", "front"]
        .map(|name| format!("<collision><geometry><mesh filename=\"{name}.obj\"/></geometry></collision>"));
    let tool = format!("<link name=\"tool\">{back}{front}</link>");
    let robot = robot(&["<link name=\"rail\"/>", &tool, &joint("x", "prismatic", "rail", "tool", "1 0 0")]);
    let [far, far_too, near] = [across(60.0), across(61.0), across(50.0)];
    let all = mesh(&[far, far_too, near, met]);
    // Faces follow vertices in `all`: the names are inserted between the faces.
    let (vertices, faces) = all.split_at(all.find('f').unwrap());
    let faces: Vec<&str> = faces.lines().collect();
    let scene = format!("{vertices}o far\n{}\n{}\no near\n{}\n{}\n", faces[0], faces[1], faces[2], faces[3]);
    desk.check(&robot, &scene, &[[&[0.0], &[2.0]]], &[]).expect(1)
}

/// The contact of [`slide`] is at 0.5 m, a quarter of the motion, between these features, at this point, with this
/// normal.
#[track_caller]
fn expect(checked: &Checked, features: [(&str, usize); 2], point: [f64; 3], normal: [f64; 3]) {
    checked.touches(0, 0.25);
    let line = &checked.lines[0];
    let [(a, i), (b, j)] = features;
    let robot_side = serde_json::json!({ "link": "tool", "shape": 1, "triangle": 2, "feature": a, "index": i });
    let scene_side = serde_json::json!({ "object": "near", "triangle": 1, "feature": b, "index": j });
    assert_eq!((&line["a"], &line["b"]), (&robot_side, &scene_side));
    // The point is given for the start of the enclosure, at most 1e-9 of 2 m before the contact.
    near(&line["point"], point, 3e-9);
    near(&line["normal"], normal, 1e-12);
}

/// The leading corner is 0.5 m ahead of the link's origin, and the face that it meets 1 m ahead of the world's.
const SPIKE: Triangle = [[0.5, 0.1, 0.2], [0.2, 0.4, 0.9], [0.1, -0.3, 0.6]];

#[test]
fn a_corner_of_the_robot_meets_a_face() {
    for k in 0..3 {
        let features = [("vertex", k), ("face", 0)];
        expect(&slide(from_corner(SPIKE, k), across(1.0)), features, [1.0, 0.1, 0.2], [-1.0, 0.0, 0.0]);
        // A face perpendicular to (0.8, 0.6, 0) around the position of the corner after 0.5 m. Along that normal the
        // corners of the spike are at 0.46, 0.4 and -0.1: the leading corner is first.
        let slanted = [[0.7, 0.5, -0.3], [1.3, -0.3, -0.3], [1.0, 0.1, 1.2]];
        let met = from_corner(slanted, k);
        expect(&slide(from_corner(SPIKE, k), met), features, [1.0, 0.1, 0.2], [-0.8, -0.6, 0.0]);
        // The order in which the corners of a face are listed does not reverse the normal.
        let [a, b, c] = met;
        expect(&slide(from_corner(SPIKE, k), [a, c, b]), features, [1.0, 0.1, 0.2], [-0.8, -0.6, 0.0]);
    }
}

#[test]
fn a_face_of_the_robot_meets_a_corner() {
    let thorn = [[1.0, 0.1, -0.2], [1.4, 0.3, 0.5], [1.5, -0.2, 0.1]];
    for k in 0..3 {
        let checked = slide(across(0.5), from_corner(thorn, k));
        expect(&checked, [("face", 0), ("vertex", k)], [1.0, 0.1, -0.2], [-1.0, 0.0, 0.0]);
    }
}

#[test]
fn an_edge_meets_an_edge() {
    // The edge of corners 0 and 1 leads, upright; the rest of the triangle is behind it at y > 0.
    let blade = [[0.5, 0.0, -1.0], [0.5, 0.0, 1.0], [0.0, 0.5, 0.0]];
    // The edge of corners 0 and 1 is along (0.6, 0.8, 0) through (1, 0, 0); the rest is farther away. At y > 0 the edge
    // is at x = 1 + 0.75 y, where the blade is behind its own edge by y.
    let shelf = [[0.7, -0.4, 0.0], [1.3, 0.4, 0.0], [3.0, 0.0, 0.5]];
    for k in 0..3 {
        for l in 0..3 {
            let checked = slide(from_corner(blade, k), from_corner(shelf, l));
            // Perpendicular to the upright edge and to the other: (0.8, -0.6, 0) or its opposite, which points to the
            // robot.
            expect(&checked, [("edge", k), ("edge", l)], [1.0, 0.0, 0.0], [-0.8, 0.6, 0.0]);
        }
    }
}

/// Two adjacent cubes on one slide, with their links in the order of `links`.
fn pair(links: [&str; 2]) -> String {
    let [first, second] = links.map(|name| link(name, CUBE));
    let fixed = |name: &str, y: f64| {
        format!(
            "<joint name=\"to {name}\" type=\"fixed\"><parent link=\"car\"/><child link=\"{name}\"/>\
             <origin xyz=\"0 {y} 0\"/></joint>"
        )
    };
    let slide = joint("x", "prismatic", "rail", "car", "1 0 0");
    robot(&["<link name=\"rail\"/><link name=\"car\"/>", &first, &second, &fixed("m", 1.0), &slide, &fixed("k", -1.0)])
}

#[test]
fn of_equal_contacts_the_first_link_and_the_first_object_count() {
    for links in [["m", "k"], ["k", "m"]] {
        for objects in [["w", "u"], ["u", "w"]] {
            let scene = walls(&[("far", 9.0), (objects[0], 1.0), (objects[1], 1.0)]);
            let checked = Desk::new().check(&pair(links), &scene, &[[&[0.0], &[3.6]]], &[]).expect(1);
            // 0.9 of 3.6 m.
            checked.touches(0, 0.25);
            let line = &checked.lines[0];
            assert_eq!((&line["a"]["link"], &line["b"]["object"]), (&links[0].into(), &objects[0].into()), "{line}");
        }
    }
}

/// A cone of forty triangles around the x axis, all with the tip as their first corner, listed in a shuffled order.
fn cone(tip: f64, base: f64) -> Vec<Triangle> {
    let rim = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (k % 40) as f64 / 40.0).sin_cos();
        [base, 0.1 + 0.6 * cos, 0.05 + 0.6 * sin]
    };
    (0..40).map(|i| 17 * i % 40).map(|k| [[tip, 0.1, 0.05], rim(k), rim(k + 1)]).collect()
}

/// The answer does not depend on the order within the trees.
#[test]
fn of_equal_contacts_the_first_triangle_of_the_file_counts() {
    let desk = Desk::new();
    let tool = |triangles: &[Triangle]| {
        desk.put("tool.obj", mesh(triangles));
        slider("<mesh filename=\"tool.obj\"/>")
    };
    for backend in if skip() { &["cpu"][..] } else { &["cpu", "gpu"] } {
        let check = |robot: &str, scene: &[Triangle]| {
            desk.check(robot, &mesh(scene), &[[&[0.0], &[2.0]]], &["--backend", backend]).expect(1).lines[0].clone()
        };
        let line = check(&tool(&cone(0.5, -0.5)), &[across(1.0)]);
        assert_eq!((&line["a"]["triangle"], &line["a"]["feature"]), (&0.into(), &"vertex".into()), "{backend}: {line}");
        let line = check(&tool(&[across(0.5)]), &cone(1.0, 3.0));
        assert_eq!((&line["b"]["triangle"], &line["b"]["feature"]), (&0.into(), &"vertex".into()), "{backend}: {line}");
    }
}

#[test]
fn an_earlier_contact_counts_more_than_a_lower_number() {
    // The second object is 1e-6 m nearer: 3e-7 of the motion, a hundred times the tolerance.
    let scene = walls(&[("later", 1.0), ("sooner", 1.0 - 1e-6)]);
    let checked = Desk::new().check(&pair(["m", "k"]), &scene, &[[&[0.0], &[3.6]]], &[]).expect(1);
    checked.touches(0, (0.9 - 1e-6) / 3.6);
    assert_eq!(checked.lines[0]["b"]["object"], "sooner");
}

#[test]
fn a_cube_inside_a_closed_box_is_free_until_it_reaches_a_wall() {
    // A cube of 0.2 m inside a closed box of 2 m: free while it stays inside, a contact when it reaches the wall.
    let inside = |x: f64| {
        let scene = "<robot name=\"s\"><link name=\"shell\"><visual><geometry>\
            <box size=\"2 2 2\"/></geometry></visual></link></robot>";
        let desk = Desk::new();
        desk.put("scene.urdf", scene);
        desk.check(&super::slider(CUBE), "scene.urdf", &[[&[0.0], &[x]]], &[])
    };
    assert_eq!(inside(0.5).expect(0).verdicts(), ["free"]);
    let checked = inside(1.8).expect(1);
    checked.touches(0, 0.5);
    assert_eq!(checked.lines[0]["b"]["object"], "shell");
    // From inside, the normal from the wall to the cube points inwards.
    near(&checked.lines[0]["normal"], [-1.0, 0.0, 0.0], 1e-12);
}

#[test]
fn a_margin_counts_as_contact() {
    // The front of the cube is 0.9 m from the wall: 0.72 of 3.6 m until 0.18 m are left. It stops 0.1 m before it.
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.0], &[0.8]], [&[0.0], &[0.7]]];
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), motions, &["--margin", "0.18"]).expect(1);
    assert_eq!(checked.verdicts(), ["contact", "contact", "free"]);
    checked.touches(0, 0.2);
    checked.touches(1, 0.9);
    // Closer than the margin from the start.
    let start: &[Motion] = &[[&[0.8], &[0.8]]];
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), start, &["--margin", "0.18"]).expect(1);
    assert_eq!((checked.toc(0), &checked.lines[0]["initial_overlap"]), ([0.0, 0.0], &true.into()));
    for margin in ["-1", "nan", "1e9", "x"] {
        let run =
            Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), motions, &[&format!("--margin={margin}")]).run;
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{margin}: {}", run.stderr);
    }
}

#[test]
fn all_contacts_are_reported_on_request() {
    // A plate with its long edge at x = 0, from y = -0.1 to 0.1, slides into the edge of another one along y at x = 1:
    // parallel edges, which touch at both ends of their common part, y = -0.05 and 0.1.
    let plate = obj(&[[0.0, -0.1, 0.0], [0.0, 0.1, 0.0], [-0.5, 0.0, 0.3]], &[[1, 2, 3]]);
    let other = obj(&[[1.0, -0.05, 0.0], [1.0, 0.4, 0.0], [1.5, 0.0, 0.3]], &[[1, 2, 3]]);
    let desk = Desk::new();
    desk.put("plate.obj", plate);
    let robot = slider("<mesh filename=\"plate.obj\"/>");
    let motions: &[Motion] = &[[&[0.0], &[4.0]]];
    let one = desk.check(&robot, &other, motions, &[]);
    assert!(one.lines[0].get("contacts").is_none() && one.lines[0].get("poses").is_none());
    let checked = desk.check(&robot, &other, motions, &["--all-contacts"]).expect(1);
    let line = &checked.lines[0];
    assert!((checked.toc(0)[0] - 0.25).abs() < 1e-9, "{line}");
    let contacts = line["contacts"].as_array().unwrap();
    let is_edges = |c: &&Value| {
        (&c["a"]["feature"], &c["a"]["index"]) == (&"edge".into(), &0.into())
            && (&c["b"]["feature"], &c["b"]["index"]) == (&"edge".into(), &0.into())
    };
    let mut ends: Vec<f64> = contacts.iter().filter(is_edges).map(|c| numbers(&c["point"])[1]).collect();
    ends.sort_by(f64::total_cmp);
    assert!(ends.len() == 2 && (ends[0] + 0.05).abs() < 1e-8 && (ends[1] - 0.1).abs() < 1e-8, "{line}");
    // The same two points as vertices on faces; and every point is one of the two.
    let kinds = |name: &str| contacts.iter().filter(|c| c["a"]["feature"] == name).count();
    assert!(kinds("vertex") == 1 && kinds("face") == 1, "{line}");
    let is_end = |y: f64| (y + 0.05).abs() < 1e-8 || (y - 0.1).abs() < 1e-8;
    assert!(contacts.iter().all(|c| is_end(numbers(&c["point"])[1])), "{line}");
    // The position of the link at that time.
    let pose = &line["poses"]["slider"];
    near(&Value::from(vec![pose[0][3].clone(), pose[1][3].clone(), pose[2][3].clone()]), [1.0, 0.0, 0.0], 1e-8);
    near(&Value::from(vec![pose[0][0].clone(), pose[1][1].clone(), pose[2][2].clone()]), [1.0, 1.0, 1.0], 1e-12);
}

#[test]
fn the_papers_solver_gives_the_same_times() {
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.0], &[0.8]]];
    let scene = obj(&[[1.0, -0.3, -0.2], [1.0, 0.4, -0.3], [1.0, 0.1, 0.5]], &[[1, 2, 3]]);
    // A corner first: the cube is tilted.
    let robot = slider(CUBE).replace("<collision>", "<collision><origin rpy=\"0.3 0.6 0.2\"/>");
    let check = |more: &[&str]| Desk::new().check(&robot, &scene, motions, more).expect(1);
    let (jet, paper) = (check(&[]), check(&["--solver", "paper"]));
    assert_eq!(jet.verdicts(), paper.verdicts());
    let (a, b) = (jet.toc(0), paper.toc(0));
    assert!(a[0] <= b[1] && b[0] <= a[1] && paper.lines[0]["certified"] == true, "{a:?} {b:?}");
    // Fifteen equations for a pair.
    let count = |c: &super::Checked, key: &str| c.stats["solve"][key].as_u64().unwrap();
    assert!(count(&paper, "items") >= 15 && count(&paper, "items") % 15 == 0, "{}", paper.stats["solve"]);
    let run = Desk::new().check(&robot, &scene, motions, &["--solver", "paper", "--margin", "0.1"]).run;
    assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
}

/// Contacts of one motion are not reported for the next one, which begins inside the scene.
#[test]
fn all_contacts_are_those_of_the_motion() {
    // Many pairs of triangles simultaneously; then, from the start, a speck across one triangle of the cube's front, at
    // 9.1 m.
    let scene = walls(&[("a", 1.0), ("b", 1.0), ("c", 1.0)])
        + "o d\nv 9.09 0.05 -0.02\nv 9.11 0.06 -0.02\nv 9.1 0.05 -0.01\nf 10 11 12\n";
    // Alternating and often, so that one thread processes both in turn with its retained buffers.
    let motions: Vec<Motion> = [[&[0.0][..], &[3.6][..]], [&[9.0][..], &[9.0][..]]].repeat(32);
    let more = ["--all-contacts", "--threads", "1"];
    let checked = Desk::new().check(&slider(CUBE), &scene, &motions, &more).expect(1);
    assert_eq!(checked.lines.len(), motions.len());
    let told = |i: usize| checked.lines[i]["contacts"].as_array().unwrap().clone();
    let objects = |i: usize| told(i).iter().map(|c| c["b"]["object"].clone()).collect::<Vec<_>>();
    assert!(["a", "b", "c"].iter().all(|o| objects(0).contains(&(*o).into())), "{}", checked.lines[0]);
    for i in (1..motions.len()).step_by(2) {
        assert!(objects(i).iter().all(|o| o == "d") && !objects(i).is_empty(), "{}", checked.lines[i]);
    }
    // Each place appears once.
    let all: Vec<String> = told(0).iter().map(Value::to_string).collect();
    let mut once = all.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), all.len());
}

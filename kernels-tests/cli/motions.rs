//! Motions from files of either kind, and extreme robots and batches.

use super::{CUBE, Desk, Motion, joint, link, npy, robot, slider, walls};
use crate::inputs::samples;

#[test]
fn an_empty_batch_has_no_contact() {
    let desk = Desk::new();
    let checked = desk.check(&slider(CUBE), &walls(&[("wall", 0.0)]), &[], &[]).expect(0);
    assert_eq!(desk.text("results.jsonl"), "");
    assert_eq!((&checked.stats["motions"], &checked.stats["pieces"]), (&0.into(), &0.into()));
    desk.put("motions.json", r#"{"joints": ["x"], "motions": []}"#);
    let checked = desk.check_file(&slider(CUBE), &walls(&[("wall", 0.0)]), "motions.json", &[]).expect(0);
    assert_eq!((desk.text("results.jsonl").as_str(), &checked.stats["motions"]), ("", &0.into()));
}

#[test]
fn a_robot_without_moving_joints_rests() {
    let fixed = slider(CUBE).replace("prismatic", "fixed");
    let three = samples::npy("'<f8'", "(3, 2, 0)", &[]);
    for (x, verdict, code) in [(0.0, "contact", 1), (1.0, "free", 0)] {
        let desk = Desk::new();
        desk.put("motions.npy", &three)
            .put("motions.json", r#"{"joints": [], "motions": [[[], []], [[], []], [[], []]]}"#);
        let checked = desk.check_file(&fixed, &walls(&[("wall", x)]), "motions.npy", &[]).expect(code);
        assert_eq!(checked.verdicts(), [verdict; 3]);
        let again = desk.check_file(&fixed, &walls(&[("wall", x)]), "motions.json", &[]).expect(code);
        assert_eq!(again.text, checked.text);
        // Across the wall from the start, which is certain.
        if code == 1 {
            assert!(checked.lines.iter().all(|l| l["initial_overlap"] == true && l["certified"] == true));
        }
    }
}

#[test]
fn names_in_json_select_columns() {
    let elements = [
        "<link name=\"rail\"/>".to_string(),
        link("one", CUBE),
        link("two", CUBE),
        joint("a", "prismatic", "rail", "one", "1 0 0"),
        joint("b", "prismatic", "rail", "two", "0 1 0"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let scene = walls(&[("wall", 1.0)]);
    let desk = Desk::new();
    let json = |joints: &str, motions: &str| {
        desk.put("motions.json", format!("{{\"motions\": {motions}, \"more\": 1, \"joints\": {joints}}}"));
        desk.check_file(&robot, &scene, "motions.json", &["--missing-joints", "zero"]).expect(1).text
    };
    let array = |motions: &[Motion]| {
        desk.put("motions.npy", npy(motions));
        desk.check_file(&robot, &scene, "motions.npy", &[]).expect(1).text
    };
    let both = array(&[[&[0.0, 0.5], &[3.6, 0.25]], [&[0.0, 0.0], &[0.5, 9.0]]]);
    assert_eq!(json("[\"a\", \"b\"]", "[[[0, 0.5], [3.6, 0.25]], [[0, 0], [0.5, 9]]]"), both);
    assert_eq!(json("[\"b\", \"a\"]", "[[[0.5, 0], [0.25, 3.6]], [[0, 0], [9, 5e-1]]]"), both);
    assert_eq!(json("[\"a\"]", "[[[0], [3.6]]]"), array(&[[&[0.0, 0.0], &[3.6, 0.0]]]));
}

/// A path through all rows is written like motions of two rows each, which leave out every other part of it.
#[test]
fn rows_that_are_paired_by_their_number_are_named() {
    let (robot, scene) = (slider(CUBE), walls(&[("wall", 4.0)]));
    for (rows, code, is_named) in [
        ("x\n0\n1\n", 0, false),
        ("x\n0\n1\n9\n10\n", 0, true),
        ("x\n0\n1\n\n9\n10\n", 0, false),
        ("trajectory,x\na,0\na,1\nb,9\nb,10\n", 0, false),
        ("time,x\n0,0\n1,1\n2,9\n3,10\n", 1, false),
    ] {
        let desk = Desk::new();
        desk.put("motions.csv", rows);
        let checked = desk.check_file(&robot, &scene, "motions.csv", &[]);
        assert_eq!(checked.run.code, Some(code), "{rows}: {}", checked.run.stderr);
        let warnings = checked.run.warnings();
        assert_eq!(
            warnings.iter().any(|w| w.contains("4 rows are read as 2 motions")),
            is_named,
            "{rows}: {warnings:?}"
        );
    }
}

#[test]
fn columns_are_in_the_order_of_the_joints_in_the_file() {
    // Unlike in the tree, the joint of the hand is first in the file. Only the hand reaches the wall: the second column
    // moves the arm, in y.
    let elements = [
        link("hand", CUBE),
        joint("h", "prismatic", "arm", "hand", "1 0 0"),
        "<link name=\"arm\"/><link name=\"rail\"/>".into(),
        joint("a", "prismatic", "rail", "arm", "0 1 0"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let checked = Desk::new().check(&robot, &walls(&[("wall", 1.0)]), &[[&[0.0, 0.0], &[3.6, 0.1]]], &[]).expect(1);
    checked.touches(0, 0.25);
    Desk::new().check(&robot, &walls(&[("wall", 1.0)]), &[[&[0.0, 0.0], &[0.1, 3.6]]], &[]).expect(0);
}

#[test]
fn a_robot_without_triangles_is_free() {
    let bare = slider(CUBE);
    let bare = bare.replace(&link("slider", CUBE), "<link name=\"slider\"/>");
    let checked = Desk::new().check(&bare, &walls(&[("wall", 0.0)]), &[[&[0.0], &[3.6]]], &[]);
    assert_eq!((checked.run.code, checked.verdicts()), (Some(0), vec!["free"]));
    assert_eq!(checked.run.warnings().len(), 1, "{}", checked.run.stderr);
}

#[test]
fn scenes_of_all_formats_give_the_same_contact_time() {
    // One triangle perpendicular to x at 1 m in every format, in another unit where the format has units.
    let corners = [[1.0, -7.0, -5.0], [1.0, 7.0, -5.0], [1.0, 0.0, 9.0]];
    let text = |scale: f64, between: &str| {
        let rows = corners.map(|p| p.map(|x| (x * scale).to_string()).join(" "));
        rows.join(between)
    };
    let stl = format!(
        "solid w\nfacet normal 1 0 0\nouter loop\nvertex {}\nendloop\nendfacet\nendsolid w\n",
        text(1.0, "\nvertex ")
    );
    let mut binary = vec![0; 80];
    binary.extend(1u32.to_le_bytes());
    binary.extend([0; 12]);
    binary.extend(corners.as_flattened().iter().flat_map(|x| (*x as f32).to_le_bytes()));
    binary.extend([0; 2]);
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n{}\n3 0 1 2\n",
        text(1.0, "\n")
    );
    let dae = format!(
        "<COLLADA><asset><unit meter=\"0.5\"/><up_axis>Y_UP</up_axis></asset>\
         <library_geometries><geometry id=\"g\"><mesh>\
         <source id=\"p\"><float_array id=\"a\" count=\"9\">{}</float_array><technique_common>\
         <accessor source=\"#a\" count=\"3\" stride=\"3\">\
         <param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>\
         <param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\
         <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\
         <triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p>\
         </triangles></mesh></geometry>\
         </library_geometries><library_visual_scenes><visual_scene id=\"s\">\
         <node id=\"n\" name=\"w\"><instance_geometry url=\"#g\"/></node>\
         </visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>",
        text(2.0, " ")
    );
    let floats: Vec<u8> = corners.as_flattened().iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"w","mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36}]}"#;
    let gltf = format!("{gltf:<width$}", width = gltf.len().next_multiple_of(4));
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((12 + 8 + gltf.len() as u32 + 8 + 36).to_le_bytes());
    glb.extend([&(gltf.len() as u32).to_le_bytes()[..], b"JSON", gltf.as_bytes()].concat());
    glb.extend([&36u32.to_le_bytes()[..], b"BIN\0", &floats].concat());
    let placed = r#"{"units": "metre", "instances": [{"object": "w", "mesh": "stl.stl", "more": 0,
        "matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]}"#;
    let desk = Desk::new();
    desk.put("w.obj", walls(&[("w", 1.0)])).put("stl.stl", stl).put("binary.stl", binary).put("w.ply", ply);
    desk.put("w.dae", dae).put("w.glb", glb).put("scene.json", placed);
    for name in ["w.obj", "stl.stl", "binary.stl", "w.ply", "w.dae", "w.glb", "scene.json"] {
        let checked = desk.check(&slider(CUBE), name, &[[&[0.0], &[3.6]]], &[]).expect(1);
        checked.touches(0, 0.25);
        let object = &checked.lines[0]["b"]["object"];
        let expected = if name == "scene.json" {
            "w/w"
        } else if name == "binary.stl" {
            "binary"
        } else {
            "w"
        };
        assert_eq!(object, expected, "{name}");
    }
}

#[test]
fn an_instance_is_placed_by_its_matrix_and_named_after_its_groups() {
    // The mesh has walls perpendicular to x at 9 m without a name, and at 0 and 5 m with one. The matrix maps (x, y, z)
    // to (-y, x + 1, z).
    let mesh = "v 9 -7 -5\nv 9 7 -5\nv 9 0 9\nf 1 2 3\no near\nv 0 -7 -5\nv 0 7 -5\nv 0 0 9\nf 4 5 6\n\
        g far\nv 5 -7 -5\nv 5 7 -5\nv 5 0 9\nf 7 8 9\n";
    let scene = r#"{"instances": [{"object": "shelf", "mesh": "parts/shelf.obj",
        "matrix": [[0, -1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]}]}"#;
    let desk = Desk::new();
    desk.put("parts/shelf.obj", mesh).put("scene.json", scene);
    let along_y = slider(CUBE).replace("1 0 0", "0 1 0");
    let checked =
        desk.check(&along_y, "scene.json", &[[&[0.0], &[3.6]], [&[2.0], &[9.2]], [&[7.0], &[10.6]]], &[]).expect(1);
    // The groups are at y = 1, 6 and 10: met after 0.9 of 3.6 m, 3.9 of 7.2 m, and 2.9 of 3.6 m.
    for (i, (t, object)) in
        [(0.25, "shelf/near"), (3.9 / 7.2, "shelf/far"), (2.9 / 3.6, "shelf")].into_iter().enumerate()
    {
        checked.touches(i, t);
        assert_eq!(checked.lines[i]["b"]["object"], object);
        super::near(&checked.lines[i]["normal"], [0.0, -1.0, 0.0], 1e-12);
    }
}

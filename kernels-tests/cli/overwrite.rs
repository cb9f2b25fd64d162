//! No output overwrites an input, under whatever name: symbolic links, hard links, other paths, and the files that
//! robots and scenes refer to.
#![cfg(unix)]

use super::{CUBE, Desk, npy, obj, slider, walls};
use serde_json::json;
use std::os::unix::fs::symlink;

/// One triangle as OBJ.
fn triangle() -> String {
    obj(&[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], &[[1, 2, 3]])
}

/// A folder with a robot with a mesh, a scene of one glTF file with a buffer, motions, and pairs that are not tested.
fn desk() -> Desk {
    let desk = Desk::new();
    let buffer: Vec<u8> = [[1.0f32, -7.0, -5.0], [1.0, 7.0, -5.0], [1.0, 0.0, 9.0]]
        .as_flattened()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let gltf = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "wall"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [1, -7, -5], "max": [1, 7, 9]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "wall.bin", "byteLength": 36}],
    });
    let identity = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    let scene =
        json!({"units": "metre", "instances": [{"object": "wall", "mesh": "meshes/wall.gltf", "matrix": identity}]});
    desk.put("robot.urdf", slider("<mesh filename=\"meshes/link.obj\"/>")).put("meshes/link.obj", triangle());
    desk.put("scene.json", scene.to_string()).put("meshes/wall.gltf", gltf.to_string()).put("meshes/wall.bin", buffer);
    desk.put("motions.npy", npy(&[[&[0.0], &[3.6]]])).put("allow.txt", "# none\n");
    desk.put("robot.srdf", "<robot name=\"r\"/>").put("meshes/held.obj", triangle());
    desk.put("held.json", r#"[{"name":"held","link":"slider","mesh":"meshes/held.obj"}]"#);
    desk
}

const INPUTS: [&str; 10] = [
    "held.json",
    "meshes/held.obj",
    "robot.srdf",
    "robot.urdf",
    "meshes/link.obj",
    "scene.json",
    "meshes/wall.gltf",
    "meshes/wall.bin",
    "motions.npy",
    "allow.txt",
];

const CHECK: [&str; 15] = [
    "check",
    "--backend",
    "cpu",
    "--robot",
    "robot.urdf",
    "--scene",
    "scene.json",
    "--motions",
    "motions.npy",
    "--allow",
    "allow.txt",
    "--srdf",
    "robot.srdf",
    "--attach",
    "held.json",
];

/// All files with their contents.
fn files(desk: &Desk) -> Vec<(String, Vec<u8>)> {
    let files = desk.names().into_iter().filter(|name| desk.path(name).is_file());
    files.map(|name| (name.clone(), std::fs::read(desk.path(&name)).unwrap())).collect()
}

/// One error with the name of the input or the output, exit code 3, and every file unchanged.
#[track_caller]
fn refused(desk: &Desk, arguments: &[&str], named: &str) {
    let before = files(desk);
    let run = desk.run(arguments);
    let [error] = run.errors()[..] else { panic!("{arguments:?}: {:?} {}", run.code, run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count(), run.stdout.as_str()), (Some(3), 1, ""), "{}", run.stderr);
    assert!(error.contains("same file") && error.contains(named), "{named}: {error}");
    assert!(files(desk) == before, "{arguments:?}: {:?}", desk.names());
}

#[test]
fn inputs_of_check_stay_as_they_are() {
    for input in INPUTS {
        let desk = desk();
        std::fs::create_dir(desk.path("links")).unwrap();
        symlink(desk.path(input), desk.path("links/soft")).unwrap();
        symlink("soft", desk.path("links/softer")).unwrap();
        std::fs::hard_link(desk.path(input), desk.path("links/hard")).unwrap();
        std::fs::hard_link(desk.path(input), desk.path("links/through.part")).unwrap();
        symlink(desk.path(input), desk.path("links/record.part.json")).unwrap();
        let around = format!("links/../{input}");
        let absolute = desk.path(input).display().to_string();
        for output in
            [input, &around, &absolute, "links/soft", "links/softer", "links/hard", "links/through", "links/record"]
        {
            refused(&desk, &[&CHECK[..], &["--out", output]].concat(), input);
            refused(&desk, &[&CHECK[..], &["--out", output, "--resume"]].concat(), input);
            refused(&desk, &[&CHECK[..], &["--out", "results", "--stats", output]].concat(), input);
        }
        // A copy of an input is a different file.
        std::fs::copy(desk.path(input), desk.path("copy")).unwrap();
        desk.run(&[&CHECK[..], &["--out", "copy"]].concat()).expect(1);
    }
}

/// Motions from the standard input may be a file.
#[test]
fn a_file_on_the_standard_input_stays_as_it_is() {
    let desk = desk();
    let arguments = CHECK.map(|a| if a == "motions.npy" { "-" } else { a });
    let before = files(&desk);
    let input = std::fs::File::open(desk.path("motions.npy")).unwrap();
    let run = desk.command(&[&arguments[..], &["--out", "motions.npy"]].concat()).stdin(input).output().unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.code() == Some(3) && stderr.contains("same file"), "{stderr}");
    assert!(files(&desk) == before, "{:?}", desk.names());
}

#[test]
fn a_kept_part_survives_a_refusal() {
    let desk = desk();
    desk.put("results.part", "{\"motion\":0,\"verdict\":\"free\"}\n").put("results.part.json", "{}");
    refused(&desk, &[&CHECK[..], &["--out", "results", "--stats", "motions.npy"]].concat(), "motions.npy");
    refused(&desk, &[&CHECK[..], &["--out", "results", "--stats", "results"]].concat(), "results");
    refused(&desk, &[&CHECK[..], &["--out", "results", "--stats", "results.part"]].concat(), "results.part");
}

#[test]
fn two_outputs_are_two_files() {
    let desk = desk();
    desk.put("a", "old\n");
    symlink("a", desk.path("soft")).unwrap();
    std::fs::hard_link(desk.path("a"), desk.path("hard")).unwrap();
    for other in ["a", "./a", "soft", "hard", "a.part", "a.part.json"] {
        refused(&desk, &[&CHECK[..], &["--out", "a", "--stats", other]].concat(), "--out and --stats");
    }
    let null = ["--out", "/dev/null", "--stats", "/dev/null"];
    desk.run(&[&CHECK[..], &null].concat()).expect(1);
}

#[test]
fn inputs_of_the_other_commands_stay_as_they_are() {
    let desk = desk();
    desk.put("box.urdf", slider(CUBE)).put("wall.obj", walls(&[("wall", 1.0)]));
    desk.put("q.csv", "0,1,0,1,0,1\n".repeat(8));
    let job = json!({"robot": "robot.urdf", "scene": "wall.obj", "motions": "motions.npy"});
    desk.put("job.json", job.to_string()).put("run.json", super::report::example().to_string());
    desk.put("ball.json", include_str!("../../examples/scenes/figure7.json"));
    std::fs::create_dir(desk.path("tracks")).unwrap();
    std::fs::hard_link(desk.path("ball.json"), desk.path("tracks/track.svg")).unwrap();
    std::fs::hard_link(desk.path("meshes/wall.bin"), desk.path("bin.glb")).unwrap();
    std::fs::hard_link(desk.path("meshes/link.obj"), desk.path("part.glb.part")).unwrap();
    std::fs::create_dir(desk.path("tiles")).unwrap();
    std::fs::hard_link(desk.path("motions.npy"), desk.path("tiles/slider-0.png")).unwrap();
    let tolerance = |outputs: &[&'static str]| [&["tolerance", "job.json", "--backend", "cpu"], outputs].concat();
    let render = |outputs: &[&'static str]| {
        let input = ["--robot", "robot.urdf", "--scene", "scene.json", "--motions", "motions.npy"];
        [&["render", "--index", "0"], &input[..], outputs].concat()
    };
    for (arguments, input) in [
        (vec!["elementary", "--queries", "q.csv", "--kind", "vf", "--out", "./q.csv"], "q.csv"),
        (tolerance(&["--out", "job.json"]), "job.json"),
        (tolerance(&["--out", "meshes/link.obj"]), "link.obj"),
        (tolerance(&["--out", "o", "--certificate", "wall.obj"]), "wall.obj"),
        (tolerance(&["--out", "o", "--certificate", "o.part"]), "--certificate"),
        (vec!["track", "ball.json", "--out", "tracks"], "ball.json"),
        (render(&["--out", "bin.glb"]), "wall.bin"),
        (render(&["--out", "part.glb"]), "link.obj"),
        (render(&["--out", "o.glb", "--tiles", "tiles"]), "motions.npy"),
    ] {
        refused(&desk, &arguments, input);
    }
    let before = files(&desk);
    std::fs::hard_link(desk.path("run.json"), desk.path("report.html")).unwrap();
    let run = desk.run(&["report", "run.json", "--out", "report.html"]);
    assert!(run.code == Some(3) && run.errors().len() == 1 && run.stderr.contains("run.json"), "{}", run.stderr);
    std::fs::remove_file(desk.path("report.html")).unwrap();
    assert!(files(&desk) == before);
}

/// The standard output may be redirected to an input.
#[test]
fn the_standard_output_is_an_output_too() {
    let desk = desk();
    let before = files(&desk);
    let motions = std::fs::File::options().append(true).open(desk.path("motions.npy")).unwrap();
    let mut command = desk.command(&[&CHECK[..], &["--out", "-"]].concat());
    let run = super::Run::new(command.stdout(motions).output().unwrap());
    assert!(run.code == Some(3) && run.stderr.contains("same file"), "{:?} {}", run.code, run.stderr);
    assert!(files(&desk) == before);
}

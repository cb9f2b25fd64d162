//! Data set names on the command line: what they run, and the messages if something is missing.

use super::archives::tar_of;
use firstcontact::engine::{Backend, Engine};
use firstcontact::formats::MissingJoints;
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::UrdfOptions;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use firstcontact_datasets::manifest::Manifest;
use firstcontact_datasets::problems;
use glam::{DMat3, DVec3};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder in which the program runs, with made-up data sets.
struct Desk {
    folder: TempDir,
    data: Option<PathBuf>,
}

/// A slider along x with the Panda's joint names; its link is a cube of 0.2 m.
const ROBOT: &str = r#"<robot name="r"><link name="world"/><link name="panda_hand"><collision><geometry>
  <box size="0.2 0.2 0.2"/></geometry></collision></link><joint name="panda_joint1" type="prismatic">
  <parent link="world"/><child link="panda_hand"/><axis xyz="1 0 0"/><limit lower="-9" upper="9"/></joint></robot>"#;

/// A box at x, 0.2 m deep and larger across than the cube that meets it, so that no edges coincide.
fn cube(id: &str, x: f64) -> String {
    format!(
        "    - id: {id}\n      primitives: [{{type: box, dimensions: [0.2, 0.7, 0.9]}}]\n      \
         primitive_poses: [{{position: [{x}, 0, 0], orientation: [0, 0, 0, 1]}}]\n"
    )
}

fn request(from: f64, to: f64) -> String {
    format!(
        "start_state: {{joint_state: {{name: [panda_joint1], position: [{from}]}}}}\n\
         goal_constraints:\n  - joint_constraints: [{{joint_name: panda_joint1, position: {to}}}]\n"
    )
}

impl Desk {
    /// Three problems of the kind `box`: a contact at x = 0.5, which is half way; the same with the pair allowed; a
    /// free one. And one problem of another kind.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let objects = |text: &str| format!("world:\n  collision_objects:\n{text}");
        let matrix = "allowed_collision_matrix:\n  entry_names: [can, gripper, panda_hand]\n  \
                      entry_values: [[false, false, true], [false, false, false], [true, false, false]]\n";
        let files = [
            ("problems/box_panda/scene0001.yaml", objects(&(cube("can", 0.7) + &cube("far", 5.0)))),
            ("problems/box_panda/request0001.yaml", request(0.0, 1.0)),
            ("problems/box_panda/scene0002.yaml", format!("{matrix}{}", objects(&cube("can", 0.7)))),
            ("problems/box_panda/request0002.yaml", request(0.0, 1.0)),
            ("problems/box_panda/scene0003.yaml", objects(&cube("can", -0.7))),
            ("problems/box_panda/request0003.yaml", request(0.0, 1.0)),
            ("problems/cage_panda/scene0001.yaml", objects(&cube("can", 0.0))),
            ("problems/cage_panda/request0001.yaml", request(0.0, 1.0)),
        ];
        let desk = Self { folder, data: None };
        desk.put("sets/robot-panda/panda.urdf", ROBOT.as_bytes());
        desk.archive("panda", &files.map(|(path, text)| (path.to_string(), text)));
        desk
    }

    fn archive(&self, robot: &str, files: &[(String, String)]) {
        let entries: Vec<_> =
            files.iter().map(|(path, text)| (path.as_str(), tar::EntryType::Regular, "", text.as_bytes())).collect();
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        bz.write_all(&tar_of(&entries)).unwrap();
        self.put(&format!("sets/mbm-problems/{robot}-problems.tar.bz2"), &bz.finish().unwrap());
    }

    /// Adds a family with another robot: a slider whose cube has twice the size, with the problem of a contact at
    /// x = 0.4, and one that touches at the start.
    fn add_ur5(&self) {
        let robot = ROBOT.replace("panda_hand", "ur5_tool").replace("0.2 0.2 0.2", "0.4 0.4 0.4");
        self.put("sets/robot-ur5/ur5_robot.urdf", robot.as_bytes());
        let objects = |x: f64| format!("world:\n  collision_objects:\n{}", cube("can", x));
        let files = [
            ("problems/box_ur5/scene0001.yaml", objects(0.7)),
            ("problems/box_ur5/request0001.yaml", request(0.0, 1.0)),
            ("problems/cage_ur5/scene0001.yaml", objects(0.0)),
            ("problems/cage_ur5/request0001.yaml", request(0.0, 1.0)),
        ];
        self.archive("ur5", &files.map(|(path, text)| (path.to_string(), text)));
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_firstcontact"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("XDG_RUNTIME_DIR").env_remove("FIRSTCONTACT_MIRROR").env_remove("RUST_BACKTRACE");
        match &self.data {
            Some(data) => command.env("FIRSTCONTACT_DATA", data),
            None => command.env_remove("FIRSTCONTACT_DATA"),
        };
        command
    }

    fn check(&self, name: &str, more: &[&str]) -> (i32, String, Vec<Value>) {
        let arguments =
            ["check", "--dataset", name, "--dataset-folder", "sets", "--out", "out.jsonl", "--stats", "s.json"];
        let output = self.run(&[&arguments[..], more].concat());
        let text = std::fs::read_to_string(self.folder.path().join("out.jsonl")).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap(), lines)
    }
}

#[test]
fn each_problem_is_checked_in_its_own_scene() {
    let desk = Desk::new();
    let (code, stderr, lines) = desk.check("mbm-panda/box", &[]);
    assert_eq!(code, 1, "{stderr}");
    // The link that occurs in the matrix but not in the robot is reported.
    assert!(stderr.contains("warning") && stderr.contains("gripper"), "{stderr}");
    let told: Vec<_> =
        lines.iter().map(|l| (l["motion"].as_u64(), l["problem"].as_str(), l["verdict"].as_str())).collect();
    let expected = [(0, "box/0001", "contact"), (1, "box/0002", "free"), (2, "box/0003", "free")];
    assert_eq!(told, expected.map(|(i, problem, verdict)| (Some(i), Some(problem), Some(verdict))));
    let toc: Vec<f64> = serde_json::from_value(lines[0]["toc"].clone()).unwrap();
    assert!(toc[0] <= 0.5 && toc[1] >= 0.5 && toc[1] - toc[0] <= 1e-9, "{toc:?}");
    assert_eq!((&lines[0]["a"]["link"], &lines[0]["b"]["object"]), (&"panda_hand".into(), &"can".into()));
    let stats: Value = serde_json::from_slice(&std::fs::read(desk.folder.path().join("s.json")).unwrap()).unwrap();
    assert_eq!((&stats["problems"], &stats["motions"], &stats["free"]), (&3.into(), &3.into(), &2.into()));

    let (code, _, lines) = desk.check("mbm-panda/all", &[]);
    let names: Vec<&str> = lines.iter().map(|l| l["problem"].as_str().unwrap()).collect();
    assert_eq!((code, names), (1, vec!["box/0001", "box/0002", "box/0003", "cage/0001"]));
    assert_eq!(lines[3]["initial_overlap"], true);
    // `--base` moves the robot, not the scenes.
    let (code, _, lines) = desk.check("mbm-panda/box", &["--base", "-0.25,0,0,0,0,0"]);
    let toc: Vec<f64> = serde_json::from_value(lines[0]["toc"].clone()).unwrap();
    assert!(code == 1 && toc[0] <= 0.75 && toc[1] >= 0.75, "{toc:?}");
}

/// The cube of the third problem starts 0.5 m from the only object, and moves away; that of the second one has no
/// obstacle.
#[test]
fn clearances_of_problems_are_counted() {
    let desk = Desk::new();
    let (code, _, lines) = desk.check("mbm-panda/box", &["--clearance", "0.001"]);
    assert!(code == 1 && lines[0]["clearance"].is_null() && lines[1]["clearance"]["distance_m"].is_null());
    let stats: Value = serde_json::from_slice(&std::fs::read(desk.folder.path().join("s.json")).unwrap()).unwrap();
    let of = &stats["clearance"];
    assert_eq!((of["measured"].as_u64(), of["smallest_motion"].as_u64()), (Some(2), Some(2)), "{of}");
    let smallest: [f64; 2] = serde_json::from_value(of["smallest_m"].clone()).unwrap();
    assert!(smallest[0] <= 0.5 && 0.5 <= smallest[1] && smallest[1] - smallest[0] <= 0.001, "{of}");
    assert_eq!(stats["certificates"], Value::Null);
}

/// Problems are straight motions: options for trajectories are refused, not ignored.
#[test]
fn options_for_trajectories_are_not_for_problems() {
    let desk = Desk::new();
    for option in ["--joint-tolerance", "--start-state"] {
        let (code, stderr, lines) = desk.check("mbm-panda/box", &[option, "0.1"]);
        assert!(code == 3 && lines.is_empty() && stderr.contains("not for planning problems"), "{stderr}");
        let render = ["render", "--dataset", "mbm-panda/box", "--dataset-folder", "sets", "--index", "0"];
        let run = desk.run(&[&render[..], &["--out", "m.glb", option, "0.1"]].concat());
        assert_eq!(run.status.code(), Some(3));
    }
    let audit = ["audit", "--dataset", "mbm-panda/box", "--dataset-folder", "sets", "--out", "page.html"];
    let run = desk.run(&audit);
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.code() == Some(3) && stderr.contains("a scene of its own"), "{stderr}");
    assert!(!desk.folder.path().join("page.html").exists());
}

/// Problems of several families run in one command, each family with its own robot; names begin with that of the
/// family.
#[test]
fn several_sets_of_problems_run_together() {
    let desk = Desk::new();
    desk.add_ur5();
    let at_origin = ["--base", "0,0,0,0,0,0", "--initial", "ignore", "--html", "page.html"];
    let (code, stderr, lines) = desk.check("mbm-panda/all, mbm-ur5/all", &at_origin);
    assert_eq!(code, 1, "{stderr}");
    let told: Vec<_> = lines.iter().map(|l| (l["motion"].as_u64().unwrap(), l["problem"].as_str().unwrap())).collect();
    let panda = ["box/0001", "box/0002", "box/0003", "cage/0001"].map(|name| format!("mbm-panda/{name}"));
    let ur5 = ["box/0001", "cage/0001"].map(|name| format!("mbm-ur5/{name}"));
    assert!(told.into_iter().eq(panda.iter().chain(&ur5).enumerate().map(|(i, name)| (i as u64, name.as_str()))));
    for (line, link, t) in [(&lines[0], "panda_hand", 0.5), (&lines[4], "ur5_tool", 0.4)] {
        let toc: Vec<f64> = serde_json::from_value(line["toc"].clone()).unwrap();
        assert!(line["a"]["link"] == link && toc[0] <= t && toc[1] >= t && toc[1] - toc[0] <= 1e-9, "{line}");
    }
    let stats: Value = serde_json::from_slice(&std::fs::read(desk.folder.path().join("s.json")).unwrap()).unwrap();
    let ignored: Vec<_> = stats["ignored"].as_array().unwrap().iter().map(|i| [&i["link"], &i["object"]]).collect();
    assert_eq!(ignored, [["panda_hand", "mbm-panda/cage/0001/can"], ["ur5_tool", "mbm-ur5/cage/0001/can"]]);
    assert_eq!(stats["problems"], 6);
    let page = std::fs::read_to_string(desk.folder.path().join("page.html")).unwrap();
    assert!(page.contains("panda.urdf") && page.contains("ur5_robot.urdf") && page.contains("mbm-ur5/box/0001"));
    // Alone, each family gives the same answers.
    let without = |line: &Value| {
        let mut line = line.clone();
        ["motion", "problem"].iter().for_each(|field| line[field] = Value::Null);
        line
    };
    let (_, _, alone) = desk.check("mbm-ur5/all", &at_origin);
    assert!(alone.len() == 2 && alone.iter().map(without).eq(lines[4..].iter().map(without)));
    // A set with one scene is not made for nothing.
    let (code, stderr, _) = desk.check("mbm-panda/box,pipes", &[]);
    assert!(code == 3 && stderr.contains("'pipes'") && !desk.folder.path().join("sets/pipes").exists(), "{stderr}");
}

/// A rod of this length ahead of the hand, as a scene or a request attaches it.
fn rod(state: &str, length: f64) -> String {
    let shape = format!("primitives: [{{type: box, dimensions: [{length}, 0.1, 0.12]}}]");
    let pose = format!("primitive_poses: [{{position: [{}, 0, 0]}}]", 0.1 + length / 2.0);
    format!(
        "{state}:\n  joint_state: {{name: [panda_joint1], position: [0]}}\n  attached_collision_objects:\n    - \
         {{link_name: panda_hand, touch_links: [panda_hand, panda_finger], object: {{id: rod, {shape}, {pose}}}}}\n"
    )
}

/// The hand's front is 0.1 m ahead of its origin, the can's 0.6 m ahead of the world's.
#[test]
fn problems_attach_objects() {
    let desk = Desk::new();
    let objects = |text: &str| format!("world:\n  collision_objects:\n{text}");
    let goal = request(0.0, 1.0).split_once('\n').unwrap().1.to_string();
    let matrix = "allowed_collision_matrix:\n  entry_names: [can, rod]\n  \
                  entry_values: [[false, true], [true, false]]\n";
    let can = || objects(&cube("can", 0.7));
    let of_scene = || rod("robot_state", 0.2);
    let problems = [
        ("a scene's rod", of_scene() + &can(), goal.clone()),
        ("a request's rod replaces it", of_scene() + &can(), rod("start_state", 0.1) + &goal),
        ("no rod", can(), request(0.0, 1.0)),
        ("a rod that may touch", of_scene() + matrix + &can(), goal.clone()),
        ("a rod that touches at the start", of_scene() + &objects(&cube("can", 0.3)), goal),
    ];
    let files = problems.iter().enumerate().flat_map(|(i, (_, scene, request))| {
        let path = |kind: &str| format!("problems/box_panda/{kind}000{i}.yaml");
        [(path("scene"), scene.clone()), (path("request"), request.clone())]
    });
    desk.archive("panda", &files.collect::<Vec<_>>());
    let (code, stderr, lines) = desk.check("mbm-panda/box", &["--html", "page.html"]);
    assert_eq!((code, lines.len()), (1, 5), "{stderr}");
    assert!(stderr.contains("links without triangles here: 'panda_finger'"), "{stderr}");
    let (of_rod, of_hand) = (json!(["panda_hand", "rod"]), json!(["panda_hand", null]));
    let expected = [(0.3, &of_rod), (0.4, &of_rod), (0.5, &of_hand), (0.5, &of_hand), (0.0, &of_rod)];
    for ((line, (t, side)), (name, ..)) in lines.iter().zip(expected).zip(&problems) {
        let toc: Vec<f64> = serde_json::from_value(line["toc"].clone()).unwrap();
        assert!(toc[0] <= t + 1e-14 && toc[1] >= t - 1e-14 && toc[1] - toc[0] <= 1e-9, "{name}: {line}");
        assert_eq!(&json!([line["a"]["link"], line["a"]["attached"]]), side, "{name}: {line}");
    }
    let page = std::fs::read_to_string(desk.folder.path().join("page.html")).unwrap();
    assert!(page.contains("contact at t = 0.3000, rod"), "the page names the object");
    // Statistics name the object of the problem that attaches it.
    desk.check("mbm-panda/box", &["--initial", "ignore"]);
    let stats: Value = serde_json::from_slice(&std::fs::read(desk.folder.path().join("s.json")).unwrap()).unwrap();
    let ignored: Vec<_> = stats["ignored"].as_array().unwrap().iter().map(|i| [&i["link"], &i["object"]]).collect();
    assert_eq!(ignored, [["rod", "box/0004/can"]]);
    let render = ["render", "--dataset", "mbm-panda/box", "--dataset-folder", "sets", "--out", "m.glb", "--index", "0"];
    let rendered = desk.run(&render);
    let said = String::from_utf8_lossy(&rendered.stdout).into_owned();
    assert!(rendered.status.code() == Some(0) && said.contains("rod"), "{said}");
    // A link that the robot does not have.
    let lost = of_scene().replace("link_name: panda_hand", "link_name: gripper") + &can();
    let files =
        [("problems/box_panda/scene0000.yaml", lost), ("problems/box_panda/request0000.yaml", request(0.0, 1.0))];
    desk.archive("panda", &files.map(|(path, text)| (path.to_string(), text)));
    let (code, stderr, _) = desk.check("mbm-panda/box", &[]);
    assert!(code == 3 && stderr.contains("box/0000") && stderr.contains("no link 'gripper'"), "{stderr}");
}

/// Each phase is measured where it takes place, however short the others are.
#[test]
fn no_time_is_negative() {
    let desk = Desk::new();
    for kind in ["mbm-panda/cage", "mbm-panda/box", "mbm-panda/all"] {
        let since = std::time::Instant::now();
        let arguments = ["check", "--dataset", kind, "--dataset-folder", "sets", "--out", "out", "--stats", "s.json"];
        let output = desk.run(&arguments);
        let elapsed = since.elapsed().as_secs_f64();
        assert_eq!(output.status.code(), Some(1));
        let stats = std::fs::read(desk.folder.path().join("s.json")).unwrap();
        crate::cli::stats::phases(&serde_json::from_slice(&stats).unwrap(), elapsed);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let before = stdout.lines().take_while(|line| !line.starts_with("first contacts"));
        // The line of tested pairs names options.
        let times: String = before.filter(|line| !line.starts_with("tested pairs")).collect();
        assert!(!times.contains(" -") && !times.contains(", 0 motions/s"), "{stdout}");
    }
}

/// The page of a check of problems shows each in its own scene, and so does a report of its results.
#[test]
fn problems_are_shown_on_the_page_of_a_check() {
    let desk = Desk::new();
    let (code, stderr, _) = desk.check("mbm-panda/box", &["--html", "page.html"]);
    assert_eq!(code, 1, "{stderr}");
    let report = ["report", "out.jsonl", "--dataset", "mbm-panda/box", "--dataset-folder", "sets", "--out", "r.html"];
    let made = desk.run(&report);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    for name in ["page.html", "r.html"] {
        let page = std::fs::read_to_string(desk.folder.path().join(name)).unwrap();
        assert_eq!(page.matches("id=\"glb-").count(), 3, "{name}: a view for each problem");
        for said in [
            "motion 0: contact at t = 0.5000, panda_hand – can",
            "motion 1: free",
            "motion 2: free",
            "box/0001",
            "mbm-panda/box",
        ] {
            assert!(page.contains(said), "{name}: {said}");
        }
    }
}

/// Reports show single problems, each in its own scene and with its own matrix.
#[test]
fn problems_are_shown_in_reports() {
    let desk = Desk::new();
    let run = r#"{"format":"firstcontact-run/1","name":"some","title":"Some","command":"","started":"","wall_s":0.0,
        "machine":{"cpu":"","cores":1,"threads":1,"memory_bytes":0,"os":"","adapters":[]},
        "versions":{"firstcontact":"0.1.0","commit":null,"rustc":""},
        "seed":0,"notes":[],"tables":[],"plots":[],"samples":[],"datasets":[]}"#;
    desk.put("run.json", run.as_bytes());
    let arguments = ["report", "run.json", "--out", "r.html", "--dataset-folder", "sets"];
    let views = ["--view", "mbm-panda/box:0", "--view", "mbm-panda/box:1", "--view", "mbm-panda/cage:0"];
    let shown = desk.run(&[&arguments[..], &views].concat());
    assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    let page = std::fs::read_to_string(desk.folder.path().join("r.html")).unwrap();
    for (problem, says) in [
        ("mbm-panda/box (box/0001)", "motion 0: first contact, t = 0.5"),
        ("mbm-panda/box (box/0002)", "motion 1: free, which is proved"),
        ("mbm-panda/cage (cage/0001)", "motion 0: touches at the start"),
    ] {
        assert!(page.contains(problem) && page.contains(says), "{problem}: {says}");
    }
    let absent = desk.run(&[&arguments[..], &["--view", "mbm-panda/box:3"]].concat());
    let said = String::from_utf8_lossy(&absent.stderr);
    assert!(absent.status.code() == Some(3) && said.contains("there is no motion 3: there are 3"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_resumed_run_gives_identical_bytes() {
    let desk = Desk::new();
    let scene = format!("world:\n  collision_objects:\n{}", cube("can", 0.7));
    let files = (0..1500).flat_map(|i| {
        let path = |what: &str| format!("problems/many_panda/{what}{i:04}.yaml");
        [(path("scene"), scene.clone()), (path("request"), request(0.0, 0.4 + f64::from(i) * 1e-3))]
    });
    desk.archive("panda", &files.collect::<Vec<_>>());
    let arguments = ["check", "--dataset", "mbm-panda/many", "--dataset-folder", "sets", "--out", "out.jsonl"];
    let child = desk.command(&arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    while !desk.folder.path().join("out.jsonl.part.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    let text = |name: &str| std::fs::read_to_string(desk.folder.path().join(name)).unwrap_or_default();
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    let (part, beside) = (text("out.jsonl.part"), text("out.jsonl.part.json"));
    assert!(part.lines().count() < 1500);
    assert_eq!(desk.run(&[&arguments[..], &["--resume"]].concat()).status.code(), Some(1));
    let whole = text("out.jsonl");
    assert!(whole.starts_with(&part) && whole.lines().count() == 1500);
    assert_eq!(desk.run(&arguments).status.code(), Some(1));
    assert!(text("out.jsonl") == whole);
    // A different problem.
    desk.put("out.jsonl.part", part.as_bytes());
    desk.put("out.jsonl.part.json", beside.as_bytes());
    let (code, stderr, _) = desk.check("mbm-panda/many", &["--resume", "--base", "0.1,0,0,0,0,0"]);
    assert!(code == 3 && stderr.contains("robot"), "{stderr}");
}

#[test]
fn missing_sets_are_reported_with_a_remedy() {
    let mut desk = Desk::new();
    let (code, stderr, _) = desk.check("mbm-panda/no_such", &[]);
    assert!(code == 3 && stderr.contains("box, cage") && stderr.contains("no_such"), "{stderr}");
    let (code, stderr, _) = desk.check("mbm-ur5/box", &[]);
    assert!(
        code == 3 && stderr.contains("dataset fetch robot-ur5") && stderr.contains("FIRSTCONTACT_DATA"),
        "{stderr}"
    );
    let (code, stderr, _) = desk.check("no_such", &[]);
    assert!(code == 3 && stderr.contains("no_such"), "{stderr}");
    let (code, stderr, _) = desk.check("mbm-panda/box", &["--scene", "x.stl"]);
    assert!(code == 3 && stderr.contains("--scene"), "{stderr}");
    let (code, stderr, _) = desk.check("mbm-panda/box", &["--strict"]);
    assert_eq!(code, 1, "{stderr}");
    // The folder from the environment has priority over the other, and does not have to contain everything.
    desk.data = Some(desk.folder.path().join("elsewhere"));
    let moved = desk.folder.path().join("elsewhere/robot-panda");
    std::fs::create_dir_all(moved.parent().unwrap()).unwrap();
    std::fs::rename(desk.folder.path().join("sets/robot-panda"), moved).unwrap();
    let (code, stderr, lines) = desk.check("mbm-panda/box", &[]);
    assert_eq!((code, lines.len()), (1, 3), "{stderr}");
}

#[test]
fn sets_are_listed_and_fetched_by_name() {
    let desk = Desk::new();
    let listed = String::from_utf8(desk.run(&["dataset", "list"]).stdout).unwrap();
    for words in ["pipes", "robot-ur5", "BSD-3-Clause", "mbm-panda/KIND", "mbm-panda/kitchen", "puma560-bookstore"] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let unknown = desk.run(&["dataset", "fetch", "no_such"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("robot-puma560"));
    let mut offline = Command::new(env!("CARGO_BIN_EXE_firstcontact"));
    offline.args(["dataset", "fetch", "robot-puma560", "--dataset-folder", "got"]).current_dir(desk.folder.path());
    let output = offline.env("FIRSTCONTACT_MIRROR", desk.folder.path().join("empty")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr.contains("FIRSTCONTACT_MIRROR") && stderr.contains("robot-puma560/LICENSE"), "{stderr}");
    assert!(!desk.folder.path().join("got/robot-puma560").exists());
}

/// An engine reuses another engine's data only if the links are the same.
#[test]
fn an_engine_that_reuses_data_answers_like_a_new_one() {
    let robot = |reach: f64| {
        let mut robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let drive = Drive::direct(robot.add_column("x", ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis: DVec3::X, drive };
        let joint = Joint { name: "x".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        let body = robot.add_body("slider", Some(0), joint).unwrap();
        let tip = DVec3::X * reach;
        robot.add_link("slider", body, vec![[DVec3::ZERO, DVec3::new(0.0, 0.1, 0.2), tip]], vec![0]).unwrap();
        robot
    };
    let scene = |x: f64| {
        let mut scene = Scene::new();
        let wall = [DVec3::new(x, -7.0, -5.0), DVec3::new(x, 7.0, -5.0), DVec3::new(x, 0.0, 9.0)];
        scene.add_object("wall", [wall]).unwrap();
        scene
    };
    let motion = MotionBatch::between(&[[0.0]], &[[1.0]]).unwrap();
    let (short, near) = (robot(0.25), scene(0.75));
    let first = Engine::builder(&short, &near).backend(Backend::Cpu).build().unwrap();
    for (reach, x, t) in [(0.25, 0.75, 0.5), (0.25, 0.5, 0.25), (0.5, 0.75, 0.25), (0.5, 1.0, 0.5)] {
        let (robot, scene) = (robot(reach), scene(x));
        let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).share_link_trees(&first).build().unwrap();
        match &engine.check(&motion).unwrap().verdicts[..] {
            [Verdict::Contact(c)] => assert!(c.is_certified() && (c.toc[0] - t).abs() < 1e-9, "{reach} {x}: {c:?}"),
            other => panic!("{reach} {x}: {other:?}"),
        }
    }
}

/// The published problems: their authors ensured that starts and goals are free, so a misread frame, dimension or joint
/// would show.
#[test]
fn published_starts_and_goals_are_free() {
    let Some(folder) = crate::oracle::data::folder("mbm-problems") else { return };
    let data = folder.parent().unwrap();
    let manifest = Manifest::built_in().unwrap();
    for name in ["mbm-panda", "mbm-ur5"] {
        let run = manifest.run(name).unwrap().0;
        let base = run.base;
        let robot =
            Robot::from_urdf_with(data.join(&run.robot), &UrdfOptions { base, ..UrdfOptions::default() }).unwrap();
        let of = run.problems.as_ref().unwrap();
        let all = problems::read(&data.join(&of.archive), &of.suffix, problems::ALL, &SceneOptions::default()).unwrap();
        assert_eq!(all.len(), 700, "{name}");
        for problem in all.iter().step_by(crate::effort(35, 1)) {
            let motion = problem.motion(&robot, &MissingJoints::Refuse).unwrap();
            let ends = [motion.start(0), motion.end(0)];
            let allowed = problem.planning.allowed_pairs(&robot);
            let builder = Engine::builder(&robot, &problem.planning.scene).backend(Backend::Cpu).allow(allowed);
            let report = builder.build().unwrap().check(&MotionBatch::between(&ends, &ends).unwrap()).unwrap();
            assert!(
                report.verdicts.iter().all(|v| *v == Verdict::Free),
                "{name} {}: {:?}",
                problem.name,
                report.verdicts
            );
        }
    }
}

/// The kitchen by its name: one scene, with starts and goals of another kind of problem.
#[test]
fn the_kitchen_is_checked_by_name() {
    let Some(folder) = crate::oracle::data::folder("env-mbm-meshes") else { return };
    let mut desk = Desk::new();
    desk.data = folder.parent().map(Path::to_path_buf);
    let (code, stderr, lines) = desk.check("mbm-panda/kitchen", &["--backend", "cpu"]);
    assert_eq!((code, lines.len()), (1, 100), "{stderr}");
    assert!(lines.iter().all(|l| l["verdict"] != "undecided" && l["initial_overlap"] != true));
    let objects = ["cupboard", "cupboard_door_l", "cupboard_door_r", "kitchen_counter", "dishwasher_door"];
    for line in lines.iter().filter(|l| l["verdict"] == "contact") {
        assert!(objects.iter().any(|o| line["b"]["object"].as_str().unwrap().contains(o)), "{line}");
    }
}

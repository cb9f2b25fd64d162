//! Planning scenes and requests against poses and pairs that were derived by hand.

use firstcontact::formats::MissingJoints;
use firstcontact::formats::moveit::{PlanningScene, Request};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::robot::primitive::Primitive;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
use glam::{DMat3, DVec3};
use std::path::Path;

/// A scene with an empty world, if the text has none.
fn scene(text: &str) -> PlanningScene {
    let text = format!("{text}{}", if text.contains("world:") { "" } else { "world: {collision_objects: []}\n" });
    PlanningScene::parse(&text, Path::new(""), &SceneOptions::default()).unwrap()
}

fn parse_request(text: &str) -> firstcontact::Result<Request> {
    Request::parse(text, Path::new(""), &SceneOptions::default())
}

/// Expects that a scene of one object is rejected with these words.
#[track_caller]
fn refused(object: &str, words: &str) {
    let text = format!("world:\n  collision_objects:\n    - id: thing\n{object}");
    let error = PlanningScene::parse(&text, Path::new(""), &SceneOptions::default()).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

/// The smallest and largest coordinates of an object.
fn extent(planning: &PlanningScene, object: u32) -> [DVec3; 2] {
    let vertices = planning.scene.triangles_of(object).iter().flatten();
    vertices.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)])
}

/// A half turn about z is the quaternion (0, 0, 1, 0); a quarter turn about z (0, 0, √½, √½).
const SCENE: &str = "
fixed_frame_transforms:
  - child_frame_id: table
    transform: {translation: [10, 0, 0], rotation: [0, 0, 0.7071067811865476, 0.7071067811865476]}
  - child_frame_id: tray
    header: {frame_id: table}
    transform: {translation: [3, 0, 0], rotation: [0, 0, 0, 1]}
world:
  collision_objects:
    - id: plain
      primitives: [{type: box, dimensions: [2, 4, 6]}]
      primitive_poses: [{position: [1, 2, 3], orientation: [0, 0, 0.7071067811865476, 0.7071067811865476]}]
    - id: within
      pose: {position: [100, 0, 0], orientation: [0, 0, 1, 0]}
      primitives:
        - {type: box, dimensions: [2, 2, 2]}
        - {type: 1, dimensions: [2, 2, 2]}
      primitive_poses:
        - {position: [10, 5, 0], orientation: [0, 0, 0, 1]}
        - {position: [20, 5, 0], orientation: [0, 0, 0, 1]}
    - id: on table
      header: {frame_id: table}
      primitives: [{type: sphere, dimensions: [0.5]}]
      primitive_poses: [{position: [1, 0, 0], orientation: [0, 0, 0, 1]}]
    - id: can
      operation: add
      primitives: [{type: cylinder, dimensions: [3, 0.25]}]
    - id: sheet
      meshes: [{vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]], dimensions: [2, 2, 2]}]
      mesh_poses: [{position: [0, 0, 7]}]
    - id: on tray
      header: {frame_id: tray}
      primitives: [{type: box, dimensions: [2, 4, 6]}]
";

#[test]
fn primitives_have_the_poses_of_their_triangles() {
    let planning = scene(SCENE);
    let objects: Vec<u32> = planning.primitives.iter().map(|p| p.object).collect();
    // The sheet, object 4, is a mesh.
    assert_eq!((objects, planning.n_meshes), (vec![0, 1, 1, 2, 3, 5], 1));
    let origins = [[1.0, 2.0, 3.0], [90.0, -5.0, 0.0], [80.0, -5.0, 0.0], [10.0, 1.0, 0.0], [0.0; 3], [10.0, 3.0, 0.0]];
    for (placed, origin) in planning.primitives.iter().zip(origins) {
        let apart = placed.pose.translation - DVec3::from_array(origin);
        assert!(apart.length() < 1e-12, "{placed:?}");
    }
    assert_eq!(planning.primitives[4].primitive, Primitive::Cylinder { radius_m: 0.25, length_m: 3.0 });
    // The corners of a box are its triangles' vertices.
    let Primitive::Box { size_m } = planning.primitives[5].primitive else { panic!("{:?}", planning.primitives) };
    let corner = planning.primitives[5].pose.transform_point3(size_m / 2.0);
    let near = |v: &DVec3| (*v - corner).length() < 1e-12;
    assert!(planning.scene.triangles_of(5).iter().flatten().any(near), "{corner}");
}

#[test]
fn shape_poses_compose_frame_object_and_shape() {
    let planning = scene(SCENE);
    let names: Vec<&str> = planning.scene.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["plain", "within", "on table", "can", "sheet", "on tray"]);
    let near = |object: u32, low: [f64; 3], high: [f64; 3], outside: f64| {
        let [l, h] = extent(&planning, object);
        let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
        // Outside of the true shape, by at most the chord error.
        assert!((low - l).min_element() > -1e-12 && (low - l).max_element() < outside + 1e-12, "{object}: {l}");
        assert!((h - high).min_element() > -1e-12 && (h - high).max_element() < outside + 1e-12, "{object}: {h}");
    };
    // 2 × 4 × 6 turned about z by a quarter turn is 4 × 2 × 6.
    near(0, [-1.0, 1.0, 0.0], [3.0, 3.0, 6.0], 0.0);
    // The half turn maps (10, 5) to (-10, -5) and (20, 5) to (-20, -5), before the shift by 100.
    near(1, [79.0, -6.0, -1.0], [91.0, -4.0, 1.0], 0.0);
    assert_eq!(planning.scene.objects[1].n_triangles, 24);
    // The table's quarter turn maps (1, 0, 0) to (0, 1, 0).
    near(2, [9.5, 0.5, -0.5], [10.5, 1.5, 0.5], 1e-3);
    // Height before radius, along z.
    near(3, [-0.25, -0.25, -1.5], [0.25, 0.25, 1.5], 1e-3);
    near(4, [0.0, 0.0, 7.0], [2.0, 2.0, 7.0], 0.0);
    // The tray is 3 m along the table's x axis, which is the world's y axis, and turned with it.
    near(5, [8.0, 2.0, -3.0], [12.0, 4.0, 3.0], 0.0);
}

#[test]
fn unsupported_objects_are_errors() {
    let pose = "      primitive_poses: [{position: [0, 0, 0]}]\n";
    refused(
        &format!("      primitives: [{{type: cone, dimensions: [1, 1]}}]\n{pose}"),
        "shape 'cone' is not supported",
    );
    refused(&format!("      primitives: [{{type: box, dimensions: [1, 1]}}]\n{pose}"), "2 dimensions");
    refused(&format!("      primitives: [{{type: sphere, dimensions: [-1]}}]\n{pose}"), "positive");
    refused(&format!("      planes: [{{coef: [0, 0, 1, 0]}}]\n{pose}"), "plane");
    refused("      header: {frame_id: moon}\n", "'moon'");
    refused("      operation: remove\n", "operation");
    refused("", "it has no shape");
    refused("      primitive: [{type: box, dimensions: [1, 1, 1]}]\n", "it has no shape");
    refused("      primitives: [{type: sphere, dimensions: [1]}, {type: sphere, dimensions: [1]}]\n", "2 primitives");
    refused("      pose: {orientation: [0, 0, 0, 2]}\n", "norm 2.0");
    refused("      meshes: [{resource: 'no/such.stl'}]\n", "does not exist");
    refused("      meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0, 1]]}]\n", "no vertex 1");
    let read =
        |text: &str| PlanningScene::parse(text, Path::new(""), &SceneOptions::default()).map_err(|e| e.to_string());
    let octomap = "world:\n  collision_objects: []\n  octomap: {octomap: {data: [1]}}\n";
    assert!(read(octomap).unwrap_err().contains("octomap"));
    let enlarged = |what: &str| read(&format!("world:\n  collision_objects: []\nlink_{what}\n"));
    for what in ["padding: [{link_name: hand, padding: 0.01}]", "scale: [{link_name: hand, scale: 1.1}]"] {
        assert!(enlarged(what).unwrap_err().contains("the scene enlarges link 'hand'"), "{what}");
    }
    assert!(enlarged("padding: [{link_name: hand, padding: 0}]\nlink_scale: [{link_name: hand, scale: 1}]").is_ok());
    for without_objects in ["robot_state: {}\n", "worlds: {collision_objects: []}\n", "world: {collision_object: []}\n"]
    {
        assert!(read(without_objects).unwrap_err().contains("missing field"), "{without_objects}");
    }
    assert!(read("world: [").unwrap_err().contains("YAML"));
    // Aliases that multiply.
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    (1..12).for_each(|i| bomb += &format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", ")));
    let start = std::time::Instant::now();
    let _ = read(&bomb);
    let _ = read(&"[".repeat(100_000));
    assert!(start.elapsed().as_secs() < 20);
}

/// A scene whose state attaches an object to the link `finger`.
fn attaching(object: &str) -> String {
    let state = format!(
        "robot_state:\n  attached_collision_objects:\n    - {{link_name: finger, object: {{id: rod, {object}}}}}\n"
    );
    state + "world: {collision_objects: []}\n"
}

#[test]
fn attached_objects_are_placed_in_their_link() {
    let shape = "primitives: [{type: box, dimensions: [2, 4, 6]}], primitive_poses: [{position: [1, 0, 0]}]";
    let turned = "pose: {position: [0, 10, 0], orientation: [0, 0, 1, 0]}";
    for frame in ["", "header: {frame_id: finger}, ", "header: {frame_id: /finger}, "] {
        let planning = scene(&attaching(&format!("{frame}{shape}, {turned}")));
        let [rod] = &planning.state.attached[..] else { panic!("{:?}", planning.state) };
        assert_eq!((&*rod.name, &*rod.link, rod.triangles.len()), ("rod", "finger", 12));
        // From 0 to 2 along x before the half turn, from -2 to 0 after it.
        let mut on_finger = robot();
        let link = on_finger.attach(rod).unwrap() as usize;
        let vertices: Vec<DVec3> = on_finger.links[link].triangles.iter().flatten().copied().collect();
        let [low, high] = [vertices.iter().copied().reduce(DVec3::min), vertices.iter().copied().reduce(DVec3::max)];
        assert!(low.unwrap().distance(DVec3::new(-2.0, 8.0, -3.0)) < 1e-12, "{low:?}");
        assert!(high.unwrap().distance(DVec3::new(0.0, 12.0, 3.0)) < 1e-12, "{high:?}");
        assert_eq!(on_finger.links[link].body, on_finger.links[1].body);
    }
    let refused = |object: &str| {
        let read = PlanningScene::parse(&attaching(object), Path::new(""), &SceneOptions::default());
        read.unwrap_err().to_string()
    };
    let moon = refused(&format!("header: {{frame_id: moon}}, {shape}"));
    assert!(moon.contains("'rod'") && moon.contains("'moon'") && moon.contains("'finger'"), "{moon}");
    assert!(refused("operation: add").contains("no shape"));
    assert!(refused("planes: [{coef: [0, 0, 1, 0]}]").contains("plane"));
}

/// A hand that slides along x, and a finger on it.
fn robot() -> Robot {
    let mut robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let mut body = 0;
    for name in ["arm", "finger"] {
        let drive = Drive::direct(robot.add_column(format!("{name}_joint"), ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis: DVec3::X, drive };
        let joint = Joint { name: format!("{name}_joint"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        body = robot.add_body(name, Some(body), joint).unwrap();
        robot.add_link(name, body, vec![[DVec3::ZERO, DVec3::Y, DVec3::Z]], vec![0]).unwrap();
    }
    robot
}

/// The (link, object) pairs that are never tested.
fn allowed(matrix: &str) -> Vec<(u32, u32)> {
    let shape = "      primitives: [{type: sphere, dimensions: [1]}]\n";
    let objects = format!("world:\n  collision_objects:\n    - id: can\n{shape}    - id: shelf\n{shape}");
    scene(&format!("allowed_collision_matrix:\n{matrix}{objects}")).allowed_pairs(&robot())
}

#[test]
fn allowed_collisions_are_those_of_the_matrix() {
    assert_eq!(allowed("  entry_names: []\n"), []);
    let names = "  entry_names: [arm, can, finger, shelf]\n";
    // arm–can and finger–shelf; the allowed pair of arm and finger does not concern the scene.
    let plain = "  entry_values:\n    - [false, true, true, false]\n    - [true, false, false, false]\n    \
                 - [true, false, false, true]\n    - [false, false, true, false]\n";
    assert_eq!(allowed(&format!("{names}{plain}")), [(0, 0), (1, 1)]);
    let message = plain.replace("- [", "- enabled: [");
    assert_eq!(allowed(&format!("{names}{message}")), [(0, 0), (1, 1)]);
    // An entry in only one half of the matrix does not count.
    let half = "  entry_values:\n    - [false, true, false, false]\n    - [false, false, false, false]\n    \
                - [false, false, false, false]\n    - [false, false, false, false]\n";
    assert_eq!(allowed(&format!("{names}{half}")), []);
    // Defaults apply where there is no entry: finger with everything, and can only with links that do not forbid it.
    let defaults = "  default_entry_names: [finger, can, arm]\n  default_entry_values: [true, true, false]\n";
    assert_eq!(allowed(defaults), [(1, 0), (1, 1)]);
    // An entry has priority over a default.
    let entry = "  entry_names: [finger, can]\n  entry_values: [[false, false], [false, false]]\n";
    assert_eq!(allowed(&format!("{entry}{defaults}")), [(1, 1)]);
    let error = |text: &str| {
        let text = format!("{text}world: {{collision_objects: []}}\n");
        PlanningScene::parse(&text, Path::new(""), &SceneOptions::default()).unwrap_err().to_string()
    };
    assert!(
        error("allowed_collision_matrix:\n  entry_names: [a]\n  entry_values: [[true, true]]\n").contains("rows of 1")
    );
    assert!(
        error("allowed_collision_matrix:\n  entry_names: [a, a]\n  entry_values: [[true, true], [true, true]]\n")
            .contains("twice")
    );
}

#[test]
fn values_are_assigned_to_joints_by_name() {
    let request = "
start_state:
  joint_state: {name: [gripper, finger_joint, arm_joint], position: [9, 2, 1]}
  multi_dof_joint_state:
    joint_names: [virtual_joint]
    transforms: [{translation: [5, 0, 0], rotation: [0, 0, 1, 0]}]
goal_constraints:
  - joint_constraints: [{position: 4, joint_name: arm_joint}]
  - joint_constraints: [{position: 7, joint_name: finger_joint}]
";
    let state = scene("robot_state:\n  joint_state: {name: [arm_joint, finger_joint], position: [-1, -2]}\n").state;
    let read = parse_request(request).unwrap();
    let refuse = MissingJoints::Refuse;
    assert_eq!(read.motion(&robot(), &state, &refuse).unwrap(), [vec![1.0, 2.0], vec![4.0, 2.0]]);
    // Values missing in the request come from the scene.
    let short = parse_request("goal_constraints:\n  - joint_constraints: [{joint_name: arm_joint, position: 4}]\n");
    let short = short.unwrap();
    assert_eq!(short.motion(&robot(), &state, &refuse).unwrap(), [vec![-1.0, -2.0], vec![4.0, -2.0]]);
    // Neither gives the start of the finger.
    let half = scene("robot_state:\n  joint_state: {name: [arm_joint], position: [-1]}\n").state;
    let missing = short.motion(&robot(), &half, &refuse).unwrap_err().to_string();
    assert!(missing.contains("joint 'finger_joint' (--missing-joints"), "{missing}");
    assert_eq!(short.motion(&robot(), &half, &MissingJoints::Zero).unwrap(), [vec![-1.0, 0.0], vec![4.0, 0.0]]);
    let given = MissingJoints::Values([("finger_joint", 0.5)].into_iter().collect());
    assert_eq!(short.motion(&robot(), &half, &given).unwrap(), [vec![-1.0, 0.5], vec![4.0, 0.5]]);
    // The root is rotated by half a turn and placed 5 m along x; the caller's base is relative to that.
    let mut based = robot();
    based.bodies[0].joint.origin_m = DVec3::new(1.0, 2.0, 3.0);
    let placed = firstcontact::formats::moveit::placed(&based, read.start.root.unwrap());
    let poses = placed.body_poses(&[1.0, 2.0]).unwrap();
    assert!(poses[2].translation.distance(DVec3::new(1.0, -2.0, 3.0)) < 1e-12, "{}", poses[2].translation);

    let refused = |text: &str| match parse_request(text) {
        Ok(request) => request.motion(&robot(), &state, &refuse).unwrap_err().to_string(),
        Err(e) => e.to_string(),
    };
    assert!(
        refused("goal_constraints:\n  - joint_constraints: [{joint_name: x, position: 4}]\n").contains("joint 'x'")
    );
    assert!(refused("goal_constraints:\n  - position_constraints: [{a: 1}]\n").contains("not given by joint values"));
    assert!(refused("start_state: {}\n").contains("no goal"));
    let goal = "goal_constraints: [{joint_constraints: [{joint_name: arm_joint, position: 4}]}]\n";
    let start = |state: &str| refused(&format!("start_state: {{joint_state: {state}}}\n{goal}"));
    assert!(start("{name: [a, a], position: [1, 2]}").contains("joint 'a' is given twice"));
    assert!(start("{name: [a], position: [.nan]}").contains("joint 'a' is NaN"));
    let twice = goal.replace("position: 4}", "position: 4}, {joint_name: arm_joint, position: 5}");
    assert!(refused(&twice).contains("goal_constraints: the value of joint 'arm_joint' is given twice"));
    assert!(
        refused(
            "start_state: {joint_state: {name: [a], position: []}}\n\
             goal_constraints: [{joint_constraints: [{joint_name: arm_joint, position: 4}]}]\n"
        )
        .contains("1 joints but 0")
    );
}

//! Tests of SRDF files.

use super::*;
use crate::robot::{Drive, Joint, JointKind};
use glam::{DMat3, DVec3};

/// An arm of links a, b, c, d with triangles on the joints j0, j1, j2, a link `empty` without triangles on the fixed
/// joint `bolt`, a joint `follower` that mimics j0, and a free joint.
fn robot() -> Robot {
    let mut robot = Robot::new("arm", "a", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for i in 0..3 {
        robot.add_column(format!("j{i}"), ColumnKind::AngleRad, None);
    }
    for (i, part) in ["x", "y", "z", "qx", "qy", "qz", "qw"].iter().enumerate() {
        robot.add_column(format!("free.{part}"), ColumnKind::Free(i as u8), None);
    }
    let mut add = |name: &str, parent: u32, kind| {
        let joint = Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        robot.add_body(name, Some(parent), joint).unwrap()
    };
    let turn = |column| JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(column) };
    for i in 0..3 {
        add(&format!("j{i}"), i, turn(i));
    }
    add("follower", 0, turn(0));
    add("free", 0, JointKind::Free { first_column: 3 });
    for (body, name) in ["a", "b", "c", "d"].iter().enumerate() {
        robot.add_link(*name, body as u32, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
    }
    robot.links_without_triangles.push("empty".into());
    robot.fixed_joints.push("bolt".into());
    robot
}

/// An SRDF of these elements, one in each line from line 2 on.
fn srdf(elements: &[&str]) -> String {
    format!("<?xml version=\"1.0\"?><robot name=\"arm\">\n{}\n</robot>\n", elements.join("\n"))
}

fn read(elements: &[&str]) -> Srdf {
    Srdf::parse(&srdf(elements)).unwrap_or_else(|e| panic!("{elements:?}: {e}"))
}

fn pairs(elements: &[&str]) -> LinkPairs {
    read(elements).link_pairs(&robot()).unwrap_or_else(|e| panic!("{elements:?}: {e}"))
}

fn disabled(pairs: &LinkPairs) -> Vec<[u32; 2]> {
    assert!(pairs.untested().all(|(_, reason)| reason == Untested::Srdf));
    assert_eq!(pairs.tested().len() + pairs.count(Untested::Srdf), 6);
    pairs.untested().map(|(pair, _)| pair).collect()
}

const NOT_AC: &str = r#"<disable_collisions link1="c" link2="a" reason="Never"/>"#;
const NOT_B: &str = r#"<disable_default_collisions link="b"/>"#;

#[test]
fn pairs_that_are_not_disabled_are_tested() {
    // Adjacent ones, too.
    assert_eq!(pairs(&[]), LinkPairs::all(&robot()));
    assert_eq!(disabled(&pairs(&[NOT_AC])), [[0, 2]]);
    // Twice, and in either order.
    assert_eq!(disabled(&pairs(&[NOT_AC, r#"<disable_collisions link1="a" link2="c"/>"#])), [[0, 2]]);
}

#[test]
fn pairs_with_a_proof_are_tested_until_the_proof_is_known_to_hold() {
    let proved = r#"<disable_collisions link1="c" link2="a" reason="Never (proved)"/>"#;
    assert_eq!(pairs(&[proved]), LinkPairs::all(&robot()));
    assert_eq!(read(&[proved]).proved_pairs(&robot()), [[0, 2]]);
    assert!(read(&[NOT_AC]).proved_pairs(&robot()).is_empty());
}

#[test]
fn an_enabled_pair_overrides_a_default() {
    assert_eq!(disabled(&pairs(&[NOT_B])), [[0, 1], [1, 2], [1, 3]]);
    for enable in [r#"<enable_collisions link1="b" link2="d"/>"#, r#"<enable_collisions link1="d" link2="b"/>"#] {
        assert_eq!(disabled(&pairs(&[enable, NOT_B, NOT_AC])), [[0, 1], [0, 2], [1, 2]]);
    }
    // Both links of the pair are disabled by default.
    let both = [NOT_B, r#"<disable_default_collisions link="c"/>"#, r#"<enable_collisions link1="b" link2="c"/>"#];
    assert_eq!(disabled(&pairs(&both)), [[0, 1], [0, 2], [1, 3], [2, 3]]);
    // Without a default it changes nothing.
    assert!(disabled(&pairs(&[r#"<enable_collisions link1="a" link2="b"/>"#])).is_empty());
}

#[test]
fn links_without_triangles_are_known() {
    let elements = [
        r#"<disable_collisions link1="a" link2="empty"/>"#,
        r#"<enable_collisions link1="empty" link2="b"/>"#,
        r#"<disable_default_collisions link="empty"/>"#,
    ];
    assert!(disabled(&pairs(&elements)).is_empty());
}

#[test]
fn a_robot_with_many_links_is_fast() {
    let mut robot = Robot::new("arm", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for i in 0..64 {
        let column = robot.add_column(format!("j{i}"), ColumnKind::AngleRad, None);
        let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(column) };
        let joint = Joint { name: format!("j{i}"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        let body = robot.add_body(format!("l{i}"), Some(0), joint).unwrap();
        robot.add_link(format!("l{i}"), body, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
    }
    let pair = |a: usize, b: usize| format!(r#"<disable_collisions link1="l{a}" link2="l{b}" reason="Never"/>"#);
    let all: Vec<String> = (0..64).flat_map(|a| (0..a).map(move |b| pair(a, b))).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let pairs = read(&all).link_pairs(&robot).unwrap();
    assert_eq!((pairs.tested().len(), pairs.count(Untested::Srdf)), (0, 2016));
    assert_eq!(read(&all[..2015]).link_pairs(&robot).unwrap().tested(), [[62, 63]]);
}

const STATES: [&str; 7] = [
    r#"<group name="arm"><chain base_link="a" tip_link="d"/></group><group name="hand"/>"#,
    r#"<group_state name="home" group="arm"><joint name="j0" value="0.5"/>
        <joint name="j1" value=" -2 "/></group_state>"#,
    r#"<group_state name="home" group="hand"><joint name="j2" value="1e-1"/>
        <joint name="j0" value="0.5"/></group_state>"#,
    r#"<group_state name="out" group="arm"><joint name="j0" value="1"/><joint name="bolt" value="7"/>
        <joint name="follower" value="1"/><joint name="world" value="0 0 0"/></group_state>"#,
    r#"<group_state name="out" group="hand"><joint name="j0" value="2"/></group_state>"#,
    r#"<group_state name="up" group="arm"><joint name="free" value="1 2 3 0 0 0 1"/></group_state>"#,
    r#"<virtual_joint name="world" type="planar" parent_frame="map" child_link="a"/>"#,
];

#[test]
fn states_give_values_of_columns() {
    let (srdf, robot) = (read(&STATES), robot());
    let values = |state: &str| srdf.joint_values(state, &robot).unwrap();
    let found = |state: &str| values(state).iter().map(|(name, value)| (name.to_string(), value)).collect::<Vec<_>>();
    let expected = |list: &[(&str, f64)]| list.iter().map(|&(name, v)| (name.to_string(), v)).collect::<Vec<_>>();
    assert_eq!(found("arm/home"), expected(&[("j0", 0.5), ("j1", -2.0)]));
    // Groups that agree are combined.
    assert_eq!(found("home"), expected(&[("j0", 0.5), ("j1", -2.0), ("j2", 0.1)]));
    // Fixed, mimic and virtual joints have no column.
    assert_eq!(found("arm/out"), expected(&[("j0", 1.0)]));
    assert_eq!(found("hand/out"), expected(&[("j0", 2.0)]));
    let pose = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|part| values("up").get(&format!("free.{part}")));
    assert_eq!(pose, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0].map(Some));
    assert_eq!(srdf.groups().collect::<Vec<_>>(), ["arm", "hand"]);
    let states: Vec<String> = srdf.states().map(|state| state.join("/")).collect();
    assert_eq!(states, ["arm/home", "hand/home", "arm/out", "hand/out", "arm/up"]);
    for (state, words) in [
        ("out", ["'j0' has two values", "'hand' and 'arm'", "GROUP/STATE"]),
        ("away", ["no group_state is called 'away'", "arm/home", "arm/up"]),
        ("leg/home", ["'leg/home'", "hand/home", "hand/out"]),
    ] {
        let message = srdf.joint_values(state, &robot).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{state}: {message}");
    }
    assert!(read(&[]).joint_values("home", &robot).unwrap_err().to_string().contains("the SRDF has no group_state"));
}

#[test]
fn values_that_do_not_suit_their_joint_are_errors() {
    for (joint, value, words) in [("j0", "1 2", "2 values, expected 1"), ("free", "1 2 3", "3 values, expected 7")] {
        let state = format!(r#"<group_state name="s" group="g"><joint name="{joint}" value="{value}"/></group_state>"#);
        let message = read(&["<group name=\"g\"/>", &state]).joint_values("s", &robot()).unwrap_err().to_string();
        assert!(message.starts_with("line 3: ") && message.contains(words), "{message}");
    }
}

#[test]
fn other_elements_are_accepted_or_counted() {
    let elements = [
        r#"<group name="arm"><group name="hand"/><link name="nothing is looked up here"/></group>"#,
        r#"<end_effector name="e" parent_link="empty" group="arm" parent_group="arm"/>"#,
        r#"<virtual_joint name="v" type="fixed" parent_frame="world" child_link="a"/>"#,
        r#"<passive_joint name="bolt"/><passive_joint name="v"/>"#,
        r#"<disable_collision link1="a" link2="b"/>"#,
        r#"<!-- a comment --><link_sphere_approximation link="a"/>"#,
    ];
    let srdf = read(&elements);
    let mut robot = robot();
    assert!(srdf.check(&robot).is_ok());
    let [warning] = &srdf.warnings(&robot)[..] else { panic!("{:?}", srdf.warnings(&robot)) };
    assert!(warning.contains("not used: 2, the first is 'disable_collision' on line 6"), "{warning}");
    // The names of the robot.
    assert!(read(&elements[..4]).warnings(&robot).is_empty());
    robot.name = "leg".into();
    let [warning] = &read(&[]).warnings(&robot)[..] else { panic!("{:?}", read(&[]).warnings(&robot)) };
    assert!(warning.contains("'arm'") && warning.contains("'leg'"), "{warning}");
    assert!(Srdf::parse("<robot/>").unwrap().warnings(&robot).is_empty());
}

/// Each is an error in line 2 with these words.
#[test]
fn malformed_elements_are_errors_with_their_line() {
    for (element, words) in [
        (r#"<disable_collisions link1="a" link="b"/>"#, "<disable_collisions> has the unknown attribute 'link'"),
        (r#"<disable_collisions link1="a"/>"#, "has no link2"),
        (r#"<enable_collisions link1="" link2="b"/>"#, "has no link1"),
        (r#"<disable_default_collisions link1="a"/>"#, "has the unknown attribute 'link1'"),
        (r#"<group/>"#, "has no name"),
        (r#"<group_state name="s"/>"#, "has no group"),
        (r#"<group_state name="s" group="g"/>"#, "no group is called 'g'"),
        (r#"<group_state name="s" group="g"><joint name="j0"/></group_state>"#, "has no value"),
        (r#"<group_state name="s" group="g"><joint name="j0" value="x"/></group_state>"#, "'x' is not a number"),
        (r#"<group_state name="s" group="g"><joint name="j0" value="nan"/></group_state>"#, "NaN"),
        (r#"<group_state name="s" group="g"><joint name="j0" values="1"/></group_state>"#, "attribute 'values'"),
        (r#"<end_effector name="e" group="g"/>"#, "has no parent_link"),
        (r#"<end_effector name="e" group="g" parent_link="a"/>"#, "no group is called 'g'"),
        (r#"<virtual_joint name="v" type="fixed" parent_frame="world"/>"#, "has no child_link"),
        (r#"<passive_joint joint="j0"/>"#, "attribute 'joint'"),
        (r#"<link name="a"/>"#, "it is a URDF"),
        (r#"<joint name="j0"/>"#, "--robot reads URDF"),
        (r#"<x:group xmlns:x="http://www.ros.org/wiki/xacro"/>"#, "xacro"),
    ] {
        let message = Srdf::parse(&srdf(&[element])).unwrap_err().to_string();
        assert!(message.starts_with("line 2: ") && message.contains(words), "{element}: {message}");
    }
    for (text, words) in
        [("<sdf/>", "its root is <sdf>, not <robot>"), ("<robot>", "XML"), ("group: arm", "XML"), ("", "XML")]
    {
        let message = Srdf::parse(text).unwrap_err().to_string();
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn a_pair_that_is_disabled_and_enabled_is_an_error() {
    let enable = r#"<enable_collisions link1="a" link2="c"/>"#;
    let message = Srdf::parse(&srdf(&[NOT_B, NOT_AC, enable])).unwrap_err().to_string();
    for words in ["line 4: ", "'a' and 'c'", "on line 3", "remove"] {
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn unknown_links_and_joints_are_errors_with_their_line() {
    for (element, words) in [
        (r#"<disable_collisions link1="a" link2="e"/>"#, "no link 'e'"),
        (r#"<enable_collisions link1="e" link2="a"/>"#, "no link 'e'"),
        (r#"<disable_default_collisions link="e"/>"#, "no link 'e'"),
        (r#"<end_effector name="e" group="g" parent_link="hand"/>"#, "no link 'hand'"),
        (r#"<virtual_joint name="v" type="fixed" parent_frame="world" child_link="world"/>"#, "no link 'world'"),
        (r#"<passive_joint name="wheel"/>"#, "no joint 'wheel'"),
        (r#"<group_state name="s" group="g"><joint name="wheel" value="1"/></group_state>"#, "no joint 'wheel'"),
    ] {
        let srdf = read(&["<group name=\"g\"/>", NOT_AC, element]);
        let message = srdf.link_pairs(&robot()).unwrap_err().to_string();
        assert!(message.starts_with("line 4: the robot 'arm' has ") && message.contains(words), "{element}: {message}");
        assert!(message.contains("correct the name") && srdf.joint_values("s", &robot()).is_err(), "{message}");
    }
}

#[test]
fn errors_have_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.srdf");
    assert!(Srdf::read(&path).unwrap_err().to_string().contains("arm.srdf"));
    std::fs::write(&path, "\u{feff}<robot>\r\n<disable_collisions link1=\"a\" link2=\"e\"/>\r\n</robot>").unwrap();
    let message = Srdf::read(&path).unwrap().link_pairs(&robot()).unwrap_err().to_string();
    assert!(message.contains("arm.srdf: line 2: "), "{message}");
    let message = Srdf::read(&path).unwrap().joint_values("s", &robot()).unwrap_err().to_string();
    assert!(message.contains("arm.srdf: line 2: "), "{message}");
    let limits = LoadLimits { memory_bytes: 10 };
    assert_eq!(Srdf::read_with(&path, &limits).unwrap_err().kind(), ErrorKind::Memory);
}

//! Tests of robots read from URDF files.

use super::*;
use crate::robot::AttachedObject;
use std::f64::consts::FRAC_PI_2;

const BOX: &str = r#"<collision><geometry><box size="2 2 2"/></geometry></collision>"#;

/// Reads a URDF of these elements.
fn robot_with(elements: &str, options: &UrdfOptions) -> Result<Robot> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, format!("<robot name=\"r\">{elements}</robot>")).unwrap();
    Robot::from_urdf_with(&path, options)
}

fn robot(elements: &str) -> Robot {
    robot_with(elements, &UrdfOptions::default()).unwrap()
}

fn links(names: &[&str], content: &str) -> String {
    names.iter().map(|n| format!("<link name=\"{n}\">{content}</link>")).collect()
}

fn joint(name: &str, kind: &str, [parent, child]: [&str; 2], content: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{content}</joint>"
    )
}

fn names(robot: &Robot) -> Vec<&str> {
    robot.columns.iter().map(|c| c.name.as_str()).collect()
}

fn near(a: DVec3, b: [f64; 3]) -> bool {
    (a - DVec3::from(b)).length() < 1e-14
}

/// The frame below a floating root belongs to no link. Links of any name carry objects, also those without
/// triangles whose frame is that of another link.
#[test]
fn objects_are_carried_by_links_of_any_name() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let object = |link: &str| AttachedObject {
        name: "object".into(),
        link: link.into(),
        triangles: vec![triangle],
        pose: DAffine3::IDENTITY,
        touch_links: vec![],
    };
    let turn = r#"<axis xyz="0 0 1"/><limit lower="-1" upper="1"/>"#;
    for (root, mount) in [("world", "base"), ("base", "world"), ("base", "mount")] {
        let elements = [
            links(&[root, mount, "tip"], ""),
            links(&["arm"], BOX),
            joint("f", "fixed", [root, mount], ""),
            joint("j", "revolute", [mount, "arm"], turn),
            joint("g", "fixed", ["arm", "tip"], ""),
        ];
        for floating_root in [false, true] {
            let own = robot_with(&elements.concat(), &UrdfOptions { floating_root, ..UrdfOptions::default() }).unwrap();
            let of_root = u32::from(floating_root);
            let robots = [("", own.clone()), ("r/", Robot::join([("r".to_string(), own)]).unwrap())];
            for (prefix, robot) in robots {
                let shift = u32::from(!prefix.is_empty());
                for (link, body) in [(root, of_root), (mount, of_root), ("arm", of_root + 1), ("tip", of_root + 1)] {
                    let mut carrier = robot.clone();
                    let added = carrier.attach(&object(&format!("{prefix}{link}"))).unwrap();
                    assert_eq!(carrier.links[added as usize].body, body + shift, "{root} {mount} {link} {prefix}");
                }
                for unknown in ["", "world", "r", "r/", "r/world"] {
                    let is_link = [root, mount].iter().any(|link| format!("{prefix}{link}") == unknown);
                    assert_eq!(robot.clone().attach(&object(unknown)).is_ok(), is_link, "{unknown} {prefix}");
                }
            }
        }
    }
}

#[test]
fn fixed_joints_merge_links_into_one_body() {
    let lift = r#"<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>"#;
    let robot = robot(
        &[
            links(&["c", "b", "a"], BOX),
            joint("f", "fixed", ["a", "b"], lift),
            joint(
                "m",
                "revolute",
                ["b", "c"],
                &format!("{lift}<axis xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"2\"/>"),
            ),
        ]
        .concat(),
    );
    assert_eq!(robot.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(
        robot.links.iter().map(|l| (l.name.as_str(), l.body)).collect::<Vec<_>>(),
        [("c", 1), ("b", 0), ("a", 0)]
    );
    let lowest = |l: usize| robot.links[l].triangles.iter().flatten().map(|v| v.z).fold(9.0, f64::min);
    assert_eq!([lowest(0), lowest(1), lowest(2)], [-1.0, 0.0, -1.0]);
    let moving = &robot.bodies[1].joint;
    assert!(near(moving.origin_m, [0.0, 0.0, 2.0]) && near(moving.orientation.x_axis, [-1.0, 0.0, 0.0]));
    assert_eq!(moving.kind, JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(0) });
    assert_eq!(robot.columns[0].limits, Some([-1.0, 2.0]));
    assert_eq!(robot.warnings.len(), 1, "{:?}", robot.warnings);
    assert!(robot.warnings[0].contains("unit length"));
}

#[test]
fn unknown_elements_of_links_are_named_once() {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial/><colision><geometry><sphere radius="1"/></geometry></colision></link>"#
        )
    };
    let joint = r#"<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>"#;
    let read = robot(&[&link("a"), &link("b"), joint].concat());
    let unknown: Vec<&String> = read.warnings.iter().filter(|w| w.contains("not used")).collect();
    assert_eq!(unknown, ["link 'a': the element <colision> is not used"]);
}

#[test]
fn unknown_elements_of_shapes_and_joints_are_named() {
    let ball = r#"<geometry><sphere radius="1"/></geometry>"#;
    let links = format!(r#"<link name="a"><collision><orign xyz="5 0 0"/>{ball}</collision></link><link name="b"/>"#);
    let joint = r#"<joint name="j" type="fixed"><parent link="a"/><child link="b"/><Origin xyz="5 0 0"/></joint>"#;
    let warnings = robot(&[&links, joint].concat()).warnings;
    for word in ["link 'a': the element <orign> is not used", "joint 'j': the element <Origin> is not used"] {
        assert!(warnings.iter().any(|w| w == word), "{warnings:?}");
    }
}

#[test]
fn a_folder_that_serves_as_two_packages_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mesh = |package: &str| {
        format!(r#"<collision><geometry><mesh filename="package://{package}/m.obj"/></geometry></collision>"#)
    };
    for (packages, n_warnings) in [(["arm", "arm"], 0), (["arm", "hand"], 1)] {
        let text = format!(r#"<robot name="r"><link name="a">{}</link></robot>"#, packages.map(mesh).concat());
        let path = folder.path().join("r.urdf");
        std::fs::write(&path, text).unwrap();
        let warnings = Robot::from_urdf_with(&path, &UrdfOptions::default()).unwrap().warnings;
        assert_eq!(warnings.iter().filter(|w| w.contains("'arm' and 'hand'")).count(), n_warnings, "{warnings:?}");
    }
}

#[test]
fn poses_of_links_on_fixed_joints_are_kept() {
    let ball = r#"<collision><geometry><sphere radius="1"/></geometry></collision>"#;
    let links = format!(r#"<link name="a">{ball}</link><link name="b">{ball}</link>"#);
    let joint = r#"<joint name="j" type="fixed"><origin xyz="1 2 3"/><parent link="a"/><child link="b"/></joint>"#;
    let links = robot(&[&links, joint].concat()).links;
    assert_eq!(links.iter().map(|l| l.pose.translation.to_array()).collect::<Vec<_>>(), [[0.0; 3], [1.0, 2.0, 3.0]]);
}

#[test]
fn roll_pitch_yaw_turn_about_fixed_axes() {
    let m = rpy([FRAC_PI_2, 0.0, FRAC_PI_2]);
    assert!(near(m * DVec3::X, [0.0, 1.0, 0.0]) && near(m * DVec3::Y, [0.0, 0.0, 1.0]), "{m}");
    let m = rpy([0.0, FRAC_PI_2, FRAC_PI_2]);
    assert!(near(m * DVec3::Z, [0.0, 1.0, 0.0]) && near(m * DVec3::X, [0.0, 0.0, -1.0]), "{m}");
}

#[test]
fn columns_are_in_file_order_and_mimics_are_composed() {
    let text = [
        links(&["root", "a", "b", "c", "d", "e", "f"], ""),
        joint("m2", "revolute", ["a", "b"], r#"<mimic joint="m1" multiplier="2" offset="1"/>"#),
        joint("m1", "prismatic", ["b", "c"], r#"<mimic joint="z" multiplier="-3" offset="0.5"/>"#),
        joint("z", "continuous", ["root", "a"], ""),
        joint("free", "floating", ["c", "d"], ""),
        joint("y", "prismatic", ["a", "e"], r#"<limit lower="-inf" upper="inf"/>"#),
        joint(
            "still",
            "revolute",
            ["e", "f"],
            r#"<mimic joint="bolt" offset="1.5707963267948966"/><axis xyz="0 0 1"/>"#,
        ),
        links(&["g"], BOX),
        joint("bolt", "fixed", ["f", "g"], r#"<origin xyz="5 0 0"/>"#),
    ]
    .concat();
    let robot = robot(&text);
    assert_eq!(names(&robot), ["z", "free.x", "free.y", "free.z", "free.qx", "free.qy", "free.qz", "free.qw", "y"]);
    assert!(robot.columns.iter().all(|c| c.limits.is_none()));
    let drive = |name: &str| match robot.bodies.iter().find(|b| b.joint.name == name).unwrap().joint.kind {
        JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } => drive,
        _ => panic!("{name}"),
    };
    assert_eq!(drive("m1"), Drive { column: 0, multiplier: -3.0, offset: 0.5 });
    assert_eq!(drive("m2"), Drive { column: 0, multiplier: -6.0, offset: 2.0 });
    // The joint that mimics a bolt is a fixed joint with a quarter turn.
    assert!(robot.bodies.iter().all(|b| b.joint.name != "still"));
    assert_eq!(robot.fixed_joints, ["still", "bolt"]);
    assert_eq!(robot.links_without_triangles, ["root", "a", "b", "c", "d", "e", "f"]);
    let center = robot.links[0].triangles.iter().flatten().sum::<DVec3>() / 36.0;
    assert!(near(center, [0.0, 5.0, 0.0]), "{center}");
    assert_eq!(robot.bodies[robot.links[0].body as usize].name, "e");
}

#[test]
fn a_base_and_a_floating_root() {
    let text =
        [links(&["a", "b"], BOX), joint("j", "revolute", ["a", "b"], r#"<limit lower="-1" upper="1"/>"#)].concat();
    let mut options = UrdfOptions { base: [1.0, 2.0, 3.0, 0.0, 0.0, FRAC_PI_2], ..UrdfOptions::default() };
    let fixed = robot_with(&text, &options).unwrap();
    assert!(near(fixed.body_poses(&[0.0]).unwrap()[1].transform_point3(DVec3::X), [1.0, 3.0, 3.0]));
    options.floating_root = true;
    let free = robot_with(&text, &options).unwrap();
    assert_eq!(names(&free)[0], "floating_root.x");
    assert_eq!(names(&free)[6..], ["floating_root.qw", "j"]);
    assert_eq!(free.links.iter().map(|l| l.body).collect::<Vec<_>>(), [1, 2]);
    let q = [0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    assert!(near(free.body_poses(&q).unwrap()[2].transform_point3(DVec3::X), [-4.0, 3.0, 3.0]));
    assert!(free.body_poses(&[]).is_err());
}

#[test]
fn the_geometry_is_chosen_for_each_link() {
    let sphere = r#"<visual><origin xyz="0 0 9"/><geometry><sphere radius="1"/></geometry></visual>"#;
    let broken = r#"<visual><geometry><mesh filename="missing.stl"/></geometry></visual>"#;
    let text =
        [links(&["a"], &format!("{BOX}{BOX}{broken}")), links(&["b"], sphere), joint("j", "fixed", ["a", "b"], "")]
            .concat();
    let read = |geometry| robot_with(&text, &UrdfOptions { geometry, ..UrdfOptions::default() });
    let auto = read(Geometry::Auto).unwrap();
    assert_eq!(auto.links[0].shape_starts, [0, 12]);
    assert_eq!((auto.links[0].triangles.len(), auto.links.len()), (24, 2));
    assert_eq!(read(Geometry::Collision).unwrap().links.len(), 1);
    let error = read(Geometry::Visual).unwrap_err().to_string();
    assert!(error.contains("missing.stl") && error.contains("link 'a'"), "{error}");
}

#[test]
fn meshes_are_scaled_mirrored_and_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["ws/robots/urdf", "ws/meshes", "other/pkg/m"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let obj = "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    for name in ["ws/meshes/near.obj", "other/pkg/m/far.obj", "ws/robots/urdf/here.obj"] {
        std::fs::write(at(name), obj).unwrap();
    }
    let here = format!("file://{}", at("ws/robots/urdf/here.obj").display());
    let files =
        ["package://any/meshes/near.obj", "package://pkg/m/far.obj", "here.obj", "../../meshes/near.obj", &here];
    let shapes: String = files
        .iter()
        .map(|f| {
            format!(
                "<visual><origin xyz=\"0 0 1\"/><geometry><mesh filename=\"{f}\" scale=\"2 -3 1\"/></geometry></visual>"
            )
        })
        .collect();
    let path = at("ws/robots/urdf/r.urdf");
    std::fs::write(&path, format!("<robot><link name=\"a\">{shapes}</link></robot>")).unwrap();
    let options = UrdfOptions { package_paths: vec![at("other")], ..UrdfOptions::default() };
    let robot = Robot::from_urdf_with(&path, &options).unwrap();
    assert_eq!(robot.name, "r");
    assert_eq!(robot.links[0].shape_starts, [0, 1, 2, 3, 4]);
    for triangle in robot.links[0].triangles.iter() {
        assert_eq!(triangle.map(|v| v.to_array()), [[2.0, 0.0, 1.0], [0.0, -3.0, 1.0], [0.0, 0.0, 2.0]]);
    }
    // Each mesh is read, and counted, once: the three meshes take 3 * 72 bytes, the link 5 * 72.
    let bytes = std::fs::metadata(&path).unwrap().len();
    let just = LoadLimits { memory_bytes: bytes + 3 * 72 + 5 * 72 };
    assert!(Robot::from_urdf_with(&path, &UrdfOptions { limits: just, ..options.clone() }).is_ok());
    let short = UrdfOptions { limits: just.less(1), ..options };
    let error = Robot::from_urdf_with(&path, &short).unwrap_err();
    assert_eq!(error.kind(), crate::error::ErrorKind::Memory, "{error}");

    let error = Robot::from_urdf(&path).unwrap_err().to_string();
    for place in ["pkg/m/far.obj", " and no m/far.obj", "ws/robots/urdf, ", "ws/robots, ", "ws, "] {
        assert!(error.contains(place), "{place}: {error}");
    }
}

#[test]
fn long_chains_of_links_and_mimics_are_read_fast() {
    let chain = |n: usize| {
        let mut text = links(&["l0"], "");
        for i in 1..=n {
            text += &links(&[&format!("l{i}")], "");
            let mimic = if i < n { format!("<mimic joint=\"j{}\"/>", i + 1) } else { "<limit upper=\"1\"/>".into() };
            text += &joint(&format!("j{i}"), "revolute", [&format!("l{}", i - 1), &format!("l{i}")], &mimic);
        }
        robot_with(&text, &UrdfOptions::default())
    };
    let long = chain(999).unwrap();
    assert_eq!((long.columns.len(), long.bodies.len()), (1, 1000));
    assert!(long.warnings[0].contains("nothing can touch"));
    let message = chain(20_000).unwrap_err().to_string();
    assert!(message.contains("1000 joints"), "{message}");
}

#[test]
fn zero_area_triangles_are_kept_and_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\nf 1 1 1\n")
        .unwrap();
    let shape = r#"<visual><geometry><mesh filename="m.obj"/></geometry></visual>"#;
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, format!("<robot>{}</robot>", links(&["a"], &shape.repeat(2)))).unwrap();
    let robot = Robot::from_urdf(&path).unwrap();
    assert_eq!(robot.triangle_count(), 6);
    assert_eq!(robot.warnings.len(), 1);
    assert!(robot.warnings[0].contains(": 4, the first is triangle 1 of link 'a'"), "{:?}", robot.warnings);
}

#[test]
fn a_text_is_read_like_a_file_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mesh = r#"<collision><geometry><mesh filename="m.obj"/></geometry></collision>"#;
    let text = format!("<robot>{}</robot>", links(&["a"], mesh));
    let robot = Robot::from_urdf_text(&text, folder.path(), &UrdfOptions::default()).unwrap();
    assert_eq!((&*robot.name, robot.links[0].triangles.len()), ("robot", 1));
    let elsewhere = Robot::from_urdf_text(&text, folder.path().join("gone"), &UrdfOptions::default()).unwrap_err();
    assert!(elsewhere.to_string().contains("m.obj"), "{elsewhere}");
    assert!(Robot::from_urdf_text("<robot>", ".", &UrdfOptions::default()).is_err());
}

//! Objects attached to links.

use super::arms::{arm, bar, block, check, engine, pair};
use firstcontact::report::Line;
use firstcontact::{AttachedObject, LinkPairs, Obstacle, Robot, Scene, Untested, Verdict};
use glam::{DAffine3, DMat3, DVec3};
use std::sync::Arc;

/// A cube of side 0.2 at the end of a bar, beyond its tip.
fn cube(name: &str, link: &str) -> AttachedObject {
    AttachedObject {
        name: name.into(),
        link: link.into(),
        triangles: block([-0.1; 3], [0.1; 3]),
        pose: DAffine3::from_translation(DVec3::new(1.15, 0.0, 0.0)),
        touch_links: Vec::new(),
    }
}

fn attached(robot: &Robot, pairs: &LinkPairs, objects: &[AttachedObject]) -> (Robot, LinkPairs) {
    let (mut robot, mut pairs) = (robot.clone(), pairs.clone());
    objects.iter().for_each(|object| _ = robot.attach(object).unwrap());
    pairs.add_attached(&robot, objects).unwrap();
    (robot, pairs)
}

/// A shelf that the tip of the bar passes, and the cube does not.
fn shelf() -> Scene {
    let mut scene = Scene::new();
    scene.add_object("shelf", block([-2.0, 1.1, -0.2], [2.0, 1.3, 0.2])).unwrap();
    scene
}

#[test]
fn a_box_hits_a_shelf_that_the_robot_passes() {
    let robot = bar(DVec3::ZERO, 0.0);
    let motion = [[vec![0.0], vec![2.0]]];
    let bare = engine(&robot, &shelf(), LinkPairs::none());
    assert_eq!(check(&bare, &motion).verdicts, [Verdict::Free]);
    let carrying = bare.with_attached(&[cube("box", "bar")]).unwrap();
    let verdict = check(&carrying, &motion).verdicts.remove(0);
    let Verdict::Contact(found) = &verdict else { panic!("{verdict:?}") };
    // A corner at (1.25, 0.1) from the axis reaches the height 1.1.
    let angle = (1.1 / 1.25f64.hypot(0.1)).asin() - (0.1f64 / 1.25).atan();
    assert!((found.toc[0] - angle / 2.0).abs() < 1e-6, "{found:?} {angle}");
    let (with_box, scene) = (&carrying.world().robot, shelf());
    let line = serde_json::to_string(&Line::new(0, &verdict, with_box, &scene)).unwrap();
    assert!(line.contains(r#""a":{"link":"bar","attached":"box","shape":0,"triangle":"#), "{line}");
}

/// A margin counts for the object: it stays 2 mm away from the shelf.
#[test]
fn a_margin_applies() {
    let (robot, pairs) = attached(&bar(DVec3::ZERO, 0.0), &LinkPairs::none(), &[cube("box", "bar")]);
    let mut scene = Scene::new();
    let reach = 1.25f64.hypot(0.1);
    scene.add_object("shelf", block([-0.5, reach + 0.002, -0.2], [0.5, 2.0, 0.2])).unwrap();
    let answer = |margin_m: f64| {
        let builder = firstcontact::Engine::builder(&robot, &scene).backend(firstcontact::Backend::Cpu);
        let engine = builder.link_pairs(pairs.clone()).margin_m(margin_m).build().unwrap();
        check(&engine, &[[vec![0.0], vec![3.0]]]).verdicts.remove(0)
    };
    assert_eq!(answer(0.001), Verdict::Free);
    assert!(answer(0.003).is_contact());
}

/// An arm folds its forearm back: the box that it holds meets the upper arm, unless they may touch.
#[test]
fn touch_links_are_excepted() {
    let robot = arm(DVec3::ZERO, 0.0);
    let held = |touch_links: &[&str]| AttachedObject {
        pose: DAffine3::from_translation(DVec3::new(0.0, 0.0, 0.095)),
        touch_links: touch_links.iter().map(ToString::to_string).collect(),
        ..cube("box", "wrist3_link")
    };
    let others: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    let mut motion = [vec![0.0; 6], vec![0.0; 6]];
    motion[1][2] = 2.9;
    let answer = |touch_links: &[&str]| {
        let engine = engine(&robot, &Scene::new(), LinkPairs::none());
        let carrying = engine.with_attached(&[held(touch_links)]).unwrap();
        let tested = carrying.world().link_pairs.clone();
        (check(&carrying, std::slice::from_ref(&motion)).verdicts.remove(0), tested)
    };
    // The box reaches 5 mm into the link before the one that holds it, and ends 5 mm above the forearm.
    let (verdict, _) = answer(&[]);
    assert!(matches!(verdict, Verdict::Contact(c) if c.initial_overlap));
    let wrist = ["wrist2_link", "wrist1_link"];
    let (verdict, tested) = answer(&wrist);
    let Verdict::Contact(found) = verdict else { panic!("{verdict:?}") };
    assert!(!found.initial_overlap);
    let Obstacle::Link(of_box) = found.first.unwrap().b.obstacle() else { panic!("{found:?}") };
    assert_eq!((of_box, tested.count(Untested::TouchLink)), (7, 2));
    let (verdict, tested) = answer(&others);
    assert_eq!((verdict, tested.tested().len()), (Verdict::Free, 0));
    // The link that carries the box is no pair.
    assert_eq!(tested.count(Untested::TouchLink), robot.links.len() - 1);
}

/// Two bars whose tips do not reach each other carry cubes that do.
#[test]
fn attached_objects_meet_each_other() {
    let (both, pairs) =
        pair(bar(DVec3::new(-1.1, 0.0, 0.0), 0.0), bar(DVec3::new(1.1, 0.0, 0.02), std::f64::consts::PI));
    let motion = [[vec![1.0, -1.0], vec![0.0, 0.0]]];
    let alone = engine(&both, &Scene::new(), pairs);
    assert_eq!(check(&alone, &motion).verdicts, [Verdict::Free]);
    let cubes = [cube("one", "left/bar"), cube("other", "right/bar")];
    let carrying = alone.with_attached(&cubes).unwrap();
    let verdict = check(&carrying, &motion).verdicts.remove(0);
    let Verdict::Contact(found) = verdict else { panic!("{verdict:?}") };
    let place = found.first.unwrap();
    assert_eq!((place.a.link, place.b.obstacle()), (4, Obstacle::Link(5)));
    assert!(place.point[0].abs() < 1e-6, "{place:?}");
    let mut touching = cubes.clone();
    touching[0].touch_links = vec!["other".into(), "right/bar".into()];
    touching[1].touch_links = vec!["left/bar".into()];
    let allowed = alone.with_attached(&touching).unwrap();
    assert_eq!(check(&allowed, &motion).verdicts, [Verdict::Free]);
}

/// An object far from its link's origin, on a link whose frame is not that of its body.
#[test]
fn poses_are_in_the_frame_of_the_link() {
    let mut robot = bar(DVec3::ZERO, 0.0);
    let tool = DAffine3::from_mat3_translation(DMat3::from_rotation_z(0.5), DVec3::X);
    robot.fixed_links.push(firstcontact::robot::FixedLink { name: "tool0".into(), body: 1, pose: tool });
    robot.links_without_triangles.push("tool0".into());
    let object = AttachedObject { pose: DAffine3::from_rotation_x(0.3), ..cube("box", "tool0") };
    let link = robot.attach(&object).unwrap() as usize;
    let expected = object.triangles.iter().map(|t| t.map(|v| (tool * object.pose).transform_point3(v)));
    for (a, b) in robot.links[link].triangles.iter().flatten().zip(expected.flatten()) {
        assert!(a.distance(b) < 1e-14);
    }
    assert_eq!((robot.links[link].body, robot.links[link].attached_to.as_deref()), (1, Some("tool0")));
}

#[test]
fn an_engine_with_attached_objects_answers_like_a_new_one() {
    let (both, pairs) = pair(arm(DVec3::new(-0.5, 0.25, 0.0), 0.0), arm(DVec3::new(0.5, -0.25, 0.0), 3.0));
    let objects = [
        AttachedObject {
            touch_links: ["wrist2_link", "wrist1_link"].map(|link| format!("left/{link}")).into(),
            pose: DAffine3::from_translation(DVec3::new(0.0, 0.12, 0.0)),
            triangles: block([-0.04; 3], [0.04; 3]),
            ..cube("box", "left/wrist3_link")
        },
        AttachedObject {
            pose: DAffine3::from_translation(DVec3::new(0.2, 0.0, 0.3)),
            triangles: block([-0.02; 3], [0.02; 3]),
            ..cube("label", "right/lift_link")
        },
    ];
    let mut draw = crate::harness::models::Draw::new(5);
    let mut q = || (0..12).map(|_| draw.between(-1.5, 1.5)).collect::<Vec<f64>>();
    let motions: Vec<_> = (0..30).map(|_| [q(), q()]).collect();
    let before = engine(&both, &shelf(), pairs.clone());
    let shared = before.with_attached(&objects).unwrap();
    let (robot, pairs) = attached(&both, &pairs, &objects);
    let built_again = engine(&robot, &shelf(), pairs.clone());
    assert_eq!(shared.world().link_pairs, pairs);
    let answers = check(&shared, &motions).verdicts;
    assert_eq!(answers, check(&built_again, &motions).verdicts);
    assert!(answers.contains(&Verdict::Free) && answers.iter().any(Verdict::is_contact));
    // Nothing that both have was built again.
    let (before, shared) = (before.world(), shared.world());
    assert!(Arc::ptr_eq(&before.scene, &shared.scene));
    assert!(before.links.iter().zip(shared.links.iter()).all(|(a, b)| Arc::ptr_eq(a, b)));
    assert_eq!(shared.links.len(), before.links.len() + 2);
    for frame in before.frames.iter() {
        let known = shared.frames.iter().find(|other| other.link == frame.link).expect("a frame");
        assert!(Arc::ptr_eq(&frame.world.scene, &known.world.scene));
    }
}

#[test]
fn objects_that_cannot_be_attached() {
    let robot = bar(DVec3::ZERO, 0.0);
    let engine = engine(&robot, &Scene::new(), LinkPairs::none());
    let object = || cube("box", "bar");
    for (object, said) in [
        (AttachedObject { link: "hand".into(), ..object() }, "has no link 'hand'"),
        (AttachedObject { name: "base".into(), ..object() }, "another attached object has this name"),
        (AttachedObject { triangles: vec![], ..object() }, "no triangle"),
        (AttachedObject { triangles: vec![[DVec3::NAN; 3]], ..object() }, "triangle 0 has a NaN"),
        (AttachedObject { touch_links: vec!["hand".into()], ..object() }, "no link 'hand' to touch"),
    ] {
        let error = engine.with_attached(&[object]).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let error = engine.with_attached(&[object(), object()]).unwrap_err().to_string();
    assert!(error.contains("'box'") && error.contains("name"), "{error}");
}

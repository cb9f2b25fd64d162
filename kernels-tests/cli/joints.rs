//! Every kind of joint, and the base of the robot: times of contact by hand.

use super::{CUBE, Desk, Motion, joint, link, near, obj, robot, slider, toc, walls};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI};

/// A thin upright blade from 0.1 to 1 m along x, its lower edge at height 0.
const BLADE: [[f64; 3]; 3] = [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, 0.0, 0.01]];

fn blade(desk: &Desk) -> &str {
    desk.put("blade.obj", obj(&BLADE, &[[1, 2, 3]]));
    "<mesh filename=\"blade.obj\"/>"
}

/// A wall perpendicular to y.
fn wall_across_y(y: f64) -> String {
    obj(&[[-7.0, y, -5.0], [7.0, y, -5.0], [0.0, y, 9.0]], &[[1, 2, 3]])
}

#[test]
fn prismatic() {
    // The front of the cube is 0.1 m ahead: 0.9 of 3.6 m, 0.9 of 1.8, and from behind 0.9 of 1.2.
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.0], &[1.8]], [&[2.0], &[0.8]]];
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), motions, &[]).expect(1);
    [0.25, 0.5, 0.75].into_iter().enumerate().for_each(|(i, t)| checked.touches(i, t));
    near(&checked.lines[2]["normal"], [1.0, 0.0, 0.0], 1e-12);
}

#[test]
fn an_axis_is_made_a_unit_vector_and_turned_by_its_joint() {
    // The joint's frame is turned by 90 degrees about z: its y is the world's -x. The axis is -3 y: +x in the world.
    let turned = "<axis xyz=\"0 -3 0\"/><origin xyz=\"0 0 0.5\" rpy=\"0 0 1.5707963267948966\"/>";
    let robot = slider(CUBE).replace("<axis xyz=\"1 0 0\"/>", turned);
    let checked = Desk::new().check(&robot, &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], &[]);
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    assert!(warning.contains("'x'") && warning.contains("unit length"), "{warning}");
    assert_eq!((checked.run.code, checked.run.stderr.lines().count()), (Some(1), 1));
    checked.touches(0, 0.25);
}

#[test]
fn revolute() {
    // The tip of the blade, 1 m from the axis, is at y = 0.5 after a turn of 30 degrees.
    for kind in ["revolute", "continuous"] {
        let desk = Desk::new();
        let arm = link("arm", blade(&desk));
        let limits = "<limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint>";
        let robot = robot(&["<link name=\"stand\"/>", &arm, &joint("turn", kind, "stand", "arm", "0 0 1")])
            .replace("</joint>", limits);
        let motions: &[Motion] = &[[&[0.0], &[1.0]], [&[-1.0], &[1.0]], [&[0.0], &[0.5]], [&[PI], &[0.0]]];
        let checked = desk.check(&robot, &wall_across_y(0.5), motions, &[]).expect(1);
        checked.touches(0, FRAC_PI_6);
        checked.touches(1, (FRAC_PI_6 + 1.0) / 2.0);
        assert_eq!(checked.lines[2]["verdict"], "free");
        // From the other side, backwards: from 180 to 150 degrees of 180.
        checked.touches(3, 1.0 / 6.0);
    }
}

#[test]
fn a_continuous_joint_makes_whole_turns() {
    // While the blade turns three times it rises by 3 m. It passes the azimuth of 90 degrees at 1/12, 5/12 and 9/12, at
    // heights of 0.25, 1.25 and 2.25 m; the only upright edge in its path is there, between 2.2 and 2.3, 0.5 m out.
    let desk = Desk::new();
    let elements = [
        "<link name=\"stand\"/><link name=\"lift\"/>".to_string(),
        link("arm", blade(&desk)),
        joint("rise", "prismatic", "stand", "lift", "0 0 1"),
        joint("turn", "continuous", "lift", "arm", "0 0 1"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let post = obj(&[[0.0, 0.5, 2.2], [0.0, 0.5, 2.3], [-0.3, 0.5, 2.25]], &[[1, 2, 3]]);
    let motions: &[Motion] = &[
        [&[0.0, 0.0], &[3.0, 6.0 * PI]],
        // The same in reverse meets the edge from behind, if at all: the post's other corner is met first.
        [&[3.0, 6.0 * PI], &[0.0, 0.0]],
        // Two turns end at 2 m.
        [&[0.0, 0.0], &[2.0, 4.0 * PI]],
        // Without turning nothing is in the path.
        [&[0.0, 0.0], &[3.0, 0.0]],
    ];
    let checked = desk.check(&robot, &post, motions, &[]).expect(1);
    checked.touches(0, 0.75);
    let line = &checked.lines[0];
    assert_eq!((&line["a"]["feature"], &line["b"]["feature"]), (&"edge".into(), &"edge".into()));
    assert_eq!((&line["a"]["index"], &line["b"]["index"]), (&0.into(), &0.into()));
    near(&line["point"], [0.0, 0.5, 2.25], 1e-7);
    // The blade arrives from +x; both edges are in the plane x = 0 then.
    near(&line["normal"], [1.0, 0.0, 0.0], 1e-7);
    assert_eq!(checked.verdicts(), ["contact", "contact", "free", "free"]);
    // Backwards the blade is at the same place at 1 - t: it passes the post before 0.25.
    assert!(toc(&checked.lines[1])[1] <= 0.25);
}

#[test]
fn a_mimic_joint_follows_its_master() {
    // b = 2 a + 0.1; its front is at b + 0.1. From a = 0 to 1 the wall at 1 m is met at a = 0.4. The master itself
    // moves along y, where there is no obstacle.
    let follower = "<joint name=\"b\" type=\"prismatic\"><parent link=\"base\"/><child link=\"two\"/>\
        <axis xyz=\"1 0 0\"/>\
        <mimic joint=\"a\" multiplier=\"2\" offset=\"0.1\"/></joint>";
    let master = joint("a", "prismatic", "base", "one", "0 1 0");
    // The master may be defined after its follower.
    for joints in [[&master[..], follower], [follower, &master[..]]] {
        let elements = ["<link name=\"base\"/>", &link("one", CUBE), &link("two", CUBE), joints[0], joints[1]];
        let motions: &[Motion] = &[[&[0.0], &[1.0]], [&[0.0], &[0.375]], [&[1.0], &[0.0]]];
        let checked = Desk::new().check(&robot(&elements), &walls(&[("wall", 1.0)]), motions, &[]).expect(1);
        checked.touches(0, 0.4);
        assert_eq!(checked.lines[1]["verdict"], "free");
        // Backwards from b = 2.1: its rear is at b - 0.1, at the wall when b = 1.1, a = 0.5.
        checked.touches(2, 0.5);
        assert!(checked.lines.iter().all(|l| l["verdict"] == "free" || l["a"]["link"] == "two"));
    }
}

/// Position and orientation of a free joint, turned by `angle` about z.
fn free(position: [f64; 3], angle: f64) -> [f64; 7] {
    let [x, y, z] = position;
    [x, y, z, 0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()]
}

#[test]
fn a_floating_joint_slides_straight_and_turns_evenly() {
    let desk = Desk::new();
    let elements =
        ["<link name=\"world\"/>", &link("body", blade(&desk)), &joint("fly", "floating", "world", "body", "1 0 0")];
    let robot = robot(&elements);
    let quarter = free([0.0, 0.0, 0.5], FRAC_PI_2);
    let motions: &[Motion] = &[
        // A quarter turn, at a constant rate: 30 degrees at a third.
        [&free([0.0; 3], 0.0), &quarter],
        // Without turning: along y from 0 to 2 m.
        [&free([0.0; 3], 0.0), &free([0.0, 2.0, 0.0], 0.0)],
        // From 0 to 270 degrees, the shorter way is backwards: away from the wall, which is never reached.
        [&free([0.0; 3], 0.0), &free([0.0; 3], 1.5 * PI)],
        // Half a turn is about the axis whose first non-zero component is positive, +z: through the wall at 30 of 180
        // degrees.
        [&free([0.0; 3], 0.0), &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]],
        // The same orientation with the other sign is no motion.
        [&free([0.0; 3], 0.0), &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]],
    ];
    let checked = desk.check(&robot, &wall_across_y(0.5), motions, &[]).expect(1);
    checked.touches(0, 1.0 / 3.0);
    // A third of the way up.
    near(&checked.lines[0]["point"], [FRAC_PI_6.cos(), 0.5, 0.5 / 3.0], 1e-8);
    // The blade is parallel to the wall then: all of it arrives simultaneously, and only the later motion can prove the
    // contact.
    let [lo, hi] = toc(&checked.lines[1]);
    assert!(lo <= 0.25 && lo > 0.25 - 1e-9 && hi >= 0.25, "{}", checked.lines[1]);
    checked.touches(3, 1.0 / 6.0);
    assert_eq!(checked.verdicts(), ["contact", "contact", "free", "contact", "free"]);
}

#[test]
fn a_floating_root_has_the_first_columns() {
    // Root and joint each move by 1.8 m: together 3.6, with 0.9 to the wall.
    let q = |x: f64, slide: f64| [&free([x, 0.0, 0.0], 0.0)[..], &[slide]].concat();
    let (q0, q1) = (q(0.0, 0.0), q(1.8, 1.8));
    let scene = walls(&[("wall", 1.0)]);
    let checked = Desk::new().check(&slider(CUBE), &scene, &[[&q0, &q1]], &["--floating-root"]).expect(1);
    checked.touches(0, 0.25);
    // The base is below the free root: turned by a quarter about z, the root's x is the world's y, and the wall is
    // never met.
    let turned = ["--floating-root", "--base", "0,0,0,0,0,1.5707963267948966"];
    Desk::new().check(&slider(CUBE), &scene, &[[&q0, &q1]], &turned).expect(0);
    let checked = Desk::new().check(&slider(CUBE), &wall_across_y(1.0), &[[&q0, &q1]], &turned).expect(1);
    checked.touches(0, 0.25);
    // Without the option there are seven columns too many.
    let checked = Desk::new().check(&slider(CUBE), &scene, &[[&q0, &q1]], &[]);
    assert_eq!(checked.run.code, Some(3));
    assert!(checked.run.errors()[0].contains("8 columns where the robot has 1"), "{}", checked.run.stderr);
}

#[test]
fn the_base_places_the_root() {
    let motion: &[Motion] = &[[&[0.0], &[3.6]]];
    let scene = walls(&[("wall", 1.0)]);
    let base = |base: &str| Desk::new().check(&slider(CUBE), &scene, motion, &["--base", base]);
    // 0.45 m nearer; 0.9 m farther; and out of the wall's reach.
    base("0.45,0,0,0,0,0").expect(1).touches(0, 0.125);
    base("-0.9,0,0,0,0,0").expect(1).touches(0, 0.5);
    base("0,0,100,0,0,0").expect(0);
    // Roll 90 degrees (y to z, z to -y), then yaw 90 (x to y, y to -x): the slide's z is mapped to -y and then to x.
    let upright = slider(CUBE).replace("xyz=\"1 0 0\"", "xyz=\"0 0 1\"");
    let rolled = ["--base", "0,0,0,1.5707963267948966,0,1.5707963267948966"];
    Desk::new().check(&upright, &scene, motion, &rolled).expect(1).touches(0, 0.25);
    // Pitch 90 degrees: z to x.
    let pitched = ["--base", "0.45,0,0,0,1.5707963267948966,0"];
    Desk::new().check(&upright, &scene, motion, &pitched).expect(1).touches(0, 0.125);
}

#[test]
fn far_from_the_origin_the_answers_are_the_same() {
    // A cube in a corridor that ends at 1 m; at the origin, and 2·10^4 m away, where coordinates are multiples of
    // 2^-38 m.
    let ends: Vec<[f64; 1]> = (0..40).map(|i| [0.5 + 0.0371 * f64::from(i)]).collect();
    let motions: Vec<Motion> = ends.iter().map(|end| [&[0.0][..], &end[..]]).collect();
    let corridor = |[x, y, z]: [f64; 3]| {
        let [left, right] = [y - 0.11, y + 0.11];
        let corners = [
            [x + 1.0, y - 7.0, z - 5.0],
            [x + 1.0, y + 7.0, z - 5.0],
            [x + 1.0, y, z + 9.0],
            [x - 1.0, left, z - 1.0],
            [x + 3.0, left, z - 1.0],
            [x, left, z + 3.0],
            [x - 1.0, right, z - 1.0],
            [x + 3.0, right, z - 1.0],
            [x, right, z + 3.0],
        ];
        obj(&corners, &[[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    };
    let here = Desk::new().check(&slider(CUBE), &corridor([0.0; 3]), &motions, &[]).expect(1);
    let at = [1e4, -1.25e4, 1e4];
    let there = Desk::new().check(&slider(CUBE), &corridor(at), &motions, &["--base=1e4,-1.25e4,1e4,0,0,0"]).expect(1);
    assert_eq!(here.verdicts(), there.verdicts());
    for (i, end) in ends.iter().enumerate().filter(|(_, end)| end[0] > 0.9) {
        here.touches(i, 0.9 / end[0]);
        // The corridor is exact at either place except for 0.11, which no cube meets.
        there.touches(i, 0.9 / end[0]);
        let [p, q] = [&here, &there].map(|checked| super::numbers(&checked.lines[i]["point"]));
        assert!((0..3).all(|k| (q[k] - at[k] - p[k]).abs() < 1e-8), "{p:?} {q:?}");
        assert_eq!(here.lines[i]["normal"], there.lines[i]["normal"]);
    }
    assert_eq!(here.verdicts().iter().filter(|v| **v == "free").count(), 11);
}

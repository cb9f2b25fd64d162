//! `render`, `check --html` and `report` of trajectories: the shown motion is the curve, at its own times, and exact at
//! the first contact. Expected configurations come from the cubic Hermite formula, written out here.

use super::gltf::Reader;
use super::html::{animations, page, rows, texts};
use super::render::png;
use super::report::select;
use super::{CUBE, Desk, Run, joint, link, numbers, robot, walls};
use crate::harness::gpu::skip;
use glam::{DAffine3, DVec3};
use serde_json::{Value, json};

/// A time, the positions of both joints, and their velocities.
type Point = (f64, [f64; 2], [f64; 2]);
type Points = [Point];

/// The front of the cube meets the wall at 0.9 m when the joint is at 0.8 m: half-way through the first segment of
/// [`BENT`], at 2 s.
const WALLS: [(&str, f64); 2] = [("wall", 0.9), ("far", 40.0)];
/// From rest to rest in 2 s and with a turn of more than a whole one; then back with some speed at the end.
const BENT: &Points = &[(1.0, [0.0, 0.0], [0.0, 3.0]), (3.0, [1.6, 8.0], [0.0, -2.0]), (3.5, [0.4, 7.0], [-1.0, 0.5])];
/// A free one: it stays below 0.7 m.
const FREE: &Points = &[(0.0, [0.0, 0.0], [0.0, 0.0]), (4.0, [0.5, 1.0], [0.0, 0.0])];

/// A cube of half the size: turned, it does not reach beyond the large one.
const SMALL: &str = "<box size=\"0.1 0.1 0.1\"/>";

/// A cube that slides along x, and a small one that turns about z on it, 0.5 m above.
fn model() -> String {
    let turn = joint("turn", "continuous", "slider", "arm", "0 0 1");
    let turn = turn.replace("</joint>", "<origin xyz=\"0 0 0.5\"/></joint>");
    let slide = joint("x", "prismatic", "rail", "slider", "1 0 0");
    robot(&["<link name=\"rail\"/>", &link("slider", CUBE), &link("arm", SMALL), &slide, &turn])
}

fn plan(all: &[&Points]) -> String {
    let column = |of: fn(&Point) -> Value, points: &Points| -> Vec<Value> { points.iter().map(of).collect() };
    let one = |points: &&Points| {
        json!({
            "times_s": column(|p| json!(p.0), points),
            "positions": column(|p| json!(p.1), points),
            "velocities": column(|p| json!(p.2), points),
        })
    };
    json!({"joints": ["x", "turn"], "trajectories": all.iter().map(one).collect::<Vec<_>>()}).to_string()
}

/// Both joints at a time.
fn values(points: &Points, time: f64) -> [f64; 2] {
    let k = points.windows(2).position(|w| time <= w[1].0).unwrap_or(points.len() - 2);
    let ((t0, p, v), (t1, q, w)) = (points[k], points[k + 1]);
    let (s, d) = ((time - t0) / (t1 - t0), t1 - t0);
    [0, 1].map(|i| {
        (1.0 - s) * (1.0 - s) * ((1.0 + 2.0 * s) * p[i] + s * d * v[i])
            + s * s * ((3.0 - 2.0 * s) * q[i] - (1.0 - s) * d * w[i])
    })
}

fn desk(plan: &str) -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", model()).put("scene.obj", walls(&WALLS)).put("plan.json", plan);
    desk
}

const FILES: [&str; 6] = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "plan.json"];

fn run(desk: &Desk, arguments: &[&str], more: &[&str]) -> Run {
    desk.run(&[arguments, &FILES, more].concat())
}

fn export(desk: &Desk, more: &[&str]) -> Reader {
    let run = run(desk, &["render", "--out", "motion.glb"], more);
    assert_eq!((run.code, run.errors()), (Some(0), vec![]), "{}", run.stderr);
    Reader::new(&std::fs::read(desk.path("motion.glb")).unwrap())
}

/// The largest distance of a corner of a cube from where the joints put it.
fn farthest(reader: &Reader, [x, angle]: [f64; 2]) -> f64 {
    let slider = DAffine3::from_translation(DVec3::X * x);
    let arm = slider * DAffine3::from_translation(DVec3::Z * 0.5) * DAffine3::from_rotation_z(angle);
    let mut farthest: f64 = 0.0;
    for (name, pose, half) in [("slider", slider, 0.1), ("arm", arm, 0.05)] {
        let found = reader.corners(name);
        assert_eq!(found.len(), 36, "a cube has twelve triangles");
        for k in 0..8 {
            let corner = DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 0 { -half } else { half }));
            let expected = pose.transform_point3(corner);
            let away = found.iter().map(|p| (*p - expected).length()).fold(f64::INFINITY, f64::min);
            farthest = farthest.max(away);
        }
    }
    farthest
}

/// The joints of a view deviate by at most 1e-4, so a corner does by at most 1e-4 m and 0.08 m times 1e-4.
const DEVIATION_M: f64 = 1.1e-4;

#[test]
fn the_animation_is_the_curve_and_exact_at_the_contact() {
    let desk = desk(&plan(&[BENT, FREE]));
    let mut reader = export(&desk, &["--index", "0"]);
    let answer = reader.extras(0);
    assert_eq!((&answer["segment"], &answer["a"]["link"]), (&json!(0), &json!("slider")));
    let time = numbers(&answer["time_s"])[0];
    assert!((time - 2.0).abs() < 1e-6, "{time}");
    // The animation begins at 0 with the first point, which is at 1 s.
    let (mut worst, mut straight): (f64, f64) = (0.0, 0.0);
    for k in 0..=500 {
        let t = 2.5 * f64::from(k) / 500.0;
        reader.at(0, t);
        worst = worst.max(farthest(&reader, values(BENT, 1.0 + t)));
        let linear = BENT.windows(2).find_map(|w| {
            let s = (1.0 + t - w[0].0) / (w[1].0 - w[0].0);
            (s <= 1.0).then(|| [0, 1].map(|i| w[0].1[i] + (w[1].1[i] - w[0].1[i]) * s))
        });
        straight = straight.max(farthest(&reader, linear.unwrap()));
    }
    assert!(worst < DEVIATION_M && straight > 0.1, "{worst} m from the curve, {straight} m from straight lines");
    reader.at(0, time - 1.0);
    // Single precision.
    assert!(farthest(&reader, values(BENT, time)) < 1e-6);
    let front = reader.corners("slider").iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    assert!((front - 0.9).abs() < 1e-6, "{front}");
}

#[test]
fn waypoints_without_times_take_a_second_each() {
    let points = [[0.0, 0.0], [0.4, 1.0], [0.4, 1.0], [1.4, -2.0]];
    let text = json!({"joints": ["x", "turn"], "trajectories": [{"positions": points}]}).to_string();
    let desk = desk(&text);
    let mut reader = export(&desk, &["--index", "0"]);
    // 0.8 m is at 0.4 of the third segment.
    let answer = reader.extras(0);
    assert!(answer["segment"] == 2 && (numbers(&answer["toc"])[0] - 0.4).abs() < 1e-8, "{answer}");
    for t in [0.0, 0.25, 1.0, 1.5, 2.4, 3.0] {
        reader.at(0, t);
        let k = (t as usize).min(2);
        let expected = [0, 1].map(|i| points[k][i] + (points[k + 1][i] - points[k][i]) * (t - k as f64));
        assert!(farthest(&reader, expected) < 1e-6, "{t}");
    }
}

/// A trajectory of one straight segment without times is a motion: its files have the same bytes.
#[test]
fn a_motion_has_the_same_file_as_its_trajectory() {
    let text = json!({"joints": ["x", "turn"], "trajectories": [{"positions": [[0.0, 0.0], [1.4, 2.0]]}]}).to_string();
    let desk = desk(&text);
    export(&desk, &["--index", "0"]);
    let of_trajectory = std::fs::read(desk.path("motion.glb")).unwrap();
    desk.put("plan.json", json!({"joints": ["x", "turn"], "motions": [[[0.0, 0.0], [1.4, 2.0]]]}).to_string());
    export(&desk, &["--index", "0"]);
    assert!(of_trajectory == std::fs::read(desk.path("motion.glb")).unwrap());
}

#[test]
fn a_picture_shows_where_the_curve_first_touches() {
    if skip() {
        return;
    }
    let desk = desk(&plan(&[BENT]));
    let more = ["--index", "0", "--size", "320x200", "--exposures", "1", "--view", "90,0"];
    let drawn = run(&desk, &["render", "--out", "picture.png"], &more);
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    assert!(drawn.stdout.starts_with("motion 0, segment 0: 0.5"), "{}", drawn.stdout);
    let ([width, height], pixels) = png(&desk, "picture.png");
    assert_eq!([width, height], [320, 200]);
    let red = pixels.iter().filter(|[r, g, b]| *r > 130 && 10 * u32::from(*r) > 16 * u32::from(*g.max(b))).count();
    assert!(red > 10, "the contact is not marked: {red}");
}

#[test]
fn options_that_do_not_suit_trajectories_are_refused() {
    let desk = desk(&plan(&[BENT]));
    for (more, said) in [
        (&["--index", "0", "--tiles", "tiles"][..], "--tiles"),
        (&["--index", "1"], "there is no motion 1"),
        (&["--index", "0", "--interpolation", "quintic"], "acceleration"),
    ] {
        let run = run(&desk, &["render", "--out", "motion.glb"], more);
        assert!(run.code == Some(3) && run.errors().len() == 1 && run.stderr.contains(said), "{}", run.stderr);
        assert!(!desk.path("motion.glb").exists());
    }
}

/// The page of a check and that of its results show the trajectories with their clocks.
#[test]
fn pages_show_trajectories() {
    let desk = desk(&plan(&[BENT, FREE]));
    let checked = run(&desk, &["check", "--out", "results.jsonl", "--html", "page.html"], &[]);
    assert_eq!((checked.code, checked.errors()), (Some(1), vec![]), "{}", checked.stderr);
    let reported = run(&desk, &["report", "results.jsonl", "--out", "report.html"], &[]);
    assert_eq!((reported.code, reported.errors()), (Some(0), vec![]), "{}", reported.stderr);
    for name in ["page.html", "report.html"] {
        let html = page(&desk, name);
        let options = texts(&html, "#viewer option");
        assert_eq!(options, ["motion 0: contact at 2.0000 s, in segment 0, slider – wall", "motion 1: free"]);
        assert_eq!(rows(&html, "contacts")[0][..4], ["0 3-D", "2.000000 s", "slider", "wall"].map(String::from));
        let facts = texts(&html, "section[id$='-tested'] dd").join("\n");
        assert!(facts.contains("plan.json: 2 trajectories"), "{facts}");
        assert_eq!(animations(&html)[0]["segment"], 0);
        let frames = frames(&html);
        assert_eq!((&frames[0]["clock"]["unit"], &frames[0]["clock"]["knots"]), (&json!("s"), &json!([1.0, 3.0, 3.5])));
        assert!((frames[0]["clock"]["contact"].as_f64().unwrap() - 2.0).abs() < 1e-6);
        assert_eq!(frames[1]["clock"], json!({"unit": "s", "knots": [0.0, 4.0]}));
        assert!(select(&html, ".note").iter().all(|note| !super::report::text(*note).contains("not shown")));
    }
}

/// The views in the extras of the first file's scene.
fn frames(html: &scraper::Html) -> Vec<Value> {
    let scene = super::html::gltf(html).default_scene().unwrap().extras().clone().unwrap();
    let told: Value = serde_json::from_str(scene.get()).unwrap();
    told["motions"].as_array().unwrap().clone()
}

/// Results of other trajectories are answered with one message.
#[test]
fn results_of_other_trajectories_are_refused() {
    let desk = desk(&plan(&[BENT]));
    assert_eq!(run(&desk, &["check", "--out", "results.jsonl"], &[]).code, Some(1));
    let text = std::fs::read_to_string(desk.path("results.jsonl")).unwrap();
    desk.put("results.jsonl", text.replacen("\"segment\":0", "\"segment\":7", 1));
    let run = run(&desk, &["report", "results.jsonl", "--out", "report.html"], &[]);
    assert!(run.code == Some(3) && run.errors().len() == 1, "{}", run.stderr);
    assert!(run.stderr.contains("motion 0") && run.stderr.contains("segment 7 of 2"), "{}", run.stderr);
    assert!(!desk.path("report.html").exists());
}

/// A free joint turns about a constant axis at a constant rate in each segment, and at times of its own in each.
#[test]
fn free_joints_turn_about_an_axis() {
    let turned = |x: f64, angle: f64| [x, 0.0, 0.0, 0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos()];
    let points = [(0.0, 0.0, 0.0), (2.0, 1.0, 0.8), (3.0, -0.5, 3.0)];
    let joints = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("fly.{c}"));
    let trajectory = json!({"times_s": points.map(|p| p.0), "positions": points.map(|p| turned(p.1, p.2))});
    let desk = desk(&json!({"joints": joints, "trajectories": [trajectory]}).to_string());
    let fly = joint("fly", "floating", "room", "kite", "1 0 0");
    desk.put("robot.urdf", robot(&["<link name=\"room\"/>", &link("kite", CUBE), &fly]));
    desk.put("scene.obj", walls(&[("far", 40.0)]));
    let mut reader = export(&desk, &["--index", "0"]);
    for (t, x, angle) in [(0.0, 0.0, 0.0), (0.5, 0.25, 0.2), (1.5, 0.75, 0.6), (2.0, 1.0, 0.8), (2.75, -0.125, 2.45)] {
        reader.at(0, t);
        let pose = DAffine3::from_translation(DVec3::X * x) * DAffine3::from_rotation_z(angle);
        let expected = pose.transform_point3(DVec3::splat(0.1));
        let away = reader.corners("kite").iter().map(|p| (*p - expected).length()).fold(f64::INFINITY, f64::min);
        assert!(away < 1e-6, "{away} m away at {t}");
    }
}

//! Wrong lines are detected: each defect of a line that is right is found.

use super::judge::{Bodies, Judged, Question};
use crate::link_pairs::solids::block;
use crate::oracle::mesh::Triangle;
use crate::oracle::scene::Object;
use crate::trajectories::case::Case;
use crate::trajectories::corners::{path, tip, wall};
use crate::trajectories::curve::Trajectory;
use glam::DVec3;
use serde_json::{Value, json};

/// The tip, 0.5 m ahead, comes to 0.25 m from the wall at x = 1.75 m at the end of the first segment.
struct Trial {
    case: Case,
    t: Trajectory,
    question: Question,
}

impl Trial {
    fn new() -> Self {
        let case = Case::new(&tip(), vec![wall("wall", 1.75), wall("far", 5.0)]);
        Self { case, t: path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]), question: Question::new(1e-4) }
    }

    fn judge(&self, line: &Value) -> Judged {
        self.question.judge(Bodies { course: &self.case.course, counts: None }, &self.t, line)
    }

    fn faults(&self, line: &Value) -> Vec<String> {
        self.judge(line).faults
    }

    /// Expects that the right line has this fault after a value was changed or, by null, removed.
    #[track_caller]
    fn finds(&self, fault: &str, pointer: &str, value: Value) {
        let mut line = right();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = line.pointer_mut(parent).unwrap();
        match parent {
            Value::Object(map) if value.is_null() => drop(map.remove(key)),
            Value::Object(map) => drop(map.insert(key.into(), value)),
            list => list[key.parse::<usize>().unwrap()] = value,
        }
        let found = self.faults(&line);
        assert!(found.iter().any(|f| f.contains(fault)), "{fault}: {found:?}");
    }
}

fn right() -> Value {
    json!({"motion": 0, "verdict": "free", "clearance": {"distance_m": [0.24995, 0.25], "segment": 0, "t": 1.0,
        "a": {"link": "tip", "shape": 0, "triangle": 0, "feature": "vertex", "index": 2},
        "b": {"object": "wall", "triangle": 0, "feature": "face", "index": 0},
        "points": [[1.5, 1.0, 0.0], [1.75, 1.0, 0.0]]}})
}

fn free(clearance: Value) -> Value {
    json!({"motion": 0, "verdict": "free", "clearance": clearance})
}

#[test]
fn the_right_line_has_no_fault() {
    let trial = Trial::new();
    let judged = trial.judge(&right());
    assert_eq!(judged.faults, [""; 0]);
    let seen = judged.minimum.unwrap();
    assert!(seen.near.is_some_and(|n| n.distance_m == 0.25) && seen.at_least_m > 0.25 - 2.6e-5, "{seen:?}");
    let mut other = right();
    other["clearance"]["segment"] = json!(1);
    other["clearance"]["t"] = json!(0.0);
    assert_eq!(trial.faults(&other), [""; 0]);
    // Features may be absent.
    ["a", "b"].iter().for_each(|side| other["clearance"][side].as_object_mut().unwrap().retain(|k, _| k != "feature"));
    assert_eq!(trial.faults(&other), [""; 0]);
    for verdict in ["contact", "undecided"] {
        assert_eq!(trial.faults(&json!({"motion": 0, "verdict": verdict})), [""; 0]);
    }
}

#[test]
fn wrong_forms() {
    let trial = Trial::new();
    trial.finds("no clearance", "/clearance", Value::Null);
    for verdict in ["contact", "undecided"] {
        trial.finds("a clearance of a motion that is not free", "/verdict", json!(verdict));
    }
    trial.finds("not an object", "/clearance", json!(0.25));
    trial.finds("not a distance", "/clearance/distance_m", Value::Null);
    trial.finds("not a distance", "/clearance/distance_m", json!(0.25));
    trial.finds("not a distance", "/clearance/distance_m", json!([0.25]));
    trial.finds("not a distance", "/clearance/distance_m", json!([0.25, null]));
    trial.finds("not a distance", "/clearance/distance_m", json!(["0.25", 0.25]));
    trial.finds("no segment", "/clearance/segment", Value::Null);
    trial.finds("no segment", "/clearance/segment", json!(0.5));
    trial.finds("no time", "/clearance/t", Value::Null);
    trial.finds("not two points", "/clearance/points", Value::Null);
    trial.finds("not two points", "/clearance/points/0", json!([1.5, 1.0]));
    trial.finds("no name of a side", "/clearance/b/object", Value::Null);
    trial.finds("no shape of a side", "/clearance/a/shape", Value::Null);
    trial.finds("no triangle of a side", "/clearance/b/triangle", Value::Null);
    trial.finds("no index of a side", "/clearance/a/index", Value::Null);
    trial.finds("no name of a side", "/clearance/a", Value::Null);
}

#[test]
fn wrong_distances() {
    let trial = Trial::new();
    let distance = "/clearance/distance_m";
    trial.finds("not an interval", distance, json!([0.25, 0.24995]));
    trial.finds("not an interval", distance, json!([-1e-5, 0.0]));
    trial.finds("wide", distance, json!([0.2498, 0.25]));
    trial.finds("wide", distance, json!([0.24989999, 0.25]));
    trial.finds("something is nearer", distance, json!([0.25000001, 0.2500001]));
    trial.finds("something is nearer", distance, json!([0.3, 0.30005]));
    trial.finds("the triangles are 0.25 m apart", distance, json!([0.24995, 0.24999999]));
    trial.finds("nothing is so near", distance, json!([0.2, 0.20005]));
    trial.finds("the triangles are only 0.25 m apart", distance, json!([0.25000001, 0.2500001]));
}

#[test]
fn wrong_places() {
    let trial = Trial::new();
    trial.finds("no such time", "/clearance/segment", json!(2));
    trial.finds("no such time", "/clearance/t", json!(1.5));
    trial.finds("no such time", "/clearance/t", json!(-0.5));
    // The other segment, where the tip has turned back, and a time before.
    trial.finds("m apart", "/clearance/segment", json!(1));
    trial.finds("m apart", "/clearance/t", json!(0.999));
    trial.finds("no link", "/clearance/a/link", json!("hand"));
    trial.finds("no body", "/clearance/b/object", json!("table"));
    trial.finds("a pair that does not count", "/clearance/a/link", json!("cross"));
    trial.finds("no such triangle", "/clearance/b/triangle", json!(1));
    trial.finds("another shape", "/clearance/a/shape", json!(1));
    // The base of the spike, and another object.
    trial.finds("the triangles are 0.5 m apart", "/clearance/a/triangle", json!(4));
    trial.finds("m apart", "/clearance/b/object", json!("far"));
}

#[test]
fn wrong_points() {
    let trial = Trial::new();
    trial.finds("from the triangle of a", "/clearance/points/0", json!([1.5, 1.00001, 0.0]));
    trial.finds("the points are", "/clearance/points/0", json!([1.49999, 1.0, 0.0]));
    trial.finds("from the triangle of b", "/clearance/points/1", json!([1.75001, 1.0, 0.0]));
    trial.finds("the points are", "/clearance/points/1", json!([1.75, 1.01, 0.0]));
    // Both moved together: the same distance.
    trial.finds("from the triangle of a", "/clearance/points", json!([[1.5, 1.1, 0.0], [1.75, 1.1, 0.0]]));
    trial.finds("from the feature of a", "/clearance/a/index", json!(0));
    trial.finds("from the feature of b", "/clearance/b/feature", json!("edge"));
}

#[test]
fn limits_and_margins() {
    let mut trial = Trial::new();
    let beyond = |d: f64| free(json!({"distance_m": [d, null]}));
    assert_eq!(trial.faults(&beyond(0.2)), ["another limit"]);
    trial.question.limit_m = Some(0.2);
    assert_eq!(trial.faults(&beyond(0.2)), [""; 0]);
    assert_eq!(trial.faults(&beyond(0.21)), ["another limit"]);
    assert!(trial.faults(&right()).contains(&"beyond the limit".to_owned()));
    let more = free(json!({"distance_m": [0.2, null], "segment": 0}));
    assert_eq!(trial.faults(&more), ["not a distance, or fields that do not belong to it"]);
    trial.question.limit_m = Some(0.3);
    assert_eq!(trial.faults(&right()), [""; 0]);
    assert_eq!(trial.faults(&beyond(0.3)), ["something is within the limit"]);
    let mut trial = Trial::new();
    trial.question.margin_m = 0.24994;
    assert_eq!(trial.faults(&right()), [""; 0]);
    trial.question.margin_m = 0.24996;
    assert_eq!(trial.faults(&right()), ["within the margin"]);
}

/// Nothing is tested, or nothing but what touches at the start.
#[test]
fn a_distance_without_tested_pairs_is_a_fault() {
    let nothing = free(json!({"distance_m": null}));
    let mut trial = Trial::new();
    assert_eq!(trial.faults(&nothing), ["pairs are tested, but there is no distance"]);
    trial.case.course.pairs.clear();
    assert_eq!(trial.faults(&nothing), [""; 0]);
    assert_eq!(trial.faults(&right()), ["nothing is so near", "a pair that does not count"]);
    let mut trial = Trial::new();
    trial.case = Case::new(&tip(), vec![wall("near", 0.375)]);
    trial.t = path(&[[0.0, 0.0], [-1.0, 0.0]]);
    assert!(trial.faults(&nothing).len() == 1);
    trial.question.ignores_initial = true;
    assert_eq!(trial.faults(&nothing), [""; 0]);
}

/// A motion that pierces is not free, whatever its clearance is.
#[test]
fn a_clearance_of_a_piercing_motion_is_a_fault() {
    let mut trial = Trial::new();
    trial.case = Case::new(&tip(), vec![wall("wall", 1.75), wall("far", 1.2)]);
    let found = trial.faults(&right());
    assert!(found.contains(&"something pierces".into()) && found.contains(&"something is nearer".into()), "{found:?}");
}

/// The second shape of a link, by numbers of triangles.
#[test]
fn shapes_of_links() {
    let trial = Trial::new();
    let counts = [vec![], vec![], vec![0, 4, 2]];
    let bodies = Bodies { course: &trial.case.course, counts: Some(&counts) };
    let mut line = right();
    assert_eq!(trial.question.judge(bodies, &trial.t, &line).faults, ["another shape"]);
    line["clearance"]["a"]["shape"] = json!(1);
    assert_eq!(trial.question.judge(bodies, &trial.t, &line).faults, [""; 0]);
}

/// Links against each other: two boxes on slides come to 0.3 m.
#[test]
fn links_in_the_order_of_the_file() {
    let at = |x: f64| DVec3::new(x, 0.0, 0.0);
    let shape: Vec<Triangle> = block([-0.1; 3], [0.1; 3]);
    let slides = crate::link_pairs::mechanism::Mechanism::default()
        .link("base", vec![])
        .link("left", shape.clone())
        .link("right", shape)
        .joint(("l", "prismatic"), ("base", "left"), at(0.0), DVec3::X)
        .joint(("r", "prismatic"), ("base", "right"), at(1.0), DVec3::X);
    let none: Vec<Object> = vec![];
    let case = Case::with_links(&slides, none);
    let t = path(&[[0.0, 0.0], [0.5, 0.0]]);
    let course = &case.course;
    let seen = super::minimum::minimum(course, &course.pairs, &t.nominal(), super::minimum::Care::new(1e-4));
    let near = seen.near.unwrap();
    assert!((near.distance_m - 0.3).abs() < 1e-14 && near.u == 1.0, "{seen:?}");
    let line = |a: &str, b: &str, [m, n]: [usize; 2], points: Value| {
        free(json!({"distance_m": [0.29999, 0.30001], "segment": 0, "t": 1.0, "points": points,
            "a": {"link": a, "shape": 0, "triangle": m}, "b": {"link": b, "shape": 0, "triangle": n}}))
    };
    let [x, y] = course.triangles_at(near.pair, near.triangles, &t.nominal(), 1.0);
    let (p, q) = crate::oracle::triangles::closest(&x, &y);
    let question = Question::new(1e-4);
    let faults = |line: &Value| question.judge(Bodies { course, counts: None }, &t, line).faults;
    let (p, q, [m, n]) = (json!(p.to_array()), json!(q.to_array()), near.triangles);
    assert_eq!(faults(&line("left", "right", [m, n], json!([p, q]))), [""; 0]);
    assert_eq!(faults(&line("right", "left", [n, m], json!([q, p]))), ["a pair that does not count"]);
    assert_eq!(faults(&line("left", "base", [m, n], json!([p, q]))), ["a pair that does not count"]);
}

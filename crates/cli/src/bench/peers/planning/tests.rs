//! Tests of the comparison on planning problems, with made-up answers.

use super::super::tests::{slider, stub};
use super::case::{Set, robot_file};
use super::*;
use crate::bench::MeasureArgs;
use crate::bench::run::{Cell, Table};
use crate::dataset::FolderArgs;
use firstcontact::formats::moveit::{PlanningScene, Request};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact_datasets::problems::Problem;
use tempfile::TempDir;

/// A cube of 0.2 m that slides along x from 0 to a goal, and a wall whose face is at 0.6: contact if the goal is beyond
/// 0.5.
fn problem(name: &str, goal: f64, shape: &str) -> Problem {
    let scene = format!("world: {{collision_objects: [{{id: wall, {shape}}}]}}");
    let request = format!(
        "start_state: {{joint_state: {{name: [x], position: [0]}}}}\n\
         goal_constraints: [{{joint_constraints: [{{joint_name: x, position: {goal}}}]}}]"
    );
    let planning = PlanningScene::parse(&scene, Path::new(""), &SceneOptions::default()).unwrap();
    Problem {
        name: name.into(),
        planning,
        request: Request::parse(&request, Path::new(""), &SceneOptions::default()).unwrap(),
    }
}

const WALL: &str = "primitives: [{type: box, dimensions: [0.2, 2, 2]}], primitive_poses: [{position: [0.7, 0, 0]}]";

/// Problems with a contact, except those whose goal is 0.25.
fn set(goals: &[f64]) -> Set {
    let found = goals.iter().enumerate().map(|(i, &goal)| problem(&format!("box/{i:04}"), goal, WALL)).collect();
    Set::new("mbm-panda/box", "panda", slider(), found, usize::MAX).unwrap()
}

fn args(out: &TempDir, peers: &TempDir) -> PeersArgs {
    PeersArgs {
        measure: MeasureArgs {
            out: out.path().to_path_buf(),
            quick: true,
            cpu_only: true,
            folder: FolderArgs::at(out.path().join("none")),
        },
        peers: Some(peers.path().to_path_buf()),
        pool: None,
        problems: vec!["mbm-panda/box".into()],
        motions: None,
        limit_s: 20,
        only: None,
    }
}

/// The row of a table with this text in a column.
fn row<'a>(table: &'a Table, column: usize, name: &str) -> &'a [Cell] {
    table.rows.iter().find(|row| row[column] == Cell::from(name)).unwrap_or_else(|| panic!("no {name}: {table:?}"))
}

fn table<'a>(run: &'a Run, id: &str) -> &'a Table {
    run.tables.iter().find(|t| t.id == id).unwrap()
}

#[test]
#[cfg(unix)]
fn wrong_answers_are_counted_and_motions_in_contact_with_themselves_are_not_judged() {
    let (out, peers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let say = |reported: [&str; 5]| {
        let line = |(i, reported)| format!("echo answer {i} {reported} - 1e-6 1e-6; ");
        reported.into_iter().enumerate().map(line).collect::<String>() + "echo end"
    };
    let (c, f) = ("contact", "free");
    // Of the motions 0, 1 and 4 with a contact and the free ones 2 and 3: 0 is missed, 2 is false, and 4 is rejected
    // without obstacles too.
    let (wrong, right) = (say([f, c, c, f, c]), say([c, c, f, f, c]));
    let (itself, nothing) = (say([f, f, f, f, c]), say([f; 5]));
    let script = format!(
        "test -f \"$1/problems.txt\" || exit 8\necho about VAMP stub\ncase \"$2 $3\" in 'motion 32') {wrong};; \
         'alone 32') {itself};; 'motion 1024') {right};; 'alone 1024') {nothing};; *) exit 9;; esac"
    );
    stub(&peers, "vamp", &script);
    let run = compare(&args(&out, &peers), vec![set(&[1.0, 1.0, 0.25, 0.25, 1.0])], &AtomicBool::new(false)).unwrap();
    let numbers = |values: [f64; 10]| values.map(Cell::from);
    let verdicts = table(&run, "verdicts");
    // Motions, with itself, contacts, missed, %, free, false, %, not judged, not answered.
    let expected = numbers([5.0, 1.0, 2.0, 1.0, 50.0, 2.0, 1.0, 50.0, 0.0, 0.0]);
    assert_eq!(row(verdicts, 1, METHODS[0].name)[2..], expected);
    let expected = numbers([5.0, 0.0, 3.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(row(verdicts, 1, METHODS[1].name)[2..], expected);
    // The method that crashed has no answers, and none is judged.
    assert_eq!(row(verdicts, 1, METHODS[2].name)[11], Cell::from(5usize));
    let Cell::Text(remark) = &row(table(&run, "who"), 0, METHODS[2].name)[3] else { panic!("no remark") };
    assert!(remark.contains("exit status: 9"), "{remark}");
    assert_eq!(table(&run, "verdicts-by-kind").rows[0][1], Cell::from("1 of 2 / 1 of 2 / 1"));
    let missed = &table(&run, "missed").rows;
    assert!(missed.len() == 1 && missed[0][0] == Cell::from("panda box/0000"), "{missed:?}");
    assert_eq!(run.datasets[0].motions, [0]);
    // Times of motions that are in contact with themselves do not count.
    assert_eq!(table(&run, "times").rows[0][2], Cell::from(2usize));
    assert_eq!(table(&run, "times").rows[0][4], Cell::from(1.0));
}

#[test]
fn a_missing_program_is_reported_and_the_engine_measured() {
    let (out, peers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = compare(&args(&out, &peers), vec![set(&[1.0, 0.25])], &AtomicBool::new(false)).unwrap();
    let Cell::Text(why) = &row(table(&run, "who"), 0, PROGRAM)[3] else { panic!("no remark") };
    assert!(why.contains("setup.sh"), "{why}");
    assert!(table(&run, "verdicts").rows.is_empty());
    assert!(matches!(table(&run, "times").rows[0][3], Cell::Number(us) if us > 0.0));
    let error = robot_file(peers.path(), "panda").unwrap_err().to_string();
    assert!(error.contains("panda.urdf") && error.contains("setup.sh"), "{error}");
}

#[test]
fn an_interruption_ends_the_measurement() {
    let (out, peers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let error = compare(&args(&out, &peers), vec![set(&[1.0])], &AtomicBool::new(true)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

#[test]
fn problems_are_described_for_vamp() {
    let can = "primitives: [{type: cylinder, dimensions: [3, 0.25]}, {type: sphere, dimensions: [0.5]}], \
               primitive_poses: [{position: [0, 0, 9]}, {position: [1, 2, 3], orientation: [0, 0, 1, 0]}]";
    let found = vec![problem("box/0001", 0.5, WALL), problem("cage/0001", -0.25, can)];
    let set = Set::new("mbm-panda/all", "panda", slider(), found, usize::MAX).unwrap();
    let expected = "robot panda\njoints 1 x\nproblems 2\n\
                    problem box 1\nbox 0.2 2 2  1 0 0 0.7  0 1 0 0  0 0 1 0\n0 0.5\n\
                    problem cage 2\ncylinder 0.25 3 0  1 0 0 0  0 1 0 0  0 0 1 9\n\
                    sphere 0.5 0 0  -1 0 0 1  0 -1 0 2  0 0 1 3\n0 -0.25\n";
    // A half turn about z has no negative zeros that matter.
    assert_eq!(file::describe(&set).unwrap().replace("-0 ", "0 "), expected);
}

#[test]
fn problems_that_vamp_cannot_represent_are_omitted_and_kinds_truncated() {
    let sheet = "meshes: [{vertices: [[9, 0, 0], [9, 1, 0], [9, 0, 1]], triangles: [[0, 1, 2]]}]";
    let named = ["box/0001", "box/0002", "box/0003", "cage/0001"];
    let mut found: Vec<Problem> = named.iter().map(|name| problem(name, 1.0, WALL)).collect();
    found.insert(0, problem("box/0000", 1.0, sheet));
    let set = Set::new("mbm-panda/all", "panda", slider(), found, 2).unwrap();
    assert_eq!(set.left_out, ["box/0000: it has a mesh"]);
    let kept: Vec<_> = set.cases.iter().map(|c| (c.name.as_str(), c.number, c.kind)).collect();
    assert_eq!(kept, [("box/0001", 1, 0), ("box/0002", 2, 0), ("cage/0001", 4, 1)]);
}

#[test]
fn edges_cover_their_motion_and_those_that_begin_in_contact_are_not_judged() {
    let (out, peers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = set(&[2.0]);
    let cut = whole.cut().unwrap();
    let ends: Vec<_> = cut.cases.iter().map(|c| [c.motion.start(0)[0], c.motion.end(0)[0]]).collect();
    assert_eq!(ends, [[0.0, 0.5], [0.5, 1.0], [1.0, 1.5], [1.5, 2.0]]);
    assert_eq!((cut.cases[1].name.as_str(), cut.label.as_str()), ("box/0000, 2 of 4", "panda, edges"));
    // From 0 to 0.4 is free, to 0.8 a contact; at 0.8 the cube is in the wall, and at 1.2 beyond it.
    let cut = set(&[1.6]).cut().unwrap();
    let (_, facts) = this_engine(&cut, 1, &AtomicBool::new(false)).unwrap();
    assert!(facts[0] == Fact::Free && facts[1].is_contact() && facts[3] == Fact::Free, "{facts:?}");
    assert_eq!(facts[2], Fact::Unknown);
    let run = compare(&args(&out, &peers), vec![whole, cut], &AtomicBool::new(false)).unwrap();
    assert_eq!(run.datasets.len(), 1);
}

//! Two robots of the command, against the oracle for one robot that has the links of both, and against its lines.

use super::answers::Clearance;
use super::case::{faults, judged, require_lines};
use super::judge::{Bodies, Judged, Question};
use crate::cli::{Checked, Desk};
use crate::effort;
use crate::harness::models::Draw;
use crate::link_pairs::mechanism::Mechanism;
use crate::trajectories::case::Case;
use crate::trajectories::course::Other;
use crate::trajectories::curve::Trajectory;
use crate::trajectories::draw;
use glam::DVec3;
use std::collections::BTreeSet;

const BASES: [(&str, DVec3); 2] = [("left", DVec3::new(-0.3, 0.0, 0.0)), ("right", DVec3::new(0.3, 0.1, 0.05))];

/// The links and joints of both on fixed joints below a link without shape, with names as the command gives them.
fn merged(robots: &[Mechanism; 2]) -> Mechanism {
    let mut all = Mechanism::default().link("floor", vec![]);
    for ((name, base), robot) in BASES.iter().zip(robots) {
        let full = |own: &str| format!("{name}/{own}");
        all = all.joint((&full("hold"), "fixed"), ("floor", &full(robot.root())), *base, DVec3::X);
        for link in &robot.links {
            all = all.link(&full(&link.name), link.triangles.clone());
        }
        for joint in &robot.joints {
            let mut joint = joint.clone();
            [&mut joint.name, &mut joint.parent, &mut joint.child].into_iter().for_each(|own| *own = full(own));
            all.joints.push(joint);
        }
    }
    all
}

/// Checks two files of robots; only links of different robots are tested.
fn check_two(robots: &[Mechanism; 2], case: &Case, all: &[Trajectory], options: &[String]) -> Checked {
    let desks = [Desk::new(), Desk::new()];
    let mut files = Vec::new();
    for (((name, base), robot), desk) in BASES.iter().zip(robots).zip(&desks) {
        let text = robot.write(desk);
        desk.put("robot.urdf", text);
        files.extend(["--robot".into(), format!("{name}={}", desk.path("robot.urdf").display())]);
        files.extend(["--base".into(), format!("{name}={},{},{},0,0,0", base.x, base.y, base.z)]);
    }
    case.desk.put("motions.json", case.json(all));
    files.extend(["--motions".into(), case.desk.path("motions.json").display().to_string()]);
    let [files, options] = [&files, options].map(|o| o.iter().map(String::as_str).collect::<Vec<_>>());
    desks[0].check_paths(&files, &options)
}

/// The pairs of one robot, which are not tested, taken out; the lines that `--allow` needs for the merged robot.
fn leave_own_pairs_out(case: &mut Case) -> String {
    let links = case.course.robot.links().to_vec();
    let robot_of = |link: usize| links[link].name.split_once('/').map(|n| n.0);
    let own: BTreeSet<_> = case
        .course
        .pairs
        .iter()
        .filter_map(|(a, b)| if let Other::Link(b) = b { Some((*a, *b)) } else { None })
        .filter(|(a, b)| robot_of(*a) == robot_of(*b))
        .collect();
    case.course.pairs.retain(|(a, b)| !matches!(b, Other::Link(b) if own.contains(&(*a, *b))));
    own.iter().map(|(a, b)| format!("{} {}\n", links[*a].name, links[*b].name)).collect()
}

fn distance(judged: &Judged) -> Option<[f64; 2]> {
    judged.clearance.as_ref().and_then(Clearance::nearest).map(|n| n.distance_m)
}

/// Two arms, the case of the merged robot, and trajectories.
fn some(seed: u64) -> ([Mechanism; 2], Case, Vec<Trajectory>) {
    let mut draw = Draw::new(seed);
    let robots = [draw::arm(&mut draw), draw::arm(&mut draw)];
    let mut case = Case::with_links(&merged(&robots), vec![]);
    let lines = leave_own_pairs_out(&mut case);
    case.desk.put("own.txt", lines);
    let all = draw::trajectories(&mut draw, &case.course, 10);
    (robots, case, all)
}

/// With clearances by the oracle: both descriptions are of the same robots.
#[test]
fn lines_made_by_the_oracle() {
    let (robots, case, all) = some(51_000);
    let one = case.check(&all, &["--allow", "own.txt"]);
    let mut two = check_two(&robots, &case, &all, &[]);
    require_lines(&two, all.len());
    let verdicts = |c: &Checked| c.lines.iter().map(|l| l["verdict"].clone()).collect::<Vec<_>>();
    assert_eq!(verdicts(&one), verdicts(&two), "{}", one.run.stderr);
    let (question, bodies) = (Question::new(1e-3), Bodies { course: &case.course, counts: None });
    for (line, t) in two.lines.iter_mut().zip(&all).filter(|(l, _)| l["verdict"] == "free") {
        line["clearance"] = super::made::clearance(bodies, t, question);
    }
    let found = question.judge_all(bodies, &all, &two.lines);
    assert_eq!(faults(&two, &found), [""; 0]);
    assert!(found.iter().any(|j| j.clearance.is_some()));
}

#[test]
fn two_robots_and_one_that_has_the_links_of_both() {
    let mut n_free = 0;
    for seed in 0..effort(3, 80) as u64 {
        let (robots, case, all) = some(51_000 + seed);
        let question = Question::new(2e-4);
        let one = judged(&case, &all, question, &["--allow", "own.txt"]);
        let checked = check_two(&robots, &case, &all, &question.options());
        require_lines(&checked, all.len());
        let two = question.judge_all(Bodies { course: &case.course, counts: None }, &all, &checked.lines);
        assert_eq!(faults(&checked, &two), [""; 0], "seed {seed}");
        for (a, b) in one.iter().zip(&two) {
            let (Some(a), Some(b)) = (distance(a), distance(b)) else { continue };
            assert!(a[0] <= b[1] + 1e-9 && b[0] <= a[1] + 1e-9, "{a:?} but {b:?}");
            n_free += 1;
        }
    }
    println!("{n_free} free trajectories of two robots");
    assert!(n_free > 0);
}

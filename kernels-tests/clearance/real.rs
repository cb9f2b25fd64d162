//! Real robots in real scenes.

use super::case::{Score, faults, require_lines};
use super::judge::{Bodies, Judged, Question};
use super::made;
use crate::cli::{Checked, Desk};
use crate::harness::skipped;
use crate::link_pairs::boxes;
use crate::oracle::fk::Robot;
use crate::oracle::placements::{self, Placement};
use crate::oracle::pool::{self, Truth};
use crate::oracle::shapes::{Choice, LinkMeshes, link_meshes};
use crate::oracle::{data, groups, npy, scene};
use crate::trajectories::case::array;
use crate::trajectories::course::{Course, Other, Pair};
use crate::trajectories::curve::Trajectory;
use crate::{effort, keep_part, part};
use std::collections::BTreeSet;
use std::path::Path;

/// A robot in a scene, with its motions.
struct Real {
    name: String,
    desk: Desk,
    /// Options that name the files.
    files: Vec<String>,
    course: Course,
    /// Number of triangles of each shape of each link.
    counts: Vec<Vec<usize>>,
    motions: Vec<Trajectory>,
}

impl Real {
    fn new(name: &str, robot: Robot, meshes: LinkMeshes, [urdf, scene]: [&Path; 2], tests_links: bool) -> Self {
        let objects = scene::read(scene);
        let names: BTreeSet<_> = objects.iter().map(|o| &o.name).collect();
        assert_eq!(names.len(), objects.len(), "objects of one name");
        let solid: Vec<bool> = meshes.triangles.iter().map(|t| !t.is_empty()).collect();
        let own = if tests_links { groups::pairs(&robot, &solid, false) } else { vec![] };
        let course = Course::new(robot, meshes.triangles, objects, &own);
        let mut files: Vec<String> = ["--robot", &urdf.to_string_lossy()].map(str::to_owned).into();
        if tests_links {
            files.extend(["--self-collision", "on"].map(str::to_owned));
        }
        files.push("--allow=allow.txt".into());
        let desk = Desk::new();
        desk.put("allow.txt", "");
        Self { name: name.into(), desk, files, course, counts: meshes.counts, motions: vec![] }
    }

    fn with_scene(mut self, scene: &Path) -> Self {
        let scene = placements::stage(scene, &self.desk.path("scene"));
        self.files.extend(["--scene".into(), scene.to_string_lossy().into_owned()]);
        self
    }

    /// Motions of a pool that are known to be free, `n` of them from all parts of the list, with their truth.
    fn of_pool(name: &str, n: usize) -> Option<(Self, Vec<Truth>)> {
        let folder = data::folder("puma-pool")?;
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        let urdf = folder.join("robot.urdf");
        let robot = Robot::load(&urdf, [0.0; 6], false);
        let meshes = link_meshes(&robot, Choice::Default);
        let mut real = Self::new(&format!("puma, {name}"), robot, meshes, [&urdf, &file("obj")], false);
        real = real.with_scene(&file("obj"));
        let (motions, truth) = (npy::read_motions(&file("npy")), pool::read_truth(&file("truth.jsonl")));
        let free: Vec<usize> = (0..truth.len()).filter(|i| truth[*i].contact.is_none()).collect();
        let n = n.min(free.len());
        let chosen: Vec<usize> = (0..n).map(|i| free[i * free.len() / n]).collect();
        let straight = |i: &usize| Trajectory::straight(&[motions[*i].0.clone(), motions[*i].1.clone()]);
        real.motions = chosen.iter().map(straight).collect();
        Some((real, pool::pick(&truth, &chosen)))
    }

    /// A placement with its first `n` motions.
    fn placed(placement: &Placement, n: usize, tests_links: bool) -> Option<Self> {
        let case = placement.case(n)?;
        let robot = case.sampler.robot.clone();
        let mut meshes = link_meshes(&robot, placement.geometry);
        let at_origin = Robot::load(&case.robot, [0.0; 6], false);
        boxes::split_alike(&case.robot, &at_origin, placement.geometry, &mut meshes.triangles);
        let mut real = Self::new(placement.name, robot, meshes, [&case.robot, &case.scene], tests_links);
        real = real.with_scene(&case.scene);
        let base = case.base.map(|x| x.to_string()).join(",");
        real.files.push(format!("--base={base}"));
        let is_allowed =
            |link: &str, object: &str| placement.allow.iter().any(|(a, b)| *a == link && (*b == "*" || *b == object));
        real.leave_out(&|real, pair| real.names(pair).is_some_and(|[a, b]| is_allowed(a, b)));
        real.motions = case.motions.iter().map(|(a, b)| Trajectory::straight(&[a.clone(), b.clone()])).collect();
        Some(real)
    }

    /// The names of a link and an object.
    fn names(&self, (link, other): Pair) -> Option<[&str; 2]> {
        let Other::Object(o) = other else { return None };
        Some([&self.course.robot.links()[link].name, &self.course.objects[o].name])
    }

    /// Takes pairs of links and objects out of those that are tested; returns their number.
    fn leave_out(&mut self, is_left_out: &dyn Fn(&Self, Pair) -> bool) -> usize {
        let (left, kept): (Vec<Pair>, _) = self.course.pairs.iter().partition(|p| is_left_out(self, **p));
        let line = |pair: &Pair| self.names(*pair).map(|[a, b]| format!("{a} {b}\n")).expect("an object");
        let lines: String = left.iter().map(line).collect();
        self.desk.put("allow.txt", self.desk.text("allow.txt") + &lines);
        self.course.pairs = kept;
        left.len()
    }

    /// Leaves out the pairs that are near in most motions, as wheels and a floor: they hide all others.
    fn leave_near_pairs_out(&mut self) {
        let n = self.leave_out(&|real, pair| {
            let is_near = |t: &&Trajectory| real.course.measure(pair, &t.nominal(), (0, 0.0), 0.1).is_some();
            let some = || real.motions.iter().step_by(real.motions.len().div_ceil(40));
            real.names(pair).is_some() && 5 * some().filter(is_near).count() >= 4 * some().count()
        });
        self.name += &format!(", {n} less");
    }

    fn check(&self, more: &[String]) -> Checked {
        for name in ["results.jsonl", "stats.json"] {
            let _ = std::fs::remove_file(self.desk.path(name));
        }
        self.desk.put("motions.npy", array(&self.motions));
        let files: Vec<&str> = self.files.iter().map(String::as_str).chain(["--motions", "motions.npy"]).collect();
        self.desk.check_paths(&files, &more.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Checks with and without clearance, judges the lines, and prints a row of the table.
    #[track_caller]
    fn judged(&self, question: Question, score: &mut Score) -> Vec<Judged> {
        let plain = self.check(&Question { limit_m: None, ..question }.options()[2..]);
        let checked = self.check(&question.options());
        require_lines(&checked, self.motions.len());
        let bodies = Bodies { course: &self.course, counts: Some(&self.counts) };
        let found = question.judge_all(bodies, &self.motions, &checked.lines);
        assert_eq!(faults(&checked, &found), [""; 0], "{}", self.name);
        let mut own = Score::default();
        own.add(question, &found);
        score.add(question, &found);
        self.print_row(question, &own, [&plain, &checked]);
        found
    }

    /// The judgements of the command's lines with clearances by the oracle.
    #[track_caller]
    fn made(&self, question: Question) -> Vec<Judged> {
        let mut checked = self.check(&question.options()[2..]);
        require_lines(&checked, self.motions.len());
        let bodies = Bodies { course: &self.course, counts: Some(&self.counts) };
        for (line, t) in checked.lines.iter_mut().zip(&self.motions).filter(|(l, _)| l["verdict"] == "free") {
            line["clearance"] = made::clearance(bodies, t, question);
        }
        let found = question.judge_all(bodies, &self.motions, &checked.lines);
        assert_eq!(faults(&checked, &found), [""; 0], "{}", self.name);
        found
    }

    /// Count, widths and work.
    fn print_row(&self, question: Question, score: &Score, [plain, checked]: [&Checked; 2]) {
        let [before, after] = [plain, checked].map(|c| c.stats["wall_s"].as_f64().unwrap_or(f64::NAN));
        let width = |i: usize| score.widths.get(i).map_or(f64::NAN, |w| w * question.tolerance_m);
        println!(
            "{:32} {:8.0e} {:7} {:7} {:7} {:12.2e} {:12.2e} {before:10.3} {after:10.3} {:7.1} {:9}  {}",
            self.name,
            question.tolerance_m,
            score.n,
            score.free,
            score.proved,
            width(score.widths.len() / 2),
            width(score.widths.len().wrapping_sub(1)),
            after / before,
            score.n_measured / score.free.max(1),
            checked.stats["clearance"]
        );
    }
}

fn print_head() {
    println!(
        "{:32} {:>8} {:>7} {:>7} {:>7} {:>12} {:>12} {:>10} {:>10} {:>7} {:>9}  statistics",
        "",
        "TOL (m)",
        "motions",
        "free",
        "proved",
        "median (m)",
        "widest (m)",
        "plain (s)",
        "with (s)",
        "ratio",
        "distances"
    );
}

/// The truth of the pool has the least sampled distance if that is below 5 mm. A value of 5 mm is not a lower bound:
/// motion 156 of amr starts at 4.82 mm.
fn hold_to_truth(truth: &[Truth], found: &[Judged], question: Question) {
    for (truth, judged) in truth.iter().zip(found) {
        let nearest = judged.clearance.as_ref().and_then(|c| c.nearest());
        let (Some(gap), Some(nearest)) = (truth.least_gap_m, nearest) else { continue };
        let [lo, _] = nearest.distance_m;
        assert!(gap >= 5e-3 || lo <= gap + 1e-9, "motion {}: {gap} but {nearest:?}, {question:?}", truth.motion);
    }
}

/// Motions of the pool of known truth, of a UR5 and of a PR2 among books.
#[test]
fn free_motions_of_real_robots() {
    let ([_, n_parts], mut score) = (part(), Score::default());
    print_head();
    for (name, tolerance_m) in [("amr", 1e-4), ("pipes", 1e-3)] {
        let Some((mut real, mut truth)) = Real::of_pool(name, effort(20, 1800)) else { return };
        let question = Question::new(tolerance_m);
        keep_part(&mut real.motions);
        keep_part(&mut truth);
        hold_to_truth(&truth, &real.judged(question, &mut score), question);
        real.leave_near_pairs_out();
        real.motions.truncate(effort(10, 300_usize).div_ceil(n_parts));
        real.judged(question, &mut Score::default());
    }
    if let Some(mut real) = Real::placed(&placements::UR5_BOOKSTORE, effort(10, 1150), false) {
        keep_part(&mut real.motions);
        real.leave_near_pairs_out();
        real.judged(Question::new(1e-4), &mut score);
    }
    match effort(0, 1350) {
        0 => skipped::report("the PR2 takes minutes: FIRSTCONTACT_EFFORT=full does it"),
        n => pr2(n, &mut score),
    }
    score.require("real robots");
    assert!(score.free * n_parts >= effort(30, 5000), "{} are free", score.free);
}

/// A PR2 among books: its base is 2.6 cm above the floor at all times.
fn pr2(n: usize, score: &mut Score) {
    let Some(mut real) = Real::placed(&placements::PR2_BOOKSTORE, n, false) else { return };
    keep_part(&mut real.motions);
    real.leave_near_pairs_out();
    real.judged(Question::new(1e-4), score);
}

/// Every tolerance on the same motions, with a limit as planners use it.
#[test]
fn tolerances_and_limits_in_the_pool() {
    let mut score = Score::default();
    let Some((real, _)) = Real::of_pool("pipes", effort(6, 300)) else { return };
    print_head();
    for tolerance_m in [1e-5, 1e-4, 1e-3, 5e-3] {
        real.judged(Question::new(tolerance_m), &mut score);
    }
    real.judged(Question { limit_m: Some(0.2), ..Question::new(1e-4) }, &mut score);
    score.require("the pool");
}

/// Links against objects and against each other; those that touch at the start do not count.
#[test]
fn ur5_with_its_own_links() {
    let Some(real) = Real::placed(&placements::UR5_BOOKSTORE, effort(24, 300), true) else { return };
    let mut score = Score::default();
    print_head();
    real.judged(Question { ignores_initial: true, ..Question::new(1e-4) }, &mut score);
    // Base and upper arm stay about 1 cm apart in half of these motions, and the oracle's distances do not suffice.
    score.require_share("UR5 with its own links", 0.6);
}

#[test]
fn panda_between_bars() {
    let Some(mut real) = Real::placed(&placements::PANDA_BARS, effort(8, 400), false) else { return };
    real.leave_near_pairs_out();
    let mut score = Score::default();
    print_head();
    real.judged(Question { margin_m: 0.001, ..Question::new(1e-4) }, &mut score);
    real.judged(Question { limit_m: Some(0.05), ..Question::new(1e-3) }, &mut score);
    score.require("Panda between bars");
}

/// By the oracle alone, with the verdicts of the command: lines that the oracle makes have no fault, and agree with the
/// truth of the pool.
#[test]
fn lines_made_by_the_oracle() {
    let question = Question::new(1e-3);
    let Some((real, truth)) = Real::of_pool("pipes", effort(8, 60)) else { return };
    hold_to_truth(&truth, &real.made(question), question);
    let panda = Real::placed(&placements::PANDA_BARS, effort(4, 20), false);
    let ur5 = Real::placed(&placements::UR5_BOOKSTORE, effort(2, 20), true);
    let is_full = effort(0, 1) == 1;
    let pr2 = is_full.then(|| Real::placed(&placements::PR2_BOOKSTORE, 4, false)).flatten();
    for mut real in [panda, ur5, pr2].into_iter().flatten() {
        real.leave_near_pairs_out();
        let question = Question { ignores_initial: true, ..question };
        assert!(real.made(question).iter().any(|j| j.clearance.is_some()), "{}: none is free", real.name);
    }
}

/// A robot whose root moves freely, far from the origin.
#[test]
fn a_puma_with_a_free_root_in_a_power_plant() {
    let name = "the robot that flies";
    if effort(0, 1) == 0 {
        return skipped::report(&format!("{name} is for FIRSTCONTACT_EFFORT=full"));
    }
    let Some(mut real) = Real::placed(&placements::PUMA560_FLYING_POWER_PLANT, 300, false) else { return };
    real.files.push("--floating-root".into());
    let mut score = Score::default();
    print_head();
    real.judged(Question::new(1e-3), &mut score);
    score.require(name);
}

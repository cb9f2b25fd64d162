//! The pool of motions with known truth through the whole engine.

use crate::harness::backends::{self, Tally, differences, engine, on};
use crate::harness::gpu;
use crate::oracle::{data, npy, pool};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Options, PairSearch, Stage};
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Some motions of one scene of the pool.
struct Part {
    name: &'static str,
    robot: Robot,
    scene: Scene,
    motions: Vec<(Vec<f64>, Vec<f64>)>,
    truth: Vec<pool::Truth>,
}

impl Part {
    /// The 300 motions of the sample, or all.
    fn read(folder: &Path, name: &'static str, all: bool) -> Self {
        let read = |ending: &str| folder.join(format!("{name}.{ending}"));
        let (motions, truth) = (npy::read_motions(&read("npy")), pool::read_truth(&read("truth.jsonl")));
        assert_eq!(motions.len(), truth.len());
        let chosen = if all { (0..truth.len()).collect() } else { pool::read_indices(&read("sample300.txt")) };
        Self {
            name,
            robot: Robot::from_urdf(folder.join("robot.urdf")).unwrap(),
            scene: Scene::from_file(read("obj")).unwrap(),
            motions: chosen.iter().map(|&i| motions[i].clone()).collect(),
            truth: pool::pick(&truth, &chosen),
        }
    }

    /// The two scenes; nothing without data.
    fn both(all: bool) -> Vec<Self> {
        let Some(folder) = data::folder("puma-pool") else { return Vec::new() };
        vec![Self::read(&folder, "pipes", all), Self::read(&folder, "amr", all)]
    }

    fn check(&self, options: Options) -> Vec<Verdict> {
        let clock = Instant::now();
        let what = format!("{:?} {:?} {:?} {:?}", options.backend, options.bound, options.pairs, options.reference);
        let engine = engine(&self.robot, &self.scene, &[], options);
        let built = clock.elapsed().as_secs_f64();
        let verdicts = backends::verdicts(&engine, &self.motions);
        let checked = clock.elapsed().as_secs_f64() - built;
        let adapter = engine.adapter_names().map_or(String::new(), |names| format!(", {names}"));
        println!("{}, {what}{adapter}: built in {built:.1} s, checked in {checked:.1} s", self.name);
        verdicts
    }

    /// The verdicts against the truth: no fault of any kind, nearly all contacts certified, nearly all decided.
    fn hold_to_truth(&self, verdicts: &[Verdict]) {
        let tally = Tally::of(verdicts);
        let verdicts: BTreeMap<usize, _> = verdicts.iter().map(|v| self.in_names(v)).enumerate().collect();
        let score = pool::score(&self.truth, &verdicts);
        println!("{}\n{score}\n{tally:?}", self.name);
        assert_eq!(score.bad(), 0, "{}", self.name);
        // at the truth's `t_hi` triangles cross to the last bit or so
        assert!(score.early_by[0] > -1e-13, "late by {:e}", -score.early_by[0]);
        assert!(1000 * tally.undecided <= 5 * tally.motions, "{} undecided", tally.undecided);
        assert!(100 * tally.certified >= 99 * tally.contact, "{} of {}", tally.certified, tally.contact);
    }

    fn in_names(&self, verdict: &Verdict) -> pool::Verdict {
        match verdict {
            Verdict::Free => pool::Verdict::Free,
            Verdict::Undecided(u) => pool::Verdict::Undecided { clear_until: u.clear_until },
            Verdict::Contact(c) => {
                let link = self.robot.links[c.first.unwrap().a.link as usize].name.clone();
                let object = self.scene.objects[c.first.unwrap().b.object().unwrap() as usize].name.clone();
                let (toc, proved, certified) = (c.toc, c.is_proved(), c.is_certified());
                pool::Verdict::Contact { toc, proved, certified, pair: Some((link, object)) }
            }
        }
    }
}

#[test]
fn all_motions_on_the_cpu() {
    for part in Part::both(true) {
        assert_eq!(part.motions.len(), if part.name == "pipes" { 2400 } else { 2700 });
        part.hold_to_truth(&part.check(on(Backend::Cpu)));
    }
}

#[test]
fn gpu_and_cpu_agree() {
    if gpu::skip() {
        return;
    }
    for part in Part::both(data::slow()) {
        let verdicts = part.check(on(Backend::Gpu));
        part.hold_to_truth(&verdicts);
        assert_eq!(differences(&verdicts, &part.check(on(Backend::Cpu))), [""; 0]);
    }
}

/// Interval matrices in one scene, balls of displacements in the other; on an adapter the other way round.
#[test]
fn other_bounds_on_the_cpu() {
    for (part, bound) in
        Part::both(false).into_iter().zip([PoseEnclosure::IntervalMatrix, PoseEnclosure::DisplacementBall])
    {
        let verdicts = part.check(Options { bound, ..on(Backend::Cpu) });
        part.hold_to_truth(&verdicts);
        assert_eq!(differences(&verdicts, &part.check(on(Backend::Cpu))), [""; 0]);
    }
}

/// Trees of oriented boxes for all links, and for the larger ones alone; against line-swept spheres.
#[test]
fn oriented_boxes_and_spheres_on_the_cpu() {
    for part in Part::both(data::slow()) {
        let expected = part.check(Options { pairs: PairSearch::BoxTree, ..on(Backend::Cpu) });
        part.hold_to_truth(&expected);
        for (min_triangles, bound) in
            [(0, PoseEnclosure::TaylorModel), (100, PoseEnclosure::TaylorModel), (0, PoseEnclosure::IntervalMatrix)]
        {
            let pairs = PairSearch::ObbTree { min_triangles };
            let verdicts = part.check(Options { pairs, bound, ..on(Backend::Cpu) });
            part.hold_to_truth(&verdicts);
            assert_eq!(differences(&verdicts, &expected), [""; 0]);
        }
    }
}

#[test]
fn other_bounds_on_the_gpu() {
    if gpu::skip() {
        return;
    }
    for (part, bound) in
        Part::both(false).into_iter().zip([PoseEnclosure::DisplacementBall, PoseEnclosure::IntervalMatrix])
    {
        let verdicts = part.check(Options { bound, ..on(Backend::Gpu) });
        part.hold_to_truth(&verdicts);
        assert_eq!(differences(&verdicts, &part.check(on(Backend::Cpu))), [""; 0]);
    }
}

/// Each stage alone as its reference, the others on the adapter.
#[test]
fn each_stage_alone_as_its_reference_agrees() {
    if gpu::skip() {
        return;
    }
    for part in Part::both(false) {
        let expected = part.check(on(Backend::Cpu));
        for stage in [Stage::Concat, Stage::Bound, Stage::Cull, Stage::Sweep, Stage::Pairs, Stage::Solve] {
            let verdicts = part.check(Options { reference: vec![stage], ..on(Backend::Gpu) });
            part.hold_to_truth(&verdicts);
            assert_eq!(differences(&verdicts, &expected), [""; 0], "{}", stage.stem());
        }
    }
}

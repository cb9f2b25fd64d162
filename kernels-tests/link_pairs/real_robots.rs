//! Real robots against themselves, in an empty scene.
//!
//! Neighbours are left out, and pairs of links that touch by construction: those nearer than 2 mm to each other in at
//! least half of random configurations. Shapes that the oracles do not know (spheres, cylinders) are left out too.

use super::answers::{Answer, differences};
use super::boxes;
use super::case::{self, Case, read};
use super::judge;
use crate::cli::Desk;
use crate::harness::gpu;
use crate::oracle::advance::Fineness;
use crate::oracle::fk;
use crate::oracle::pair_sampling::{PairOutcome, PairSampler};
use crate::oracle::placements::{Amplitude, CLEARANCE_M, Draw, MotionBatch, make};
use crate::oracle::shapes::{self, Choice};
use crate::oracle::{data, groups};
use crate::{effort, keep_part};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use std::path::Path;
use std::time::Instant;

/// A robot of the data sets.
struct Real {
    name: &'static str,
    folder: &'static str,
    file: &'static str,
    geometry: Choice,
    amplitudes: &'static [Amplitude],
}

const WIDE: &[Amplitude] = &[Amplitude { degrees: 40.0 }, Amplitude { degrees: 80.0 }, Amplitude { degrees: 140.0 }];
const MODERATE: &[Amplitude] = &[Amplitude { degrees: 10.0 }, Amplitude { degrees: 25.0 }, Amplitude { degrees: 50.0 }];

const UR5: Real = real("ur5", "robot-ur5", "ur5_robot.urdf", WIDE);
const PANDA: Real = real("panda", "robot-panda", "panda.urdf", WIDE);
const PR2: Real = real("pr2", "robot-pr2", "pr2.urdf", MODERATE);
const PUMA: Real = real("puma560", "robot-puma560", "puma560_robot.urdf", WIDE);
const LAIKAGO: Real =
    Real { geometry: Choice::Visual, ..real("laikago", "robot-laikago", "urdf/laikago.urdf", MODERATE) };

const fn real(name: &'static str, folder: &'static str, file: &'static str, amplitudes: &'static [Amplitude]) -> Real {
    Real { name, folder, file, geometry: Choice::Default, amplitudes }
}

/// A robot as read by the oracles, with its motions.
struct Ready {
    case: Case,
    motions: MotionBatch,
    /// Options of the command.
    options: Vec<&'static str>,
}

impl Real {
    /// The robot and `n` motions from starts that are at least 2 mm clear; `None` without data.
    fn ready(&self, n: usize) -> Option<Ready> {
        let path = data::folder(self.folder)?.join(self.file);
        let (sampler, left_out) = self.sampler(&path);
        let is_clear = |q: &[f64]| sampler.clearance((q, q), 0.0, CLEARANCE_M) >= CLEARANCE_M;
        let motions = make(&sampler.robot, n, 22, self.amplitudes, &is_clear);
        let desk = Desk::new();
        desk.put("allow.txt", left_out);
        let mut options = vec!["--allow", "allow.txt"];
        if self.geometry == Choice::Visual {
            options.extend(["--geometry", "visual"]);
        }
        Some(Ready { case: Case::of(desk, &path.to_string_lossy(), sampler), motions, options })
    }

    /// The sampler, and the lines of `--allow` for the pairs that are left out.
    fn sampler(&self, path: &Path) -> (PairSampler, String) {
        let robot = fk::Robot::load(path, [0.0; 6], false);
        let mut meshes = shapes::link_meshes(&robot, self.geometry);
        boxes::split_alike(path, &robot, self.geometry, &mut meshes.triangles);
        let unknown: Vec<usize> = meshes.left_out.iter().map(|(link, _)| *link).collect();
        let pairs = groups::pairs(&robot, &case::solid(&meshes), false);
        let n_pairs = pairs.len();
        let mut sampler = PairSampler::new(robot, meshes, pairs);
        let touching = touching(&sampler);
        let is_left =
            |(a, b): &(usize, usize)| unknown.contains(a) || unknown.contains(b) || touching.contains(&(*a, *b));
        let line = |(a, b): &(usize, usize)| {
            let [a, b] = [a, b].map(|l| &sampler.robot.links()[*l].name);
            format!("{a} {b}\n")
        };
        let lines: String = sampler.pairs.iter().filter(|p| is_left(p)).map(line).collect();
        sampler.pairs.retain(|pair| !is_left(pair));
        println!("{}: {} pairs of {n_pairs}, {} touch by construction", self.name, sampler.pairs.len(), touching.len());
        (sampler, lines)
    }
}

/// The pairs that are nearer than the clearance in at least half of random configurations.
fn touching(sampler: &PairSampler) -> Vec<(usize, usize)> {
    let tries = effort(16, 40);
    let mut draw = Draw { rng: Pcg64Mcg::seed_from_u64(7) };
    let near: Vec<_> = (0..tries).flat_map(|_| sampler.near_pairs(&draw.start(&sampler.robot), CLEARANCE_M)).collect();
    let often = |pair: &&(usize, usize)| 2 * near.iter().filter(|p| p == pair).count() >= tries;
    sampler.pairs.iter().filter(often).copied().collect()
}

/// The robots of [`files`], the one whose sampling takes longest last.
const ALL: [&Real; 5] = [&UR5, &PANDA, &PUMA, &LAIKAGO, &PR2];
/// Number of robots.
pub const N: usize = ALL.len();

/// Name, files and options of a check of robot `number` with `n` motions; `None` without data.
pub fn files(number: usize, n: usize) -> Option<(&'static str, Desk, Vec<String>, Vec<&'static str>)> {
    let Ready { case, motions, options } = ALL[number].ready(n)?;
    let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
    case.desk.put("motions.npy", crate::cli::npy(&rows));
    let files = ["--robot", case.path(), "--scene", "far.obj", "--motions", "motions.npy"].map(str::to_owned);
    Some((ALL[number].name, case.desk, files.into(), options))
}

/// Checks on a backend, and holds the answers against the oracles.
fn hold(name: &str, ready: &Ready, seen: &[PairOutcome], backend: &str) -> Vec<Answer> {
    let (case, motions) = (&ready.case, &ready.motions);
    let clock = Instant::now();
    let checked = case.check(motions, &[&ready.options[..], &["--backend", backend]].concat());
    let (all_s, wall_s) = (clock.elapsed().as_secs_f64(), checked.stats["wall_s"].as_f64().unwrap_or(f64::NAN));
    let answers = read(&checked, motions.len());
    assert_eq!(checked.stats["tested_pairs"]["link_link"], case.sampler.pairs.len(), "{name}");
    assert_eq!(judge::faults(&case.sampler, motions, seen, &answers), [""; 0], "{name}");
    let contacts: Vec<_> = answers.iter().zip(motions).filter_map(|(a, m)| Some((a.contact()?, m))).collect();
    let certified = contacts.iter().filter(|(c, _)| c.certified);
    let [n, sure] = certified.fold([0, 0], |[n, sure], (c, (q0, q1))| {
        [n + 1, sure + usize::from(judge::certain(&case.sampler, (q0, q1), c))]
    });
    let [free, contact, undecided] = super::answers::tally(&answers);
    println!(
        "{name}, {backend}: {free} free, {contact} touch, {n} certified of which {sure} are certain, \
         {undecided} undecided; {wall_s:.2} s of checking, {all_s:.1} s in all"
    );
    assert!(free > 0 && contact > 0 && 1000 * undecided <= 5 * motions.len() && 10 * sure >= 9 * n, "{name}");
    answers
}

/// Number of motions that are sampled between two lines of progress.
const N_TOGETHER: usize = 20;

fn check(real: &Real, n: usize) {
    let Some(mut ready) = real.ready(n) else { return };
    let clock = Instant::now();
    keep_part(&mut ready.motions);
    let mut seen = Vec::new();
    for some in ready.motions.chunks(N_TOGETHER) {
        seen.extend(ready.case.sampler.motions(some, Fineness::default()));
        println!("{}: {} motions sampled in {:.1} s", real.name, seen.len(), clock.elapsed().as_secs_f64());
    }
    let mut cpu = hold(real.name, &ready, &seen, "cpu");
    if !gpu::skip() {
        let n = effort(16, 200);
        ready.motions.truncate(n);
        seen.truncate(n);
        cpu.truncate(n);
        let gpu = hold(real.name, &ready, &seen, "gpu");
        assert_eq!(differences(&cpu, &gpu, 0.0), [""; 0], "{}", real.name);
    }
}

#[test]
fn ur5() {
    check(&UR5, effort(16, 500));
}

#[test]
fn panda() {
    check(&PANDA, effort(16, 500));
}

#[test]
fn pr2() {
    check(&PR2, effort(12, 500));
}

#[test]
fn puma560() {
    check(&PUMA, effort(16, 500));
}

#[test]
fn laikago() {
    check(&LAIKAGO, effort(16, 500));
}

/// The links and joints of the robots make the pairs that their makers' drawings show, and motions of both outcomes are
/// common, by the oracles alone.
#[test]
fn motions_of_both_outcomes_are_common() {
    // Sampling fine meshes takes minutes, and the test of each robot requires both outcomes as well.
    for real in &[UR5, PANDA, LAIKAGO, PUMA, PR2][..effort(2, 5)] {
        let Some(ready) = real.ready(effort(10, 200)) else { return };
        let clock = Instant::now();
        let seen = ready.case.sampler.motions(&ready.motions, Fineness::default());
        let contacts = seen.iter().filter(|o| o.hit.is_some()).count();
        let s = clock.elapsed().as_secs_f64();
        println!("{}: {contacts} of {} motions touch; {s:.1} s", real.name, seen.len());
        assert!(seen.iter().all(|o| o.clear_until > 0.0), "{}", real.name);
        assert!(contacts > 0 && contacts < seen.len(), "{}", real.name);
    }
}

/// The data sets have no SRDF, so one is written that leaves the same pairs out: the same lines of results.
#[test]
fn the_same_pairs_by_an_srdf() {
    for real in [UR5, PANDA, LAIKAGO] {
        let Some(ready) = real.ready(effort(20, 200)) else { return };
        let (case, motions) = (&ready.case, &ready.motions);
        case.desk.put("pairs.srdf", case::srdf(&case.sampler));
        let by_lines = case.check(motions, &ready.options);
        let by_srdf = case.check(motions, &[&ready.options[2..], &["--srdf", "pairs.srdf"]].concat());
        assert_eq!(by_srdf.lines, by_lines.lines, "{}", real.name);
        assert_eq!(by_srdf.stats["tested_pairs"]["link_link"], case.sampler.pairs.len(), "{}", real.name);
    }
}

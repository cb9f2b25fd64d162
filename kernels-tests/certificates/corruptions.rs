//! 10,000 random corruptions of certificates: each is refused, or it is still a proof of the statement, which the
//! second verifier confirms.

use super::second::lines;
use crate::cli::Desk;
use crate::effort;
use crate::harness::models::Draw;
use crate::trajectories::random;
use firstcontact::certificate::{CertificateWriter, Prover, Statement};
use firstcontact::formats::{TrajectoryFile, TrajectoryOptions};
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{Backend, Engine, LinkPairs, Robot, Scene, Trajectory};
use firstcontact_verification::{Paths, Subject, subject};
use firstcontact_verifier::{Model, Motion, Proved, Reader, Verifier};
use std::ops::Range;

/// A robot in a scene with trajectories and their certificates.
struct Case {
    desk: Desk,
    robot: Robot,
    scene: Scene,
    paths: Vec<Trajectory>,
    certificates: Vec<Vec<u8>>,
    header: Vec<u8>,
    pairs: LinkPairs,
    margin_m: f64,
    tolerance: Vec<f64>,
}

impl Case {
    /// A seeded case; some with pairs of links, with a margin, with a tolerance.
    fn new(seed: u64) -> Self {
        let (case, all) = random::case(seed, 6);
        case.desk.put("motions.json", case.json(&all));
        let robot = Robot::from_urdf(case.desk.path("robot.urdf")).unwrap();
        let scene = Scene::from_file(case.desk.path("scene.obj")).unwrap();
        let file = TrajectoryFile::open(case.desk.path("motions.json"), &robot, &TrajectoryOptions::default());
        let paths = file.unwrap().into_trajectories();
        let pairs = if seed.is_multiple_of(2) { LinkPairs::all_but_adjacent(&robot) } else { LinkPairs::none() };
        let margin_m = if seed.is_multiple_of(3) { 0.005 } else { 0.0 };
        let tolerance = if seed % 4 == 1 { vec![0.001; robot.columns.len()] } else { Vec::new() };
        let builder = Engine::builder(&robot, &scene).backend(Backend::Cpu).margin_m(margin_m);
        let engine = builder.link_pairs(pairs.clone()).build().unwrap();
        let mut answers: Vec<TrajectoryVerdict> = Vec::new();
        let collect = &mut |_: usize, answer| {
            answers.push(answer);
            Ok(())
        };
        engine.check_trajectories(&paths, &tolerance, collect).unwrap();
        let statement = Statement::new().with_link_pairs(pairs.clone()).with_margin_m(margin_m);
        let prover = Prover::new(&robot, &scene, statement.with_joint_tolerance(tolerance.clone())).unwrap();
        let made = paths.iter().zip(&answers).map(|(path, answer)| prover.certificate(path, answer).unwrap());
        let certificates = made.collect();
        let header = prover.header().unwrap();
        Self { desk: case.desk, robot, scene, paths, certificates, header, pairs, margin_m, tolerance }
    }

    fn subject(&self) -> Subject {
        Subject::new((&self.robot, &self.scene), (&self.pairs, &[]), self.margin_m, &self.tolerance)
    }
}

/// Changes a certificate in one of many ways; `others` are certificates of the same file.
fn corrupted(draw: &mut Draw, certificate: &[u8], others: &[Vec<u8>]) -> (&'static str, Vec<u8>) {
    let mut bytes = certificate.to_vec();
    let at = draw.below(bytes.len());
    let n_claim = claim_bytes(certificate);
    let what = match draw.below(16) {
        0 => {
            bytes[at] ^= 1 << draw.below(8);
            "a bit"
        }
        1 => {
            for _ in 0..3 {
                let at = draw.below(bytes.len());
                bytes[at] ^= 1 << draw.below(8);
            }
            "three bits"
        }
        2 => {
            bytes[at] = draw.below(256) as u8;
            "a byte"
        }
        3 => {
            bytes.truncate(at);
            "its end is missing"
        }
        4 => {
            bytes.insert(at, draw.below(14) as u8);
            "a byte more"
        }
        5 => {
            bytes.remove(at);
            "a byte less"
        }
        6 => {
            let from = draw.below(others.len());
            let cut = draw.below(others[from].len());
            bytes.truncate(at);
            bytes.extend(&others[from][cut..]);
            "the end of another one"
        }
        7 => {
            bytes[2 + draw.below(32)] ^= 0x40;
            "another hash"
        }
        8 => {
            let end = n_claim - 8 - witness_bytes(certificate);
            let t = f64::from_le_bytes(bytes[end..end + 8].try_into().unwrap());
            let t = [t * 0.999, t * 0.5, t + 1e-9, 1.0, f64::NAN, -t, t.next_up(), t.next_down()][draw.below(8)];
            bytes[end..end + 8].copy_from_slice(&t.to_le_bytes());
            "another end"
        }
        9 => {
            bytes[1] = draw.below(5) as u8;
            "another kind"
        }
        10 => {
            swap_children(draw, &mut bytes, n_claim);
            "children are swapped"
        }
        11 => {
            copy_child(draw, &mut bytes, n_claim);
            "a child twice"
        }
        12 if witness_bytes(certificate) > 0 => {
            let at = n_claim - draw.between(1.0, witness_bytes(certificate) as f64) as usize;
            bytes[at] ^= 1 << draw.below(8);
            "the witness"
        }
        _ => {
            change_axis(draw, &mut bytes, n_claim);
            "an axis"
        }
    };
    (what, bytes)
}

/// Bytes of the witness.
fn witness_bytes(certificate: &[u8]) -> usize {
    if certificate[1] == 1 { 29 } else { 0 }
}

/// Bytes before the proofs.
fn claim_bytes(certificate: &[u8]) -> usize {
    let n_tolerances = u32::from_le_bytes(certificate[42..46].try_into().unwrap()) as usize;
    46 + 8 * n_tolerances + 12 + witness_bytes(certificate)
}

/// Length of a step.
fn step_bytes(kind: u8) -> usize {
    match kind {
        10 => 4,
        11 => 7,
        12 => 25,
        _ => 1,
    }
}

/// The subtree of a step that begins at a byte.
fn subtree(bytes: &[u8], start: usize) -> Range<usize> {
    let (mut at, mut open) = (start, 1);
    while open > 0 {
        open += if bytes[at] < 3 { 1 } else { -1 };
        at += step_bytes(bytes[at]);
    }
    start..at
}

/// The places of all steps.
fn steps(bytes: &[u8], first: usize) -> Vec<usize> {
    let mut places = vec![first];
    places.retain(|at| *at < bytes.len());
    while let Some(last) = places.last().map(|at| at + step_bytes(bytes[*at])).filter(|at| *at < bytes.len()) {
        places.push(last);
    }
    places
}

/// The subtrees of a random split.
fn children(draw: &mut Draw, bytes: &[u8], first: usize) -> Option<[Range<usize>; 2]> {
    let splits: Vec<usize> = steps(bytes, first).into_iter().filter(|at| bytes[*at] < 3).collect();
    let at = *splits.get(draw.below(splits.len().max(1)))?;
    let left = subtree(bytes, at + 1);
    Some([left.clone(), subtree(bytes, left.end)])
}

fn swap_children(draw: &mut Draw, bytes: &mut [u8], first: usize) {
    if let Some([left, right]) = children(draw, bytes, first) {
        bytes[left.start..right.end].rotate_left(left.len());
    }
}

fn copy_child(draw: &mut Draw, bytes: &mut Vec<u8>, first: usize) {
    if let Some([left, right]) = children(draw, bytes, first) {
        let copy = bytes[left].to_vec();
        bytes.splice(right, copy);
    }
}

/// Scales, turns or destroys an axis, or writes it in another form.
fn change_axis(draw: &mut Draw, bytes: &mut Vec<u8>, first: usize) {
    let axes: Vec<usize> = steps(bytes, first).into_iter().filter(|at| bytes[*at] >= 4).collect();
    let Some(&at) = axes.get(draw.below(axes.len().max(1))) else { return };
    let mut axis = axis(&bytes[at..]);
    let how = draw.below(6);
    match how {
        0 => axis = axis.map(|x| x * draw.between(-40.0, 40.0).exp2()),
        1 => axis = axis.map(|x| -x),
        2 => axis = axis.map(|x| x * (1.0 + draw.between(-0.05, 0.05))),
        3 => axis.rotate_left(1),
        4 => axis[draw.below(3)] = [f64::NAN, f64::INFINITY, 0.0, 1e300][draw.below(4)],
        _ => axis[draw.below(3)] += draw.between(-0.2, 0.2),
    }
    let mut step = vec![12];
    axis.iter().for_each(|x| step.extend(x.to_le_bytes()));
    bytes.splice(at..at + step_bytes(bytes[at]), step);
}

fn axis(step: &[u8]) -> [f64; 3] {
    match step[0] {
        10 => std::array::from_fn(|i| f64::from(step[1 + i] as i8)),
        11 => std::array::from_fn(|i| f64::from(i16::from_le_bytes([step[1 + 2 * i], step[2 + 2 * i]]))),
        12 => std::array::from_fn(|i| f64::from_le_bytes(step[1 + 8 * i..9 + 8 * i].try_into().unwrap())),
        kind => {
            let mut axis = [0.0; 3];
            axis[usize::from(kind - 4) / 2] = if kind % 2 == 0 { 1.0 } else { -1.0 };
            axis
        }
    }
}

/// Corruptions in all, whatever the effort.
const N: usize = 10_000;
/// Number of cases.
const CASES: usize = 25;

#[test]
fn corruptions_are_refused_or_still_prove_the_statement() {
    let (mut n_refused, mut n_valid, mut n_confirmed) = (0, 0, 0);
    for seed in 0..CASES as u64 {
        let case = Case::new(71_000 + seed);
        let mut draw = Draw::new(72_000 + seed);
        let model = Model::new(subject::robot(&case.robot), subject::scene(&case.scene)).unwrap();
        let statement = subject::statement(&case.robot, (&case.pairs, &[]), case.margin_m, &case.tolerance);
        let end = [&u32::MAX.to_le_bytes()[..], &0_u64.to_le_bytes()].concat();
        let head = [&case.header[..], &end].concat();
        let reader = Reader::new(&head[..], &model).unwrap();
        let verifier = Verifier::new(&model, statement, reader.header()).unwrap();
        let motions: Vec<Motion> = case.paths.iter().map(subject::motion).collect();
        let verify = |i: usize, bytes: &[u8]| verifier.verify(&motions[i], bytes);
        let mut still_valid: Vec<(usize, Vec<u8>, &str)> = Vec::new();
        for (i, certificate) in case.certificates.iter().enumerate() {
            verify(i, certificate).unwrap();
        }
        for _ in 0..N / CASES {
            let i = draw.below(case.certificates.len());
            let (what, bytes) = corrupted(&mut draw, &case.certificates[i], &case.certificates);
            match verify(i, &bytes) {
                Err(refusal) => {
                    assert!(!refusal.to_string().is_empty());
                    n_refused += 1;
                }
                Ok(proved) => {
                    must_be_complete(&proved, &verify(i, &case.certificates[i]).unwrap(), what);
                    n_valid += 1;
                    if bytes != case.certificates[i] {
                        still_valid.push((i, bytes, what));
                    }
                }
            }
        }
        still_valid.truncate(effort(4, usize::MAX));
        n_confirmed += confirm(&case, &still_valid);
    }
    println!("{n_refused} refused, {n_valid} still valid, {n_confirmed} of them confirmed by the second verifier");
    assert!(n_refused > N / 2 && n_valid > N / 50, "{n_refused} {n_valid}");
}

/// A certificate that is valid after a change proves as much as before: all pairs, and free motions up to their end.
#[track_caller]
fn must_be_complete(changed: &Proved, before: &Proved, what: &str) {
    let is_same = |a: &Proved, b: &Proved| (a.kind, a.end, a.witness) == (b.kind, b.end, b.witness);
    let nothing = changed.end.segment == 0 && changed.end.local == 0.0;
    assert!(changed.n_pairs == before.n_pairs || nothing, "{what}");
    // Another end or kind is another claim, which must be proved as well: that is for the second verifier.
    assert!(
        is_same(changed, before)
            || ["a bit", "three bits", "a byte", "another end", "another kind", "the witness"].contains(&what),
        "{what}: {changed:?} {before:?}"
    );
}

/// Lets the second verifier verify certificates.
fn confirm(case: &Case, certificates: &[(usize, Vec<u8>, &str)]) -> usize {
    if certificates.is_empty() {
        return 0;
    }
    let mut out = CertificateWriter::new(Vec::new(), &case.header).unwrap();
    certificates.iter().for_each(|(_, bytes, _)| out.push(Some(bytes)).unwrap());
    case.desk.put("changed.fccert", out.finish().unwrap());
    let read = |numbers: Range<usize>| Ok(numbers.map(|n| case.paths[certificates[n].0].clone()).collect());
    let paths = Paths { numbers: 0..certificates.len(), kind: "trajectories", read: &read };
    case.subject().export(&case.desk.path("changed"), &paths).unwrap();
    let Some(lines) = lines(&case.desk, "changed.fccert", "changed") else { return 0 };
    assert_eq!(lines.len(), certificates.len());
    for (line, (_, _, what)) in lines.iter().zip(certificates) {
        assert!(line.contains(" until ("), "{what}: {line}");
    }
    lines.len()
}

//! A naive prover: it tries some axes, and splits in turns. It uses the verifier's own decisions, so what it proves is
//! accepted; tests ask whether it can prove what is wrong.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::models::Problem;
use crate::body_motion::Motions;
use crate::certificate::{Bytes, Step};
use crate::polynomial::Interval;
use crate::proof::{Pair, Part, Range, Side};
use crate::{Header, MAGIC, Model, Partition, Proved, Refusal, Time, Verifier};

/// Halves by the order of the triangles.
pub fn partition(n: usize) -> Partition {
    fn split(n: u32, left: &mut Vec<u32>) {
        if n > 1 {
            left.push(n / 2);
            split(n / 2, left);
            split(n - n / 2, left);
        }
    }
    let mut partition = Partition { order: (0..n as u32).collect(), left: Vec::new() };
    split(n as u32, &mut partition.left);
    partition
}

pub fn header(problem: &Problem) -> Header {
    let mut partitions: Vec<_> = problem.robot.links.iter().map(|link| partition(link.triangles.len())).collect();
    partitions.push(partition(problem.scene.n_triangles()));
    Header { robot: problem.robot.hash(), scene: problem.scene.hash(), partitions }
}

pub fn model(problem: &Problem) -> Model {
    Model::new(problem.robot.clone(), problem.scene.clone()).unwrap()
}

/// A verifier for the partitions of [`header`].
pub fn verifier<'m>(model: &'m Model, problem: &Problem) -> Verifier<'m> {
    Verifier::new(model, problem.statement.clone(), &header(problem)).unwrap()
}

/// The bytes of a claim of a kind without a witness.
pub fn claim(problem: &Problem, kind: u8, end: Time) -> Vec<u8> {
    let mut bytes = vec![1, kind];
    bytes.extend(problem.motion.hash());
    bytes.extend(problem.statement.margin_m.to_le_bytes());
    let tolerance = &problem.statement.joint_tolerance;
    bytes.extend((tolerance.len() as u32).to_le_bytes());
    tolerance.iter().for_each(|t| bytes.extend(t.to_le_bytes()));
    bytes.extend((end.segment as u32).to_le_bytes());
    bytes.extend(end.local.to_le_bytes());
    bytes
}

/// The end of the last segment.
pub fn last(problem: &Problem) -> Time {
    Time { segment: problem.motion.segments.len() - 1, local: 1.0 }
}

/// A certificate that the motion is free, if the prover finds one.
pub fn free(problem: &Problem) -> Option<Vec<u8>> {
    let mut bytes = claim(problem, 0, last(problem));
    bytes.extend(proofs(problem, last(problem))?);
    Some(bytes)
}

/// A certificate that the motion is free until a time.
pub fn until(problem: &Problem, end: Time) -> Option<Vec<u8>> {
    let mut bytes = claim(problem, 3, end);
    bytes.extend(proofs(problem, end)?);
    Some(bytes)
}

/// Verifies a certificate of the problem.
pub fn verify(problem: &Problem, certificate: &[u8]) -> Result<Proved, Refusal> {
    verifier(&model(problem), problem).verify(&problem.motion, certificate)
}

/// A changed certificate is refused, or proves the same.
pub fn assert_same_or_refused(problem: &Problem, changed: &[u8], certificate: &[u8]) {
    if let Ok(proved) = verify(problem, changed) {
        let Proved { kind, end, witness, n_pairs, .. } = verify(problem, certificate).unwrap();
        let Proved { kind: k, end: e, witness: w, n_pairs: n, .. } = proved;
        assert_eq!((kind, end, witness, n_pairs), (k, e, w, n));
    }
}

/// The proofs of all pairs up to a time.
pub fn proofs(problem: &Problem, end: Time) -> Option<Vec<u8>> {
    let model = model(problem);
    let n_pairs = verifier(&model, problem).pairs().count();
    let proofs: Option<Vec<_>> = (0..n_pairs).map(|pair| proof_of(problem, pair, end)).collect();
    proofs.map(|proofs| proofs.concat())
}

/// The proof of the pair with a number.
pub fn proof_of(problem: &Problem, number: usize, end: Time) -> Option<Vec<u8>> {
    let model = model(problem);
    let verifier = verifier(&model, problem);
    let mut motions = Motions::new(&verifier.prepared, verifier.statement(), &problem.motion);
    let (mut bytes, (_, pair)) = (Vec::new(), verifier.pairs().nth(number)?);
    let part = Part { a: 0, b: 0, time: Range::segments(0, end.segment + 1, end) };
    prove(&pair, part, 0, &mut motions, end, &mut bytes).then_some(bytes)
}

/// Depth at which the prover gives up.
const MAX_DEPTH: usize = 44;

fn prove(pair: &Pair, part: Part, depth: usize, motions: &mut Motions, end: Time, bytes: &mut Vec<u8>) -> bool {
    if pair.require_excluded(part.b).is_ok() {
        bytes.push(3);
        return true;
    }
    if let Range::Local(time) = part.time {
        for step in axes(pair, part, &time, motions) {
            let axis = match Bytes(&step).step() {
                Ok((_, Step::Separated { axis })) => axis,
                other => panic!("{other:?}"),
            };
            if pair.require_separated(part, axis, motions).is_ok() {
                bytes.extend(step);
                return true;
            }
        }
    }
    let (split, parts) = halves(pair, part, depth, end);
    bytes.push(split);
    depth < MAX_DEPTH && parts.into_iter().all(|part| prove(pair, part, depth + 1, motions, end, bytes))
}

/// Splits what its turn is, or what can be split.
fn halves(pair: &Pair, part: Part, depth: usize, end: Time) -> (u8, [Part; 2]) {
    let a = pair.a.tree.children(part.a).map(|a| a.map(|a| Part { a, ..part }));
    let b = pair.b.tree.children(part.b).map(|b| b.map(|b| Part { b, ..part }));
    let several = matches!(part.time, Range::Segments { .. });
    match (depth % 3, a, b) {
        (1, Some(parts), _) if !several => (1, parts),
        (2, _, Some(parts)) if !several => (2, parts),
        _ => (0, part.time.halves(end).unwrap().map(|time| Part { time, ..part })),
    }
}

/// Steps that may separate two nodes: along the coordinates, the centres, normals and products of edges.
fn axes(pair: &Pair, part: Part, time: &Interval, motions: &mut Motions) -> Vec<Vec<u8>> {
    let mut steps: Vec<Vec<u8>> = (4..=9).map(|byte| vec![byte]).collect();
    let mut corners = |side: &Side, node| moved(pair, side, node, time, motions);
    let (p, q) = (corners(&pair.a, part.a), corners(&pair.b, part.b));
    let mean = |points: &[[f64; 3]]| -> [f64; 3] {
        std::array::from_fn(|r| points.iter().map(|x| x[r]).sum::<f64>() / points.len() as f64)
    };
    let between = sub(mean(&q), mean(&p));
    let mut axes = vec![between];
    let edges = |points: &[[f64; 3]]| match points {
        [a, b, c] => vec![sub(*b, *a), sub(*c, *b), sub(*a, *c)],
        _ => Vec::new(),
    };
    let (e, f) = (edges(&p), edges(&q));
    axes.extend([&e, &f].into_iter().filter(|e| e.len() == 3).map(|e| cross(e[0], e[1])));
    axes.extend(e.iter().flat_map(|e| f.iter().map(|f| cross(*e, *f))));
    for axis in axes {
        let side = (0..3).map(|r| axis[r] * between[r]).sum::<f64>().signum();
        let size = axis.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let scaled = |scale: f64| axis.map(|x| x * side / size * scale);
        let mut small = vec![10];
        small.extend(scaled(127.0).map(|x| x.round() as i8 as u8));
        let mut middle = vec![11];
        middle.extend(scaled(32767.0).map(|x| x.round() as i16).iter().flat_map(|x| x.to_le_bytes()));
        let mut large = vec![12];
        large.extend(scaled(1.0).iter().flat_map(|x| x.to_le_bytes()));
        steps.extend([small, middle, large]);
    }
    steps
}

/// Points of a node in the middle of an interval.
fn moved(pair: &Pair, side: &Side, node: usize, time: &Interval, motions: &mut Motions) -> Vec<[f64; 3]> {
    let corners = side.tree.corners(node);
    let Some(body) = side.body else { return corners };
    let pose = motions.get(pair.frame, body, &Interval::new(time.segment, time.mid, time.mid)).control[0];
    let entry = |x: [f64; 3], r: usize| (0..3).map(|j| pose[j][r].mid * x[j]).sum::<f64>() + pose[3][r].mid;
    corners.into_iter().map(|x| std::array::from_fn(|r| entry(x, r))).collect()
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| a[r] - b[r])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A record of a file.
pub fn record(raw: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    if !raw.is_empty() {
        let mut encoder = ZlibEncoder::new(&mut stream, Compression::default());
        encoder.write_all(raw).unwrap();
        encoder.finish().unwrap();
    }
    let lengths = [stream.len() as u32, raw.len() as u32].map(u32::to_le_bytes);
    [lengths.concat(), stream].concat()
}

/// The raw bytes of partitions.
pub fn partition_bytes(partitions: &[Partition]) -> Vec<u8> {
    let mut raw = Vec::new();
    for partition in partitions {
        raw.extend((partition.order.len() as u32).to_le_bytes());
        partition.order.iter().for_each(|index| raw.extend(index.to_le_bytes()));
        for &left in &partition.left {
            let mut rest = left;
            while rest >= 0x80 {
                raw.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            raw.push(rest as u8);
        }
    }
    raw
}

/// A file of certificates; an empty one is a record without a certificate.
pub fn file(header: &Header, certificates: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [MAGIC.as_slice(), &header.robot, &header.scene].concat();
    bytes.extend(record(&partition_bytes(&header.partitions)));
    certificates.iter().for_each(|certificate| bytes.extend(record(certificate)));
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend((certificates.len() as u64).to_le_bytes());
    bytes
}

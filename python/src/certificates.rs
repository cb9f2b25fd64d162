//! Certificates of answers, and their verification.

use crate::answers::{Answers, Given};
use crate::engine::Engine;
use crate::error::raise;
use crate::interruption::{Interruption, detached};
use crate::trajectory::Trajectory;
use firstcontact::certificate::{Prover, Statement};
use firstcontact::engine::thread_pool;
use firstcontact::io::output::AtomicFile;
use firstcontact::{Error, Result, TrajectoryVerdict};
use firstcontact_verification::{Paths, Subject};
use firstcontact_verifier::{Hash, Kind, Proved, merkle};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of answers that are proved together.
const BATCH: usize = 256;

/// Numbers of motions by what their certificates prove.
#[derive(Default)]
struct Totals {
    free: u64,
    contact: u64,
    possible: u64,
    undecided: u64,
    steps: u64,
    without: Vec<usize>,
}

impl Totals {
    fn add(&mut self, number: usize, proved: Option<&Proved>) {
        let Some(proved) = proved else {
            self.without.push(number);
            return;
        };
        self.steps += proved.n_steps;
        *match proved.kind {
            Kind::Free => &mut self.free,
            Kind::Contact => &mut self.contact,
            Kind::PossibleContact => &mut self.possible,
            Kind::Undecided => &mut self.undecided,
        } += 1;
    }
}

impl Engine {
    /// Pairs of a link and an object that are not tested, in order.
    fn allowed(&self) -> Vec<(u32, u32)> {
        let mut allowed: Vec<(u32, u32)> = self.engine.world().allowed.iter().copied().collect();
        allowed.sort_unstable();
        allowed
    }

    fn prover(&self, joint_tolerance: &[f64]) -> Result<Prover> {
        let world = self.engine.world();
        let statement = Statement::new().with_link_pairs(world.link_pairs.clone()).with_allowed(self.allowed());
        let statement = statement.with_margin_m(self.margin_m).with_joint_tolerance(joint_tolerance.to_vec());
        Prover::new(world.robot.clone(), Arc::clone(&self.scene), statement)
    }

    /// Writes the certificates of answers into a file, whole or not at all.
    fn write_certificates(
        &self,
        file: &Path,
        paths: &[firstcontact::Trajectory],
        verdicts: &[TrajectoryVerdict],
        joint_tolerance: &[f64],
        signals: &Interruption,
    ) -> Result<Vec<usize>> {
        let (prover, pool) = (self.prover(joint_tolerance)?, thread_pool(self.engine.threads())?);
        let mut out = prover.writer(AtomicFile::create(file)?).map_err(|e| e.in_file(file))?;
        let mut without = Vec::new();
        for (batch, (paths, verdicts)) in paths.chunks(BATCH).zip(verdicts.chunks(BATCH)).enumerate() {
            let prove = |(path, verdict)| prover.certificate(path, verdict);
            let all: Vec<_> = pool.install(|| paths.par_iter().zip(verdicts).map(prove).collect());
            for (i, certificate) in all.iter().enumerate() {
                out.push(certificate.as_deref()).map_err(|e| e.in_file(file))?;
                if certificate.is_none() {
                    without.push(batch * BATCH + i);
                }
            }
            signals.poll()?;
        }
        out.finish().and_then(AtomicFile::finish).map_err(|e| e.in_file(file))?;
        Ok(without)
    }
}

/// Checks trajectories, and writes a certificate of each answer into a file. Returns the answers, and the numbers of
/// those without a certificate.
#[pyfunction]
pub fn certify(
    py: Python,
    engine: PyRef<Engine>,
    trajectories: Vec<PyRef<Trajectory>>,
    joint_tolerance: Vec<f64>,
    file: PathBuf,
) -> PyResult<(Answers, Vec<usize>)> {
    let paths: Vec<Arc<firstcontact::Trajectory>> = trajectories.iter().map(|path| Arc::clone(&path.0)).collect();
    drop(trajectories);
    let engine = &*engine;
    Interruption::run(py, |signals| {
        if engine.ignores_initial_contacts {
            let error =
                Error::usage("certificates cannot be combined with initial=\"ignore\": ignored pairs have no proof");
            return Err(error.remedy("list the pairs that may touch in allow"));
        }
        let copies: Vec<firstcontact::Trajectory> = paths.iter().map(|path| (**path).clone()).collect();
        let mut verdicts = Vec::with_capacity(paths.len());
        let stats = engine.engine.check_trajectories(&copies, &joint_tolerance, &mut |_, answer| {
            verdicts.push(answer);
            signals.poll()
        })?;
        let without = engine.write_certificates(&file, &copies, &verdicts, &joint_tolerance, signals)?;
        let given = Given::Trajectories(verdicts, paths);
        Ok((Answers { names: Arc::clone(&engine.names), given, poses: BTreeMap::new(), stats }, without))
    })
}

/// Verifies the certificates in a file, which must belong to these trajectories. Returns what they prove, by name, and
/// `refusal`.
#[pyfunction]
pub fn verify<'py>(
    py: Python<'py>,
    engine: PyRef<Engine>,
    trajectories: Vec<PyRef<Trajectory>>,
    joint_tolerance: Vec<f64>,
    file: PathBuf,
) -> PyResult<Bound<'py, PyDict>> {
    let paths: Vec<Arc<firstcontact::Trajectory>> = trajectories.iter().map(|path| Arc::clone(&path.0)).collect();
    drop(trajectories);
    let engine = &*engine;
    let mut totals = Totals::default();
    let verified = Interruption::run(py, |signals| {
        let world = engine.engine.world();
        let pairs = (&world.link_pairs, &*engine.allowed());
        let subject = Subject::new((&world.robot, &engine.scene), pairs, engine.margin_m, &joint_tolerance);
        let read = |numbers: std::ops::Range<usize>| Ok(paths[numbers].iter().map(|path| (**path).clone()).collect());
        let paths = Paths { numbers: 0..paths.len(), kind: "motions", read: &read };
        subject.verify(&file, &paths, engine.engine.threads(), &mut |number, proved| {
            totals.add(number, proved);
            signals.poll()
        })
    })?;
    let Totals { free, contact, possible, undecided, steps, without } = totals;
    let dict = PyDict::new(py);
    let counts = [("free", free), ("contact", contact), ("possible", possible), ("undecided", undecided)];
    counts.into_iter().chain([("steps", steps)]).try_for_each(|(name, n)| dict.set_item(name, n))?;
    dict.set_item("without", without)?;
    dict.set_item("refusal", verified.err())?;
    Ok(dict)
}

/// SHA-256 of the robot and of the scene, as in certificates, in hexadecimal digits.
#[pyfunction]
pub fn hashes(py: Python, engine: PyRef<Engine>) -> PyResult<(String, String)> {
    let engine = &*engine;
    detached(py, || {
        let robot = firstcontact_verification::subject::robot(&engine.engine.world().robot).hash();
        let scene = firstcontact_verification::subject::scene(&engine.scene).hash();
        Ok((hex(&robot), hex(&scene)))
    })
    .map_err(raise)
}

/// A hash in hexadecimal digits.
pub fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The Merkle root over the roots of blocks, in hexadecimal digits.
#[pyfunction]
pub fn merkle_root(blocks: Vec<String>) -> PyResult<String> {
    let digits = |text: &String| -> Option<Hash> {
        let byte = |i: usize| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..32).map(byte).collect::<Option<_>>()?;
        bytes.try_into().ok().filter(|_| text.len() == 64)
    };
    let blocks: Option<Vec<Hash>> = blocks.iter().map(digits).collect();
    let blocks = blocks.ok_or_else(|| raise(Error::usage("a Merkle root is not 64 hexadecimal digits")))?;
    Ok(hex(&merkle::root(&blocks)))
}

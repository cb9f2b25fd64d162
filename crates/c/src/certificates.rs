//! Certificates of answers, for engines that were asked for them.

use crate::control::{Control, FcControl};
use crate::handles;
use crate::output::optional_output;
use crate::results::{FcResults, Given};
use crate::status::{FcStatus, guard};
use crate::text::path;
use firstcontact::certificate::{Prover, Statement};
use firstcontact::engine::thread_pool;
use firstcontact::io::output as files;
use firstcontact::{Error, Result, Robot, Scene, Trajectory, TrajectoryVerdict};
use rayon::prelude::*;
use std::ffi::c_char;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Certificates that are made before they are written.
const BATCH: usize = 256;

/// A prover, with the tolerances of joints that it is for.
type Prepared = (Vec<f64>, Prover);

/// Makes the certificates of an engine's answers.
pub(crate) struct Certifier {
    robot: Arc<Robot>,
    scene: Arc<Scene>,
    /// The statement without tolerances of joints.
    statement: Statement,
    threads: usize,
    /// The prover of the last call, kept for its trees.
    last: Mutex<Option<Arc<Prepared>>>,
}

impl Certifier {
    pub fn new(robot: Arc<Robot>, scene: Arc<Scene>, statement: Statement, threads: usize) -> Self {
        Self { robot, scene, statement, threads, last: Mutex::default() }
    }

    fn prover(&self, joint_tolerance: &[f64]) -> Result<Arc<Prepared>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.0 == joint_tolerance) {
            return Ok(Arc::clone(known));
        }
        let statement = self.statement.clone().with_joint_tolerance(joint_tolerance.to_vec());
        let prover = Prover::new(Arc::clone(&self.robot), Arc::clone(&self.scene), statement)?;
        Ok(Arc::clone(last.insert(Arc::new((joint_tolerance.to_vec(), prover)))))
    }
}

impl Given {
    /// Some of the questions as trajectories, with their answers.
    ///
    /// # Errors
    /// The motions were not kept.
    fn proved(&self, range: Range<usize>) -> Result<Vec<(Arc<Trajectory>, TrajectoryVerdict)>> {
        match self {
            Self::Motions(verdicts, Some(motions)) => {
                let path = |i| Trajectory::linear([motions.start(i), motions.end(i)]).map(Arc::new);
                range.map(|i| Ok((path(i)?, TrajectoryVerdict::of_motion(&verdicts[i])))).collect()
            }
            Self::Motions(_, None) => Err(without()),
            Self::Trajectories(verdicts, paths, _) => {
                Ok(range.map(|i| (Arc::clone(&paths[i]), verdicts[i].clone())).collect())
            }
        }
    }

    fn joint_tolerance(&self) -> &[f64] {
        match self {
            Self::Motions(..) => &[],
            Self::Trajectories(_, _, tolerance) => tolerance,
        }
    }
}

fn without() -> Error {
    Error::usage("certificates were not asked for").remedy("make the engine with fc_options_set_certificates")
}

/// Writes the certificates of all answers to a file, atomically, as the command line does; the command firstcontact
/// verify checks them. The engine must have been made with fc_options_set_certificates. The number of answers for which
/// no proof was found within the limits of the search is written to n_without, unless that pointer is null. The control
/// may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_write_certificates(
    results: *const FcResults,
    file: *const c_char,
    control: *const FcControl,
    n_without: *mut u64,
) -> FcStatus {
    guard(|| {
        let results = handles::get(results)?;
        // SAFETY: the caller's promise for texts.
        let file = unsafe { path(file, "file") }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { optional_output(n_without, "n_without") }?;
        let certifier = results.certifier.as_ref().ok_or_else(without)?;
        let (prover, pool) = (certifier.prover(results.given.joint_tolerance())?, thread_pool(certifier.threads)?);
        let (prover, n) = (&prover.1, results.given.len());
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, n) }?;
        let mut n_missing = 0;
        files::write(&file, |out| {
            let mut out = prover.writer(out).map_err(|e| e.in_file(&file))?;
            for first in (0..n).step_by(BATCH) {
                let some = results.given.proved(first..n.min(first + BATCH))?;
                let prove = |(path, verdict): &(Arc<Trajectory>, TrajectoryVerdict)| prover.certificate(path, verdict);
                let certificates: Vec<_> = pool.install(|| some.par_iter().map(prove).collect());
                for certificate in certificates {
                    n_missing += u64::from(certificate.is_none());
                    out.push(certificate.as_deref()).map_err(|e| e.in_file(&file))?;
                }
                control.poll(first + some.len())?;
            }
            out.finish().map(|_| ()).map_err(|e| e.in_file(&file))
        })?;
        to.into_iter().for_each(|to| to.set(n_missing));
        Ok(())
    })
}

//! Answers that are completed, in batches, by what is computed after the verdict: clearances and certificates.

use super::certificates::{CertificateTotals, Certificates};
use super::clearance::ClearanceTotals;
use firstcontact::engine::Engine;
use firstcontact::report::Line;
use firstcontact::robot::{Robot, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{ClearanceOptions, Result};
use firstcontact_verifier::Hash;
use std::ops::Range;
use std::time::Instant;

/// Answers that are completed together.
const BATCH: usize = 256;

/// Receives the number of an answer, its line, and the leaf of its certificate in the Merkle tree.
pub type Deliver<'d> = dyn FnMut(usize, Line, Option<Hash>) -> Result<()> + 'd;

/// Pending answers, which are not complete yet.
pub struct Completion<'a> {
    clearance: Option<ClearanceOptions>,
    certificates: Option<Certificates>,
    robot: &'a Robot,
    scene: &'a Scene,
    /// Number, line, and with certificates the answer itself.
    waiting: Vec<(usize, Line<'a>, Option<TrajectoryVerdict>)>,
    clearances: ClearanceTotals,
}

/// Clearances and certificates of a run.
#[derive(Debug, Default)]
pub struct CompletionTotals {
    pub clearances: ClearanceTotals,
    pub certificates: Option<CertificateTotals>,
}

impl CompletionTotals {
    /// Sentences for the summary.
    pub fn lines(&self) -> Vec<String> {
        let certificates = self.certificates.as_ref().map(CertificateTotals::line);
        self.clearances.line().into_iter().chain(certificates).collect()
    }
}

impl<'a> Completion<'a> {
    /// Starts without answers. Without clearances and certificates, answers are delivered immediately.
    pub fn new(
        (clearance, certificates): (Option<ClearanceOptions>, Option<Certificates>),
        robot: &'a Robot,
        scene: &'a Scene,
    ) -> Self {
        let clearances = ClearanceTotals::default();
        Self { clearance, certificates, robot, scene, waiting: Vec::new(), clearances }
    }

    /// Adds an answer, and delivers all pending answers once there are enough.
    ///
    /// # Errors
    /// As of [`flush`](Self::flush).
    pub fn push(
        &mut self,
        (number, line): (usize, Line<'a>),
        verdict: impl FnOnce() -> TrajectoryVerdict,
        engine: &Engine,
        paths: impl FnOnce(Range<usize>) -> Result<Vec<Trajectory>>,
        deliver: &mut Deliver,
    ) -> Result<()> {
        let completes = self.clearance.is_some() || self.certificates.is_some();
        self.waiting.push((number, line, self.certificates.is_some().then(verdict)));
        match !completes || self.waiting.len() >= BATCH {
            true => self.flush(engine, paths, deliver),
            false => Ok(()),
        }
    }

    /// Completes and delivers the pending answers; `paths` returns the trajectories with the given numbers.
    ///
    /// # Errors
    /// A clearance cannot be computed, certificates cannot be written, or an answer cannot be delivered.
    pub fn flush(
        &mut self,
        engine: &Engine,
        paths: impl FnOnce(Range<usize>) -> Result<Vec<Trajectory>>,
        deliver: &mut Deliver,
    ) -> Result<()> {
        let mut leaves = Vec::new();
        let measures = self.clearance.filter(|_| self.waiting.iter().any(|(_, line, _)| is_free(line)));
        if let Some(&(first, ..)) = self.waiting.first()
            && (measures.is_some() || self.certificates.is_some())
        {
            let paths = paths(first..first + self.waiting.len())?;
            if let Some(options) = measures {
                self.measure(&options, engine, &paths)?;
            }
            if let Some(certificates) = &mut self.certificates {
                let verdicts: Vec<&TrajectoryVerdict> = self.waiting.iter().filter_map(|(.., v)| v.as_ref()).collect();
                leaves = certificates.add(&paths, &verdicts)?;
            }
        }
        let leaves = leaves.into_iter().chain(std::iter::repeat(None));
        self.waiting.drain(..).zip(leaves).try_for_each(|((number, line, _), leaf)| deliver(number, line, leaf))
    }

    /// Ends the file of certificates.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<CompletionTotals> {
        let certificates = self.certificates.map(Certificates::finish).transpose()?;
        Ok(CompletionTotals { clearances: self.clearances, certificates })
    }

    fn measure(&mut self, options: &ClearanceOptions, engine: &Engine, paths: &[Trajectory]) -> Result<()> {
        let since = Instant::now();
        let free: Vec<usize> = (0..self.waiting.len()).filter(|i| is_free(&self.waiting[*i].1)).collect();
        let paths: Vec<Trajectory> = free.iter().map(|i| paths[*i].clone()).collect();
        engine.clearances(&paths, options, &mut |i, clearance| {
            let (number, line, _) = &mut self.waiting[free[i]];
            line.with_clearance(&clearance, &paths[i], self.robot, self.scene);
            self.clearances.add(*number, line, options);
            Ok(())
        })?;
        self.clearances.seconds += since.elapsed().as_secs_f64();
        Ok(())
    }
}

fn is_free(line: &Line) -> bool {
    matches!(line, Line::Free { .. })
}

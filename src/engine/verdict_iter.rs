//! Verdicts as an iterator.

use super::Stats;
use super::core::EngineCore;
use crate::error::{Error, ErrorKind, Result};
use crate::robot::MotionBatch;
use crate::verdict::Verdict;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// Maximum number of verdicts that are computed ahead.
const WAITING: usize = 4096;

/// The verdicts on motions given in portions, each with the index of its motion. Ends after the first error.
///
/// Dropping the iterator ends the work after the motions in progress.
#[derive(Debug)]
pub struct Stream {
    answers: Receiver<(usize, Verdict)>,
    worker: Option<JoinHandle<Result<Stats>>>,
    stats: Stats,
}

impl Stream {
    pub(super) fn start(
        core: Arc<EngineCore>,
        mut portions: impl Iterator<Item = Result<MotionBatch>> + Send + 'static,
    ) -> Self {
        let (sender, answers) = sync_channel(WAITING);
        let work = move || {
            core.check(&mut portions, &mut |i, verdict| {
                sender
                    .send((i, verdict))
                    .map_err(|_| Error::new(ErrorKind::Interrupted, "the receiver of the answers is gone"))
            })
        };
        Self { answers, worker: Some(std::thread::spawn(work)), stats: Stats::default() }
    }

    /// Statistics of the stages; all zero before the end.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Iterator for Stream {
    type Item = Result<(usize, Verdict)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(answer) = self.answers.recv() {
            return Some(Ok(answer));
        }
        // The worker has finished.
        match self.worker.take()?.join() {
            Ok(Ok(stats)) => {
                self.stats = stats;
                None
            }
            Ok(Err(error)) => Some(Err(error)),
            Err(_) => Some(Err(Error::new(ErrorKind::Gpu, "the worker thread failed"))),
        }
    }
}

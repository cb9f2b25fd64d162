//! Motions on the threads of one or several graphics adapters: each adapter receives the next portion when it is ready
//! for it, and the verdicts are put back in order.
//!
//! Every adapter has a thread that runs [`check_batches`](EngineCore::check_batches). The calling thread reads the
//! motions, hands them out, and passes the verdicts on.

use super::GpuPipeline;
use super::batches::counted;
use crate::engine::core::{Deliver, EngineCore};
use crate::engine::motion_queue::{Batch, MotionQueue, MotionSource};
use crate::engine::{Stats, autotune};
use crate::error::{Error, ErrorKind, Result};
use crate::verdict::Verdict;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};

/// Number of portions into which the motions for an adapter are divided at least, so that a fast adapter takes over
/// motions from a slow one.
const MIN_PORTIONS: usize = 4;
/// Smallest portion, unless fewer motions are left.
const MIN_PORTION: usize = 32;
/// Number of portions that a single adapter has asked for, so that it never waits for the calling thread.
const ASKED: usize = 2;
/// Maximum number of portions, per adapter, that are in progress or wait for earlier verdicts.
const MAX_WAITING: usize = 8;

/// A message from the thread of an adapter to the calling thread. The number is the adapter's index.
enum Message {
    /// The adapter is ready for a portion.
    Ready(usize),
    /// The verdicts on the next motions of those that the adapter received.
    Answers(usize, Vec<Verdict>),
    /// The adapter has finished, or failed.
    Ended(Result<Box<Stats>>),
}

/// A portion that has been handed out.
struct Portion {
    adapter: usize,
    n_motions: usize,
    verdicts: Vec<Verdict>,
}

impl Portion {
    fn is_complete(&self) -> bool {
        self.verdicts.len() == self.n_motions
    }
}

/// Portions that have been handed out, in the order of the motions.
#[derive(Default)]
struct HandedOut(VecDeque<Portion>);

impl HandedOut {
    fn add(&mut self, adapter: usize, n_motions: usize) {
        self.0.push_back(Portion { adapter, n_motions, verdicts: Vec::with_capacity(n_motions) });
    }

    /// Adds the verdicts on an adapter's next motions.
    fn answer(&mut self, adapter: usize, verdicts: Vec<Verdict>) {
        let mut verdicts = verdicts.into_iter();
        for portion in self.0.iter_mut().filter(|portion| portion.adapter == adapter) {
            portion.verdicts.extend(verdicts.by_ref().take(portion.n_motions - portion.verdicts.len()));
        }
    }

    /// Removes the first portion if all of its verdicts are known.
    fn next_complete(&mut self) -> Option<Vec<Verdict>> {
        let is_complete = self.0.front().is_some_and(Portion::is_complete);
        is_complete.then(|| self.0.pop_front())?.map(|portion| portion.verdicts)
    }

    /// Returns whether an adapter may receive another portion. The adapter with the first portion always may, because
    /// all others wait for it; another one may unless too many verdicts are waiting.
    fn may_receive(&self, adapter: usize, max_waiting: usize) -> bool {
        self.0.front().is_none_or(|first| first.adapter == adapter) || self.0.len() < max_waiting
    }
}

/// The motions as the thread of an adapter receives them.
struct Received<'c> {
    adapter: usize,
    messages: &'c Sender<Message>,
    portions: Receiver<Batch>,
    /// Number of portions that have been asked for and not received, and its maximum.
    n_asked: usize,
    max_asked: usize,
    /// Set when the work has failed or was interrupted.
    is_stopped: &'c AtomicBool,
}

impl MotionSource for Received<'_> {
    fn next_motions(&mut self, max: usize) -> Result<Option<Batch>> {
        if max == 0 || self.is_stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // Either end may be gone only if the work has ended.
        while self.n_asked < self.max_asked && self.messages.send(Message::Ready(self.adapter)).is_ok() {
            self.n_asked += 1;
        }
        let portion = self.portions.recv().ok();
        self.n_asked = self.n_asked.saturating_sub(1);
        Ok(portion)
    }
}

/// The calling thread's part of the work.
struct Sharing<'q, 's> {
    queue: &'q mut MotionQueue<'s>,
    /// The channel to each adapter; empty after the last portion.
    adapters: Vec<Sender<Batch>>,
    /// Largest portion of each adapter.
    max_portions: Vec<usize>,
    /// Adapters that are ready, but have to wait.
    ready: Vec<usize>,
    handed_out: HandedOut,
    /// The error that ended the queue.
    error: Option<Error>,
    is_stopped: &'q AtomicBool,
}

impl Sharing<'_, '_> {
    /// Sends portions to the adapters that are ready and may receive one.
    fn hand_out(&mut self) {
        let max_waiting = MAX_WAITING * self.max_portions.len();
        for adapter in std::mem::take(&mut self.ready) {
            if self.adapters.is_empty() {
                continue;
            }
            if !self.handed_out.may_receive(adapter, max_waiting) {
                self.ready.push(adapter);
                continue;
            }
            let n_motions = self.portion(adapter);
            match self.queue.next_batch(n_motions) {
                Ok(Some(batch)) => {
                    self.handed_out.add(adapter, batch.motions.len());
                    // If the thread of the adapter has ended, it has reported the reason.
                    let _ = self.adapters[adapter].send(batch);
                }
                Ok(None) => self.adapters.clear(),
                Err(error) => {
                    self.error = Some(error);
                    self.adapters.clear();
                }
            }
        }
    }

    /// The size of an adapter's next portion: all adapters have several portions of the motions that are left.
    fn portion(&mut self, adapter: usize) -> usize {
        let n_portions = if self.max_portions.len() == 1 { 1 } else { MIN_PORTIONS * self.max_portions.len() };
        let max = self.max_portions[adapter];
        let n_left = self.queue.read_ahead(max.saturating_mul(n_portions));
        n_left.div_ceil(n_portions).clamp(MIN_PORTION.min(max), max)
    }

    /// Passes on the verdicts of the first portions.
    fn pass_on(&mut self, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        while let Some(verdicts) = self.handed_out.next_complete() {
            deliver(verdicts, stats)?;
        }
        Ok(())
    }

    /// Works until all adapters have ended. An error of the queue is returned after the verdicts before it.
    fn run(&mut self, messages: &Receiver<Message>, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        let mut result = Ok(());
        for message in messages {
            let step = match message {
                Message::Ready(adapter) => {
                    self.ready.push(adapter);
                    Ok(())
                }
                Message::Answers(adapter, verdicts) => {
                    self.handed_out.answer(adapter, verdicts);
                    Ok(())
                }
                Message::Ended(ended) => ended.map(|of_adapter| {
                    stats.add(&of_adapter);
                    stats.device_objects += of_adapter.device_objects;
                }),
            };
            if result.is_ok() {
                result = step.and_then(|()| self.pass_on(deliver, stats));
            }
            if result.is_ok() {
                self.hand_out();
            } else {
                // The adapters finish what they have begun.
                self.is_stopped.store(true, Ordering::Relaxed);
                self.adapters.clear();
            }
        }
        result.and(self.error.take().map_or(Ok(()), Err))
    }
}

impl EngineCore {
    /// Checks all motions of a queue on several adapters.
    pub(super) fn check_shared(
        &self,
        pipelines: &[Mutex<GpuPipeline>],
        queue: &mut MotionQueue,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let mut locked = pipelines.iter().map(|p| self.lock(p)).collect::<Result<Vec<MutexGuard<GpuPipeline>>>>()?;
        counted(&mut locked[0], stats, |pipeline, _| {
            self.choose_sweep_on_gpu(pipeline, &queue.peek(autotune::CALIBRATION_MOTIONS))
        })?;
        let sweep = locked[0].sweep();
        let (messages, received) = channel();
        let is_stopped = &AtomicBool::new(false);
        let max_asked = if locked.len() == 1 { ASKED } else { 1 };
        let max_portions = locked.iter().map(|pipeline| pipeline.chunk_pieces()).collect();
        std::thread::scope(|scope| {
            let mut adapters = Vec::with_capacity(locked.len());
            for (adapter, pipeline) in locked.iter_mut().map(|locked| &mut **locked).enumerate() {
                let (sender, portions) = channel();
                adapters.push(sender);
                let messages = messages.clone();
                scope.spawn(move || {
                    pipeline.set_sweep(sweep);
                    let mut portions =
                        Received { adapter, messages: &messages, portions, n_asked: 0, max_asked, is_stopped };
                    let mut deliver = |verdicts: Vec<Verdict>, _: &mut Stats| {
                        // The calling thread listens until all adapters have ended.
                        messages.send(Message::Answers(adapter, verdicts)).map_err(|_| gone())
                    };
                    let mut of_adapter = Box::<Stats>::default();
                    // The end is reported even after a panic.
                    let checked = catch_unwind(AssertUnwindSafe(|| {
                        counted(pipeline, &mut of_adapter, |pipeline, of_adapter| {
                            self.check_batches(pipeline, &mut portions, &mut deliver, of_adapter)
                        })
                    }));
                    // After a panic the state of the adapter is unknown, so the next check opens it again.
                    let failed = |_| pipeline.gpu().mark_lost(&Error::new(ErrorKind::Gpu, "its thread failed"));
                    let checked = checked.map_err(failed).flatten();
                    let _ = messages.send(Message::Ended(checked.map(|()| of_adapter)));
                });
            }
            drop(messages);
            let handed_out = HandedOut::default();
            let mut sharing =
                Sharing { queue, adapters, max_portions, ready: Vec::new(), handed_out, error: None, is_stopped };
            sharing.run(&received, deliver, stats)
        })
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::Gpu, "the receiver of the answers is gone")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Undecided, UndecidedReason};

    fn verdict(i: usize) -> Verdict {
        Verdict::Undecided(Undecided { clear_until: i as f64, reason: UndecidedReason::EvaluationCap })
    }

    #[test]
    fn verdicts_are_returned_in_the_order_of_the_motions() {
        let mut portions = HandedOut::default();
        for (adapter, n) in [(0, 3), (1, 2), (0, 1)] {
            portions.add(adapter, n);
        }
        portions.answer(1, vec![verdict(3), verdict(4)]);
        assert_eq!(portions.next_complete(), None);
        portions.answer(0, vec![verdict(0), verdict(1)]);
        assert_eq!(portions.next_complete(), None);
        // Verdicts on the end of one portion and all of another.
        portions.answer(0, vec![verdict(2), verdict(5)]);
        let left: Vec<Verdict> = std::iter::from_fn(|| portions.next_complete()).flatten().collect();
        assert_eq!(left, (0..6).map(verdict).collect::<Vec<_>>());
    }

    #[test]
    fn only_the_adapter_with_the_first_portion_is_never_refused() {
        let mut portions = HandedOut::default();
        assert!(portions.may_receive(0, 2) && portions.may_receive(1, 2));
        portions.add(1, 5);
        assert!(portions.may_receive(0, 2));
        portions.add(0, 5);
        assert!(!portions.may_receive(0, 2) && portions.may_receive(1, 2));
        portions.answer(1, (0..5).map(verdict).collect());
        assert!(portions.next_complete().is_some() && portions.may_receive(1, 2));
    }
}

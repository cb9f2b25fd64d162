//! A queue of motions, filled from a source of batches of any size.

use crate::error::{Error, Result};
use crate::robot::MotionBatch;

/// A queue of motions.
pub(super) struct MotionQueue<'s> {
    source: &'s mut dyn Iterator<Item = Result<MotionBatch>>,
    n_columns: usize,
    at_end: bool,
    /// The error that ended the source; it is returned after the motions before it.
    error: Option<Error>,
    /// Motions read from the source, of which the first `taken` have left the queue.
    ahead: MotionBatch,
    taken: usize,
    /// Index of the next motion.
    next: usize,
}

/// A source of batches of motions.
#[cfg(feature = "gpu")]
pub(super) trait MotionSource {
    /// The next motions, about `max` of them; `None` if there are none, or if `max` is 0.
    fn next_motions(&mut self, max: usize) -> Result<Option<Batch>>;
}

#[cfg(feature = "gpu")]
impl MotionSource for MotionQueue<'_> {
    fn next_motions(&mut self, max: usize) -> Result<Option<Batch>> {
        self.next_batch(max)
    }
}

/// Consecutive motions.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Index of the first motion.
    pub(super) first: usize,
    pub(super) motions: MotionBatch,
}

impl<'s> MotionQueue<'s> {
    /// A queue of motions with `n_columns` columns each.
    pub(super) fn new(source: &'s mut dyn Iterator<Item = Result<MotionBatch>>, n_columns: usize) -> Self {
        Self { source, n_columns, at_end: false, error: None, ahead: MotionBatch::default(), taken: 0, next: 0 }
    }

    /// Removes the next `max` motions, or all remaining ones. `None` at the end.
    ///
    /// # Errors
    /// The source has ended with an error, and no motion is left.
    pub(super) fn next_batch(&mut self, max: usize) -> Result<Option<Batch>> {
        self.fill(max);
        if let Some(error) = self.error.take_if(|_| self.ahead.len() == self.taken) {
            return Err(error);
        }
        let motions = self.ahead.range(self.taken..self.taken.saturating_add(max));
        let first = self.next;
        self.taken += motions.len();
        self.next += motions.len();
        Ok((!motions.is_empty()).then_some(Batch { first, motions }))
    }

    /// Returns whether the source is known to have ended: nothing is left to read.
    pub(super) fn is_read(&self) -> bool {
        self.at_end || self.source.size_hint().1 == Some(0)
    }

    /// The next motions, which stay in the queue: at least `min`, or all remaining ones.
    pub(super) fn peek(&mut self, min: usize) -> MotionBatch {
        self.fill(min);
        self.ahead.range(self.taken..self.ahead.len())
    }

    /// Reads ahead until the queue has `min` motions, or the source ends. Returns the number of motions in the queue.
    #[cfg(feature = "gpu")]
    pub(super) fn read_ahead(&mut self, min: usize) -> usize {
        self.fill(min);
        self.ahead.len() - self.taken
    }

    /// Reads from the source until the queue has `min` motions, or the source ends.
    fn fill(&mut self, min: usize) {
        if self.at_end || self.ahead.len() - self.taken >= min {
            return;
        }
        if self.taken > 0 {
            self.ahead = self.ahead.range(self.taken..self.ahead.len());
            self.taken = 0;
        }
        while self.ahead.len() < min && !self.at_end {
            match self.source.next().map(|portion| self.append(&portion?)) {
                Some(Ok(())) => {}
                Some(Err(error)) => (self.at_end, self.error) = (true, Some(error)),
                None => self.at_end = true,
            }
        }
    }

    fn append(&mut self, portion: &MotionBatch) -> Result<()> {
        check_width(portion, self.n_columns)?;
        self.ahead.append(portion)
    }
}

/// Checks that motions have as many columns as the robot.
pub(super) fn check_width(motions: &MotionBatch, want: usize) -> Result<()> {
    let have = motions.n_columns();
    if have == want || motions.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("motions of {have} columns for a robot of {want}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portion(values: std::ops::Range<usize>) -> Result<MotionBatch> {
        MotionBatch::from_flat(values.len(), 1, values.flat_map(|v| [v as f64, 0.0]).collect())
    }

    #[test]
    fn motions_are_regrouped_into_any_portions() {
        for sizes in [vec![1; 100], vec![100], vec![7, 0, 0, 50, 43], vec![]] {
            for most in [1, 3, 49, 64, 100, 1000] {
                let mut at = 0;
                let mut source = sizes.iter().map(|n| {
                    at += n;
                    portion(at - n..at)
                });
                let mut queue = MotionQueue::new(&mut source, 1);
                assert!(queue.peek(5).len() >= 5 || sizes.is_empty());
                assert_eq!(queue.is_read(), sizes.len() <= 1);
                let mut seen = 0;
                while let Some(batch) = queue.next_batch(most).unwrap() {
                    assert_eq!(batch.first, seen);
                    assert!(batch.motions.len() <= most);
                    (0..batch.motions.len()).for_each(|i| assert_eq!(batch.motions.start(i), [(seen + i) as f64]));
                    seen += batch.motions.len();
                }
                assert_eq!(seen, sizes.iter().sum::<usize>());
                assert!(queue.is_read());
            }
        }
    }

    #[test]
    fn errors_and_wrong_numbers_of_columns_are_returned() {
        for max in [1, 2, 3, 100] {
            let mut source = [portion(0..3), Err(Error::usage("stop")), portion(3..9)].into_iter();
            let mut queue = MotionQueue::new(&mut source, 1);
            assert_eq!(queue.peek(max).len(), 3);
            let mut seen = 0;
            let error = loop {
                match queue.next_batch(max) {
                    Ok(batch) => seen += batch.unwrap().motions.len(),
                    Err(error) => break error,
                }
            };
            assert_eq!((seen, error.to_string().as_str()), (3, "stop"));
            assert!(queue.next_batch(max).unwrap().is_none());
        }
        let mut source = std::iter::once(portion(0..2));
        assert!(MotionQueue::new(&mut source, 3).next_batch(1).unwrap_err().to_string().contains("1 columns"));
    }
}

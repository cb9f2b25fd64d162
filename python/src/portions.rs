//! Motions in portions that Python makes when they are needed.

use crate::interruption::Interruption;
use crate::numbers;
use firstcontact::arith::float_environment::as_caller;
use firstcontact::{MotionBatch, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Portions from an iterator over arrays of shape (q, 2, columns).
pub struct Portions<'a> {
    pub iterator: Py<PyIterator>,
    pub signals: &'a Interruption,
    pub n_columns: usize,
    /// Number of motions so far.
    pub n_read: usize,
    /// Receives a copy of each portion, if answers need it.
    pub copies: Option<&'a RefCell<Unanswered>>,
}

impl Iterator for Portions<'_> {
    type Item = Result<MotionBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = Python::attach(|py| {
            let portion = as_caller(|| self.iterator.bind(py).clone().next())?;
            let bytes = portion.and_then(|portion| Ok(portion.cast_into::<PyBytes>()?));
            let bytes = self.signals.through(bytes);
            Some(bytes.and_then(|bytes| numbers::motions(bytes.as_bytes(), self.n_columns, self.n_read)))
        })?;
        Some(batch.inspect(|batch| {
            self.n_read += batch.len();
            if let Some(copies) = self.copies {
                copies.borrow_mut().batches.push_back(batch.clone());
            }
        }))
    }
}

/// Motions that have been read and are not answered yet.
#[derive(Default)]
pub struct Unanswered {
    /// Number of the first motion of the first batch.
    first: usize,
    batches: VecDeque<MotionBatch>,
}

impl Unanswered {
    /// The batch with motion `i`, which is answered next, and its index there.
    pub fn batch(&mut self, i: usize) -> Option<(&MotionBatch, usize)> {
        while self.batches.front().is_some_and(|batch| i >= self.first + batch.len()) {
            self.first += self.batches.pop_front()?.len();
        }
        Some((self.batches.front()?, i - self.first))
    }
}

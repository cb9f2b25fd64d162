//! A batch of motions: start and end values of all columns.

use crate::enclosure::chain_bounds::Deviation;
use crate::error::{Error, Result};
use std::ops::Range;

/// Q motions of D columns each. In each motion every column runs linearly from a start to an end value; for a free
/// joint see [`JointMotion`](crate::robot::JointMotion).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionBatch {
    n_motions: usize,
    n_columns: usize,
    /// `[q][start or end][column]`
    values: Vec<f64>,
    /// `[q][body]`; empty if no joint deviates from its motion.
    deviations: Vec<Deviation>,
}

impl MotionBatch {
    /// Motions from the rows of `start` to the rows of `end`: one row for each motion, with one value for each column,
    /// radians or metres.
    ///
    /// # Errors
    /// The two have different shapes, or a value is NaN or infinite.
    pub fn between<R: AsRef<[f64]>>(start: &[R], end: &[R]) -> Result<Self> {
        if start.len() != end.len() {
            return Err(Error::usage(format!("{} starts but {} ends", start.len(), end.len())));
        }
        let n_columns = start.first().map_or(0, |r| r.as_ref().len());
        let mut values = Vec::with_capacity(2 * n_columns * start.len());
        for (i, (s, e)) in start.iter().zip(end).enumerate() {
            for row in [s.as_ref(), e.as_ref()] {
                if row.len() != n_columns {
                    let message = format!("{} columns where motion 0 has {n_columns}", row.len());
                    return Err(Error::usage(message).at(format!("motion {i}")));
                }
                values.extend_from_slice(row);
            }
        }
        Self::from_flat(start.len(), n_columns, values)
    }

    /// Motions from values (radians, metres) in the order `[motion][start or end][column]`.
    ///
    /// # Errors
    /// The length is not `2 * n_motions * n_columns`, or a value is NaN or infinite.
    pub fn from_flat(n_motions: usize, n_columns: usize, values: Vec<f64>) -> Result<Self> {
        Self::numbered(0, n_motions, n_columns, values)
    }

    /// Like [`MotionBatch::from_flat`], for motions that are numbered from `first`.
    pub(crate) fn numbered(first: usize, n_motions: usize, n_columns: usize, values: Vec<f64>) -> Result<Self> {
        if n_motions.checked_mul(2 * n_columns) != Some(values.len()) {
            let message = format!("{} numbers do not form {n_motions} motions of {n_columns} columns", values.len());
            return Err(Error::usage(message));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let (motion, column) = (first + i / (2 * n_columns), i % n_columns);
            return Err(Error::input(format!("column {column} is NaN or infinite")).at(format!("motion {motion}")));
        }
        Ok(Self { n_motions, n_columns, values, deviations: Vec::new() })
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.n_motions
    }

    /// Returns whether there is no motion.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A copy of some of the motions.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.n_motions);
        let start = range.start.min(end);
        let of = |i: usize| 2 * i * self.n_columns;
        let n_bodies = self.n_bodies();
        Self {
            n_motions: end - start,
            n_columns: self.n_columns,
            values: self.values[of(start)..of(end)].to_vec(),
            deviations: self.deviations[start * n_bodies..end * n_bodies].to_vec(),
        }
    }

    /// A copy of the motions with these numbers, in that order; numbers beyond the last motion are ignored.
    #[must_use]
    pub fn pick(&self, numbers: &[usize]) -> Self {
        let mut some = Self { n_columns: self.n_columns, ..Self::default() };
        for &i in numbers.iter().filter(|i| **i < self.n_motions) {
            some.n_motions += 1;
            some.values.extend_from_slice(self.start(i));
            some.values.extend_from_slice(self.end(i));
            some.deviations.extend_from_slice(self.deviations(i));
        }
        some
    }

    /// Appends other motions.
    ///
    /// # Errors
    /// The number of columns differs.
    pub fn append(&mut self, other: &Self) -> Result<()> {
        if self.is_empty() {
            self.n_columns = other.n_columns;
        }
        if other.n_columns != self.n_columns && !other.is_empty() {
            let (have, want) = (other.n_columns, self.n_columns);
            return Err(Error::usage(format!("motions of {have} columns after motions of {want}")));
        }
        self.n_motions += other.n_motions;
        self.values.extend_from_slice(&other.values);
        self.deviations.extend_from_slice(&other.deviations);
        Ok(())
    }

    /// Appends a motion from which the joints deviate: a part of a trajectory. A batch with such motions contains no
    /// others.
    #[cfg(feature = "gpu")]
    pub(crate) fn push_deviating(&mut self, [start, end]: [&[f64]; 2], of_bodies: impl IntoIterator<Item = Deviation>) {
        self.n_columns = start.len();
        self.n_motions += 1;
        self.values.extend_from_slice(start);
        self.values.extend_from_slice(end);
        self.deviations.extend(of_bodies);
    }

    /// The deviations of the bodies' joints in motion `i`; empty unless it is a part of a trajectory.
    pub(crate) fn deviations(&self, i: usize) -> &[Deviation] {
        let n_bodies = self.n_bodies();
        &self.deviations[i * n_bodies..(i + 1) * n_bodies]
    }

    /// Returns whether the motions are parts of trajectories.
    pub(crate) fn are_spans(&self) -> bool {
        !self.deviations.is_empty()
    }

    /// Number of bodies whose joints deviate.
    fn n_bodies(&self) -> usize {
        self.deviations.len().checked_div(self.n_motions).unwrap_or(0)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The start values of motion `i`.
    pub fn start(&self, i: usize) -> &[f64] {
        let at = 2 * i * self.n_columns;
        &self.values[at..at + self.n_columns]
    }

    /// The end values of motion `i`.
    pub fn end(&self, i: usize) -> &[f64] {
        let at = (2 * i + 1) * self.n_columns;
        &self.values[at..at + self.n_columns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_picked_in_the_given_order_with_repetitions() {
        let all =
            MotionBatch::between(&[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], &[[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]).unwrap();
        let some = all.pick(&[2, 0, 7, 2]);
        assert_eq!((some.len(), some.n_columns()), (3, 2));
        assert_eq!(
            [some.start(0), some.end(0), some.start(1), some.end(2)],
            [[4.0, 5.0], [4.5, 5.5], [0.0, 1.0], [4.5, 5.5]]
        );
        assert!(all.pick(&[]).is_empty());
    }
}

//! Motions in memory of the caller, in portions.

use crate::rows::Rows;
use firstcontact::{Error, MotionBatch, Result};
use std::ops::Range;

/// Motions that are copied at a time.
pub(crate) const PORTION: usize = 4096;

/// Motions between rows of configurations.
pub struct Motions<'a> {
    starts: Rows<'a, f64>,
    ends: Rows<'a, f64>,
    /// Rows of starts and ends by motion; none if motion `i` is between rows `i`.
    edges: Option<Rows<'a, u32>>,
}

impl<'a> Motions<'a> {
    /// Motion `i` is from row `i` of the starts to row `i` of the ends.
    ///
    /// # Errors
    /// The arrays differ in their number of rows, or do not have as many columns as a configuration.
    pub fn between(starts: Rows<'a, f64>, ends: Rows<'a, f64>, n_columns: usize) -> Result<Self> {
        if starts.n_rows() != ends.n_rows() {
            return Err(Error::usage(format!("{} starts but {} ends", starts.n_rows(), ends.n_rows())));
        }
        let [starts, ends] = [of_columns(starts, n_columns, "starts")?, of_columns(ends, n_columns, "ends")?];
        Ok(Self { starts, ends, edges: None })
    }

    /// Motions along the edges of a roadmap.
    ///
    /// # Errors
    /// The vertices do not have as many columns as a configuration.
    pub fn along(vertices: Rows<'a, f64>, edges: Rows<'a, u32>, n_columns: usize) -> Result<Self> {
        let vertices = of_columns(vertices, n_columns, "vertices")?;
        Ok(Self { starts: vertices, ends: vertices, edges: Some(edges) })
    }

    pub fn len(&self) -> usize {
        self.edges.map_or(self.starts.n_rows(), |edges| edges.n_rows())
    }

    /// The ends of motion `i`.
    pub fn ends_of(&self, i: usize) -> [Vec<f64>; 2] {
        let [start, end] = self.rows_of(i);
        [self.starts.row(start), self.ends.row(end)]
    }

    fn rows_of(&self, i: usize) -> [usize; 2] {
        self.edges.map_or([i, i], |edges| [0, 1].map(|k| edges.at(i, k) as usize))
    }

    /// A copy of some motions; the first of all has the number `first`.
    ///
    /// # Errors
    /// A value is NaN or infinite.
    pub fn batch(&self, range: Range<usize>, first: usize) -> Result<MotionBatch> {
        let n_columns = self.starts.n_columns();
        let mut values = Vec::with_capacity(2 * n_columns * range.len());
        for i in range.clone() {
            let [start, end] = self.rows_of(i);
            self.starts.append_to(start, &mut values);
            self.ends.append_to(end, &mut values);
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let motion = first + range.start + i / (2 * n_columns);
            let message = format!("column {} is NaN or infinite", i % n_columns);
            return Err(Error::input(message).at(format!("motion {motion}")));
        }
        MotionBatch::from_flat(range.len(), n_columns, values)
    }

    /// All motions in portions.
    pub fn portions(&self) -> impl Iterator<Item = Result<MotionBatch>> + '_ {
        (0..self.len()).step_by(PORTION).map(|i| self.batch(i..self.len().min(i + PORTION), 0))
    }
}

fn of_columns<'a>(rows: Rows<'a, f64>, n_columns: usize, name: &str) -> Result<Rows<'a, f64>> {
    rows.with_columns(n_columns).map_err(|e| e.at(name).remedy("fc_engine_column_name lists the columns, in order"))
}

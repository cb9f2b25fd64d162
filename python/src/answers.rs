//! Answers to motions or trajectories.

use crate::certificates::hex;
use crate::columns::Columns;
use crate::error::raise;
use crate::interruption::detached;
use crate::names::Names;
use firstcontact::io::output;
use firstcontact::report::Line;
use firstcontact::{Error, ErrorKind, Result, Stats, Trajectory, TrajectoryVerdict, Verdict};
use firstcontact_verifier::merkle;
use glam::DAffine3;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Answers in the order of the motions.
#[pyclass(frozen, module = "firstcontact._native")]
pub struct Answers {
    pub names: Arc<Names>,
    pub given: Given,
    /// Poses of the bodies at contacts, by motion, if they are wanted.
    pub poses: BTreeMap<usize, Vec<DAffine3>>,
    pub stats: Stats,
}

/// The questions that the answers belong to.
pub enum Given {
    Motions(Vec<Verdict>),
    Trajectories(Vec<TrajectoryVerdict>, Vec<Arc<Trajectory>>),
}

impl Given {
    fn len(&self) -> usize {
        match self {
            Self::Motions(verdicts) => verdicts.len(),
            Self::Trajectories(verdicts, _) => verdicts.len(),
        }
    }
}

impl Answers {
    /// Answer `i` as a line of JSON, for a motion with this number.
    fn text(&self, i: usize, number: usize) -> Result<String> {
        let Names { robot, scene } = &*self.names;
        let mut line = match &self.given {
            Given::Motions(verdicts) => Line::new(number, &verdicts[i], robot, scene),
            Given::Trajectories(verdicts, paths) => Line::of_trajectory(number, &verdicts[i], &paths[i], robot, scene),
        };
        if let Some(poses) = self.poses.get(&i) {
            line.with_poses(robot, poses);
        }
        serde_json::to_string(&line).map_err(|e| Error::usage(e.to_string()))
    }
}

#[pymethods]
impl Answers {
    fn __len__(&self) -> usize {
        self.given.len()
    }

    /// Answer `i` as a line of JSON; `first` is the number of answer 0.
    fn line(&self, i: usize, first: usize) -> PyResult<String> {
        if i >= self.given.len() {
            return Err(PyIndexError::new_err(format!("answer {i} of {}", self.given.len())));
        }
        self.text(i, first + i).map_err(raise)
    }

    /// All answers as lines of JSON.
    fn lines(&self, py: Python, first: usize) -> PyResult<String> {
        let lines = || (0..self.given.len()).map(|i| Ok(self.text(i, first + i)? + "\n")).collect::<Result<String>>();
        detached(py, lines).map_err(raise)
    }

    /// Writes all answers as lines of JSON into a file, whole or not at all.
    fn write(&self, py: Python, path: PathBuf, first: usize) -> PyResult<()> {
        let failed = |e: std::io::Error| Error::new(ErrorKind::Output, format!("cannot write: {e}")).in_file(&path);
        let write = || {
            output::write(&path, |to| {
                (0..self.given.len()).try_for_each(|i| writeln!(to, "{}", self.text(i, first + i)?).map_err(failed))
            })
        };
        detached(py, write).map_err(raise)
    }

    /// The Merkle roots of the blocks of 4,096 lines of JSON, in hexadecimal digits; `first` is the number of answer 0.
    fn block_roots(&self, py: Python, first: usize) -> PyResult<Vec<String>> {
        let roots = || {
            let numbers: Vec<usize> = (0..self.given.len()).collect();
            let leaf = |&i: &usize| Ok(merkle::leaf(self.text(i, first + i)?.as_bytes()));
            let block = |block: &[usize]| block.iter().map(leaf).collect::<Result<Vec<_>>>();
            let roots = numbers.chunks(merkle::BLOCK).map(|of| block(of).map(|leaves| hex(&merkle::root(&leaves))));
            roots.collect::<Result<Vec<String>>>()
        };
        detached(py, roots).map_err(raise)
    }

    /// Columns by name, as bytes.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = detached(py, || match &self.given {
            Given::Motions(verdicts) => Columns::new(verdicts.iter()),
            Given::Trajectories(verdicts, _) => Columns::of_trajectories(verdicts),
        });
        columns.to_dict(py)
    }

    /// Counts and times by name.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Stats { motions, free, contact, certified, undecided, start_inside, wall_s, build_s, .. } = &self.stats;
        let counts = [("motions", motions), ("free", free), ("contact", contact), ("certified", certified)];
        let more = [("undecided", undecided), ("start_inside", start_inside)];
        let dict = PyDict::new(py);
        counts.into_iter().chain(more).try_for_each(|(name, n)| dict.set_item(name, n))?;
        [("wall_s", wall_s), ("build_s", build_s)].into_iter().try_for_each(|(name, s)| dict.set_item(name, s))?;
        Ok(dict)
    }

    /// Names of the links with triangles and of attached objects.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.names.links()
    }

    /// Names of the objects of the scene.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.names.objects()
    }
}

//! Files of trajectories: waypoints, splines given by points, and ROS 2 messages.

mod any;
mod arrays;
mod builder;
mod csv;
mod document;
mod form;
mod options;
mod rows;

pub use any::{AnyMotionFile, holds_trajectories};
pub use options::{Interpolation, TrajectoryOptions, TrajectorySummary};

use crate::error::{Error, Result};
use crate::formats::motion_file::Format;
use crate::formats::store::Store;
use crate::formats::stream::{peek, read_whole, spool_archive, unreadable};
use crate::io::output::record_input;
use crate::robot::{Robot, Trajectory};
use builder::Builder;
use form::Form;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The trajectories in a file, all in memory, each checked as by [`Trajectory::check`].
///
/// ```no_run
/// use firstcontact::{Robot, TrajectoryFile, TrajectoryOptions};
/// let robot = Robot::from_urdf("arm.urdf")?;
/// let file = TrajectoryFile::open("plan.yaml", &robot, &TrajectoryOptions::default())?;
/// println!("{} trajectories, {} cubic segments", file.len(), file.summary().cubic);
/// # Ok::<(), firstcontact::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrajectoryFile {
    name: PathBuf,
    trajectories: Vec<Trajectory>,
    summary: TrajectorySummary,
}

impl TrajectoryFile {
    /// Reads a file.
    ///
    /// - `.npy`: an array of shape `(Q, W, D)`: W waypoints of the robot's columns, connected by straight lines; any
    ///   real type of at most 64 bits.
    /// - `.npz`: `positions` of that shape; optionally `times (Q, W)`, `velocities` and `accelerations (Q, W, D)`,
    ///   `lengths (Q)` with the number of points of each trajectory that are used, and `joint_names`.
    /// - `.json`: `{"joints":[…],"trajectories":[{"times_s":[…],"positions":[[…]],"velocities":[[…]],
    ///   "accelerations":[[…]]}]}`, of which only `positions` is required; an empty row means that its values are
    ///   missing. Alternatively, one ROS 2 `trajectory_msgs/JointTrajectory` message or a list of them, or motions as
    ///   in [`MotionFile::open`](crate::MotionFile::open).
    /// - `.yaml`, `.yml`: the same in YAML, in one or more documents.
    /// - `.csv`: a line with the names of the joints, then a row for each point; optionally columns `time` and
    ///   `trajectory`. A blank line, or another value in `trajectory`, begins the next trajectory.
    ///
    /// Velocities and accelerations are per second, times seconds. The format of a pipe, or of a file without an
    /// extension, is detected from its content.
    ///
    /// # Errors
    /// The file is missing or malformed, lacks a joint for which the options have no value, lacks times or derivatives
    /// that the interpolation needs, does not fit the limits, or has a trajectory that does not fit the robot.
    pub fn open(path: impl AsRef<Path>, robot: &Robot, options: &TrajectoryOptions) -> Result<Self> {
        let path = path.as_ref();
        Self::read(path.to_path_buf(), robot, options, |to| open(path, to))
    }

    /// Reads a stream of any format that [`TrajectoryFile::open`] reads, detected from its content. `name` is for
    /// messages.
    ///
    /// # Errors
    /// As [`TrajectoryFile::open`].
    pub fn from_stream(
        mut stream: impl Read,
        name: impl Into<PathBuf>,
        robot: &Robot,
        options: &TrajectoryOptions,
    ) -> Result<Self> {
        Self::read(name.into(), robot, options, |to| from_stream(&mut stream, None, to))
    }

    fn read(
        name: PathBuf,
        robot: &Robot,
        options: &TrajectoryOptions,
        add: impl FnOnce(&mut Builder) -> Result<()>,
    ) -> Result<Self> {
        let mut builder = Builder::new(robot, options)?;
        add(&mut builder).map_err(|e| e.in_file(&name))?;
        let (trajectories, summary) = builder.finish();
        Ok(Self { name, trajectories, summary })
    }

    /// The path, or the name of the stream.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Number of trajectories.
    pub fn len(&self) -> usize {
        self.trajectories.len()
    }

    /// Returns whether there is no trajectory.
    pub fn is_empty(&self) -> bool {
        self.trajectories.is_empty()
    }

    /// The trajectories in the order of the file.
    pub fn trajectories(&self) -> &[Trajectory] {
        &self.trajectories
    }

    /// The trajectories in the order of the file.
    pub fn into_trajectories(self) -> Vec<Trajectory> {
        self.trajectories
    }

    /// Counts over the trajectories.
    pub fn summary(&self) -> TrajectorySummary {
        self.summary
    }
}

fn open(path: &Path, to: &mut Builder) -> Result<()> {
    let named = Form::of_name(path)?;
    let mut file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Error::input("it is not a file"));
    }
    if !metadata.is_file() {
        return from_stream(&mut file, named, to);
    }
    record_input(path);
    let (store, length) = (Store::File(Arc::new(file)), metadata.len());
    let form = match named {
        Some(form) => form,
        None => Form::of_content(&peek(&mut store.reader(0), Format::N_PEEKED)?.0)?,
    };
    match form {
        Form::Npz => arrays::npz(&store, length, to),
        Form::Npy => {
            to.left().check(u128::from(length), "its bytes")?;
            arrays::npy(BufReader::new(store.reader(0)), to)
        }
        text => {
            to.left().check(u128::from(length), "its bytes")?;
            read_text(text, store.reader(0), to)
        }
    }
}

/// Reads a stream; its form is detected from its content unless it is given.
fn from_stream(source: &mut dyn Read, named: Option<Form>, to: &mut Builder) -> Result<()> {
    let (first, stream) = peek(source, Format::N_PEEKED)?;
    match named.map_or_else(|| Form::of_content(&first), Ok)? {
        Form::Npy => arrays::npy(BufReader::new(stream), to),
        Form::Npz => {
            let (store, length) = spool_archive(stream, &to.left())?;
            arrays::npz(&store, length, to)
        }
        text => read_text(text, stream, to),
    }
}

/// Reads a text.
fn read_text(form: Form, source: impl Read, to: &mut Builder) -> Result<()> {
    let bytes = read_whole(source, &to.left())?;
    add_text(form, &bytes, to)
}

/// Adds the trajectories of a text in memory.
fn add_text(form: Form, bytes: &[u8], to: &mut Builder) -> Result<()> {
    match form {
        Form::Csv => csv::read(bytes, to),
        Form::Yaml => document::yaml(bytes, to),
        _ => document::json(bytes, to),
    }
}

#[cfg(test)]
mod tests;

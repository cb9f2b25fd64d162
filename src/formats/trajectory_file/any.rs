//! The choice between motions and trajectories.

use super::builder::Builder;
use super::form::Form;
use super::{TrajectoryFile, TrajectoryOptions, add_text, arrays, csv, document};
use crate::error::{Error, Result};
use crate::formats::array::{Header, has_waypoints, is_of_trajectories};
use crate::formats::motion_file::Format;
use crate::formats::store::Store;
use crate::formats::stream::{peek, read_whole, spool_archive, unreadable};
use crate::formats::{MotionFile, MotionOptions};
use crate::robot::Robot;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of JSON that are inspected before its first decisive key.
const JSON_PEEKED: u64 = 16 << 20;
/// Bytes of a stream that are inspected: more than the longest header of an array.
const MAX_PEEKED: u64 = 1 << 17;

/// The motions or the trajectories in a file.
#[derive(Debug)]
pub enum AnyMotionFile<'r> {
    /// Motions, each from a start to an end, without times.
    Motions(MotionFile<'r>),
    /// Trajectories.
    Trajectories(TrajectoryFile),
}

impl<'r> AnyMotionFile<'r> {
    /// Opens a file, or reads it if it [has trajectories](holds_trajectories).
    ///
    /// # Errors
    /// As [`MotionFile::open`] or [`TrajectoryFile::open`].
    pub fn open(path: impl AsRef<Path>, robot: &'r Robot, options: &TrajectoryOptions) -> Result<Self> {
        let path = path.as_ref();
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let named = Form::of_name(path).map_err(|e| e.in_file(path))?;
            let mut pipe = File::open(path).map_err(|cause| unreadable(cause).in_file(path))?;
            return from_stream(&mut pipe, named, path, robot, options);
        }
        if holds_trajectories(path, robot, &options.motion)? {
            TrajectoryFile::open(path, robot, options).map(Self::Trajectories)
        } else {
            MotionFile::open(path, robot, &options.motion).map(Self::Motions)
        }
    }

    /// Reads a stream; `name` is for messages. Text is in memory while the choice is made.
    ///
    /// # Errors
    /// As [`MotionFile::from_stream`] or [`TrajectoryFile::from_stream`].
    pub fn from_stream(
        mut stream: impl Read,
        name: impl Into<PathBuf>,
        robot: &'r Robot,
        options: &TrajectoryOptions,
    ) -> Result<Self> {
        from_stream(&mut stream, None, &name.into(), robot, options)
    }
}

fn from_stream<'r>(
    source: &mut dyn Read,
    named: Option<Form>,
    name: &Path,
    robot: &'r Robot,
    options: &TrajectoryOptions,
) -> Result<AnyMotionFile<'r>> {
    let located = |e: Error| e.in_file(name);
    let (first, mut stream) = peek(source, MAX_PEEKED).map_err(located)?;
    let start = &first[..first.len().min(Format::N_PEEKED as usize)];
    let motion = &options.motion;
    let trajectories = |add: &mut dyn FnMut(&mut Builder) -> Result<()>| {
        TrajectoryFile::read(name.to_path_buf(), robot, options, add).map(AnyMotionFile::Trajectories)
    };
    let motions = match named.map_or_else(|| Form::of_content(start), Ok).map_err(located)? {
        Form::Npy if is_array_of_trajectories(&first[..]) => {
            return trajectories(&mut |to| arrays::npy(BufReader::new(&mut stream), to));
        }
        Form::Npy => MotionFile::from_stream(stream, name, robot, motion),
        Form::Npz => {
            let (store, length) = spool_archive(stream, &motion.limits).map_err(located)?;
            if is_of_trajectories(&store, length) {
                return trajectories(&mut |to| arrays::npz(&store, length, to));
            }
            MotionFile::from_archive(store, length, name, robot, motion)
        }
        text => {
            let bytes = read_whole(stream, &motion.limits).map_err(located)?;
            if is_text_of_trajectories(text, &bytes, robot, motion) {
                return trajectories(&mut |to| add_text(text, &bytes, to));
            }
            MotionFile::from_text(text == Form::Csv, &bytes, name, robot, motion)
        }
    };
    motions.map(AnyMotionFile::Motions)
}

/// Returns whether [`TrajectoryFile`] should read a file, because it contains more than motions from a start to an end:
///
/// - `.npy`: the number of waypoints is not two;
/// - `.npz`: likewise, or `times`, `velocities`, `accelerations` or `lengths` exist;
/// - `.json`: an object with `trajectories` or `points`, or a list of objects;
/// - `.yaml`, `.yml`: always;
/// - `.csv`: a column `time`, or a number of rows other than two between blank lines or in a group of the column
///   `trajectory`. Without any of these, two rows are a motion.
///
/// [`MotionFile`] reads all others, and reports the errors of damaged ones. A pipe is not read, and the result is
/// false: see [`AnyMotionFile::from_stream`].
///
/// # Errors
/// A CSV file does not fit the limits, or cannot be read.
pub fn holds_trajectories(path: impl AsRef<Path>, robot: &Robot, options: &MotionOptions) -> Result<bool> {
    let path = path.as_ref();
    // The reader that is chosen reports a file that cannot be opened.
    let Ok(named) = Form::of_name(path) else { return Ok(false) };
    let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let Some(file) = Some(path).filter(|_| is_file).and_then(|path| File::open(path).ok()) else { return Ok(false) };
    let Ok(length) = file.metadata().map(|m| m.len()) else { return Ok(false) };
    let store = Store::File(Arc::new(file));
    let form = match named {
        Some(form) => Ok(form),
        None => peek(&mut store.reader(0), Format::N_PEEKED).and_then(|(first, _)| Form::of_content(&first)),
    };
    let Ok(form) = form else { return Ok(false) };
    decide(form, &store, length, robot, options).map_err(|e| e.in_file(path))
}

fn decide(form: Form, store: &Store, length: u64, robot: &Robot, options: &MotionOptions) -> Result<bool> {
    Ok(match form {
        Form::Npy => is_array_of_trajectories(BufReader::new(store.reader(0))),
        Form::Npz => is_of_trajectories(store, length),
        Form::Json => document::is_json_of_trajectories(BufReader::new(store.reader(0).take(JSON_PEEKED))),
        Form::Yaml => true,
        text => is_text_of_trajectories(text, &read_whole(store.reader(0), &options.limits)?, robot, options),
    })
}

fn is_array_of_trajectories(mut source: impl Read) -> bool {
    Header::read(&mut source).is_ok_and(|header| has_waypoints(&header))
}

fn is_text_of_trajectories(form: Form, bytes: &[u8], robot: &Robot, options: &MotionOptions) -> bool {
    match form {
        Form::Csv => csv::is_of_trajectories(bytes, robot, options),
        Form::Yaml => true,
        _ => document::is_json_of_trajectories(bytes),
    }
}

//! The motions or trajectories that a command checks.

use super::model::Model;
use super::motions::{MotionArgs, STANDARD_INPUT};
use super::resume::MotionHash;
use super::warn;
use crate::picture::{self, Course};
use clap::{Args, ValueEnum};
use firstcontact::engine::Engine;
use firstcontact::error::quoted;
use firstcontact::formats::{AnyMotionFile, JointValues, MissingJoints, MotionFile, TrajectoryFile, TrajectoryOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::{BeyondLimits, Column, Robot, Trajectory};
use firstcontact::{ColumnKind, Error, Interpolation, Result, TrajectoryVerdict};
use std::convert::Infallible;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Options for trajectories.
#[derive(Clone, Debug, Args)]
pub struct TrajectoryArgs {
    /// The curve between two points of a trajectory: auto takes a quintic where both have velocities and accelerations,
    /// a cubic where both have velocities, otherwise a straight line
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reading")]
    interpolation: InterpolationChoice,
    /// Joint values {"joint": value, …}, in radians and metres, from which trajectories start if their first time is
    /// above 0
    #[arg(long, value_name = "FILE.json", help_heading = "Reading")]
    start_state: Option<PathBuf>,
    /// Maximum deviation of each joint from the motion at any time; answers hold for every execution within it: radians
    /// for revolute joints and metres for prismatic ones, or a file {"joint": tolerance, …}
    #[arg(long, value_name = "RAD|FILE.json", allow_hyphen_values = true, help_heading = "Answers")]
    joint_tolerance: Option<ToleranceChoice>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InterpolationChoice {
    Auto,
    Linear,
    Cubic,
    Quintic,
}

impl From<InterpolationChoice> for Interpolation {
    fn from(choice: InterpolationChoice) -> Self {
        match choice {
            InterpolationChoice::Auto => Self::Auto,
            InterpolationChoice::Linear => Self::Linear,
            InterpolationChoice::Cubic => Self::Cubic,
            InterpolationChoice::Quintic => Self::Quintic,
        }
    }
}

#[derive(Clone, Debug)]
enum ToleranceChoice {
    Number(f64),
    File(PathBuf),
}

impl FromStr for ToleranceChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::File(text.into()), Self::Number))
    }
}

/// The motions or trajectories of a file.
#[derive(Debug)]
pub enum Queries<'r> {
    /// Motions, each from a start to an end.
    Motions(MotionFile<'r>),
    /// Trajectories, or motions with a tolerance.
    Trajectories(Paths),
}

/// Trajectories in memory.
#[derive(Debug)]
pub struct Paths {
    name: PathBuf,
    /// The trajectories.
    pub trajectories: Vec<Trajectory>,
    /// Tolerance of each column, radians or metres; empty without a tolerance.
    pub joint_tolerance: Vec<f64>,
    /// For each column, the largest multiplier of a joint that follows it.
    factors: Vec<f64>,
    notes: Vec<String>,
    /// A note that the motion before the first point is not checked.
    caveat: Option<String>,
}

/// The result of a first reading of everything.
pub struct Scanned {
    /// Hash of all queries.
    pub hash: MotionHash,
    /// Counts of values beyond the joints' limits.
    pub limits: BeyondLimits,
    /// Bounds of the values of each column.
    pub ranges: Vec<[f64; 2]>,
}

impl TrajectoryArgs {
    /// Returns whether the answers are for a tolerance.
    pub fn has_joint_tolerance(&self) -> bool {
        self.joint_tolerance.is_some()
    }

    /// Refuses options for trajectories where planning problems are checked: each is the straight motion from its start
    /// to its goal.
    ///
    /// # Errors
    /// A tolerance or a start state was given.
    pub fn check_problems(&self) -> Result<()> {
        let given =
            [(self.joint_tolerance.is_some(), "--joint-tolerance"), (self.start_state.is_some(), "--start-state")];
        let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
        let message = format!("{option} is for files of motions or trajectories, not for planning problems");
        Err(Error::usage(message).remedy("leave it out, or give --robot, --scene and --motions"))
    }

    /// Opens a file of motions or trajectories, or the standard input for the path `-`.
    ///
    /// # Errors
    /// A file cannot be read, or does not fit the robot.
    pub fn open<'r>(
        &self,
        path: &Path,
        reading: &MotionArgs,
        model: &'r Model,
        limits: LoadLimits,
    ) -> Result<Queries<'r>> {
        let (robot, motion) = (&model.robot, reading.options(model, limits)?);
        let start_state = self.start_state.as_ref().map(|file| {
            let values = JointValues::from_file(file, &limits)?;
            values.row(robot, &motion.missing_joints)
        });
        let options = TrajectoryOptions::default()
            .with_motion(motion)
            .with_interpolation(self.interpolation.into())
            .with_start_state(start_state.transpose()?);
        let file = match path == Path::new(STANDARD_INPUT) {
            true => AnyMotionFile::from_stream(io::stdin().lock(), "standard input", robot, &options),
            false => AnyMotionFile::open(path, robot, &options),
        };
        let joint_tolerance = self.joint_tolerance(robot, &limits)?;
        let file = file?;
        if let AnyMotionFile::Motions(motions) = &file
            && motions.has_counted_rows()
            && motions.len() > 1
        {
            warn(&format!(
                "{}: {} rows are read as {} motions of two rows each; if they are one path, add a column named time",
                motions.name().display(),
                2 * motions.len(),
                motions.len()
            ));
        }
        match file {
            AnyMotionFile::Motions(motions) if joint_tolerance.is_empty() => Ok(Queries::Motions(motions)),
            AnyMotionFile::Motions(motions) => Ok(Queries::Trajectories(Paths {
                name: motions.name().to_path_buf(),
                trajectories: straight(&motions, &limits)?,
                joint_tolerance,
                factors: picture::factors(robot),
                notes: Vec::new(),
                caveat: None,
            })),
            AnyMotionFile::Trajectories(file) => {
                if self.start_state.is_some() && file.summary().from_start_state == 0 {
                    warn("no trajectory begins after time 0: --start-state is not used");
                }
                Ok(Queries::Trajectories(Paths {
                    name: file.name().to_path_buf(),
                    notes: notes(&file),
                    caveat: caveat(&file).inspect(|caveat| warn(caveat)),
                    trajectories: file.into_trajectories(),
                    joint_tolerance,
                    factors: picture::factors(robot),
                }))
            }
        }
    }

    /// The tolerance of each column; empty if none was given.
    fn joint_tolerance(&self, robot: &Robot, limits: &LoadLimits) -> Result<Vec<f64>> {
        let is_free = |column: &Column| matches!(column.kind, ColumnKind::Free(_));
        let negative = |tau: f64| {
            let message = format!("--joint-tolerance: {tau} is not a tolerance");
            Error::input(message).remedy("tolerances are numbers of radians or metres, zero or more")
        };
        let tolerance: Vec<f64> = match &self.joint_tolerance {
            None => Vec::new(),
            Some(ToleranceChoice::Number(tau)) => {
                if let Some(free) = robot.columns.iter().find(|column| is_free(column)) {
                    let message = format!(
                        "--joint-tolerance: the free joint of column {} cannot have a tolerance",
                        quoted(&free.name)
                    );
                    return Err(Error::usage(message).remedy("give the tolerances of the other joints in a file"));
                }
                vec![*tau; robot.columns.len()]
            }
            Some(ToleranceChoice::File(file)) => {
                let values = JointValues::from_file(file, limits)?;
                let mut row = values.row(robot, &MissingJoints::Zero)?;
                // The pose of a free joint without values is the identity, whose quaternion is not zero.
                let unnamed = |column: &&Column| is_free(column) && values.get(&column.name).is_none();
                let columns = robot.columns.iter().zip(&mut row);
                columns.filter(|(column, _)| unnamed(column)).for_each(|(_, tau)| *tau = 0.0);
                row
            }
        };
        match tolerance.iter().find(|tau| !(**tau >= 0.0 && tau.is_finite())) {
            None => Ok(tolerance),
            Some(tau) => Err(match &self.joint_tolerance {
                Some(ToleranceChoice::File(file)) => negative(*tau).in_file(file),
                _ => negative(*tau),
            }),
        }
    }
}

/// Motions as trajectories of one segment.
fn straight(motions: &MotionFile, limits: &LoadLimits) -> Result<Vec<Trajectory>> {
    let batch = motions.read_all(limits)?;
    (0..batch.len()).map(|i| Trajectory::linear([batch.start(i), batch.end(i)])).collect()
}

/// Sentences about how a file of trajectories was read.
fn notes(file: &TrajectoryFile) -> Vec<String> {
    let of = file.summary();
    let kinds = [(of.linear, "straight"), (of.cubic, "cubic"), (of.quintic, "quintic")];
    let kinds = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}"));
    let mut notes = vec![format!("segments: {}", kinds.collect::<Vec<_>>().join(", "))];
    if of.from_start_state > 0 {
        notes.push(format!("{} trajectories begin at the start state", of.from_start_state));
    }
    notes
}

/// A note about trajectories that begin after time 0.
fn caveat(file: &TrajectoryFile) -> Option<String> {
    let late = file.summary().late;
    (late > 0).then(|| {
        format!(
            "{late} trajectories begin after time 0: the path to their first point is not checked; --start-state FILE \
             adds it"
        )
    })
}

impl Queries<'_> {
    /// The path of the file, or the name of the stream.
    pub fn name(&self) -> &Path {
        match self {
            Self::Motions(motions) => motions.name(),
            Self::Trajectories(paths) => &paths.name,
        }
    }

    /// Number of motions or trajectories.
    pub fn len(&self) -> usize {
        match self {
            Self::Motions(motions) => motions.len(),
            Self::Trajectories(paths) => paths.trajectories.len(),
        }
    }

    /// Forgets the motions or trajectories from number `n` on.
    pub fn truncate(&mut self, n: usize) {
        match self {
            Self::Motions(motions) => motions.truncate(n),
            Self::Trajectories(paths) => paths.trajectories.truncate(n),
        }
    }

    /// The path of motion or trajectory `i`, for which the engine has returned `answer`.
    ///
    /// # Errors
    /// A motion cannot be read again, does not fit the robot or the answer, or a trajectory is too long for a view.
    pub fn course(&self, i: usize, answer: &TrajectoryVerdict) -> Result<Course<'_>> {
        match self {
            Self::Motions(motions) => Course::of_motion(&motions.read(i..i + 1)?, 0)?.answered(answer),
            Self::Trajectories(paths) => paths.course(i, answer),
        }
    }

    /// `motions` or `trajectories`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Motions(_) => "motions",
            Self::Trajectories(_) => "trajectories",
        }
    }

    /// Sentences about how the file was read.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Motions(_) => &[],
            Self::Trajectories(paths) => &paths.notes,
        }
    }

    /// The note that the motion before the first point is not checked.
    pub fn caveat(&self) -> Option<String> {
        match self {
            Self::Motions(_) => None,
            Self::Trajectories(paths) => paths.caveat.as_ref().map(|caveat| format!("{caveat}.")),
        }
    }

    /// The motions or trajectories with these numbers.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn paths(&self, numbers: Range<usize>) -> Result<Vec<Trajectory>> {
        match self {
            Self::Motions(motions) => {
                let batch = motions.read(numbers)?;
                (0..batch.len()).map(|i| Trajectory::linear([batch.start(i), batch.end(i)])).collect()
            }
            Self::Trajectories(paths) => Ok(paths.trajectories[numbers].to_vec()),
        }
    }

    /// The tolerance of each column, radians or metres; empty without tolerance.
    pub fn joint_tolerance(&self) -> &[f64] {
        match self {
            Self::Motions(_) => &[],
            Self::Trajectories(paths) => &paths.joint_tolerance,
        }
    }

    /// The part of a run's fingerprint that is about how motions are read.
    pub fn in_words(&self) -> String {
        match self {
            Self::Trajectories(paths) if !paths.joint_tolerance.is_empty() => format!(" {:?}", paths.joint_tolerance),
            _ => String::new(),
        }
    }

    /// Reads everything from number `first` on once, portion by portion, before any work.
    ///
    /// # Errors
    /// The file cannot be read, or a motion does not fit the robot.
    pub fn scan(&self, robot: &Robot, first: usize) -> Result<Scanned> {
        let mut scanned = Scanned {
            hash: MotionHash::default(),
            limits: BeyondLimits::default(),
            ranges: vec![[f64::INFINITY, f64::NEG_INFINITY]; robot.columns.len()],
        };
        match self {
            Self::Motions(motions) => scanned.add_motions(motions, robot, first)?,
            Self::Trajectories(paths) => {
                let numbered = paths.trajectories.iter().enumerate().skip(first);
                numbered.for_each(|(i, path)| scanned.add_trajectory(path, i, robot));
                let of = scanned.ranges.iter_mut().zip(&paths.joint_tolerance);
                of.for_each(|([lowest, highest], tau)| (*lowest, *highest) = (*lowest - tau, *highest + tau));
            }
        }
        Ok(scanned)
    }
}

impl Paths {
    /// One of the trajectories alone.
    pub fn only(mut self, i: usize) -> Self {
        self.trajectories = vec![self.trajectories.swap_remove(i)];
        self
    }

    /// The path of trajectory `i`, for which the engine has returned `answer`.
    ///
    /// # Errors
    /// It is too long for a view, or the answer is about another one.
    pub fn course(&self, i: usize, answer: &TrajectoryVerdict) -> Result<Course<'_>> {
        Course::of_trajectory(&self.trajectories[i], answer, &self.factors)
    }

    /// Checks trajectory `i`.
    ///
    /// # Errors
    /// The trajectory does not fit the robot.
    pub fn check(&self, engine: &Engine, i: usize) -> Result<TrajectoryVerdict> {
        let mut answer = Err(Error::usage("the trajectory was not answered"));
        engine.check_trajectories(&self.trajectories[i..i + 1], &self.joint_tolerance, &mut |_, found| {
            answer = Ok(found);
            Ok(())
        })?;
        answer
    }
}

impl Scanned {
    fn add_motions(&mut self, motions: &MotionFile, robot: &Robot, mut first: usize) -> Result<()> {
        for portion in motions.portions(first)? {
            let portion = portion?;
            self.hash.add(&portion);
            self.limits.add(&portion, first, robot);
            for i in 0..portion.len() {
                self.widen(portion.start(i));
                self.widen(portion.end(i));
            }
            first += portion.len();
        }
        Ok(())
    }

    fn add_trajectory(&mut self, path: &Trajectory, number: usize, robot: &Robot) {
        self.hash.add_trajectory(path);
        self.limits.add_trajectory(path, number, robot);
        for segment in 0..path.n_segments() {
            for (column, [lowest, highest]) in self.ranges.iter_mut().enumerate() {
                // A polynomial stays between its Bernstein coefficients.
                for b in path.coefficients(segment, column) {
                    (*lowest, *highest) = (lowest.min(*b), highest.max(*b));
                }
            }
        }
    }

    fn widen(&mut self, values: &[f64]) {
        for ([lowest, highest], value) in self.ranges.iter_mut().zip(values) {
            (*lowest, *highest) = (lowest.min(*value), highest.max(*value));
        }
    }
}

//! Random motions of any robot with revolute and prismatic joints: a start without contact, and an end that differs
//! from it by at most an angle in every joint, both within the limits.

use super::files::npy;
use super::motions::{FreeCheck, Progress};
use super::random::Stream;
use firstcontact::error::{Error, Result};
use firstcontact::robot::{Column, ColumnKind, Robot};
use std::f64::consts::PI;
use std::path::Path;

/// Number of starts that are checked together.
const BATCH: usize = 512;
/// Number of starts that are tried for each motion before giving up.
const TRIES_PER_MOTION: usize = 500;

/// Parameters of the motions.
#[derive(Clone, Copy, Debug)]
pub struct RandomMotions<'a> {
    /// Name that selects the stream of random numbers.
    pub name: &'a str,
    /// Seed of the stream.
    pub seed: u64,
    /// The largest rotation of a joint, degrees. A prismatic joint moves by up to the same fraction of its range as
    /// this angle is of half a turn.
    pub theta_max_deg: f64,
    /// Number of motions.
    pub n_motions: usize,
}

impl RandomMotions<'_> {
    /// Writes the motions as `.npy`. `is_free` returns true for each configuration in which the robot does not touch
    /// anything.
    ///
    /// # Errors
    /// The robot has a free joint; too few starts are free; the errors of `is_free`; the file cannot be written.
    pub fn write(
        &self,
        robot: &Robot,
        path: &Path,
        is_free: &mut FreeCheck<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<()> {
        let ranges: Vec<[f64; 2]> = robot.columns.iter().map(range).collect::<Result<_>>()?;
        let mut random = Stream::new(self.seed, &format!("{}/{}deg", self.name, self.theta_max_deg));
        let &Self { theta_max_deg, n_motions, .. } = self;
        let mut state = Progress { theta_max_deg, n_made: 0, n_motions, n_tried: 0 };
        npy::write(path, n_motions, robot.columns.len(), |push| {
            while state.n_made < n_motions {
                if state.n_tried >= TRIES_PER_MOTION * (n_motions + 10) {
                    let Progress { n_made, n_tried, .. } = state;
                    let message = format!("only {n_made} of {n_motions} free starts among {n_tried} random ones");
                    return Err(Error::usage(message).remedy("place the robot elsewhere with --base"));
                }
                // Start and end are drawn together, so that a result of the check does not change later motions.
                let batch: Vec<[Vec<f64>; 2]> = (0..BATCH).map(|_| self.draw(robot, &ranges, &mut random)).collect();
                let starts: Vec<Vec<f64>> = batch.iter().map(|[start, _]| start.clone()).collect();
                for ([start, end], free) in batch.iter().zip(is_free(&starts)?) {
                    state.n_tried += 1;
                    if free && state.n_made < n_motions {
                        push(start, end)?;
                        state.n_made += 1;
                    }
                }
                progress(state);
            }
            Ok(())
        })
    }

    fn draw(&self, robot: &Robot, ranges: &[[f64; 2]], random: &mut Stream) -> [Vec<f64>; 2] {
        let share = self.theta_max_deg / 180.0;
        let ends = robot.columns.iter().zip(ranges).map(|(column, &[low, high])| {
            let start = random.between(low, high);
            let most = if column.kind == ColumnKind::LengthM { (high - low) * share } else { PI * share };
            let step = most * random.unit() * random.sign();
            let bounded = column.limits.is_some();
            // If the end would be beyond a limit, the joint moves in the opposite direction.
            let end = match bounded && !(low..=high).contains(&(start + step)) {
                true => (start - step).clamp(low, high),
                false => start + step,
            };
            (start, end)
        });
        let (start, end) = ends.unzip();
        [start, end]
    }
}

/// The range of a column's start values.
fn range(column: &Column) -> Result<[f64; 2]> {
    match (column.kind, column.limits) {
        (ColumnKind::Free(_), _) => {
            Err(Error::usage(format!("no random motions for the free joint column {}", column.name)))
        }
        (_, Some([low, high])) => Ok([low, high]),
        (ColumnKind::AngleRad, None) => Ok([-PI, PI]),
        (ColumnKind::LengthM, None) => Ok([0.0, 0.0]),
    }
}

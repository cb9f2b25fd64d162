//! Trajectories in NumPy arrays.

use super::builder::{Builder, Point, bound_bytes};
use crate::error::{Error, Result, shortened};
use crate::formats::array::{Numbers, TrajectoryArrays};
use crate::formats::named_columns::NamedColumns;
use crate::formats::store::Store;
use crate::io::load::bytes_of;
use crate::robot::SEE_COLUMNS;
use std::io::Read;

/// Adds the trajectories of a `.npy` file.
pub(super) fn npy(source: impl Read, to: &mut Builder) -> Result<()> {
    let positions = Numbers::read(source, &to.left())?;
    let arrays = TrajectoryArrays {
        positions,
        joint_names: None,
        times: None,
        velocities: None,
        accelerations: None,
        lengths: None,
    };
    add(&arrays, to)
}

/// Adds the trajectories of a `.npz` archive of `length` bytes.
pub(super) fn npz(store: &Store, length: u64, to: &mut Builder) -> Result<()> {
    let arrays = TrajectoryArrays::read(store, length, &to.left())?;
    add(&arrays, to)
}

fn add(arrays: &TrajectoryArrays, to: &mut Builder) -> Result<()> {
    let missing = &to.options.motion.missing_joints;
    let named = arrays.joint_names.as_ref().map(|names| NamedColumns::new(names, to.robot, missing)).transpose()?;
    let source = if named.is_some() { "joint_names has" } else { "the robot has" };
    let columns = named.unwrap_or_else(|| NamedColumns::all(to.robot));
    let [n, n_points, n_columns] = shape(&arrays.positions, columns.len(), source)?;
    fits(arrays, [n, n_points, n_columns])?;
    let all = [&arrays.times, &arrays.velocities, &arrays.accelerations, &arrays.lengths];
    let n_numbers: usize = all.into_iter().flatten().chain([&arrays.positions]).map(|a| a.values.len()).sum();
    to.keep(bytes_of::<f64>(n_numbers))?;
    // An array without numbers may claim any size.
    if n_columns == 0 {
        to.left().check(bound_bytes(n, n as u128 * n_points as u128, 0), "its trajectories")?;
    }
    for trajectory in 0..n {
        let length = length(arrays.lengths.as_ref(), trajectory, n_points).map_err(to.here())?;
        let first = trajectory * n_points;
        let points = (first..first + length).map(|i| {
            let row = i * n_columns..(i + 1) * n_columns;
            Point {
                time_s: arrays.times.as_ref().map(|times| times.values[i]),
                positions: &arrays.positions.values[row.clone()],
                velocities: arrays.velocities.as_ref().map(|all| &all.values[row.clone()]),
                accelerations: arrays.accelerations.as_ref().map(|all| &all.values[row.clone()]),
            }
        });
        to.add(&columns, points)?;
    }
    Ok(())
}

/// The number of trajectories, of points and of columns.
fn shape(positions: &Numbers, n_columns: usize, source: &str) -> Result<[usize; 3]> {
    let shown = shown(&positions.shape);
    match positions.shape[..] {
        [_, 0, _] => Err(Error::input(format!("shape {shown} has no points"))),
        [n, w, columns] if columns == n_columns => Ok([n, w, columns]),
        [_, _, columns] => {
            let message = format!("shape {shown} has {columns} columns where {source} {n_columns}");
            Err(Error::input(message).remedy(SEE_COLUMNS))
        }
        _ => Err(Error::input(format!("shape {shown}, expected (trajectories, points, {n_columns})"))),
    }
}

/// Returns an error if the arrays do not fit the positions.
fn fits(arrays: &TrajectoryArrays, [n, n_points, n_columns]: [usize; 3]) -> Result<()> {
    for (name, numbers, want) in [
        ("times", &arrays.times, &[n, n_points][..]),
        ("velocities", &arrays.velocities, &[n, n_points, n_columns]),
        ("accelerations", &arrays.accelerations, &[n, n_points, n_columns]),
        ("lengths", &arrays.lengths, &[n]),
    ] {
        if let Some(numbers) = numbers.as_ref().filter(|numbers| numbers.shape != want) {
            let message = format!("shape {}, expected {} as for positions", shown(&numbers.shape), shown(want));
            return Err(Error::input(message).at(format!("array '{name}'")));
        }
    }
    Ok(())
}

/// The number of points of a trajectory.
fn length(lengths: Option<&Numbers>, trajectory: usize, n_points: usize) -> Result<usize> {
    let Some(lengths) = lengths else { return Ok(n_points) };
    let length = lengths.values[trajectory];
    if !(length >= 1.0 && length <= n_points as f64 && length.fract() == 0.0) {
        let message = format!("its length is {length:?}, expected a whole number from 1 to {n_points}");
        return Err(Error::input(message));
    }
    Ok(length as usize)
}

fn shown(shape: &[usize]) -> String {
    shortened(&format!("{shape:?}").replace('[', "(").replace(']', ")"), 100)
}

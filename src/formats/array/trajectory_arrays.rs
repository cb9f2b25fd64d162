//! `.npz` archives of trajectories: `positions`, optionally `times`, `velocities`, `accelerations`, `lengths` and
//! `joint_names`.

use super::header::Header;
use super::npz::{Archive, JOINT_NAMES, Member, decompressed, joint_names, locate, positions};
use super::numbers::Numbers;
use crate::error::{Error, Result, quoted};
use crate::formats::store::Store;
use crate::io::load::{LoadLimits, bytes_of};

/// Arrays other than positions and names.
const OTHERS: [&str; 4] = ["times", "velocities", "accelerations", "lengths"];

/// The arrays of an archive, as they are.
#[derive(Debug)]
pub(in crate::formats) struct TrajectoryArrays {
    pub positions: Numbers,
    pub joint_names: Option<Vec<String>>,
    pub times: Option<Numbers>,
    pub velocities: Option<Numbers>,
    pub accelerations: Option<Numbers>,
    pub lengths: Option<Numbers>,
}

impl TrajectoryArrays {
    /// Reads the arrays of an archive of `length` bytes.
    ///
    /// # Errors
    /// It is damaged, has no positions, or the arrays do not fit the limits.
    pub fn read(store: &Store, length: u64, limits: &LoadLimits) -> Result<Self> {
        let (archive, members) = locate(store, length)?;
        let names = members.iter().find(|m| m.name == JOINT_NAMES);
        let joint_names = names.map(|member| joint_names(&archive, member)).transpose()?;
        let mut left = *limits;
        let positions = numbers(&archive, positions(&members, &OTHERS)?, &mut left)?;
        let mut other = |name: &str| {
            let member = members.iter().find(|m| m.name == name);
            member.map(|member| numbers(&archive, member, &mut left)).transpose()
        };
        let [times, velocities, accelerations, lengths] = OTHERS.map(&mut other);
        Ok(Self {
            positions,
            joint_names,
            times: times?,
            velocities: velocities?,
            accelerations: accelerations?,
            lengths: lengths?,
        })
    }
}

fn numbers(archive: &Archive, member: &Member, left: &mut LoadLimits) -> Result<Numbers> {
    let read = decompressed(archive, member).and_then(|source| Numbers::read(source, left));
    let numbers = read.map_err(|e| e.within(format!("array {}", quoted(&member.name))))?;
    *left = left.less(u64::try_from(bytes_of::<f64>(numbers.values.len())).unwrap_or(u64::MAX));
    Ok(numbers)
}

/// Returns whether an archive contains more than motions from a start to an end. Returns false for a damaged one.
pub(in crate::formats) fn is_of_trajectories(store: &Store, length: u64) -> bool {
    let decide = || {
        let (archive, members) = locate(store, length)?;
        if members.iter().any(|m| OTHERS.contains(&m.name.as_str())) {
            return Ok(true);
        }
        let header = Header::read(&mut decompressed(&archive, positions(&members, &OTHERS)?)?)?;
        Ok::<bool, Error>(has_waypoints(&header))
    };
    decide().unwrap_or(false)
}

/// Returns whether the number of points per trajectory is not two.
pub(in crate::formats) fn has_waypoints(header: &Header) -> bool {
    matches!(header.shape[..], [_, w, _] if w != 2)
}

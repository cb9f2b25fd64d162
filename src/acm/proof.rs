//! Proofs that pairs of links stay apart, as a file next to the SRDF that disables them.
//!
//! A proof is valid only under its hypotheses: the same triangles and joints, a margin that is at most as large, and
//! joint values within the limits for which it was made. [`Proofs::covers`] tests them.

use crate::acm::{Class, ClassifiedPair};
use crate::error::{Error, Result, quoted};
use crate::io::load::{LoadLimits, read_bytes};
use crate::robot::Robot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The version of the format.
const VERSION: u32 = 1;

/// The content of a proof file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofFile {
    /// The version of the format.
    pub version: u32,
    /// The [`robot_hash`].
    pub robot: String,
    /// The links of each pair are farther apart than this margin, metres.
    pub margin_m: f64,
    /// The pairs.
    pub pairs: Vec<ProvedPair>,
}

/// A pair of links that stay apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvedPair {
    /// Names of the links.
    pub links: [String; 2],
    /// The columns on which their relative pose depends, and the limits for which the proof was made: radians or
    /// metres; `null` for any value.
    pub joints: BTreeMap<String, Option<[f64; 2]>>,
}

impl ProofFile {
    /// The proofs among classified pairs of a robot.
    pub fn new(robot: &Robot, margin_m: f64, pairs: &[ClassifiedPair]) -> Self {
        let joint = |&(column, limits): &(u32, _)| (robot.columns[column as usize].name.clone(), limits);
        let proved = pairs.iter().filter(|pair| pair.class == Class::Never).map(|pair| ProvedPair {
            links: pair.links.map(|l| robot.links[l as usize].name.clone()),
            joints: pair.columns.iter().map(joint).collect(),
        });
        Self { version: VERSION, robot: robot_hash(robot), margin_m, pairs: proved.collect() }
    }

    /// Reads a proof file.
    ///
    /// # Errors
    /// The file is missing or malformed, or has another version.
    pub fn read(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let parse = |bytes: Vec<u8>| {
            let file: Self = serde_json::from_slice(&bytes).map_err(|e| Error::input(format!("JSON: {e}")))?;
            if file.version != VERSION {
                let message = format!("the proofs have version {}, expected {VERSION}", file.version);
                return Err(Error::input(message).remedy("run firstcontact acm again"));
            }
            Ok(file)
        };
        read_bytes(path, limits).and_then(parse).map_err(|e| e.in_file(path))
    }
}

/// Proofs for one robot.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    margin_m: f64,
    pairs: HashMap<[u32; 2], Vec<Limited>>,
}

/// A column, and the limits for which a proof was made; `None` for any value.
type Limited = (u32, Option<[f64; 2]>);

impl Proofs {
    /// The proofs of a file that apply to a robot; empty if its triangles or joints differ from those of the proofs.
    ///
    /// # Errors
    /// A pair of the file has a link or a joint that the robot does not have, although the hashes are equal.
    pub fn new(file: &ProofFile, robot: &Robot) -> Result<Self> {
        if file.robot != robot_hash(robot) {
            return Ok(Self::default());
        }
        let links: HashMap<&str, u32> = robot.links.iter().map(|l| l.name.as_str()).zip(0..).collect();
        let columns: HashMap<&str, u32> = robot.columns.iter().map(|c| c.name.as_str()).zip(0..).collect();
        let index = |of: &HashMap<&str, u32>, name: &String| {
            of.get(name.as_str())
                .copied()
                .ok_or_else(|| Error::input(format!("the robot has no link or joint {}", quoted(name))))
        };
        let pair = |pair: &ProvedPair| {
            let [a, b] = [index(&links, &pair.links[0])?, index(&links, &pair.links[1])?];
            let joints = pair.joints.iter().map(|(name, limits)| Ok((index(&columns, name)?, *limits)));
            Ok(([a.min(b), a.max(b)], joints.collect::<Result<_>>()?))
        };
        Ok(Self { margin_m: file.margin_m, pairs: file.pairs.iter().map(pair).collect::<Result<_>>()? })
    }

    /// The pairs with a proof, as indices in [`Robot::links`], in no particular order.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.keys().copied()
    }

    /// Returns whether a proof shows that two links, by their indices in any order, stay farther apart than a margin,
    /// metres, while each column of the robot stays between its lowest and its highest value in `values`.
    pub fn covers(&self, [a, b]: [u32; 2], margin_m: f64, values: &[[f64; 2]]) -> bool {
        let within = |&(column, limits): &Limited| {
            let Some([lowest, highest]) = values.get(column as usize) else { return false };
            limits.is_none_or(|[lower, upper]| lower <= *lowest && *highest <= upper)
                && lowest.is_finite()
                && highest.is_finite()
        };
        let joints = self.pairs.get(&[a.min(b), a.max(b)]);
        margin_m <= self.margin_m && joints.is_some_and(|joints| joints.iter().all(within))
    }
}

/// A hash of everything on which the relative motion of a robot's links depends: triangles and joints, but neither the
/// placement of the root nor the limits.
pub fn robot_hash(robot: &Robot) -> String {
    let mut hash = blake3::Hasher::new();
    let columns: Vec<_> = robot.columns.iter().map(|c| (&c.name, c.kind)).collect();
    hash.update(format!("{columns:?}").as_bytes());
    for (i, body) in robot.bodies.iter().enumerate() {
        let joint = &body.joint;
        let placement = (i > 0).then_some((joint.orientation, joint.origin_m));
        hash.update(format!("{:?} {placement:?} {:?}", body.parent, joint.kind).as_bytes());
    }
    for link in robot.links.iter() {
        hash.update(format!("{:?} {} {}", link.name, link.body, link.triangles.len()).as_bytes());
        hash.update(bytemuck::cast_slice(&link.triangles));
    }
    hash.finalize().to_string()
}

//! Proofs that pairs of links stay apart, as a file next to the SRDF that disables them: for all joint values, or for
//! some of them.
//!
//! A proof is valid only under its hypotheses: the same triangles and joints, a margin that is at most as large, and
//! joint values within the limits for which it was made. [`Proofs::covers`] tests them.

use crate::acm::{Class, ClassifiedPair};
use crate::error::{Error, Result, quoted};
use crate::io::load::{LoadLimits, read_bytes};
use crate::robot::{FreeRegion, RegionColumn, Robot};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The version of the format. Proofs of version 1 may be wrong for joints with limits beyond 2^20 radians.
const VERSION: u32 = 2;
/// A remedy for a file that cannot be used.
const REMAKE: &str = "remove the file, and make new proofs with firstcontact acm";

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
    /// The pairs that are apart for all joint values.
    pub pairs: Vec<ProvedPair>,
    /// The pairs that are apart for some joint values.
    pub free_regions: Vec<RegionOfPair>,
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

/// A pair of links that stay apart for some joint values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionOfPair {
    /// Names of the links.
    pub links: [String; 2],
    /// The columns on which their relative pose depends.
    pub joints: Vec<RegionJoint>,
    /// The tree of boxes, as in [`FreeRegion::to_text`].
    pub boxes: String,
}

/// A column of a free region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionJoint {
    /// Name of the column.
    pub name: String,
    /// Lowest and highest value, radians or metres.
    pub range: [f64; 2],
    /// True if the range is one turn, after which the poses repeat.
    pub repeats: bool,
}

impl ProofFile {
    /// The proofs among classified pairs of a robot.
    pub fn new(robot: &Robot, margin_m: f64, pairs: &[ClassifiedPair]) -> Self {
        let joint = |&(column, limits): &(u32, _)| (robot.columns[column as usize].name.clone(), limits);
        let proved = pairs.iter().filter(|pair| pair.class == Class::Never).map(|pair| ProvedPair {
            links: pair.links.map(|l| robot.links[l as usize].name.clone()),
            joints: pair.columns.iter().map(joint).collect(),
        });
        let free_regions = pairs.iter().filter_map(|pair| {
            let free = pair.free.as_ref()?;
            let joint = |c: &RegionColumn| RegionJoint {
                name: robot.columns[c.column as usize].name.clone(),
                range: c.range,
                repeats: c.is_periodic,
            };
            let links = pair.links.map(|l| robot.links[l as usize].name.clone());
            Some(RegionOfPair { links, joints: free.columns().iter().map(joint).collect(), boxes: free.to_text() })
        });
        let (pairs, free_regions) = (proved.collect(), free_regions.collect());
        Self { version: VERSION, robot: robot_hash(robot), margin_m, pairs, free_regions }
    }

    /// Reads a proof file.
    ///
    /// # Errors
    /// The file is missing or malformed, or has another version.
    pub fn read(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let parse = |bytes: Vec<u8>| {
            let file: Self =
                serde_json::from_slice(&bytes).map_err(|e| Error::input(format!("JSON: {e}")).remedy(REMAKE))?;
            if file.version != VERSION {
                let message = format!("the proofs have version {}, expected {VERSION}", file.version);
                return Err(Error::input(message).remedy(REMAKE));
            }
            Ok(file)
        };
        read_bytes(path, limits).and_then(parse).map_err(|e| e.in_file(path))
    }
}

/// The file of proofs that belongs to an SRDF: its name with `.proof.json`.
pub fn proof_file(srdf: &Path) -> PathBuf {
    let mut name = srdf.as_os_str().to_os_string();
    name.push(".proof.json");
    name.into()
}

/// Proofs for one robot.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    margin_m: f64,
    pairs: HashMap<[u32; 2], Vec<Limited>>,
    free_regions: Vec<([u32; 2], FreeRegion)>,
}

/// A column, and the limits for which a proof was made; `None` for any value.
type Limited = (u32, Option<[f64; 2]>);

impl Proofs {
    /// The proofs of a file that apply to a robot; empty if its triangles or joints differ from those of the proofs.
    ///
    /// # Errors
    /// A pair of the file has a link or a joint that the robot does not have, although the hashes are equal, or a free
    /// region is no tree of boxes.
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
        let region = |of: &RegionOfPair| {
            let [a, b] = [index(&links, &of.links[0])?, index(&links, &of.links[1])?];
            let column = |joint: &RegionJoint| {
                let column = index(&columns, &joint.name)?;
                Ok(RegionColumn { column, range: joint.range, is_periodic: joint.repeats })
            };
            let columns = of.joints.iter().map(column).collect::<Result<Vec<_>>>()?;
            let region = FreeRegion::from_text(file.margin_m, columns, &of.boxes);
            Ok(([a.min(b), a.max(b)], region.map_err(|e| e.at(format!("links {}", of.links.join(" and "))))?))
        };
        let free_regions = file.free_regions.iter().map(region).collect::<Result<_>>()?;
        Ok(Self { margin_m: file.margin_m, pairs: file.pairs.iter().map(pair).collect::<Result<_>>()?, free_regions })
    }

    /// The regions of joint values in which pairs that can touch elsewhere stay apart. Pairs are indices in
    /// [`Robot::links`], the lower one first.
    pub fn free_regions(&self) -> &[([u32; 2], FreeRegion)] {
        &self.free_regions
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

//! SRDF files, the semantic description of a robot: pairs of links that are not tested, and named states.
//!
//! The elements have MoveIt's meaning. `disable_default_collisions` disables all pairs of a link with other links,
//! `enable_collisions` enables a pair in spite of that, and `disable_collisions` disables a pair. A pair that is
//! disabled and enabled by name is an error; MoveIt would disable it. Links against the scene are not affected.
//!
//! Every link and joint to which an SRDF refers must exist in the robot: with a misspelt name, a disabled pair would be
//! tested, or an enabled pair would not.

mod document;
#[cfg(test)]
mod tests;

use super::JointValues;
use crate::acm::{ProofFile, Proofs, proof_file};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::io::load::{LoadLimits, read_bytes, text};
use crate::robot::{ColumnKind, LinkPairs, Robot, Untested};
use document::{Document, Name, State, StateJoint};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Maximum number of states that a message lists.
const MAX_LISTED: usize = 10;

/// The semantic description of a robot.
#[derive(Clone, Debug)]
pub struct Srdf {
    document: Document,
    file: Option<PathBuf>,
    limits: LoadLimits,
}

impl Srdf {
    /// Reads an SRDF file.
    ///
    /// # Errors
    /// The file is missing or malformed, is not an SRDF, has an attribute that its element does not have, or disables
    /// and enables the same pair.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::read_with(path, &LoadLimits::default())
    }

    /// Like [`Srdf::read`], within limits of memory.
    ///
    /// # Errors
    /// As [`Srdf::read`], or the file exceeds the limits.
    pub fn read_with(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let read = || Self::parse(text(&read_bytes(path, limits)?)?);
        let srdf = read().map_err(|e| e.in_file(path))?;
        Ok(Self { file: Some(path.to_path_buf()), limits: *limits, ..srdf })
    }

    /// Reads the text of an SRDF.
    ///
    /// # Errors
    /// As [`Srdf::read`].
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Self { document: Document::parse(text)?, file: None, limits: LoadLimits::default() })
    }

    /// The name of the robot that is described, if the file has one.
    pub fn robot_name(&self) -> Option<&str> {
        self.document.name.as_deref()
    }

    /// The names of the groups, in the order of the file.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.document.groups.iter().map(String::as_str)
    }

    /// The group and the name of each `group_state`, in the order of the file.
    pub fn states(&self) -> impl Iterator<Item = [&str; 2]> {
        self.document.states.iter().map(|state| [state.group.text.as_str(), &state.name])
    }

    /// Warnings about using the SRDF with a robot, one line each; they do not prevent its use. They list elements that
    /// are not used, and a robot name that differs.
    pub fn warnings(&self, robot: &Robot) -> Vec<String> {
        let file = self.file.as_ref().map_or_else(|| "the SRDF".into(), |file| file.display().to_string());
        let Document { name, ignored, .. } = &self.document;
        let ignored = ignored.first().map(|first| {
            let (n, name, line) = (ignored.len(), quoted(&first.text), first.line);
            format!("{file}: elements that are not used: {n}, the first is {name} on line {line}")
        });
        let other = name.as_ref().filter(|name| **name != robot.name).map(|name| {
            format!("{file}: it describes the robot {}, but the robot is {}", quoted(name), quoted(&robot.name))
        });
        ignored.into_iter().chain(other).collect()
    }

    /// Checks that the robot has all links and joints to which the SRDF refers.
    ///
    /// # Errors
    /// A link or a joint does not exist.
    pub fn check(&self, robot: &Robot) -> Result<()> {
        let document = &self.document;
        let links = robot.links.iter().map(|l| l.name.as_str());
        let links: HashSet<&str> = links.chain(robot.links_without_triangles.iter().map(String::as_str)).collect();
        let joints = robot.bodies.iter().map(|b| &b.joint.name).chain(&robot.fixed_joints);
        let joints: HashSet<&str> = joints.chain(&document.virtual_joints).map(String::as_str).collect();
        let unknown_link = document.link_names().find(|name| !links.contains(name.text.as_str()));
        let unknown_joint = document.joint_names().find(|name| !joints.contains(name.text.as_str()));
        let unknown = unknown_link.map(|name| ("link", name)).or(unknown_joint.map(|name| ("joint", name)));
        unknown.map_or(Ok(()), |(kind, name)| {
            let message = format!("the robot {} has no {kind} {}", quoted(&robot.name), quoted(&name.text));
            let remedy = "correct the name, remove the element, or give the SRDF of this robot";
            Err(self.error(message, name.line).remedy(remedy))
        })
    }

    /// The reason in an SRDF for pairs of links that are proved to stay apart.
    pub const PROVED: &str = "Never (proved)";

    /// The pairs of links that are tested: all pairs that the SRDF does not disable, including adjacent ones. Pairs
    /// that it disables as [proved](Self::PROVED) to stay apart are also tested, because a proof is valid only under
    /// its hypotheses: see [`proved_pairs`](Self::proved_pairs). Pairs with a free region in the [proofs](Self::proofs)
    /// of the SRDF are left untested there.
    ///
    /// # Errors
    /// The robot lacks a link or a joint to which the SRDF refers, or has more than [`LinkPairs::MAX_LINKS`] links; or
    /// as [`proofs`](Self::proofs).
    pub fn link_pairs(&self, robot: &Robot) -> Result<LinkPairs> {
        self.check(robot)?;
        if robot.links.len() > LinkPairs::MAX_LINKS {
            let message = format!(
                "the robot has {} links, but at most {} can be tested in pairs",
                robot.links.len(),
                LinkPairs::MAX_LINKS
            );
            return Err(Error::new(ErrorKind::Memory, message));
        }
        let Document { disabled, enabled, disabled_by_default, .. } = &self.document;
        let index: HashMap<&str, u32> = robot.links.iter().map(|l| l.name.as_str()).zip(0..).collect();
        // A link without triangles has no index, and nothing to test.
        let pair = |pair: &document::Pair| {
            let [a, b] = pair.links.each_ref().map(|name| index.get(name.text.as_str()).copied());
            a.zip(b).map(|(a, b)| [a.min(b), a.max(b)])
        };
        let enabled: HashSet<[u32; 2]> = enabled.iter().filter_map(pair).collect();
        let is_default: HashSet<u32> =
            disabled_by_default.iter().filter_map(|name| index.get(name.text.as_str()).copied()).collect();
        let mut pairs = LinkPairs::all(robot);
        let by_default =
            |pair: &&[u32; 2]| pair.iter().any(|link| is_default.contains(link)) && !enabled.contains(*pair);
        let by_default: Vec<_> = pairs.tested().iter().filter(by_default).copied().collect();
        pairs.disable(
            by_default.into_iter().chain(disabled.iter().filter(|p| !p.is_proved).filter_map(pair)),
            Untested::Srdf,
        );
        for (pair, region) in self.proofs(robot)?.free_regions() {
            pairs.set_free_region(*pair, region.clone());
        }
        Ok(pairs)
    }

    /// The proofs in the [file next to the SRDF](proof_file) that apply to a robot; none if there is no such file, or
    /// the SRDF was not read from a file.
    ///
    /// # Errors
    /// The file of the proofs is malformed or exceeds the limits of the SRDF.
    pub fn proofs(&self, robot: &Robot) -> Result<Proofs> {
        match self.file.as_deref().map(proof_file).filter(|file| file.exists()) {
            Some(file) => Proofs::new(&ProofFile::read(&file, &self.limits)?, robot).map_err(|e| e.in_file(&file)),
            None => Ok(Proofs::default()),
        }
    }

    /// The pairs of links, by their indices, that the SRDF disables as [proved](Self::PROVED) to stay apart.
    pub fn proved_pairs(&self, robot: &Robot) -> Vec<[u32; 2]> {
        let index = |name: &str| robot.links.iter().position(|link| link.name == name).map(|i| i as u32);
        let pair = |pair: &document::Pair| {
            let [a, b] = pair.links.each_ref().map(|name| index(&name.text));
            a.zip(b).map(|(a, b)| [a.min(b), a.max(b)])
        };
        self.document.disabled.iter().filter(|pair| pair.is_proved).filter_map(pair).collect()
    }

    /// The values of the joints in a `group_state`, by the names of the robot's columns. `state` is the name of the
    /// state, or `GROUP/STATE`. States of the same name in several groups are combined. Joints without a column (fixed,
    /// mimic and virtual joints) are omitted.
    ///
    /// # Errors
    /// There is no such state, two groups disagree, a joint has the wrong number of values, or as [`Srdf::check`].
    pub fn joint_values(&self, state: &str, robot: &Robot) -> Result<JointValues> {
        self.check(robot)?;
        let is_meant = |s: &&State| s.name == state || [s.group.text.as_str(), &s.name].join("/") == state;
        let found: Vec<&State> = self.document.states.iter().filter(is_meant).collect();
        if found.is_empty() {
            return Err(self.no_state(state));
        }
        let mut values: BTreeMap<String, (f64, &Name)> = BTreeMap::new();
        for (joint, group) in found.iter().flat_map(|state| state.joints.iter().map(|joint| (joint, &state.group))) {
            for (column, value) in self.columns(joint, robot)? {
                let other = values.insert(column, (value, group));
                if let Some((_, other)) = other.filter(|(other, _)| *other != value) {
                    let (name, groups) = (quoted(&joint.name.text), [&group.text, &other.text].map(|g| quoted(g)));
                    let message = format!(
                        "joint {name} has two values in the state {}, from the groups {}",
                        quoted(state),
                        groups.join(" and ")
                    );
                    return Err(self.error(message, joint.name.line).remedy("give the state as GROUP/STATE"));
                }
            }
        }
        Ok(values.into_iter().map(|(column, (value, _))| (column, value)).collect())
    }

    /// The columns of a joint and their values.
    fn columns(&self, joint: &StateJoint, robot: &Robot) -> Result<Vec<(String, f64)>> {
        let name = &joint.name.text;
        let is_own = |kind: ColumnKind, column: &str| match kind {
            ColumnKind::Free(_) => column.rsplit_once('.').is_some_and(|(joint, _)| joint == name),
            _ => column == name,
        };
        let columns: Vec<_> = robot.columns.iter().filter(|c| is_own(c.kind, &c.name)).collect();
        if !columns.is_empty() && columns.len() != joint.values.len() {
            let message =
                format!("joint {} has {} values, expected {}", quoted(name), joint.values.len(), columns.len());
            return Err(self.error(message, joint.name.line));
        }
        Ok(columns.iter().map(|c| c.name.clone()).zip(joint.values.iter().copied()).collect())
    }

    fn no_state(&self, state: &str) -> Error {
        let listed: Vec<String> = self.states().take(MAX_LISTED).map(|state| state.join("/")).collect();
        let error = Error::input(format!("no group_state is called {}", quoted(state)));
        let error = error.remedy(match &listed[..] {
            [] => "the SRDF has no group_state".to_string(),
            _ => format!("the SRDF has {}", listed.join(", ")),
        });
        self.locate(error)
    }

    fn error(&self, message: String, line: usize) -> Error {
        self.locate(Error::input(message).at(format!("line {line}")))
    }

    fn locate(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}

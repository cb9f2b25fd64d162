//! The source of each joint's value: a column, columns of its own, nothing, or another joint that it mimics.

use super::document::Document;
use crate::error::{Error, Result, quoted};
use crate::robot::Drive;
use std::collections::HashMap;

/// The source of a joint's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// A constant (radians or metres).
    Constant(f64),
    /// An affine function of a column.
    Driven(Drive),
    /// Seven columns from this one on.
    Free(u32),
}

/// The sources of all joints; `sources` contains those of the joints that do not mimic another.
pub(super) fn resolve(document: &Document, mut sources: Vec<Source>) -> Result<Vec<Source>> {
    let joints = &document.joints;
    let by_name: HashMap<&str, usize> = joints.iter().enumerate().map(|(i, j)| (j.name.as_str(), i)).collect();
    let mut is_known: Vec<bool> = joints.iter().map(|j| j.mimic.is_none()).collect();
    for start in 0..joints.len() {
        // Follows the mimicked joints to one whose source is known, then back.
        let (mut path, mut is_on_path, mut at) = (Vec::new(), HashMap::new(), start);
        while !is_known[at] {
            let Some(mimic) = &joints[at].mimic else { break };
            let here = |message: String| Error::input(message).at(format!("joint {}", quoted(&joints[at].name)));
            let master = by_name.get(mimic.joint.as_str());
            let master =
                *master.ok_or_else(|| here(format!("it mimics {}, which does not exist", quoted(&mimic.joint))))?;
            if is_on_path.insert(at, ()).is_some() {
                return Err(here(format!("it mimics itself (a cycle), through {}", quoted(&mimic.joint))));
            }
            path.push((at, mimic));
            at = master;
        }
        for (joint, mimic) in path.into_iter().rev() {
            let here = |message: &str| Error::input(message).at(format!("joint {}", quoted(&joints[joint].name)));
            let follow = |x: f64| mimic.multiplier * x;
            sources[joint] = match sources[at] {
                Source::Free(_) => return Err(here("it mimics a floating joint")),
                Source::Constant(value) => Source::Constant(follow(value) + mimic.offset),
                Source::Driven(_) if mimic.multiplier == 0.0 => Source::Constant(mimic.offset),
                Source::Driven(drive) => Source::Driven(Drive {
                    column: drive.column,
                    multiplier: follow(drive.multiplier),
                    offset: follow(drive.offset) + mimic.offset,
                }),
            };
            let is_finite = match sources[joint] {
                Source::Constant(value) => value.is_finite(),
                Source::Driven(drive) => drive.multiplier.is_finite() && drive.offset.is_finite(),
                Source::Free(_) => true,
            };
            if !is_finite {
                return Err(here("the multipliers and offsets of the joints that it mimics overflow"));
            }
            is_known[joint] = true;
            at = joint;
        }
    }
    Ok(sources)
}

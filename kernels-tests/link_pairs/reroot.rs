//! The same mechanism described from another link.
//!
//! On the path from the old root to the new one every joint is reversed. The frame of a link on it moves to the joint
//! below it in the old description, because the motion of a reversed joint is then a turn about the negative axis, or a
//! slide along it, by the same value.

use super::mechanism::{Joint, Mechanism};
use super::solids::moved;
use glam::DAffine3;
use std::collections::HashMap;

impl Mechanism {
    /// This mechanism with `root` as its root. Links keep their names and order, joints their names and values.
    ///
    /// # Panics
    /// A free joint is on the path.
    pub fn rerooted(&self, root: &str) -> Self {
        let path = self.path(root);
        let frames: HashMap<&str, DAffine3> = path.iter().map(|j| (j.parent.as_str(), j.origin)).collect();
        let frame = |link: &str| frames.get(link).copied().unwrap_or(DAffine3::IDENTITY);
        let mut other = self.clone();
        for link in &mut other.links {
            if frames.contains_key(link.name.as_str()) {
                link.triangles = moved(&link.triangles, &frame(&link.name).inverse());
            }
        }
        for joint in &mut other.joints {
            if path.iter().any(|j| j.name == joint.name) {
                assert_ne!(joint.kind, "floating", "the inverse of a free motion is not one");
                std::mem::swap(&mut joint.parent, &mut joint.child);
                (joint.origin, joint.axis) = (frame(&joint.parent).inverse(), -joint.axis);
            } else if frames.contains_key(joint.parent.as_str()) {
                joint.origin = frame(&joint.parent).inverse() * joint.origin;
            }
        }
        other
    }

    /// The joints from `link` up to the root.
    fn path(&self, link: &str) -> Vec<&Joint> {
        let above = |link: &str| self.joints.iter().find(|j| j.child == link);
        std::iter::successors(above(link), |j| above(&j.parent)).collect()
    }
}

/// Relative poses of all pairs of shapes are the same in both descriptions.
#[test]
fn shapes_move_alike_relative_to_each_other() {
    use super::case::Case;
    use super::random;
    use crate::harness::models::Draw;
    for seed in 0..20 {
        let mut draw = Draw::new(700 + seed);
        let mechanism = random::mechanism(&mut draw, random::Kinds::Reversible);
        let first = Case::new(&mechanism);
        let motion = random::ends(&mut draw, &mechanism);
        for link in &mechanism.links {
            let second = Case::new(&mechanism.rerooted(&link.name));
            let corners = |case: &Case, t: f64| {
                let (q0, q1) = case.motion(&motion);
                let poses = case.sampler.robot.poses(&q0, &q1, t);
                let of = |l: usize| moved(case.sampler.triangles(l), &poses[l]).concat();
                (0..poses.len()).flat_map(of).collect::<Vec<_>>()
            };
            for t in [0.0, 0.4, 1.0] {
                let (x, y) = (corners(&first, t), corners(&second, t));
                for i in 0..x.len() {
                    let (there, here) = (x[i].distance(x[0]), y[i].distance(y[0]));
                    assert!((there - here).abs() < 1e-12, "{seed} {}: {there} {here}", link.name);
                }
            }
        }
    }
}

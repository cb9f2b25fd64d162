//! Links that other links are tested against: each with its triangles as a scene in the frame of its body.
//!
//! Whether two links touch does not depend on the frame, so one of the two stands still: the one with more triangles,
//! whose tree is then descended once for all triangles of the other, and of equal ones the first in the robot.

use crate::error::Result;
use crate::scene::Object;
use crate::scene::world::{CollisionWorld, LinkTree, SceneBuild, StaticGeometry};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A link at rest in the frame of its body, and the links that are tested against it.
#[derive(Clone, Debug)]
pub struct LinkFrame {
    /// Index of the link in [`CollisionWorld::links`].
    pub link: u32,
    /// The links that are tested against it, by their indices in the same list, ascending.
    pub partners: Vec<u32>,
    /// The robot's links, and as the scene the triangles of this link in the frame of its body.
    pub world: CollisionWorld,
}

impl CollisionWorld {
    /// The frames of pairs of links, by their indices in `robot.links`. Links without triangles, and links of the same
    /// body, are left out.
    ///
    /// # Errors
    /// A coordinate is farther than [`MAX_COORDINATE_M`](super::world::MAX_COORDINATE_M) from the origin of its body.
    pub fn frames_of(&self, pairs: &[[u32; 2]]) -> Result<Vec<LinkFrame>> {
        let mut partners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for [a, b] in pairs.iter().filter_map(|pair| self.shapes_of(*pair)) {
            let n = |shape: u32| self.links[shape as usize].triangles.len();
            let [first, second] = [a.min(b), a.max(b)];
            let [fixed, moving] = if n(second) > n(first) { [second, first] } else { [first, second] };
            partners.entry(fixed).or_default().push(moving);
        }
        let frame = |(link, mut partners): (u32, Vec<u32>)| {
            partners.sort_unstable();
            partners.dedup();
            Ok(LinkFrame { link, partners, world: self.world_of(link)? })
        };
        // In order, so that the first error is always the same.
        partners.into_par_iter().map(frame).collect::<Vec<_>>().into_iter().collect()
    }

    /// The indices in [`CollisionWorld::links`] of two links of the robot that move relative to each other.
    fn shapes_of(&self, pair: [u32; 2]) -> Option<[u32; 2]> {
        let shape = |link: u32| self.links.binary_search_by_key(&link, |shape| shape.link).ok().map(|i| i as u32);
        let [a, b] = [shape(pair[0])?, shape(pair[1])?];
        (self.links[a as usize].body != self.links[b as usize].body).then_some([a, b])
    }

    /// The world whose scene is a link.
    fn world_of(&self, link: u32) -> Result<Self> {
        let source = &self.robot.links[self.links[link as usize].link as usize];
        let n_triangles = source.triangles.len() as u32;
        let object = Object { name: source.name.to_string(), first_triangle: 0, n_triangles };
        let scene = StaticGeometry::new(&[object], source.triangles.clone(), DVec3::ZERO, SceneBuild::default())?;
        Ok(Self {
            origin_m: DVec3::ZERO,
            robot: self.robot.clone(),
            links: self.links.clone(),
            model: LinkTree::new(self.links.len() as u32),
            scene: Arc::new(scene),
            allowed: HashSet::new(),
            frames: Vec::new(),
        })
    }
}

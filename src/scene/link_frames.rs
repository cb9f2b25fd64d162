//! Links that other links are tested against: each with its triangles as a scene in the frame of its body.
//!
//! The frame does not change whether two links touch, so one of the two is kept at rest: the one with fewer joints to
//! their common ancestor, because every inverted joint adds rounding; then the one with more triangles, whose tree is
//! descended once for all triangles of the other; then the one with the lower index in the robot.

use crate::error::Result;
use crate::robot::free_region::PairRegion;
use crate::robot::{LinkPairs, Robot};
use crate::scene::Object;
use crate::scene::world::{CollisionWorld, LinkTree, SceneBuild, StaticGeometry};
use glam::DVec3;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A link at rest in the frame of its body, and the links that are tested against it.
#[derive(Clone, Debug)]
pub struct LinkFrame {
    /// Index of the link in [`CollisionWorld::links`].
    pub link: u32,
    /// The links that are tested against it, as indices in the same list, ascending.
    pub partners: Vec<u32>,
    /// For each of these, the joint values for which the two links are proved to stay apart.
    pub free_regions: Vec<Option<PairRegion>>,
    /// The robot's links, and as the scene the triangles of this link in the frame of its body.
    pub world: CollisionWorld,
}

impl LinkFrame {
    /// The joint values for which a link that is tested against this one is proved to stay apart.
    pub fn free_region(&self, partner: u32) -> Option<&PairRegion> {
        self.partners.binary_search(&partner).ok().and_then(|i| self.free_regions[i].as_ref())
    }
}

impl CollisionWorld {
    /// Sets the pairs of links that are tested against each other. Frames of the same links are shared with `known`, if
    /// given.
    ///
    /// # Errors
    /// A coordinate is farther than [`MAX_COORDINATE_M`](super::world::MAX_COORDINATE_M) from the origin of its body.
    pub(crate) fn set_link_pairs(&mut self, pairs: LinkPairs, known: Option<&Self>) -> Result<()> {
        let same = known.filter(|known| {
            known.link_pairs == pairs && known.has_links_of(&self.robot) && known.has_joints_of(&self.robot)
        });
        self.frames = match same {
            Some(known) => Arc::clone(&known.frames),
            None => self.frames_of(&pairs, known)?.into(),
        };
        self.link_pairs = pairs;
        Ok(())
    }

    /// Returns whether the joints of a robot are between the same bodies, and driven in the same way: free regions
    /// depend on that.
    fn has_joints_of(&self, robot: &Robot) -> bool {
        let joints = |of: &Robot| of.bodies.iter().map(|body| (body.parent, body.joint.kind)).collect::<Vec<_>>();
        joints(&self.robot) == joints(robot)
    }

    /// The frames of pairs of links; those of the same links are taken from `known`. Pairs of links of one body are
    /// omitted.
    fn frames_of(&self, pairs: &LinkPairs, known: Option<&Self>) -> Result<Vec<LinkFrame>> {
        let mut partners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for [a, b] in pairs.tested().iter().filter_map(|pair| self.shapes_of(*pair)) {
            let [first, second] = [a.min(b), a.max(b)];
            // The number of joints to the common ancestor, and to the world, differ by the same for both.
            let cost = |shape: u32| {
                let link = &self.links[shape as usize];
                (self.robot.depth_of(link.body), Reverse(link.triangles.len()))
            };
            let [fixed, moving] = if cost(second) < cost(first) { [second, first] } else { [first, second] };
            partners.entry(fixed).or_default().push(moving);
        }
        let frame = |(link, mut partners): (u32, Vec<u32>)| {
            partners.sort_unstable();
            partners.dedup();
            let scene = match known.and_then(|known| known.known_scene(self, link)) {
                Some(scene) => Arc::clone(scene),
                None => Arc::new(self.scene_of(link)?),
            };
            let region_of = |&partner: &u32| {
                let shapes = [link, partner].map(|shape| &self.links[shape as usize]);
                let region = pairs.free_region(shapes.map(|shape| shape.link))?;
                PairRegion::new(&self.robot, shapes.map(|shape| shape.body), region)
            };
            let free_regions = partners.iter().map(region_of).collect();
            Ok(LinkFrame { link, partners, free_regions, world: self.around(scene) })
        };
        // The results are in order, so that the first error is always the same.
        partners.into_par_iter().map(frame).collect::<Vec<_>>().into_iter().collect()
    }

    /// The indices in [`CollisionWorld::links`] of two links of the robot that move relative to each other.
    fn shapes_of(&self, pair: [u32; 2]) -> Option<[u32; 2]> {
        let shape = |link: u32| self.links.binary_search_by_key(&link, |shape| shape.link).ok().map(|i| i as u32);
        let [a, b] = [shape(pair[0])?, shape(pair[1])?];
        (self.links[a as usize].body != self.links[b as usize].body).then_some([a, b])
    }

    /// The triangles of a link of another world as a scene, if this world has a frame of the same link.
    fn known_scene(&self, of: &Self, link: u32) -> Option<&Arc<StaticGeometry>> {
        let shape = self.known_shape(&of.robot, of.links[link as usize].link)?;
        let frame = self.frames.iter().find(|frame| Arc::ptr_eq(&self.links[frame.link as usize], shape))?;
        Some(&frame.world.scene)
    }

    /// The triangles of a link as a scene.
    fn scene_of(&self, link: u32) -> Result<StaticGeometry> {
        let source = &self.robot.links[self.links[link as usize].link as usize];
        let n_triangles = source.triangles.len() as u32;
        let object = Object { name: source.name.clone(), first_triangle: 0, n_triangles };
        StaticGeometry::new(&[object], source.triangles.to_vec(), DVec3::ZERO, SceneBuild::default())
    }

    /// The robot's links with another scene.
    fn around(&self, scene: Arc<StaticGeometry>) -> Self {
        Self {
            origin_m: DVec3::ZERO,
            robot: self.robot.clone(),
            links: Arc::clone(&self.links),
            model: LinkTree::new(self.links.len() as u32),
            scene,
            allowed: HashSet::new(),
            link_pairs: LinkPairs::none(),
            frames: Arc::default(),
            solids: self.solids.clone(),
        }
    }
}

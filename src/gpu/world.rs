//! The world in single precision: data that stay on the device for all chunks.

use super::buffers::{BufferId, Buffers};
use super::device::Gpu;
use crate::arith::rounding::{UNIT_F32, nearest, round_up};
use crate::bvh::lss::Lss;
use crate::bvh::tree::{ChildRef, WIDTH};
use crate::error::Result;
use crate::predicate::obb_overlap::OrientedBox;
use crate::scene::world::{CollisionWorld, LINK_LEAF, LinkGeometry};
use crate::stage::layout::{Link, LinkChild, LinkTriangle};
use glam::{DVec3, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

impl Buffers {
    /// Uploads robot, scene and trees.
    ///
    /// # Errors
    /// The device does not have enough memory, or a link has more than 2^28 triangles.
    pub fn upload_world(&mut self, gpu: &Gpu, world: &CollisionWorld) -> Result<()> {
        let parents: Vec<u32> = world.robot.bodies.iter().map(|b| b.parent.unwrap_or(u32::MAX)).collect();
        self.fill(gpu, BufferId::Parents, &parents)?;
        self.fill(gpu, BufferId::LinkTreeChildren, &world.model.children)?;
        self.upload_links(gpu, world)?;
        self.upload_scene(gpu, &world.scene)?;
        self.fill(gpu, BufferId::AllowedPairs, &allowed_pairs(world))
    }

    fn upload_links(&mut self, gpu: &Gpu, world: &CollisionWorld) -> Result<()> {
        let links = world.links.iter().map(|l| {
            let (a, radius, b) = rounded(&l.lss);
            Link { a, radius, b, body: l.body }
        });
        self.fill(gpu, BufferId::Links, &links.collect::<Vec<_>>())?;
        // Level by level, so that node i is the root of link i's tree.
        let mut order = Vec::new();
        for (i, link) in world.links.iter().enumerate() {
            let mut levels = vec![0u32; link.tree.nodes.len()];
            for (node, children) in link.tree.nodes.iter().enumerate() {
                for child in children {
                    if let ChildRef::Node(n) = *child {
                        levels[n as usize] = levels[node] + 1;
                    }
                }
                order.push((levels[node], i, node));
            }
        }
        order.sort_unstable();
        let places: HashMap<(usize, usize), u32> =
            (0..).zip(&order).map(|(at, &(_, i, node))| ((i, node), at)).collect();
        let first_triangles = first_link_triangles(&world.links);
        let mut nodes = Vec::with_capacity(order.len() * WIDTH);
        for &(_, i, node) in &order {
            let link = &world.links[i];
            nodes.extend(link.tree.nodes[node].iter().enumerate().map(|(slot, child)| {
                let child = match *child {
                    ChildRef::Node(n) => ChildRef::Node(places[&(i, n as usize)]),
                    ChildRef::Leaf(leaf) => {
                        let range = link.tree.leaf(leaf);
                        let first = first_triangles[i] + range.start as u32;
                        ChildRef::Leaf(first * LINK_LEAF + range.len() as u32 - 1)
                    }
                    ChildRef::Empty => ChildRef::Empty,
                };
                let is_there = child != ChildRef::Empty;
                let child = LinkChild { child: child.encode(), ..LinkChild::default() };
                if is_there { boxed(child, &link.boxes[node].lane(slot), link.reach_m) } else { child }
            }));
        }
        self.fill(gpu, BufferId::LinkNodes, &nodes)?;
        self.fill(gpu, BufferId::NodeLinks, &order.iter().map(|&(_, i, _)| i as u32).collect::<Vec<_>>())?;
        let triangles = world.links.iter().flat_map(|l| &l.triangles).map(|t| {
            let [e0, e1, e2] = t.map(nearest);
            LinkTriangle { e0, e1, e2, ..LinkTriangle::default() }
        });
        self.fill(gpu, BufferId::LinkTriangles, &triangles.collect::<Vec<_>>())
    }
}

/// The allowed pairs of a link and an object, a bit for each pair; empty if no pair is allowed.
fn allowed_pairs(world: &CollisionWorld) -> Vec<u32> {
    if world.allowed.is_empty() {
        return Vec::new();
    }
    let n_objects = world.scene.objects.len();
    let mut bits = vec![0; (world.links.len() * n_objects).div_ceil(32)];
    for (i, link) in world.links.iter().enumerate() {
        for &(_, object) in world.allowed.iter().filter(|(allowed, _)| *allowed == link.link) {
            let bit = i * n_objects + object as usize;
            bits[bit / 32] |= 1 << (bit % 32);
        }
    }
    bits
}

/// The first triangle of each link in the list of all links' triangles.
pub fn first_link_triangles(links: &[Arc<LinkGeometry>]) -> Vec<u32> {
    let counts = links.iter().map(|l| l.triangles.len() as u32);
    counts.scan(0, |next, n| Some(std::mem::replace(next, *next + n))).collect()
}

/// A child with its oriented box. The balls of a pose cover the rounding of centre and sides to nearest; they grow with
/// the distance from the body's origin, at most in proportion, and a box may reach farther than its content.
fn boxed(child: LinkChild, obb: &OrientedBox<f64>, reach_m: f64) -> LinkChild {
    let [half_0, half_1, half_2] = [0, 1, 2].map(|i| nearest(DVec3::from_array(obb.axes[i].0) * obb.half[i]));
    let stretch = if obb.reach > reach_m { obb.reach / reach_m } else { 1.0 };
    let stretch = round_up(stretch * (1.0 + 1.0 / 65536.0));
    LinkChild { center: nearest(DVec3::from_array(obb.center.0)), half_0, stretch, half_1, half_2, ..child }
}

/// A line-swept sphere in single precision that contains the given one: its ends move by half a unit of their
/// coordinates, and the kernels' computations with the radius also round.
fn rounded(lss: &Lss) -> (Vec3, f32, Vec3) {
    let radius = (lss.radius + lss.reach() * UNIT_F32) * (1.0 + 1.0 / 65536.0);
    (nearest(lss.a), round_up(radius), nearest(lss.b))
}

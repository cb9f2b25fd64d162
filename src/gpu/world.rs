//! The world in single precision: what stays on the device from chunk to chunk.

use super::buffers::{Buffers, Slot};
use super::device::Gpu;
use super::layout::{Link, LinkChild, LinkTriangle, UNIT, nearest, round_up};
use crate::error::Result;
use crate::model::lss::Lss;
use crate::model::tree::{ChildRef, WIDTH};
use crate::model::world::{LINK_LEAF, LinkShape, World};
use glam::Vec3;

impl Buffers {
    /// Uploads robot, scene and trees.
    ///
    /// # Errors
    /// The device has not enough memory, or a link has more than 2^28 triangles.
    pub fn upload_world(&mut self, gpu: &Gpu, world: &World) -> Result<()> {
        let parents: Vec<u32> = world.robot.bodies.iter().map(|b| b.parent.unwrap_or(u32::MAX)).collect();
        self.fill(gpu, Slot::Parents, &parents)?;
        self.fill(gpu, Slot::ModelChildren, &world.model.children)?;
        self.upload_links(gpu, world)?;
        self.upload_scene(gpu, &world.scene)?;
        let n_objects = world.scene.objects.len();
        let mut allowed = vec![0u32; (world.links.len() * n_objects).div_ceil(32)];
        for (i, link) in world.links.iter().enumerate() {
            for object in 0..n_objects {
                if world.allowed.contains(&(link.link, object as u32)) {
                    let bit = i * n_objects + object;
                    allowed[bit / 32] |= 1 << (bit % 32);
                }
            }
        }
        self.fill(gpu, Slot::Allowed, &allowed)
    }

    fn upload_links(&mut self, gpu: &Gpu, world: &World) -> Result<()> {
        let links = world.links.iter().map(|l| {
            let (a, radius, b) = rounded(&l.lss);
            Link { a, radius, b, body: l.body }
        });
        self.fill(gpu, Slot::Links, &links.collect::<Vec<_>>())?;
        // The root of link i is node i; the other nodes follow, link after link.
        let n_links = world.links.len();
        let mut nodes = vec![LinkChild { child: ChildRef::Empty.encode(), ..LinkChild::default() }; n_links * WIDTH];
        let mut first_triangle = 0;
        for (i, link) in world.links.iter().enumerate() {
            let base = nodes.len() / WIDTH;
            let place = |node: u32| if node == 0 { i } else { base + node as usize - 1 };
            nodes.resize((base + link.tree.nodes.len() - 1) * WIDTH, nodes[0]);
            for (node, (children, bounds)) in link.tree.nodes.iter().zip(&link.bounds).enumerate() {
                for (slot, (child, lss)) in children.iter().zip(bounds).enumerate() {
                    let (a, radius, b) = lss.as_ref().map_or_else(Default::default, rounded);
                    let child = match *child {
                        ChildRef::Node(n) => ChildRef::Node(place(n) as u32),
                        ChildRef::Leaf(leaf) => {
                            let range = link.tree.leaf(leaf);
                            let first = first_triangle + range.start as u32;
                            ChildRef::Leaf(first * LINK_LEAF + range.len() as u32 - 1)
                        }
                        ChildRef::Empty => ChildRef::Empty,
                    };
                    nodes[place(node as u32) * WIDTH + slot] = LinkChild { a, radius, b, child: child.encode() };
                }
            }
            first_triangle += link.triangles.len() as u32;
        }
        self.fill(gpu, Slot::LinkNodes, &nodes)?;
        let triangles = world.links.iter().flat_map(|l| &l.triangles).map(|t| {
            let [e0, e1, e2] = t.map(nearest);
            LinkTriangle { e0, e1, e2, ..LinkTriangle::default() }
        });
        self.fill(gpu, Slot::LinkTriangles, &triangles.collect::<Vec<_>>())
    }
}

/// The first triangle of each link in the list of all links' triangles.
pub fn first_link_triangles(links: &[LinkShape]) -> Vec<u32> {
    let counts = links.iter().map(|l| l.triangles.len() as u32);
    counts.scan(0, |next, n| Some(std::mem::replace(next, *next + n))).collect()
}

/// A line-swept sphere in single precision that contains the given one: its ends move by half a unit of their
/// coordinates, and what the kernels do with the radius rounds too.
fn rounded(lss: &Lss) -> (Vec3, f32, Vec3) {
    let radius = (lss.radius + lss.reach() * UNIT) * (1.0 + 1.0 / 65536.0);
    (nearest(lss.a), round_up(radius), nearest(lss.b))
}

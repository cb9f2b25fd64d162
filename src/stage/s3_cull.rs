//! `s3_cull`: the model's tree of boxes against the scene's tree (Redon et al. 2004, section 4.1), all sub-intervals of
//! a piece at once.
//!
//! A work item is a node of the model's tree against a node or cluster of the scene's tree, with the mask of
//! sub-intervals in which their ancestors' boxes met. An item is processed by testing its model node against the
//! children of its scene node; what still overlaps goes on, one level deeper on both sides, and ends as a
//! [`Candidate`] when both are leaves. The kernel processes the items level by level, the reference depth first: the
//! set of candidates is the same up to the rounding of the boxes.

use super::s2_bound::Boxes;
use super::{ALL_SUBS, Candidate};
use crate::gpu::layout::NodePair;
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::model::tree::ChildRef;
use crate::model::world::{SceneBox, World};
use crate::numeric::linear::V3;
use crate::numeric::separation::boxes_miss;

/// Levels that the kernel needs: one item deeper on either side each.
pub fn max_levels(world: &World) -> usize {
    world.scene.tree.depth + world.model.depth + 1
}

/// The stage in f64.
pub fn reference(world: &World, n_pieces: usize, boxes: &Boxes) -> Vec<Candidate> {
    let mut out = Vec::new();
    if world.model.n_nodes() == 0 || world.scene.tree.nodes.is_empty() {
        return out;
    }
    let mut open = Vec::new();
    for root in roots(world, n_pieces) {
        open.push(root);
        while let Some(item) = open.pop() {
            expand(world, boxes, item, &mut open, &mut out);
        }
    }
    out
}

/// Every link against so many clusters, as many as there are: what takes the place of the stage where it is left out.
pub fn everything(world: &World, clusters: u32, n_pieces: usize) -> Vec<Candidate> {
    let of = |piece: u32, link: u32| {
        (0..clusters).map(move |cluster| Candidate { piece, link, cluster, mask: ALL_SUBS, triangles: u32::MAX })
    };
    let links = world.links.len() as u32;
    (0..n_pieces as u32).flat_map(|piece| (0..links).flat_map(move |link| of(piece, link))).collect()
}

fn expand(world: &World, boxes: &Boxes, item: NodePair, open: &mut Vec<NodePair>, out: &mut Vec<Candidate>) {
    let at = item.piece as usize * boxes.n_nodes + item.model_node as usize;
    let overlap = |b: &SceneBox| {
        let scene = (V3(b.lo.map(f64::from)), V3(b.hi.map(f64::from)));
        item.mask & !boxes_miss(&(boxes.lo[at], boxes.hi[at]), &scene)
    };
    let mut emit = |scene_ref: ChildRef, mask: u32| {
        if mask == 0 {
            return;
        }
        match (world.model.children_of(item.model_node), scene_ref) {
            (Some(children), _) => open.extend(children.map(|model_node| NodePair {
                model_node,
                scene_ref: scene_ref.encode(),
                mask,
                ..item
            })),
            (None, ChildRef::Leaf(cluster)) => {
                let triangles = u32::MAX;
                out.push(Candidate { piece: item.piece, link: item.model_node, cluster, mask, triangles });
            }
            (None, _) => open.push(NodePair { scene_ref: scene_ref.encode(), mask, ..item }),
        }
    };
    match ChildRef::decode(item.scene_ref) {
        ChildRef::Empty => {}
        ChildRef::Leaf(cluster) => {
            let mask = overlap(&world.scene.cluster_boxes[cluster as usize]);
            emit(ChildRef::Leaf(cluster), mask);
        }
        ChildRef::Node(node) => {
            let children = world.scene.tree.nodes[node as usize].iter().zip(&world.scene.boxes[node as usize]);
            for (child, b) in children {
                if let Some(b) = b {
                    emit(*child, overlap(b));
                }
            }
        }
    }
}

/// The kernel: one level.
pub const KERNEL: Kernel = Kernel {
    stem: "s3_cull",
    source: include_str!("../../wgsl/s3_cull.wgsl"),
    entry: "traverse",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "boxes", Access::Read, Slot::Boxes),
        bind(2, "model_children", Access::Read, Slot::ModelChildren),
        bind(3, "scene_nodes", Access::Read, Slot::SceneNodes),
        bind(4, "clusters", Access::Read, Slot::Clusters),
        bind(5, "items", Access::ReadWrite, Slot::Items),
        bind(6, "candidates", Access::ReadWrite, Slot::Candidates),
        bind(7, "control", Access::ReadWrite, Slot::Control),
    ],
    has_pass: true,
};

/// The first level's items: the root of the model's tree against the root of the scene's, or of a page of it, for each piece.
pub fn roots(world: &World, n_pieces: usize) -> Vec<NodePair> {
    let model_node = (world.model.n_nodes() as u32).saturating_sub(1);
    let scene_ref = ChildRef::Node(0).encode();
    (0..n_pieces as u32).map(|piece| NodePair { piece, model_node, scene_ref, mask: ALL_SUBS }).collect()
}

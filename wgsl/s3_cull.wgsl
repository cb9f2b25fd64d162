//!use lib/cutoff
//!use lib/queue
//!use lib/scene_nodes
//!use lib/swept_boxes
// s3_cull: the traversal of the model's tree against the scene's tree. Entry points: `roots`, then `traverse` for each
// level. `traverse` has eight invocations for each item, one for each child of its scene node. A child that the item's
// model node may overlap is appended to the next level's queue, once for each child of the model node, or is a
// candidate if both are leaves. An item whose scene side is already a cluster is tested only by its first invocation.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read> boxes_in: array<vec4<f32>>;
// The two children of each inner node of the model's tree; the first belongs to node `n_links`.
@group(0) @binding(2) var<storage, read> link_tree_children: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> scene_nodes: array<SceneNode>;
@group(0) @binding(4) var<storage, read> scene_leaves: array<SceneLeaf>;
// This level's queue and the next one's.
@group(0) @binding(5) var<storage, read_write> items: array<NodePair>;
@group(0) @binding(6) var<storage, read_write> candidates: array<Candidate>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> pieces: array<Piece>;
@group(1) @binding(0) var<uniform> routing: Routing;

struct NodePair {
    piece: u32,
    model_node: u32,
    scene_ref: u32,
    mask: u32,
}

// The first level's items: for each piece the root of the model's tree against the root of the scene's, or of a page of
// it. One invocation for each piece.
@compute @workgroup_size(64)
fn roots(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let piece = invocation(workgroup, workgroups, local, 64u);
    if piece >= chunk.n_pieces {
        return;
    }
    if piece == 0u {
        atomicStore(&control[routing.input], chunk.n_pieces);
    }
    if piece >= chunk.queue_capacity {
        mark_retry(piece);
        return;
    }
    let mask = mask_until_cutoff(pieces[piece].motion, pieces[piece].index);
    items[routing.input_at + piece] = NodePair(piece, max(chunk.n_nodes, 1u) - 1u, 0u, mask);
}

// A child of an item's scene node, if the item's model node may overlap it. The mask is zero if it does not.
fn overlapping_child(item: NodePair, slot: u32) -> NodePair {
    var child = item.scene_ref;
    if (child & LEAF_BIT) == 0u {
        child = scene_nodes[item.scene_ref].children[slot].child;
    } else if slot != 0u {
        return NodePair();
    }
    if child == EMPTY {
        return NodePair();
    }
    var standing: Box;
    if (child & LEAF_BIT) != 0u {
        // Clusters also have boxes in full precision, next to their triangles.
        let cluster = scene_leaves[child & ~LEAF_BIT];
        standing = Box(cluster.lo, cluster.hi);
    } else {
        let node_slot = scene_nodes[item.scene_ref].children[slot];
        standing = child_box(node_slot, scene_nodes[item.scene_ref].origin, scene_nodes[item.scene_ref].step);
    }
    let mask = overlapping_subs((item.piece * chunk.n_nodes + item.model_node) * BOX_VECTORS, item.mask, standing);
    return NodePair(item.piece, item.model_node, child, mask);
}

@compute @workgroup_size(64)
fn traverse(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var item = NodePair();
    if id / WIDTH < queue_length(routing.input, chunk.queue_capacity) {
        item = overlapping_child(items[routing.input_at + id / WIDTH], id % WIDTH);
    }
    var n = vec2<u32>(0u);
    if item.mask != 0u {
        if item.model_node >= chunk.n_links {
            n.x = 2u;
        } else if (item.scene_ref & LEAF_BIT) != 0u {
            n.y = 1u;
        } else {
            n.x = 1u;
        }
    }
    let found = slots_in_both(vec2<u32>(routing.output, routing.leaf_output), n, local);
    if n.x == 2u {
        let children = link_tree_children[item.model_node - chunk.n_links];
        push(found.x, NodePair(item.piece, children.x, item.scene_ref, item.mask));
        push(found.x + 1u, NodePair(item.piece, children.y, item.scene_ref, item.mask));
    } else if n.x == 1u {
        push(found.x, item);
    } else if n.y == 1u && has_room(found.y, chunk.candidate_capacity, item.piece) {
        let cluster = item.scene_ref & ~LEAF_BIT;
        candidates[found.y] = Candidate(item.piece, item.model_node, cluster, item.mask, 0xffffffffu);
    }
}

fn box_vector(i: u32) -> vec4<f32> {
    return boxes_in[i];
}

fn push(slot: u32, item: NodePair) {
    if has_room(slot, chunk.queue_capacity, item.piece) {
        items[routing.output_at + slot] = item;
    }
}

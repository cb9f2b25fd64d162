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

@compute @workgroup_size(64)
fn traverse(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id / WIDTH >= queue_length(routing.input, chunk.queue_capacity) {
        return;
    }
    let item = items[routing.input_at + id / WIDTH];
    var child = item.scene_ref;
    if (child & LEAF_BIT) == 0u {
        child = scene_nodes[item.scene_ref].children[id % WIDTH].child;
    } else if id % WIDTH != 0u {
        return;
    }
    if child == EMPTY {
        return;
    }
    var standing: Box;
    if (child & LEAF_BIT) != 0u {
        // Clusters also have boxes in full precision, next to their triangles.
        let cluster = scene_leaves[child & ~LEAF_BIT];
        standing = Box(cluster.lo, cluster.hi);
    } else {
        let slot = scene_nodes[item.scene_ref].children[id % WIDTH];
        standing = child_box(slot, scene_nodes[item.scene_ref].origin, scene_nodes[item.scene_ref].step);
    }
    let mask = overlapping_subs((item.piece * chunk.n_nodes + item.model_node) * BOX_VECTORS, item.mask, standing);
    if mask == 0u {
        return;
    }
    if item.model_node >= chunk.n_links {
        let children = link_tree_children[item.model_node - chunk.n_links];
        push(NodePair(item.piece, children.x, child, mask));
        push(NodePair(item.piece, children.y, child, mask));
    } else if (child & LEAF_BIT) != 0u {
        let slot = queue_slot(routing.leaf_output, chunk.candidate_capacity, item.piece);
        if slot != NONE {
            candidates[slot] = Candidate(item.piece, item.model_node, child & ~LEAF_BIT, mask, 0xffffffffu);
        }
    } else {
        push(NodePair(item.piece, item.model_node, child, mask));
    }
}

fn box_vector(i: u32) -> vec4<f32> {
    return boxes_in[i];
}

fn push(item: NodePair) {
    let slot = queue_slot(routing.output, chunk.queue_capacity, item.piece);
    if slot != NONE {
        items[routing.output_at + slot] = item;
    }
}

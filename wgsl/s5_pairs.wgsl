//!use lib/cutoff
//!use lib/link_nodes
//!use lib/moving_box
//!use lib/node_boxes
//!use lib/part
//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/swept_boxes
// s5_pairs: from candidates (link, cluster) to pairs of triangles. Entry points, in this order and for each phase of
// time: `seed`, `bound_nodes` and `descend_links` (once for each level of the deepest link tree), `test_leaves`,
// `test_pairs`, `refine_pairs`.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
// Counters, retry bits, cutoffs, box numbers of nodes, lists of nodes that request boxes.
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
// One per piece and link.
@group(0) @binding(2) var<storage, read> moving_links: array<MovingLink>;
@group(0) @binding(3) var<storage, read> poses: array<f32>;
@group(0) @binding(4) var<storage, read> scene_triangles: array<SceneTriangle>;
@group(0) @binding(5) var<storage, read> scene_leaves: array<SceneLeaf>;
@group(0) @binding(6) var<storage, read> candidates: array<Candidate>;
// One bit per link and object: set for pairs that are never tested.
@group(0) @binding(7) var<storage, read> allowed_pairs: array<u32>;
// Eight per node of the links' trees; the root of link i is node i.
@group(0) @binding(8) var<storage, read> link_nodes: array<LinkChild>;
// The link of each node.
@group(0) @binding(9) var<storage, read> node_links: array<u32>;
// Boxes of the children of nodes in all sub-intervals, at the numbers that `boxes_of` returns, less one.
@group(0) @binding(10) var<storage, read_write> node_boxes: array<f32>;
@group(0) @binding(11) var<storage, read> node_boxes_in: array<vec4<f32>>;
@group(0) @binding(12) var<storage, read> link_triangles: array<LinkTriangle>;
// Queue in two halves: nodes against scene leaves, later link leaves against triangles, later triangles against
// triangles.
@group(0) @binding(13) var<storage, read_write> items: array<LinkItem>;
// Link leaves against scene leaves.
@group(0) @binding(14) var<storage, read_write> leaf_items: array<LinkItem>;
@group(0) @binding(15) var<storage, read_write> pairs: array<TrianglePair>;
@group(1) @binding(0) var<uniform> routing: Routing;

// Part of a link's tree against part of the scene: a node against a cluster, then a child that is a leaf, and finally
// that leaf, against triangles starting with the first of a cluster.
struct LinkItem {
    piece_link: u32,
    // Node, child (node times eight plus its slot), or, for two triangles, the link's triangle.
    link_ref: u32,
    // Cluster, or its first triangle.
    scene_ref: u32,
    mask: u32,
    // Bit i is set if triangle i of the cluster matters. For a triangle against a triangle, the serial number of the
    // chunk: other entries of the queue were written by earlier work and are skipped.
    triangles: u32,
}

struct TrianglePair {
    piece_link: u32,
    link_triangle: u32,
    scene_triangle: u32,
    mask_slice: u32,
}

// False if no motion has a margin: some adapters compute both sides of a condition that is not known to the compiler.
override HAS_MARGIN: bool = true;

const MIN_STATIC_SUBS: u32 = 12u;

// The sub-intervals of a piece in the routing's phase. Phases are equal parts of the motion, of whole sub-intervals,
// and a group of sub-intervals belongs to the phase in which it begins: every sub-interval is in exactly one.
fn mask_of_slab(m: MovingLink, group: u32) -> u32 {
    // Twice h, the length of a sub-interval, is a power of two, at most a sixteenth.
    let all = 1u << min(126u - min(bitcast<u32>(m.h) >> 23u, 126u), 31u);
    let each = max(all / routing.n_phases, 1u);
    let first = m.index * SUBS;
    let start = (max(routing.phase * each, first) - first + group - 1u) / group * group;
    var end = SUBS;
    if routing.phase + 1u < routing.n_phases {
        end = min((max((routing.phase + 1u) * each, first) - first + group - 1u) / group * group, SUBS);
    }
    if start >= end {
        return 0u;
    }
    return (ALL_SUBS >> (SUBS - end)) & (ALL_SUBS << start);
}

// Boxes around the oriented boxes of the children of nodes. One invocation for each child and sub-interval.
@compute @workgroup_size(64)
fn bound_nodes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id / SUBS >= queue_length(routing.input, chunk.box_capacity) {
        return;
    }
    let sub = id % SUBS;
    let wanted = atomicLoad(&control[node_boxes_at(chunk.n_pieces, 0u) + routing.input_at + id / SUBS]);
    let node = wanted % chunk.n_boxed;
    let piece = wanted / chunk.n_boxed;
    let m = moving_links[piece * chunk.n_links + node_links[node]];
    let pose = pose_at(piece, m.body, sub);
    let first = (boxes_of(piece, node) - 1u) * WIDTH;
    for (var place = 0u; place < WIDTH; place += 1u) {
        let slot = link_nodes[node * WIDTH + place];
        if slot.child == EMPTY {
            continue;
        }
        let around = box_around(m, pose, slot);
        let at = (first + place) * (BOX_FLOATS * SUBS) + sub;
        for (var axis = 0u; axis < 3u; axis += 1u) {
            node_boxes[at + axis * SUBS] = around.lo[axis];
            node_boxes[at + (3u + axis) * SUBS] = around.hi[axis];
        }
    }
}

// A candidate, restricted to the routing's phase. The mask is zero if nothing remains.
fn restricted(c: Candidate) -> LinkItem {
    let piece_link = c.piece * chunk.n_links + c.link;
    let m = moving_links[piece_link];
    // The link of a candidate with most of the sub-intervals hardly moves, so the results of all phases would be nearly
    // the same.
    let group = select(1u, SUBS, countOneBits(c.mask) > MIN_STATIC_SUBS);
    let mask = c.mask & mask_of_slab(m, group) & mask_until_cutoff(m.motion, m.index);
    if mask == 0u {
        return LinkItem();
    }
    let cluster = scene_leaves[c.cluster];
    var left = c.triangles & (0xffffffffu >> (CLUSTER_SIZE - cluster.count));
    if (chunk.flags & FLAG_ALLOWED_PAIRS) != 0u {
        for (var i = 0u; i < cluster.count; i += 1u) {
            let bit = c.link * chunk.n_objects + scene_triangles[cluster.first + i].object;
            if (allowed_pairs[bit / 32u] & (1u << (bit % 32u))) != 0u {
                left &= ~(1u << i);
            }
        }
    }
    // The root of link i is node i.
    return LinkItem(piece_link, m.link, c.cluster, select(0u, mask, left != 0u), left);
}

@compute @workgroup_size(64)
fn seed(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var item = LinkItem();
    if id < queue_length(routing.input, chunk.candidate_capacity) {
        item = restricted(candidates[id]);
    }
    let is_left = item.mask != 0u;
    let slot = slots(routing.output, u32(is_left), local);
    let piece = item.piece_link / chunk.n_links;
    if is_left && has_room(slot, chunk.queue_capacity, piece) {
        want_boxes(piece, item.link_ref);
        items[routing.output_at + slot] = item;
    }
}

fn box_vector(i: u32) -> vec4<f32> {
    return node_boxes_in[i];
}

// The marked sub-intervals in which a child of a node may overlap a static box; `number` is that of the node's boxes.
fn subs_near(m: MovingLink, piece: u32, place: u32, number: u32, marked: u32, standing: Box) -> u32 {
    if number != 0u {
        return overlapping_subs(((number - 1u) * WIDTH + place % WIDTH) * BOX_VECTORS, marked, standing);
    }
    let slot = link_nodes[place];
    var mask = marked;
    for (var sub = 0u; sub < SUBS; sub += 1u) {
        if (marked >> sub & 1u) != 0u && boxes_miss(box_around(m, pose_at(piece, m.body, sub), slot), standing) {
            mask &= ~(1u << sub);
        }
    }
    return mask;
}

// The oriented box of a child over all marked sub-intervals.
fn block_box(m: MovingLink, piece: u32, marked: u32, slot: LinkChild) -> MovingBox {
    let i = firstTrailingBit(marked);
    let j = firstLeadingBit(marked);
    let pose = pose_at(piece, m.body, block_middle(i, j));
    // If the jet's own middle is half a sub-interval after the block's, the box covers a longer time.
    let h = f32(j - i + 1u + (i + j) % 2u) * m.h;
    return moving_box(pose, slot, block_ball(m, i, j) * slot.stretch, h);
}

// A child of a node against the cluster of an item. The mask is zero if they do not overlap; a child that is a leaf has
// its slot and the leaf bit as its number.
fn overlapping_child(item: LinkItem, slot: u32) -> LinkItem {
    let place = item.link_ref * WIDTH + slot;
    let child = link_nodes[place].child;
    if child == EMPTY {
        return LinkItem();
    }
    let m = moving_links[item.piece_link];
    let piece = item.piece_link / chunk.n_links;
    let cluster = scene_leaves[item.scene_ref];
    let number = boxes_of(piece, item.link_ref);
    let around = Box(cluster.lo, cluster.hi);
    let mask = subs_near(m, piece, place, number, item.mask, around);
    if mask == 0u || box_misses_box(block_box(m, piece, mask, link_nodes[place]), around) {
        return LinkItem();
    }
    if (child & LEAF_BIT) != 0u {
        return LinkItem(item.piece_link, place | LEAF_BIT, cluster.first, mask, item.triangles);
    }
    return LinkItem(item.piece_link, child, item.scene_ref, mask, item.triangles);
}

// A child of a node against a cluster.
@compute @workgroup_size(64)
fn descend_links(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var item = LinkItem();
    if id / WIDTH < queue_length(routing.input, chunk.queue_capacity) {
        item = overlapping_child(items[routing.input_at + id / WIDTH], id % WIDTH);
    }
    let is_left = item.mask != 0u;
    let is_leaf = (item.link_ref & LEAF_BIT) != 0u;
    let n = vec2<u32>(u32(is_left && !is_leaf), u32(is_left && is_leaf));
    let found = slots_in_both(vec2<u32>(routing.output, routing.leaf_output), n, local);
    let piece = item.piece_link / chunk.n_links;
    if n.x != 0u && has_room(found.x, chunk.queue_capacity, piece) {
        want_boxes(piece, item.link_ref);
        items[routing.output_at + found.x] = item;
    }
    if n.y != 0u && has_room(found.y, chunk.queue_capacity, piece) {
        item.link_ref &= ~LEAF_BIT;
        leaf_items[found.y] = item;
    }
}

// A leaf against the triangles of a cluster: one item for those that it may touch, with the sub-intervals of any of
// them. The mask is zero if there are none.
fn touched(item: LinkItem) -> LinkItem {
    let m = moving_links[item.piece_link];
    let piece = item.piece_link / chunk.n_links;
    let number = boxes_of(piece, item.link_ref / WIDTH);
    let around = block_box(m, piece, item.mask, link_nodes[item.link_ref]);
    var rest = item.triangles;
    var near = 0u;
    var mask = 0u;
    while rest != 0u {
        let k = firstTrailingBit(rest);
        let tri = standing(item.scene_ref + k);
        let subs = subs_near(m, piece, item.link_ref, number, item.mask, standing_box(tri));
        rest &= rest - 1u;
        if subs == 0u || box_misses_triangle(around, tri) {
            continue;
        }
        near |= 1u << k;
        mask |= subs;
    }
    if rest != 0u {
        // The loop ended early.
        near |= rest;
        mask = item.mask;
    }
    return LinkItem(item.piece_link, link_nodes[item.link_ref].child, item.scene_ref, mask, near);
}

@compute @workgroup_size(64)
fn test_leaves(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var item = LinkItem();
    if id < queue_length(routing.input, chunk.queue_capacity) {
        item = touched(leaf_items[id]);
    }
    let is_left = item.mask != 0u;
    let slot = slots(routing.output, u32(is_left), local);
    if is_left && has_room(slot, chunk.queue_capacity, item.piece_link / chunk.n_links) {
        items[routing.output_at + slot] = item;
    }
}

// The time in which two triangles may touch: sub-intervals, and the first slice left in the first of them.
struct Left {
    mask: u32,
    slice: u32,
}

// Bisects the marked time: tests the first aligned block of sub-intervals, then shorter and shorter blocks, then halves
// of a single sub-interval. In every remaining sub-interval the first remaining half may lower the motion's cutoff, so
// that cutoffs do not depend on phases. A loop that ends early leaves bits set, so no contact is lost. Each round tests
// one part, whatever its length, so that lanes which run together do the same.
fn refine(m: MovingLink, piece: u32, x: LinkTriangle, tri: Standing, marked: u32) -> Left {
    var left = Left(marked, 0u);
    var open = marked;
    var at = firstTrailingBit(open);
    var len = 1u << min(firstTrailingBit(at), 4u);
    // The first slice of the half to test; SLICES for the whole block.
    var slice = SLICES;
    while open != 0u {
        let block = open & (((1u << len) - 1u) << at);
        let last = firstLeadingBit(block);
        var part = block_part(m, at, last);
        if slice != SLICES {
            part = half_part(m, at, slice);
        }
        let corners = corners_in(m, piece, part, x);
        let free = corners_miss(corners, tri, part.h);
        if !free && slice == SLICES {
            if last == at {
                slice = 0u;
            } else {
                len = 1u << firstLeadingBit(last - at);
            }
            continue;
        }
        if free && slice == 0u {
            slice = SLICES / 2u;
            continue;
        }
        open &= ~block;
        if free {
            left.mask &= ~block;
        } else {
            if at == firstTrailingBit(left.mask) {
                left.slice = slice;
            }
            if (chunk.flags & FLAG_CUTOFFS) != 0u {
                if triangles_touch(corners, tri) {
                    // They touch at the middle of the half, the end of its second slice.
                    keep_slices(m.motion, (m.index * SUBS + at) * SLICES + slice + SLICES / 4u);
                }
                open &= mask_until_cutoff(m.motion, m.index);
            }
        }
        slice = SLICES;
        at = firstTrailingBit(open);
        len = 1u << min(firstTrailingBit(at), 4u);
    }
    return left;
}

// The mask without its first `n` bits.
fn without_first(mask: u32, n: u32) -> u32 {
    var rest = mask;
    for (var i = 0u; i < n; i += 1u) {
        rest &= rest - 1u;
    }
    return rest;
}

// A triangle of a link and those of a cluster that it may touch, starting with triangle `scene_ref`.
struct TrianglesLeft {
    piece_link: u32,
    link_triangle: u32,
    scene_ref: u32,
    mask: u32,
    triangles: u32,
}

// The triangles of an item that one of its invocations tests, and those of them that the link's triangle may touch.
fn left_of(item: LinkItem, invocation: u32) -> TrianglesLeft {
    let leaf = item.link_ref & ~LEAF_BIT;
    // The leaf's number of triangles, less one, is in its lowest bits. Rounded up to a power of two, the number is at
    // most eight. (The first leading bit of zero is -1.)
    let n_lanes = 1u << (firstLeadingBit(leaf % LINK_LEAF) + 1u);
    let lane = invocation % n_lanes;
    var rest = without_first(item.triangles, invocation / n_lanes);
    if lane > leaf % LINK_LEAF || rest == 0u {
        return TrianglesLeft();
    }
    let index = leaf / LINK_LEAF + lane;
    let x = link_triangles[index];
    let m = moving_links[item.piece_link];
    let mask = item.mask & mask_until_cutoff(m.motion, m.index);
    if mask == 0u {
        return TrianglesLeft();
    }
    let part = block_part(m, firstTrailingBit(mask), firstLeadingBit(mask));
    let whole = corners_in(m, item.piece_link / chunk.n_links, part, x);
    let whole_box = corners_box(whole, part.h);
    var triangles = 0u;
    while rest != 0u {
        let i = firstTrailingBit(rest);
        let tri = standing(item.scene_ref + i);
        rest = without_first(rest, LINK_LEAF / n_lanes);
        if !boxes_miss(whole_box, standing_box(tri)) && !triangles_miss(whole, tri, part.h) {
            triangles |= 1u << i;
        }
    }
    // If the loop ended early, the rest remains, and some of it is tested by other invocations, too.
    return TrianglesLeft(item.piece_link, index, item.scene_ref, mask, triangles | rest);
}

// A triangle of a leaf against those of a cluster over all sub-intervals together: that separates most of them. Each
// item has eight invocations. If the leaf has at most four triangles, several of them share the cluster for each one.
@compute @workgroup_size(64)
fn test_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var left = TrianglesLeft();
    if id / LINK_LEAF < queue_length(routing.input, chunk.queue_capacity) {
        left = left_of(items[routing.input_at + id / LINK_LEAF], id % LINK_LEAF);
    }
    var slot = slots(routing.output, countOneBits(left.triangles), local);
    let piece = left.piece_link / chunk.n_links;
    var rest = left.triangles;
    while rest != 0u && has_room(slot, chunk.queue_capacity, piece) {
        let y = left.scene_ref + firstTrailingBit(rest);
        items[routing.output_at + slot] = LinkItem(left.piece_link, left.link_triangle, y, left.mask, chunk.serial);
        rest &= rest - 1u;
        slot += 1u;
    }
    if rest != 0u {
        // The loop ended early, and slots remain unwritten.
        mark_retry(piece);
    }
}

// The time in which a pair of triangles may touch.
fn refined(item: LinkItem) -> Left {
    let m = moving_links[item.piece_link];
    let mask = item.mask & mask_until_cutoff(m.motion, m.index);
    let piece = item.piece_link / chunk.n_links;
    return refine(m, piece, link_triangles[item.link_ref], standing(item.scene_ref), mask);
}

// Tests the remaining pairs, one per invocation, so that no pair has to wait for another.
@compute @workgroup_size(64)
fn refine_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    var item = LinkItem();
    var left = Left();
    if id < queue_length(routing.input, chunk.queue_capacity) {
        item = items[routing.input_at + id];
        if item.triangles == chunk.serial {
            left = refined(item);
        }
    }
    let is_left = left.mask != 0u;
    let slot = slots(routing.output, u32(is_left), local);
    if is_left && has_room(slot, chunk.pair_capacity, item.piece_link / chunk.n_links) {
        let mask_slice = left.mask | (left.slice << SUBS);
        pairs[slot] = TrianglePair(item.piece_link, item.link_ref, chunk.first_triangle + item.scene_ref, mask_slice);
    }
}

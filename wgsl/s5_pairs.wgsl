//!use lib/meeting
//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/time_boxes
// s5_pairs: from candidates (link, cluster) to pairs of triangles. Entry points, in this order: `triangles`, `links`
// (once for each level of the deepest link tree), `pairs`.

@group(0) @binding(0) var<uniform> chunk: Chunk;
// One for each piece and link.
@group(0) @binding(1) var<storage, read> moving: array<MovingLink>;
@group(0) @binding(2) var<storage, read> scene_triangles: array<SceneTriangle>;
// Counters, redo bits, limits.
@group(0) @binding(3) var<storage, read_write> control: array<atomic<u32>>;
@group(1) @binding(0) var<uniform> current: Pass;

// `triangles`:
@group(0) @binding(4) var<storage, read> boxes: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(6) var<storage, read> candidates: array<Candidate>;
// A bit for each link and object that is never tested.
@group(0) @binding(7) var<storage, read> allowed: array<u32>;
@group(0) @binding(8) var<storage, read_write> items: array<LinkItem>;

// `links`:
@group(0) @binding(4) var<storage, read> poses: array<f32>;
// Eight for each node of the links' trees; the root of link i is node i.
@group(0) @binding(5) var<storage, read> link_nodes: array<LinkChild>;
@group(0) @binding(6) var<storage, read_write> leaf_items: array<LinkItem>;

// `pairs`:
@group(0) @binding(5) var<storage, read> link_triangles: array<LinkTriangle>;
@group(0) @binding(7) var<storage, read_write> found_pairs: array<TrianglePair>;

// A node or leaf of a link's tree against a triangle. A leaf is LEAF_BIT, the first of its triangles times eight,
// and how many it has less one.
struct LinkItem {
    piece_link: u32,
    link_ref: u32,
    triangle: u32,
    mask: u32,
}

struct LinkChild {
    a: vec3<f32>,
    radius: f32,
    b: vec3<f32>,
    // Node, leaf or EMPTY, as in LinkItem.
    child: u32,
}

struct LinkTriangle {
    e0: vec3<f32>,
    e1: vec3<f32>,
    e2: vec3<f32>,
}

struct TrianglePair {
    piece_link: u32,
    link_triangle: u32,
    scene_triangle: u32,
    mask_slice: u32,
}

const LINK_LEAF: u32 = 8u;

// The sub-intervals of a piece that do not start after the motion's limit.
fn mask_until_limit(m: MovingLink) -> u32 {
    let limit = atomicLoad(&control[chunk.limits_at + m.motion]);
    let first = m.index * (SUBS * SLICES);
    if limit < first {
        return 0u;
    }
    return ALL_SUBS >> (SUBS - min((limit - first) / SLICES + 1u, SUBS));
}

@compute @workgroup_size(64)
fn triangles(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id / CLUSTER_SIZE >= queue_length(current.input, chunk.candidate_capacity) {
        return;
    }
    let c = candidates[id / CLUSTER_SIZE];
    if c.mask == 0u {
        return;
    }
    let cluster = clusters[c.cluster];
    if id % CLUSTER_SIZE >= cluster.count || (c.triangles >> (id % CLUSTER_SIZE) & 1u) == 0u {
        return;
    }
    let y = cluster.first + id % CLUSTER_SIZE;
    if (chunk.flags & FLAG_ALLOWED) != 0u {
        let bit = c.link * chunk.n_objects + scene_triangles[y].object;
        if (allowed[bit / 32u] & (1u << (bit % 32u))) != 0u {
            return;
        }
    }
    let mask = c.mask & ~subs_apart(c.piece, c.link, standing_box(standing(y)));
    if mask != 0u {
        let slot = queue_slot(current.output, chunk.queue_capacity, c.piece);
        if slot != NONE {
            items[current.output_at + slot] = LinkItem(c.piece * chunk.n_links + c.link, c.link, y, mask);
        }
    }
}

// The middle one of the sub-intervals from `i` to `j`: its jet bounds them all.
fn block_middle(i: u32, j: u32) -> u32 {
    return (i + j) / 2u + (i + j) % 2u;
}

fn block_ball(m: MovingLink, i: u32, j: u32) -> f32 {
    if i == j {
        return m.balls.x;
    }
    return select(m.balls.z, m.balls.y, j - i < 4u);
}

// A point of a link from sub-interval `i` to sub-interval `j`.
fn block_point(m: MovingLink, piece: u32, i: u32, j: u32, e: vec3<f32>) -> PointBound {
    let p = pose_point(pose_at(piece, m.body, block_middle(i, j)), e, block_ball(m, i, j));
    // The jet's own middle lies at the block's middle, or half a sub-interval after it.
    return point_shifted(p, select(0.0, -m.h, (i + j) % 2u == 1u), f32(j - i + 2u) * m.h);
}

@compute @workgroup_size(64)
fn links(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id / WIDTH >= queue_length(current.input, chunk.queue_capacity) {
        return;
    }
    let item = items[current.input_at + id / WIDTH];
    let slot = link_nodes[item.link_ref * WIDTH + id % WIDTH];
    if slot.child == EMPTY {
        return;
    }
    let m = moving[item.piece_link];
    let piece = item.piece_link / chunk.n_links;
    let tri = standing(item.triangle);
    let tri_box = standing_box(tri);
    // All marked sub-intervals at once …
    let i = firstTrailingBit(item.mask);
    let j = firstLeadingBit(item.mask);
    let a = block_point(m, piece, i, j, slot.a);
    let b = block_point(m, piece, i, j, slot.b);
    let h = f32(j - i + 1u) * m.h;
    if boxes_miss(swept_box(a, b, slot.radius, h), tri_box) || swept_misses_plane(a, b, slot.radius, tri, h) {
        return;
    }
    // … then one by one.
    var mask = item.mask;
    if i != j {
        for (var sub = i; sub <= j; sub += 1u) {
            if (mask & (1u << sub)) != 0u {
                let pose = pose_at(piece, m.body, sub);
                let p = pose_point(pose, slot.a, m.balls.x);
                let q = pose_point(pose, slot.b, m.balls.x);
                if boxes_miss(swept_box(p, q, slot.radius, m.h), tri_box) {
                    mask &= ~(1u << sub);
                }
            }
        }
    }
    if mask == 0u {
        return;
    }
    let next = LinkItem(item.piece_link, slot.child, item.triangle, mask);
    if (slot.child & LEAF_BIT) != 0u {
        let at = queue_slot(current.leaf_output, chunk.queue_capacity, piece);
        if at != NONE {
            leaf_items[at] = next;
        }
    } else {
        let at = queue_slot(current.output, chunk.queue_capacity, piece);
        if at != NONE {
            items[current.output_at + at] = next;
        }
    }
}

struct Corners {
    x0: PointBound,
    x1: PointBound,
    x2: PointBound,
}

fn corners_miss(x: Corners, tri: Standing, tri_box: Box, h: f32) -> bool {
    let r0 = point_range(x.x0, h);
    let r1 = point_range(x.x1, h);
    let r2 = point_range(x.x2, h);
    let hull = Box(min(min(r0.lo, r1.lo), r2.lo), max(max(r0.hi, r1.hi), r2.hi));
    return boxes_miss(hull, tri_box) || triangle_misses(x.x0, x.x1, x.x2, tri, h);
}

// A triangle of the link in a slice of a sub-interval.
fn slice_corners(m: MovingLink, piece: u32, sub: u32, slice: u32, x: LinkTriangle) -> Corners {
    let pose = pose_at(piece, m.body, sub);
    let shift = (f32(2u * slice + 1u) * 0.125 - 1.0) * m.h;
    return Corners(
        point_shifted(pose_point(pose, x.e0, m.balls.x), shift, m.h),
        point_shifted(pose_point(pose, x.e1, m.balls.x), shift, m.h),
        point_shifted(pose_point(pose, x.e2, m.balls.x), shift, m.h),
    );
}

@compute @workgroup_size(64)
fn pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id / LINK_LEAF >= queue_length(current.input, chunk.queue_capacity) {
        return;
    }
    let item = leaf_items[id / LINK_LEAF];
    let leaf = item.link_ref & ~LEAF_BIT;
    if id % LINK_LEAF > leaf % LINK_LEAF {
        return;
    }
    let index = leaf / LINK_LEAF + id % LINK_LEAF;
    let x = link_triangles[index];
    let m = moving[item.piece_link];
    let piece = item.piece_link / chunk.n_links;
    let tri = standing(item.triangle);
    let tri_box = standing_box(tri);
    var mask = item.mask & mask_until_limit(m);
    // Blocks of 16, 8, 4, 2, 1 sub-intervals, the largest that is aligned first; then slices of one. A loop that ends early
    // leaves bits standing: nothing is lost.
    var at = 0u;
    var len = SUBS;
    var slice = 0u;
    while at < SUBS {
        let block = mask & (((1u << len) - 1u) << at);
        var free = block == 0u;
        if !free {
            let i = firstTrailingBit(block);
            let j = firstLeadingBit(block);
            let x_block = Corners(
                block_point(m, piece, i, j, x.e0),
                block_point(m, piece, i, j, x.e1),
                block_point(m, piece, i, j, x.e2),
            );
            free = corners_miss(x_block, tri, tri_box, f32(j - i + 1u) * m.h);
        }
        if !free && len == 1u {
            slice = 0u;
            while slice < SLICES {
                if !corners_miss(slice_corners(m, piece, at, slice, x), tri, tri_box, m.h * 0.125) {
                    break;
                }
                slice += 1u;
            }
            free = slice == SLICES;
            if !free {
                break;
            }
        }
        if free {
            mask &= ~block;
            at += len;
            len = 1u << min(firstTrailingBit(at), 4u);
        } else {
            len /= 2u;
        }
    }
    if mask == 0u {
        return;
    }
    let sub = firstTrailingBit(mask);
    if sub != at {
        // The loop was cut short: nothing is known of the first slice.
        slice = 0u;
    }
    if (chunk.flags & FLAG_LIMITS) != 0u {
        let corners = slice_corners(m, piece, sub, slice, x);
        if triangles_meet(corners.x0, corners.x1, corners.x2, tri) {
            atomicMin(&control[chunk.limits_at + m.motion], (m.index * SUBS + sub) * SLICES + slice);
        }
    }
    let slot = queue_slot(current.output, chunk.pair_capacity, piece);
    if slot != NONE {
        let y = chunk.first_triangle + item.triangle;
        found_pairs[slot] = TrianglePair(item.piece_link, index, y, mask | (slice << SUBS));
    }
}

//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/swept
//!use lib/voxels
// s4_sweep: what a link sweeps against the triangles of its candidates. Bits are cleared where they stand. Entry points:
// `capsules`, an invocation for each triangle of a candidate; or `lists_of_links` and then `voxels`, a workgroup for each piece
// and link.

@group(0) @binding(0) var<uniform> chunk: Chunk;
// One for each piece and link.
@group(0) @binding(1) var<storage, read> moving: array<MovingLink>;
@group(0) @binding(2) var<storage, read> scene_triangles: array<SceneTriangle>;
// Counters, redo bits, limits.
@group(0) @binding(3) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> poses: array<f32>;
@group(0) @binding(5) var<storage, read> clusters: array<Cluster>;
// Each is written by one workgroup alone.
@group(0) @binding(6) var<storage, read_write> candidates: array<Candidate>;
@group(0) @binding(7) var<storage, read> links: array<Link>;
// For each piece and link one of its candidates, or NONE; then for each candidate the next one of its link.
@group(0) @binding(8) var<storage, read_write> lists: array<atomic<u32>>;
@group(1) @binding(0) var<uniform> current: Pass;

// Candidates of a workgroup of `capsules`.
const HELD: u32 = 2u;

// A link's line-swept sphere in a sub-interval.
struct Cell {
    a: PointBound,
    b: PointBound,
    around: Box,
}

var<workgroup> cells: array<Cell, 32>;
var<workgroup> left_mask: array<atomic<u32>, 2>;
var<workgroup> left_triangles: array<atomic<u32>, 2>;
// Candidates left, triangles in, triangles left.
var<workgroup> counts: array<atomic<u32>, 3>;

fn cell(piece: u32, link: Link, m: MovingLink, sub: u32) -> Cell {
    let pose = pose_at(piece, m.body, sub);
    let a = pose_point(pose, link.a, m.balls.x);
    let b = pose_point(pose, link.b, m.balls.x);
    return Cell(a, b, swept_box(a, b, link.radius, m.h));
}

@compute @workgroup_size(64)
fn capsules(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = invocation(workgroup, workgroups, 0u, 64u) / CLUSTER_SIZE;
    let end = queue_length(current.input, chunk.candidate_capacity);
    // The cells of each candidate.
    if local < HELD * SUBS && first + local / SUBS < end {
        let c = candidates[first + local / SUBS];
        let m = moving[c.piece * chunk.n_links + c.link];
        cells[local] = cell(c.piece, links[c.link], m, local % SUBS);
    }
    workgroupBarrier();
    // Its triangles.
    let held = local / CLUSTER_SIZE;
    let at = first + held;
    let triangle = local % CLUSTER_SIZE;
    if at < end {
        let c = candidates[at];
        let cluster = clusters[c.cluster];
        let m = moving[c.piece * chunk.n_links + c.link];
        let radius = links[c.link].radius;
        if triangle < cluster.count && (c.triangles >> triangle & 1u) != 0u {
            let tri = standing(cluster.first + triangle);
            let tri_box = standing_box(tri);
            var mask = c.mask;
            for (var sub = 0u; sub < SUBS; sub += 1u) {
                if (mask >> sub & 1u) != 0u {
                    let x = held * SUBS + sub;
                    if boxes_miss(cells[x].around, tri_box)
                        || swept_misses(cells[x].a, cells[x].b, radius, tri, m.h) {
                        mask &= ~(1u << sub);
                    }
                }
            }
            if mask != 0u {
                atomicOr(&left_mask[held], mask);
                atomicOr(&left_triangles[held], 1u << triangle);
            }
        }
    }
    workgroupBarrier();
    if triangle == 0u && at < end {
        let triangles = atomicLoad(&left_triangles[held]);
        candidates[at].mask = atomicLoad(&left_mask[held]);
        candidates[at].triangles = triangles;
        atomicAdd(&counts[0], select(0u, 1u, triangles != 0u));
        atomicAdd(&counts[1], clusters[candidates[at].cluster].count);
        atomicAdd(&counts[2], countOneBits(triangles));
    }
    workgroupBarrier();
    if local < 3u {
        atomicAdd(&control[current.output + local], atomicLoad(&counts[local]));
    }
}

// Two voxels share a word: the sub-intervals in which the link certainly misses them. An adapter may end loops early, so
// whatever a loop adds is a proof: what it has not come to may touch.
var<workgroup> missed: array<u32, 2048>;
// Invocations that know the whole grid.
var<workgroup> ready: atomic<u32>;

@compute @workgroup_size(64)
fn lists_of_links(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = invocation(workgroup, workgroups, local, 64u);
    if at < queue_length(current.input, chunk.candidate_capacity) {
        let c = candidates[at];
        let next = atomicExchange(&lists[c.piece * chunk.n_links + c.link], at);
        atomicStore(&lists[chunk.n_pieces * chunk.n_links + at], next);
    }
}

// The sub-intervals in which the link may touch voxels that a triangle may touch; all, if the loop ends early.
fn touched_by(v: Voxels, tri: Standing, tri_box: Box) -> u32 {
    let slots = voxel_slots(v, tri_box);
    let first = slots[0];
    let count = slots[1] + vec3<u32>(1u) - first;
    let n = count.x * count.y * count.z;
    var mask = 0u;
    var i = 0u;
    while i < n {
        let at = first + vec3<u32>(i % count.x, i / count.x % count.y, i / (count.x * count.y));
        let word = ~missed[(at.z * SIDE + at.y) * (SIDE / 2u) + at.x / 2u];
        let here = word >> (at.x % 2u * 16u) & ALL_SUBS;
        if (here & ~mask) != 0u && !plane_misses_voxel(v, voxel_centre(v, at), tri) {
            mask |= here;
        }
        i += 1u;
    }
    return select(ALL_SUBS, mask, i == n);
}

@compute @workgroup_size(64)
fn voxels(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let piece_link = invocation(workgroup, workgroups, 0u, 64u) / 64u;
    let n_lists = chunk.n_pieces * chunk.n_links;
    var head = NONE;
    if piece_link < n_lists {
        head = atomicLoad(&lists[piece_link]);
    }
    let piece = piece_link / chunk.n_links;
    let link = piece_link % chunk.n_links;
    if head != NONE && local < SUBS {
        cells[local] = cell(piece, links[link], moving[piece_link], local);
    }
    workgroupBarrier();
    var v: Voxels;
    if head != NONE {
        let m = moving[piece_link];
        let radius = links[link].radius;
        var lo = cells[0].around.lo;
        var hi = cells[0].around.hi;
        var sub = 1u;
        while sub < SUBS {
            lo = min(lo, cells[sub].around.lo);
            hi = max(hi, cells[sub].around.hi);
            sub += 1u;
        }
        atomicAdd(&ready, select(0u, 1u, sub == SUBS));
        v = voxels_around(lo, hi);
        for (var word = local; word < VOXELS / 2u; word += 64u) {
            var misses = 0u;
            for (var half = 0u; half < 2u; half += 1u) {
                let i = word * 2u + half;
                let centre = voxel_centre(v, vec3<u32>(i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)));
                for (var sub = 0u; sub < SUBS; sub += 1u) {
                    if swept_misses_voxel(v, centre, cells[sub].a, cells[sub].b, radius, m.h, cells[sub].around) {
                        misses |= 1u << (half * 16u + sub);
                    }
                }
            }
            missed[word] = misses;
        }
    }
    workgroupBarrier();
    // An invocation for each candidate; those that no invocation comes to stay as they are.
    var at = select(NONE, head, atomicLoad(&ready) == 64u);
    var hop = 0u;
    while at != NONE && hop < 4096u {
        if hop % 64u == local {
            let c = candidates[at];
            let cluster = clusters[c.cluster];
            var mask = 0u;
            var triangles = 0u;
            var i = 0u;
            while i < cluster.count {
                if (c.triangles >> i & 1u) != 0u {
                    let tri = standing(cluster.first + i);
                    let tri_box = standing_box(tri);
                    var left = c.mask;
                    for (var sub = 0u; sub < SUBS; sub += 1u) {
                        left &= ~select(0u, 1u << sub, boxes_miss(cells[sub].around, tri_box));
                    }
                    if left != 0u {
                        left &= touched_by(v, tri, tri_box);
                    }
                    mask |= left;
                    triangles |= select(0u, 1u << i, left != 0u);
                }
                i += 1u;
            }
            if i == cluster.count {
                candidates[at].mask = mask;
                candidates[at].triangles = triangles;
            }
            atomicAdd(&counts[0], select(0u, 1u, triangles != 0u));
            atomicAdd(&counts[1], cluster.count);
            atomicAdd(&counts[2], countOneBits(triangles));
        }
        at = atomicLoad(&lists[n_lists + at]);
        hop += 1u;
    }
    workgroupBarrier();
    if local < 3u {
        atomicAdd(&control[current.output + local], atomicLoad(&counts[local]));
    }
}

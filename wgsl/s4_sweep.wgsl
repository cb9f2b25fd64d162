//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/swept
// s4_sweep: the volume that a link sweeps against the triangles of its candidates. Clears bits of the candidates in
// place. Entry point `capsules`: one invocation per triangle of a candidate.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
// One for each piece and link.
@group(0) @binding(1) var<storage, read> moving_links: array<MovingLink>;
@group(0) @binding(2) var<storage, read> scene_triangles: array<SceneTriangle>;
// Counters, retry bits, cutoffs.
@group(0) @binding(3) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> poses: array<f32>;
@group(0) @binding(5) var<storage, read> scene_leaves: array<SceneLeaf>;
// Each is written by a single workgroup.
@group(0) @binding(6) var<storage, read_write> candidates: array<Candidate>;
@group(0) @binding(7) var<storage, read> links: array<Link>;
@group(1) @binding(0) var<uniform> routing: Routing;

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
    let end = queue_length(routing.input, chunk.candidate_capacity);
    // The cells of each candidate.
    if local < HELD * SUBS && first + local / SUBS < end {
        let c = candidates[first + local / SUBS];
        let m = moving_links[c.piece * chunk.n_links + c.link];
        cells[local] = cell(c.piece, links[c.link], m, local % SUBS);
    }
    workgroupBarrier();
    // Its triangles.
    let held = local / CLUSTER_SIZE;
    let at = first + held;
    let triangle = local % CLUSTER_SIZE;
    if at < end {
        let c = candidates[at];
        let cluster = scene_leaves[c.cluster];
        let m = moving_links[c.piece * chunk.n_links + c.link];
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
        atomicAdd(&counts[1], scene_leaves[candidates[at].cluster].count);
        atomicAdd(&counts[2], countOneBits(triangles));
    }
    workgroupBarrier();
    if local < 3u {
        atomicAdd(&control[routing.output + local], atomicLoad(&counts[local]));
    }
}

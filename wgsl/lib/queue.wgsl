//!use lib/chunk
// Queues that keep counting beyond their capacity. A kernel that uses this declares `chunk` and `control`. The control
// buffer starts with the counters; the retry bits of the pieces and the cutoffs of the motions follow.

// The counters in order. Kernels address them as words of `control`, by `routing` or by a constant below.
struct Counters {
    sweep: SweepCounters,
    pairs: u32,
    node_boxes: u32,
    near_pairs: u32,
    probed_clusters: u32,
    cull_levels: array<u32, 128>,
    view: SweepCounters,
    listed_triangles: u32,
    tiles: u32,
    candidates: u32,
    phases: array<PhaseCounters, 16>,
}

struct SweepCounters {
    candidates_out: u32,
    triangles_in: u32,
    triangles_out: u32,
}

struct PhaseCounters {
    link_levels: array<u32, 61>,
    parts: u32,
    leaves: u32,
    triangles: u32,
    node_levels: array<u32, 61>,
}

fn mark_retry(piece: u32) {
    atomicOr(&control[chunk.retry_at + piece / 32u], 1u << (piece % 32u));
}

var<workgroup> n_appended: array<atomic<u32>, 2>;
var<workgroup> first_slots: array<u32, 2>;

// Reserves slots in two queues for the entries of all invocations of a workgroup, by one atomic operation on each
// queue's counter. Returns the first slot of this invocation in each queue. All invocations of the workgroup must call
// this, and only once.
fn slots_in_both(counters: vec2<u32>, n: vec2<u32>, local: u32) -> vec2<u32> {
    var before = vec2<u32>(0u);
    if n.x != 0u {
        before.x = atomicAdd(&n_appended[0], n.x);
    }
    if n.y != 0u {
        before.y = atomicAdd(&n_appended[1], n.y);
    }
    workgroupBarrier();
    if local < 2u {
        let all = atomicLoad(&n_appended[local]);
        if all != 0u {
            first_slots[local] = atomicAdd(&control[counters[local]], all);
        }
    }
    workgroupBarrier();
    return vec2<u32>(first_slots[0], first_slots[1]) + before;
}

// The same for one queue.
fn slots(counter: u32, n: u32, local: u32) -> u32 {
    return slots_in_both(vec2<u32>(counter, counter), vec2<u32>(n, 0u), local).x;
}

// Returns whether a slot exists. If the queue is full, the piece is marked for a retry.
fn has_room(slot: u32, capacity: u32, piece: u32) -> bool {
    if slot < capacity {
        return true;
    }
    mark_retry(piece);
    return false;
}

// Number of entries to process.
fn queue_length(counter: u32, capacity: u32) -> u32 {
    return min(atomicLoad(&control[counter]), capacity);
}

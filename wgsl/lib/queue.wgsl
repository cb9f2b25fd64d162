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

// The slot for one more entry, or NONE if the queue is full, in which case the piece is marked for a retry.
fn queue_slot(counter: u32, capacity: u32, piece: u32) -> u32 {
    let slot = atomicAdd(&control[counter], 1u);
    if slot >= capacity {
        mark_retry(piece);
        return NONE;
    }
    return slot;
}

// Number of entries to process.
fn queue_length(counter: u32, capacity: u32) -> u32 {
    return min(atomicLoad(&control[counter]), capacity);
}
